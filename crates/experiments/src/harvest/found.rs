//! One crawl for a region, and what it found.

use std::collections::{HashMap, HashSet};

use crawl::{Granularity, Keep, Settings};
use facts::{MediaKind, Url};
use lab::PageId;
use store::{CrawlId, Harvest, PageFilter, Store};

use crate::ExperimentError;
use crate::ground::{Ground, Watched};
use crate::trial::{Trial, exact};

/// A way to order visits: a row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub name: &'static str,
    pub strategy: &'static str,
    /// Links ahead that are predicted.
    pub depth: u32,
    /// Whether the prior of where photographs are is mixed in, which is not of the document.
    pub prior: bool,
    /// The harvest rate the document reports.
    pub document: Option<f64>,
}

/// What is looked for.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    pub region: Option<String>,
    pub granularity: Granularity,
}

/// A crawl to be made.
pub(super) struct Plan {
    pub ground: Ground,
    pub way: Way,
    pub aim: Aim,
    /// Pages it is measured by.
    pub pages: u64,
    /// Numbers of pages after which what was learnt is taken out. Those beyond `pages` make the
    /// crawl go on after it was measured.
    pub lessons: Vec<u64>,
    /// What an earlier crawl has learnt.
    pub taught: Option<Vec<u8>>,
}

/// What a crawl found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub pages: u64,
    /// Relevant pages, as the crawl itself counts them.
    pub relevant: u64,
    /// Relevant pages after so many.
    pub curve: Vec<(u64, u64)>,
    pub harvest: Harvest,
    /// On a made web, what is true of the pages it visited.
    pub truth: Option<Truth>,
    /// What was learnt, after so many pages.
    pub lessons: HashMap<u64, Vec<u8>>,
    pub seconds: f64,
}

/// The pages a crawl visited on a made web.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    pub visited: HashSet<PageId>,
    /// Those with an address in the region.
    pub relevant: HashSet<PageId>,
    /// Those the crawl took for such.
    pub called: HashSet<PageId>,
}

/// Points of a curve.
const POINTS: usize = 100;
const TEACHER: &str = "teacher";
const NAME: &str = "harvest";

impl Plan {
    /// Makes it.
    pub async fn made(self) -> Result<Found, ExperimentError> {
        let Self { ground, way, aim, pages, mut lessons, taught } = self;
        let trial = Trial::open(Watched::new(ground)).await?;
        let mut settings = Settings {
            region: aim.region,
            granularity: aim.granularity,
            prior: way.prior,
            prediction_depth: way.depth,
            // Only pages are read, as in the document; the prior is of photos, and needs some.
            kind: if way.prior { vec![MediaKind::Image] } else { Vec::new() },
            keep: small_photos(),
            ..exact(way.strategy, pages)
        };
        if let Some(taught) = taught {
            teach(trial.store(), taught).await?;
            settings.model = Some(TEACHER.into());
        }
        lessons.push(pages);
        lessons.sort_unstable();
        lessons.dedup();
        let (mut found, mut done, mut seconds) = (Found::default(), 0, 0.0);
        for stage in lessons {
            settings.limits.max_pages = Some(stage - done);
            let summary = trial.crawl(NAME, settings.clone()).await?;
            done += summary.pages;
            seconds += summary.seconds;
            let Some(crawl) = trial.store().library().crawl(NAME).await? else { break };
            if let Some(model) = trial.store().library().model(crawl.id).await? {
                found.lessons.insert(stage, model);
            }
            if stage <= pages {
                let lessons = std::mem::take(&mut found.lessons);
                found = Found { lessons, seconds, ..look(&trial, crawl.id).await? };
            }
            if done < stage {
                break;
            }
        }
        trial.close().await?;
        Ok(found)
    }
}

impl Found {
    /// Relevant pages: those that are, where that is known, or those that were taken for such.
    pub fn relevant(&self) -> f64 {
        self.truth.as_ref().map_or(self.relevant as f64, |truth| truth.relevant.len() as f64)
    }

    /// Relevant pages per page, as the crawl itself counts them.
    pub fn rate(&self) -> f64 {
        self.harvest.rate().unwrap_or(0.0)
    }
}

/// Photos as made webs have them here, drawn at a seventh of their sides.
fn small_photos() -> Keep {
    Keep { min_width: Some(50), min_height: Some(50), thumbnail_size: 0, ..Keep::default() }
}

/// Puts what another crawl has learnt where a new one finds it.
async fn teach(store: &Store, taught: Vec<u8>) -> Result<(), ExperimentError> {
    let settings = serde_json::to_value(Settings::default()).unwrap_or_default();
    let teacher = store.library().save_crawl(TEACHER, &settings).await?;
    Ok(store.library().save_model(teacher.id, taught).await?)
}

async fn look(trial: &Trial<Watched>, crawl: CrawlId) -> Result<Found, ExperimentError> {
    let library = trial.store().library();
    let figures = library.figures(crawl, None).await?;
    Ok(Found {
        pages: figures.pages,
        relevant: figures.relevant,
        curve: library.harvest_curve(crawl, POINTS).await?,
        harvest: library.harvest(Some(crawl)).await?,
        truth: truth(trial).await?,
        ..Found::default()
    })
}

async fn truth(trial: &Trial<Watched>) -> Result<Option<Truth>, ExperimentError> {
    let ground = trial.web().ground();
    if ground.focus().is_none() {
        return Ok(None);
    }
    let mut truth = Truth::default();
    for page in trial.web().served() {
        if let Some((page, relevant)) = ground.truth(&page.url) {
            truth.visited.insert(page);
            if relevant {
                truth.relevant.insert(page);
            }
        }
    }
    let (relevant, mut after) = (PageFilter { relevant: true, ..PageFilter::default() }, 0);
    loop {
        let pages = trial.store().library().pages(&relevant, after, 500).await?;
        let Some(last) = pages.last() else { break };
        after = last.number;
        let known = pages.iter().filter_map(|page| ground.truth(&Url::parse(&page.url).ok()?));
        truth.called.extend(known.map(|(page, _)| page));
    }
    Ok(Some(truth))
}
