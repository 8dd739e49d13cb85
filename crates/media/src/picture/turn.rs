//! The eight ways to hold a picture.

use std::fmt;

/// How one picture has to be turned or mirrored to look like another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn(u8);

impl Turn {
    /// Swap rows and columns; first, before the other two.
    const TRANSPOSED: u8 = 4;
    /// Left becomes right.
    const MIRRORED: u8 = 1;
    /// Top becomes bottom.
    const UPSIDE_DOWN: u8 = 2;

    /// As it is.
    pub const UPRIGHT: Self = Self(0);

    /// All eight.
    pub const ALL: [Self; 8] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    pub(super) fn new(transposed: bool, mirrored: bool, upside_down: bool) -> Self {
        let part = |is: bool, part| if is { part } else { 0 };
        Self(part(transposed, Self::TRANSPOSED) | part(mirrored, Self::MIRRORED) | part(upside_down, Self::UPSIDE_DOWN))
    }

    /// Whether rows become columns.
    pub fn transposes(self) -> bool {
        self.0 & Self::TRANSPOSED != 0
    }

    /// Whether left becomes right (after rows and columns were swapped, where they are).
    pub fn mirrors(self) -> bool {
        self.0 & Self::MIRRORED != 0
    }

    /// Whether top becomes bottom (after rows and columns were swapped, where they are).
    pub fn overturns(self) -> bool {
        self.0 & Self::UPSIDE_DOWN != 0
    }

    pub(super) fn number(self) -> u8 {
        self.0
    }

    pub(super) fn numbered(number: u8) -> Self {
        Self(number & 7)
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "as it is",
            1 => "mirrored",
            2 => "upside down and mirrored",
            3 => "upside down",
            4 => "mirrored and turned to the left",
            5 => "turned to the right",
            6 => "turned to the left",
            _ => "mirrored and turned to the right",
        })
    }
}
