//! Pictures, films and sounds as pages show them.

use std::fmt::Write;

use crate::dice::Dice;
use crate::host::DOMAIN;
use crate::html::escaped;
use crate::media::clip::{ClipKind, clip};
use crate::media::decor::Decor;
use crate::media::picture::{Size, photo_count, picture};
use crate::page::Page;

const PLACEHOLDER: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/// One photo, shown in one of the ways the web knows.
fn photo(page: &Page<'_>, slot: u64) -> String {
    let Some(picture) = picture(page, slot) else { return String::new() };
    let mut dice = Dice::new(page.settings.number, "shown", [u64::from(page.host.index), page.index, slot]);
    let url = |size| escaped(&picture.url(page, slot, size));
    let (full, alt) = (url(Size::Full), escaped(&picture.alt(page, slot)));
    let (width, height) = (picture.shot.width, picture.shot.height);
    match dice.below(16) {
        0..4 => format!("<img src=\"{full}\" width=\"{width}\" height=\"{height}\" alt=\"{alt}\">\n"),
        4..7 => {
            let thumbnail = url(Size::Thumbnail);
            format!("<a class=\"zoom\" href=\"{full}\"><img src=\"{thumbnail}\" alt=\"{alt}\"></a>\n")
        }
        7..9 => format!(
            "<img class=\"lazy\" src=\"{PLACEHOLDER}\" data-src=\"{full}\" alt=\"{alt}\">\
             <noscript><img src=\"{full}\" alt=\"{alt}\"></noscript>\n"
        ),
        9..11 if width > 640 => format!(
            "<img src=\"{small}\" srcset=\"{small} 320w, {} 640w, {full} {width}w\" sizes=\"100vw\" alt=\"{alt}\">\n",
            url(Size::Wide(640)),
            small = url(Size::Wide(320))
        ),
        11 => format!(
            "<picture><source srcset=\"{full}\" type=\"{}\"><img src=\"{}\" alt=\"{alt}\"></picture>\n",
            picture.shot.format.content_type(),
            url(Size::Wide(640))
        ),
        12 => format!("<div class=\"hero\" style=\"background-image:url('{full}')\"></div>\n"),
        _ => {
            let caption = page.tongue().title(&mut dice, page.spoken[1]);
            let place = if page.plain { "" } else { page.town().name };
            format!(
                "<figure><img src=\"{full}\" alt=\"{alt}\" loading=\"lazy\">\
                 <figcaption>{caption} {place}</figcaption></figure>\n"
            )
        }
    }
}

/// All photos of the page, each as HTML.
pub(crate) fn photos(page: &Page<'_>) -> Vec<String> {
    (0..photo_count(page)).map(|slot| photo(page, slot)).collect()
}

/// The page's film and sound.
pub(crate) fn clips(page: &Page<'_>) -> String {
    let mut out = String::new();
    if let Some(film) = clip(page, ClipKind::Film) {
        let path = film.path(page);
        let shown = if film.animated_gif {
            format!("<img src=\"{path}\" alt=\"{}\">\n", page.topic_words()[1])
        } else {
            format!(
                "<video controls width=\"320\"><source src=\"{path}\" type=\"{}\"><a href=\"{path}\">{}</a></video>\n",
                film.content_type(),
                page.topic_words()[1]
            )
        };
        out.push_str(&shown);
    }
    if let Some(sound) = clip(page, ClipKind::Sound) {
        let _ = writeln!(out, "<audio controls src=\"{}\"></audio>", sound.path(page));
    }
    out
}

/// An advert with its link.
pub(crate) fn advert(page: &Page<'_>) -> String {
    let n = page.dice("advert").below(40);
    let (width, height) = Decor::Advert(n).size();
    format!(
        "<div class=\"promo\"><a rel=\"nofollow sponsored\" href=\"http://ads.{DOMAIN}/click?id={n}\">\
         <img src=\"http://ads.{DOMAIN}{}\" width=\"{width}\" height=\"{height}\" alt=\"advertisement\"></a></div>\n",
        Decor::Advert(n).path()
    )
}

/// Icons, and the pixel that counts visitors.
pub(crate) fn small_print_pictures(page: &Page<'_>) -> String {
    let mut out = String::new();
    for n in 0..3 {
        let _ = write!(out, "<img src=\"{}\" width=\"32\" height=\"32\" alt=\"\">", Decor::Icon(n).path());
    }
    let _ = writeln!(
        out,
        "<img src=\"http://stats.{DOMAIN}{}?p={}\" width=\"1\" height=\"1\" alt=\"\">",
        Decor::Pixel.path(),
        page.index
    );
    out
}
