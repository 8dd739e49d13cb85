//! Links: where they lead, and what is said of them.

use std::ops::Range;

use facts::Url;

use crate::known::Known;
use crate::text::{Folded, clip};
use crate::tree::NodeId;

/// How many words on each side of a link belong to its surroundings, in no more bytes than these.
const AROUND: usize = 12;
const NEAR: usize = 2_000;

/// A link to another page.
#[derive(Clone, Debug)]
pub struct Link {
    /// Where it leads.
    pub url: Url,
    /// What it is called: the text inside it, else the alt of the image inside it, else its title
    /// attribute.
    pub text: String,
    /// Its title attribute.
    pub title: String,
    /// Text around it in the same block, up to twelve words on each side, without its own.
    pub around: String,
    /// What it says of its target.
    pub rel: Rel,
    /// What kind of element it is.
    pub origin: LinkOrigin,
    /// Where it stands.
    pub node: NodeId,
}

/// What a link says behind its address, where that has the form of a parameter. Maps say there what
/// they show.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// Where the link leads.
    pub url: Url,
    /// What stands behind the `#`, as written.
    pub fragment: String,
    /// Where the link stands.
    pub node: NodeId,
}

/// What kind of element a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkOrigin {
    /// `<a href>`.
    Anchor,
    /// `<area href>`, a part of an image map.
    Area,
    /// `<iframe src>` or `<frame src>`: a page shown inside this one.
    Frame,
}

/// The `rel` of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rel {
    /// Not vouched for.
    pub nofollow: bool,
    /// Written by a visitor.
    pub ugc: bool,
    /// Paid for.
    pub sponsored: bool,
    /// The next of a series.
    pub next: bool,
    /// The one before in a series.
    pub prev: bool,
    /// A page about a subject of this one.
    pub tag: bool,
    /// Says under which licence the page is.
    pub license: bool,
}

impl Rel {
    pub(crate) fn parse(rel: &str) -> Self {
        let mut parsed = Self::default();
        for word in rel.split_ascii_whitespace() {
            let is = |name: &str| word.eq_ignore_ascii_case(name);
            parsed.nofollow |= is("nofollow");
            parsed.ugc |= is("ugc");
            parsed.sponsored |= is("sponsored");
            parsed.next |= is("next");
            parsed.prev |= is("prev") || is("previous");
            parsed.tag |= is("tag");
            parsed.license |= is("license");
        }
        parsed
    }
}

/// Where a link's own words are.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// In the page's text.
    pub(crate) text: Range<u32>,
    /// Among the breaks between blocks: how many there were before it began and before it ended.
    pub(crate) breaks: Range<u32>,
}

/// Gathers links, one per address.
pub(crate) struct Links {
    links: Vec<Link>,
    spans: Vec<Span>,
    known: Known,
    limit: usize,
    pub(crate) truncated: bool,
}

impl Links {
    pub(crate) fn new(limit: usize) -> Self {
        Self { links: Vec::new(), spans: Vec::new(), known: Known::default(), limit, truncated: false }
    }

    /// Adds a link; of several to one address the first with words speaks for all.
    pub(crate) fn add(&mut self, link: Link, span: Span) {
        if let Some(place) = self.known.place(&link.url, |place| &self.links[place].url) {
            let first = &mut self.links[place];
            // One link that may be followed is leave to go there.
            let nofollow = first.rel.nofollow && link.rel.nofollow;
            if first.text.is_empty() && !link.text.is_empty() {
                *first = link;
                self.spans[place] = span;
            }
            self.links[place].rel.nofollow = nofollow;
        } else if self.links.len() >= self.limit {
            self.truncated = true;
        } else {
            self.known.insert(&link.url, self.links.len());
            self.links.push(link);
            self.spans.push(span);
        }
    }

    /// Fills in what is said around each link. `breaks` are the places in the text where a block
    /// starts or ends, in order.
    pub(crate) fn finish(mut self, text: &Folded, breaks: &[u32]) -> Vec<Link> {
        for (link, span) in self.links.iter_mut().zip(self.spans) {
            let before = (span.breaks.start as usize).checked_sub(1).map_or(0, |last| breaks[last]);
            let after = breaks.get(span.breaks.end as usize).copied().unwrap_or(text.len());
            link.around = around(text.slice(before..span.text.start), text.slice(span.text.end..after));
        }
        self.links
    }
}

/// `before` and `after` are folded text, where white space is a space or a line's end.
fn around(before: &str, after: &str) -> String {
    // A text may have no spaces at all, and a link for each of its kilobytes.
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..];
    let after = clip(after, NEAR);
    let gap = |(_, byte): &(usize, u8)| matches!(byte, b' ' | b'\n');
    let last = before.bytes().enumerate().rev().filter(gap).nth(AROUND - 1).map_or(0, |(at, _)| at);
    let first = after.bytes().enumerate().filter(gap).nth(AROUND - 1).map_or(after.len(), |(at, _)| at);
    // Where words are not parted by spaces, length is the bound.
    let before = before[last..].trim();
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(300))..];
    let after = clip(after[..first].trim(), 300);
    let mut around = String::with_capacity(before.len() + 1 + after.len());
    for side in [before, after].into_iter().filter(|side| !side.is_empty()) {
        if !around.is_empty() {
            around.push(' ');
        }
        for (i, line) in side.split('\n').enumerate() {
            if i > 0 {
                around.push(' ');
            }
            around.push_str(line);
        }
    }
    around
}

/// An address as a page says it, made whole.
///
/// Many pages name their own host in each link: what is the same in base and reference need not be
/// taken apart again.
pub(crate) fn join(base: &Url, reference: &str) -> Option<Url> {
    let reference = reference.trim();
    let origin = base.as_str().strip_suffix(base.path_and_query());
    let path = origin.and_then(|origin| reference.strip_prefix(origin)).filter(|path| {
        let second = path.strip_prefix('/').map(|rest| rest.bytes().next());
        // Two slashes, also with a line break between, would start a host.
        second.is_some_and(|byte| !matches!(byte, Some(b'/' | b'\\' | b'\t' | b'\n' | b'\r')))
    });
    base.join(path.filter(|_| reference.len() < 1000).unwrap_or(reference)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_are_twelve_words_on_each_side_and_not_far_away() {
        let many: Vec<String> = (1..=20).map(|i| format!("w{i}")).collect();
        let many = many.join(" ");
        let got = around(&many, &many);
        assert!(got.starts_with("w9 ") && got.ends_with(" w12"), "{got}");
        assert_eq!(got.split(' ').count(), 24);
        assert_eq!(around("", "after it"), "after it");
        assert_eq!(around("", ""), "");
        assert_eq!(around("ひ".repeat(500).as_str(), "").chars().count(), 100);
        // Looking through a megabyte each time would take minutes.
        let long = "ひ".repeat(1 << 19);
        assert!((0..20_000).all(|_| around(&long, &long).len() == 601));
    }

    #[test]
    fn an_address_on_the_same_host_is_joined_like_any_other() {
        for base in ["https://www.example.org/a/b?c", "http://a.example:8080/", "http://www.example.org/x/"] {
            let base = Url::parse(base).unwrap();
            for reference in [
                "https://www.example.org/x/../y?z#q",
                "https://www.example.org//x",
                "https://www.example.org/\t/x",
                "https://www.example.org/\\x",
                "https://www.example.org",
                "https://www.example.org/",
                "https://www.example.org.evil.example/x",
                "https://www.example.org:443/x",
                "https://www.example.org@evil.example/x",
                " http://a.example:8080/ä b ",
                "HTTP://WWW.example.org/x",
                "/y",
                "y",
                "?q",
                "//b.example/x",
                "mailto:x@example.org",
            ] {
                assert_eq!(join(&base, reference), base.join(reference).ok(), "{base:?} {reference}");
            }
        }
    }

    #[test]
    fn rel_is_a_list_of_words() {
        let rel = Rel::parse("noopener NoFollow\nugc");
        assert!(rel.nofollow && rel.ugc && !rel.sponsored);
        assert_eq!(Rel::parse(""), Rel::default());
    }
}
