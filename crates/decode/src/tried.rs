//! What the fuzz targets try that is private elsewhere: what is said to child processes, and what they say.

use std::time::Duration;

use crate::ffmpeg::{Said, Tracks};
use crate::film::small;

/// An AVIF or HEIC file without its turns and mirrors, as a decoder gets it.
pub fn as_stored(bytes: &[u8]) -> Vec<u8> {
    crate::heif::as_stored(bytes)
}

/// How long a film says it lasts and the size of the frames that are looked at, by what ffprobe says of its file.
pub fn probed(said: &[u8]) -> Option<(Option<Duration>, (u32, u32))> {
    let tracks = Tracks::of(serde_json::from_slice::<Said>(said).ok()?);
    let film = tracks.film.as_ref()?;
    Some((tracks.duration, small(film.width, film.height)))
}
