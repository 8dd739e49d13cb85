//! What is asked, and which pages answer it.

use std::collections::HashMap;

use facts::Url;
use page::{Page, Words};
use query::{Operator, Query, Sought, Synonyms, Want};
use sources::Question;

use super::error::FindError;

/// How close the words of a page must be to those of another to be related to it: a cosine.
const RELATED: f64 = 0.25;
/// Words of a page's title that stand for it when nothing else is asked.
const TITLE_WORDS: usize = 5;

/// A question to the web.
#[derive(Clone, Debug)]
pub struct Asked {
    /// As it was typed.
    pub text: String,
    /// What was understood, in words; what was typed stands between asterisks.
    pub said: String,
    /// What was not taken as it was typed, in words.
    pub notes: Vec<String>,
    query: Query,
    /// Words that mean the same are in it.
    want: Option<Want>,
    site: Option<String>,
    link: Option<Linked>,
    pub(super) related: Option<Url>,
}

/// What pages must link to.
#[derive(Clone, Debug)]
enum Linked {
    Page(Url),
    Host(String),
}

impl Asked {
    /// Understands a query. Words that mean the same are looked for beside a `~word`.
    pub fn parse(text: &str, synonyms: &Synonyms) -> Result<Self, FindError> {
        let wrong = |why: String| FindError::Query(why);
        let query = Query::parse(text).map_err(|error| wrong(error.to_string()))?;
        if !query.wrong.is_empty() {
            return Err(wrong(query.wrong.join("; ")));
        }
        let mut asked = Self {
            text: text.trim().to_owned(),
            said: query.said_of_pages(),
            notes: query.notes.iter().map(ToString::to_string).collect(),
            want: query.want.clone().map(|want| synonyms.widen(want)),
            query,
            site: None,
            link: None,
            related: None,
        };
        for operator in asked.query.operators.clone() {
            asked.take(&operator)?;
        }
        if asked.related.is_none() && asked.sought(None).is_none() {
            return Err(wrong(match text.trim().is_empty() {
                true => "there is nothing to look for: give a word".to_owned(),
                false => format!(
                    "nothing in '{text}' says what the pictures show: add a word, or +before one that is meant as it is"
                ),
            }));
        }
        Ok(asked)
    }

    fn take(&mut self, operator: &Operator) -> Result<(), FindError> {
        let address = |name: &str, text: &str| {
            let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
            let wrong = |error| FindError::Query(format!("{name}:{text} is no address: {error}"));
            Url::parse(&whole).map_err(wrong)
        };
        match operator {
            Operator::Site(host) => self.site = Some(host.clone()),
            Operator::Link(text) => {
                let url = address("link", text)?;
                let whole = url.path() != "/" || url.query().is_some() || text.contains("://");
                self.link = Some(if whole { Linked::Page(url) } else { Linked::Host(url.host_str().to_owned()) });
            }
            Operator::Related(text) => self.related = Some(address("related", text)?),
            // The name of a place is a word like others.
            Operator::Place(name) => {
                let more = Want::parse(name);
                self.want = match (self.want.take(), more) {
                    (Some(Want::All(mut parts)), Some(more)) => {
                        parts.push(more);
                        Some(Want::All(parts))
                    }
                    (Some(one), Some(more)) => Some(Want::All(vec![one, more])),
                    (one, more) => one.or(more),
                };
            }
            Operator::Kind(query::Kind::Media(facts::MediaKind::Image)) => {}
            Operator::Kind(_) => self.notes.push("only pictures are found: kind: was left out".into()),
            Operator::Near(_) | Operator::After(_) | Operator::Before(_) | Operator::OpenLicence(_) => {
                let note = "near:, after:, before: and license: ask the library: they were left out";
                if !self.notes.iter().any(|known| known == note) {
                    self.notes.push(note.into());
                }
            }
        }
        Ok(())
    }

    /// What sources are asked; `like` is the page that others are to be related to.
    pub(super) fn question(&self, like: Option<&Page>) -> Question {
        match (&self.want, like) {
            (None, Some(page)) => {
                let mut question = Question::words(&title_words(page).join(" "));
                question.site.clone_from(&self.site);
                question
            }
            _ => Question::of(&self.query),
        }
    }

    /// What is looked for in pages.
    pub(super) fn sought(&self, like: Option<&Page>) -> Option<Sought> {
        let of_title;
        let want = match (&self.want, like) {
            (Some(want), _) => want,
            (None, Some(page)) => {
                of_title = Want::parse(&title_words(page).join(" "))?;
                &of_title
            }
            (None, None) => return None,
        };
        Sought::of(want, strategy::is_stop_word)
    }

    /// Whether pages of this address can be meant at all.
    pub(super) fn admits_address(&self, url: &Url) -> bool {
        let Some(site) = &self.site else { return true };
        let host = url.host_str();
        host == site || host.strip_suffix(site.as_str()).is_some_and(|above| above.ends_with('.'))
    }

    /// Whether a page is what was asked for, as far as words do not say it.
    pub(super) fn admits_page(&self, page: &Page, like: Option<&Likeness>) -> bool {
        let links = match &self.link {
            None => true,
            Some(Linked::Page(url)) => page.links.iter().any(|link| link.url.id() == url.id()),
            Some(Linked::Host(host)) => page.links.iter().any(|link| link.url.host_str() == host),
        };
        links && like.is_none_or(|like| like.cosine(page.words()) >= RELATED)
    }
}

fn title_words(page: &Page) -> Vec<String> {
    strategy::keywords(&page.title).into_iter().take(TITLE_WORDS).map(|word| word.to_string()).collect()
}

/// The words of a page that others are compared with.
#[derive(Clone, Debug)]
pub(super) struct Likeness {
    weights: HashMap<String, f64>,
    length: f64,
}

impl Likeness {
    pub fn of(words: &Words) -> Self {
        let weights: HashMap<String, f64> = telling(words).map(|(word, weight)| (word.to_owned(), weight)).collect();
        let length = weights.values().map(|weight| weight * weight).sum::<f64>().sqrt();
        Self { weights, length }
    }

    /// How close other words are, from 0 to 1.
    fn cosine(&self, words: &Words) -> f64 {
        let (mut both, mut other) = (0.0, 0.0);
        for (word, weight) in telling(words) {
            other += weight * weight;
            both += weight * self.weights.get(word).copied().unwrap_or(0.0);
        }
        let lengths = self.length * other.sqrt();
        if lengths > 0.0 { both / lengths } else { 0.0 }
    }
}

/// Words that say something, each with its weight.
fn telling(words: &Words) -> impl Iterator<Item = (&str, f64)> {
    let says = |word: &str| word.chars().count() > 2 && !strategy::is_stop_word(word);
    words.iter().filter(move |(word, _)| says(word)).map(|(word, count)| (word, 1.0 + f64::from(count).ln()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Result<Asked, String> {
        Asked::parse(text, &Synonyms::default()).map_err(|error| error.to_string())
    }

    fn page(body: &str) -> Page {
        let url = Url::parse("https://a.example/x/").unwrap();
        page::read(body.as_bytes(), Some("text/html"), &url, &page::Limits::default())
    }

    #[test]
    fn what_was_understood_is_said_and_what_says_nothing_is_refused() {
        let said = asked("Neuschwanstein Castle -toy").unwrap().said;
        assert_eq!(said, "pages about *neuschwanstein* and *castle*, not *toy*");
        for nothing in ["", "   ", "the of and", "-castle", "site:example.org", "+ - ~", "link:example.org", "()"] {
            assert!(asked(nothing).is_err(), "{nothing}");
        }
        for something in ["castle", "+the", "\"the who\"", "related:example.org", "die Burg", "東京"] {
            assert!(asked(something).is_ok(), "{something}: {:?}", asked(something).err());
        }
        assert!(asked("related:ftp://x/ castle").is_err());
        assert_eq!(asked("castle kind:video").unwrap().notes.len(), 1);
    }

    #[test]
    fn places_are_words_and_sites_are_bounds() {
        let asked = asked("bridge place:Kiel site:example.org").unwrap();
        let typed: Vec<String> = asked.sought(None).unwrap().terms().iter().map(|term| term.typed.clone()).collect();
        assert_eq!(typed, ["bridge", "kiel"]);
        let admits = |url: &str| asked.admits_address(&Url::parse(url).unwrap());
        assert!(admits("https://example.org/") && admits("https://www.example.org/x"));
        assert!(!admits("https://badexample.org/") && !admits("https://example.com/"));
    }

    #[test]
    fn pages_that_link_there_or_are_like_another_are_told_apart() {
        let links = asked("castle link:https://b.example/y").unwrap();
        assert!(links.admits_page(&page("<a href=https://b.example/y#z>y</a>"), None));
        assert!(!links.admits_page(&page("<a href=https://b.example/z>y</a>"), None));
        assert!(asked("castle link:b.example").unwrap().admits_page(&page("<a href=//b.example/z>y</a>"), None));
        let castle =
            page("<title>Castles of the Rhine</title><p>castle tower wall moat knights river Rhine valley wine");
        let like = Likeness::of(castle.words());
        let related = asked("related:a.example/x/").unwrap();
        assert!(related.admits_page(&page("<p>The castle with its tower and moat above the river"), Some(&like)));
        assert!(!related.admits_page(&page("<p>Recipes for pasta with tomatoes and garlic"), Some(&like)));
        let typed: Vec<String> =
            related.sought(Some(&castle)).unwrap().terms().iter().map(|term| term.typed.clone()).collect();
        assert_eq!(typed, ["castles", "rhine"]);
        assert_eq!(related.question(Some(&castle)).plain(), "castles rhine");
    }
}
