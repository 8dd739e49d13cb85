//! What was understood, in words.

use crate::operator::{Kind, Operator};
use crate::parse::Query;
use crate::want::{Form, Want, Word};

impl Query {
    /// What is looked for, in words; what was typed stands between asterisks.
    ///
    /// ```
    /// let query = query::Query::parse("kind:page train station -toy place:Kiel").unwrap();
    /// assert_eq!(query.said(), "pages with *train* and *station*, not *toy*, in Kiel");
    /// ```
    pub fn said(&self) -> String {
        let mut kinds = Vec::new();
        for operator in &self.operators {
            if let Operator::Kind(kind) = operator
                && !kinds.contains(kind)
            {
                kinds.push(*kind);
            }
        }
        let kinds = kinds.into_iter().map(Kind::plural).collect::<Vec<_>>().join(" and ");
        let mut parts = Vec::new();
        if let Some(want) = &self.want {
            let (wanted, unwanted) = sides(want);
            let wanted: Vec<String> = wanted.into_iter().map(|want| said(want, true)).collect();
            if !wanted.is_empty() {
                parts.push(format!("with {}", wanted.join(" and ")));
            }
            let unwanted: Vec<String> = unwanted.into_iter().map(|want| said(want, true)).collect();
            if !unwanted.is_empty() {
                parts.push(format!("not {}", unwanted.join(" or ")));
            }
        }
        parts.extend(self.operators.iter().filter_map(Operator::said));
        match (kinds.as_str(), parts.is_empty()) {
            ("", true) => "everything".to_owned(),
            ("", false) => parts.join(", "),
            (kinds, true) => format!("all {kinds}"),
            (kinds, false) => format!("{kinds} {}", parts.join(", ")),
        }
    }
}

impl Query {
    /// The same of a question to the web: which pages are looked for.
    ///
    /// ```
    /// let query = query::Query::parse("Neuschwanstein Castle -toy site:example.org").unwrap();
    /// let said = "pages about *neuschwanstein* and *castle*, not *toy*, from example.org";
    /// assert_eq!(query.said_of_pages(), said);
    /// ```
    pub fn said_of_pages(&self) -> String {
        let meant = |operator: &Operator| match operator {
            Operator::Place(name) => Some(format!("about {}", name.replace('*', ""))),
            Operator::Site(_) | Operator::Link(_) | Operator::Related(_) => operator.said(),
            _ => None,
        };
        let words = Query { operators: Vec::new(), ..self.clone() }.said();
        let words = match words.strip_prefix("with ") {
            Some(words) => Some(format!("about {words}")),
            None => Some(words).filter(|words| words != "everything"),
        };
        let parts: Vec<String> = words.into_iter().chain(self.operators.iter().filter_map(meant)).collect();
        format!("pages {}", parts.join(", "))
    }
}

/// What must be there and what may not.
fn sides(want: &Want) -> (Vec<&Want>, Vec<&Want>) {
    let parts = match want {
        Want::All(parts) => parts.iter().collect(),
        other => vec![other],
    };
    let (mut wanted, mut unwanted) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Want::Not(inner) => unwanted.push(inner.as_ref()),
            part => wanted.push(part),
        }
    }
    (wanted, unwanted)
}

fn said(want: &Want, outermost: bool) -> String {
    let text = match want {
        Want::Word(Word { typed, form, .. }) => {
            let typed = typed.replace('*', "");
            return match form {
                Form::Exact => format!("exactly *{typed}*"),
                Form::Usual => format!("*{typed}*"),
                Form::Wide => format!("*{typed}* or the like"),
            };
        }
        Want::Phrase { typed, .. } => return format!("*“{}”*", typed.replace('*', "")),
        Want::Any(parts) => parts.iter().map(|part| said(part, false)).collect::<Vec<_>>().join(" or "),
        Want::All(_) | Want::Not(_) => {
            let (wanted, unwanted) = sides(want);
            let list = |parts: Vec<&Want>, by: &str| {
                parts.into_iter().map(|part| said(part, false)).collect::<Vec<_>>().join(by)
            };
            match (wanted.is_empty(), unwanted.is_empty()) {
                (false, true) => list(wanted, " and "),
                (true, _) => format!("not {}", list(unwanted, " or ")),
                (false, false) => format!("{}, not {}", list(wanted, " and "), list(unwanted, " or ")),
            }
        }
    };
    // “a and (b or c)” says more than “a and b or c”.
    if outermost && !matches!(want, Want::Any(_)) { text } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_understood_is_said() {
        for (text, expected) in [
            ("", "everything"),
            ("kind:video kind:audio", "all films and sounds"),
            ("Boat", "with *boat*"),
            ("a -b -\"c d\"", "with *a*, not *b* or *“c d”*"),
            ("-b", "not *b*"),
            ("+aa ~bb", "with exactly *aa* and *bb* or the like"),
            ("aa OR bb cc", "with (*aa* or *bb*) and *cc*"),
            ("(aa -bb) OR cc", "with ((*aa*, not *bb*) or *cc*)"),
            (
                "boat near:\"Bad Ischl\",5 after:2020-06 license:open",
                "with *boat*, within 5 km of Bad Ischl, since 2020-06-01, with an open licence",
            ),
            ("site:a.example before:2020", "from a.example, before 2020-01-01"),
            ("a* link:x.example", "with *a*, linking to x.example"),
        ] {
            assert_eq!(Query::parse(text).unwrap().said(), expected, "{text}");
        }
    }
}
