//! What a picture shows: pixels in, a description of some hundred bytes out.
//!
//! [`Look::of`] describes a picture by its colours (SCD, CLD), its edges (EHD), its colours by their
//! texture (CEDD, FCTH, and JCD, which joins them), and by hashes of its broad shapes.

mod blocks;
mod bytes;
mod cedd;
mod cld;
mod colour;
mod copy;
mod distance;
mod edge;
mod ehd;
mod fcth;
mod frame;
mod hash;
mod jcd;
mod levels;
mod look;
mod mean;
mod mix;
mod part;
mod pixels;
mod point;
mod relief;
mod scd;
mod sums;
#[cfg(test)]
mod tests;
mod turn;
mod view;

pub use self::copy::{Extent, NearCopy, near_copy};
pub use self::distance::Descriptor;
pub use self::hash::PictureHash;
pub use self::look::Look;
pub use self::mix::{Mix, similarity};
pub use self::part::{PicturePart, picture_part};
pub use self::pixels::{Pixels, Smoothing};
pub use self::turn::Turn;
