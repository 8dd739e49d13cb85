//! What scripts make of pages, and what of that a crawl finds. [004 §7.1, experiments 6 and 7]

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use crawl::{Limits, Manners, Render, Settings, Summary};
use facts::MediaKind;
use lab::{LogSummary, Scripted, StateTruth};
use serde_json::json;
use store::{ItemFilter, Store};
use tokio::sync::watch;

use crate::trial::Trial;
use crate::{Bar, ExperimentError, Order, Plot, Report, Series, Shape, Table, Wanted};

/// Sites of the largest crawl; each has twelve pages with thirty states.
const SITES: usize = 8;
/// Tabs that pages are shown in at once, crawl by crawl.
const TABS: [usize; 4] = [1, 2, 3, 4];
/// Pages of the document's Fig. 7.4 are counted in this time.
const TEN_MINUTES: f64 = 600.0;

/// Comments of films that scripts load: how many there were, and how many were found [004 Table 7.6].
const DOCUMENT: [(&str, u32, u32); 8] = [
    ("New Numa", 17_657, 17_589),
    ("CRAZED NUMA FAN", 3_010, 3_010),
    ("Influence", 3_866, 3_862),
    ("My united states of… WHATEVA", 4_447, 4_440),
    ("Heather Martin", 6_045, 6_044),
    ("The COMMENT Video", 976, 960),
    ("iBlinds", 3_606, 3_606),
    ("Smosh Short 1: Dolls", 7_919, 7_875),
];

/// A crawl with so many tabs.
struct Crawled {
    tabs: usize,
    truth: Vec<StateTruth>,
    pages: usize,
    summary: Summary,
    kept: HashSet<String>,
    log: LogSummary,
}

impl Crawled {
    fn pictures(&self, kind: &str) -> (usize, usize) {
        let pictures = self.of(kind).flat_map(|state| &state.pictures);
        let found = |url: &&facts::Url| self.kept.contains(url.as_str());
        (pictures.clone().count(), pictures.filter(found).count())
    }

    /// States whose pictures are all there.
    fn found(&self, kind: &str) -> (usize, usize) {
        let found = |state: &&StateTruth| state.pictures.iter().all(|url| self.kept.contains(url.as_str()));
        (self.of(kind).count(), self.of(kind).filter(found).count())
    }

    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a StateTruth> + Clone {
        self.truth.iter().filter(move |state| kind.is_empty() || state.kind == kind)
    }

    /// States that were counted more than once; the page that leads to all sites has one of its own.
    fn twice(&self) -> i64 {
        self.summary.states as i64 - self.found("").1 as i64 - 1
    }
}

/// Crawls the scripted sites with one tab, with two, three and four.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let sites = order.max_pages.map_or(SITES, |pages| (pages as usize).div_ceil(12).clamp(1, SITES));
    let mut crawls = Vec::new();
    for tabs in TABS {
        progress.send_replace(format!("{tabs} of {} crawls of {sites} sites", TABS.len()));
        crawls.push(crawled(sites, tabs).await?);
    }
    Ok(report(&crawls))
}

async fn crawled(sites: usize, tabs: usize) -> Result<Crawled, ExperimentError> {
    let site = Scripted::new(sites);
    let (truth, pages) = (site.states(), site.pages());
    let trial = Trial::open(site).await?;
    let settings = Settings {
        strategy: "bfs".into(),
        render: Render::Always,
        places: false,
        limits: Limits { max_pages: Some(pages as u64 * 2), ..Limits::default() },
        manners: Manners { delay: Duration::ZERO, longest_delay: Duration::ZERO, ..Manners::default() },
        ..Settings::default()
    };
    let summary = trial.crawl_with("dynamic", settings, |reach| reach.browser.tabs = tabs).await?;
    let kept = kept(trial.store()).await?;
    let log = trial.close().await?;
    Ok(Crawled { tabs, truth, pages, summary, kept, log })
}

async fn kept(store: &Store) -> Result<HashSet<String>, ExperimentError> {
    let mut kept = HashSet::new();
    let images = ItemFilter { kinds: vec![MediaKind::Image], ..ItemFilter::default() };
    let mut after = 0;
    loop {
        let items = store.library().items(&images, after, 500).await?;
        let Some(last) = items.last() else { return Ok(kept) };
        after = last.number;
        kept.extend(items.into_iter().flat_map(|item| item.found).map(|sighting| sighting.image));
    }
}

fn share(found: usize, of: usize) -> f64 {
    100.0 * found as f64 / of.max(1) as f64
}

fn report(crawls: &[Crawled]) -> Report {
    let last = crawls.last();
    let kinds: Vec<&str> = last.map_or_else(Vec::new, |crawl| {
        let mut kinds: Vec<&str> = crawl.truth.iter().map(|state| state.kind).collect();
        kinds.dedup();
        let mut seen = HashSet::new();
        kinds.retain(|kind| seen.insert(*kind));
        kinds
    });
    let row = |crawl: &Crawled, kind: &str| {
        let ((states, found), (pictures, kept)) = (crawl.found(kind), crawl.pictures(kind));
        vec![
            if kind.is_empty() { "all" } else { kind }.to_owned(),
            states.to_string(),
            found.to_string(),
            format!("{:.1} %", share(found, states)),
            pictures.to_string(),
            kept.to_string(),
            format!("{:.1} %", share(kept, pictures)),
        ]
    };
    let found = Table {
        headings: vec!["kind of page", "states", "found", "", "pictures", "kept", ""],
        rows: last.map_or_else(Vec::new, |crawl| kinds.iter().chain(&[""]).map(|kind| row(crawl, kind)).collect()),
    };
    let document = Table {
        headings: vec!["[004 Table 7.6]", "reported", "found", ""],
        rows: DOCUMENT
            .iter()
            .map(|(film, reported, found)| {
                let share = share(*found as usize, *reported as usize);
                vec![(*film).to_owned(), reported.to_string(), found.to_string(), format!("{share:.2} %")]
            })
            .collect(),
    };
    let speed = Table {
        headings: vec![
            "tabs",
            "pages",
            "seconds",
            "pages/s",
            "states/s",
            "pages in 10 min",
            "requests",
            "states twice",
        ],
        rows: crawls
            .iter()
            .map(|crawl| {
                let Summary { pages, seconds, pages_per_second, states, .. } = &crawl.summary;
                vec![
                    crawl.tabs.to_string(),
                    pages.to_string(),
                    format!("{seconds:.1}"),
                    format!("{pages_per_second:.2}"),
                    format!("{:.1}", *states as f64 / seconds.max(0.001)),
                    format!("{:.0}", pages_per_second * TEN_MINUTES),
                    crawl.log.requests.to_string(),
                    crawl.twice().to_string(),
                ]
            })
            .collect(),
    };
    let plot = Plot {
        name: "pages",
        title: "dynamic pages in ten minutes, by tabs".into(),
        x: "tabs",
        y: "pages",
        shape: Shape::Lines,
        labels: Vec::new(),
        series: vec![Series::new(
            "pages",
            crawls.iter().map(|crawl| (crawl.tabs as f64, crawl.summary.pages_per_second * TEN_MINUTES)),
        )],
    };
    let at_least = |what, least, got| Bar { what, wanted: Wanted::AtLeast(least), got };
    let at_most = |what, most, got| Bar { what, wanted: Wanted::AtMost(most), got };
    let all = |figure: fn(&Crawled, &str) -> (usize, usize)| {
        last.map(|crawl| figure(crawl, "")).map(|(of, found)| share(found, of))
    };
    let quickest = crawls.iter().map(|crawl| crawl.summary.pages_per_second).fold(f64::NAN, f64::max);
    let bars = vec![
        at_least("states found, %", 98.0, all(Crawled::found)),
        at_least("their pictures kept, %", 98.0, all(Crawled::pictures)),
        at_most("states counted twice", 0.0, crawls.iter().map(|crawl| crawl.twice().abs() as f64).reduce(f64::max)),
        at_least("pages a second", 3.0, Some(quickest)),
        at_most(
            "requests that robots.txt or the guard forbids",
            0.0,
            crawls.iter().map(|crawl| crawl.log.robots_breaches as f64).reduce(f64::max),
        ),
    ];
    let figures: BTreeMap<String, serde_json::Value> = crawls
        .iter()
        .map(|crawl| {
            let by_kind: BTreeMap<&str, _> = kinds
                .iter()
                .map(|kind| {
                    let ((states, found), (pictures, kept)) = (crawl.found(kind), crawl.pictures(kind));
                    (*kind, json!({ "states": states, "found": found, "pictures": pictures, "kept": kept }))
                })
                .collect();
            let figures = json!({
                "pages": crawl.summary.pages, "pages_there": crawl.pages, "states": crawl.summary.states,
                "seconds": crawl.summary.seconds, "pages_per_second": crawl.summary.pages_per_second,
                "twice": crawl.twice(), "requests": crawl.log.requests, "most_at_once": crawl.log.most_open,
                "forbidden_requests": crawl.log.robots_breaches, "kinds": by_kind,
            });
            (crawl.tabs.to_string(), figures)
        })
        .collect();
    Report {
        name: "dynamic",
        title: "pages that scripts make: states and pictures found, and how fast, by tabs".into(),
        tables: vec![found, document, speed],
        plots: vec![plot],
        bars,
        notes: vec![
            "the document's crawlers found 98.4 to 100 % of the comments that scripts load [004 Table 7.6]".into(),
            "its Fig. 7.4 counts pages in ten minutes for one to four crawlers, about 20 % more than those of another; \
             ours counts what one to four tabs of one browser show on this machine"
                .into(),
        ],
        figures: json!({ "tabs": figures }),
    }
}
