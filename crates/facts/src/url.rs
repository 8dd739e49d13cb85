//! Addresses and their identity.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

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
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Url(::url::Url);

impl Url {
    /// Reads an absolute address.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(UrlError::TooLong);
        }
        Self::accept(::url::Url::parse(text).map_err(|e| UrlError::Malformed(e.to_string()))?)
    }

    /// Reads an address as written on this page: absolute, or relative to it.
    pub fn join(&self, reference: &str) -> Result<Self, UrlError> {
        let reference = reference.trim();
        if reference.len() > LONGEST {
            return Err(UrlError::TooLong);
        }
        Self::accept(self.0.join(reference).map_err(|e| UrlError::Malformed(e.to_string()))?)
    }

    fn accept(mut url: ::url::Url) -> Result<Self, UrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme(url.scheme().to_owned()));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(UrlError::NoHost);
        }
        // `example.org.` is `example.org`, written so that no search list is tried.
        if let Some(host) = url.host_str().and_then(|host| host.strip_suffix('.')).map(str::to_owned) {
            url.set_host(Some(&host)).map_err(|error| UrlError::Malformed(error.to_string()))?;
        }
        if url.host_str().is_some_and(|host| host.len() > LONGEST_HOST) {
            return Err(UrlError::Malformed("the host name is longer than names can be".into()));
        }
        url.set_fragment(None);
        // These two fail only for URLs without a host, which were refused above.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        if url.as_str().len() > LONGEST {
            return Err(UrlError::TooLong);
        }
        Ok(Self(url))
    }

    /// The address to request.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The parsed form, for crates that build requests.
    pub fn as_url(&self) -> &::url::Url {
        &self.0
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.0.scheme()
    }

    /// The host, the unit of politeness.
    pub fn host(&self) -> HostName {
        HostName::from_parsed(self.0.host_str().unwrap_or_default())
    }

    /// The host as text, without making a [`HostName`].
    pub fn host_str(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The port, also when it is the scheme's own.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(80)
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
        self.0.path()
    }

    /// The last part of the path, percent-encoding undone: `Köln.jpg`.
    pub fn file_name(&self) -> String {
        decode(self.path().rsplit('/').next().unwrap_or_default())
    }

    /// The query without its `?`.
    pub fn query(&self) -> Option<&str> {
        self.0.query()
    }

    /// Path and query: what robots.txt rules are matched against.
    pub fn path_and_query(&self) -> &str {
        &self.0[::url::Position::BeforePath..::url::Position::AfterQuery]
    }

    /// The normalised form, used as identity only and never requested: unreserved characters
    /// decoded and escapes in upper case (RFC 3986 §6.2.2), tracking parameters and session ids
    /// left out, an empty query dropped.
    pub fn identity(&self) -> String {
        let mut out = String::with_capacity(self.0.as_str().len());
        out.push_str(&self.0[..::url::Position::BeforePath]);
        out.push_str(&normal_escapes(without_path_session(self.0.path())));
        let mut separator = '?';
        for pair in self.0.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let name = pair.split('=').next().unwrap_or(pair);
            if is_noise(name) {
                continue;
            }
            out.push(separator);
            separator = '&';
            out.push_str(&normal_escapes(pair));
        }
        out
    }

    /// SHA-256 of [`identity`](Self::identity).
    pub fn id(&self) -> UrlId {
        UrlId(Sha256::digest(self.identity().as_bytes()).into())
    }

    /// The shape of the address: host and path with digits and long tokens replaced, query
    /// parameters by name only. Pages made by one program share it, which is how traps are counted.
    pub fn template(&self) -> String {
        let mut out = String::from(self.host_str());
        for segment in self.0.path().split('/').skip(1) {
            out.push('/');
            out.push_str(&segment_shape(segment));
        }
        let mut names: Vec<&str> = self
            .0
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
        Url::parse(text).expect(text).identity()
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
        fn identity_is_stable(text in "https?://[a-z]{1,8}\\.example/[ -~]{0,60}") {
            if let Ok(url) = Url::parse(&text) {
                let once = url.identity();
                let again = Url::parse(&once).unwrap().identity();
                prop_assert_eq!(once, again);
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
