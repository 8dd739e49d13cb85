//! Where the words of a question stand in a text that nobody has put into an index.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use crate::language::Language;
use crate::tokens::tokens;
use crate::want::{Form, Want};

/// Words and phrases that are told apart.
const LEAVES: usize = 64;

/// What is looked for in pages, word by word.
///
/// ```
/// let want = query::Want::parse("old bridge -night").unwrap();
/// let sought = query::Sought::of(&want, |_| false).unwrap();
/// let found = sought.look(Some(query::Language::ENGLISH), "Two bridges by day").finish();
/// assert_eq!(found.spots[0].range, 4..11);
/// assert!(sought.admits(&found) && found.has(1) && !found.has(0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    terms: Vec<Term>,
    leaves: Vec<Leaf>,
    tree: Node,
}

/// A word or phrase that is scored by itself, or several of which any counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// As it was typed.
    pub typed: String,
    leaves: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Leaf {
    words: Vec<String>,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Leaf(usize),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
}

/// Words of a question that stand in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spotted {
    /// Where, in the order of the text.
    pub spots: Vec<Spot>,
    leaves: u64,
    terms: u64,
}

/// A word or phrase of a question where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Which of [`Sought::terms`].
    pub term: usize,
    /// Where, in bytes.
    pub range: Range<usize>,
}

impl Spotted {
    /// Whether this term is there.
    pub fn has(&self, term: usize) -> bool {
        term < LEAVES && self.terms >> term & 1 == 1
    }

    /// Whether any term is there.
    pub fn has_any(&self) -> bool {
        self.terms != 0
    }

    /// What is in either.
    pub fn and(mut self, other: &Self) -> Self {
        self.leaves |= other.leaves;
        self.terms |= other.terms;
        self
    }
}

impl Sought {
    /// What a question looks for; `is_stop_word` tells words that say nothing by themselves, which are left
    /// out. Nothing when no word is left.
    pub fn of(want: &Want, is_stop_word: impl Fn(&str) -> bool) -> Option<Self> {
        let mut leaves = Vec::new();
        let tree = node(want, &is_stop_word, &mut leaves)?;
        let parts = match &tree {
            Node::All(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let wanted = parts.iter().filter(|part| !matches!(part, Node::Not(_)));
        let terms: Vec<Term> = wanted.map(|part| term(part, &leaves)).filter(|term| term.leaves != 0).collect();
        (!terms.is_empty()).then_some(Self { terms, leaves, tree })
    }

    /// What is scored one by one.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Looks through a text; more texts of the same page can follow.
    pub fn look(&self, language: Option<Language>, text: &str) -> Looking<'_> {
        Looking::new(self, language).then(text)
    }

    /// Whether a page with these words is what was asked for: it has every `+word` and phrase, and nothing
    /// that was ruled out. Other words need not all be there: they are what pages are scored by.
    pub fn admits(&self, found: &Spotted) -> bool {
        admits(&self.tree, &self.leaves, found.leaves)
    }

    /// Whether a page with these words has one that was ruled out.
    pub fn rules_out(&self, found: &Spotted) -> bool {
        let parts = match &self.tree {
            Node::All(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        parts.iter().any(|part| matches!(part, Node::Not(inner) if is_there(inner, found.leaves)))
    }

    fn terms_of(&self, leaves: u64) -> u64 {
        let has = |term: &Term| u64::from(term.leaves & leaves != 0);
        self.terms.iter().enumerate().take(LEAVES).map(|(at, term)| has(term) << at).sum()
    }
}

fn node(want: &Want, is_stop_word: &impl Fn(&str) -> bool, leaves: &mut Vec<Leaf>) -> Option<Node> {
    let mut leaf = |words: Vec<String>, form| {
        leaves.push(Leaf { words, form });
        (leaves.len() <= LEAVES).then_some(Node::Leaf(leaves.len() - 1))
    };
    match want {
        Want::Word(word) if word.form != Form::Exact && is_stop_word(&word.text) => None,
        Want::Word(word) => leaf(vec![word.text.clone()], word.form),
        Want::Phrase { words, .. } => leaf(words.clone(), Form::Exact),
        Want::Not(inner) => Some(Node::Not(Box::new(node(inner, is_stop_word, leaves)?))),
        Want::All(parts) | Want::Any(parts) => {
            let mut nodes: Vec<Node> = parts.iter().filter_map(|part| node(part, is_stop_word, leaves)).collect();
            match (nodes.len(), want) {
                (0, _) => None,
                (1, _) => nodes.pop(),
                (_, Want::All(_)) => Some(Node::All(nodes)),
                _ => Some(Node::Any(nodes)),
            }
        }
    }
}

fn term(part: &Node, leaves: &[Leaf]) -> Term {
    let mut found = Vec::new();
    wanted(part, &mut found);
    let typed: Vec<String> = found.iter().map(|leaf| leaves[*leaf].words.join(" ")).collect();
    Term { typed: typed.join(" or "), leaves: found.iter().map(|leaf| 1 << leaf).sum() }
}

fn wanted(node: &Node, found: &mut Vec<usize>) {
    match node {
        Node::Leaf(leaf) => found.push(*leaf),
        Node::All(parts) | Node::Any(parts) => parts.iter().for_each(|part| wanted(part, found)),
        Node::Not(_) => {}
    }
}

fn admits(node: &Node, leaves: &[Leaf], found: u64) -> bool {
    match node {
        Node::Leaf(leaf) => leaves[*leaf].form != Form::Exact || found >> leaf & 1 == 1,
        Node::All(parts) => parts.iter().all(|part| admits(part, leaves, found)),
        Node::Any(parts) => parts.iter().any(|part| admits(part, leaves, found)),
        Node::Not(inner) => !is_there(inner, found),
    }
}

fn is_there(node: &Node, found: u64) -> bool {
    match node {
        Node::Leaf(leaf) => found >> leaf & 1 == 1,
        Node::All(parts) => parts.iter().all(|part| is_there(part, found)),
        Node::Any(parts) => parts.iter().any(|part| is_there(part, found)),
        Node::Not(inner) => !is_there(inner, found),
    }
}

/// A page that is being looked through.
pub struct Looking<'s> {
    sought: &'s Sought,
    language: Language,
    /// The stem of each leaf that is a word of which other forms count.
    stems: Vec<Option<String>>,
    /// Which leaves a word is, of the words met so far: pages repeat themselves.
    known: HashMap<String, u64>,
    longest: usize,
    found: Spotted,
}

impl<'s> Looking<'s> {
    fn new(sought: &'s Sought, language: Option<Language>) -> Self {
        let language = language.unwrap_or(Language::ENGLISH);
        let stem = |leaf: &Leaf| match (leaf.form, leaf.words.as_slice()) {
            (Form::Usual | Form::Wide, [word]) => language.stem(word),
            _ => None,
        };
        let stems = sought.leaves.iter().map(stem).collect();
        let longest = sought.leaves.iter().map(|leaf| leaf.words.len()).max().unwrap_or(1);
        Self { sought, language, stems, known: HashMap::new(), longest, found: Spotted::default() }
    }

    /// Looks through a further text; its spots replace those of the one before.
    #[must_use]
    pub fn then(mut self, text: &str) -> Self {
        self.spot(text);
        self
    }

    /// Where the words stand in a text; what it has counts for the page.
    pub fn spot(&mut self, text: &str) -> Vec<Spot> {
        let mut spots = Vec::new();
        let mut last: VecDeque<(String, usize)> = VecDeque::with_capacity(self.longest + 1);
        for token in tokens(text) {
            let mut here = self.leaves_of(&token.text);
            let mut starts = [(here, token.range.start)].to_vec();
            if self.longest > 1 {
                last.push_back((token.text, token.range.start));
                if last.len() > self.longest {
                    last.pop_front();
                }
                for (leaf, start) in self.phrases(&last) {
                    here |= 1 << leaf;
                    starts.push((1 << leaf, start));
                }
            }
            if here == 0 {
                continue;
            }
            self.found.leaves |= here;
            for (leaves, start) in starts {
                let terms = self.sought.terms_of(leaves);
                self.found.terms |= terms;
                for term in (0..self.sought.terms.len().min(LEAVES)).filter(|term| terms >> term & 1 == 1) {
                    spots.push(Spot { term, range: start..token.range.end });
                }
            }
        }
        self.found.spots.clone_from(&spots);
        spots
    }

    /// What was found in all of it, with the spots of the last text.
    pub fn finish(self) -> Spotted {
        self.found
    }

    /// What was found so far.
    pub fn so_far(&self) -> &Spotted {
        &self.found
    }

    fn leaves_of(&mut self, word: &str) -> u64 {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let mut leaves = 0;
        let mut stem = None;
        for (at, leaf) in self.sought.leaves.iter().enumerate().take(LEAVES) {
            let [sought] = leaf.words.as_slice() else { continue };
            let same = sought == word
                || self.stems[at].as_ref().is_some_and(|sought| {
                    stem.get_or_insert_with(|| self.language.stem(word)).as_ref() == Some(sought)
                });
            leaves |= u64::from(same) << at;
        }
        self.known.insert(word.to_owned(), leaves);
        leaves
    }

    /// Phrases that end with the last word, and where they begin.
    fn phrases(&self, last: &VecDeque<(String, usize)>) -> Vec<(usize, usize)> {
        let ends = |(at, leaf): (usize, &Leaf)| {
            let from = last.len().checked_sub(leaf.words.len()).filter(|_| leaf.words.len() > 1)?;
            let same = last.range(from..).zip(&leaf.words).all(|((word, _), sought)| word == sought);
            same.then(|| (at, last[from].1))
        };
        self.sought.leaves.iter().enumerate().take(LEAVES).filter_map(ends).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(text: &str) -> Option<Sought> {
        Sought::of(&Want::parse(text)?, |word| ["the", "of", "und"].contains(&word))
    }

    /// Which terms a text has, and whether it is admitted.
    fn check(query: &str, language: &str, text: &str) -> (Vec<String>, bool) {
        let sought = sought(query).unwrap();
        let found = sought.look(Language::of_code(language), text).finish();
        let spots = found.spots.iter().map(|spot| text[spot.range.clone()].to_owned()).collect();
        (spots, sought.admits(&found))
    }

    #[test]
    fn words_are_found_in_their_forms_and_whatever_their_accents() {
        for (query, language, text, spots, admitted) in [
            ("castle", "en", "Old castles, a CASTLE; newcastle", &["castles", "CASTLE"][..], true),
            ("+castle", "en", "Old castles", &[], false),
            ("+castle tower", "en", "castle without", &["castle"], true),
            ("brucke", "de", "Die Brücken von Köln", &["Brücken"], true),
            ("\"old town\"", "en", "An old  town, an old small town", &["old  town"], true),
            ("\"old town\"", "en", "old small town", &[], false),
            ("castle -toy", "en", "Toys: a castle", &["castle"], false),
            ("castle -\"toy shop\"", "en", "toy castle in a shop", &["castle"], true),
            ("castle OR palace", "en", "two palaces", &["palaces"], true),
            ("東京", "ja", "東京タワー", &["東京"], true),
        ] {
            let expected = (spots.iter().map(|spot| (*spot).to_owned()).collect(), admitted);
            assert_eq!(check(query, language, text), expected, "{query} in {text}");
        }
    }

    #[test]
    fn what_says_nothing_is_not_looked_for() {
        assert_eq!(sought("the of"), None);
        assert_eq!(sought("-castle"), None);
        let typed = |text| sought(text).unwrap().terms().iter().map(|term| term.typed.clone()).collect::<Vec<_>>();
        assert_eq!(typed("the castle of Otranto"), ["castle", "otranto"]);
        assert_eq!(typed("+the castle"), ["the", "castle"]);
        assert_eq!(typed("(castle OR \"old palace\") -toy garden"), ["castle or old palace", "garden"]);
    }

    #[test]
    fn texts_of_a_page_count_together() {
        let sought = sought("old +bridge").unwrap();
        let mut looking = sought.look(None, "The old one");
        assert!(!sought.admits(looking.so_far()));
        assert_eq!(looking.spot("a bridge").len(), 1);
        assert!(sought.admits(&looking.finish()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_looked_through(query in "[-+~a-z \"()|]{1,60}", text in ".{0,200}") {
            if let Some(sought) = sought(&query) {
                let found = sought.look(None, &text).finish();
                for spot in found.spots {
                    proptest::prop_assert!(text.get(spot.range).is_some());
                }
            }
        }
    }
}
