//! How the sites of the made web answer, asked directly.

use facts::Url;
use lab::{Answer, Asked, PageId, Settings, Web};

fn web() -> Web {
    Web::new(Settings { hosts: 200, pages: 8_000, photo_bytes_scale: 0.02, ..Settings::default() })
}

/// Pages of all sorts, from many hosts.
fn pages(web: &Web) -> Vec<PageId> {
    web.walk().take(1_500).map(|(page, _)| page).collect()
}

fn photos(web: &Web) -> impl Iterator<Item = (Url, Url)> + '_ {
    pages(web).into_iter().flat_map(move |page| {
        let url = web.url_of(page).unwrap();
        web.media_of(page).into_iter().map(move |media| (url.clone(), media))
    })
}

fn from_page(web: &Web, page: &Url, media: &Url) -> Answer {
    web.answer(&Asked { referer: Some(page.to_string()), ..Asked::get(media) })
}

#[test]
fn the_same_number_is_the_same_web_and_another_is_another() {
    let (one, same) = (web(), web());
    let other = Web::new(Settings { number: 2, ..one.settings().clone() });
    let mut differ = false;
    for page in pages(&one).into_iter().take(40) {
        let asked = Asked::get(&one.url_of(page).unwrap());
        assert_eq!(one.answer(&asked), same.answer(&asked));
        differ |= one.answer(&asked) != other.answer(&asked);
    }
    for (page, media) in photos(&one).take(25) {
        assert_eq!(from_page(&one, &page, &media), from_page(&same, &page, &media));
    }
    assert!(differ);
}

#[test]
fn links_on_pages_are_those_the_truth_knows() {
    let web = web();
    for page in pages(&web).into_iter().step_by(25) {
        let url = web.url_of(page).unwrap();
        let asked = Asked { times_before: 1, cookie: Some("seen=1; consent=yes".into()), ..Asked::get(&url) };
        let body = web.answer(&asked).body;
        let text = String::from_utf8_lossy(&body);
        let links = text
            .split("<a href=\"")
            .skip(1)
            .filter(|link| !link.contains("rel=\"nofollow\"") || !link.split('>').next().unwrap().contains("nofollow"));
        let found: Vec<PageId> = links
            .filter_map(|link| url.join(&link.split('"').next()?.replace("&amp;", "&")).ok())
            .filter_map(|link| web.page_at(&link))
            .collect();
        let expected = web.outlinks(page);
        let nofollow = text.contains("name=\"robots\" content=\"nofollow\"") || text.contains("noindex, nofollow");
        assert!(nofollow || !expected.is_empty());
        for link in &expected {
            assert!(found.contains(link), "{url} should link to {:?}", web.url_of(*link));
        }
    }
}

#[test]
fn addresses_the_truth_knows_stand_on_their_pages() {
    let web = web();
    let mut seen = 0;
    for page in pages(&web) {
        let url = web.url_of(page).unwrap();
        let truth = web.truth(&url).unwrap().page.unwrap();
        if truth.places.is_empty() {
            continue;
        }
        let asked = Asked { times_before: 1, cookie: Some("seen=1; consent=yes".into()), ..Asked::get(&url) };
        let body = web.answer(&asked).body;
        assert!(String::from_utf8_lossy(&body).contains(&truth.places[0].line), "{url}");
        seen += 1;
    }
    assert!(seen > 20);
}

#[test]
fn pictures_are_decodable_and_as_large_as_the_truth_says() {
    let web = web();
    let mut formats = std::collections::HashMap::<&str, usize>::new();
    for (page, media) in photos(&web) {
        let Some(truth) = web.truth(&media).unwrap().picture else { continue };
        let count = formats.entry(truth.format).or_default();
        if *count == 4 {
            continue;
        }
        *count += 1;
        let answer = from_page(&web, &page, &media);
        assert_eq!(answer.status, 200, "{media}");
        let picture = image::load_from_memory(&answer.body).unwrap_or_else(|error| panic!("{media}: {error}"));
        assert_eq!((picture.width(), picture.height()), (truth.width, truth.height), "{media}");
    }
    assert_eq!(formats.len(), 5, "{formats:?}");
}

#[test]
fn one_to_two_percent_of_photos_are_located_and_a_few_wrongly() {
    let web = Web::new(Settings::default());
    let (mut all, mut located, mut wrong) = (0, 0, 0);
    for (page, _) in web.walk().take(2_500) {
        for media in web.media_of(page) {
            let Some(truth) = web.truth(&media).unwrap().picture else { continue };
            all += 1;
            located += usize::from(truth.location.is_some());
            wrong += usize::from(truth.wrong_location.is_some());
        }
    }
    let share = (located + wrong) as f64 / all as f64;
    assert!((0.01..=0.02).contains(&share), "{share}");
    assert!(wrong > 0 && wrong * 4 < located, "{wrong} of {located}");
}

#[test]
fn located_photos_carry_their_place_in_exif() {
    let web = Web::new(Settings { located_share: 0.6, photo_bytes_scale: 0.02, hosts: 20, ..Settings::default() });
    let mut checked = 0;
    for (page, media) in photos(&web).take(120) {
        let Some(truth) = web.truth(&media).unwrap().picture else { continue };
        let body = from_page(&web, &page, &media).body;
        let gps = body.windows(2).any(|pair| pair == [0x25, 0x88]) && body.windows(4).any(|four| four == b"II\x2a\0");
        if truth.location.is_some() {
            assert!(gps, "{media}");
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn copies_are_copies() {
    let web = web();
    let (mut exact, mut other) = (0, 0);
    for (page, media) in photos(&web) {
        let Some(truth) = web.truth(&media).unwrap().picture else { continue };
        let Some(original) = truth.copy_of.map(|url| Url::parse(&url).unwrap()) else { continue };
        let original_truth = web.truth(&original).unwrap().picture.unwrap();
        assert!(original_truth.copy_of.is_none(), "copies are made of originals");
        let source = Url::parse(&original_truth.page).unwrap();
        let (copy, source) = (from_page(&web, &page, &media).body, from_page(&web, &source, &original).body);
        let same = copy == source;
        assert_eq!(same, truth.copy_kind == Some("bytes"), "{media} of {original}");
        assert!(difference(&copy, &source) < 9.0, "{media} shows something else than {original}");
        if same {
            exact += 1
        } else {
            other += 1
        }
        if exact > 5 && other > 5 {
            return;
        }
    }
    panic!("{exact} exact and {other} other copies are too few");
}

/// How far two pictures are apart on average, seen small.
fn difference(a: &[u8], b: &[u8]) -> f64 {
    let small = |file| {
        let picture = image::load_from_memory(file).unwrap();
        picture.resize_exact(48, 36, image::imageops::FilterType::Triangle).to_rgb8().into_raw()
    };
    let (a, b) = (small(a), small(b));
    a.iter().zip(&b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
}

#[test]
fn thumbnails_show_what_their_photos_show() {
    let web = web();
    let mut seen = 0;
    for (page, media) in photos(&web).filter(|(_, media)| media.query().is_none()).take(30) {
        let Some(truth) = web.truth(&media).unwrap().picture else { continue };
        let extension = format!(".{}", truth.format);
        let thumbnail = media.as_str().replace("/full/", "/thumb/").replace(&extension, ".jpg");
        let thumbnail = Url::parse(&thumbnail).unwrap();
        let (large, small) = (from_page(&web, &page, &media).body, from_page(&web, &page, &thumbnail).body);
        assert!(difference(&large, &small) < 9.0, "{thumbnail}");
        let about = web.truth(&thumbnail).unwrap().picture.unwrap();
        assert!(about.width.max(about.height) <= 200);
        assert_eq!(about.copy_of.as_deref(), Some(media.as_str()));
        seen += 1;
    }
    assert!(seen > 10);
}

#[test]
fn films_and_sounds_have_known_copies_and_parts() {
    let web = Web::new(Settings { hosts: 60, pages: 6_000, photo_bytes_scale: 0.02, ..Settings::default() });
    let (mut copies, mut parts, mut films) = (0, 0, 0);
    for (page, _) in web.walk() {
        for media in web.media_of(page) {
            let truth = web.truth(&media).unwrap();
            let Some(clip) = truth.clip else { continue };
            let body = web.answer(&Asked::get(&media)).body;
            assert!(body.len() > 2_000 && body.len() < 2_000_000, "{media}: {}", body.len());
            if truth.kind == "film" {
                assert!(body.starts_with(b"RIFF") || body.starts_with(b"GIF89a"));
                films += 1;
            } else {
                assert_eq!((&body[..4], &body[8..12]), (&b"RIFF"[..], &b"WAVE"[..]));
            }
            if let Some(of) = clip.copy_of {
                assert_eq!(web.answer(&Asked::get(&Url::parse(&of).unwrap())).body, body);
                copies += 1;
            }
            if let (Some(of), "sound") = (clip.part_of, truth.kind) {
                let whole = web.answer(&Asked::get(&Url::parse(&of).unwrap())).body;
                let from = 44 + (clip.offset_seconds * 16_000.0) as usize;
                assert_eq!(whole[from..from + body.len() - 44], body[44..]);
                parts += 1;
            }
        }
        if copies > 3 && parts > 3 && films > 3 {
            return;
        }
    }
    panic!("{copies} copies, {parts} parts, {films} films are too few");
}

#[test]
fn some_sites_guard_their_pictures() {
    let web = web();
    let (mut guarded, mut signed) = (0, 0);
    for (page, media) in photos(&web) {
        if guarded > 2 && signed > 2 {
            return;
        }
        if web.answer(&Asked::get(&media)).status == 403 {
            assert_eq!(from_page(&web, &page, &media).status, 200);
            assert_eq!(from_page(&web, &Url::parse("http://elsewhere.lab.test/").unwrap(), &media).status, 403);
            guarded += 1;
        }
        if media.query().is_some_and(|query| query.contains("sig=")) {
            let tampered = Url::parse(&media.as_str().replace("expires=4", "expires=5")).unwrap();
            assert_eq!(from_page(&web, &page, &tampered).status, 403);
            assert_eq!(
                from_page(&web, &page, &Url::parse(media.as_str().split('?').next().unwrap()).unwrap()).status,
                403
            );
            signed += 1;
        }
    }
    panic!("{guarded} guarded and {signed} signed are too few");
}

#[test]
fn cookie_walls_open_to_who_carries_the_cookie() {
    let web = web();
    let (mut to_self, mut by_consent) = (0, 0);
    for page in pages(&web) {
        let url = web.url_of(page).unwrap();
        let first = web.answer(&Asked { times_before: 1, ..Asked::get(&url) });
        if first.status != 302 {
            continue;
        }
        let next = url.join(first.header("location").unwrap()).unwrap();
        let (answer, counter) = match first.header("set-cookie") {
            Some(_) => (first.clone(), &mut to_self),
            None => (web.answer(&Asked::get(&next)), &mut by_consent),
        };
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        assert_eq!(url.join(answer.header("location").unwrap()).unwrap(), url, "the wall leads back");
        let through = web.answer(&Asked { cookie: Some(cookie), times_before: 1, ..Asked::get(&url) });
        assert_eq!(through.status, 200);
        *counter += 1;
    }
    assert!(to_self > 0 && by_consent > 0, "{to_self} {by_consent}");
}

#[test]
fn robots_files_are_of_all_sorts_and_forbid_what_the_truth_says() {
    let web = web();
    let (mut statuses, mut styles) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for page in pages(&web) {
        let url = web.url_of(page).unwrap();
        let answer = web.answer(&Asked::get(&url.join("/robots.txt").unwrap()));
        statuses.insert(answer.status);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        for mark in ["\u{feff}", "\r\n", "Crawl-delay", "Sitemap:", "GreedyBot", "Disallow: /login", "Disallow:\n"] {
            if text.contains(mark) {
                styles.insert(mark);
            }
        }
        if text.contains("Disallow: /login") {
            assert!(!web.allows(url.scheme() == "https", url.host_str(), "/login"), "{url}");
        }
        // It may always be asked for, also by the scheme that only leads to the other.
        assert!([true, false].iter().all(|https| web.allows(*https, url.host_str(), "/robots.txt")), "{url}");
    }
    assert_eq!(styles.len(), 7, "{styles:?}");
    assert!(statuses.is_superset(&[200, 302, 404].into()), "{statuses:?}");
}

#[test]
fn sitemaps_list_pages_that_exist() {
    let web = web();
    let mut listed = 0;
    for seed in web.seeds() {
        let index = web.answer(&Asked::get(&seed.join("/sitemap.xml").unwrap()));
        if index.status != 200 {
            continue;
        }
        let images = web.answer(&Asked::get(&seed.join("/sitemap-images.xml").unwrap()));
        let text = String::from_utf8_lossy(&images.body).into_owned();
        for url in text.split("<loc>").skip(1).filter_map(|rest| rest.split('<').next()) {
            assert!(web.page_at(&Url::parse(url).unwrap()).is_some(), "{url}");
            listed += 1;
        }
        let pages = web.answer(&Asked::get(&seed.join("/sitemap-pages.xml.gz").unwrap()));
        assert!(pages.body.starts_with(&[0x1f, 0x8b]));
    }
    assert!(listed > 10);
}

#[test]
fn parts_and_versions_are_served_on_request() {
    let web = web();
    let (page, media, whole) = photos(&web)
        .map(|(page, media)| (from_page(&web, &page, &media), page, media))
        .find(|(answer, ..)| answer.header("accept-ranges").is_some())
        .map(|(answer, page, media)| (page, media, answer))
        .unwrap();
    let asked = || Asked { referer: Some(page.to_string()), ..Asked::get(&media) };
    let part = web.answer(&Asked { range: Some("bytes=100-199".into()), ..asked() });
    assert_eq!((part.status, &part.body[..]), (206, &whole.body[100..200]));
    let tail = web.answer(&Asked { range: Some("bytes=-50".into()), ..asked() });
    assert_eq!(tail.body, whole.body.slice(whole.body.len() - 50..));
    let etag = whole.header("etag").unwrap().to_owned();
    assert_eq!(web.answer(&Asked { if_none_match: Some(etag.clone()), ..asked() }).status, 304);
    let stale = Asked { range: Some("bytes=0-9".into()), if_range: Some("\"old\"".into()), ..asked() };
    assert_eq!(web.answer(&stale).status, 200);
    let fresh = Asked { range: Some("bytes=0-9".into()), if_range: Some(etag), ..asked() };
    assert_eq!(web.answer(&fresh).status, 206);
}

#[test]
fn nothing_asked_for_makes_it_panic() {
    let web = web();
    for target in [
        "",
        "/",
        "//",
        "/%",
        "/pictures",
        "/pictures/1-0/full/x.jpg",
        "/pictures/99999999999999999999-1/full/x.jpg",
        "/go/9/1",
        "/go/1/99999999",
        "/films/1/x.avi",
        "/old/x",
        "/consent?to=//evil.test/",
        "/calendar/1/1",
        "/node/-1",
        "/;jsessionid=",
        "?",
        "/static/",
        "/sitemap-pages.xml.gz",
        "/adserver/banner-.gif",
    ] {
        for host in ["town1.lab.test", "photos1.lab.test", "cdn1.lab.test", "ads.lab.test", "stats.lab.test", "", "x"] {
            let asked = Asked { host: host.into(), target: target.into(), ..Asked::default() };
            let answer = web.answer(&asked);
            assert!((200..=503).contains(&answer.status));
        }
    }
}
