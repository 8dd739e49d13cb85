//! MPEG-1 and -2 films: the size from the first sequence header.

use crate::container::Reading;
use crate::parts::{REACH, Window};

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    let head = file.peek(0, file.len().min(REACH as u64)).unwrap_or_else(|| file.peek(0, 16 << 10).unwrap_or_default());
    let sequence = head.windows(7).find(|bytes| bytes.starts_with(&[0, 0, 1, 0xb3]));
    if let Some(&[_, _, _, _, a, b, c]) = sequence {
        // Twelve bits each.
        let (width, height) = (u32::from(a) << 4 | u32::from(b >> 4), u32::from(b & 15) << 8 | u32::from(c));
        reading.size(width, height);
    }
}
