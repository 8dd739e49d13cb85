//! The made web as a whole.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use facts::Url;
use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::{self, Answer, Asked};
use crate::dice::Dice;
use crate::graph::{To, edges};
use crate::host::{Certificate, DOMAIN, Host, focus};
use crate::media::Files;
use crate::page::{Page, PageId};
use crate::thing::{self, Server, Thing};
use crate::tongue::Tongue;
use crate::town::TOWNS;
use crate::truth::{self, Truth, is_relevant, with_page};
use crate::{Answers, Settings, robots};

/// A made web. Cloning is cheap: clones share the files they have drawn.
#[derive(Clone)]
pub struct Web {
    settings: Arc<Settings>,
    files: Arc<Files>,
}

/// The town a web's number is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Focus {
    /// Its name, as addresses there write it.
    pub town: &'static str,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// All addresses of the town lie within so many kilometres, and those of no other town do.
    pub radius_km: f64,
}

/// Sites whose home pages are the seeds.
const SEEDS: u32 = 8;

impl Web {
    /// The web with these settings; at least one site with one page.
    pub fn new(mut settings: Settings) -> Self {
        settings.hosts = settings.hosts.max(1);
        Self { settings: Arc::new(settings), files: Arc::new(Files::new()) }
    }

    /// What it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Home pages to start from, one of each kind of site.
    pub fn seeds(&self) -> Vec<Url> {
        let homes = (0..self.settings.hosts.min(SEEDS)).map(|index| Host::at(&self.settings, index));
        homes.filter_map(|host| Url::parse(&format!("{}/", host.origin())).ok()).collect()
    }

    /// The town most addresses are in.
    pub fn focus(&self) -> Focus {
        let town = &TOWNS[focus(&self.settings) as usize];
        Focus { town: town.name, lat: town.lat, lon: town.lon, radius_km: 15.0 }
    }

    /// What a server answers.
    pub fn answer(&self, asked: &Asked) -> Answer {
        answer::answer(&self.settings, &self.files, asked)
    }

    /// What there is to know about an address; `None` when nothing answers there.
    pub fn truth(&self, url: &Url) -> Option<Truth> {
        truth::truth(&self.settings, url)
    }

    /// Whether the site's robots.txt lets a crawler ask for this; `target` is path and query.
    pub fn allows(&self, https: bool, host: &str, target: &str) -> bool {
        // robots.txt itself may be asked for by any name and scheme, also where that only leads on.
        if target.split('?').next() == Some("/robots.txt") {
            return true;
        }
        robots::allowed(&self.settings, host, &thing::named(&self.settings, https, host, target))
    }

    /// The page an address names, also when it is not the canonical one.
    pub fn page_at(&self, url: &Url) -> Option<PageId> {
        let mut url = url.clone();
        for _ in 0..5 {
            match thing::named(&self.settings, url.scheme() == "https", url.host_str(), url.path_and_query()) {
                Thing::Page(id) => return Some(id),
                Thing::Moved(_, to) => url = Url::parse(&to).ok()?,
                _ => return None,
            }
        }
        None
    }

    /// The canonical address of a page.
    pub fn url_of(&self, page: PageId) -> Option<Url> {
        with_page(&self.settings, page, |page| Url::parse(&page.url()).ok())?
    }

    /// The pages a page links to, in document order, without those a polite crawler leaves out
    /// (`nofollow`, forbidden by robots.txt, on a site that cannot be reached).
    pub fn outlinks(&self, page: PageId) -> Vec<PageId> {
        let settings = &*self.settings;
        let found = with_page(settings, page, |page| {
            if page.robots_meta().is_some_and(|wish| wish.contains("nofollow")) {
                return Vec::new();
            }
            let links = edges(page).into_iter().filter(|edge| !edge.nofollow);
            let targets = links.filter_map(|edge| match edge.to {
                To::Page(id) => Some(id),
                _ => None,
            });
            targets.filter(|id| self.can_visit(*id)).collect()
        });
        found.unwrap_or_default()
    }

    fn can_visit(&self, id: PageId) -> bool {
        let host = Host::at(&self.settings, id.host);
        !host.out_of_reach() && Page::new(&self.settings, &host, id.index).is_some_and(|page| page.allowed())
    }

    /// Whether the page gives an address in the focus town.
    pub fn is_relevant(&self, page: PageId) -> bool {
        with_page(&self.settings, page, is_relevant).unwrap_or(false)
    }

    /// The words of the topics in a language, one each; in English when it is not one of the web's.
    pub fn topic_words(&self, language: &str) -> Vec<&'static str> {
        Tongue::of(language).nouns.clone()
    }

    /// Whether the page is about this topic, given as the page's language writes it.
    pub fn is_on_topic(&self, page: PageId, word: &str) -> bool {
        with_page(&self.settings, page, |page| page.topic_words().contains(&word)).unwrap_or(false)
    }

    /// The language of the town the web is about, in which most of its sites are written.
    pub fn language(&self) -> &'static str {
        TOWNS[focus(&self.settings) as usize].country.tongue().code
    }

    /// The addresses of the photos, films and sounds a page shows, each in full size.
    pub fn media_of(&self, page: PageId) -> Vec<Url> {
        let media = with_page(&self.settings, page, truth::media).unwrap_or_default();
        media.iter().filter_map(|url| Url::parse(url).ok()).collect()
    }

    /// All pages a polite crawler finds from the seeds, breadth first. Remembers what it has
    /// seen: for small webs, or the first pages of a large one.
    pub fn walk(&self) -> Walk<'_> {
        let seeds: VecDeque<_> = self.seeds().iter().filter_map(|seed| self.page_at(seed)).map(|id| (id, 0)).collect();
        Walk { web: self, known: seeds.iter().map(|(id, _)| *id).collect(), queue: seeds }
    }
}

impl Answers for Web {
    fn seeds(&self) -> Vec<Url> {
        Web::seeds(self)
    }

    fn answer(&self, asked: &Asked) -> Answer {
        Web::answer(self, asked)
    }

    fn hosts(&self) -> String {
        if self.settings.own_domains { "*.test".into() } else { format!("*.{DOMAIN}") }
    }

    fn certificate(&self, host: &str) -> Option<Certificate> {
        let name = host.strip_suffix(DOMAIN)?;
        Some(match (name, thing::server(&self.settings, host)) {
            ("expired.", _) => Certificate::Expired,
            ("wrong.", _) => Certificate::WrongName,
            (_, Server::Site(site)) => site.certificate,
            _ => Certificate::Good,
        })
    }

    fn allows(&self, https: bool, host: &str, target: &str) -> bool {
        Web::allows(self, https, host, target)
    }

    fn wait(&self, asked: &Asked) -> (Duration, Option<Duration>) {
        let Some(latency) = &self.settings.latency else { return (Duration::ZERO, None) };
        let ms = Dice::new(self.settings.number, &asked.host, []).between(latency.least_ms, latency.most_ms);
        let stalls = Dice::new(self.settings.number, &asked.target, [1]).chance(latency.stall_share);
        (Duration::from_millis(ms), stalls.then(|| Duration::from_millis(latency.stall_ms)))
    }

    fn truth(&self, url: &Url) -> Option<Value> {
        serde_json::to_value(Web::truth(self, url)?).ok()
    }

    fn settings(&self) -> Value {
        json!({ "settings": *self.settings, "focus": self.focus() })
    }
}

/// Pages in breadth-first order, with their distance from the seeds.
pub struct Walk<'a> {
    web: &'a Web,
    known: HashSet<PageId>,
    queue: VecDeque<(PageId, u32)>,
}

impl Iterator for Walk<'_> {
    type Item = (PageId, u32);

    fn next(&mut self) -> Option<Self::Item> {
        let (page, depth) = self.queue.pop_front()?;
        for link in self.web.outlinks(page) {
            if self.known.insert(link) {
                self.queue.push_back((link, depth + 1));
            }
        }
        Some((page, depth))
    }
}
