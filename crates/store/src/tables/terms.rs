//! How much each word counts in an item or page, worked out when it is written.
//!
//! A row of `item_terms` or `page_terms` holds the numbers of the words in order, each with its weight:
//! BM25F's `t / (k₁ + t)`, where `t` sums over the fields how often the word is there, times what the
//! field counts for, over how long it is. So no list of occurrences has to be read to compare two items,
//! and one row says whether it matches. The first byte says how sure its place and how good its picture
//! is: what comes first among equals.

use std::collections::BTreeMap;

/// Where a second occurrence counts for less.
const K1: f64 = 1.2;

/// How much the length of a field matters.
const B: f64 = 0.5;

/// What of a score a place that is sure and a good picture bring.
const PRIOR: f64 = 0.15;

/// One of an item's fields, as far as scores go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weight {
    /// What a word in it counts for.
    pub counts: f64,
    /// How many words it usually has.
    pub usual: f64,
}

/// Words with what was counted of them so far.
#[derive(Default)]
pub(super) struct Counting {
    sums: BTreeMap<i64, f64>,
}

impl Counting {
    /// Counts the words of a field.
    pub fn add(&mut self, words: &[i64], weight: Weight) {
        let share = weight.counts / (1.0 - B + B * words.len() as f64 / weight.usual);
        for word in words {
            *self.sums.entry(*word).or_default() += share;
        }
    }

    /// As a row holds it.
    pub fn finish(self, prior: f64) -> Vec<u8> {
        let byte = |share: f64| (share.clamp(0.0, 1.0) * 255.0).round() as u8;
        let mut bytes = vec![byte(prior)];
        let mut before = 0;
        for (word, sum) in self.sums {
            write_number(&mut bytes, (word - before) as u64);
            bytes.push(byte(sum / (K1 + sum)).max(1));
            before = word;
        }
        bytes
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// What a row holds.
#[derive(Default)]
pub(super) struct Terms {
    prior: u8,
    /// In order.
    words: Vec<(i64, u8)>,
}

impl Terms {
    /// Reads a row in place of what was read before.
    pub fn read(&mut self, bytes: &[u8]) {
        self.words.clear();
        let Some((prior, mut rest)) = bytes.split_first() else { return };
        self.prior = *prior;
        let mut word = 0;
        while !rest.is_empty() {
            let (mut number, mut shift) = (0u64, 0);
            while let Some((byte, after)) = rest.split_first() {
                rest = after;
                number |= u64::from(byte & 0x7f) << shift;
                shift = (shift + 7).min(63);
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let Some((weight, after)) = rest.split_first() else { return };
            rest = after;
            word += number as i64;
            self.words.push((word, *weight));
        }
    }

    /// The words.
    pub fn words(&self) -> impl Iterator<Item = i64> {
        self.words.iter().map(|(word, _)| *word)
    }

    /// What a word counts for, from 0 to 1; nothing when it is not there.
    pub fn weight(&self, word: i64) -> Option<f64> {
        let at = self.words.binary_search_by_key(&word, |(word, _)| *word).ok()?;
        self.words.get(at).map(|(_, weight)| f64::from(*weight) / 255.0)
    }

    /// A share of what words can bring, from 0 to 1, with what speaks for the item whatever is asked.
    pub fn weighed(&self, share: f64) -> f64 {
        share.clamp(0.0, 1.0) * (1.0 - PRIOR + PRIOR * f64::from(self.prior) / 255.0)
    }
}

/// What speaks for an item whatever is asked: how sure its place is, and how large its picture.
pub(super) fn prior(confidence: Option<f64>, pixels: Option<i64>) -> f64 {
    let place = confidence.unwrap_or(0.0).clamp(0.0, 1.0);
    // From 0.1 to 10 megapixels.
    let quality = pixels.map_or(0.0, |pixels| ((pixels.max(1) as f64).log10() - 5.0) / 2.0).clamp(0.0, 1.0);
    0.7 * place + 0.3 * quality
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_were_written() {
        let mut counting = Counting::default();
        counting.add(&[7, 900_000_000_000, 7], Weight { counts: 3.0, usual: 3.0 });
        counting.add(&[3], Weight { counts: 0.3, usual: 1.0 });
        let bytes = counting.finish(0.5);
        let mut terms = Terms::default();
        terms.read(&bytes);
        assert_eq!(terms.words().collect::<Vec<_>>(), [3, 7, 900_000_000_000]);
        assert!(terms.weight(7) > terms.weight(900_000_000_000) && terms.weight(900_000_000_000) > terms.weight(3));
        assert_eq!(terms.weight(8), None);
        assert!((0.9..0.94).contains(&terms.weighed(1.0)) && terms.weighed(2.0) <= 1.0);
        for end in 0..bytes.len() {
            terms.read(&bytes[..end]);
        }
        terms.read(&[0xff; 40]);
    }

    #[test]
    fn a_sure_place_and_a_large_picture_speak_for_an_item() {
        assert_eq!(prior(None, None), 0.0);
        assert!(prior(Some(0.9), Some(12_000_000)) > prior(Some(0.9), Some(300_000)));
        assert!(prior(Some(0.9), None) > prior(Some(0.2), Some(12_000_000)));
        assert_eq!(prior(Some(9.0), Some(i64::MAX)), 1.0);
    }
}
