//! One visit: from a claimed row to what it found.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use facts::{HostName, MediaKind, Origin, Timestamp, Url, UrlId};
use fetch::{Accept, Answer, FetchError, Fetcher, Manners, Request, Response, Robots, Validators};
use store::{
    Claim, CrawlId, Earlier, FLAGGED, FORGOTTEN, Link, OriginFile, Outcome, Refused, Rest, Store, StoreError, Version,
    VisitKind, Visited,
};
use strategy::Refusal;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::backlog::Backlog;
use crate::content::{Content, Contents, LOST, Trouble, Unread};
use crate::holds::Holds;
use crate::inquiry::{Inquiry, Step};
use crate::links::{Guide, Hops, gather, redirect, refresh};
use crate::origin::{Origins, Rules, no_sooner};
use crate::rendering::{Rendering, Shown, together};
use crate::rests::Rests;
use crate::settings::Settings;
use crate::sites::{self, Sites, Standing};
use crate::steps::Work;

/// A body is let run over its limit by this much, so that it is us who say what is too large.
const LIMIT_SLACK: u64 = 1 << 20;

/// Bytes of a page that is read alone.
const HUGE: usize = 2 << 20;

/// The answer to a request that asks for what changed, when nothing did.
pub(crate) const NOT_MODIFIED: u16 = 304;
/// Longer ones are not sent back.
const LONGEST_ETAG: usize = 200;

/// Makes visits; shared by all that are in flight.
pub(crate) struct Visitor {
    pub store: Arc<Store>,
    pub fetcher: Fetcher,
    pub holds: Arc<Holds>,
    pub run_started: Timestamp,
    pub origins: Arc<Origins>,
    pub rendering: Rendering,
    pub manners: Manners,
    pub guide: Arc<Guide>,
    pub settings: Settings,
    pub contents: Contents,
    pub sites: Arc<Sites>,
    pub hops: Hops,
    /// One permit per core: pages are read on the blocking pool, no more at once than that.
    pub cpu: Arc<Semaphore>,
    /// Pages larger than [`HUGE`] are read one at a time.
    pub huge: Semaphore,
    /// What is read and not written yet.
    pub backlog: Backlog,
    /// One permit per request that may be in flight.
    pub lines: Semaphore,
    /// Visits that wait for the next of their requests.
    pub rests: Arc<Rests>,
    /// Hosts out of scope for which it was looked where start pages lead to.
    pub strange: Mutex<HashSet<HostName>>,
}

/// How a claim ended.
pub(crate) enum Ending {
    /// Ready to be committed, and the room it takes until it is.
    Done(Box<Visited>, Option<OwnedSemaphorePermit>),
    /// Back in the queue.
    PutBack,
}

/// What a request came to.
pub(crate) struct Found {
    answer: Answer,
    status: Option<u16>,
    bytes: u64,
    version: Version,
    result: Result<Content, Trouble>,
}

impl Found {
    /// Nothing of use, although the host answers.
    pub fn refused(trouble: Trouble, bytes: u64) -> Self {
        Self { answer: Answer::Fine, status: None, bytes, version: Version::default(), result: Err(trouble) }
    }

    /// What failed at the host, or on the way there. What fails here, on this machine, ends the crawl: it is
    /// no fault of the address, which waits for the next start.
    pub fn failed(error: FetchError, bytes: u64) -> Result<Self, StoreError> {
        if let FetchError::TooManyFiles { host } = &error {
            return Err(StoreError::TooManyFiles { path: host.into() });
        }
        let version = Version::default();
        Ok(Self { answer: Answer::of_error(&error), status: None, bytes, version, result: Err(error.into()) })
    }
}

impl Visitor {
    /// Makes the one request that a claim stands for: the address itself, or what must be known
    /// of its origin first. The host is released when the request has ended.
    pub async fn visit(&self, claim: Claim, crawl: CrawlId) -> Result<Ending, StoreError> {
        let now = self.store.frontier().now().await?;
        // What a forgotten page shows goes with it.
        let of_media = matches!(claim.link.kind, VisitKind::Media(_));
        let shown_by = claim.link.referer.as_ref().filter(|_| of_media);
        if [Some(&claim.link.url), shown_by].into_iter().flatten().any(|url| self.guide.blocked.address(url)) {
            let untouched = Rest { until: now, delay: None, failures: claim.host_failures };
            return self.unasked(claim, untouched, Outcome::Refused(Refused::unseen(FORGOTTEN))).await;
        }
        self.learn_scope(&claim, crawl).await?;
        let origin = claim.link.url.origin();
        let Some(robots) = self.origins.robots(&origin, now).await? else {
            let untouched = Rest { until: now, delay: None, failures: claim.host_failures };
            let rest = self.origins.ask_for(OriginFile::Robots, &origin, &claim).await?.unwrap_or(untouched);
            return self.put_back(claim, crawl, rest, Again::AsBefore).await;
        };
        let delay = robots.says.crawl_delay();
        let untouched = Rest { until: now, delay, failures: claim.host_failures };
        // Whoever named a seed waits for an answer: it is told at once.
        if robots.may_pass && claim.link.parent.is_some() {
            return self.put_back(claim, crawl, Rest { until: robots.until, ..untouched }, Again::AsBefore).await;
        }
        if !robots.says.allows(&claim.link.url) {
            let outcome = refused_by(&robots, &claim, &origin);
            return self.unasked(claim, untouched, outcome).await;
        }
        if matches!(claim.link.kind, VisitKind::Media(_)) {
            let Some(tdm) = self.origins.tdm(&origin, now).await? else {
                let rest = self.origins.ask_for(OriginFile::Tdm, &origin, &claim).await?.unwrap_or(untouched);
                return self.put_back(claim, crawl, rest, Again::AsBefore).await;
            };
            if tdm.may_pass {
                return self.put_back(claim, crawl, Rest { until: tdm.until, ..untouched }, Again::AsBefore).await;
            }
            if tdm.says.reserved(&claim.link.url) {
                return self.unasked(claim, untouched, Outcome::Refused(Refused::unseen("opt-out"))).await;
            }
        }
        match claim.link.kind {
            VisitKind::Report => {
                if let Err(refused) = sites::address(&origin, &robots.says) {
                    self.sites.settle(&origin, Standing::Absent);
                    let (reason, detail) = (format!("report-{}", refused.reason()), refused.to_string());
                    // As a site that has none: its sitemap may say more.
                    let links = sites::sitemap_links(&claim, &robots.says);
                    let outcome = Outcome::Failed { reason, detail };
                    return self.unasked_but(claim, untouched, outcome, links).await;
                }
            }
            VisitKind::Page => match self.sites.standing(&origin, &robots.says, now).await? {
                Standing::Unasked => {
                    let link = sites::report_link(&origin, &robots.says);
                    self.store.frontier().add(crawl, vec![link], self.settings.budgets.into()).await?;
                    return self.put_back(claim, crawl, untouched, Again::AsBefore).await;
                }
                Standing::Flagged => {
                    return self.unasked(claim, untouched, Outcome::Refused(Refused::unseen(FLAGGED))).await;
                }
                Standing::Watched | Standing::Absent => {}
            },
            VisitKind::Media(_) | VisitKind::Sitemap => {}
        }
        self.ask(claim, crawl, &robots).await
    }

    /// Where start pages lead to, the crawl was meant to start. Others who work on it may have been led there.
    async fn learn_scope(&self, claim: &Claim, crawl: CrawlId) -> Result<(), StoreError> {
        let (link, filter) = (&claim.link, &self.guide.filter);
        let strange = || matches!(filter.admits(&link.url, 0), Err(Refusal::Scope));
        if link.kind != VisitKind::Page || !self.store.is_shared() || !strange() {
            return Ok(());
        }
        if link.parent.is_none() {
            filter.widen(&link.url);
        } else if self.strange.lock().unwrap_or_else(PoisonError::into_inner).insert(link.url.host()) {
            let starts = self.store.library().starts(crawl).await?;
            starts.iter().for_each(|start| filter.widen(&start.url));
        }
        Ok(())
    }

    /// The row waits again; its host rests.
    async fn put_back(&self, claim: Claim, crawl: CrawlId, rest: Rest, again: Again) -> Result<Ending, StoreError> {
        let (host, taking) = (claim.link.url.host(), claim.taking);
        self.holds.put_back(crawl, claim, again == Again::AfterFailure).await?;
        self.holds.release(&host, taking, rest).await?;
        Ok(Ending::PutBack)
    }

    /// The visit ends without a request.
    async fn unasked(&self, claim: Claim, rest: Rest, outcome: Outcome) -> Result<Ending, StoreError> {
        self.unasked_but(claim, rest, outcome, Vec::new()).await
    }

    /// The same, and these are to be visited instead.
    async fn unasked_but(
        &self,
        claim: Claim,
        rest: Rest,
        outcome: Outcome,
        links: Vec<Link>,
    ) -> Result<Ending, StoreError> {
        self.holds.release(&claim.link.url.host(), claim.taking, rest).await?;
        let at = rest.until;
        let version = Version::default();
        Ok(done(Visited { claim, at, took_ms: 0, bytes: 0, status: None, version, outcome, links }))
    }

    async fn ask(&self, claim: Claim, crawl: CrawlId, rules: &Arc<Rules<Robots>>) -> Result<Ending, StoreError> {
        let robots = &rules.says;
        let delay = robots.crawl_delay();
        let frontier = self.store.frontier();
        let earlier = self.earlier(&claim, crawl).await?;
        let started = Instant::now();
        let Found { mut answer, status, mut bytes, mut version, result } = match claim.link.kind {
            VisitKind::Page => self.get_page(&claim, earlier.as_ref()).await?,
            VisitKind::Media(_) => self.get_media(&claim, earlier.as_ref(), delay).await?,
            VisitKind::Report => self.get_report(&claim, earlier.as_ref(), rules, delay).await?,
            VisitKind::Sitemap => self.get_sitemap(&claim, earlier.as_ref(), rules).await?,
        };
        let shown = match &result {
            Ok(Content::Page(unread)) => self.show(&claim, unread, rules).await?,
            _ => None,
        };
        bytes += shown.as_ref().map_or(0, |shown| shown.bytes);
        answer = shown.as_ref().and_then(|shown| shown.busy).unwrap_or(answer);
        // The body is complete, or the connection is gone: from here on the host rests.
        let at = frontier.now().await?;
        let advice = self.manners.rest(at, delay, claim.host_failures, &answer);
        let mut rest = Rest { until: no_sooner(at, advice.until), delay, failures: advice.failures };
        if shown.as_ref().is_some_and(|shown| shown.asked) {
            // It was asked for several things at once.
            rest.until = rest.until + rest.until.since(at);
        }
        let is_lost = result.as_ref().is_err_and(|trouble| trouble.reason == LOST);
        if is_lost || shown.as_ref().is_some_and(|shown| shown.lost) {
            return self.put_back(claim, crawl, rest, Again::AsBefore).await;
        }
        if let Err(trouble) = &result
            && trouble.passing
            && !advice.give_up
            && claim.tries + 1 < self.settings.tries
        {
            tracing::info!("{}: {}; will be tried again", claim.link.url, trouble.detail);
            return self.put_back(claim, crawl, rest, Again::AfterFailure).await;
        }
        self.holds.release(&claim.link.url.host(), claim.taking, rest).await?;
        let took_ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        let mut room = None;
        let (outcome, links) = match result {
            Ok(Content::Page(unread)) => {
                let known = earlier.and_then(|earlier| earlier.version.digest);
                let (digest, outcome, links, held) = self.read(&claim, unread, shown, known).await;
                (version.digest, room) = (digest, held);
                (outcome, links)
            }
            Ok(Content::Report(facts, links)) => {
                if claim.link.kind == VisitKind::Report {
                    version = Version { etag: facts.token.clone(), ..Version::default() };
                }
                (Outcome::Report(facts), links)
            }
            Ok(Content::Unchanged) => (Outcome::Unchanged, Vec::new()),
            Ok(Content::Media(file)) => {
                if let Some(page) = &claim.link.referer {
                    self.guide.strategy.kept(page, file.facts.location.is_some());
                }
                (Outcome::Media(*file), Vec::new())
            }
            Ok(Content::Redirect(target, onward)) => {
                (Outcome::Redirect(target), onward.map(|link| *link).into_iter().collect())
            }
            Ok(Content::Refused(refused)) => (Outcome::Refused(refused), Vec::new()),
            Err(Trouble { reason, detail, .. }) => {
                // Without a report that can be believed, the site is as one that has none.
                let is_report = claim.link.kind == VisitKind::Report;
                let links = if is_report { sites::sitemap_links(&claim, robots) } else { Vec::new() };
                (Outcome::Failed { reason, detail }, links)
            }
        };
        if claim.link.kind == VisitKind::Report {
            self.sites.told(&claim.link.url.origin(), &outcome);
        }
        if room.is_none() {
            room = self.backlog.room_for(&outcome, &links).await;
        }
        let visited = Visited { claim, at, took_ms, bytes, status, version, outcome, links };
        Ok(Ending::Done(Box::new(visited), room))
    }

    /// What the visits of earlier runs left, where something was found that may still be there. One that was
    /// killed after it was written is made again as if nothing were known: what it found to visit next may be
    /// lost. So is one that such a visit leads to by a redirect, as through a cookie wall, which is a visit of
    /// its own: so whatever this run found itself does not count.
    async fn earlier(&self, claim: &Claim, crawl: CrawlId) -> Result<Option<Earlier>, StoreError> {
        if claim.round == 0 {
            return Ok(None);
        }
        let earlier = self.store.library().earlier(crawl, &[claim.id]).await?;
        let counts =
            |earlier: &Earlier| !earlier.gone && earlier.round < claim.round && earlier.checked < self.run_started;
        Ok(earlier.into_iter().flatten().next().filter(counts))
    }

    fn request(&self, claim: &Claim) -> Request {
        let limits = &self.settings.limits;
        let (accept, limit) = match claim.link.kind {
            // What a link promises to be a page may turn out to be a picture.
            VisitKind::Page => (Accept::Page, limits.max_page.max(limits.max_file)),
            VisitKind::Media(MediaKind::Image) => (Accept::Image, limits.max_file),
            VisitKind::Media(_) => (Accept::Media, limits.max_file),
            VisitKind::Report | VisitKind::Sitemap => (Accept::Text, limits.max_page),
        };
        // What is larger is noticed while it is taken in, and counted as such.
        let limit = limit.saturating_add(LIMIT_SLACK);
        let referer = claim.link.referer.clone();
        Request { referer, limit, ..Request::new(claim.link.url.clone(), accept) }
    }

    /// A page in one request; it may turn out to be a media file.
    async fn get_page(&self, claim: &Claim, earlier: Option<&Earlier>) -> Result<Found, StoreError> {
        let _line = self.lines.acquire().await;
        let asked = self.ask_for_page(claim, earlier);
        self.holds.asking(&claim.link.url.host(), claim.taking, asked).await.unwrap_or_else(|| Ok(lost(claim, 0)))
    }

    async fn ask_for_page(&self, claim: &Claim, earlier: Option<&Earlier>) -> Result<Found, StoreError> {
        let _timed = self.guide.steps.time(Work::FetchingPages);
        let validators = earlier.and_then(validators);
        let asks_for_change = validators.is_some();
        let request = Request { validators, ..self.request(claim) };
        let mut response = match self.fetcher.send(request).await {
            Ok(response) => response,
            Err(error) => return Found::failed(error, 0),
        };
        let now = self.store.frontier().now().await?;
        let result = match self.not_content(claim, &response) {
            _ if asks_for_change && response.status == NOT_MODIFIED => Ok(Content::Unchanged),
            Some(result) => result,
            None => self.contents.take(claim, &mut response, now).await?,
        };
        let bytes = response.received();
        Ok(self.found(response, bytes, result, now).await)
    }

    /// A media file, in as many requests as it takes, each after the delay its host asks for. The
    /// host stays claimed all the while.
    async fn get_media(
        &self,
        claim: &Claim,
        earlier: Option<&Earlier>,
        delay: Option<Duration>,
    ) -> Result<Found, StoreError> {
        let frontier = self.store.frontier();
        let mut inquiry = Inquiry::new(claim, self.settings.keep.probe);
        // Only the first request asks whether it changed: the others are for what did.
        let mut validators = earlier.and_then(validators);
        loop {
            let line = self.lines.acquire().await;
            let asked = self.ask_for_part(claim, &mut inquiry, validators.take());
            match self.holds.asking(&claim.link.url.host(), claim.taking, asked).await {
                Some(Ok(None)) => {}
                Some(Ok(Some(found))) => return Ok(found),
                Some(Err(error)) => return Err(error),
                None => return Ok(lost(claim, inquiry.received())),
            }
            let now = frontier.now().await?;
            let until = no_sooner(now, self.manners.rest(now, delay, 0, &Answer::Fine).until);
            drop(line);
            let _timed = self.guide.steps.time(Work::Waiting);
            let _resting = self.rests.begin();
            tokio::time::sleep(until.since(now)).await;
        }
    }

    /// One request of an inquiry; nothing when there is another to make.
    async fn ask_for_part(
        &self,
        claim: &Claim,
        inquiry: &mut Inquiry<'_>,
        validators: Option<Validators>,
    ) -> Result<Option<Found>, StoreError> {
        let _timed = self.guide.steps.time(Work::FetchingMedia);
        let asks_for_change = validators.is_some();
        let request = Request { validators, ..inquiry.request(self.request(claim)) };
        let mut response = match self.fetcher.send(request).await {
            Ok(response) => response,
            Err(error) => return Found::failed(error, inquiry.received()).map(Some),
        };
        let now = self.store.frontier().now().await?;
        if asks_for_change && response.status == NOT_MODIFIED {
            let bytes = response.received();
            return Ok(Some(self.found(response, bytes, Ok(Content::Unchanged), now).await));
        }
        let step = match self.not_content(claim, &response).filter(|_| !inquiry.is_of_range(response.status)) {
            Some(result) => Step::Done(result),
            None => inquiry.take(&mut response, &self.contents, now).await?,
        };
        match step {
            Step::Done(result) => Ok(Some(self.found(response, inquiry.received(), result, now).await)),
            Step::Ask => {
                response.discard().await;
                Ok(None)
            }
        }
    }

    /// What an answer that brings no content says.
    pub(crate) fn not_content(&self, claim: &Claim, response: &Response) -> Option<Result<Content, Trouble>> {
        let status = response.status;
        if let Some(target) = response.redirect() {
            return Some(redirect(claim, target, response, &self.fetcher, &self.hops, &self.guide.filter));
        }
        (!(200..300).contains(&status)).then(|| {
            Err(Trouble {
                reason: format!("http-{status}"),
                detail: format!("{} answered {status}", claim.link.url.host()),
                passing: status == 429 || status >= 500,
            })
        })
    }

    pub(crate) async fn found(
        &self,
        response: Response,
        bytes: u64,
        result: Result<Content, Trouble>,
        now: Timestamp,
    ) -> Found {
        let answer = Answer::of_status(response.status, response.retry_after(now));
        let status = Some(response.status);
        let version = Version {
            etag: response.etag().filter(|etag| etag.len() <= LONGEST_ETAG).map(str::to_owned),
            modified: response.modified(),
            digest: None,
        };
        if result.is_ok() {
            // A short rest of the body is read, so that the connection can be used again.
            response.discard().await;
        }
        Found { answer, status, bytes, version, result }
    }

    /// Reads a page on the CPU pool, and waits there for room for what it says. One that says what it said, by the hash of that, is unchanged.
    async fn read(
        &self,
        claim: &Claim,
        unread: Unread,
        shown: Option<Shown>,
        known: Option<[u8; 16]>,
    ) -> (Option<[u8; 16]>, Outcome, Vec<Link>, Option<OwnedSemaphorePermit>) {
        // A tree takes many times the room of its page.
        let _alone = if unread.body.len() > HUGE { Some(self.huge.acquire().await) } else { None };
        let _core = self.cpu.acquire().await;
        let (claim, guide) = (claim.clone(), Arc::clone(&self.guide));
        let reading = tokio::task::spawn_blocking(move || {
            let _timed = guide.steps.time(Work::ReadingPages);
            let Unread { body, content_type, directives, lane: _lane } = unread;
            let limits = page::Limits::default();
            let sent = page::read(&body, content_type.as_deref(), &claim.link.url, &limits);
            let asked_for = sent.robots.and(directives);
            let states = shown.as_ref().map_or(0, |shown| shown.rendered.states.len() as u64);
            let (page, sent) = match shown.filter(|_| states > 0) {
                Some(shown) => {
                    let whole = together(&sent, &shown.rendered);
                    let page = page::read(whole.as_bytes(), Some("text/html; charset=utf-8"), &claim.link.url, &limits);
                    (page, Some(addresses(&sent)))
                }
                None => (sent, None),
            };
            let digest = Some(page.digest());
            if known.is_some() && known == digest {
                return (digest, Outcome::Unchanged, Vec::new());
            }
            // What the page says of itself and what its server says add up.
            let wishes = page.robots.and(asked_for);
            let (mut facts, mut links) = gather(&claim, &page, wishes, body.len() as u64, &guide);
            links.extend(refresh(&claim, &page, &guide.filter));
            facts.states = states;
            facts.dynamic =
                sent.map_or(0, |sent| links.iter().filter(|link| !sent.contains(&link.url.id())).count() as u64);
            (digest, Outcome::Page(facts), links)
        });
        let (digest, outcome, links) = reading.await.unwrap_or_else(|panic| {
            let detail = format!("reading the page failed: {panic}");
            (None, Outcome::Failed { reason: "internal".into(), detail }, Vec::new())
        });
        // The core is kept meanwhile: of what is read and has no room yet there is never more than cores.
        let room = self.backlog.room_for(&outcome, &links).await;
        (digest, outcome, links, room)
    }
}

/// Others took over in the middle of a visit: what they find of it counts.
pub(crate) fn lost(claim: &Claim, received: u64) -> Found {
    let detail = format!("{} was taken over by another process", claim.link.url.host());
    Found::refused(Trouble { reason: LOST.into(), detail, passing: true }, received)
}

/// All that a page leads to and shows.
fn addresses(page: &page::Page) -> HashSet<UrlId> {
    page.links.iter().map(|link| &link.url).chain(page.media.iter().map(|media| &media.url)).map(Url::id).collect()
}

/// What to send so that the answer is short when nothing changed.
pub(crate) fn validators(earlier: &Earlier) -> Option<Validators> {
    Validators::of(earlier.version.etag.clone(), earlier.version.modified)
}

/// Why a row waits again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    /// Its request was used for something else, or not made.
    AsBefore,
    /// It was tried and failed in a way that may pass.
    AfterFailure,
}

fn done(visited: Visited) -> Ending {
    Ending::Done(Box::new(visited), None)
}

fn refused_by(rules: &Rules<Robots>, claim: &Claim, origin: &Origin) -> Outcome {
    let (reason, detail) = match &rules.trouble {
        Some(trouble) => (trouble.reason.as_str(), trouble.detail.clone()),
        None if rules.says.is_unreachable() => (
            "robots-unreachable",
            format!("{origin}/robots.txt fails: nothing may be fetched there for now (RFC 9309)"),
        ),
        None if matches!(claim.link.kind, VisitKind::Media(_)) => return Outcome::Refused(Refused::unseen("robots")),
        None => ("robots", format!("refused by {origin}/robots.txt")),
    };
    Outcome::Failed { reason: reason.into(), detail }
}
