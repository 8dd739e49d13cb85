//! Where it is.
//!
//! - [`Gazetteer`]: the places of the world, part of the program, ready at once. A [`Place`] has a
//!   name, a [`PlaceId`], coordinates, people, and the areas it lies in.
//! - [`reverse()`]: coordinates to names. Country and area are those whose polygon holds the point,
//!   the town the one whose influence is largest there.
//! - [`Region`]: a region of interest, from what a person writes, and whether a point lies in it.

mod borders;
mod distance;
mod fold;
mod gazetteer;
mod region;
mod reverse;

pub use crate::distance::kilometres;
pub use crate::fold::fold;
pub use crate::gazetteer::{Country, Gazetteer, GazetteerError, Kind, Place, PlaceId, layout};
pub use crate::region::{Region, RegionError};
pub use crate::reverse::{Ground, Spot, reverse, town_radius};
