//! Two fingerprints, one along the other.

use std::time::Duration;

use super::spectrum::FRAMES_A_SECOND;
use super::{Landmark, Sound, moment};

/// A key that is there more often says little: further ones are not looked at.
const MOST_OF_A_KEY: usize = 24;

/// Frames that two landmarks may be off: frames of the two sounds do not begin at the same moment.
const SLACK: i64 = 1;

/// Landmarks that two sounds must have in common, whatever share that is: chance gives three or four.
const LEAST: usize = 8;
/// The share of the landmarks of the shorter one that must be in the longer one.
const SHARE: f64 = 0.10;
/// Of four quarters of the shorter, in how many some must be.
const QUARTERS: usize = 3;

/// Copies of one sound last the same, but for what codecs put before and after.
const LASTS: f64 = 0.03;
const LASTS_AT_LEAST: f64 = 1.5;

/// Why two sounds are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundMatch {
    /// Where in the longer one the shorter begins.
    pub at: Duration,
    /// The share of its landmarks that are found there, to 1.
    pub share: f64,
}

/// Whether two sounds are one: in another format, at another rate or volume.
pub fn same_sound(a: &Sound, b: &Sound) -> Option<SoundMatch> {
    let (a_lasts, b_lasts) = (a.duration().as_secs_f64(), b.duration().as_secs_f64());
    let slack = (LASTS * a_lasts.max(b_lasts)).max(LASTS_AT_LEAST);
    if (a_lasts - b_lasts).abs() > slack {
        return None;
    }
    let (shorter, longer) = if a.landmarks.len() <= b.landmarks.len() { (a, b) } else { (b, a) };
    let aligned = align(&shorter.landmarks, &longer.landmarks, |offset| seconds(offset).abs() <= slack)?;
    aligned.convinces().then(|| aligned.told())
}

/// Where in a whole a part of it is.
pub fn part_of(part: &Sound, whole: &Sound) -> Option<SoundMatch> {
    let (part_lasts, whole_lasts) = (part.duration().as_secs_f64(), whole.duration().as_secs_f64());
    if part_lasts + LASTS_AT_LEAST > whole_lasts {
        return None;
    }
    let last = whole_lasts - part_lasts + LASTS_AT_LEAST;
    let fits = |offset: i64| (-LASTS_AT_LEAST..=last).contains(&seconds(offset));
    let aligned = align(&part.landmarks, &whole.landmarks, fits)?;
    aligned.convinces().then(|| aligned.told())
}

fn seconds(frames: i64) -> f64 {
    frames as f64 / FRAMES_A_SECOND
}

/// The best place of one fingerprint along another.
struct Aligned {
    offset: i64,
    hits: usize,
    of: usize,
    /// Quarters, in time, of the shorter that have hits.
    quarters: usize,
}

impl Aligned {
    fn convinces(&self) -> bool {
        self.hits >= LEAST && self.share() >= SHARE && self.quarters >= QUARTERS
    }

    fn share(&self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    fn told(&self) -> SoundMatch {
        SoundMatch { at: moment(self.offset), share: self.share() }
    }
}

fn align(part: &[Landmark], whole: &[Landmark], fits: impl Fn(i64) -> bool) -> Option<Aligned> {
    let mut by_key: Vec<(u32, u32)> = whole.iter().map(|landmark| (landmark.key, landmark.at)).collect();
    by_key.sort_unstable();
    let of_key = |key: u32| {
        let from = by_key.partition_point(|(other, _)| *other < key);
        by_key.get(from..).unwrap_or_default().iter().take_while(move |(other, _)| *other == key).map(|(_, at)| *at)
    };
    let off = |landmark: &Landmark, at: u32| i64::from(at) - i64::from(landmark.at);
    let mut votes: Vec<i64> = Vec::new();
    for landmark in part {
        let offsets = of_key(landmark.key).take(MOST_OF_A_KEY).map(|at| off(landmark, at));
        votes.extend(offsets.filter(|offset| fits(*offset)));
    }
    votes.sort_unstable();
    let offset = densest(&votes)?;
    let hits: Vec<&Landmark> = part
        .iter()
        .filter(|landmark| of_key(landmark.key).any(|at| (off(landmark, at) - offset).abs() <= SLACK))
        .collect();
    let (first, last) = (part.first()?.at, part.last()?.at);
    let length = u64::from(last - first) + 1;
    let quarter = |landmark: &&Landmark| (u64::from(landmark.at - first) * 4 / length) as usize;
    let mut seen = [false; 4];
    hits.iter().for_each(|hit| {
        if let Some(seen) = seen.get_mut(quarter(hit)) {
            *seen = true
        }
    });
    let quarters = seen.iter().filter(|seen| **seen).count();
    Some(Aligned { offset, hits: hits.len(), of: part.len(), quarters })
}

/// The middle of the closest crowd among sorted votes.
fn densest(votes: &[i64]) -> Option<i64> {
    let (mut best, mut from) = (None, 0);
    for (to, vote) in votes.iter().enumerate() {
        while votes.get(from).is_some_and(|first| vote - first > 2 * SLACK) {
            from += 1;
        }
        let crowd = votes.get(from..=to).unwrap_or_default();
        if best.is_none_or(|(most, _)| crowd.len() > most) {
            best = crowd.get(crowd.len() / 2).map(|middle| (crowd.len(), *middle));
        }
    }
    best.map(|(_, offset)| offset)
}
