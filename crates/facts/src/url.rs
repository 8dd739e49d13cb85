//! Addresses and their identity.

mod plain;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::plain::Parts;
use crate::{HostName, Origin, Site};

/// Longer addresses than this are refused: no honest page needs one, and the queue stores them.
const LONGEST: usize = 2048;

/// No name that can be looked up is longer (RFC 1035 §2.3.4).
const LONGEST_HOST: usize = 253;

/// Query parameters that say where a visitor came from, never what the page shows.
const TRACKING: &[&str] = &[
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "mkt_tok",
    "oly_anon_id",
    "oly_enc_id",
    "vero_id",
    "wickedid",
    "s_cid",
    "spm",
    "ref_src",
];

/// Query and path parameters that name a visitor's session.
const SESSION: &[&str] =
    &["phpsessid", "jsessionid", "aspsessionid", "sessionid", "session_id", "cfid", "cftoken", "zenid", "oscsid"];

/// Why something is not an address Bowerbird can visit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not parseable as a URL at all.
    #[error("not a web address: {0}")]
    Malformed(String),
    /// A scheme other than http and https.
    #[error("only http and https can be visited, not {0}:")]
    Scheme(String),
    /// No host, such as `http:///path`.
    #[error("the address names no host")]
    NoHost,
    /// Longer than any honest page needs.
    #[error("the address is longer than {LONGEST} bytes")]
    TooLong,
}

/// A web address as it will be requested: http or https, without fragment, user name and password.
#[derive(Clone)]
pub struct Url {
    text: Box<str>,
    parts: Parts,
    /// Its identity, once it was asked for: a link is asked for it again and again on its way to the queue.
    id: OnceLock<UrlId>,
}

impl PartialEq for Url {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Url {}

impl Hash for Url {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for Url {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Url {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Url {
    /// Reads an absolute address.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(UrlError::TooLong);
        }
        match plain::absolute(text) {
            Some((text, parts)) => Ok(Self::of(text, parts)),
            None => Self::accept(::url::Url::parse(text).map_err(|e| UrlError::Malformed(e.to_string()))?),
        }
    }

    /// Reads an address as written on this page: absolute, or relative to it.
    pub fn join(&self, reference: &str) -> Result<Self, UrlError> {
        let reference = reference.trim();
        if reference.len() > LONGEST {
            return Err(UrlError::TooLong);
        }
        match plain::relative(&self.text, self.parts, reference).or_else(|| plain::absolute(reference)) {
            Some((text, parts)) => Ok(Self::of(text, parts)),
            None => self.join_any(reference),
        }
    }

    fn join_any(&self, reference: &str) -> Result<Self, UrlError> {
        let malformed = |error: ::url::ParseError| UrlError::Malformed(error.to_string());
        Self::accept(::url::Url::parse(&self.text).and_then(|base| base.join(reference)).map_err(malformed)?)
    }

    fn of(text: String, parts: Parts) -> Self {
        Self { text: text.into(), parts, id: OnceLock::new() }
    }

    fn accept(mut url: ::url::Url) -> Result<Self, UrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme(url.scheme().to_owned()));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(UrlError::NoHost);
        }
        // `example.org.` is `example.org`, written so that no search list is tried.
        // All of them: an address that is read again must stay what it is.
        if let Some(host) = url.host_str().filter(|host| host.ends_with('.')) {
            let host = host.trim_end_matches('.').to_owned();
            url.set_host(Some(&host)).map_err(|error| UrlError::Malformed(error.to_string()))?;
        }
        if url.host_str().is_some_and(|host| host.len() > LONGEST_HOST) {
            return Err(UrlError::Malformed("the host name is longer than names can be".into()));
        }
        if url.fragment().is_some() {
            url.set_fragment(None);
        }
        // These two fail only for URLs without a host, which were refused above.
        if !url.username().is_empty() || url.password().is_some() {
            let _ = url.set_username("");
            let _ = url.set_password(None);
        }
        if url.as_str().len() > LONGEST {
            return Err(UrlError::TooLong);
        }
        // None is longer than fits.
        let at = |place: ::url::Position| url[..place].len() as u16;
        let parts = Parts {
            host: at(::url::Position::BeforeHost),
            host_end: at(::url::Position::AfterHost),
            path: at(::url::Position::BeforePath),
            path_end: at(::url::Position::AfterPath),
        };
        Ok(Self::of(url.into(), parts))
    }

    /// The address to request.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        if self.text.starts_with("https:") { "https" } else { "http" }
    }

    /// The host, the unit of politeness.
    pub fn host(&self) -> HostName {
        HostName::from_parsed(self.host_str())
    }

    /// The host as text, without making a [`HostName`].
    pub fn host_str(&self) -> &str {
        &self.text[self.parts.host()]
    }

    /// The port, also when it is the scheme's own.
    pub fn port(&self) -> u16 {
        self.own_port().unwrap_or(if self.scheme() == "https" { 443 } else { 80 })
    }

    /// The port, when it is not the scheme's own.
    pub fn own_port(&self) -> Option<u16> {
        self.text[self.parts.port()].parse().ok()
    }

    /// Scheme, host and port: what a robots.txt speaks for.
    pub fn origin(&self) -> Origin {
        Origin::new(self.scheme(), self.host(), self.port())
    }

    /// The registrable domain.
    pub fn site(&self) -> Site {
        self.host().site()
    }

    /// The path, percent-encoded as requested.
    pub fn path(&self) -> &str {
        &self.text[self.parts.path()]
    }

    /// The last part of the path, percent-encoding undone: `Köln.jpg`.
    pub fn file_name(&self) -> String {
        decode(self.path().rsplit('/').next().unwrap_or_default())
    }

    /// The query without its `?`.
    pub fn query(&self) -> Option<&str> {
        self.text[self.parts.path_end.into()..].strip_prefix('?')
    }

    /// Path and query: what robots.txt rules are matched against.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.parts.path.into()..]
    }

    /// The normalised form, used as identity only and never requested: unreserved characters
    /// decoded and escapes in upper case (RFC 3986 §6.2.2), tracking parameters and session ids
    /// left out, an empty query dropped.
    pub fn identity(&self) -> Cow<'_, str> {
        let plain = |path: &str| !path.bytes().any(|byte| matches!(byte, b';' | b'%'));
        if self.query().is_none() && plain(self.path()) {
            return Cow::Borrowed(&self.text);
        }
        let mut out = String::with_capacity(self.text.len());
        out.push_str(&self.text[..self.parts.path.into()]);
        out.push_str(&normal_escapes(without_path_session(self.path())));
        let mut separator = '?';
        for pair in self.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let name = pair.split('=').next().unwrap_or(pair);
            if is_noise(name) {
                continue;
            }
            out.push(separator);
            separator = '&';
            out.push_str(&normal_escapes(pair));
        }
        Cow::Owned(out)
    }

    /// SHA-256 of [`identity`](Self::identity).
    pub fn id(&self) -> UrlId {
        *self.id.get_or_init(|| UrlId(Sha256::digest(self.identity().as_bytes()).into()))
    }

    /// The shape of the address: host and path with digits and long tokens replaced, query
    /// parameters by name only. Pages made by one program share it, which is how traps are counted.
    pub fn template(&self) -> String {
        let mut out = String::from(self.host_str());
        for segment in self.path().split('/').skip(1) {
            out.push('/');
            out.push_str(&segment_shape(segment));
        }
        let mut names: Vec<&str> = self
            .query()
            .unwrap_or("")
            .split('&')
            .filter_map(|pair| pair.split('=').next())
            .filter(|n| !n.is_empty())
            .collect();
        names.sort_unstable();
        names.dedup();
        for (i, name) in names.iter().enumerate() {
            out.push(if i == 0 { '?' } else { '&' });
            out.push_str(&segment_shape(name));
        }
        out
    }
}

/// Digits become `0` (runs as one), tokens longer than 24 characters `*`.
fn segment_shape(segment: &str) -> Cow<'_, str> {
    if segment.len() > 24 {
        return Cow::Borrowed("*");
    }
    if !segment.bytes().any(|b| b.is_ascii_digit()) {
        return Cow::Borrowed(segment);
    }
    let mut out = String::with_capacity(segment.len());
    for c in segment.chars() {
        if c.is_ascii_digit() {
            if !out.ends_with('0') {
                out.push('0');
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_noise(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.starts_with("utm_")
        || lower.starts_with("pk_")
        || lower.starts_with("mtm_")
        || TRACKING.contains(&lower.as_str())
        || SESSION.contains(&lower.as_str())
}

/// `/shop;jsessionid=1A2B/cart` → `/shop/cart`.
fn without_path_session(path: &str) -> Cow<'_, str> {
    if !path.contains(';') {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len());
    for (i, segment) in path.split('/').enumerate() {
        if i > 0 {
            out.push('/');
        }
        for (j, part) in segment.split(';').enumerate() {
            let session =
                j > 0 && SESSION.contains(&part.split('=').next().unwrap_or("").to_ascii_lowercase().as_str());
            if !session {
                if j > 0 {
                    out.push(';');
                }
                out.push_str(part);
            }
        }
    }
    Cow::Owned(out)
}

/// `%7e` → `~`, `%2f` → `%2F`: escapes of unreserved characters decoded, the others in upper case.
fn normal_escapes<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let text = text.into();
    if !text.contains('%') {
        return text;
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let mut i = 0;
    while i < bytes.len() {
        let escape = (bytes[i] == b'%').then(|| hex_pair(bytes.get(i + 1), bytes.get(i + 2))).flatten();
        let Some(byte) = escape else {
            i += 1;
            continue;
        };
        out.push_str(&text[from..i]);
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(byte as char);
        } else {
            out.push('%');
            out.push(char::from(bytes[i + 1]).to_ascii_uppercase());
            out.push(char::from(bytes[i + 2]).to_ascii_uppercase());
        }
        i += 3;
        from = i;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

fn hex_pair(high: Option<&u8>, low: Option<&u8>) -> Option<u8> {
    let digit = |b: &u8| (*b as char).to_digit(16);
    Some((digit(high?)? * 16 + digit(low?)?) as u8)
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.as_str())
    }
}

impl std::str::FromStr for Url {
    type Err = UrlError;
    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

impl Serialize for Url {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Url {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The identity of an address: SHA-256 of its normalised form [000 §4.5].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UrlId([u8; 32]);

impl UrlId {
    /// All 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 16 bytes, which is what keys hold: with 10 billion addresses the chance that any
    /// two share them is below 10⁻¹⁸.
    pub fn short(&self) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&self.0[..16]);
        short
    }
}

impl fmt::Display for UrlId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for UrlId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Undoes percent-encoding; what is not UTF-8 then is left as it was.
fn decode(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit = |i: usize| bytes.get(i).and_then(|b| (*b as char).to_digit(16));
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, _, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn identity(text: &str) -> String {
        Url::parse(text).expect(text).identity().into_owned()
    }

    #[test]
    fn an_address_that_is_read_again_stays_what_it_is() {
        for text in ["http://h../a", "http://example.org./", "http://example.org.../x?y", "http:h../..t/tp//0.2.3./"] {
            let url = Url::parse(text).expect(text);
            assert!(!url.host_str().ends_with('.'), "{url}");
            assert_eq!(Url::parse(url.as_str()).unwrap().id(), url.id(), "{text}");
        }
        assert!(Url::parse("http://../").is_err());
    }

    #[test]
    fn ids_are_the_hashes_of_the_first_document() {
        // [000] Table 6.
        for (url, hash) in [
            ("https://www.locationscout.net/", "901347838dd47f1266b708382b4e1c8012b815a9a0f9b7b7aa5700259a1508a2"),
            (
                "https://www.locationscout.net/germany",
                "b47842630880fc38536ff12f4c84c975f05050ddc4551e739db19b5c45100179",
            ),
            (
                "https://www.locationscout.net/locations/4-paris",
                "3c008b8fd5ab9c4f6a7cd721ecaa38c9c8e1996607542118b4122a00276dd9ea",
            ),
            (
                "https://www.locationscout.net/sign-up",
                "bd7b5094bed1b05aaa0ec74498276effc5e18f4c4c7d83374d6352c6d671199e",
            ),
        ] {
            assert_eq!(Url::parse(url).unwrap().id().to_string(), hash);
        }
    }

    /// What the parser makes of a reference, whether it is plain or not.
    fn by_the_parser(base: &str, reference: &str) -> Option<Url> {
        Url::accept(::url::Url::parse(base).unwrap().join(reference.trim()).ok()?).ok()
    }

    fn check_plain(base: &str, reference: &str) {
        let expected = by_the_parser(base, reference);
        let found = Url::parse(base).unwrap().join(reference).ok();
        assert_eq!(found, expected, "{base} {reference:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            assert_eq!(found.parts, expected.parts, "{base} {reference:?}");
            assert_eq!(Url::parse(expected.as_str()).unwrap().parts, expected.parts, "{expected}");
        }
    }

    #[test]
    fn a_plain_address_is_what_the_parser_makes_of_it() {
        let bases = [
            "http://a.example/",
            "https://www.example.org:8443/x/y.html?q=1",
            "http://127.0.0.1:80/a/",
            "http://[::1]:8/a",
        ];
        let references = [
            "/",
            "/a/b.html",
            "/a//b",
            "//b.example/x",
            "///x",
            "/a/../b",
            "/a/./b",
            "/.a",
            "/a/.",
            "/..",
            "/a.b/c..d",
            "/%7Ea",
            "/a?b=c&d=e",
            "/a?b=/../c",
            "/a?",
            "/a?b?c",
            "/a#b",
            "/a?b#c?d",
            "/#",
            "#x",
            "?x",
            "x",
            "x/y?z",
            "x:y",
            "x/y:z",
            "a?b:c",
            "x/../y",
            "./x",
            "../x",
            "x/.y",
            "x y",
            "/x y",
            "/x'y",
            "/x?y'z",
            "/x|y",
            "/x^y",
            "/x\\y",
            "\\x",
            "/\tx",
            "/ä",
            "/x\"y",
            "/x<y",
            "/x{y}",
            "/x`y",
            "/[x]",
            "/x;y=1",
            "/x@y",
            "/x!$()*,",
            "/x~y",
            "",
            "0",
            "9/x",
            "http://b.example",
            "http://b.example/",
            "http://b.example/x?y#z",
            "http://B.example/x",
            "HTTP://b.example/x",
            "http://b.example:80/x",
            "http://b.example:8080/x",
            "http://b.example:08080/x",
            "http://b.example:99999/x",
            "http://b.example:/x",
            "https://b.example:443/x",
            "https://b.example:80/x",
            "http://b.example?x",
            "http://b.example#x",
            "http://u:p@b.example/x",
            "http://u@b.example:81/x",
            "http://b.example./x",
            "http://.b.example/x",
            "http://b..example/x",
            "http://xn--bcher-kva.example/x",
            "http://xn--/x",
            "http://a.xn--zz/x",
            "http://-b.example/x",
            "http://b-.example/x",
            "http://b_c.example/x",
            "http://127.0.0.1/x",
            "http://127.1/x",
            "http://0x7f.1/x",
            "http://127.0.0.01/x",
            "http://1.2.3.4.5/x",
            "http://256.1.1.1/x",
            "http://1/x",
            "http://a.1/x",
            "http://a.0x1/x",
            "http://a.1b/x",
            "http://b.example\\x",
            "http:b",
            "http:/b/c",
            "http:///b",
            "http://b.example/a/../b",
            "http://b.example//x",
            "http://[::1]/x",
            "http://b.exam ple/x",
            "mailto:a@b",
            "javascript:x",
            "ftp://b.example/x",
        ];
        for base in bases {
            references.iter().for_each(|reference| check_plain(base, reference));
        }
        let long = "x".repeat(LONGEST);
        assert_eq!(Url::parse("http://a.example/").unwrap().join(&long), Err(UrlError::TooLong));
        assert_eq!(Url::parse(&format!("http://a.example/{long}")), Err(UrlError::TooLong));
    }

    #[test]
    fn spellings_of_one_page_have_one_identity() {
        for (spelling, same) in [
            ("HTTP://EXAMPLE.org:80/", "http://example.org/"),
            ("http://example.org", "http://example.org/"),
            ("https://example.org:443/a", "https://example.org/a"),
            ("http://example.org/a/./b/../c", "http://example.org/a/c"),
            ("http://example.org/a#part", "http://example.org/a"),
            ("http://user:secret@example.org/a", "http://example.org/a"),
            ("http://example.org/%7Euser/%e4", "http://example.org/~user/%E4"),
            ("http://example.org/a?utm_source=x&id=1&fbclid=2", "http://example.org/a?id=1"),
            ("http://example.org/a?PHPSESSID=abc", "http://example.org/a"),
            ("http://example.org/a;jsessionid=1A2B?x=1", "http://example.org/a?x=1"),
            ("http://example.org/a?", "http://example.org/a"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("http://example.org./a", "http://example.org/a"),
        ] {
            assert_eq!(identity(spelling), same, "{spelling}");
        }
    }

    #[test]
    fn different_pages_keep_different_identities() {
        for (a, b) in [
            ("http://example.org/a", "https://example.org/a"),
            ("http://example.org/a", "http://example.org/a/"),
            ("http://example.org/?b=2&a=1", "http://example.org/?a=1&b=2"),
            ("http://example.org/A", "http://example.org/a"),
            ("http://example.org/a%2Fb", "http://example.org/a/b"),
            ("http://example.org:8080/", "http://example.org/"),
            ("http://example.org/a;v=2", "http://example.org/a"),
            ("http://cdn.example/i.jpg?expires=1&sig=a", "http://cdn.example/i.jpg?expires=2&sig=b"),
        ] {
            assert_ne!(identity(a), identity(b));
        }
    }

    #[test]
    fn what_cannot_be_visited_is_refused_with_a_reason() {
        assert!(matches!(Url::parse("ftp://example.org/"), Err(UrlError::Scheme(s)) if s == "ftp"));
        assert!(matches!(Url::parse("javascript:alert(1)"), Err(UrlError::Scheme(_))));
        assert!(matches!(Url::parse("data:image/png;base64,AA"), Err(UrlError::Scheme(_))));
        assert!(matches!(Url::parse("not a url"), Err(UrlError::Malformed(_))));
        assert!(matches!(Url::parse("http://"), Err(UrlError::Malformed(_))));
        let long = format!("http://{}example/", "a.".repeat(1000));
        assert!(matches!(Url::parse(&long), Err(UrlError::Malformed(_))), "its robots.txt would have no address");
        assert!(matches!(Url::parse(&format!("http://a.example/{}", "x".repeat(3000))), Err(UrlError::TooLong)));
    }

    #[test]
    fn pages_of_one_program_share_a_template() {
        let template = |text: &str| Url::parse(text).unwrap().template();
        assert_eq!(template("http://a.example/cal/2024/05/"), template("http://a.example/cal/1999/12/"));
        assert_eq!(template("http://a.example/p?id=1&x=2"), template("http://a.example/p?x=77&id=3"));
        assert_ne!(template("http://a.example/news/1"), template("http://a.example/photo/1"));
    }

    proptest! {
        #[test]
        fn any_reference_is_what_the_parser_makes_of_it(reference in "(/|//|http://|https://)?[a-z0-9.:/?#@%;=&+,~!$()*\\\\ A-Z-]{0,24}") {
            check_plain("https://www.example.org/x/y.html?q", &reference);
        }

        #[test]
        fn identity_is_stable(text in "https?://[a-z]{1,8}\\.example/[ -~]{0,60}") {
            if let Ok(url) = Url::parse(&text) {
                let once = url.identity();
                let same = Url::parse(&once).unwrap();
                prop_assert_eq!(&once, &same.identity());
            }
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,200}") {
            if let Ok(url) = Url::parse(&text) {
                url.id();
                url.template();
                url.site();
            }
        }
    }
}
