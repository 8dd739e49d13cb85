//! Moving house: the same library, queue and files in another home.

use std::process::Output;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::crash::{to_the_end, wait_for_requests};
use crate::harness::{Bird, Lab, said};
use crate::s3::S3;
use crate::server::server;

/// A database of a test, removed with it.
struct Database(String);

impl Database {
    fn new() -> Self {
        Self(server().database())
    }

    fn url(&self) -> String {
        server().url(&self.0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        server().remove(&self.0);
    }
}

fn migrate(bird: &Bird, from: &str, to: &str, more: &[&str]) -> Output {
    bird.run(["migrate", "--json", "--from", from, "--to", to].into_iter().chain(more.iter().copied()))
}

fn moved(output: &Output) -> Value {
    assert!(output.status.success(), "{}", said(output).1);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn part<'v>(moved: &'v Value, name: &str) -> &'v Value {
    moved["parts"].as_array().unwrap().iter().find(|part| part["name"] == name).unwrap_or(&Value::Null)
}

/// What people see of a library.
fn seen(bird: &Bird, more: &[&str]) -> Vec<Value> {
    let ask = |question: &[&str]| {
        let mut answer = bird.json(question.iter().chain(more).copied());
        answer.as_object_mut().unwrap().remove("milliseconds");
        answer
    };
    let mut answers = vec![ask(&["stats"]), ask(&["search", "--top", "200"]), ask(&["search", "town", "--top", "50"])];
    // How large a home is on disk is its own affair.
    if let Some(stats) = answers[0].as_object_mut() {
        stats.remove("disk");
    }
    for answer in &mut answers {
        let found = answer["results"].as_array_mut();
        // Where files are is told apart.
        found.into_iter().flatten().for_each(|hit| {
            for field in ["file", "thumbnail"] {
                hit.as_object_mut().unwrap().remove(field);
            }
        });
    }
    answers
}

/// A crawl that was interrupted in the middle.
fn half_crawled(lab: &Lab) -> Bird {
    let bird = Bird::new();
    let mut running = bird.spawn(to_the_end(lab, "20ms"));
    wait_for_requests(lab, 150);
    running.signal(Signal::INT);
    assert!(running.0.wait().unwrap().success());
    bird
}

#[test]
fn a_half_done_crawl_goes_on_in_its_new_home_and_back_and_ends_as_if_it_had_never_moved() {
    let lab = Lab::small(7);
    let stayed = Bird::new();
    assert_eq!(stayed.json(to_the_end(&lab, "20ms"))["stopped"], "empty");
    let expected = stayed.kept();
    lab.server().reset_log();

    let bird = half_crawled(&lab);
    let (old, database) = (bird.data().display().to_string(), Database::new());
    let before = seen(&bird, &[]);
    let there = moved(&migrate(&bird, &old, &database.url(), &[]));
    assert!(part(&there, "visit")["count"].as_u64().unwrap() > 50, "{there}");
    assert!(part(&there, "queue: waiting")["count"].as_u64().unwrap() > 10, "{there}");
    assert_eq!(there["unplaced"], 0);
    assert_eq!(seen(&bird, &["--database", &database.url()]), before);
    // A second move finds the place taken.
    let again = migrate(&bird, &old, &database.url(), &[]);
    assert!(!again.status.success() && said(&again).1.contains("holds something else"), "{}", said(&again).1);

    // A little further there, then back to another directory.
    let mut order = vec!["crawl".to_owned(), "--resume".into(), "all".into(), "--database".into(), database.url()];
    order.extend(lab.reach());
    let mut running = bird.spawn(&order);
    let so_far = lab.server().log().requests;
    wait_for_requests(&lab, so_far + 40);
    running.signal(Signal::INT);
    assert!(running.0.wait().unwrap().success());
    let back = Bird::new();
    let home = back.data().display().to_string();
    let files = back.data().join("media").display().to_string();
    let returned = migrate(&bird, &database.url(), &home, &["--media", &files]);
    assert!(part(&moved(&returned), "files")["brought"].as_u64().unwrap() > 10);
    let mut order = vec!["crawl".to_owned(), "--resume".into(), "all".into()];
    order.extend(lab.reach());
    assert_eq!(back.json(order)["stopped"], "empty");
    let differences = back.kept().differences(&expected);
    assert!(differences.is_empty(), "{differences:#?}");
    let log = lab.server().log();
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{log:?}");
    assert!(log.shortest_gap_ms.is_none_or(|gap| gap >= 20.0), "{log:?}");
}

#[test]
fn a_move_that_is_killed_again_and_again_comes_to_its_end_with_files_in_a_bucket() {
    let (lab, service, database) = (Lab::small(42), S3::start(), Database::new());
    let crawled = half_crawled(&lab);
    let bird = Bird::with(service.variables());
    let from = crawled.data().display().to_string();
    let before = seen(&crawled, &[]);
    let order = ["migrate", "--from", &from, "--to", &database.url(), "--media", "s3://birds/media"];
    let mut kills = 0;
    for moment in [120, 200, 300, 400, 500, 700] {
        let mut running = bird.spawn(order);
        let deadline = Instant::now() + Duration::from_millis(moment);
        while Instant::now() < deadline && running.0.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        if running.0.try_wait().unwrap().is_some() {
            break;
        }
        running.signal(Signal::KILL);
        running.0.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 0);
    let noted = server().ask(&database.0, "SELECT count(*) FROM setting WHERE name = 'moving'");
    if noted.trim() == "1" {
        let refused = bird.run(["crawl", "--resume", "all", "--database", &database.url()]);
        assert!(said(&refused).1.contains("is not complete"), "{}", said(&refused).1);
        let done = moved(&migrate(&bird, &from, &database.url(), &["--media", "s3://birds/media"]));
        assert_eq!(done["files"], "s3://birds/media");
    }
    assert_eq!(seen(&bird, &["--database", &database.url()]), before);
    let kept = crawled.kept();
    let there = |path: &str| service.directory().join("media").join(path).is_file();
    let library = rusqlite::Connection::open(crawled.data().join("library.db")).unwrap();
    let mut paths = library.prepare("SELECT path FROM media").unwrap();
    let paths: Vec<String> = paths.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(paths.len() == kept.files.len() && paths.iter().all(|path| there(path)));
    assert!(kept.thumbnails.iter().all(|path| there(path)));
}

#[test]
fn a_move_to_nowhere_says_what_to_do() {
    let bird = Bird::new();
    let wrong = bird.run(["migrate", "--from", "/nowhere/here", "--to", "/nowhere/there"]);
    assert_eq!((wrong.status.code(), said(&wrong).1.contains("a database (postgres://")), (Some(2), true));
    let wrong = bird.run(["migrate", "--from", "/nowhere/here", "--to", "postgres://127.0.0.1:1/x"]);
    assert!(said(&wrong).1.contains("no data directory at /nowhere/here"), "{}", said(&wrong).1);
}
