//! Why there are no pixels.

use thiserror::Error;

/// A file that cannot be shown or heard, or a picture that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// There is no decoder for this format.
    #[error("{format} files cannot be decoded")]
    Unsupported {
        /// The name of the format.
        format: &'static str,
    },
    /// It has more pixels than the limits allow.
    #[error("{width} × {height} pixels are more than the {most} allowed")]
    TooManyPixels {
        /// Columns, by its header.
        width: u32,
        /// Rows, by its header.
        height: u32,
        /// What is allowed.
        most: u64,
    },
    /// Decoding it would take more memory than the limits allow.
    #[error("decoding it takes more than the {most} bytes of memory allowed")]
    TooMuchMemory {
        /// What is allowed, in bytes.
        most: u64,
    },
    /// A JPEG goes over its pixels so often that it can only be meant to keep us busy.
    #[error("{scans} passes over {width} × {height} pixels are more work than is allowed")]
    TooManyScans {
        /// Columns, by its header.
        width: u32,
        /// Rows, by its header.
        height: u32,
        /// How often it goes over them.
        scans: u32,
    },
    /// Its bytes are not those of a picture of the format, or of a kind the decoder does not know.
    #[error("the file is damaged or of a rare kind: {0}")]
    Broken(String),
    /// The program that decodes such files is not installed.
    #[error("{program} is missing: install the package {package} (as root: apt-get install {package}) and try again")]
    Missing {
        /// What it is called.
        program: &'static str,
        /// The Debian package that brings it.
        package: &'static str,
    },
    /// The program that decodes such files is there, and does not run.
    #[error("{program} cannot be run ({why}): try it by hand, and install it again if it does not work there")]
    CannotRun {
        /// What it is called.
        program: &'static str,
        /// What the system says.
        why: String,
    },
    /// Decoding it takes longer than is allowed.
    #[error("decoding it takes more than the {seconds} seconds allowed")]
    TooLong {
        /// What is allowed.
        seconds: u64,
    },
    /// There is no film in it: no track of pictures, or none that shows anything.
    #[error("the file has no moving pictures")]
    NoFilm,
    /// There is no sound in it: no track of sound, or one without samples.
    #[error("the file has no sound")]
    NoSound,
    /// The file itself cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    /// A [`Picture`](crate::Picture) whose bytes are not those of its size.
    #[error("a picture of {width} × {height} pixels cannot have {bytes} bytes")]
    Misshapen {
        /// Columns it claims.
        width: u32,
        /// Rows it claims.
        height: u32,
        /// Bytes it has.
        bytes: usize,
    },
}

impl DecodeError {
    /// The reason it is counted under, in the words used for media that are not kept: `format`,
    /// `too-large` or `broken`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } | Self::Missing { .. } | Self::CannotRun { .. } => "format",
            Self::TooManyPixels { .. }
            | Self::TooMuchMemory { .. }
            | Self::TooManyScans { .. }
            | Self::TooLong { .. } => "too-large",
            Self::Broken(_) | Self::Misshapen { .. } | Self::NoFilm | Self::NoSound | Self::Unreadable(_) => "broken",
        }
    }
}
