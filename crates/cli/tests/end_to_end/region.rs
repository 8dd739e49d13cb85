//! Crawls with a region of interest, and where what they keep was made.

use std::collections::BTreeMap;

use facts::{LatLon, Url};
use lab::Photo;
use serde_json::Value;

use crate::harness::{Bird, Lab, said, small_web};
use crate::site::{Reply, Site};

/// The arguments that crawl a lab web for its focus town, in exact order and without its pictures.
fn crawl_for_focus(lab: &Lab, more: &[&str]) -> Vec<String> {
    let focus = lab.server().web().focus();
    let region = format!("{},{},{}", focus.lat, focus.lon, focus.radius_km);
    let mut arguments = vec!["crawl".to_owned()];
    arguments.extend(lab.seeds.clone());
    arguments.extend(lab.reach());
    arguments.extend(["--region".into(), region]);
    let plain = ["--delay", "0", "--concurrency", "1", "--kind", "audio", "--exclude", "*/sounds/*"];
    arguments.extend(plain.iter().chain(more).map(|word| (*word).to_owned()));
    arguments
}

fn web(number: u64) -> Lab {
    Lab::start(lab::Settings { pages: 2_000, hosts: 40, flaky_share: 0.0, crawl_delay: 0.0, ..small_web(number) })
}

/// The pages that the library calls relevant, and those that are, among all that were read.
fn relevant(lab: &Lab, bird: &Bird) -> (Vec<String>, Vec<String>) {
    let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
    let mut select = library.prepare("SELECT url, relevant FROM page ORDER BY url").unwrap();
    let pages: Vec<(String, bool)> =
        select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let truly = |url: &str| {
        let truth = lab.server().web().truth(&Url::parse(url).unwrap());
        truth.and_then(|truth| truth.page).is_some_and(|page| page.relevant)
    };
    let found = pages.iter().filter(|(_, relevant)| *relevant).map(|(url, _)| url.clone()).collect();
    (found, pages.iter().map(|(url, _)| url.clone()).filter(|url| truly(url)).collect())
}

#[test]
fn geo_finds_more_relevant_pages_than_breadth_first_and_says_which() {
    let lab = Lab::start(lab::Settings { flaky_share: 0.0, crawl_delay: 0.0, number: 5, ..lab::Settings::default() });
    let mut counts = BTreeMap::new();
    for strategy in ["bfs", "geo"] {
        let bird = Bird::new();
        let summary = bird.json(crawl_for_focus(&lab, &["--strategy", strategy, "--max-pages", "500"]));
        let (found, truly) = relevant(&lab, &bird);
        assert_eq!(summary["relevant"], found.len(), "{summary}");
        assert_eq!(summary["harvest_rate"].as_f64().unwrap(), found.len() as f64 / 500.0);
        let right = found.iter().filter(|url| truly.contains(url)).count();
        assert!(right * 10 >= truly.len() * 9 && right * 10 >= found.len() * 9, "{found:?}\n{truly:?}");
        counts.insert(strategy, right);
    }
    assert!(counts["geo"] >= 2 * counts["bfs"], "{counts:?}");
}

#[test]
fn what_was_learnt_is_taken_up_again_and_given_to_other_crawls() {
    let lab = web(4);
    let (whole, parts) = (Bird::new(), Bird::new());
    whole.json(crawl_for_focus(&lab, &["--name", "one", "--max-pages", "240"]));
    let visits = |bird: &Bird| {
        let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
        let mut select = library.prepare("SELECT url FROM visit WHERE outcome = 'page' ORDER BY id").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect::<Vec<String>>()
    };
    // In two runs the same pages come in the same order as in one.
    for _ in 0..2 {
        parts.json(crawl_for_focus(&lab, &["--name", "one", "--max-pages", "120"]));
    }
    assert_eq!(visits(&parts), visits(&whole));

    let taught = crawl_for_focus(&lab, &["--name", "two", "--max-pages", "120", "--model", "one"]);
    let with_model = parts.json(taught)["relevant"].as_u64().unwrap();
    let without = parts.json(crawl_for_focus(&lab, &["--name", "three", "--max-pages", "120"]));
    assert!(with_model > without["relevant"].as_u64().unwrap(), "{with_model} {without}");

    let nobody = parts.run(crawl_for_focus(&lab, &["--name", "four", "--model", "nobody"]));
    assert_eq!(nobody.status.code(), Some(2));
    assert!(said(&nobody).1.contains("nobody"), "{}", said(&nobody).1);
}

#[test]
fn a_region_that_is_unclear_is_asked_about() {
    let bird = Bird::new();
    for (region, expected) in [
        ("Oldenbrg", vec!["Oldenburg"]),
        ("Springfield", vec!["Illinois", "Missouri", "Massachusetts"]),
        ("95,8,3", vec!["LAT,LON,KM"]),
        ("nowhere.geojson", vec!["nowhere.geojson"]),
    ] {
        let output = bird.run(["crawl", "http://one.test/", "--region", region]);
        assert_eq!(output.status.code(), Some(2), "{region}");
        let (_, said) = said(&output);
        assert!(expected.iter().all(|word| said.contains(word)), "{region}: {said}");
        assert!(!bird.data().exists(), "{region}");
    }
}

const GALLERY: &str = r#"<html lang=de><title>Bilder aus Kiel</title>
<script type="application/ld+json">{"@type":"ImageObject","contentUrl":"http://one.test/machine.jpg",
 "contentLocation":{"@type":"Place","geo":{"@type":"GeoCoordinates","latitude":53.5511,"longitude":9.9937}}}</script>
<script type="application/ld+json">{"@type": broken</script>
<p>Willkommen in Kiel, der Landeshauptstadt. Kiel liegt an der Ostsee.</p>
<figure><img src=/machine.jpg><figcaption>Am Hafen</figcaption></figure>
<figure><img src=/caption.jpg alt="Der Markt in Oldenburg"><figcaption>Oldenburg, Niedersachsen</figcaption></figure>
<figure><img src=/camera.jpg alt="Lübeck"><figcaption>Lübeck</figcaption></figure>
<figure><img src=/plain.jpg><figcaption>Ein Bild</figcaption></figure>"#;

fn photo(scene: u64, at: Option<LatLon>) -> Vec<u8> {
    Photo { scene, width: 640, height: 480, bytes: 40_000, at, ..Photo::default() }.file()
}

#[test]
fn every_picture_is_located_by_the_best_that_is_known() {
    let helsinki = LatLon::new(60.1699, 24.9384);
    let files: BTreeMap<&str, Vec<u8>> = [
        ("/machine.jpg", photo(1, None)),
        ("/caption.jpg", photo(2, None)),
        ("/camera.jpg", photo(3, helsinki)),
        ("/plain.jpg", photo(4, None)),
    ]
    .into();
    let site = Site::start(move |asked| match files.get(asked.path.as_str()) {
        Some(file) => Reply::file(asked, "image/jpeg", file, "\"1\""),
        None if asked.path == "/" => Reply::html(GALLERY),
        None => Reply::status(404),
    });
    let bird = Bird::new();
    let order = ["crawl", "http://one.test/", "--delay", "20ms"].map(str::to_owned);
    let summary = bird.json(order.into_iter().chain(site.resolve("*.test")));
    assert_eq!(
        (&summary["images"]["kept"], &summary["geotagged"], &summary["located"]),
        (&4.into(), &1.into(), &3.into())
    );

    let exported = bird.run(["export", "--format", "jsonl"]);
    let items: BTreeMap<String, Value> = said(&exported)
        .0
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|item| (item["image"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(), item))
        .collect();
    for (name, source, town) in [
        ("machine.jpg", "structured", "Hamburg"),
        ("caption.jpg", "description", "Oldenburg"),
        ("camera.jpg", "exif", "Helsinki"),
        ("plain.jpg", "page", "Kiel"),
    ] {
        let location = &items[name]["location"];
        assert_eq!(location["source"], source, "{name}: {location}");
        assert!(location["place"].as_str().unwrap().starts_with(town), "{name}: {location}");
        assert!((0.0..=1.0).contains(&location["confidence"].as_f64().unwrap()), "{location}");
    }
    assert!(items["plain.jpg"]["location"]["confidence"].as_f64() <= Some(0.5));
    // What else is known stays known.
    let others = items["camera.jpg"]["other_locations"].as_array().unwrap();
    assert!(others.iter().any(|other| other["source"] == "description"), "{others:?}");

    let without = Bird::new();
    let order = ["crawl", "http://one.test/", "--delay", "20ms", "--no-places"].map(str::to_owned);
    let summary = without.json(order.into_iter().chain(site.resolve("*.test")));
    assert_eq!((&summary["geotagged"], &summary["located"]), (&1.into(), &0.into()));
}
