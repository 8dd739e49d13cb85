//! Questions about many numbers at once: each question to a server takes its time.

use super::Value;

/// Numbers that one statement asks about: always as many, so that it is planned once.
const MANY: usize = 128;

/// Their places in a statement, as in `id IN (…)`.
pub(crate) fn places() -> String {
    vec!["?"; MANY].join(", ")
}

/// Numbers in parts that fill these places. Where there are fewer the last is there several times, which
/// changes no answer.
pub(crate) fn parts(numbers: &[i64]) -> impl Iterator<Item = Vec<Value>> {
    numbers.chunks(MANY).map(|part| {
        let last = part.last().copied().unwrap_or_default();
        part.iter().copied().chain(std::iter::repeat(last)).take(MANY).map(Value::from).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_all_places_with_nothing_but_the_numbers() {
        assert_eq!(parts(&[]).count(), 0);
        for count in [1, MANY - 1, MANY, MANY + 1] {
            let numbers: Vec<i64> = (0..count as i64).collect();
            let parts: Vec<Vec<Value>> = parts(&numbers).collect();
            assert!(parts.iter().all(|part| part.len() == places().matches('?').count()));
            let mut all: Vec<i64> = parts
                .into_iter()
                .flatten()
                .map(|value| if let Value::Integer(number) = value { number } else { -1 })
                .collect();
            all.dedup();
            assert_eq!(all, numbers);
        }
    }
}
