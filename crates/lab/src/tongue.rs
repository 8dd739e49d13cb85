//! Languages: small word lists and the sentences made from them.

use std::sync::LazyLock;

use crate::dice::Dice;

/// A language with the few words the made web has of it.
#[derive(Debug)]
pub(crate) struct Tongue {
    /// Two letters, as in `<html lang>`.
    pub code: &'static str,
    /// Between words: nothing in Japanese.
    pub space: &'static str,
    stop: &'static str,
    labels: Vec<&'static str>,
    /// Common nouns, the same things in the same order in every language: the topics of pages.
    pub nouns: Vec<&'static str>,
    /// Another form of each noun, mostly that of several things.
    forms: Vec<&'static str>,
    /// Kinds of building that have an address.
    pub sights: Vec<&'static str>,
    subjects: Vec<&'static str>,
    verbs: Vec<&'static str>,
    objects: Vec<&'static str>,
    openers: Vec<&'static str>,
    joins: Vec<&'static str>,
}

/// The words on buttons, headings and in paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Home,
    Contact,
    Directory,
    Guide,
    Stories,
    Topics,
    News,
    Visit,
    Terms,
    Login,
    ReadMore,
    Details,
    Photos,
    Hours,
    Address,
    Related,
    Search,
    Archive,
    By,
    CookieNotice,
    Agree,
    Welcome,
}

static TONGUES: LazyLock<Vec<Tongue>> = LazyLock::new(|| {
    let mut tongues: Vec<Tongue> = Vec::new();
    for line in include_str!("words.txt").lines() {
        let Some((key, rest)) = line.split_once('|') else {
            let japanese = line == "ja";
            tongues.push(Tongue {
                code: line,
                space: if japanese { "" } else { " " },
                stop: if japanese { "。" } else { ". " },
                labels: Vec::new(),
                nouns: Vec::new(),
                forms: Vec::new(),
                sights: Vec::new(),
                subjects: Vec::new(),
                verbs: Vec::new(),
                objects: Vec::new(),
                openers: Vec::new(),
                joins: Vec::new(),
            });
            continue;
        };
        let Some(tongue) = tongues.last_mut() else { continue };
        let words = rest.split('|').collect();
        match key {
            "ui" => tongue.labels = words,
            "noun" => tongue.nouns = words,
            "form" => tongue.forms = words,
            "sight" => tongue.sights = words,
            "subject" => tongue.subjects = words,
            "verb" => tongue.verbs = words,
            "object" => tongue.objects = words,
            "opener" => tongue.openers = words,
            _ => tongue.joins = words,
        }
    }
    tongues
});

/// How many topics there are.
pub(crate) const TOPICS: u64 = 12;

impl Tongue {
    /// All languages, English first.
    pub fn all() -> &'static [Tongue] {
        &TONGUES
    }

    /// By its two letters; English when there is no such language.
    pub fn of(code: &str) -> &'static Tongue {
        Self::all().iter().find(|tongue| tongue.code == code).unwrap_or(&Self::all()[0])
    }

    pub fn label(&self, label: Label) -> &'static str {
        self.labels[label as usize]
    }

    /// The word for a topic, or for one counted beyond [`TOPICS`] its other form.
    pub fn noun(&self, topic: u64) -> &'static str {
        let list = if topic < TOPICS { &self.nouns } else { &self.forms };
        list[(topic % TOPICS) as usize]
    }

    /// Adds a sentence to the text; now and then it speaks of one of the topics, or of the place.
    pub fn sentence(&self, dice: &mut Dice, topics: &[u64], place: Option<&str>, out: &mut String) {
        let throw = dice.next();
        let part = |shift: u32, list: &[&'static str]| list[(throw >> shift) as usize % list.len()];
        let start = out.len();
        if throw & 7 < 3 {
            out.push_str(part(8, &self.openers));
            out.push_str(self.space);
        }
        self.clause(throw, out);
        match (throw >> 3) & 7 {
            0 | 1 => {
                out.push_str(if self.space.is_empty() { "、" } else { ", " });
                out.push_str(part(40, &self.joins));
                out.push_str(self.space);
                self.clause(dice.next(), out);
            }
            2 | 3 if !topics.is_empty() => {
                out.push_str(if self.space.is_empty() { "（" } else { " – " });
                out.push_str(self.noun(topics[(throw >> 44) as usize % topics.len()]));
                out.push_str(if self.space.is_empty() { "）" } else { "" });
            }
            4 => {
                if let Some(place) = place {
                    out.push_str(if self.space.is_empty() { "（" } else { " (" });
                    out.push_str(place);
                    out.push_str(if self.space.is_empty() { "）" } else { ")" });
                }
            }
            _ => {}
        }
        out.push_str(self.stop);
        capitalise(out, start);
    }

    /// Subject, verb and object, in the order of the language.
    fn clause(&self, throw: u64, out: &mut String) {
        let part = |shift: u32, list: &[&'static str]| list[(throw >> shift) as usize % list.len()];
        let (verb, object) = (part(18, &self.verbs), part(26, &self.objects));
        out.push_str(part(12, &self.subjects));
        for word in if self.space.is_empty() { [object, verb] } else { [verb, object] } {
            out.push_str(self.space);
            out.push_str(word);
        }
    }

    /// A name such as "Old harbour 7" would be in English: something made of a topic.
    pub fn title(&self, dice: &mut Dice, topic: u64) -> String {
        let mut title = self.noun(topic).to_owned();
        capitalise(&mut title, 0);
        title.push_str(if self.space.is_empty() { "・" } else { ": " });
        title.push_str(dice.pick(&self.objects));
        title
    }

    /// A few words that could be the text of a link to anything.
    pub fn phrase(&self, dice: &mut Dice) -> String {
        let mut phrase = dice.pick(&self.objects).to_owned();
        capitalise(&mut phrase, 0);
        phrase
    }
}

fn capitalise(text: &mut String, start: usize) {
    let Some(first) = text[start..].chars().next() else { return };
    if first.is_lowercase() {
        let upper: String = first.to_uppercase().collect();
        text.replace_range(start..start + first.len_utf8(), &upper);
    }
}

/// Words as they stand in a path: lower case, hyphens, letters with marks spelt out, other
/// scripts as escapes.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        let plain = match c {
            'a'..='z' | '0'..='9' => {
                out.push(c);
                continue;
            }
            'ä' | 'æ' => "ae",
            'ö' | 'ø' => "oe",
            'ü' => "ue",
            'ß' => "ss",
            'å' | 'á' | 'à' | 'â' | 'ą' => "a",
            'é' | 'è' | 'ê' | 'ę' | 'ë' => "e",
            'í' | 'ì' | 'î' => "i",
            'ó' | 'ò' | 'ô' => "o",
            'ú' | 'ù' | 'û' => "u",
            'ç' | 'ć' => "c",
            'ñ' | 'ń' => "n",
            'ł' => "l",
            'ś' => "s",
            'ź' | 'ż' => "z",
            c if c.is_alphanumeric() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
                continue;
            }
            _ => "-",
        };
        if plain != "-" || (!out.is_empty() && !out.ends_with('-')) {
            out.push_str(plain);
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_all_its_words() {
        assert!(Tongue::all().len() >= 10);
        for tongue in Tongue::all() {
            assert_eq!(tongue.labels.len(), Label::Welcome as usize + 1, "{}", tongue.code);
            assert_eq!(tongue.nouns.len() as u64, TOPICS, "{}", tongue.code);
            assert_eq!(tongue.forms.len() as u64, TOPICS, "{}", tongue.code);
            assert_eq!(tongue.sights.len(), 8, "{}", tongue.code);
            assert_eq!(tongue.subjects.len(), 12, "{}", tongue.code);
            assert_eq!(tongue.verbs.len(), 12, "{}", tongue.code);
            assert_eq!(tongue.objects.len(), 12, "{}", tongue.code);
            assert_eq!(tongue.openers.len(), 8, "{}", tongue.code);
            assert_eq!(tongue.joins.len(), 4, "{}", tongue.code);
        }
    }

    #[test]
    fn slugs_can_stand_in_a_path() {
        assert_eq!(slug("Öffnungszeiten"), "oeffnungszeiten");
        assert_eq!(slug("Foto's, L'Été!"), "foto-s-l-ete");
        assert_eq!(slug("Νέα"), "%CE%BD%CE%AD%CE%B1");
    }
}
