//! A table of entries sorted by key, searched where it lies.

use super::layout::STRIDE;

/// The entries, and offsets of some of them.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) entries: &'static [u8],
    pub(super) index: &'static [u8],
}

/// LEB128; the number and the bytes it took. Outside the bytes it is zero.
pub(super) fn varint(bytes: &[u8], at: usize) -> (u64, usize) {
    let mut value = 0u64;
    for length in 0..10usize {
        let byte = at.checked_add(length).and_then(|at| bytes.get(at)).copied().unwrap_or(0);
        value |= u64::from(byte & 0x7F).checked_shl(7 * length as u32).unwrap_or(0);
        if byte & 0x80 == 0 {
            return (value, length + 1);
        }
    }
    (value, 10)
}

impl Table {
    /// The entry at an offset, and where the next is.
    fn at(&self, offset: usize) -> Option<(&'static [u8], &'static [u8], usize)> {
        if offset >= self.entries.len() {
            return None;
        }
        let (key_length, first) = varint(self.entries, offset);
        let (value_length, second) = varint(self.entries, offset + first);
        let key_at = offset + first + second;
        let value_at = key_at.checked_add(usize::try_from(key_length).ok()?)?;
        let end = value_at.checked_add(usize::try_from(value_length).ok()?)?;
        Some((self.entries.get(key_at..value_at)?, self.entries.get(value_at..end)?, end))
    }

    fn offset(&self, number: usize) -> usize {
        let bytes = self.index.get(number * 8..number * 8 + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(usize::MAX, |bytes| u64::from_le_bytes(bytes) as usize)
    }

    /// All entries whose keys begin so.
    pub(super) fn with_prefix(self, prefix: &[u8]) -> impl Iterator<Item = (&'static [u8], &'static [u8])> {
        // The last of the indexed entries before the first of them.
        let (mut low, mut high) = (0, self.index.len() / 8);
        while low < high {
            let middle = low.midpoint(high);
            match self.at(self.offset(middle)) {
                Some((key, ..)) if key < prefix => low = middle + 1,
                _ => high = middle,
            }
        }
        let mut at = if self.index.is_empty() { usize::MAX } else { self.offset(low.saturating_sub(1)) };
        let prefix = prefix.to_vec();
        let mut before = STRIDE;
        std::iter::from_fn(move || {
            loop {
                let (key, value, next) = self.at(at)?;
                at = next;
                if key.starts_with(&prefix) {
                    return Some((key, value));
                }
                // Only what stands before them is passed over.
                before = before.checked_sub(1)?;
                if key > prefix.as_slice() {
                    return None;
                }
            }
        })
    }
}
