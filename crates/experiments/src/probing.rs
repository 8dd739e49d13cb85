//! What it costs to find the few photos that say where they were taken.

use std::collections::BTreeMap;
use std::time::Duration;

use crawl::quantity::show_bytes;
use crawl::{Keep, Limits, Manners, Probing, Settings, Summary};
use facts::MediaKind;
use lab::Web;
use serde_json::json;
use store::{ItemFilter, Store};

use crate::trial::Trial;
use crate::{ExperimentError, Order, Report, Table};

const PAGES: u64 = 150;

/// The same crawl in three ways: in parts, as streams that are broken off, as full downloads.
pub(crate) async fn run(order: &Order) -> Result<Report, ExperimentError> {
    let web = lab::Settings { number: order.number.unwrap_or(1), flaky_share: 0.0, ..lab::Settings::default() };
    let pages = order.max_pages.unwrap_or(PAGES);
    let ways = [("parts", Probing::Parts), ("stream", Probing::Stream), ("whole", Probing::Whole)];
    let mut trials = Vec::new();
    for (name, probe) in ways {
        // Breadth first with one request at a time: the three visit the very same pages.
        let settings = Settings {
            strategy: "bfs".into(),
            concurrency: 1,
            keep: Keep { probe, only_located: true, ..Keep::default() },
            limits: Limits { max_pages: Some(pages), ..Limits::default() },
            manners: Manners { delay: Duration::ZERO, longest_delay: Duration::ZERO, ..Manners::default() },
            ..Settings::default()
        };
        trials.push((name, crawled(web.clone(), settings).await?));
    }
    Ok(report(&trials))
}

/// A crawl that was made.
struct Crawled {
    summary: Summary,
    /// Bytes of bodies that the server sent, and requests it saw.
    served: (u64, u64),
    /// Kept images by address.
    kept: BTreeMap<String, String>,
}

async fn crawled(web: lab::Settings, settings: Settings) -> Result<Crawled, ExperimentError> {
    let trial = Trial::open(Web::new(web)).await?;
    let summary = trial.crawl("probing", settings).await?;
    let kept = kept(trial.store()).await?;
    let log = trial.close().await?;
    Ok(Crawled { summary, served: (log.bytes, log.requests), kept })
}

async fn kept(store: &Store) -> Result<BTreeMap<String, String>, ExperimentError> {
    let mut kept = BTreeMap::new();
    let images = ItemFilter { kinds: vec![MediaKind::Image], ..ItemFilter::default() };
    let mut after = 0;
    loop {
        let items = store.library().items(&images, after, 500).await?;
        let Some(last) = items.last() else { break };
        after = last.number;
        for item in items {
            kept.extend(item.found.into_iter().map(|sighting| (sighting.image, item.id.to_string())));
        }
    }
    Ok(kept)
}

fn report(trials: &[(&str, Crawled)]) -> Report {
    let whole = trials.last().map_or(1, |(_, trial)| trial.served.0).max(1) as f64;
    let share = |trial: &Crawled| trial.served.0 as f64 / whole;
    let row = |(name, trial): &(&str, Crawled)| {
        vec![
            (*name).to_owned(),
            trial.summary.pages.to_string(),
            trial.summary.images.seen.to_string(),
            trial.summary.images.kept.to_string(),
            trial.served.1.to_string(),
            show_bytes(trial.served.0),
            format!("{:.1} %", 100.0 * share(trial)),
            format!("{:.1}", trial.summary.seconds),
        ]
    };
    let same = trials.windows(2).all(|pair| {
        pair[0].1.kept == pair[1].1.kept && pair[0].1.summary.images.refused == pair[1].1.summary.images.refused
    });
    let figures: serde_json::Map<_, _> = trials
        .iter()
        .map(|(name, trial)| {
            let figures = json!({
                "bytes": trial.served.0, "requests": trial.served.1, "share": share(trial),
                "images": trial.summary.images, "pages": trial.summary.pages, "saved": trial.summary.bytes_saved,
                "seconds": trial.summary.seconds,
            });
            ((*name).to_owned(), figures)
        })
        .collect();
    Report {
        name: "probing",
        title: "only located photos: bytes in parts, as streams and as full downloads, pages included".into(),
        tables: vec![Table {
            headings: vec!["asked for", "pages", "images", "kept", "requests", "bytes", "of whole", "seconds"],
            rows: trials.iter().map(row).collect(),
        }],
        plots: Vec::new(),
        bars: Vec::new(),
        notes: vec![
            format!("the same decisions on the same images: {}", if same { "yes" } else { "no" }),
            "bytes and requests as the server counted them".into(),
        ],
        figures: json!({ "same_decisions": same, "ways": figures }),
    }
}
