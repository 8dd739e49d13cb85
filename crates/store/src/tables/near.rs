//! Hashes that are close to others, in memory.
//!
//! Multi-index hashing over the steady half: of the first 128 bits of a hash, which stand for the broad
//! shapes of a picture and change the least when it does, 126 are 6 bands of 21. Two hashes that differ
//! in at most 11 of these have a band in which they differ in at most one, so the buckets of a band and
//! of its neighbours hold the other one. Those that differ in more are found when their bits fall so.
//!
//! What such a question costs is the memory it waits for: buckets are made so narrow that a few entries
//! are in each, and where one of them begins is asked for all buckets of a band before any is read. An
//! entry carries 32 bits of the first 64: copies differ in few of them, others in half. So one in a
//! hundred others is looked at in whole, which is elsewhere in memory.
//!
//! What is new is in buckets of its own, which are few and are made anew each time, until it is enough
//! to be sorted in with all others.

/// A hash.
pub(super) type Bits = [u64; 4];

/// Bands of a hash, and bits of a band.
const BANDS: usize = 6;
const BAND_BITS: u32 = 21;

/// Bits of a band by which it has buckets, at least.
const FEWEST_BITS: u32 = 8;

/// Bits in which hashes may differ: half as many again tell nothing any more.
const FARTHEST: u32 = 80;

/// Bits of a sample in which copies may differ.
const SAMPLED: u32 = 9;

/// Entries of buckets that one question looks at, at most.
const LOOKED_AT: usize = 4_000_000;

/// What is new before it is sorted in with all others, at least.
const NEW: usize = 32_768;

/// Hashes, each known by the number of its row.
#[derive(Default)]
pub(super) struct Near {
    hashes: Vec<Bits>,
    rows: Vec<i64>,
    /// Most of them, from the first on.
    most: Buckets,
    /// Those that came after them.
    new: Buckets,
}

/// Hashes by the values of their bands.
#[derive(Default)]
struct Buckets {
    /// The slot after the last of them.
    to: usize,
    /// The upper bits of a band that say which bucket it is in.
    bits: u32,
    /// None while there is nothing in them.
    bands: Vec<Band>,
}

/// The buckets of a band: entries from one offset to the next.
struct Band {
    offsets: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    slot: u32,
    sample: u32,
}

/// A hash that is close to one that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Close {
    pub distance: u32,
    pub row: i64,
    /// Which of those that were asked for.
    pub asked: usize,
}

impl Near {
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Adds a hash. [`settle`](Self::settle) is to be called before the next question.
    pub fn add(&mut self, row: i64, bits: Bits) {
        self.hashes.push(bits);
        self.rows.push(row);
    }

    /// Makes what was added findable.
    pub fn settle(&mut self) {
        let all = self.hashes.len();
        if self.new.to.max(self.most.to) == all {
            return;
        }
        // Sorting all of them costs about as much as is saved by then.
        if all - self.most.to >= NEW.max(self.most.to / 64) {
            self.new = Buckets::default();
            self.most = Buckets::default();
            self.most = Buckets::of(&self.hashes, 0);
        } else {
            self.new = Buckets::of(&self.hashes, self.most.to);
        }
    }

    /// Hashes within so many bits of those that are asked for, the closest first: each pair of them.
    pub fn close_to(&self, asked: &[Bits], radius: u32, most: usize) -> Vec<Close> {
        let radius = radius.min(FARTHEST);
        let (mut close, mut slots, mut left) = (Vec::new(), Vec::new(), LOOKED_AT);
        for (n, hash) in asked.iter().enumerate() {
            slots.clear();
            for band in 0..BANDS {
                self.most.probe(hash, band, &mut slots, &mut left);
                self.new.probe(hash, band, &mut slots, &mut left);
            }
            slots.sort_unstable();
            slots.dedup();
            for slot in &slots {
                let (Some(bits), Some(row)) = (self.hashes.get(*slot as usize), self.rows.get(*slot as usize)) else {
                    continue;
                };
                let distance = distance(hash, bits);
                if distance <= radius {
                    close.push(Close { distance, row: *row, asked: n });
                }
            }
        }
        close.sort_unstable();
        close.truncate(most);
        close
    }
}

impl Buckets {
    /// Sorts all hashes from a slot on into buckets.
    fn of(hashes: &[Bits], from: usize) -> Self {
        let some = hashes.get(from..).unwrap_or_default();
        // Two in a bucket.
        let bits = some.len().max(2).ilog2().saturating_sub(1).clamp(FEWEST_BITS, BAND_BITS);
        let bands = (0..BANDS).map(|band| Band::of(some, from, band, bits)).collect();
        Self { to: hashes.len(), bits, bands }
    }

    /// Looks into the bucket of a band and those whose values differ in one bit.
    fn probe(&self, hash: &Bits, band: usize, slots: &mut Vec<u32>, left: &mut usize) {
        let Some(Band { offsets, entries }) = self.bands.get(band) else { return };
        let (own, sample) = (bucket(hash, band, self.bits), sample(hash, band));
        let bounds = |value: usize| Some((*offsets.get(value)?, *offsets.get(value + 1)?));
        let mut buckets = [None; 1 + BAND_BITS as usize];
        let values = std::iter::once(own).chain((0..self.bits).map(|bit| own ^ (1 << bit)));
        buckets.iter_mut().zip(values).for_each(|(found, value)| *found = bounds(value));
        for (start, end) in buckets.into_iter().flatten() {
            let Some(bucket) = entries.get(start as usize..end as usize) else { continue };
            let bucket = bucket.get(..bucket.len().min(*left)).unwrap_or_default();
            *left -= bucket.len();
            slots.extend(bucket.iter().filter(|entry| entry.may_be_near(sample)).map(|entry| entry.slot));
        }
    }
}

impl Band {
    fn of(hashes: &[Bits], from: usize, band: usize, bits: u32) -> Self {
        let mut offsets = vec![0u32; (1 << bits) + 1];
        for hash in hashes {
            offsets[bucket(hash, band, bits) + 1] += 1;
        }
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        let mut entries = vec![Entry::default(); hashes.len()];
        // Each offset goes on to the start of the next bucket while its own is filled, and all are one
        // bucket too far at the end.
        for (slot, hash) in (from..).zip(hashes) {
            let place = &mut offsets[bucket(hash, band, bits)];
            entries[*place as usize] = Entry { slot: slot as u32, sample: sample(hash, band) };
            *place += 1;
        }
        offsets.copy_within(..1 << bits, 1);
        offsets[0] = 0;
        Self { offsets, entries }
    }
}

impl Entry {
    fn may_be_near(self, sample: u32) -> bool {
        (self.sample ^ sample).count_ones() <= SAMPLED
    }
}

/// The bucket of a hash: the upper bits of a band.
fn bucket(hash: &Bits, band: usize, bits: u32) -> usize {
    let band = hash[band / 3 % 2] >> (BAND_BITS as usize * (band % 3));
    (band & ((1 << BAND_BITS) - 1)) as usize >> (BAND_BITS - bits)
}

/// Half of the first 64 bits, and none of the band's own where it is one of them.
fn sample(hash: &Bits, band: usize) -> u32 {
    hash[0].rotate_right(BAND_BITS * (band as u32 % 3 + 1)) as u32
}

fn distance(one: &Bits, other: &Bits) -> u32 {
    one.iter().zip(other).map(|(one, other)| (one ^ other).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same every time (splitmix64).
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }

        fn hash(&mut self) -> Bits {
            [self.next(), self.next(), self.next(), self.next()]
        }

        /// The hash with exactly so many bits flipped, from one on.
        fn flipped(&mut self, hash: Bits, bits: u32, from: u64) -> Bits {
            let mut flipped = hash;
            while distance(&flipped, &hash) < bits {
                let bit = (from + self.next() % (256 - from)) as usize;
                flipped[bit / 64] |= !hash[bit / 64] & (1 << (bit % 64));
                flipped[bit / 64] &= !(hash[bit / 64] & (1 << (bit % 64)));
            }
            flipped
        }
    }

    #[test]
    fn what_is_near_is_found_however_it_came_in() {
        let mut numbers = Numbers(7);
        let (mut near, mut all) = (Near::default(), Vec::<Bits>::new());
        // Sorted in on the way, and the rest is new. One in ten is near another.
        for row in 0..40_000u64 {
            let bits = match row % 10 {
                1 => {
                    let (like, bits) = (all[(numbers.next() % row) as usize], (numbers.next() % 32) as u32);
                    numbers.flipped(like, bits, 0)
                }
                2 => {
                    let (like, bits) = (all[(numbers.next() % row) as usize], (numbers.next() % 64) as u32);
                    let broadly = numbers.flipped(like, bits / 4, 0);
                    numbers.flipped(broadly, bits - bits / 4, 128)
                }
                _ => numbers.hash(),
            };
            near.add(row as i64, bits);
            all.push(bits);
            if row % 1_000 == 0 {
                near.settle();
            }
        }
        near.settle();
        assert!(near.most.to > 0 && near.new.to > near.most.to);
        let (mut there, mut found) = (0, 0);
        for n in 0..600 {
            let asked = [all[n * 66], numbers.hash()];
            for radius in [0, 15, 31, 64] {
                let mut expected: Vec<Close> = Vec::new();
                for (row, bits) in all.iter().enumerate() {
                    for (which, hash) in asked.iter().enumerate() {
                        let distance = distance(hash, bits);
                        if distance <= radius {
                            expected.push(Close { distance, row: row as i64, asked: which });
                        }
                    }
                }
                expected.sort_unstable();
                let close = near.close_to(&asked, radius, 1_000);
                assert!(close.iter().all(|close| expected.contains(close)), "{n} within {radius}");
                let certain: Vec<&Close> = expected.iter().filter(|close| close.distance <= 15).collect();
                assert_eq!(close.iter().take(certain.len()).collect::<Vec<_>>(), certain, "{n} within {radius}");
                assert_eq!(near.close_to(&asked, radius, 1), expected[..1]);
                (there, found) = (there + expected.len() - certain.len(), found + close.len() - certain.len());
            }
        }
        assert!(there > 100 && found * 100 > there * 97, "{found} of {there} that are farther off");
    }

    #[test]
    fn crowded_buckets_are_not_searched_for_ever() {
        let mut near = Near::default();
        (0..200_000).for_each(|row| near.add(row, [0; 4]));
        near.settle();
        let asked = vec![[0; 4]; 64];
        let found = near.close_to(&asked, 80, 10);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|close| close.distance == 0));
    }
}
