//! Pages on a topic among those visited, for crawls that go by the words of the topic and for those that do
//! not: the experiment that document 003 announces.
//!
//! The same webs are offered to each way, one request at a time, so that only the order differs. Their links
//! and words tell of topics as on the real web: pages link to pages alike, words stand on pages that are
//! about something else, links are named by what their target is not.

mod told;

use std::collections::HashSet;

use crawl::{Keep, Settings};
use facts::MediaKind;
use strategy::{LinkWords, Scope, VertexWeight, Weighting};
use tokio::sync::watch;

use crate::ground::{Ground, Watched};
use crate::trial::{Trial, exact, together};
use crate::{ExperimentError, Order, Report};

/// A way to order visits: a row of the table.
#[derive(Clone, Copy, Debug)]
struct Way {
    name: &'static str,
    strategy: &'static str,
    weighting: Weighting,
    prior: bool,
}

/// As the document has it; off what it calls optional.
const PLAIN: Weighting = Weighting {
    same_site_first: false,
    idf: false,
    headings: true,
    stemming: true,
    vertex: VertexWeight::Own,
    link_words: LinkWords::Around,
};

const fn way(name: &'static str, weighting: Weighting) -> Way {
    Way { name, strategy: "weighted", weighting, prior: false }
}

const WAYS: [Way; 12] = [
    Way { name: "bfs", strategy: "bfs", weighting: PLAIN, prior: false },
    way("weighted", PLAIN),
    way("with idf", Weighting { idf: true, ..PLAIN }),
    way("without stemming", Weighting { stemming: false, ..PLAIN }),
    way("without heading weights", Weighting { headings: false, ..PLAIN }),
    way("same site first", Weighting { same_site_first: true, ..PLAIN }),
    way("weight of all links", Weighting { vertex: VertexWeight::Inlinks, ..PLAIN }),
    way("mean of own and all", Weighting { vertex: VertexWeight::Both, ..PLAIN }),
    way("links by their text", Weighting { link_words: LinkWords::Text, ..PLAIN }),
    way("links by all words", Weighting { link_words: LinkWords::All, ..PLAIN }),
    way("by text, with idf", Weighting { link_words: LinkWords::Text, idf: true, ..PLAIN }),
    Way { name: "with prior", prior: true, ..way("", PLAIN) },
];
const BFS: usize = 0;
const WEIGHTED: usize = 1;
const PRIOR: usize = WAYS.len() - 1;

const WEBS: u64 = 3;
const PAGES: u64 = 300;
/// Topics of each web that are looked for, by their places in the list; other ones on each.
const TOPICS: usize = 2;

/// A topic of a web.
#[derive(Clone)]
struct Aim {
    ground: Ground,
    word: &'static str,
}

/// What a crawl found.
#[derive(Clone, Debug, Default)]
struct Found {
    pages: u64,
    on_topic: u64,
    /// Pages on the topic after so many pages.
    curve: Vec<(u64, u64)>,
}

/// All crawls: for each aim one in each way.
struct Results {
    pages: u64,
    aims: Vec<Aim>,
    crawls: Vec<Vec<Found>>,
}

/// Makes it.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    if let Some(path) = &order.from {
        let why = "nobody knows what its pages are about: this experiment is made on made webs".to_owned();
        return Err(ExperimentError::From { path: path.clone(), why });
    }
    let pages = order.max_pages.unwrap_or(PAGES);
    // Errors that pass would make the order a matter of time.
    let web = lab::Settings {
        flaky_share: 0.0,
        photo_bytes_scale: 0.02,
        own_domains: true,
        topics: Some(lab::Topics::default()),
        ..lab::Settings::default()
    };
    let mut aims = Vec::new();
    for (place, ground) in Ground::ordered(order, WEBS, &web)?.into_iter().enumerate() {
        let words = ground.topic_words();
        let chosen = words.iter().cycle().skip(TOPICS * place).take(TOPICS.min(words.len()));
        aims.extend(chosen.map(|word| Aim { ground: ground.clone(), word }));
    }
    let trials = aims.iter().flat_map(|aim| WAYS.map(|way| made(aim.clone(), way, pages)));
    let told = |done, of| {
        progress.send_replace(format!("{done} of {of} crawls"));
    };
    let mut found = together(trials.collect(), told).await?.into_iter();
    let crawls = aims.iter().map(|_| found.by_ref().take(WAYS.len()).collect()).collect();
    Ok(told::report(&Results { pages, aims, crawls }))
}

/// Points of a curve.
const POINTS: u64 = 60;

async fn made(aim: Aim, way: Way, pages: u64) -> Result<Found, ExperimentError> {
    let Aim { ground, word } = aim;
    let settings = Settings {
        query: Some(word.to_owned()),
        weighted: way.weighting,
        prior: way.prior,
        scope: Scope::Any,
        places: false,
        // Only pages are read; the prior is of photos, and needs some.
        kind: if way.prior { vec![MediaKind::Image] } else { Vec::new() },
        keep: Keep { min_width: Some(50), min_height: Some(50), thumbnail_size: 0, ..Keep::default() },
        ..exact(way.strategy, pages)
    };
    let trial = Trial::open(Watched::new(ground)).await?;
    trial.crawl("weighted", settings).await?;
    let mut found = Found::default();
    let mut known = HashSet::new();
    let step = (pages / POINTS).max(1);
    for served in trial.web().served() {
        let Some((page, on_topic)) = trial.web().ground().on_topic(&served.url, word) else { continue };
        if known.insert(page) {
            found.pages += 1;
            found.on_topic += u64::from(on_topic);
            if found.pages % step == 0 {
                found.curve.push((found.pages, found.on_topic));
            }
        }
    }
    trial.close().await?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn words_lead_to_pages_on_their_topic() {
        let order = Order { max_pages: Some(120), number: Some(2), ..Order::default() };
        let web = lab::Settings {
            hosts: 40,
            pages: 3_000,
            flaky_share: 0.0,
            own_domains: true,
            topics: Some(lab::Topics::default()),
            ..lab::Settings::default()
        };
        let ground = Ground::ordered(&order, 1, &web).unwrap().remove(0);
        let aim = Aim { word: ground.topic_words()[1], ground };
        let ways = [WAYS[BFS], WAYS[WEIGHTED], WAYS[8]];
        let found = together(ways.map(|way| made(aim.clone(), way, 120)).into(), |_, _| {}).await.unwrap();
        let [bfs, weighted, by_text] = &found[..] else { panic!() };
        assert!(bfs.pages >= 100 && weighted.pages >= 100, "{bfs:?} {weighted:?}");
        assert!(by_text.on_topic > 2 * bfs.on_topic, "{bfs:?} {by_text:?}");
        assert!(weighted.on_topic > bfs.on_topic, "{bfs:?} {weighted:?}");
    }
}
