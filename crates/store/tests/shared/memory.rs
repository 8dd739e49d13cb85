//! What it takes to read what a process holds in memory of a library.

use std::process::{Command, Stdio};
use std::time::Duration;

use facts::MediaKind;
use store::{Described, Description, Example, ItemFilter, Store, Traces, Want};

use super::at_once::{Database, scratch};
use crate::suite::library::start;
use crate::suite::web::*;

/// Rows of each sort: a server's answer with all of them would take some 50 MB.
const ROWS: u32 = 200_000;

const LAST: [u64; 4] = [0x0123_4567_89ab_cdef; 4];

/// The other process of the test below, in which nothing else takes memory; by itself it does nothing.
#[test]
fn read_all() {
    let Some(url) = std::env::var_os("READ_DATABASE") else { return };
    let (dir, url) = (scratch(), url.into_string().unwrap());
    let store = Store::read_shared(&url, dir.path(), Duration::ZERO).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let words = ItemFilter { words: Want::parse("oldenbrug"), ..ItemFilter::default() };
    let before = peak();
    let matches = runtime.block_on(store.library().search_items(&words, None, 0, 9)).unwrap();
    let after_words = peak();
    let traces = Traces { hashes: vec![LAST], ..Traces::default() };
    let example = Example { kind: MediaKind::Image, version: 3, traces, radius: 8, except: None, most: 9 };
    let found = runtime.block_on(store.library().candidates(&example)).unwrap();
    let grown = [after_words - before, peak() - after_words];
    println!("read {} {} {} {}", matches.total, found.len(), grown[0], grown[1]);
}

/// The most memory that this process ever had, in megabytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_is_read_into_memory_in_parts() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let (_, run) = start(&**store.library()).await;
    let described = |name: &str, hash: [u64; 4]| {
        let mut visit = kept_as(image_claim(&format!("http://m.example/{name}.jpg")), name, plain());
        let traces = Traces { hashes: vec![hash], ..Traces::default() };
        file_of(&mut visit).facts.title = Some("Oldenburg".into());
        file_of(&mut visit).description = Some(Described::As(Description { version: 3, bytes: vec![1], traces }));
        visit
    };
    store.library().record(run.id, &[described("first", [0; 4])]).await.unwrap();
    database.ask(&format!(
        "INSERT INTO picture_hash (media, kind, version, bits)
         SELECT media, kind, version, decode(md5(n::TEXT) || md5('x' || n), 'hex')
         FROM picture_hash, generate_series(1, {ROWS}) AS n;
         INSERT INTO word (text) SELECT 'a1b' || n FROM generate_series(1, {ROWS}) AS n"
    ));
    // What came last is found too.
    store.library().record(run.id, &[described("last", LAST)]).await.unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "shared::memory::read_all", "--nocapture"])
        .env("READ_DATABASE", database.url())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let said = String::from_utf8(child.stdout).unwrap();
    let read: Vec<u64> = said
        .lines()
        .find_map(|line| line.split_once("read "))
        .unwrap_or_else(|| panic!("{said}"))
        .1
        .split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect();
    let [items, copies, for_words, for_hashes] = read[..] else { panic!("{said}") };
    assert_eq!((items, copies), (2, 1));
    println!("{for_words} {for_hashes} MB");
    assert!(for_words < 16, "{for_words} MB for words, none of which are held");
    // 110 bytes of each are held.
    assert!(for_hashes < 40, "{for_hashes} MB for {ROWS} hashes");
}
