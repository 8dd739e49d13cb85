//! What a file says of itself, whichever block it says it in.

pub(crate) mod date;
pub(crate) mod exif;
pub(crate) mod id3;
pub(crate) mod iptc;
pub(crate) mod location;
pub(crate) mod text;
pub(crate) mod tiff;
pub(crate) mod vendor;
pub(crate) mod vorbis;
pub(crate) mod xmp;

use serde::{Deserialize, Serialize};

use crate::metadata::date::Taken;
use crate::metadata::location::{Location, WrongLocation};

/// As many key words as are kept of one file.
pub(crate) const MAX_KEYWORDS: usize = 100;

/// Names of the place a file was made at, as its maker wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceNames {
    /// The part of the city, or the building.
    pub sublocation: Option<String>,
    /// The city.
    pub city: Option<String>,
    /// The state or province.
    pub state: Option<String>,
    /// The country.
    pub country: Option<String>,
}

impl PlaceNames {
    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a block comes from: which of two blocks is believed depends on what they say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    Exif,
    Xmp,
    Iptc,
    #[default]
    Container,
}

/// What one block of metadata says.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub origin: Origin,
    pub orientation: Option<u8>,
    pub taken: Option<Taken>,
    pub make: Option<String>,
    pub model: Option<String>,
    pub location: Option<Result<Location, WrongLocation>>,
    pub names: PlaceNames,
    pub title: Option<String>,
    pub description: Option<String>,
    pub keywords: Vec<String>,
    /// A licence by name or address.
    pub licence: Option<String>,
    /// A notice of who has the rights, which may be all that is said of a licence.
    pub copyright: Option<String>,
    pub author: Option<String>,
}

impl Block {
    pub fn new(origin: Origin) -> Self {
        Self { origin, ..Self::default() }
    }
}
