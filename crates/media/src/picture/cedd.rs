//! CEDD: colours by the direction of edges (Chatzichristofis and Boutalis, ICVS 2008).

use super::blocks::Blocks;
use super::colour::COLOURS;
use super::edge::edges;
use super::levels::Levels;

/// Six kinds of texture with 24 colours each: no edge, edges of no direction, horizontal, vertical,
/// rising, falling ones. Eight levels.
pub(super) type Cedd = [u8; 6 * COLOURS];

/// A block whose strongest edge is weaker has none.
const LEAST: f32 = 14.0;
/// Beside the strongest edge of a block, how strong one must be to count as well.
const NO_DIRECTION: f32 = 0.68;
const DIRECTION: f32 = 0.98;

/// The share that each level stands for, by kind of texture: the paper names none, so these are the means
/// over 61 pictures of what has that level in the vectors of another implementation. Edges of no
/// direction do not reach the last three there and have those of no edge.
const LEVELS: [Levels; 6] = [
    [0.002, 0.023, 0.065, 0.107, 0.176, 0.241, 0.423, 0.768],
    [0.002, 0.020, 0.053, 0.105, 0.164, 0.241, 0.423, 0.768],
    [0.0004, 0.005, 0.0104, 0.0178, 0.0259, 0.0384, 0.0526, 0.107],
    [0.0004, 0.005, 0.0104, 0.0178, 0.0259, 0.0384, 0.0526, 0.107],
    [0.0009, 0.0103, 0.0235, 0.0387, 0.0623, 0.0825, 0.119, 0.468],
    [0.0009, 0.0103, 0.0235, 0.0387, 0.0623, 0.0825, 0.119, 0.468],
];

pub(super) fn of(blocks: &Blocks) -> Cedd {
    blocks.by_texture(&LEVELS, textures)
}

/// Which textures a block has: one without an edge, or any of the others.
fn textures(cells: &[[f32; 4]; 4]) -> [f32; 6] {
    let quarter = |x: usize, y: usize| (cells[y][x] + cells[y][x + 1] + cells[y + 1][x] + cells[y + 1][x + 1]) / 4.0;
    let found = edges([quarter(0, 0), quarter(2, 0), quarter(0, 2), quarter(2, 2)]);
    let strongest = found.iter().copied().fold(0.0, f32::max);
    if strongest < LEAST {
        return [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    }
    let [vertical, horizontal, rising, falling, other] = found.map(|edge| edge / strongest);
    let has = |edge: f32, least: f32| if edge > least { 1.0 } else { 0.0 };
    [
        0.0,
        has(other, NO_DIRECTION),
        has(horizontal, DIRECTION),
        has(vertical, DIRECTION),
        has(rising, DIRECTION),
        has(falling, DIRECTION),
    ]
}
