//! Eight bytes of a text looked at in one step.

/// The high bit of each of eight bytes.
pub(crate) const HIGH: u64 = 0x8080_8080_8080_8080;

/// Eight equal bytes.
pub(crate) const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Up to eight bytes, zeros after them.
pub(crate) fn padded(bytes: &[u8]) -> u64 {
    let mut eight = [0; 8];
    eight[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(eight)
}
