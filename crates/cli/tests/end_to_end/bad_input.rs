//! What wrong use and wrong data get: one clear line and the right exit code.

use crate::harness::{Bird, Lab, said};

/// Runs and checks exit code, that stdout is empty, and that stderr has one line with these words.
fn check(bird: &Bird, arguments: &[&str], code: i32, words: &[&str]) {
    let output = bird.run(arguments);
    let (out, errors) = said(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert_eq!(out, "", "{arguments:?}");
    for word in words {
        assert!(errors.contains(word), "{arguments:?}: {errors}");
    }
    assert!(!errors.contains("panicked"), "{errors}");
    assert!(code == 2 || errors.lines().count() == 1, "{arguments:?}: {errors}");
}

#[test]
fn seeds_that_cannot_be_visited_get_one_clear_line() {
    let bird = Bird::new();
    for (seed, code, words) in [
        ("ftp://example.org/", 2, ["ftp", "http"]),
        ("http://", 2, ["'http://'", "start page"]),
        ("not a url", 2, ["not a url", "start page"]),
        ("http://127.0.0.1/", 1, ["127.0.0.1", "private"]),
        ("http://2130706433/", 1, ["127.0.0.1", "private"]),
        ("http://[::ffff:10.0.0.1]/", 1, ["10.0.0.1", "private"]),
        ("http://169.254.169.254/latest/meta-data/", 1, ["169.254.169.254", "metadata"]),
        ("http://no-such-host.invalid/", 1, ["no-such-host.invalid", "no such name"]),
    ] {
        check(&bird, &["crawl", seed], code, &words);
    }
    check(&bird, &["crawl"], 2, &["SEED"]);
    check(&bird, &["crawl", "--resume", "nothing"], 2, &["nothing"]);
    check(&bird, &["crawl", "https://example.org/", "--delay", "soon"], 2, &["duration"]);
    check(&bird, &["crawl", "https://example.org/", "--resolve", "nonsense"], 2, &["PATTERN"]);
    check(&bird, &["crawl", "https://example.org/", "--strategy", "magic"], 2, &["bfs"]);
    check(&bird, &["crawl", "https://example.org/", "--strategy", "weighted"], 2, &["--query"]);
    let common = ["crawl", "https://example.org/", "--strategy", "weighted", "--query", "the of -toy site:a.example"];
    check(&bird, &common, 2, &["nearly every page"]);
    check(&bird, &["crawl", "https://example.org/", "--link-words", "none"], 2, &["around"]);
}

#[test]
fn a_seed_refused_by_robots_is_said_to_be() {
    let lab = Lab::small(41);
    let refused = "http://stats.lab.test/pixel.gif?p=1".to_owned();
    let bird = Bird::new();
    let mut arguments = vec!["crawl".to_owned(), refused.clone(), "--delay".into(), "5ms".into()];
    arguments.extend(lab.reach());
    let output = bird.run(&arguments);
    let (_, errors) = said(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("robots.txt") && errors.contains(&refused), "{errors}");
}

#[test]
fn a_data_directory_that_cannot_be_made_is_named_and_another_asked_for() {
    let beside = Bird::new();
    let file = beside.file("notes.txt", "no directory");
    for data in [file.clone(), format!("{file}/below"), "/proc/nowhere".into()] {
        let bird = Bird::at(data.clone().into());
        let order = ["crawl", "http://one.test/", "--resolve", "one.test=127.0.0.1:9"];
        check(&bird, &order, 1, &[&data, "cannot be made a data directory", "--data"]);
    }
}

#[test]
fn reading_needs_a_library() {
    let bird = Bird::new();
    for command in ["stats", "crawls"] {
        check(&bird, &[command], 1, &["data", "no data directory"]);
    }
}

#[test]
fn a_damaged_data_directory_is_named_and_left_alone() {
    let lab = Lab::small(42);
    let bird = Bird::new();
    let mut arguments = vec!["crawl".to_owned(), lab.seeds[0].clone(), "--delay".into(), "5ms".into()];
    arguments.extend(["--max-pages".into(), "3".into()]);
    arguments.extend(lab.reach());
    bird.json(&arguments);
    let library = bird.data().join("library.db");
    let damaged = vec![0x5a; 65536];
    std::fs::write(&library, &damaged).unwrap();
    for extra in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(bird.data().join(format!("library.db{extra}")));
    }
    let output = bird.run(&arguments);
    let (_, errors) = said(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("library.db") && errors.contains("damaged"), "{errors}");
    assert_eq!(std::fs::read(&library).unwrap(), damaged);
}

#[test]
fn settings_files_are_checked() {
    let bird = Bird::new();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("bowerbird.toml");
    std::fs::write(&file, "[crawl]\nconcurency = 3\n").unwrap();
    check(
        &bird,
        &["--config", file.to_str().unwrap(), "crawl", "https://example.org/"],
        2,
        &["line 2", "concurency", "bowerbird.toml"],
    );
}
