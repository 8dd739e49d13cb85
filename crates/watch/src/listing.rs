//! Lists of what changed, the best rank first, in pages that fit together.

use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::Timestamp;
use report::{Dynamic, Entry, Report, Spread, VERSION};

use crate::book::{Book, is};
use crate::names::Id;
use crate::watched::{Watched, lock, now};

/// Entries of one page.
pub(crate) const ENTRIES: usize = 5_000;
/// Dynamic entries of one page.
const DYNAMIC: usize = 5_000;
/// Lists that are kept for those who read on: of those who look, and of those who claimed the site. Whoever
/// looks cannot take the list away from who is to visit.
const KEPT: usize = 8;
/// How long a list is kept: after it was made, and one of a claim after it was last asked for.
const LIFE: Duration = Duration::from_secs(600);
/// Making lists for those who look rests this many times as long as it took, or this long.
const REST: u32 = 3;
const LONGEST_REST: Duration = Duration::from_secs(2);
/// How long pages that are gone are listed for those who bring no token.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 3600);

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// Changes after this token only.
    pub(crate) since: Option<String>,
    /// The page of a list that was begun: its number, and the first entry.
    pub(crate) after: Option<(u64, usize)>,
    /// Whether who asks has claimed the site with it.
    pub(crate) claimed: bool,
}

/// A list, as it was when its first page was asked for.
pub(crate) struct Listing {
    number: u64,
    since: Option<u64>,
    version: u64,
    begun: Instant,
    made: Timestamp,
    last: u64,
    ids: Vec<Id>,
    spread: Spread,
    depth: u32,
}

/// A list that is kept.
struct Kept {
    listing: Arc<Listing>,
    claimed: bool,
    used: Instant,
}

impl Kept {
    fn is_alive(&self) -> bool {
        let since = if self.claimed { self.used } else { self.listing.begun };
        since.elapsed() < LIFE
    }

    fn give(&mut self) -> Arc<Listing> {
        self.used = Instant::now();
        Arc::clone(&self.listing)
    }
}

/// The lists that are kept, in the order they were made.
#[derive(Default)]
pub(crate) struct Listings {
    given: u64,
    kept: Vec<Kept>,
}

impl Listings {
    fn keep(&mut self, listing: Arc<Listing>, claimed: bool) {
        self.kept.retain(Kept::is_alive);
        while self.kept.iter().filter(|kept| kept.claimed == claimed).count() >= KEPT {
            let alike = self.kept.iter().enumerate().filter(|(_, kept)| kept.claimed == claimed);
            let Some((oldest, _)) = alike.min_by_key(|(_, kept)| kept.used) else { break };
            self.kept.remove(oldest);
        }
        self.kept.push(Kept { listing, claimed, used: Instant::now() });
    }
}

/// The list is not kept any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expired;

impl Watched {
    /// A token that stands for this change.
    pub(crate) fn token(&self, change: u64) -> String {
        format!("{}.{change}", self.epoch)
    }

    /// The change a token stands for; nothing for tokens of others.
    pub(crate) fn change(&self, token: &str) -> Option<u64> {
        token.strip_prefix(&self.epoch)?.strip_prefix('.')?.parse().ok()
    }

    /// A page of a list.
    pub(crate) fn report(&self, question: &Question, flag: u8) -> Result<Report, Expired> {
        let (listing, from) = match question.after {
            Some((number, from)) => (self.kept(number)?, from),
            None => (self.list(question.since.as_deref().and_then(|token| self.change(token)), question.claimed), 0),
        };
        let ids = listing.ids.get(from..).ok_or(Expired)?;
        let ids = &ids[..ids.len().min(ENTRIES)];
        let book = self.book();
        let pages = ids.iter().filter_map(|id| entry(&book, *id, &listing)).collect();
        let scripted: Vec<Id> = ids.iter().copied().filter(|id| book.page(*id).has(is::DYNAMIC)).collect();
        let ranked = book.ranked;
        drop(book);
        let end = from + ids.len();
        Ok(Report {
            version: VERSION,
            site: self.site.url.clone(),
            flag,
            made: listing.made,
            token: self.token(listing.last),
            since: listing.since.map(|change| self.token(change)),
            ranked,
            total: listing.ids.len() as u64,
            next: (end < listing.ids.len()).then(|| format!("?after={}-{end}", listing.number)),
            pages,
            dynamic: self.dynamic(&scripted),
        })
    }

    /// A report for those who come too late: somebody else has the site. They were told nothing, so
    /// their token stays what it was.
    pub(crate) fn taken(&self, question: &Question) -> Report {
        let since = question.since.as_deref().and_then(|token| self.change(token));
        let book = self.book();
        Report {
            version: VERSION,
            site: self.site.url.clone(),
            flag: 1,
            made: now(),
            token: self.token(since.unwrap_or(0)),
            since: since.map(|change| self.token(change)),
            ranked: book.ranked,
            total: 0,
            next: None,
            pages: Vec::new(),
            dynamic: Vec::new(),
        }
    }

    fn dynamic(&self, ids: &[Id]) -> Vec<Dynamic> {
        let state = self.state();
        let entries = ids.iter().filter_map(|id| serde_json::from_str::<Vec<Dynamic>>(&state.dynamic(*id)?).ok());
        entries.flatten().take(DYNAMIC).collect()
    }

    fn kept(&self, number: u64) -> Result<Arc<Listing>, Expired> {
        let mut listings = lock(&self.listings);
        let found = listings.kept.iter_mut().find(|kept| kept.listing.number == number && kept.is_alive());
        found.map(Kept::give).ok_or(Expired)
    }

    fn list(&self, since: Option<u64>, claimed: bool) -> Arc<Listing> {
        if claimed {
            return self.kept_list(since, true).unwrap_or_else(|| self.make_list(since, true));
        }
        // One at a time, and not all the time: every list is a look at all pages, and anybody may ask.
        let mut rested = lock(&self.rested);
        if let Some(kept) = self.kept_list(since, false) {
            return kept;
        }
        std::thread::sleep(rested.map_or(Duration::ZERO, |rested| rested.saturating_duration_since(Instant::now())));
        let begun = Instant::now();
        let listing = self.kept_list(since, false).unwrap_or_else(|| self.make_list(since, false));
        *rested = Some(Instant::now() + (begun.elapsed() * REST).min(LONGEST_REST));
        listing
    }

    /// A list that says what a new one would. Never an older one: who claims the site must see the change
    /// that reset the flag.
    fn kept_list(&self, since: Option<u64>, claimed: bool) -> Option<Arc<Listing>> {
        let version = self.book().version;
        let mut listings = lock(&self.listings);
        let fits = |kept: &&mut Kept| {
            let listing = &kept.listing;
            listing.since == since && listing.version == version && listing.begun.elapsed() < LIFE / 2
        };
        let kept = listings.kept.iter_mut().find(fits)?;
        kept.claimed |= claimed;
        Some(kept.give())
    }

    fn make_list(&self, since: Option<u64>, claimed: bool) -> Arc<Listing> {
        let number = {
            let mut listings = lock(&self.listings);
            listings.given += 1;
            listings.given
        };
        let listing = Arc::new(Listing::new(&self.book(), number, since));
        lock(&self.listings).keep(Arc::clone(&listing), claimed);
        listing
    }
}

impl Listing {
    fn new(book: &Book, number: u64, since: Option<u64>) -> Self {
        let (spread, depth, made) = (book.spread(), book.depth(), now());
        let listed = |page: &crate::book::Page| match since {
            Some(since) => page.change > since,
            None => page.is_there() || made.since(page.changed) < REMEMBERED,
        };
        let ranks = book.pages().filter(|(_, page)| book.is_open(page) && listed(page)).map(|(id, page)| {
            // Ranks are not negative, so their bits are in order.
            let rank = report::rank(page.updates, spread, book.level(id, depth)) as f32;
            (std::cmp::Reverse(rank.to_bits()), id)
        });
        let mut ranks: Vec<_> = ranks.collect();
        ranks.sort_unstable();
        let ids = ranks.into_iter().map(|(_, id)| id).collect();
        let (version, last) = (book.version, book.last);
        Self { number, since, version, begun: Instant::now(), made, last, ids, spread, depth }
    }
}

fn entry(book: &Book, id: Id, listing: &Listing) -> Option<Entry> {
    let page = book.page(id);
    let level = book.level(id, listing.depth);
    Some(Entry {
        url: book.url(id)?,
        change: page.kind(),
        // Files may say that they are of tomorrow.
        at: page.changed.min(now()),
        updates: page.updates,
        level,
        rank: report::rank(page.updates, listing.spread, level),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use report::Change;

    use super::*;
    use crate::book::Look;
    use crate::flag::Reset;
    use crate::names::ROOT;
    use crate::site::Site;

    fn watched(folder: &tempfile::TempDir, pages: usize) -> Watched {
        let site = Site::parse("https://example.org/=/srv/www").unwrap();
        let watched = Watched::open(site, folder.path(), Reset::Event).unwrap();
        for i in 0..pages {
            change(&watched, &format!("p{i}.html"), 1);
        }
        watched
    }

    fn change(watched: &Watched, name: &str, mark: u64) {
        let mut book = watched.book();
        let id = book.intern(ROOT, name.as_bytes()).unwrap();
        book.note(id, Look { mark, modified: Timestamp(0) }, now(), false);
    }

    fn since(token: &str) -> Question {
        Question { since: Some(token.into()), ..Question::default() }
    }

    #[test]
    fn a_token_brings_what_changed_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let watched = watched(&folder, 10);
        let all = watched.report(&Question::default(), 0).unwrap();
        assert_eq!((all.total, all.pages.len(), all.since.clone(), all.next.clone()), (10, 10, None, None));
        assert!(watched.report(&since(&all.token), 0).unwrap().pages.is_empty());
        change(&watched, "p3.html", 2);
        change(&watched, "new.html", 1);
        watched.book().gone(5, now());
        let later = watched.report(&since(&all.token), 0).unwrap();
        let mut seen: Vec<_> = later.pages.iter().map(|entry| (entry.url.path().to_owned(), entry.change)).collect();
        seen.sort_by(|a, b| a.0.cmp(&b.0));
        let expected = [("/new.html", Change::New), ("/p3.html", Change::Updated), ("/p4.html", Change::Removed)];
        assert_eq!(seen, expected.map(|(path, change)| (path.to_owned(), change)));
        // The page that is updated most is the first.
        assert_eq!((later.pages[0].url.path(), later.pages[0].rank), ("/p3.html", 1.0));
        // A token that is none of ours, or of a state that was lost, brings all.
        for other in ["", "x", "ffffffffffff.1", "é"] {
            let all = watched.report(&since(other), 0).unwrap();
            assert_eq!((all.total, all.since), (11, None), "{other}");
        }
    }

    #[test]
    fn pages_of_a_list_fit_together_whatever_happens_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let watched = watched(&folder, 2 * ENTRIES + 10);
        let mut question = Question::default();
        let mut seen = BTreeSet::new();
        let mut tokens = BTreeSet::new();
        for round in 0.. {
            let report = watched.report(&question, 0).unwrap();
            let written = serde_json::to_vec(&report).unwrap();
            let from = watched.site.url.join(report::WELL_KNOWN).unwrap();
            assert_eq!(report::read(&written, &from, now()).unwrap().pages.len(), report.pages.len());
            assert!(report.pages.iter().all(|entry| seen.insert(entry.url.clone())), "twice");
            tokens.insert(report.token);
            let Some(next) = report.next else { break };
            let (number, from) = next.strip_prefix("?after=").unwrap().split_once('-').unwrap();
            question.after = Some((number.parse().unwrap(), from.parse().unwrap()));
            change(&watched, &format!("p{}.html", 100 * round), 2);
            change(&watched, &format!("late{round}.html"), 1);
        }
        assert_eq!((seen.len(), tokens.len()), (2 * ENTRIES + 10, 1));
        assert_eq!(watched.report(&Question { after: Some((99, 0)), ..Question::default() }, 0), Err(Expired));
        assert_eq!(watched.report(&Question { after: Some((1, usize::MAX)), ..Question::default() }, 0), Err(Expired));
    }

    #[test]
    fn nobody_takes_the_list_away_from_who_claimed_the_site() {
        let folder = tempfile::tempdir().unwrap();
        let watched = watched(&folder, ENTRIES + 10);
        let next = |report: Report| {
            let next = report.next.unwrap();
            let (number, from) = next.strip_prefix("?after=").unwrap().split_once('-').unwrap();
            Question { after: Some((number.parse().unwrap(), from.parse().unwrap())), ..Question::default() }
        };
        // They look first, so that the list is there already, and then claim the site.
        let looked = next(watched.report(&Question::default(), 0).unwrap());
        let claimed = next(watched.report(&Question { claimed: true, ..Question::default() }, 0).unwrap());
        assert_eq!(looked, claimed);
        change(&watched, "p3.html", 2);
        let looked = next(watched.report(&Question::default(), 0).unwrap());
        for number in 0..3 * KEPT as u64 {
            watched.report(&since(&watched.token(number)), 0).unwrap();
        }
        assert_eq!(watched.report(&claimed, 0).unwrap().pages.len(), 10);
        assert_eq!(watched.report(&looked, 0), Err(Expired), "others make room for each other");
        assert!(lock(&watched.listings).kept.len() <= 2 * KEPT);
    }
}
