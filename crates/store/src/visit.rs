//! What waits to be visited, and what a visit found.

use facts::{Branch, Locality, MediaId, MediaKind, Order, Timestamp, Url, UrlId, Whereabouts};
use media::{Facts, WrongLocation};
use serde::{Deserialize, Serialize};

use crate::Described;

/// A visit is one page or one media file, or one list of the pages of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VisitKind {
    /// A page, or an address of which nothing says otherwise.
    Page,
    /// A picture, film or sound, as the page that names it says.
    Media(MediaKind),
    /// What a watcher says has changed on its site.
    Report,
    /// A sitemap.
    Sitemap,
}

/// Words around a link that strategies learn from; each field is cut by whoever fills it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkContext {
    /// The text inside the link, or its title when that is empty.
    pub anchor: String,
    /// Text around it in the same block.
    pub around: String,
}

/// An address that should be visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Where.
    pub url: Url,
    /// Page or media.
    pub kind: VisitKind,
    /// How soon.
    pub order: Order,
    /// Links from a seed.
    pub depth: u32,
    /// The way from the last relevant page.
    pub branch: Branch,
    /// The page it was found on; nothing for a seed.
    pub parent: Option<UrlId>,
    /// What to send as Referer: the page's address.
    pub referer: Option<Url>,
    /// Words around it.
    pub context: LinkContext,
    /// The addresses that redirected here, oldest first; empty for an ordinary link.
    pub hops: Vec<UrlId>,
    /// Visit although it is known: a redirect back to a page of its own chain with other
    /// cookies, a re-visit.
    pub reopen: bool,
}

/// The result of one visit, ready to be written.
#[derive(Clone, Debug)]
pub struct Visited {
    /// The claim it answers.
    pub claim: crate::Claim,
    /// When the answer was complete.
    pub at: Timestamp,
    /// How long the request took, in milliseconds.
    pub took_ms: u32,
    /// Bytes received on the wire for it.
    pub bytes: u64,
    /// HTTP status, when there was one.
    pub status: Option<u16>,
    /// Which version of the address the answer brought.
    pub version: Version,
    /// What came of it.
    pub outcome: Outcome,
    /// What it found to visit next.
    pub links: Vec<Link>,
}

/// What tells one version of a page or file from another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Its `ETag`, quotes included.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub modified: Option<Timestamp>,
    /// Of a page: a hash of what it says and leads to.
    pub digest: Option<[u8; 16]>,
}

/// What came of a visit.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a batch holds a few hundred of them, and most are media")]
pub enum Outcome {
    /// A page was read.
    Page(PageFacts),
    /// A media file was kept.
    Media(MediaFile),
    /// A report or sitemap was read; what it lists is among the visit's links.
    Report(ReportFacts),
    /// It is as the visit before found it.
    Unchanged,
    /// The address leads elsewhere; the target is among the visit's links.
    Redirect(Url),
    /// A media file was not kept.
    Refused(Refused),
    /// The visit failed for good: a short reason for counting (`dns`, `timeout`, `tls`, `http-404`,
    /// `robots` …) and a sentence for people.
    Failed {
        /// The reason to count by.
        reason: String,
        /// What happened, to which thing.
        detail: String,
    },
}

/// The reason of a page of which only a part was read.
pub const CUT: &str = "cut";
/// The reason of a report that is not there.
pub const ABSENT: &str = "absent";
/// The reason of a report that another crawler has taken.
pub const FLAGGED: &str = "flagged";

/// What is kept of a report or sitemap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportFacts {
    /// What to ask with for later changes only.
    pub token: Option<String>,
    /// Why it lists nothing to visit: [`ABSENT`], [`FLAGGED`].
    pub reason: Option<&'static str>,
    /// What it says, for people.
    pub detail: String,
}

/// What is kept of a page.
#[derive(Clone, Debug, Default)]
pub struct PageFacts {
    /// Its title.
    pub title: String,
    /// Its description meta.
    pub description: String,
    /// Its keywords meta, and its headings: they speak of what it shows.
    pub keywords: Vec<String>,
    /// The words that tell it from the other pages of its crawl, the most telling first: they are key
    /// words of what it shows.
    pub telling: Vec<String>,
    /// Its language, as an ISO 639-1 code.
    pub language: Option<String>,
    /// Bytes of its body after decompression.
    pub size: u64,
    /// Its canonical address, when it names one.
    pub canonical: Option<Url>,
    /// Whether it is relevant to the crawl's region.
    pub relevant: bool,
    /// The places it speaks of, each once.
    pub places: Vec<PagePlace>,
    /// The one of them that it is about, if any.
    pub focus: Option<usize>,
    /// How certain it is that what the page shows is there; as certain as the place when not said.
    pub focus_confidence: Option<f64>,
    /// The media found on it.
    pub media: Vec<MediaReference>,
    /// Blocks of structured data on it that could not be read.
    pub malformed: u64,
    /// Links of the visit that only the page's scripts brought: 0 for one that was not rendered.
    pub dynamic: u64,
    /// States that its scripts gave it: 0 for one that was not rendered.
    pub states: u64,
    /// It has more elements, links or text than are read.
    pub cut: bool,
    /// Only some of its media are told, as when a person kept one: all that is known of the page stays as it is.
    pub partial: bool,
}

/// A place that a page speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PagePlace {
    /// In which form it says so: `address`, `coordinates`, `toponym`, `structured`.
    pub kind: String,
    /// Its number in the gazetteer, when it is a place there.
    pub id: Option<u32>,
    /// How often it is mentioned.
    pub mentions: u32,
    /// Whether it lies in the crawl's region, exactly enough to count.
    pub relevant: bool,
    /// How we know.
    pub why: String,
    /// Where it is.
    #[serde(flatten)]
    pub whereabouts: Whereabouts,
}

/// Where a picture, film or sound was made, as words say it.
#[derive(Clone, Debug, PartialEq)]
pub struct SaidLocation {
    /// Which words.
    pub source: SaidSource,
    /// Where.
    pub whereabouts: Whereabouts,
}

/// The words that say where something was made, the most believed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SaidSource {
    /// The place names in the file.
    Iptc,
    /// Structured data of a page, about the file or the page.
    Structured,
    /// The file's own title and description.
    Caption,
    /// What a page says about it.
    Description,
    /// The text of a page that shows it.
    Page,
}

impl SaidSource {
    /// `iptc`, `structured`, `caption`, `description`, `page`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Iptc => "iptc",
            Self::Structured => "structured",
            Self::Caption => "caption",
            Self::Description => "description",
            Self::Page => "page",
        }
    }
}

/// A picture, film or sound as one page speaks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaReference {
    /// Where it is.
    pub url: Url,
    /// What the page says it is.
    pub kind: MediaKind,
    /// What the page says about it.
    pub description: String,
    /// The licence the page gives it, by address or name.
    pub licence: Option<String>,
    /// Who made it, as the page says.
    pub author: Option<String>,
    /// Where it was made, as the page says of it or of itself for machines, and in the words about
    /// it; what the page is about ([`PageFacts::focus`]) goes without saying.
    pub locations: Vec<SaidLocation>,
    /// Set when it will not be visited: `opt-out`, `scope` …
    pub refused: Option<String>,
}

/// The reason of a visit whose address or content may not come back: it is counted, and its address
/// is written nowhere.
pub const FORGOTTEN: &str = "forgotten";

/// Why a media file was not kept, which is all that is kept of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The reason it is counted by: `small`, `aspect`, `opt-out`, `too-large`, `format` …
    pub reason: String,
    /// What it turned out to be, as far as its first bytes tell.
    pub kind: Option<MediaKind>,
    /// Bytes of the file that were not fetched, because its first ones said enough.
    pub saved: u64,
    /// What is wrong with the location it names.
    pub wrong_location: Option<WrongLocation>,
}

impl Refused {
    /// Refused for this reason, before anything of it was fetched.
    pub fn unseen(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::default() }
    }
}

/// A kept media file, already in its place on disk.
#[derive(Clone, Debug)]
pub struct MediaFile {
    /// SHA-256 of its bytes.
    pub id: MediaId,
    /// Bytes.
    pub size: u64,
    /// Where the file is, relative to the media directory; absolute for one that was imported
    /// where it was.
    pub path: String,
    /// Where its thumbnail is, relative to the media directory.
    pub thumbnail: Option<String>,
    /// The colour that most of the thumbnail has: red, green and blue.
    pub colour: Option<[u8; 3]>,
    /// What it is and what it says of itself.
    pub facts: Facts,
    /// Names of what is at the location it carries.
    pub locality: Option<Locality>,
    /// Where it was made, as its own words say.
    pub said: Vec<SaidLocation>,
    /// What it looks or sounds like, when that was looked at already.
    pub description: Option<Described>,
}
