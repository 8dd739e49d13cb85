//! Where it is.
//!
//! - [`Gazetteer`]: the places of the world, part of the program, ready at once. A [`Place`] has a
//!   name, a [`PlaceId`], coordinates, people, and the areas it lies in.
//! - [`reverse()`]: coordinates to names. Country and area are those whose polygon holds the point,
//!   the town the one whose influence is largest there.
//! - [`Region`]: a region of interest, from what a person writes, and whether a point lies in it.
//! - [`parse()`]: the places a text mentions, as [`Mention`]s: coordinates, postal addresses, names.
//!   [`Parser`] does it piece by piece.
//! - [`structured()`]: the places a page names for machines.
//! - [`finer::Finer`]: what a user imported: more places, postcodes, streets and houses.
//! - [`suggest()`]: places for someone who types a name; [`towns_in`]: the largest towns of a map.
//! - [`is_relevant`]: whether such places make a page one about a region.
//! - [`about()`]: all of this for a page: the places it speaks of, the one it is about, and where
//!   its pictures were made. [`named_place`] does it for the names a camera's owner wrote down.
//!
//! ```
//! use facts::LatLon;
//! use geo::{Gazetteer, Hints, Region, parse, reverse};
//!
//! let spot = reverse(Gazetteer::embedded(), LatLon::new(54.3165, 10.0800).unwrap());
//! assert_eq!(spot.describe(), "Kiel, Schleswig-Holstein, Germany");
//!
//! let mentions = parse("The ferry from Gothenburg arrives in Kiel.", &Hints::default());
//! assert_eq!(mentions[1].place.unwrap().id().geonames(), Some(2_891_122));
//!
//! let region = Region::find(Gazetteer::embedded(), "Schleswig-Holstein").unwrap();
//! assert!(region.contains(mentions[1].at));
//! ```
//!
//! Nothing here does I/O or can fail on a text: every text has a list of places, if an empty one.
//! The numbers that decisions are made by stand in `parse/tuning.rs`, `reverse.rs` and `region.rs`,
//! each with its reason.
//!
//! Inside, `fold` gives one spelling to the many of a name, `gazetteer` reads the file where it
//! lies, `borders` finds the polygon of a point, `extent` tells how far areas reach, and `parse` has a
//! module for each layer.

mod about;
mod borders;
mod bounds;
mod distance;
mod extent;
pub mod finer;
mod gazetteer;
mod parse;
mod polygon;
mod region;
mod relevance;
mod reverse;
mod structured;
mod suggest;

pub use crate::about::{About, MediaPlaces, SpokenPlace, about, locality, named_place, whereabouts};
pub use crate::distance::kilometres;
pub use crate::gazetteer::{Country, Gazetteer, GazetteerError, Kind, Place, PlaceId, layout};
pub use crate::parse::{Hints, Mention, MentionKind, Parser, code_points, parse, parse_with};
pub use crate::region::{Region, RegionError};
pub use crate::relevance::{Granularity, is_relevant};
pub use crate::reverse::{Ground, Spot, reverse, town_radius};
pub use crate::structured::{Located, Subject, structured};
pub use crate::suggest::{suggest, towns_in};
pub use query::fold;
