//! Names to be looked at, once what happens to them has come to rest.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::names::Id;

/// However often something happens to a name, it is looked at after this time.
const LONGEST: Duration = Duration::from_secs(1);

/// A name in a folder.
pub(crate) type Name = (Id, Box<[u8]>);

/// Names, each with when to look at it.
#[derive(Default)]
pub(crate) struct Due {
    /// When to look, and when something first happened since the last look.
    names: HashMap<Name, (Instant, Instant)>,
}

impl Due {
    /// Something happened to a name: it is looked at when nothing more does for so long.
    pub(crate) fn happened(&mut self, name: Name, now: Instant, rest: Duration) {
        let due = now + rest;
        self.names
            .entry(name)
            .and_modify(|(known, first)| *known = due.min(*first + LONGEST).max(now))
            .or_insert((due, now));
    }

    /// When the next is to be looked at.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.names.values().map(|(due, _)| *due).min()
    }

    /// Takes those whose time has come.
    pub(crate) fn ready(&mut self, now: Instant) -> Vec<Name> {
        self.names.extract_if(|_, (due, _)| *due <= now).map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: Duration = Duration::from_millis(100);

    fn name() -> Name {
        (1, (*b"a.html").into())
    }

    #[test]
    fn a_page_that_is_written_all_the_time_is_looked_at_every_second() {
        let (mut due, begun) = (Due::default(), Instant::now());
        let mut looks = 0;
        for step in 0..200 {
            let now = begun + step * Duration::from_millis(60);
            looks += due.ready(now).len();
            due.happened(name(), now, REST);
        }
        assert!((10..=13).contains(&looks), "{looks} looks in 12 s");
    }

    #[test]
    fn what_comes_to_rest_is_looked_at_once() {
        let (mut due, now) = (Due::default(), Instant::now());
        due.happened(name(), now, Duration::from_millis(1_500));
        due.happened(name(), now, REST);
        assert_eq!(due.next(), Some(now + REST));
        assert!(due.ready(now + REST / 2).is_empty());
        assert_eq!(due.ready(now + REST), [name()]);
        assert!(due.next().is_none() && due.ready(now + LONGEST).is_empty());
    }
}
