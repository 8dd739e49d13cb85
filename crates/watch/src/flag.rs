//! Who visits the site: one crawler until the flag is reset.

use std::time::Duration;

use facts::Timestamp;

/// When a flag that was set is reset. [004 §3.4.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// As soon as any page changes.
    #[default]
    Event,
    /// After this time, and only if something changed meanwhile.
    After(Duration),
}

/// A claim: after which change, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) change: u64,
    pub(crate) at: Timestamp,
}

/// Whether the site was visited since the last reset. Nothing has to be done to reset it: it is set
/// as long as the claim covers the last change, or is young.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    pub(crate) reset: Reset,
    pub(crate) claim: Option<Claim>,
}

impl Flag {
    /// Whether it is set, when `last` is the number of the last change.
    pub(crate) fn is_set(&self, last: u64, now: Timestamp) -> bool {
        let Some(claim) = self.claim else { return false };
        let changed = last > claim.change;
        match self.reset {
            Reset::Event => !changed,
            // A clock that was set back must not keep crawlers away for ever.
            Reset::After(period) => !changed || now.since(claim.at) < period && now >= claim.at,
        }
    }

    /// Claims the site; gives the claim to be written down when nobody had it.
    pub(crate) fn claim(&mut self, last: u64, now: Timestamp) -> Option<Claim> {
        if self.is_set(last, now) {
            return None;
        }
        self.claim = Some(Claim { change: last, at: now });
        self.claim
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_change_resets_the_flag_at_once() {
        let mut flag = Flag { reset: Reset::Event, claim: None };
        let now = Timestamp(1_000);
        assert!(!flag.is_set(5, now));
        assert!(flag.claim(5, now).is_some());
        assert!(flag.is_set(5, now) && flag.claim(5, now + 1000 * HOUR).is_none());
        assert!(!flag.is_set(6, now));
        assert!(flag.claim(6, now).is_some());
    }

    #[test]
    fn a_time_resets_it_only_when_something_changed() {
        let mut flag = Flag { reset: Reset::After(6 * HOUR), claim: None };
        let now = Timestamp(1_000);
        assert!(flag.claim(5, now).is_some());
        assert!(flag.is_set(6, now + 5 * HOUR), "changed, too early");
        assert!(flag.is_set(5, now + 7 * HOUR), "late enough, nothing changed");
        assert!(!flag.is_set(6, now + 6 * HOUR));
        assert!(!flag.is_set(6, Timestamp(0)), "the clock was set back");
    }
}
