//! One visit: from a claimed row to what it found.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use facts::{MediaKind, Timestamp, Url, UrlError};
use fetch::{Accept, FetchError, Fetcher, Request, Response};
use page::Page;
use store::{Claim, Frontier, Link, MediaFile, Outcome, Rest, Store, StoreError, VisitKind, Visited};
use strategy::{Filter, Strategy};
use tokio::sync::Semaphore;

use crate::body::Bodies;
use crate::links::{Allowed, gather};
use crate::origin::Origins;
use crate::settings::Settings;

/// Hops of one redirect chain.
const HOPS: usize = 10;
/// Bytes of a body that are looked at to tell what it is.
const HEAD: usize = 4096;
/// Bytes of a file gathered before they are written.
const PIECE: usize = 256 << 10;

/// Makes visits; shared by all that are in flight.
pub(crate) struct Visitor {
    pub store: Arc<Store>,
    pub fetcher: Fetcher,
    pub origins: Origins,
    pub manners: fetch::Manners,
    pub strategy: Arc<dyn Strategy>,
    pub filter: Arc<Filter>,
    pub settings: Settings,
    pub bodies: Bodies,
    /// One permit per core: pages are read on the blocking pool, no more at once than that.
    pub cpu: Semaphore,
}

/// How a claim ended.
pub(crate) enum Ending {
    /// Ready to be committed.
    Done(Box<Visited>),
    /// Back in the queue.
    PutBack,
}

/// What a request came to, as far as manners are concerned.
pub(crate) struct Answered {
    status: Option<u16>,
    redirect: Option<Result<Url, UrlError>>,
    fresh_for: Option<Duration>,
    answer: fetch::Answer,
}

impl Answered {
    pub fn failed(error: FetchError) -> Self {
        Self { status: None, redirect: None, fresh_for: None, answer: fetch::Answer::from(&error) }
    }

    pub fn status(&self) -> Option<u16> {
        self.status
    }

    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    pub fn redirect(&self) -> Option<&Url> {
        self.redirect.as_ref()?.as_ref().ok()
    }

    pub fn fresh_for(&self) -> Option<Duration> {
        self.fresh_for
    }

    /// How the host should rest now.
    pub fn rest(&self, manners: &fetch::Manners, now: Timestamp, delay: Option<Duration>, failures: u32) -> Rest {
        let advice = manners.rest(now, delay, failures, &self.answer);
        Rest { until: advice.until, delay, failures: advice.failures }
    }
}

impl From<&Response> for Answered {
    fn from(response: &Response) -> Self {
        Self {
            status: Some(response.status),
            redirect: response.redirect(),
            fresh_for: Some(fetch::fresh_for(Some(response.status), Some(&response.headers))),
            answer: fetch::Answer::from(response),
        }
    }
}

/// Sleeps until the store's clock shows that moment.
pub(crate) async fn sleep_until(frontier: &dyn Frontier, moment: Timestamp) -> Result<(), StoreError> {
    let wait = moment.since(frontier.now().await?);
    tokio::time::sleep(wait).await;
    Ok(())
}

/// What became of a request, before it is made a [`Visited`].
struct Finding {
    status: Option<u16>,
    bytes: u64,
    result: Result<(Outcome, Vec<Link>), Trouble>,
}

/// Why a visit gave nothing.
struct Trouble {
    reason: String,
    detail: String,
    /// Another try may go better.
    passing: bool,
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Self { reason: error.reason().into(), detail: error.to_string(), passing: error.is_transient() }
    }
}

impl Trouble {
    fn lasting(reason: &str, detail: String) -> Self {
        Self { reason: reason.into(), detail, passing: false }
    }
}

impl Visitor {
    /// Makes the one request that a claim stands for: the address itself, or what must be known
    /// of its origin first. The host is released when the request has ended.
    pub async fn visit(&self, claim: Claim, crawl: store::CrawlId) -> Result<Ending, StoreError> {
        let frontier = self.store.frontier();
        let url = &claim.link.url;
        let (host, origin) = (url.host(), url.origin());
        let now = frontier.now().await?;

        let Some(robots) = self.origins.robots(&origin, now).await? else {
            let rest = self.origins.ask_robots(&origin, claim.host_failures).await?;
            frontier.put_back(crawl, claim, false).await?;
            frontier.release(&host, rest).await?;
            return Ok(Ending::PutBack);
        };
        let untouched = Rest { until: now, delay: robots.crawl_delay(), failures: claim.host_failures };
        if !robots.allows(url) {
            frontier.release(&host, untouched).await?;
            if robots.is_unreachable() && claim.tries + 1 < self.settings.tries {
                return self.wait_for_robots(claim, crawl, untouched).await;
            }
            return Ok(Ending::Done(self.unrequested(claim, now, robots_outcome(&robots, &origin))));
        }
        if matches!(claim.link.kind, VisitKind::Media(_)) {
            let Some(tdm) = self.origins.tdm(&origin, now).await? else {
                let delay = robots.crawl_delay();
                let rest = self.origins.ask_tdm(&origin, delay, claim.host_failures).await?;
                frontier.put_back(crawl, claim, false).await?;
                frontier.release(&host, rest).await?;
                return Ok(Ending::PutBack);
            };
            if tdm.reserved(url) {
                frontier.release(&host, untouched).await?;
                return Ok(Ending::Done(self.unrequested(claim, now, Outcome::Refused("opt-out".into()))));
            }
        }
        self.request(claim, crawl, robots.crawl_delay()).await
    }

    /// robots.txt could not be had because of an error of the server: nothing is fetched for now.
    async fn wait_for_robots(&self, claim: Claim, crawl: store::CrawlId, rest: Rest) -> Result<Ending, StoreError> {
        let frontier = self.store.frontier();
        let host = claim.link.url.host();
        let origin = claim.link.url.origin();
        let record = frontier.origin(&origin, store::OriginFile::Robots).await?;
        let until = record.map_or(rest.until, |record| record.fresh_until);
        frontier.put_back(crawl, claim, true).await?;
        frontier.release(&host, Rest { until, ..rest }).await?;
        Ok(Ending::PutBack)
    }

    fn unrequested(&self, claim: Claim, at: Timestamp, outcome: Outcome) -> Box<Visited> {
        Box::new(Visited { claim, at, took_ms: 0, bytes: 0, status: None, outcome, links: Vec::new() })
    }

    async fn request(&self, claim: Claim, crawl: store::CrawlId, delay: Option<Duration>) -> Result<Ending, StoreError> {
        let frontier = self.store.frontier();
        let host = claim.link.url.host();
        let started = Instant::now();
        let (accept, limit) = match claim.link.kind {
            VisitKind::Page => (Accept::Page, self.settings.limits.max_page.max(self.settings.limits.max_file)),
            VisitKind::Media(MediaKind::Image) => (Accept::Image, self.settings.limits.max_file),
            VisitKind::Media(_) => (Accept::Media, self.settings.limits.max_file),
        };
        let request = Request {
            referer: claim.link.referer.clone(),
            limit,
            ..Request::get(claim.link.url.clone(), accept)
        };
        let (answer, finding) = match self.fetcher.send(request).await {
            Ok(response) => {
                let answer = fetch::Answer::from(&response);
                (answer, self.read(&claim, response, delay).await?)
            }
            Err(error) => {
                let answer = fetch::Answer::from(&error);
                (answer, Read { finding: Finding { status: None, bytes: 0, result: Err(error.into()) }, page: None })
            }
        };
        // The body is complete, or the connection is gone: from here on the host rests.
        let now = frontier.now().await?;
        let advice = self.manners.rest(now, delay, claim.host_failures, &answer);
        let rest = Rest { until: advice.until, delay, failures: advice.failures };
        let Read { finding, page } = finding;
        let took_ms = started.elapsed().as_millis().min(u128::from(u32::MAX)) as u32;
        let (outcome, links) = match finding.result {
            Err(trouble) if trouble.passing && !advice.give_up && claim.tries + 1 < self.settings.tries => {
                tracing::debug!(url = %claim.link.url, reason = trouble.reason, "will be tried again");
                frontier.put_back(crawl, claim, true).await?;
                frontier.release(&host, rest).await?;
                return Ok(Ending::PutBack);
            }
            Err(Trouble { reason, detail, .. }) => (Outcome::Failed { reason, detail }, Vec::new()),
            Ok(found) => found,
        };
        frontier.release(&host, rest).await?;
        let (outcome, links) = match page {
            Some(unread) => self.parse(&claim, unread).await,
            None => (outcome, links),
        };
        let (status, bytes) = (finding.status, finding.bytes);
        Ok(Ending::Done(Box::new(Visited { claim, at: now, took_ms, bytes, status, outcome, links })))
    }

    /// Takes in an answer up to its last byte.
    async fn read(&self, claim: &Claim, mut response: Response, _delay: Option<Duration>) -> Result<Read, StoreError> {
        let status = Some(response.status);
        let mut page = None;
        let result = if let Some(target) = response.redirect() {
            redirect(claim, target, response.changed_cookies(), &self.filter)
        } else if !(200..300).contains(&response.status) {
            Err(Trouble {
                reason: format!("http-{}", response.status),
                detail: format!("answered {}", response.status),
                passing: response.status == 429 || response.status >= 500,
            })
        } else {
            match self.content(claim, &mut response).await? {
                Ok(Content::Page(unread)) => {
                    page = Some(unread);
                    Ok((Outcome::Refused(String::new()), Vec::new()))
                }
                Ok(Content::Outcome(outcome)) => Ok((outcome, Vec::new())),
                Err(error) => Err(error.into()),
            }
        };
        let bytes = response.received();
        Ok(Read { finding: Finding { status, bytes, result }, page })
    }

    async fn content(&self, claim: &Claim, response: &mut Response) -> Result<Result<Content, FetchError>, StoreError> {
        let mut head = BytesMut::new();
        while head.len() < HEAD {
            match response.chunk().await {
                Ok(Some(chunk)) => head.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return Ok(Err(error)),
            }
        }
        if let Some(format) = media::sniff(&head) {
            let directives = response.directives();
            let reserved = directives.noai || directives.tdm_reservation;
            let opted_out = reserved
                || directives.noindex
                || (format.kind == MediaKind::Image && (directives.noimageindex || directives.noimageai));
            return if opted_out {
                Ok(Ok(Content::refused("opt-out")))
            } else if self.filter.admits_kind(format.kind).is_err() {
                Ok(Ok(Content::refused("kind")))
            } else {
                self.keep(claim, format, head, response).await
            };
        }
        if claim.link.kind != VisitKind::Page || !looks_like_html(response.content_type(), &head) {
            return Ok(Ok(Content::refused("format")));
        }
        let body = match self.bodies.read(head, response).await {
            Ok(body) if body.len() as u64 > self.settings.limits.max_page => {
                return Ok(Ok(Content::refused("too-large")));
            }
            Ok(body) => body,
            Err(error) => return Ok(Err(error)),
        };
        let (content_type, directives) = (response.content_type().map(str::to_owned), response.directives());
        Ok(Ok(Content::Page(Unread { body, content_type, directives })))
    }

    /// Streams a media file to its place.
    async fn keep(
        &self,
        claim: &Claim,
        format: media::Format,
        head: BytesMut,
        response: &mut Response,
    ) -> Result<Result<Content, FetchError>, StoreError> {
        let host = claim.link.url.host();
        let mut draft = self.store.files().draft(&host)?;
        let mut piece = head;
        loop {
            let chunk = match response.chunk().await {
                Ok(chunk) => chunk,
                Err(error) => return Ok(Err(error)),
            };
            let last = chunk.is_none();
            piece.extend_from_slice(&chunk.unwrap_or_default());
            if last || piece.len() >= PIECE {
                let bytes = piece.split();
                draft = on_disk(move || draft.write(&bytes).map(|()| draft)).await?;
            }
            if last {
                break;
            }
        }
        let kept = self.store.keep(draft, format.extension).await?;
        let file = MediaFile {
            id: kept.id,
            kind: format.kind,
            format: format.name.to_owned(),
            size: kept.size,
            path: kept.path,
        };
        Ok(Ok(Content::Outcome(Outcome::Media(file))))
    }

    async fn parse(&self, claim: &Claim, unread: Unread) -> (Outcome, Vec<Link>) {
        let _core = self.cpu.acquire().await;
        let (strategy, filter) = (Arc::clone(&self.strategy), Arc::clone(&self.filter));
        let claim = claim.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let Unread { body, content_type, directives } = unread;
            let page = page::read(&body, content_type.as_deref(), &claim.link.url, &page::Limits::default());
            let allowed = Allowed::by(&page.robots, &directives);
            let (facts, mut links) = gather(&claim, &page, allowed, body.len() as u64, &*strategy, &filter);
            links.extend(refresh(&claim, &page, &filter));
            (Outcome::Page(facts), links)
        });
        reading.await.unwrap_or_else(|panic| {
            let detail = format!("reading the page failed: {panic}");
            (Outcome::Failed { reason: "parse".into(), detail }, Vec::new())
        })
    }
}

/// An answer that was read: a page still has to be parsed, which its host need not wait for.
struct Read {
    finding: Finding,
    page: Option<Unread>,
}

struct Unread {
    body: BytesMut,
    content_type: Option<String>,
    directives: fetch::Directives,
}

enum Content {
    Page(Unread),
    Outcome(Outcome),
}

impl Content {
    fn refused(reason: &str) -> Self {
        Self::Outcome(Outcome::Refused(reason.into()))
    }
}

async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

fn robots_outcome(robots: &fetch::Robots, origin: &facts::Origin) -> Outcome {
    let (reason, detail) = if robots.is_unreachable() {
        ("robots-unreachable", format!("{origin}/robots.txt could not be had: nothing is fetched there (RFC 9309)"))
    } else {
        ("robots", format!("refused by {origin}/robots.txt"))
    };
    Outcome::Failed { reason: reason.into(), detail }
}

fn looks_like_html(content_type: Option<&str>, head: &[u8]) -> bool {
    let named = content_type.map(|value| value.split(';').next().unwrap_or("").trim().to_ascii_lowercase());
    match named.as_deref() {
        Some("text/html" | "application/xhtml+xml") => true,
        Some("" | "text/plain" | "application/octet-stream") | None => {
            let text = head.trim_ascii_start();
            let starts = |tag: &[u8]| text.len() >= tag.len() && text[..tag.len()].eq_ignore_ascii_case(tag);
            starts(b"<!doctype html") || starts(b"<html") || starts(b"<head") || starts(b"<body")
        }
        Some(_) => false,
    }
}

/// A redirect is a link of its own: its target waits under its own host. Back to an address of
/// its own chain it leads only after a cookie was set, as cookie walls do.
fn redirect(
    claim: &Claim,
    target: Result<Url, UrlError>,
    cookies_changed: bool,
    filter: &Filter,
) -> Result<(Outcome, Vec<Link>), Trouble> {
    let target = target.map_err(|error| Trouble::lasting("redirect", format!("redirects to a bad address: {error}")))?;
    let link = &claim.link;
    if link.hops.len() >= HOPS {
        return Err(Trouble::lasting("redirect", format!("more than {HOPS} redirects in a row")));
    }
    let id = target.id();
    let returns = id == claim.id || link.hops.contains(&id);
    if returns && !cookies_changed {
        return Err(Trouble::lasting("redirect", format!("redirects in a circle, back to {target}")));
    }
    let refused = match link.kind {
        VisitKind::Page => filter.admits(&target, link.depth).err(),
        VisitKind::Media(_) => filter.admits_media(&target).err(),
    };
    let mut hops = link.hops.clone();
    hops.push(claim.id);
    let onward = Link { url: target.clone(), hops, reopen: returns, ..link.clone() };
    let links = if refused.is_some() { Vec::new() } else { vec![onward] };
    Ok((Outcome::Redirect(target), links))
}

/// `<meta http-equiv=refresh>` is a redirect that pages make themselves.
fn refresh(claim: &Claim, page: &Page, filter: &Filter) -> Option<Link> {
    let target = page.refresh.as_ref().filter(|target| filter.admits(target, claim.link.depth).is_ok())?;
    (claim.link.hops.len() < HOPS && target.id() != claim.id).then(|| {
        let mut hops = claim.link.hops.clone();
        hops.push(claim.id);
        Link { url: target.clone(), kind: VisitKind::Page, hops, reopen: false, ..claim.link.clone() }
    })
}
