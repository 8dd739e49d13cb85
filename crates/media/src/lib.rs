//! What a media file shows: bytes in, facts out.
//!
//! - [`sniff()`] tells what a file is by its first bytes; neither its name nor what a server says of
//!   it counts.
//! - A [`Probe`] reads format, size and metadata from the ends of a file, and says which bytes it
//!   wants next; [`read_whole`] does the same with all of it. Both give [`Facts`]: when and where a
//!   file was made, with what, by whom, under which licence. A [`Location`] is one that can be
//!   believed; for one that cannot there is a [`WrongLocation`].
//! - [`judge`] says whether a picture is kept under a set of [`Rules`], and [`foresee`] whether it
//!   is worth a request at all.
//! - A [`Look`] is what a picture looks like. [`Descriptor`]s and [`Mix`]es of them say how far apart
//!   two are, [`near_copy`] whether one is a copy of the other, [`picture_part`] whether it was cut out
//!   of it. [`Look::point`] is for indexes.
//! - A [`Listener`] hears the samples of a sound and makes a [`Sound`] of them, which tells copies and
//!   parts of it. A [`Viewer`] sees the frames of a film and makes a [`Film`].
//!
//! Everything here takes what it is given: damaged and hostile files yield fewer facts, never a
//! panic, a long wait or a large allocation.

mod container;
pub mod film;
mod finding;
mod keep;
mod metadata;
mod parts;
mod picture;
mod probe;
mod sniff;
pub mod sound;

pub use crate::film::{Film, Viewer};
pub use crate::finding::{Facts, Unreadable};
pub use crate::keep::{
    Aspect, Candidate, LinksTo, NotARatio, Preset, Ratio, Refusal, Rules, foresee, judge, judge_link,
};
pub use crate::metadata::PlaceNames;
pub use crate::metadata::date::Taken;
pub use crate::metadata::location::{Location, LocationSource, WrongLocation};
pub use crate::picture::{
    Descriptor, Extent, Look, Mix, NearCopy, PictureHash, PicturePart, Pixels, Smoothing, Turn, near_copy,
    picture_part, similarity,
};
pub use crate::probe::{Probe, Wants, read_whole};
pub use crate::sniff::{Format, SNIFF_BYTES, sniff};
pub use crate::sound::{Listener, SAMPLE_RATE, Sound};
