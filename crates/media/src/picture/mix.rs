//! Several descriptors together.

use super::distance::Descriptor;
use super::look::Look;

/// How much each of SCD, EHD and JCD counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mix {
    /// Shapes as much as colours: EHD ½, SCD and JCD, which both tell of colours, ¼ each.
    #[default]
    Balanced,
    /// A third each.
    Equal,
    /// Each by its share of the sum of all three, so that one by which the two differ counts more
    /// ([004 eq. 4.4–4.7]).
    Dynamic,
}

impl Mix {
    /// What is mixed.
    pub const OF: [Descriptor; 3] = [Descriptor::Scd, Descriptor::Ehd, Descriptor::Jcd];

    /// How far apart two pictures are, 0 to 1.
    pub fn distance(self, a: &Look, b: &Look) -> f32 {
        self.mixed(Self::OF.map(|descriptor| descriptor.distance(a, b)))
    }

    /// One distance for the three of [`Mix::OF`].
    pub fn mixed(self, [scd, ehd, jcd]: [f32; 3]) -> f32 {
        let sum = scd + ehd + jcd;
        match self {
            Self::Balanced => (scd + 2.0 * ehd + jcd) / 4.0,
            Self::Equal => sum / 3.0,
            Self::Dynamic if sum > 0.0 => (scd * scd + ehd * ehd + jcd * jcd) / sum,
            Self::Dynamic => 0.0,
        }
    }

    /// The rank R of each answer to a target: 0 for the most similar of them, 1 for the least; all 0
    /// where they are equally far ([004 eq. 4.15]). It depends on the answers it stands among.
    pub fn ranks<'a>(self, target: &Look, answers: impl IntoIterator<Item = &'a Look>) -> Vec<f32> {
        let mut ranks: Vec<f32> = answers.into_iter().map(|answer| self.distance(target, answer)).collect();
        let least = ranks.iter().copied().fold(f32::INFINITY, f32::min);
        let range = ranks.iter().copied().fold(0.0, f32::max) - least;
        for rank in &mut ranks {
            *rank = if range > 0.0 { (*rank - least) / range } else { 0.0 };
        }
        ranks
    }
}

/// How similar two pictures are in themselves, 0 to 100: the share of the components of SCD, EHD and
/// JCD that are equal within one step, each descriptor a third ([004 eq. 4.1]). Components that neither
/// has are not counted: of most colours two pictures have none, whatever they show.
pub fn similarity(a: &Look, b: &Look) -> f32 {
    let equal = |a: &[u8], b: &[u8], step: u8| {
        let there = a.iter().zip(b).filter(|(a, b)| **a > 0 || **b > 0);
        let (same, all) =
            there.fold((0u16, 0u16), |(same, all), (a, b)| (same + u16::from(a.abs_diff(*b) <= step), all + 1));
        if all == 0 { 1.0 } else { f32::from(same) / f32::from(all) }
    };
    // Levels of JCD are in halves.
    let shares = [equal(&a.scd, &b.scd, 1), equal(&a.ehd, &b.ehd, 1), equal(&a.jcd(), &b.jcd(), 2)];
    100.0 * shares.iter().sum::<f32>() / 3.0
}
