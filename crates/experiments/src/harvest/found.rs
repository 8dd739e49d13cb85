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

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: u64 = 110;

    fn ground() -> Ground {
        let settings = lab::Settings { flaky_share: 0.0, photo_bytes_scale: 0.02, ..lab::Settings::default() };
        Ground::made(lab::Settings { number: 3, hosts: 12, pages: 400, https_share: 0.0, ..settings })
    }

    fn plan(ground: Ground, strategy: &'static str) -> Plan {
        Plan {
            way: Way { name: strategy, strategy, depth: 2, prior: false, document: None },
            aim: Aim { region: ground.focus(), granularity: Granularity::Address },
            ground,
            pages: PAGES,
            lessons: Vec::new(),
            taught: None,
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_breadth_first_crawl_visits_what_the_graph_says_and_tells_what_is_relevant() {
        let Ground::Made(web) = ground() else { unreachable!() };
        let walked: HashSet<PageId> = web.walk().take(PAGES as usize).map(|(page, _)| page).collect();
        let relevant: HashSet<PageId> = walked.iter().copied().filter(|page| web.is_relevant(*page)).collect();
        let found = plan(ground(), "bfs").made().await.unwrap();
        let truth = found.truth.as_ref().unwrap();
        assert_eq!((found.pages, found.curve.last().unwrap().0), (PAGES, PAGES));
        assert_eq!(truth.visited, walked);
        assert_eq!(truth.relevant, relevant);
        assert!(!relevant.is_empty(), "a test of nothing");
        assert_eq!(found.relevant as usize, truth.called.len());
        assert_eq!(found.relevant(), relevant.len() as f64);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_learnt_is_taken_out_on_the_way_and_can_be_given_to_another_crawl() {
        let lessons = vec![PAGES / 2, PAGES + 10];
        let first = Plan { lessons, ..plan(ground(), "geo") }.made().await.unwrap();
        assert_eq!(first.pages, PAGES, "what comes after does not count");
        let mut learnt: Vec<u64> = first.lessons.keys().copied().collect();
        learnt.sort_unstable();
        assert_eq!(learnt, [PAGES / 2, PAGES, PAGES + 10]);
        let taught = first.lessons.get(&PAGES).cloned();
        let again = || Plan { taught: taught.clone(), ..plan(ground(), "geo") };
        let (one, two) = (again().made().await.unwrap(), again().made().await.unwrap());
        assert_eq!((one.pages, one.relevant, one.curve), (PAGES, two.relevant, two.curve));
        assert_eq!(one.truth.unwrap().visited, two.truth.unwrap().visited, "the same order each time");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_folder_of_pages_is_crawled_like_a_web() {
        let folder = tempfile::tempdir().unwrap();
        let link = "<a href=visit.html>Visit</a> <a href=http://elsewhere.test/>Elsewhere</a>";
        std::fs::write(folder.path().join("index.html"), link).unwrap();
        std::fs::write(folder.path().join("visit.html"), "<p>Käsityöläiskatu 5, 80100 Joensuu, Finland</p>").unwrap();
        let found = plan(Ground::mirror(folder.path()).unwrap(), "bfs").made().await.unwrap();
        assert_eq!((found.pages, found.relevant, found.truth.is_none()), (2, 1, true));
        assert_eq!(found.harvest.seed_distance, [0, 1]);
    }
}
