//! The right way up.

use crate::Picture;

/// Turns and mirrors a stored picture as its EXIF orientation says (EXIF 2.32, tag 0x0112).
pub(crate) fn upright(stored: Picture, orientation: u8) -> Picture {
    let (width, height) = (stored.width as usize, stored.height as usize);
    let (right, bottom) = (width.saturating_sub(1), height.saturating_sub(1));
    // For each place of the result, the column and row it is stored at.
    match orientation {
        2 => gather(&stored, width, height, |x, y| (right - x, y)),
        3 => gather(&stored, width, height, |x, y| (right - x, bottom - y)),
        4 => gather(&stored, width, height, |x, y| (x, bottom - y)),
        5 => gather(&stored, height, width, |x, y| (y, x)),
        6 => gather(&stored, height, width, |x, y| (y, bottom - x)),
        7 => gather(&stored, height, width, |x, y| (right - y, bottom - x)),
        8 => gather(&stored, height, width, |x, y| (right - y, x)),
        _ => stored,
    }
}

fn gather(stored: &Picture, width: usize, height: usize, from: impl Fn(usize, usize) -> (usize, usize)) -> Picture {
    let (pixels, _) = stored.rgb.as_chunks::<3>();
    let columns = stored.width as usize;
    let mut rgb = Vec::with_capacity(stored.rgb.len());
    for y in 0..height {
        for x in 0..width {
            let (column, row) = from(x, y);
            rgb.extend_from_slice(&pixels[row * columns + column]);
        }
    }
    Picture { width: width as u32, height: height as u32, rgb, exact: stored.exact }
}
