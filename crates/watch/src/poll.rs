//! A running site whose pages a program makes: its sitemap is asked for now and then, and pages one
//! by one, with conditional requests, so that what did not change costs an empty answer.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::{Timestamp, Url};
use fetch::{Accept, FetchError, Fetcher, Request, Response, Validators};
use report::Sitemap;

use crate::book::{Look, Noted, Page, is};
use crate::names::{Id, ROOT};
use crate::reading::take_fetched;
use crate::watched::{Watched, now};

/// Sitemaps of one site.
const MAPS: usize = 1_000;
/// Pages of one site.
const PAGES: usize = 2_000_000;
/// Bytes of a sitemap (sitemaps.org).
const MAP_BYTES: u64 = 50 << 20;
/// Bytes of a page.
const PAGE_BYTES: u64 = 4 << 20;
/// Between two requests.
const DELAY: Duration = Duration::from_secs(1);
/// The mark of pages of which nobody says when they changed.
const UNDATED: u64 = 1;

/// Keeps the book of one site in step with its sitemap.
pub(crate) struct Poll {
    watched: Arc<Watched>,
    fetcher: Fetcher,
    map: Url,
    /// What the last answer for each sitemap said, and which pages it had.
    maps: HashMap<Url, (Validators, Arc<Sitemap>)>,
    /// Pages without a date, or with one that is not over, to be asked for in turn.
    undated: Vec<Id>,
    turn: usize,
    asked: Option<Instant>,
}

/// What came of a conditional request.
enum Answer {
    Same,
    Gone,
    New(Validators, Option<String>, Vec<u8>),
    Failed(String),
}

impl Poll {
    pub(crate) fn new(watched: Arc<Watched>, fetcher: Fetcher, map: Url) -> Self {
        Self { watched, fetcher, map, maps: HashMap::new(), undated: Vec::new(), turn: 0, asked: None }
    }

    /// Asks for the sitemap and notes what it says.
    pub(crate) async fn look(&mut self) {
        let mut queue = vec![self.map.clone()];
        let mut asked = HashSet::new();
        let mut read = Vec::new();
        while let Some(url) = queue.pop() {
            if asked.len() >= MAPS || !asked.insert(url.clone()) {
                continue;
            }
            let known = self.maps.get(&url).cloned();
            let validators = known.as_ref().map(|(validators, _)| validators.clone());
            let sitemap = match self.ask(&url, Accept::Text, MAP_BYTES, validators).await {
                Answer::Same => known.map(|(_, sitemap)| sitemap),
                Answer::New(validators, _, body) => {
                    let sitemap = Sitemap::read(&body, &url).map(Arc::new);
                    let kept = sitemap.clone().map(|sitemap| (validators, sitemap));
                    kept.and_then(|kept| self.maps.insert(url.clone(), kept));
                    sitemap
                }
                Answer::Gone => None,
                Answer::Failed(why) => {
                    return tracing::warn!("the sitemap {url} cannot be had: {why}; pages stay as they were");
                }
            };
            let Some(sitemap) = sitemap else {
                return tracing::warn!("there is no sitemap at {url}; pages stay as they were");
            };
            let here = |map: &&Url| map.host_str() == self.map.host_str();
            queue.extend(sitemap.maps.iter().filter(here).cloned());
            read.push(sitemap);
        }
        self.maps.retain(|url, _| asked.contains(url));
        self.note(&read);
    }

    fn note(&mut self, maps: &[Arc<Sitemap>]) {
        let first = self.watched.is_first_look();
        let at = now();
        let mut seen = HashSet::new();
        self.undated.clear();
        let mut book = self.watched.book();
        for (url, changed) in maps.iter().flat_map(|map| &map.pages).take(PAGES) {
            if !self.watched.site.covers(url) {
                continue;
            }
            let Some(id) = book.intern(ROOT, url.path_and_query().as_bytes()) else { break };
            if !seen.insert(id) {
                continue;
            }
            let mark = changed.map_or(UNDATED, |changed| (changed.at.0 as u64).max(UNDATED + 1));
            // Of a page without a date only its content can tell; what was noted of it last stays. One
            // that changes once more on the same day has the same date.
            if changed.is_none_or(|changed| changed.until > at) {
                self.undated.push(id);
            }
            // Its list says that it is there, and its server that it is not.
            if book.page(id).has(is::MISSING) && book.page(id).mark == mark {
                continue;
            }
            let modified = changed.map(|changed| changed.at).unwrap_or(match book.page(id).is_there() {
                true => book.page(id).modified,
                false => Timestamp(0),
            });
            let look = Look { mark, modified };
            if book.note(id, look, at, first && changed.is_some()) == Noted::Doubtful {
                match changed {
                    Some(_) => book.update(id, look, at),
                    None => book.unchanged(id, look),
                }
            }
        }
        let known = |page: &Page| page.is_there() || page.has(is::MISSING);
        let lost: Vec<Id> =
            book.pages().filter(|(id, page)| known(page) && !seen.contains(id)).map(|(id, _)| id).collect();
        for id in lost {
            book.unlisted(id, at);
        }
    }

    /// Asks for one page that was not read yet, or whose turn it is; gives whether there was one.
    /// `turns` counts those whose turn it was.
    pub(crate) async fn read_one(&mut self, turns: &mut usize) -> bool {
        let unread = loop {
            let next = self.watched.book().unread.pop_front();
            match next {
                Some(id) if !wants_reading(&self.watched, id) => {}
                next => break next,
            }
        };
        let id = match unread {
            Some(id) => id,
            None if *turns < self.undated.len() => {
                *turns += 1;
                self.turn = (self.turn + 1) % self.undated.len();
                self.undated[self.turn]
            }
            None => return false,
        };
        let Some(url) = self.watched.book().url(id) else { return true };
        let known = self.watched.book().page(id).hash != 0;
        let validators = self.watched.state().version(id).filter(|_| known);
        let validators = validators.map(|(etag, last_modified)| Validators { etag, last_modified });
        match self.ask(&url, Accept::Page, PAGE_BYTES, validators).await {
            Answer::Same => {}
            Answer::Gone => self.watched.book().missing(id, now()),
            Answer::New(validators, kind, body) => {
                {
                    let mut book = self.watched.book();
                    let Page { mark, modified, .. } = *book.page(id);
                    // One that was missing is back.
                    book.note(id, Look { mark, modified }, now(), false);
                }
                take_fetched(&self.watched, id, &url, &body, kind.as_deref());
                let kept = self.watched.state().keep_version(
                    id,
                    validators.etag.as_deref(),
                    validators.last_modified.as_deref(),
                );
                if let Err(error) = kept {
                    tracing::warn!("{error}");
                }
            }
            Answer::Failed(why) => tracing::debug!("{url} cannot be had: {why}"),
        }
        true
    }

    /// One request, not too soon after the last.
    async fn ask(&mut self, url: &Url, accept: Accept, limit: u64, validators: Option<Validators>) -> Answer {
        if let Some(asked) = self.asked {
            tokio::time::sleep(DELAY.saturating_sub(asked.elapsed())).await;
        }
        let request = Request { limit, validators, cookies: false, ..Request::new(url.clone(), accept) };
        let answer = self.answer(request).await.unwrap_or_else(|error| Answer::Failed(error.to_string()));
        self.asked = Some(Instant::now());
        answer
    }

    async fn answer(&self, request: Request) -> Result<Answer, FetchError> {
        let response: Response = self.fetcher.send(request).await?;
        let text = |name: &str| response.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok(match response.status {
            304 => Answer::Same,
            404 | 410 => Answer::Gone,
            200 => {
                let validators = Validators { etag: text("etag"), last_modified: text("last-modified") };
                let kind = text("content-type");
                Answer::New(validators, kind, response.bytes().await?.to_vec())
            }
            status => Answer::Failed(format!("the answer is {status}")),
        })
    }
}

fn wants_reading(watched: &Watched, id: Id) -> bool {
    let book = watched.book();
    let page = book.page(id);
    page.is_there() && !page.has(is::READ)
}
