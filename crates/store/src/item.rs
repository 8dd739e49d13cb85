//! A picture, film or sound as the library shows it, and how to ask for some of them.

use facts::{Address, LatLon, Locality, MediaId, MediaKind, Timestamp};
use media::PlaceNames;
use serde::{Deserialize, Serialize};

use crate::{Area, Want};

/// A kept picture, film or sound with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaItem {
    /// SHA-256 of its bytes.
    pub id: MediaId,
    /// Its place in the order of arrival: where a list goes on.
    pub number: i64,
    /// What it is.
    pub kind: MediaKind,
    /// `jpeg`, `png`, `mp4` …
    pub format: String,
    /// Bytes.
    pub size: u64,
    /// Where the file is, relative to the media directory; absolute for one that was imported
    /// where it was.
    pub path: String,
    /// Where its thumbnail is, relative to the media directory.
    pub thumbnail: Option<String>,
    /// The colour that most of its thumbnail has, red, green and blue.
    pub colour: Option<[u8; 3]>,
    /// Width in pixels, right way up.
    pub width: Option<u32>,
    /// Height in pixels, right way up.
    pub height: Option<u32>,
    /// How to hold the stored pixels, as EXIF counts.
    pub orientation: u8,
    /// How long it lasts, in seconds.
    pub duration: Option<f64>,
    /// When it was made, as it says: `2008-05-30T15:56:01+03:00`, the offset only where it is known.
    pub taken: Option<String>,
    /// Who made the camera.
    pub make: Option<String>,
    /// The camera.
    pub model: Option<String>,
    /// Its own title.
    pub title: Option<String>,
    /// Its own description.
    pub description: Option<String>,
    /// What a person wrote in their place.
    pub edited: Option<Edited>,
    /// Its own key words.
    pub keywords: Vec<String>,
    /// The licence, by name or address, else the notice of copyright.
    pub licence: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// Names of the place, as its maker wrote them.
    pub place_names: PlaceNames,
    /// Where it was made, by the best of its sources.
    pub location: Option<ItemLocation>,
    /// What its other sources say, the most believed first.
    pub other_locations: Vec<ItemLocation>,
    /// A person said that nobody knows where it was made: no location is shown, whatever its sources
    /// say.
    pub rejected: bool,
    /// What is wrong with the location it names: `null-island`, `out-of-range` …
    pub wrong_location: Option<String>,
    /// When it came in.
    pub first_seen: Timestamp,
    /// Addresses that hold it.
    pub addresses: u64,
    /// The original that it is a copy of.
    pub duplicate_of: Option<MediaId>,
    /// Its copies, if it is an original.
    pub copies: u64,
    /// Since when none of its addresses holds it any more, as far as they were asked again.
    pub gone: Option<Timestamp>,
    /// Where it was found, oldest first.
    pub found: Vec<Sighting>,
}

/// Texts that a person wrote over those of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// In place of its title.
    pub title: Option<String>,
    /// In place of its description.
    pub description: Option<String>,
}

/// What a person says of where an item was made.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// Here, and what is there.
    Point(LatLon, Locality),
    /// Where it is shown: that is a person's word from now on, as exact as it was.
    Confirm,
    /// Not where its sources say, and nobody knows where: none of them is believed.
    Reject,
    /// Nothing any more: its sources are believed again.
    Nothing,
}

/// Where an item was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemLocation {
    /// The point.
    #[serde(flatten)]
    pub at: LatLon,
    /// Metres above the sea.
    pub altitude: Option<f64>,
    /// Where the camera looked, in degrees from north, clockwise.
    pub direction: Option<f64>,
    /// When the position was taken.
    pub date: Option<Timestamp>,
    /// How it is known: `person`, `exif`, `xmp`, `quicktime` …, `iptc`, `structured`, `caption`,
    /// `description`, `page`.
    pub source: String,
    /// How exactly it is known, in metres, where that can be said.
    pub precision_m: Option<f64>,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// The words it was found in.
    pub evidence: Option<String>,
    /// The address, when one is given.
    pub address: Option<Address>,
    /// Names of what is there.
    pub locality: Locality,
    /// Whether a person confirmed it.
    pub verified: bool,
}

/// One page that shows an item, or one address it came from without a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// The item's address, `file:` for one that was imported.
    pub image: String,
    /// The page that shows it.
    pub page: Option<String>,
    /// The page's title.
    pub page_title: Option<String>,
    /// The words that tell the page from others of its crawl, the most telling first.
    pub page_keywords: Vec<String>,
    /// What the page says about it.
    pub description: String,
    /// The licence the page gives it, by address or name.
    pub licence: Option<String>,
    /// Who made it, as the page says.
    pub author: Option<String>,
    /// Since when it is not to be found there any more: the file or the page is gone, or the page
    /// shows it no longer.
    pub gone: Option<Timestamp>,
}

/// Which items are asked for; the default asks for all.
#[derive(Clone, Debug, Default)]
pub struct ItemFilter {
    /// Of these kinds; none means any.
    pub kinds: Vec<MediaKind>,
    /// Only those whose place is known and shown, or only the others.
    pub located: Option<bool>,
    /// Only those whose shown location a person confirmed, or only those with one that nobody did.
    pub verified: Option<bool>,
    /// Only those that came in at or after this moment.
    pub since: Option<Timestamp>,
    /// Only those that came in at or before this moment.
    pub until: Option<Timestamp>,
    /// Only those made here.
    pub area: Option<Area>,
    /// Only those that came from this host, or were found on a page of it.
    pub host: Option<String>,
    /// Only those that this crawl saw.
    pub crawl: Option<String>,
    /// Only those with a Creative Commons licence or in the public domain, as the file or a page says.
    pub open_licence: bool,
    /// Also those that are copies of others.
    pub copies: bool,
    /// Only those with these words.
    pub words: Option<Want>,
}
