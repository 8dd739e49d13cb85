//! The further parts of a report that is a file. Each time it is written they get names of their own, and
//! those of before stay for a while: who has begun to read one list comes to its end.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::watched::now;

/// How long the parts of a list stay after it was replaced, and how much longer for each of them: a
/// crawler waits between two requests.
const LIFE: Duration = Duration::from_secs(60);
const LIFE_OF_EACH: Duration = Duration::from_secs(5);
/// Bytes of parts that were replaced.
const MOST_BYTES: u64 = 1 << 30;

/// The parts of one list.
#[derive(Default)]
struct List {
    files: Vec<PathBuf>,
    bytes: u64,
}

/// The parts of the list that is written, and of those before it.
pub(crate) struct Parts {
    report: PathBuf,
    /// Names this list; greater each time, also after a restart.
    number: i64,
    current: List,
    draft: List,
    replaced: VecDeque<(Instant, List)>,
}

impl Parts {
    /// Parts beside this report. What another process left there goes as what was replaced now.
    pub(crate) fn new(report: PathBuf) -> Self {
        let (mut left, mut number) = (List::default(), 0);
        for entry in report.parent().and_then(|folder| folder.read_dir().ok()).into_iter().flatten().flatten() {
            if let Some(its) = number_of(&report, &entry.file_name().to_string_lossy()) {
                // Lists that follow each other within a millisecond are ahead of the clock.
                number = number.max(its);
                left.bytes += entry.metadata().map_or(0, |meta| meta.len());
                left.files.push(entry.path());
            }
        }
        let replaced = VecDeque::from([(Instant::now(), left)]);
        Self { report, number, current: List::default(), draft: List::default(), replaced }
    }

    /// How many there are beside the report.
    pub(crate) fn count(&self) -> usize {
        self.current.files.len()
    }

    /// Begins another list. What a failure left of the one before goes.
    pub(crate) fn begin(&mut self) {
        remove(&std::mem::take(&mut self.draft));
        self.number = now().0.max(self.number + 1);
    }

    /// The name of a part of the list that was begun, from 2.
    pub(crate) fn name(&self, part: usize) -> PathBuf {
        beside(&self.report, &format!("-{:012x}-{part}.json", self.number))
    }

    /// Writes a part.
    pub(crate) fn write(&mut self, part: usize, bytes: &[u8]) -> std::io::Result<()> {
        let path = self.name(part);
        self.draft.files.push(path.clone());
        self.draft.bytes += bytes.len() as u64;
        write(&path, bytes)
    }

    /// The report leads to the list that was begun: those before it go when their time is over.
    pub(crate) fn replace(&mut self, now: Instant) {
        let list = std::mem::replace(&mut self.current, std::mem::take(&mut self.draft));
        self.replaced.push_back((now, list));
        let mut bytes: u64 = self.replaced.iter().map(|(_, list)| list.bytes).sum();
        while let Some((at, list)) = self.replaced.pop_front() {
            let life = LIFE + LIFE_OF_EACH * list.files.len() as u32;
            // The one before is never too much.
            let too_much = bytes > MOST_BYTES && !self.replaced.is_empty();
            if !too_much && now.duration_since(at) < life {
                self.replaced.push_front((at, list));
                return;
            }
            bytes -= list.bytes;
            remove(&list);
        }
    }
}

/// The number of the list that a part belongs to, by its name: `report-0123456789ab-2.json`.
fn number_of(report: &Path, name: &str) -> Option<i64> {
    let stem = report.file_stem().unwrap_or_default().to_string_lossy();
    let named = name.strip_prefix(&*stem)?.strip_prefix('-')?.strip_suffix(".json")?;
    let (number, part) = named.split_once('-')?;
    let is_part = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_number = number.len() == 12 && number.bytes().all(|b| b.is_ascii_hexdigit());
    (is_part && is_number).then(|| i64::from_str_radix(number, 16).ok()).flatten()
}

fn remove(list: &List) {
    for file in &list.files {
        let _ = std::fs::remove_file(file);
    }
}

/// A file beside the report, named after it.
pub(crate) fn beside(report: &Path, ending: &str) -> PathBuf {
    let stem = report.file_stem().unwrap_or_default().to_string_lossy();
    report.with_file_name(format!("{stem}{ending}"))
}

/// Readers see the old file or the new one, never a part.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = path.with_file_name(format!(".{name}.draft"));
    std::fs::write(&draft, bytes)?;
    std::fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_list_stay_after_it_was_replaced_and_go_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("r.json");
        let begun = Instant::now();
        let mut parts = Parts::new(report.clone());
        let list = |parts: &mut Parts, at: Instant| {
            parts.begin();
            parts.write(2, b"two").unwrap();
            parts.replace(at);
            parts.name(2)
        };
        let first = list(&mut parts, begun);
        let second = list(&mut parts, begun);
        assert_ne!(first, second);
        assert!(first.exists() && second.exists() && parts.count() == 1);
        list(&mut parts, begun + LIFE + LIFE_OF_EACH);
        assert!(!first.exists() && second.exists());
        // Another process takes over what is there, and nothing else.
        std::fs::write(folder.path().join("r-2.json"), "mine").unwrap();
        let ahead = report.with_file_name("r-ffffffff0000-2.json");
        std::fs::write(&ahead, "two").unwrap();
        let mut parts = Parts::new(report.clone());
        let last = list(&mut parts, begun + 20 * LIFE);
        assert!(last > ahead && !ahead.exists());
        let mut left: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left.len(), 2, "{left:?}");
        assert_eq!(number_of(&report, "r-0123456789ab-12.json"), Some(0x0123_4567_89ab));
        for other in ["r.json", "r-2.json", "r-sitemap-2.json", "r-0123456789ab-.json", "s-0123456789ab-2.json"] {
            assert_eq!(number_of(&report, other), None, "{other}");
        }
    }
}
