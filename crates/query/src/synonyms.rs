//! Words that mean the same, as someone listed them.

use std::collections::HashMap;

use crate::fold::fold;
use crate::parse::Query;
use crate::want::{Form, Want, Word};

/// Bytes of a list, and groups in it.
const LONGEST: usize = 1 << 20;
const GROUPS: usize = 20_000;

/// Words for one word that are looked for, at most.
const MOST: usize = 20;

/// Groups of words that mean the same: one group a line, with commas between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    groups: Vec<Vec<String>>,
    by_word: HashMap<String, Vec<usize>>,
}

/// A list that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a list of synonyms has at most 20,000 lines and 1 MiB")]
pub struct SynonymsError;

impl Synonyms {
    /// Reads a list. Empty lines and what follows a `#` say nothing.
    ///
    /// ```
    /// let list = query::Synonyms::read("bridge, viaduct, crossing\n# ways\nroad, street").unwrap();
    /// assert_eq!(list.of("Viaduct"), ["bridge", "crossing"]);
    /// ```
    pub fn read(text: &str) -> Result<Self, SynonymsError> {
        if text.len() > LONGEST || text.lines().count() > GROUPS {
            return Err(SynonymsError);
        }
        let mut list = Self::default();
        for line in text.lines() {
            let said = line.split('#').next().unwrap_or_default();
            let group: Vec<String> = said.split(',').map(|word| word.trim().to_lowercase()).collect();
            let group: Vec<String> = group.into_iter().filter(|word| !fold(word).is_empty()).collect();
            if group.len() < 2 {
                continue;
            }
            for word in &group {
                list.by_word.entry(fold(word)).or_default().push(list.groups.len());
            }
            list.groups.push(group);
        }
        Ok(list)
    }

    /// The other words for a word.
    pub fn of(&self, word: &str) -> Vec<&str> {
        let word = fold(word);
        let groups = self.by_word.get(&word).into_iter().flatten().filter_map(|at| self.groups.get(*at));
        let mut found = Vec::new();
        for other in groups.flatten().map(String::as_str) {
            if fold(other) != word && !found.contains(&other) && found.len() < MOST {
                found.push(other);
            }
        }
        found
    }

    /// The same question, in which a `~word` may also be one of the other words for it.
    pub fn widen(&self, want: Want) -> Want {
        match want {
            Want::Word(Word { form: Form::Wide, .. }) => {
                let typed = want.typed().unwrap_or_default().to_owned();
                let others = self.of(&typed).into_iter().filter_map(|other| Query::words_of(other, Form::Usual));
                let mut all = vec![want];
                all.extend(others);
                if all.len() == 1 { all.remove(0) } else { Want::Any(all) }
            }
            Want::All(parts) => Want::All(parts.into_iter().map(|part| self.widen(part)).collect()),
            Want::Any(parts) => Want::Any(parts.into_iter().map(|part| self.widen(part)).collect()),
            Want::Not(part) => Want::Not(Box::new(self.widen(*part))),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_widely_is_widened() {
        let list = Synonyms::read("harbour, port, Hafen\nquay, port\n\n,\nalone").unwrap();
        assert_eq!(list.of("PORT"), ["harbour", "hafen", "quay"]);
        assert_eq!(list.of("alone"), [""; 0]);
        let widened = |text: &str| list.widen(Want::parse(text).unwrap()).wanted();
        assert_eq!(widened("~quay boat"), ["quay", "port", "boat"]);
        assert_eq!(widened("quay +quay"), ["quay", "quay"]);
        assert_eq!(widened("~boat"), ["boat"]);
        assert_eq!(Synonyms::read(&"a,b\n".repeat(30_000)), Err(SynonymsError));
    }
}
