//! What a film looks like.
//!
//! A [`Viewer`] sees frames as they come and makes a [`Film`] of them: how it looks on the whole, what
//! is seen when, and how it sounds. That tells whether two films are the same ([`same_film`]), or one
//! is [a part](part_of) of the other.

mod compare;
mod viewer;
mod written;

use std::time::Duration;

pub use self::compare::{FilmMatch, part_of, same_film};
pub use self::viewer::Viewer;
use crate::picture::{Look, PictureHash};
use crate::sound::Sound;

/// What a film looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    milliseconds: u32,
    /// The mean of its key frames.
    look: Look,
    /// In order of time.
    frames: Vec<Frame>,
    sound: Option<Sound>,
}

/// A moment of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    /// Milliseconds from the beginning.
    at: u32,
    hash: PictureHash,
    /// Whether it stands for frames that are like it.
    key: bool,
}

impl Film {
    /// Goes up when any formula changes: older descriptions are made again, never compared with
    /// newer ones. Those of pictures and sounds are part of it.
    pub const VERSION: u16 = 1 + 256 * Look::VERSION + 16 * Sound::VERSION;

    /// How long it lasts.
    pub fn duration(&self) -> Duration {
        Duration::from_millis(self.milliseconds.into())
    }

    /// How it looks on the whole: the mean of its key frames. Films are ranked by it as pictures
    /// are.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// How it sounds.
    pub fn sound(&self) -> Option<&Sound> {
        self.sound.as_ref()
    }

    /// What an index of films is fed with, and asked with: the hashes of key frames that show
    /// something, at most 64, in order of time. The same film, and a part of it, have some that
    /// differ in at most [`Look::RADIUS`] bits. They are as the film is shown: turned and mirrored
    /// ones are not found by them.
    pub fn hashes(&self) -> impl Iterator<Item = (PictureHash, Duration)> + '_ {
        let shows = |frame: &&Frame| frame.key && frame.shows_something();
        self.frames.iter().filter(shows).map(|frame| (frame.hash, frame.at()))
    }
}

impl Frame {
    fn at(&self) -> Duration {
        Duration::from_millis(self.at.into())
    }

    fn shows_something(&self) -> bool {
        self.hash.quality >= PictureHash::LEAST_QUALITY
    }
}
