//! Slips of the pen: how far one word is from another.

/// How many slips a word of so many letters may have and still be meant: none when it is short, for then
/// any word is near to many.
pub fn slips(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Letters that are wrong, missing, too many or swapped with their neighbour (the restricted Damerau–
/// Levenshtein distance), if they are at most so many.
///
/// ```
/// assert_eq!(query::distance("oldenbrug", "oldenburg", 2), Some(1));
/// assert_eq!(query::distance("kiel", "köln", 2), None);
/// ```
pub fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let width = other.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    let mut row = vec![0; width];
    for (i, a) in one.iter().enumerate() {
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = last[j] + usize::from(a != b);
            let mut least = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        if row.iter().min().is_none_or(|least| *least > most) && last.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last.last().copied().filter(|slips| *slips <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (one, other, expected) in [
            ("bridge", "bridge", Some(0)),
            ("bridge", "brigde", Some(1)),
            ("bridge", "brdge", Some(1)),
            ("bridge", "bbridge", Some(1)),
            ("bridge", "fridge", Some(1)),
            ("bridge", "brides", Some(2)),
            ("bridge", "bride", Some(1)),
            ("bridge", "river", None),
            ("", "ab", Some(2)),
            ("", "abc", None),
            ("мост", "мсот", Some(1)),
        ] {
            assert_eq!(distance(one, other, 2), expected, "{one} {other}");
            assert_eq!(distance(other, one, 2), expected, "{other} {one}");
        }
        assert_eq!([slips(3), slips(4), slips(8)], [0, 1, 2]);
    }
}
