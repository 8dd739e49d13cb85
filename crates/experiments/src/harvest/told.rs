//! The harvest in tables and pictures.

use super::found::Found;
use super::results::{Results, recognition};
use super::{BFS, DISTANCE, GEO, SHALLOW, WAYS, Way};
use crate::ground::Ground;
use crate::spread::{Spread, ratio};
use crate::{Bar, Plot, Report, Series, Shape, Table, Wanted};

pub(super) fn report(results: &Results) -> Report {
    let mut tables = vec![ways(results), webs(results), lengths(results)];
    if !results.aimless.is_empty() {
        tables.push(beyond(results));
    }
    let known = results.crawls.iter().flatten().any(|found| found.truth.is_some());
    let what = if known { "pages with an address in the web's town" } else { "pages with an address" };
    let webs = match results.grounds.as_slice() {
        [one] => format!("one web ({})", one.name()),
        several => format!("{} webs", several.len()),
    };
    Report {
        name: "harvest",
        title: format!("{what} among {} pages, by order of visits, on {webs} [001 Figs. 7–10]", results.pages),
        tables,
        plots: plots(results),
        bars: if known { bars(results) } else { Vec::new() },
        notes: notes(results, known),
        figures: results.figures(),
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.2}"))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn ways(results: &Results) -> Table {
    let row = |(place, way): (usize, &Way)| {
        let relevant = results.relevant(place);
        vec![
            way.name.to_owned(),
            format!("{:.0}", relevant.mean),
            relevant.range(0),
            format!("{:.1}", relevant.deviation),
            shown(results.times(place, BFS)),
            shown(results.times(place, DISTANCE)),
            percent(results.rate(place).mean),
            way.document.map_or_else(|| "–".into(), percent),
        ]
    };
    Table {
        headings: vec!["order", "relevant", "range", "deviation", "÷ bfs", "÷ geo-distance", "harvest rate", "[001]"],
        rows: WAYS.iter().enumerate().map(row).collect(),
    }
}

fn webs(results: &Results) -> Table {
    let row = |(ground, crawls): (&Ground, &Vec<Found>)| {
        let mut row = vec![ground.name()];
        row.extend(crawls.iter().map(|found| format!("{:.0}", found.relevant())));
        row.extend(match recognition(crawls) {
            Some(seen) => [
                format!("{} of {}", seen.recognised, seen.relevant),
                percent(ratio(seen.recognised as f64, seen.relevant as f64).unwrap_or(0.0)),
                seen.wrongly.to_string(),
            ],
            None => ["–"; 3].map(str::to_owned),
        });
        row
    };
    let mut headings = vec!["web"];
    headings.extend(WAYS.iter().map(|way| way.name));
    headings.extend(["recognised", "share", "wrongly called"]);
    Table { headings, rows: results.grounds.iter().zip(&results.crawls).map(row).collect() }
}

/// Lengths that have a row of their own.
const LENGTHS: usize = 12;

fn lengths(results: &Results) -> Table {
    let (bfs, geo) = (results.lengths(BFS), results.lengths(GEO));
    let columns = [&bfs.bridge, &geo.bridge, &bfs.tail, &geo.tail, &bfs.seed_distance, &geo.seed_distance];
    let longest = columns.iter().map(|column| column.len()).max().unwrap_or(0).min(LENGTHS);
    let row = |name: String, count: &dyn Fn(&[u64]) -> u64| -> Vec<String> {
        [name].into_iter().chain(columns.iter().map(|column| count(column).to_string())).collect()
    };
    let mut rows: Vec<_> = (0..longest)
        .map(|length| row(length.to_string(), &|column| column.get(length).copied().unwrap_or(0)))
        .collect();
    if columns.iter().any(|column| column.len() > LENGTHS) {
        rows.push(row(format!("{LENGTHS} and more"), &|column| column.iter().skip(LENGTHS).sum()));
    }
    let headings =
        vec!["length", "bridges bfs", "bridges geo", "tails bfs", "tails geo", "from seed bfs", "from seed geo"];
    Table { headings, rows }
}

/// Webs without cohesion, and models that were learnt elsewhere.
fn beyond(results: &Results) -> Table {
    let row = |name: String, found: Spread, plain: Spread| {
        vec![
            name,
            format!("{:.0}", found.mean),
            found.range(0),
            format!("{:.0}", plain.mean),
            shown(ratio(found.mean, plain.mean)),
        ]
    };
    let ([plain, focused], bfs) = (results.without_cohesion(), results.relevant(BFS));
    let mut rows = vec![
        row("links lead nowhere in particular".into(), focused, plain),
        row("nothing learnt before".into(), results.relevant(GEO), bfs),
    ];
    rows.extend(results.taught.iter().map(|(lesson, crawls)| {
        let found = Spread::of(crawls.iter().map(Found::relevant));
        row(format!("learnt from {lesson} pages of another web"), found, bfs)
    }));
    Table { headings: vec!["geo, depth 3", "relevant", "range", "bfs", "÷ bfs"], rows }
}

fn bars(results: &Results) -> Vec<Bar> {
    let [plain, focused] = results.without_cohesion();
    let bar = |what, least, got| Bar { what, wanted: Wanted::AtLeast(least), got };
    vec![
        bar("geo, depth 3 ÷ bfs", 3.0, results.times(GEO, BFS)),
        bar("geo, depth 3 ÷ geo-distance", 1.5, results.times(GEO, DISTANCE)),
        bar("geo, depth 3 ÷ geo, depth 1", 1.0, results.times(GEO, SHALLOW)),
        bar("without cohesion: geo ÷ bfs", 0.9, ratio(focused.mean, plain.mean)),
        bar("learnt on another web: geo ÷ bfs", 2.0, ratio(results.transfer().mean, results.relevant(BFS).mean)),
    ]
}

fn notes(results: &Results, known: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if known {
        notes.push("relevant: pages that give an address in the town; harvest rate: as the crawl judged them".into());
        notes.push("recognised, wrongly called: what the geoparser makes of all pages visited on a web".into());
    }
    let bridges = results.lengths(GEO).bridge;
    let (all, direct) = (bridges.iter().sum::<u64>(), bridges.first().copied().unwrap_or(0));
    if let Some(over) = ratio((all - direct) as f64, all as f64) {
        let over = percent(over);
        notes.push(format!("geo: {over} of the ways between relevant pages lead over others; [001]: more than half"));
    }
    notes.push("[001]: depth 3 is significantly better than 2 and 1".into());
    notes.push("[001]: models learnt from 30,000 to 100,000 pages made no significant difference".into());
    let short = results.crawls.iter().flatten().filter(|found| found.pages < results.pages).count();
    if short > 0 {
        notes.push(format!("{short} crawls had nothing left to visit before {} pages", results.pages));
    }
    notes
}

fn plots(results: &Results) -> Vec<Plot> {
    let curves: Vec<_> = (0..WAYS.len()).map(|way| results.curve(way)).collect();
    let lines = |point: fn((f64, f64)) -> (f64, f64)| {
        let line = |(way, curve): (&Way, &Vec<(f64, f64)>)| Series::new(way.name, curve.iter().copied().map(point));
        WAYS.iter().zip(&curves).map(line).collect()
    };
    let bars = |name: &str, counts: &[u64]| {
        Series::new(name, counts.iter().enumerate().map(|(length, count)| (length as f64, *count as f64)))
    };
    let (bfs, geo) = (results.lengths(BFS), results.lengths(GEO));
    let plot = |name, title: &str, axes: (&'static str, &'static str), shape, series| Plot {
        name,
        title: title.into(),
        x: axes.0,
        y: axes.1,
        shape,
        labels: Vec::new(),
        series,
    };
    vec![
        plot(
            "pages",
            "Relevant pages found [001 Fig. 7]",
            ("pages read", "relevant pages"),
            Shape::Lines,
            lines(|point| point),
        ),
        plot(
            "rate",
            "Relevant pages per page read [001 Fig. 8]",
            ("pages read", "harvest rate"),
            Shape::Lines,
            lines(|(pages, relevant)| (pages, relevant / pages.max(1.0))),
        ),
        plot(
            "bridges",
            "Bridges and tails of geo, depth 3 [001 Fig. 9]",
            ("pages between, or after the last", "how often"),
            Shape::Bars,
            vec![bars("bridges", &geo.bridge), bars("tails", &geo.tail)],
        ),
        plot(
            "distances",
            "Links from the seed to relevant pages [001 Fig. 10]",
            ("links", "relevant pages"),
            Shape::Bars,
            vec![bars("bfs", &bfs.seed_distance), bars("geo, depth 3", &geo.seed_distance)],
        ),
    ]
}
