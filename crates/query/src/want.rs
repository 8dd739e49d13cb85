//! What words must be there.

/// What a text must say. A negation stands only directly in [`All`](Self::All), or alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// A word.
    Word(Word),
    /// Words that follow each other.
    Phrase {
        /// As they were typed.
        typed: String,
        /// The words, folded.
        words: Vec<String>,
        /// Whether the last may be the start of a word.
        start: bool,
    },
    /// All of these.
    All(Vec<Want>),
    /// At least one of these.
    Any(Vec<Want>),
    /// Not this.
    Not(Box<Want>),
}

/// One word that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it was typed, in lower case.
    pub typed: String,
    /// Folded.
    pub text: String,
    /// Which forms of it count.
    pub form: Form,
    /// Whether it may be the start of a word.
    pub start: bool,
}

/// Which forms of a word count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Only this one: `+word`.
    Exact,
    /// Those with the same stem; where nobody has any of them, slips of the pen.
    Usual,
    /// Those with the same stem, and words that mean the same: `~word`.
    Wide,
}

impl Want {
    /// What stands between words that are looked for one by one, as a person would type them.
    pub fn parse(text: &str) -> Option<Self> {
        crate::Query::parse(text).ok()?.want
    }

    /// A word or phrase as it was typed; nothing for what is made of several.
    pub fn typed(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(&word.typed),
            Self::Phrase { typed, .. } => Some(typed),
            _ => None,
        }
    }

    /// The words and phrases that are wanted, as they were typed.
    pub fn wanted(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.each(&mut |want| found.extend(want.typed().map(str::to_owned)));
        found
    }

    /// Gives each word and phrase that is wanted.
    pub fn each<'w>(&'w self, visit: &mut dyn FnMut(&'w Want)) {
        match self {
            Self::Word(_) | Self::Phrase { .. } => visit(self),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.each(visit)),
            Self::Not(_) => {}
        }
    }
}
