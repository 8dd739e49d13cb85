//! What several processes do at the same moment in one database.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::{Order, Url};
use store::{
    Beat, ClaimLimit, Claims, CrawlId, Forget, Frontier, Link, Options, Outcome, Reservation, Rest, RunId, RunPages,
    Store, Visited,
};
use tokio::task::JoinSet;

use crate::server::server;
use crate::suite::web::*;
use crate::suite::{DELAY, PLENTY};

const ONE: CrawlId = CrawlId(1);
const TWO: CrawlId = CrawlId(2);

/// Longer than any of these tests: nobody is taken for dead.
const LEASE: Duration = Duration::from_secs(300);

/// A database of a test, removed with it.
pub struct Database(String);

impl Database {
    pub fn new() -> Self {
        Self(server().database())
    }

    pub fn ask(&self, sql: &str) -> String {
        server().ask(&self.0, sql).trim().to_owned()
    }

    pub fn url(&self) -> String {
        server().url(&self.0)
    }

    /// A process that works on it.
    pub fn join(&self, dir: &Path) -> Store {
        let database = Some(self.url());
        let options =
            Options { what: "a test".into(), default_delay: DELAY, database, lease: LEASE, ..Options::default() };
        Store::open(dir, options).unwrap()
    }

    /// Nothing waits, and nothing is held by anybody.
    fn is_idle(&self) -> bool {
        self.ask(
            "SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM claimed) + (SELECT count(*) FROM host_clock WHERE busy IS NOT NULL)
                    + (SELECT count(*) FROM backlog WHERE lane IS NOT NULL)
                    + (SELECT coalesce(sum(queued_pages + queued_media), 0)::BIGINT FROM queue_figure)",
        ) == "0"
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        server().remove(&self.0);
    }
}

pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

async fn take(frontier: &dyn Frontier, crawl: CrawlId) -> Claims {
    claim(frontier, crawl, ALL).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_let_go_while_another_crawl_finds_it_is_not_lost() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let frontier = Arc::clone(store.frontier());
    // Someone asks a host that no crawl has addresses of.
    let reserved = frontier.reserve(&host("a.example"), DELAY).await.unwrap();
    assert!(matches!(reserved, Reservation::Granted { .. }));
    let (number, worker) = (database.ask("SELECT host FROM host_clock"), database.ask("SELECT busy FROM host_clock"));
    let letting_go =
        server().hold(&database.0, &format!("SELECT let_rest({number}, '{{{worker}}}', 0, NULL, 0, now_ms())"));
    // Its end is not to be seen yet when a crawl finds the host, and looks whether it is free.
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    assert!(take(&*frontier, ONE).await.claims.is_empty());
    letting_go.commit();
    let claims = take(&*frontier, ONE).await;
    assert_eq!(names(&claims), ["a.example/"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_lets_a_host_go_after_others_took_over_cuts_no_rest_short() {
    let (database, dir) = (Database::new(), scratch());
    let (late, other) = (database.join(dir.path()), database.join(dir.path()));
    let frontier = Arc::clone(late.frontier());
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    // Others took it for dead; one of them asked the host, which failed and rests for long.
    database.ask("SELECT give_back(busy, 0, now_ms()) FROM host_clock");
    let claim_of_other = claim_one(&**other.frontier(), ONE).await;
    let until = other.frontier().now().await.unwrap() + Duration::from_secs(600);
    let rest = Rest { until, delay: None, failures: 3 };
    other.frontier().release(&claim_of_other.link.url.host(), rest).await.unwrap();
    release(&*frontier, &claim).await;
    let rests = "SELECT busy IS NULL AND ready_at > now_ms() + 590000 AND failures = 3 FROM host_clock";
    assert_eq!(database.ask(rests), "t");
    assert_eq!(database.ask("SELECT ready OR free_at < now_ms() + 590000 FROM backlog"), "f");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_lost_and_taken_again_is_let_go_of_by_who_took_it_again_alone() {
    let (database, dir) = (Database::new(), scratch());
    // Its signs of life are quick: so it sees soon that it was taken for dead.
    let database_url = Some(server().url(&database.0));
    let lease = Duration::from_secs(1);
    let store = Store::open(dir.path(), Options { database: database_url, lease, ..Options::default() }).unwrap();
    let frontier = Arc::clone(store.frontier());
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    let first = claim_one(&*frontier, ONE).await;
    let host = first.link.url.host();
    assert!(frontier.held_until(&host, first.taking).is_some_and(|until| until > Instant::now()));
    database.ask("SELECT give_back(busy, 0, now_ms()) FROM host_clock");
    let began = Instant::now();
    let second = loop {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not join anew");
        match take(&*frontier, ONE).await.claims.pop() {
            Some(claim) => break claim,
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    assert_eq!(frontier.held_until(&host, first.taking), None);
    assert!(frontier.held_until(&host, second.taking).is_some());
    let until = frontier.now().await.unwrap();
    frontier.put_back(ONE, first.clone(), false).await.unwrap();
    frontier.release_taken(&host, first.taking, Rest { until, ..Rest::default() }).await.unwrap();
    let held = "SELECT (SELECT count(*) FROM host_clock WHERE busy IS NOT NULL) + (SELECT count(*) FROM claimed)";
    assert_eq!(database.ask(held), "2", "the second visit is under way");
    frontier.put_back(ONE, second.clone(), false).await.unwrap();
    frontier.release_taken(&host, second.taking, Rest { until, ..Rest::default() }).await.unwrap();
    assert_eq!(database.ask(held), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_who_has_enough_to_do_takes_over_from_the_dead_all_the_same() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let frontier = Arc::clone(store.frontier());
    let pages = (0..500).map(|n| page(&format!("http://h{n}.example/"), Order::FirstIn)).collect();
    frontier.add(ONE, pages, PLENTY).await.unwrap();
    // One that gave its last sign of life long ago, and held two hosts.
    database.ask(
        "INSERT INTO worker (id, what, started, seen, lease_until) VALUES (99, 'dead', 0, 0, 1);
         UPDATE host_clock SET busy = 99; INSERT INTO host_clock (host, busy) VALUES (1, 99), (2, 99)",
    );
    // This process's own next sign of life is far off, and every claim finds something.
    let began = Instant::now();
    while database.ask("SELECT count(*) FROM host_clock WHERE busy = 99") != "0" {
        assert!(began.elapsed() < Duration::from_secs(10), "nobody took over");
        let claim = claim_one(&*frontier, ONE).await;
        release(&*frontier, &claim).await;
        frontier.put_back(ONE, claim, false).await.unwrap();
    }
    assert_eq!(database.ask("SELECT ended IS NOT NULL FROM worker WHERE id = 99"), "t");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_host_is_found_again_by_every_crawl_once_it_is_free() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let frontier = Arc::clone(store.frontier());
    frontier.add(ONE, vec![page("http://a.example/1", Order::FirstIn)], PLENTY).await.unwrap();
    let first = claim_one(&*frontier, ONE).await;
    frontier.add(TWO, vec![page("http://a.example/2", Order::FirstIn)], PLENTY).await.unwrap();
    let waits = take(&*frontier, TWO).await;
    assert!(waits.claims.is_empty() && waits.busy && !waits.empty);
    assert_eq!(database.ask("SELECT count(*) FROM backlog WHERE ready"), "0");
    release(&*frontier, &first).await;
    assert_eq!(names(&take(&*frontier, TWO).await), ["a.example/2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_a_run_is_waits_for_no_writer_and_makes_no_answer_outdated() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let (_, run) = started(&store).await;
    let library = store.library();
    let revision = library.revision().await.unwrap();
    let writing = server().hold(&database.0, "UPDATE writer SET revision = revision");
    let beat = Beat { seconds: 7.0, ..Beat::default() };
    library.beat(run, &beat, Duration::ZERO).await.unwrap();
    assert_eq!(library.run(run).await.unwrap().unwrap().seconds, 7.0);
    assert_eq!(library.revision().await.unwrap(), revision);
    writing.commit();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_process_forgets_another_knows_when_it_looks() {
    let (database, dir) = (Database::new(), scratch());
    let (one, two) = (database.join(dir.path()), database.join(dir.path()));
    let (here, there) = (one.library().forgotten().await.unwrap(), two.library().forgotten().await.unwrap());
    let gone = host("gone.example");
    one.forget(&Forget::Host(gone.clone())).await.unwrap();
    assert!(here.host(&gone) && !there.host(&gone));
    two.library().look_for_forgotten().await.unwrap();
    assert!(there.host(&gone));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_someone_fills_is_not_at_its_end() {
    let (database, dir) = (Database::new(), scratch());
    let (starts, joins) = (database.join(dir.path()), database.join(dir.path()));
    starts.fill(ONE, true).await.unwrap();
    let waits = take(&**joins.frontier(), ONE).await;
    assert!(waits.busy && !waits.empty);
    assert!(take(&**joins.frontier(), TWO).await.empty);
    starts.fill(ONE, false).await.unwrap();
    assert!(take(&**joins.frontier(), ONE).await.empty);
    starts.fill(ONE, true).await.unwrap();
    starts.close().await.unwrap();
    assert!(take(&**joins.frontier(), ONE).await.empty, "who filled it is gone");
}

/// Pages of a web that leads from anywhere to everywhere: `n.example/m`.
fn web(hosts: u64, pages: u64, of: &Url) -> Vec<Link> {
    let number: u64 = of.path().trim_start_matches('/').parse().unwrap_or(0);
    let next = [2 * number + 1, 2 * number + 2, number / 3, 7 * number % pages];
    let link = |page: u64| format!("http://h{}.example/{page}", page * 2_654_435_761 % hosts);
    next.into_iter().filter(|next| *next < pages).map(|next| page(&link(next), Order::FirstIn)).collect()
}

/// Visits what it can get of a crawl until nothing waits; gives the addresses.
async fn work(frontier: Arc<dyn Frontier>, crawl: CrawlId, hosts: u64, pages: u64, until: Instant) -> Vec<String> {
    let mut visits = Vec::new();
    loop {
        assert!(Instant::now() < until, "crawl {} does not end: {} visited", crawl.0, visits.len());
        let claims = frontier.claim(crawl, ClaimLimit { any: 5, pages: 5, ..ALL }).await.unwrap();
        if claims.empty {
            return visits;
        }
        for claim in &claims.claims {
            // Some are put back before they are visited, as when robots.txt was asked for instead.
            if claim.tries == 0 && claim.number % 5 == 0 {
                frontier.put_back(crawl, claim.clone(), true).await.unwrap();
                release(&*frontier, claim).await;
                continue;
            }
            let other = host(&format!("h{}.example", claim.number % hosts));
            if let Reservation::Granted { .. } = frontier.reserve(&other, DELAY).await.unwrap() {
                let until = frontier.now().await.unwrap();
                frontier.release(&other, Rest { until, ..Rest::default() }).await.unwrap();
            }
            release(&*frontier, claim).await;
            visits.push(name(claim));
            let links = web(hosts, pages, &claim.link.url);
            frontier.finish(crawl, &[read(claim.clone(), links)], PLENTY).await.unwrap();
        }
        if claims.claims.is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn crawls_of_several_processes_end_and_visit_every_address_once() {
    const HOSTS: u64 = 12;
    const PAGES: u64 = 150;
    let (database, dir) = (Database::new(), scratch());
    let stores: Vec<Store> = (0..3).map(|_| database.join(dir.path())).collect();
    let until = Instant::now() + Duration::from_secs(120);
    for crawl in [ONE, TWO] {
        stores[0].frontier().add(crawl, vec![page("http://h0.example/0", Order::FirstIn)], PLENTY).await.unwrap();
    }
    let mut working = JoinSet::new();
    for (store, crawl) in stores.iter().flat_map(|store| [(store, ONE), (store, TWO)]) {
        let work = work(Arc::clone(store.frontier()), crawl, HOSTS, PAGES, until);
        working.spawn(async move { (crawl, work.await) });
    }
    let mut visits: Vec<(u32, String)> = Vec::new();
    while let Some(worked) = working.join_next().await {
        let (crawl, names) = worked.unwrap();
        visits.extend(names.into_iter().map(|name| (crawl.0, name)));
    }
    let distinct: BTreeSet<&(u32, String)> = visits.iter().collect();
    assert_eq!((distinct.len(), visits.len()), (2 * PAGES as usize, 2 * PAGES as usize));
    assert!(database.is_idle());
}

/// Visits pages until a run has as many as it may; gives how many it read.
async fn work_within(store: &Store, crawl: CrawlId, run: RunPages, hosts: u64, until: Instant) -> u64 {
    let (frontier, mut read_here) = (Arc::clone(store.frontier()), 0);
    loop {
        assert!(Instant::now() < until, "the run does not end: {read_here} read here");
        let claims = frontier.claim(crawl, ClaimLimit { any: 7, pages: 7, run: Some(run), ..ALL }).await.unwrap();
        if claims.claims.is_empty() && !claims.busy && claims.next.is_none() {
            return read_here;
        }
        for claim in claims.claims {
            release(&*frontier, &claim).await;
            let links = web(hosts, 100_000, &claim.link.url);
            // Some are put back, some fail: others may be read in their place.
            match claim.number % 7 {
                0 if claim.tries == 0 => frontier.put_back(crawl, claim, true).await.unwrap(),
                1 => drop(store.commit(crawl, run.run, vec![failed(claim, "dns")], PLENTY).await.unwrap()),
                _ => {
                    store.commit(crawl, run.run, vec![read(claim, links)], PLENTY).await.unwrap();
                    read_here += 1;
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn the_pages_of_a_run_are_as_many_as_it_may_read_over_all_who_work_on_it() {
    const HOSTS: u64 = 40;
    let (database, dir) = (Database::new(), scratch());
    let stores: Vec<Arc<Store>> = (0..4).map(|_| Arc::new(database.join(dir.path()))).collect();
    let (crawl, run) = started(&stores[0]).await;
    let until = Instant::now() + Duration::from_secs(120);
    let seeds = (0..HOSTS).map(|n| page(&format!("http://h{n}.example/{}", 1_000 + n), Order::FirstIn)).collect();
    stores[0].frontier().add(crawl, seeds, PLENTY).await.unwrap();
    let mut working = JoinSet::new();
    for store in &stores {
        let (store, limit) = (Arc::clone(store), RunPages { run, most: 101 });
        working.spawn(async move { work_within(&store, crawl, limit, HOSTS, until).await });
    }
    let read_by: Vec<u64> = working.join_all().await;
    assert_eq!(read_by.iter().sum::<u64>(), 101, "{read_by:?}");
    assert_eq!(stores[0].library().figures(crawl, Some(run)).await.unwrap().pages, 101);
}

#[tokio::test(flavor = "multi_thread")]
async fn how_many_workers_would_pay_follows_from_the_hosts_that_wait_and_their_delays() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let (crawl, _) = started(&store).await;
    let frontier = Arc::clone(store.frontier());
    let pages =
        |crawl: &str| ["a", "b", "c", "d"].map(|host| page(&format!("http://{host}.example/{crawl}"), Order::FirstIn));
    frontier.add(crawl, pages("1").into(), PLENTY).await.unwrap();
    frontier.add(crawl, pages("2").into(), PLENTY).await.unwrap();
    // Of four hosts one asks for more than the usual delay. One that nothing waits of does not count.
    let (until, slow) = (frontier.now().await.unwrap(), Some(Duration::from_millis(1_060)));
    for (name, delay) in [("a.example", slow), ("b.example", None), ("e.example", Some(Duration::from_secs(99)))] {
        frontier.reserve(&host(name), DELAY).await.unwrap();
        frontier.release(&host(name), Rest { until, delay, failures: 0 }).await.unwrap();
    }
    let load = store.workload(&[(crawl, DELAY)]).await.unwrap().unwrap();
    assert_eq!(load.hosts, 4);
    assert!((load.pause - (1.06 + 3.0 * DELAY.as_secs_f64()) / 4.0).abs() < 1e-9, "{load:?}");
    assert_eq!(load.workers(), None, "nobody worked here yet");
    // A crawl that leaves its hosts alone for longer has fewer requests to give, and others do not count.
    let load = store.workload(&[(crawl, Duration::from_secs(9))]).await.unwrap().unwrap();
    assert_eq!((load.hosts, load.pause), (4, 9.0));
    assert_eq!(store.workload(&[]).await.unwrap().unwrap().hosts, 0);
    // What a worker can do is told by those of late.
    let joined = |rate: f64, count: u32| {
        database.ask(&format!(
            "INSERT INTO worker (what, started, seen, lease_until, ended, best_rate)
             SELECT 'before', 0, 0, 0, 0, {rate} FROM generate_series(1, {count})"
        ));
    };
    joined(1_000.0, 1);
    joined(10.0, 20);
    joined(0.0, 20);
    let load = store.workload(&[(crawl, DELAY)]).await.unwrap().unwrap();
    assert_eq!(load.rate, 10.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_wait_are_counted_along_the_indexes_of_their_crawl() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let (crawl, _) = started(&store).await;
    // A crawl that ended left far more.
    database.ask(&format!(
        "INSERT INTO backlog (host, crawl, lane, band, seq, ready)
         SELECT n, {} + (n > 10)::INT, 1, 0, n, n % 2 = 0 FROM generate_series(1, 20000) AS n;
         ANALYZE backlog",
        crawl.0
    ));
    let load = store.workload(&[(crawl, DELAY)]).await.unwrap().unwrap();
    assert_eq!(load.hosts, 10);
    // The server tells of it once its process has nothing to do.
    let read = "SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
                WHERE indexrelname IN ('backlog_ready', 'backlog_resting')";
    let began = Instant::now();
    while database.ask(read) == "0" {
        assert!(began.elapsed() < Duration::from_secs(60), "they are not used");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(database.ask(read), "10");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_as_quick_as_it_is_over_seconds_not_in_a_moment() {
    const PAGES: u64 = 60;
    let (database, dir) = (Database::new(), scratch());
    let lease = Duration::from_millis(300);
    let store =
        Store::open(dir.path(), Options { database: Some(database.url()), lease, ..Options::default() }).unwrap();
    let (crawl, run) = started(&store).await;
    let pages = (0..PAGES).map(|n| read(claim_of(page(&format!("http://h{n}.example/"), Order::FirstIn)), Vec::new()));
    store.commit(crawl, run, pages.collect(), PLENTY).await.unwrap();
    let began = Instant::now();
    while database.ask("SELECT sum(visits) FROM worker") != PAGES.to_string() {
        assert!(began.elapsed() < Duration::from_secs(60), "they are not counted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let rate = loop {
        assert!(began.elapsed() < Duration::from_secs(60), "no rate is told");
        if let Ok(rate) = database.ask("SELECT nullif(max(best_rate), 0) FROM worker").parse::<f64>() {
            break rate;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(rate <= PAGES as f64 / 3.0, "{rate}");
}

/// A visit that brought a file of that content.
async fn brought(store: &Store, link: Link, content: &str) -> Visited {
    let keep = || {
        let mut draft = store.files().draft(&link.url.host()).unwrap();
        draft.write(content.as_bytes()).unwrap();
        store.keep(draft, "jpeg").unwrap().file
    };
    // It waits for the database, which threads that wait for the network may not.
    let kept = std::thread::scope(|scope| scope.spawn(keep).join().unwrap());
    let mut visit = kept_as(claim_of(link), content, plain());
    file_of(&mut visit).path = kept.path;
    visit
}

async fn started(store: &Store) -> (CrawlId, RunId) {
    let crawl = store.library().save_crawl("demo", &serde_json::json!({})).await.unwrap().id;
    let limits = store::RunLimits::default();
    (crawl, store.library().start_run(crawl, limits, 1_000).await.unwrap().id)
}

fn kept_files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![dir.join("media")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type().unwrap().is_dir() {
                _ if name.starts_with('.') => {}
                true => open.push(entry.path()),
                false => found.push(name),
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn content_that_two_bring_at_once_is_one_file_and_no_visit_fails() {
    let (database, dir) = (Database::new(), scratch());
    let (one, two) = (database.join(dir.path()), database.join(dir.path()));
    let (crawl, run) = started(&one).await;
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| image(&format!("http://{name}.example/1.jpg"), Order::FirstIn));
    // None of them knows of the other's file yet; the fourth counts on that of the second.
    let first = brought(&one, a, "same").await;
    let (second, third, fourth) =
        (brought(&two, b, "same").await, brought(&two, c, "same").await, brought(&two, d, "same").await);
    one.commit(crawl, run, vec![first], PLENTY).await.unwrap();
    two.commit(crawl, run, vec![second], PLENTY).await.unwrap();
    assert_eq!(kept_files(dir.path()).len(), 1);
    two.commit(crawl, run, vec![third], PLENTY).await.unwrap();
    // So it is for files of this machine.
    let Outcome::Media(file) = fourth.outcome else { panic!() };
    let import = store::ImportedFile { outcome: Ok(file), ..local("/d.jpg", "same", plain()) };
    two.import(vec![import]).await.unwrap();
    let figures = one.library().figures(crawl, None).await.unwrap();
    assert_eq!((figures.visits, figures.errors.len()), (3, 0), "{:?}", figures.errors);
    assert_eq!(database.ask("SELECT count(*) FROM media_address WHERE media IS NOT NULL"), "4");
    assert_eq!(kept_files(dir.path()).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_whose_file_is_nowhere_is_made_again() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let (crawl, run) = started(&store).await;
    store.frontier().add(crawl, vec![image("http://a.example/1.jpg", Order::FirstIn)], PLENTY).await.unwrap();
    let claim = claim_one(&**store.frontier(), crawl).await;
    let mut visit = brought(&store, claim.link.clone(), "one").await;
    visit.claim = claim;
    release(&**store.frontier(), &visit.claim).await;
    std::fs::remove_file(dir.path().join("media").join(&file_of(&mut visit).path)).unwrap();
    store.commit(crawl, run, vec![visit], PLENTY).await.unwrap();
    let claim = claim_one(&**store.frontier(), crawl).await;
    assert_eq!((name(&claim).as_str(), claim.tries), ("a.example/1.jpg", 1));
    assert_eq!(store.library().figures(crawl, None).await.unwrap().visits, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_process_removes_what_a_killed_one_left_without_a_row() {
    let (database, dir) = (Database::new(), scratch());
    let (killed, lives) = (database.join(dir.path()), database.join(dir.path()));
    let [a, b] = ["a", "b"].map(|name| image(&format!("http://{name}.example/1.jpg"), Order::FirstIn));
    brought(&killed, a, "of the killed").await;
    let waits = brought(&lives, b, "of the living").await;
    drop(database.join(dir.path()));
    assert_eq!(kept_files(dir.path()).len(), 2, "both live");
    drop(killed);
    drop(database.join(dir.path()));
    assert_eq!(kept_files(dir.path()).len(), 1);
    let (crawl, run) = started(&lives).await;
    lives.commit(crawl, run, vec![waits], PLENTY).await.unwrap();
    assert_eq!(database.ask("SELECT count(*) FROM media"), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_machine_placed_stays_until_the_database_says_that_it_is_gone() {
    let (database, dir) = (Database::new(), scratch());
    let _here = database.join(dir.path());
    // One whose lock nobody sees here, as over NFS.
    let number = database.ask(
        "INSERT INTO worker (what, started, seen, lease_until)
         VALUES ('elsewhere', now_ms(), now_ms(), now_ms() + 300000) RETURNING id",
    );
    let media = dir.path().join("media");
    let (draft, note) = (media.join(format!(".tmp/worker-{number}/7")), media.join(format!(".placed.worker-{number}")));
    let name = format!("a.example/00/{}.jpg", "0".repeat(64));
    for (path, content) in [(&draft, "half"), (&note, &format!("{name}\n")), (&media.join(&name), "whole")] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let there = || [&draft, &note, &media.join(&name)].map(|path| path.exists());
    drop(database.join(dir.path()));
    assert_eq!(there(), [true; 3]);
    database.ask(&format!("UPDATE worker SET ended = now_ms() WHERE id = {number}"));
    drop(database.join(dir.path()));
    assert_eq!(there(), [false; 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_taken_for_dead_keeps_files_under_its_new_number() {
    let (database, dir) = (Database::new(), scratch());
    let lease = Duration::from_secs(1);
    let url = Some(database.url());
    let store = Store::open(dir.path(), Options { database: url, lease, ..Options::default() }).unwrap();
    let [first, second] = ["1", "2"].map(|n| image(&format!("http://a.example/{n}.jpg"), Order::FirstIn));
    let before = brought(&store, first, "before").await;
    let (number, media) = (database.ask("SELECT max(id) FROM worker"), dir.path().join("media"));
    database.ask(&format!("SELECT give_back({number}, 0, now_ms())"));
    // Someone on another machine cleared up after it.
    std::fs::remove_dir_all(media.join(format!(".tmp/worker-{number}"))).unwrap();
    std::fs::remove_file(media.join(format!(".placed.worker-{number}"))).unwrap();
    let began = Instant::now();
    while database.ask("SELECT max(id) FROM worker") == number {
        assert!(began.elapsed() < Duration::from_secs(60), "it does not join anew");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let after = brought(&store, second, "after").await;
    let number = database.ask("SELECT max(id) FROM worker");
    let mut noted: Vec<String> = std::fs::read_to_string(media.join(format!(".placed.worker-{number}")))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    noted.sort();
    let mut placed = [before, after].map(|mut visit| file_of(&mut visit).path.clone());
    placed.sort();
    assert_eq!(noted, placed);
    assert!(media.join(format!(".tmp/worker-{number}")).is_dir());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_of_the_server_counts_whatever_this_machine_thinks() {
    const HOUR: i64 = 3_600_000;
    let (database, dir) = (Database::new(), scratch());
    database.ask(&format!(
        "CREATE OR REPLACE FUNCTION now_ms() RETURNS BIGINT LANGUAGE sql VOLATILE PARALLEL SAFE
             RETURN (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT + {HOUR}"
    ));
    let store = database.join(dir.path());
    let frontier = Arc::clone(store.frontier());
    let (crawl, run) = started(&store).await;
    let run = store.library().run(run).await.unwrap().unwrap();
    let now = frontier.now().await.unwrap();
    assert!(now.since(run.started) < Duration::from_secs(60) && run.started.since(now) < Duration::from_secs(60));
    // A host rests for as long as it was told, not an hour more or less.
    frontier
        .add(crawl, ["1", "2"].map(|n| page(&format!("http://a.example/{n}"), Order::FirstIn)).into(), PLENTY)
        .await
        .unwrap();
    let first = claim_one(&*frontier, crawl).await;
    let until = frontier.now().await.unwrap() + DELAY;
    frontier.release(&first.link.url.host(), Rest { until, ..Rest::default() }).await.unwrap();
    let began = Instant::now();
    let (claims, at) = claim_when_free(&*frontier, crawl).await;
    assert_eq!(names(&claims), ["a.example/2"]);
    assert!(at >= until && began.elapsed() < Duration::from_secs(60));
}
