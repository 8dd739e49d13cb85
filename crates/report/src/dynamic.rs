//! Parts of pages that scripts change.

use std::collections::{HashMap, HashSet};

use facts::Url;
use serde::{Deserialize, Serialize};

/// Events or sources of one entry.
pub(crate) const MOST_SOURCES: usize = 100;

/// What can set a script off, of what matters. [004 §3.4.1]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// The page was loaded.
    OnLoad,
    /// A click.
    OnClick,
    /// Two clicks.
    OnDblClick,
    /// The pointer came over it.
    OnMouseOver,
}

impl Event {
    /// By the name of its attribute (`onclick`) or of the event itself (`click`).
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.get(..2).filter(|on| on.eq_ignore_ascii_case("on")).map_or(name, |_| &name[2..]);
        Some(match name.to_ascii_lowercase().as_str() {
            "load" | "domcontentloaded" => Self::OnLoad,
            "click" => Self::OnClick,
            "dblclick" => Self::OnDblClick,
            "mouseover" => Self::OnMouseOver,
            _ => return None,
        })
    }
}

/// A change of a page that a script makes: any one of the events, on any one of the sources, brings
/// the same state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dynamic {
    /// The page.
    pub url: Url,
    /// What sets it off.
    pub events: Vec<Event>,
    /// On which elements, as CSS selectors where they can be told.
    pub sources: Vec<String>,
    /// What is changed; empty when it cannot be told.
    pub target: String,
    /// What it is set to, or the function that is called.
    pub value: String,
}

/// Combines entries of one page with equal target and value, in order of their first, with at most a
/// hundred sources each.
pub fn combine(entries: impl IntoIterator<Item = Dynamic>) -> Vec<Dynamic> {
    let mut combined: Vec<Dynamic> = Vec::new();
    let mut places: HashMap<(Url, String, String), usize> = HashMap::new();
    let mut known: HashSet<(usize, String)> = HashSet::new();
    for mut entry in entries {
        let key = (entry.url.clone(), entry.target.clone(), entry.value.clone());
        let (events, sources) = (std::mem::take(&mut entry.events), std::mem::take(&mut entry.sources));
        let place = *places.entry(key).or_insert_with(|| {
            combined.push(entry);
            combined.len() - 1
        });
        let one = &mut combined[place];
        for event in events {
            if !one.events.contains(&event) {
                one.events.push(event);
            }
        }
        for source in sources {
            if one.sources.len() < MOST_SOURCES && known.insert((place, source.clone())) {
                one.sources.push(source);
            }
        }
    }
    combined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(event: Event, source: &str, target: &str, value: &str) -> Dynamic {
        let url = Url::parse("https://www.test.com/main.asp").unwrap();
        Dynamic { url, events: vec![event], sources: vec![source.into()], target: target.into(), value: value.into() }
    }

    #[test]
    fn events_with_equal_target_and_value_are_one_entry() {
        let combined = combine([
            entry(Event::OnClick, "button#move", "text.innerHTML", "Updateinfo()"),
            entry(Event::OnClick, "div#more", "text.innerHTML", "More()"),
            entry(Event::OnLoad, "div#next", "text.innerHTML", "Updateinfo()"),
            entry(Event::OnClick, "button#move", "text.innerHTML", "Updateinfo()"),
        ]);
        assert_eq!(combined.len(), 2);
        assert_eq!(combined[0].events, [Event::OnClick, Event::OnLoad]);
        assert_eq!(combined[0].sources, ["button#move", "div#next"]);
        assert_eq!(combined[1].value, "More()");
    }

    #[test]
    fn ten_thousand_entries_of_one_change_are_one_with_a_hundred_sources() {
        let sources = |number: usize| (0..100).map(|i| format!("a#x{}", number * 100 + i)).collect();
        let entries = (0..10_000).map(|number| Dynamic {
            sources: sources(number),
            ..entry(Event::OnClick, "", "text.innerHTML", "Updateinfo()")
        });
        let combined = combine(entries);
        assert_eq!(combined.len(), 1);
        assert_eq!(combined[0].sources, sources(0));
    }

    #[test]
    fn events_are_known_by_both_names() {
        assert_eq!(Event::parse("onclick"), Some(Event::OnClick));
        assert_eq!(Event::parse("dblclick"), Some(Event::OnDblClick));
        assert_eq!(Event::parse("ONLOAD"), Some(Event::OnLoad));
        assert_eq!(Event::parse("onsubmit"), None);
        assert_eq!(Event::parse("on"), None);
        assert_eq!(Event::parse("é"), None);
        assert_eq!(serde_json::to_string(&Event::OnMouseOver).unwrap(), "\"onmouseover\"");
    }
}
