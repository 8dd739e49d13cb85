//! What words ask for, in the words of a library: every form of each that is there.

use crate::sql::{self, Connection, Dialect, OptionalExtension, params};
use query::{Form, Language, Want, Word};

use super::lexemes;
use super::slips::Lexicon;
use super::terms::Terms;
use super::vocabulary::{Known, Subject, key, spelt, starting, stemmed};
use super::wording::{PROMINENT, has_words};
use crate::matches::Slip;

/// What a form counts for beside the word itself: one with its stem, one that begins with it, one that is
/// nearly spelt so.
const STEM: f64 = 0.85;
const START: f64 = 0.6;
const SLIP: f64 = 0.5;

/// Forms of one word.
const FORMS: usize = 60;

/// A word that fewer have may be the start of another.
const FEW: i64 = 50;

/// Words that are looked for in place of one that nobody has.
const SLIPS: usize = 3;

/// A word that is not had by many may be a slip for one that so many times as many have.
const LIKELIER: i64 = 10;

/// What is asked for.
pub(super) struct Plan {
    subject: Subject,
    root: Node,
    /// What must be there, as the table of words is asked; nothing when anything may be.
    pub expression: Option<String>,
    /// The same among prominent words.
    pub prominent: Option<String>,
    /// The same, where the words of phrases are anywhere: what a server's index knows of them. Nothing when there
    /// are no phrases.
    pub loose: Option<String>,
    /// What may not be there, when nothing must be.
    pub unwanted: Option<String>,
    /// At most so many match, and at least so many.
    pub estimate: u64,
    pub at_least: u64,
    /// At most so many items or pages there are.
    pub all: i64,
    /// All forms of what is wanted.
    pub forms: Vec<String>,
    /// What nobody has, and what is looked for in its place.
    pub slips: Vec<Slip>,
    /// Words that few have, with how many.
    rare: Vec<(Word, i64)>,
}

enum Node {
    Word(Term),
    /// Words that follow each other: what may stand at each place, and how the table of words is asked.
    Phrase {
        typed: String,
        places: Vec<Vec<i64>>,
        rarity: f64,
        written: String,
        /// Its whole words.
        words: Vec<String>,
        count: u64,
    },
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
}

struct Term {
    typed: String,
    forms: Vec<(Known, f64)>,
    rarity: f64,
}

impl Plan {
    pub fn new(db: &Connection, lexicon: &Lexicon, subject: Subject, want: &Want) -> sql::Result<Self> {
        let (table, number) = subject.terms();
        let all: Option<i64> =
            db.prepare_cached(&format!("SELECT max({number}) FROM {table}"))?.query_row([], |row| row.get(0))?;
        let mut planner = Planner {
            db,
            lexicon,
            subject,
            all: all.unwrap_or(0).max(1),
            forms: Vec::new(),
            slips: Vec::new(),
            rare: Vec::new(),
        };
        let root = planner.node(want, true)?;
        let dialect = db.dialect();
        let unwanted = match &root {
            Node::Not(part) => part.expression(dialect, Sense::Exact),
            Node::All(parts) => {
                let parts = parts.iter().filter_map(|part| match part {
                    Node::Not(part) => part.expression(dialect, Sense::Exact),
                    _ => None,
                });
                Some(parts.collect::<Vec<_>>().join(dialect.choose(" OR ", " | "))).filter(|joined| !joined.is_empty())
            }
            _ => None,
        };
        let Planner { mut forms, slips, rare, all, .. } = planner;
        forms.sort_unstable();
        forms.dedup();
        let expression = root.expression(dialect, Sense::Exact);
        let prominent = root.expression(dialect, Sense::Prominent);
        let asks_twice = dialect == Dialect::Postgres && root.has_phrases();
        let loose = asks_twice.then(|| root.expression(dialect, Sense::Loose)).flatten();
        // A server looks for phrases everywhere at once.
        let prominent = prominent.filter(|_| !asks_twice);
        let (estimate, at_least) = (root.estimate(), root.at_least());
        Ok(Self { subject, root, expression, prominent, loose, unwanted, estimate, at_least, all, forms, slips, rare })
    }

    /// How well something matches, from 0 to 1; nothing when it does not. Phrases are asked of the table
    /// of words only when `strict`: whoever walks along it knows.
    pub fn score(&self, db: &Connection, number: i64, terms: &Terms, strict: bool) -> sql::Result<Option<f64>> {
        let judge = Judge { db, number, terms, table: self.subject.words(), strict };
        let Some((gain, most)) = judge.judge(&self.root)? else { return Ok(None) };
        Ok(Some(terms.weighed(if most > 0.0 { gain / most } else { 1.0 })))
    }

    /// The words and phrases that something has, as they were typed.
    pub fn matched(&self, db: &Connection, number: i64, terms: &Terms) -> sql::Result<Vec<String>> {
        let judge = Judge { db, number, terms, table: self.subject.words(), strict: true };
        let mut found = Vec::new();
        judge.matched(&self.root, &mut found)?;
        Ok(found)
    }

    /// Words that are likelier to be meant than some that few have.
    pub fn meant(&self, db: &Connection, lexicon: &Lexicon) -> sql::Result<Vec<Slip>> {
        let mut meant = Vec::new();
        for (word, count) in &self.rare {
            let near = lexicon.near(db, self.subject, &word.text)?;
            if let Some(better) = near.first().filter(|near| near.count >= LIKELIER * (*count).max(1)) {
                meant.push(Slip { typed: word.typed.clone(), words: vec![better.text.clone()], taken: false });
            }
        }
        Ok(meant)
    }
}

struct Planner<'a> {
    db: &'a Connection,
    lexicon: &'a Lexicon,
    subject: Subject,
    all: i64,
    forms: Vec<String>,
    slips: Vec<Slip>,
    rare: Vec<(Word, i64)>,
}

impl Planner<'_> {
    fn node(&mut self, want: &Want, wanted: bool) -> sql::Result<Node> {
        let list = |planner: &mut Self, parts: &[Want]| -> sql::Result<Vec<Node>> {
            parts.iter().map(|part| planner.node(part, wanted)).collect()
        };
        Ok(match want {
            Want::Word(word) => Node::Word(self.word(word, wanted)?),
            Want::Phrase { typed, words, start } => self.phrase(typed, words, *start, wanted)?,
            Want::All(parts) => Node::All(list(self, parts)?),
            Want::Any(parts) => Node::Any(list(self, parts)?),
            Want::Not(part) => Node::Not(Box::new(self.node(part, false)?)),
        })
    }

    fn word(&mut self, word: &Word, wanted: bool) -> sql::Result<Term> {
        let mut forms: Vec<(Known, f64)> = Vec::new();
        let mut add = |known: Known, counts: f64| {
            if forms.len() < FORMS && !forms.iter().any(|(form, _)| form.id == known.id) {
                forms.push((known, counts));
            }
        };
        let exact = spelt(self.db, self.subject, &word.text)?;
        let languages = exact.as_ref().map_or(u32::MAX, |known| known.languages);
        if let Some(known) = exact {
            add(known, 1.0);
        }
        if word.form != Form::Exact {
            for stem in stems(word, languages) {
                stemmed(self.db, self.subject, &stem, FORMS as i64)?.into_iter().for_each(|known| add(known, STEM));
            }
        }
        let count = |forms: &[(Known, f64)]| forms.iter().map(|(known, _)| known.count).sum::<i64>();
        if word.start && count(&forms) < FEW {
            let longer = starting(self.db, self.subject, &word.text, FORMS as i64)?;
            for known in longer {
                if forms.len() < FORMS && !forms.iter().any(|(form, _)| form.id == known.id) {
                    forms.push((known, START));
                }
            }
        }
        if wanted && word.form != Form::Exact {
            if forms.is_empty() {
                let near = self.lexicon.near(self.db, self.subject, &word.text)?;
                forms.extend(near.into_iter().take(SLIPS).map(|known| (known, SLIP)));
                if !forms.is_empty() {
                    let words = forms.iter().map(|(known, _)| known.text.clone()).collect();
                    self.slips.push(Slip { typed: word.typed.clone(), words, taken: true });
                }
            } else if count(&forms) < FEW {
                self.rare.push((word.clone(), count(&forms)));
            }
        }
        let rarity = self.rarity(count(&forms));
        if wanted {
            self.forms.extend(forms.iter().map(|(known, _)| known.text.clone()));
        }
        forms.sort_by_key(|(known, _)| known.id);
        Ok(Term { typed: word.typed.clone(), forms, rarity })
    }

    fn phrase(&mut self, typed: &str, words: &[String], start: bool, wanted: bool) -> sql::Result<Node> {
        let (mut places, mut rarity, mut count) = (Vec::new(), 0.0, u64::MAX);
        for (at, word) in words.iter().enumerate() {
            let mut known: Vec<Known> = spelt(self.db, self.subject, word)?.into_iter().collect();
            if start && at + 1 == words.len() {
                let longer = starting(self.db, self.subject, word, FORMS as i64)?;
                known.extend(longer.into_iter().filter(|known| known.text != *word));
            }
            let here: i64 = known.iter().map(|known| known.count).sum();
            (rarity, count) = (rarity + self.rarity(here), count.min(here.max(0) as u64));
            if wanted {
                self.forms.extend(known.iter().map(|known| known.text.clone()));
            }
            places.push(known.into_iter().map(|known| known.id).collect());
        }
        let star = if start { "*" } else { "" };
        let written = match self.db.dialect() {
            Dialect::Sqlite => format!("\"{}\"{star}", words.join(" ")),
            Dialect::Postgres => lexemes::phrase(words, start),
        };
        // What begins so is found by the others.
        let whole = words.len().saturating_sub(usize::from(start));
        let words = words[..whole].to_vec();
        Ok(Node::Phrase { typed: typed.to_owned(), places, rarity, written, words, count })
    }

    /// BM25's inverse document frequency.
    fn rarity(&self, count: i64) -> f64 {
        let (all, count) = (self.all as f64, count.min(self.all) as f64);
        (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
    }
}

/// The stems of a word in the languages it was met in; of one that nobody has, and of one whose forms are
/// all asked for, in all of them.
fn stems(word: &Word, languages: u32) -> Vec<String> {
    let languages = if word.form == Form::Wide { u32::MAX } else { languages };
    let mut stems = Vec::new();
    for language in Language::all().filter(|language| languages & language.bit() != 0) {
        for spelling in [&word.typed, &word.text] {
            stems.extend(language.stem(spelling).map(|stem| key(language, &stem)));
        }
    }
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// A word as it stands in an expression.
fn written(dialect: Dialect, word: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("\"{word}\""),
        Dialect::Postgres => lexemes::lexeme(word),
    }
}

/// How the table of words is asked.
#[derive(Clone, Copy, PartialEq)]
enum Sense {
    Exact,
    /// Among prominent words.
    Prominent,
    /// For all that match and some more.
    Loose,
}

impl Node {
    /// As the table of words is asked; nothing when nothing must be there.
    fn expression(&self, dialect: Dialect, sense: Sense) -> Option<String> {
        let list = |parts: &[Node], by: &str| {
            let parts: Vec<String> = parts.iter().filter_map(|part| part.expression(dialect, sense)).collect();
            (!parts.is_empty()).then(|| format!("({})", parts.join(by)))
        };
        let (and, or, not) = dialect.choose((" AND ", " OR ", "NOT"), (" & ", " | ", "& !"));
        let mark = |text: &str| match sense {
            Sense::Prominent => written(dialect, &format!("{PROMINENT}{text}")),
            Sense::Exact | Sense::Loose => written(dialect, text),
        };
        match self {
            Self::Word(term) => {
                let forms: Vec<String> = term.forms.iter().map(|(known, _)| mark(&known.text)).collect();
                // A word that nobody has.
                Some(if forms.is_empty() { written(dialect, "\u{e002}") } else { format!("({})", forms.join(or)) })
            }
            Self::Phrase { words, .. } if sense == Sense::Loose && !words.is_empty() => {
                let words: Vec<String> = words.iter().map(|word| mark(word)).collect();
                Some(format!("({})", words.join(and)))
            }
            Self::Phrase { written, .. } => Some(written.clone()),
            Self::Any(parts) => list(parts, or),
            Self::All(parts) => {
                let wanted = list(parts, and)?;
                let unwanted: Vec<String> = parts
                    .iter()
                    .filter_map(|part| match part {
                        // What has its words may not have the phrase.
                        Self::Not(part) if sense == Sense::Loose && part.has_phrases() => None,
                        Self::Not(part) => part.expression(dialect, Sense::Exact),
                        _ => None,
                    })
                    .collect();
                Some(match unwanted.is_empty() {
                    true => wanted,
                    false => format!("({wanted} {not} ({}))", unwanted.join(or)),
                })
            }
            Self::Not(_) => None,
        }
    }

    /// At most so many match.
    fn estimate(&self) -> u64 {
        match self {
            Self::Word(term) => term.forms.iter().map(|(known, _)| known.count.max(0) as u64).sum(),
            Self::Phrase { count, .. } => *count,
            Self::Any(parts) => parts.iter().map(Self::estimate).fold(0, u64::saturating_add),
            Self::All(parts) => parts.iter().map(Self::estimate).min().unwrap_or(u64::MAX),
            Self::Not(_) => u64::MAX,
        }
    }

    /// At least so many match.
    fn at_least(&self) -> u64 {
        match self {
            Self::Word(term) => term.forms.iter().map(|(known, _)| known.count.max(0) as u64).max().unwrap_or(0),
            Self::Any(parts) => parts.iter().map(Self::at_least).max().unwrap_or(0),
            Self::All(parts) if parts.len() == 1 => parts.iter().map(Self::at_least).sum(),
            // What has each part may not have them together.
            Self::All(_) | Self::Phrase { .. } | Self::Not(_) => 0,
        }
    }
}

impl Node {
    fn has_phrases(&self) -> bool {
        match self {
            Self::Word(_) => false,
            Self::Phrase { .. } => true,
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::has_phrases),
            Self::Not(part) => part.has_phrases(),
        }
    }
}

/// Looks at one item or page.
struct Judge<'a> {
    db: &'a Connection,
    number: i64,
    terms: &'a Terms,
    table: &'static str,
    strict: bool,
}

impl Judge<'_> {
    /// What it brings, and what it could bring at most; nothing when it is not there.
    fn judge(&self, node: &Node) -> sql::Result<Option<(f64, f64)>> {
        match node {
            Node::Word(term) => {
                let weights =
                    term.forms.iter().filter_map(|(known, counts)| Some(self.terms.weight(known.id)? * counts));
                Ok(weights.reduce(f64::max).map(|weight| (weight * term.rarity, term.rarity)))
            }
            Node::Phrase { places, rarity, .. } => {
                let mut least = 1.0f64;
                for place in places {
                    let weights = place.iter().filter_map(|word| self.terms.weight(*word));
                    let Some(weight) = weights.reduce(f64::max) else { return Ok(None) };
                    least = least.min(weight);
                }
                let there = !self.strict || self.follows(node)?;
                Ok(there.then_some((least * rarity, *rarity)))
            }
            Node::All(parts) => {
                let (mut gain, mut most) = (0.0, 0.0);
                for part in parts {
                    match self.judge(part)? {
                        Some((more, at_most)) => (gain, most) = (gain + more, most + at_most),
                        None => return Ok(None),
                    }
                }
                Ok(Some((gain, most)))
            }
            Node::Any(parts) => {
                let mut best: Option<(f64, f64)> = None;
                for part in parts {
                    if let Some((gain, most)) = self.judge(part)? {
                        let (so_far, at_most) = best.unwrap_or_default();
                        best = Some((so_far.max(gain), at_most.max(most)));
                    }
                }
                Ok(best)
            }
            // Along words, what may not be there is not met; of a phrase only its words are known here.
            Node::Not(_) if !self.strict => Ok(Some((0.0, 0.0))),
            Node::Not(part) => Ok(self.judge(part)?.is_none().then_some((0.0, 0.0))),
        }
    }

    fn matched(&self, node: &Node, found: &mut Vec<String>) -> sql::Result<()> {
        match node {
            Node::Word(Term { typed, .. }) | Node::Phrase { typed, .. } => {
                if self.judge(node)?.is_some() && !found.contains(typed) {
                    found.push(typed.clone());
                }
            }
            Node::All(parts) | Node::Any(parts) => {
                for part in parts {
                    self.matched(part, found)?;
                }
            }
            Node::Not(_) => {}
        }
        Ok(())
    }

    /// Whether the words of a phrase follow each other there.
    fn follows(&self, node: &Node) -> sql::Result<bool> {
        let Node::Phrase { written, .. } = node else { return Ok(true) };
        let table = self.table;
        let found = self
            .db
            .prepare_cached(&format!(
                "SELECT 1 FROM {table} WHERE {} AND rowid = ?2",
                has_words(self.db.dialect(), table, "?1")
            ))?
            .query_row(params![written, self.number], |_| Ok(()))
            .optional()?;
        Ok(found.is_some())
    }
}
