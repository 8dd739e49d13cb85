//! The best of what has some words.
//!
//! Words that few have are walked along to their end. Of words that very many have, the newest are ranked,
//! and the newest of those that have them in a title, key word or place: so an answer costs the same in any
//! library. Where another filter leaves fewer than the words do, its way is taken. Words in an area are two
//! lists of numbers, of which those in both are looked into.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::sql::{self, Connection};
use facts::LatLon;

use super::expansion::Plan;
use super::listed;
use super::terms::Terms;
use super::walks::{Along, LISTED, Prominent, Sought, Way};
use crate::matches::{LOOKED_AT, RANKED};

/// An item that has the words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    pub number: i64,
    pub score: f64,
    /// Where it was made, when an area is asked for.
    pub point: Option<LatLon>,
}

/// What has the words that are asked for, the best first, and whether there is more.
pub(super) fn ranked(db: &Connection, sought: &Sought<'_>, plan: &Plan) -> sql::Result<(Vec<Ranked>, bool)> {
    let mut found = Vec::new();
    let along = match sought.cheapest(db)? {
        Way::Along(along) => along,
        Way::Among(places) => {
            let more = among(db, sought, plan, &places, &mut found)?;
            return Ok((sorted(found), more));
        }
    };
    if along == Along::Words && db.session().is_some() {
        let more = listed::walk(db, sought, plan, &mut found)?;
        return Ok((sorted(found), more));
    }
    let more = walk(db, sought, plan, along, None, &mut found)?;
    if let (true, Along::Words, Some(expression)) = (more, along, &plan.prominent) {
        // The newest were met, those with prominent words among them.
        let below = found.iter().map(|ranked| ranked.number).min().unwrap_or(i64::MAX);
        let mut others = Vec::new();
        walk(db, sought, plan, along, Some(Prominent { expression, below }), &mut others)?;
        found.append(&mut others);
    }
    Ok((sorted(found), more))
}

/// The best first; of equally good ones the newest.
fn sorted(mut found: Vec<Ranked>) -> Vec<Ranked> {
    found.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(b.number.cmp(&a.number)));
    found
}

/// Adds what has the words and is in the area; whether there is more than was looked at.
fn among(
    db: &Connection,
    sought: &Sought<'_>,
    plan: &Plan,
    places: &[(i64, LatLon)],
    found: &mut Vec<Ranked>,
) -> sql::Result<bool> {
    let mut points: HashMap<i64, LatLon> = HashMap::new();
    let (mut both, mut listed, mut cut, mut more) = (Vec::new(), 0, false, false);
    if plan.estimate > LISTED && db.session().is_some() {
        // Not all that have the words would be met, and many of these have them: they are looked into.
        both.extend(places.iter().map(|(number, _)| *number));
        points.extend(places.iter().copied());
    } else {
        // Both lists fall, so that one goes along the other.
        let mut places = places.iter().peekable();
        more = sought.each_worded(db, &mut |number| {
            listed += 1;
            if both.len() >= RANKED || listed > LISTED {
                cut = true;
                return ControlFlow::Break(());
            }
            while places.next_if(|(other, _)| *other > number).is_some() {}
            if let Some((_, point)) = places.next_if(|(other, _)| *other == number) {
                both.push(number);
                points.insert(number, *point);
            }
            // Nothing older is there.
            if places.peek().is_none() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    more |= cut | listed::rank(db, sought, plan, (&both, false), found)?;
    for ranked in found {
        ranked.point = points.get(&ranked.number).copied();
    }
    Ok(more)
}

/// Adds what matches along a way; whether there is more than was looked at.
fn walk(
    db: &Connection,
    sought: &Sought<'_>,
    plan: &Plan,
    along: Along,
    prominent: Option<Prominent<'_>>,
    found: &mut Vec<Ranked>,
) -> sql::Result<bool> {
    let strict = along != Along::Words;
    // Along the words no more are looked at.
    let (mut terms, mut more) = (Terms::default(), !strict && plan.estimate > LOOKED_AT as u64);
    sought.walk_terms(db, along, prominent, &mut |number, point, bytes| {
        if found.len() >= RANKED {
            more = true;
            return Ok(ControlFlow::Break(()));
        }
        terms.read(bytes);
        if let Some(score) = plan.score(db, number, &terms, strict)? {
            found.push(Ranked { number, score, point });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(more)
}
