//! Which pictures are kept, and what it costs to find out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use facts::LatLon;
use lab::Photo;
use serde_json::Value;
use sha2::Digest;

use crate::harness::Bird;
use crate::site::{Asked, Reply, Site};

const HEAD: &str = "bytes=0-16383";

/// A photo with more bytes than a first look takes.
fn photo(width: u32, height: u32, located: bool) -> Vec<u8> {
    let at = if located { LatLon::new(60.1699, 24.9384) } else { None };
    Photo { scene: u64::from(width * height), width, height, bytes: 60_000, at, ..Photo::default() }.file()
}

/// A site with one page that shows these files, each as its own picture.
fn gallery(page: &str, files: Vec<(&'static str, Vec<u8>)>) -> Site {
    let page = page.to_owned();
    let files: BTreeMap<_, _> = files.into_iter().collect();
    Site::start(move |asked| match files.get(asked.path.as_str()) {
        Some(file) => Reply::file(asked, "image/jpeg", file, "\"1\""),
        None if asked.path == "/" => Reply::html(&page),
        None => Reply::status(404),
    })
}

fn crawl(bird: &Bird, site: &Site, more: &[&str]) -> Value {
    let order = ["crawl", "http://one.test/", "--delay", "20ms"].iter().chain(more).map(|word| (*word).to_owned());
    bird.json(order.chain(site.resolve("*.test")))
}

/// The hash of the file that was kept from an address.
fn kept(bird: &Bird, address: &str) -> Option<String> {
    bird.kept().media.get(address).cloned()
}

fn hash(file: &[u8]) -> String {
    sha2::Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_refused_picture_costs_its_first_bytes_and_a_kept_one_is_continued() {
    let (small, large) = (photo(300, 300, false), photo(800, 600, false));
    let length = small.len() as u64;
    let site =
        gallery("<img src=/small.jpg><img src=/large.jpg>", vec![("/small.jpg", small), ("/large.jpg", large.clone())]);
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &[]);
    assert_eq!(site.ranges("/small.jpg"), [HEAD]);
    assert_eq!(site.ranges("/large.jpg"), [HEAD, "bytes=16384-"]);
    let rest = site.log().into_iter().find(|asked| asked.range == "bytes=16384-").unwrap();
    assert_eq!(rest.if_range, "\"1\"");
    assert_eq!(kept(&bird, "http://one.test/large.jpg"), Some(hash(&large)));
    assert_eq!(summary["images"]["refused"]["small"], 1, "{summary}");
    assert_eq!(summary["bytes_saved"], length - 16_384, "{summary}");
    assert!(site.shortest_gap("one.test") >= Duration::from_millis(20));
}

#[test]
fn a_server_without_ranges_gives_the_same_pictures() {
    let (small, large) = (photo(300, 300, false), photo(800, 600, false));
    let (length, whole) = (small.len() as u64, large.clone());
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/" => Reply::html("<img src=/small.jpg><img src=/large.jpg>"),
        "/small.jpg" => Reply::new(200, "image/jpeg", &small),
        "/large.jpg" => Reply::new(200, "image/jpeg", &large),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &[]);
    assert_eq!((site.count("/small.jpg"), site.count("/large.jpg")), (1, 1));
    assert_eq!(kept(&bird, "http://one.test/large.jpg"), Some(hash(&whole)));
    assert_eq!(summary["images"]["refused"]["small"], 1, "{summary}");
    let saved = summary["bytes_saved"].as_u64().unwrap();
    assert!(saved < length, "{summary}");
}

#[test]
fn a_picture_that_changes_between_two_requests_is_taken_anew() {
    let (old, new) = (photo(800, 600, false), photo(1000, 750, false));
    let now = new.clone();
    let site = Site::start(move |asked| match (asked.path.as_str(), asked.range.as_str()) {
        ("/", _) => Reply::html("<img src=/honest.jpg><img src=/careless.jpg><img src=/lying.jpg>"),
        ("/honest.jpg" | "/careless.jpg" | "/lying.jpg", HEAD) => Reply::file(asked, "image/jpeg", &old, "\"1\""),
        ("/honest.jpg", _) => Reply::file(asked, "image/jpeg", &new, "\"2\""),
        // One that does not look at If-Range, and one whose parts are not where it says.
        ("/careless.jpg", _) => {
            let unconditional = Asked { if_range: String::new(), ..asked.clone() };
            Reply::file(&unconditional, "image/jpeg", &new, "\"2\"")
        }
        ("/lying.jpg", "") => Reply::new(200, "image/jpeg", &new),
        ("/lying.jpg", _) => Reply::new(206, "image/jpeg", &new[5..]).with("Content-Range", "bytes 5-9/10"),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    crawl(&bird, &site, &[]);
    for name in ["honest", "careless", "lying"] {
        assert_eq!(kept(&bird, &format!("http://one.test/{name}.jpg")), Some(hash(&now)), "{name}");
    }
    assert_eq!(site.ranges("/honest.jpg"), [HEAD, "bytes=16384-"]);
    assert_eq!(site.ranges("/careless.jpg"), [HEAD, "bytes=16384-", ""]);
}

#[test]
fn servers_that_do_not_like_ranges_are_asked_without() {
    let file = photo(800, 600, false);
    let expected = hash(&file);
    let first = AtomicBool::new(true);
    let site = Site::start(move |asked| match (asked.path.as_str(), asked.range.as_str()) {
        ("/", _) => Reply::html("<img src=/416.jpg><img src=/501.jpg><img src=/empty.jpg><img src=/busy.jpg>"),
        ("/empty.jpg", "") => Reply::new(200, "image/jpeg", b""),
        ("/416.jpg" | "/empty.jpg", range) if !range.is_empty() => Reply::status(416),
        ("/501.jpg", range) if !range.is_empty() => Reply::status(501),
        // Busy in the middle of a file: it is begun again after a rest.
        ("/busy.jpg", "bytes=16384-") if first.swap(false, Ordering::Relaxed) => Reply::status(503),
        ("/busy.jpg", _) => Reply::file(asked, "image/jpeg", &file, "\"1\""),
        ("/416.jpg" | "/501.jpg", _) => Reply::new(200, "image/jpeg", &file),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &[]);
    for name in ["416", "501", "busy"] {
        assert_eq!(kept(&bird, &format!("http://one.test/{name}.jpg")).as_ref(), Some(&expected), "{name}: {summary}");
    }
    assert_eq!(summary["images"]["refused"]["broken"], 1, "{summary}");
    assert_eq!(site.ranges("/busy.jpg"), [HEAD, "bytes=16384-", HEAD, "bytes=16384-"]);
}

#[test]
fn a_located_picture_is_kept_whatever_its_sides_and_words() {
    let files = vec![
        ("/long.jpg", photo(1000, 420, false)),
        ("/long-here.jpg", photo(1000, 422, true)),
        ("/banner.jpg", photo(640, 480, false)),
        ("/banner-here.jpg", photo(640, 482, true)),
        ("/tiny-here.jpg", photo(200, 150, true)),
    ];
    let page: String = files.iter().map(|(path, _)| format!("<img src={path}>")).collect();
    let site = gallery(&page, files);
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &[]);
    let refused = &bird.kept().refused;
    let reason = |name: &str| refused.get(&format!("http://one.test/{name}.jpg")).map(String::as_str);
    assert_eq!((reason("long"), reason("banner"), reason("tiny-here")), (Some("aspect"), Some("word"), Some("small")));
    assert_eq!((reason("long-here"), reason("banner-here")), (None, None));
    assert_eq!((&summary["images"]["kept"], &summary["geotagged"]), (&2.into(), &2.into()), "{summary}");
}

#[test]
fn only_located_pictures_are_fetched_in_full_when_asked_so() {
    let webp = |at| Photo { format: "webp", width: 900, height: 600, at, ..Photo::default() }.file();
    let here = webp(LatLon::new(-33.5, 151.25));
    assert!(here.len() > 20_000, "{}", here.len());
    let files = vec![
        ("/plain.jpg", photo(800, 600, false)),
        ("/here.jpg", photo(804, 600, true)),
        ("/plain.webp", webp(None)),
        ("/here.webp", here.clone()),
    ];
    let page: String = files.iter().map(|(path, _)| format!("<img src={path}>")).collect();
    let site = gallery(&page, files);
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &["--only-located"]);
    assert_eq!(summary["images"]["refused"]["not-located"], 2, "{summary}");
    assert_eq!((&summary["images"]["kept"], &summary["geotagged"]), (&2.into(), &2.into()), "{summary}");
    // WebP keeps its metadata at the end: that is asked for before the rest is.
    assert_eq!(site.ranges("/here.webp").len(), 3, "{:?}", site.ranges("/here.webp"));
    assert_eq!(site.ranges("/plain.jpg"), [HEAD]);
    assert_eq!(kept(&bird, "http://one.test/here.webp"), Some(hash(&here)));
}

#[test]
fn thumbnails_give_way_to_what_they_link_to() {
    let page = "<a href=/full.jpg><img src=/thumb.jpg></a>\
                <a href=http://two.test/away.jpg><img src=/out.jpg></a>\
                <img src=http://cdn.test/shown.jpg>";
    let files =
        ["/full.jpg", "/thumb.jpg", "/away.jpg", "/out.jpg", "/shown.jpg"].map(|path| (path, photo(400, 300, false)));
    let site = gallery(page, files.to_vec());
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &["--keep", "query"]);
    let kept: Vec<String> = bird.kept().media.into_keys().collect();
    assert_eq!(kept, ["http://cdn.test/shown.jpg", "http://one.test/full.jpg"]);
    let refused = &summary["images"]["refused"];
    assert_eq!((&refused["thumbnail"], &refused["external"]), (&1.into(), &1.into()), "{summary}");
    assert_eq!((site.count("/thumb.jpg"), site.count("/away.jpg"), site.count("/out.jpg")), (0, 0, 0));
}

#[test]
fn what_is_too_large_is_not_fetched() {
    let site = gallery("<img src=/large.jpg>", vec![("/large.jpg", photo(800, 600, false))]);
    let bird = Bird::new();
    let config = bird.file("bowerbird.toml", "[crawl.limits]\nmax-file = \"30kB\"\n");
    let summary = crawl(&bird, &site, &["--config", &config]);
    assert_eq!(summary["images"]["refused"]["too-large"], 1, "{summary}");
    assert_eq!(site.ranges("/large.jpg"), [HEAD]);
}

#[test]
fn every_number_of_the_rules_is_a_setting() {
    let site = gallery("<img src=/odd.jpg>", vec![("/odd.jpg", photo(399, 173, false))]);
    let bird = Bird::new();
    let config = bird.file(
        "bowerbird.toml",
        "[crawl.keep]\nmin-width = 399\nmin-height = 173\nratios = [\"399:173\"]\nprobe = \"stream\"\n",
    );
    let summary = crawl(&bird, &site, &["--config", &config]);
    assert_eq!(summary["images"]["kept"], 1, "{summary}");
    assert_eq!(site.ranges("/odd.jpg"), [""]);
}

#[test]
fn a_thumbnail_is_beside_each_picture_the_right_way_up() {
    let turned = Photo { width: 800, height: 600, orientation: 6, ..Photo::default() }.file();
    let site = gallery(
        "<img src=/turned.jpg><img src=/broken.jpg>",
        vec![("/turned.jpg", turned.clone()), ("/broken.jpg", turned[..700].to_vec())],
    );
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &[]);
    assert_eq!(summary["images"]["kept"], 2, "a picture that cannot be decoded is kept as it is: {summary}");
    let thumbnails: Vec<_> = bird.kept().thumbnails.into_iter().collect();
    assert_eq!(thumbnails.len(), 1);
    assert!(thumbnails[0].starts_with("one.test/") && thumbnails[0].contains(&hash(&turned)), "{thumbnails:?}");
    let thumbnail = bird.data().join("media").join(&thumbnails[0]).display().to_string();
    let found = bird.json(["inspect", &thumbnail]);
    let shape = ["format", "width", "height", "orientation"].map(|field| found[0][field].clone());
    assert_eq!(shape, [Value::from("jpeg"), 300.into(), 400.into(), 1.into()], "{found}");

    let without = Bird::new();
    crawl(&without, &site, &["--no-thumbnails"]);
    assert!(without.kept().thumbnails.is_empty());
}

#[test]
fn odd_answers_to_ranges_cost_requests_and_no_pictures() {
    let file = photo(800, 600, false);
    let (expected, length) = (hash(&file), file.len());
    let part = move |asked: &Asked, most: usize, total: &str| {
        let start: usize = asked.range.strip_prefix("bytes=").unwrap().split('-').next().unwrap().parse().unwrap();
        let end = (start + most).min(length) - 1;
        let range = format!("bytes {start}-{end}/{total}");
        Reply::new(206, "image/jpeg", &file[start..=end]).with("Content-Range", &range)
    };
    let whole = photo(800, 600, false);
    let site = Site::start(move |asked| match (asked.path.as_str(), asked.range.is_empty()) {
        ("/", _) => Reply::html(
            "<img src=/capped.jpg><img src=/unknown.jpg><img src=/crumbs.jpg><img src=/error.jpg><img src=/gone.jpg>",
        ),
        ("/capped.jpg" | "/unknown.jpg" | "/crumbs.jpg", true) => Reply::new(200, "image/jpeg", &whole),
        ("/capped.jpg", _) => part(asked, 20_000, &length.to_string()),
        ("/unknown.jpg", _) => part(asked, 20_000, "*"),
        ("/crumbs.jpg", _) => part(asked, 1, &length.to_string()),
        // An error with a picture in it is an error all the same.
        ("/error.jpg", _) => Reply::new(400, "image/jpeg", &whole),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let summary = crawl(&bird, &site, &[]);
    for name in ["capped", "unknown", "crumbs"] {
        assert_eq!(kept(&bird, &format!("http://one.test/{name}.jpg")).as_ref(), Some(&expected), "{name}: {summary}");
        assert!(site.count(&format!("/{name}.jpg")) <= 7);
    }
    assert_eq!((&summary["errors"]["http-400"], &summary["errors"]["http-404"]), (&1.into(), &1.into()), "{summary}");
    assert_eq!(summary["images"]["kept"], 3, "{summary}");
}
