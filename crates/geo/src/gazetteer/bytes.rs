//! Reading little numbers that lie anywhere. Outside the bytes everything is zero or "none", so a
//! damaged file gives wrong answers at worst.

/// Bytes of a section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) &'static [u8]);

impl Bytes {
    pub(crate) fn u8(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(u8::MAX)
    }

    pub(crate) fn u16(self, at: usize) -> u16 {
        match self.0.get(at..at.saturating_add(2)) {
            Some(bytes) => u16::from(bytes[0]) | u16::from(bytes[1]) << 8,
            None => u16::MAX,
        }
    }

    pub(crate) fn u24(self, at: usize) -> u32 {
        match self.0.get(at..at.saturating_add(3)) {
            Some(bytes) => u32::from(bytes[0]) | u32::from(bytes[1]) << 8 | u32::from(bytes[2]) << 16,
            None => super::layout::NONE24,
        }
    }

    pub(crate) fn i24(self, at: usize) -> i32 {
        ((self.u24(at) << 8) as i32) >> 8
    }

    /// LEB128; the number and the bytes it took.
    pub(crate) fn varint(self, at: usize) -> (u32, usize) {
        let mut value = 0u32;
        for length in 0..5 {
            let byte = self.0.get(at + length).copied().unwrap_or(0);
            value |= u32::from(byte & 0x7F).checked_shl(7 * length as u32).unwrap_or(0);
            if byte & 0x80 == 0 {
                return (value, length + 1);
            }
        }
        (value, 5)
    }

    /// A length byte and that much text.
    pub(crate) fn text(self, at: usize) -> &'static str {
        let length = usize::from(self.0.get(at).copied().unwrap_or(0));
        self.0.get(at + 1..at + 1 + length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    pub(crate) fn records(self, size: usize) -> usize {
        self.0.len() / size
    }
}
