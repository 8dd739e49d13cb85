//! Facts from parts of a file.

use facts::Timestamp;

use crate::container;
use crate::finding::{Facts, Unreadable};
use crate::parts::{ENDLESS, Missed, Parts, REACH};
use crate::sniff::{Structure, sniff};

/// After the last byte a structure asks for, what it asks for next is mostly near.
const SLACK: u64 = 2 << 10;

/// A file that is read from its start and, where that is worth it, its end.
///
/// Give it bytes with [`head`](Self::head) and [`tail`](Self::tail), ask what it
/// [wants next](Self::next), and stop when that is nothing or cannot be had: the
/// [facts](Self::facts) are those of the parts it was given. It never holds more than 64 KiB of
/// either end, and never wants more than three pieces after the first.
///
/// ```
/// use media::{Probe, Wants};
/// # let file = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 2, 128, 0, 0, 1, 224];
/// let mut probe = Probe::new(Some(file.len() as u64));
/// let mut read = 0;
/// loop {
///     match probe.next() {
///         Wants::Nothing => break,
///         Wants::Head(end) => {
///             probe.head(&file[read..end]);
///             read = end;
///         }
///         Wants::Tail(last) => probe.tail(file.len() as u64 - last, &file[file.len() - last as usize..]),
///     }
/// }
/// let facts = probe.facts(facts::Timestamp(0)).unwrap();
/// assert_eq!((facts.width, facts.height), (Some(640), Some(480)));
/// ```
#[derive(Clone, Debug)]
pub struct Probe {
    head: Vec<u8>,
    tail: Option<(u64, Vec<u8>)>,
    total: Option<u64>,
}

/// What a probe wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// It knows what can be known from the ends of the file.
    Nothing,
    /// The file's start up to here, at most 64 KiB, of which it has a part already.
    Head(usize),
    /// So many last bytes, at most 64 KiB.
    Tail(u64),
}

impl Probe {
    /// As many bytes as to ask for first: most pictures need no more.
    pub const FIRST: usize = 16 << 10;

    /// A file of this length, where it is known.
    pub fn new(total: Option<u64>) -> Self {
        Self { head: Vec::new(), tail: None, total }
    }

    /// The next bytes, after those given before; what is beyond 64 KiB is not kept.
    pub fn head(&mut self, bytes: &[u8]) {
        let room = REACH.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// The file ends with the bytes given last: there is no more, whatever was announced.
    pub fn ended(&mut self) {
        self.total = Some(self.head.len() as u64);
    }

    /// The last bytes of the file, and where they begin; of more than 64 KiB the last are kept, and
    /// none from where no file reaches.
    pub fn tail(&mut self, offset: u64, bytes: &[u8]) {
        if offset > ENDLESS {
            return;
        }
        let skip = bytes.len().saturating_sub(REACH);
        let (offset, bytes) = (offset + skip as u64, &bytes[skip..]);
        self.total = Some(offset + bytes.len() as u64);
        match (self.head.len() as u64).checked_sub(offset) {
            // Both ends meet, and the file is here as a whole.
            Some(known) => {
                let known = usize::try_from(known).unwrap_or(usize::MAX);
                self.head.extend_from_slice(bytes.get(known..).unwrap_or_default());
            }
            None => self.tail = Some((offset, bytes.to_vec())),
        }
    }

    /// The bytes from the start that it was given: where to go on when the file is kept.
    pub fn start(&self) -> &[u8] {
        &self.head
    }

    /// What it wants next.
    pub fn next(&self) -> Wants {
        let parts = self.parts();
        let Some(format) = sniff(&self.head) else {
            return self.more(Self::FIRST as u64);
        };
        container::read(format.structure(), &parts);
        let Missed { head, from, end } = parts.missed();
        if let Some(needed) = head {
            // Twice as much as before, so that a file of many small segments is not asked for
            // each of them.
            return self.more((needed + SLACK).max(2 * self.head.len() as u64));
        }
        if self.tail.is_some() {
            return Wants::Nothing;
        }
        let reach = REACH as u64;
        let unknown = self.total.map_or(reach, |total| total.saturating_sub(self.head.len() as u64)).min(reach);
        let distance = from.map(|from| self.total.map_or(reach, |total| total.saturating_sub(from)));
        match distance {
            // What a directory at the end points to is mostly just before it.
            Some(distance) if distance <= reach && matches!(format.structure(), Structure::Tiff | Structure::Mp4) => {
                Wants::Tail(unknown.max(distance))
            }
            Some(distance) if distance <= reach => Wants::Tail(distance),
            _ if end && unknown > 0 => Wants::Tail(unknown),
            _ => Wants::Nothing,
        }
    }

    /// What the parts given so far say. `now` is the time of reading: a position with a later date
    /// loses the date.
    pub fn facts(&self, now: Timestamp) -> Result<Facts, Unreadable> {
        read(&self.parts(), now)
    }

    fn parts(&self) -> Parts<'_> {
        let tail = self.tail.as_ref().map(|(offset, bytes)| (*offset, bytes.as_slice()));
        Parts::new(&self.head, tail, self.total)
    }

    fn more(&self, end: u64) -> Wants {
        let end = end.min(REACH as u64).min(self.total.unwrap_or(u64::MAX)) as usize;
        if end > self.head.len() { Wants::Head(end) } else { Wants::Nothing }
    }
}

/// The facts of a file that is here as a whole; see [`Probe::facts`].
pub fn read_whole(bytes: &[u8], now: Timestamp) -> Result<Facts, Unreadable> {
    read(&Parts::whole(bytes), now)
}

fn read(parts: &Parts<'_>, now: Timestamp) -> Result<Facts, Unreadable> {
    if parts.head().is_empty() {
        return Err(Unreadable::Empty);
    }
    let format = sniff(parts.head()).ok_or(Unreadable::Unknown)?;
    let reading = container::read(format.structure(), parts);
    let partial = parts.missed() != Missed::default();
    Ok(Facts::join(format, reading, partial, now))
}
