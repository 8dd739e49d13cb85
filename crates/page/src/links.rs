//! Links: where they lead, and what is said of them.

use std::ops::Range;

use facts::Url;

use crate::known::Known;
use crate::text::{Folded, clip};
use crate::tree::NodeId;

/// How many words on each side of a link belong to its surroundings.
const AROUND: usize = 12;

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
            match word.to_ascii_lowercase().as_str() {
                "nofollow" => parsed.nofollow = true,
                "ugc" => parsed.ugc = true,
                "sponsored" => parsed.sponsored = true,
                "next" => parsed.next = true,
                "prev" | "previous" => parsed.prev = true,
                "tag" => parsed.tag = true,
                "license" => parsed.license = true,
                _ => {}
            }
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

fn around(before: &str, after: &str) -> String {
    let last = before.rmatch_indices(char::is_whitespace).nth(AROUND - 1).map_or(0, |(at, _)| at);
    let first = after.match_indices(char::is_whitespace).nth(AROUND - 1).map_or(after.len(), |(at, _)| at);
    // Where words are not parted by spaces, length is the bound.
    let before = before[last..].trim();
    let before = &before[before.ceil_char_boundary(before.len().saturating_sub(300))..];
    let after = clip(after[..first].trim(), 300);
    [before, after].into_iter().filter(|side| !side.is_empty()).collect::<Vec<_>>().join(" ").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_are_twelve_words_on_each_side() {
        let many: Vec<String> = (1..=20).map(|i| format!("w{i}")).collect();
        let many = many.join(" ");
        let got = around(&many, &many);
        assert!(got.starts_with("w9 ") && got.ends_with(" w12"), "{got}");
        assert_eq!(got.split(' ').count(), 24);
        assert_eq!(around("", "after it"), "after it");
        assert_eq!(around("", ""), "");
        assert_eq!(around("ひ".repeat(500).as_str(), "").chars().count(), 100);
    }

    #[test]
    fn rel_is_a_list_of_words() {
        let rel = Rel::parse("noopener NoFollow\nugc");
        assert!(rel.nofollow && rel.ugc && !rel.sponsored);
        assert_eq!(Rel::parse(""), Rel::default());
    }
}
