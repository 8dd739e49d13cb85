//! Cookies, enough to get through the walls that ask for one; in memory, for one crawl.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

use cookie::Cookie;
use facts::{HostName, Timestamp, Url};
use http::header::{HeaderMap, HeaderValue, SET_COOKIE};
use lru::LruCache;

use crate::settings::CookieLimits;

/// Servers refuse longer `Cookie` headers.
const LONGEST_HEADER: usize = 8 * 1024;

/// Which cookies go with a request: while it is the same, asking again for the same address brings no other
/// answer because of them. Of use within one process only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieMark(u64);

impl CookieMark {
    pub(crate) fn of(header: Option<&HeaderValue>) -> Self {
        let mut hasher = DefaultHasher::new();
        header.map(HeaderValue::as_bytes).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The cookies of many domains; the domain used least recently is forgotten first.
pub(crate) struct Jar {
    limits: CookieLimits,
    domains: LruCache<Box<str>, Vec<Kept>>,
    bytes: usize,
}

struct Kept {
    name: Box<str>,
    value: Box<str>,
    path: Box<str>,
    secure: bool,
    /// Set without `Domain`: for the very host that set it.
    host_only: bool,
    until: Option<Timestamp>,
}

impl Jar {
    pub(crate) fn new(limits: CookieLimits) -> Self {
        let domains = LruCache::new(NonZeroUsize::new(limits.domains).unwrap_or(NonZeroUsize::MIN));
        Self { limits, domains, bytes: 0 }
    }

    /// The `Cookie` header for a request; longer paths first, as servers expect.
    pub(crate) fn header(&mut self, url: &Url, now: Timestamp) -> Option<HeaderValue> {
        let host = url.host();
        let mut fitting: Vec<(usize, String)> = Vec::new();
        for domain in domains_of(&host) {
            let Some(kept) = self.domains.get(domain) else { continue };
            for cookie in kept.iter().filter(|cookie| cookie.until.is_none_or(|until| until > now)) {
                let is_ours = !cookie.host_only || domain == host.as_str();
                if is_ours && (!cookie.secure || url.scheme() == "https") && is_below(url.path(), &cookie.path) {
                    fitting.push((cookie.path.len(), format!("{}={}", cookie.name, cookie.value)));
                }
            }
        }
        fitting.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        let mut text = String::new();
        for (_, pair) in fitting {
            if text.len() + pair.len() + 2 > LONGEST_HEADER {
                break;
            }
            if !text.is_empty() {
                text.push_str("; ");
            }
            text.push_str(&pair);
        }
        if text.is_empty() { None } else { HeaderValue::try_from(text).ok() }
    }

    /// Takes what an answer sets.
    pub(crate) fn take(&mut self, url: &Url, headers: &HeaderMap, now: Timestamp) {
        for value in headers.get_all(SET_COOKIE) {
            if let Ok(text) = value.to_str()
                && let Ok(cookie) = Cookie::parse(text)
            {
                self.keep(url, &cookie, now);
            }
        }
    }

    fn keep(&mut self, url: &Url, cookie: &Cookie<'_>, now: Timestamp) {
        let (name, value) = (cookie.name(), cookie.value());
        let secure = cookie.secure() == Some(true);
        if name.len() + value.len() > self.limits.bytes
            || HeaderValue::from_str(value).is_err()
            || secure && url.scheme() != "https"
        {
            return;
        }
        let host = url.host();
        let Some(domain) = domain(&host, cookie.domain()) else { return };
        let path = match cookie.path() {
            Some(path) if path.starts_with('/') && path.len() <= self.limits.bytes => path,
            _ => parent(url.path()),
        };
        let until = until(cookie, now);
        let is_over = until.is_some_and(|until| until <= now);

        // Taken out, changed and put back, so that the bytes are counted in one place.
        let mut kept = self.forget(domain).unwrap_or_default();
        let known = kept.iter().position(|other| *other.name == *name && *other.path == *path);
        if is_over {
            known.map(|index| kept.remove(index));
        } else {
            let host_only = cookie.domain().is_none();
            let new = Kept { name: name.into(), value: value.into(), path: path.into(), secure, host_only, until };
            match known {
                // It keeps its place (RFC 6265 §5.3): the same cookie set again changes nothing.
                Some(index) => kept[index] = new,
                None => {
                    if kept.len() >= self.limits.per_domain.max(1) {
                        kept.remove(0);
                    }
                    kept.push(new);
                }
            }
        }
        self.remember(domain, kept);
    }

    fn forget(&mut self, domain: &str) -> Option<Vec<Kept>> {
        let kept = self.domains.pop(domain)?;
        self.bytes -= size(&kept);
        Some(kept)
    }

    fn remember(&mut self, domain: &str, kept: Vec<Kept>) {
        if kept.is_empty() {
            return;
        }
        self.bytes += size(&kept);
        if let Some((_, forgotten)) = self.domains.push(domain.into(), kept) {
            self.bytes -= size(&forgotten);
        }
        while self.bytes > self.limits.total_bytes {
            let Some((_, forgotten)) = self.domains.pop_lru() else { return };
            self.bytes -= size(&forgotten);
        }
    }
}

fn size(kept: &[Kept]) -> usize {
    let fixed = size_of::<Kept>();
    kept.iter().map(|cookie| fixed + cookie.name.len() + cookie.value.len() + cookie.path.len()).sum()
}

/// The domain a cookie belongs to; nothing when the host may not set it. A whole public suffix
/// (`co.uk`) belongs to nobody, except to a host of that very name.
fn domain<'a>(host: &'a HostName, wanted: Option<&str>) -> Option<&'a str> {
    let name = host.as_str();
    let Some(wanted) = wanted else { return Some(name) };
    let wanted = wanted.trim_start_matches('.').to_ascii_lowercase();
    if wanted == name {
        return Some(name);
    }
    domains_of(host).find(|domain| *domain == wanted)
}

/// The host and its parents down to the registrable domain; an address has none.
fn domains_of(host: &HostName) -> impl Iterator<Item = &str> {
    let last = if host.as_ip().is_some() { None } else { psl::domain_str(host.as_str()) };
    let mut next = Some(host.as_str());
    std::iter::from_fn(move || {
        let domain = next?;
        let is_last = last.is_none_or(|last| domain.len() <= last.len());
        next = if is_last { None } else { domain.split_once('.').map(|(_, parent)| parent) };
        Some(domain)
    })
}

fn until(cookie: &Cookie<'_>, now: Timestamp) -> Option<Timestamp> {
    match (cookie.max_age(), cookie.expires_datetime()) {
        (Some(age), _) => Some(Timestamp(now.0.saturating_add(age.whole_seconds().saturating_mul(1000)))),
        (None, Some(date)) => Some(Timestamp(date.unix_timestamp().saturating_mul(1000))),
        (None, None) => None,
    }
}

/// `/a/b` → `/a`, `/a` → `/` (RFC 6265 §5.1.4).
fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(end) => &path[..end],
    }
}

fn is_below(path: &str, parent: &str) -> bool {
    path.strip_prefix(parent).is_some_and(|rest| parent.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn take(jar: &mut Jar, url: &str, cookie: &str) {
        let mut headers = HeaderMap::new();
        headers.insert(SET_COOKIE, cookie.parse().unwrap());
        jar.take(&Url::parse(url).unwrap(), &headers, NOW);
    }

    fn sent(jar: &mut Jar, url: &str) -> String {
        let header = jar.header(&Url::parse(url).unwrap(), NOW);
        header.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_cookie_goes_where_it_belongs_and_nowhere_else() {
        for (set_by, cookie, asked, expected) in [
            ("http://a.example.org/", "k=v", "http://a.example.org/x", "k=v"),
            ("http://a.example.org/", "k=v", "http://b.example.org/", ""),
            ("http://a.example.org/", "k=v", "http://x.a.example.org/", ""),
            ("http://a.example.org/", "k=v; Domain=example.org", "http://b.example.org/", "k=v"),
            ("http://a.example.org/", "k=v; Domain=.Example.org", "http://example.org/", "k=v"),
            ("http://a.example.org/", "k=v; Domain=example.org", "http://example.com/", ""),
            ("http://a.example.org/", "k=v; Domain=other.org", "http://other.org/", ""),
            ("http://a.example.org/", "k=v; Domain=x.a.example.org", "http://x.a.example.org/", ""),
            ("http://shop.co.uk/", "k=v; Domain=co.uk", "http://bank.co.uk/", ""),
            ("http://me.github.io/", "k=v; Domain=github.io", "http://you.github.io/", ""),
            ("http://a.example.org/", "k=v; Domain=org", "http://b.org/", ""),
            ("http://127.0.0.1/", "k=v; Domain=0.0.1", "http://1.0.0.1/", ""),
            ("http://127.0.0.1/", "k=v", "http://127.0.0.1:81/", "k=v"),
            ("http://a.example.org/", "k=v; Path=/shop", "http://a.example.org/shop/cart", "k=v"),
            ("http://a.example.org/", "k=v; Path=/shop", "http://a.example.org/shopping", ""),
            ("http://a.example.org/a/b", "k=v", "http://a.example.org/a/c", "k=v"),
            ("http://a.example.org/a/b", "k=v", "http://a.example.org/", ""),
            ("https://a.example.org/", "k=v; Secure", "http://a.example.org/", ""),
            ("https://a.example.org/", "k=v; Secure", "https://a.example.org/", "k=v"),
            ("http://a.example.org/", "k=v; Secure", "https://a.example.org/", ""),
            ("http://a.example.org/", "k=v; Max-Age=0", "http://a.example.org/", ""),
            ("http://a.example.org/", "k=v; Max-Age=60", "http://a.example.org/", "k=v"),
            ("http://a.example.org/", "k=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.example.org/", ""),
            ("http://a.example.org/", "k=v; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "http://a.example.org/", "k=v"),
            ("http://a.example.org/", "no pair", "http://a.example.org/", ""),
        ] {
            let mut jar = Jar::new(CookieLimits::default());
            take(&mut jar, set_by, cookie);
            assert_eq!(sent(&mut jar, asked), expected, "{cookie} of {set_by} for {asked}");
        }
    }

    #[test]
    fn a_cookie_ends_with_its_time() {
        let mut jar = Jar::new(CookieLimits::default());
        take(&mut jar, "http://a.example.org/", "k=v; Max-Age=60");
        let url = Url::parse("http://a.example.org/").unwrap();
        assert!(jar.header(&url, NOW + Duration::from_secs(59)).is_some());
        assert!(jar.header(&url, NOW + Duration::from_secs(61)).is_none());
    }

    #[test]
    fn a_mark_changes_with_what_is_sent_and_with_nothing_else() {
        let mut jar = Jar::new(CookieLimits::default());
        let url = "http://a.example.org/";
        let mut last = CookieMark::of(None);
        for (cookie, changes) in [
            ("consent=yes", true),
            ("theme=dark", true),
            ("consent=yes", false),
            ("consent=no", true),
            ("far=away; Path=/elsewhere", false),
            ("consent=; Max-Age=0", true),
            ("consent=; Max-Age=0", false),
        ] {
            take(&mut jar, url, cookie);
            let mark = CookieMark::of(jar.header(&Url::parse(url).unwrap(), NOW).as_ref());
            assert_eq!(mark != last, changes, "{cookie}");
            last = mark;
        }
    }

    #[test]
    fn the_jar_stays_within_its_bounds() {
        let mut jar = Jar::new(CookieLimits { domains: 3, per_domain: 4, bytes: 20, ..CookieLimits::default() });
        for host in 0..10 {
            for cookie in 0..10 {
                take(&mut jar, &format!("http://h{host}.example/"), &format!("k{cookie}=v"));
            }
        }
        assert_eq!(jar.domains.len(), 3);
        assert!(jar.domains.iter().all(|(_, kept)| kept.len() == 4));
        assert_eq!(sent(&mut jar, "http://h9.example/"), "k6=v; k7=v; k8=v; k9=v");
        take(&mut jar, "http://h9.example/", "long=aaaaaaaaaaaaaaaaaaaaaaaa");
        assert_eq!(sent(&mut jar, "http://h9.example/"), "k6=v; k7=v; k8=v; k9=v");

        let mut full = Jar::new(CookieLimits { total_bytes: 10_000, ..CookieLimits::default() });
        for host in 0..100 {
            take(&mut full, &format!("http://h{host}.example/"), &format!("k={}", "v".repeat(900)));
        }
        assert!(full.bytes <= 10_000 && (5..=11).contains(&full.domains.len()), "{}", full.domains.len());

        let mut wide = Jar::new(CookieLimits::default());
        for cookie in 0..50 {
            take(&mut wide, "http://a.example.org/", &format!("k{cookie}={}", "v".repeat(4000)));
        }
        assert!(sent(&mut wide, "http://a.example.org/").len() <= LONGEST_HEADER);
    }
}
