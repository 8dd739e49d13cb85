//! A file of which only parts are here.
//!
//! Readers ask a [`Window`] for bytes; a request for bytes that exist but are not here is noted in
//! the [`Parts`], and the notes say what to fetch next. So each reader is written once, and knows
//! nothing of ranges.

use std::cell::Cell;

/// As many bytes as are ever kept of a file's start, and of its end.
pub(crate) const REACH: usize = 64 << 10;

/// The length of a file of unknown length, and the most a server may say: far enough from the
/// largest number that offsets inside of a file can be added to.
pub(crate) const ENDLESS: u64 = u64::MAX >> 2;

/// The bytes of a file that are here: its start, and perhaps its end.
pub(crate) struct Parts<'a> {
    head: &'a [u8],
    tail: Option<(u64, &'a [u8])>,
    total: Option<u64>,
    missed: Cell<Missed>,
}

/// What readers asked for in vain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Missed {
    /// Up to here the start of the file is needed, within [`REACH`].
    pub head: Option<u64>,
    /// From here on the rest of the file is needed.
    pub from: Option<u64>,
    /// The last bytes of the file are needed, as many as there may be.
    pub end: bool,
}

impl<'a> Parts<'a> {
    /// A file that is here as a whole.
    pub fn whole(bytes: &'a [u8]) -> Self {
        Self::new(bytes, None, Some(bytes.len() as u64))
    }

    /// A file's start, its end with where that begins, and its length.
    pub fn new(head: &'a [u8], tail: Option<(u64, &'a [u8])>, total: Option<u64>) -> Self {
        Self { head, tail, total, missed: Cell::default() }
    }

    /// All of the file.
    pub fn window(&'a self) -> Window<'a> {
        Window { parts: self, start: 0, end: self.total.unwrap_or(ENDLESS).min(ENDLESS) }
    }

    /// The first bytes, as many as are here.
    pub fn head(&self) -> &'a [u8] {
        self.head
    }

    /// The last bytes, where they are here apart from the first.
    pub fn tail(&'a self) -> Option<Window<'a>> {
        let (start, bytes) = self.tail?;
        Some(Window { parts: self, start, end: start + bytes.len() as u64 })
    }

    /// What was asked for in vain so far.
    pub fn missed(&self) -> Missed {
        self.missed.get()
    }

    /// Notes that the last bytes of the file are needed, wherever exactly what is looked for may be.
    pub fn want_end(&self) {
        if self.tail.is_none() && self.total.is_none_or(|total| total > self.head.len() as u64) {
            self.missed.set(Missed { end: true, ..self.missed.get() });
        }
    }

    fn find(&self, start: u64, end: u64) -> Option<&'a [u8]> {
        let within = |offset: u64, bytes: &'a [u8]| {
            let (from, to) = (start.checked_sub(offset)?, end.checked_sub(offset)?);
            bytes.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)
        };
        within(0, self.head).or_else(|| self.tail.and_then(|(offset, bytes)| within(offset, bytes)))
    }

    fn miss(&self, start: u64, end: u64) {
        if self.total.is_some_and(|total| end > total) {
            return;
        }
        let mut missed = self.missed.get();
        if end <= REACH as u64 {
            missed.head = missed.head.max(Some(end));
        } else {
            missed.from = Some(missed.from.map_or(start, |from| from.min(start)));
        }
        self.missed.set(missed);
    }
}

/// A stretch of a file, read by offsets that count from its own start.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a> {
    parts: &'a Parts<'a>,
    start: u64,
    end: u64,
}

impl<'a> Window<'a> {
    /// How long it is; more than any file where its length is not known.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// All of it, when all of it is here.
    pub fn all(&self) -> Option<&'a [u8]> {
        self.get(0, self.len())
    }

    /// Its first bytes, at most so many, when all of these are here.
    pub fn first(&self, limit: u64) -> Option<&'a [u8]> {
        self.get(0, self.len().min(limit))
    }

    /// Whether these bytes lie inside, here or not.
    pub fn holds(&self, at: u64, len: u64) -> bool {
        self.place(at, len).is_some()
    }

    /// These bytes; when they exist but are not here, that is noted.
    pub fn get(&self, at: u64, len: u64) -> Option<&'a [u8]> {
        let (start, end) = self.place(at, len)?;
        let found = self.parts.find(start, end);
        if found.is_none() {
            self.parts.miss(start, end);
        }
        found
    }

    /// These bytes if they are here: nice to have, but not worth a request.
    pub fn peek(&self, at: u64, len: u64) -> Option<&'a [u8]> {
        let (start, end) = self.place(at, len)?;
        self.parts.find(start, end)
    }

    /// As many of these bytes as the window has and are here; what is not here is noted.
    pub fn prefix(&self, at: u64, len: u64) -> &'a [u8] {
        let len = len.min(self.len().saturating_sub(at));
        if let Some(all) = self.get(at, len) {
            return all;
        }
        let Some((start, end)) = self.place(at, len) else { return &[] };
        let from_head = usize::try_from(start).ok().and_then(|start| self.parts.head.get(start..));
        let from_tail = || {
            let (offset, bytes) = self.parts.tail?;
            bytes.get(usize::try_from(start.checked_sub(offset)?).ok()?..)
        };
        let found = from_head.filter(|found| !found.is_empty()).or_else(from_tail).unwrap_or_default();
        &found[..found.len().min(usize::try_from(end - start).unwrap_or(usize::MAX))]
    }

    /// A stretch of this one, cut off where this one ends.
    pub fn window(&self, at: u64, len: u64) -> Self {
        let start = self.start.saturating_add(at).min(self.end);
        Self { parts: self.parts, start, end: start.saturating_add(len).min(self.end) }
    }

    /// The rest of this one.
    pub fn from(&self, at: u64) -> Self {
        self.window(at, u64::MAX)
    }

    /// So many bytes as an array.
    pub fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        self.get(at, N as u64)?.try_into().ok()
    }

    pub fn u8(&self, at: u64) -> Option<u8> {
        self.array::<1>(at).map(|[byte]| byte)
    }

    pub fn u16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }

    pub fn u32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    pub fn u64(&self, at: u64) -> Option<u64> {
        self.array(at).map(u64::from_be_bytes)
    }

    pub fn u16_le(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub fn u32_le(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    fn place(&self, at: u64, len: u64) -> Option<(u64, u64)> {
        let start = self.start.checked_add(at)?;
        let end = start.checked_add(len)?;
        (end <= self.end).then_some((start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_here_is_noted_and_what_does_not_exist_is_not() {
        let (head, tail) = ([1; 100], [2; 50]);
        let parts = Parts::new(&head, Some((200_000, &tail)), Some(200_050));
        let file = parts.window();
        assert_eq!(file.get(90, 10), Some(&[1; 10][..]));
        assert_eq!(file.get(200_010, 40), Some(&[2; 40][..]));
        assert_eq!(file.get(200_010, 41), None);
        assert_eq!(file.peek(150, 10), None);
        assert_eq!(parts.missed(), Missed::default());
        assert_eq!(file.get(95, 10), None);
        assert_eq!(file.get(120, 10), None);
        assert_eq!(file.get(100_000, 10), None);
        assert_eq!(parts.missed(), Missed { head: Some(130), from: Some(100_000), end: false });
    }

    #[test]
    fn a_window_never_shows_what_is_outside_of_it() {
        let bytes: Vec<u8> = (0..100).collect();
        let parts = Parts::whole(&bytes);
        let window = parts.window().window(10, 20);
        assert_eq!(window.len(), 20);
        assert_eq!(window.u8(0), Some(10));
        assert_eq!(window.u8(20), None);
        assert_eq!(window.get(u64::MAX, 2), None);
        assert_eq!(window.window(15, 100).len(), 5);
        assert_eq!(window.prefix(18, 50), &[28, 29]);
    }
}
