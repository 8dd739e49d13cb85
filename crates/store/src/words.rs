//! Words to look for, as people type them.

/// Words that all must be there, and words that may not: `bridge "old town" -night riv`.
///
/// A word is found whatever its case and accents; words between quotation marks must follow each
/// other; a word after a minus may not be there; the last word may be the start of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    text: String,
    wanted: bool,
    /// Whether it may be the start of a word.
    start: bool,
}

/// Terms that are looked at, and characters of each.
const TERMS: usize = 32;
const LONGEST: usize = 200;

/// Letters from which the last word may be the start of one.
const START: usize = 2;

impl Words {
    /// What a text asks for; nothing when it has no word.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut terms, mut rest) = (Vec::new(), text);
        while terms.len() < TERMS {
            rest = rest.trim_start();
            let (wanted, after) = match rest.strip_prefix('-') {
                Some(after) => (false, after),
                None => (true, rest),
            };
            let (quoted, after) = match after.strip_prefix('"') {
                Some(after) => (true, after),
                None => (false, after),
            };
            let end = if quoted { after.find('"') } else { after.find(|c: char| c.is_whitespace() || c == '"') };
            let (term, next) = after.split_at(end.unwrap_or(after.len()));
            rest = if quoted { next.strip_prefix('"').unwrap_or(next) } else { next };
            let text: String = term.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
            if text.chars().any(char::is_alphanumeric) {
                let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
                let start = !quoted && wanted && rest.trim().is_empty() && letters >= START;
                terms.push(Term { text, wanted, start });
            }
            if rest.trim().is_empty() {
                break;
            }
        }
        (!terms.is_empty()).then_some(Self { terms })
    }

    /// The words and phrases that must be there.
    pub fn wanted(&self) -> Vec<String> {
        self.terms.iter().filter(|term| term.wanted).map(|term| term.text.clone()).collect()
    }

    /// What must be there, as an expression of FTS5; nothing when anything may be.
    pub(crate) fn expression(&self) -> Option<String> {
        let wanted = self.join(true, " AND ")?;
        Some(match self.unwanted() {
            Some(unwanted) => format!("({wanted}) NOT ({unwanted})"),
            None => wanted,
        })
    }

    /// What may not be there.
    pub(crate) fn unwanted(&self) -> Option<String> {
        self.join(false, " OR ")
    }

    fn join(&self, wanted: bool, by: &str) -> Option<String> {
        let quote = |term: &Term| {
            let start = if term.start { "*" } else { "" };
            format!("\"{}\"{start}", term.text.replace('"', "\"\""))
        };
        let terms: Vec<String> = self.terms.iter().filter(|term| term.wanted == wanted).map(quote).collect();
        (!terms.is_empty()).then(|| terms.join(by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_becomes_an_expression() {
        for (text, expected) in [
            ("bridge", Some(r#""bridge"*"#)),
            ("old bridge", Some(r#""old" AND "bridge"*"#)),
            ("old b", Some(r#""old" AND "b""#)),
            (r#""old town" bridge"#, Some(r#""old town" AND "bridge"*"#)),
            (r#"bridge "old town""#, Some(r#""bridge" AND "old town""#)),
            ("bridge -night", Some(r#"("bridge") NOT ("night")"#)),
            (r#"-"at night" bridge -fog"#, Some(r#"("bridge") NOT ("at night" OR "fog")"#)),
            (r#"un"closed phrase"#, Some(r#""un" AND "closed phrase""#)),
            ("NEAR(a b) OR title:x*", Some(r#""NEAR(a" AND "b)" AND "OR" AND "title:x*"*"#)),
            ("-night", None),
        ] {
            assert_eq!(Words::parse(text).unwrap().expression().as_deref(), expected, "{text}");
        }
        for none in ["", "   ", "- \" -- \"\" …", "\u{0}\u{7}"] {
            assert_eq!(Words::parse(none), None, "{none:?}");
        }
        assert_eq!(Words::parse("-night").unwrap().unwanted().as_deref(), Some("\"night\""));
        assert_eq!(Words::parse("a \"b c\" -d").unwrap().wanted(), ["a", "b c"]);
        assert_eq!(Words::parse(&"word ".repeat(9_000)).unwrap().terms.len(), TERMS);
        assert!(Words::parse(&"x".repeat(9_000)).unwrap().expression().unwrap().len() < 300);
    }
}
