//! From what is typed to what is meant.

use crate::operator::Operator;
use crate::tokens::tokens;
use crate::want::{Form, Want, Word};

/// Characters of a query.
pub const LONGEST: usize = 2_000;

/// Words and phrases that are looked for.
const TERMS: usize = 32;
/// Brackets inside each other.
const DEEPEST: usize = 8;
/// Letters from which the last word may be the start of one.
const START: usize = 2;

/// What was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The words; nothing when there are none.
    pub want: Option<Want>,
    /// What else must be so, in the order it was typed.
    pub operators: Vec<Operator>,
    /// What was not taken as it was typed, and what was done instead.
    pub notes: Vec<Note>,
    /// Operators that are known and whose values make no sense, in words.
    pub wrong: Vec<String>,
}

/// Something that was not taken as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// There is no operator of this name: it is looked for as words.
    UnknownOperator(String),
    /// A quotation mark without its other: the phrase ends with the query.
    UnclosedQuote,
    /// An `OR` with nothing on one of its sides is left out.
    LonelyOr,
    /// A bracket without its other, or too deep, is left out.
    Bracket,
    /// Words after the first so many are left out.
    TooManyWords(usize),
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownOperator(name) => write!(f, "there is no operator {name}: — it is looked for as words"),
            Self::UnclosedQuote => f.write_str("a quotation mark was not closed: the phrase goes to the end"),
            Self::LonelyOr => f.write_str("an OR with nothing on one side was left out"),
            Self::Bracket => f.write_str("a bracket without its other, or too deep, was left out"),
            Self::TooManyWords(most) => write!(f, "only the first {most} words are looked for"),
        }
    }
}

/// A query that is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is too long.
    #[error("the query is longer than {LONGEST} characters: shorten it")]
    TooLong,
    /// It has signs and operators, and nothing to look for.
    #[error("there is no word in {0:?}: add one to look for, or an operator with a value, such as place:Kiel")]
    NoWord(String),
}

impl Query {
    /// Understands a query; an empty one asks for everything.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        // Bytes first: whatever is too long by far is not gone over.
        if text.len() > 4 * LONGEST || text.chars().count() > LONGEST {
            return Err(QueryError::TooLong);
        }
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut parser = Parser { rest: &clean, query: Self::default(), terms: 0 };
        let want = parser.group(0);
        let mut query = parser.query;
        query.want = want;
        if query.want.is_none() && query.operators.is_empty() && query.wrong.is_empty() && !text.trim().is_empty() {
            return Err(QueryError::NoWord(text.chars().take(100).collect()));
        }
        query.notes.dedup();
        Ok(query)
    }

    /// What a piece of text stands for: a word, words in a row, or nothing.
    pub(crate) fn words_of(text: &str, form: Form) -> Option<Want> {
        let words: Vec<String> = tokens(text).map(|token| token.text).collect();
        let typed = text.trim().to_lowercase();
        match words.as_slice() {
            [] => None,
            [word] => Some(Want::Word(Word { text: word.clone(), typed, form, start: false })),
            _ => Some(Want::Phrase { typed, words, start: false }),
        }
    }
}

struct Parser<'q> {
    rest: &'q str,
    query: Query,
    terms: usize,
}

/// What stands before a word.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    None,
    Without,
    Exact,
    Wide,
}

impl Parser<'_> {
    /// Up to the end, or to the bracket that closes it.
    fn group(&mut self, depth: usize) -> Option<Want> {
        let mut parts: Vec<Want> = Vec::new();
        let mut or = false;
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                break;
            }
            if self.take(")") {
                if depth > 0 {
                    break;
                }
                self.note(Note::Bracket);
                continue;
            }
            if self.take("|") || self.take_or() {
                if or || !matches!(parts.last(), Some(last) if !matches!(last, Want::Not(_))) {
                    self.note(Note::LonelyOr);
                } else {
                    or = true;
                }
                continue;
            }
            let Some(part) = self.part(depth) else { continue };
            match (part, std::mem::take(&mut or)) {
                (part, false) => parts.push(part),
                // What may not be there may not be there on either side.
                (part @ Want::Not(_), true) => {
                    let last = parts.len().saturating_sub(1);
                    parts.insert(last, part);
                    or = true;
                }
                (part, true) => match parts.pop() {
                    Some(Want::Any(mut any)) => {
                        any.push(part);
                        parts.push(Want::Any(any));
                    }
                    Some(other) => parts.push(Want::Any(vec![other, part])),
                    None => parts.push(part),
                },
            }
        }
        if or {
            self.note(Note::LonelyOr);
        }
        match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Want::All(parts)),
        }
    }

    /// A word, phrase, operator or group with its sign; nothing when it says nothing.
    fn part(&mut self, depth: usize) -> Option<Want> {
        let sign = self.sign();
        let want = if self.take("(") {
            if depth >= DEEPEST {
                self.note(Note::Bracket);
                return None;
            }
            let closed = self.rest.contains(')');
            let group = self.group(depth + 1);
            if !closed {
                self.note(Note::Bracket);
            }
            // Brackets that are not needed are not kept.
            group?
        } else if let Some(end) = closing(self.rest) {
            let (phrase, _) = self.quoted(end);
            self.term(&phrase, if sign == Sign::None { Form::Exact } else { sign.form() })?
        } else {
            self.word(sign)?
        };
        match sign {
            Sign::Without => Some(without(want)),
            _ => Some(want),
        }
    }

    fn sign(&mut self) -> Sign {
        let next = |rest: &str| rest.chars().nth(1).is_some_and(|c| !c.is_whitespace());
        let sign = match self.rest.chars().next() {
            Some('-' | '−') => Sign::Without,
            Some('+') => Sign::Exact,
            Some('~') => Sign::Wide,
            _ => return Sign::None,
        };
        let marked = next(self.rest);
        self.rest = self.rest.get(self.rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
        if marked { sign } else { Sign::None }
    }

    /// A word or an operator with its value.
    fn word(&mut self, sign: Sign) -> Option<Want> {
        let ends = |c: char| c.is_whitespace() || c == '(' || c == ')' || closing_of(c).is_some();
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default().to_owned();
        let name = word.split_once(':').map_or("", |(name, _)| name);
        let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        if named && sign != Sign::Without {
            let value_at = name.len() + 1;
            self.rest = self.rest.get(value_at..).unwrap_or_default();
            return self.operator(name, sign);
        }
        // Nothing that is looked at stands still: a sign alone is passed over.
        let step = end.max(self.rest.chars().next().map_or(0, char::len_utf8));
        self.rest = self.rest.get(step..).unwrap_or_default();
        let mut want = self.term(&word, sign.form())?;
        let last = self.rest.trim().is_empty() && sign == Sign::None;
        if last && word.chars().filter(|c| c.is_alphanumeric()).count() >= START {
            match &mut want {
                Want::Word(Word { start, .. }) | Want::Phrase { start, .. } => *start = true,
                _ => {}
            }
        }
        Some(want)
    }

    fn operator(&mut self, name: &str, sign: Sign) -> Option<Want> {
        let mut value = String::new();
        // A value may be quoted in part: `near:"Bad Ischl",5`.
        while let Some(first) = self.rest.chars().next().filter(|c| !c.is_whitespace()) {
            if let Some(end) = closing(self.rest) {
                value.push_str(&self.quoted(end).0);
            } else {
                value.push(first);
                self.rest = self.rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
        if value.is_empty() {
            // A name and a colon before a space: the name was meant as a word, or is not finished.
            return match Operator::read(name, "x") {
                Some(_) => None,
                None => self.term(name, sign.form()),
            };
        }
        match Operator::read(name, &value) {
            Some(Ok(operator)) => {
                self.query.operators.push(operator);
                None
            }
            Some(Err(wrong)) => {
                self.query.wrong.push(wrong);
                None
            }
            None => {
                // An address is no operator.
                if !value.starts_with("//") {
                    self.note(Note::UnknownOperator(name.to_owned()));
                }
                self.term(&format!("{name} {value}"), sign.form())
            }
        }
    }

    /// What stands up to the closing quotation mark, and whether there is one.
    fn quoted(&mut self, end: char) -> (String, bool) {
        let inside = self.rest.get(self.rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
        let (phrase, closed) = match inside.split_once([end, '"']) {
            Some((phrase, rest)) => {
                self.rest = rest;
                (phrase, true)
            }
            None => {
                self.rest = "";
                self.note(Note::UnclosedQuote);
                (inside, false)
            }
        };
        (phrase.to_owned(), closed)
    }

    fn term(&mut self, text: &str, form: Form) -> Option<Want> {
        let want = Query::words_of(text, form)?;
        if self.terms >= TERMS {
            self.note(Note::TooManyWords(TERMS));
            return None;
        }
        self.terms += 1;
        Some(want)
    }

    fn take(&mut self, sign: &str) -> bool {
        let taken = self.rest.strip_prefix(sign);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    fn take_or(&mut self) -> bool {
        let after = self.rest.strip_prefix("OR").filter(|rest| {
            rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '+' | '-' | '~'))
        });
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn note(&mut self, note: Note) {
        if !self.query.notes.contains(&note) {
            self.query.notes.push(note);
        }
    }
}

impl Sign {
    fn form(self) -> Form {
        match self {
            Self::None | Self::Without => Form::Usual,
            Self::Exact => Form::Exact,
            Self::Wide => Form::Wide,
        }
    }
}

/// The quotation mark that closes the one a text begins with.
fn closing(text: &str) -> Option<char> {
    text.chars().next().and_then(closing_of)
}

fn closing_of(opening: char) -> Option<char> {
    Some(match opening {
        '"' => '"',
        '“' | '”' => '”',
        '„' => '“',
        '«' => '»',
        '»' => '«',
        _ => return None,
    })
}

/// Not this; twice not is once.
fn without(want: Want) -> Want {
    match want {
        Want::Not(inner) => *inner,
        Want::All(parts) if parts.iter().all(|part| matches!(part, Want::Not(_))) => {
            Want::Any(parts.into_iter().map(without).collect())
        }
        want => Want::Not(Box::new(want)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short way to write what was understood.
    fn shown(want: &Want) -> String {
        let list = |parts: &[Want], by: &str| parts.iter().map(shown).collect::<Vec<_>>().join(by);
        match want {
            Want::Word(Word { text, form, start, .. }) => {
                let sign = match form {
                    Form::Exact => "+",
                    Form::Usual => "",
                    Form::Wide => "~",
                };
                format!("{sign}{text}{}", if *start { "*" } else { "" })
            }
            Want::Phrase { words, start, .. } => format!("\"{}\"{}", words.join(" "), if *start { "*" } else { "" }),
            Want::All(parts) => format!("({})", list(parts, " & ")),
            Want::Any(parts) => format!("({})", list(parts, " | ")),
            Want::Not(part) => format!("!{}", shown(part)),
        }
    }

    fn check(text: &str, expected: &str) -> Query {
        let query = Query::parse(text).unwrap();
        assert_eq!(query.want.as_ref().map(shown).unwrap_or_default(), expected, "{text}");
        query
    }

    #[test]
    fn what_people_type_is_understood() {
        for (text, expected) in [
            ("", ""),
            ("bridge", "bridge*"),
            ("old Brücke", "(old & brucke*)"),
            ("old b", "(old & b)"),
            ("+bridges ~port -night", "(+bridges & ~port & !night)"),
            (r#""old town" bridge"#, r#"("old town" & bridge*)"#),
            (r#"bridge "town""#, "(bridge & +town)"),
            (r#"-"at night" bridge -fog"#, r#"(!"at night" & bridge & !fog)"#),
            ("„alte Brücke“ «vieux pont»", r#"("alte brucke" & "vieux pont")"#),
            ("a bc OR de fg", "(a & (bc | de) & fg*)"),
            ("aa OR bb OR cc", "(aa | bb | cc*)"),
            ("aa | bb", "(aa | bb*)"),
            ("(aa bb) OR cc", "((aa & bb) | cc*)"),
            ("-(aa OR bb) cc", "(!(aa | bb) & cc*)"),
            ("aa OR -bb cc", "(!bb & (aa | cc*))"),
            ("-(-aa) bb", "(aa & bb*)"),
            ("m.example", r#""m example"*"#),
            ("- + ~ a - b", "(a & b)"),
            ("12:30", r#""12 30"*"#),
            ("東京", r#""東 京"*"#),
            ("-night", "!night"),
            ("or Or", "(or & or*)"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_cannot_be_taken_as_typed_is_said() {
        for (text, expected, note) in [
            (r#"un"closed phrase"#, r#"(un & "closed phrase")"#, Note::UnclosedQuote),
            ("colour:red boat", r#"("colour red" & boat*)"#, Note::UnknownOperator("colour".into())),
            ("OR boat", "boat*", Note::LonelyOr),
            ("boat OR", "boat", Note::LonelyOr),
            ("boat OR OR sea", "(boat | sea*)", Note::LonelyOr),
            ("boat)", "boat", Note::Bracket),
            ("(boat", "boat*", Note::Bracket),
        ] {
            assert_eq!(check(text, expected).notes, [note], "{text}");
        }
        let many = Query::parse(&"word ".repeat(300)).unwrap();
        assert!(matches!(&many.want, Some(Want::All(parts)) if parts.len() == TERMS));
        assert_eq!(many.notes, [Note::TooManyWords(TERMS)]);
        assert!(check("http://a.example/b", r#""http a example b""#).notes.is_empty());
    }

    #[test]
    fn operators_are_taken_out_of_the_words() {
        let query = check(
            r#"boat site:A.example kind:photo place:"Bad Ischl" near:60.17,24.94,5 after:2020 before:2021-06 license:open link:http://x.example/ related:b.example sea"#,
            "(boat & sea*)",
        );
        assert!(query.notes.is_empty() && query.wrong.is_empty());
        assert_eq!(query.operators.len(), 9);
        assert_eq!(query.operators[2], Operator::Place("Bad Ischl".into()));
        for wrong in
            ["kind:song", "near:NaN,1,2", "after:yesterday", "license:mine", "near:1,2,-3", "before:2020-02-30"]
        {
            let query = Query::parse(wrong).unwrap();
            assert_eq!((query.wrong.len(), query.want), (1, None), "{wrong}");
        }
        check("place: boat", "boat*");
        check("-site:a.example boat", r#"(!"site a example" & boat*)"#);
    }

    #[test]
    fn nothing_to_look_for_and_too_much_are_refused() {
        for text in ["OR", "\"\"", "+ - ~", "()", "- \" -- \"\" …", "((((", "…"] {
            assert!(matches!(Query::parse(text), Err(QueryError::NoWord(_))), "{text}");
        }
        assert_eq!(Query::parse(" \n\t "), Ok(Query::default()));
        for text in ["x".repeat(LONGEST + 1), "word ".repeat(2_000_000)] {
            let error = Query::parse(&text).unwrap_err();
            assert_eq!((error.clone(), error.to_string().contains("2000 characters")), (QueryError::TooLong, true));
        }
        assert!(Query::parse(&"ä".repeat(LONGEST)).is_ok());
    }

    /// A negation stands only directly in `All`, or alone.
    fn sound(want: &Want, inside: bool) -> bool {
        match want {
            Want::Word(_) | Want::Phrase { .. } => true,
            Want::All(parts) => parts.iter().all(|part| sound(part, true)),
            Want::Any(parts) => parts.iter().all(|part| !matches!(part, Want::Not(_)) && sound(part, false)),
            Want::Not(part) => inside && !matches!(**part, Want::Not(_)) && sound(part, false),
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in r#"([a-c]{1,3}|OR|[-+~()" |]|site:|near:|kind:page|x:y|ä|\PC){0,40}"#) {
            if let Ok(query) = Query::parse(&text) {
                let _ = (query.said(), query.notes.iter().map(ToString::to_string).collect::<Vec<_>>());
                proptest::prop_assert!(query.want.as_ref().is_none_or(|want| sound(want, true)), "{:?}", query.want);
            }
        }
    }
}
