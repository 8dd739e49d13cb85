//! Figures for Prometheus: few lines of text.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::observed::{Observed, series};

/// Upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 9] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counts of requests since the start.
#[derive(Debug)]
pub(crate) struct Metrics {
    started: Instant,
    /// By the hundreds of the status, from 1xx to 5xx.
    classes: [AtomicU64; 5],
    /// Requests that took no longer than each bound and longer than the one before; the last, longer.
    durations: [AtomicU64; BOUNDS.len() + 1],
    microseconds: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            classes: Default::default(),
            durations: Default::default(),
            microseconds: AtomicU64::new(0),
        }
    }
}

impl Metrics {
    /// A request was answered.
    pub fn count(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        let slot = BOUNDS.iter().position(|bound| took.as_secs_f64() <= *bound).unwrap_or(BOUNDS.len());
        for counter in [self.classes.get(class), self.durations.get(slot)].into_iter().flatten() {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.microseconds.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// All figures, in the text format of Prometheus; nothing is observed of a library that does not answer.
    pub fn text(&self, crawls: usize, observed: Option<&Observed>) -> String {
        let mut text = String::new();
        let mut line = |line: std::fmt::Arguments<'_>| {
            let _ = writeln!(text, "{line}");
        };
        line(format_args!(
            "# HELP bowerbird_requests_total Requests answered, by class of status.\n# TYPE bowerbird_requests_total counter"
        ));
        for (class, count) in self.classes.iter().enumerate() {
            line(format_args!(
                "bowerbird_requests_total{{class=\"{}xx\"}} {}",
                class + 1,
                count.load(Ordering::Relaxed)
            ));
        }
        line(format_args!(
            "# HELP bowerbird_request_seconds Time until an answer began.\n# TYPE bowerbird_request_seconds histogram"
        ));
        let mut sum = 0;
        for (slot, count) in self.durations.iter().enumerate() {
            sum += count.load(Ordering::Relaxed);
            let bound = BOUNDS.get(slot).map_or("+Inf".to_owned(), |bound| bound.to_string());
            line(format_args!("bowerbird_request_seconds_bucket{{le=\"{bound}\"}} {sum}"));
        }
        let seconds = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        line(format_args!("bowerbird_request_seconds_sum {seconds}\nbowerbird_request_seconds_count {sum}"));
        for (name, help, value) in [
            ("crawls_running", "Crawls that this process works on as their server.", crawls as f64),
            ("library_up", "Whether the library answers.", f64::from(u8::from(observed.is_some()))),
            ("memory_bytes", "Resident memory of the program.", memory().unwrap_or(0) as f64),
            ("uptime_seconds", "Time since the start.", self.started.elapsed().as_secs_f64()),
        ] {
            series(&mut text, name, help, [(String::new(), value)]);
        }
        if let Some(observed) = observed {
            observed.write(&mut text);
        }
        text
    }
}

/// Resident memory of this program in bytes, where the system says.
pub(crate) fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_class_and_time() {
        let metrics = Metrics::default();
        metrics.count(200, Duration::from_millis(7));
        metrics.count(404, Duration::from_secs(60));
        let text = metrics.text(1, None);
        for line in [
            "bowerbird_requests_total{class=\"2xx\"} 1",
            "bowerbird_requests_total{class=\"4xx\"} 1",
            "bowerbird_request_seconds_bucket{le=\"0.005\"} 0",
            "bowerbird_request_seconds_bucket{le=\"0.01\"} 1",
            "bowerbird_request_seconds_bucket{le=\"+Inf\"} 2",
            "bowerbird_request_seconds_count 2",
            "bowerbird_crawls_running 1",
            "bowerbird_library_up 0",
        ] {
            assert!(text.lines().any(|given| given == line), "{line} in\n{text}");
        }
    }
}
