//! Which files are kept: settings, and the verdict on a file of which only parts are here.

use std::time::Duration;

use facts::{MediaKind, Timestamp};
use media::{Aspect, Candidate, Facts, Preset, Probe, Ratio, Refusal, Rules, Wants, judge};
use serde::{Deserialize, Serialize};
use store::{Claim, Refused, VisitKind};

use crate::quantity;

/// What is kept of the media that are found. A preset sets all the numbers; each can be set by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Keep {
    /// `photo`, `query`, `database` or `all`.
    pub preset: Preset,
    /// Keep only files that say where they were made.
    pub only_located: bool,
    /// How files are asked for: in `parts`, as a `stream`, or as a `whole`.
    pub probe: Probing,
    /// The longer side of thumbnails in pixels; 0 makes none.
    pub thumbnail_size: u32,
    /// Formats by name; an empty list means any.
    pub formats: Option<Vec<String>>,
    /// Least width in pixels.
    pub min_width: Option<u32>,
    /// Least height in pixels.
    pub min_height: Option<u32>,
    /// Sides must stand in one of these ratios, such as `4:3`; an empty list means any.
    pub ratios: Option<Vec<Ratio>>,
    /// How far from a ratio they may be, as a part of it.
    pub tolerance: Option<f64>,
    /// Between which ratios the sides must be.
    pub aspect: Option<Aspect>,
    /// Words that alternative text and file name must not have.
    pub words: Option<Vec<String>>,
    /// Whether a picture that is a link to a picture is kept itself.
    pub linked: Option<bool>,
    /// Whether a picture with a valid location is kept whatever its sides and words.
    pub spare_located: Option<bool>,
    /// The shortest film or sound.
    #[serde(with = "quantity::optional_duration", skip_serializing_if = "Option::is_none")]
    pub min_duration: Option<Duration>,
    /// The longest film or sound.
    #[serde(with = "quantity::optional_duration", skip_serializing_if = "Option::is_none")]
    pub max_duration: Option<Duration>,
}

/// How a file is asked for that may turn out not to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probing {
    /// Its first bytes, and the rest of it only when it is kept: least bytes.
    #[default]
    Parts,
    /// In one request, which is broken off when the first bytes say that it is not kept: least
    /// requests, at the price of a connection for each refused file.
    Stream,
    /// In one request up to the end.
    Whole,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            preset: Preset::default(),
            only_located: false,
            probe: Probing::default(),
            thumbnail_size: 400,
            formats: None,
            min_width: None,
            min_height: None,
            ratios: None,
            tolerance: None,
            aspect: None,
            words: None,
            linked: None,
            spare_located: None,
            min_duration: None,
            max_duration: None,
        }
    }
}

impl Keep {
    /// The rules of the preset, with what was set by itself.
    pub fn rules(&self) -> Rules {
        let preset = self.preset.rules();
        let lower = |words: &Vec<String>| words.iter().map(|word| word.to_lowercase()).collect();
        Rules {
            formats: self.formats.as_ref().map_or(preset.formats, lower),
            min_width: self.min_width.unwrap_or(preset.min_width),
            min_height: self.min_height.unwrap_or(preset.min_height),
            ratios: self.ratios.clone().unwrap_or(preset.ratios),
            tolerance: self.tolerance.unwrap_or(preset.tolerance),
            aspect: self.aspect.or(preset.aspect),
            words: self.words.as_ref().map_or(preset.words, lower),
            thumbnails: self.linked.unwrap_or(preset.thumbnails),
            spare_located: self.spare_located.unwrap_or(preset.spare_located),
            only_located: self.only_located,
            min_seconds: self.min_duration.map(|duration| duration.as_secs_f64()),
            max_seconds: self.max_duration.map(|duration| duration.as_secs_f64()),
        }
    }
}

/// What a file is called, for the rules that go by words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Called {
    /// Its alternative text.
    pub alt: String,
    /// Its file name.
    pub name: String,
}

impl Called {
    /// What led to a page does not describe the picture that turned out to be there.
    pub fn of(claim: &Claim) -> Self {
        let alt = if claim.link.kind == VisitKind::Page { "" } else { &claim.link.context.anchor };
        Self { alt: alt.to_owned(), name: claim.link.url.file_name() }
    }
}

/// What is to be done about a file of which parts are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is kept, whatever the rest says.
    Keep,
    /// It is not kept, whatever the rest says.
    Refuse(Refused),
    /// This part decides.
    Ask(Wants),
    /// Only the whole file decides.
    Whole,
}

/// Judges a file by the parts of it that are here.
pub(crate) fn verdict(rules: &Rules, probe: &Probe, called: &Called, now: Timestamp) -> Verdict {
    let facts = match probe.facts(now) {
        Ok(facts) => facts,
        Err(unreadable) => return Verdict::Refuse(Refused::unseen(unreadable.as_str())),
    };
    let refusal = match verdict_on(rules, &facts, None, called) {
        Ok(()) => return Verdict::Keep,
        Err(refusal) => refusal,
    };
    let refused = refused(&facts, refusal);
    let refuse = Verdict::Refuse(refused);
    // Which side is up may be said at the end of the file.
    let turned = Facts { width: facts.height, height: facts.width, ..facts.clone() };
    let surely_small = matches!(verdict_on(rules, &turned, None, called), Err(Refusal::Small));
    match refusal {
        Refusal::Small if surely_small => refuse,
        // Formats and lengths do not change with what comes later.
        Refusal::Format | Refusal::Duration => refuse,
        _ => match probe.next() {
            // A location that is out of reach could still be there, or the size. The whole of a
            // film is too much to ask for that.
            Wants::Nothing if facts.partial && facts.format.kind == MediaKind::Image => Verdict::Whole,
            Wants::Nothing => refuse,
            wants => Verdict::Ask(wants),
        },
    }
}

/// What is remembered of a file that is not kept.
pub(crate) fn refused(facts: &Facts, refusal: Refusal) -> Refused {
    Refused { kind: Some(facts.format.kind), wrong_location: facts.wrong_location, ..Refused::unseen(refusal.as_str()) }
}

/// Judges a file that is here as a whole, or by what is known of it without its size.
pub(crate) fn verdict_on(rules: &Rules, facts: &Facts, size: Option<u64>, called: &Called) -> Result<(), Refusal> {
    let (width, height) = facts.upright().unzip();
    let candidate = Candidate {
        format: facts.format,
        width,
        height,
        duration: facts.duration,
        size,
        located: facts.location.is_some(),
        alt: &called.alt,
        name: &called.name,
    };
    judge(rules, &candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_by_itself_goes_over_the_preset() {
        let keep = Keep {
            preset: Preset::Database,
            min_width: Some(100),
            formats: Some(vec!["JPEG".into()]),
            min_duration: Some(Duration::from_secs(3)),
            ..Keep::default()
        };
        let expected =
            Rules { min_width: 100, formats: vec!["jpeg".into()], min_seconds: Some(3.0), ..Preset::Database.rules() };
        assert_eq!(keep.rules(), expected);
        assert_eq!(Keep::default().rules(), Preset::Photo.rules());
    }

    /// A PNG of this size whose metadata, if any, come after the pixels.
    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        file.extend(width.to_be_bytes());
        file.extend(height.to_be_bytes());
        file.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
        file.extend([0, 0, 0x80, 0]);
        file.extend(b"IDAT");
        file.resize(20_000, 0);
        file
    }

    #[test]
    fn a_refusal_waits_for_the_parts_that_could_spare_the_file() {
        let rules = Preset::Photo.rules();
        let check = |file: &[u8], rules: &Rules, expected: Verdict| {
            let mut probe = Probe::new(Some(400_000));
            probe.head(file);
            assert_eq!(verdict(rules, &probe, &Called::default(), Timestamp(0)), expected);
        };
        let refused = |reason: &str| Verdict::Refuse(Refused::unseen(reason));
        let small = Verdict::Refuse(Refused { kind: Some(MediaKind::Image), ..Refused::unseen("small") });
        check(&png(399, 500), &rules, small);
        check(&png(400, 400), &rules, Verdict::Keep);
        check(b"<html>", &rules, refused("format"));
        check(b"", &rules, refused("broken"));
        let located = Rules { only_located: true, ..rules.clone() };
        for (file, rules) in [(png(2000, 400), &rules), (png(400, 400), &located)] {
            let mut probe = Probe::new(Some(400_000));
            probe.head(&file);
            let verdict = verdict(rules, &probe, &Called::default(), Timestamp(0));
            assert!(matches!(verdict, Verdict::Ask(Wants::Tail(_))), "{verdict:?}");
        }
    }
}
