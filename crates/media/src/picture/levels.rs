//! Shares of something in three bits each.

/// The share that each level stands for.
pub(super) type Levels = [f32; 8];

/// The level that stands for what is closest.
pub(super) fn nearest(share: f32, levels: &Levels) -> u8 {
    levels.windows(2).take_while(|two| share > (two[0] + two[1]) / 2.0).count() as u8
}
