//! The hash of a part of a picture, in whichever way the picture is held.

use super::hash::{self, PictureHash, Waves};
use super::sums::Sums;
use super::turn::Turn;

/// A part of a picture: its hash, and how to turn it so that turned and mirrored copies have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// As the picture is held.
    pub(super) hash: PictureHash,
    /// To the canonical orientation: wide, brighter on the left and at the top.
    pub(super) turn: Turn,
    /// What of that could as well be otherwise.
    pub(super) doubt: Turn,
}

/// A picture may have been high as well as wide when one side is less than so much longer.
const SQUARE: f32 = 1.2;
/// A side is not surely the brighter one when the coefficient that tells is less than this share of
/// all.
const SURE: f32 = 0.10;

impl View {
    /// What is cut off at each side, as a share of width and height: nothing, what small crops cut
    /// off, and as much as captions cover.
    pub(super) const MARGINS: [f32; 4] = [0.0, 0.025, 0.05, 0.2];
    /// One for each margin, and one within bars and borders.
    pub(super) const COUNT: usize = Self::MARGINS.len() + 1;

    /// The view without so much of each of its sides, and its frequencies.
    pub(super) fn without(sums: &Sums, margin: f32) -> (Self, Waves) {
        let (width, height) = (sums.width() as f32, sums.height() as f32);
        Self::of(sums, [margin * width, margin * height, (1.0 - margin) * width, (1.0 - margin) * height])
    }

    /// Where there is nothing to see.
    pub(super) fn nothing() -> Self {
        let hash = PictureHash { bits: [0; 4], quality: 0 };
        Self { hash, turn: Turn::UPRIGHT, doubt: Turn::UPRIGHT }
    }

    /// The view of a part, and its frequencies.
    pub(super) fn of(sums: &Sums, part: [f32; 4]) -> (Self, Waves) {
        let (width, height) = (part[2] - part[0], part[3] - part[1]);
        let cells = hash::cells(sums, part);
        let waves = hash::waves(&cells);
        let hash = PictureHash::of(&waves, hash::quality(&cells));
        let high = height > width;
        let (across, down) = if high { (waves[1][0], waves[0][1]) } else { (waves[0][1], waves[1][0]) };
        let energy = waves.iter().flatten().skip(1).map(|wave| wave * wave).sum::<f32>().sqrt();
        let turn = Turn::new(high, across < 0.0, down < 0.0);
        let unsure = |wave: f32| wave.abs() < SURE * energy;
        let square = width.max(height) < SQUARE * width.min(height);
        (Self { hash, turn, doubt: Turn::new(square, unsure(across), unsure(down)) }, waves)
    }

    pub(super) fn says_something(&self) -> bool {
        self.hash.quality >= PictureHash::LEAST_QUALITY
    }

    pub(super) fn canonical(&self) -> PictureHash {
        self.hash.turned(self.turn)
    }

    /// The canonical hash, and those it may have instead.
    pub(super) fn asked(&self) -> Vec<PictureHash> {
        if !self.says_something() {
            return Vec::new();
        }
        let canonical = self.canonical();
        let doubts = Turn::ALL.into_iter().filter(|turn| turn.number() & !self.doubt.number() == 0);
        doubts.map(|turn| canonical.turned(turn)).collect()
    }
}
