//! Entries sorted by key in runs on disk, so that memory does not grow with their number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of entries that are sorted together.
const RUN: usize = 32 << 20;
/// Bytes of a run that are read together.
const BUFFER: usize = 128 << 10;

/// Takes entries in any order.
pub(crate) struct Sorter {
    folder: PathBuf,
    name: &'static str,
    bytes: Vec<u8>,
    /// Where each entry begins, and how long its key and value are.
    entries: Vec<(u32, u16, u16)>,
    runs: Vec<PathBuf>,
}

impl Sorter {
    pub(crate) fn new(folder: &Path, name: &'static str) -> Self {
        Self { folder: folder.to_owned(), name, bytes: Vec::new(), entries: Vec::new(), runs: Vec::new() }
    }

    /// Adds an entry; what is longer than 64 KiB is left out.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let (Ok(key_length), Ok(value_length)) = (u16::try_from(key.len()), u16::try_from(value.len())) else {
            return Ok(());
        };
        self.entries.push((self.bytes.len() as u32, key_length, value_length));
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
        if self.bytes.len() + self.entries.len() * 8 > RUN { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let bytes = &self.bytes;
        let parts = |&(at, key, value): &(u32, u16, u16)| {
            let (at, key, value) = (at as usize, usize::from(key), usize::from(value));
            (&bytes[at..at + key], &bytes[at + key..at + key + value])
        };
        self.entries.sort_unstable_by(|a, b| parts(a).cmp(&parts(b)));
        let path = self.folder.join(format!("{}-{}", self.name, self.runs.len()));
        let mut out = BufWriter::with_capacity(BUFFER, File::create(&path)?);
        for entry in &self.entries {
            let (key, value) = parts(entry);
            out.write_all(&(key.len() as u16).to_le_bytes())?;
            out.write_all(&(value.len() as u16).to_le_bytes())?;
            out.write_all(key)?;
            out.write_all(value)?;
        }
        out.flush()?;
        self.runs.push(path);
        self.entries.clear();
        self.bytes.clear();
        Ok(())
    }

    /// All entries in order.
    pub(crate) fn sorted(mut self) -> io::Result<Sorted> {
        self.flush()?;
        self.bytes = Vec::new();
        let mut sorted = Sorted { runs: Vec::new(), heads: BinaryHeap::new() };
        for (number, path) in self.runs.iter().enumerate() {
            sorted.runs.push(BufReader::with_capacity(BUFFER, File::open(path)?));
            sorted.refill(number)?;
            // What is open can still be read.
            std::fs::remove_file(path)?;
        }
        Ok(sorted)
    }
}

/// A key and its value.
pub(crate) type Entry = (Vec<u8>, Vec<u8>);

/// Gives entries in order.
pub(crate) struct Sorted {
    runs: Vec<BufReader<File>>,
    heads: BinaryHeap<Reverse<(Entry, usize)>>,
}

impl Sorted {
    fn refill(&mut self, run: usize) -> io::Result<()> {
        let mut lengths = [0; 4];
        match self.runs[run].read_exact(&mut lengths) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
        let mut key = vec![0; usize::from(u16::from_le_bytes([lengths[0], lengths[1]]))];
        let mut value = vec![0; usize::from(u16::from_le_bytes([lengths[2], lengths[3]]))];
        self.runs[run].read_exact(&mut key)?;
        self.runs[run].read_exact(&mut value)?;
        self.heads.push(Reverse(((key, value), run)));
        Ok(())
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Entry>> {
        let Some(Reverse((entry, run))) = self.heads.pop() else { return Ok(None) };
        self.refill(run)?;
        Ok(Some(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_many_runs_come_in_order_and_leave_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(folder.path(), "run");
        let count = 80_000u64;
        for number in 0..count {
            let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
            sorter.push(&key, &[7; 900]).unwrap();
        }
        assert!(sorter.runs.len() > 1);
        let mut sorted = sorter.sorted().unwrap();
        let (mut last, mut seen) = (Vec::new(), 0);
        while let Some((key, value)) = sorted.next().unwrap() {
            assert!(key > last && value.len() == 900);
            last = key;
            seen += 1;
        }
        assert_eq!(seen, count);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
