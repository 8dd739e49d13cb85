//! Hashes that are close to others, in memory.
//!
//! Multi-index hashing over the steady half: the first 128 bits of a hash, which stand for the broad
//! shapes of a picture and change the least when it does, are 8 bands of 16. Two hashes that differ in
//! at most 15 of these have a band in which they differ in at most one, so the buckets of a band and
//! of its 16 neighbours hold the other one. Those that differ in more are found when their bits fall
//! so: of 923 copies of photos within 80 of all 256 bits (re-encoded, cropped, captioned, smaller, grey,
//! brighter, darker) this finds 920.
//!
//! An entry of a bucket carries 32 bits of the first 64. Copies differ in few of them, others in half:
//! one in a hundred others is looked at in whole, which is elsewhere in memory.
//!
//! Buckets are slices of one sorted vector for each band. What is added since is in chains beside
//! them, and sorted in when it is an eighth of the whole.

/// A hash.
pub(super) type Bits = [u64; 4];

/// Bands of a hash, and values of a band.
const BANDS: usize = 8;
const VALUES: usize = 1 << 16;

/// Bits in which hashes may differ: half as many again tell nothing any more.
const FARTHEST: u32 = 80;

/// Bits of a sample in which copies may differ.
const SAMPLED: u32 = 9;

/// Entries of buckets that one question looks at, at most.
const LOOKED_AT: usize = 4_000_000;

/// What is added before it is sorted in, at least.
const ADDED: usize = 8_192;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// Hashes, each known by the number of its row.
pub(super) struct Near {
    hashes: Vec<Bits>,
    rows: Vec<i64>,
    /// How many of them are sorted.
    sorted: usize,
    bands: Vec<Band>,
    /// The first of each chain, by band and value.
    heads: Vec<u32>,
    chained: Vec<Chained>,
}

/// The buckets of a band: entries from one offset to the next.
#[derive(Default)]
struct Band {
    offsets: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    slot: u32,
    /// Two other bands of the first four.
    sample: u32,
}

struct Chained {
    entry: Entry,
    next: u32,
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
    pub fn new() -> Self {
        let bands = (0..BANDS).map(|_| Band { offsets: vec![0; VALUES + 1], entries: Vec::new() }).collect();
        let heads = vec![NONE; BANDS * VALUES];
        Self { hashes: Vec::new(), rows: Vec::new(), sorted: 0, bands, heads, chained: Vec::new() }
    }

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
        let added = self.hashes.len() - self.sorted;
        if added >= ADDED.max(self.sorted / 8) {
            return self.sort();
        }
        for slot in self.sorted + self.chained.len() / BANDS..self.hashes.len() {
            for band in 0..BANDS {
                let Some(head) = self.heads.get_mut(band * VALUES + usize::from(value(&self.hashes[slot], band)))
                else {
                    continue;
                };
                let entry = Entry { slot: slot as u32, sample: sample(&self.hashes[slot], band) };
                self.chained.push(Chained { entry, next: *head });
                *head = self.chained.len() as u32 - 1;
            }
        }
    }

    /// Sorts everything into buckets, a band at a time.
    fn sort(&mut self) {
        for (band, buckets) in self.bands.iter_mut().enumerate() {
            let Band { offsets, entries } = buckets;
            offsets.fill(0);
            for hash in &self.hashes {
                offsets[usize::from(value(hash, band)) + 1] += 1;
            }
            let mut sum = 0;
            for offset in offsets.iter_mut() {
                sum += *offset;
                *offset = sum;
            }
            entries.clear();
            entries.resize(self.hashes.len(), Entry::default());
            // From the back: then each offset has come to the start of its bucket.
            let mut ends: Vec<u32> = offsets[1..].to_vec();
            for (slot, hash) in self.hashes.iter().enumerate().rev() {
                let end = &mut ends[usize::from(value(hash, band))];
                *end -= 1;
                entries[*end as usize] = Entry { slot: slot as u32, sample: sample(hash, band) };
            }
        }
        self.sorted = self.hashes.len();
        self.heads.fill(NONE);
        self.chained.clear();
        self.chained.shrink_to(ADDED * BANDS);
    }

    /// Hashes within so many bits of those that are asked for, the closest first: each pair of them.
    pub fn close_to(&self, asked: &[Bits], radius: u32, most: usize) -> Vec<Close> {
        let radius = radius.min(FARTHEST);
        let (mut close, mut slots, mut left) = (Vec::new(), Vec::new(), LOOKED_AT);
        for (n, hash) in asked.iter().enumerate() {
            slots.clear();
            for band in 0..BANDS {
                self.probe(hash, band, &mut slots, &mut left);
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

    /// Looks into the bucket of a band and those whose values differ in one bit.
    fn probe(&self, hash: &Bits, band: usize, slots: &mut Vec<u32>, left: &mut usize) {
        let (own, sample) = (value(hash, band), sample(hash, band));
        let Some(buckets) = self.bands.get(band) else { return };
        for flip in [0].into_iter().chain((0..16).map(|bit| 1 << bit)) {
            let value = usize::from(own ^ flip);
            let bounds = (buckets.offsets.get(value), buckets.offsets.get(value + 1));
            let (Some(start), Some(end)) = bounds else { continue };
            let Some(bucket) = buckets.entries.get(*start as usize..*end as usize) else { continue };
            let bucket = bucket.get(..bucket.len().min(*left)).unwrap_or_default();
            *left -= bucket.len();
            slots.extend(bucket.iter().filter(|entry| entry.may_be_near(sample)).map(|entry| entry.slot));
            let mut next = self.heads.get(band * VALUES + value).copied().unwrap_or(NONE);
            while let Some(Chained { entry, next: after }) = self.chained.get(next as usize).filter(|_| *left > 0) {
                if entry.may_be_near(sample) {
                    slots.push(entry.slot);
                }
                *left -= 1;
                next = *after;
            }
        }
    }
}

impl Entry {
    fn may_be_near(self, sample: u32) -> bool {
        (self.sample ^ sample).count_ones() <= SAMPLED
    }
}

fn value(hash: &Bits, band: usize) -> u16 {
    (hash[band / 4 % 4] >> (16 * (band % 4))) as u16
}

fn sample(hash: &Bits, band: usize) -> u32 {
    u32::from(value(hash, (band + 1) % 4)) << 16 | u32::from(value(hash, (band + 2) % 4))
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
        let (mut near, mut all) = (Near::new(), Vec::<Bits>::new());
        // Sorted in twice on the way, and the rest in chains. One in ten is near another.
        for row in 0..30_000u64 {
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
        assert!(near.sorted > 0 && !near.chained.is_empty());
        let (mut there, mut found) = (0, 0);
        for n in 0..600 {
            let asked = [all[n * 49], numbers.hash()];
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
        let mut near = Near::new();
        (0..200_000).for_each(|row| near.add(row, [0; 4]));
        near.settle();
        let asked = vec![[0; 4]; 64];
        let found = near.close_to(&asked, 80, 10);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|close| close.distance == 0));
    }
}
