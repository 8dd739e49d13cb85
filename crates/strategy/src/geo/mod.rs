//! `geo`: adaptive geospatial focus [001 §4.3–4.5].
//!
//! `priority = score + prediction · (1 − score)`: what is near a relevant page goes first, and links
//! that look like those that led to relevant pages go before their turn. The model teaches itself
//! while the crawl goes on: [`branches`] knows which links were followed and what they led to,
//! [`bayes`] which [`features()`] go with that. A [`Prior`] prefers where photographs were found.

mod bayes;
mod branches;
pub(crate) mod features;

use std::sync::{Mutex, MutexGuard, PoisonError};

use facts::{Order, Priority, Url, UrlId};
use serde::{Deserialize, Serialize};

use self::bayes::{Bayes, DEPTHS};
use self::branches::{Branches, Followed};
use self::features::{Seen, features};
use crate::geo_distance::score;
use crate::prior::{Prior, SavedPrior};
use crate::saved::{self, Kind};
use crate::vocabulary::Vocabulary;
use crate::{Arrival, BadModel, Strategy, Told};

/// `geo`: near what was relevant, and along links that look like those that led there.
pub struct Geo {
    region: Vocabulary,
    depth: usize,
    with_prior: bool,
    mind: Mutex<Mind>,
}

/// What was learnt.
#[derive(Default)]
struct Mind {
    model: Bayes,
    branches: Branches,
    prior: Prior,
}

/// A mind as it is saved.
#[derive(Serialize, Deserialize)]
struct Saved {
    model: Bayes,
    branches: Vec<(UrlId, Followed)>,
    prior: SavedPrior,
}

/// What a relevant page one link further ahead is worth: a page more is spent on the way to it, and
/// what is said of it is less sure. At a quarter, depth 3 found fewer pages on made webs than depth 1.
const AHEAD: f64 = 0.1;

impl Geo {
    /// As told; with what it learnt before, or another crawl did, when that is given.
    pub fn new(told: Told) -> Result<Self, BadModel> {
        let own = told.resumed.as_deref().map(|own| saved::resumed(Kind::Geo, own)).transpose()?.flatten();
        let mind = match (own, told.taught) {
            (Some(Saved { model, branches, prior }), _) => {
                Mind { model, branches: Branches::restored(branches), prior: Prior::restored(prior) }
            }
            // The links that another crawl followed are not on the branches of this one.
            (None, Some(other)) => {
                let Saved { model, prior, .. } = saved::read(Kind::Geo, &other)?;
                Mind { model, prior: Prior::restored(prior), ..Mind::default() }
            }
            (None, None) => Mind::default(),
        };
        let depth = told.depth.clamp(1, DEPTHS);
        Ok(Self { region: told.region, depth, with_prior: told.prior, mind: Mutex::new(mind) })
    }

    fn mind(&self) -> MutexGuard<'_, Mind> {
        self.mind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `1 − Π (1 − ahead^(d−1) · P(d))`: each further link ahead counts a tenth of the one before,
    /// and only adds. The mean of the probabilities, which the document takes, draws a link that surely
    /// leads to a relevant page at once below one that may lead to some in many ways.
    fn prediction(&self, posteriors: [f64; DEPTHS]) -> f64 {
        let (mut missed, mut weight) = (1.0, 1.0);
        for posterior in posteriors.iter().take(self.depth) {
            missed *= 1.0 - weight * posterior;
            weight *= AHEAD;
        }
        1.0 - missed
    }
}

impl Strategy for Geo {
    fn name(&self) -> &'static str {
        "geo"
    }

    fn seed(&self) -> Order {
        Order::Best(Priority::HIGHEST)
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        let page = arrival.page;
        let seen = |url, anchor, around, on| features(&Seen { url, anchor, around, on }, &self.region);
        let led_here = match arrival.parent {
            Some(_) => seen(&page.url, arrival.anchor, arrival.around, arrival.referer),
            None => Vec::new(),
        };
        let links: Vec<_> = page
            .links
            .iter()
            .map(|link| (link, seen(&link.url, &*link.text, &*link.around, Some(&page.url))))
            .collect();
        let score = score(arrival.onward());
        let mut mind = self.mind();
        let Mind { model, branches, prior } = &mut *mind;
        branches.arrived(arrival.id, arrival.parent, led_here, arrival.relevant, model);
        prior.page(&page.url);
        let priority = |(link, terms): (&page::Link, Vec<_>)| {
            let prediction = self.prediction(model.posteriors(&terms));
            let priority = score + prediction * (1.0 - score);
            let priority = if self.with_prior { prior.applied(&link.url, priority) } else { priority };
            Order::Best(Priority::new(priority))
        };
        links.into_iter().map(priority).collect()
    }

    fn kept(&self, page: &Url, located: bool) {
        self.mind().prior.photograph(page, located);
    }

    fn learnt(&self) -> Option<Vec<u8>> {
        let mind = self.mind();
        let saved = Saved { model: mind.model.clone(), branches: mind.branches.saved(), prior: mind.prior.saved() };
        drop(mind);
        saved::write(Kind::Geo, &saved)
    }

    fn meet(&self, base: Option<&[u8]>, theirs: &[u8]) -> Result<Option<Vec<u8>>, BadModel> {
        let empty = || Saved { model: Bayes::default(), branches: Vec::new(), prior: SavedPrior::default() };
        // What another strategy learnt is nothing to take in.
        let Some(theirs) = saved::resumed::<Saved>(Kind::Geo, theirs)? else { return Ok(self.learnt()) };
        let base = base.map(|base| saved::resumed(Kind::Geo, base)).transpose()?.flatten().unwrap_or_else(empty);
        let mut mind = self.mind();
        mind.model.meet(&base.model, theirs.model);
        mind.prior = Prior::restored(mind.prior.saved().meet(&base.prior, theirs.prior));
        // The links that each followed are on the branches of both, the latest last.
        let own = mind.branches.saved();
        let known: std::collections::HashSet<UrlId> = own.iter().map(|(id, _)| *id).collect();
        let others = theirs.branches.into_iter().filter(|(id, _)| !known.contains(id));
        mind.branches = Branches::restored(others.chain(own).collect());
        drop(mind);
        Ok(self.learnt())
    }
}
