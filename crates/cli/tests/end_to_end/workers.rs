//! Several processes on one database: what they find together is what one finds alone.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::client::Served;
use crate::crash::{to_the_end, wait_for_requests};
use crate::faults::SmallDisk;
use crate::harness::{Bird, Kept, Lab, Running, small_web};
use crate::server::{Server, server};

/// After how long without a sign of life others take over, in these tests.
const LEASE: Duration = Duration::from_secs(4);

/// How much longer than that it may take until they have.
const TAKEN_OVER: Duration = Duration::from_secs(5);

/// A database of a test, removed with it.
struct Shared<'s> {
    server: &'s Server,
    name: String,
}

impl<'s> Shared<'s> {
    fn on(server: &'s Server) -> Self {
        Self { server, name: server.database() }
    }

    fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// What the library holds.
    fn kept(&self, bird: &Bird) -> Kept {
        Kept::of(&bird.data(), |sql| {
            let sql = sql.replace("lower(hex(sha256))", "encode(sha256, 'hex')");
            let sql = sql.replace("lower(hex(m.sha256))", "encode(m.sha256, 'hex')");
            let rows = self.server.ask(&self.name, &format!("SELECT row_to_json(r) FROM ({sql}) AS r (one, other)"));
            let read = |line: &str| {
                let row: Value = serde_json::from_str(line).unwrap();
                let text = |name: &str| row[name].as_str().unwrap().to_owned();
                (text("one"), text("other"))
            };
            rows.lines().map(read).collect()
        })
    }

    fn count(&self, sql: &str) -> u64 {
        self.server.ask(&self.name, sql).trim().parse().unwrap()
    }

    /// Waits until a statement counts something.
    fn wait_for(&self, sql: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.count(sql) == 0 {
            assert!(Instant::now() < deadline, "still nothing: {sql}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Nothing waits, and nothing is held by anybody.
    fn is_idle(&self) -> bool {
        self.count(
            "SELECT (SELECT count(*) FROM waiting) + (SELECT count(*) FROM claimed) + (SELECT count(*) FROM host_clock WHERE busy IS NOT NULL)
                    + (SELECT count(*) FROM backlog WHERE lane IS NOT NULL)
                    + (SELECT sum(queued_pages + queued_media)::BIGINT FROM queue_figure)",
        ) == 0
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        self.server.remove(&self.name);
    }
}

fn worker(bird: &Bird, shared: &Shared, lab: &Lab) -> Running {
    let lease = format!("{}s", LEASE.as_secs());
    let order = ["worker".to_owned(), "--database".into(), shared.url(), "--lease".into(), lease];
    let mut command = bird.command(order.into_iter().chain(lab.reach()));
    // Nobody reads what it says while it works.
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

fn crawl(shared: &Shared, lab: &Lab, delay: &str) -> Vec<String> {
    on(shared, to_the_end(lab, delay))
}

fn on(shared: &Shared, mut order: Vec<String>) -> Vec<String> {
    order.extend(["--database".into(), shared.url()]);
    order
}

/// How a crawl of several processes is troubled.
struct Trouble {
    /// A worker is killed, and another joins, this often.
    kill_every: Option<Duration>,
    kills: usize,
    /// The server of the database ends by these signals, one after the other.
    crashes: &'static [&'static str],
}

/// What came of it.
struct Together {
    alone: Duration,
    together: Duration,
    kills: usize,
    /// The longest that hosts of a dead worker waited for another.
    taken_over: Duration,
    pages: usize,
    files: usize,
    requests: u64,
}

impl std::fmt::Display for Together {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pages, files, requests, kills, .. } = self;
        let [alone, together, taken_over] = [self.alone, self.together, self.taken_over].map(|time| time.as_secs_f64());
        write!(f, "{pages} pages, {files} files, {requests} requests: alone {alone:.1} s, together {together:.1} s; ")?;
        write!(f, "{kills} killed, their hosts taken over within {taken_over:.1} s")
    }
}

/// What one process finds alone, in a directory.
struct Alone {
    lab: Lab,
    delay_ms: u64,
    /// Said beside what all crawls of these tests are told.
    also: &'static [&'static str],
    kept: Kept,
    took: Duration,
    urls_twice: u64,
}

impl Alone {
    /// Crawls a web to its end.
    fn crawl(web: lab::Settings, delay_ms: u64, also: &'static [&'static str]) -> Self {
        let (lab, bird, began) = (Lab::start(web), Bird::new(), Instant::now());
        let mut alone = Self { lab, delay_ms, also, kept: Kept::default(), took: Duration::ZERO, urls_twice: 0 };
        assert_eq!(bird.json(alone.order())["stopped"], "empty");
        (alone.kept, alone.took) = (bird.kept(), began.elapsed());
        let log = alone.lab.server().log();
        assert_eq!(log.robots_breaches, 0, "{:?}", breached(&log));
        alone.urls_twice = log.urls_twice;
        alone
    }

    fn order(&self) -> Vec<String> {
        let also = self.also.iter().map(|word| (*word).to_owned());
        to_the_end(&self.lab, &format!("{}ms", self.delay_ms)).into_iter().chain(also).collect()
    }
}

/// What was asked for in spite of robots.txt, by host.
fn breached(log: &lab::LogSummary) -> Vec<(&String, &Vec<String>)> {
    let hosts = log.by_host.iter().map(|(name, host)| (name, &host.breached));
    hosts.filter(|(_, breached)| !breached.is_empty()).collect()
}

/// Crawls the same web as several workers on one database, and compares.
fn compare(alone: &Alone, workers: usize, server: &Server, trouble: &Trouble) -> Together {
    let Alone { lab, delay_ms, also: _, kept: expected, took: took_alone, urls_twice: twice_alone } = alone;
    lab.server().reset_log();
    let (bird, shared, began) = (Bird::new(), Shared::on(server), Instant::now());
    let mut starter = bird.command(on(&shared, alone.order()));
    let starter = starter.arg("--json").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_requests(lab, 5);
    let mut at_work: Vec<Running> = (1..workers).map(|_| worker(&bird, &shared, lab)).collect();
    let deadline = Instant::now() + 10 * *took_alone + Duration::from_secs(120);
    let (mut killed, mut last_kill) = (Vec::<(u32, Instant)>::new(), Instant::now());
    let (mut kills, mut taken_over) = (0, Duration::ZERO);
    let mut crashes = trouble.crashes.iter();
    while shared.count("SELECT count(*) FROM run WHERE stopped IS NULL") > 0 {
        assert!(Instant::now() < deadline, "the crawl does not end");
        std::thread::sleep(Duration::from_millis(200));
        killed.retain(|(process, since)| {
            let open = "SELECT count(*) FROM worker WHERE ended IS NULL AND what LIKE '%, process";
            let waits = shared.count(&format!("{open} {process}'")) > 0;
            taken_over = taken_over.max(if waits { Duration::ZERO } else { since.elapsed() });
            assert!(since.elapsed() < LEASE + TAKEN_OVER || !waits, "nobody took over what {process} held");
            waits
        });
        let due = trouble.kill_every.is_some_and(|every| last_kill.elapsed() >= every);
        if due && kills < trouble.kills {
            let mut gone = at_work.remove(0);
            gone.signal(Signal::KILL);
            gone.0.wait().unwrap();
            killed.push((gone.0.id(), Instant::now()));
            let joins = worker(&bird, &shared, lab);
            // It is there before the next is killed.
            shared.wait_for(&format!("SELECT count(*) FROM worker WHERE what LIKE '%, process {}'", joins.0.id()));
            at_work.push(joins);
            (kills, last_kill) = (kills + 1, Instant::now());
        }
        if (due || trouble.kill_every.is_none())
            && let Some(signal) = crashes.next()
        {
            server.go_away(signal, Duration::from_millis(1_500));
            // Nobody is taken for dead before the database was there for as long as a lease.
            killed.iter_mut().for_each(|(_, since)| *since = Instant::now());
        }
    }
    let together = began.elapsed();
    assert!(kills == trouble.kills && crashes.next().is_none(), "the crawl ended before its troubles: {kills} kills");
    let output = starter.wait_with_output().unwrap();
    assert!(output.status.success());
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["stopped"], "empty");
    for mut one in at_work {
        one.signal(Signal::TERM);
        assert!(one.0.wait().unwrap().success(), "a worker leaves cleanly");
    }
    let parts = shared.count("SELECT count(*) FROM worker WHERE visits > 0");
    assert!(shared.is_idle());
    let differences = shared.kept(&bird).differences(expected);
    let missing = differences.iter().filter_map(|line| line.strip_prefix("> page "));
    let hosts: BTreeSet<String> = missing.map(|page| facts::Url::parse(page).unwrap().host_str().to_owned()).collect();
    let visits = |host: &String| {
        let visits = "SELECT id, url, round, kind, outcome, reason, detail, at FROM visit";
        shared.server.ask(&shared.name, &format!("{visits} WHERE url LIKE '%//{host}/%' ORDER BY id"))
    };
    let story: Vec<String> = hosts.iter().map(visits).collect();
    assert!(differences.is_empty(), "{differences:#?}\n{}", story.concat());
    let log = lab.server().log();
    // Whoever takes over from one of them knows the delay of the crawl.
    let otherwise = format!("SELECT count(*) FROM host_clock WHERE rest_ms IS DISTINCT FROM {delay_ms}");
    assert_eq!(shared.count(&otherwise), 0);
    let (gap, twice) = (log.shortest_gap_ms, log.urls_twice);
    let told = format!("overlaps {}, gap {gap:?}, twice {twice} (alone {twice_alone})", log.overlaps);
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{told}; {:?}", breached(&log));
    assert!(gap.is_none_or(|gap| gap >= *delay_ms as f64), "{told}");
    if trouble.kills == 0 && trouble.crashes.is_empty() {
        assert_eq!(twice, *twice_alone, "{told}");
        assert_eq!(parts, workers as u64, "{parts} of {workers} worked");
    }
    let (pages, files) = (expected.pages.len(), expected.files.len());
    Together { alone: *took_alone, together, kills, taken_over, pages, files, requests: log.requests }
}

/// A web whose hosts ask for short delays: what takes time is the work.
fn web(number: u64, hosts: u32, pages: u64) -> lab::Settings {
    lab::Settings { hosts, pages, crawl_delay: 0.05, retry_after: 1, ..small_web(number) }
}

#[test]
fn workers_find_together_what_one_finds_alone() {
    let web = lab::Settings { https_share: 0.0, ..web(7, 20, 200) };
    let untroubled = Trouble { kill_every: None, kills: 0, crashes: &[] };
    println!("{}", compare(&Alone::crawl(web, 20, &[]), 3, server(), &untroubled));
}

#[test]
fn workers_find_the_same_whoever_is_killed_and_whatever_becomes_of_the_database() {
    let trouble = Trouble { kill_every: Some(Duration::from_millis(1_500)), kills: 3, crashes: &["KILL", "INT"] };
    println!("{}", compare(&Alone::crawl(web(7, 20, 200), 20, &[]), 3, &Server::own(), &trouble));
}

/// `cargo test --release -p bowerbird --test end_to_end -- --ignored --nocapture four_workers`
#[test]
#[ignore = "takes some minutes: make soak"]
fn four_workers_find_20_000_pages_of_400_hosts_as_one_does() {
    // Every picture is looked at, and those with coordinates are kept: what takes time are visits, not pixels.
    let web = lab::Settings { https_share: 0.0, ..web(11, 400, 20_000) };
    let alone = Alone::crawl(web, 20, &["--only-located"]);
    println!("alone: {:.1} s", alone.took.as_secs_f64());
    let untroubled = Trouble { kill_every: None, kills: 0, crashes: &[] };
    println!("undisturbed: {}", compare(&alone, 4, &Server::own(), &untroubled));
    let trouble = Trouble { kill_every: Some(Duration::from_secs(4)), kills: 12, crashes: &["INT", "KILL"] };
    println!("killed: {}", compare(&alone, 4, &Server::own(), &trouble));
}

#[test]
fn a_page_limit_holds_over_all_who_work_on_a_run() {
    let (lab, bird, shared) = (Lab::start(web(19, 40, 400)), Bird::new(), Shared::on(server()));
    let workers: Vec<Running> = (0..3).map(|_| worker(&bird, &shared, &lab)).collect();
    shared.wait_for("SELECT count(*) / 3 FROM worker WHERE ended IS NULL");
    // Slowly enough that all of them take part.
    let mut order = crawl(&shared, &lab, "100ms");
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    // A run goes on where the last one ended, with as many again.
    for (run, pages) in [(1, "83"), (2, "40")] {
        order[limit] = pages.into();
        let summary = bird.json(&order);
        assert_eq!(
            (&summary["stopped"], summary["pages"].to_string().as_str()),
            (&json!("max-pages"), pages),
            "{summary}"
        );
        // Nobody is late with one more.
        shared.wait_for("SELECT (count(*) = 0)::INT FROM claimed");
        let asked = format!("SELECT sum(count) FROM tally WHERE name = 'pages' AND run = {run}");
        assert_eq!(shared.count(&asked).to_string(), pages);
    }
    let parts = shared.count("SELECT count(*) FROM worker WHERE visits > 0");
    assert!(parts > 1, "one did it all");
    for mut one in workers {
        one.signal(Signal::TERM);
        assert!(one.0.wait().unwrap().success());
    }
}

/// What a process said, in a file that is read while it works.
pub struct Told(tempfile::NamedTempFile);

impl Told {
    pub fn start(command: &mut std::process::Command) -> (Running, Self) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let written = file.reopen().unwrap();
        let child = command.stdout(written.try_clone().unwrap()).stderr(written).spawn().unwrap();
        (Running(child), Self(file))
    }

    fn times(&self, words: &str) -> usize {
        std::fs::read_to_string(self.0.path()).unwrap().matches(words).count()
    }

    pub fn wait_for(&self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.times(words) == 0 {
            assert!(Instant::now() < deadline, "{}", std::fs::read_to_string(self.0.path()).unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn whoever_starts_before_the_database_waits_for_it_and_says_so_once() {
    let (lab, bird, server) = (Lab::small(15), Bird::new(), Server::own());
    let shared = Shared::on(&server);
    server.leave("INT");
    server.wait_until_gone();
    let database = ["--database".to_owned(), shared.url()];
    let order =
        |words: &[&str]| words.iter().map(|word| (*word).to_owned()).chain(database.clone()).collect::<Vec<_>>();
    let mut crawls = crawl(&shared, &lab, "5ms");
    let limit = crawls.iter().position(|argument| argument == "1000000").unwrap();
    crawls[limit] = "10".into();
    let (mut crawls, crawl_told) = Told::start(&mut bird.command(&crawls));
    let (mut serves, serve_told) = Told::start(&mut bird.command(order(&["serve", "--listen", "127.0.0.1:0"])));
    let (mut works, work_told) = Told::start(&mut bird.command(order(&["worker"])));
    let (mut leaves, leave_told) = Told::start(&mut bird.command(order(&["worker"])));
    for told in [&crawl_told, &serve_told, &work_told, &leave_told] {
        told.wait_for("waiting for it");
    }
    // One that is told to end while it waits does.
    leaves.signal(Signal::TERM);
    assert!(leaves.0.wait().unwrap().success());
    server.come_back();
    assert!(crawls.0.wait().unwrap().success());
    serve_told.wait_for("the page is at");
    shared.wait_for("SELECT count(*) FROM worker WHERE what LIKE 'worker%' AND ended IS NULL");
    for one in [&mut serves, &mut works] {
        one.signal(Signal::TERM);
        assert!(one.0.wait().unwrap().success());
    }
    for told in [&crawl_told, &serve_told, &work_told] {
        assert_eq!(told.times("waiting for it"), 1);
    }
}

#[test]
fn what_waiting_does_not_mend_ends_a_worker_at_once() {
    let shared = Shared::on(server());
    let elsewhere = |part: &str, other: &str| shared.url().replace(part, other);
    for (database, says) in [
        (elsewhere(&format!("dbname={}", shared.name), "dbname=nowhere"), "does not exist"),
        (elsewhere("user=postgres", "user=nobody-knows"), "does not exist"),
        ("postgres://[".into(), "names no database"),
    ] {
        let output = Bird::new().run(["worker", "--database", database.as_str()]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(says) && !told.contains("waiting"), "{database}: {told}");
    }
}

#[test]
fn a_worker_that_is_told_to_leave_holds_nothing_and_the_others_go_on() {
    let (lab, bird, shared) = (Lab::small(12), Bird::new(), Shared::on(server()));
    let mut starter = bird.spawn(crawl(&shared, &lab, "100ms"));
    wait_for_requests(&lab, 5);
    let mut leaving = worker(&bird, &shared, &lab);
    let process = leaving.0.id();
    shared.wait_for(&format!(
        "SELECT count(*) FROM worker AS w JOIN host_clock AS c ON c.busy = w.id WHERE w.what LIKE '%, process {process}'"
    ));
    leaving.signal(Signal::TERM);
    assert!(leaving.0.wait().unwrap().success());
    let its = format!("FROM worker WHERE what LIKE '%, process {process}'");
    assert_eq!(shared.count(&format!("SELECT count(*) {its} AND ended IS NOT NULL")), 1);
    assert_eq!(shared.count(&format!("SELECT count(*) FROM host_clock WHERE busy = (SELECT id {its})")), 0);
    assert_eq!(shared.count(&format!("SELECT count(*) FROM claimed WHERE worker = (SELECT id {its})")), 0);
    // Whoever began it leaves too: the crawl waits for the next who comes.
    starter.signal(Signal::TERM);
    assert!(starter.0.wait().unwrap().success());
    assert_eq!(shared.count("SELECT count(*) FROM run WHERE stopped IS NULL AND ended IS NOT NULL"), 1);
    assert_eq!(shared.count("SELECT count(*) FROM host_clock WHERE busy IS NOT NULL"), 0);
}

#[test]
fn a_worker_for_media_describes_and_asks_no_host() {
    let (lab, bird, shared) = (Lab::small(13), Bird::new(), Shared::on(server()));
    let mut order = crawl(&shared, &lab, "5ms");
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    order[limit] = "15".into();
    bird.json(order);
    // As if the machines that crawl had left that to others.
    let undone =
        "WITH undone (n) AS (UPDATE media SET description_version = 0 RETURNING 1) SELECT count(*) FROM undone";
    assert!(shared.count(undone) > 0);
    let requests = lab.server().log().requests;
    let order = ["worker", "--role", "media", "--database"].map(String::from).into_iter().chain([shared.url()]);
    let mut media = Running(bird.command(order).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    shared.wait_for("SELECT (count(*) = 0)::INT FROM media WHERE description_version = 0");
    assert_eq!(shared.count("SELECT count(*) FROM worker WHERE what LIKE 'worker (media)%' AND ended IS NULL"), 1);
    media.signal(Signal::TERM);
    assert!(media.0.wait().unwrap().success());
    assert_eq!(lab.server().log().requests, requests);
}

#[test]
fn a_run_ends_while_another_process_describes() {
    let (lab, bird, shared) = (Lab::small(25), Bird::new(), Shared::on(server()));
    // As a worker for media does that has thousands of films before it.
    let mut duty = DefaultHasher::new();
    "describing".hash(&mut duty);
    let takes = format!("SELECT pg_advisory_xact_lock({})", duty.finish() as i64);
    let describing = shared.server.hold(&shared.name, &takes);
    let mut order = crawl(&shared, &lab, "5ms");
    let limit = order.iter().position(|argument| argument == "1000000").unwrap();
    order[limit] = "10".into();
    let (mut crawls, _told) = Told::start(&mut bird.command(order));
    shared.wait_for("SELECT count(*) FROM run WHERE stopped = 'max-pages' AND ended IS NOT NULL");
    let deadline = Instant::now() + Duration::from_secs(60);
    while crawls.0.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it waits for what others describe");
        std::thread::sleep(Duration::from_millis(20));
    }
    describing.commit();
}

#[test]
fn what_is_forgotten_while_others_crawl_is_not_asked_for_any_more() {
    let (lab, bird, shared) = (Lab::start(web(26, 4, 2_000)), Bird::new(), Shared::on(server()));
    let _starter = Told::start(&mut bird.command(crawl(&shared, &lab, "30ms")));
    let works = worker(&bird, &shared, &lab);
    let its = format!("FROM worker WHERE what LIKE '%, process {}'", works.0.id());
    shared.wait_for(&format!("SELECT count(*) {its} AND visits > 0"));
    let host = lab.busiest();
    bird.json(["forget".to_owned(), host.clone(), "--database".into(), shared.url()]);
    lab.wait_until_left_alone(&host);
}

#[test]
fn servers_on_one_database_see_each_others_crawls_and_workers_and_one_keeps_the_timetable() {
    let (lab, bird, other, shared) = (Lab::small(14), Bird::new(), Bird::new(), Shared::on(server()));
    let url = shared.url();
    let database = ["--database", url.as_str()];
    let one = Served::start(&bird, Some(&lab), &database);
    let two = Served::start(&other, Some(&lab), &database);
    let order = json!({ "name": "both", "settings": {
        "seeds": lab.seeds, "strategy": "bfs", "limits": { "max-pages": 60 }, "manners": { "delay": "100ms" },
    } });
    one.tell("POST", "/crawls", order.clone()).expect(201);
    two.wait_for("both", "running");
    two.tell("POST", "/crawls", order).problem(409);
    two.post("/crawls/both/resume").problem(409);
    let seen = two.get("/workers").expect(200);
    let items = seen["items"].as_array().unwrap();
    assert_eq!((items.len(), &seen["shared"]), (2, &json!(true)), "{seen}");
    assert_eq!(items.iter().filter(|item| item["own"] == true).count(), 1, "{seen}");
    assert!(items.iter().any(|item| item["crawls"] == json!(["both"])), "{seen}");
    // It is stopped where it does not run.
    two.post("/crawls/both/stop").expect(200);
    let stopped = one.wait_for("both", "finished");
    assert_eq!(stopped["stopped"], "stopped");
    two.wait_for("both", "finished");

    // One of them keeps the timetable; when it goes the other does.
    let keepers = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid IN
                       (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";
    shared.wait_for(keepers);
    one.end();
    shared.wait_for(keepers);
    let seen = two.get("/workers").expect(200);
    assert_eq!(seen["items"].as_array().unwrap().len(), 1, "{seen}");
    two.end();
}

/// What a server tells those who watch over it.
fn metrics(served: &Served) -> String {
    let answer = served.get("/metrics");
    assert_eq!(answer.status, 200);
    String::from_utf8(answer.body).unwrap()
}

/// Waits until all of these lines begin lines of it.
fn wait_for_metrics(served: &Served, wanted: &[&str]) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let text = metrics(served);
        if wanted.iter().all(|wanted| text.lines().any(|line| line.starts_with(wanted))) {
            return;
        }
        assert!(Instant::now() < deadline, "{wanted:?} in\n{text}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn metrics_tell_of_all_who_work_on_a_database_and_of_one_that_died() {
    let (lab, bird, other, shared) = (Lab::small(18), Bird::new(), Bird::new(), Shared::on(server()));
    let served = Served::start(&bird, None, &["--database", &shared.url()]);
    // It is begun elsewhere: this server works on nothing.
    let mut starter =
        Running(other.command(crawl(&shared, &lab, "2s")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let mut dies = worker(&other, &shared, &lab);
    let number = || shared.count(&format!("SELECT max(id) FROM worker WHERE what LIKE '%, process {}'", dies.0.id()));
    shared.wait_for(&format!("SELECT count(*) FROM worker WHERE what LIKE '%, process {}'", dies.0.id()));
    let its = format!("{{worker=\"{}\",what=\"worker (all) on ", number());
    wait_for_metrics(
        &served,
        &[
            "bowerbird_library_up 1",
            "bowerbird_crawls_running 0",
            "bowerbird_runs_unfinished 1",
            "bowerbird_runs_at_work 1",
            "bowerbird_crawl_queue_addresses{crawl=\"all\"} ",
            "bowerbird_workers 3",
            "bowerbird_workers_lost 0",
            &format!("bowerbird_worker_visits_per_second{its}"),
            &format!("bowerbird_worker_seen_seconds{its}"),
            &format!("bowerbird_worker_hosts{its}"),
            "bowerbird_database_connections{state=\"idle\"} ",
            "bowerbird_database_waiting 0",
        ],
    );
    dies.signal(Signal::KILL);
    dies.0.wait().unwrap();
    wait_for_metrics(&served, &["bowerbird_workers 2", "bowerbird_workers_lost 1", "bowerbird_runs_at_work 1"]);
    assert!(!metrics(&served).contains(&its), "it is not told any more");
    starter.signal(Signal::TERM);
    assert!(starter.0.wait().unwrap().success());
    wait_for_metrics(&served, &["bowerbird_workers 1", "bowerbird_workers_lost 1", "bowerbird_runs_at_work 0"]);
    served.end();
}

#[test]
fn metrics_are_told_while_the_database_is_away() {
    let (bird, server) = (Bird::new(), Server::own());
    let shared = Shared::on(&server);
    let served = Served::start(&bird, None, &["--database", &shared.url()]);
    wait_for_metrics(&served, &["bowerbird_library_up 1"]);
    server.leave("INT");
    server.wait_until_gone();
    wait_for_metrics(&served, &["bowerbird_library_up 0", "bowerbird_uptime_seconds"]);
    server.come_back();
    wait_for_metrics(&served, &["bowerbird_library_up 1", "bowerbird_workers 1"]);
    served.end();
}

#[test]
fn a_server_whose_files_are_in_a_directory_of_their_own_starts_again_and_again() {
    let (bird, shared, media) = (Bird::new(), Shared::on(server()), tempfile::tempdir().unwrap());
    let (url, media) = (shared.url(), media.path().join("media").display().to_string());
    for _ in 0..2 {
        Served::start(&bird, None, &["--database", &url, "--media", &media]).end();
        assert!(!bird.data().join("media").exists(), "nothing of it is in its own directory");
    }
}

#[test]
fn a_worker_without_a_database_says_what_to_do() {
    let output = Bird::new().run(["worker"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--database"));
}

#[test]
fn a_worker_that_slept_longer_than_its_lease_asks_nothing_of_the_hosts_it_lost() {
    let (lab, bird, shared) = (Lab::start(web(23, 20, 200)), Bird::new(), Shared::on(server()));
    let (mut starter, _told) = Told::start(&mut bird.command(crawl(&shared, &lab, "100ms")));
    wait_for_requests(&lab, 5);
    let mut sleeps = worker(&bird, &shared, &lab);
    let its = format!("FROM worker AS w WHERE w.what LIKE '%, process {}'", sleeps.0.id());
    shared.wait_for(&format!("SELECT count(*) {its} AND EXISTS (SELECT 1 FROM host_clock WHERE busy = w.id)"));
    sleeps.signal(Signal::STOP);
    shared.wait_for(&format!("SELECT count(*) {its} AND ended IS NOT NULL"));
    sleeps.signal(Signal::CONT);
    // It joins anew.
    shared.wait_for(&format!("SELECT count(*) {its} AND ended IS NULL"));
    assert!(starter.0.wait().unwrap().success());
    let log = lab.server().log();
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0));
    assert!(log.shortest_gap_ms.is_none_or(|gap| gap >= 100.0), "{:?}", log.shortest_gap_ms);
    sleeps.signal(Signal::TERM);
    assert!(sleeps.0.wait().unwrap().success());
    assert!(shared.is_idle());
}

#[test]
fn a_worker_whose_disk_is_full_leaves_the_crawl_to_the_others() {
    let Some(disk) = SmallDisk::mount() else { return };
    let (lab, bird, shared) = (Lab::start(web(24, 20, 200)), Bird::new(), Shared::on(server()));
    let small = Bird::at(disk.data());
    let mut order = crawl(&shared, &lab, "100ms");
    order.extend(["--min-free-disk".into(), "10MB".into()]);
    let (mut starter, _told) = Told::start(&mut bird.command(order));
    wait_for_requests(&lab, 5);
    let mut full = worker(&small, &shared, &lab);
    let its = format!("FROM worker WHERE what LIKE '%, process {}'", full.0.id());
    shared.wait_for(&format!("SELECT count(*) {its} AND cardinality(runs) > 0"));
    disk.fill();
    shared.wait_for(&format!("SELECT count(*) {its} AND cardinality(runs) = 0"));
    assert!(starter.0.wait().unwrap().success());
    assert_eq!(shared.count("SELECT count(*) FROM run WHERE stopped = 'empty'"), 1, "the others went on to the end");
    full.signal(Signal::TERM);
    assert!(full.0.wait().unwrap().success());
    assert!(shared.is_idle());
}
