//! Whether one picture is a copy of another.

use std::fmt;

use super::cld::{BRIGHT, COLOURED};
use super::hash::PictureHash;
use super::look::Look;
use super::relief::{POINTS, Relief};
use super::turn::Turn;

/// How a picture is a near copy of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearCopy {
    /// How it has to be turned or mirrored to look like the other.
    pub turn: Turn,
    /// Which part of which is seen.
    pub extent: Extent,
    /// How alike the two are where both show the same, 0 to 100.
    pub alike: u8,
}

/// Which part of which picture is seen in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Both show the same.
    Same,
    /// Both show the same, but for something that covers the lower or upper edge of one.
    Covered,
    /// The copy shows a part of the picture.
    Part,
    /// The copy shows the picture and something around or beside it.
    More,
}

impl fmt::Display for NearCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = match self.extent {
            Extent::Same => "same picture",
            Extent::Part => "part of the picture",
            Extent::More => "the picture with a border or caption",
            Extent::Covered => "same picture, with an edge covered",
        };
        match self.turn {
            Turn::UPRIGHT => write!(f, "{extent}, {} % alike", self.alike),
            turn => write!(f, "{extent}, {turn}, {} % alike", self.alike),
        }
    }
}

/// Two pictures that are less alike are no copies: where both show the same, where an edge of one is
/// covered, where one is a part of the other, and where one has something around it. Photos of different
/// things are mostly below 0.4, those of like things in the same place (a flower in the middle of each)
/// up to 0.7. Of copies, 99 in 100 are above 0.98, 0.9, 0.84 and 0.94.
const ALIKE: [f32; 4] = [0.97, 0.85, 0.8, 0.85];
/// Two signs have nearly all of their shapes in common: pictures with fewer waves must be more alike.
const ALIKE_WITH_FEW: [f32; 4] = [0.985, 0.93, 0.87, 0.9];
const FEW_WAVES: f32 = 40.0;
/// With so few, what differs may be in any part.
const NEXT_TO_NONE: f32 = 10.0;
/// How far colours may be apart, as a share of how strong they are, beside what is little in any case:
/// where both show the same, and where one has a caption or border.
const COLOURS_APART: f32 = 0.15;
const COLOURS_APART_BESIDE: f32 = 0.35;
const COLOURS_LITTLE: f32 = 12.0;
/// Colours that are weaker are none.
const GREY: f32 = 6.0;
/// How much more or less strong colours may have become.
const FADED: (f32, f32) = (0.5, 2.0);
/// How much more alike two must be by an explanation that is less plain.
const PLAINER: f32 = 0.02;
/// The ways to hold a picture that are tried in detail.
const TURNS: usize = 2;
/// Rows of points that something may cover: little, or as much as a caption has.
const COVERED: [usize; 2] = [4, 7];
/// Shares of a side that may be missing.
const MARGINS: [f32; 4] = [0.025, 0.05, 0.075, 0.1];
const BARS: [f32; 4] = [0.05, 0.1, 0.15, 0.2];
/// How finely a part is fitted, in shares of a side.
const FITS: [f32; 3] = [0.02, 0.01, 0.005];

/// Says whether `copy` is a near copy of `picture`: re-encoded, resized, cropped a little, mirrored,
/// turned, captioned, made grey, brighter or darker. Pictures with nothing to see are copies of
/// nothing.
pub fn near_copy(picture: &Look, copy: &Look) -> Option<NearCopy> {
    if picture.quality().min(copy.quality()) < PictureHash::LEAST_QUALITY || !may_be(picture, copy) {
        return None;
    }
    let (turn, extent, alike) = closest(picture, copy);
    let waves = picture.reliefs.whole.waves().min(copy.reliefs.whole.waves());
    let wanted = match waves {
        ..NEXT_TO_NONE => [ALIKE_WITH_FEW[0]; 4],
        ..FEW_WAVES => ALIKE_WITH_FEW,
        _ => ALIKE,
    };
    let coloured = match extent {
        Extent::Same | Extent::Part => COLOURS_APART,
        Extent::More | Extent::Covered => COLOURS_APART_BESIDE,
    };
    (alike >= wanted[extent as usize] && colours_apart(picture, copy, turn) <= coloured).then(|| NearCopy {
        turn,
        extent,
        alike: (100.0 * alike).round().clamp(0.0, 100.0) as u8,
    })
}

/// Whether an index would have found one by the other.
fn may_be(picture: &Look, copy: &Look) -> bool {
    let near = |asked: &Look, stored: &Look| {
        asked.asked().iter().any(|a| stored.hashes().iter().any(|b| a.distance(b) <= Look::RADIUS))
    };
    near(copy, picture) || near(picture, copy)
}

/// How far apart the colours of two pictures are that are held alike, as a share of how strong they are;
/// 0 where one of them is grey, or has few.
fn colours_apart(picture: &Look, copy: &Look, turn: Turn) -> f32 {
    let (mine, theirs) = (layout(picture, Turn::UPRIGHT), layout(copy, turn));
    let dot = |a: &[f32; 2 * COLOURED], b: &[f32; 2 * COLOURED]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let (mine_strong, theirs_strong) = (dot(&mine, &mine).sqrt(), dot(&theirs, &theirs).sqrt());
    if mine_strong.min(theirs_strong) < GREY {
        return 0.0;
    }
    let faded = (dot(&mine, &theirs) / (theirs_strong * theirs_strong)).clamp(FADED.0, FADED.1);
    let apart: f32 = mine.iter().zip(&theirs).map(|(mine, theirs)| (mine - faded * theirs).powi(2)).sum();
    (apart.sqrt() - COLOURS_LITTLE).max(0.0) / mine_strong.max(faded * theirs_strong)
}

/// Which colours are where in a picture that is turned: blue, then red.
fn layout(look: &Look, turn: Turn) -> [f32; 2 * COLOURED] {
    // Vertical and horizontal frequencies of the coefficients.
    const WAVES: [(usize, usize); COLOURED] = [(0, 0), (0, 1), (1, 0), (2, 0), (1, 1), (0, 2)];
    std::array::from_fn(|place| {
        let (channel, (v, u)) = (place / COLOURED, WAVES[place % COLOURED]);
        let from = if turn.transposes() { (u, v) } else { (v, u) };
        let from = WAVES.iter().position(|wave| *wave == from).unwrap_or_default();
        let value = f32::from(look.cld[BRIGHT + channel * COLOURED + from]);
        let negative = (turn.mirrors() && u % 2 == 1) != (turn.overturns() && v % 2 == 1);
        if negative { -value } else { value }
    })
}

/// The way the two are most alike, with or without what is around them.
fn closest(picture: &Look, copy: &Look) -> (Turn, Extent, f32) {
    let (mine, theirs) = (&picture.reliefs, &copy.reliefs);
    let mut best = held(&mine.whole, &theirs.whole);
    let pairs = [
        (mine.within, Some(theirs.whole), Extent::Part),
        (Some(mine.whole), theirs.within, Extent::More),
        (mine.within, theirs.within, Extent::Same),
    ];
    for (mine, theirs, around) in pairs {
        let (Some(mine), Some(theirs)) = (mine, theirs) else { continue };
        let (turn, extent, alike) = held(&mine, &theirs);
        if alike > best.2 + PLAINER {
            // An edge that differs is but a bar that was not quite told from the picture.
            let within = matches!(extent, Extent::Same | Extent::Covered) && around != Extent::Same;
            best = (turn, if within { around } else { extent }, alike);
        }
    }
    best
}

/// The way of holding the copy by which the two are most alike.
fn held(picture: &Relief, copy: &Relief) -> (Turn, Extent, f32) {
    let mut turns = Turn::ALL.map(|turn| {
        let turned = copy.turned(turn);
        (picture.broadly(&turned), turn, turned)
    });
    turns.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best = (Turn::UPRIGHT, Extent::Same, -1.0);
    for (_, turn, turned) in turns.into_iter().take(TURNS) {
        let (extent, alike) = overlaid(picture, &turned);
        if alike > best.2 {
            best = (turn, extent, alike);
        }
    }
    best
}

const WHOLE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

fn overlaid(picture: &Relief, copy: &Relief) -> (Extent, f32) {
    let (mine, theirs) = (picture.heights(WHOLE), copy.heights(WHOLE));
    let same = correlation(&mine, &theirs);
    let uncovered = COVERED.into_iter().flat_map(|rows| [rows..POINTS, 0..POINTS - rows]);
    let covered = uncovered.map(|rows| correlation(&mine[rows.clone()], &theirs[rows])).fold(same, f32::max);
    let part = fitted(&theirs, picture);
    let more = fitted(&mine, copy);
    // The plainest explanation that is as good as any.
    let mut best = (Extent::Same, same);
    for (extent, alike) in [(Extent::Covered, covered), (Extent::Part, part), (Extent::More, more)] {
        if alike > best.1 + PLAINER {
            best = (extent, alike);
        }
    }
    best
}

/// How alike a picture is to the part of another that fits it best.
fn fitted(part: &[[f32; POINTS]; POINTS], whole: &Relief) -> f32 {
    let around = MARGINS.map(|margin| [margin, margin, 1.0 - margin, 1.0 - margin]);
    let above = BARS.map(|bar| [0.0, bar, 1.0, 1.0]);
    let below = BARS.map(|bar| [0.0, 0.0, 1.0, 1.0 - bar]);
    let mut best = (WHOLE, -1.0);
    let mut tried = |sides: [f32; 4]| {
        let alike = correlation(part, &whole.heights(sides));
        if alike > best.1 {
            best = (sides, alike);
        }
        best.0
    };
    let mut at = WHOLE;
    for sides in around.into_iter().chain(above).chain(below) {
        at = tried(sides);
    }
    for step in FITS {
        for side in 0..4 {
            for by in [-step, step] {
                let mut sides = at;
                sides[side] = (sides[side] + by).clamp(0.0, 1.0);
                at = tried(sides);
            }
        }
    }
    best.1
}

pub(super) fn correlation(a: &[[f32; POINTS]], b: &[[f32; POINTS]]) -> f32 {
    let [mut sum_a, mut sum_b, mut square_a, mut square_b, mut both] = [0.0f32; 5];
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        sum_a += a;
        sum_b += b;
        square_a += a * a;
        square_b += b * b;
        both += a * b;
    }
    let count = (a.len() * POINTS) as f32;
    let spread = (square_a - sum_a * sum_a / count) * (square_b - sum_b * sum_b / count);
    (both - sum_a * sum_b / count) / spread.max(f32::MIN_POSITIVE).sqrt()
}
