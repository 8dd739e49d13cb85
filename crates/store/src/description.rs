//! What items look or sound like, and what they are found by.
//!
//! `media` makes descriptions and compares them. The store keeps their bytes without a look into
//! them, and finds by their [`Traces`] the few that are worth comparing.

use facts::{MediaId, MediaKind};

/// What an item looks or sounds like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The version of the formulas. Descriptions of different versions are never compared.
    pub version: u16,
    /// The description, as `media` writes it: 8 MiB at most.
    pub bytes: Vec<u8>,
    /// What it is found by.
    pub traces: Traces,
}

/// What copies have in common, and indexes are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// A hash of the decoded pixels or samples: equal ones are the same picture, whatever the file.
    pub pixels: Option<[u8; 32]>,
    /// Perceptual hashes, whose first bits change the least: of a picture, or of the key frames of a
    /// film. Of more than 1,024, the first.
    pub hashes: Vec<[u64; 4]>,
    /// What is heard in a sound, or in that of a film. Of more than 65,536, the smallest.
    pub keys: Vec<u32>,
}

/// What came of describing an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Described {
    /// Its description.
    As(Description),
    /// It could not be described by the formulas of this version, which are not tried again.
    Not {
        /// The version of the formulas.
        version: u16,
        /// Why not: `damaged`, `too-large` …
        reason: String,
    },
}

impl Described {
    /// The version of the formulas that were tried.
    pub fn version(&self) -> u16 {
        match self {
            Self::As(description) => description.version,
            Self::Not { version, .. } => *version,
        }
    }
}

/// An item that is to be described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undescribed {
    /// Its content.
    pub id: MediaId,
    /// What it is.
    pub kind: MediaKind,
    /// `jpeg`, `png`, `mp4` …
    pub format: String,
    /// Where the file is, as [`MediaItem::path`](crate::MediaItem::path) has it.
    pub path: String,
}

/// Something whose copies are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What it is.
    pub kind: MediaKind,
    /// The version of its description.
    pub version: u16,
    /// What is looked for: also the hashes that it has when it is turned or mirrored.
    pub traces: Traces,
    /// Bits in which hashes may differ: 80 at most. Those that differ in at most 15 of their first 128
    /// are found for certain, others mostly.
    pub radius: u32,
    /// An item that is not to be found: the example itself.
    pub except: Option<MediaId>,
    /// Candidates that are wanted at most.
    pub most: usize,
}

/// An item that may be a copy: its description is to be compared. Of a group of copies, the one that
/// is closest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The item.
    pub id: MediaId,
    /// What it has in common with the example.
    pub clue: Clue,
    /// Its description, if it is of the example's version.
    pub bytes: Option<Vec<u8>>,
}

/// What two items have in common. The stronger one is the smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    /// All pixels or samples: it is a copy, nothing else needs to be compared.
    Pixels,
    /// Hashes that are close.
    Hash {
        /// Bits in which the closest ones differ.
        distance: u32,
        /// Which of the hashes that were asked for that was.
        asked: usize,
        /// How many of those that were asked for are close to one of the item.
        close: usize,
    },
    /// Keys.
    Keys {
        /// How many.
        shared: usize,
    },
}

/// What exactly an item is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// Its bytes.
    Bytes(MediaId),
    /// Its decoded pixels or samples.
    Pixels([u8; 32]),
}
