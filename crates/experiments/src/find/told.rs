//! What finds came to, beside the document's figures.

use serde_json::json;

use super::{HUNDREDS, Judged, Measured};
use crate::plot::{Plot, Series, Shape};
use crate::{Bar, Report, Table, Wanted};

/// [002 Table 3], 30 seconds: pages, images, selected, thumbnails, external, small or of odd shape, seconds.
const DOCUMENT: [u64; 6] = [192, 2205, 349, 969, 471, 416];
/// [002 Tables 4 and 5], the mean over its four questions, by hundreds.
const WITH: [f64; HUNDREDS] = [0.77, 0.5775, 0.63, 0.55, 0.6125];
const WITHOUT: [f64; HUNDREDS] = [0.445, 0.2725, 0.3775, 0.28, 0.3625];

fn refused(measured: &Measured, reasons: &[&str]) -> u64 {
    let images = &measured.summary.images;
    reasons.iter().filter_map(|reason| images.refused.get(*reason)).sum()
}

fn discards(measured: &[Measured]) -> Table {
    let row = |one: &Measured| {
        let images = &one.summary.images;
        vec![
            one.name.clone(),
            one.summary.hosts.to_string(),
            one.summary.requests.to_string(),
            one.summary.pages.to_string(),
            images.seen.to_string(),
            images.kept.to_string(),
            images.probed.to_string(),
            images.markup.to_string(),
            refused(one, &["thumbnail"]).to_string(),
            refused(one, &["external"]).to_string(),
            refused(one, &["small", "aspect"]).to_string(),
            format!("{:.2}", one.summary.seconds),
        ]
    };
    let mut rows: Vec<Vec<String>> = measured.iter().map(row).collect();
    let [pages, images, selected, thumbnails, external, small] = DOCUMENT;
    let cells = [pages, images, selected].map(|figure| figure.to_string());
    let mut document = vec!["[002] Table 3, 30 s".to_owned(), "–".into(), "–".into()];
    document.extend(cells);
    document.extend(["–".into(), "–".into()]);
    document.extend([thumbnails, external, small].map(|figure| figure.to_string()));
    document.push("33.38".into());
    rows.push(document);
    Table {
        headings: vec![
            "find",
            "hosts",
            "requests",
            "pages",
            "images",
            "selected",
            "probed",
            "by markup",
            "thumbnails",
            "external",
            "small, shape",
            "seconds",
        ],
        rows,
    }
}

fn timing(measured: &[Measured]) -> Table {
    let some = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let row = |one: &Measured| {
        vec![
            one.name.clone(),
            some(one.used),
            format!("{:.3}", one.latency),
            format!("{:+.3}", one.late),
            some(one.summary.first_result),
            some(one.summary.first_thumbnail),
            format!("{:.0}", one.summary.bytes_per_probe),
            one.log.overlaps.to_string(),
            one.log.breaches.to_string(),
        ]
    };
    Table {
        headings: vec![
            "find",
            "slots used",
            "s a request",
            "s after its end",
            "first result",
            "first picture",
            "bytes a probe",
            "overlaps",
            "breaches",
        ],
        rows: measured.iter().map(row).collect(),
    }
}

fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.flatten().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

pub(super) fn report(speed: &[Measured], judged: &[Judged], scoring: f64) -> Report {
    let percent = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{:.0} %", 100.0 * value));
    let with: Vec<Option<f64>> = (0..HUNDREDS).map(|at| mean(judged.iter().map(|one| one.with[at]))).collect();
    let without: Vec<Option<f64>> = (0..HUNDREDS).map(|at| mean(judged.iter().map(|one| one.without[at]))).collect();
    let cells = |values: &[Option<f64>]| values.iter().map(|value| percent(*value)).collect::<Vec<_>>();
    let mut rows = Vec::new();
    let mut push = |name: String, values: Vec<String>| rows.push([vec![name], values].concat());
    for one in judged {
        push(format!("{}, with the rule", one.query), cells(&one.with));
        push(format!("{}, without it", one.query), cells(&one.without));
    }
    push("mean, with the rule".into(), cells(&with));
    push("mean, without it".into(), cells(&without));
    push("[002] Table 4, with".into(), cells(&WITH.map(Some)));
    push("[002] Table 5, without".into(), cells(&WITHOUT.map(Some)));
    let precision =
        Table { headings: vec!["ranks", "1–100", "101–200", "201–300", "301–400", "401–500"], rows };

    let one = |name: &str| speed.iter().find(|one| one.name.starts_with(name));
    let quick = one("no delay");
    let ratio = with[0].zip(without[0]).map(|(with, without)| with / without.max(0.01));
    // How much better a hundred may be than the one before it.
    let rises = with.windows(2).filter_map(|pair| Some(pair[1]? - pair[0]?)).fold(f64::MIN, f64::max);
    let most = |value: fn(&Measured) -> Option<f64>| {
        speed
            .iter()
            .filter_map(value)
            .fold(None, |most: Option<f64>, value| Some(most.map_or(value, |most| most.max(value))))
    };
    let bars = vec![
        Bar {
            what: "slots used at 1 s delay",
            wanted: Wanted::AtLeast(0.85),
            got: one("1 s").and_then(|one| one.used),
        },
        Bar { what: "pages in 30 s", wanted: Wanted::AtLeast(1200.0), got: quick.map(|one| one.summary.pages as f64) },
        Bar {
            what: "images probed in 30 s",
            wanted: Wanted::AtLeast(6000.0),
            got: quick.map(|one| one.summary.images.probed as f64),
        },
        Bar { what: "seconds from the deadline", wanted: Wanted::AtMost(0.5), got: most(|one| Some(one.late.abs())) },
        Bar {
            what: "seconds to the first picture, by default",
            wanted: Wanted::AtMost(2.0),
            got: one("defaults").and_then(|one| one.summary.first_thumbnail),
        },
        Bar {
            what: "bytes for each picture that is probed",
            wanted: Wanted::AtMost(16_000.0),
            got: most(|one| Some(one.summary.bytes_per_probe)),
        },
        Bar {
            what: "precision of the first 100, with the rule over without",
            wanted: Wanted::AtLeast(1.3),
            got: ratio,
        },
        Bar {
            what: "most that a hundred is better than the one before",
            wanted: Wanted::AtMost(0.05),
            got: Some(rises).filter(|rises| *rises > f64::MIN),
        },
        Bar {
            what: "ms to read and score 2,000 pictures and 20,000 words",
            wanted: Wanted::AtMost(50.0),
            got: Some(scoring),
        },
    ];
    let points = |values: &[Option<f64>]| {
        values.iter().enumerate().filter_map(|(at, value)| Some((at as f64, 100.0 * (*value)?))).collect::<Vec<_>>()
    };
    let plot = Plot {
        name: "precision",
        title: "Pictures that are meant, by hundreds of ranks".into(),
        x: "ranks",
        y: "percent",
        shape: Shape::Bars,
        labels: ["1–100", "101–200", "201–300", "301–400", "401–500"].map(str::to_owned).to_vec(),
        series: vec![
            Series::new("with the rule", points(&with)),
            Series::new("without it", points(&without)),
            Series::new("[002], with", points(&WITH.map(Some))),
            Series::new("[002], without", points(&WITHOUT.map(Some))),
        ],
    };
    Report {
        name: "find",
        title: format!("pictures for {} questions, and how many in 30 s from slow hosts", judged.len()),
        tables: vec![discards(speed), timing(speed), precision],
        plots: vec![plot],
        bars,
        notes: vec![
            "slots: requests made, of hosts × time / (delay + seconds a request) or requests in flight × time / \
             seconds a request, whichever is less"
                .into(),
            "a picture is meant when its page is about the word; both ways read as many pages".into(),
        ],
        figures: json!({ "speed": speed, "precision": judged, "mean": { "with": with, "without": without }, "scoring_ms": scoring }),
    }
}

pub(super) fn from_folder(query: &str, measured: &[Measured]) -> Report {
    Report {
        name: "find",
        title: format!("pictures for '{query}' in a folder of pages"),
        tables: vec![discards(measured), timing(measured)],
        plots: Vec::new(),
        bars: Vec::new(),
        notes: vec!["what is meant is not known there".into()],
        figures: json!({ "query": query, "finds": measured }),
    }
}
