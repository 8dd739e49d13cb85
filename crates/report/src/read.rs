//! Reading a report that anyone may have written.

use std::collections::HashSet;

use facts::{Timestamp, Url};
use serde::Deserialize;

use crate::bounded::Bounded;
use crate::dynamic::{Dynamic, Event, MOST_SOURCES, combine};
use crate::shape::{Change, Entry, Report, VERSION, when};

/// Bytes of one page of a report.
pub const LONGEST: usize = 16 << 20;
/// Entries of one page of a report; the same for dynamic ones.
pub const MOST_ENTRIES: usize = 10_000;
/// Entries of a whole report.
const MOST_IN_ALL: u64 = 100_000_000;
/// Bytes of a token, a link to the next page, a selector, a target or a value.
const LONGEST_TEXT: usize = 1_024;
/// Clocks of honest machines differ by less.
const CLOCKS_DIFFER_MS: i64 = 24 * 3600 * 1000;
/// Ranks and levels may be rounded by so much.
const ROUNDED: f64 = 1e-6;

/// Why a report is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// More than a reader is ready to take.
    #[error("the report is too large: {0}")]
    TooLarge(String),
    /// Not JSON, or not of the shape of a report.
    #[error("the report is malformed: {0}")]
    Malformed(String),
    /// Of a version that is not known here.
    #[error("the report has version {0}; version {VERSION} is understood")]
    Version(u64),
    /// It speaks for a host that it does not come from.
    #[error("the report speaks of {0}, which is not the host it comes from")]
    OtherHost(String),
    /// It leads to an address in a private network.
    #[error("the report leads to {0}, an address that is not public")]
    Private(String),
    /// What it says cannot be true.
    #[error("the report contradicts itself: {0}")]
    Lie(String),
}

impl Refused {
    /// One word, to count by.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::TooLarge(_) => "too-large",
            Self::Malformed(_) => "malformed",
            Self::Version(_) => "version",
            Self::OtherHost(_) => "other-host",
            Self::Private(_) => "private",
            Self::Lie(_) => "lie",
        }
    }
}

#[derive(Deserialize)]
struct Raw {
    version: u64,
    site: String,
    flag: u64,
    made: String,
    token: String,
    #[serde(default)]
    since: Option<String>,
    #[serde(default)]
    ranked: bool,
    total: u64,
    #[serde(default)]
    next: Option<String>,
    pages: Bounded<RawEntry, MOST_ENTRIES>,
    #[serde(default)]
    dynamic: Bounded<RawDynamic, MOST_ENTRIES>,
}

#[derive(Deserialize)]
struct RawEntry {
    url: String,
    change: Change,
    at: String,
    updates: u32,
    level: f64,
    rank: f64,
}

#[derive(Deserialize)]
struct RawDynamic {
    url: String,
    events: Bounded<Named, MOST_SOURCES>,
    sources: Bounded<String, MOST_SOURCES>,
    target: String,
    value: String,
}

/// An event, if its name is known here.
#[derive(Deserialize)]
#[serde(from = "String")]
struct Named(Option<Event>);

impl From<String> for Named {
    fn from(name: String) -> Self {
        Self(Event::parse(&name))
    }
}

/// Reads one page of a report that came from this address. Entries are put in order, the best rank
/// first; events of names not known here are left out.
pub fn read(body: &[u8], from: &Url, now: Timestamp) -> Result<Report, Refused> {
    if body.len() > LONGEST {
        return Err(Refused::TooLarge(format!("{} bytes, {LONGEST} at most", body.len())));
    }
    // The version first: of another one nothing else may be as it is here.
    #[derive(Deserialize)]
    struct Version {
        version: u64,
    }
    let malformed = |error: serde_json::Error| Refused::Malformed(error.to_string());
    let Version { version } = serde_json::from_slice(body).map_err(malformed)?;
    if version != u64::from(VERSION) {
        return Err(Refused::Version(version));
    }
    let raw: Raw = serde_json::from_slice(body).map_err(malformed)?;
    let reader = Reader { from, latest: Timestamp(now.0.saturating_add(CLOCKS_DIFFER_MS)) };
    reader.report(raw)
}

struct Reader<'a> {
    from: &'a Url,
    latest: Timestamp,
}

impl Reader<'_> {
    fn report(&self, raw: Raw) -> Result<Report, Refused> {
        debug_assert_eq!(raw.version, u64::from(VERSION));
        for (what, count) in [("entries", raw.pages.count), ("dynamic entries", raw.dynamic.count)] {
            if count > MOST_ENTRIES as u64 {
                return Err(Refused::TooLarge(format!("{count} {what} on one page, {MOST_ENTRIES} at most")));
            }
        }
        if raw.total > MOST_IN_ALL {
            return Err(Refused::TooLarge(format!("{} entries in all, {MOST_IN_ALL} at most", raw.total)));
        }
        if raw.total < raw.pages.count {
            return Err(Refused::Lie(format!("{} entries, and {} in all", raw.pages.count, raw.total)));
        }
        if raw.flag > 1 {
            return Err(Refused::Malformed(format!("the flag is {}, neither 0 nor 1", raw.flag)));
        }
        let mut pages = raw.pages.kept.into_iter().map(|entry| self.entry(entry)).collect::<Result<Vec<_>, _>>()?;
        let mut known = HashSet::with_capacity(pages.len());
        if let Some(twice) = pages.iter().find(|entry| !known.insert(entry.url.as_str())) {
            return Err(Refused::Lie(format!("{} is listed twice", twice.url)));
        }
        pages.sort_by(|a, b| b.rank.total_cmp(&a.rank));
        let dynamic = raw.dynamic.kept.into_iter().map(|entry| self.dynamic(entry)).collect::<Result<Vec<_>, _>>()?;
        Ok(Report {
            version: VERSION,
            site: self.url(&raw.site)?,
            flag: u8::from(raw.flag == 1),
            made: self.at(&raw.made)?,
            token: token(raw.token)?,
            since: raw.since.map(token).transpose()?,
            ranked: raw.ranked,
            total: raw.total,
            next: raw.next.map(|next| self.next(next)).transpose()?,
            pages,
            dynamic: combine(dynamic.into_iter().filter(|entry| !entry.events.is_empty())),
        })
    }

    fn entry(&self, raw: RawEntry) -> Result<Entry, Refused> {
        let url = self.url(&raw.url)?;
        let (level, rank) = (raw.level, raw.rank);
        let possible = (0.1 - ROUNDED..=0.5 + ROUNDED).contains(&level)
            && (level - ROUNDED..=level + 0.5 + ROUNDED).contains(&rank);
        if !possible {
            return Err(Refused::Lie(format!("level {level} and rank {rank} of {url} cannot be")));
        }
        Ok(Entry { change: raw.change, at: self.at(&raw.at)?, updates: raw.updates, level, rank, url })
    }

    fn dynamic(&self, raw: RawDynamic) -> Result<Dynamic, Refused> {
        let url = self.url(&raw.url)?;
        let most = raw.events.count.max(raw.sources.count);
        if most > MOST_SOURCES as u64 {
            return Err(Refused::TooLarge(format!(
                "{most} events or sources of one entry of {url}, {MOST_SOURCES} at most"
            )));
        }
        let too_long = |text: &String| text.len() > LONGEST_TEXT;
        if raw.sources.kept.iter().any(too_long) || too_long(&raw.target) || too_long(&raw.value) {
            return Err(Refused::TooLarge(format!("a text of a dynamic entry of {url}")));
        }
        let events = raw.events.kept.into_iter().filter_map(|Named(event)| event).collect();
        Ok(Dynamic { url, events, sources: raw.sources.kept, target: raw.target, value: raw.value })
    }

    /// An address of the host that the report comes from. A site may be at http and https alike.
    fn url(&self, text: &str) -> Result<Url, Refused> {
        let url = Url::parse(text).map_err(|error| Refused::Malformed(format!("{}: {error}", clip(text))))?;
        if url.host_str() != self.from.host_str() {
            return Err(match url.host().as_ip() {
                Some(ip) if !is_public(ip) => Refused::Private(url.to_string()),
                _ => Refused::OtherHost(url.host_str().to_owned()),
            });
        }
        if url.port() != self.from.port() && !matches!(url.port(), 80 | 443) {
            return Err(Refused::OtherHost(format!("{}:{}", url.host_str(), url.port())));
        }
        Ok(url)
    }

    fn next(&self, next: String) -> Result<String, Refused> {
        if next.len() > LONGEST_TEXT {
            return Err(Refused::TooLarge("the address of the next page".into()));
        }
        let url = self.from.join(&next).map_err(|error| Refused::Malformed(format!("next: {error}")))?;
        if url.origin() != self.from.origin() {
            return Err(Refused::OtherHost(url.host_str().to_owned()));
        }
        if url == *self.from {
            return Err(Refused::Lie("the next page is this one".into()));
        }
        Ok(next)
    }

    fn at(&self, text: &str) -> Result<Timestamp, Refused> {
        let at = when(text).ok_or_else(|| Refused::Malformed(format!("'{}' is no moment", clip(text))))?;
        if at > self.latest { Err(Refused::Lie(format!("{text} is yet to come"))) } else { Ok(at) }
    }
}

/// A token goes into an address as it is.
fn token(text: String) -> Result<String, Refused> {
    if text.len() > LONGEST_TEXT {
        return Err(Refused::TooLarge("its token".into()));
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'~');
    if text.is_empty() || !text.bytes().all(plain) {
        return Err(Refused::Malformed("its token has other characters than letters, digits and . - _ ~".into()));
    }
    Ok(text)
}

fn is_public(ip: std::net::IpAddr) -> bool {
    match ip.to_canonical() {
        std::net::IpAddr::V4(ip) => {
            let shared = ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64;
            !(ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_unspecified() || shared)
        }
        std::net::IpAddr::V6(ip) => {
            !(ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local())
        }
    }
}

/// The beginning of a text, for a message.
fn clip(text: &str) -> &str {
    text.char_indices().nth(80).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NOW: Timestamp = Timestamp(1_772_370_000_000);

    fn from() -> Url {
        Url::parse("https://example.org/.well-known/bowerbird-watcher.json").unwrap()
    }

    fn good() -> Value {
        json!({
            "version": 1, "site": "https://example.org/", "flag": 0, "made": "2026-03-01T12:00:00Z",
            "token": "a.1", "since": null, "ranked": true, "total": 2, "next": null,
            "pages": [
                { "url": "https://example.org/b", "change": "new", "at": "2026-03-01T11:00:00Z",
                  "updates": 0, "level": 0.4, "rank": 0.4 },
                { "url": "http://example.org/a", "change": "removed", "at": "2026-03-01T11:00:00Z",
                  "updates": 3, "level": 0.5, "rank": 1.0 },
            ],
            "dynamic": [
                { "url": "https://example.org/b", "events": ["onclick", "onbeforeunload"], "sources": ["div#next"],
                  "target": "text.innerHTML", "value": "more()" },
            ],
            "later": "fields may be added",
        })
    }

    fn check(change: impl FnOnce(&mut Value)) -> Result<Report, Refused> {
        let mut report = good();
        change(&mut report);
        read(&serde_json::to_vec(&report).unwrap(), &from(), NOW)
    }

    #[test]
    fn a_report_is_read_with_the_best_rank_first() {
        let report = check(|_| {}).unwrap();
        let ranks: Vec<f64> = report.pages.iter().map(|entry| entry.rank).collect();
        assert_eq!((ranks, report.pages[0].change), (vec![1.0, 0.4], Change::Removed));
        assert_eq!(report.dynamic[0].events, [Event::OnClick]);
        // What is written is what is read.
        let again = read(&serde_json::to_vec(&report).unwrap(), &from(), NOW).unwrap();
        assert_eq!(again, report);
    }

    #[test]
    fn what_cannot_be_believed_is_refused_with_a_reason() {
        type Twist = fn(&mut Value);
        let twists: &[(&str, Twist)] = &[
            ("version", |r| r["version"] = json!(2)),
            ("malformed", |r| r["flag"] = json!(7)),
            ("malformed", |r| r["made"] = json!("soon")),
            ("malformed", |r| r["pages"] = json!({})),
            ("malformed", |r| r["pages"][0]["updates"] = json!(-1)),
            ("malformed", |r| r["pages"][0]["updates"] = json!(1e99)),
            ("malformed", |r| r["pages"][0]["url"] = json!("ftp://example.org/")),
            ("malformed", |r| r["pages"][0]["change"] = json!("moved")),
            ("malformed", |r| r["token"] = json!("a&b=c")),
            ("malformed", |r| r["token"] = json!("")),
            ("too-large", |r| r["token"] = json!("x".repeat(2000))),
            ("too-large", |r| r["total"] = json!(u64::MAX)),
            ("too-large", |r| r["pages"] = json!(vec![r["pages"][0].clone(); MOST_ENTRIES + 1])),
            ("too-large", |r| r["dynamic"][0]["sources"] = json!(vec!["a"; 101])),
            ("too-large", |r| r["dynamic"][0]["events"] = json!(vec![""; 101])),
            ("too-large", |r| r["dynamic"] = json!(vec![r["dynamic"][0].clone(); MOST_ENTRIES + 1])),
            ("too-large", |r| r["dynamic"][0]["value"] = json!("v".repeat(2000))),
            ("other-host", |r| r["site"] = json!("https://example.com/")),
            ("other-host", |r| r["pages"][0]["url"] = json!("https://www.example.org/")),
            ("other-host", |r| r["pages"][0]["url"] = json!("https://example.org:8443/")),
            ("other-host", |r| r["pages"][0]["url"] = json!("http://93.184.216.34/")),
            ("other-host", |r| r["dynamic"][0]["url"] = json!("https://example.net/")),
            ("other-host", |r| r["next"] = json!("//example.net/next.json")),
            ("private", |r| r["pages"][0]["url"] = json!("http://169.254.169.254/latest")),
            ("private", |r| r["pages"][0]["url"] = json!("http://[::ffff:10.0.0.1]/")),
            ("private", |r| r["pages"][0]["url"] = json!("http://2130706433/")),
            ("lie", |r| r["total"] = json!(1)),
            ("lie", |r| r["pages"][0]["rank"] = json!(1.5)),
            ("lie", |r| r["pages"][0]["level"] = json!(0.0)),
            ("lie", |r| r["pages"][0]["at"] = json!("2030-01-01T00:00:00Z")),
            ("lie", |r| r["pages"][0] = r["pages"][1].clone()),
            ("lie", |r| r["next"] = json!("bowerbird-watcher.json")),
        ];
        for (number, (reason, twist)) in twists.iter().enumerate() {
            let refused = check(twist).expect_err(&format!("twist {number} ({reason})"));
            assert_eq!(refused.reason(), *reason, "twist {number}: {refused}");
        }
    }

    #[test]
    fn anything_else_is_malformed_or_too_large() {
        for body in [&b""[..], b"null", b"[]", b"<html>", b"{\"version\":1}", b"\xff\xfe", &b"[".repeat(100_000)] {
            assert_eq!(read(body, &from(), NOW).unwrap_err().reason(), "malformed");
        }
        assert_eq!(read(&vec![b' '; LONGEST + 1], &from(), NOW).unwrap_err().reason(), "too-large");
    }

    #[test]
    fn a_site_on_this_machine_may_speak_of_itself() {
        let from = Url::parse("http://127.0.0.1:8080/.well-known/bowerbird-watcher.json").unwrap();
        let body = serde_json::to_string(&good()).unwrap();
        let body = body.replace("https://example.org/", "http://127.0.0.1:8080/");
        let body = body.replace("http://example.org/", "http://127.0.0.1:8080/");
        assert_eq!(read(body.as_bytes(), &from, NOW).unwrap().pages.len(), 2);
    }
}
