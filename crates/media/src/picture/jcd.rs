//! JCD: CEDD and FCTH joined (Chatzichristofis, Boutalis and Lux 2009).

use super::cedd::Cedd;
use super::colour::COLOURS;
use super::fcth::Fcth;

/// Seven kinds of texture with 24 colours each, in halves of a level.
pub(super) type Jcd = [u8; 7 * COLOURS];

/// Textures that both know are the mean of both, the others are taken from the one that knows them.
pub(super) fn of(cedd: &Cedd, fcth: &Fcth) -> Jcd {
    let mut joined = [0; 7 * COLOURS];
    for colour in 0..COLOURS {
        let edge = |texture: usize| cedd[texture * COLOURS + colour];
        // With little and with much energy.
        let texture = |texture: usize| fcth[texture * COLOURS + colour] + fcth[(texture + 4) * COLOURS + colour];
        let parts = [
            texture(0) + edge(0),
            texture(1) + edge(2),
            2 * edge(4),
            texture(2) + edge(3),
            2 * edge(5),
            2 * texture(3),
            2 * edge(1),
        ];
        for (area, value) in parts.into_iter().enumerate() {
            joined[area * COLOURS + colour] = value;
        }
    }
    joined
}
