//! I1: whatever happens to the process, nothing is lost and nothing is stored twice.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::{Bird, Lab, small_web};

/// The crawl of these tests: to the very end, with every budget out of reach.
pub fn to_the_end(lab: &Lab, delay: &str) -> Vec<String> {
    let mut arguments = vec!["crawl".to_owned(), "--name".into(), "all".into()];
    arguments.extend(lab.seeds.clone());
    arguments.extend(lab.reach());
    for argument in [
        "--max-pages",
        "1000000",
        "--strategy",
        "bfs",
        "--kind",
        "image,video,audio",
        "--keep",
        "all",
        "--delay",
        delay,
    ] {
        arguments.push(argument.into());
    }
    arguments
}

/// A small repeatable source of moments; the test prints its seed when it fails.
pub struct Moments(pub u64);

impl Moments {
    pub fn next(&mut self, range: std::ops::Range<u64>) -> Duration {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Duration::from_millis(range.start + (self.0 >> 33) % (range.end - range.start))
    }
}

#[test]
fn a_crawl_killed_at_twenty_moments_ends_as_if_nothing_had_happened() {
    let lab = Lab::small(7);
    let undisturbed = Bird::new();
    let summary = undisturbed.json(to_the_end(&lab, "20ms"));
    assert_eq!(summary["stopped"], "empty");
    let expected = undisturbed.kept();
    assert!(
        expected.pages.len() >= 50 && expected.files.len() >= 50,
        "{} {}",
        expected.pages.len(),
        expected.files.len()
    );
    lab.server().reset_log();

    let seed = std::process::id().into();
    let mut moments = Moments(seed);
    let killed = Bird::new();
    let mut kills = 0;
    while kills < 20 {
        let mut running = killed.spawn(to_the_end(&lab, "20ms"));
        let moment = Instant::now() + moments.next(30..900);
        while Instant::now() < moment && running.0.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        if running.0.try_wait().unwrap().is_some() {
            // It came to its end before its moment: begin again, so that every kill hits a crawl.
            let differences = killed.kept().differences(&expected);
            assert!(differences.is_empty(), "seed {seed}, after {kills} kills: {differences:#?}");
            std::fs::remove_dir_all(killed.data()).unwrap();
            continue;
        }
        running.signal(Signal::KILL);
        running.0.wait().unwrap();
        kills += 1;
    }
    let summary = killed.json(to_the_end(&lab, "20ms"));
    assert_eq!(summary["stopped"], "empty");
    let differences = killed.kept().differences(&expected);
    assert!(differences.is_empty(), "seed {seed}: {differences:#?}");

    let log = lab.server().log();
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{log:?}");
    assert!(log.shortest_gap_ms.is_none_or(|gap| gap >= 20.0), "{log:?}");
}

#[test]
fn an_interrupted_crawl_stops_cleanly_and_goes_on() {
    // Over http alone: a host that speaks both has a robots.txt for each.
    let lab = Lab::start(lab::Settings { https_share: 0.0, ..small_web(8) });
    let bird = Bird::new();
    let mut running = bird.spawn(to_the_end(&lab, "50ms"));
    wait_for_requests(&lab, 30);
    running.signal(Signal::INT);
    let status = running.0.wait().unwrap();
    assert!(status.success());
    let first = bird.json(["crawls"]);
    assert_eq!(first["crawls"][0]["runs"][0]["stopped"], serde_json::Value::Null);

    let summary = bird.json(to_the_end(&lab, "50ms"));
    assert_eq!(summary["stopped"], "empty");
    let after = bird.json(["crawls"]);
    assert_eq!(after["crawls"][0]["runs"].as_array().unwrap().len(), 1, "the run was gone on with");
    assert_eq!(lab.server().log().urls_twice, 0, "{:?}", lab.server().log());
}

#[test]
fn a_killed_run_does_its_remainder_and_a_finished_one_is_followed_by_another() {
    let lab = Lab::small(9);
    let bird = Bird::new();
    let mut order = to_the_end(&lab, "5ms");
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    order[limit] = "40".into();

    let mut running = bird.spawn(&order);
    wait_for_requests(&lab, 25);
    running.signal(Signal::KILL);
    running.0.wait().unwrap();

    let summary = bird.json(&order);
    assert_eq!((&summary["pages"], &summary["stopped"]), (&40.into(), &"max-pages".into()));
    let pages = |bird: &Bird| bird.kept().pages.len();
    assert_eq!(pages(&bird), 40);

    let summary = bird.json(["crawl", "--resume", "all"].into_iter().map(String::from).chain(lab.reach()));
    assert_eq!((&summary["pages"], &summary["stopped"]), (&40.into(), &"max-pages".into()));
    assert_eq!(pages(&bird), 80);
    let crawls = bird.json(["crawls"]);
    assert_eq!(crawls["crawls"][0]["runs"].as_array().unwrap().len(), 2);
}

pub fn wait_for_requests(lab: &Lab, count: u64) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while lab.server().log().requests < count {
        assert!(Instant::now() < deadline, "the crawl made fewer than {count} requests in 30 s");
        std::thread::sleep(Duration::from_millis(5));
    }
}
