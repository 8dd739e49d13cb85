//! Relevant pages per page read, for crawls with and without a focus [001 §5, Figs. 7–10].
//!
//! The same pages of the same webs are offered to each order of visits, one request at a time, so
//! that only the order differs. Nothing but pages is read, as in the document.

mod found;
mod results;
mod told;

use tokio::sync::watch;

use crate::ground::Ground;
use crate::trial::together;
use crate::{ExperimentError, Order, Report};
use found::{Aim, Found, Plan, Way};
use results::Results;

/// The rows that repeat the document, and one of our own.
const WAYS: [Way; 6] = [
    Way { name: "bfs", strategy: "bfs", depth: 1, prior: false, document: Some(0.04) },
    Way { name: "geo-distance", strategy: "geo-distance", depth: 1, prior: false, document: Some(0.055) },
    Way { name: "geo, depth 1", strategy: "geo", depth: 1, prior: false, document: None },
    Way { name: "geo, depth 2", strategy: "geo", depth: 2, prior: false, document: None },
    Way { name: "geo, depth 3", strategy: "geo", depth: 3, prior: false, document: Some(0.12) },
    Way { name: "geo, with prior", strategy: "geo", depth: 3, prior: true, document: None },
];
const BFS: usize = 0;
const DISTANCE: usize = 1;
const SHALLOW: usize = 2;
const GEO: usize = 4;
const WEBS: u64 = 5;
const AIMLESS_WEBS: u64 = 3;
const PAGES: u64 = 1_500;
/// Pages a model had learnt from before it was used on another web, in parts of the pages of a crawl.
const LESSONS: [(u64, u64); 2] = [(1, 3), (1, 1)];

/// Makes it.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let pages = order.max_pages.unwrap_or(PAGES);
    // Errors that pass would make the order a matter of time.
    let web = lab::Settings { flaky_share: 0.0, photo_bytes_scale: 0.02, ..lab::Settings::default() };
    let grounds = Ground::ordered(order, WEBS, &web)?;
    let lessons: Vec<u64> = LESSONS.iter().map(|(part, of)| (pages * part / of).max(1)).collect();
    let plan = |ground: &Ground, way: usize| Plan {
        ground: ground.clone(),
        way: WAYS[way],
        aim: Aim { region: order.region.clone().or_else(|| ground.focus()), granularity: order.granularity },
        pages,
        // All pause at the same pages, so that nothing else differs.
        pauses: lessons.iter().copied().filter(|lesson| *lesson < pages || way == GEO).collect(),
        teaches: way == GEO,
        taught: None,
    };
    let told = |part: &'static str| {
        move |done, of| {
            progress.send_replace(format!("{part}: {done} of {of} crawls"));
        }
    };

    let trials = grounds.iter().flat_map(|ground| (0..WAYS.len()).map(|way| plan(ground, way).made()));
    let mut found = together(trials.collect(), told("orders of visits")).await?.into_iter();
    let crawls: Vec<Vec<Found>> = grounds.iter().map(|_| found.by_ref().take(WAYS.len()).collect()).collect();

    let (mut aimless, mut taught) = (Vec::new(), Vec::new());
    if order.from.is_none() {
        // Neither who links to whom nor how paths and links are worded tells of a place.
        let nowhere = lab::Settings { cohesion: 0.0, noise: 1.0, aimless: 1.0, plain_share: 1.0, ..web };
        let nowhere = Ground::ordered(order, AIMLESS_WEBS, &nowhere)?;
        let trials = nowhere.iter().flat_map(|ground| {
            [BFS, GEO].map(|way| Plan { teaches: false, pauses: Vec::new(), ..plan(ground, way) }.made())
        });
        let mut found = together(trials.collect(), told("webs without cohesion")).await?.into_iter();
        while let (Some(bfs), Some(geo)) = (found.next(), found.next()) {
            aimless.push([bfs, geo]);
        }
        for lesson in lessons.iter().copied() {
            // Each web is crawled with what was learnt on the one before, about another town.
            let before = |web: usize| crawls[(web + crawls.len() - 1) % crawls.len()][GEO].lessons.get(&lesson);
            let models: Option<Vec<_>> = (0..grounds.len()).map(|web| before(web).cloned()).collect();
            // A web that was read to its end before teaches nothing of that length.
            let Some(models) = models else { continue };
            let trials = grounds.iter().zip(models).map(|(ground, model)| {
                Plan { taught: Some(model), teaches: false, pauses: Vec::new(), ..plan(ground, GEO) }.made()
            });
            taught.push((lesson, together(trials.collect(), told("what was learnt before")).await?));
        }
    }
    let aim = Aim { region: order.region.clone(), granularity: order.granularity };
    Ok(told::report(&Results { pages, aim, grounds, crawls, aimless, taught }))
}
