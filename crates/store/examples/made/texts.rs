//! Made texts, and questions about them.
//!
//! Texts are drawn from 160,000 made words of four languages, each a stem with endings of its language, the
//! n-th most frequent 1/n times as often as the first (Zipf). A caption has 5 to 20 words, two pictures in
//! three a title and the time they were taken at, one in three key words; pages have titles and key words.

use facts::{MediaKind, Url};
use media::{Facts, Location, LocationSource, Taken};
use store::{Described, MediaFile, MediaReference, Outcome, PageFacts, VisitKind, Visited};

use crate::made::{self, address, kept, scattered, visit};
use crate::places::{names, place, town_of};

/// Words of one language.
const WORDS: u64 = 40_000;
/// The most frequent of them, which nobody searches for alone.
const COMMON: u64 = 30;

pub struct Tongue {
    code: &'static str,
    starts: &'static [&'static str],
    middles: &'static [&'static str],
    ends: &'static [&'static str],
    endings: &'static [&'static str],
}

pub const TONGUES: [Tongue; 4] = [
    Tongue {
        code: "en",
        starts: &[
            "b", "br", "c", "cl", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "th", "w",
        ],
        middles: &["a", "e", "i", "o", "u", "ea", "oo", "ai"],
        ends: &["ll", "nd", "rt", "ck", "m", "n", "st", "p", "d", "rn", "ght", "tch"],
        endings: &["", "s", "ed", "ing", "er"],
    },
    Tongue {
        code: "de",
        starts: &[
            "b", "br", "d", "f", "g", "gr", "h", "k", "kr", "l", "m", "n", "pf", "r", "sch", "st", "t", "w", "z", "zw",
        ],
        middles: &["a", "e", "i", "o", "u", "ä", "ö", "ü", "ei", "au"],
        ends: &["cht", "ck", "ll", "nd", "ng", "rg", "rt", "st", "tz", "m", "n", "b"],
        endings: &["", "e", "en", "er", "es"],
    },
    Tongue {
        code: "fr",
        starts: &["b", "c", "ch", "d", "f", "gl", "gr", "j", "l", "m", "n", "p", "pr", "qu", "r", "s", "t", "tr", "v"],
        middles: &["a", "é", "i", "o", "ou", "eau", "ai", "è"],
        ends: &["l", "nt", "r", "s", "t", "m", "n", "v", "rd", "gn"],
        endings: &["", "s", "e", "es"],
    },
    Tongue {
        code: "es",
        starts: &["b", "c", "d", "f", "g", "h", "l", "ll", "m", "n", "p", "pl", "r", "s", "t", "tr", "v"],
        middles: &["a", "e", "i", "o", "u", "ie", "ue", "á"],
        ends: &["l", "n", "r", "d", "m", "b", "ñ", "nt", "st", "rc"],
        endings: &["a", "o", "as", "os"],
    },
];

impl Tongue {
    /// The word of a rank: those of neighbouring ranks are forms of one.
    pub fn word(&self, rank: u64) -> String {
        let (forms, pick) = (self.endings.len() as u64, |list: &[&'static str], salt, n| {
            list[(scattered(n, salt) * list.len() as f64) as usize % list.len()]
        });
        let (lemma, form) = (rank / forms, rank % forms);
        let mut word = String::new();
        // Frequent words are short.
        for syllable in 0..1 + u64::from(lemma > 60) + u64::from(lemma > 3_000) {
            word.push_str(pick(self.starts, 71 + syllable, lemma));
            word.push_str(pick(self.middles, 81 + syllable, lemma));
            word.push_str(pick(self.ends, 91 + syllable, lemma));
        }
        word + self.endings[form as usize]
    }

    /// A word as often as it is used.
    fn drawn(&self, n: u64, salt: u64) -> String {
        self.word(rank(n, salt, 1))
    }
}

/// A rank from `from` on, the n-th 1/n times as often as the first.
fn rank(n: u64, salt: u64, from: u64) -> u64 {
    let (low, high) = ((from as f64).ln(), (WORDS as f64).ln());
    ((low + scattered(n, salt) * (high - low)).exp() as u64).clamp(from, WORDS) - 1
}

fn tongue(n: u64) -> &'static Tongue {
    &TONGUES[(n / 10 % 4) as usize]
}

/// So many words about the `n`-th picture.
fn text(n: u64, salt: u64, words: u64) -> String {
    (0..words).map(|k| tongue(n).drawn(n * 64 + k, salt)).collect::<Vec<_>>().join(" ")
}

fn caption(n: u64) -> String {
    text(n, 3, 5 + (scattered(n, 4) * 15.0) as u64)
}

pub type Question = fn(u64, u64) -> String;

/// What is asked: about the `n`-th picture, or anything.
pub const QUESTIONS: [(&str, Question); 9] = [
    ("a word", one_word),
    ("exactly a word", |item, n| format!("+{}", one_word(item, n))),
    ("two words of a caption", |item, _| some_of(item, 2).join(" ")),
    ("three words of a caption", |item, _| some_of(item, 3).join(" ")),
    ("a phrase", |item, _| {
        let caption = caption(item);
        let words: Vec<&str> = caption.split(' ').collect();
        format!("\"{}\"", words[words.len() - 2..].join(" "))
    }),
    ("one of two words, not a third", |item, n| {
        format!("({} OR {}) -{}", one_word(item, n), one_word(item, n + 1_000), one_word(item, n + 2_000))
    }),
    ("the start of a word", |item, n| one_word(item, n).chars().take(4).collect()),
    ("a word with a slip", slip),
    ("a place", |item, _| format!("town{}", town_of(item))),
];

pub fn one_word(_: u64, n: u64) -> String {
    TONGUES[(n % 4) as usize].word(rank(n, 17, COMMON))
}

/// The longest words of a caption: people search for what tells something.
fn some_of(item: u64, most: usize) -> Vec<String> {
    let mut words: Vec<String> = caption(item).split(' ').map(str::to_owned).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.truncate(most);
    words
}

/// A word of two syllables or more with two letters swapped.
pub fn slip(_: u64, n: u64) -> String {
    let mut letters: Vec<char> = TONGUES[(n % 4) as usize].word(rank(n, 19, 2_000)).chars().collect();
    let at = 1 + (scattered(n, 23) * (letters.len() - 2) as f64) as usize;
    let other = (at + 1).min(letters.len() - 1);
    letters.swap(at, other);
    letters.into_iter().collect()
}

/// The page of ten pictures from the `n`-th on.
pub fn page(n: u64) -> Visited {
    let media = (n..n + 10).map(|n| MediaReference {
        description: caption(n),
        url: address(n),
        kind: MediaKind::Image,
        licence: n.is_multiple_of(100).then(|| "https://creativecommons.org/licenses/by/4.0/".into()),
        author: None,
        locations: Vec::new(),
        refused: None,
    });
    let url = Url::parse(&format!("http://p{}.example/{n}", n % 200)).expect("a made address");
    let facts = PageFacts {
        title: text(n, 51, 6),
        keywords: (0..6).map(|k| text(n, 52 + k, 2)).collect(),
        language: Some(tongue(n).code.into()),
        size: 30_000,
        media: media.collect(),
        ..PageFacts::default()
    };
    visit(url, VisitKind::Page, n, Outcome::Page(facts))
}

/// When the `n`-th picture was taken.
pub fn taken(n: u64) -> String {
    let part = |salt, of: f64| (scattered(n, salt) * of) as u64;
    let date = (1990 + part(41, 35.0), 1 + part(42, 12.0), 1 + part(43, 28.0));
    format!("{}-{:02}-{:02}T{:02}:{:02}:00", date.0, date.1, date.2, part(44, 24.0), part(45, 60.0))
}

/// The `n`-th picture, with what is known of how it looks.
pub fn picture(n: u64, description: Option<Described>) -> Visited {
    let at = place(n);
    let facts = Facts {
        title: (!n.is_multiple_of(3)).then(|| text(n, 61, 4)),
        keywords: if n.is_multiple_of(3) { (0..5).map(|k| text(n, 62 + k, 1)).collect() } else { Vec::new() },
        taken: (!n.is_multiple_of(3)).then(|| Taken::parse(&taken(n))).flatten(),
        location: Some(Location { at, altitude: None, direction: None, date: None, source: LocationSource::Exif }),
        ..made::facts(n)
    };
    let colour = Some([51, 52, 53].map(|salt| (scattered(n, salt) * 256.0) as u8));
    kept(n, MediaFile { colour, locality: Some(names(town_of(n))), description, ..made::file(n, facts) })
}
