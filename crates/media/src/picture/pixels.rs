//! Pixels, made small and smooth before they are described.

/// Pixels the right way up.
#[derive(Clone, Copy, Debug)]
pub struct Pixels<'a> {
    /// Columns of pixels.
    pub width: u32,
    /// Rows of pixels, from the top.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row without gaps.
    pub rgb: &'a [u8],
}

/// What is done to pixels before they are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    /// Nothing: for comparisons with others.
    None,
    /// The median of each pixel and its eight neighbours, channel by channel.
    Median,
}

/// The longer side of what is described, at most.
const LONGEST: usize = 640;

/// A picture that is small enough to be described.
pub(super) struct Small {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) rgb: Vec<u8>,
}

impl Small {
    /// None where there are no pixels, or not as many as the sizes say.
    pub(super) fn of(pixels: &Pixels<'_>, smoothing: Smoothing) -> Option<Self> {
        let (width, height) = (pixels.width as usize, pixels.height as usize);
        let bytes = width.checked_mul(height)?.checked_mul(3)?;
        if bytes == 0 || bytes != pixels.rgb.len() {
            return None;
        }
        let times = width.max(height).div_ceil(LONGEST);
        let (width, height, shrunk) = match times {
            1 => (width, height, None),
            _ => {
                let shrunk = shrunk(pixels.rgb, width, times);
                (width.div_ceil(times), height.div_ceil(times), Some(shrunk))
            }
        };
        let rgb = match smoothing {
            Smoothing::Median => median(shrunk.as_deref().unwrap_or(pixels.rgb), width),
            Smoothing::None => shrunk.unwrap_or_else(|| pixels.rgb.to_vec()),
        };
        Some(Self { width, height, rgb })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.rgb.chunks_exact(3 * self.width)
    }
}

/// The means of squares of `times` pixels; those at the right and lower edge may be smaller.
fn shrunk(rgb: &[u8], width: usize, times: usize) -> Vec<u8> {
    let columns = width.div_ceil(times);
    let mut small = Vec::with_capacity(rgb.len() / times / times);
    let mut sums = vec![0u32; 3 * columns];
    for band in rgb.chunks(3 * width * times) {
        sums.fill(0);
        for row in band.chunks_exact(3 * width) {
            for (sum, square) in sums.chunks_exact_mut(3).zip(row.chunks(3 * times)) {
                for pixel in square.as_chunks::<3>().0 {
                    sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u32::from(*value));
                }
            }
        }
        let rows = (band.len() / 3 / width) as u32;
        for (column, sum) in sums.chunks_exact(3).enumerate() {
            let pixels = rows * times.min(width - column * times) as u32;
            small.extend(sum.iter().map(|sum| ((sum + pixels / 2) / pixels) as u8));
        }
    }
    small
}

/// The median of each value and its eight neighbours of the same channel. What lies outside is taken
/// to be as the edge is.
///
/// Each column of three is sorted once; the median of nine is the middle of the largest low, the
/// middle middle and the smallest high (Smith 1996). All of it is minima and maxima over whole rows,
/// which compilers turn into vector instructions.
fn median(rgb: &[u8], width: usize) -> Vec<u8> {
    let row = 3 * width;
    let rows: Vec<&[u8]> = rgb.chunks_exact(row).collect();
    let mut smooth = vec![0; rgb.len()];
    // Each with one pixel more at both ends.
    let [mut low, mut middle, mut high] = [vec![0u8; row + 6], vec![0u8; row + 6], vec![0u8; row + 6]];
    for (y, out) in smooth.chunks_exact_mut(row).enumerate() {
        let here = rows[y];
        let above = if y == 0 { here } else { rows[y - 1] };
        let below = rows.get(y + 1).copied().unwrap_or(here);
        let sorted = low[3..].iter_mut().zip(&mut middle[3..]).zip(&mut high[3..]);
        for (((low, middle), high), ((a, b), c)) in sorted.zip(above.iter().zip(here).zip(below)) {
            let (least, most) = ((*a).min(*b), (*a).max(*b));
            *low = least.min(*c);
            *high = most.max(*c);
            *middle = least.max(most.min(*c));
        }
        for line in [&mut low, &mut middle, &mut high] {
            line.copy_within(3..6, 0);
            line.copy_within(row..row + 3, row + 3);
        }
        let lows = low.iter().zip(&low[3..]).zip(&low[6..]).map(|((a, b), c)| (*a).max(*b).max(*c));
        let middles = middle.iter().zip(&middle[3..]).zip(&middle[6..]).map(|((a, b), c)| middle_of(*a, *b, *c));
        let highs = high.iter().zip(&high[3..]).zip(&high[6..]).map(|((a, b), c)| (*a).min(*b).min(*c));
        for ((out, low), (middle, high)) in out.iter_mut().zip(lows).zip(middles.zip(highs)) {
            *out = middle_of(low, middle, high);
        }
    }
    smooth
}

fn middle_of(a: u8, b: u8, c: u8) -> u8 {
    a.min(b).max(a.max(b).min(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(width: u32, height: u32, rgb: &[u8], smoothing: Smoothing) -> Option<Small> {
        Small::of(&Pixels { width, height, rgb }, smoothing)
    }

    #[test]
    fn the_median_takes_away_single_pixels_and_keeps_edges() {
        // Black, with a white right half and one white speck on the left.
        let mut rgb = vec![0; 3 * 8 * 5];
        for y in 0..5 {
            for x in 4..8 {
                rgb[3 * (y * 8 + x)..][..3].fill(255);
            }
        }
        let clean = rgb.clone();
        rgb[3 * (2 * 8 + 1)..][..3].copy_from_slice(&[255, 9, 200]);
        assert_eq!(small(8, 5, &rgb, Smoothing::Median).unwrap().rgb, clean);
        assert_eq!(small(8, 5, &rgb, Smoothing::None).unwrap().rgb, rgb);
    }

    #[test]
    fn the_median_is_the_middle_of_nine() {
        let rgb: Vec<u8> = (0..3 * 7 * 6).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let smooth = small(7, 6, &rgb, Smoothing::Median).unwrap().rgb;
        for y in 0..6i32 {
            for x in 0..7i32 {
                for channel in 0..3 {
                    let mut nine: Vec<u8> = (-1..=1)
                        .flat_map(|dy| (-1..=1).map(move |dx| ((y + dy).clamp(0, 5), (x + dx).clamp(0, 6))))
                        .map(|(y, x)| rgb[3 * (y * 7 + x) as usize + channel])
                        .collect();
                    nine.sort_unstable();
                    assert_eq!(smooth[3 * (y * 7 + x) as usize + channel], nine[4], "{x}, {y}");
                }
            }
        }
    }

    #[test]
    fn large_pictures_are_made_small_and_wrong_ones_refused() {
        let rgb = vec![77; 3 * 1281 * 3];
        let made = small(1281, 3, &rgb, Smoothing::Median).unwrap();
        assert_eq!((made.width, made.height), (427, 1));
        assert!(made.rgb.iter().all(|value| *value == 77) && made.rgb.len() == 3 * 427);
        assert!(small(0, 3, &[], Smoothing::None).is_none());
        assert!(small(2, 2, &[0; 11], Smoothing::None).is_none());
        assert!(small(u32::MAX, u32::MAX, &[0; 12], Smoothing::None).is_none());
    }
}
