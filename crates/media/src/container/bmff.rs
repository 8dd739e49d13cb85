//! Boxes of the ISO base media file format: MP4, MOV, HEIF and JPEG XL are made of them.

use crate::parts::Window;

/// As many boxes of one level as are looked at.
const MAX_BOXES: usize = 2000;

/// A box: four letters and a body.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub kind: [u8; 4],
    pub body: Window<'a>,
    /// Whether all of it is inside of what it is in.
    pub complete: bool,
    /// Where the next one begins.
    pub next: u64,
}

/// The boxes one after the other, as far as their heads can be read.
pub(crate) fn boxes<'a>(window: Window<'a>) -> impl Iterator<Item = Unit<'a>> {
    let mut at = 0;
    (0..MAX_BOXES).map_while(move |_| {
        let unit = unit(window, at)?;
        at = unit.next;
        Some(unit)
    })
}

/// The body of the first box of this kind.
pub(crate) fn find<'a>(window: Window<'a>, kind: &[u8; 4]) -> Option<Window<'a>> {
    boxes(window).find(|unit| unit.kind == *kind).map(|unit| unit.body)
}

/// Whether boxes follow one another from here to the very end.
pub(crate) fn reaches_end(window: Window<'_>, mut at: u64) -> bool {
    for _ in 0..32 {
        if at == window.len() {
            return true;
        }
        match unit(window, at) {
            Some(unit) if unit.complete && unit.kind.iter().all(|letter| (0x20..0x7f).contains(letter)) => {
                at = unit.next
            }
            _ => return false,
        }
    }
    false
}

/// The box at this place.
pub(crate) fn unit(window: Window<'_>, at: u64) -> Option<Unit<'_>> {
    if at >= window.len() {
        return None;
    }
    let kind = window.array(at + 4)?;
    let (head, length) = match u64::from(window.u32(at)?) {
        0 => (8, window.len() - at),
        1 => (16, window.u64(at + 8)?),
        length => (8, length),
    };
    let body = window.window(at + head, length.checked_sub(head)?);
    let next = at.checked_add(length)?;
    Some(Unit { kind, body, complete: next <= window.len(), next })
}
