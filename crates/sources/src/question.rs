//! A question as services take it.

use query::{Form, Operator, Query, Want};

/// What is asked of sources. They understand different parts of a query, so each takes the spelling that it
/// understands; whatever it does with the rest, pages are looked through again when they are here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// What must be there, for the own library.
    pub want: Option<Want>,
    /// Only pages of this host.
    pub site: Option<String>,
    wanted: Vec<String>,
    unwanted: Vec<String>,
}

impl Question {
    /// What a query asks.
    pub fn of(query: &Query) -> Self {
        let mut question = Self { want: query.want.clone(), ..Self::default() };
        if let Some(want) = &query.want {
            question.take(want, true);
        }
        for operator in &query.operators {
            match operator {
                Operator::Site(host) => question.site = Some(host.clone()),
                Operator::Place(name) => question.wanted.push(name.clone()),
                _ => {}
            }
        }
        question
    }

    /// Plain words, such as the name of a region.
    pub fn words(text: &str) -> Self {
        let wanted = query::tokens(text).map(|token| token.text).collect::<Vec<_>>();
        Self { want: Want::parse(text), wanted: vec![wanted.join(" ")], ..Self::default() }
    }

    fn take(&mut self, want: &Want, wanted: bool) {
        match want {
            Want::Word(word) => {
                let list = if wanted { &mut self.wanted } else { &mut self.unwanted };
                // Services have ideas of their own of what a plus means; a quoted word is taken as it is.
                list.push(if word.form == Form::Exact { format!("\"{}\"", word.typed) } else { word.typed.clone() });
            }
            Want::Phrase { typed, .. } => {
                let list = if wanted { &mut self.wanted } else { &mut self.unwanted };
                list.push(format!("\"{}\"", typed.replace('"', " ")));
            }
            Want::All(parts) => parts.iter().for_each(|part| self.take(part, wanted)),
            // Which of several is left to the service; all would be too many.
            Want::Any(parts) if wanted => {
                let mut any = Self::default();
                parts.iter().for_each(|part| any.take(part, true));
                self.wanted.push(format!("({})", any.wanted.join(" OR ")));
            }
            Want::Any(parts) => parts.iter().for_each(|part| self.take(part, wanted)),
            Want::Not(inner) => self.take(inner, !wanted),
        }
    }

    /// With quotation marks and minus signs, which nearly all services understand.
    pub fn plain(&self) -> String {
        let unwanted = self.unwanted.iter().map(|word| format!("-{word}"));
        self.wanted.iter().cloned().chain(unwanted).collect::<Vec<_>>().join(" ")
    }

    /// The same, with `site:`.
    pub fn with_site(&self) -> String {
        match &self.site {
            Some(site) => format!("{} site:{site}", self.plain()),
            None => self.plain(),
        }
    }

    /// Whether there is nothing to ask a service for.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_get_the_signs_they_understand() {
        for (typed, plain, site) in [
            ("old Bridge -night", "old bridge -night", None),
            ("+castle \"Bad Ischl\" site:example.org", "\"castle\" \"bad ischl\"", Some("example.org")),
            ("(castle OR palace) -\"toy shop\" place:Kiel", "(castle OR palace) Kiel -\"toy shop\"", None),
            ("~harbour", "harbour", None),
        ] {
            let question = Question::of(&Query::parse(typed).unwrap());
            assert_eq!((question.plain().as_str(), question.site.as_deref()), (plain, site), "{typed}");
        }
        assert_eq!(Question::of(&Query::parse("a site:b.example").unwrap()).with_site(), "a site:b.example");
        assert!(Question::of(&Query::parse("site:b.example").unwrap()).is_empty());
        assert_eq!(Question::words("Bad Ischl").plain(), "bad ischl");
    }
}
