//! What of a result matches the words, and how that made its score.

use std::collections::HashSet;

use query::{marks, tokens};
use serde::Serialize;
use store::{Match, MediaItem, PageItem};
use utoipa::ToSchema;

/// What of a result matches the words that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Matched {
    /// The words and phrases that it has, as they were typed.
    pub matched: Vec<String>,
    /// Where they stand in what is shown.
    #[serde(skip_serializing_if = "Marks::is_empty")]
    #[schema(required = false)]
    pub marks: Marks,
    /// Why it has its score, in words; nothing when no words were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Where words stand: start and end of each stretch, counted in code points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Marks {
    /// In the title.
    #[schema(value_type = Vec<[u32; 2]>)]
    pub title: Vec<[usize; 2]>,
    /// In the description.
    #[schema(value_type = Vec<[u32; 2]>)]
    pub description: Vec<[usize; 2]>,
}

impl Marks {
    fn is_empty(&self) -> bool {
        self.title.is_empty() && self.description.is_empty()
    }
}

impl Matched {
    /// Of an item with the title and description that are shown.
    pub fn of_item(
        found: &Match<MediaItem>,
        forms: &HashSet<String>,
        title: &Option<String>,
        description: &str,
    ) -> Self {
        if forms.is_empty() {
            return Self { matched: found.matched.clone(), ..Self::default() };
        }
        let item = &found.what;
        let has = |text: &str| tokens(text).any(|token| forms.contains(&token.text));
        let any = |mut texts: &mut dyn Iterator<Item = &str>| Iterator::any(&mut texts, has);
        let names = &item.place_names;
        let names = [&names.sublocation, &names.city, &names.state, &names.country].into_iter().flatten();
        let place = item.location.as_ref().map(|location| location.locality.place.as_str());
        let captions = || item.found.iter().map(|sighting| sighting.description.as_str());
        let fields = [
            ("the title", title.as_deref().is_some_and(has)),
            ("a caption", any(&mut captions())),
            ("the description", item.description.as_deref().is_some_and(has)),
            ("its key words", any(&mut item.keywords.iter().map(String::as_str))),
            (
                "key words of its page",
                any(&mut item.found.iter().flat_map(|one| &one.page_keywords).map(String::as_str)),
            ),
            ("the place", any(&mut names.map(String::as_str).chain(place))),
            ("the author", item.author.as_deref().is_some_and(has)),
            ("what its page says of itself", any(&mut item.found.iter().filter_map(|one| one.page_title.as_deref()))),
            ("its address", any(&mut item.found.iter().map(|one| one.image.as_str()))),
        ];
        let mut why = in_fields(&fields).unwrap_or_else(|| "in what its pages say".to_owned());
        if let Some(location) = &item.location {
            why.push_str(&format!("; place {:.0} % sure", 100.0 * location.confidence));
        }
        if let (Some(width), Some(height)) = (item.width, item.height) {
            why.push_str(&format!("; {width} × {height} pixels"));
        }
        let marks = Marks {
            title: title.as_deref().map(|title| marks(title, forms)).unwrap_or_default(),
            description: marks(description, forms),
        };
        Self { matched: found.matched.clone(), marks, why: found.score.map(|_| why) }
    }

    /// Of a page.
    pub fn of_page(found: &Match<PageItem>, forms: &HashSet<String>) -> Self {
        if forms.is_empty() {
            return Self { matched: found.matched.clone(), ..Self::default() };
        }
        let page = &found.what;
        let has = |text: &str| tokens(text).any(|token| forms.contains(&token.text));
        let fields = [
            ("the title", has(&page.title)),
            ("the description", has(&page.description)),
            ("a place", page.places.iter().any(|place| has(&place.whereabouts.locality.place))),
            ("its address", has(&page.url)),
        ];
        let why = in_fields(&fields).unwrap_or_else(|| "in its key words or headings".to_owned());
        let marks = Marks { title: marks(&page.title, forms), description: marks(&page.description, forms) };
        Self { matched: found.matched.clone(), marks, why: found.score.map(|_| why) }
    }
}

fn in_fields(fields: &[(&str, bool)]) -> Option<String> {
    let there: Vec<&str> = fields.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    (!there.is_empty()).then(|| format!("in {}", there.join(", ")))
}
