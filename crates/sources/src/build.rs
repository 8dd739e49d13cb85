//! From settings to sources.

use std::sync::Arc;

use facts::Url;
use fetch::Fetcher;
use store::Library;

use crate::brave::Brave;
use crate::index::Index;
use crate::opensearch::OpenSearch;
use crate::searxng::Searxng;
use crate::service::Service;
use crate::settings::{SourceKind, SourceSettings};
use crate::source::Source;
use crate::urls::{Place, Urls};
use crate::wikimedia::Wikimedia;

const BRAVE: &str = "https://api.search.brave.com/";
/// Pictures with free licences, and the encyclopedia with most pages.
const WIKIS: [&str; 2] = ["https://commons.wikimedia.org/", "https://en.wikipedia.org/"];

/// What sources work with.
pub struct Means {
    /// How bytes are fetched. Hosts of services that may be private are added to those it admits.
    pub fetch: fetch::Settings,
    /// The own library; without one there is no index to ask.
    pub library: Option<Arc<dyn Library>>,
}

/// Makes the sources that settings name, or says what is wrong with them.
pub fn build(settings: &[SourceSettings], means: Means) -> Result<Vec<Box<dyn Source>>, String> {
    let Means { mut fetch, library } = means;
    let named = settings.iter().filter(|source| source.private).filter_map(|source| source.url.as_ref());
    fetch.private_hosts.extend(named.map(Url::host));
    let fetcher = Fetcher::new(fetch).map_err(|error| error.to_string())?;
    build_with(settings, &fetcher, library)
}

/// The same with a fetcher of one's own, whatever it reaches.
pub fn build_with(
    settings: &[SourceSettings],
    fetcher: &Fetcher,
    library: Option<Arc<dyn Library>>,
) -> Result<Vec<Box<dyn Source>>, String> {
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    for source in settings {
        source.check()?;
        let service = || Service::new(fetcher.clone());
        let name = source.called();
        match (source.kind, source.url.clone()) {
            (SourceKind::Index, _) => {
                if let Some(library) = &library {
                    sources.push(Box::new(Index::new(Arc::clone(library))));
                }
            }
            (SourceKind::Wikimedia, Some(url)) => sources.push(Box::new(Wikimedia::new(name, service(), url))),
            (SourceKind::Wikimedia, None) => {
                for wiki in WIKIS {
                    let url = Url::parse(wiki).map_err(|error| error.to_string())?;
                    let name = format!("{name} {}", url.host_str());
                    sources.push(Box::new(Wikimedia::new(name, service(), url)));
                }
            }
            (SourceKind::Searxng, Some(url)) => sources.push(Box::new(Searxng::new(name, service(), url))),
            (SourceKind::Opensearch, Some(url)) => sources.push(Box::new(OpenSearch::new(name, service(), url))),
            (SourceKind::Brave, url) => {
                let key = source.key.as_deref().unwrap_or_default().trim();
                let mut key = http::HeaderValue::from_str(key).map_err(|_| "the key cannot be sent".to_owned())?;
                key.set_sensitive(true);
                let header = http::HeaderName::from_static("x-subscription-token");
                let service = Service::with_key(fetcher.clone(), header, key);
                let base = url.map_or_else(|| Url::parse(BRAVE).map_err(|error| error.to_string()), Ok)?;
                sources.push(Box::new(Brave::new(name, service, base)));
            }
            (SourceKind::Urls, url) => {
                let place = url.map(Place::Web).or_else(|| source.file.clone().map(Place::File));
                if let Some(place) = place {
                    sources.push(Box::new(Urls::new(name, service(), place)));
                }
            }
            (SourceKind::Searxng | SourceKind::Opensearch, None) => {}
        }
    }
    Ok(sources)
}
