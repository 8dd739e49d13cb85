//! Sites that are little without its scripts, with all that they can make of them known.
//!
//! Each page has *states*: what it shows when it has come, and after clicks, under the pointer, at the end
//! of the page. Every state has a mark in its text and pictures of its own, so it can be told which were
//! found. Beside them is a host that means harm to browsers ([`Scripted::hostile`]): each of its pages tries
//! one thing, and most try it on the address that they are served at, which no guard lets pass.

mod hostile;
mod pages;

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use facts::Url;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Answers;
use crate::answer::{Answer, Asked, conditional, missing};
use crate::host::{Certificate, DOMAIN};
use crate::media::{Files, Photo};

use self::pages::{KINDS, Kind};

/// Pictures of one state.
const PICTURES: usize = 2;
/// What robots.txt forbids.
const FORBIDDEN: &str = "/private/";

/// Sites of pages that scripts make.
pub struct Scripted {
    /// Sites, each with a page of every kind.
    sites: usize,
    files: Files,
    /// Where it is served.
    address: Mutex<Option<SocketAddr>>,
}

/// What a page shows at one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateTruth {
    /// The page.
    pub page: Url,
    /// What kind of page it is: `tabs`, `more`, `hover`, `scroll`, `app`, `same`, `double`, `late`.
    pub kind: &'static str,
    /// A word that only this state has.
    pub mark: String,
    /// Pictures that only this state shows.
    pub pictures: Vec<Url>,
}

impl Scripted {
    /// So many sites, each with a page of every kind.
    pub fn new(sites: usize) -> Self {
        Self { sites, files: Files::new(), address: Mutex::new(None) }
    }

    /// The host of the page that leads to all sites.
    pub fn host() -> String {
        format!("scripted.{DOMAIN}")
    }

    /// Which of its sites a host is.
    fn site_of(&self, host: &str) -> Option<usize> {
        let n = host.strip_suffix(DOMAIN)?.strip_suffix('.')?.strip_prefix("scripted")?.parse().ok()?;
        (n < self.sites).then_some(n)
    }

    /// The pages that mean harm.
    pub fn hostile() -> Vec<Url> {
        let host = hostile::host();
        hostile::NAMES.iter().filter_map(|name| Url::parse(&format!("http://{host}/{name}")).ok()).collect()
    }

    /// Says where it is served, for the pages that try to get at it by address.
    pub fn put_at(&self, address: SocketAddr) {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
    }

    /// Every state there is.
    pub fn states(&self) -> Vec<StateTruth> {
        let of = |kind: &'static Kind, n: usize, k: usize| StateTruth {
            page: url(n, &kind.page_of(k)),
            kind: kind.name,
            mark: mark(kind.name, n, k),
            pictures: (0..PICTURES).map(|p| url(n, &picture(kind.name, k, p))).collect(),
        };
        let pages = (0..self.sites).flat_map(|n| KINDS.iter().map(move |kind| (kind, n)));
        pages.flat_map(|(kind, n)| (0..kind.states).map(move |k| of(kind, n, k))).collect()
    }

    /// How many pages there are, the index included.
    pub fn pages(&self) -> usize {
        1 + KINDS.iter().map(|kind| kind.pages).sum::<usize>() * self.sites
    }

    fn site(&self, path: &str, asked: &Asked) -> Option<Answer> {
        let html = |text: String| Answer::new(200, "text/html; charset=utf-8", text);
        if asked.host == Self::host() {
            return (path == "/").then(|| html(pages::index(self.sites)));
        }
        let n = self.site_of(&asked.host)?;
        let mut parts = path.trim_matches('/').split('/');
        match parts.next()? {
            "part" => {
                let (kind, k) = (Kind::named(parts.next()?)?, number(parts.next())?);
                (k < kind.states).then(|| html(pages::part(kind, n, k)))
            }
            "pictures" => {
                let name = parts.next()?.strip_suffix(".jpg")?;
                let mut name = name.split('-');
                let kind = Kind::named(name.next()?)?;
                let (k, p) = (number(name.next())?, number(name.next())?);
                let real = k < kind.states && p < PICTURES;
                real.then(|| self.picture(kind, n, k, p, asked))
            }
            "app.js" => Some(Answer::new(200, "text/javascript", pages::APP)),
            // A counter that changes with every request, where robots may not go.
            "private" => Some(Answer::new(200, "text/plain", "12345 visitors")),
            name => {
                let kind = Kind::named(name)?;
                Some(html(kind.html()))
            }
        }
    }

    fn picture(&self, kind: &Kind, n: usize, k: usize, p: usize, asked: &Asked) -> Answer {
        let place = KINDS.iter().position(|other| other.name == kind.name).unwrap_or(0);
        let scene = ((place * 1_000 + n) * 100 + k) as u64 * 10 + p as u64;
        let photo = Photo { scene, width: 480, height: 480, ..Photo::default() };
        let file = self.files.get(scene, || photo.file());
        conditional(Answer::new(200, "image/jpeg", file), scene, asked, true)
    }
}

impl Answers for Scripted {
    fn seeds(&self) -> Vec<Url> {
        Url::parse(&format!("http://{}/", Self::host())).into_iter().collect()
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let path = asked.target.split('?').next().unwrap_or_default();
        if path == "/robots.txt" {
            return Answer::new(200, "text/plain", format!("User-agent: *\nDisallow: {FORBIDDEN}\n"));
        }
        if asked.host == hostile::host() {
            let at = *self.address.lock().unwrap_or_else(PoisonError::into_inner);
            let at = at.map_or_else(|| "127.0.0.1:1".to_owned(), |at| at.to_string());
            return match hostile::page(path.trim_matches('/'), &at) {
                Some(html) => Answer::new(200, "text/html; charset=utf-8", html),
                None => missing(),
            };
        }
        self.site(path, asked).unwrap_or_else(missing)
    }

    fn certificate(&self, host: &str) -> Option<Certificate> {
        (host == Self::host() || host == hostile::host() || self.site_of(host).is_some()).then_some(Certificate::Good)
    }

    fn allows(&self, _https: bool, host: &str, target: &str) -> bool {
        // Whoever asks for an address of this machine got past a guard.
        host.ends_with(DOMAIN) && !target.starts_with(FORBIDDEN)
    }

    fn truth(&self, url: &Url) -> Option<Value> {
        let states: Vec<StateTruth> = self.states().into_iter().filter(|state| state.page == *url).collect();
        (!states.is_empty()).then(|| json!({ "states": states }))
    }

    fn settings(&self) -> Value {
        json!({ "sites": self.sites })
    }
}

fn url(n: usize, path: &str) -> Url {
    // Host and path are made here: it always parses.
    let text = format!("http://scripted{n}.{DOMAIN}{path}");
    Url::parse(&text).unwrap_or_else(|error| unreachable!("{text}: {error}"))
}

fn number(text: Option<&str>) -> Option<usize> {
    text?.parse().ok()
}

fn mark(kind: &str, n: usize, k: usize) -> String {
    format!("mark-{kind}-{n}-{k}-end")
}

fn picture(kind: &str, k: usize, p: usize) -> String {
    format!("/pictures/{kind}-{k}-{p}.jpg")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_state_has_a_page_a_part_and_pictures_of_its_own() {
        let site = Scripted::new(2);
        let states = site.states();
        let marks: HashSet<&str> = states.iter().map(|state| state.mark.as_str()).collect();
        let pages: HashSet<&Url> = states.iter().map(|state| &state.page).collect();
        assert_eq!((marks.len(), pages.len() + 1), (states.len(), site.pages()));
        for state in &states {
            assert_eq!(site.answer(&Asked::get(&state.page)).status, 200, "{}", state.page);
            for picture in &state.pictures {
                let answer = site.answer(&Asked::get(picture));
                assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/jpeg")), "{picture}");
            }
            // Without scripts next to nothing is there.
            let sent = site.answer(&Asked::get(&state.page));
            assert!(!String::from_utf8_lossy(&sent.body).contains(&state.mark), "{}", state.page);
        }
        for page in Scripted::hostile() {
            assert_eq!(site.answer(&Asked::get(&page)).status, 200, "{page}");
        }
        assert!(!site.allows(false, "127.0.0.1", "/") && !site.allows(false, "scripted0.lab.test", "/private/x"));
    }
}
