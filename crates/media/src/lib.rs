//! What a media file shows: bytes in, facts out.
//!
//! [`sniff`] tells what a file is by its first bytes; neither its name nor what a server says of
//! it counts.

mod sniff;

pub use crate::sniff::{Format, SNIFF_BYTES, sniff};
