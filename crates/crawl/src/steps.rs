//! What a run spends its time on.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use store::Step;

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Waiting until a host may be asked again: a visit between two of its requests, or the whole run.
    Waiting,
    FetchingPages,
    ReadingPages,
    /// Running the scripts of pages.
    Rendering,
    /// Looking for places in pages.
    Places,
    FetchingMedia,
    /// Examining files, putting them in their places, making thumbnails.
    DescribingMedia,
    Writing,
}

const NAMES: [&str; 8] = [
    "waiting for host",
    "fetching pages",
    "reading pages",
    "rendering",
    "places",
    "fetching media",
    "describing media",
    "writing",
];

/// Times of all that is done, added up as it ends.
#[derive(Default)]
pub(crate) struct Steps {
    meters: [Meter; NAMES.len()],
}

#[derive(Default)]
struct Meter {
    count: AtomicU64,
    nanoseconds: AtomicI64,
}

/// A piece of work that is being done; it is counted when this is dropped.
pub(crate) struct Timed<'a> {
    steps: &'a Steps,
    work: Work,
    /// The work that this is a part of, which it is not counted with.
    within: Option<Work>,
    started: Instant,
}

impl Steps {
    pub fn time(&self, work: Work) -> Timed<'_> {
        self.begin(work, None)
    }

    /// A part of other work that is timed as a whole.
    pub fn time_within(&self, work: Work, within: Work) -> Timed<'_> {
        self.begin(work, Some(within))
    }

    fn begin(&self, work: Work, within: Option<Work>) -> Timed<'_> {
        Timed { steps: self, work, within, started: Instant::now() }
    }

    /// What was done, and what was done `before`.
    pub fn since(&self, before: &BTreeMap<String, Step>) -> BTreeMap<String, Step> {
        let mut all = before.clone();
        for (name, meter) in NAMES.into_iter().zip(&self.meters) {
            let count = meter.count.load(Ordering::Relaxed);
            let took = u64::try_from(meter.nanoseconds.load(Ordering::Relaxed)).unwrap_or(0);
            if count > 0 {
                let step = all.entry(name.to_owned()).or_default();
                step.count += count;
                step.seconds += Duration::from_nanos(took).as_secs_f64();
            }
        }
        all
    }

    fn meter(&self, work: Work) -> Option<&Meter> {
        self.meters.get(work as usize)
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        let took = i64::try_from(self.started.elapsed().as_nanos()).unwrap_or(i64::MAX);
        if let Some(meter) = self.steps.meter(self.work) {
            meter.count.fetch_add(1, Ordering::Relaxed);
            meter.nanoseconds.fetch_add(took, Ordering::Relaxed);
        }
        if let Some(meter) = self.within.and_then(|within| self.steps.meter(within)) {
            meter.nanoseconds.fetch_sub(took, Ordering::Relaxed);
        }
    }
}

/// The most memory that this process had, in bytes; nothing where the system does not tell.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_not_counted_twice_and_what_was_before_is() {
        let steps = Steps::default();
        let least = Duration::from_millis(3);
        let whole = Instant::now();
        {
            let _reading = steps.time(Work::ReadingPages);
            let _places = steps.time_within(Work::Places, Work::ReadingPages);
            let both_run = Instant::now();
            while both_run.elapsed() < least {
                std::hint::spin_loop();
            }
        }
        let whole = whole.elapsed().as_secs_f64();
        let before = BTreeMap::from([("places".to_owned(), Step { count: 2, seconds: 10.0 })]);
        let told = steps.since(&before);
        let names: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(names, ["places", "reading pages"]);
        assert_eq!((told["places"].count, told["reading pages"].count), (3, 1));
        // Seconds in floating point: a sum is right to less than a microsecond.
        let places = told["places"].seconds - 10.0;
        assert!(places + 1e-6 >= least.as_secs_f64() && places <= whole + 1e-6, "{told:?}");
        // The whole without its part: counted twice, they would be more than the time that went by.
        assert!(places + told["reading pages"].seconds <= whole + 1e-6, "{told:?}");
        assert_eq!(Steps::default().since(&before), before);
    }

    #[test]
    fn the_system_tells_how_much_memory_was_used() {
        if std::path::Path::new("/proc/self/status").exists() {
            assert!(peak_memory().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
