//! Files in a bucket: whatever one can do with them in a directory.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::client::Served;
use crate::crash::{to_the_end, wait_for_requests};
use crate::harness::{Bird, Kept, Lab, said};
use crate::s3::S3;
use crate::workers::Told;

/// Below a prefix that is called as the media directory is.
const MEDIA: &str = "s3://birds/media";

fn crawl(lab: &Lab) -> Vec<String> {
    let mut order = to_the_end(lab, "10ms");
    order.extend(["--media".into(), MEDIA.into()]);
    order
}

/// What a library says, and what is in the bucket.
fn kept(bird: &Bird, service: &S3) -> Kept {
    let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
    Kept::of(&service.directory(), |sql| {
        let mut statement = library.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    })
}

/// What is left of files on this machine: notes, and nothing else.
fn left_here(media: &Path) -> Vec<String> {
    let mut folders = vec![media.to_owned()];
    let mut left = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => left.push(entry.file_name().to_string_lossy().into_owned()),
            }
        }
    }
    left
}

#[test]
fn a_crawl_keeps_in_a_bucket_what_it_keeps_in_a_directory_though_the_service_goes_away() {
    stays_without_the_service(Duration::from_secs(3));
}

/// `cargo test -p bowerbird --test end_to_end -- --ignored half_a_minute`
#[test]
#[ignore = "takes a minute: make soak"]
fn a_crawl_waits_half_a_minute_for_a_service_that_is_away() {
    stays_without_the_service(Duration::from_secs(30));
}

fn stays_without_the_service(away: Duration) {
    let (lab, here) = (Lab::small(7), Bird::new());
    assert_eq!(here.json(to_the_end(&lab, "10ms"))["stopped"], "empty");
    let expected = here.kept();
    // What fails in passing is asked for again.
    let twice = lab.server().log().urls_twice;
    lab.server().reset_log();

    let mut service = S3::start();
    let bird = Bird::with(service.variables());
    let crawling = bird.command(crawl(&lab)).arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let crawling = crawling.unwrap();
    wait_for_requests(&lab, 60);
    service.stop();
    std::thread::sleep(away);
    service.start_again();
    let output = crawling.wait_with_output().unwrap();
    let (summary, told) = said(&output);
    assert!(output.status.success() && told.contains("waiting for it"), "{told}");
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["stopped"], "empty");
    let differences = kept(&bird, &service).differences(&expected);
    assert!(differences.is_empty(), "{differences:#?}");
    assert_eq!(left_here(&bird.data().join("media")), [".placed"]);
    assert_eq!(lab.server().log().urls_twice, twice, "{:?}", lab.server().log());
    // Films and sounds were described from copies.
    let described = "SELECT count(*) FROM description WHERE bytes IS NOT NULL";
    let count = |bird: &Bird| -> i64 {
        let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
        library.query_row(described, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&bird), count(&here));
}

#[test]
fn files_in_a_bucket_are_shown_sent_exported_and_forgotten() {
    let (lab, service) = (Lab::small(32), S3::start());
    let bird = Bird::with(service.variables());
    let mut order = crawl(&lab);
    order.extend(["--max-pages".into(), "30".into()]);
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    order.drain(limit - 1..=limit);
    let (told, _) = said(&bird.run(order));
    assert!(told.contains("files are in s3://birds/media"), "{told}");
    let before = kept(&bird, &service);
    assert!(before.files.len() > 10);

    // The library remembers where they are.
    let found = bird.json(["search", "--top", "1"]);
    let hit = &found["results"][0];
    let file = hit["file"].as_str().unwrap().strip_prefix("s3://birds/").unwrap();
    let bytes = std::fs::read(service.directory().join(file)).unwrap();
    let id = hit["id"].as_str().unwrap();

    let archive = bird.run(["export", "--format", "webdataset"]);
    assert!(archive.status.success(), "{}", said(&archive).1);
    assert!(archive.stdout.windows(bytes.len()).any(|part| part == bytes));

    {
        let served = Served::start(&bird, None, &[]);
        let address = format!("/api/v1/media/{id}/file");
        let whole = served.send("GET", &address, &[], b"");
        assert_eq!((whole.status, &whole.body), (200, &bytes));
        let part = served.send("GET", &address, &[("Range", "bytes=7-16")], b"");
        assert_eq!((part.status, part.body.as_slice()), (206, &bytes[7..17]));
        assert_eq!(served.send("GET", &address, &[("Range", "bytes=999999999-")], b"").status, 416);
        let thumbnail = served.get(&format!("/media/{id}/thumbnail"));
        assert_eq!((thumbnail.status, thumbnail.body.get(..2)), (200, Some(&[0xff, 0xd8][..])));
    }

    let host = before.media.keys().find_map(|url| facts::Url::parse(url).ok()).unwrap().host();
    assert!(bird.run(["forget", host.as_str()]).status.success());
    let after = kept(&bird, &service);
    assert!(after.files.len() < before.files.len());
    assert!(bird.json(["similar", id])["results"].is_array());
}

#[test]
fn a_bucket_that_cannot_be_used_is_said_before_anything_is_asked_for() {
    let lab = Lab::small(33);
    let service = S3::start();
    let tried = |bird: &Bird, media: &str| {
        let mut order = to_the_end(&lab, "10ms");
        order.extend(["--media".into(), media.into()]);
        let output = bird.run(order);
        assert_eq!(output.status.code(), Some(1));
        said(&output).1
    };
    let bird = Bird::with(service.variables());
    assert!(tried(&bird, "s3://nobirds").contains("there is no bucket for s3://nobirds"));
    assert!(tried(&bird, "gs://birds").contains("write s3://BUCKET"));
    let mut variables = service.variables();
    variables[4].1 = "wrong".into();
    assert!(tried(&Bird::with(variables), MEDIA).contains("refuses the keys"));
    assert_eq!(lab.server().log().requests, 0);

    // One that has files here does not have others elsewhere.
    let mut order = to_the_end(&lab, "10ms");
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    order[limit] = "10".into();
    let here = Bird::with(service.variables());
    assert!(here.run(order).status.success());
    let told = tried(&here, MEDIA);
    assert!(told.contains("are in") && told.contains("not in s3://birds/media"), "{told}");
}

#[test]
fn a_crawl_that_starts_before_its_bucket_says_so_and_waits_for_it() {
    let (lab, mut service) = (Lab::small(34), S3::start());
    let bird = Bird::with(service.variables());
    service.stop();
    let mut order = crawl(&lab);
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    order[limit] = "10".into();
    let (mut crawls, told) = Told::start(&mut bird.command(order));
    told.wait_for("cannot be reached at http://127.0.0.1");
    assert_eq!(lab.server().log().requests, 0);
    service.start_again();
    assert!(crawls.0.wait().unwrap().success());
    assert!(!kept(&bird, &service).pages.is_empty());
}
