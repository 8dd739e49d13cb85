//! Start pages for a crawl that was given none: sources are asked for its query, or for the name of its region.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use facts::Url;
use fetch::Fetcher;
use query::Query;
use sources::{Means, Mix, Question, SourceSettings, build};
use store::Store;
use tokio::task::JoinSet;

use crate::engine::fetch_settings;
use crate::error::CrawlError;
use crate::places::Interest;
use crate::settings::{Reach, Settings};
use crate::stop::Stop;

/// Pages that are asked for.
const PAGES: usize = 50;
/// Start pages of which it is found out at once whether they can be reached.
const AT_ONCE: usize = 16;
/// How long a source may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Start pages for a crawl of these settings: none when it names neither words nor a region.
pub(crate) async fn start_pages(
    store: &Arc<Store>,
    settings: &Settings,
    interest: &Interest,
    reach: &Reach,
) -> Result<Vec<Url>, CrawlError> {
    let Some(question) = question(settings, interest) else { return Ok(Vec::new()) };
    let mut named = reach.sources.clone();
    if named.is_empty() {
        named = SourceSettings::usual();
    }
    named.iter_mut().for_each(|source| source.private |= reach.allow_private);
    let fetch = fetch_settings(reach, std::collections::HashSet::new(), settings.manners.contact.clone());
    let means = Means { fetch, library: Some(Arc::clone(store.library())) };
    let sources = build(&named, means).map_err(CrawlError::Sources)?;
    let mut mix = Mix::new(sources, question, PATIENCE);
    mix.ask(PAGES);
    while mix.is_asking() {
        mix.answered().await;
    }
    let starts: Vec<Url> = std::iter::from_fn(|| mix.take()).map(|start| start.url).take(PAGES).collect();
    let told = |state: &sources::SourceState| Some(format!("{}: {}", state.name, state.detail.as_ref()?));
    let failed: Vec<String> = mix.states().iter().filter_map(told).collect();
    if starts.is_empty() {
        let why = if failed.is_empty() { "they know no page about it".to_owned() } else { failed.join("; ") };
        return Err(CrawlError::NoStart(why));
    }
    failed.iter().for_each(|failure| tracing::warn!("a source of start pages failed: {failure}"));
    Ok(starts)
}

/// Seeds whose names resolve to addresses that may be asked, and those that do not, with the reason.
pub(crate) async fn reachable_seeds(fetcher: &Fetcher, seeds: &[Url]) -> (Vec<Url>, Vec<(Url, String)>) {
    let fetcher = fetcher.clone();
    let reach = move |seed: Url| {
        let fetcher = fetcher.clone();
        async move { fetcher.reach(&seed).await }
    };
    let mut reachable = Vec::new();
    let mut refused = Vec::new();
    for (seed, told) in seeds.iter().zip(ask_each(seeds, reach).await) {
        match told {
            Ok(()) => reachable.push(seed.clone()),
            Err(error) => refused.push((seed.clone(), error.to_string())),
        }
    }
    (reachable, refused)
}

/// Asks about each, a few at once; the answers are in their order.
async fn ask_each<A: Future<Output = T> + Send + 'static, T: Send + 'static>(
    seeds: &[Url],
    ask: impl Fn(Url) -> A,
) -> Vec<T> {
    let mut waiting = seeds.iter().enumerate();
    let (mut asked, mut told) = (JoinSet::new(), BTreeMap::new());
    loop {
        while asked.len() < AT_ONCE
            && let Some((number, seed)) = waiting.next()
        {
            let answer = ask(seed.clone());
            asked.spawn(async move { (number, answer.await) });
        }
        match asked.join_next().await {
            Some(Ok((number, answer))) => drop(told.insert(number, answer)),
            Some(Err(broken)) => std::panic::resume_unwind(broken.into_panic()),
            None => return told.into_values().collect(),
        }
    }
}

/// What comes of it, unless it is told to stop before.
pub(crate) async fn unless_stopped<T>(stop: &Stop, work: impl Future<Output = T>) -> Result<T, CrawlError> {
    let mut stop = stop.clone();
    tokio::select! {
        biased;
        done = work => Ok(done),
        () = stop.wait() => Err(CrawlError::Stopped),
    }
}

/// What sources are asked for.
fn question(settings: &Settings, interest: &Interest) -> Option<Question> {
    if let Some(query) = settings.query.as_deref().and_then(|text| Query::parse(text).ok()) {
        let question = Question::of(&query);
        if !question.is_empty() {
            return Some(question);
        }
    }
    // "15 km around 53.14,8.21" has no name; the town in its middle has one.
    let region = interest.region.as_ref()?;
    let name = region.name().split(',').next().unwrap_or_default().trim().to_owned();
    let named = !name.is_empty() && !name.contains(|c: char| c.is_ascii_digit());
    let name = match named {
        true => name,
        false => {
            let spot = geo::reverse(geo::Gazetteer::embedded(), region.centre()?);
            spot.nearest.map(|(place, _)| place.name().to_owned())?
        }
    };
    Some(Question::words(&name))
}

#[cfg(test)]
mod tests {
    use tokio::sync::Barrier;

    use super::*;
    use crate::stop::stopper;

    fn seeds(count: usize) -> Vec<Url> {
        (0..count).map(|n| Url::parse(&format!("http://host{n}.example/")).unwrap()).collect()
    }

    #[tokio::test]
    async fn start_pages_are_looked_up_several_at_a_time() {
        // None answers before all that may be asked at once are.
        let all = Arc::new(Barrier::new(AT_ONCE));
        let seeds = seeds(3 * AT_ONCE);
        let told = ask_each(&seeds, |seed| {
            let all = Arc::clone(&all);
            async move {
                all.wait().await;
                seed
            }
        });
        assert_eq!(told.await, seeds);
    }

    #[tokio::test]
    async fn where_this_program_listens_nothing_is_asked_whatever_else_is_allowed() {
        let own = Url::parse("http://127.0.0.1:8484/api").unwrap();
        let other = Url::parse("http://127.0.0.1:8485/").unwrap();
        let own_listeners = vec!["127.0.0.1:8484".parse().unwrap()];
        let reach = Reach { allow_private: true, own_listeners, ..Reach::default() };
        let fetcher = Fetcher::new(fetch_settings(&reach, [own.host()].into(), None)).unwrap();
        let (reachable, refused) = reachable_seeds(&fetcher, &[own.clone(), other.clone()]).await;
        assert_eq!(reachable, [other]);
        assert_eq!(refused.first().map(|(seed, _)| seed), Some(&own));
    }

    #[tokio::test]
    async fn whoever_stops_a_crawl_does_not_wait_for_its_start_pages() {
        let (stopper, stop) = stopper();
        let never = |_| std::future::pending::<()>();
        let seeds = seeds(100);
        let started = async { unless_stopped(&stop, ask_each(&seeds, never)).await };
        let (started, ()) = tokio::join!(started, async { stopper.stop() });
        assert!(matches!(started, Err(CrawlError::Stopped)));
        assert_eq!(unless_stopped(&crate::stop::stopper().1, async { 5 }).await.unwrap(), 5);
    }
}
