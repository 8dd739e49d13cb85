//! Seeds in tables and pictures.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Start;
use crate::ground::NOTED;
use crate::spread::ratio;
use crate::{Plot, Report, Series, Shape, Table};

/// Seeds, images and geotagged images by kind of seed, 100 pages a seed, summed from [000 Table 11].
const DOCUMENT: [(&str, u64, u64, u64); 8] = [
    ("photos", 3, 2062, 87),
    ("museum", 1, 397, 17),
    ("news", 1, 749, 3),
    ("travel", 9, 5653, 20),
    ("shop", 1, 368, 1),
    ("restaurant", 3, 194, 0),
    ("blog", 1, 29, 0),
    ("town", 1, 9, 0),
];

pub(super) fn report(kinds: &BTreeMap<String, Start>, what: &str) -> Report {
    Report {
        name: "seeds",
        title: format!("{what} [000 Tables 5, 8, 11]"),
        tables: vec![found(kinds), repeats(kinds)],
        plots: plots(kinds),
        bars: Vec::new(),
        notes: notes(kinds),
        figures: figures(kinds),
    }
}

fn document(kind: &str) -> Option<(u64, u64, u64)> {
    DOCUMENT.iter().find(|(name, ..)| *name == kind).map(|(_, seeds, images, geotagged)| (*seeds, *images, *geotagged))
}

fn share(part: u64, all: u64) -> String {
    ratio(part as f64, all as f64).map_or_else(|| "–".into(), |share| format!("{:.2} %", 100.0 * share))
}

fn mean(sum: u64, crawls: u64) -> String {
    ratio(sum as f64, crawls as f64).map_or_else(|| "–".into(), |mean| format!("{mean:.1}"))
}

/// Kinds with the most geotagged images first.
fn sorted(kinds: &BTreeMap<String, Start>) -> Vec<(&String, &Start)> {
    let mut sorted: Vec<_> = kinds.iter().collect();
    sorted.sort_by_key(|(_, start)| std::cmp::Reverse(start.geotagged * 1000 / start.crawls.max(1)));
    sorted
}

fn found(kinds: &BTreeMap<String, Start>) -> Table {
    let row = |(kind, start): (&String, &Start)| {
        let theirs = document(kind);
        vec![
            kind.clone(),
            mean(start.pages, start.crawls),
            mean(start.images, start.crawls),
            mean(start.geotagged, start.crawls),
            share(start.geotagged, start.images),
            mean(start.relevant, start.crawls),
            theirs.map_or_else(|| "–".into(), |(seeds, images, _)| mean(images, seeds)),
            theirs.map_or_else(|| "–".into(), |(seeds, _, geotagged)| mean(geotagged, seeds)),
            theirs.map_or_else(|| "–".into(), |(_, images, geotagged)| share(geotagged, images)),
        ]
    };
    Table {
        headings: vec![
            "a crawl from",
            "pages",
            "images",
            "geotagged",
            "share",
            "relevant",
            "[000] images",
            "geotagged",
            "share",
        ],
        rows: sorted(kinds).into_iter().map(row).collect(),
    }
}

fn repeats(kinds: &BTreeMap<String, Start>) -> Table {
    let row = |(kind, start): (&String, &Start)| {
        let waiting = start.queue.last().map_or(0, |(_, waiting)| *waiting);
        vec![
            kind.clone(),
            mean(start.links, start.crawls),
            mean(start.new, start.crawls),
            mean(start.home, start.crawls),
            mean(waiting, start.crawls),
        ]
    };
    Table {
        headings: vec!["first 10 pages", "links", "new addresses", "to the home page", "waiting at the end"],
        rows: sorted(kinds).into_iter().map(row).collect(),
    }
}

fn notes(kinds: &BTreeMap<String, Start>) -> Vec<String> {
    let sum = |of: fn(&Start) -> u64| kinds.values().map(of).sum::<u64>();
    vec![
        format!(
            "all kinds: {} of {} images are geotagged; [000 Table 8]: 14 of 6845, 0.20 %",
            share(sum(|start| start.geotagged), sum(|start| start.images)),
            sum(|start| start.images)
        ),
        format!(
            "the home page is {} of the links of the first {NOTED} pages; [000 Table 5]: 1.22 %, 8 to 25 of 589 to 2479",
            share(sum(|start| start.home), sum(|start| start.links))
        ),
        "links: each address counts once a page".into(),
    ]
}

fn plots(kinds: &BTreeMap<String, Start>) -> Vec<Plot> {
    let queue = |(kind, start): (&String, &Start)| {
        let crawls = start.crawls.max(1) as f64;
        let points = start.queue.iter().map(move |(pages, waiting)| (*pages as f64 / crawls, *waiting as f64 / crawls));
        Series::new(kind.clone(), [(0.0, 1.0)].into_iter().chain(points))
    };
    let sorted = sorted(kinds);
    let bars = |of: fn(&Start) -> u64| {
        let mean = |start: &Start| of(start) as f64 / start.crawls.max(1) as f64;
        sorted.iter().enumerate().map(move |(place, (_, start))| (place as f64, mean(start))).collect::<Vec<_>>()
    };
    vec![
        Plot {
            name: "queue",
            title: "Pages waiting while a crawl goes on [000 Fig. 30]".into(),
            x: "pages read",
            y: "pages waiting",
            shape: Shape::Lines,
            labels: Vec::new(),
            series: kinds.iter().map(queue).collect(),
        },
        Plot {
            name: "kinds",
            title: "Geotagged images and relevant pages by kind of seed [000 Table 11]".into(),
            x: "kind of seed",
            y: "of one crawl",
            shape: Shape::Bars,
            labels: sorted.iter().map(|(kind, _)| (*kind).clone()).collect(),
            series: vec![
                Series::new("geotagged images", bars(|start| start.geotagged)),
                Series::new("relevant pages", bars(|start| start.relevant)),
            ],
        },
    ]
}

fn figures(kinds: &BTreeMap<String, Start>) -> Value {
    let kind = |(kind, start): (&String, &Start)| {
        let theirs = document(kind)
            .map(|(seeds, images, geotagged)| json!({ "seeds": seeds, "images": images, "geotagged": geotagged }));
        let figures = json!({
            "crawls": start.crawls, "pages": start.pages, "images": start.images, "geotagged": start.geotagged,
            "relevant": start.relevant, "links": start.links, "new": start.new, "home": start.home,
            "queue": start.queue, "document": theirs,
        });
        (kind.clone(), figures)
    };
    json!({ "kinds": kinds.iter().map(kind).collect::<Map<_, _>>() })
}
