//! The nearest of what matches, without looking at all of it.
//!
//! Circles around the point are searched, each twice as wide as the one before, until one holds as
//! many as are asked for: all that are nearer than its border are in it.

use std::collections::{BTreeMap, BTreeSet};

use facts::LatLon;

use crate::Area;
use crate::sql;

/// Metres of the first circle.
const FIRST: f64 = 1_000.0;

/// Metres from a point to the farthest from it, and a little more.
const FARTHEST: f64 = 20_100_000.0;

/// Looks for the `most` nearest to a point, which are in `area`. `look` gives each point of a
/// smaller area with its number to the function it is handed; a number may have several points, of
/// which the nearest counts. Gives numbers with metres, the nearest first.
pub(super) fn nearest(
    centre: LatLon,
    area: Option<&Area>,
    most: usize,
    mut look: impl FnMut(&Area, &mut dyn FnMut(i64, LatLon)) -> sql::Result<()>,
) -> sql::Result<Vec<(i64, f64)>> {
    let mut radius = FIRST;
    loop {
        let circle = Area::circle(centre, radius);
        let within = area.map_or_else(|| circle.clone(), |area| area.and(&circle));
        let mut nearest = Nearest { most, kept: BTreeSet::new(), known: BTreeMap::new() };
        look(&within, &mut |number, point| nearest.take(number, centre.metres_to(point)))?;
        if nearest.kept.len() >= most || radius >= FARTHEST {
            return Ok(nearest.kept.into_iter().map(|(metres, number)| (number, metres.0)).collect());
        }
        radius *= 2.0;
    }
}

/// A number of metres that can be sorted.
#[derive(Clone, Copy, PartialEq)]
struct Metres(f64);

impl Eq for Metres {}

impl PartialOrd for Metres {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Metres {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The nearest so far; equally near ones in order of arrival.
struct Nearest {
    most: usize,
    kept: BTreeSet<(Metres, i64)>,
    /// Of those that are kept.
    known: BTreeMap<i64, Metres>,
}

impl Nearest {
    fn take(&mut self, number: i64, metres: f64) {
        let metres = Metres(metres);
        if let Some(before) = self.known.get(&number).copied() {
            if before <= metres {
                return;
            }
            self.kept.remove(&(before, number));
        }
        self.known.insert(number, metres);
        self.kept.insert((metres, number));
        if self.kept.len() > self.most
            && let Some((_, farthest)) = self.kept.pop_last()
        {
            self.known.remove(&farthest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_each_once_wherever_they_are() {
        let centre = LatLon::new(10.0, 179.5).unwrap();
        // Number n is n degrees away; 3 has a second point that is nearer, 9 one that is farther.
        let mut points: Vec<(i64, f64)> = (1..=9).map(|n| (n, 10.0 + n as f64)).collect();
        points.extend([(3, 10.5), (9, -80.0)]);
        for (most, expected) in [(0, &[][..]), (1, &[3]), (4, &[3, 1, 2, 4]), (20, &[3, 1, 2, 4, 5, 6, 7, 8, 9])] {
            let mut looks = 0;
            let found = nearest(centre, None, most, |area, each| {
                looks += 1;
                let point = |lat| LatLon::new(lat, 179.5).unwrap();
                let inside = points.iter().filter(|(_, lat)| area.holds(point(*lat)));
                inside.for_each(|(number, lat)| each(*number, point(*lat)));
                Ok(())
            });
            let found = found.unwrap();
            assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), expected);
            assert!(found.is_sorted_by_key(|(_, metres)| Metres(*metres)) && looks <= 17, "{found:?}");
        }
    }
}
