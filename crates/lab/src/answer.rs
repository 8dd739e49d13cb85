//! What the servers of the made web answer: the status, headers and body for one request.

use bytes::Bytes;
use facts::Url;

use crate::Settings;
use crate::dice::Dice;
use crate::host::{Host, Wall};
use crate::html;
use crate::media::Files;
use crate::media::clip::clip;
use crate::media::picture::{PictureId, Size, picture};
use crate::page::{Page, PageId, Role};
use crate::robots::{robots_txt, service_robots, sitemap};
use crate::thing::{Server, Sitemap, Thing, named, server};
use crate::truth::with_page;

/// A request, as far as an answer depends on it.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Whether it came over TLS.
    pub https: bool,
    /// The host, without a port.
    pub host: String,
    /// Path and query.
    pub target: String,
    /// The `Cookie` header.
    pub cookie: Option<String>,
    /// The `Referer` header.
    pub referer: Option<String>,
    /// The `Range` header.
    pub range: Option<String>,
    /// The `If-Range` header.
    pub if_range: Option<String>,
    /// The `If-None-Match` header.
    pub if_none_match: Option<String>,
    /// How often the same was asked for before.
    pub times_before: u32,
}

impl Asked {
    /// A plain request for this address.
    pub fn get(url: &Url) -> Self {
        Self {
            https: url.scheme() == "https",
            host: url.host_str().to_owned(),
            target: url.path_and_query().to_owned(),
            ..Self::default()
        }
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Headers; the length is left to the server.
    pub headers: Vec<(&'static str, String)>,
    /// The body, not compressed.
    pub body: Bytes,
    /// Whether the server may compress the body when the client asks for it.
    pub compressible: bool,
}

impl Answer {
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", content_type.to_owned())];
        Self { status, headers, body: body.into(), compressible: false }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn short(status: u16, text: &str) -> Self {
        let body = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{status}</title></head><body><p>{text}</p></body></html>\n"
        );
        Self::new(status, "text/html; charset=utf-8", body)
    }

    pub(crate) fn moved(status: u16, to: &str) -> Self {
        Self::short(status, "This is somewhere else.").with("location", to)
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }
}

/// The answer to a request.
pub(crate) fn answer(settings: &Settings, files: &Files, asked: &Asked) -> Answer {
    let name = asked.host.to_ascii_lowercase();
    let thing = named(settings, asked.https, &name, &asked.target);
    let site = match server(settings, &name) {
        Server::Site(host) => Some(host),
        _ => None,
    };
    if let Some(host) = &site
        && let Some(wall) = walled(host, &thing, asked)
    {
        return wall;
    }
    match thing {
        Thing::Page(id) => with_page(settings, id, |page| page_answer(page, asked)).unwrap_or_else(missing),
        Thing::Moved(status, to) => Answer::moved(status, &to),
        Thing::Picture(id, size) => picture_answer(settings, files, id, size, asked).unwrap_or_else(missing),
        Thing::Clip(id, kind) => with_page(settings, id, |page| {
            let clip = clip(page, kind)?;
            let body = files.get(clip.key(), || clip.render());
            Some(conditional(Answer::new(200, clip.content_type(), body), clip.key(), asked, page.host.ranges))
        })
        .flatten()
        .unwrap_or_else(missing),
        Thing::Decor(decor) => {
            let number = site.as_ref().map_or(0, |host| u64::from(host.index) + 1);
            let key = Dice::new(settings.number ^ number, &decor.path(), [number]).next();
            let body = files.get(key, || decor.render(settings.number ^ number));
            conditional(Answer::new(200, decor.content_type(), body), key, asked, true)
        }
        Thing::Robots => {
            let text = match server(settings, &name) {
                Server::Site(host) => robots_txt(&host),
                Server::Service(service) => service_robots(service),
                Server::Unknown => Err(404),
            };
            match text {
                Ok(text) => Answer::new(200, "text/plain; charset=utf-8", text),
                Err(status) => Answer::short(status, "No robots.txt."),
            }
        }
        Thing::RobotsMoved(to) => Answer::moved(302, &to),
        Thing::Sitemap(part) => site.map_or_else(missing, |host| {
            let content_type = if part == Sitemap::Pages { "application/gzip" } else { "application/xml" };
            Answer::new(200, content_type, sitemap(settings, &host, part))
        }),
        Thing::Reservation => Answer::new(200, "application/json", "[{\"location\":\"/\",\"tdm-reservation\":1}]\n"),
        Thing::Consent(to) => Answer::moved(302, &to).with("set-cookie", "consent=yes; Path=/"),
        Thing::Dead(status) => Answer::short(status, "There is nothing here any more."),
        Thing::Search => Answer::short(200, "Nothing was found."),
        Thing::Calendar(year, month) => calendar(year, month),
        Thing::Advertiser => Answer::short(200, "Buy now."),
        Thing::BadCertificateHome => Answer::short(200, "Nobody should see this."),
        Thing::Nothing => missing(),
    }
}

pub(crate) fn missing() -> Answer {
    Answer::short(404, "No such page.")
}

/// What a site with a wall answers to visitors without its cookie.
fn walled(host: &Host, thing: &Thing, asked: &Asked) -> Option<Answer> {
    if !matches!(thing, Thing::Page(_) | Thing::Search | Thing::Dead(_)) {
        return None;
    }
    let has = |name: &str| {
        let cookies = asked.cookie.as_deref().unwrap_or_default();
        cookies.split(';').any(|pair| pair.trim().starts_with(name))
    };
    match host.wall {
        Wall::CookieToSelf if !has("seen=") => {
            Some(Answer::moved(302, &asked.target).with("set-cookie", "seen=1; Path=/; HttpOnly"))
        }
        Wall::CookieByConsent if !has("consent=") => Some(Answer::moved(302, &format!("/consent?to={}", asked.target))),
        _ => None,
    }
}

fn page_answer(page: &Page<'_>, asked: &Asked) -> Answer {
    let settings = page.settings;
    if page.role != Role::Home && asked.times_before == 0 && page.dice("flaky").chance(settings.flaky_share) {
        return Answer::short(503, "Too busy, come again.").with("retry-after", settings.retry_after.to_string());
    }
    let PageId { host, index } = page.id();
    let key = Dice::new(settings.number, "etag", [u64::from(host), index]).next();
    let mut answer = Answer::new(200, "text/html; charset=utf-8", Bytes::new());
    if matches_etag(asked, key) {
        answer.status = 304;
    } else {
        answer.body = html::render(page).into();
        answer.compressible = page.host.compresses;
    }
    answer = stamped(answer, key);
    if page.host.tdm_reserved {
        answer = answer.with("tdm-reservation", "1");
    }
    match page.robots_header() {
        Some(wish) => answer.with("x-robots-tag", wish),
        None => answer,
    }
}

fn picture_answer(settings: &Settings, files: &Files, id: PictureId, size: Size, asked: &Asked) -> Option<Answer> {
    with_page(settings, id.page, |page| {
        let picture = picture(page, id.slot)?;
        let path = picture.path(page, id.slot, size);
        if asked.target != path {
            let same_file = asked.target.split('?').next() == path.split('?').next();
            return Some(if same_file && page.host.signed {
                Answer::short(403, "The signature is wrong or has expired.")
            } else {
                missing()
            });
        }
        if page.host.hotlink_guard && !comes_from(page.host, asked) {
            return Some(Answer::short(403, "Pictures are shown on our own pages only."));
        }
        let shot = picture.rendition(size);
        let body = files.get(shot.key(), || shot.render());
        let answer = Answer::new(200, shot.format.content_type(), body);
        let answer = conditional(answer, shot.key(), asked, page.host.ranges);
        Some(if page.host.tdm_reserved { answer.with("tdm-reservation", "1") } else { answer })
    })?
}

fn comes_from(host: &Host, asked: &Asked) -> bool {
    let referer = asked.referer.as_deref().and_then(|referer| Url::parse(referer).ok());
    let bare = |name: &str| name.strip_prefix("www.").unwrap_or(name).to_owned();
    referer.is_some_and(|url| bare(url.host_str()) == bare(&host.name))
}

fn etag(key: u64) -> String {
    format!("\"{key:016x}\"")
}

fn matches_etag(asked: &Asked, key: u64) -> bool {
    let wanted = asked.if_none_match.as_deref().unwrap_or_default();
    wanted.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag(key))
}

/// Everything has a version and a date; neither ever changes.
fn stamped(answer: Answer, key: u64) -> Answer {
    let date = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000 + key % 200_000_000);
    answer.with("etag", etag(key)).with("last-modified", httpdate::fmt_http_date(date))
}

/// Answers 304 to who has it already and 206 to who wants a part.
pub(crate) fn conditional(answer: Answer, key: u64, asked: &Asked, ranges: bool) -> Answer {
    let mut answer = stamped(answer, key);
    if matches_etag(asked, key) {
        answer.status = 304;
        answer.body = Bytes::new();
        return answer;
    }
    if !ranges {
        return answer;
    }
    let length = answer.body.len();
    let unchanged = asked.if_range.as_deref().is_none_or(|tag| tag == etag(key));
    answer = answer.with("accept-ranges", "bytes");
    let Some(wanted) = asked.range.as_deref().filter(|_| unchanged).and_then(|range| parse_range(range, length)) else {
        return answer;
    };
    match wanted {
        Some((from, to)) => {
            answer.status = 206;
            answer.body = answer.body.slice(from..=to);
            answer.with("content-range", format!("bytes {from}-{to}/{length}"))
        }
        None => {
            answer.status = 416;
            answer.body = Bytes::new();
            answer.with("content-range", format!("bytes */{length}"))
        }
    }
}

/// The first and last byte wanted; `Some(None)` when there is no such part, `None` when the header
/// is not understood (RFC 9110 §14.2 says to ignore it then).
fn parse_range(range: &str, length: usize) -> Option<Option<(usize, usize)>> {
    let (from, to) = range.trim().strip_prefix("bytes=")?.split_once('-')?;
    if from.is_empty() {
        let last: usize = to.parse().ok()?;
        return Some((last > 0 && length > 0).then(|| (length.saturating_sub(last), length - 1)));
    }
    let from: usize = from.parse().ok()?;
    let to = if to.is_empty() { usize::MAX } else { to.parse().ok()? };
    if to < from {
        return None;
    }
    Some((from < length).then(|| (from, to.min(length.saturating_sub(1)))))
}

/// A month that leads to the next, for ever.
fn calendar(year: u64, month: u64) -> Answer {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let body = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{year}-{month:02}</title></head><body><h1>{year}-{month:02}</h1>\
         <a href=\"/calendar/{next_year}/{next_month}\">next</a> <a href=\"/\">home</a></body></html>\n"
    );
    Answer::new(200, "text/html; charset=utf-8", body)
}

#[cfg(test)]
mod tests {
    use super::parse_range;

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        for (range, length, expected) in [
            ("bytes=0-9", 100, Some(Some((0, 9)))),
            ("bytes=90-", 100, Some(Some((90, 99)))),
            ("bytes=-10", 100, Some(Some((90, 99)))),
            ("bytes=-500", 100, Some(Some((0, 99)))),
            ("bytes=0-500", 100, Some(Some((0, 99)))),
            ("bytes=100-", 100, Some(None)),
            ("bytes=-0", 100, Some(None)),
            ("bytes=9-3", 100, None),
            ("pages=1-2", 100, None),
            ("bytes=a-b", 100, None),
            ("bytes=0-0", 0, Some(None)),
        ] {
            assert_eq!(parse_range(range, length), expected, "{range}");
        }
    }
}
