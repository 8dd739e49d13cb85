//! Where the pictures, films and sounds of a page were made.

use std::collections::HashMap;
use std::ops::Range;

use facts::Whereabouts;
use page::{Media, NodeId, Page, StructuredSource};

use super::focus::{self, Focus, Ground};
use super::spoken::{Entry, Spoken, clip_around, in_short};
use super::{MediaPlaces, SpokenPlace, Words, whereabouts};
use crate::gazetteer::{Gazetteer, Kind, Place};
use crate::parse::{Hints, Mention, parse};
use crate::reverse::reverse;
use crate::structured::{Located, Subject};

/// Most bytes of descriptions that are read on a page.
const DESCRIPTIONS: usize = 64 * 1024;
/// Most bytes of text that are looked through for captions.
const SEARCHED: usize = 16 << 20;
/// Most places of the page that say which places descriptions mean.
const CONTEXT: usize = 32;
/// How much what is said of something else is believed of a picture: of the thing it shows, of what
/// stands in the same element, of the page.
const SHOWN: f64 = 0.9;
const ENCLOSED: f64 = 0.85;
const WHOLE_PAGE: f64 = 0.6;

/// What is known of the page around its media.
pub(super) struct Around<'a> {
    pub(super) words: &'a Words<'a>,
    /// The mentions in these words.
    pub(super) mentions: &'a [Mention],
    pub(super) located: &'a [Located],
    /// The places of `located`, as indexes of those spoken of.
    pub(super) said: &'a [Option<usize>],
    pub(super) spoken: &'a Spoken,
    /// The place that the page says of itself for machines.
    pub(super) whole: Option<usize>,
    pub(super) focus: Option<Focus>,
}

/// Where each of a page's media was made, in their order.
pub(super) fn places(page: &Page, hints: &Hints<'_>, around: &Around<'_>) -> Vec<MediaPlaces> {
    let by_address = by_address(around.located);
    let elements = Elements::of(page, around);
    let whole = around.whole.and_then(|index| around.spoken.entries.get(index)).map(|entry| {
        let mention = &entry.place.mention;
        believed(mention, &in_short(mention), WHOLE_PAGE)
    });
    let context = context(around);
    let hints = Hints { context: &context, beside: &page.text, ..*hints };
    let mut descriptions =
        Descriptions { hints: &hints, around, left: DESCRIPTIONS, search: SEARCHED, last: around.words.body };
    page.media
        .iter()
        .map(|media| {
            let own = if by_address.is_empty() { None } else { by_address.get(&*media.url.identity()) };
            let enclosed = || elements.around(page, media.node).and_then(|index| around.located.get(index));
            let structured = match own {
                Some(Claim::One(located, share)) => Some(said(located, *share)),
                Some(Claim::Several) | None => match enclosed() {
                    Some(located) => Some(said(located, ENCLOSED)),
                    None => whole.clone(),
                },
            };
            let description = descriptions.read(media);
            MediaPlaces { structured, description }
        })
        .collect()
}

fn said(located: &Located, share: f64) -> Whereabouts {
    believed(&located.mention, &in_short(&located.mention), share)
}

fn believed(mention: &Mention, words: &str, share: f64) -> Whereabouts {
    Whereabouts { confidence: mention.confidence * share, ..whereabouts(mention, words) }
}

/// What is said of a media file by its address.
enum Claim<'a> {
    One(&'a Located, f64),
    /// A picture that stands for several things, such as a logo.
    Several,
}

fn by_address(located: &[Located]) -> HashMap<String, Claim<'_>> {
    let mut claims: HashMap<String, Claim<'_>> = HashMap::new();
    // What is said of the file itself comes first.
    for of_file in [true, false] {
        let share = if of_file { 1.0 } else { SHOWN };
        let mut new: HashMap<String, Claim<'_>> = HashMap::new();
        for one in located.iter().filter(|one| (one.subject == Subject::Media) == of_file) {
            for url in &one.media {
                new.entry(url.identity().into_owned())
                    .and_modify(|claim| {
                        if matches!(claim, Claim::One(known, _) if known.mention.at != one.mention.at) && !of_file {
                            *claim = Claim::Several;
                        }
                    })
                    .or_insert(Claim::One(one, share));
            }
        }
        for (url, claim) in new {
            claims.entry(url).or_insert(claim);
        }
    }
    claims
}

/// Elements that hold places said for machines: the place, if it is one only.
///
/// The smallest element that holds both a picture and such a place is the card, the entry or the item
/// that both are part of. When it holds one place only, that is the picture's.
struct Elements {
    /// By element: an index of what is located, and of the place; `None` when there are several.
    held: HashMap<NodeId, Option<(usize, usize)>>,
}

impl Elements {
    fn of(page: &Page, around: &Around<'_>) -> Self {
        let mut held: HashMap<NodeId, Option<(usize, usize)>> = HashMap::new();
        let mut several = false;
        for (number, located) in around.located.iter().enumerate() {
            // JSON-LD and metas stand wherever the page has room for them.
            let is_placed = !matches!(located.source, Some(StructuredSource::JsonLd | StructuredSource::Meta));
            let place = around.said.get(number).copied().flatten();
            let (Some(mut node), Some(place)) = (located.node, place) else { continue };
            if !is_placed || located.subject != Subject::Page {
                continue;
            }
            // An element that was reached before has passed on what it holds, so nothing above it changes
            // unless it held one other place.
            loop {
                match held.get(&node) {
                    None => held.insert(node, Some((number, place))),
                    Some(Some((_, other))) if *other != place => {
                        several = true;
                        held.insert(node, None)
                    }
                    Some(_) => break,
                };
                match page.tree.parent(node) {
                    Some(parent) => node = parent,
                    None => break,
                }
            }
        }
        // The only place of a page is no more a picture's than the page's.
        if !several {
            held.clear();
        }
        Self { held }
    }

    fn around(&self, page: &Page, picture: NodeId) -> Option<usize> {
        if self.held.is_empty() {
            return None;
        }
        let mut node = Some(picture);
        while let Some(here) = node {
            if let Some(place) = self.held.get(&here) {
                return place.map(|(number, _)| number);
            }
            node = page.tree.parent(here);
        }
        None
    }
}

/// The places that say which of several a description means: those the page speaks of most.
fn context(around: &Around<'_>) -> Vec<Place> {
    let mut strongest: Vec<&Entry> = around.spoken.entries.iter().filter(|entry| !entry.aside).collect();
    strongest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let focus = around.focus.and_then(|focus| around.spoken.entries.get(focus.index)).map(|entry| &entry.place.mention);
    let town = focus.filter(|mention| mention.place.is_none()).and_then(|mention| {
        let spot = reverse(Gazetteer::embedded(), mention.at);
        spot.town
    });
    town.into_iter().chain(strongest.iter().filter_map(|entry| entry.place.mention.place)).take(CONTEXT).collect()
}

/// Reads what is said about media.
struct Descriptions<'a> {
    hints: &'a Hints<'a>,
    around: &'a Around<'a>,
    /// Bytes that may still be read, and looked through for captions.
    left: usize,
    search: usize,
    /// Where the last caption was.
    last: usize,
}

impl Descriptions<'_> {
    /// The place that the words about a picture name, if they name one. What stands for the picture
    /// counts as its title would, its file's name as its description; the caption may be about more.
    fn read(&mut self, media: &Media) -> Option<Whereabouts> {
        if ![&media.alt, &media.name_words, &media.caption].into_iter().any(|part| can_name(part)) {
            return None;
        }
        let described = media.description();
        self.left = self.left.checked_sub(described.len())?;
        let mut spoken = Spoken::default();
        let caption = self.caption(&media.caption);
        // A caption that is not part of the text is read with the rest.
        let own = match caption {
            Some(_) => described.strip_suffix(media.caption.as_str()).unwrap_or(&described),
            None => &described,
        };
        if can_name(own) {
            let title = 0..media.alt.len();
            let name = title.end + usize::from(title.end > 0);
            let words = Words { title, description: name..name + media.name_words.len(), ..Words::plain(own) };
            for mention in parse(own, self.hints) {
                spoken.add_words(mention, &words);
            }
        }
        for mention in self.mentions_in(caption.unwrap_or_default()) {
            spoken.add_words(mention.clone(), &Words::plain(&self.around.words.text));
        }
        let (place, share) = self.one_of(&spoken)?;
        Some(believed(&place.mention, &clip_around(&described, &place.words), share))
    }

    /// Where a caption stands among the page's words: mostly on a line of its own, after the last one.
    fn caption(&mut self, caption: &str) -> Option<Range<usize>> {
        if caption.is_empty() {
            return Some(0..0);
        }
        let text: &str = &self.around.words.text;
        for from in [self.last, self.around.words.body] {
            let rest = text.get(from..)?;
            let rest = rest.get(..rest.floor_char_boundary(self.search))?;
            let found = line_with(rest, caption).or_else(|| rest.find(caption));
            self.search = self.search.saturating_sub(found.unwrap_or(rest.len()));
            if let Some(at) = found {
                self.last = from + at;
                return Some(self.last..self.last + caption.len());
            }
        }
        None
    }

    fn mentions_in(&self, part: Range<usize>) -> &[Mention] {
        let mentions = self.around.mentions;
        let first = mentions.partition_point(|mention| mention.span.start < part.start);
        let last = mentions.partition_point(|mention| mention.span.end <= part.end);
        mentions.get(first..last).unwrap_or_default()
    }

    /// The one place that is meant, and how much speaks for it.
    fn one_of<'s>(&self, spoken: &'s Spoken) -> Option<(&'s SpokenPlace, f64)> {
        let ground = Ground::of(&spoken.entries);
        let (index, share, _) = focus::most_supported(&spoken.entries, &ground)?;
        let place = &spoken.entries.get(index)?.place;
        let mention = &place.mention;
        if !mention.is_exact() {
            // In the middle of a country nothing was photographed.
            let kind = mention.place?.kind();
            if kind >= Kind::Country {
                return None;
            }
            // An area that holds what the page is about says less than the page.
            let focus = self.around.focus.and_then(|focus| self.around.spoken.entries.get(focus.index));
            let inner = focus.map(|entry| Ground::of(std::slice::from_ref(entry)));
            let inner = inner.as_ref().and_then(|ground| ground.first());
            if kind >= Kind::Admin2
                && inner.is_some_and(|inner| ground.get(index).is_some_and(|area| area.holds(inner)))
            {
                return None;
            }
        }
        Some((place, share))
    }
}

/// Where the line that begins with these words is.
fn line_with(text: &str, words: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(words) {
            return Some(at);
        }
        at += rest.find('\n')? + 1;
    }
}

/// Whether a text can name a place at all: without a capital, a digit or another script it cannot.
fn can_name(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0x80 || byte.is_ascii_uppercase() || byte.is_ascii_digit())
}
