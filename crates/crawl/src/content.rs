//! The body of an answer: told by what it is, taken in within limits.

use std::sync::Arc;

use bytes::BytesMut;
use facts::{Directives, Url};
use fetch::{FetchError, Response};
use store::{Claim, Link, MediaFile, Store, StoreError, VisitKind};
use strategy::Filter;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::settings::Limits;

/// Bytes of a body that are looked at to tell what it is.
const HEAD: usize = 4096;
/// Bytes of a file gathered before they are written.
const PIECE: usize = 256 << 10;
/// Every page may hold this much memory; only [`LARGE`] at a time may hold more, so that memory
/// is `concurrency × SMALL + LARGE × largest page` however many servers send large bodies.
const SMALL: usize = 256 << 10;
const LARGE: usize = 4;

/// What an answer turned out to be.
pub(crate) enum Content {
    /// A page that still has to be read, which its host need not wait for.
    Page(Unread),
    /// A file, already in its place.
    Media(MediaFile),
    /// Another address, and the link to it unless it is out of bounds.
    Redirect(Url, Option<Box<Link>>),
    /// Something that is not kept, by reason.
    Refused(&'static str),
}

/// A page as it came.
pub(crate) struct Unread {
    pub body: BytesMut,
    pub content_type: Option<String>,
    pub directives: Directives,
    /// Held until the page is read, when it is a large one.
    pub lane: Option<OwnedSemaphorePermit>,
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
    store: Arc<Store>,
    large: Arc<Semaphore>,
}

impl Contents {
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, large: Arc::new(Semaphore::new(LARGE)) }
    }

    /// Takes in the body of a successful answer. An error of the store ends the crawl; anything
    /// else concerns this visit only.
    pub async fn take(
        &self,
        claim: &Claim,
        response: &mut Response,
        filter: &Filter,
        limits: &Limits,
    ) -> Result<Result<Content, Trouble>, StoreError> {
        let head = match head(response).await {
            Ok(head) => head,
            Err(error) => return Ok(Err(error.into())),
        };
        if let Some(format) = media::sniff(&head) {
            let directives = response.directives();
            return if directives.noindex || directives.reserve_media(format.kind) {
                Ok(Ok(Content::Refused("opt-out")))
            } else if filter.admits_media(&claim.link.url, format.kind).is_err() {
                Ok(Ok(Content::Refused("kind")))
            } else {
                self.keep(claim, format, head, response).await
            };
        }
        if claim.link.kind != VisitKind::Page || !looks_like_html(response.content_type(), &head) {
            return Ok(Ok(Content::Refused("format")));
        }
        if filter.admits_content_type(response.content_type().unwrap_or("text/html")).is_err() {
            return Ok(Ok(Content::Refused("kind")));
        }
        Ok(self.page(head, response, limits.max_page).await)
    }

    async fn page(&self, head: BytesMut, response: &mut Response, most: u64) -> Result<Content, Trouble> {
        let mut body = head;
        let mut lane = None;
        while let Some(chunk) = response.chunk().await? {
            if lane.is_none() && body.len() + chunk.len() > SMALL {
                lane = Arc::clone(&self.large).acquire_owned().await.ok();
            }
            body.extend_from_slice(&chunk);
            if body.len() as u64 > most {
                return Err(Trouble::lasting("too-large", format!("the page is larger than {most} bytes")));
            }
        }
        let content_type = response.content_type().map(str::to_owned);
        Ok(Content::Page(Unread { body, content_type, directives: response.directives(), lane }))
    }

    /// Streams a media file to its place.
    async fn keep(
        &self,
        claim: &Claim,
        format: media::Format,
        head: BytesMut,
        response: &mut Response,
    ) -> Result<Result<Content, Trouble>, StoreError> {
        let (files, host) = (self.store.files().clone(), claim.link.url.host());
        let Ok(facts) = media::read_whole(&head, facts::Timestamp(0)) else {
            return Ok(Ok(Content::Refused("broken")));
        };
        let mut draft = on_disk(move || files.draft(&host)).await?;
        let mut piece = head;
        loop {
            let chunk = match response.chunk().await {
                Ok(chunk) => chunk,
                Err(error) => return Ok(Err(error.into())),
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
        Ok(Ok(Content::Media(MediaFile { id: kept.id, size: kept.size, path: kept.path, thumbnail: None, facts })))
    }
}

/// The first bytes of a body, as many as are needed to tell what it is.
async fn head(response: &mut Response) -> Result<BytesMut, FetchError> {
    let mut head = BytesMut::new();
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

/// File work away from the threads that wait for the network.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}
