//! Addresses that are written as they will be requested: most are, and need not be taken apart and put
//! together again. Whatever is not known to be so is left to the parser.

use std::net::Ipv4Addr;
use std::ops::Range;

use super::{LONGEST, LONGEST_HOST};

/// Where the parts of an address are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// Behind `://`.
    pub host: u16,
    /// Where the host ends; a port may follow.
    pub host_end: u16,
    pub path: u16,
    /// Where the path ends; a `?` may follow.
    pub path_end: u16,
}

impl Parts {
    pub fn host(self) -> Range<usize> {
        self.host.into()..self.host_end.into()
    }

    /// Without its colon.
    pub fn port(self) -> Range<usize> {
        (usize::from(self.host_end) + 1).min(self.path.into())..self.path.into()
    }

    pub fn path(self) -> Range<usize> {
        self.path.into()..self.path_end.into()
    }
}

/// The address and its parts, when it is absolute and nothing in it would be changed but for a fragment.
pub(super) fn absolute(text: &str) -> Option<(String, Parts)> {
    let (rest, default) = match text.strip_prefix("https://") {
        Some(rest) => (rest, "443"),
        None => (text.strip_prefix("http://")?, "80"),
    };
    let slash = rest.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'\\'))?;
    let (host, port) = match rest[..slash].split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (&rest[..slash], None),
    };
    if !is_plain_host(host) || port.is_some_and(|port| port == default || !is_plain_port(port)) {
        return None;
    }
    let start = text.len() - rest.len();
    let path = start + slash;
    let (end, path_end) = path_and_query(text, path, true)?;
    let parts = Parts {
        host: start as u16,
        host_end: (start + host.len()) as u16,
        path: path as u16,
        path_end: path_end as u16,
    };
    (end <= LONGEST).then(|| (text[..end].to_owned(), parts))
}

/// The same for what is relative to an address.
pub(super) fn relative(base: &str, parts: Parts, reference: &str) -> Option<(String, Parts)> {
    let first = *reference.as_bytes().first()?;
    let rooted = first == b'/';
    // Two slashes start a host.
    if reference.starts_with("//") || !(rooted || first.is_ascii_alphanumeric()) {
        return None;
    }
    let (end, path_end) = path_and_query(reference, 0, rooted)?;
    let kept = match rooted {
        true => parts.path.into(),
        false => parts.path().start + base[parts.path()].rfind('/')? + 1,
    };
    if kept + end > LONGEST {
        return None;
    }
    let mut text = String::with_capacity(kept + end);
    text.push_str(&base[..kept]);
    text.push_str(&reference[..end]);
    Some((text, Parts { path_end: (kept + path_end) as u16, ..parts }))
}

/// Where an address ends that has a path from here on, and where the path does, when all of it stays as it
/// is. A colon before the first slash would end a scheme.
fn path_and_query(text: &str, from: usize, rooted: bool) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if rooted && bytes.get(from) != Some(&b'/') {
        return None;
    }
    let mut path_end = None;
    let mut before = b'/';
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'/' | b'=' | b'&' | b'+' | b',' | b'~' => {}
            // A part of a path that starts with a dot may lead up.
            b'.' if before != b'/' || path_end.is_some() => {}
            b';' | b'@' | b'!' | b'$' | b'(' | b')' | b'*' => {}
            b':' if rooted || path_end.is_some() => {}
            b'?' => path_end = path_end.or(Some(at)),
            b'#' => return Some((at, path_end.unwrap_or(at))),
            _ => return None,
        }
        before = byte;
    }
    Some((bytes.len(), path_end.unwrap_or(bytes.len())))
}

/// A name in small ASCII letters, or an IPv4 address in its usual form.
fn is_plain_host(host: &str) -> bool {
    let label = |label: &str| {
        let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = label.as_bytes();
        // What starts like this is checked letter by letter.
        !label.starts_with("xn--")
            && (1..=63).contains(&bytes.len())
            && bytes.first().is_some_and(|&byte| inside(byte))
            && bytes.last().is_some_and(|&byte| inside(byte))
            && bytes.iter().all(|&byte| inside(byte) || byte == b'-')
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    if last.starts_with(|c: char| c.is_ascii_digit()) {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    host.len() <= LONGEST_HOST && host.split('.').all(label)
}

fn is_plain_port(port: &str) -> bool {
    !port.is_empty()
        && !port.starts_with('0')
        && port.bytes().all(|b| b.is_ascii_digit())
        && port.parse::<u16>().is_ok()
}
