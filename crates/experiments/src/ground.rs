//! What crawls are compared on: a made web, or a folder of real pages.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use facts::Url;
use lab::{Answer, Answers, Asked, Certificate, Mirror, PageId, SiteKind, Web};
use serde_json::Value;

use crate::{ExperimentError, Order};

/// A web that can be crawled again and again.
#[derive(Clone)]
pub(crate) enum Ground {
    Made(Web),
    Mirror(Mirror),
}

impl Ground {
    pub fn made(settings: lab::Settings) -> Self {
        Self::Made(Web::new(settings))
    }

    /// A folder of pages.
    pub fn mirror(folder: &Path) -> Result<Self, ExperimentError> {
        let unusable =
            |error: std::io::Error| ExperimentError::From { path: folder.to_owned(), why: error.to_string() };
        Mirror::open(folder).map(Self::Mirror).map_err(unusable)
    }

    /// As the order wants it: the folder it names, or so many made webs, one number after the other.
    pub fn ordered(order: &Order, webs: u64, made: &lab::Settings) -> Result<Vec<Self>, ExperimentError> {
        if let Some(folder) = &order.from {
            return Ok(vec![Self::mirror(folder)?]);
        }
        let first = order.number.unwrap_or(1);
        Ok((first..).take(webs as usize).map(|number| Self::made(lab::Settings { number, ..made.clone() })).collect())
    }

    fn answers(&self) -> &dyn Answers {
        match self {
            Self::Made(web) => web,
            Self::Mirror(mirror) => mirror,
        }
    }

    /// How tables name it.
    pub fn name(&self) -> String {
        match self {
            Self::Made(web) => format!("{} {}", web.settings().number, web.focus().town),
            Self::Mirror(mirror) => format!("{} files", mirror.pages()),
        }
    }

    /// The town a made web is about, as a region of interest.
    pub fn focus(&self) -> Option<String> {
        match self {
            Self::Made(web) => {
                let focus = web.focus();
                Some(format!("{},{},{}", focus.lat, focus.lon, focus.radius_km))
            }
            Self::Mirror(_) => None,
        }
    }

    /// Seeds, each with the kind of its site, or its address where that is not known.
    pub fn named_seeds(&self) -> Vec<(String, Url)> {
        let kind = |url: &Url| match self {
            Self::Made(web) => web.truth(url)?.site.map(|site| site.kind.word().to_owned()),
            Self::Mirror(_) => None,
        };
        let place = |url: &Url| format!("{}{}", url.host_str(), url.path());
        let named = |url: Url| (kind(&url).unwrap_or_else(|| place(&url)), url);
        self.answers().seeds().into_iter().map(named).collect()
    }

    /// Where crawls for photos start: at a made web's first site of photos, or at all of a mirror's
    /// seeds.
    pub fn photo_seeds(&self) -> Vec<String> {
        let wanted = |name: &str| matches!(self, Self::Mirror(_)) || name == SiteKind::Photos.word();
        self.named_seeds().into_iter().filter(|(name, _)| wanted(name)).map(|(_, url)| url.to_string()).collect()
    }

    /// Where a page of a made web is.
    pub fn address(&self, page: PageId) -> Option<String> {
        match self {
            Self::Made(web) => web.url_of(page).map(|url| url.to_string()),
            Self::Mirror(_) => None,
        }
    }

    /// The page of a made web at this address, and whether it is relevant to the web's town.
    pub fn truth(&self, url: &Url) -> Option<(PageId, bool)> {
        match self {
            Self::Made(web) => web.page_at(url).map(|page| (page, web.is_relevant(page))),
            Self::Mirror(_) => None,
        }
    }
}

impl Ground {
    /// The page of a made web at this address, and whether it is about a topic, by its word.
    pub fn on_topic(&self, url: &Url, word: &str) -> Option<(PageId, bool)> {
        match self {
            Self::Made(web) => web.page_at(url).map(|page| (page, web.is_on_topic(page, word))),
            Self::Mirror(_) => None,
        }
    }

    /// The words of topics in the language that most of a made web is written in.
    pub fn topic_words(&self) -> Vec<&'static str> {
        match self {
            Self::Made(web) => web.topic_words(web.language()),
            Self::Mirror(_) => Vec::new(),
        }
    }
}

/// A ground that notes which pages it served, in order.
pub(crate) struct Watched {
    ground: Ground,
    served: Mutex<Vec<Served>>,
}

/// A page that was served.
#[derive(Clone)]
pub(crate) struct Served {
    pub url: Url,
    /// What stood in it, for the first few.
    pub body: Option<Bytes>,
}

/// Pages whose content is noted too: as many as [000 Table 5] looks at.
pub(crate) const NOTED: usize = 10;

impl Watched {
    pub fn new(ground: Ground) -> Self {
        Self { ground, served: Mutex::new(Vec::new()) }
    }

    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    fn notes(&self) -> MutexGuard<'_, Vec<Served>> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pages served so far.
    pub fn served(&self) -> Vec<Served> {
        self.notes().clone()
    }
}

impl Answers for Watched {
    fn seeds(&self) -> Vec<Url> {
        self.ground.answers().seeds()
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let mut answer = self.ground.answers().answer(asked);
        // A host that fails is left alone for a while: the order of visits would be a matter of time.
        if answer.status == 500 {
            answer.status = 410;
        }
        let is_page = answer.status == 200 && answer.header("content-type").is_some_and(|kind| kind.contains("html"));
        let scheme = if asked.https { "https" } else { "http" };
        if is_page && let Ok(url) = Url::parse(&format!("{scheme}://{}{}", asked.host, asked.target)) {
            let mut notes = self.notes();
            let body = (notes.len() < NOTED).then(|| answer.body.clone());
            notes.push(Served { url, body });
        }
        answer
    }

    fn hosts(&self) -> String {
        self.ground.answers().hosts()
    }

    fn certificate(&self, host: &str) -> Option<Certificate> {
        self.ground.answers().certificate(host)
    }

    fn allows(&self, https: bool, host: &str, target: &str) -> bool {
        self.ground.answers().allows(https, host, target)
    }

    fn wait(&self, asked: &Asked) -> (Duration, Option<Duration>) {
        self.ground.answers().wait(asked)
    }

    fn truth(&self, url: &Url) -> Option<Value> {
        self.ground.answers().truth(url)
    }

    fn settings(&self) -> Value {
        self.ground.answers().settings()
    }
}
