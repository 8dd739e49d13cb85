//! What was found and is not written yet, bounded by what it takes of memory.

use std::sync::Arc;

use facts::Whereabouts;
use store::{Link, MediaReference, Outcome, PageFacts, PagePlace, SaidLocation, Visited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What visits may hold of memory from when they were read until they are written, in units of [`UNIT`]: a
/// page takes a hundred kilobytes as a rule, and one made to take much, tens of megabytes.
const ROOM: usize = 64 << 20;
const UNIT: usize = 4 << 10;

/// The room that visits on their way to the store share.
#[derive(Clone)]
pub(crate) struct Backlog(Arc<Semaphore>);

/// A visit on its way, and the room it holds until it is written.
pub(crate) struct Underway {
    pub visited: Visited,
    pub room: Option<OwnedSemaphorePermit>,
}

impl Backlog {
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(ROOM / UNIT)))
    }

    /// Waits for room for what a visit found. They get it in the order they came; one that would take more
    /// than there is takes all of it.
    pub async fn room_for(&self, outcome: &Outcome, links: &[Link]) -> Option<OwnedSemaphorePermit> {
        let units = weight(outcome, links).div_ceil(UNIT).clamp(1, ROOM / UNIT);
        Arc::clone(&self.0).acquire_many_owned(u32::try_from(units).unwrap_or(u32::MAX)).await.ok()
    }
}

/// Bytes that what a visit found takes, about.
fn weight(outcome: &Outcome, links: &[Link]) -> usize {
    let links: usize = links.iter().map(link).sum();
    let outcome = match outcome {
        Outcome::Page(page) => facts(page),
        _ => size_of::<Outcome>(),
    };
    links + outcome
}

fn link(link: &Link) -> usize {
    let referer = link.referer.as_ref().map_or(0, |url| url.as_str().len());
    let words = link.context.anchor.len() + link.context.around.len();
    size_of::<Link>() + link.url.as_str().len() + referer + words + size_of_val(&link.hops[..])
}

fn facts(page: &PageFacts) -> usize {
    let words = page.keywords.iter().chain(&page.telling).map(|word| size_of::<String>() + word.len()).sum::<usize>();
    let places = page.places.iter().map(|place| size_of::<PagePlace>() + place.why.len() + told(&place.whereabouts));
    let media = page.media.iter().map(|media| {
        let said =
            [&media.licence, &media.author, &media.refused].into_iter().flatten().map(String::len).sum::<usize>();
        let locations =
            media.locations.iter().map(|said| size_of::<SaidLocation>() + told(&said.whereabouts)).sum::<usize>();
        size_of::<MediaReference>() + media.url.as_str().len() + media.description.len() + said + locations
    });
    size_of::<Outcome>()
        + page.title.len()
        + page.description.len()
        + words
        + places.sum::<usize>()
        + media.sum::<usize>()
}

/// Names are those of a gazetteer, and short.
fn told(whereabouts: &Whereabouts) -> usize {
    const NAMES: usize = 200;
    whereabouts.evidence.len() + NAMES
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use facts::{Branch, MediaKind, Order, Url};
    use store::{LinkContext, VisitKind};

    use super::*;

    /// What needs no waiting.
    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    fn heavy() -> (Outcome, Vec<Link>) {
        let address = |n: usize| Url::parse(&format!("http://a.example/{n}/{}", "x".repeat(2000))).unwrap();
        let link = |n: usize| Link {
            url: address(n),
            kind: VisitKind::Page,
            order: Order::FirstIn,
            depth: 1,
            branch: Branch::default(),
            parent: None,
            referer: Some(address(0)),
            context: LinkContext { anchor: "x".repeat(100), around: "x".repeat(200) },
            hops: Vec::new(),
            reopen: false,
        };
        let media = |n: usize| MediaReference {
            url: address(n),
            kind: MediaKind::Image,
            description: "x".repeat(500),
            licence: None,
            author: None,
            locations: Vec::new(),
            refused: None,
        };
        let page = PageFacts { media: (0..2000).map(media).collect(), ..PageFacts::default() };
        (Outcome::Page(page), (0..4000).map(link).collect())
    }

    #[test]
    fn long_addresses_and_texts_weigh_what_they_take() {
        let (outcome, links) = heavy();
        assert!(weight(&outcome, &links) > 4000 * 4300 + 2000 * 2500, "{}", weight(&outcome, &links));
        assert!(weight(&Outcome::Unchanged, &[]) < UNIT);
    }

    #[test]
    fn what_is_not_written_yet_never_takes_more_than_set_aside() {
        let (outcome, links) = heavy();
        let backlog = Backlog::new();
        let mut held = Vec::new();
        while let Some(room) = now(backlog.room_for(&outcome, &links)) {
            held.push(room);
            assert!(held.len() * weight(&outcome, &links) <= ROOM);
        }
        assert!(held.len() > 1);
        // As soon as one is written, the next has its turn.
        held.pop();
        assert!(now(backlog.room_for(&outcome, &links)).is_some());
    }

    #[test]
    fn a_visit_that_would_take_more_than_there_is_waits_for_the_others_and_no_longer() {
        let (outcome, links) = heavy();
        let many: Vec<Link> = links.iter().cycle().take(20_000).cloned().collect();
        let backlog = Backlog::new();
        let other = now(backlog.room_for(&Outcome::Unchanged, &[])).unwrap();
        assert!(now(backlog.room_for(&outcome, &many)).is_none());
        drop(other);
        assert!(now(backlog.room_for(&outcome, &many)).flatten().is_some());
    }
}
