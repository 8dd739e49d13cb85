//! Whether one picture is a part of another, cut out of it.

use super::copy::correlation;
use super::hash::PictureHash;
use super::look::Look;
use super::relief::{POINTS, Relief};

/// A picture that is seen in another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PicturePart {
    /// Where: left, top, right and bottom, as shares of the other.
    pub sides: [f32; 4],
    /// How alike the two are there, to 1.
    pub alike: f32,
}

/// Shares of a side that may be left.
const LEFT: [f32; 5] = [1.0, 0.92, 0.84, 0.77, 0.7];
/// The share of the area that is left at least, with some slack for steps between.
const AREA: f32 = 0.62;
/// Where what is left may begin, as a share of what is cut off.
const FROM: [f32; 3] = [0.0, 0.5, 1.0];
/// Places that are looked at closely.
const CLOSELY: usize = 3;
/// How finely, in shares of a side.
const STEPS: [f32; 4] = [0.05, 0.025, 0.012, 0.006];
/// Less alike ones are not worth a word: photos of different things are mostly below 0.4.
const LEAST: f32 = 0.65;

/// Where in a picture another is seen that has at least 70 % of its area; nothing when it is not, or
/// is not known to be.
pub fn picture_part(part: &Look, whole: &Look) -> Option<PicturePart> {
    if part.quality().min(whole.quality()) < PictureHash::LEAST_QUALITY {
        return None;
    }
    let wanted = part.reliefs.whole.heights([0.0, 0.0, 1.0, 1.0]);
    let relief = &whole.reliefs.whole;
    let mut found: Vec<PicturePart> = windows().map(|sides| tried(&wanted, relief, sides)).collect();
    found.sort_by(|a, b| b.alike.total_cmp(&a.alike));
    let close = found.into_iter().take(CLOSELY).map(|start| fitted(&wanted, relief, start));
    close.max_by(|a, b| a.alike.total_cmp(&b.alike)).filter(|found| found.alike >= LEAST)
}

/// All windows that are worth a first look.
fn windows() -> impl Iterator<Item = [f32; 4]> {
    let sizes = LEFT.into_iter().flat_map(|wide| LEFT.map(|high| (wide, high)));
    let places = |left: f32| {
        let from = if left < 1.0 { FROM.as_slice() } else { &FROM[..1] };
        from.iter().map(move |from| (1.0 - left) * from)
    };
    sizes.filter(|(wide, high)| wide * high >= AREA).flat_map(move |(wide, high)| {
        places(wide).flat_map(move |x| places(high).map(move |y| [x, y, x + wide, y + high]))
    })
}

fn tried(wanted: &[[f32; POINTS]; POINTS], relief: &Relief, sides: [f32; 4]) -> PicturePart {
    PicturePart { sides, alike: correlation(wanted, &relief.heights(sides)) }
}

/// The place near a start where both are most alike.
fn fitted(wanted: &[[f32; POINTS]; POINTS], relief: &Relief, start: PicturePart) -> PicturePart {
    let mut best = start;
    for step in STEPS {
        for side in 0..4 {
            for by in [-step, step] {
                let mut sides = best.sides;
                sides[side] = (sides[side] + by).clamp(0.0, 1.0);
                let [left, top, right, bottom] = sides;
                if right - left < 0.5 || bottom - top < 0.5 {
                    continue;
                }
                let next = tried(wanted, relief, sides);
                if next.alike > best.alike {
                    best = next;
                }
            }
        }
    }
    best
}
