//! What is looked for.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use facts::{LatLon, MediaKind, Timestamp};
use geo::Region;
use store::{Area, ItemFilter, Library, Match, Matches, PageFilter, StoreError, Want};

use crate::{Answer, Hit, Instead, Matched, MediaHit, PageHit, Understood};

/// A question to the library; the default asks for all media.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Media or pages.
    pub looked: Looked,
    /// Only what is near a point; the nearest comes first.
    pub near: Option<Near>,
    /// Only what is in this region.
    pub place: Option<Region>,
    /// Only what is in this box: south, west, north, east; the west may lie east of the east, across
    /// 180°.
    pub view: Option<[f64; 4]>,
    /// Only what came in at or after this moment.
    pub since: Option<Timestamp>,
    /// Only what came in at or before this moment.
    pub until: Option<Timestamp>,
    /// Only what has a place, or only what has none.
    pub located: Option<bool>,
    /// Only what a person confirmed the place of, or only what has a place that nobody did.
    pub verified: Option<bool>,
    /// Only what names a Creative Commons licence or the public domain.
    pub open_licence: bool,
    /// Only what this crawl found.
    pub crawl: Option<String>,
    /// Only what has these words; the best match comes first, unless the nearest does.
    pub words: Option<Want>,
    /// How what was typed was understood.
    pub understood: Understood,
    /// Only what came from this host, or was found on its pages.
    pub host: Option<String>,
    /// Also copies of others: without it, only originals are found.
    pub copies: bool,
}

/// What kind of thing is looked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Looked {
    /// Pictures, films and sounds, of these kinds; none means any.
    Media(Vec<MediaKind>),
    /// Pages that speak of a place.
    Pages {
        /// Also those that are not relevant to the region of a crawl.
        all: bool,
    },
}

impl Default for Looked {
    fn default() -> Self {
        Self::Media(Vec::new())
    }
}

/// Near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The point.
    pub centre: LatLon,
    /// How near, in metres.
    pub metres: f64,
}

impl Question {
    /// Asks for the first `top` of what matches: without a point, in the order of arrival. Paths of
    /// files start from the media directory `media`.
    pub async fn ask(&self, library: &dyn Library, media: &Path, top: usize) -> Result<Answer, StoreError> {
        let started = Instant::now();
        let centre = self.near.map(|near| near.centre);
        let mut answer = match &self.looked {
            Looked::Media(_) => {
                let found = library.search_items(&self.item_filter(), centre, 0, top).await?;
                self.shaped(found, |found, forms| {
                    let hit = MediaHit::of(&found.what, found.metres, media);
                    let matched = Matched::of_item(found, forms, &hit.title, &hit.description);
                    Hit::Media(Box::new(MediaHit { score: found.score.map(rounded), matched, ..hit }))
                })
            }
            Looked::Pages { .. } => {
                let found = library.search_pages(&self.page_filter(), centre, 0, top).await?;
                self.shaped(found, |found, forms| {
                    let hit = PageHit::of(&found.what, found.metres);
                    let matched = Matched::of_page(found, forms);
                    Hit::Page(Box::new(PageHit { score: found.score.map(rounded), matched, ..hit }))
                })
            }
        };
        answer.milliseconds = started.elapsed().as_millis() as u64;
        Ok(answer)
    }

    /// As the library takes it, for media.
    pub fn item_filter(&self) -> ItemFilter {
        let kinds = match &self.looked {
            Looked::Media(kinds) => kinds.clone(),
            Looked::Pages { .. } => Vec::new(),
        };
        ItemFilter {
            kinds,
            located: self.located,
            verified: self.verified,
            since: self.since,
            until: self.until,
            area: self.area(),
            host: self.host.clone(),
            crawl: self.crawl.clone(),
            open_licence: self.open_licence,
            copies: self.copies,
            words: self.words.clone(),
        }
    }

    /// As the library takes it, for pages. Each of them has a place.
    pub fn page_filter(&self) -> PageFilter {
        let relevant = matches!(self.looked, Looked::Pages { all: false });
        PageFilter {
            relevant,
            since: self.since,
            until: self.until,
            area: self.area(),
            host: self.host.clone(),
            crawl: self.crawl.clone(),
            words: self.words.clone(),
        }
    }

    /// Where: what is near the point, in the region and in the box, as far as they are given.
    fn area(&self) -> Option<Area> {
        let near = self.near.map(|Near { centre, metres }| Area::circle(centre, metres));
        let place = self.place.clone().map(|region| {
            let boxes = region.bounds();
            Area { boxes, contains: Arc::new(move |point| region.contains(point)) }
        });
        let view = self.view.map(|[south, west, north, east]| {
            let boxes = match west <= east {
                true => vec![[south, west, north, east]],
                false => vec![[south, west, north, 180.0], [south, -180.0, north, east]],
            };
            Area { boxes, contains: Arc::new(|_| true) }
        });
        [near, place, view].into_iter().flatten().reduce(|here, there| here.and(&there))
    }

    fn shaped<T>(&self, matches: Matches<T>, shape: impl Fn(&Match<T>, &HashSet<String>) -> Hit) -> Answer {
        let Matches { total, more, found, slips, forms, unworded } = matches;
        let forms: HashSet<String> = forms.into_iter().collect();
        Answer {
            total,
            total_is_at_least: more,
            results: found.iter().map(|found| shape(found, &forms)).collect(),
            milliseconds: 0,
            said: self.understood.said.clone(),
            notes: self.understood.notes.clone(),
            instead: Instead::of(&slips),
            did_you_mean: self.understood.better(&slips),
            unworded,
        }
    }
}

/// A score to three decimals: more say nothing.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_in_a_place_is_both() {
        let point = |lat, lon| LatLon::new(lat, lon).unwrap();
        let place = Region::find(geo::Gazetteer::embedded(), "Germany").unwrap();
        let near = Near { centre: point(47.99, 7.85), metres: 60_000.0 };
        let question = Question { near: Some(near), place: Some(place), ..Question::default() };
        let area = question.item_filter().area.unwrap();
        let inside = |lat, lon| {
            let in_box = |b: &[f64; 4]| b[0] <= lat && lat <= b[2] && b[1] <= lon && lon <= b[3];
            area.boxes.iter().any(in_box) && (area.contains)(point(lat, lon))
        };
        // Freiburg; Colmar in France is as near; Berlin is far.
        assert_eq!([inside(47.99, 7.85), inside(48.08, 7.36), inside(52.52, 13.40)], [true, false, false]);
        assert!(Question::default().item_filter().area.is_none());
        assert!(Question { looked: Looked::Pages { all: false }, ..Question::default() }.page_filter().relevant);
    }
}
