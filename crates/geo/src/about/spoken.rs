//! From mentions to places, each once: the same place of the gazetteer, the same address, or
//! points no more than 50 m apart.

use std::collections::HashMap;

use facts::LatLon;

use super::{SpokenPlace, Words};
use crate::distance::kilometres;
use crate::parse::{Hints, Mention};
use crate::relevance::{Granularity, is_relevant};
use crate::structured::{Located, Subject};
use query::fold;

/// Most places of a page.
const MOST: usize = 100;
/// Most characters of a place's words.
const EVIDENCE: usize = 200;
/// Of them, those before a name that stands far behind.
const BEFORE: usize = 80;
/// Points so near are the same place, in kilometres.
const SAME_POINT: f64 = 0.05;
/// Degrees of a cell of the grid that finds points near each other; more than [`SAME_POINT`].
const CELL: f64 = 0.0005;
/// How much a mention counts: in the title, in the description, said for machines of the page.
const TITLE: f64 = 5.0;
const DESCRIPTION: f64 = 2.0;
const STRUCTURED: f64 = 3.0;

/// A place on its way into the answer.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) place: SpokenPlace,
    /// Its mentions, those that count more more often.
    pub(super) weight: f64,
    pub(super) in_title: bool,
    /// It is only said of something aside: who publishes the page.
    pub(super) aside: bool,
    /// Where it is first mentioned.
    first: usize,
}

/// The places found so far.
#[derive(Default)]
pub(super) struct Spoken {
    pub(super) entries: Vec<Entry>,
    by_place: HashMap<u32, usize>,
    by_address: HashMap<String, usize>,
    by_cell: HashMap<(i32, i32), Vec<usize>>,
}

impl Spoken {
    /// Adds a place said for machines, and gives its index.
    pub(super) fn add_structured(&mut self, located: &Located) -> usize {
        let (mention, aside) = (located.mention.clone(), located.subject != Subject::Page);
        let words = in_short(&mention);
        let weight = if aside { 1.0 } else { STRUCTURED };
        self.add(Entry { place: one(mention, words), weight, in_title: false, aside, first: 0 })
    }

    /// Adds a place found in the page's words.
    pub(super) fn add_words(&mut self, mut mention: Mention, words: &Words<'_>) {
        let span = mention.span.clone();
        let within = |part: &std::ops::Range<usize>| part.start <= span.start && span.end <= part.end;
        let in_title = within(&words.title);
        let weight = if in_title {
            TITLE
        } else if within(&words.description) {
            DESCRIPTION
        } else {
            1.0
        };
        let written = clip(words.text.get(span.clone()).unwrap_or_default());
        mention.span = match span.start.checked_sub(words.body) {
            Some(start) => start..span.end - words.body,
            None => 0..0,
        };
        self.add(Entry { place: one(mention, written), weight, in_title, aside: false, first: span.start });
    }

    fn add(&mut self, new: Entry) -> usize {
        let keys = Keys::of(&new.place.mention);
        if let Some(index) = self.known(&keys) {
            if let Some(known) = self.entries.get_mut(index) {
                known.merge(new);
            }
            self.remember(keys, index);
            return index;
        }
        self.entries.push(new);
        self.remember(keys, self.entries.len() - 1);
        self.entries.len() - 1
    }

    fn known(&self, keys: &Keys) -> Option<usize> {
        let by_address = || self.by_address.get(keys.address.as_ref()?).copied();
        let by_place = || self.by_place.get(&keys.place?).copied();
        let by_point = || {
            let point = keys.point?;
            near_cells(point).into_iter().filter_map(|cell| self.by_cell.get(&cell)).flatten().copied().find(|index| {
                self.entries.get(*index).is_some_and(|entry| kilometres(entry.place.mention.at, point) <= SAME_POINT)
            })
        };
        by_address().or_else(by_place).or_else(by_point)
    }

    fn remember(&mut self, keys: Keys, index: usize) {
        if let Some(address) = keys.address {
            self.by_address.entry(address).or_insert(index);
        }
        if let Some(place) = keys.place {
            self.by_place.entry(place).or_insert(index);
        }
        if let Some(point) = keys.point {
            let row = row_of(point.lat());
            let cell = self.by_cell.entry((row, column_of(row, point.lon()))).or_default();
            // Merged points need one of them to be found by.
            if !cell.contains(&index) && cell.len() < MOST {
                cell.push(index);
            }
        }
    }

    /// Says of each place whether it is relevant, and whether any is.
    pub(super) fn judge(&mut self, hints: &Hints<'_>, granularity: Granularity) -> bool {
        let mut any = false;
        for entry in &mut self.entries {
            entry.place.relevant = is_relevant([&entry.place.mention], hints.region, granularity);
            any |= entry.place.relevant;
        }
        any
    }

    /// Keeps the strongest places, in the order of their first mentions; gives the new indexes of
    /// places by their old ones.
    pub(super) fn keep_strongest(&mut self, old: &[usize]) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        if order.len() > MOST {
            let rank = |index: &usize| {
                let entry = &self.entries[*index];
                let mention = &entry.place.mention;
                (entry.place.relevant, mention.is_exact(), entry.weight * mention.confidence)
            };
            order.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
            order.truncate(MOST);
        }
        order.sort_by_key(|index| (self.entries[*index].first, *index));
        let mut new = vec![None; self.entries.len()];
        order.iter().enumerate().for_each(|(to, from)| new[*from] = Some(to));
        let mut kept: Vec<Option<Entry>> = std::mem::take(&mut self.entries).into_iter().map(Some).collect();
        self.entries = order.into_iter().filter_map(|index| kept[index].take()).collect();
        old.iter().map(|index| new.get(*index).copied().flatten()).collect()
    }
}

impl Entry {
    fn merge(&mut self, other: Self) {
        self.place.mentions = self.place.mentions.saturating_add(1);
        self.weight += other.weight;
        self.in_title |= other.in_title;
        self.aside &= other.aside;
        self.first = self.first.min(other.first);
        let (mine, theirs) = (&mut self.place.mention, other.place.mention);
        // A point says more than the town of an address.
        let better = (theirs.place.is_none(), theirs.confidence) > (mine.place.is_none(), mine.confidence);
        if better {
            let address = mine.address.take();
            *mine = theirs;
            mine.address = mine.address.take().or(address);
            self.place.words = other.place.words;
        } else if mine.address.is_none() {
            mine.address = theirs.address;
        }
    }
}

/// What a place is known by.
struct Keys {
    place: Option<u32>,
    address: Option<String>,
    point: Option<LatLon>,
}

impl Keys {
    fn of(mention: &Mention) -> Self {
        let address = mention.address.as_ref().and_then(|address| {
            let street = fold(address.street.as_deref()?).replace("strasse", "str");
            let (number, city) = (address.number.as_deref().unwrap_or_default(), address.city.as_deref()?);
            Some(format!("{street}|{}|{}", fold(number), fold(city)))
        });
        let place = mention.place.filter(|_| !mention.is_exact()).map(|place| place.index());
        Self { place, address, point: mention.place.is_none().then_some(mention.at) }
    }
}

fn one(mention: Mention, words: String) -> SpokenPlace {
    SpokenPlace { mention, words, mentions: 1, relevant: false }
}

fn row_of(lat: f64) -> i32 {
    (lat / CELL).floor() as i32
}

/// Cells are as wide as high, so towards the poles they span more degrees.
fn column_of(row: i32, lon: f64) -> i32 {
    let shrink = (f64::from(row) * CELL).to_radians().cos().max(0.001);
    (lon * shrink / CELL).floor() as i32
}

fn near_cells(point: LatLon) -> impl IntoIterator<Item = (i32, i32)> {
    let row = row_of(point.lat());
    (row - 1..=row + 1).flat_map(move |row| {
        let column = column_of(row, point.lon());
        (column - 1..=column + 1).map(move |column| (row, column))
    })
}

/// Structured data in short: the address, the coordinates, or the name.
pub(super) fn in_short(mention: &Mention) -> String {
    let address = mention.address.as_ref().map(ToString::to_string).filter(|address| !address.is_empty());
    let name = || mention.place.map(|place| place.name().to_owned());
    let point = || format!("{:.5}, {:.5}", mention.at.lat(), mention.at.lon());
    clip(&address.or_else(name).unwrap_or_else(point))
}

/// Those of some words that stand around a name in them.
pub(super) fn clip_around(words: &str, name: &str) -> String {
    let at = words.find(name).unwrap_or(0);
    if words[..at].chars().count() + name.chars().count() <= EVIDENCE {
        return clip(words);
    }
    let before = words[..at].char_indices().rev().take(BEFORE).last().map_or(at, |(start, _)| start);
    let start = words[before..at].find(char::is_whitespace).map_or(before, |gap| before + gap);
    format!("… {}", clip(&words[start..]))
}

/// Words on one line, not too many of them.
pub(super) fn clip(words: &str) -> String {
    let mut clipped = String::new();
    let mut left = EVIDENCE;
    for word in words.split_whitespace() {
        let gap = usize::from(!clipped.is_empty());
        let length = word.chars().count();
        if length + gap > left {
            if clipped.is_empty() {
                clipped.extend(word.chars().take(EVIDENCE));
            }
            break;
        }
        if gap > 0 {
            clipped.push(' ');
        }
        clipped.push_str(word);
        left -= length + gap;
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_holds_the_name_however_far_behind_it_stands() {
        let long = format!("{} we saw the harbour of Kiel at dawn", "word ".repeat(100));
        let clipped = clip_around(&long, "Kiel");
        assert!(clipped.starts_with("… word ") && clipped.ends_with("the harbour of Kiel at dawn"), "{clipped}");
        assert_eq!(clip_around("The harbour of Kiel", "Kiel"), "The harbour of Kiel");
        assert_eq!(clip_around("Ü".repeat(300).as_str(), "Kiel").chars().count(), EVIDENCE);
    }
}
