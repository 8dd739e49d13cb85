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

#[cfg(test)]
mod tests {
    use crate::picture::Pixels;

    use super::*;

    const WIDTH: u32 = 64;
    const HEIGHT: u32 = 48;

    /// A picture of its number: waves of some directions.
    fn drawn(number: u32, light: f32) -> Vec<u8> {
        let angle = number as f32 * 2.4;
        let (across, down) = (angle.sin() * 0.3, angle.cos() * 0.3);
        let bend = 0.002 * (1.0 + (number % 7) as f32);
        let pixel = |x: f32, y: f32| {
            let wave = (x * across + y * down + bend * x * y + number as f32).sin();
            [wave, -wave, (x * 0.1 + angle).cos()].map(|value| (128.0 + light * value) as u8)
        };
        (0..HEIGHT * WIDTH).flat_map(|n| pixel((n % WIDTH) as f32, (n / WIDTH) as f32)).collect()
    }

    /// A film of pictures, each shown so many times, two frames a second.
    fn film(numbers: impl IntoIterator<Item = u32>, times: u32) -> Film {
        let mut viewer = Viewer::default();
        let mut at = Duration::ZERO;
        for number in numbers {
            for time in 0..times {
                let rgb = drawn(number, 100.0 - time as f32);
                viewer.see(at, &Pixels { width: WIDTH, height: HEIGHT, rgb: &rgb });
                at += Duration::from_millis(500);
            }
        }
        viewer.finish(Some(at), None).expect("something was seen")
    }

    #[test]
    fn scenes_have_a_key_frame_each() {
        let seen = film(0..8, 6);
        assert_eq!(seen.frames.len(), 48);
        let keys: Vec<u64> = seen.hashes().map(|(_, at)| at.as_millis() as u64).collect();
        assert_eq!(keys, (0..8).map(|scene| scene * 3000).collect::<Vec<_>>());
        assert_eq!(seen.duration(), Duration::from_secs(24));
    }

    #[test]
    fn what_shows_nothing_is_left_out() {
        let mut viewer = Viewer::default();
        for grey in [0, 128, 255] {
            let rgb = vec![grey; 3 * (WIDTH * HEIGHT) as usize];
            viewer.see(Duration::ZERO, &Pixels { width: WIDTH, height: HEIGHT, rgb: &rgb });
        }
        viewer.see(Duration::ZERO, &Pixels { width: 0, height: 0, rgb: &[] });
        viewer.see(Duration::ZERO, &Pixels { width: 9, height: 9, rgb: &drawn(1, 100.0) });
        assert_eq!(viewer.finish(None, None), None);
    }

    #[test]
    fn long_films_keep_their_scene_changes() {
        let seen = film(0..150, 5);
        assert_eq!(seen.frames.len(), 512);
        assert!(seen.hashes().count() <= 64);
        let begins = (0..150).filter(|scene| seen.frames.iter().any(|frame| frame.at == scene * 2500)).count();
        assert!(begins >= 140, "{begins} of 150 scenes");
    }

    #[test]
    fn copies_and_parts_are_told_and_others_are_not() {
        let (whole, copy, other) = (film(0..12, 4), film(0..12, 4), film(20..32, 4));
        assert!(same_film(&whole, &copy).is_some_and(|told| told.share == 1.0 && told.sounds.is_none()));
        assert_eq!(same_film(&whole, &other), None);
        let part = film(5..8, 4);
        let found = part_of(&part, &whole).expect("a part");
        assert!(found.at.abs_diff(Duration::from_secs(10)) < Duration::from_secs(1), "{found:?}");
        assert_eq!((part_of(&part, &other), same_film(&part, &whole), part_of(&whole, &part)), (None, None, None));
        let backwards = film((0..12).rev(), 4);
        assert_eq!(same_film(&whole, &backwards), None, "the order counts");
    }

    #[test]
    fn films_are_kept_as_they_are_and_damaged_bytes_are_nothing() {
        let mut seen = film(0..3, 2);
        for sound in [None, Sound::of(&[0.25; 8000])] {
            seen.sound = sound;
            let bytes = seen.to_bytes();
            assert_eq!(Film::from_bytes(&bytes).as_ref(), Some(&seen));
            // Without its sound it would be another film; nobody cuts exactly there.
            let whole = seen.sound.is_some().then(|| bytes.len() - seen.sound.iter().flat_map(Sound::to_bytes).count());
            for end in (0..bytes.len()).filter(|end| Some(*end) != whole) {
                assert_eq!(Film::from_bytes(&bytes[..end]), None, "{end}");
            }
        }
    }
}
