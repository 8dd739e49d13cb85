//! How far apart two pictures are, by each description.

use super::cld::{BRIGHT, COLOURED, Cld};
use super::ehd::{self, Ehd};
use super::look::Look;

/// A description of a picture that others can be compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Descriptor {
    /// Scalable colour of MPEG-7: which colours there are.
    Scd,
    /// Edge histogram of MPEG-7: which edges there are, and where.
    Ehd,
    /// Colours by the direction of edges.
    Cedd,
    /// Colours by texture.
    Fcth,
    /// CEDD and FCTH joined.
    Jcd,
    /// Colour layout of MPEG-7: which colours are where.
    Cld,
}

impl Descriptor {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Scd, Self::Ehd, Self::Cedd, Self::Fcth, Self::Jcd, Self::Cld];

    /// Its usual name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scd => "SCD",
            Self::Ehd => "EHD",
            Self::Cedd => "CEDD",
            Self::Fcth => "FCTH",
            Self::Jcd => "JCD",
            Self::Cld => "CLD",
        }
    }

    /// How far apart two pictures are: 0 for the same, 1 for nothing in common; for two photos of
    /// different things about ½, whichever descriptor it is.
    pub fn distance(self, a: &Look, b: &Look) -> f32 {
        let (apart, usual) = match self {
            Self::Scd => (unlike(&a.scd, &b.scd), 170.0),
            Self::Ehd => (edges(&a.ehd, &b.ehd), 13.5),
            Self::Cedd => (unlike(&a.cedd, &b.cedd), 70.0),
            Self::Fcth => (unlike(&a.fcth, &b.fcth), 40.0),
            Self::Jcd => (unlike(&a.jcd(), &b.jcd()), 125.0),
            Self::Cld => (layout(&a.cld, &b.cld), 160.0),
        };
        apart / (apart + usual)
    }

    /// The components of a look's description.
    pub fn vector(self, look: &Look) -> Vec<f32> {
        let of = |values: &[u8]| values.iter().map(|value| f32::from(*value)).collect();
        match self {
            Self::Scd => super::scd::coefficients(&look.scd).iter().map(|value| f32::from(*value)).collect(),
            Self::Ehd => of(&look.ehd),
            Self::Cedd => of(&look.cedd),
            Self::Fcth => of(&look.fcth),
            Self::Jcd => look.jcd().iter().map(|value| f32::from(*value) / 2.0).collect(),
            Self::Cld => look.cld.iter().map(|value| f32::from(*value)).collect(),
        }
    }
}

/// Squares of differences, each beside what both have: a difference of one level weighs more where
/// there is little.
fn unlike(a: &[u8], b: &[u8]) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        let (both, by) = (f32::from(*a) + f32::from(*b), f32::from(*a) - f32::from(*b));
        sum += by * by / both.max(1.0);
    }
    sum
}

/// Differences of the parts, of the whole and of rows, columns and squares of parts, as Won, Park and
/// Park (2002) propose it.
fn edges(a: &Ehd, b: &Ehd) -> f32 {
    let apart: [[f32; 5]; 16] = std::array::from_fn(|part| {
        std::array::from_fn(|kind| ehd::share(kind, a[5 * part + kind]) - ehd::share(kind, b[5 * part + kind]))
    });
    let local: f32 = apart.iter().flatten().map(|value| value.abs()).sum();
    let mean = |parts: &[usize]| -> f32 {
        (0..5).map(|kind| (parts.iter().map(|part| apart[*part][kind]).sum::<f32>() / parts.len() as f32).abs()).sum()
    };
    let mut wider = 0.0;
    for i in 0..4 {
        wider += mean(&[4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]);
        wider += mean(&[i, i + 4, i + 8, i + 12]);
        let corner = i / 2 * 8 + i % 2 * 2;
        wider += mean(&[corner, corner + 1, corner + 4, corner + 5]);
    }
    wider += mean(&[5, 6, 9, 10]);
    let whole: Vec<usize> = (0..16).collect();
    // The whole counts five times: it is one against 16 and 13.
    local + wider + 5.0 * mean(&whole)
}

/// Brightness, blue and red each by their own, as the standard has it. Differences of colours count
/// twice.
fn layout(a: &Cld, b: &Cld) -> f32 {
    let part = |from: usize, count: usize, weight: f32| {
        let apart = a[from..from + count].iter().zip(&b[from..from + count]);
        let squares: f32 = apart.map(|(a, b)| (f32::from(*a) - f32::from(*b)).powi(2)).sum();
        (weight * squares).sqrt()
    };
    part(0, BRIGHT, 1.0) + part(BRIGHT, COLOURED, 2.0) + part(BRIGHT + COLOURED, COLOURED, 2.0)
}
