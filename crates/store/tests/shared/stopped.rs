//! Processes that stop where others wait for them.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use store::{Options, Store};

use crate::server::{Server, server};

/// In the middle of a change one may stop for so long, with a lease as short as this.
const LEASE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_secs(10);

fn join(database: &str, dir: &std::path::Path) -> Store {
    let database = Some(server().url(database));
    Store::open(dir, Options { what: "a test".into(), database, lease: LEASE, ..Options::default() }).unwrap()
}

/// The other process of the test below; by itself it does nothing.
#[test]
fn change_without_end() {
    let Some(url) = std::env::var_os("CHANGED_DATABASE") else { return };
    let dir = tempfile::tempdir().unwrap();
    let database = Some(url.into_string().unwrap());
    let store = Store::open(dir.path(), Options { database, lease: LEASE, ..Options::default() }).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for n in 0.. {
        runtime.block_on(store.library().save_crawl("theirs", &json!({ "n": n }))).unwrap();
    }
}

/// A process of this test, gone with it.
struct Other(Child);

impl Other {
    fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args(["-s", signal, &self.0.id().to_string()]).status().unwrap().success());
    }

    /// Stops it in the middle of a change.
    fn stop_in_a_change(&self, server: &Server, database: &str) {
        let began = Instant::now();
        let held = "SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
                    WHERE l.relation = 'writer'::REGCLASS AND l.mode = 'RowExclusiveLock' AND l.granted
                    AND a.state = 'idle in transaction'";
        loop {
            self.signal("STOP");
            // What was on its way to the server when it stopped is done there before it counts.
            std::thread::sleep(Duration::from_millis(20));
            if server.ask(database, held).trim() != "0" {
                return;
            }
            self.signal("CONT");
            assert!(began.elapsed() < Duration::from_secs(120), "it never stopped in a change");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_stops_in_the_middle_of_a_change_is_not_waited_for_without_end() {
    let (database, dir) = (server().database(), tempfile::tempdir().unwrap());
    let store = join(&database, dir.path());
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "shared::stopped::change_without_end"])
        .env("CHANGED_DATABASE", server().url(&database))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let other = Other(child);
    other.stop_in_a_change(server(), &database);
    let began = Instant::now();
    store.library().save_crawl("ours", &json!({})).await.unwrap();
    assert!(began.elapsed() < PAUSE + Duration::from_secs(10), "waited for {:?}", began.elapsed());
    // One that goes on does its change again: nothing of it is lost, nor its place among the others.
    let last = "SELECT settings FROM crawl WHERE name = 'theirs'";
    let before = server().ask(&database, last);
    other.signal("CONT");
    while server().ask(&database, last) == before {
        assert!(began.elapsed() < Duration::from_secs(120), "it does not go on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop((other, store));
    server().remove(&database);
}
