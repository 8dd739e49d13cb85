//! The body of an answer: told by what it is, taken in within limits.

use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use facts::{Directives, Timestamp, Url};
use fetch::{FetchError, Response};
use media::{Refusal, Rules};
use store::{Blocked, Claim, Link, MediaFile, Refused, ReportFacts, Store, StoreError, VisitKind};
use strategy::Filter;
use tokio::sync::Semaphore;

use crate::gathering::{Gathered, Gathering, Room, on_disk};
use crate::inquiry::{Inquiry, Step};
use crate::keep::{Called, Probing};
use crate::lanes::{Lane, Lanes, TooSlow};
use crate::places::said_in_file;
use crate::settings::{Limits, Settings};
use crate::settle;
use crate::steps::{Steps, Work};

/// Bytes of a body that are looked at to tell what it is.
const HEAD: usize = 4096;
/// Every page may hold this much memory; only those that have one of the [`Lanes`] may hold more, so that
/// memory is `concurrency × SMALL + lanes × largest page` however many servers send large bodies.
const SMALL: usize = 256 << 10;

/// Files examined and written at once, at most: each may be in memory as a whole.
const DESKS: usize = 8;

/// What an answer turned out to be.
pub(crate) enum Content {
    /// A page that still has to be read, which its host need not wait for.
    Page(Unread),
    /// What a site lists of its pages.
    Report(ReportFacts, Vec<Link>),
    /// What it was before.
    Unchanged,
    /// A file, already in its place.
    Media(Box<MediaFile>),
    /// Another address, and the link to it unless it is out of bounds.
    Redirect(Url, Option<Box<Link>>),
    /// Something that is not kept, by reason.
    Refused(Refused),
}

/// A page as it came.
pub(crate) struct Unread {
    pub body: BytesMut,
    pub content_type: Option<String>,
    pub directives: Directives,
    /// Held until the page is read, when it is a large one.
    pub lane: Option<Lane>,
}

/// Why a visit gave nothing.
pub(crate) struct Trouble {
    /// The reason it is counted by.
    pub reason: String,
    /// A sentence for people.
    pub detail: String,
    /// Another try may go better.
    pub passing: bool,
}

/// The host of a visit is not claimed for it any more.
pub(crate) const LOST: &str = "lost";

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Self { reason: error.reason().into(), detail: error.to_string(), passing: error.is_transient() }
    }
}

impl Trouble {
    pub fn lasting(reason: &str, detail: String) -> Self {
        Self { reason: reason.into(), detail, passing: false }
    }
}

/// Takes bodies in, bounded over all requests in flight.
pub(crate) struct Contents {
    pub rules: Arc<Rules>,
    store: Arc<Store>,
    filter: Arc<Filter>,
    limits: Limits,
    thumbnail_size: u32,
    /// Whether the files' own words are looked through for places.
    places: bool,
    /// What may not come back.
    blocked: Blocked,
    room: Room,
    lanes: Lanes,
    steps: Arc<Steps>,
    /// One permit per core.
    cpu: Arc<Semaphore>,
    /// Files being examined and written: these wait for the disk, too.
    desks: Semaphore,
}

impl Contents {
    pub fn new(
        store: Arc<Store>,
        filter: Arc<Filter>,
        settings: &Settings,
        blocked: &Blocked,
        cpu: Arc<Semaphore>,
        steps: Arc<Steps>,
    ) -> Self {
        Self {
            rules: Arc::new(settings.keep.rules()),
            thumbnail_size: settings.keep.thumbnail_size,
            places: settings.places,
            limits: settings.limits,
            desks: Semaphore::new((2 * cpu.available_permits()).clamp(2, DESKS)),
            blocked: blocked.clone(),
            store,
            filter,
            room: Room::new(),
            steps,
            lanes: Lanes::new(),
            cpu,
        }
    }

    /// Takes in the body of a page, or of what turned out not to be one. An error of the store ends
    /// the crawl; anything else concerns this visit only.
    pub async fn take(
        &self,
        claim: &Claim,
        response: &mut Response,
        now: Timestamp,
    ) -> Result<Result<Content, Trouble>, StoreError> {
        let head = match head(response).await {
            Ok(head) => head,
            Err(error) => return Ok(Err(error.into())),
        };
        if media::sniff(&head).is_some() {
            return match Inquiry::new(claim, Probing::Stream).whole(head, response, self, now).await? {
                Step::Done(done) => Ok(done),
                Step::Ask => Ok(Ok(Content::Refused(Refused::unseen("format")))),
            };
        }
        if !looks_like_html(response.content_type(), &head) {
            return Ok(Ok(Content::Refused(Refused::unseen("format"))));
        }
        if self.filter.admits_content_type(response.content_type().unwrap_or("text/html")).is_err() {
            return Ok(Ok(Content::Refused(Refused::unseen("kind"))));
        }
        Ok(self.page(head, response, self.limits.max_page).await)
    }

    async fn page(&self, head: BytesMut, response: &mut Response, most: u64) -> Result<Content, Trouble> {
        let mut body = head;
        let mut lane: Option<Lane> = None;
        loop {
            let chunk = match &lane {
                Some(lane) => match lane.next(response.chunk()).await {
                    Ok(chunk) => chunk?,
                    Err(TooSlow) => return Err(too_slow(response)),
                },
                None => response.chunk().await?,
            };
            let Some(chunk) = chunk else { break };
            if lane.is_none() && body.len() + chunk.len() > SMALL {
                let waits = Instant::now();
                lane = Some(self.lanes.enter().await);
                // Its server is not to blame for others that were before it.
                response.paused(waits.elapsed());
            }
            if let Some(lane) = &mut lane {
                lane.came(chunk.len());
            }
            body.extend_from_slice(&chunk);
            if body.len() as u64 > most {
                return Err(Trouble::lasting("too-large", format!("the page is larger than {most} bytes")));
            }
        }
        let content_type = response.content_type().map(str::to_owned);
        Ok(Content::Page(Unread { body, content_type, directives: response.directives(), lane }))
    }

    /// A place for the bytes of a file of this length.
    pub fn gathering(&self, claim: &Claim, length: Option<u64>) -> Gathering {
        Gathering::new(&self.room, self.store.files(), claim.link.url.host(), length)
    }

    /// The end of a file that is larger than files may be.
    pub fn too_large(&self, length: Option<u64>) -> Option<Step> {
        let is = length.is_some_and(|length| length > self.limits.max_file);
        is.then(|| Step::refuse(Refused::unseen(Refusal::TooLarge.as_str())))
    }

    /// The end of a file that its server does not want to be taken, or that is not of a kind that is
    /// collected.
    pub fn unwanted(&self, claim: &Claim, start: &[u8], response: &Response) -> Option<Step> {
        let format = media::sniff(start)?;
        let directives = response.directives();
        let reason = if directives.noindex || directives.reserve_media(format.kind) {
            "opt-out"
        } else if self.filter.admits_media(&claim.link.url, format.kind).is_err() {
            "kind"
        } else {
            return None;
        };
        Some(Step::refuse(Refused { kind: Some(format.kind), ..Refused::unseen(reason) }))
    }

    /// Examines a whole file, puts it in its place and looks at it; or lets go of it.
    pub async fn settle(
        &self,
        claim: &Claim,
        called: &Called,
        gathered: Gathered,
        now: Timestamp,
    ) -> Result<Content, StoreError> {
        let (store, rules, called) = (Arc::clone(&self.store), Arc::clone(&self.rules), called.clone());
        let blocked = self.blocked.clone();
        let host = claim.link.url.host();
        let fetching = match claim.link.kind {
            VisitKind::Page => Work::FetchingPages,
            _ => Work::FetchingMedia,
        };
        let _timed = self.steps.time_within(Work::DescribingMedia, fetching);
        let _desk = self.desks.acquire().await;
        let settled = on_disk(move || settle::examine(&store, &host, &rules, &blocked, &called, gathered, now)).await?;
        let (mut file, pixels) = match settled {
            Ok(settled) => settled,
            Err(refused) => return Ok(Content::Refused(refused)),
        };
        (file.locality, file.said) = said_in_file(&file.facts, self.places);
        if let Some(pixels) = pixels {
            let _core = self.cpu.acquire().await;
            let (files, size) = (self.store.files().clone(), self.thumbnail_size);
            file = on_disk(move || settle::add_looks(&files, file, &pixels, size)).await?;
        }
        Ok(Content::Media(Box::new(file)))
    }
}

fn too_slow(response: &Response) -> Trouble {
    let detail = format!("{} sends a large page so slowly that others would wait for it", response.url.host());
    Trouble { reason: "timeout".into(), detail, passing: true }
}

/// The first bytes of a body, as many as are needed to tell what it is.
async fn head(response: &mut Response) -> Result<BytesMut, FetchError> {
    // The length is a hint from a stranger: believed only so far.
    let expected = response.body_length().unwrap_or(0).min(SMALL as u64) as usize;
    let mut head = BytesMut::with_capacity(expected);
    while head.len() < HEAD
        && let Some(chunk) = response.chunk().await?
    {
        head.extend_from_slice(&chunk);
    }
    Ok(head)
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
