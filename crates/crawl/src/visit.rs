//! One visit: from a claimed row to what it found.

use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::{MediaKind, Origin};
use fetch::{Accept, Answer, Fetcher, Manners, Request, Response, Robots};
use store::{Claim, CrawlId, Link, OriginFile, Outcome, Refused, Rest, Store, StoreError, VisitKind, Visited};
use strategy::{Filter, Strategy};
use tokio::sync::Semaphore;

use crate::content::{Content, Contents, Trouble, Unread};
use crate::links::{Hops, gather, redirect, refresh};
use crate::origin::{Origins, Rules, no_sooner};
use crate::settings::Settings;

/// Makes visits; shared by all that are in flight.
pub(crate) struct Visitor {
    pub store: Arc<Store>,
    pub fetcher: Fetcher,
    pub origins: Origins,
    pub manners: Manners,
    pub strategy: Arc<dyn Strategy>,
    pub filter: Arc<Filter>,
    pub settings: Settings,
    pub contents: Contents,
    pub hops: Hops,
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

/// What a request came to.
struct Found {
    status: Option<u16>,
    bytes: u64,
    result: Result<Content, Trouble>,
}

impl Visitor {
    /// Makes the one request that a claim stands for: the address itself, or what must be known
    /// of its origin first. The host is released when the request has ended.
    pub async fn visit(&self, claim: Claim, crawl: CrawlId) -> Result<Ending, StoreError> {
        let now = self.store.frontier().now().await?;
        let origin = claim.link.url.origin();
        let Some(robots) = self.origins.robots(&origin, now).await? else {
            let rest = self.origins.ask_for(OriginFile::Robots, &origin, &claim).await?;
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
                let rest = self.origins.ask_for(OriginFile::Tdm, &origin, &claim).await?;
                return self.put_back(claim, crawl, rest, Again::AsBefore).await;
            };
            if tdm.may_pass {
                return self.put_back(claim, crawl, Rest { until: tdm.until, ..untouched }, Again::AsBefore).await;
            }
            if tdm.says.reserved(&claim.link.url) {
                return self.unasked(claim, untouched, Outcome::Refused(Refused::unseen("opt-out"))).await;
            }
        }
        self.ask(claim, crawl, delay).await
    }

    /// The row waits again; its host rests.
    async fn put_back(&self, claim: Claim, crawl: CrawlId, rest: Rest, again: Again) -> Result<Ending, StoreError> {
        let host = claim.link.url.host();
        self.store.frontier().put_back(crawl, claim, again == Again::AfterFailure).await?;
        self.store.frontier().release(&host, rest).await?;
        Ok(Ending::PutBack)
    }

    /// The visit ends without a request.
    async fn unasked(&self, claim: Claim, rest: Rest, outcome: Outcome) -> Result<Ending, StoreError> {
        self.store.frontier().release(&claim.link.url.host(), rest).await?;
        let at = rest.until;
        Ok(done(Visited { claim, at, took_ms: 0, bytes: 0, status: None, outcome, links: Vec::new() }))
    }

    async fn ask(&self, claim: Claim, crawl: CrawlId, delay: Option<Duration>) -> Result<Ending, StoreError> {
        let frontier = self.store.frontier();
        let started = Instant::now();
        let (answer, found) = match self.fetcher.send(self.request(&claim)).await {
            Ok(response) => {
                let retry_after = response.retry_after(frontier.now().await?);
                (Answer::of_status(response.status, retry_after), self.take_in(&claim, response).await?)
            }
            Err(error) => {
                (Answer::of_error(&error), Found { status: None, bytes: 0, result: Err(Trouble::from(error)) })
            }
        };
        // The body is complete, or the connection is gone: from here on the host rests.
        let at = frontier.now().await?;
        let advice = self.manners.rest(at, delay, claim.host_failures, &answer);
        let rest = Rest { until: no_sooner(at, advice.until), delay, failures: advice.failures };
        let Found { status, bytes, result } = found;
        if let Err(trouble) = &result
            && trouble.passing
            && !advice.give_up
            && claim.tries + 1 < self.settings.tries
        {
            tracing::info!("{}: {}; will be tried again", claim.link.url, trouble.detail);
            return self.put_back(claim, crawl, rest, Again::AfterFailure).await;
        }
        frontier.release(&claim.link.url.host(), rest).await?;
        let took_ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        let (outcome, links) = match result {
            Ok(Content::Page(unread)) => self.read(&claim, unread).await,
            Ok(Content::Media(file)) => (Outcome::Media(file), Vec::new()),
            Ok(Content::Redirect(target, onward)) => {
                (Outcome::Redirect(target), onward.map(|link| *link).into_iter().collect())
            }
            Ok(Content::Refused(reason)) => (Outcome::Refused(Refused::unseen(reason)), Vec::new()),
            Err(Trouble { reason, detail, .. }) => (Outcome::Failed { reason, detail }, Vec::new()),
        };
        Ok(done(Visited { claim, at, took_ms, bytes, status, outcome, links }))
    }

    fn request(&self, claim: &Claim) -> Request {
        let limits = &self.settings.limits;
        let (accept, limit) = match claim.link.kind {
            // What a link promises to be a page may turn out to be a picture.
            VisitKind::Page => (Accept::Page, limits.max_page.max(limits.max_file)),
            VisitKind::Media(MediaKind::Image) => (Accept::Image, limits.max_file),
            VisitKind::Media(_) => (Accept::Media, limits.max_file),
        };
        let referer = claim.link.referer.clone();
        Request { referer, limit, ..Request::new(claim.link.url.clone(), accept) }
    }

    /// Takes in an answer up to its last byte.
    async fn take_in(&self, claim: &Claim, mut response: Response) -> Result<Found, StoreError> {
        let status = response.status;
        let result = match response.redirect() {
            Some(target) => redirect(claim, target, response.set_cookie(), &self.hops, &self.filter),
            None if (200..300).contains(&status) => {
                self.contents.take(claim, &mut response, &self.filter, &self.settings.limits).await?
            }
            None => Err(Trouble {
                reason: format!("http-{status}"),
                detail: format!("{} answered {status}", claim.link.url.host()),
                passing: status == 429 || status >= 500,
            }),
        };
        let bytes = response.received();
        if result.is_ok() {
            // A short rest of the body is read, so that the connection can be used again.
            response.discard().await;
        }
        Ok(Found { status: Some(status), bytes, result })
    }

    /// Reads a page on the CPU pool.
    async fn read(&self, claim: &Claim, unread: Unread) -> (Outcome, Vec<Link>) {
        let _core = self.cpu.acquire().await;
        let (strategy, filter) = (Arc::clone(&self.strategy), Arc::clone(&self.filter));
        let claim = claim.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let Unread { body, content_type, directives, lane: _lane } = unread;
            let page = page::read(&body, content_type.as_deref(), &claim.link.url, &page::Limits::default());
            // What the page says of itself and what its server says add up.
            let wishes = page.robots.and(directives);
            let (facts, mut links) = gather(&claim, &page, wishes, body.len() as u64, &*strategy, &filter);
            links.extend(refresh(&claim, &page, &filter));
            (Outcome::Page(facts), links)
        });
        reading.await.unwrap_or_else(|panic| {
            let detail = format!("reading the page failed: {panic}");
            (Outcome::Failed { reason: "internal".into(), detail }, Vec::new())
        })
    }
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
    Ending::Done(Box::new(visited))
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
