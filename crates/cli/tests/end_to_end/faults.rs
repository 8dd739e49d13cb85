//! A machine that fails: each fault ends in a word that says what to do, and when its cause is gone the
//! crawl goes on and has lost nothing. `make soak` does the same for an hour.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::crash::{Moments, to_the_end, wait_for_requests};
use crate::harness::{Bird, Kept, Lab, Running, said, small_web};

const WEB: u64 = 8;
const DELAY: &str = "20ms";

/// Bytes of a page of the library.
const PAGE: usize = 4096;

/// What a crawl that nothing happens to keeps, and how many addresses it gets more than once all the same.
fn undisturbed() -> &'static (Kept, u64) {
    static KEPT: OnceLock<(Kept, u64)> = OnceLock::new();
    KEPT.get_or_init(|| {
        let (lab, bird) = (web(), Bird::new());
        assert_eq!(bird.json(to_the_end(&lab, DELAY))["stopped"], "empty");
        (bird.kept(), lab.server().log().urls_twice)
    })
}

/// Over http alone: a host that speaks both has a robots.txt for each.
fn web() -> Lab {
    Lab::start(lab::Settings { https_share: 0.0, crawl_delay: 0.05, retry_after: 1, ..small_web(WEB) })
}

fn order(lab: &Lab) -> Vec<String> {
    to_the_end(lab, DELAY).into_iter().chain(["--min-free-disk".into(), "0".into()]).collect()
}

/// It failed as a program should: 1, and a sentence with these words, and no trace of the code.
fn complains(output: &Output, words: &[&str]) {
    let (_, stderr) = said(output);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(words.iter().all(|word| stderr.contains(word)), "{words:?} in: {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

/// The crawl goes on to its end and has all that an undisturbed one has; what was asked for before is not
/// asked for again but what was on its way.
fn goes_on(bird: &Bird, lab: &Lab) {
    let summary = bird.json(order(lab));
    assert_eq!(summary["stopped"], "empty", "{summary}");
    let differences = bird.kept().differences(&undisturbed().0);
    assert!(differences.is_empty(), "{differences:#?}");
    let log = lab.server().log();
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{log:?}");
    assert!(log.shortest_gap_ms.is_none_or(|gap| gap >= 20.0), "{log:?}");
}

/// A crawl that was interrupted after so many requests.
fn interrupted(bird: &Bird, lab: &Lab, requests: u64) {
    let mut running = bird.spawn(order(lab));
    wait_for_requests(lab, requests);
    running.signal(Signal::TERM);
    assert!(running.0.wait().unwrap().success());
}

/// The end of a program that ends by itself, in good time.
fn end_of(mut running: Running) -> Output {
    let deadline = Instant::now() + Duration::from_secs(30);
    let status = loop {
        if let Some(status) = running.0.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "it goes on as if nothing had happened");
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut stderr = Vec::new();
    std::io::Read::read_to_end(running.0.stderr.as_mut().unwrap(), &mut stderr).unwrap();
    Output { status, stdout: Vec::new(), stderr }
}

/// A small disk that is there for one test.
pub struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None`, with a word, where the test may not mount.
    pub fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"]).arg(dir.path()).stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(dir));
        }
        eprintln!("skipped: mounting a small disk is not allowed here");
        None
    }

    pub fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{options}")]).arg(self.0.path());
        assert!(mount.status().unwrap().success());
    }

    /// Leaves no byte free; gives what takes the room.
    pub fn fill(&self) -> PathBuf {
        let ballast = self.0.path().join("ballast");
        let mut file = fs::File::create(&ballast).unwrap();
        for piece in [1 << 20, 1 << 12, 1] {
            while std::io::Write::write_all(&mut file, &vec![1; piece]).is_ok() {}
        }
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

/// A site of this web lets nobody in without a cookie, which is lost with the process that was given it.
#[test]
fn pages_behind_a_wall_are_all_found_however_often_the_crawl_is_interrupted() {
    let web = || lab::Settings { https_share: 0.0, crawl_delay: 0.05, ..small_web(31) };
    let (lab, whole, pieces) = (Lab::start(web()), Bird::new(), Bird::new());
    assert_eq!(whole.json(order(&lab))["stopped"], "empty");
    let lab = Lab::start(web());
    for requests in [80, 160, 240] {
        interrupted(&pieces, &lab, requests);
    }
    assert_eq!(pieces.json(order(&lab))["stopped"], "empty");
    let differences = pieces.kept().differences(&whole.kept());
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn a_disk_that_fills_up_ends_the_crawl_with_a_word_and_nothing_is_lost() {
    let Some(disk) = SmallDisk::mount() else { return };
    let (lab, bird) = (web(), Bird::at(disk.data()));
    for requests in [20, 80] {
        let running = bird.spawn(order(&lab));
        wait_for_requests(&lab, requests);
        let ballast = disk.fill();
        let ended = end_of(running);
        complains(&ended, &[&disk.data().display().to_string(), "is full", "free some space"]);
        // As long as it is full, a start says the same.
        complains(&bird.run(order(&lab)), &["is full", "free some space"]);
        fs::remove_file(ballast).unwrap();
    }
    goes_on(&bird, &lab);
}

#[test]
fn a_read_only_directory_is_named_can_be_searched_and_goes_on_when_it_can_be_written() {
    let Some(disk) = SmallDisk::mount() else { return };
    let (lab, bird) = (web(), Bird::at(disk.data()));
    interrupted(&bird, &lab, 60);
    disk.remount("ro");
    let before = lab.server().log().requests;
    let directory = disk.data().display().to_string();
    complains(&bird.run(order(&lab)), &[&directory, "cannot be written", "permissions"]);
    assert_eq!(lab.server().log().requests, before, "nothing is asked for that could not be kept");
    assert!(bird.run(["crawls"]).status.success() && bird.run(["stats"]).status.success());
    disk.remount("rw");
    goes_on(&bird, &lab);
}

#[test]
fn a_damaged_page_of_the_library_is_named_and_a_restored_one_goes_on() {
    let (lab, bird) = (web(), Bird::new());
    interrupted(&bird, &lab, 60);
    let library = bird.data().join("library.db");
    let whole = fs::read(&library).unwrap();
    // Every third page but the first, which says that it is a library at all.
    let mut damaged = whole.clone();
    damaged.chunks_mut(PAGE).skip(1).step_by(3).for_each(|page| page.fill(0xa5));
    fs::write(&library, damaged).unwrap();
    complains(&bird.run(order(&lab)), &[&library.display().to_string(), "is damaged", "restore it from a backup"]);
    fs::remove_file(bird.data().join("library.db-wal")).ok();
    fs::remove_file(bird.data().join("library.db-shm")).ok();
    fs::write(&library, whole).unwrap();
    goes_on(&bird, &lab);
}

#[test]
fn a_damaged_queue_is_named_and_the_library_goes_on_without_it() {
    let (lab, bird) = (web(), Bird::new());
    interrupted(&bird, &lab, 60);
    let before = bird.kept();
    let queue = bird.data().join("frontier");
    for file in files_below(&queue) {
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, bytes.iter().map(|byte| byte ^ 0x5a).collect::<Vec<_>>()).unwrap();
    }
    complains(&bird.run(order(&lab)), &[&queue.display().to_string(), "is damaged", "move it away"]);
    let kept = bird.kept();
    assert!(kept.differences(&before).is_empty(), "what it kept is still there");
    fs::rename(&queue, bird.data().with_file_name("moved-away")).unwrap();
    goes_on(&bird, &lab);
}

/// Overwrites a block of a file.
fn damage(file: &Path, at: usize, length: usize) {
    let mut bytes = fs::read(file).unwrap();
    let end = bytes.len().min(at + length);
    bytes[at..end].iter_mut().for_each(|byte| *byte ^= 0x5a);
    fs::write(file, bytes).unwrap();
}

/// The page that a table of the library begins with.
fn first_page(library: &Path, table: &str) -> usize {
    let db = rusqlite::Connection::open(library).unwrap();
    let root = "SELECT rootpage FROM sqlite_master WHERE name = ?1";
    let root: i64 = db.query_row(root, [table], |row| row.get(0)).unwrap();
    usize::try_from(root).unwrap() - 1
}

#[test]
fn one_damaged_page_of_the_library_is_named_when_it_is_met() {
    // One that a start reads, and one that is only met when the first page of the web is written.
    for (table, asks_first) in [("visit", false), ("word", true)] {
        let (lab, bird) = (web(), Bird::new());
        interrupted(&bird, &lab, 60);
        let backup = bird.data().with_file_name("backup");
        let copied = Command::new("cp").arg("-a").args([bird.data(), backup.clone()]).status();
        assert!(copied.unwrap().success());
        let library = bird.data().join("library.db");
        damage(&library, first_page(&library, table) * PAGE, PAGE);
        let before = lab.server().log().requests;
        let ended = bird.run(order(&lab));
        complains(&ended, &[&library.display().to_string(), "is damaged", "restore it from a backup"]);
        assert!(!asks_first || lab.server().log().requests > before, "{table} was met in the middle of the crawl");
        fs::remove_dir_all(bird.data()).unwrap();
        fs::rename(backup, bird.data()).unwrap();
        goes_on(&bird, &lab);
    }
}

/// The queue writes what comes after each other into a journal: up to the damage it is whole, and what it does not
/// know any more is asked for again. So that either is said, or costs nothing.
#[test]
fn one_damaged_block_of_the_queue_is_named_or_costs_nothing() {
    let is_of = |part: &'static str| move |file: &PathBuf| file.display().to_string().contains(part);
    for (part, must_be_named) in [("/tables/", true), (".jnl", false)] {
        let (lab, bird) = (web(), Bird::new());
        interrupted(&bird, &lab, 60);
        let queue = bird.data().join("frontier");
        let file =
            files_below(&queue).into_iter().filter(is_of(part)).max_by_key(|file| fs::metadata(file).unwrap().len());
        let file = file.unwrap_or_else(|| panic!("the queue has {part}"));
        let middle = usize::try_from(fs::metadata(&file).unwrap().len()).unwrap() / 2;
        damage(&file, middle, PAGE);
        let ended = bird.run(order(&lab));
        let (_, stderr) = said(&ended);
        if !ended.status.success() || must_be_named {
            assert_eq!(ended.status.code(), Some(1), "{part}: {stderr}");
            let named = queue.display().to_string();
            let words = [named.as_str(), "is damaged", "move it away to go on"];
            assert!(words.iter().all(|word| stderr.contains(word)), "{part}: {stderr}");
            fs::rename(&queue, bird.data().with_file_name("moved-away")).unwrap();
            assert_eq!(bird.json(order(&lab))["stopped"], "empty");
        }
        let differences = bird.kept().differences(&undisturbed().0);
        assert!(differences.is_empty(), "{part}: {differences:#?}");
        assert_eq!(lab.server().log().overlaps, 0);
    }
}

/// As if the machine's clock had been a year fast when it last worked here.
#[test]
fn a_clock_that_was_set_back_is_said_and_nobody_waits_for_it() {
    let (lab, bird) = (web(), Bird::new());
    interrupted(&bird, &lab, 60);
    let year = Duration::from_secs(365 * 24 * 3600);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fast = store::Options { what: "a test".into(), ahead: year, ..store::Options::default() };
    runtime.block_on(async { store::Store::open(&bird.data(), fast).unwrap().close().await.unwrap() });
    let output = bird.run(order(&lab));
    let (_, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}");
    let queue = bird.data().join("frontier").display().to_string();
    let words = ["the clock of this machine was set back", &queue, "its time goes on 315", "s ahead of it"];
    assert!(words.iter().all(|word| stderr.contains(word)), "{stderr}");
    let differences = bird.kept().differences(&undisturbed().0);
    assert!(differences.is_empty(), "{differences:#?}");
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// The program, allowed so many open files.
fn with_files(bird: &Bird, most: u32, arguments: Vec<String>) -> Command {
    let program = bird.command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")]).arg(program.get_program());
    shell.args(program.get_args()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

#[test]
fn few_open_files_are_shared_out_and_too_few_are_said_before_anything_is_asked_for() {
    let (lab, bird) = (web(), Bird::new());
    let output = with_files(&bird, 64, order(&lab)).output().unwrap();
    complains(&output, &["64 files open", "ulimit -n 4096"]);
    assert_eq!(lab.server().log().requests, 0);
    let output = with_files(&bird, 128, order(&lab)).output().unwrap();
    assert!(output.status.success(), "{}", said(&output).1);
    goes_on(&bird, &lab);
    assert_eq!(lab.server().log().urls_twice, undisturbed().1);
}

#[test]
fn open_files_that_run_out_in_the_middle_end_the_crawl_with_a_word() {
    let (lab, bird) = (web(), Bird::new());
    let running = bird.spawn(order(&lab));
    wait_for_requests(&lab, 40);
    // Fewer than it has open: whatever it opens next is refused.
    let pid = running.0.id().to_string();
    let limited = Command::new("prlimit").args(["--pid", &pid, "--nofile=8:8"]).status();
    if !limited.is_ok_and(|status| status.success()) {
        eprintln!("skipped: prlimit is not there");
        return;
    }
    complains(&end_of(running), &["as many files open as it may", "ulimit -n"]);
    goes_on(&bird, &lab);
}

#[test]
fn a_crawl_that_is_told_to_end_at_any_moment_ends_soon_and_asks_for_nothing_twice() {
    let (lab, bird) = (web(), Bird::new());
    let seed = std::process::id().into();
    let mut moments = Moments(seed);
    for _ in 0..8 {
        let running = bird.spawn(order(&lab));
        std::thread::sleep(moments.next(0..700));
        running.signal(Signal::TERM);
        let told = Instant::now();
        let output = end_of(running);
        assert!(told.elapsed() < Duration::from_secs(10), "seed {seed}: it took {:?}", told.elapsed());
        // Before it listens for signals there is nothing to end in order.
        let at_once = std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(15);
        assert!(output.status.success() || at_once, "seed {seed}: {}", said(&output).1);
    }
    goes_on(&bird, &lab);
    let log = lab.server().log();
    assert_eq!(log.urls_twice, undisturbed().1, "seed {seed}: {log:?}");
}
