//! The figures of watchers and policies, beside those of the document.

use crawl::Policy;
use crawl::quantity::show_bytes;
use serde_json::json;

use super::cost::Cost;
use super::days::Trial;
use super::overlap::{Overlap, Shared};
use super::rates::Watched;
use super::{CRAWLERS, Results};
use crate::{Bar, Plot, Report, Series, Shape, Table, Wanted};

/// How often five pages were fetched on three days by fifty crawlers [004 Table 7.2].
const DOCUMENT_SAMPLE: [(&str, [[u32; 3]; 5]); 4] = [
    ("independent", [[43, 44, 47], [44, 41, 43], [42, 42, 45], [47, 45, 43], [44, 43, 40]]),
    ("dependent", [[5, 7, 4], [4, 3, 2], [7, 5, 4], [1, 7, 3], [7, 5, 4]]),
    ("seed-server", [[2, 1, 1], [1, 2, 2], [2, 1, 2], [1, 2, 1], [1, 2, 3]]),
    ("ours", [[1, 0, 0], [1, 1, 1], [1, 1, 1], [1, 0, 0], [1, 0, 0]]),
];
/// Pages downloaded in three days [004 §7.1, experiment 2].
const DOCUMENT_PAGES: [u64; 4] = [688_120, 240_000, 350_816, 1_000_000];
/// Memory in KB and share of the processor at 10 thousand, 100 thousand and a million pages [004 Table 7.3].
const DOCUMENT_COST: [(u64, &str, &str); 3] =
    [(10_000, "62 KB", "0.84 %"), (100_000, "156 KB", "2.37 %"), (1_000_000, "197 KB", "3.45 %")];

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn ratio(of: f64, to: f64) -> f64 {
    if to > 0.0 { of / to } else { f64::NAN }
}

pub(super) fn report(results: &Results) -> Report {
    let of = |policy: Policy, dates: bool| {
        results.days.iter().find(|trial| trial.way.policy == policy && trial.way.dates == dates)
    };
    let (uniform, watcher) = (of(Policy::Uniform, true), of(Policy::Watcher, true));
    let proportional = of(Policy::Proportional, true);
    let to_uniform = |trial: Option<&Trial>, figure: fn(&Trial) -> f64| Some(figure(trial?) / figure(uniform?));
    let requests = |trial: &Trial| trial.requests() as f64;
    let largest = results.cost.last();
    let at_least = |what, least, got| Bar { what, wanted: Wanted::AtLeast(least), got };
    let at_most = |what, most, got| Bar { what, wanted: Wanted::AtMost(most), got };
    let bars = vec![
        at_least("watcher: updates fetched in time, %", 100.0, watcher.map(|trial| 100.0 * trial.share())),
        at_most("watcher: requests per update", 1.05, watcher.map(Trial::requests_per_update)),
        at_most("watcher: time, in parts of uniform", 0.1, to_uniform(watcher, Trial::seconds)),
        at_least("proportional: updates fetched in time, %", 90.0, proportional.map(|trial| 100.0 * trial.share())),
        at_most("proportional: requests, in parts of uniform", 0.5, to_uniform(proportional, requests)),
        at_most("ours: fetches of one page a day, at most", 1.0, Some(f64::from(results.overlap.most_times))),
        at_most("ours: crawlers that took one report", 1.0, Some(results.overlap.took as f64)),
        at_most(
            "changes that watchers told wrongly",
            0.0,
            Some(results.rates.iter().map(Watched::wrong).sum::<u64>() as f64),
        ),
        at_most("watcher: memory of the largest site, MB", 400.0, largest.map(|cost| cost.memory as f64 / 1e6)),
        at_most("watcher: of a core while nothing happens, %", 1.0, largest.map(|cost| 100.0 * cost.idle)),
        at_most("watcher: seconds until all names are read", 60.0, largest.map(|cost| cost.seconds)),
    ];
    Report {
        name: "watcher",
        title: "coming again: updates found, requests and time by policy, with a watcher and without".into(),
        tables: vec![
            policies(&results.days, uniform),
            rates(&results.rates),
            overlap(&results.overlap),
            downloaded(&results.overlap),
            cost(&results.cost),
        ],
        plots: plots(results),
        bars,
        notes: vec![
            "an update is in time when its page was fetched before its next update; one that is not fetched yet counts as missed"
                .into(),
            "days pass by the clocks of site and store; requests, pages and the watcher are real".into(),
            "top-levels:3 are the pages up to three links from the main page".into(),
            format!("independent, dependent and seed-server crawlers are simulated; ours are as many crawls, {CRAWLERS} at full size, with stores of their own"),
        ],
        figures: figures(results),
    }
}

/// Time and updates by policy [004 Figs. 7.2, 7.3].
fn policies(days: &[Trial], uniform: Option<&Trial>) -> Table {
    let row = |trial: &Trial| {
        let (time, share) = trial.way.document.map_or((f64::NAN, f64::NAN), |document| document);
        let said = |figure: f64, text: String| if figure.is_nan() { "–".to_owned() } else { text };
        vec![
            trial.way.name.to_owned(),
            trial.requests().to_string(),
            trial.days.iter().map(|day| day.whole).sum::<u64>().to_string(),
            format!("{:.2}", trial.requests_per_update()),
            percent(trial.share()),
            format!("{:.1}", trial.seconds()),
            format!("{:.3}", ratio(trial.seconds(), uniform.map_or(f64::NAN, Trial::seconds))),
            said(time, format!("{time:.2}")),
            said(share, format!("≤ {:.0} %", 100.0 * share)),
        ]
    };
    Table {
        headings: vec![
            "policy",
            "requests",
            "whole pages",
            "per update",
            "in time",
            "seconds",
            "of uniform",
            "[004 Fig. 7.2]",
            "[004 Fig. 7.3]",
        ],
        rows: days.iter().map(row).collect(),
    }
}

/// What changes on sites, as watchers tell [004 Table 7.1].
fn rates(watched: &[Watched]) -> Table {
    let row = |site: &Watched| {
        let mut row = vec![format!("like {}", site.like), site.pages.to_string()];
        row.push(site.told.iter().map(u64::to_string).collect::<Vec<_>>().join(" "));
        row.extend([percent(site.mean()), format!("{:.1} %", 100.0 * site.document), site.wrong().to_string()]);
        row
    };
    let headings = vec!["site", "pages", "told each day", "mean", "[004 Table 7.1]", "told wrongly"];
    Table { headings, rows: watched.iter().map(row).collect() }
}

fn all(overlap: &Overlap) -> impl Iterator<Item = &Shared> {
    overlap.simulated.iter().chain([&overlap.ours])
}

/// How often pages were fetched [004 Table 7.2].
fn overlap(overlap: &Overlap) -> Table {
    let days = |days: &[u32; 3]| days.map(|times| times.to_string()).join(" ");
    let rows = (0..5)
        .map(|page| {
            let mut row = vec![(page + 1).to_string()];
            for (shared, (_, document)) in all(overlap).zip(DOCUMENT_SAMPLE) {
                row.push(shared.sample.get(page).map(days).unwrap_or_default());
                row.push(document.get(page).map(days).unwrap_or_default());
            }
            row
        })
        .collect();
    let headings =
        vec!["page", "independent", "[004]", "dependent", "[004]", "seed-server", "[004]", "ours", "[004 Table 7.2]"];
    Table { headings, rows }
}

/// Pages in three days [004 Fig. 7.1].
fn downloaded(overlap: &Overlap) -> Table {
    let row = |(shared, document): (&Shared, u64)| {
        vec![
            shared.name.to_owned(),
            shared.fetches.to_string(),
            shared.distinct.to_string(),
            format!("{:.2}", shared.fetches as f64 / shared.distinct.max(1) as f64),
            document.to_string(),
        ]
    };
    Table {
        headings: vec!["crawlers", "fetches", "distinct pages", "fetches a page", "pages in [004 Fig. 7.1]"],
        rows: all(overlap).zip(DOCUMENT_PAGES).map(row).collect(),
    }
}

/// What watchers cost [004 Table 7.3].
fn cost(costs: &[Cost]) -> Table {
    let row = |cost: &Cost| {
        let document = DOCUMENT_COST.iter().find(|(pages, ..)| *pages == cost.pages);
        let (memory, processor) = document.map_or(("–", "–"), |(_, memory, processor)| (*memory, *processor));
        vec![
            cost.pages.to_string(),
            format!("{:.1}", cost.seconds),
            format!("{:.1}", cost.cpu_seconds),
            show_bytes(cost.memory),
            format!("{:.2} %", 100.0 * cost.idle),
            memory.to_owned(),
            processor.to_owned(),
        ]
    };
    Table {
        headings: vec!["pages", "names read, s", "CPU, s", "memory", "idle", "[004] memory", "[004 Table 7.3] CPU"],
        rows: costs.iter().map(row).collect(),
    }
}

fn plots(results: &Results) -> Vec<Plot> {
    let times = |trial: &Trial| {
        let days = trial.days.iter().enumerate();
        Series::new(trial.way.name, days.map(|(day, told)| (day as f64 + 1.0, told.seconds)))
    };
    let shares = |trial: &Trial| {
        let (mut updates, mut in_time) = (0, 0);
        let days = trial.days.iter().enumerate().map(|(day, told)| {
            (updates, in_time) = (updates + told.updates, in_time + told.in_time);
            (day as f64 + 1.0, 100.0 * in_time as f64 / updates.max(1) as f64)
        });
        Series::new(trial.way.name, days.collect::<Vec<_>>())
    };
    let plot = |name, title: &str, y, series| Plot {
        name,
        title: title.into(),
        x: "day",
        y,
        shape: Shape::Lines,
        labels: Vec::new(),
        series,
    };
    vec![
        plot(
            "time",
            "Time to come again, by policy [004 Fig. 7.2]",
            "seconds",
            results.days.iter().map(times).collect(),
        ),
        plot(
            "updates",
            "Updates fetched before the next of their page [004 Fig. 7.3]",
            "% so far",
            results.days.iter().map(shares).collect(),
        ),
        Plot {
            name: "downloaded",
            title: "Fetches and distinct pages in three days [004 Fig. 7.1]".into(),
            x: "crawlers",
            y: "pages",
            shape: Shape::Bars,
            labels: all(&results.overlap).map(|shared| shared.name.to_owned()).collect(),
            series: vec![
                Series::new("fetches", (0..).map(f64::from).zip(all(&results.overlap).map(|one| one.fetches as f64))),
                Series::new("distinct", (0..).map(f64::from).zip(all(&results.overlap).map(|one| one.distinct as f64))),
            ],
        },
    ]
}

fn figures(results: &Results) -> serde_json::Value {
    let days: serde_json::Map<_, _> = results
        .days
        .iter()
        .map(|trial| {
            let figures = json!({
                "days": trial.days, "seen": trial.seen, "share": trial.share(), "requests": trial.requests(),
                "requests_per_update": trial.requests_per_update(), "seconds": trial.seconds(), "sample": trial.sample,
            });
            (trial.way.name.to_owned(), figures)
        })
        .collect();
    json!({ "policies": days, "rates": results.rates, "overlap": results.overlap, "cost": results.cost })
}
