//! Copies of films and sounds, as the web has them: ffmpeg makes them anew.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use media::Format;

use crate::ExperimentError;

/// A way to make a copy.
pub(crate) struct Recoding {
    /// What it is called in tables.
    pub name: &'static str,
    /// The ending of the file, which tells ffmpeg what to write.
    pub ending: &'static str,
    /// What ffmpeg is told before the file that it reads.
    pub before: &'static [&'static str],
    /// And after it.
    pub after: &'static [&'static str],
}

impl Recoding {
    /// Makes the copy.
    pub fn make(&self, of: &Path, to: &Path) -> Result<(), ExperimentError> {
        let corpus = |why: String| ExperimentError::Corpus { path: of.to_owned(), why };
        let made = Command::new("ffmpeg")
            .args(["-nostdin", "-y", "-loglevel", "error", "-threads", "1"])
            .args(self.before)
            .arg("-i")
            .arg(of)
            .args(["-map_metadata", "-1"])
            .args(self.after)
            .arg(to)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| corpus(format!("ffmpeg does not run ({error}): install the package ffmpeg")))?;
        match made.status.success() {
            true => Ok(()),
            false => Err(corpus(format!("{}: {}", self.name, String::from_utf8_lossy(&made.stderr).trim()))),
        }
    }
}

/// The format of a file, by its content.
pub(crate) fn format(file: &Path) -> Result<Format, ExperimentError> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(file)?.take(media::SNIFF_BYTES as u64).read_to_end(&mut head)?;
    let unknown = || ExperimentError::Corpus { path: file.to_owned(), why: "not a known format".to_owned() };
    media::sniff(&head).ok_or_else(unknown)
}

/// The same done with each, on all processors; results in order.
pub(crate) fn each<T: Sync, R: Send>(all: &[T], work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let worker = || {
            let mut mine = Vec::new();
            loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                let Some(one) = all.get(nth) else { break mine };
                mine.push((nth, work(nth, one)));
            }
        };
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, result)| result).collect()
}

/// How many copies were told, and how many others were taken for copies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub copies: usize,
    pub told: usize,
    pub wrong: usize,
}

impl Tally {
    /// One copy was compared with its original.
    pub fn copy(&mut self, told: bool) {
        self.copies += 1;
        self.told += usize::from(told);
    }

    /// One was compared with another that it is no copy of.
    pub fn other(&mut self, told: bool) {
        self.wrong += usize::from(told);
    }

    pub fn add(&mut self, other: Self) {
        self.copies += other.copies;
        self.told += other.told;
        self.wrong += other.wrong;
    }

    /// The share of copies that were told.
    pub fn recall(&self) -> Option<f64> {
        (self.copies > 0).then(|| self.told as f64 / self.copies as f64)
    }

    /// The share of those told that are copies.
    pub fn precision(&self) -> Option<f64> {
        let all = self.told + self.wrong;
        (all > 0).then(|| self.told as f64 / all as f64)
    }
}

/// A share as tables show it.
pub(crate) fn shown(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"))
}
