//! What is read from whole pages, beside what was read before.

use std::fmt::Write;

use facts::Url;
use page::{Limits, Page, read};

fn golden(file: &str, url: &str) -> Page {
    let path = format!("{}/tests/pages/{file}", env!("CARGO_MANIFEST_DIR"));
    let body = std::fs::read(&path).expect(&path);
    let page = read(&body, Some("text/html"), &Url::parse(url).unwrap(), &Limits::default());
    insta::assert_snapshot!(file, show(&page));
    page
}

/// The page as a person would check it.
fn show(page: &Page) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "title: {}\ncharset: {}  language: {:?}", page.title, page.charset, page.language);
    let _ = writeln!(out, "base: {:?}\ndescription: {}\nkeywords: {:?}", page.base, page.description, page.keywords);
    let _ = writeln!(out, "robots: {:?}", page.robots);
    let _ = writeln!(out, "canonical: {:?}  refresh: {:?}  feeds: {:?}", page.canonical, page.refresh, page.feeds);
    let _ = writeln!(out, "\n== text\n{}\n\n== links", page.text);
    for link in &page.links {
        let _ = writeln!(out, "{:?} {} {:?}", link.origin, link.url, link.text);
        if !link.title.is_empty() || !link.around.is_empty() || link.rel.nofollow {
            let _ = writeln!(out, "    title {:?} around {:?} nofollow {}", link.title, link.around, link.rel.nofollow);
        }
    }
    let _ = writeln!(out, "\n== media");
    for media in &page.media {
        let _ = writeln!(out, "{} {:?} {}", media.kind, media.origin, media.url);
        let _ = writeln!(out, "    {:?} + {:?} + {:?}", media.alt, media.name_words, media.caption);
        if media.link_target.is_some() || media.declared_size.is_some() {
            let _ = writeln!(out, "    leads to {:?}, size {:?}", media.link_target, media.declared_size);
        }
    }
    let _ = writeln!(out, "\n== structured ({} malformed)", page.malformed_structured);
    for item in &page.structured {
        let _ = writeln!(out, "{:?} {}", item.source, item.value);
    }
    out
}

#[test]
fn a_gallery_gives_thumbnails_and_the_pictures_they_lead_to() {
    let page = golden("gallery.html", "https://galleria.example.fi/satama/");
    let full = page.media.iter().find(|m| m.url.path() == "/full/satama-aamulla.jpg").unwrap();
    let thumbnail = page.media.iter().find(|m| m.url.path().starts_with("/thumb/satama")).unwrap();
    assert_eq!(thumbnail.link_target.as_ref(), Some(&full.url));
    assert_eq!(full.declared_size, Some((1600, 1067)), "Open Graph says how large it is");
}

#[test]
fn an_article_gives_its_lazy_images_once_and_nothing_from_scripts() {
    let page = golden("article.html", "https://www.tagblatt.example.at/oberoesterreich/bruecke.html");
    assert_eq!(page.media.iter().filter(|m| m.url.path() == "/bild/feuerwehr.jpg").count(), 1);
    assert!(page.media.iter().all(|m| !m.url.as_str().contains("not-a")));
}

#[test]
fn a_restaurant_gives_its_address_in_every_form_it_wrote() {
    golden("restaurant.html", "https://www.chezluc.example.fr/");
}

#[test]
fn a_broken_page_is_read_as_a_browser_would() {
    golden("broken.html", "http://broken.example/");
}

#[test]
fn a_japanese_page_in_its_own_charset_is_read() {
    let page = golden("harbour.sjis.html", "http://minato.example.jp/");
    assert_eq!(page.charset, "Shift_JIS");
}

#[test]
fn a_russian_page_that_does_not_name_its_charset_is_read() {
    let page = golden("museum.cp1251.html", "http://muzej.example.ru/");
    assert_eq!((page.charset, page.language.as_deref()), ("windows-1251", Some("ru")));
}
