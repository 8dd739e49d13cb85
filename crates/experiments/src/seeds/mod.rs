//! What becomes of a crawl by the kind of site it starts from [000 Tables 5, 8 and 11, Fig. 30].

mod told;

use std::collections::{BTreeMap, HashSet};

use crawl::Settings;
use facts::Url;
use tokio::sync::watch;

use crate::ground::{Ground, NOTED, Watched};
use crate::trial::{Trial, exact, together};
use crate::{ExperimentError, Order, Report};

const PAGES: u64 = 100;
const WEBS: u64 = 3;
/// Seeds of a folder of pages that are tried.
const MOST_SEEDS: usize = 12;
/// How often the queue is looked at.
const LOOKS: u64 = 20;

/// What a crawl from one seed came to; of several, their sum.
#[derive(Clone, Debug, Default)]
struct Start {
    crawls: u64,
    pages: u64,
    images: u64,
    geotagged: u64,
    relevant: u64,
    /// Links of its first pages, each address once a page.
    links: u64,
    /// Those that lead to an address for the first time.
    new: u64,
    /// Those that lead back to the seed.
    home: u64,
    /// Pages waiting after so many pages.
    queue: Vec<(u64, u64)>,
}

/// Makes it.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let pages = order.max_pages.unwrap_or(PAGES);
    let made = lab::Settings { flaky_share: 0.0, ..lab::Settings::default() };
    let grounds = Ground::ordered(order, WEBS, &made)?;
    let mut names = Vec::new();
    let mut trials = Vec::new();
    for ground in &grounds {
        for (name, seed) in ground.named_seeds().into_iter().take(MOST_SEEDS) {
            let settings = Settings {
                seeds: vec![seed.clone()],
                region: order.region.clone().or_else(|| ground.focus()),
                granularity: order.granularity,
                ..exact("best-first", pages)
            };
            names.push(name);
            trials.push(started(ground.clone(), seed, settings, pages));
        }
    }
    let told = |done, of| {
        progress.send_replace(format!("{done} of {of} seeds"));
    };
    let starts = together(trials, told).await?;
    let mut kinds: BTreeMap<String, Start> = BTreeMap::new();
    for (name, start) in names.into_iter().zip(starts) {
        kinds.entry(name).or_default().add(start);
    }
    Ok(told::report(&kinds, pages, grounds.len()))
}

async fn started(ground: Ground, seed: Url, mut settings: Settings, pages: u64) -> Result<Start, ExperimentError> {
    const NAME: &str = "seed";
    let trial = Trial::open(Watched::new(ground)).await?;
    let mut start = Start { crawls: 1, ..Start::default() };
    let step = pages.div_ceil(LOOKS);
    while start.pages < pages {
        settings.limits.max_pages = Some(step.min(pages - start.pages));
        let read = trial.crawl(NAME, settings.clone()).await?.pages;
        let Some(crawl) = trial.store().library().crawl(NAME).await? else { break };
        let figures = trial.store().library().figures(crawl.id, None).await?;
        start.pages = figures.pages;
        start.images = figures.media.get("image").map_or(0, |images| images.kept);
        (start.geotagged, start.relevant) = (figures.geotagged, figures.relevant);
        start.queue.push((start.pages, trial.store().frontier().figures(crawl.id).await?.queued_pages));
        if read == 0 {
            break;
        }
    }
    let mut known = HashSet::from([seed.id()]);
    for served in trial.web().served().into_iter().take(NOTED) {
        let Some(body) = served.body else { continue };
        let page = page::read(&body, Some("text/html"), &served.url, &page::Limits::default());
        start.links += page.links.len() as u64;
        start.home += page.links.iter().filter(|link| link.url.id() == seed.id()).count() as u64;
        start.new += page.links.iter().filter(|link| known.insert(link.url.id())).count() as u64;
    }
    trial.close().await?;
    Ok(start)
}

impl Start {
    fn add(&mut self, other: Self) {
        self.crawls += other.crawls;
        self.pages += other.pages;
        self.images += other.images;
        self.geotagged += other.geotagged;
        self.relevant += other.relevant;
        self.links += other.links;
        self.new += other.new;
        self.home += other.home;
        // Of one that ended early, what it came to is no part of the rest.
        if self.queue.is_empty() {
            self.queue = other.queue;
        } else {
            self.queue.truncate(other.queue.len());
            self.queue.iter_mut().zip(other.queue).for_each(|(sum, more)| {
                sum.0 += more.0;
                sum.1 += more.1;
            });
        }
    }
}
