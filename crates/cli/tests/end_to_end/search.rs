//! Where things are: searches, maps and tables by place, and the harvest of crawls.

use facts::{Address, Branch, LatLon, Locality, MediaId, MediaKind, Order, Timestamp, Url, Whereabouts};
use media::{Facts, Format, Location, LocationSource};
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::{
    Claim, Link, LinkContext, MediaFile, MediaReference, Options, Outcome, PageFacts, PagePlace, RunLimits,
    SaidLocation, SaidSource, Store, Version, VisitKind, Visited,
};

use crate::harness::{Bird, Lab, said};

const KIEL: (f64, f64) = (54.3233, 10.1228);
const OLDENBURG: (f64, f64) = (53.1412, 8.2147);
const HELSINKI: (f64, f64) = (60.1699, 24.9384);
const PARIS: (f64, f64) = (48.8566, 2.3522);

fn point((lat, lon): (f64, f64)) -> LatLon {
    LatLon::new(lat, lon).unwrap()
}

fn named(place: &str, country: &str) -> Locality {
    let town = place.split(',').next().map(str::to_owned);
    Locality { place: place.into(), town, admin1: None, country: Some(country.into()) }
}

fn visit(address: &str, kind: VisitKind, at: i64, outcome: Outcome) -> Visited {
    let url = Url::parse(address).unwrap();
    let link = Link {
        url: url.clone(),
        kind,
        order: Order::FirstIn,
        depth: 0,
        branch: Branch::default(),
        parent: None,
        referer: None,
        context: LinkContext::default(),
        hops: Vec::new(),
        reopen: false,
    };
    let claim =
        Claim { number: 0, id: url.id(), link, tries: 0, round: 0, host_delay: None, host_failures: 0, taking: 0 };
    Visited {
        claim,
        at: Timestamp(at),
        took_ms: 1,
        bytes: 1,
        status: Some(200),
        version: Version::default(),
        outcome,
        links: Vec::new(),
    }
}

/// A kept file: a picture, or a film by the end of its address.
fn file(address: &str, content: &str, at: Option<(f64, f64)>, said: Vec<SaidLocation>) -> Visited {
    let location = at.map(|at| Location {
        at: point(at),
        altitude: None,
        direction: None,
        date: None,
        source: LocationSource::Exif,
    });
    let (kind, format) = if address.ends_with("mp4") { (MediaKind::Video, "mp4") } else { (MediaKind::Image, "jpeg") };
    let facts = Facts {
        format: Format::named(format).unwrap(),
        location,
        ..media::read_whole(b"\xff\xd8\xff\xe0", Timestamp(0)).unwrap()
    };
    let id = MediaId::from_sha256(Sha256::digest(content).into());
    let outcome = Outcome::Media(MediaFile {
        id,
        size: 1,
        path: format!("one.test/{content}.{format}"),
        thumbnail: None,
        colour: None,
        facts,
        locality: at
            .map(|at| if at == KIEL { named("Kiel, Schleswig-Holstein, Germany", "DE") } else { named("X", "") }),
        said,
        description: None,
    });
    visit(address, VisitKind::Media(kind), 1_700_000_000_000, outcome)
}

fn escherweg() -> Whereabouts {
    let some = |text: &str| Some(text.to_owned());
    let address = Address {
        street: some("Escherweg"),
        number: some("2"),
        postcode: some("26121"),
        city: some("Oldenburg"),
        country: some("DE"),
    };
    Whereabouts {
        at: point(OLDENBURG),
        precision_m: 50.0,
        confidence: 0.8,
        evidence: "=Escherweg 2, 26121 Oldenburg".into(),
        address: Some(address),
        locality: named("Oldenburg, Lower Saxony, Germany", "DE"),
    }
}

fn toponym(name: &str, at: (f64, f64), country: &str) -> PagePlace {
    let whereabouts = Whereabouts {
        at: point(at),
        precision_m: 5_000.0,
        confidence: 0.6,
        evidence: name.into(),
        address: None,
        locality: named(name, country),
    };
    PagePlace { kind: "toponym".into(), id: Some(7), mentions: 2, relevant: false, why: "its name".into(), whereabouts }
}

fn page(address: &str, relevant: bool, places: Vec<PagePlace>, image: &str) -> Visited {
    let image = MediaReference {
        url: Url::parse(image).unwrap(),
        kind: MediaKind::Image,
        description: "A picture by the water".into(),
        licence: None,
        author: None,
        locations: Vec::new(),
        refused: None,
    };
    let facts = PageFacts {
        title: format!("Title \u{1b}[2J of {address}"),
        description: "What it says".into(),
        keywords: vec!["lighthouses".into(), "A walk".into()],
        language: Some("de".into()),
        size: 1,
        canonical: None,
        relevant,
        places,
        // The pictures of a page without a place of its own stay without one.
        focus: relevant.then_some(0),
        focus_confidence: None,
        media: vec![image],
        ..PageFacts::default()
    };
    visit(address, VisitKind::Page, 1_700_000_000_000, Outcome::Page(facts))
}

/// Kiel by metadata, Oldenburg by a caption, a film in Helsinki, one that nobody knows the place of;
/// a relevant page and one that is not.
fn library() -> Bird {
    let bird = Bird::new();
    let caption = SaidLocation { source: SaidSource::Caption, whereabouts: escherweg() };
    let address = PagePlace {
        kind: "address".into(),
        id: None,
        mentions: 1,
        relevant: true,
        why: "street, postcode and town".into(),
        whereabouts: escherweg(),
    };
    let visits = [
        page("http://one.test/a", true, vec![address, toponym("Kiel", KIEL, "DE")], "http://one.test/kiel.jpg"),
        page("http://two.test/b", false, vec![toponym("Paris", PARIS, "FR")], "http://two.test/plain.jpg"),
        file("http://one.test/kiel.jpg", "kiel", Some(KIEL), Vec::new()),
        file("http://two.test/copy.jpg", "kiel", Some(KIEL), Vec::new()),
        file("http://one.test/oldenburg.jpg", "oldenburg", None, vec![caption]),
        file("http://two.test/plain.jpg", "plain", None, Vec::new()),
        file("http://two.test/helsinki.mp4", "helsinki", Some(HELSINKI), Vec::new()),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&bird.data(), Options::default()).unwrap();
        let library = store.library();
        let settings = serde_json::json!({ "region": "Oldenburg" });
        let crawl = library.save_crawl("places", &settings).await.unwrap();
        let run = library.start_run(crawl.id, RunLimits::default(), 10).await.unwrap();
        library.record(run.id, &visits).await.unwrap();
        library.end_run(run.id, 1.0, Some("empty")).await.unwrap();
        store.close().await.unwrap();
    });
    bird
}

fn search(bird: &Bird, more: &[&str]) -> Value {
    bird.json(["search"].iter().chain(more))
}

/// The names of the files, or the addresses of the pages, in order.
fn names(answer: &Value) -> Vec<&str> {
    let hits = answer["results"].as_array().unwrap().iter();
    hits.map(|hit| hit["file"].as_str().or(hit["id"].as_str()).unwrap().rsplit('/').next().unwrap()).collect()
}

#[test]
fn media_are_found_by_place_kind_host_and_date() {
    let bird = library();
    for (order, expected) in [
        (&[][..], &["kiel.jpeg", "oldenburg.jpeg", "plain.jpeg", "helsinki.mp4"][..]),
        (&["--located"], &["kiel.jpeg", "oldenburg.jpeg", "helsinki.mp4"]),
        (&["--kind", "video"], &["helsinki.mp4"]),
        (&["--kind", "image,video", "--place", "Finland"], &["helsinki.mp4"]),
        (&["--place", "Germany"], &["kiel.jpeg", "oldenburg.jpeg"]),
        (&["--place", "Schleswig-Holstein"], &["kiel.jpeg"]),
        (&["--place", "53.14,8.21,5"], &["oldenburg.jpeg"]),
        (&["--place", "Germany", "--near", "54.3,10.1", "--within", "100km"], &["kiel.jpeg"]),
        (&["--near", "53.14,8.21", "--within", "300km"], &["oldenburg.jpeg", "kiel.jpeg"]),
        (&["--near", "54.3,10.1", "--within", "2000km"], &["kiel.jpeg", "oldenburg.jpeg", "helsinki.mp4"]),
        (&["--near", "-54.3,10.1", "--within", "2000km"], &[]),
        (&["--host", "Two.test"], &["kiel.jpeg", "plain.jpeg", "helsinki.mp4"]),
        (&["--since", "2999-01-01"], &[]),
        (&["--since", "2023-01-01", "--kind", "image", "--located"], &["kiel.jpeg", "oldenburg.jpeg"]),
    ] {
        let answer = search(&bird, order);
        assert_eq!(names(&answer), expected, "{order:?}: {answer}");
        assert_eq!(answer["total"], expected.len(), "{order:?}");
        assert!(answer.get("total_is_at_least").is_none() && answer["milliseconds"].is_u64(), "{answer}");
    }
    let first = search(&bird, &["--top", "1"]);
    assert_eq!((names(&first), &first["total"]), (vec!["kiel.jpeg"], &4.into()));
    let polygon = r#"{"type":"Polygon","coordinates":[[[8,53],[9,53],[9,54],[8,54],[8,53]]]}"#;
    let polygon = bird.file("region.geojson", polygon);
    assert_eq!(names(&search(&bird, &["--place", &polygon])), ["oldenburg.jpeg"]);
}

#[test]
fn a_result_has_the_shape_scripts_depend_on() {
    let bird = library();
    let answer = search(&bird, &["--near", "53.14,8.21", "--within", "300km"]);
    let results = answer["results"].as_array().unwrap();
    for field in ["id", "score", "similarity", "kind", "file", "image", "page", "description", "location", "copies"] {
        assert!(results[0].get(field).is_some(), "{field} is missing in {}", results[0]);
    }
    let (oldenburg, kiel) = (&results[0], &results[1]);
    let location = &oldenburg["location"];
    assert_eq!((&location["source"], &location["confidence"]), (&"caption".into(), &0.8.into()), "{location}");
    assert_eq!((&location["precision_m"], &location["verified"]), (&50.0.into(), &false.into()), "{location}");
    assert_eq!((&location["address"]["street"], &location["country"]), (&"Escherweg".into(), &"DE".into()));
    assert_eq!(location["place"], "Oldenburg, Lower Saxony, Germany");
    assert!(oldenburg["distance_m"].as_f64().is_some_and(|metres| metres < 500.0), "{oldenburg}");
    assert_eq!((&oldenburg["score"], &oldenburg["similarity"]), (&Value::Null, &Value::Null));
    assert_eq!((&kiel["copies"], &oldenburg["copies"]), (&1.into(), &0.into()));
    assert_eq!((&kiel["page"], &kiel["image"]), (&"http://one.test/a".into(), &"http://one.test/kiel.jpg".into()));
    assert_eq!(kiel["description"], "A picture by the water");
    assert!(kiel["file"].as_str().unwrap().starts_with(bird.data().to_str().unwrap()), "{kiel}");
    let everything = search(&bird, &[]);
    assert!(everything["results"][2]["location"].is_null() && everything["results"][0].get("distance_m").is_none());
}

#[test]
fn pages_are_found_with_all_their_places() {
    let bird = library();
    for (order, expected) in [
        (&[][..], &["a"][..]),
        (&["--all"], &["a", "b"]),
        (&["--place", "Kiel"], &["a"]),
        (&["--place", "France"], &[]),
        (&["--all", "--place", "France"], &["b"]),
        (&["--all", "--near", "48.85,2.35", "--within", "1000km"], &["b", "a"]),
        (&["--all", "--host", "two.test"], &["b"]),
        (&["--all", "--since", "2999-01-01"], &[]),
    ] {
        let answer = search(&bird, &[&["--kind", "page"], order].concat());
        assert_eq!((names(&answer), &answer["total"]), (expected.to_vec(), &expected.len().into()), "{order:?}");
    }
    let answer = search(&bird, &["--kind", "page", "--near", "54.3,10.1", "--within", "50km"]);
    let page = &answer["results"][0];
    assert_eq!((&page["id"], &page["kind"]), (&"http://one.test/a".into(), &"page".into()), "{page}");
    assert_eq!((&page["language"], &page["relevant"]), (&"de".into(), &true.into()));
    assert_eq!(
        (&page["location"]["place"], &page["location"]["source"]),
        (&"Oldenburg, Lower Saxony, Germany".into(), &"address".into())
    );
    assert!(page["distance_m"].as_f64().is_some_and(|metres| (1_000.0..5_000.0).contains(&metres)), "{page}");
    let places = page["places"].as_array().unwrap();
    assert_eq!(places.len(), 2, "also those elsewhere");
    for field in [
        "kind",
        "text",
        "place",
        "country",
        "admin1",
        "town",
        "address",
        "lat",
        "lon",
        "precision_m",
        "confidence",
        "mentions",
        "relevant",
        "why",
        "id",
    ] {
        assert!(places[0].get(field).is_some(), "{field} is missing in {}", places[0]);
    }
    assert_eq!((&places[0]["kind"], &places[1]["text"]), (&"address".into(), &"Kiel".into()));
}

#[test]
fn people_see_what_where_and_how_sure() {
    let bird = library();
    let (text, errors) = said(&bird.run(["search", "--near", "53.14,8.21", "--within", "300km"]));
    assert_eq!(errors, "");
    for words in [
        "2 found",
        "Escherweg 2, 26121 Oldenburg, DE (53.14120, 8.21470): caption, 80 % sure, ± 50 m",
        "Kiel, Schleswig-Holstein, Germany (54.32330, 10.12280): exif, 100 % sure",
        "A picture by the water",
        "http://one.test/a",
        " m away",
        " km away",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (text, _) = said(&bird.run(["search", "--kind", "page"]));
    assert!(text.contains("about Escherweg 2") && text.contains("Kiel") && !text.contains('\u{1b}'), "{text}");
    assert!(said(&bird.run(["search", "--host", "nobody.test"])).0.contains("nothing found"));
    assert!(said(&bird.run(["search", "--top", "1"])).0.contains("4 found, the first 1"));
}

#[test]
fn a_search_that_cannot_be_is_refused_with_what_can() {
    let bird = library();
    for (order, said_so) in [
        (&["--within", "5km"][..], "--near"),
        (&["--near", "53,8"], "--within"),
        (&["--near", "53,8", "--within", "-5km"], "not a distance"),
        (&["--near", "53,8", "--within", "0m"], "not a distance"),
        (&["--near", "91,8", "--within", "5km"], "not a point"),
        (&["--place", "Springfield"], "Springfield, Missouri"),
        (&["--place", "Oldenbrug"], "Oldenburg"),
        (&["--place", "/nonexistent.geojson"], "no GeoJSON file"),
        (&["--place", " "], "--place is empty"),
        (&["--place", "53,8,-5"], "radius"),
        (&["--since", "yesterday"], "not a date"),
        (&["--kind", "song"], "page"),
        (&["--kind", "page,image"], "stands alone"),
        (&["--all"], "--kind page"),
        (&["--top", "0"], "top"),
    ] {
        let output = bird.run(["search"].iter().chain(order));
        assert_eq!(output.status.code(), Some(2), "{order:?}: {:?}", said(&output));
        assert!(said(&output).1.contains(said_so), "{order:?}: {:?}", said(&output));
    }
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let bird = Bird::new();
    assert_eq!(bird.run(["search"]).status.code(), Some(1), "there is no such directory");
    std::fs::create_dir(bird.data()).unwrap();
    let answer = search(&bird, &["--kind", "page", "--place", "Kiel"]);
    assert_eq!((&answer["total"], &answer["results"]), (&0.into(), &serde_json::json!([])));
    // As it is while a crawl makes it.
    std::fs::write(bird.data().join("library.db"), b"").unwrap();
    assert_eq!(search(&bird, &[])["total"], 0);
}

#[test]
fn a_library_is_searched_while_a_crawl_fills_it() {
    let lab = Lab::small(62);
    let bird = Bird::new();
    let mut order = ["crawl", &lab.seeds[0], "--delay", "20ms", "--max-pages", "40"].map(String::from).to_vec();
    order.extend(lab.reach());
    let mut crawl = bird.spawn(&order);
    while !bird.data().is_dir() {
        std::thread::yield_now();
    }
    let (mut before, mut searches) = (0, 0);
    while crawl.0.try_wait().unwrap().is_none() {
        let found = search(&bird, &["--top", "3", "--copies"])["total"].as_u64().unwrap();
        assert!(found >= before, "{found} after {before}");
        (before, searches) = (found, searches + 1);
        search(&bird, &["--kind", "page", "--all", "--near", "54,10", "--within", "20000km"]);
    }
    assert!(searches > 0);
    let kept = bird.json(["stats"])["media"]["image"].as_u64().unwrap();
    assert!(kept > 0 && search(&bird, &["--kind", "image", "--copies"])["total"] == kept);
}

#[test]
fn what_is_exported_says_where_it_is() {
    let bird = library();
    let export = |more: &[&str]| {
        let output = bird.run(["export", "--format"].iter().chain(more));
        assert!(output.status.success(), "{:?}", said(&output));
        said(&output).0
    };
    let lines: Vec<Value> = export(&["jsonl", "--place", "Germany", "--located"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["location"]["evidence"], "=Escherweg 2, 26121 Oldenburg");
    let table = export(&["csv", "--place", "Lower Saxony"]);
    assert_eq!(table.lines().count(), 2);
    assert!(table.contains("\"'=Escherweg 2, 26121 Oldenburg\""), "{table}");
    assert!(export(&["kml"]).contains("caption, 80 % sure, ± 50 m"));

    let collection: Value = serde_json::from_str(&export(&["geojson", "--kind", "page", "--all"])).unwrap();
    assert_eq!(collection["features"].as_array().unwrap().len(), 3);
    assert_eq!(collection["features"][2]["properties"]["text"], "Paris");
    assert_eq!(export(&["csv", "--kind", "page"]).lines().count(), 3);
    let page: Value = serde_json::from_str(&export(&["jsonl", "--kind", "page"])).unwrap();
    assert_eq!(page["places"].as_array().unwrap().len(), 2);
    for format in ["kml", "gpx"] {
        let map = export(&[format, "--kind", "page", "--all"]);
        assert!(map.contains("Escherweg") && !map.contains("Paris"), "{map}");
    }
    let out = bird.data().with_file_name("places.csv");
    let output = bird.run(["export", "--format", "csv", "--kind", "page", "--out", out.to_str().unwrap()]);
    assert!(said(&output).1.contains("2 places written"), "{:?}", said(&output));
}

#[test]
fn the_harvest_of_crawls_is_shown() {
    let bird = library();
    let stats = bird.json(["stats"]);
    assert_eq!((&stats["harvest"]["relevant"], &stats["harvest"]["rate"]), (&1.into(), &0.5.into()), "{stats}");
    assert_eq!(stats["harvest"]["seed_distance"], serde_json::json!([1]));
    assert_eq!((&stats["images"]["located_by_text"], &stats["pages_with_places"]), (&1.into(), &2.into()), "{stats}");
    let (text, _) = said(&bird.run(["stats"]));
    for words in ["harvest rate of 50.0 %", "links from the seed", "█", "2 of the pages speak of a place"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (text, _) = said(&bird.run(["crawls", "places"]));
    for words in ["region: Oldenburg, Lower Saxony, Germany", "1 page of 2 are relevant", "located by words"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let crawl = bird.json(["crawls", "places"]);
    assert_eq!(
        (&crawl["harvest"]["relevant"], &crawl["region"]),
        (&1.into(), &"Oldenburg, Lower Saxony, Germany".into())
    );
}

#[test]
fn words_and_operators_are_understood_and_said_back() {
    let bird = library();
    for (typed, expected, said_back) in [
        ("picture", &["kiel.jpeg", "plain.jpeg"][..], "with *picture*"),
        ("pictures -paris kiel", &["kiel.jpeg"], "with *pictures* and *kiel*, not *paris*"),
        ("lighthouse", &["kiel.jpeg", "plain.jpeg"], "with *lighthouse*"),
        ("\"by the water\" site:two.test", &["kiel.jpeg", "plain.jpeg"], "with *“by the water”*, from two.test"),
        ("water place:Germany", &["kiel.jpeg"], "with *water*, in Germany"),
        ("water near:54.3,10.1,50", &["kiel.jpeg"], "with *water*, within 50 km of 54.3000, 10.1000"),
        ("kind:video", &["helsinki.mp4"], "all films"),
        ("water before:2020", &[], "with *water*, before 2020-01-01"),
        ("escherweg OR kiel kind:page", &["a"], "pages with (*escherweg* or *kiel*)"),
    ] {
        let answer = search(&bird, &[typed]);
        let mut found = names(&answer);
        found.sort_unstable();
        assert_eq!((found, &answer["said"]), (expected.to_vec(), &said_back.into()), "{typed}: {answer}");
    }
    let answer = search(&bird, &["watre colour:red OR picture"]);
    assert_eq!(answer["instead"][0]["words"][0], "water", "{answer}");
    assert!(answer["notes"][0].as_str().unwrap().contains("no operator colour"), "{answer}");
    let hit = &search(&bird, &["picture"])["results"][0];
    assert_eq!(hit["marks"]["description"], serde_json::json!([[2, 9]]), "{hit}");
    assert!(hit["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)) && hit["matched"][0] == "picture");
    let (text, _) = said(&bird.run(["search", "picture kiel"]));
    for words in ["understood as: with 'picture' and 'kiel'", "fits", "in a caption", "(1 copy)"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let list = bird.data().with_file_name("synonyms.txt");
    std::fs::write(&list, "photo, picture\n").unwrap();
    assert_eq!(search(&bird, &["~photo", "--synonyms", list.to_str().unwrap()])["total"], 2);
    assert_eq!(search(&bird, &["photo"])["total"], 0);
}

#[test]
fn words_that_cannot_be_are_refused_with_what_can() {
    let bird = library();
    let long = "word ".repeat(4_000);
    for (typed, said_so) in [
        ("OR", "no word"),
        ("near:NaN,8,5", "near:NaN,8,5"),
        ("kind:song", "image, video, audio or page"),
        ("link:http://one.test/", "bowerbird find"),
        ("place:Springfield", "Springfield, Missouri"),
        (&long, "2000 characters"),
    ] {
        let output = bird.run(["search", typed]);
        assert_eq!(output.status.code(), Some(2), "{:?}", said(&output));
        assert!(said(&output).1.contains(said_so), "{:?}", said(&output));
    }
    assert!(bird.run(["search", "\"unclosed"]).status.success());
}

#[test]
fn exports_take_words_and_a_dataset_holds_the_files() {
    let bird = library();
    let export = |more: &[&str]| {
        let output = bird.run(["export", "--format"].iter().chain(more));
        assert!(output.status.success(), "{:?}", said(&output));
        output.stdout
    };
    let lines = String::from_utf8(export(&["jsonl", "picture place:Germany"])).unwrap();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    let folder = bird.data().join("media/one.test");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("kiel.jpeg"), b"not really a picture").unwrap();
    let archive = bird.data().with_file_name("set.tar");
    std::fs::write(&archive, export(&["webdataset", "picture"])).unwrap();
    let listed = std::process::Command::new("tar").arg("-tf").arg(&archive).output().unwrap();
    let names = String::from_utf8(listed.stdout).unwrap();
    let id = MediaId::from_sha256(Sha256::digest("kiel").into());
    assert_eq!(names.lines().collect::<Vec<_>>(), ["jpeg", "json", "txt"].map(|ending| format!("{id}.{ending}")));
    let read = |ending: &str| {
        let name = format!("{id}.{ending}");
        std::process::Command::new("tar").arg("-xOf").arg(&archive).arg(name).output().unwrap().stdout
    };
    assert_eq!(
        (read("jpeg").as_slice(), read("txt").as_slice()),
        (&b"not really a picture"[..], &b"A picture by the water"[..])
    );
    let record: Value = serde_json::from_slice(&read("json")).unwrap();
    assert_eq!(record["location"]["country"], "DE");
    assert_eq!(bird.run(["export", "--format", "webdataset", "--kind", "page"]).status.code(), Some(2));
}
