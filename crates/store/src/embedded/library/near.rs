//! Hashes that are close to others, in memory.
//!
//! Multi-index hashing: a hash of 256 bits is 16 bands of 16. Two hashes that differ in at most 31
//! bits have a band in which they differ in at most one, so the buckets of a band and of its 16
//! neighbours hold all that is near. An entry of a bucket carries the two bands after its own: most
//! of what is not near is passed over without a look at its hash, which is elsewhere in memory. (A
//! near one is passed over when its few differing bits crowd in these two bands, and comes in by
//! another band then.)
//!
//! Buckets are slices of one sorted vector for each band. What is added since is in chains beside
//! them, and sorted in when it is an eighth of the whole.

/// A hash.
pub(super) type Bits = [u64; 4];

/// Bands of a hash, and values of a band.
const BANDS: usize = 16;
const VALUES: usize = 1 << 16;

/// Bits in which hashes may differ.
pub(super) const FARTHEST: u32 = 47;

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
    /// The two bands after this one.
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

    /// The hashes within so many bits of those that are asked for, the closest first; each with the
    /// closest of those, and with every other one that it is close to.
    pub fn close_to(&self, asked: &[Bits], radius: u32, most: usize) -> Vec<Close> {
        let radius = radius.min(FARTHEST);
        let allowed = sampled(radius);
        let (mut close, mut slots, mut left) = (Vec::new(), Vec::new(), LOOKED_AT);
        for (n, hash) in asked.iter().enumerate() {
            slots.clear();
            for flips in 0..=radius / 16 {
                for band in 0..BANDS {
                    // Of 16 a + b bits that differ, some of the first b + 1 bands has at most a, or
                    // some of the others less.
                    if 16 * flips + band as u32 <= radius {
                        self.probe(hash, band, flips, allowed, &mut slots, &mut left);
                    }
                }
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

    /// Looks into the buckets whose value differs in exactly so many bits.
    fn probe(&self, hash: &Bits, band: usize, flips: u32, allowed: u32, slots: &mut Vec<u32>, left: &mut usize) {
        let (value, sample) = (value(hash, band), sample(hash, band));
        let Some(buckets) = self.bands.get(band) else { return };
        let mut look = |value: u16| {
            let value = usize::from(value);
            let bounds = (buckets.offsets.get(value), buckets.offsets.get(value + 1));
            let (Some(start), Some(end)) = bounds else { return };
            let Some(bucket) = buckets.entries.get(*start as usize..*end as usize) else { return };
            let bucket = bucket.get(..bucket.len().min(*left)).unwrap_or_default();
            *left -= bucket.len();
            slots.extend(
                bucket.iter().filter(|entry| (entry.sample ^ sample).count_ones() <= allowed).map(|entry| entry.slot),
            );
            let mut next = self.heads.get(band * VALUES + value).copied().unwrap_or(NONE);
            while let Some(Chained { entry, next: after }) = self.chained.get(next as usize).filter(|_| *left > 0) {
                if (entry.sample ^ sample).count_ones() <= allowed {
                    slots.push(entry.slot);
                }
                *left -= 1;
                next = *after;
            }
        };
        match flips {
            0 => look(value),
            1 => (0..16).for_each(|bit| look(value ^ (1 << bit))),
            _ => (0..16).for_each(|one| (one + 1..16).for_each(|other| look(value ^ (1 << one) ^ (1 << other)))),
        }
    }
}

/// Bits of a sample that may differ, when so many of the hash do: four standard deviations more than
/// differ on average.
fn sampled(radius: u32) -> u32 {
    let share = f64::from(radius) / 256.0;
    let mean = 32.0 * share;
    (mean + 4.0 * (mean * (1.0 - share)).sqrt()).ceil() as u32
}

fn value(hash: &Bits, band: usize) -> u16 {
    (hash[band / 4 % 4] >> (16 * (band % 4))) as u16
}

fn sample(hash: &Bits, band: usize) -> u32 {
    u32::from(value(hash, (band + 1) % BANDS)) << 16 | u32::from(value(hash, (band + 2) % BANDS))
}

pub(super) fn distance(one: &Bits, other: &Bits) -> u32 {
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

        /// The hash with exactly so many bits flipped.
        fn flipped(&mut self, hash: Bits, bits: u32) -> Bits {
            let mut flipped = hash;
            while distance(&flipped, &hash) < bits {
                let bit = (self.next() % 256) as usize;
                flipped[bit / 64] ^= 1 << (bit % 64);
                if distance(&flipped, &hash) > bits {
                    flipped[bit / 64] ^= 1 << (bit % 64);
                }
            }
            flipped
        }
    }

    #[test]
    fn all_that_is_near_is_found_however_it_came_in() {
        let mut numbers = Numbers(7);
        let (mut near, mut all) = (Near::new(), Vec::new());
        // Sorted in twice on the way, and the rest in chains.
        for row in 0..30_000i64 {
            let bits = match row % 10 {
                0 if row > 0 => {
                    let (_, like): (i64, Bits) = all[(numbers.next() % row as u64) as usize];
                    let bits = (numbers.next() % 50) as u32;
                    numbers.flipped(like, bits)
                }
                _ => numbers.hash(),
            };
            near.add(row + 1, bits);
            all.push((row + 1, bits));
            if row % 1_000 == 0 {
                near.settle();
            }
        }
        near.settle();
        assert!(near.sorted > 0 && !near.chained.is_empty());
        let mut found = 0;
        for n in 0..500 {
            let asked = [all[n * 59].1, numbers.hash()];
            for radius in [0, 5, 15, 16, 31, 40, 47] {
                let mut expected: Vec<Close> = Vec::new();
                for (row, bits) in &all {
                    for (which, hash) in asked.iter().enumerate() {
                        let distance = distance(hash, bits);
                        if distance <= radius {
                            expected.push(Close { distance, row: *row, asked: which });
                        }
                    }
                }
                expected.sort_unstable();
                assert_eq!(near.close_to(&asked, radius, 1_000), expected, "{n} within {radius}");
                found += expected.len() - 1;
                assert_eq!(near.close_to(&asked, radius, 1), expected[..1]);
            }
        }
        assert!(found > 100, "{found} near ones: too few to say much");
    }

    #[test]
    fn crowded_buckets_are_not_searched_for_ever() {
        let mut near = Near::new();
        (0..200_000).for_each(|row| near.add(row, [0; 4]));
        near.settle();
        let asked = vec![[0; 4]; 64];
        let found = near.close_to(&asked, 31, 10);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|close| close.distance == 0));
    }
}
