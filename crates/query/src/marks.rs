//! Where the words stand that were found.

use std::collections::HashSet;
use std::hash::BuildHasher;

use crate::tokens::tokens;

/// Where words of these forms stand in a text: start and end of each, counted in code points. Words that
/// follow each other are one stretch.
///
/// ```
/// let forms = ["brucke".to_owned(), "alte".to_owned()].into();
/// assert_eq!(query::marks("Die alte Brücke im Moor", &forms), [[4, 15]]);
/// ```
pub fn marks<S: BuildHasher>(text: &str, forms: &HashSet<String, S>) -> Vec<[usize; 2]> {
    let mut marks: Vec<[usize; 2]> = Vec::new();
    let (mut bytes, mut points, mut joined) = (0, 0, false);
    for token in tokens(text) {
        let until = |to: usize, from: usize| text.get(from..to).map_or(0, |part| part.chars().count());
        let start = points + until(token.range.start, bytes);
        let end = start + until(token.range.end, token.range.start);
        if forms.contains(&token.text) {
            match marks.last_mut().filter(|_| joined && start <= points + 1) {
                Some(last) => last[1] = end,
                None => marks.push([start, end]),
            }
            joined = true;
        } else {
            joined = false;
        }
        (bytes, points) = (token.range.end, end);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_counted_in_code_points() {
        let forms: HashSet<String> = ["brucke", "kiel", "京", "東"].map(String::from).into();
        for (text, expected) in [
            ("", &[][..]),
            ("no such thing", &[]),
            ("Brücke in Kiel", &[[0, 6], [10, 14]]),
            ("🎉 BRÜCKE, Kiel", &[[2, 8], [10, 14]]),
            ("東京タワー", &[[0, 2]]),
        ] {
            assert_eq!(marks(text, &forms), expected, "{text}");
        }
    }
}
