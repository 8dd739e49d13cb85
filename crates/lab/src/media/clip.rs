//! Short films and sounds, some of which are copies or parts of others.

use crate::Settings;
use crate::dice::Dice;
use crate::host::{Host, SiteKind};
use crate::media::files;
use crate::media::jpeg::{Manner, jpeg};
use crate::media::scene::{Canvas, draw, enlarged};
use crate::page::{Page, PageId, Role};
use crate::tongue::slug;

/// Film or sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ClipKind {
    Film,
    Sound,
}

/// A film or sound on a page. Its time is counted in steps: frames, or notes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clip {
    pub kind: ClipKind,
    /// An animated picture instead of a film with a container.
    pub animated_gif: bool,
    seed: u64,
    from: u64,
    to: u64,
    /// Where it was taken from, and whether whole.
    pub source: Option<(PageId, bool)>,
}

const FRAMES_PER_SECOND: u32 = 8;
const NOTES_PER_SECOND: u32 = 4;
const SAMPLE_RATE: u32 = 8_000;
const WIDTH: usize = 160;
const HEIGHT: usize = 120;

impl ClipKind {
    fn word(self) -> &'static str {
        match self {
            ClipKind::Film => "films",
            ClipKind::Sound => "sounds",
        }
    }

    fn steps_per_second(self) -> u32 {
        match self {
            ClipKind::Film => FRAMES_PER_SECOND,
            ClipKind::Sound => NOTES_PER_SECOND,
        }
    }
}

fn has_clip(page: &Page<'_>, kind: ClipKind) -> bool {
    let share = match page.host.kind {
        SiteKind::Photos | SiteKind::Travel | SiteKind::Town => 0.05,
        SiteKind::Museum => 0.10,
        _ => 0.01,
    };
    !matches!(page.role, Role::Terms | Role::Login) && page.dice(kind.word()).chance(share)
}

/// The page's film or sound, if it has one.
pub(crate) fn clip(page: &Page<'_>, kind: ClipKind) -> Option<Clip> {
    if !has_clip(page, kind) {
        return None;
    }
    if let Some((source, whole)) = taken_from(page.settings, page.id(), kind) {
        let host = Host::at(page.settings, source.host);
        let whole_clip = original(&Page::new(page.settings, &host, source.index)?, kind);
        let length = whole_clip.to - whole_clip.from;
        let mut dice = page.dice("cut");
        let start = if whole { 0 } else { dice.between(1, length / 4) };
        let end = if whole { length } else { length - dice.between(1, length / 4) };
        return Some(Clip { from: start, to: end, source: Some((source, whole)), ..whole_clip });
    }
    Some(original(page, kind))
}

fn original(page: &Page<'_>, kind: ClipKind) -> Clip {
    let mut dice = page.dice("clip");
    let seconds = dice.between(4, 9);
    let steps = seconds * u64::from(kind.steps_per_second());
    let animated_gif = kind == ClipKind::Film && dice.chance(0.2);
    // A sound of the same page has another melody than its film has a scene.
    Clip { kind, animated_gif, seed: dice.next() ^ kind as u64, from: 0, to: steps, source: None }
}

/// The original a clip was taken from, and whether whole.
fn taken_from(settings: &Settings, id: PageId, kind: ClipKind) -> Option<(PageId, bool)> {
    let wish = |id: PageId| {
        let mut dice = Dice::new(settings.number, "taken", [u64::from(id.host), id.index, kind as u64]);
        let throw = dice.unit();
        (throw < 0.4).then_some((dice, throw < 0.2))
    };
    let (mut dice, whole) = wish(id)?;
    for _ in 0..60 {
        let host = Host::at(settings, dice.below(u64::from(settings.hosts)) as u32);
        let index = dice.below(host.pages);
        let Some(page) = Page::new(settings, &host, index) else { continue };
        if page.id() != id && has_clip(&page, kind) && wish(page.id()).is_none() {
            return Some((page.id(), whole));
        }
    }
    None
}

impl Clip {
    pub fn path(&self, page: &Page<'_>) -> String {
        let extension = match (self.kind, self.animated_gif) {
            (ClipKind::Film, true) => "gif",
            (ClipKind::Film, false) => "avi",
            (ClipKind::Sound, _) => "wav",
        };
        format!("/{}/{}/{}.{extension}", self.kind.word(), page.index, slug(page.topic_words()[1]))
    }

    /// Kind and page a path asks for.
    pub fn parse_path(path: &str) -> Option<(ClipKind, u64)> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let word = parts.next()?;
        let kind = [ClipKind::Film, ClipKind::Sound].into_iter().find(|kind| kind.word() == word)?;
        Some((kind, parts.next()?.parse().ok()?))
    }

    pub fn content_type(&self) -> &'static str {
        match (self.kind, self.animated_gif) {
            (ClipKind::Film, true) => "image/gif",
            (ClipKind::Film, false) => "video/x-msvideo",
            (ClipKind::Sound, _) => "audio/wav",
        }
    }

    pub fn seconds(&self) -> f64 {
        (self.to - self.from) as f64 / f64::from(self.kind.steps_per_second())
    }

    /// Where in the original it starts, in seconds.
    pub fn offset(&self) -> f64 {
        self.from as f64 / f64::from(self.kind.steps_per_second())
    }

    pub fn key(&self) -> u64 {
        let about = [self.kind as u64, self.from, self.to, u64::from(self.animated_gif)];
        Dice::new(self.seed, "clip", about).next()
    }

    pub fn render(&self) -> Vec<u8> {
        match self.kind {
            ClipKind::Sound => files::wav(&self.samples(), SAMPLE_RATE),
            ClipKind::Film => {
                let view = draw(self.seed, WIDTH * 2, HEIGHT);
                let frames = (self.from..self.to).map(|step| self.frame(&view, step));
                if self.animated_gif {
                    return files::gif(&frames.collect::<Vec<Canvas>>());
                }
                let (width, height) = (WIDTH, HEIGHT);
                let manner = Manner { width, height, quality: 66, samples: 8, grain: 0, seed: 0, exif: None };
                let frames: Vec<Vec<u8>> = frames.map(|frame| jpeg(&frame, &manner)).collect();
                files::avi(&frames, WIDTH as u32, HEIGHT as u32, FRAMES_PER_SECOND)
            }
        }
    }

    /// A camera that moves slowly over a landscape.
    fn frame(&self, view: &Canvas, step: u64) -> Canvas {
        let shift = (step as usize * 2) % WIDTH;
        let rows = view.rgb.chunks_exact(WIDTH * 2 * 3);
        let rgb = rows.flat_map(|row| row[shift * 3..(shift + WIDTH) * 3].iter().copied()).collect();
        enlarged(&Canvas { width: WIDTH, height: HEIGHT, rgb }, WIDTH, HEIGHT, 3, self.seed ^ step)
    }

    /// A melody in five tones, each note fading.
    fn samples(&self) -> Vec<i16> {
        const SCALE: [f64; 5] = [261.63, 293.66, 329.63, 392.0, 440.0];
        let per_note = u64::from(SAMPLE_RATE / NOTES_PER_SECOND);
        let mut samples = Vec::with_capacity(((self.to - self.from) * per_note) as usize);
        for note in self.from..self.to {
            let mut dice = Dice::new(self.seed, "note", [note]);
            let tone = dice.pick(&SCALE) * dice.pick(&[0.5, 1.0, 1.0, 2.0]);
            let loud = 5_000.0 + 7_000.0 * dice.unit();
            for i in 0..per_note {
                let t = i as f64 / f64::from(SAMPLE_RATE);
                let fade = (1.0 - i as f64 / per_note as f64) * (i as f64 / 60.0).min(1.0);
                let wave =
                    (std::f64::consts::TAU * tone * t).sin() + 0.3 * (std::f64::consts::TAU * tone * 2.0 * t).sin();
                samples.push((wave * loud * fade) as i16);
            }
        }
        samples
    }
}
