//! Figures of the library that take a look at every image.

/// Images by where they were made, and by when they came in; and how large all media are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// By two-letter code of the country they are shown in, most first.
    pub countries: Vec<(String, u64)>,
    /// By month, as `2026-01`, oldest first.
    pub months: Vec<(String, u64)>,
    /// Bytes of all media files, thumbnails left out.
    pub bytes: u64,
}
