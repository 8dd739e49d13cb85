//! Experiments on a folder of real pages, as their users make them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Bird, said};

/// A site of five pages, one with an address, one with a photo, one that leads away.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, body: &str| fs::write(folder.path().join(name), body).unwrap();
    write("index.html", "<a href=a.html>Walks</a> <a href=b.html>Museum</a> <a href=none.html>Gone</a>");
    write("a.html", "<a href=c.html>More walks</a> <a href=index.html>Home</a> <img src=photo.jpg>");
    write("b.html", "<p>Museo, Torikatu 21, 80100 Joensuu, Finland</p> <a href=d.html>Rooms</a>");
    write("c.html", "<a href=http://elsewhere.test/>Elsewhere</a> <img src=http://elsewhere.test/photo.jpg>");
    write("d.html", "<a href=index.html>Home</a>");
    let point = facts::LatLon::new(62.6, 29.76);
    let photo = lab::Photo { width: 800, height: 600, at: point, ..lab::Photo::default() };
    fs::write(folder.path().join("photo.jpg"), photo.file()).unwrap();
    folder
}

fn experiment(name: &str, from: &Path, pages: &str) -> (Value, tempfile::TempDir) {
    let (bird, out) = (Bird::new(), tempfile::tempdir().unwrap());
    let paths = [from, out.path()].map(|path| path.display().to_string());
    let [from, folder] = paths.each_ref().map(String::as_str);
    let report = bird.json(["lab", "experiment", name, "--from", from, "--max-pages", pages, "--out", folder]);
    (report, out)
}

fn written(out: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_harvest_of_a_folder_of_pages_is_told_and_drawn() {
    let folder = folder();
    let (report, out) = experiment("harvest", folder.path(), "4");
    let ways = &report["figures"]["webs"][0]["ways"];
    for way in ["bfs", "geo-distance", "geo, depth 1", "geo, depth 2", "geo, depth 3", "geo, with prior"] {
        assert_eq!((&ways[way]["pages"], &ways[way]["relevant"]), (&4.into(), &1.into()), "{way}: {ways}");
    }
    let plots = ["bridges", "distances", "pages", "rate"].map(|plot| format!("harvest-{plot}.svg"));
    assert_eq!(written(out.path()), [&plots[..], &["harvest.json".into()]].concat());
    for plot in plots {
        assert!(fs::read_to_string(out.path().join(plot)).unwrap().starts_with("<svg"));
    }
    let kept: Value = serde_json::from_str(&fs::read_to_string(out.path().join("harvest.json")).unwrap()).unwrap();
    assert_eq!(kept, report);
}

#[test]
fn seeds_are_followed_and_what_repeats_is_counted() {
    let folder = folder();
    let (report, _out) = experiment("seeds", folder.path(), "5");
    let start = &report["figures"]["kinds"]["mirror.lab.test/index.html"];
    for (figure, count) in [("pages", 5), ("images", 1), ("geotagged", 1), ("relevant", 1)] {
        assert_eq!(start[figure], count, "{figure} of {start}");
    }
    assert!(start["home"].as_u64() >= Some(1), "{start}");
}

#[test]
fn the_cost_of_each_order_is_measured_in_processes_of_their_own() {
    let folder = folder();
    let (report, _out) = experiment("strategies", folder.path(), "4");
    for way in ["bfs", "dfs", "best-first", "geo-distance", "geo"] {
        let figures = &report["figures"]["ways"][way];
        let (tasks, whole) = (figures["tasks"].as_array().unwrap(), &figures["whole"]);
        assert_eq!(tasks.iter().map(|task| task["pages"].as_u64().unwrap()).sum::<u64>(), 4, "{way}");
        assert_eq!((&whole["pages"], &whole["images"], &whole["stopped"]), (&5.into(), &0.into(), &"empty".into()));
        assert!(whole["cpu_seconds"].as_f64() > Some(0.0) && whole["peak_bytes"].as_u64() > Some(1_000_000), "{whole}");
    }
    assert_eq!(report["bars"][0]["at_most"], 1.2);
}

#[test]
fn a_folder_without_pages_is_refused() {
    let (bird, empty) = (Bird::new(), tempfile::tempdir().unwrap());
    let output = bird.run(["lab", "experiment", "harvest", "--from", &empty.path().display().to_string()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).1.contains("no .html"), "{:?}", said(&output));
}

#[test]
fn days_of_a_changing_site_pass_under_each_policy() {
    let (bird, out) = (Bird::new(), tempfile::tempdir().unwrap());
    let folder = out.path().display().to_string();
    let report = bird.json(["lab", "experiment", "watcher", "--max-pages", "100", "--out", &folder]);
    let policies = &report["figures"]["policies"];
    for policy in ["uniform", "watcher"] {
        assert_eq!(policies[policy]["share"], 1.0, "{policy}: {policies:#}");
    }
    let requests = |policy: &str| policies[policy]["requests"].as_u64().unwrap();
    assert!(requests("watcher") < requests("proportional") && requests("proportional") < requests("uniform"));
    // Two more than the updates each day: robots.txt and the report.
    assert_eq!(requests("watcher"), 7 * (5 + 2), "{policies:#}");
    let overlap = &report["figures"]["overlap"];
    assert_eq!((&overlap["most_times"], &overlap["took"]), (&1.into(), &1.into()), "{overlap:#}");
    for site in report["figures"]["rates"].as_array().unwrap() {
        assert_eq!(site["told"], site["made"], "{site:#}");
    }
    assert_eq!(report["figures"]["cost"][0]["pages"], 100);
    assert!(written(out.path()).contains(&"watcher-updates.svg".to_owned()));
}
