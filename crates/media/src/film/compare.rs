//! Two films, one along the other.

use std::time::Duration;

use super::{Film, Frame};
use crate::sound;

/// Frames that differ in more bits do not show the same.
const RADIUS: u32 = 64;

/// Copies of one film last the same, but for a few frames.
const LASTS: f64 = 0.02;
const LASTS_AT_LEAST: f64 = 1.5;

/// Frames that must be the same, as a share of those of the film that has fewer.
const SHARE: f64 = 0.6;
/// The same, when they are few that differ from each other, as of a still picture.
const SHARE_OF_FEW: f64 = 0.8;
/// The same, and how many must differ from each other, when the sound is another.
const SHARE_WITH_OTHER_SOUND: f64 = 0.8;
const DIFFERENT_WITH_OTHER_SOUND: usize = 3;
/// The same, for a part: fewer frames are taken of a whole that is longer.
const SHARE_OF_PART: f64 = 0.5;
/// The same, when the sound says that it is the same film.
const SHARE_WITH_SOUND: f64 = 0.15;
/// Frames that must be the same; and, of films as a whole, differ from each other.
const LEAST: usize = 3;

/// Seconds that two frames may be apart beside the time between frames …
const SLACK: f64 = 0.3;
/// … and in all.
const MOST_SLACK: f64 = 12.0;

/// Why two films are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmMatch {
    /// Where in the longer one the shorter begins.
    pub at: Duration,
    /// The share of its frames that are seen there, to 1.
    pub share: f64,
    /// Whether the sound is the same too; nothing when one of them has none.
    pub sounds: Option<bool>,
}

/// Whether two films are one: in another format, size or rate of frames.
pub fn same_film(a: &Film, b: &Film) -> Option<FilmMatch> {
    let (a_lasts, b_lasts) = (a.duration().as_secs_f64(), b.duration().as_secs_f64());
    if (a_lasts - b_lasts).abs() > (LASTS * a_lasts.max(b_lasts)).max(LASTS_AT_LEAST) {
        return None;
    }
    let sounds = a.sound.as_ref().zip(b.sound.as_ref()).map(|(a, b)| sound::same_sound(a, b).is_some());
    let (fewer, more) = if a.frames.len() <= b.frames.len() { (a, b) } else { (b, a) };
    let seen = Seen::at(fewer, more, 0.0, slack(a, b));
    let same = match sounds {
        Some(true) => seen.same > 0 && seen.share() >= SHARE_WITH_SOUND,
        Some(false) => seen.different >= DIFFERENT_WITH_OTHER_SOUND && seen.share() >= SHARE_WITH_OTHER_SOUND,
        None if seen.different >= LEAST => seen.share() >= SHARE,
        None => seen.same > 0 && seen.share() >= SHARE_OF_FEW,
    };
    same.then(|| FilmMatch { at: Duration::ZERO, share: seen.share(), sounds })
}

/// Where in a whole a part of it is.
pub fn part_of(part: &Film, whole: &Film) -> Option<FilmMatch> {
    let (part_lasts, whole_lasts) = (part.duration().as_secs_f64(), whole.duration().as_secs_f64());
    if part_lasts + LASTS_AT_LEAST > whole_lasts {
        return None;
    }
    let slack = slack(part, whole);
    let last = whole_lasts - part_lasts + slack + LASTS_AT_LEAST;
    let fits = |offset: &f64| (-slack - LASTS_AT_LEAST..=last).contains(offset);
    let told = |offset: f64, seen: &Seen, sounds| FilmMatch {
        at: Duration::from_secs_f64(offset.max(0.0)),
        share: seen.share(),
        sounds,
    };
    let sounds = part.sound.as_ref().zip(whole.sound.as_ref());
    if let Some(heard) = sounds.and_then(|(part, whole)| sound::part_of(part, whole)) {
        let offset = heard.at.as_secs_f64();
        let seen = Seen::at(part, whole, offset, slack);
        if seen.same > 0 && seen.share() >= SHARE_WITH_SOUND {
            return Some(told(offset, &seen, Some(true)));
        }
    }
    let mut offsets: Vec<f64> = Vec::new();
    for frame in part.frames.iter().filter(|frame| frame.shows_something()) {
        let same = whole.frames.iter().filter(|other| other.hash.distance(&frame.hash) <= RADIUS);
        offsets.extend(same.map(|other| seconds(other) - seconds(frame)).filter(fits));
    }
    offsets.sort_by(f64::total_cmp);
    let offset = densest(&offsets, slack)?;
    let seen = Seen::at(part, whole, offset, slack);
    let found = seen.same >= LEAST && seen.share() >= SHARE_OF_PART;
    found.then(|| told(offset, &seen, sounds.map(|_| false)))
}

/// How far two frames may be apart in time and show the same moment.
fn slack(a: &Film, b: &Film) -> f64 {
    (step(a).max(step(b)) + SLACK).min(MOST_SLACK)
}

/// The usual time between frames.
fn step(film: &Film) -> f64 {
    let mut steps: Vec<u32> =
        film.frames.windows(2).filter_map(|two| two.last()?.at.checked_sub(two.first()?.at)).collect();
    let middle = steps.len() / 2;
    if steps.is_empty() { 0.0 } else { f64::from(*steps.select_nth_unstable(middle).1) / 1000.0 }
}

fn seconds(frame: &Frame) -> f64 {
    f64::from(frame.at) / 1000.0
}

/// The frames of one film that are seen in another, from a moment of it on.
struct Seen {
    same: usize,
    of: usize,
    /// Of those that are the same, how many differ from each other; more than are asked for are not counted.
    different: usize,
}

impl Seen {
    fn at(part: &Film, whole: &Film, offset: f64, slack: f64) -> Self {
        let (mut same, mut of) = (0, 0);
        let mut different: Vec<&Frame> = Vec::new();
        for frame in part.frames.iter().filter(|frame| frame.shows_something()) {
            let at = seconds(frame) + offset;
            let from = whole.frames.partition_point(|other| seconds(other) < at - slack);
            let near = whole.frames.iter().skip(from).take_while(|other| seconds(other) <= at + slack);
            of += 1;
            if near.into_iter().any(|other| other.hash.distance(&frame.hash) <= RADIUS) {
                same += 1;
                let new = different.iter().all(|other| other.hash.distance(&frame.hash) > RADIUS);
                if new && different.len() < DIFFERENT_WITH_OTHER_SOUND {
                    different.push(frame);
                }
            }
        }
        Self { same, of, different: different.len() }
    }

    fn share(&self) -> f64 {
        self.same as f64 / self.of.max(1) as f64
    }
}

/// The middle of the closest crowd among sorted offsets.
fn densest(offsets: &[f64], width: f64) -> Option<f64> {
    let (mut best, mut from) = (None, 0);
    for (to, offset) in offsets.iter().enumerate() {
        while offsets.get(from).is_some_and(|first| offset - first > width) {
            from += 1;
        }
        let crowd = offsets.get(from..=to).unwrap_or_default();
        if best.is_none_or(|(most, _)| crowd.len() > most) {
            best = crowd.get(crowd.len() / 2).map(|middle| (crowd.len(), *middle));
        }
    }
    best.map(|(_, offset)| offset)
}
