//! Orders of visits in tables and pictures.

use serde_json::{Map, Value, json};

use super::task::Task;
use super::{BEST_FIRST, BFS, Document, Results, WAYS, Way};
use crate::spread::{Spread, ratio};
use crate::{Bar, Plot, Report, Series, Shape, Table, Wanted};

const MB: f64 = 1e6;

pub(super) fn report(results: &Results) -> Report {
    let pages: u64 = results.tasks.first().map_or(0, |tasks| tasks.iter().map(|task| task.figures.pages).sum());
    let tasks = results.tasks.first().map_or(0, Vec::len);
    Report {
        name: "strategies",
        title: format!(
            "{pages} pages in {tasks} tasks from a site of photos, by order of visits [000 Table 10, Figs. 35–38]"
        ),
        tables: vec![found(results), costs(results), whole(results)],
        plots: plots(results),
        bars: vec![Bar {
            what: "CPU time for the same pages, best-first ÷ bfs",
            wanted: Wanted::AtMost(1.2),
            got: ratio(cpu(&results.whole[BEST_FIRST]), cpu(&results.whole[BFS])),
        }],
        notes: notes(results),
        figures: figures(results),
    }
}

fn cpu(task: &Task) -> f64 {
    task.cost.cpu_seconds
}

fn sum(tasks: &[Task], of: impl Fn(&Task) -> f64) -> f64 {
    tasks.iter().map(of).sum()
}

fn images(task: &Task) -> f64 {
    task.figures.images.kept as f64
}

fn geotagged(task: &Task) -> f64 {
    task.figures.geotagged.unwrap_or(0) as f64
}

fn pages(task: &Task) -> f64 {
    task.figures.pages as f64
}

fn megabytes(task: &Task) -> f64 {
    task.figures.bytes as f64 / MB
}

fn peak(task: &Task) -> f64 {
    task.cost.peak as f64 / MB
}

/// With how far chance alone takes it: the root of what was counted.
fn share(part: f64, all: f64) -> String {
    let percent = |part: f64| ratio(100.0 * part, all);
    match (percent(part), percent(part.sqrt())) {
        (Some(share), Some(chance)) => format!("{share:.2} ± {chance:.2} %"),
        _ => "–".into(),
    }
}

fn per(of: f64, each: f64, digits: usize) -> String {
    ratio(of, each).map_or_else(|| "–".into(), |value| format!("{value:.digits$}"))
}

fn documented(way: &Way, cell: impl Fn(Document) -> String) -> String {
    way.document.map_or_else(|| "–".into(), cell)
}

fn rows(results: &Results, row: impl Fn(&Way, &[Task]) -> Vec<String>) -> Vec<Vec<String>> {
    WAYS.iter().zip(&results.tasks).map(|(way, tasks)| row(way, tasks)).collect()
}

fn found(results: &Results) -> Table {
    let row = |way: &Way, tasks: &[Task]| {
        let (images, geotagged) = (sum(tasks, images), sum(tasks, geotagged));
        vec![
            way.strategy.to_owned(),
            format!("{:.0}", sum(tasks, pages)),
            format!("{images:.0}"),
            format!("{geotagged:.0}"),
            share(geotagged, images),
            documented(way, |d| format!("{}", d.images)),
            documented(way, |d| format!("{}", d.geotagged)),
            documented(way, |d| share(d.geotagged as f64, d.images as f64)),
        ]
    };
    Table {
        headings: vec!["order", "pages", "images", "geotagged", "share", "[000] images", "geotagged", "share"],
        rows: rows(results, row),
    }
}

fn costs(results: &Results) -> Table {
    let row = |way: &Way, tasks: &[Task]| {
        let seconds = Spread::of(tasks.iter().map(|task| task.cost.seconds));
        vec![
            way.strategy.to_owned(),
            format!("{:.1}", seconds.mean),
            seconds.range(1),
            documented(way, |d| format!("{:.0}", 60.0 * d.minutes_a_task)),
            per(sum(tasks, |task| task.cost.seconds), sum(tasks, pages), 3),
            documented(way, |d| format!("{:.2}", d.seconds_a_page)),
            per(1e3 * sum(tasks, cpu), sum(tasks, pages), 1),
            per(1e3 * sum(tasks, cpu), sum(tasks, megabytes), 1),
            format!("{:.0}", Spread::of(tasks.iter().map(peak)).mean),
            documented(way, |d| format!("{:.0}", d.megabytes)),
        ]
    };
    Table {
        headings: vec![
            "with photos",
            "s a task",
            "range",
            "[000]",
            "s a page",
            "[000]",
            "CPU ms a page",
            "CPU ms a MB",
            "peak MB",
            "[000]",
        ],
        rows: rows(results, row),
    }
}

fn whole(results: &Results) -> Table {
    let row = |(way, task): (&Way, &Task)| {
        vec![
            way.strategy.to_owned(),
            task.figures.pages.to_string(),
            format!("{:.1}", megabytes(task)),
            per(1e3 * task.cost.seconds, pages(task), 2),
            per(1e3 * cpu(task), pages(task), 2),
            per(1e3 * cpu(task), megabytes(task), 1),
            per(cpu(task), cpu(&results.whole[BFS]), 2),
            format!("{:.0}", peak(task)),
            task.figures.stopped.clone(),
        ]
    };
    Table {
        headings: vec![
            "the same pages",
            "pages",
            "MB",
            "ms a page",
            "CPU ms a page",
            "CPU ms a MB",
            "÷ bfs",
            "peak MB",
            "stopped",
        ],
        rows: WAYS.iter().zip(&results.whole).map(row).collect(),
    }
}

fn notes(results: &Results) -> Vec<String> {
    let links =
        "[000]: a link's relevance takes 1.5 ms; best-first takes 2.6 times as long as bfs, and twice its memory";
    let mut notes = vec![
        "CPU and memory are those of the crawl's own process; the web is served by another".into(),
        "the same pages: a web read to its end without photos, so that each order does the same work; the least of \
         several runs"
            .into(),
        "±: one standard deviation of a count of rare things".into(),
        "geo-distance and geo are not of the document".into(),
        links.into(),
        "[000 Fig. 37], the time of each step of a page, is not measured".into(),
    ];
    let counts: Vec<u64> = results.whole.iter().map(|task| task.figures.pages).collect();
    if counts.windows(2).any(|pair| pair[0] != pair[1]) {
        notes.push(format!("not quite the same pages: {counts:?}"));
    }
    notes
}

fn plots(results: &Results) -> Vec<Plot> {
    let plot = |name, title: &str, y, of: fn(&Task) -> f64| Plot {
        name,
        title: title.into(),
        x: "task",
        y,
        shape: Shape::Lines,
        labels: Vec::new(),
        series: WAYS
            .iter()
            .zip(&results.tasks)
            .map(|(way, tasks)| {
                Series::new(way.strategy, tasks.iter().enumerate().map(|(n, task)| (n as f64 + 1.0, of(task))))
            })
            .collect(),
    };
    vec![
        plot("seconds", "Time of each task [000 Figs. 35 and 38]", "seconds", |task| task.cost.seconds),
        plot("memory", "The most memory of each task [000 Fig. 36]", "MB", peak),
        plot("geotagged", "Geotagged images of each task [000 Table 10]", "images", geotagged),
    ]
}

fn figures(results: &Results) -> Value {
    let told = |task: &Task| {
        json!({
            "pages": task.figures.pages, "bytes": task.figures.bytes, "images": task.figures.images.kept,
            "geotagged": task.figures.geotagged, "relevant": task.figures.relevant, "stopped": task.figures.stopped,
            "seconds": task.cost.seconds, "cpu_seconds": task.cost.cpu_seconds, "peak_bytes": task.cost.peak,
        })
    };
    let way = |((way, tasks), whole): ((&Way, &Vec<Task>), &Task)| {
        let document = way.document.map(|d| {
            json!({
                "images": d.images, "geotagged": d.geotagged, "seconds_a_task": 60.0 * d.minutes_a_task,
                "seconds_a_page": d.seconds_a_page, "megabytes": d.megabytes,
            })
        });
        let tasks: Vec<Value> = tasks.iter().map(told).collect();
        (way.strategy.to_owned(), json!({ "tasks": tasks, "whole": told(whole), "document": document }))
    };
    json!({ "ways": WAYS.iter().zip(&results.tasks).zip(&results.whole).map(way).collect::<Map<_, _>>() })
}
