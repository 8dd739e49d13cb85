//! What is known of a media file in the end.

use std::time::Duration;

use facts::Timestamp;
use thiserror::Error;

use crate::container::Reading;
use crate::metadata::date::Taken;
use crate::metadata::location::{Location, WrongLocation};
use crate::metadata::{Block, Origin, PlaceNames};
use crate::sniff::Format;

/// What a media file says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// What it is.
    pub format: Format,
    /// Columns of pixels, as stored.
    pub width: Option<u32>,
    /// Rows of pixels, as stored.
    pub height: Option<u32>,
    /// How to hold it, as EXIF counts: 1 is upright, 2 to 8 are turned or mirrored.
    pub orientation: u8,
    /// How long it lasts, where its headers say so.
    pub duration: Option<Duration>,
    /// When it was made, as it says; nobody has checked that this is not in the future.
    pub taken: Option<Taken>,
    /// Who made the camera.
    pub make: Option<String>,
    /// The camera.
    pub model: Option<String>,
    /// Where it was made, by the best of its blocks that names a place that can be.
    pub location: Option<Location>,
    /// Why there is no location although the file names one.
    pub wrong_location: Option<WrongLocation>,
    /// Names of the place, from IPTC or XMP.
    pub place_names: PlaceNames,
    /// Its title.
    pub title: Option<String>,
    /// What it shows, in the words of its maker.
    pub description: Option<String>,
    /// Key words.
    pub keywords: Vec<String>,
    /// The licence, by name or address, else the notice of copyright.
    pub licence: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// Whether the file points to more than was among the parts read: the size of a picture, or a
    /// block of metadata, may be missing for that reason alone.
    pub partial: bool,
}

/// Nothing can be said of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// There are no bytes.
    #[error("the file is empty")]
    Empty,
    /// Its first bytes are those of no picture, film or sound that is known.
    #[error("not a picture, film or sound of a known format")]
    Unknown,
}

impl Unreadable {
    /// The reason it is counted under: `broken` or `format`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "broken",
            Self::Unknown => "format",
        }
    }
}

impl Facts {
    /// Width and height as a person sees them.
    pub fn upright(&self) -> Option<(u32, u32)> {
        let (width, height) = (self.width?, self.height?);
        Some(if self.orientation >= 5 { (height, width) } else { (width, height) })
    }

    /// Joins what the blocks of a file say. Cameras are believed first on when, where and with
    /// what; people, who write XMP and IPTC, on everything that has words.
    pub(crate) fn join(format: Format, reading: Reading, partial: bool, now: Timestamp) -> Self {
        let Reading { width, height, orientation, duration, mut blocks, format: known } = reading;
        blocks.sort_by_key(|block| block.origin.rank());
        let locations = || blocks.iter().filter_map(|block| block.location);
        let location = locations()
            .find_map(Result::ok)
            .map(|location| Location { date: location.date.filter(|date| *date <= now), ..location });
        let wrong_location = match location {
            Some(_) => None,
            None => locations().find_map(Result::err),
        };
        let words = Words { blocks: &blocks };
        Self {
            format: known.unwrap_or(format),
            width,
            height,
            orientation: orientation.or_else(|| blocks.iter().find_map(|block| block.orientation)).unwrap_or(1),
            duration,
            taken: taken(&blocks),
            make: blocks.iter().find_map(|block| block.make.clone()),
            model: blocks.iter().find_map(|block| block.model.clone()),
            location,
            wrong_location,
            place_names: PlaceNames {
                sublocation: words.first(|block| &block.names.sublocation),
                city: words.first(|block| &block.names.city),
                state: words.first(|block| &block.names.state),
                country: words.first(|block| &block.names.country),
            },
            title: words.first(|block| &block.title),
            description: words.first(|block| &block.description),
            keywords: words
                .blocks()
                .map(|block| &block.keywords)
                .find(|words| !words.is_empty())
                .cloned()
                .unwrap_or_default(),
            licence: words.first(|block| &block.licence).or_else(|| words.first(|block| &block.copyright)),
            author: words.first(|block| &block.author),
            partial,
        }
    }
}

/// The first date, with the offset that another block gives to the very same time of day.
fn taken(blocks: &[Block]) -> Option<Taken> {
    let first = blocks.iter().find_map(|block| block.taken)?;
    let same = blocks.iter().filter_map(|block| block.taken).filter(|other| Taken { offset: None, ..*other } == first);
    let offset = same.filter_map(|other| other.offset).next();
    Some(Taken { offset: first.offset.or(offset), ..first })
}

impl Origin {
    fn rank(self) -> u8 {
        match self {
            Self::Exif => 0,
            Self::Xmp => 1,
            Self::Iptc => 2,
            Self::Container => 3,
        }
    }
}

/// Blocks in the order people are believed in: EXIF last, because cameras write into it what
/// nobody said.
struct Words<'a> {
    blocks: &'a [Block],
}

impl<'a> Words<'a> {
    fn blocks(&self) -> impl Iterator<Item = &'a Block> {
        let camera = self.blocks.iter().filter(|block| block.origin == Origin::Exif);
        self.blocks.iter().filter(|block| block.origin != Origin::Exif).chain(camera)
    }

    fn first(&self, field: impl Fn(&'a Block) -> &'a Option<String>) -> Option<String> {
        self.blocks().find_map(|block| field(block).clone())
    }
}
