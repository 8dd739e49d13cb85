//! A site whose pages change as simulated days go by.
//!
//! Every day a share of its pages is updated, most of the updates on few pages, at moments of that
//! day. The site says so as servers do (`ETag`, `Last-Modified`, 304), and notes which version of each
//! page was fetched: so it is known of every update whether it was, before the next one of its page.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use facts::{Timestamp, Url};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Answers;
use crate::answer::{Answer, Asked, missing};
use crate::dice::Dice;
use crate::host::{Certificate, DOMAIN};
use crate::tongue::{TOPICS, Tongue};

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Pages that a page leads to, and pages of one folder.
const CHILDREN: usize = 10;
const FOLDER: usize = 100;
/// Sentences of a page.
const SENTENCES: usize = 12;
/// How long the watcher behind the site may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of an answer of the watcher.
const LARGEST: u64 = 32 << 20;

/// How a site changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    /// Another number is another site.
    pub number: u64,
    /// Its pages.
    pub pages: usize,
    /// The share of them that is updated each day.
    pub daily: f64,
    /// The share of updates that are of its lively pages.
    pub lively_updates: f64,
    /// The share of its pages that are lively.
    pub lively_pages: f64,
    /// The share of pages that are removed each day, beside the updates.
    pub removed: f64,
    /// Whether it says when a page was changed.
    pub dates: bool,
    /// Whether it tells versions apart at all; without, every page is sent whole each time.
    pub versions: bool,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            number: 1,
            pages: 10_000,
            daily: 0.05,
            lively_updates: 0.8,
            lively_pages: 0.2,
            removed: 0.0,
            dates: true,
            versions: true,
        }
    }
}

/// A site whose pages change, at some moment of its time.
pub struct Changing {
    changes: Changes,
    /// When it was first there; its days are counted from then.
    begun: Timestamp,
    state: Mutex<State>,
}

struct State {
    day: u32,
    pages: Vec<Version>,
    seen: Seen,
    watcher: Option<SocketAddr>,
}

/// A page as it is.
#[derive(Clone, Copy, Debug)]
struct Version {
    number: u32,
    at: Timestamp,
    removed: bool,
    /// The version that was fetched last.
    fetched: Option<u32>,
    /// How often it was fetched since the counting began.
    times: u32,
}

/// What was asked of the site, and what became of its updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// Requests for pages.
    pub requests: u64,
    /// Of them, answered with a whole page.
    pub whole: u64,
    /// Of them, answered that nothing changed.
    pub unchanged: u64,
    /// Of them, for pages that are not there.
    pub missing: u64,
    /// All other requests: robots.txt, reports, sitemaps.
    pub others: u64,
    /// Updates so far.
    pub updates: u64,
    /// Those that were fetched before the next of their page.
    pub in_time: u64,
    /// Those that were not, and are still there to be.
    pub pending: u64,
}

impl Changing {
    /// The site as it is on its first day. It has been there for long: pages were changed last at
    /// moments that fit how often they are.
    pub fn new(changes: Changes, begun: Timestamp) -> Self {
        let rates = rates(&changes);
        let pages = (0..changes.pages.max(1))
            .map(|page| {
                let rate = if is_lively(&changes, page) { rates.0 } else { rates.1 };
                let unit = Dice::new(changes.number, "age", [page as u64]).unit();
                let days = -(1.0 - unit).ln() / rate.max(1e-6);
                let age = Duration::from_secs_f64(days.min(3_650.0) * DAY.as_secs_f64());
                let at = Timestamp(begun.0.saturating_sub(age.as_millis() as i64).max(0));
                Version { number: 0, at, removed: false, fetched: None, times: 0 }
            })
            .collect();
        let state = State { day: 0, pages, seen: Seen::default(), watcher: None };
        Self { changes, begun, state: Mutex::new(state) }
    }

    /// The host.
    pub fn host() -> String {
        format!("changing.{DOMAIN}")
    }

    /// The moment that a day ends.
    pub fn end_of(&self, day: u32) -> Timestamp {
        self.begun + DAY * day
    }

    /// Asks this watcher for reports, as a web server that passes such requests on.
    pub fn put_before(&self, watcher: SocketAddr) {
        self.state().watcher = Some(watcher);
    }

    /// Lets a day pass; gives the pages that changed on it, in the order they did.
    pub fn next_day(&self) -> Vec<usize> {
        let mut state = self.state();
        state.day += 1;
        let day = state.day;
        let (updated, removed) = chosen(&self.changes, day, &state.pages);
        for (page, moment) in &updated {
            let at = self.end_of(day - 1) + DAY.mul_f64(*moment);
            let was_fetched = state.pages.get(*page).is_some_and(|page| page.fetched == Some(page.number));
            let had_update = state.pages.get(*page).is_some_and(|page| page.number > 0);
            state.seen.in_time += u64::from(had_update && was_fetched);
            state.seen.updates += 1;
            if let Some(page) = state.pages.get_mut(*page) {
                (page.number, page.at) = (page.number + 1, at);
            }
        }
        for page in &removed {
            if let Some(page) = state.pages.get_mut(*page) {
                page.removed = true;
            }
        }
        updated.into_iter().map(|(page, _)| page).chain(removed).collect()
    }

    /// What was seen so far: updates that are the last of their page count as they stand now.
    pub fn seen(&self) -> Seen {
        let state = self.state();
        let mut seen = state.seen;
        for page in state.pages.iter().filter(|page| page.number > 0) {
            let fetched = page.fetched == Some(page.number);
            seen.in_time += u64::from(fetched);
            seen.pending += u64::from(!fetched);
        }
        seen
    }

    /// How often each page was fetched since this was last asked.
    pub fn times_fetched(&self) -> Vec<u32> {
        self.state().pages.iter_mut().map(|page| std::mem::take(&mut page.times)).collect()
    }

    /// The pages that a page links to.
    pub fn links(&self, page: usize) -> Vec<usize> {
        let children = (1..=CHILDREN).map(|child| page * CHILDREN + child);
        let others = [0, page.saturating_sub(1) / CHILDREN, page + 1];
        children.chain(others).filter(|other| *other < self.changes.pages && *other != page).collect()
    }

    /// Writes the file of a page below a folder, or removes it, so that a watcher sees what the site
    /// shows.
    pub fn write(&self, page: usize, folder: &Path) -> io::Result<()> {
        let version = self.state().pages.get(page).copied();
        let file = folder.join(file_of(page));
        match version {
            Some(version) if version.removed => std::fs::remove_file(file),
            Some(version) => {
                if let Some(folder) = file.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                std::fs::write(file, self.html(page, version.number))
            }
            None => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn html(&self, page: usize, version: u32) -> String {
        let links: String = self
            .links(page)
            .into_iter()
            .map(|other| format!("<li><a href=\"{}\">Page {other}</a></li>\n", path_of(other)))
            .collect();
        let mut dice = Dice::new(self.changes.number, "text", [page as u64, u64::from(version)]);
        let (english, mut text) = (Tongue::of("en"), String::new());
        for _ in 0..SENTENCES {
            english.sentence(&mut dice, &[page as u64 % TOPICS], None, &mut text);
            text.push(' ');
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Page {page}</title></head><body>\n<h1>Page {page}, \
             version {version}</h1>\n<p>{text}</p>\n<ul>\n{links}</ul>\n</body></html>\n"
        )
    }

    fn page(&self, page: usize, asked: &Asked) -> Answer {
        let mut state = self.state();
        state.seen.requests += 1;
        let Some(version) = state.pages.get(page).copied().filter(|version| !version.removed) else {
            state.seen.missing += 1;
            return missing();
        };
        let etag = format!("\"{page}-{}\"", version.number);
        let same = asked.if_none_match.as_deref() == Some(etag.as_str());
        let mut answer = Answer::new(200, "text/html; charset=utf-8", Bytes::new());
        if self.changes.versions {
            answer = answer.with("etag", etag);
            if self.changes.dates {
                let since = Duration::from_millis(version.at.0.max(0) as u64);
                answer = answer.with("last-modified", httpdate::fmt_http_date(UNIX_EPOCH + since));
            }
        }
        if self.changes.versions && same {
            state.seen.unchanged += 1;
            answer.status = 304;
            return answer;
        }
        state.seen.whole += 1;
        if let Some(page) = state.pages.get_mut(page) {
            page.fetched = Some(page.number);
            page.times += 1;
        }
        drop(state);
        answer.body = self.html(page, version.number).into();
        answer
    }
}

impl Answers for Changing {
    fn seeds(&self) -> Vec<Url> {
        Url::parse(&format!("http://{}/", Self::host())).into_iter().collect()
    }

    fn answer(&self, asked: &Asked) -> Answer {
        if asked.host != Self::host() {
            return missing();
        }
        let path = asked.target.split('?').next().unwrap_or_default();
        if let Some(page) = page_at(path) {
            return self.page(page, asked);
        }
        let watcher = {
            let mut state = self.state();
            state.seen.others += 1;
            state.watcher
        };
        match (path, watcher) {
            ("/robots.txt", _) => Answer::new(200, "text/plain", "User-agent: *\nDisallow:\n"),
            ("/sitemap.xml" | "/.well-known/bowerbird-watcher.json", Some(watcher)) => {
                passed_on(watcher, &asked.target).unwrap_or_else(|_| Answer::new(502, "text/plain", "no watcher\n"))
            }
            _ => missing(),
        }
    }

    fn certificate(&self, host: &str) -> Option<Certificate> {
        (host == Self::host()).then_some(Certificate::Good)
    }

    fn settings(&self) -> Value {
        json!({ "changes": self.changes, "day": self.state().day })
    }
}

/// Updates a day of a lively page, and of another.
fn rates(changes: &Changes) -> (f64, f64) {
    let updates = changes.daily * changes.pages as f64;
    let lively = (changes.lively_pages * changes.pages as f64).max(1.0);
    let others = (changes.pages as f64 - lively).max(1.0);
    (updates * changes.lively_updates / lively, updates * (1.0 - changes.lively_updates) / others)
}

fn is_lively(changes: &Changes, page: usize) -> bool {
    Dice::new(changes.number, "lively", [page as u64]).chance(changes.lively_pages)
}

/// What is updated on a day, each with its moment of the day, the earliest first; and what is removed.
fn chosen(changes: &Changes, day: u32, pages: &[Version]) -> (Vec<(usize, f64)>, Vec<usize>) {
    let here = (0..pages.len()).filter(|page| pages.get(*page).is_some_and(|version| !version.removed));
    let (lively, others): (Vec<usize>, Vec<usize>) = here.partition(|page| is_lively(changes, *page));
    let updates = (changes.daily * changes.pages as f64).round();
    let of_lively = (updates * changes.lively_updates).round() as usize;
    let mut updated = Vec::new();
    for (from, count, what) in [(&lively, of_lively, "lively"), (&others, updates as usize - of_lively, "others")] {
        let mut dice = Dice::new(changes.number, what, [u64::from(day)]);
        updated.extend(some_of(from, count, &mut dice).into_iter().map(|page| (page, dice.unit())));
    }
    updated.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut dice = Dice::new(changes.number, "removed", [u64::from(day)]);
    let count = (changes.removed * changes.pages as f64).round() as usize;
    let spared = |page: &usize| *page != 0 && updated.iter().all(|(other, _)| other != page);
    let removed = some_of(&others, count, &mut dice).into_iter().filter(spared).collect();
    (updated, removed)
}

/// So many different ones.
fn some_of(from: &[usize], count: usize, dice: &mut Dice) -> Vec<usize> {
    let mut pool = from.to_vec();
    let count = count.min(pool.len());
    for place in 0..count {
        let other = place + dice.below((pool.len() - place) as u64) as usize;
        pool.swap(place, other);
    }
    pool.truncate(count);
    pool
}

fn file_of(page: usize) -> String {
    if page == 0 { "index.html".into() } else { format!("{:03}/page-{page}.html", page / FOLDER) }
}

fn path_of(page: usize) -> String {
    if page == 0 { "/".into() } else { format!("/{}", file_of(page)) }
}

fn page_at(path: &str) -> Option<usize> {
    if matches!(path, "/" | "/index.html") {
        return Some(0);
    }
    let (folder, name) = path.strip_prefix('/')?.split_once('/')?;
    let page: usize = name.strip_prefix("page-")?.strip_suffix(".html")?.parse().ok()?;
    (page > 0 && folder.parse() == Ok(page / FOLDER)).then_some(page)
}

/// The answer of a watcher to a request, as a proxy gives it.
pub fn passed_on(watcher: SocketAddr, target: &str) -> io::Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&watcher, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let host = Changing::host();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut whole = Vec::new();
    stream.take(LARGEST).read_to_end(&mut whole)?;
    let wrong = || io::Error::other("the watcher does not speak HTTP");
    let end = whole.windows(4).position(|four| four == b"\r\n\r\n").ok_or_else(wrong)?;
    let head = String::from_utf8_lossy(&whole[..end]).to_ascii_lowercase();
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).ok_or_else(wrong)?;
    let kind = head.lines().find_map(|line| line.strip_prefix("content-type:")).unwrap_or("text/plain").trim();
    let mut body = whole[end + 4..].to_vec();
    if head.lines().any(|line| line.starts_with("transfer-encoding:") && line.contains("chunked")) {
        body = unchunked(&body).ok_or_else(wrong)?;
    }
    Ok(Answer::new(status, kind, body))
}

fn unchunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..end]).ok()?.split(';').next()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        let start = end + 2;
        body.extend_from_slice(rest.get(start..start.checked_add(size)?)?);
        rest = rest.get(start + size + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(site: &Changing, page: usize, etag: Option<&str>) -> Answer {
        let asked = Asked {
            host: Changing::host(),
            target: path_of(page),
            if_none_match: etag.map(str::to_owned),
            ..Asked::default()
        };
        site.answer(&asked)
    }

    #[test]
    fn updates_are_as_many_as_were_ordered_and_most_are_of_lively_pages() {
        let changes = Changes { pages: 1_000, removed: 0.01, ..Changes::default() };
        let site = Changing::new(changes.clone(), Timestamp(1_800_000_000_000));
        let (mut lively, mut all) = (0, 0);
        for _ in 0..7 {
            let changed = site.next_day();
            lively += changed.iter().take(50).filter(|page| is_lively(&changes, **page)).count();
            all += changed.len();
        }
        assert_eq!(site.seen().updates, 350);
        assert_eq!(lively, 7 * 40);
        assert!((350 + 40..=350 + 70).contains(&all), "{all}");
        let gone = (0..1_000).filter(|page| get(&site, *page, None).status == 404).count();
        assert_eq!(gone, all - 350);
    }

    #[test]
    fn an_update_is_in_time_when_it_is_fetched_before_the_next() {
        let changes = Changes { pages: 20, daily: 0.5, lively_pages: 1.0, lively_updates: 1.0, ..Changes::default() };
        let site = Changing::new(changes, Timestamp(1_800_000_000_000));
        let first = site.next_day();
        assert_eq!((site.seen().in_time, site.seen().pending), (0, 10));
        let answer = get(&site, first[0], None);
        assert_eq!((site.seen().in_time, site.seen().pending), (1, 9));
        let etag = answer.header("etag").map(str::to_owned);
        assert_eq!(get(&site, first[0], etag.as_deref()).status, 304);
        let second = site.next_day();
        let again = second.iter().filter(|page| first.contains(page)).count() as u64;
        let seen = site.seen();
        assert_eq!(seen.updates, 20);
        assert_eq!(seen.pending, 20 - seen.in_time - (again - u64::from(second.contains(&first[0]))));
        assert_eq!((seen.requests, seen.whole, seen.unchanged), (2, 1, 1));
    }

    #[test]
    fn every_page_has_an_address_and_is_linked_to() {
        let site = Changing::new(Changes { pages: 300, ..Changes::default() }, Timestamp(0));
        let mut known = vec![false; 300];
        let mut open = vec![0];
        while let Some(page) = open.pop() {
            if !std::mem::replace(&mut known[page], true) {
                assert_eq!(page_at(&path_of(page)), Some(page));
                open.extend(site.links(page));
            }
        }
        assert!(known.iter().all(|known| *known));
        assert_eq!(page_at("/001/page-7.html"), None);
        assert_eq!(unchunked(b"3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n").unwrap(), b"abcde");
        assert_eq!(unchunked(b"ffffffffffffffff\r\nabc"), None);
    }
}
