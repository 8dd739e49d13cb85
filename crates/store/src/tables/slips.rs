//! Words that are nearly what was typed, looked for in memory.
//!
//! The words of a library are few beside its items. They are read at the first slip, new ones before each
//! further one; what was rolled back is never read, and numbers are not used again.

use std::sync::{Mutex, PoisonError};

use crate::sql::{self, Connection, params};
use query::{distance, slips};

use super::vocabulary::{Known, Subject, spelt};

/// Words that are held, and letters of each.
const MOST: usize = 2_000_000;
const LETTERS: usize = 32;

/// Rows that are read at once: a server sends all that is asked for.
const READ: usize = 10_000;

/// Words near one that are looked up.
const NEAR: usize = 200;

/// The words of a library.
#[derive(Default)]
pub(super) struct Lexicon(Mutex<Words>);

#[derive(Default)]
struct Words {
    /// The largest number that was read.
    last: i64,
    held: usize,
    texts: String,
    by_length: Vec<Vec<Entry>>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// A bit for each letter: a slip changes two at most.
    letters: u64,
    start: u32,
    bytes: u8,
}

impl Lexicon {
    /// Words that something has and that are as few slips from this one as any, the most frequent first.
    pub fn near(&self, db: &Connection, subject: Subject, word: &str) -> sql::Result<Vec<Known>> {
        let length = word.chars().count();
        let most = slips(length);
        if most == 0 || length > LETTERS || !word.chars().all(char::is_alphabetic) {
            return Ok(Vec::new());
        }
        let candidates = {
            let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            words.read(db)?;
            words.near(word, length, most)
        };
        let mut found: Vec<(usize, Known)> = Vec::new();
        for (far, text) in candidates {
            if found.first().is_some_and(|(least, _)| far > *least) {
                break;
            }
            found.extend(spelt(db, subject, &text)?.map(|known| (far, known)));
        }
        found.sort_by_key(|(_, known)| -known.count);
        Ok(found.into_iter().map(|(_, known)| known).collect())
    }
}

impl Words {
    fn read(&mut self, db: &Connection) -> sql::Result<()> {
        if self.held >= MOST {
            return Ok(());
        }
        let mut select = db.prepare_cached("SELECT id, text FROM word WHERE id > ?1 ORDER BY id LIMIT ?2")?;
        loop {
            let mut rows = select.query(params![self.last, READ as i64])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                self.last = row.get(0)?;
                count += 1;
                self.hold(row.get_ref(1)?.as_str()?);
                if self.held >= MOST {
                    tracing::warn!("more than {MOST} words: slips are looked for among the first");
                    return Ok(());
                }
            }
            if count < READ {
                return Ok(());
            }
        }
    }

    /// Takes a word in, if it is one that slips are looked for in.
    fn hold(&mut self, text: &str) {
        let length = text.chars().count();
        if !(3..=LETTERS).contains(&length) || !text.chars().all(char::is_alphabetic) {
            return;
        }
        let (Ok(start), Ok(bytes)) = (u32::try_from(self.texts.len()), u8::try_from(text.len())) else { return };
        self.texts.push_str(text);
        self.by_length.resize_with(self.by_length.len().max(length + 1), Vec::new);
        self.by_length[length].push(Entry { letters: letters(text), start, bytes });
        self.held += 1;
    }

    /// Words up to so many slips away, the nearest first.
    fn near(&self, word: &str, length: usize, most: usize) -> Vec<(usize, String)> {
        let own = letters(word);
        let lengths = length.saturating_sub(most)..=length + most;
        let entries = lengths.filter_map(|length| self.by_length.get(length)).flatten();
        let mut found: Vec<(usize, String)> = entries
            .filter(|entry| (entry.letters ^ own).count_ones() as usize <= 2 * most)
            .filter_map(|entry| {
                let start = entry.start as usize;
                let text = self.texts.get(start..start + usize::from(entry.bytes))?;
                distance(word, text, most).filter(|far| *far > 0).map(|far| (far, text.to_owned()))
            })
            .collect();
        found.sort();
        found.truncate(NEAR);
        found
    }
}

fn letters(text: &str) -> u64 {
    text.chars().fold(0, |bits, c| bits | 1 << ((c as u32).wrapping_mul(0x9e37_79b1) >> 26))
}
