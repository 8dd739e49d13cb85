//! Looks of made pictures: photos, and blends of two of them at a time, by any share, with noise.

use std::path::{Path, PathBuf};

use anyhow::Result;
use media::Look;

/// One place in so many has a level more or less.
const NOISE: u64 = 20;

/// Levels of a look: SCD, EHD, CEDD, FCTH as it writes them, and the rest.
pub struct Levels {
    parts: [Vec<u8>; 4],
    rest: Vec<u8>,
}

/// Levels and bits of the four.
const PARTS: [(usize, u32); 4] = [(256, 4), (80, 3), (144, 3), (192, 3)];

impl Levels {
    fn of(look: &Look) -> Self {
        let bytes = look.to_bytes();
        let mut rest = &bytes[2..];
        let parts = PARTS.map(|(count, bits)| {
            let (packed, others) = rest.split_at(count * bits as usize / 8);
            rest = others;
            let at = |bit: usize| usize::from(packed[bit / 8]) >> (bit % 8) & 1;
            let level =
                |n: usize| (0..bits as usize).map(|bit| at(n * bits as usize + bit) << bit).sum::<usize>() as u8;
            (0..count).map(level).collect()
        });
        Self { parts, rest: rest.to_vec() }
    }

    /// As a description is kept.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Look::VERSION.to_le_bytes().to_vec();
        for (levels, (_, bits)) in self.parts.iter().zip(PARTS) {
            let (mut waiting, mut held) = (0u32, 0);
            for level in levels {
                waiting |= u32::from(*level) << held;
                held += bits;
                if held >= 8 {
                    bytes.push(waiting as u8);
                    waiting >>= 8;
                    held -= 8;
                }
            }
        }
        bytes.extend(&self.rest);
        bytes
    }

    pub fn look(&self) -> Option<Look> {
        Look::from_bytes(&self.bytes())
    }
}

/// The `n`-th picture: a photo, or a blend of two.
pub fn made(photos: &[Levels], n: u64) -> Levels {
    if let Some(photo) = photos.get(n as usize) {
        return Levels { parts: photo.parts.clone(), rest: photo.rest.clone() };
    }
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let pick = |number: u64| &photos[(number % photos.len() as u64) as usize];
    let (a, b, share) = (pick(next()), pick(next()), next() % 1024);
    let parts = std::array::from_fn(|part| {
        let most = (1i64 << PARTS[part].1) - 1;
        let blend = |(a, b): (&u8, &u8)| {
            let chance = next();
            let level = share * u64::from(*a) + (1024 - share) * u64::from(*b) + (chance >> 32) % 1024;
            let noise = if chance % NOISE == 0 { if chance & 1024 == 0 { 1 } else { -1 } } else { 0 };
            ((level / 1024) as i64 + noise).clamp(0, most) as u8
        };
        a.parts[part].iter().zip(&b.parts[part]).map(blend).collect()
    });
    Levels { parts, rest: a.rest.clone() }
}

/// The photos of a folder.
pub fn photos(folder: &Path) -> Result<Vec<Levels>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let look = |file: &PathBuf| {
        let bytes = std::fs::read(file).ok()?;
        let picture = decode::picture(&bytes, media::sniff(&bytes)?, 1, Look::LONG_SIDE, &decode::Limits::default());
        Look::of(&picture.ok()?.pixels())
    };
    Ok(files.iter().filter_map(look).map(|look| Levels::of(&look)).collect())
}
