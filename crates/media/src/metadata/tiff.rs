//! Directories of TIFF, which EXIF is written in too.

use crate::metadata::text::text;
use crate::parts::Window;

/// As many entries of a directory as are read.
const MAX_ENTRIES: u64 = 1000;

/// A TIFF structure: its byte order, and the width of its offsets.
#[derive(Clone, Copy)]
pub(crate) struct Tiff<'a> {
    window: Window<'a>,
    little: bool,
    /// BigTIFF: offsets and counts of eight bytes.
    big: bool,
}

/// One entry of a directory, its value not yet looked at.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    tiff: Tiff<'a>,
    pub tag: u16,
    kind: Kind,
    pub count: u64,
    /// Where the value is.
    pub at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Byte,
    Ascii,
    Short,
    Long,
    Rational,
    Undefined,
    Float,
    Double,
    Long8,
    SignedByte,
    SignedShort,
    SignedLong,
    SignedRational,
}

/// A directory; empty where there is none that is whole.
pub(crate) struct Directory<'a> {
    pub entries: Vec<Entry<'a>>,
}

impl<'a> Tiff<'a> {
    /// The structure that starts here, and where its first directory is.
    pub fn open(window: Window<'a>) -> Option<(Self, u64)> {
        let start: [u8; 4] = window.array(0)?;
        let little = match &start[..2] {
            b"II" => true,
            b"MM" => false,
            _ => return None,
        };
        let mut tiff = Self { window, little, big: false };
        match tiff.u16(2)? {
            // Olympus writes RO or RS in place of 42.
            42 | 0x4f52 | 0x5352 => Some((tiff, u64::from(tiff.u32(4)?))),
            43 if tiff.u16(4)? == 8 => {
                tiff.big = true;
                Some((tiff, tiff.u64(8)?))
            }
            _ => None,
        }
    }

    /// The directory at this place.
    pub fn directory(&self, at: u64) -> Directory<'a> {
        let none = Directory { entries: Vec::new() };
        // Offsets below the header belong to no directory, and zero says that there is none.
        if at < 8 {
            return none;
        }
        let (count, first, size) = match self.big {
            false => (self.u16(at).map(u64::from), at.saturating_add(2), 12),
            true => (self.u64(at), at.saturating_add(8), 20),
        };
        let Some(count) = count else { return none };
        // A directory that is not inside the file as a whole, or does not start with an entry, is
        // none. One request for all of it, instead of one for each entry.
        if count > MAX_ENTRIES || self.window.get(first, count * size).is_none() || self.entry(first).is_none() {
            return none;
        }
        Directory { entries: (0..count).filter_map(|nth| self.entry(first + nth * size)).collect() }
    }

    fn entry(&self, at: u64) -> Option<Entry<'a>> {
        let kind = Kind::from_number(self.u16(at + 2)?)?;
        let (count, value, inline) = match self.big {
            false => (u64::from(self.u32(at + 4)?), at + 8, 4),
            true => (self.u64(at + 4)?, at + 12, 8),
        };
        let value = match count.checked_mul(kind.size())? {
            size if size <= inline => value,
            _ if self.big => self.u64(value)?,
            _ => u64::from(self.u32(value)?),
        };
        Some(Entry { tiff: *self, tag: self.u16(at)?, kind, count, at: value })
    }

    fn u16(&self, at: u64) -> Option<u16> {
        self.window.array::<2>(at).map(|bytes| self.number(bytes) as u16)
    }

    fn u32(&self, at: u64) -> Option<u32> {
        self.window.array::<4>(at).map(|bytes| self.number(bytes) as u32)
    }

    fn u64(&self, at: u64) -> Option<u64> {
        self.window.array::<8>(at).map(|bytes| self.number(bytes))
    }

    /// Up to eight bytes as a number.
    fn number<const N: usize>(&self, mut bytes: [u8; N]) -> u64 {
        if self.little {
            bytes.reverse();
        }
        bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl<'a> Entry<'a> {
    /// Whether the value is inside the file.
    pub fn is_inside(&self) -> bool {
        self.size().is_some_and(|size| self.tiff.window.holds(self.at, size))
    }

    /// The value as bytes.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        self.tiff.window.get(self.at, self.size()?)
    }

    /// The value as bytes, as many as are here.
    pub fn prefix(&self) -> &'a [u8] {
        self.tiff.window.prefix(self.at, self.size().unwrap_or(0))
    }

    /// The first bytes of the value, at most so many.
    pub fn start(&self, limit: u64) -> &'a [u8] {
        self.tiff.window.prefix(self.at, self.size().unwrap_or(0).min(limit))
    }

    /// Whether the structure counts bytes from the least significant.
    pub fn is_little_endian(&self) -> bool {
        self.tiff.little
    }

    /// The first of its whole numbers.
    pub fn unsigned(&self) -> Option<u64> {
        self.nth_unsigned(0)
    }

    /// One of its whole numbers.
    pub fn nth_unsigned(&self, nth: u64) -> Option<u64> {
        if nth >= self.count {
            return None;
        }
        let at = self.at.checked_add(nth.checked_mul(self.kind.size())?)?;
        match self.kind {
            Kind::Byte | Kind::Undefined => self.tiff.window.u8(at).map(u64::from),
            Kind::Short => self.tiff.u16(at).map(u64::from),
            Kind::Long => self.tiff.u32(at).map(u64::from),
            Kind::Long8 => self.tiff.u64(at),
            _ => None,
        }
    }

    /// The value as text.
    pub fn text(&self) -> Option<String> {
        // Some writers call text bytes.
        match self.kind {
            Kind::Ascii | Kind::Byte | Kind::Undefined => text(self.bytes()?),
            _ => None,
        }
    }

    /// Its numbers, whole or not, at most `N`; a zero denominator gives what is not a number.
    pub fn numbers<const N: usize>(&self) -> Option<Vec<f64>> {
        let size = self.kind.size();
        let value = |at: u64| -> Option<f64> {
            Some(match self.kind {
                Kind::Rational => f64::from(self.tiff.u32(at)?) / nonzero(f64::from(self.tiff.u32(at + 4)?)),
                Kind::SignedRational => {
                    let (above, below) = (self.tiff.u32(at)? as i32, self.tiff.u32(at + 4)? as i32);
                    f64::from(above) / nonzero(f64::from(below))
                }
                Kind::Float => f64::from(f32::from_bits(self.tiff.u32(at)?)),
                Kind::Double => f64::from_bits(self.tiff.u64(at)?),
                Kind::Byte => f64::from(self.tiff.window.u8(at)?),
                Kind::Short => f64::from(self.tiff.u16(at)?),
                Kind::Long => f64::from(self.tiff.u32(at)?),
                Kind::SignedLong => f64::from(self.tiff.u32(at)? as i32),
                _ => return None,
            })
        };
        (0..self.count.min(N as u64)).map(|nth| value(self.at.checked_add(nth * size)?)).collect()
    }

    fn size(&self) -> Option<u64> {
        self.count.checked_mul(self.kind.size())
    }
}

fn nonzero(below: f64) -> f64 {
    if below == 0.0 { f64::NAN } else { below }
}

impl Kind {
    fn from_number(number: u16) -> Option<Self> {
        Some(match number {
            1 => Self::Byte,
            2 | 129 => Self::Ascii,
            3 => Self::Short,
            4 | 13 => Self::Long,
            5 => Self::Rational,
            6 => Self::SignedByte,
            7 => Self::Undefined,
            8 => Self::SignedShort,
            9 => Self::SignedLong,
            10 => Self::SignedRational,
            11 => Self::Float,
            12 => Self::Double,
            16 | 18 => Self::Long8,
            _ => return None,
        })
    }

    fn size(self) -> u64 {
        match self {
            Self::Byte | Self::Ascii | Self::Undefined | Self::SignedByte => 1,
            Self::Short | Self::SignedShort => 2,
            Self::Long | Self::SignedLong | Self::Float => 4,
            Self::Rational | Self::SignedRational | Self::Double | Self::Long8 => 8,
        }
    }
}
