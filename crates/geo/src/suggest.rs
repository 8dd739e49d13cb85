//! Places for someone who types a name, and for a map that wants labels.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use fst::automaton::{Automaton, Str};
use fst::{IntoStreamer, Streamer};

use crate::gazetteer::layout::{CELLS_PER_DEGREE, COLUMNS, ROWS, Section, Value};
use crate::gazetteer::{Gazetteer, Kind, Place};
use query::fold;

/// Names that are looked at for one beginning. A single letter begins some 50,000.
const NAMES: usize = 200_000;

/// The places whose names begin like this, those that are called just so first, then the most
/// populous. What comes after a comma must be part of the areas they lie in.
pub fn suggest(gazetteer: &'static Gazetteer, text: &str, most: usize) -> Vec<Place> {
    let (name, areas) = text.split_once(',').unwrap_or((text, ""));
    let (key, areas) = (fold(name), fold(areas));
    let Some(keys) = gazetteer.keys().filter(|_| !key.is_empty() && most > 0) else { return Vec::new() };
    // For each place the best of its names that fit.
    let mut found: HashMap<u32, (Rank, Place)> = HashMap::new();
    let mut stream = keys.search(Str::new(&key).starts_with()).into_stream();
    let mut seen = 0;
    while let Some((known, value)) = stream.next() {
        seen += 1;
        if seen > NAMES {
            break;
        }
        let exact = known == key.as_bytes();
        for named in gazetteer.entries(Value::unpack(value.value())) {
            // An acronym is no beginning of a word: USA, not Usability.
            if named.acronym && !exact {
                continue;
            }
            let place = named.place;
            if !areas.is_empty() && !fold(&place.full_name()).contains(&areas) {
                continue;
            }
            let rank = (!exact, Reverse(weight(place) / if named.alternate { 2 } else { 1 }));
            let best = found.entry(place.index()).or_insert((rank, place));
            best.0 = best.0.min(rank);
        }
    }
    let mut places: Vec<(Rank, Place)> = found.into_values().collect();
    places.sort_by_key(|(rank, place)| (*rank, place.index()));
    places.into_iter().take(most).map(|(_, place)| place).collect()
}

/// Whether a name only begins so, and how much the place weighs.
type Rank = (bool, Reverse<u64>);

/// How likely a place is meant: by its people. Areas nobody lives in come after those that somebody does.
fn weight(place: Place) -> u64 {
    match place.kind() {
        Kind::Country => place.population().saturating_mul(4).max(100_000),
        Kind::Continent => 10_000_000_000,
        Kind::Quarter | Kind::Admin2 => place.population() / 4,
        Kind::Town | Kind::Admin1 | Kind::Region => place.population(),
    }
}

/// The most populous towns in a box (south, west, north, east; the west may lie east of the east,
/// across 180°), the largest first.
pub fn towns_in(gazetteer: &'static Gazetteer, view: [f64; 4], most: usize) -> Vec<Place> {
    let [south, west, north, east] = view;
    let inside = |place: Place| {
        let (lat, lon) = place.degrees();
        let across = if west <= east { west <= lon && lon <= east } else { lon >= west || lon <= east };
        south <= lat && lat <= north && across
    };
    let cell = |degrees: f64, cells: usize| ((degrees * CELLS_PER_DEGREE as f64).max(0.0) as usize).min(cells - 1);
    let (top, bottom) = (cell(north + 90.0, ROWS), cell(south + 90.0, ROWS));
    let (left, right) = (cell(west + 180.0, COLUMNS), cell(east + 180.0, COLUMNS));
    let columns: Vec<std::ops::RangeInclusive<usize>> =
        if west <= east { vec![left..=right] } else { vec![left..=COLUMNS - 1, 0..=right] };
    let grid = gazetteer.section(Section::TownGrid);
    // The largest so far, the smallest of them on top.
    let mut largest: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    for row in bottom..=top {
        for column in columns.iter().cloned().flatten() {
            let number = row * COLUMNS + column;
            for index in grid.u24(number * 3)..grid.u24(number * 3 + 3) {
                let place = gazetteer.at(index);
                let people = place.population();
                let full = largest.len() >= most;
                // Within a cell the largest come first.
                if full && largest.peek().is_some_and(|Reverse((least, _))| people <= *least) {
                    break;
                }
                if place.kind() == Kind::Town && inside(place) {
                    largest.push(Reverse((people, index)));
                    if largest.len() > most {
                        largest.pop();
                    }
                }
            }
        }
    }
    let sorted: BTreeSet<_> = largest.into_iter().map(|Reverse((people, index))| (Reverse(people), index)).collect();
    sorted.into_iter().map(|(_, index)| gazetteer.at(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(places: &[Place]) -> Vec<String> {
        places.iter().map(|place| place.full_name()).collect()
    }

    #[test]
    fn the_likeliest_places_of_a_beginning_come_first() {
        for (text, first) in [
            ("Oldenb", "Oldenburg, Lower Saxony, Germany"),
            ("köln", "Köln, North Rhine-Westphalia, Germany"),
            ("German", "Germany"),
            ("Springfield, Ill", "Springfield, Illinois, United States"),
            ("москв", "Moscow, Moscow, Russia"),
        ] {
            let found = names(&suggest(Gazetteer::embedded(), text, 8));
            assert!(found.len() <= 8);
            let folded = |name: &str| fold(name);
            assert_eq!(
                found.first().map(|name| folded(name).chars().take(4).collect::<String>()),
                Some(folded(first).chars().take(4).collect()),
                "{text}: {found:?}"
            );
        }
        assert!(suggest(Gazetteer::embedded(), "", 8).is_empty());
        assert!(suggest(Gazetteer::embedded(), ",,,", 8).is_empty());
        assert!(suggest(Gazetteer::embedded(), "xqzzyx", 8).is_empty());
        assert_eq!(suggest(Gazetteer::embedded(), "a", 3).len(), 3);
    }

    #[test]
    fn towns_of_a_box_are_the_largest_in_it() {
        let germany = towns_in(Gazetteer::embedded(), [47.0, 6.0, 55.0, 15.0], 5);
        assert_eq!(germany.len(), 5);
        assert!(germany.iter().any(|town| town.name() == "Berlin"), "{germany:?}");
        assert!(germany.windows(2).all(|pair| pair[0].population() >= pair[1].population()));
        let all: Vec<Place> = Gazetteer::embedded().places().filter(|place| place.kind() == Kind::Town).collect();
        let largest = all.iter().map(|place| place.population()).max();
        let world = towns_in(Gazetteer::embedded(), [-90.0, -180.0, 90.0, 180.0], 60);
        assert_eq!((world.len(), world.first().map(|place| place.population())), (60, largest));
        // Fiji and its neighbours, on both sides of 180°.
        let across = towns_in(Gazetteer::embedded(), [-25.0, 170.0, -5.0, -165.0], 20);
        assert!(across.iter().any(|town| town.at().lon() > 0.0) && across.iter().any(|town| town.at().lon() < 0.0));
    }
}
