//! What a person keeps of a find goes into the library: the picture, the page that shows it, and the query as
//! its story.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use facts::{Branch, MediaKind, Order, Timestamp, Url, UrlId};
use fetch::Response;
use media::Preset;
use store::{
    Claim, Link, LinkContext, MediaFile, MediaReference, Outcome, PageFacts, RunLimits, Store, StoreError, Version,
    VisitKind, Visited,
};
use tokio::sync::{Mutex, Semaphore};

use super::board::Shower;
use super::error::FindError;
use super::reading::unpack;
use crate::content::{Content, Contents};
use crate::keep::{Called, Keep};
use crate::lexicon::Lexicon;
use crate::links::{Guide, gather};
use crate::places::Interest;
use crate::settings::{Settings, TASK_PAGES};
use crate::sites::Sites;
use crate::steps::Steps;

/// The strategy under which what was kept of a find is listed.
pub const STRATEGY: &str = "query";

/// Puts pictures into a library.
pub(super) struct Keeper {
    store: Arc<Store>,
    name: String,
    settings: Settings,
    contents: Contents,
    guide: Arc<Guide>,
    /// One at a time writes.
    writing: Mutex<()>,
    /// Visits of one address are told apart by it: pages may be kept from again and again.
    round: AtomicU32,
}

/// A picture that was fetched, and the page that shows it.
pub(super) struct Fetched {
    pub id: u32,
    pub url: Url,
    pub file: MediaFile,
    pub page: PageToKeep,
}

/// A page as it is remembered with a picture.
#[derive(Clone)]
pub(super) struct PageToKeep {
    pub url: Url,
    title: String,
    packed: Vec<u8>,
    content_type: Option<String>,
    directives: facts::Directives,
    /// Pictures of it that are in the library already, by this find.
    kept: Vec<UrlId>,
}

impl PageToKeep {
    pub fn of(shower: &Shower) -> Self {
        Self {
            url: shower.url.clone(),
            title: shower.title.clone(),
            packed: shower.source.packed.clone(),
            content_type: shower.source.content_type.clone(),
            directives: shower.source.directives,
            kept: shower.kept.clone(),
        }
    }
}

impl Keeper {
    /// For the answers to this query.
    pub async fn new(store: Arc<Store>, query: &str) -> Result<Self, FindError> {
        let keep = Keep { preset: Preset::All, ..Keep::default() };
        let settings = Settings { strategy: STRATEGY.into(), keep, ..Settings::default() };
        let blocked = store.library().forgotten().await?;
        let filter = strategy::Filter::new(&settings.filter(), &[]);
        let filter = filter.map_err(|error| FindError::Settings(error.to_string()))?;
        let (filter, steps) = (Arc::new(filter), Arc::new(Steps::default()));
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let cpu = Arc::new(Semaphore::new(cores));
        let contents =
            Contents::new(Arc::clone(&store), Arc::clone(&filter), &settings, &blocked, cpu, Arc::clone(&steps));
        let guide = Arc::new(Guide {
            strategy: Box::new(strategy::BreadthFirst),
            filter,
            rules: Arc::clone(&contents.rules),
            blocked,
            sites: Arc::new(Sites::unasked(Arc::clone(&store))),
            lexicon: Lexicon::default(),
            interest: Interest::of(&settings).map_err(|error| FindError::Settings(error.to_string()))?,
            steps,
        });
        let seconds = super::flight::now().0 / 1000;
        Ok(Self {
            name: name_of(query),
            store,
            settings,
            contents,
            guide,
            writing: Mutex::default(),
            round: AtomicU32::new(u32::try_from(seconds).unwrap_or(0)),
        })
    }

    /// Takes a picture in as it comes.
    pub async fn take(
        &self,
        url: &Url,
        page: &Url,
        alt: String,
        response: &mut Response,
    ) -> Result<Box<MediaFile>, String> {
        let said = |error: StoreError| error.to_string();
        let claim = claim(url, VisitKind::Media(MediaKind::Image), Some(page), alt, 0);
        if self.guide.blocked.address(url) || self.guide.blocked.address(page) {
            return Err("it was forgotten, and may not come back".into());
        }
        let directives = response.directives();
        if directives.noindex || directives.reserve_media(MediaKind::Image) {
            return Err(format!("{} does not want it to be kept", url.host()));
        }
        let mut gathering = self.contents.gathering(&claim, response.body_length());
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => gathering.push(&chunk).await.map_err(said)?,
                Ok(None) => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        let now = self.store.frontier().now().await.map_err(said)?;
        let gathered = gathering.finish().await.map_err(said)?;
        match self.contents.settle(&claim, &Called::of(&claim), gathered, now).await.map_err(said)? {
            Content::Media(file) => Ok(file),
            Content::Refused(refused) => Err(format!("it is not kept: {}", refused.reason)),
            _ => Err("it is no picture".into()),
        }
    }

    /// Writes pictures that were taken in, each with its page.
    pub async fn write(&self, fetched: Vec<Fetched>) -> Result<(), StoreError> {
        let _writing = self.writing.lock().await;
        let library = self.store.library();
        let stored = serde_json::to_value(&self.settings).unwrap_or_default();
        let crawl = library.save_crawl(&self.name, &stored).await?;
        let run = library.start_run(crawl.id, RunLimits::default(), TASK_PAGES).await?;
        let round = self.round.fetch_add(1, Ordering::Relaxed);
        let at = self.store.frontier().now().await?;
        let mut visits = Vec::new();
        let mut done: HashSet<UrlId> = HashSet::new();
        for one in &fetched {
            if !done.insert(one.page.url.id()) {
                continue;
            }
            let of_page = |other: &&Fetched| other.page.url.id() == one.page.url.id();
            let mut wanted: Vec<UrlId> = fetched.iter().filter(of_page).map(|one| one.url.id()).collect();
            wanted.extend(&one.page.kept);
            let also: Vec<(Url, String)> =
                fetched.iter().filter(of_page).map(|one| (one.url.clone(), String::new())).collect();
            let (page, guide) = (one.page.clone(), Arc::clone(&self.guide));
            let facts = tokio::task::spawn_blocking(move || page_facts(&page, &wanted, &also, &guide)).await;
            let facts = facts.unwrap_or_else(|_| PageFacts { partial: true, ..PageFacts::default() });
            let claim = claim(&one.page.url, VisitKind::Page, None, String::new(), round);
            visits.push(visited(claim, at, Outcome::Page(facts)));
        }
        for Fetched { url, file, page, .. } in fetched {
            let kind = VisitKind::Media(MediaKind::Image);
            let claim = claim(&url, kind, Some(&page.url), String::new(), round);
            visits.push(visited(claim, at, Outcome::Media(file)));
        }
        let written = self.store.commit(crawl.id, run.id, visits, self.settings.budgets.into()).await;
        library.end_run(run.id, 0.0, Some(if written.is_ok() { "kept" } else { "failed" })).await?;
        written.map(|_| ())
    }
}

/// The name that what is kept of a query goes by.
pub(super) fn name_of(query: &str) -> String {
    let clean: String = query.chars().map(|c| if c.is_control() || c == '/' { ' ' } else { c }).take(90).collect();
    format!("find: {}", clean.trim())
}

/// What is remembered of a page: all that a crawl would, but of its media only those that are kept.
fn page_facts(page: &PageToKeep, wanted: &[UrlId], also: &[(Url, String)], guide: &Guide) -> PageFacts {
    let body = unpack(&page.packed);
    let claim = claim(&page.url, VisitKind::Page, None, String::new(), 0);
    let mut facts = match body.is_empty() {
        true => PageFacts { title: page.title.clone(), ..PageFacts::default() },
        false => {
            let read = page::read(&body, page.content_type.as_deref(), &page.url, &page::Limits::default());
            let wishes = read.robots.and(page.directives);
            gather(&claim, &read, wishes, body.len() as u64, guide).0
        }
    };
    facts.media.retain(|media| wanted.contains(&media.url.id()));
    facts.partial = true;
    for (url, description) in also {
        // One that only a sitemap names is on the page all the same.
        if !facts.media.iter().any(|media| media.url.id() == url.id()) {
            facts.media.push(MediaReference {
                url: url.clone(),
                kind: MediaKind::Image,
                description: description.clone(),
                licence: None,
                author: None,
                locations: Vec::new(),
                refused: None,
            });
        }
    }
    facts
}

fn claim(url: &Url, kind: VisitKind, referer: Option<&Url>, anchor: String, round: u32) -> Claim {
    Claim {
        number: 0,
        id: url.id(),
        link: Link {
            url: url.clone(),
            kind,
            order: Order::FirstIn,
            depth: 0,
            branch: Branch::default(),
            parent: None,
            referer: referer.cloned(),
            context: LinkContext { anchor, around: String::new() },
            hops: Vec::new(),
            reopen: false,
        },
        tries: 0,
        round,
        host_delay: None,
        host_failures: 0,
        taking: 0,
    }
}

fn visited(claim: Claim, at: Timestamp, outcome: Outcome) -> Visited {
    let bytes = match &outcome {
        Outcome::Media(file) => file.size,
        _ => 0,
    };
    let version = Version::default();
    Visited { claim, at, took_ms: 0, bytes, status: Some(200), outcome, version, links: Vec::new() }
}
