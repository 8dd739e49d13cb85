//! A data directory that is in use, damaged, foreign, full, or of another time.

mod removal;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use facts::Order;
use serde_json::json;
use store::{CrawlId, Options, RunId, RunLimits, Store, StoreError, StoredFile};
use tempfile::TempDir;

use crate::suite::{PLENTY, web};

fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn open(dir: &Path) -> Result<Store, StoreError> {
    let options = Options { what: "crawl demo".into(), default_delay: std::time::Duration::ZERO, ..Options::default() };
    Store::open(dir, options)
}

async fn start(store: &Store) -> (CrawlId, RunId) {
    let crawl = store.library().save_crawl("demo", &json!({})).await.unwrap().id;
    (crawl, store.library().start_run(crawl, RunLimits::default(), 1_000).await.unwrap().id)
}

/// The `n`-th visit; each page links to one more.
async fn visit(store: &Store, crawl: CrawlId, run: RunId, n: usize) -> Result<(), StoreError> {
    let address = |n: usize| web::page(&format!("http://h{}.example/{n}", n % 7), Order::FirstIn);
    let frontier = store.frontier();
    if n == 0 {
        frontier.add(crawl, vec![address(0)], PLENTY).await?;
    }
    let claims = frontier.claim(crawl, web::ALL).await?;
    let claim = claims.claims.into_iter().next().expect("a page waits");
    let now = frontier.now().await?;
    frontier.release(&claim.link.url.host(), store::Rest { until: now, ..Default::default() }).await?;
    let number: usize = claim.link.url.path().trim_start_matches('/').parse().expect("a page of this web");
    let mut links = vec![address(number + 1)];
    links[0].context.around = "words ".repeat(500);
    store.commit(crawl, run, vec![web::read(claim, links)], PLENTY).await.map(drop)
}

/// A closed data directory with a few visits in it.
async fn filled() -> TempDir {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    for n in 0..50 {
        visit(&store, crawl, run, n).await.unwrap();
    }
    store.close().await.unwrap();
    dir
}

#[test]
fn a_second_writer_is_told_who_the_first_is() {
    let dir = scratch();
    let first = open(dir.path()).unwrap();
    let error = open(dir.path()).err().expect("refused");
    assert!(
        matches!(&error, StoreError::InUse { pid, what, .. } if *pid == std::process::id() && what == "crawl demo")
    );
    assert!(error.to_string().contains("(crawl demo): stop it first"), "{error}");
    drop(first);
    open(dir.path()).expect("free again");
}

/// The other process of the test below; by itself it does nothing.
#[test]
fn hold_the_lock() {
    let Some(dir) = std::env::var_os("HELD_DIRECTORY") else { return };
    let _store = open(Path::new(&dir)).unwrap();
    println!("held");
    std::io::stdout().flush().unwrap();
    // Until the other side kills this process or goes away.
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn a_writer_in_another_process_is_respected_until_it_is_killed() {
    let dir = scratch();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "faults::hold_the_lock", "--nocapture"])
        .env("HELD_DIRECTORY", dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.ends_with("held")));
    let refused = open(dir.path());
    assert!(matches!(refused, Err(StoreError::InUse { pid, .. }) if pid == child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    open(dir.path()).expect("the lock went with its process");
}

#[test]
fn readers_read_while_a_crawl_writes() {
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    let writing = runtime();
    let dir = scratch();
    assert!(matches!(Store::read(dir.path()), Err(StoreError::Missing { .. })));
    let store = open(dir.path()).unwrap();
    let (crawl, run) = writing.block_on(start(&store));
    let done = AtomicBool::new(false);
    let path = dir.path().to_owned();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let runtime = runtime();
            let (mut last, mut seen) = (0, 0);
            while !done.load(Ordering::Relaxed) {
                // A program that is started, reads, and ends.
                let reader = Store::read(&path).unwrap();
                let figures = runtime.block_on(reader.library().figures(crawl, None)).unwrap();
                assert!(figures.visits >= last && figures.pages == figures.visits);
                seen += usize::from(figures.visits > last);
                last = figures.visits;
            }
            seen
        });
        let written = writing.block_on(async {
            for n in 0..200 {
                visit(&store, crawl, run, n).await?;
            }
            Ok::<_, StoreError>(())
        });
        done.store(true, Ordering::Relaxed);
        written.unwrap();
        assert!(reading.join().unwrap() > 0, "the reader saw the crawl go on");
    });
    let reader = Store::read(dir.path()).unwrap();
    assert_eq!(writing.block_on(reader.library().figures(crawl, None)).unwrap().pages, 200);
    let refused = writing.block_on(reader.library().save_crawl("another", &json!({})));
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })));
}

#[tokio::test]
async fn the_same_content_of_two_hosts_is_one_file() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let keep = async |host: &str| -> StoredFile {
        let mut draft = store.files().draft(&web::host(host)).unwrap();
        draft.write(b"a picture").unwrap();
        store.keep(draft, "jpeg").unwrap().file
    };
    let first = keep("a.example").await;
    assert!(first.path.starts_with("a.example/"));
    assert_eq!(keep("b.example").await, first, "before the library knows");

    let (crawl, run) = start(&store).await;
    store.frontier().add(crawl, vec![web::image("http://a.example/i", Order::FirstIn)], PLENTY).await.unwrap();
    let claim = web::claim_one(&**store.frontier(), crawl).await;
    let mut visit = web::kept(claim, "a picture");
    if let store::Outcome::Media(file) = &mut visit.outcome {
        file.path = first.path.clone();
    }
    store.commit(crawl, run, vec![visit], PLENTY).await.unwrap();
    store.close().await.unwrap();

    let store = open(dir.path()).unwrap();
    let again = async || {
        let mut draft = store.files().draft(&web::host("c.example")).unwrap();
        draft.write(b"a picture").unwrap();
        store.keep(draft, "jpeg").unwrap().file
    };
    assert_eq!(again().await, first, "after a restart");
    // Someone removed the file: the library's word is made true again.
    fs::remove_file(store.files().root().join(&first.path)).unwrap();
    assert_eq!(again().await, first);
    assert_eq!(fs::read(store.files().root().join(&first.path)).unwrap(), b"a picture");
}

#[test]
fn what_is_no_data_directory_is_not_written_to() {
    let dir = scratch();
    fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
    let error = open(dir.path()).err().expect("refused");
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    assert!(matches!(Store::read(dir.path()), Err(StoreError::Missing { .. })));

    let file = dir.path().join("thesis.tex");
    let error = open(&file).err().expect("refused");
    assert!(error.to_string().contains("thesis.tex"), "{error}");
    assert!(matches!(Store::read(&file), Err(StoreError::Missing { .. })));
}

#[test]
fn what_other_commands_left_in_a_data_directory_is_ours() {
    for name in ["session.key", "gazetteer.finer", "gazetteer.import-7/names", "uploads/a.jpg", "watch/site"] {
        let dir = scratch();
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "x").unwrap();
        assert!(open(dir.path()).is_ok(), "{name}");
    }
    // Places can be imported anywhere: they do not make a directory ours that holds something else.
    let dir = scratch();
    fs::write(dir.path().join("gazetteer.finer"), "x").unwrap();
    fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
    assert!(matches!(open(dir.path()), Err(StoreError::Foreign { .. })));
}

#[tokio::test]
async fn a_directory_of_a_newer_version_is_left_alone() {
    let dir = filled().await;
    let library = dir.path().join("library.db");
    let version = |number: u32| {
        let db = rusqlite::Connection::open(&library).unwrap();
        let before = db.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0)).unwrap();
        db.pragma_update(None, "user_version", number).unwrap();
        before
    };
    let known = version(999);
    for error in [open(dir.path()).err(), Store::read(dir.path()).err()] {
        assert!(matches!(error, Some(StoreError::Newer { found: 999, .. })), "{error:?}");
    }
    version(known);
    {
        let db = fjall::Database::builder(dir.path().join("frontier")).open().unwrap();
        let meta = db.keyspace("meta", fjall::KeyspaceCreateOptions::default).unwrap();
        meta.insert("version", [77]).unwrap();
    }
    let error = open(dir.path()).err();
    assert!(matches!(error, Some(StoreError::Newer { found: 77, .. })), "{error:?}");
}

#[tokio::test]
async fn a_queue_without_its_library_is_not_taken_for_that_of_another() {
    let dir = filled().await;
    fs::remove_file(dir.path().join("library.db")).unwrap();
    let error = open(dir.path()).err().expect("refused");
    assert!(error.to_string().contains("it belongs to another library.db"), "{error}");
    fs::remove_dir_all(dir.path().join("frontier")).unwrap();
    open(dir.path()).expect("a new start");

    // The other way round the library keeps what it has, and the crawl starts over.
    let dir = filled().await;
    fs::remove_dir_all(dir.path().join("frontier")).unwrap();
    let store = open(dir.path()).unwrap();
    let crawl = store.library().crawl("demo").await.unwrap().expect("the crawl is there");
    let before = store.library().figures(crawl.id, None).await.unwrap();
    let run = store.library().start_run(crawl.id, RunLimits::default(), 1_000).await.unwrap();
    for n in 0..5 {
        visit(&store, crawl.id, run.id, n).await.unwrap();
    }
    assert_eq!(store.library().figures(crawl.id, None).await.unwrap(), before);
}

#[tokio::test]
async fn a_queue_whose_making_was_cut_short_is_made_anew() {
    let dir = scratch();
    let (queue, unfinished) = (dir.path().join("frontier"), dir.path().join("frontier.new"));
    // What a kill leaves: some of the files, the last of them empty.
    for left in [&["lock"][..], &["lock", "0.jnl"], &["lock", "0.jnl", "version"]] {
        open(dir.path()).unwrap().close().await.unwrap();
        assert!(queue.join("version").is_file() && !unfinished.exists());
        fs::remove_dir_all(&queue).unwrap();
        fs::create_dir(&unfinished).unwrap();
        left.iter().for_each(|name| fs::write(unfinished.join(name), "").unwrap());
    }
    open(dir.path()).unwrap().close().await.unwrap();
    assert!(queue.join("version").is_file() && !unfinished.exists());
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[tokio::test]
async fn a_damaged_library_is_named() {
    for damage in ["zeroed", "cut", "text"] {
        let dir = filled().await;
        let path = dir.path().join("library.db");
        let whole = fs::read(&path).unwrap();
        let bytes = match damage {
            "zeroed" => vec![0xa5; whole.len()],
            "cut" => whole[..whole.len() / 2 + 100].to_vec(),
            _ => b"This is not a database, whatever its name says. ".repeat(40),
        };
        fs::write(&path, bytes).unwrap();
        let mut errors: Vec<StoreError> = open(dir.path()).err().into_iter().collect();
        errors.extend(Store::read(dir.path()).err());
        if let Ok(reader) = Store::read(dir.path()) {
            errors.extend(reader.library().library_figures(10).await.err());
        }
        assert!(!errors.is_empty(), "{damage}: nobody noticed");
        for error in errors {
            assert!(matches!(&error, StoreError::Damaged { path, .. } if path.ends_with("library.db")), "{error}");
            assert!(error.to_string().contains("restore it from a backup"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_damaged_queue_is_named_and_never_panics() {
    let whole = filled().await;
    let names: Vec<PathBuf> = files_below(&whole.path().join("frontier"))
        .into_iter()
        .map(|path| path.strip_prefix(whole.path()).unwrap().to_owned())
        .collect();
    let mut noticed = 0;
    for (turn, name) in names.into_iter().enumerate() {
        // Each file has two of the three kinds of damage.
        for damage in (0..2).map(|more| ["gone", "cut", "garbled"][(turn + more) % 3]) {
            let dir = scratch();
            for path in files_below(whole.path()) {
                let copy = dir.path().join(path.strip_prefix(whole.path()).unwrap());
                fs::create_dir_all(copy.parent().unwrap()).unwrap();
                fs::copy(&path, copy).unwrap();
            }
            let target = dir.path().join(&name);
            let bytes = fs::read(&target).unwrap();
            match damage {
                "gone" => fs::remove_file(&target).unwrap(),
                "cut" => fs::write(&target, &bytes[..bytes.len() / 2]).unwrap(),
                _ => fs::write(&target, bytes.iter().map(|byte| byte ^ 0x5a).collect::<Vec<_>>()).unwrap(),
            }
            let error = match open(dir.path()) {
                Err(error) => Some(error),
                // Some files are only read when they are needed, some not at all.
                Ok(store) => store.frontier().claim(CrawlId(1), web::ALL).await.err(),
            };
            if let Some(error) = error {
                noticed += 1;
                let named = matches!(&error, StoreError::Damaged { path, .. } if path.ends_with("frontier"));
                assert!(named, "{} {damage}: {error}", name.display());
            }
        }
    }
    assert!(noticed > 0);
}

/// A small disk that is there for one test.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` where the test may not mount.
    fn mount(megabytes: u32) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(dir.path()).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then_some(Self(dir))
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{options}")]).arg(self.0.path());
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l"]).arg(self.0.path()).status();
    }
}

#[tokio::test]
async fn a_full_disk_is_said_so_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount(6) else {
        eprintln!("skipped: mounting a small disk is not allowed here");
        return;
    };
    let dir = disk.0.path().join("data");
    let store = open(&dir).unwrap();
    let (crawl, run) = start(&store).await;
    let mut visits = 0;
    let error = loop {
        match visit(&store, crawl, run, visits).await {
            Ok(()) => visits += 1,
            Err(error) => break error,
        }
        assert!(visits < 20_000, "the disk never filled");
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    let mut draft = store.files().draft(&web::host("a.example"));
    while let Ok(open) = &mut draft {
        if let Err(error) = open.write(&[7; 100_000]) {
            draft = Err(error);
        }
    }
    let error = draft.expect_err("no room for a file");
    assert!(error.to_string().contains("free some space"), "{error}");
    drop(store);

    disk.remount("size=64m");
    let store = open(&dir).unwrap();
    let figures = store.library().figures(crawl, None).await.unwrap();
    assert!(figures.pages >= visits as u64, "{} of {visits} visits are there", figures.pages);
    for n in visits..visits + 5 {
        visit(&store, crawl, run, n).await.unwrap();
    }
}

#[tokio::test]
async fn a_directory_that_cannot_be_written_is_named_and_can_be_read() {
    let Some(disk) = SmallDisk::mount(64) else {
        eprintln!("skipped: mounting a small disk is not allowed here");
        return;
    };
    let dir = disk.0.path().join("data");
    let store = open(&dir).unwrap();
    start(&store).await;
    store.close().await.unwrap();
    disk.remount("ro");
    let error = open(&dir).err().expect("refused");
    assert!(matches!(error, StoreError::NotWritable { .. }), "{error}");
    let reader = Store::read(&dir).unwrap();
    assert_eq!(reader.library().crawls().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_clock_that_was_set_back_makes_nobody_wait_for_it() {
    let year = std::time::Duration::from_secs(365 * 24 * 3600);
    for is_closed in [true, false] {
        let dir = scratch();
        let open_ahead = |ahead| {
            let default_delay = std::time::Duration::ZERO;
            Store::open(dir.path(), Options { ahead, default_delay, ..Options::default() }).unwrap()
        };
        // A clock that is a year fast, and is put right while nobody works.
        let store = open_ahead(year);
        let (crawl, run) = start(&store).await;
        for n in 0..5 {
            visit(&store, crawl, run, n).await.unwrap();
        }
        let fast = store.frontier().now().await.unwrap();
        if is_closed {
            store.close().await.unwrap();
        } else {
            drop(store);
        }

        let store = open_ahead(std::time::Duration::ZERO);
        let now = store.frontier().now().await.unwrap();
        // What a kill does not let be written down is a second at most.
        let ahead = std::time::Duration::from_millis((now.0 - fast.0).unsigned_abs());
        assert!(ahead < std::time::Duration::from_secs(5), "{now:?} {fast:?}");
        for n in 5..10 {
            visit(&store, crawl, run, n).await.expect("no host rests until next year");
        }
        assert_eq!(store.library().figures(crawl, None).await.unwrap().pages, 10);
        let next = store.library().start_run(crawl, RunLimits::default(), 1_000).await.unwrap();
        assert!(next.started >= fast - std::time::Duration::from_secs(5), "runs stay in order");
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_library_from_before_its_words_were_kept_so_is_worded_while_it_is_open() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (_, run) = start(&store).await;
    let picture = |n: usize| format!("http://m.example/{n}.jpg");
    for n in 0..450 {
        let mut visit = web::kept(web::image_claim(&picture(n)), &n.to_string());
        web::file_of(&mut visit).facts.title = Some(format!("harbour {n}"));
        store.library().record(run, &[visit]).await.unwrap();
    }
    store.close().await.unwrap();
    // As the step of the tables leaves a library of before.
    let db = rusqlite::Connection::open(dir.path().join("library.db")).unwrap();
    db.execute_batch(
        "INSERT INTO item_words (item_words) VALUES ('delete-all');
         DELETE FROM item_terms; DELETE FROM stem; DELETE FROM word;
         UPDATE media SET described = 1;
         INSERT INTO rewording (subject, next) SELECT 'item', max(id) FROM media;",
    )
    .unwrap();
    drop(db);
    let store = open(dir.path()).unwrap();
    let filter = store::ItemFilter { words: store::Want::parse("harbour"), ..store::ItemFilter::default() };
    loop {
        let found = store.library().search_items(&filter, None, 0, 1).await.unwrap();
        assert!(
            found.total + found.unworded >= 450,
            "what is not found yet is said: {} {}",
            found.total,
            found.unworded
        );
        if found.unworded == 0 {
            assert_eq!(found.total, 450);
            break;
        }
        tokio::task::yield_now().await;
    }
    store.close().await.unwrap();
    crate::audit::audit(dir.path());
}
