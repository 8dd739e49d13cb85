//! What a picture looks like.

use super::blocks::Blocks;
use super::cedd::{self, Cedd};
use super::cld::{self, Cld};
use super::ehd::{self, Ehd};
use super::fcth::{self, Fcth};
use super::hash::PictureHash;
use super::jcd::{self, Jcd};
use super::pixels::{Pixels, Small, Smoothing};
use super::relief::Relief;
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
    pub(super) relief: Relief,
    /// Of the whole picture and of parts of it, as [`View::PARTS`] lists them.
    pub(super) views: [View; View::PARTS.len()],
    /// The hashes of those views that say something.
    hashes: Vec<PictureHash>,
}

impl Look {
    /// Goes up when any formula changes. Looks of other versions cannot be read and are made anew.
    pub const VERSION: u16 = 1;

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
        let mut relief = None;
        let views = View::PARTS.map(|part| {
            let (view, waves) = View::of(&sums, part);
            relief.get_or_insert_with(|| Relief::of(&waves));
            view
        });
        let (scd, ehd) = (scd::of(&small), ehd::of(&sums));
        let (cedd, fcth, cld) = (cedd::of(&blocks), fcth::of(&blocks), cld::of(&blocks));
        Some(Self::from_parts(scd, ehd, cedd, fcth, cld, relief?, views))
    }

    pub(super) fn from_parts(
        scd: Scd,
        ehd: Ehd,
        cedd: Cedd,
        fcth: Fcth,
        cld: Cld,
        relief: Relief,
        views: [View; View::PARTS.len()],
    ) -> Self {
        let hashes = views.iter().filter(|view| view.says_something()).map(View::canonical).collect();
        Self { scd, ehd, cedd, fcth, cld, relief, views, hashes }
    }

    /// The hashes that an index of near copies keeps for this picture: at most three, none for a
    /// picture with nothing to see.
    ///
    /// They are of the whole picture and of its inner parts (so that one is found by what is left of
    /// it after a crop or beside a caption), each turned to a canonical orientation. So an index
    /// keeps no orientations. Ask it with [`Look::asked`], and take as candidates all pictures with a
    /// stored hash that differs from an asked one in at most [`Look::RADIUS`] of 256 bits; which of
    /// its hashes it is makes no difference. Each candidate is confirmed by
    /// [`near_copy`](crate::near_copy).
    pub fn hashes(&self) -> &[PictureHash] {
        &self.hashes
    }

    /// Candidates for near copies have hashes that differ in at most this many bits. Most copies
    /// differ in far fewer, and mostly in `bits[2]` and `bits[3]`.
    pub const RADIUS: u32 = 64;

    /// The hashes to ask an index with: those of [`Look::hashes`], and for views whose canonical
    /// orientation is in doubt the other orientations that it may have. Mostly three to six, never
    /// more than 24.
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
