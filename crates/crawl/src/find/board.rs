//! What was found so far, and in which order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use facts::{MediaId, Url, UrlId};
use serde::Serialize;
use sources::SourceState;

use super::reading::{PageSource, Picture, Reading};

/// Bytes of packed pages that are held, for pictures that may be kept.
const PACKED: usize = 64 << 20;
/// Pictures and pages of one find.
const PICTURES: usize = 200_000;

/// A picture that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindResult {
    /// Its number within this find.
    pub id: u32,
    /// 1 for the best.
    pub rank: usize,
    /// From 0 to 1, among the pictures of this find.
    pub score: f32,
    /// Where it is.
    pub image: String,
    /// The page that shows it.
    pub page: String,
    /// Pixels across, upright.
    pub width: u32,
    /// Pixels down, upright.
    pub height: u32,
    /// `jpeg`, `png` …
    pub format: &'static str,
    /// What the page says of it.
    pub description: String,
    /// The title of the page.
    pub title: String,
    /// Its item in the library, once it is kept.
    pub kept: Option<MediaId>,
}

/// How a find is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FindProgress {
    /// Seconds since it began.
    pub elapsed: f64,
    /// Seconds it may take.
    pub seconds: f64,
    /// Why it ended; nothing while it runs.
    pub stopped: Option<&'static str>,
    /// Why it found nothing, in a sentence.
    pub error: Option<String>,
    /// Pages read.
    pub pages: u64,
    /// Of them, those with a word of the query outside of link texts.
    pub relevant: u64,
    /// Pictures.
    pub images: FindImages,
    /// Pictures with a score.
    pub results: u64,
    /// Pages and pictures that wait.
    pub queued: u64,
    /// Requests in flight.
    pub in_flight: usize,
    /// Requests made.
    pub requests: u64,
    /// Seconds that requests took, all together.
    pub waited: f64,
    /// Hosts that were met.
    pub hosts: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Of them, for looking at the first bytes of pictures.
    pub probe_bytes: u64,
    /// Seconds until the first picture had a score.
    pub first_result: Option<f64>,
    /// Seconds until the first thumbnail was there.
    pub first_thumbnail: Option<f64>,
    /// What went wrong, by reason.
    pub errors: BTreeMap<String, u64>,
    /// How sources are doing.
    pub sources: Vec<SourceState>,
}

/// Pictures of a find, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FindImages {
    /// Addresses on the pages that were read.
    pub seen: u64,
    /// Of them, those whose first bytes were asked for.
    pub probed: u64,
    /// Of them, those of which the page alone said enough.
    pub markup: u64,
    /// Those that are no icons, banners or thumbnails.
    pub selected: u64,
    /// Not selected, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Addresses that were seen again, and files that are the same as others.
    pub duplicates: u64,
}

/// Where a picture stands.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Waiting,
    Selected { width: u32, height: u32, format: &'static str },
    Refused,
}

struct Entry {
    url: Url,
    page: usize,
    own: Vec<f32>,
    description: String,
    alt: String,
    preview: Option<Url>,
    state: State,
    kept: Option<MediaId>,
    thumbnail: Thumbnail,
}

/// A picture in small.
#[derive(Clone, Debug, Default)]
pub(super) enum Thumbnail {
    #[default]
    Unasked,
    Asked,
    Here(Arc<[u8]>),
    Never,
}

/// A page that shows pictures which were found.
pub(super) struct Shower {
    pub url: Url,
    pub title: String,
    pub source: PageSource,
    base: Arc<[f32]>,
    /// Pictures of it that count.
    collected: u32,
    /// Pictures of it that are in the library.
    pub kept: Vec<UrlId>,
}

/// All that was found.
pub(super) struct Board {
    pub progress: FindProgress,
    entries: Vec<Entry>,
    pages: Vec<Shower>,
    known: HashMap<[u8; 16], Option<u32>>,
    /// First bytes and length of files, by which the same file is known at another address.
    contents: HashMap<u64, u32>,
    /// The best first, with scores.
    order: Vec<(u32, f32)>,
    stale: bool,
    packed: usize,
}

/// What came of a page's pictures.
pub(super) struct Added {
    /// Pictures to look at: number, address, and what they may be worth.
    pub new: Vec<(u32, Url, f32)>,
}

impl Board {
    pub fn new() -> Self {
        Self {
            progress: FindProgress::default(),
            entries: Vec::new(),
            pages: Vec::new(),
            known: HashMap::new(),
            contents: HashMap::new(),
            order: Vec::new(),
            stale: false,
            packed: 0,
        }
    }

    /// Takes in what a page gave.
    pub fn add(&mut self, reading: Reading) -> Added {
        let Reading { url, title, relevant, base, pictures, refused, mut source, .. } = reading;
        self.progress.pages += 1;
        self.progress.relevant += u64::from(relevant);
        for (id, reason) in refused {
            if self.entries.len() + self.known.len() < 2 * PICTURES && self.is_new(id) {
                self.progress.images.markup += 1;
                self.count(reason);
            }
        }
        if pictures.is_empty() {
            return Added { new: Vec::new() };
        }
        if self.packed + source.packed.len() > PACKED {
            source.packed = Vec::new();
        }
        self.packed += source.packed.len();
        let page = self.pages.len();
        self.pages.push(Shower { url, title, source, base, collected: 0, kept: Vec::new() });
        let mut new = Vec::new();
        for picture in pictures {
            new.extend(self.picture(page, picture));
        }
        self.stale = true;
        Added { new }
    }

    /// Whether an address was not seen before; it is from now on.
    fn is_new(&mut self, id: UrlId) -> bool {
        let new = self.known.insert(id.short(), None).is_none();
        match new {
            true => self.progress.images.seen += 1,
            false => self.progress.images.duplicates += 1,
        }
        new
    }

    fn picture(&mut self, page: usize, picture: Picture) -> Option<(u32, Url, f32)> {
        let Picture { url, description, alt, preview, own } = picture;
        let short = url.id().short();
        if let Some(known) = self.known.get(&short).copied() {
            self.progress.images.duplicates += 1;
            self.seen_again(known?, page, own, description);
            return None;
        }
        if self.entries.len() >= PICTURES {
            return None;
        }
        let id = self.entries.len() as u32;
        self.known.insert(short, Some(id));
        self.progress.images.seen += 1;
        self.pages[page].collected += 1;
        let worth = own.iter().chain(self.pages[page].base.iter()).sum();
        let found = Some((id, url.clone(), worth));
        let (state, thumbnail) = (State::Waiting, Thumbnail::default());
        self.entries.push(Entry { url, page, own, description, alt, preview, state, kept: None, thumbnail });
        found
    }

    /// A picture that is on several pages belongs to the one that says most of it.
    fn seen_again(&mut self, id: u32, page: usize, own: Vec<f32>, description: String) {
        let Some(entry) = self.entries.get_mut(id as usize) else { return };
        let sum = |worth: &[f32]| worth.iter().sum::<f32>();
        if entry.state != State::Refused && entry.kept.is_none() && sum(&own) > sum(&entry.own) {
            self.pages[entry.page].collected -= 1;
            self.pages[page].collected += 1;
            (entry.page, entry.own) = (page, own);
            if !description.is_empty() {
                entry.description = description;
            }
            self.stale = true;
        }
    }

    fn count(&mut self, reason: &str) {
        *self.progress.images.refused.entry(reason.to_owned()).or_default() += 1;
    }

    /// Something went wrong.
    pub fn count_error(&mut self, reason: &str) {
        *self.progress.errors.entry(reason.to_owned()).or_default() += 1;
    }

    /// The first bytes of a picture were asked for.
    pub fn probed(&mut self) {
        self.progress.images.probed += 1;
    }

    /// A picture turned out to be none that is wanted.
    pub fn refuse(&mut self, id: u32, reason: &str) {
        let Some(entry) = self.entries.get_mut(id as usize).filter(|entry| entry.state == State::Waiting) else {
            return;
        };
        entry.state = State::Refused;
        let page = entry.page;
        self.pages[page].collected = self.pages[page].collected.saturating_sub(1);
        self.count(reason);
        self.stale = true;
    }

    /// A picture is one that is wanted; `content` tells files apart.
    pub fn select(&mut self, id: u32, width: u32, height: u32, format: &'static str, content: u64) {
        if let Some(other) = self.contents.get(&content).copied().filter(|other| *other != id) {
            self.progress.images.duplicates += 1;
            let (page, own, description) = match self.entries.get(id as usize) {
                Some(entry) => (entry.page, entry.own.clone(), entry.description.clone()),
                None => return,
            };
            self.refuse(id, "duplicate");
            self.seen_again(other, page, own, description);
            return;
        }
        let Some(entry) = self.entries.get_mut(id as usize).filter(|entry| entry.state == State::Waiting) else {
            return;
        };
        entry.state = State::Selected { width, height, format };
        self.contents.insert(content, id);
        self.progress.images.selected += 1;
        self.stale = true;
    }

    /// Sorts what was found, if anything changed; whether it did.
    pub fn sort(&mut self) -> bool {
        if !std::mem::take(&mut self.stale) {
            return false;
        }
        let terms = self.entries.first().map_or(0, |entry| entry.own.len());
        let selected = |entry: &&Entry| matches!(entry.state, State::Selected { .. });
        let worth = |entry: &Entry, term: usize| {
            let page = &self.pages[entry.page];
            let base = page.base.get(term).copied().unwrap_or(0.0) / page.collected.max(1) as f32;
            entry.own.get(term).copied().unwrap_or(0.0) + base
        };
        let most: Vec<f32> = (0..terms)
            .map(|term| self.entries.iter().filter(selected).map(|entry| worth(entry, term)).fold(0.0, f32::max))
            .collect();
        let score = |entry: &Entry| {
            let share = |(term, most): (usize, &f32)| if *most > 0.0 { worth(entry, term) / most } else { 0.0 };
            most.iter().enumerate().map(share).sum::<f32>() / terms.max(1) as f32
        };
        let numbered = self.entries.iter().enumerate().filter(|(_, entry)| selected(entry));
        let mut order: Vec<(u32, f32)> = numbered.map(|(id, entry)| (id as u32, score(entry))).collect();
        order.retain(|(_, score)| *score > 0.0);
        order.sort_by(|(a, left), (b, right)| right.total_cmp(left).then_with(|| a.cmp(b)));
        self.progress.results = order.len() as u64;
        self.order = order;
        true
    }

    /// The best first: numbers and scores.
    pub fn order(&self) -> &[(u32, f32)] {
        &self.order
    }

    /// Results from this place on, at most so many.
    pub fn results(&self, from: usize, most: usize) -> Vec<FindResult> {
        let places = self.order.iter().enumerate().skip(from).take(most);
        places.filter_map(|(place, (id, score))| self.shown(*id, place + 1, *score)).collect()
    }

    fn shown(&self, id: u32, rank: usize, score: f32) -> Option<FindResult> {
        let entry = self.entries.get(id as usize)?;
        let State::Selected { width, height, format } = entry.state else { return None };
        let page = &self.pages[entry.page];
        Some(FindResult {
            id,
            rank,
            score: (score * 10_000.0).round() / 10_000.0,
            image: entry.url.to_string(),
            page: page.url.to_string(),
            width,
            height,
            format,
            description: entry.description.clone(),
            title: page.title.clone(),
            kept: entry.kept,
        })
    }

    /// A picture that was selected: its address, its page, and a smaller picture of it.
    pub fn picture_of(&self, id: u32) -> Option<Selected> {
        let entry = self.entries.get(id as usize)?;
        matches!(entry.state, State::Selected { .. }).then(|| Selected {
            url: entry.url.clone(),
            page: self.pages[entry.page].url.clone(),
            alt: entry.alt.clone(),
            preview: entry.preview.clone(),
            kept: entry.kept,
        })
    }

    /// The page that shows a picture.
    pub fn shower_of(&mut self, id: u32) -> Option<&mut Shower> {
        let page = self.entries.get(id as usize)?.page;
        self.pages.get_mut(page)
    }

    /// A picture is in the library now.
    pub fn kept(&mut self, id: u32, item: MediaId) {
        if let Some(entry) = self.entries.get_mut(id as usize) {
            entry.kept = Some(item);
        }
    }

    /// Thumbnails that are on their way will not come.
    pub fn unask(&mut self) {
        for entry in &mut self.entries {
            if matches!(entry.thumbnail, Thumbnail::Asked) {
                entry.thumbnail = Thumbnail::Unasked;
            }
        }
    }

    /// The picture in small, as far as it is here.
    pub fn thumbnail(&mut self, id: u32) -> Option<&mut Thumbnail> {
        self.entries.get_mut(id as usize).map(|entry| &mut entry.thumbnail)
    }
}

/// A picture that was selected.
pub(super) struct Selected {
    pub url: Url,
    pub page: Url,
    pub alt: String,
    pub preview: Option<Url>,
    pub kept: Option<MediaId>,
}

#[cfg(test)]
mod tests {
    use facts::Directives;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://a.example/{text}")).unwrap()
    }

    fn reading(page: &str, base: &[f32], pictures: &[(&str, &[f32])]) -> Reading {
        let picture = |(name, own): &(&str, &[f32])| Picture {
            url: url(name),
            description: (*name).into(),
            alt: String::new(),
            preview: None,
            own: own.to_vec(),
        };
        Reading {
            url: url(page),
            title: page.into(),
            relevant: true,
            base: base.into(),
            pictures: pictures.iter().map(picture).collect(),
            refused: vec![(url("icon").id(), "small")],
            links: Vec::new(),
            source: PageSource { packed: Vec::new(), content_type: None, directives: Directives::default() },
        }
    }

    fn order(board: &mut Board) -> Vec<(String, f32)> {
        board.sort();
        board.results(0, 10).into_iter().map(|found| (found.description, found.score)).collect()
    }

    #[test]
    fn scores_are_shares_of_the_best_by_term() {
        let mut board = Board::new();
        let new =
            board.add(reading("p", &[0.0, 0.0], &[("a", &[4.0, 0.0]), ("b", &[2.0, 3.0]), ("c", &[0.0, 0.0])])).new;
        for (id, ..) in &new {
            board.select(*id, 100, 100, "jpeg", u64::from(*id));
        }
        // b has half of the best for one term and all of the other; c has nothing.
        assert_eq!(order(&mut board), [("b".into(), 0.75), ("a".into(), 0.5)]);
        assert_eq!(board.progress.images.selected, 3);
        assert_eq!((board.progress.images.seen, board.progress.images.markup), (4, 1));
    }

    #[test]
    fn what_a_link_is_worth_is_shared_by_the_pictures_behind_it() {
        let mut board = Board::new();
        let mut new = board.add(reading("p", &[0.0], &[("a", &[2.0])])).new;
        new.extend(board.add(reading("q", &[6.0], &[("b", &[0.0]), ("c", &[0.0]), ("d", &[0.0])])).new);
        for (id, ..) in &new {
            board.select(*id, 100, 100, "jpeg", u64::from(*id));
        }
        assert_eq!(order(&mut board).len(), 4);
        assert_eq!(board.order()[0].1, board.order()[3].1);
        // A picture that turns out to be none leaves its share to the others.
        let mut again = Board::new();
        let new = again.add(reading("q", &[6.0], &[("b", &[0.0]), ("c", &[0.0])])).new;
        again.refuse(new[0].0, "small");
        again.select(new[1].0, 100, 100, "jpeg", 1);
        assert_eq!(order(&mut again), [("c".into(), 1.0)]);
        assert_eq!(again.progress.images.refused["small"], 2);
    }

    #[test]
    fn a_picture_counts_once_and_for_its_best_page() {
        let mut board = Board::new();
        let new = board.add(reading("p", &[0.0], &[("a", &[1.0])])).new;
        board.select(new[0].0, 100, 100, "jpeg", 7);
        assert!(board.add(reading("q", &[0.0], &[("a", &[5.0])])).new.is_empty());
        let same = board.add(reading("r", &[0.0], &[("copy", &[9.0])])).new;
        board.select(same[0].0, 100, 100, "jpeg", 7);
        board.sort();
        let results = board.results(0, 10);
        assert_eq!(results.len(), 1);
        assert_eq!(
            (results[0].image.as_str(), results[0].page.as_str()),
            ("https://a.example/a", "https://a.example/r")
        );
        assert_eq!(board.progress.images.refused["duplicate"], 1);
    }
}
