//! Which pictures are kept: one set of rules, three presets.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use facts::MediaKind;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sniff::Format;

/// A set of rules by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// What is likely a photograph, by the sides cameras give it \[000 Tables 3, 4\].
    #[default]
    Photo,
    /// What is no icon, banner or thumbnail \[002 §4\].
    Query,
    /// JPEG and PNG of some width that are no banners \[003\].
    Database,
    /// Every picture that can be read.
    All,
}

impl Preset {
    /// `photo`, `query`, `database` or `all`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Photo => "photo",
            Self::Query => "query",
            Self::Database => "database",
            Self::All => "all",
        }
    }

    /// The inverse of [`as_str`](Self::as_str).
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Photo, Self::Query, Self::Database, Self::All].into_iter().find(|preset| preset.as_str() == text)
    }

    /// The rules of this name.
    pub fn rules(self) -> Rules {
        let any = Rules {
            formats: Vec::new(),
            min_width: 0,
            min_height: 0,
            ratios: Vec::new(),
            tolerance: 0.02,
            aspect: None,
            words: Vec::new(),
            thumbnails: true,
            spare_located: true,
            only_located: false,
            min_seconds: None,
            max_seconds: None,
        };
        match self {
            Self::All => any,
            Self::Photo => Rules {
                min_width: 400,
                min_height: 400,
                ratios: RATIOS.map(|(width, height)| Ratio { width, height }).to_vec(),
                words: WORDS.map(str::to_owned).to_vec(),
                ..any
            },
            Self::Query => Rules {
                min_width: 70,
                min_height: 70,
                aspect: Some(Aspect {
                    least: Ratio { width: 1, height: 3 },
                    most: Ratio { width: 3, height: 1 },
                    open: false,
                }),
                thumbnails: false,
                ..any
            },
            Self::Database => Rules {
                formats: vec!["jpeg".to_owned(), "png".to_owned()],
                min_width: 351,
                aspect: Some(Aspect {
                    least: Ratio { width: 9, height: 21 },
                    most: Ratio { width: 21, height: 9 },
                    open: true,
                }),
                ..any
            },
        }
    }
}

/// [000 Table 4], row by row.
const RATIOS: [(u32, u32); 13] =
    [(1, 1), (4, 3), (5, 4), (3, 2), (5, 3), (16, 9), (3, 1), (1, 3), (3, 4), (3, 5), (4, 5), (9, 16), (2, 3)];

/// [000 Table 3].
const WORDS: [&str; 18] = [
    "logo",
    "banner",
    "header",
    "footer",
    "button",
    "free",
    "adserver",
    "advertisement",
    "ads",
    "now",
    "buy",
    "join",
    "click",
    "affiliate",
    "adv",
    "hits",
    "counter",
    "sprite",
];

/// Which pictures are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Formats by name; none means any.
    pub formats: Vec<String>,
    /// Least width in pixels.
    pub min_width: u32,
    /// Least height in pixels.
    pub min_height: u32,
    /// Sides must stand in one of these ratios; none means any.
    pub ratios: Vec<Ratio>,
    /// How far from a ratio they may be, as a part of it.
    pub tolerance: f64,
    /// Between which ratios the sides must be.
    pub aspect: Option<Aspect>,
    /// Words that a picture's alternative text and file name must not have, in lower case.
    pub words: Vec<String>,
    /// Whether a picture that links to a picture is kept itself.
    pub thumbnails: bool,
    /// Whether a picture with a valid location is kept whatever its sides and words.
    pub spare_located: bool,
    /// Whether only what has a valid location is kept.
    pub only_located: bool,
    /// How long a film or sound must last at least, where its headers say how long it lasts.
    pub min_seconds: Option<f64>,
    /// How long a film or sound may last, where its headers say so.
    pub max_seconds: Option<f64>,
}

impl Default for Rules {
    fn default() -> Self {
        Preset::default().rules()
    }
}

/// How width and height stand to each other, written `16:9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Ratio {
    /// Of the width; not zero.
    width: u32,
    /// Of the height; not zero.
    height: u32,
}

/// A text that is no ratio.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not a ratio of two whole numbers above zero such as \"16:9\"")]
pub struct NotARatio(String);

impl FromStr for Ratio {
    type Err = NotARatio;
    fn from_str(text: &str) -> Result<Self, NotARatio> {
        let sides = text
            .split_once(':')
            .and_then(|(width, height)| Some((width.trim().parse().ok()?, height.trim().parse().ok()?)));
        match sides {
            Some((width, height)) if width > 0 && height > 0 => Ok(Self { width, height }),
            _ => Err(NotARatio(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Ratio {
    type Error = NotARatio;
    fn try_from(text: String) -> Result<Self, NotARatio> {
        text.parse()
    }
}

impl From<Ratio> for String {
    fn from(ratio: Ratio) -> Self {
        ratio.to_string()
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.width, self.height)
    }
}

impl Ratio {
    /// How a picture of these sides compares with it, in whole numbers.
    fn compare(self, width: u32, height: u32) -> std::cmp::Ordering {
        (u64::from(width) * u64::from(self.height)).cmp(&(u64::from(self.width) * u64::from(height)))
    }

    fn is_near(self, width: u32, height: u32, tolerance: f64) -> bool {
        let (is, should) = (f64::from(width) * f64::from(self.height), f64::from(self.width) * f64::from(height));
        (is - should).abs() <= tolerance * should
    }
}

/// Between which ratios the sides of a picture must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aspect {
    /// The most upright.
    pub least: Ratio,
    /// The widest.
    pub most: Ratio,
    /// Whether the two themselves are outside.
    #[serde(default)]
    pub open: bool,
}

impl Aspect {
    fn holds(self, width: u32, height: u32) -> bool {
        let (least, most) = (self.least.compare(width, height), self.most.compare(width, height));
        if self.open { least.is_gt() && most.is_lt() } else { least.is_ge() && most.is_le() }
    }
}

/// What is known of a file when it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// What it is.
    pub format: Format,
    /// Width, right way up.
    pub width: Option<u32>,
    /// Height, right way up.
    pub height: Option<u32>,
    /// How long it lasts.
    pub duration: Option<Duration>,
    /// Bytes of the whole file, where they are known.
    pub size: Option<u64>,
    /// Whether it has a valid location.
    pub located: bool,
    /// Its alternative text.
    pub alt: &'a str,
    /// Its file name, without folders and with `%20` and the like decoded.
    pub name: &'a str,
}

/// Why a file is not kept; files are counted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// Too few pixels.
    Small,
    /// Sides that no photograph has.
    Aspect,
    /// A word that pictures of places do not have.
    Word,
    /// Not a format that is wanted.
    Format,
    /// Larger than is fetched.
    TooLarge,
    /// Not readable, although its first bytes are those of a known format.
    Broken,
    /// A small copy of the picture it links to, which is kept in its place.
    Thumbnail,
    /// A link to a picture of another site.
    External,
    /// Without a location, where one is asked for.
    NotLocated,
    /// A film or sound that is too short or too long.
    Duration,
    /// A small file that says it is a huge picture.
    Bomb,
}

/// Above so many pixels a picture must bring the bytes for them.
const MANY_PIXELS: u64 = 100_000_000;
/// No photograph has more pixels for each byte: the emptiest sky has some thirty.
const EMPTIEST: u64 = 500;

impl Refusal {
    const ALL: [Self; 11] = [
        Self::Small,
        Self::Aspect,
        Self::Word,
        Self::Format,
        Self::TooLarge,
        Self::Broken,
        Self::Thumbnail,
        Self::External,
        Self::NotLocated,
        Self::Duration,
        Self::Bomb,
    ];

    /// `small`, `aspect`, `word`, `format`, `too-large`, `broken`, `thumbnail`, `external`,
    /// `not-located`, `duration` or `bomb`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Aspect => "aspect",
            Self::Word => "word",
            Self::Format => "format",
            Self::TooLarge => "too-large",
            Self::Broken => "broken",
            Self::Thumbnail => "thumbnail",
            Self::External => "external",
            Self::NotLocated => "not-located",
            Self::Duration => "duration",
            Self::Bomb => "bomb",
        }
    }

    /// The inverse of [`as_str`](Self::as_str).
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|refusal| refusal.as_str() == text)
    }
}

/// Whether a file is kept. Films and sounds have neither sides nor words here: only their length
/// and their location may be asked for.
pub fn judge(rules: &Rules, candidate: &Candidate<'_>) -> Result<(), Refusal> {
    if candidate.format.kind == MediaKind::Image {
        judge_sides(rules, candidate)?;
        if !(candidate.located && rules.spare_located) {
            judge_look(rules, candidate)?;
        }
    } else {
        judge_length(rules, candidate)?;
    }
    if rules.only_located && !candidate.located {
        return Err(Refusal::NotLocated);
    }
    Ok(())
}

fn judge_sides(rules: &Rules, candidate: &Candidate<'_>) -> Result<(), Refusal> {
    if !rules.formats.is_empty() && !rules.formats.iter().any(|format| format == candidate.format.name) {
        return Err(Refusal::Format);
    }
    let (Some(width), Some(height)) = (candidate.width, candidate.height) else { return Err(Refusal::Broken) };
    if width == 0 || height == 0 {
        return Err(Refusal::Broken);
    }
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MANY_PIXELS && candidate.size.is_some_and(|size| size < pixels / EMPTIEST) {
        return Err(Refusal::Bomb);
    }
    if width < rules.min_width || height < rules.min_height {
        return Err(Refusal::Small);
    }
    Ok(())
}

fn judge_length(rules: &Rules, candidate: &Candidate<'_>) -> Result<(), Refusal> {
    let Some(seconds) = candidate.duration.map(|duration| duration.as_secs_f64()) else { return Ok(()) };
    let fits =
        rules.min_seconds.is_none_or(|least| seconds >= least) && rules.max_seconds.is_none_or(|most| seconds <= most);
    if fits { Ok(()) } else { Err(Refusal::Duration) }
}

fn judge_look(rules: &Rules, candidate: &Candidate<'_>) -> Result<(), Refusal> {
    let (width, height) = (candidate.width.unwrap_or(0), candidate.height.unwrap_or(0));
    let standard =
        rules.ratios.is_empty() || rules.ratios.iter().any(|ratio| ratio.is_near(width, height, rules.tolerance));
    if !standard || rules.aspect.is_some_and(|aspect| !aspect.holds(width, height)) {
        return Err(Refusal::Aspect);
    }
    if has_word(rules, candidate.alt) || has_word(rules, candidate.name) {
        return Err(Refusal::Word);
    }
    Ok(())
}

/// Whether a whole word of a text is refused. Digits end a word: `banner2` is a banner.
fn has_word(rules: &Rules, text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    !rules.words.is_empty() && words.any(|word| rules.words.contains(&word.to_lowercase()))
}

/// Where a picture that is itself a link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinksTo {
    /// To a picture of the same site.
    SameSite,
    /// To a picture of another site.
    OtherSite,
}

/// Whether a picture inside a link to a picture is kept; where it is a [thumbnail](Refusal::Thumbnail),
/// the picture it links to takes its place.
pub fn judge_link(rules: &Rules, target: LinksTo) -> Result<(), Refusal> {
    match target {
        _ if rules.thumbnails => Ok(()),
        LinksTo::SameSite => Err(Refusal::Thumbnail),
        LinksTo::OtherSite => Err(Refusal::External),
    }
}

/// Whether a picture is surely refused before anything of it was asked for.
///
/// Declared sizes are not looked at: pages scale pictures down, and up. A word refuses for certain
/// only what cannot be spared for its location: everything when [`Rules::spare_located`] is off, else
/// the formats that carry none (GIF, BMP, icons, SVG), by the ending of the file name. Every other
/// picture is worth its first bytes.
pub fn foresee(rules: &Rules, alt: &str, name: &str) -> Result<(), Refusal> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let never_located = matches!(ending.as_deref(), Some("gif" | "bmp" | "ico" | "cur" | "svg" | "svgz"));
    if (never_located || !rules.spare_located) && (has_word(rules, alt) || has_word(rules, name)) {
        return Err(Refusal::Word);
    }
    Ok(())
}
