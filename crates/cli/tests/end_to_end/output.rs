//! The contract of the command line.

use std::io::Write;
use std::process::Stdio;

use crate::harness::{Bird, Lab, said};

#[test]
fn a_crawl_ends_with_the_summary_scripts_depend_on() {
    let lab = Lab::small(61);
    let bird = Bird::new();
    let mut arguments = vec!["crawl".to_owned(), lab.seeds[0].clone(), "--delay".into(), "5ms".into()];
    arguments.extend(["--max-pages".into(), "5".into()]);
    arguments.extend(lab.reach());
    let summary = bird.json(&arguments);
    for field in [
        "name",
        "strategy",
        "pages",
        "bytes",
        "images",
        "media",
        "geotagged",
        "located",
        "relevant",
        "harvest_rate",
        "duplicates",
        "errors",
        "queued",
        "seconds",
        "pages_per_second",
        "stopped",
    ] {
        assert!(summary.get(field).is_some(), "{field} is missing in {summary}");
    }
    for field in ["seen", "kept", "refused"] {
        assert!(summary["images"].get(field).is_some(), "{field}");
    }
    let stats = bird.json(["stats"]);
    for field in ["links", "pages", "images", "media", "hosts", "tlds", "harvest", "runs"] {
        assert!(stats.get(field).is_some(), "{field} is missing in {stats}");
    }
    assert_eq!(stats["pages"], summary["pages"]);
    for field in ["relevant", "rate", "bridge", "tail", "seed_distance"] {
        assert!(stats["harvest"].get(field).is_some(), "{field} is missing in {stats}");
    }
    assert_eq!(stats["harvest"]["pages"], stats["pages"]);
    assert!(stats["images"]["located_by_text"].is_u64() && stats["pages_with_places"].is_u64(), "{stats}");

    let (text, errors) = said(&bird.run(["stats"]));
    assert!(text.contains("links discovered"), "{text}");
    assert_eq!(errors, "", "logs and results are kept apart");
}

#[test]
fn the_lab_web_prints_one_line_when_it_listens() {
    let bird = Bird::new();
    let mut running = bird.spawn(["lab", "web", "--number", "5", "--hosts", "10", "--pages", "50"]);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(running.0.stdout.as_mut().unwrap()), &mut line).unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    let resolve = ready["resolve"].as_str().unwrap().to_owned();
    assert!(resolve.starts_with("*.lab.test=127.0.0.1:"), "{resolve}");
    let seed =
        ready["seeds"].as_array().unwrap().iter().map(|seed| seed.as_str().unwrap()).find(|s| s.starts_with("http://"));
    let summary = bird.json(["crawl", seed.unwrap(), "--resolve", &resolve, "--max-pages", "3", "--delay", "5ms"]);
    assert_eq!(summary["pages"], 3);
}

#[test]
fn every_command_has_help_and_completions_work() {
    let bird = Bird::new();
    for arguments in [
        vec!["--help"],
        vec!["crawl", "--help"],
        vec!["crawls", "--help"],
        vec!["stats", "--help"],
        vec!["search", "--help"],
        vec!["export", "--help"],
        vec!["lab", "web", "--help"],
    ] {
        let output = bird.run(&arguments);
        assert!(output.status.success() && said(&output).0.contains("Usage"), "{arguments:?}");
    }
    assert!(said(&bird.run(["crawl", "--help"])).0.contains("Examples"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(said(&bird.run(["completions", shell])).0.contains("bowerbird"));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bird = Bird::new();
    let mut child =
        bird.command(["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}", said(&output));
    std::io::stderr().flush().unwrap();
}
