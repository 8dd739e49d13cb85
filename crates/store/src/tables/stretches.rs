//! Stretches of numbers, as PostgreSQL's index of words knows them.
//!
//! The index has no order: whoever wants the newest of what has a word would have to have all of it. So each row has,
//! beside its words, one for each stretch of numbers that it is in, and what has a word within a stretch is found
//! by both: the index skips what is elsewhere.

use std::fmt::Write;

use super::lexemes::lexeme;

/// Stands before a stretch.
const MARK: char = '\u{e003}';

/// Bits of a number that do not tell in which stretch of a level it is.
const LEVELS: [u32; 4] = [12, 16, 20, 24];

/// Stretches of a level that are asked for at once; of the coarsest as many as there are.
const TOGETHER: i64 = 16;

fn word(level: u32, number: i64) -> String {
    lexeme(&format!("{MARK}{level}.{}", number >> level))
}

/// The words of the stretches that a number is in.
pub(super) fn words(number: i64) -> String {
    let mut words = String::new();
    for level in LEVELS {
        let _ = write!(words, "{} ", word(level, number));
    }
    words
}

/// Numbers from one to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub first: i64,
    pub last: i64,
}

impl Stretch {
    /// About so many numbers, the last of them `last` and none below `least`; with what would be a short rest.
    pub fn ending(last: i64, width: i64, least: i64) -> Self {
        let width = width.max(1);
        let level = level(width);
        let first = last.saturating_sub(width) >> level << level;
        let is_rest = first.saturating_sub(least) < width / 2;
        Self { first: if is_rest { least } else { first }, last }
    }

    pub fn width(self) -> i64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }

    /// What all of them have, and some others near them.
    pub fn expression(self) -> String {
        let level = level(self.width());
        let stretches: Vec<String> =
            (self.first >> level..=self.last >> level).map(|stretch| word(level, stretch << level)).collect();
        stretches.join(" | ")
    }
}

/// The finest level of which few stretches are so wide together.
fn level(width: i64) -> u32 {
    LEVELS.into_iter().find(|level| width >> level < TOGETHER).unwrap_or(LEVELS[LEVELS.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a number has what a stretch asks for.
    fn is_asked(stretch: Stretch, number: i64) -> bool {
        let has = words(number);
        stretch.expression().split(" | ").any(|one| has.contains(&format!("{one} ")))
    }

    #[test]
    fn stretches_meet_each_number_once_and_are_asked_for_in_few_words() {
        for width in [1, 4_096, 60_000, 70_000, 3_000_000] {
            let (mut last, mut met) = (9_999_999, 0);
            loop {
                let stretch = Stretch::ending(last, width, 1);
                assert!(stretch.first <= stretch.last && stretch.last == last, "{stretch:?}");
                for number in [stretch.first, stretch.first + 1, (stretch.first + last) / 2, last - 1, last] {
                    assert!(is_asked(stretch, number.clamp(stretch.first, last)), "{number} in {stretch:?}");
                }
                let words = stretch.expression().split(" | ").count();
                assert!(words as i64 <= TOGETHER + 1, "{words} words for {width}");
                assert!(!is_asked(stretch, stretch.first - 2 * width - 1_000_000), "{stretch:?}");
                met += stretch.width();
                if stretch.first == 1 {
                    break;
                }
                last = stretch.first - 1;
            }
            assert_eq!(met, 9_999_999);
        }
    }
}
