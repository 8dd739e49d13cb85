//! Start pages for a crawl that was given none: sources are asked for its query, or for the name of its region.

use std::sync::Arc;
use std::time::Duration;

use facts::Url;
use query::Query;
use sources::{Means, Mix, Question, SourceSettings, build};
use store::Store;

use crate::engine::fetch_settings;
use crate::error::CrawlError;
use crate::places::Interest;
use crate::settings::{Reach, Settings};

/// Pages that are asked for.
const PAGES: usize = 50;
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
