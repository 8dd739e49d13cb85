//! What a person typed, as a question.

use facts::{MediaKind, Timestamp};
use geo::{Gazetteer, Region};
use query::{Kind, Operator, Query, Synonyms, Where, tokens};
use serde::Serialize;
use store::{Library, Slip, StoreError};
use utoipa::ToSchema;

use crate::{Looked, Near, Question};

/// The name that the list of synonyms is stored under.
pub const SYNONYMS: &str = "synonyms";

/// How what was typed was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Understood {
    /// As it was typed.
    pub typed: String,
    /// In words; what was typed stands between asterisks. Empty when nothing was.
    pub said: String,
    /// What was not taken as it was typed.
    pub notes: Vec<String>,
}

/// A word that nobody has, and what was looked for in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Instead {
    /// As it was typed.
    pub typed: String,
    /// What was looked for.
    pub words: Vec<String>,
}

impl Instead {
    /// Those that were looked for.
    pub fn of(slips: &[Slip]) -> Vec<Self> {
        let taken = slips.iter().filter(|slip| slip.taken);
        taken.map(|slip| Self { typed: slip.typed.clone(), words: slip.words.clone() }).collect()
    }
}

impl Understood {
    /// The question that is likelier to be meant.
    pub fn better(&self, slips: &[Slip]) -> Option<String> {
        let slips: Vec<&Slip> = slips.iter().filter(|slip| !slip.taken).collect();
        let (mut text, mut end, mut changed) = (String::new(), 0, false);
        for token in tokens(&self.typed) {
            let word = self.typed.get(token.range.clone())?.to_lowercase();
            let better = slips.iter().find(|slip| slip.typed == word).and_then(|slip| slip.words.first());
            text.push_str(self.typed.get(end..token.range.start)?);
            text.push_str(better.map_or(self.typed.get(token.range.clone())?, String::as_str));
            (end, changed) = (token.range.end, changed || better.is_some());
        }
        text.push_str(self.typed.get(end..)?);
        changed.then_some(text)
    }
}

/// The list of synonyms that a library keeps.
pub async fn synonyms(library: &dyn Library) -> Result<Synonyms, StoreError> {
    let stored = library.setting(SYNONYMS).await?;
    let text = stored.as_ref().and_then(|stored| stored.as_str()).unwrap_or_default();
    Ok(Synonyms::read(text).unwrap_or_default())
}

impl Question {
    /// Adds what a person typed: words, and operators that are filters. What cannot be is said, all of it.
    pub fn understand(&mut self, typed: &str, synonyms: &Synonyms) -> Result<(), Vec<String>> {
        let query = Query::parse(typed).map_err(|error| vec![error.to_string()])?;
        let mut wrong = query.wrong.clone();
        let (mut kinds, mut pages) = (Vec::<MediaKind>::new(), false);
        for operator in &query.operators {
            if let Err(why) = self.apply(operator, &mut kinds, &mut pages) {
                wrong.push(why);
            }
        }
        match (pages, kinds.is_empty()) {
            (true, false) => wrong.push("kind:page stands alone: ask for media in a search of its own".into()),
            (true, true) => self.looked = Looked::Pages { all: true },
            (false, false) => self.looked = Looked::Media(kinds),
            (false, true) => {}
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        if !typed.trim().is_empty() {
            self.understood.said = query.said();
        }
        self.understood.typed = typed.to_owned();
        self.understood.notes = query.notes.iter().map(ToString::to_string).collect();
        self.words = query.want.map(|want| synonyms.widen(want));
        Ok(())
    }

    fn apply(&mut self, operator: &Operator, kinds: &mut Vec<MediaKind>, pages: &mut bool) -> Result<(), String> {
        match operator {
            Operator::Site(host) => self.host = Some(host.clone()),
            Operator::Kind(Kind::Media(kind)) => kinds.push(*kind),
            Operator::Kind(Kind::Page) => *pages = true,
            Operator::Place(name) => self.place = Some(region(name)?),
            Operator::Near(near) => {
                let centre = match &near.to {
                    Where::Point(point) => *point,
                    Where::Named(name) => {
                        region(name)?.centre().ok_or_else(|| format!("near:{name}: that place has no middle"))?
                    }
                };
                self.near = Some(Near { centre, metres: 1_000.0 * near.km });
            }
            Operator::After(moment) => self.since = Some(*moment),
            Operator::Before(moment) => self.until = Some(Timestamp(moment.0.saturating_sub(1))),
            Operator::OpenLicence(open) => self.open_licence = *open,
            Operator::Link(_) | Operator::Related(_) => {
                return Err("link: and related: ask for pages of the web: they are for `bowerbird find`".into());
            }
        }
        Ok(())
    }
}

fn region(name: &str) -> Result<Region, String> {
    Region::find(Gazetteer::embedded(), name).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(typed: &str) -> Result<Question, Vec<String>> {
        let mut question = Question::default();
        question.understand(typed, &Synonyms::default()).map(|()| question)
    }

    #[test]
    fn operators_are_filters() {
        let question = understood(
            "boat site:A.example place:Germany near:54.3,10.1,5 after:2020 before:2021 license:open kind:film colour:red",
        )
        .unwrap();
        assert_eq!(question.host.as_deref(), Some("a.example"));
        assert_eq!(question.near.map(|near| near.metres), Some(5_000.0));
        assert_eq!(question.looked, Looked::Media(vec![MediaKind::Video]));
        assert_eq!(
            (question.since, question.until),
            (Some(Timestamp(1_577_836_800_000)), Some(Timestamp(1_609_459_199_999)))
        );
        assert!(question.open_licence && question.place.is_some());
        assert_eq!(question.understood.notes.len(), 1);
        assert!(question.understood.said.starts_with("films with *boat* and"), "{}", question.understood.said);
        assert_eq!(understood("kind:page").unwrap().looked, Looked::Pages { all: true });
        let kiel = understood("near:Kiel,3").unwrap().near.unwrap();
        assert!((kiel.centre.lat() - 54.3).abs() < 0.2 && kiel.metres == 3_000.0);
        assert_eq!(understood(" ").unwrap().understood.said, "");
    }

    #[test]
    fn what_cannot_be_is_said_all_at_once() {
        for (typed, count, words) in [
            ("near:nan,8,5 kind:song", 2, "near:nan,8,5"),
            ("link:http://a.example", 1, "bowerbird find"),
            ("place:Nowhereatall", 1, "Nowhereatall"),
            ("kind:page kind:image", 1, "stands alone"),
            ("OR", 1, "no word"),
        ] {
            let wrong = understood(typed).unwrap_err();
            assert!(wrong.len() == count && wrong.iter().any(|why| why.contains(words)), "{typed}: {wrong:?}");
        }
        assert!(understood(&"x".repeat(10 << 20)).unwrap_err()[0].contains("2000"));
    }

    #[test]
    fn a_likelier_question_is_what_was_typed_but_for_the_slip() {
        let asked = Understood { typed: "Old +Birdge, -toy".into(), ..Understood::default() };
        let slip = |taken| Slip { typed: "birdge".into(), words: vec!["bridge".into()], taken };
        assert_eq!(asked.better(&[slip(false)]).as_deref(), Some("Old +bridge, -toy"));
        assert_eq!(asked.better(&[slip(true)]), None);
        assert_eq!(Instead::of(&[slip(true), slip(false)]).len(), 1);
    }
}
