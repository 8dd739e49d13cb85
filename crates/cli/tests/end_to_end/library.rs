//! Local files in, the library out, and what must never come back.

use std::path::{Path, PathBuf};

use facts::LatLon;
use lab::Photo;
use serde_json::Value;

use crate::harness::{Bird, said};
use crate::site::{Reply, Site};

/// A folder with photos: two with a place, a copy, one in a folder below, and things that are none.
fn pictures(bird: &Bird) -> PathBuf {
    let folder = bird.data().with_file_name("pictures");
    std::fs::create_dir_all(folder.join("below/.hidden")).unwrap();
    let photo = |scene, at| Photo { scene, at, ..Photo::default() }.file();
    let here = photo(1, LatLon::new(60.1699, 24.9384));
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    write("old church.jpg", &here);
    write("copy.jpg", &here);
    write("below/harbour.jpg", &photo(2, LatLon::new(-33.5, 151.25)));
    write("plain.png", &Photo { scene: 3, format: "png", ..Photo::default() }.file());
    write("notes.txt", b"no picture at all");
    write("empty.jpg", b"");
    write("below/.hidden/secret.jpg", &photo(4, None));
    folder
}

fn lines(output: &std::process::Output) -> Vec<Value> {
    said(output).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn export(bird: &Bird, more: &[&str]) -> Vec<Value> {
    let output = bird.run(["export", "--format", "jsonl"].iter().chain(more));
    assert!(output.status.success(), "{:?}", said(&output));
    lines(&output)
}

fn names(items: &[Value]) -> Vec<String> {
    let name =
        |item: &Value| Path::new(item["file"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = items.iter().map(name).collect();
    names.sort();
    names
}

#[test]
fn a_folder_is_imported_once_and_again_only_where_it_changed() {
    let bird = Bird::new();
    let folder = pictures(&bird);
    let order = ["import", folder.to_str().unwrap()];
    let summary = bird.json(order);
    let counts = |summary: &Value| {
        ["files", "imported", "copies", "unchanged", "geotagged"].map(|name| summary[name].as_u64().unwrap())
    };
    assert_eq!(counts(&summary), [6, 3, 1, 0, 3], "{summary}");
    assert!(summary["located"].is_u64(), "{summary}");
    assert_eq!((&summary["refused"]["format"], &summary["refused"]["broken"]), (&1.into(), &1.into()), "{summary}");

    let again = bird.json(order);
    assert_eq!(counts(&again), [6, 0, 0, 4, 0], "what was refused is looked at again: {again}");

    std::fs::write(folder.join("plain.png"), Photo { scene: 9, format: "png", ..Photo::default() }.file()).unwrap();
    std::fs::remove_file(folder.join("copy.jpg")).unwrap();
    let changed = bird.json(order);
    assert_eq!(counts(&changed), [5, 1, 0, 2, 0], "{changed}");
    let stats = bird.json(["stats"]);
    assert_eq!(
        (&stats["images"]["total"], &stats["images"]["with_location_in_metadata"]),
        (&3.into(), &2.into()),
        "{stats}"
    );
}

#[test]
fn imported_files_stay_where_they_are_and_are_found_by_what_they_are() {
    let bird = Bird::new();
    let folder = pictures(&bird);
    let before = std::fs::read(folder.join("old church.jpg")).unwrap();
    bird.json(["import", folder.to_str().unwrap()]);
    assert_eq!(std::fs::read(folder.join("old church.jpg")).unwrap(), before);

    let all = export(&bird, &[]);
    assert_eq!(all.len(), 3);
    for item in &all {
        assert!(Path::new(item["file"].as_str().unwrap()).is_file(), "{item}");
        let thumbnail = std::fs::read(item["thumbnail"].as_str().unwrap()).unwrap();
        assert!(thumbnail.starts_with(b"\xff\xd8"), "{item}");
    }
    assert_eq!(names(&export(&bird, &["--near", "60.2,25", "--within", "10km"])), ["copy.jpg"]);
    assert_eq!(names(&export(&bird, &["--near", "-33.5,151.25", "--within", "1m"])), ["harbour.jpg"]);
    assert_eq!(names(&export(&bird, &["--located"])), ["copy.jpg", "harbour.jpg"]);
    assert_eq!(export(&bird, &["--kind", "video"]).len(), 0);
    assert_eq!(export(&bird, &["--since", "2999-01-01"]).len(), 0);
    let church = all.iter().find(|item| item["location"]["lat"].as_f64().is_some_and(|lat| lat > 60.0)).unwrap();
    let found = church["found"].as_array().unwrap();
    assert!(found.iter().any(|seen| seen["description"].as_str().unwrap().contains("old church")), "{church}");
    assert!(found.iter().all(|seen| seen["image"].as_str().unwrap().starts_with("file:///")), "{church}");
}

#[test]
fn an_import_that_is_killed_goes_on_where_it_was() {
    let bird = Bird::new();
    let folder = bird.data().with_file_name("many");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..300 {
        let file = Photo { scene: number, width: 500, height: 400, ..Photo::default() }.file();
        std::fs::write(folder.join(format!("{number}.jpg")), file).unwrap();
    }
    let order = ["import".to_owned(), folder.display().to_string()];
    let running = bird.spawn(&order);
    let library = bird.data().join("library.db");
    let imported = || {
        let Ok(library) = rusqlite::Connection::open(&library) else { return 0 };
        library.query_row("SELECT count(*) FROM media", [], |row| row.get::<_, i64>(0)).unwrap_or(0)
    };
    while imported() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    drop(running);
    let before = imported();
    let summary = bird.json(&order);
    assert_eq!(summary["unchanged"].as_i64().unwrap(), before, "{summary}");
    assert_eq!(summary["imported"].as_i64().unwrap() + before, 300, "{summary}");
    assert_eq!(bird.json(["stats"])["images"]["total"], 300);
}

#[test]
fn a_document_appears_when_it_is_complete() {
    let bird = Bird::new();
    bird.json(["import", pictures(&bird).to_str().unwrap()]);
    for (format, start) in
        [("geojson", "{\"type\":\"FeatureCollection\""), ("csv", "id,kind,"), ("kml", "<?xml"), ("gpx", "<?xml")]
    {
        let out = bird.data().with_file_name(format!("all.{format}"));
        let output = bird.run(["export", "--format", format, "--out", out.to_str().unwrap()]);
        assert!(output.status.success(), "{:?}", said(&output));
        assert!(std::fs::read_to_string(&out).unwrap().starts_with(start), "{format}");
    }
    let nowhere = bird.run(["export", "--format", "csv", "--out", "/nonexistent/all.csv"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(said(&nowhere).1.contains("/nonexistent/all.csv"), "{:?}", said(&nowhere));
}

#[test]
fn what_is_forgotten_is_gone_and_does_not_come_back() {
    let photos: Vec<Vec<u8>> = (0..3).map(|scene| Photo { scene, ..Photo::default() }.file()).collect();
    let site = Site::start(move |asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("one.test", "/") => Reply::html(
            "<title>one</title><img src=/0.jpg><img src=/1.jpg><img src=http://two.test/2.jpg><a href=/more>x</a>",
        ),
        ("one.test", "/more") => Reply::html("<title>more</title><img src=/copy.jpg>"),
        (_, "/0.jpg" | "/copy.jpg") => Reply::new(200, "image/jpeg", &photos[0]),
        (_, "/1.jpg") => Reply::new(200, "image/jpeg", &photos[1]),
        (_, "/2.jpg") => Reply::new(200, "image/jpeg", &photos[2]),
        _ => Reply::status(404),
    });
    let crawl = |bird: &Bird, name: &str| {
        let order = ["crawl", "http://one.test/", "--delay", "10ms", "--name", name].map(String::from);
        bird.json(order.into_iter().chain(site.resolve("*.test")))
    };
    let bird = Bird::new();
    assert_eq!(crawl(&bird, "first")["images"]["kept"], 4);
    assert_eq!((bird.kept().files.len(), bird.kept().thumbnails.len()), (3, 3));

    let gone = bird.json(["forget", "http://one.test/0.jpg"]);
    assert_eq!((&gone["media"], &gone["addresses"], &gone["files"]), (&1.into(), &2.into(), &2.into()), "{gone}");
    let gone = bird.json(["forget", "two.test"]);
    assert_eq!((&gone["media"], &gone["pages"]), (&1.into(), &0.into()), "{gone}");
    assert_eq!(export(&bird, &[]).len(), 1);
    assert_eq!((bird.kept().files.len(), bird.kept().thumbnails.len()), (1, 1));

    let asked = site.log().len();
    let again = crawl(&bird, "second");
    assert_eq!(again["images"]["kept"], 1, "{again}");
    let later = &site.log()[asked..];
    assert!(!later.iter().any(|asked| asked.host == "two.test" || asked.path == "/0.jpg"), "{later:?}");
    assert!(later.iter().any(|asked| asked.path == "/copy.jpg"), "its copy was looked at, and not kept");
    assert_eq!(again["images"]["refused"]["forgotten"], 1, "{again}");
    assert_eq!(export(&bird, &[]).len(), 1);
}

#[test]
fn inspect_says_what_is_in_a_file() {
    let bird = Bird::new();
    let folder = pictures(&bird);
    let file = |name: &str| folder.join(name).display().to_string();
    let found = bird.json(["inspect", &file("old church.jpg"), &file("notes.txt"), &file("empty.jpg")]);
    let church = &found[0];
    assert_eq!((&church["kind"], &church["format"], &church["width"]), (&"image".into(), &"jpeg".into(), &640.into()));
    assert!((church["location"]["lat"].as_f64().unwrap() - 60.1699).abs() < 1e-5, "{church}");
    let place = geo::locality(LatLon::new(60.1699, 24.9384).unwrap()).place;
    assert_eq!(church["location"]["place"].as_str().unwrap_or_default(), place, "{church}");
    assert!(church["location"].get("country").is_some(), "{church}");
    assert_eq!((&church["make"], &church["error"]), (&"Bower".into(), &Value::Null), "{church}");
    assert!(church["hashes"]["sha256"].as_str().unwrap().len() == 64);
    assert!(found[1]["error"].is_string() && found[2]["error"].is_string(), "{found}");

    let missing = bird.run(["inspect", "--json", "/nonexistent.jpg", &file("plain.png")]);
    assert_eq!(missing.status.code(), Some(1));
    let found: Value = serde_json::from_str(&said(&missing).0).unwrap();
    assert_eq!((&found[0]["format"], &found[1]["format"]), (&Value::Null, &"png".into()), "{found}");
}

#[test]
fn inspect_reads_from_the_web_but_not_from_private_places() {
    let photo = Photo { at: LatLon::new(1.5, 2.5), ..Photo::default() }.file();
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/moved.jpg" => Reply::redirect("/p.jpg"),
        "/p.jpg" => Reply::new(200, "image/jpeg", &photo),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let order = ["inspect".to_owned(), "http://one.test/moved.jpg".into()].into_iter().chain(site.resolve("*.test"));
    let found = bird.json(order);
    assert_eq!(
        (&found[0]["location"]["lon"], &found[0]["location"]["source"]),
        (&2.5.into(), &"exif".into()),
        "{found}"
    );
    let private = bird.run(["inspect".to_owned(), format!("http://{}/p.jpg", site.address), "--json".into()]);
    assert_eq!(private.status.code(), Some(1));
    assert!(said(&private).0.contains("private") || said(&private).0.contains("loopback"), "{:?}", said(&private));
}

#[test]
fn what_cannot_be_used_is_refused_with_what_can() {
    let bird = Bird::new();
    for (order, said_so) in [
        (&["import", "/nonexistent"][..], "no such file"),
        (&["forget", "not a host"], "neither a host"),
        (&["export", "--format", "csv", "--near", "60.17"], "not a point"),
        (&["export", "--format", "csv", "--near", "60,25", "--within", "far"], "not a distance"),
        (&["export", "--format", "csv", "--near", "60,25"], "--within"),
        (&["export", "--format", "csv", "--place", "Oldenbrug"], "Oldenburg"),
        (&["export", "--format", "csv", "--kind", "page,image"], "stands alone"),
        (&["export", "--format", "xls"], "geojson"),
        (&["lab", "experiment", "nothing"], "metadata"),
        (&["lab", "experiment", "metadata"], "--corpus"),
    ] {
        let output = bird.run(order);
        assert_eq!(output.status.code(), Some(2), "{order:?}: {:?}", said(&output));
        assert!(said(&output).1.contains(said_so), "{order:?}: {:?}", said(&output));
    }
    let empty = bird.run(["export", "--format", "csv"]);
    assert_eq!(empty.status.code(), Some(1), "{:?}", said(&empty));
}

#[test]
fn licence_and_author_are_kept_as_the_page_states_them() {
    let page = r#"<img src=/a.jpg><img src=/b.jpg><img src=http://cdn.test/c.jpg>
        <a rel=license href=https://licences.test/by-4.0>CC BY</a>
        <script type=application/ld+json>{"@type": "ImageObject", "contentUrl": "/a.jpg",
        "license": "https://licences.test/by-sa", "creator": {"name": "Aino"}}</script>"#;
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/" => Reply::html(page),
        "/robots.txt" | "/.well-known/tdmrep.json" => Reply::status(404),
        path => {
            let scene = u64::from(path.as_bytes()[1]);
            Reply::new(200, "image/jpeg", &Photo { scene, ..Photo::default() }.file())
        }
    });
    let bird = Bird::new();
    let order = ["crawl", "http://one.test/", "--delay", "10ms", "--scope", "host"].map(String::from);
    bird.json(order.into_iter().chain(site.resolve("*.test")));
    let items = export(&bird, &[]);
    let rights = |end: &str| {
        let item = items.iter().find(|item| item["image"].as_str().unwrap().ends_with(end)).unwrap();
        (item["licence"].as_str(), item["author"].as_str())
    };
    assert_eq!(rights("/a.jpg"), (Some("https://licences.test/by-sa"), Some("Aino")));
    // A link in the page may speak of its text, or of another picture: nothing is better than wrong.
    assert_eq!((rights("/b.jpg"), rights("/c.jpg")), ((None, None), (None, None)));
}

#[test]
fn a_document_is_written_through_links_and_pipes() {
    let bird = Bird::new();
    bird.json(["import", pictures(&bird).to_str().unwrap()]);
    let place = |name: &str| bird.data().with_file_name(name);
    std::fs::write(place("target.csv"), "old").unwrap();
    std::os::unix::fs::symlink(place("target.csv"), place("link.csv")).unwrap();
    let to = |name: &str| bird.run(["export", "--format", "csv", "--out", place(name).to_str().unwrap()]);
    assert!(to("link.csv").status.success());
    assert!(place("link.csv").is_symlink());
    assert!(std::fs::read_to_string(place("target.csv")).unwrap().starts_with("id,kind,"));
    assert!(bird.run(["export", "--format", "csv", "--out", "/dev/null"]).status.success());
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    let stdout = bird.run(["export", "--format", "csv", "--out", "-"]);
    assert!(said(&stdout).0.starts_with("id,kind,"));
}

#[test]
fn what_a_forgotten_page_had_queued_is_not_fetched() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/" => Reply::html("<a href=/shown>x</a>"),
        "/shown" => Reply::html("<img src=http://cdn.test/1.jpg><img src=http://cdn.test/2.jpg>"),
        "/1.jpg" | "/2.jpg" => Reply::status(503).with("Retry-After", "1"),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let order = ["crawl", "http://one.test/", "--delay", "10ms", "--name", "x", "--max-time", "1s"].map(String::from);
    bird.json(order.into_iter().chain(site.resolve("*.test")));
    bird.json(["forget", "http://one.test/shown"]);
    let asked = site.log().len();
    let again = ["crawl", "--resume", "x", "--max-time", "10s"].map(String::from);
    let summary = bird.json(again.into_iter().chain(site.resolve("*.test")));
    let later: Vec<_> = site.log()[asked..].iter().map(|asked| asked.path.clone()).collect();
    assert!(!later.iter().any(|path| path.ends_with(".jpg")), "{later:?} {summary}");
}

#[test]
fn other_rules_let_in_what_was_refused_before() {
    let bird = Bird::new();
    let folder = pictures(&bird);
    let folder = folder.to_str().unwrap();
    let first = bird.json(["import", folder, "--only-located"]);
    assert_eq!((&first["imported"], &first["refused"]["not-located"]), (&2.into(), &1.into()), "{first}");
    let second = bird.json(["import", folder]);
    assert_eq!((&second["imported"], &second["unchanged"]), (&1.into(), &3.into()), "{second}");
}
