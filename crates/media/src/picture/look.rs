//! What a picture looks like.

use super::blocks::Blocks;
use super::cedd::{self, Cedd};
use super::cld::{self, Cld};
use super::ehd::{self, Ehd};
use super::fcth::{self, Fcth};
use super::frame;
use super::hash::PictureHash;
use super::jcd::{self, Jcd};
use super::pixels::{Pixels, Small, Smoothing};
use super::relief::{Relief, Reliefs};
use super::scd::{self, Scd};
use super::sums::Sums;
use super::view::View;

/// What a picture looks like: its colours, edges and textures, and hashes to find copies by.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    pub(super) scd: Scd,
    pub(super) ehd: Ehd,
    pub(super) cedd: Cedd,
    pub(super) fcth: Fcth,
    pub(super) cld: Cld,
    pub(super) reliefs: Reliefs,
    /// Of the picture without each of [`View::MARGINS`], and within bars and borders.
    pub(super) views: [View; View::COUNT],
    /// The hashes of those views that say something.
    hashes: Vec<PictureHash>,
}

impl Look {
    /// Goes up when any formula changes. Looks of other versions cannot be read and are made anew.
    pub const VERSION: u16 = 3;

    /// The longer side that a picture should have to be described: larger ones are made smaller,
    /// which costs time, smaller ones say less.
    pub const LONG_SIDE: u32 = 640;

    /// Describes a picture. None without pixels, or when there are not as many as its sides say.
    pub fn of(pixels: &Pixels<'_>) -> Option<Self> {
        Self::smoothed(pixels, Smoothing::Median)
    }

    /// Describes a picture, with or without the median filter, for comparisons.
    pub fn smoothed(pixels: &Pixels<'_>, smoothing: Smoothing) -> Option<Self> {
        let small = Small::of(pixels, smoothing)?;
        let sums = Sums::of(&small);
        let blocks = Blocks::of(&small, &sums);
        let mut whole = None;
        let margins = View::MARGINS.map(|margin| {
            let (view, waves) = View::without(&sums, margin);
            whole.get_or_insert_with(|| Relief::of(&waves));
            view
        });
        let within = frame::within(&small).map(|part| View::of(&sums, part.map(|side| side as f32)));
        let reliefs = Reliefs { whole: whole?, within: within.map(|(_, waves)| Relief::of(&waves)) };
        let within = within.map_or_else(View::nothing, |(view, _)| view);
        let [all, less, smaller, inner] = margins;
        let views = [all, less, smaller, inner, within];
        let (scd, ehd) = (scd::of(&small), ehd::of(&sums));
        let (cedd, fcth, cld) = (cedd::of(&blocks), fcth::of(&blocks), cld::of(&blocks));
        Some(Self::from_parts(scd, ehd, cedd, fcth, cld, reliefs, views))
    }

    pub(super) fn from_parts(
        scd: Scd,
        ehd: Ehd,
        cedd: Cedd,
        fcth: Fcth,
        cld: Cld,
        reliefs: Reliefs,
        views: [View; View::COUNT],
    ) -> Self {
        let hashes = views.iter().filter(|view| view.says_something()).map(View::canonical).collect();
        Self { scd, ehd, cedd, fcth, cld, reliefs, views, hashes }
    }

    /// The hashes that an index of near copies keeps for this picture: four, or five for one with a
    /// bar or border; fewer where parts are flat, none for a picture with nothing to see.
    ///
    /// They are of the whole picture, of what small crops leave of it, and of what is within bars and
    /// borders, each turned to a canonical orientation: an index keeps no orientations. Ask it with
    /// [`Look::asked`]. Candidates are all pictures with a stored hash that is near an asked one,
    /// whichever of its hashes that is; [`near_copy`](crate::near_copy) confirms them.
    ///
    /// How near: 19 of 20 copies made in the usual ways (re-encoded, resized, cropped on all sides,
    /// mirrored, turned, captioned, made grey, brighter or darker) are within 16 of 256 bits, nearly
    /// all within 40. These must be found. Few of those bits are in `bits[0]`, the lowest frequencies:
    /// mostly none, rarely more than 3. Crops at one side only are up to [`Look::RADIUS`] away, with
    /// up to 12 bits of it in `bits[0]`; whichever of those an index finds is a gain. Photos of
    /// different things are hardly ever nearer than that (2 of 125,000 pairs), so candidates are few.
    pub fn hashes(&self) -> &[PictureHash] {
        &self.hashes
    }

    /// Pictures whose hashes are further apart are no near copies.
    pub const RADIUS: u32 = 80;

    /// The hashes to ask an index with: those of [`Look::hashes`], and for views whose canonical
    /// orientation is in doubt the other orientations that it may have. Seven in the mean, at most 40.
    pub fn asked(&self) -> Vec<PictureHash> {
        self.views.iter().flat_map(View::asked).collect()
    }

    /// How much there is to see, 0 to 100.
    pub fn quality(&self) -> u8 {
        self.views[0].hash.quality
    }

    pub(super) fn jcd(&self) -> Jcd {
        jcd::of(&self.cedd, &self.fcth)
    }
}
