//! Groups of copies: what was made from one picture, film or sound.

use facts::MediaId;
use serde::{Deserialize, Serialize};

use crate::{ItemLocation, MediaItem};

/// How a copy is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CopyReason {
    /// The same bytes.
    Bytes,
    /// The same pixels in another file.
    Pixels,
    /// It looks the same.
    Near,
    /// The same film.
    Video,
    /// The same sound.
    Audio,
}

impl CopyReason {
    /// `bytes`, `pixels`, `near`, `video` or `audio`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Pixels => "pixels",
            Self::Near => "near",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }

    /// The inverse of [`as_str`](Self::as_str).
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Bytes, Self::Pixels, Self::Near, Self::Video, Self::Audio].into_iter().find(|why| why.as_str() == text)
    }
}

/// What was found when an item was compared with its candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The item.
    pub id: MediaId,
    /// What it is a copy of, or what is one of it; the surest first.
    pub copies: Vec<CopyFound>,
}

/// Two items are copies of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFound {
    /// The other one.
    pub of: MediaId,
    /// How that is known.
    pub why: CopyReason,
    /// For people: `mirrored, 3 bits off`.
    pub detail: String,
}

/// A group of copies with the one that is kept as the original: the largest, longest or that of the
/// highest bit rate, of equal ones the one with most metadata, then the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyGroup {
    /// The original.
    pub kept: CopyFile,
    /// The others, the best first: 1,000 at most.
    pub copies: Vec<CopyMember>,
    /// How many others there are.
    pub total: u64,
}

/// One of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFile {
    /// The item.
    pub id: MediaId,
    /// Where its file is, as [`MediaItem::path`] has it.
    pub path: String,
}

/// A copy, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyMember {
    /// The item.
    pub file: CopyFile,
    /// How it is known.
    pub why: CopyReason,
    /// The same for people.
    pub detail: String,
    /// The one of the group that it was compared with, if that is still there.
    pub like: Option<MediaId>,
}

/// An item whose bytes were found more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameBytes {
    /// The item.
    pub kept: CopyFile,
    /// The other files, or addresses on the web: 1,000 at most.
    pub also_at: Vec<String>,
}

/// What the copies of an item know that it does not itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownByCopies {
    /// Where else it was made, when that is more believed than what it says itself; the surest first.
    pub locations: Vec<(MediaId, ItemLocation)>,
    /// Texts of what it has none, from the best copy that has one; and each caption that is new.
    pub texts: Vec<OfferedText>,
}

/// A text of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedText {
    /// The copy.
    pub from: MediaId,
    /// What it is: `title`, `description`, `author`, `licence`, `taken`, `make`, `model`, `keyword`,
    /// `caption`.
    pub field: &'static str,
    /// The text.
    pub text: String,
}

/// Captions and key words that are offered at most.
const OFFERED: usize = 100;

impl KnownByCopies {
    /// What these copies know that the original does not. `rank` says how little a location is
    /// believed.
    pub(crate) fn of<R: Ord>(original: &MediaItem, copies: &[MediaItem], rank: impl Fn(&ItemLocation) -> R) -> Self {
        let own = original.location.as_ref().map(&rank);
        let mut locations: Vec<(MediaId, ItemLocation)> = Vec::new();
        // Where a person said that nobody knows, nobody else is asked.
        if !original.rejected {
            let known = copies.iter().filter_map(|copy| Some((copy.id, copy.location.clone()?)));
            // What it has learnt from one of them already is nothing new.
            let shown = original.location.as_ref().map(|location| location.at);
            let known = known.filter(|(_, location)| Some(location.at) != shown);
            locations.extend(known.filter(|(_, location)| own.as_ref().is_none_or(|own| rank(location) < *own)));
            locations.sort_by_key(|(_, location)| rank(location));
        }
        let mut texts = Vec::new();
        for (field, read) in FIELDS {
            if read(original).is_none() {
                let offered = copies.iter().find_map(|copy| Some((copy.id, read(copy)?)));
                texts.extend(offered.map(|(from, text)| OfferedText { from, field, text: text.to_owned() }));
            }
        }
        type Several = fn(&MediaItem) -> Vec<&str>;
        let several: [(&'static str, Several); 2] = [
            ("keyword", |item| item.keywords.iter().map(String::as_str).collect()),
            ("caption", |item| item.found.iter().map(|sighting| sighting.description.as_str()).collect()),
        ];
        for (field, read) in several {
            let mut known = read(original);
            for copy in copies {
                for text in read(copy) {
                    if !text.is_empty() && !known.contains(&text) && known.len() < OFFERED {
                        known.push(text);
                        texts.push(OfferedText { from: copy.id, field, text: text.to_owned() });
                    }
                }
            }
        }
        Self { locations, texts }
    }
}

/// How a text of an item is read.
type Read = fn(&MediaItem) -> Option<&str>;

/// Texts that an item has one of.
const FIELDS: [(&str, Read); 7] = [
    ("title", |item| item.edited.as_ref().and_then(|edited| edited.title.as_deref()).or(item.title.as_deref())),
    ("description", |item| {
        item.edited.as_ref().and_then(|edited| edited.description.as_deref()).or(item.description.as_deref())
    }),
    ("author", |item| item.author.as_deref()),
    ("licence", |item| item.licence.as_deref()),
    ("taken", |item| item.taken.as_deref()),
    ("make", |item| item.make.as_deref()),
    ("model", |item| item.model.as_deref()),
];
