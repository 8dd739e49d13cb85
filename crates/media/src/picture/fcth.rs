//! FCTH: colours by texture (Chatzichristofis and Boutalis, WIAMIS 2008).

use super::blocks::Blocks;
use super::colour::COLOURS;
use super::levels::Levels;

/// Eight kinds of texture with 24 colours each: still, across, down, both; and the same with much
/// energy. Eight levels.
pub(super) type Fcth = [u8; 8 * COLOURS];

/// The share that each level stands for, by kind of texture.
const LEVELS: [Levels; 8] = [
    [0.001, 0.013, 0.027, 0.053, 0.085, 0.13, 0.2, 0.31],
    [0.0, 0.0027, 0.0085, 0.018, 0.035, 0.06, 0.1, 0.17],
    [0.0, 0.01, 0.019, 0.033, 0.055, 0.09, 0.14, 0.22],
    [0.0, 0.003, 0.009, 0.016, 0.03, 0.05, 0.08, 0.13],
    [0.0, 0.003, 0.008, 0.016, 0.03, 0.05, 0.08, 0.13],
    [0.0, 0.0017, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1],
    [0.0, 0.003, 0.008, 0.016, 0.03, 0.05, 0.08, 0.13],
    [0.0, 0.0017, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1],
];

/// Energies between which a texture begins to be strong: across and down, and for both at once.
const STRONG: (f32, f32) = (20.0, 90.0);
const STRONG_BOTH: (f32, f32) = (20.0, 80.0);

pub(super) fn of(blocks: &Blocks) -> Fcth {
    blocks.by_texture(&LEVELS, textures)
}

/// How much a block is of each texture: one step of a Haar transform of its 4 × 4 cells, and the
/// energies of the three bands of details.
fn textures(cells: &[[f32; 4]; 4]) -> [f32; 8] {
    let mut energies = [0.0f32; 3];
    for top in [0, 2] {
        for left in [0, 2] {
            let (a, b) = (cells[top][left], cells[top][left + 1]);
            let (c, d) = (cells[top + 1][left], cells[top + 1][left + 1]);
            for (energy, detail) in energies.iter_mut().zip([a - b + c - d, a + b - c - d, a - b - c + d]) {
                *energy += detail * detail / 4.0;
            }
        }
    }
    let [across, down, both] = energies.map(|energy| (energy / 4.0).sqrt());
    let strong = |energy: f32, (from, to): (f32, f32)| ((energy - from) / (to - from)).clamp(0.0, 1.0);
    let (across, down, both) = (strong(across, STRONG), strong(down, STRONG), strong(both, STRONG_BOTH));
    std::array::from_fn(|texture| {
        let is = |bit: usize, strong: f32| if texture & bit != 0 { strong } else { 1.0 - strong };
        is(1, down).min(is(2, across)).min(is(4, both))
    })
}
