//! What a user looks for, in words.

use query::{Query, QueryError, tokens};

use crate::is_stop_word;

/// The words a user looks for, without those too common to tell pages apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criteria(Vec<String>);

/// A query that no page can be weighed by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCriteria {
    /// There is no query.
    #[error(
        "the strategy weighted goes by what you look for: say it with a query (--query), such as \"airplane museum\""
    )]
    Missing,
    /// All of its words are too common.
    #[error("{0:?} has only words that stand on nearly every page: add one that tells what you look for")]
    Common(String),
    /// It is no query.
    #[error(transparent)]
    Query(#[from] QueryError),
}

impl Criteria {
    /// The words that a query wants; those it does not want, and its operators, are left out.
    pub fn of(text: Option<&str>) -> Result<Self, NoCriteria> {
        let text = text.map(str::trim).filter(|text| !text.is_empty()).ok_or(NoCriteria::Missing)?;
        let wanted = Query::parse(text)?.want.map(|want| want.wanted()).unwrap_or_default();
        let words = wanted.iter().flat_map(|wanted| said(wanted)).map(str::to_lowercase).collect::<Vec<_>>();
        if words.is_empty() { Err(NoCriteria::Common(text.chars().take(100).collect())) } else { Ok(Self(words)) }
    }

    /// The words in lower case, as often as they were typed.
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

/// The words of a text as they stand there, without stop words.
pub(crate) fn said(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).filter_map(move |token| {
        let word = text.get(token.range)?;
        (!is_stop_word(&token.text) && !is_stop_word(&word.to_lowercase())).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_looked_for_and_nothing_else() {
        for (query, words) in [
            ("airplane museum", &["airplane", "museum"][..]),
            ("The Airplanes of a Museum", &["airplanes", "museum"]),
            ("\"old Brücken\" -toy site:example.org +Ferry", &["old", "brücken", "ferry"]),
            ("bridge OR ferry", &["bridge", "ferry"]),
        ] {
            assert_eq!(Criteria::of(Some(query)).unwrap().words(), words, "{query}");
        }
        for none in [None, Some(""), Some("  ")] {
            assert_eq!(Criteria::of(none), Err(NoCriteria::Missing));
        }
        for common in ["the of and", "-toy", "site:example.org"] {
            assert!(matches!(Criteria::of(Some(common)), Err(NoCriteria::Common(_))), "{common}");
        }
        assert!(matches!(Criteria::of(Some("!!!")), Err(NoCriteria::Query(_))));
    }
}
