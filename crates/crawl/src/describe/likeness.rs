//! Whether what looks alike is a copy.

use facts::{MediaId, MediaKind};
use media::sound::Signatures;
use media::{Extent, Film, Look, Mix, Sound, Turn, film, near_copy, picture_part, sound};
use store::{Candidate, Clue, CopyFound, CopyReason, Description, Example, Traces};

use super::seen::version;

/// Candidates that are compared with an item.
const CANDIDATES: usize = 64;

/// An item as it is compared with others.
pub(crate) enum Likeness {
    Picture(Box<Look>),
    Film(Box<Film>),
    Sound(Box<Sound>),
}

/// That a candidate is a copy, and how.
pub(crate) struct Verdict {
    pub copy: CopyFound,
    /// No difference is seen: it may be the same pixels.
    pub identical: bool,
}

impl Verdict {
    pub fn pixels(of: MediaId) -> Self {
        Self { copy: CopyFound { of, why: CopyReason::Pixels, detail: "the same pixels".to_owned() }, identical: false }
    }
}

impl Likeness {
    /// Reads a description; nothing for one of another version.
    pub fn read(kind: MediaKind, description: &Description) -> Option<Self> {
        if description.version != version(kind) {
            return None;
        }
        Self::from_bytes(kind, &description.bytes)
    }

    pub fn from_bytes(kind: MediaKind, bytes: &[u8]) -> Option<Self> {
        match kind {
            MediaKind::Image => Look::from_bytes(bytes).map(Box::new).map(Self::Picture),
            MediaKind::Video => Film::from_bytes(bytes).map(Box::new).map(Self::Film),
            MediaKind::Audio => Sound::from_bytes(bytes).map(Box::new).map(Self::Sound),
        }
    }

    pub fn kind(&self) -> MediaKind {
        match self {
            Self::Picture(_) => MediaKind::Image,
            Self::Film(_) => MediaKind::Video,
            Self::Sound(_) => MediaKind::Audio,
        }
    }

    /// As a point, for the store's index of what is alike.
    pub fn point(&self) -> Vec<i8> {
        match self {
            Self::Picture(look) => look.point().to_vec(),
            Self::Film(film) => film.look().point().to_vec(),
            Self::Sound(sound) => sound.point().to_vec(),
        }
    }

    /// How far apart two of a kind are, as answers are ordered; without end for two kinds.
    pub fn distance(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Picture(a), Self::Picture(b)) => f64::from(Mix::default().distance(a, b)),
            (Self::Film(a), Self::Film(b)) => f64::from(Mix::default().distance(a.look(), b.look())),
            (Self::Sound(a), Self::Sound(b)) => a.difference(b, Signatures::default()),
            _ => f64::INFINITY,
        }
    }

    /// How similar two of a kind are in themselves, 0 to 100.
    pub fn similarity(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Picture(a), Self::Picture(b)) => f64::from(media::similarity(a, b)),
            (Self::Film(a), Self::Film(b)) => f64::from(media::similarity(a.look(), b.look())),
            (Self::Sound(a), Self::Sound(b)) => a.similarity(b),
            _ => 0.0,
        }
    }

    /// How surely this is a part of another, to 1, and which.
    pub fn part_of(&self, whole: &Self) -> Option<(f64, String)> {
        let from = |at: std::time::Duration| format!("a part of it, from {:.1} s on", at.as_secs_f64());
        match (self, whole) {
            (Self::Picture(part), Self::Picture(whole)) => {
                let found = picture_part(part, whole)?;
                let [left, top, right, bottom] = found.sides;
                let area = 100.0 * (right - left) * (bottom - top);
                Some((found.alike.into(), format!("a part of it, {area:.0} % of its area")))
            }
            (Self::Film(part), Self::Film(whole)) => {
                let found = film::part_of(part, whole)?;
                Some((found.share, from(found.at)))
            }
            (Self::Sound(part), Self::Sound(whole)) => {
                let found = sound::part_of(part, whole)?;
                Some((found.share, from(found.at)))
            }
            _ => None,
        }
    }

    /// As the store keeps it.
    pub fn description(&self, pixels: Option<[u8; 32]>) -> Description {
        let (bytes, hashes) = match self {
            Self::Picture(look) => (look.to_bytes(), look.hashes().iter().map(|hash| hash.bits).collect()),
            Self::Film(film) => (film.to_bytes(), self.frames()),
            Self::Sound(sound) => (sound.to_bytes(), Vec::new()),
        };
        Description { version: version(self.kind()), bytes, traces: Traces { pixels, hashes, keys: self.keys() } }
    }

    /// What the store is asked for.
    pub fn example(&self, pixels: Option<[u8; 32]>, except: Option<MediaId>) -> Example {
        let hashes = match self {
            Self::Picture(look) => look.asked().iter().map(|hash| hash.bits).collect(),
            _ => self.frames(),
        };
        let traces = Traces { pixels, hashes, keys: self.keys() };
        let (kind, radius) = (self.kind(), Look::RADIUS);
        Example { kind, version: version(kind), traces, radius, except, most: CANDIDATES }
    }

    /// Hashes of the key frames of a film.
    fn frames(&self) -> Vec<[u64; 4]> {
        match self {
            Self::Film(film) => film.hashes().map(|(hash, _)| hash.bits).collect(),
            _ => Vec::new(),
        }
    }

    /// What is heard.
    fn keys(&self) -> Vec<u32> {
        let sound = match self {
            Self::Picture(_) => None,
            Self::Film(film) => film.sound(),
            Self::Sound(sound) => Some(&**sound),
        };
        let mut keys: Vec<u32> = sound.into_iter().flat_map(|sound| sound.keys().map(|(key, _)| key)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// How a candidate is a copy of this, if it is.
    pub fn copy(&self, candidate: &Candidate) -> Option<Verdict> {
        let found =
            |why, detail: String| Verdict { copy: CopyFound { of: candidate.id, why, detail }, identical: false };
        if candidate.clue == Clue::Pixels {
            return Some(Verdict::pixels(candidate.id));
        }
        let bytes = candidate.bytes.as_deref()?;
        match self {
            Self::Picture(own) => {
                let near = near_copy(&Look::from_bytes(bytes)?, own)?;
                let identical = near.turn == Turn::UPRIGHT && near.extent == Extent::Same && near.alike == 100;
                Some(Verdict { identical, ..found(CopyReason::Near, near.to_string()) })
            }
            Self::Film(own) => {
                let same = film::same_film(own, &Film::from_bytes(bytes)?)?;
                let sounds = match same.sounds {
                    Some(true) => ", the same sound",
                    Some(false) => ", another sound",
                    None => "",
                };
                Some(found(
                    CopyReason::Video,
                    format!("the same film, {:.0} % of its frames{sounds}", 100.0 * same.share),
                ))
            }
            Self::Sound(own) => {
                let same = sound::same_sound(own, &Sound::from_bytes(bytes)?)?;
                Some(found(CopyReason::Audio, format!("the same sound, {:.0} % of its landmarks", 100.0 * same.share)))
            }
        }
    }
}
