//! Which page links to which, kept small: sorted numbers, as differences of one to five bytes.

use crate::names::Id;

/// Bytes of all links of a site; what is above it is not kept.
const MOST_BYTES: usize = 128 << 20;
/// Rewriting is not worth it for less waste.
const LITTLE: usize = 1 << 20;
/// The distance of what no link leads to.
pub(crate) const UNREACHED: u16 = u16::MAX;

/// The links of a site.
#[derive(Default)]
pub(crate) struct Links {
    /// Where the links of each page begin in `bytes`, and how many bytes they are.
    spans: Vec<(u32, u32)>,
    bytes: Vec<u8>,
    wasted: usize,
}

impl Links {
    /// Sets the links of a page; gives whether there was room.
    pub(crate) fn set(&mut self, from: Id, mut to: Vec<Id>) -> bool {
        to.sort_unstable();
        to.dedup();
        self.set_packed(from, &pack(&to))
    }

    /// The same, as [`packed`](Self::packed) gives them.
    pub(crate) fn set_packed(&mut self, from: Id, packed: &[u8]) -> bool {
        let place = from as usize;
        if self.spans.len() <= place {
            self.spans.resize(place + 1, (0, 0));
        }
        if self.packed(from) == packed {
            return true;
        }
        self.wasted += self.spans[place].1 as usize;
        self.spans[place] = (0, 0);
        if self.bytes.len() - self.wasted + packed.len() > MOST_BYTES {
            return false;
        }
        if self.wasted > LITTLE && self.wasted > self.bytes.len() / 2 {
            self.rewrite();
        }
        self.spans[place] = (self.bytes.len() as u32, packed.len() as u32);
        self.bytes.extend_from_slice(packed);
        true
    }

    /// The links of a page as bytes, to be stored.
    pub(crate) fn packed(&self, from: Id) -> &[u8] {
        let (start, length) = self.spans.get(from as usize).copied().unwrap_or_default();
        self.bytes.get(start as usize..start as usize + length as usize).unwrap_or_default()
    }

    fn rewrite(&mut self) {
        let mut bytes = Vec::with_capacity(self.bytes.len() - self.wasted);
        for (start, length) in &mut self.spans {
            let from = *start as usize..*start as usize + *length as usize;
            *start = bytes.len() as u32;
            bytes.extend_from_slice(&self.bytes[from]);
        }
        self.bytes = bytes;
        self.wasted = 0;
    }

    /// How many links each of `count` pages is from `main`.
    pub(crate) fn distances(&self, main: &[Id], count: usize) -> Vec<u16> {
        let mut distances = vec![UNREACHED; count];
        let mut ring: Vec<Id> = Vec::new();
        let mut reach = |id: Id, distance: u16, ring: &mut Vec<Id>| {
            if let Some(known) = distances.get_mut(id as usize).filter(|known| **known == UNREACHED) {
                *known = distance;
                ring.push(id);
            }
        };
        for &id in main {
            reach(id, 0, &mut ring);
        }
        let mut distance = 0;
        while !ring.is_empty() {
            // Deeper trees than that count as this deep.
            distance = u16::min(distance + 1, UNREACHED - 1);
            let mut next = Vec::new();
            for &id in &ring {
                for target in unpack(self.packed(id)) {
                    reach(target, distance, &mut next);
                }
            }
            ring = next;
        }
        distances
    }
}

/// Numbers in order, in few bytes.
pub(crate) fn pack(sorted: &[Id]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(sorted.len() * 2);
    let mut before = 0;
    for &id in sorted {
        let mut rest = id - before;
        before = id;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

/// The numbers that were packed, as far as they can be read.
pub(crate) fn unpack(bytes: &[u8]) -> impl Iterator<Item = Id> {
    let mut bytes = bytes.iter();
    let mut before = 0u32;
    std::iter::from_fn(move || {
        let (mut value, mut shift) = (0u32, 0);
        loop {
            let byte = *bytes.next()?;
            value |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        before = before.wrapping_add(value);
        Some(before)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_they_were_set() {
        let mut links = Links::default();
        assert!(links.set(3, vec![9, 1, 9, 70_000, 4_000_000_000]));
        assert_eq!(unpack(links.packed(3)).collect::<Vec<_>>(), [1, 9, 70_000, 4_000_000_000]);
        assert!(links.set(3, vec![]));
        assert!(links.packed(3).is_empty() && links.packed(99).is_empty());
    }

    #[test]
    fn what_is_replaced_is_given_back() {
        let mut links = Links::default();
        for round in 0..200u32 {
            for page in 0..20 {
                links.set(page, (round * 1_000..round * 1_000 + 1_000).collect());
            }
        }
        assert!(links.bytes.len() < 3 * LITTLE, "{}", links.bytes.len());
        assert_eq!(unpack(links.packed(7)).count(), 1_000);
    }

    #[test]
    fn distances_are_counted_from_the_main_page() {
        let mut links = Links::default();
        links.set(1, vec![2, 3]);
        links.set(2, vec![4, 1]);
        links.set(4, vec![5]);
        links.set(6, vec![5, 1]);
        assert_eq!(links.distances(&[1], 8), [UNREACHED, 0, 1, 1, 2, 3, UNREACHED, UNREACHED]);
        assert_eq!(links.distances(&[], 2), [UNREACHED; 2]);
        // Numbers that there are no pages for are passed over.
        links.set(3, vec![1_000]);
        assert_eq!(links.distances(&[1], 4)[3], 1);
    }

    #[test]
    fn damaged_bytes_end_the_list() {
        assert_eq!(unpack(&[0x80, 0x80]).count(), 0);
        assert_eq!(unpack(&[5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]).next(), Some(5));
    }
}
