//! What a page says.
//!
//! [`read`] takes the bytes of a page and gives a [`Page`]: its title, language, visible [text] and
//! [word counts], its [`Link`]s with what is said of them, its [`Media`] with their descriptions,
//! its [`Structured`] data, and its wishes to robots. The document's [`Tree`] stays with it, so that
//! the distance between a picture and a word can be asked later.
//!
//! Reading cannot fail: anything is a page, if an empty one. It does no I/O, and its cost is bound
//! by [`Limits`] and by the length of the body, never by what a page makes of the HTML standard.
//!
//! ```
//! use page::{Limits, read};
//! let url = facts::Url::parse("https://example.org/harbour/").unwrap();
//! let body = br#"<html lang=en><title>The harbour</title>
//!     <figure><img src="boats.jpg" alt="Boats"><figcaption>Evening at the quay</figcaption></figure>
//!     <a href="/map">Map</a>"#;
//! let page = read(body, Some("text/html; charset=utf-8"), &url, &Limits::default());
//! assert_eq!(page.title, "The harbour");
//! assert_eq!(page.links[0].url.as_str(), "https://example.org/map");
//! assert_eq!(page.media[0].description(), "Boats boats Evening at the quay");
//! ```
//!
//! [`outline()`] takes less of it: what a page is joined to, for going over whole sites.
//!
//! Inside, `charset` makes text of bytes, `quick` makes a tree of it (or html5ever behind `guard`, for
//! the few pages `quick` leaves to it), `reader` walks the tree once, and each of the other modules
//! knows one thing the reader may meet.
//!
//! [text]: Page::text
//! [word counts]: Page::words

mod caption;
mod charset;
mod declared;
mod digest;
mod dom;
mod eight;
mod elements;
mod formatting;
mod guard;
pub mod judge;
mod known;
mod language;
mod links;
mod media;
mod metas;
mod name;
mod names;
mod nearness;
mod outline;
mod picture;
mod planter;
mod quick;
mod reader;
mod rights;
mod robots;
mod srcset;
mod structured;
mod style;
mod text;
mod tree;
mod words;

use std::sync::OnceLock;

use facts::{Directives, Url};

pub use crate::language::language_code;
pub use crate::links::{Fragment, Link, LinkOrigin, Rel};
pub use crate::media::{Media, MediaOrigin};
pub use crate::name::name_words;
pub use crate::nearness::nearness;
pub use crate::outline::{Handler, Outline, outline};
pub use crate::rights::Rights;
pub use crate::structured::{Structured, StructuredSource};
pub use crate::text::{Tags, TextRun};
pub use crate::tree::{NodeId, Tree};
pub use crate::words::{Words, words};

/// How much of a page is read. What is over a limit is left out, and [`Page::truncated`] is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of body.
    pub bytes: usize,
    /// Links to different addresses.
    pub links: usize,
    /// Media files at different addresses.
    pub media: usize,
    /// Bytes of visible text.
    pub text: usize,
    /// Elements inside each other; deeper ones are left out, their text and images stay.
    pub depth: usize,
    /// Nodes of the tree.
    pub nodes: usize,
    /// Pieces of structured data.
    pub structured: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 16 << 20, links: 2000, media: 2000, text: 1 << 20, depth: 512, nodes: 400_000, structured: 500 }
    }
}

/// What a page says.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its address.
    pub url: Url,
    /// What its relative addresses are relative to.
    pub base: Url,
    /// The name of its charset.
    pub charset: &'static str,
    /// Its title.
    pub title: String,
    /// Where its title stands.
    pub title_node: Option<NodeId>,
    /// Its description meta.
    pub description: String,
    /// Its keywords meta.
    pub keywords: Vec<String>,
    /// Its language as an ISO 639-1 code: what it says, else what its text looks like.
    pub language: Option<String>,
    /// Its visible text, white space folded, each block on a line of its own.
    pub text: String,
    /// The text by text node, in order.
    pub runs: Vec<TextRun>,
    /// Its links, one per address, in order.
    pub links: Vec<Link>,
    /// What links say behind their addresses, in order.
    pub fragments: Vec<Fragment>,
    /// Its images, films and sounds, one per address: those in the body in order, then those only
    /// declared in metas and JSON-LD.
    pub media: Vec<Media>,
    /// What it says for machines.
    pub structured: Vec<Structured>,
    /// How many pieces of structured data could not be read.
    pub malformed_structured: usize,
    /// The address it wants to be known by.
    pub canonical: Option<Url>,
    /// What it asks of robots.
    pub robots: Directives,
    /// Its RSS, Atom and JSON feeds.
    pub feeds: Vec<Url>,
    /// Where it sends its visitors by itself.
    pub refresh: Option<Url>,
    /// Parents and depths of its nodes.
    pub tree: Tree,
    /// Whether a limit was hit.
    pub truncated: bool,
    /// The words of the text, once somebody asked for them.
    pub(crate) counted: OnceLock<Words>,
}

impl Page {
    /// How often each word occurs in the text. They are counted when they are first asked for: that is half
    /// of what reading a page costs, and many have no use for it.
    pub fn words(&self) -> &Words {
        self.counted.get_or_init(|| Words::of(&self.text))
    }
}

/// Reads a page. `content_type` is the header as received, and matters for its charset and to
/// tell plain text from HTML.
pub fn read(body: &[u8], content_type: Option<&str>, url: &Url, limits: &Limits) -> Page {
    let host = url.host();
    let cut = body.len() > limits.bytes;
    let (text, charset) = charset::decode(&body[..body.len().min(limits.bytes)], content_type, host.tld());
    let mut page = if content_type.is_some_and(is_plain_text) {
        reader::read_plain(&text, url, limits)
    } else {
        reader::read_html(&text, url, limits)
    };
    page.charset = charset.name();
    page.truncated |= cut;
    page
}

fn is_plain_text(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/plain")
}
