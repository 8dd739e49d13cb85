//! The quiet work beside watching: reading links, counting levels, writing the state. It takes half
//! of a core at most, and none in the rush.

use std::time::{Duration, Instant};

use crate::reading::FileReader;
use crate::rush::Rush;
use crate::watched::Watched;

/// Pages read between two pauses.
const BATCH: usize = 64;
/// With more than that to read, it takes its time.
const MUCH: usize = 1_000;
/// How often the state is written.
const SAVE: Duration = Duration::from_millis(500);
/// Levels are counted again at most this part of the time.
const SHARE: u32 = 20;

/// Does the quiet work of one site.
pub(crate) struct Keeper {
    /// Pages of folders are read here; those of running sites are fetched elsewhere.
    pub(crate) reader: Option<FileReader>,
    rush: Rush,
    asked: Option<(Instant, bool)>,
    saved: Instant,
    ranked: Option<Instant>,
    ranking_took: Duration,
    failing: bool,
}

impl Keeper {
    pub(crate) fn new(reader: Option<FileReader>, rush: Rush) -> Self {
        let saved = Instant::now();
        Self { reader, rush, asked: None, saved, ranked: None, ranking_took: Duration::ZERO, failing: false }
    }

    /// Does some of it; gives how long to wait before more.
    pub(crate) fn step(&mut self, watched: &Watched) -> Duration {
        if self.saved.elapsed() >= SAVE {
            self.save(watched);
        }
        if self.in_rush() {
            return SAVE;
        }
        let begun = Instant::now();
        let left = self.read(watched);
        if left > 0 {
            return if left > MUCH { begun.elapsed() } else { Duration::ZERO };
        }
        self.rank(watched);
        SAVE / 2
    }

    /// Does all of it, in rush or not.
    pub(crate) fn finish(&mut self, watched: &Watched) {
        while self.read(watched) > 0 {}
        watched.book().rank();
    }

    /// Reads some pages; gives how many there are to be read.
    fn read(&mut self, watched: &Watched) -> usize {
        let Some(reader) = &mut self.reader else { return 0 };
        for _ in 0..BATCH {
            let next = watched.book().unread.pop_front();
            match next {
                Some(id) => reader.read(id),
                None => break,
            }
        }
        watched.book().unread.len()
    }

    fn rank(&mut self, watched: &Watched) {
        let mut book = watched.book();
        // Pages of a running site are fetched one by one: levels are those of what was read so far.
        let due = book.moved || !book.ranked && (self.reader.is_some() || book.there() > 0 && book.unread.is_empty());
        if due && self.ranked.is_none_or(|ranked| ranked.elapsed() > self.ranking_took * SHARE) {
            let begun = Instant::now();
            book.rank();
            self.ranking_took = begun.elapsed();
            self.ranked = Some(Instant::now());
        }
    }

    pub(crate) fn save(&mut self, watched: &Watched) {
        match watched.save() {
            Ok(()) => self.failing = false,
            // Said once, tried again and again: a disk may have room again.
            Err(error) => {
                if !std::mem::replace(&mut self.failing, true) {
                    tracing::error!("{error}");
                }
            }
        }
        self.saved = Instant::now();
    }

    fn in_rush(&mut self) -> bool {
        match self.asked {
            Some((at, answer)) if at.elapsed() < Rush::PAUSE => answer,
            _ => {
                let answer = self.rush.now();
                self.asked = Some((Instant::now(), answer));
                answer
            }
        }
    }
}
