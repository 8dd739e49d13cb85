//! A crawl of a made web, from its start to its summary, leaving nothing behind.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crawl::{Reach, Settings, Summary};
use facts::MediaKind;
use lab::{Server, Web};
use store::{ItemFilter, Store};
use tokio::sync::watch;

use crate::ExperimentError;

/// A crawl that was made.
pub(crate) struct Trial {
    pub summary: Summary,
    /// Bytes of bodies that the server sent, and requests it saw.
    pub served: (u64, u64),
    /// Kept images by address.
    pub kept: BTreeMap<String, String>,
}

/// Crawls the web with these settings, from its own seeds, in a directory of its own.
pub(crate) async fn crawl_web(web: lab::Settings, settings: Settings) -> Result<Trial, ExperimentError> {
    let web = Web::new(web);
    let seeds = web.seeds().to_vec();
    let server = Server::start(web, ([127, 0, 0, 1], 0).into()).await?;
    let directory = tempfile::tempdir()?;
    let result = crawl_served(&server, directory.path(), Settings { seeds, ..settings }).await;
    let log = server.settled_log().await;
    server.stop().await;
    let (summary, kept) = result?;
    Ok(Trial { summary, served: (log.bytes, log.requests), kept })
}

async fn crawl_served(
    server: &Server,
    directory: &Path,
    settings: Settings,
) -> Result<(Summary, BTreeMap<String, String>), ExperimentError> {
    let reach = Reach {
        resolve: server.resolve().iter().filter_map(|rule| fetch::ResolveRule::parse(rule).ok()).collect(),
        ca: server.ca_pem().as_bytes().to_vec(),
        ..Reach::default()
    };
    let options = store::Options {
        what: "an experiment".into(),
        default_delay: settings.manners.delay,
        ..store::Options::default()
    };
    let store = Arc::new(Store::open(directory, options)?);
    let (_stopper, stop) = crawl::stopper();
    let (progress, _) = watch::channel(crawl::Progress::default());
    let summary = crawl::run(Arc::clone(&store), "experiment", settings, reach, stop, progress).await?;
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
    Ok((summary, kept))
}
