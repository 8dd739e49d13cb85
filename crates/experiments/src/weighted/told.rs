//! What going by words brings, in tables and a picture.

use serde_json::{Map, json};

use super::{Aim, BFS, Found, PRIOR, Results, WAYS, WEIGHTED, Way};
use crate::spread::{Spread, ratio};
use crate::{Bar, Plot, Report, Series, Shape, Table, Wanted};

impl Results {
    fn on_topic(&self, way: usize) -> Spread {
        Spread::of(self.crawls.iter().filter_map(|crawls| Some(crawls.get(way)?.on_topic as f64)))
    }

    /// How many times more pages on the topic one way finds than another, over all topics.
    fn times(&self, way: usize, other: usize) -> Option<f64> {
        ratio(self.on_topic(way).mean, self.on_topic(other).mean)
    }

    /// The mean of a way's curves.
    fn curve(&self, way: usize) -> Vec<(f64, f64)> {
        let curves: Vec<_> =
            self.crawls.iter().filter_map(|crawls| crawls.get(way)).map(|found| &found.curve).collect();
        let points = curves.iter().map(|curve| curve.len()).min().unwrap_or(0);
        let mean = |point: usize| {
            let at = curves.iter().filter_map(|curve| curve.get(point));
            let sum: u64 = at.clone().map(|(_, on_topic)| on_topic).sum();
            let pages = at.clone().map(|(pages, _)| *pages).next().unwrap_or(0);
            (pages as f64, sum as f64 / curves.len() as f64)
        };
        (0..points).map(mean).collect()
    }
}

pub(super) fn report(results: &Results) -> Report {
    let short = results.crawls.iter().flatten().filter(|found| found.pages < results.pages * 9 / 10).count();
    let mut notes = vec![
        "on the topic: pages that are about it; those that only name it, in passing or in links, do not count".into(),
        "every row but the first differs from \"weighted\" only in what it says".into(),
        "[003] announces this experiment and gives no figures".into(),
    ];
    if short > 0 {
        notes.push(format!("{short} crawls had nothing left to visit before {} pages", results.pages));
    }
    Report {
        name: "weighted",
        title: format!(
            "pages on a topic among {} pages, by order of visits, for {} topics of made webs [003]",
            results.pages,
            results.aims.len()
        ),
        tables: vec![ways(results), topics(results)],
        plots: vec![plot(results)],
        bars: vec![
            Bar { what: "weighted ÷ bfs", wanted: Wanted::AtLeast(2.0), got: results.times(WEIGHTED, BFS) },
            Bar { what: "weighted with prior ÷ bfs", wanted: Wanted::AtLeast(2.0), got: results.times(PRIOR, BFS) },
        ],
        notes,
        figures: figures(results),
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.2}"))
}

fn ways(results: &Results) -> Table {
    let row = |(place, way): (usize, &Way)| {
        let found = results.on_topic(place);
        vec![
            way.name.to_owned(),
            format!("{:.0}", found.mean),
            found.range(0),
            format!("{:.1} %", 100.0 * found.mean / results.pages.max(1) as f64),
            shown(results.times(place, BFS)),
            shown(results.times(place, WEIGHTED)),
        ]
    };
    Table {
        headings: vec!["order", "on the topic", "range", "of the pages", "÷ bfs", "÷ weighted"],
        rows: WAYS.iter().enumerate().map(row).collect(),
    }
}

fn topics(results: &Results) -> Table {
    let row = |(aim, crawls): (&Aim, &Vec<Found>)| {
        let mut row = vec![aim.ground.name(), aim.word.to_owned()];
        row.extend(crawls.iter().map(|found| found.on_topic.to_string()));
        row
    };
    let mut headings = vec!["web", "topic"];
    headings.extend(WAYS.iter().map(|way| way.name));
    Table { headings, rows: results.aims.iter().zip(&results.crawls).map(row).collect() }
}

fn plot(results: &Results) -> Plot {
    Plot {
        name: "pages",
        title: "Pages on the topic".into(),
        x: "pages read",
        y: "on the topic",
        shape: Shape::Lines,
        labels: Vec::new(),
        series: WAYS.iter().enumerate().map(|(place, way)| Series::new(way.name, results.curve(place))).collect(),
    }
}

fn figures(results: &Results) -> serde_json::Value {
    let mean = |(place, way): (usize, &Way)| {
        let figures = json!({ "on_topic": results.on_topic(place), "to_bfs": results.times(place, BFS) });
        (way.name.to_owned(), figures)
    };
    let topic = |(aim, crawls): (&Aim, &Vec<Found>)| {
        let told = |found: &Found| json!({ "pages": found.pages, "on_topic": found.on_topic, "curve": found.curve });
        let ways: Map<_, _> = WAYS.iter().zip(crawls).map(|(way, found)| (way.name.to_owned(), told(found))).collect();
        json!({ "web": aim.ground.name(), "topic": aim.word, "ways": ways })
    };
    json!({
        "pages": results.pages,
        "means": WAYS.iter().enumerate().map(mean).collect::<Map<_, _>>(),
        "topics": results.aims.iter().zip(&results.crawls).map(topic).collect::<Vec<_>>(),
    })
}
