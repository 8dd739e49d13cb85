//! Several processes on one database: what they find together is what one finds alone.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::crash::{to_the_end, wait_for_requests};
use crate::harness::{Bird, Kept, Lab, Running};
use crate::server::server;

/// A database of a test, removed with it.
struct Shared(String);

impl Shared {
    fn new() -> Self {
        Self(server().database())
    }

    fn url(&self) -> String {
        server().url(&self.0)
    }

    /// What the library holds.
    fn kept(&self, bird: &Bird) -> Kept {
        Kept::of(&bird.data(), |sql| {
            let sql = sql.replace("lower(hex(sha256))", "encode(sha256, 'hex')");
            let sql = sql.replace("lower(hex(m.sha256))", "encode(m.sha256, 'hex')");
            let rows = server().ask(&self.0, &format!("SELECT row_to_json(r) FROM ({sql}) AS r (one, other)"));
            let read = |line: &str| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                let text = |name: &str| row[name].as_str().unwrap().to_owned();
                (text("one"), text("other"))
            };
            rows.lines().map(read).collect()
        })
    }

    fn count(&self, sql: &str) -> u64 {
        server().ask(&self.0, sql).trim().parse().unwrap()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        server().remove(&self.0);
    }
}

fn worker(bird: &Bird, shared: &Shared, lab: &Lab) -> Running {
    let order = ["worker".to_owned(), "--database".into(), shared.url(), "--lease".into(), "2s".into()];
    bird.spawn(order.into_iter().chain(lab.reach()))
}

fn crawl(shared: &Shared, lab: &Lab) -> Vec<String> {
    let mut order = to_the_end(lab, "20ms");
    order.extend(["--database".into(), shared.url()]);
    order
}

#[test]
fn workers_find_together_what_one_finds_alone_whoever_is_killed() {
    let lab = Lab::small(7);
    let alone = Bird::new();
    assert_eq!(alone.json(to_the_end(&lab, "20ms"))["stopped"], "empty");
    let expected = alone.kept();
    lab.server().reset_log();

    let (bird, shared) = (Bird::new(), Shared::new());
    let starter =
        bird.command(crawl(&shared, &lab)).arg("--json").stdout(std::process::Stdio::piped()).spawn().unwrap();
    wait_for_requests(&lab, 5);
    let mut workers: Vec<Running> = (0..3).map(|_| worker(&bird, &shared, &lab)).collect();
    let deadline = Instant::now() + Duration::from_secs(120);
    let at_work = "SELECT count(*) FROM run WHERE stopped IS NULL";
    let mut killed = 0;
    while shared.count(at_work) > 0 {
        assert!(Instant::now() < deadline, "the crawl does not end");
        std::thread::sleep(Duration::from_millis(400));
        // Those that are killed are followed by others, who take over after the lease.
        if killed < 3 {
            let mut gone = workers.remove(0);
            gone.signal(Signal::KILL);
            gone.0.wait().unwrap();
            workers.push(worker(&bird, &shared, &lab));
            killed += 1;
        }
    }
    let output = starter.wait_with_output().unwrap();
    assert!(output.status.success());
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["stopped"], "empty");
    for mut one in workers {
        one.signal(Signal::TERM);
        assert!(one.0.wait().unwrap().success(), "a worker leaves cleanly");
    }
    let differences = shared.kept(&bird).differences(&expected);
    assert!(differences.is_empty(), "{differences:#?}");
    let log = lab.server().log();
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{log:?}");
    assert!(log.shortest_gap_ms.is_none_or(|gap| gap >= 20.0), "{log:?}");
    assert_eq!(
        shared.count("SELECT count(*) FROM waiting")
            + shared.count("SELECT count(*) FROM host_clock WHERE busy IS NOT NULL"),
        0
    );
}

#[test]
fn a_worker_without_a_database_says_what_to_do() {
    let output = Bird::new().run(["worker"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--database"));
}
