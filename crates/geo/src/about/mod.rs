//! What a page says of places: those it speaks of, the one it is about, and where its pictures,
//! films and sounds were made [algorithms 3.1, 3.2].
//!
//! The words of a page are parsed once, its title and description before its text. `spoken` makes
//! places of mentions, `focus` finds the one the page is about, `files` says where each of the
//! page's media was made, `names` goes from points to names and back.

mod files;
mod focus;
mod names;
mod spoken;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use facts::Whereabouts;
use page::Page;

pub use self::names::{locality, named_place, whereabouts};
use self::spoken::Spoken;
use crate::gazetteer::Gazetteer;
use crate::parse::{Hints, Mention, Parser};
use crate::relevance::Granularity;
use crate::structured::structured;

/// What a page says of places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The places it speaks of, each once, in the order they are first mentioned; at most a hundred,
    /// the strongest.
    pub places: Vec<SpokenPlace>,
    /// Whether one of them makes it relevant to the region of interest.
    pub relevant: bool,
    /// The place it is about as a whole, as an index of `places`.
    pub focus: Option<usize>,
    /// How certain it is that what the page shows is there: at most 0.5, and 0 without a focus.
    pub focus_confidence: f64,
    /// Where each of [`Page::media`] was made, in that order.
    pub media: Vec<MediaPlaces>,
}

/// A place that a page speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenPlace {
    /// Its best mention. Its span is that in [`Page::text`], empty when it is elsewhere: in the title,
    /// the description, in structured data.
    pub mention: Mention,
    /// The words of that mention, or the structured data in short; at most 200 characters.
    pub words: String,
    /// How often it is mentioned.
    pub mentions: u32,
    /// Whether it lies in the region of interest, exactly enough to count.
    pub relevant: bool,
}

/// Where a picture, film or sound was made, as its page says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MediaPlaces {
    /// By structured data about it, or about the page.
    pub structured: Option<Whereabouts>,
    /// By the words about it.
    pub description: Option<Whereabouts>,
}

/// Reads what a page says of places. Without a country among the hints, the host's top-level domain
/// gives one.
///
/// ```
/// let url = facts::Url::parse("https://example.org/").unwrap();
/// let html = "<title>A day in Kiel</title><img src=a.jpg alt='Boats in Laboe'><p>We came to Kiel by train.";
/// let page = page::read(html.as_bytes(), Some("text/html"), &url, &page::Limits::default());
/// let about = geo::about(&page, &geo::Hints::default(), geo::Granularity::Place);
/// assert_eq!(about.places[about.focus.unwrap()].words, "Kiel");
/// assert_eq!(about.media[0].description.as_ref().unwrap().locality.town.as_deref(), Some("Laboe"));
/// ```
pub fn about(page: &Page, hints: &Hints<'_>, granularity: Granularity) -> About {
    let words = Words::of(page);
    let host = page.url.host();
    let country = hints.country.or_else(|| host.tld().and_then(country_of));
    let hints = Hints { country, ..*hints };
    // What the text looks like counts more than what the page says: templates say "en" everywhere.
    let mut parser = Parser::new(hints).declared(page.language.as_deref());
    let mentions = parser.whole(&words.text);
    let hints = Hints { language: parser.language(), ..hints };
    let located = structured(page, &hints);
    let mut spoken = Spoken::default();
    let said: Vec<usize> = located.iter().map(|located| spoken.add_structured(located)).collect();
    for mention in &mentions {
        spoken.add_words(mention.clone(), &words);
    }
    let relevant = spoken.judge(&hints, granularity);
    let said = spoken.keep_strongest(&said);
    let ground = focus::Ground::of(&spoken.entries);
    let whole = focus::said_of_page(&located, &said, &ground);
    let focus = focus::find(&spoken.entries, &ground, whole);
    let around = files::Around {
        words: &words,
        mentions: &mentions,
        located: &located,
        said: &said,
        spoken: &spoken,
        whole,
        focus,
    };
    let media = files::places(page, &hints, &around);
    About {
        relevant,
        focus: focus.map(|focus| focus.index),
        focus_confidence: focus.map_or(0.0, |focus| focus.confidence),
        places: spoken.entries.into_iter().map(|entry| entry.place).collect(),
        media,
    }
}

/// The words of a page as one text.
struct Words<'p> {
    text: Cow<'p, str>,
    title: Range<usize>,
    description: Range<usize>,
    /// Where the page's own text begins.
    body: usize,
}

impl<'p> Words<'p> {
    /// Words where nothing counts more than the rest.
    fn plain(text: &'p str) -> Self {
        Self { text: Cow::Borrowed(text), title: 0..0, description: 0..0, body: 0 }
    }

    /// The title and the description stand first, unless the text has them itself.
    fn of(page: &'p Page) -> Self {
        let within = |part: &str| page.text.find(part).map(|at| at..at + part.len());
        let (title, description) = (within(&page.title), within(&page.description));
        let mut before = String::new();
        let mut put = |part: &str, found: &Option<Range<usize>>| {
            let start = before.len();
            if found.is_none() {
                before.push_str(part);
                before.push('\n');
            }
            start..start + part.len()
        };
        let (put_title, put_description) = (put(&page.title, &title), put(&page.description, &description));
        let body = before.len();
        let shifted = |found: Option<Range<usize>>, put: Range<usize>| match found {
            Some(found) => found.start + body..found.end + body,
            None => put,
        };
        let text = if body == 0 { Cow::Borrowed(page.text.as_str()) } else { Cow::Owned(before + &page.text) };
        Self { text, title: shifted(title, put_title), description: shifted(description, put_description), body }
    }
}

/// The country of a top-level domain, unless it is sold to everybody.
fn country_of(tld: &str) -> Option<&'static str> {
    const SOLD: [&str; 37] = [
        "ac", "ag", "ai", "am", "as", "bz", "cc", "cd", "cf", "co", "cx", "dj", "fm", "ga", "gg", "gl", "gq", "gs",
        "im", "io", "la", "ly", "me", "ml", "ms", "mu", "nu", "pw", "sc", "sh", "so", "st", "tk", "to", "tv", "vc",
        "ws",
    ];
    if tld.len() != 2 || SOLD.contains(&tld) {
        return None;
    }
    let code = if tld == "uk" { "gb" } else { tld };
    Gazetteer::embedded().country(code).map(|country| country.code())
}
