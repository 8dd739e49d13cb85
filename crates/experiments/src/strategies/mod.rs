//! What an order of visits finds, and what it costs [000 §6, Table 10, Figs. 35, 36 and 38].
//!
//! Each task is a process of its own, and the web is served by another, so that what the kernel
//! counts for it is the crawl's alone.

mod task;
mod told;

use tokio::sync::watch;

use crate::ground::Ground;
use crate::{ExperimentError, Order, Report};
use task::{Bench, Task};

/// An order of visits, and what the document reports of it.
#[derive(Clone, Copy, Debug)]
struct Way {
    strategy: &'static str,
    document: Option<Document>,
}

/// Of ten tasks of 100 pages each.
#[derive(Clone, Copy, Debug)]
struct Document {
    images: u64,
    geotagged: u64,
    minutes_a_task: f64,
    seconds_a_page: f64,
    megabytes: f64,
}

const fn document(
    images: u64,
    geotagged: u64,
    minutes_a_task: f64,
    seconds_a_page: f64,
    megabytes: f64,
) -> Option<Document> {
    Some(Document { images, geotagged, minutes_a_task, seconds_a_page, megabytes })
}

const WAYS: [Way; 5] = [
    Way { strategy: "bfs", document: document(3898, 52, 10.0, 9.23, 63.0) },
    Way { strategy: "dfs", document: document(3576, 13, 14.0, 6.52, 81.0) },
    Way { strategy: "best-first", document: document(9832, 201, 26.0, 9.41, 128.0) },
    Way { strategy: "geo-distance", document: None },
    Way { strategy: "geo", document: None },
];
const BFS: usize = 0;
const BEST_FIRST: usize = 2;
/// Pages of all tasks together, and of the web that is read to its end.
const PAGES: u64 = 1_000;
const TASKS: u64 = 10;
/// How often a web is read to its end; the least CPU time counts, for others only add to it.
const TIMES: usize = 4;

/// Everything that was measured, by way.
struct Results {
    /// Ten tasks one after the other, with photos.
    tasks: Vec<Vec<Task>>,
    /// One web read to its end without photos: the same work for all.
    whole: Vec<Task>,
}

/// Makes it.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let pages = order.max_pages.unwrap_or(PAGES);
    let made = lab::Settings { flaky_share: 0.0, ..lab::Settings::default() };
    let small = lab::Settings { hosts: 30, pages, ..made.clone() };
    let [ground, whole] = [made, small].map(|web| Ground::ordered(order, 1, &web));
    let (ground, whole) = (ground?.remove(0), whole?.remove(0));

    let mut results = Results { tasks: Vec::new(), whole: Vec::new() };
    for way in WAYS {
        let bench = Bench::open(&ground, order, way.strategy).await?;
        let mut tasks = Vec::new();
        let count = TASKS.min(pages);
        for number in 1..=count {
            progress.send_replace(format!("{}: task {number} of {count}", way.strategy));
            tasks.push(bench.task(pages.div_ceil(count), true).await?);
        }
        bench.close().await;
        results.tasks.push(tasks);
    }
    for time in 1..=TIMES {
        for (place, way) in WAYS.iter().enumerate() {
            progress.send_replace(format!("{}: pages only, {time} of {TIMES}", way.strategy));
            let bench = Bench::open(&whole, order, way.strategy).await?;
            // Twice as many as there are: it ends when nothing is left.
            let task = bench.task(2 * pages, false).await?;
            bench.close().await;
            match results.whole.get_mut(place) {
                Some(least) if least.cost.cpu_seconds <= task.cost.cpu_seconds => {}
                Some(least) => *least = task,
                None => results.whole.push(task),
            }
        }
    }
    Ok(told::report(&results))
}
