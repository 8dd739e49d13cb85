//! Many looks as one, and how much two have in common: what films are described by.

use super::hash::PictureHash;
use super::look::Look;

impl Look {
    /// The hash of the whole picture as it is held.
    pub(crate) fn upright(&self) -> PictureHash {
        self.views[0].hash
    }

    /// Colours, edges and textures that are the mean of all; shapes and hashes are of the first.
    pub(crate) fn mean(looks: &[&Self]) -> Option<Self> {
        let first = *looks.first()?;
        Some(Self::from_parts(
            levels(looks, |look| &look.scd),
            levels(looks, |look| &look.ehd),
            levels(looks, |look| &look.cedd),
            levels(looks, |look| &look.fcth),
            std::array::from_fn(|place| {
                let sum: i64 = looks.iter().map(|look| i64::from(look.cld[place])).sum();
                (sum as f64 / looks.len() as f64).round() as i8
            }),
            first.reliefs,
            first.views,
        ))
    }

    /// The share of levels that are equal, of all descriptors [004 eq. 4.1].
    pub(crate) fn in_common(&self, other: &Self) -> f32 {
        let equal = |a: &[u8], b: &[u8]| a.iter().zip(b).filter(|(a, b)| a == b).count();
        let same = equal(&self.scd, &other.scd)
            + equal(&self.ehd, &other.ehd)
            + equal(&self.cedd, &other.cedd)
            + equal(&self.fcth, &other.fcth);
        let all = self.scd.len() + self.ehd.len() + self.cedd.len() + self.fcth.len();
        same as f32 / all as f32
    }
}

fn levels<const N: usize>(looks: &[&Look], of: impl Fn(&Look) -> &[u8; N]) -> [u8; N] {
    std::array::from_fn(|place| {
        let sum: u64 = looks.iter().map(|look| u64::from(of(look)[place])).sum();
        (sum as f64 / looks.len() as f64).round() as u8
    })
}
