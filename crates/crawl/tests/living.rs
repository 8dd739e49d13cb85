//! Processes that live on when a run of theirs ends: they keep nothing of it.

#[path = "../../store/tests/server/mod.rs"]
mod server;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crawl::{CrawlError, Manners, Progress, Reach, Settings, Stopper, Summary};
use facts::Url;
use store::{Options, Store};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::server::server;

/// Nothing here takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A site with a page that it does not answer for the first time, as long as whoever asks waits.
struct Hesitant {
    address: SocketAddr,
    /// How often that page was asked for, and how often whoever asked went away before it was answered.
    asked: Arc<AtomicUsize>,
    left: Arc<AtomicUsize>,
}

impl Hesitant {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, left) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counted = (Arc::clone(&asked), Arc::clone(&left));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (asked, left) = counted.clone();
                thread::spawn(move || answer(stream, &asked, &left));
            }
        });
        Self { address, asked, left }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    async fn wait_until_asked(&self, times: usize) {
        let began = Instant::now();
        while self.asked() < times {
            assert!(began.elapsed() < PATIENCE, "the page is not asked for");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            seeds: vec![Url::parse(&format!("http://{}/", self.address)).unwrap()],
            strategy: "bfs".into(),
            manners: Manners { delay: Duration::from_millis(30), ..Manners::default() },
            ..Settings::default()
        }
    }
}

fn answer(mut stream: TcpStream, asked: &AtomicUsize, left: &AtomicUsize) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read > 0) {
        head.push(byte[0]);
    }
    let path = String::from_utf8_lossy(&head).split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, body) = match path.as_str() {
        "/" => ("200 OK", "<title>first</title><a href=/slow>on</a>"),
        "/slow" => ("200 OK", "<title>slow</title>at last"),
        _ => ("404 Not Found", ""),
    };
    if path == "/slow" && asked.fetch_add(1, Ordering::Relaxed) == 0 {
        // Until whoever asked goes away.
        let _ = stream.read(&mut byte);
        left.fetch_add(1, Ordering::Relaxed);
        return;
    }
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn reach() -> Reach {
    Reach { allow_private: true, ..Reach::default() }
}

fn start(store: &Arc<Store>, settings: Settings) -> (Stopper, JoinHandle<Result<Summary, CrawlError>>) {
    let (stopper, stop) = crawl::stopper();
    let progress = watch::channel(Progress::default()).0;
    let store = Arc::clone(store);
    let run = tokio::spawn(async move { crawl::run(store, "demo", settings, reach(), stop, progress).await });
    (stopper, run)
}

async fn end_of(run: JoinHandle<Result<Summary, CrawlError>>) -> Summary {
    tokio::time::timeout(PATIENCE, run).await.expect("it does not end").unwrap().unwrap()
}

/// The data directory alone, or a database that is shared.
fn open(dir: &Path, database: Option<&str>) -> Arc<Store> {
    // Longer than these tests: nobody is taken for dead.
    open_for(dir, database, Duration::from_secs(600))
}

fn open_for(dir: &Path, database: Option<&str>, lease: Duration) -> Arc<Store> {
    let database = database.map(|name| server().url(name));
    let open = || Store::open(dir, Options { database, lease, ..Options::default() }).unwrap();
    Arc::new(thread::scope(|scope| scope.spawn(open).join().unwrap()))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_paused_run_had_under_way_is_visited_by_the_next_of_the_same_process() {
    let (site, dir) = (Hesitant::start(), tempfile::tempdir().unwrap());
    let store = open(dir.path(), None);
    let (stopper, run) = start(&store, site.settings());
    site.wait_until_asked(1).await;
    stopper.stop();
    assert_eq!(end_of(run).await.stopped, "interrupted");
    let (_stopper, run) = start(&store, site.settings());
    let summary = end_of(run).await;
    assert_eq!((summary.stopped.as_str(), summary.pages, site.asked()), ("empty", 2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_paused_run_had_under_way_is_visited_by_others_while_its_process_lives() {
    let (site, dirs) = (Hesitant::start(), [(), ()].map(|()| tempfile::tempdir().unwrap()));
    let database = server().database();
    let [paused, goes_on] = [&dirs[0], &dirs[1]].map(|dir| open(dir.path(), Some(&database)));
    let (stopper, run) = start(&paused, site.settings());
    site.wait_until_asked(1).await;
    let summaries = paused.library().crawls().await.unwrap();
    let (crawl, run_of) = (summaries[0].crawl.clone(), summaries[0].runs[0].clone());
    let (_stopper, stop) = crawl::stopper();
    let progress = watch::channel(Progress::default()).0;
    let joins = tokio::spawn(crawl::join(Arc::clone(&goes_on), crawl, run_of, reach(), stop, progress));
    stopper.stop();
    end_of(run).await;
    let summary = end_of(joins).await;
    assert_eq!((summary.stopped.as_str(), summary.pages, site.asked()), ("empty", 2, 2));
    let held = "SELECT (SELECT count(*) FROM claimed) + (SELECT count(*) FROM host_clock WHERE busy IS NOT NULL)";
    assert_eq!(server().ask(&database, held).trim(), "0");
    drop((paused, goes_on));
    server().remove(&database);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_ends_with_an_error_works_on_nothing_any_more_as_far_as_others_know() {
    let (site, dir) = (Hesitant::start(), tempfile::tempdir().unwrap());
    let database = server().database();
    let store = open(dir.path(), Some(&database));
    let (_stopper, run) = start(&store, site.settings());
    site.wait_until_asked(1).await;
    let attends =
        "SELECT count(*) FROM worker WHERE ended IS NULL AND (cardinality(runs) > 0 OR cardinality(fills) > 0)";
    assert_eq!(server().ask(&database, attends).trim(), "1");
    // What it looks at twice a second cannot be read any more.
    server().ask(&database, "ALTER TABLE run RENAME TO run_away");
    let ended = tokio::time::timeout(PATIENCE, run).await.expect("it does not end").unwrap();
    assert!(ended.is_err());
    assert_eq!(server().ask(&database, attends).trim(), "0");
    drop(store);
    server().remove(&database);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_whose_disk_is_full_leaves_the_run_to_the_others() {
    let (site, dir, small) = (Hesitant::start(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=16m", "tmpfs"]).arg(small.path()).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: mounting a small disk is not allowed here");
        return;
    }
    let database = server().database();
    let (goes_on, full) = (open(dir.path(), Some(&database)), open(&small.path().join("data"), Some(&database)));
    let mut settings = site.settings();
    settings.limits.min_free_disk = 32 << 20;
    let (stopper, run) = start(&goes_on, settings);
    site.wait_until_asked(1).await;
    let summaries = goes_on.library().crawls().await.unwrap();
    let (crawl, run_of) = (summaries[0].crawl.clone(), summaries[0].runs[0].clone());
    assert!(crawl::has_room(&goes_on, &crawl) && !crawl::has_room(&full, &crawl));
    let (_stopper, stop) = crawl::stopper();
    let progress = watch::channel(Progress::default()).0;
    let joins = tokio::spawn(crawl::join(Arc::clone(&full), crawl, run_of, reach(), stop, progress));
    assert_eq!(end_of(joins).await.stopped, "disk");
    let at_work = "SELECT count(*) FROM run WHERE stopped IS NULL AND ended IS NULL";
    assert_eq!(server().ask(&database, at_work).trim(), "1", "it is not over for the others");
    stopper.stop();
    end_of(run).await;
    drop((goes_on, full));
    server().remove(&database);
    let _ = Command::new("umount").arg("-l").arg(small.path()).status();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_broken_off_when_others_may_take_its_host_over() {
    let (site, dir) = (Hesitant::start(), tempfile::tempdir().unwrap());
    let (database, lease) = (server().database(), Duration::from_secs(1));
    let store = open_for(dir.path(), Some(&database), lease);
    let (_stopper, run) = start(&store, site.settings());
    site.wait_until_asked(1).await;
    // No sign of life of it is heard while somebody holds its row.
    let deaf = server().hold(&database, "SELECT 1 FROM worker FOR UPDATE");
    let began = Instant::now();
    while site.left.load(Ordering::Relaxed) == 0 {
        assert!(began.elapsed() < 10 * lease, "it still waits for an answer");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    deaf.commit();
    // Nobody took over: it is asked for again.
    let summary = end_of(run).await;
    assert_eq!((summary.stopped.as_str(), summary.pages, site.asked()), ("empty", 2, 2));
    drop(store);
    server().remove(&database);
}
