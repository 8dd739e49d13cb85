//! Bars and borders around a picture: captions, letterboxes, frames.

use super::pixels::Small;

/// Channels of the same colour differ by no more.
const SAME: u8 = 14;
/// A bar has no more of a side.
const MOST: f32 = 0.35;
/// What is less is not worth a view of its own.
const LEAST: f32 = 0.02;

/// What is left without bars of one colour at its edges, letters on them included: left, top, right
/// and bottom in pixels. None where there is no bar.
pub(super) fn within(small: &Small) -> Option<[usize; 4]> {
    let (width, height) = (small.width, small.height);
    let at = |x: usize, y: usize| &small.rgb[3 * (y * width + x)..][..3];
    let most = |side: usize| (MOST * side as f32) as usize;
    // Whether a line begins and ends with a colour, and is of it but for letters.
    let is_bar = |colour: &[u8], line: &dyn Fn(usize) -> (usize, usize), length: usize| {
        let same = |i: usize| {
            let (x, y) = line(i);
            at(x, y).iter().zip(colour).all(|(a, b)| a.abs_diff(*b) <= SAME)
        };
        same(0) && same(length - 1) && 3 * (0..length).filter(|i| same(*i)).count() > length
    };
    let bottom_colour = at(0, height - 1);
    let bottom = (0..most(height)).take_while(|y| is_bar(bottom_colour, &|x| (x, height - 1 - y), width)).count();
    let top_colour = at(0, 0);
    let top = (0..most(height)).take_while(|y| is_bar(top_colour, &|x| (x, *y), width)).count();
    let rows = height - top - bottom;
    let left_colour = at(0, top);
    let left = (0..most(width)).take_while(|x| is_bar(left_colour, &|y| (*x, top + y), rows)).count();
    let right_colour = at(width - 1, top);
    let right = (0..most(width)).take_while(|x| is_bar(right_colour, &|y| (width - 1 - x, top + y), rows)).count();
    let worth = |trimmed: usize, side: usize| trimmed as f32 >= LEAST * side as f32;
    // A line of the picture itself may look like the bar; lines that are blurred into it do not.
    (worth(top + bottom, height) || worth(left + right, width)).then_some([left, top, width - right, height - bottom])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::pixels::{Pixels, Smoothing};

    fn made(width: usize, height: usize, colour: impl Fn(usize, usize) -> u8) -> Option<[usize; 4]> {
        let rgb: Vec<u8> = (0..width * height).flat_map(|i| [colour(i % width, i / width); 3]).collect();
        let pixels = Pixels { width: width as u32, height: height as u32, rgb: &rgb };
        within(&Small::of(&pixels, Smoothing::None).unwrap())
    }

    #[test]
    fn a_bar_with_words_is_trimmed() {
        let picture = |x: usize, y: usize| ((x * 37 + y * 91) % 256) as u8;
        assert_eq!(made(60, 50, picture), None);
        let words = |x: usize, y: usize| if (44..46).contains(&y) && x % 3 == 1 { 255 } else { 0 };
        let captioned = |x: usize, y: usize| if y < 40 { picture(x, y) } else { words(x, y) };
        assert_eq!(made(60, 50, captioned), Some([0, 0, 60, 40]));
        let framed = |x: usize, y: usize| {
            if (5..55).contains(&x) && (4..46).contains(&y) { picture(x, y) } else { 255 }
        };
        assert_eq!(made(60, 50, framed), Some([5, 4, 55, 46]));
    }

    #[test]
    fn nothing_is_left_of_nothing_but_a_core() {
        // All of one colour: a bar may have so much and no more.
        assert_eq!(made(100, 100, |_, _| 9), Some([35, 35, 65, 65]));
        assert_eq!(made(1, 1, |_, _| 9), None);
        assert_eq!(made(2, 1, |_, _| 9), None);
    }
}
