//! What scripts make of a page: when a browser is asked, how its requests are answered, and how the states
//! it finds become one page. [004 §3.4.2 D]
//!
//! A rendered page is one visit. Its requests go where all requests of a crawl go, under the rules of each
//! host: its own is claimed for the visit, others are reserved for as long as it lasts; all rest twice as
//! long after it, for it asks for up to six things at once.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use facts::{HostName, Origin, Url, UrlId};
use fetch::{Accept, Answer, Fetcher, Manners, Request, Robots};
use lru::LruCache;
use page::Page;
use render::{Document, Listed, RenderError, Rendered, Renderer, Supplied, Supplier, Touch, Wanted, WantedKind};
use report::{Dynamic, Event};
use serde::{Deserialize, Serialize};
use store::{Blocked, Claim, Store, StoreError};
use tokio::sync::OnceCell;

use crate::content::Unread;
use crate::holds::{Guest, Holds};
use crate::origin::{Origins, Rules};
use crate::steps::Work;
use crate::visit::Visitor;

/// Whether pages are rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Render {
    /// Pages are what their servers send.
    Never,
    /// Those that show signs of needing it, or whose site says so.
    #[default]
    Auto,
    /// All of them.
    Always,
}

impl Render {
    /// What it can be, by name.
    pub const NAMES: [(&'static str, Self); 3] =
        [("never", Self::Never), ("auto", Self::Auto), ("always", Self::Always)];
}

/// Hosts other than its own that one page may ask.
const MOST_GUESTS: usize = 8;
/// How long a page waits for another host to be free.
const PATIENCE: Duration = Duration::from_secs(4);
/// One request, from its start to its last byte.
const LONGEST: Duration = Duration::from_secs(8);
/// Bytes of one answer, and of all answers to a page.
const LARGEST: u64 = 5 << 20;
const LARGEST_TOGETHER: u64 = 25 << 20;
/// Scripts and styles that are not asked for again: how many, how large, for how long.
const SHELVED: NonZeroUsize = NonZeroUsize::new(512).unwrap();
const SHELVED_BYTES: usize = 32 << 20;
const SHELVED_FOR: Duration = Duration::from_secs(600);

/// The browser of a crawl, if it has one.
pub(crate) struct Rendering {
    mode: Render,
    renderer: Result<Renderer, RenderError>,
    shelf: Arc<Shelf>,
    /// Whether it was said that there is no browser.
    told: AtomicBool,
}

/// What scripts made of a page, and what that cost.
pub(crate) struct Shown {
    pub rendered: Rendered,
    /// Bytes received for it.
    pub bytes: u64,
    /// Whether anything was asked of the page's own host.
    pub asked: bool,
    /// A host that said that it is too much.
    pub busy: Option<Answer>,
    /// Others took over the page's host meanwhile.
    pub lost: bool,
}

impl Rendering {
    /// As the settings say. A crawl that wants all pages rendered does not begin without a browser.
    pub fn new(mode: Render, settings: render::Settings) -> Result<Self, RenderError> {
        let renderer = if mode == Render::Never { Err(RenderError::Missing) } else { Renderer::new(settings) };
        if let (Render::Always, Err(error)) = (mode, &renderer) {
            return Err(error.clone());
        }
        Ok(Self { mode, renderer, shelf: Arc::default(), told: AtomicBool::new(false) })
    }

    /// The browser, when this page should be rendered. That there is none is said once.
    fn wanted(&self, body: &[u8], listed: &[Listed]) -> Option<&Renderer> {
        let wanted = match self.mode {
            Render::Never => false,
            Render::Auto => !listed.is_empty() || !render::signs(body).is_empty(),
            Render::Always => true,
        };
        match &self.renderer {
            _ if !wanted => None,
            Ok(renderer) => Some(renderer),
            Err(error) => {
                self.say_once(error);
                None
            }
        }
    }

    fn say_once(&self, error: &RenderError) {
        if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!("pages that need their scripts are read without them: {error}");
        }
    }
}

impl Visitor {
    /// Renders a page that was just fetched, if it should be. Its host is claimed meanwhile. What goes wrong
    /// costs the page its scripts, and a line in the log.
    pub(crate) async fn show(
        &self,
        claim: &Claim,
        unread: &Unread,
        robots: &Arc<Rules<Robots>>,
    ) -> Result<Option<Shown>, StoreError> {
        let url = &claim.link.url;
        let listed = self.sites.dynamic(url).iter().filter_map(listed).collect::<Vec<_>>();
        let Some(renderer) = self.rendering.wanted(&unread.body, &listed) else { return Ok(None) };
        let _timed = self.guide.steps.time(Work::Rendering);
        let errands = Arc::new(Errands {
            host: url.host(),
            taking: claim.taking,
            origin: url.origin(),
            robots: Arc::clone(robots),
            page: url.clone(),
            fetcher: self.fetcher.clone(),
            holds: Arc::clone(&self.holds),
            origins: Arc::clone(&self.origins),
            store: Arc::clone(&self.store),
            manners: self.manners,
            blocked: self.guide.blocked.clone(),
            shelf: Arc::clone(&self.rendering.shelf),
            guests: Mutex::default(),
            rules: Mutex::default(),
            bytes: AtomicU64::new(0),
            asked: AtomicBool::new(false),
            busy: Mutex::default(),
        });
        let document = Document {
            url: url.clone(),
            content_type: unread.content_type.clone(),
            body: Bytes::copy_from_slice(&unread.body),
        };
        let rendering = renderer.render(document, &listed, Arc::clone(&errands) as Arc<dyn Supplier>);
        let rendered = self.holds.asking(&errands.host, errands.taking, rendering).await;
        errands.leave().await?;
        let lost = rendered.is_none();
        let rendered = match rendered.unwrap_or_else(|| Ok(Rendered::default())) {
            Ok(Rendered { cut: Some(why), states, leads, events }) => {
                tracing::info!("{url}: {} states, then {why}", states.len());
                Rendered { cut: None, states, leads, events }
            }
            Ok(rendered) => rendered,
            Err(error @ (RenderError::Missing | RenderError::Sandbox(_) | RenderError::Start(_))) => {
                self.rendering.say_once(&error);
                Rendered::default()
            }
            Err(error) => {
                tracing::warn!("{url}: {error}; read without its scripts");
                Rendered::default()
            }
        };
        Ok(Some(Shown {
            rendered,
            bytes: errands.bytes.load(Ordering::Relaxed),
            asked: errands.asked.load(Ordering::Relaxed),
            busy: *errands.busy.lock().unwrap_or_else(PoisonError::into_inner),
            lost,
        }))
    }
}

/// What a site's watcher says can be set off, as a browser does it. What comes with the page comes anyway.
fn listed(entry: &Dynamic) -> Option<Listed> {
    let touch = |event: &Event| match event {
        Event::OnLoad => None,
        Event::OnClick => Some(Touch::Click),
        Event::OnDblClick => Some(Touch::DblClick),
        Event::OnMouseOver => Some(Touch::Hover),
    };
    let touches: Vec<Touch> = entry.events.iter().filter_map(touch).collect();
    (!touches.is_empty()).then(|| Listed { touches, sources: entry.sources.clone() })
}

/// All states of a page as one document: the first, what each other one has that those before it had not,
/// and, last, where the page's scripts and the page as it was sent lead.
pub(crate) fn together(sent: &Page, rendered: &Rendered) -> String {
    let mut states = rendered.states.iter();
    let mut whole = states.next().map(|state| state.html.clone()).unwrap_or_default();
    let mut more = String::new();
    for state in states {
        more.push_str("<section>");
        more.push_str(&state.html);
        more.push_str("</section>\n");
    }
    more.push_str("<nav>");
    let links = sent.links.iter().map(|link| (&link.url, link.text.as_str(), link.rel.nofollow));
    for (url, text, nofollow) in links.chain(rendered.leads.iter().map(|lead| (lead, "", false))) {
        let rel = if nofollow { " rel=nofollow" } else { "" };
        more.push_str(&format!("<a href=\"{}\"{rel}>{}</a>\n", escaped(url.as_str()), escaped(text)));
    }
    more.push_str("</nav>");
    let end = whole.rfind("</body>").unwrap_or(whole.len());
    whole.insert_str(end, &more);
    whole
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Answers the requests of one page.
struct Errands {
    page: Url,
    host: HostName,
    /// Which taking of its host the page is visited under.
    taking: u64,
    origin: Origin,
    robots: Arc<Rules<Robots>>,
    fetcher: Fetcher,
    holds: Arc<Holds>,
    origins: Arc<Origins>,
    store: Arc<Store>,
    manners: Manners,
    blocked: Blocked,
    shelf: Arc<Shelf>,
    /// Other hosts, each with what it took to be let in, if it did.
    guests: Mutex<HashMap<HostName, Arc<OnceCell<Option<Guest>>>>>,
    rules: Mutex<HashMap<Origin, Arc<OnceCell<Told>>>>,
    bytes: AtomicU64,
    asked: AtomicBool,
    busy: Mutex<Option<Answer>>,
}

#[async_trait]
impl Supplier for Errands {
    async fn supply(&self, wanted: Wanted) -> Option<Supplied> {
        let keeps = wanted.kind != WantedKind::Data;
        if let Some(kept) = keeps.then(|| self.shelf.get(wanted.url.id())).flatten() {
            return Some(kept);
        }
        if self.blocked.address(&wanted.url) || !self.may_ask(&wanted.url).await.unwrap_or(false) {
            return None;
        }
        if self.bytes.load(Ordering::Relaxed) > LARGEST_TOGETHER {
            return None;
        }
        if wanted.url.host() == self.host {
            self.asked.store(true, Ordering::Relaxed);
        }
        let host = wanted.url.host();
        let asked = self.holds.asking(&host, self.taking_of(&host)?, self.ask(&wanted.url));
        let supplied = tokio::time::timeout(LONGEST, asked).await.ok()???;
        if keeps && supplied.status == 200 {
            self.shelf.put(wanted.url.id(), &supplied);
        }
        Some(supplied)
    }
}

impl Errands {
    /// Whether the host may be asked for this, and is held for it.
    async fn may_ask(&self, url: &Url) -> Result<bool, StoreError> {
        let origin = url.origin();
        if origin == self.origin {
            return Ok(self.robots.says.allows(url));
        }
        let guest = if url.host() == self.host {
            None
        } else {
            match self.guest(url.host()).await? {
                Some(guest) => Some(guest),
                None => return Ok(false),
            }
        };
        Ok(self.rules(origin, guest).await?.is_some_and(|rules| !rules.may_pass && rules.says.allows(url)))
    }

    /// Another host, held for this page once; nothing when it has no time for it.
    async fn guest(&self, host: HostName) -> Result<Option<Guest>, StoreError> {
        let place = {
            let mut guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
            if guests.len() >= MOST_GUESTS && !guests.contains_key(&host) {
                return Ok(None);
            }
            Arc::clone(guests.entry(host.clone()).or_default())
        };
        place.get_or_try_init(|| self.holds.reserve(&host, PATIENCE)).await.copied()
    }

    /// By which of its takings a host is held for this page.
    fn taking_of(&self, host: &HostName) -> Option<u64> {
        if *host == self.host {
            return Some(self.taking);
        }
        let guests = self.guests.lock().unwrap_or_else(PoisonError::into_inner);
        guests.get(host)?.get()?.map(|guest| guest.taking)
    }

    /// The rules of another origin, asked for when they are not known. Of an origin of the page's own host
    /// they must be known.
    async fn rules(&self, origin: Origin, guest: Option<Guest>) -> Result<Option<Arc<Rules<Robots>>>, StoreError> {
        let place = {
            let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(rules.entry(origin.clone()).or_default())
        };
        let found = place.get_or_try_init(|| async {
            let now = self.store.frontier().now().await?;
            match (self.origins.robots(&origin, now).await?, guest) {
                (Some(known), _) => Ok(Some(known)),
                (None, None) => Ok(None),
                (None, Some(guest)) => self.origins.ask_as(guest, &origin).await,
            }
        });
        found.await.cloned()
    }

    async fn ask(&self, url: &Url) -> Option<Supplied> {
        let request =
            Request { referer: Some(self.page.clone()), limit: LARGEST, ..Request::new(url.clone(), Accept::Text) };
        let mut response = self.fetcher.send(request).await.ok()?;
        let answer = Answer::of_status(response.status, None);
        if url.host() == self.host && answer != Answer::Fine {
            *self.busy.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            body.extend_from_slice(&chunk);
        }
        self.bytes.fetch_add(response.received(), Ordering::Relaxed);
        let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = response.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        Some(Supplied { status: response.status, headers, body: body.into() })
    }

    /// Lets go of the other hosts: they rest twice as long as after one request.
    async fn leave(&self) -> Result<(), StoreError> {
        let guests = std::mem::take(&mut *self.guests.lock().unwrap_or_else(PoisonError::into_inner));
        let mut left = Ok(());
        for (host, guest) in guests {
            if let Some(Some(guest)) = guest.get() {
                let now = self.store.frontier().now().await?;
                let rest = guest.rest(&self.manners, now, &Answer::Fine);
                let until = rest.until + rest.until.since(now);
                // Whatever becomes of one, the others are let go of too.
                left = left.and(self.holds.release(&host, guest.taking, store::Rest { until, ..rest }).await);
            }
        }
        left
    }
}

/// What an origin says of how to behave there, if that could be had.
type Told = Option<Arc<Rules<Robots>>>;

/// Scripts and styles that many pages of a site have.
#[derive(Default)]
struct Shelf(Mutex<Shelved>);

/// What is on a shelf, and how much that is.
struct Shelved {
    kept: LruCache<UrlId, (Instant, Supplied)>,
    bytes: usize,
}

impl Default for Shelved {
    fn default() -> Self {
        Self { kept: LruCache::new(SHELVED), bytes: 0 }
    }
}

impl Shelf {
    fn get(&self, id: UrlId) -> Option<Supplied> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, supplied) = shelf.kept.get(&id)?;
        (at.elapsed() < SHELVED_FOR).then(|| supplied.clone())
    }

    fn put(&self, id: UrlId, supplied: &Supplied) {
        let forbidden = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("cache-control") && value.to_ascii_lowercase().contains("no-store")
        };
        if supplied.body.len() > SHELVED_BYTES / 8 || supplied.headers.iter().any(forbidden) {
            return;
        }
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Shelved { kept, bytes } = &mut *shelf;
        if let Some((_, (_, old))) = kept.push(id, (Instant::now(), supplied.clone())) {
            *bytes -= old.body.len();
        }
        *bytes += supplied.body.len();
        while *bytes > SHELVED_BYTES
            && let Some((_, (_, old))) = kept.pop_lru()
        {
            *bytes -= old.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_become_one_page_with_what_each_brought() {
        let url = Url::parse("http://a.example/").unwrap();
        let limits = page::Limits::default();
        let sent = page::read(b"<a href=/old>old & \"gold\"</a><a href=/x rel=nofollow>x</a>", None, &url, &limits);
        let state = |html: &str| render::State { html: html.into(), after: String::new() };
        let rendered = Rendered {
            states: vec![
                state("<!DOCTYPE html><html><head><title>App</title></head><body><p>First</p></body></html>"),
                state("<div><img src=/a.jpg alt='A boat'><p>Second</p></div>"),
            ],
            leads: vec![Url::parse("http://a.example/went?a=1&b=2").unwrap()],
            ..Rendered::default()
        };
        let page = page::read(together(&sent, &rendered).as_bytes(), None, &url, &limits);
        assert_eq!(page.title, "App");
        assert!(page.text.contains("First") && page.text.contains("Second"));
        let links: Vec<_> = page.links.iter().map(|link| (link.url.path_and_query(), link.rel.nofollow)).collect();
        assert_eq!(links, [("/old", false), ("/x", true), ("/went?a=1&b=2", false)]);
        assert_eq!(page.media[0].description(), "A boat a Second");
    }

    #[test]
    fn what_is_shelved_is_bounded_and_kept_only_where_it_may_be() {
        let shelf = Shelf::default();
        let id = |n: usize| Url::parse(&format!("http://a.example/{n}.js")).unwrap().id();
        let file = |header: &str, size| Supplied {
            status: 200,
            headers: vec![("Cache-Control".into(), header.into())],
            body: vec![0; size].into(),
        };
        shelf.put(id(0), &file("private, No-Store", 10));
        assert_eq!(shelf.get(id(0)), None);
        for n in 1..=20 {
            shelf.put(id(n), &file("max-age=60", 4 << 20));
        }
        assert!(shelf.get(id(20)).is_some() && shelf.get(id(1)).is_none());
        assert!(shelf.0.lock().unwrap().bytes <= SHELVED_BYTES);
    }
}
