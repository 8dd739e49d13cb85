//! Which of the addresses that were visited are visited again. [004 exp. 5]

use std::collections::HashSet;
use std::time::Duration;

use facts::{Order, Origin, Priority, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Budgets, Crawl, Earlier, KnownAddress, Link, Run, Store, StoreError, VisitKind, Which};
use strategy::{ChangeRate, Filter};

use crate::links::Guide;
use crate::stop::Stop;

/// Addresses read from the library at once.
const BATCH: usize = 1_000;
/// How long what is gone is left alone.
const GONE_REST: Duration = Duration::from_secs(7 * 24 * 3600);
/// How long a site without a report is not asked for one.
pub(crate) const ABSENT_REST: Duration = Duration::from_secs(7 * 24 * 3600);

/// How a crawl comes back to what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Revisit {
    /// Which pages are due when a run starts.
    pub policy: Policy,
    /// `proportional`: a page is due when it has changed with this probability, as far as earlier
    /// visits tell.
    pub chance: f64,
    /// `top-levels`: pages this many links from a start page, and nearer ones, are due.
    pub levels: u32,
}

impl Default for Revisit {
    fn default() -> Self {
        Self { policy: Policy::Proportional, chance: 0.065, levels: 1 }
    }
}

/// Which pages are due when a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// None: a run goes on with what is new.
    Never,
    /// All, in every run.
    Uniform,
    /// Those that have probably changed, by how often they were seen to.
    Proportional,
    /// Those near the start pages, in every run.
    TopLevels,
    /// Those that the site says have changed; where it says nothing, as `proportional`.
    Watcher,
}

impl Policy {
    /// Their names.
    pub const NAMES: [&'static str; 5] = ["never", "uniform", "proportional", "top-levels", "watcher"];
}

impl std::str::FromStr for Revisit {
    type Err = String;

    /// A policy, for `top-levels` perhaps with the number of levels: `top-levels:2`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, levels) = text.split_once(':').map_or((text, None), |(name, levels)| (name, Some(levels)));
        let named = serde_json::from_value(serde_json::Value::String(name.to_owned()));
        let policy: Policy = named.map_err(|_| format!("there is no policy '{name}': {}", Policy::NAMES.join(", ")))?;
        let mut revisit = Self { policy, ..Self::default() };
        match levels {
            Some(levels) if policy == Policy::TopLevels => {
                revisit.levels = levels.parse().map_err(|_| format!("'{levels}' is no number of levels"))?;
            }
            Some(_) => return Err(format!("{name} takes no number: only top-levels does")),
            None => {}
        }
        Ok(revisit)
    }
}

impl Revisit {
    /// How soon an address is due, from 0 to 1; nothing when it is not. Run: when the run started.
    fn due(&self, known: &KnownAddress, run: Timestamp, now: Timestamp) -> Option<f64> {
        let earlier = &known.earlier;
        // What was asked in this run already is not asked again, also not after a kill.
        if earlier.asked >= run {
            return None;
        }
        let media = matches!(known.link.kind, VisitKind::Media(_));
        let likely = || {
            if earlier.gone {
                return (now.since(earlier.asked) >= GONE_REST).then_some(0.1);
            }
            let rate = if media { ChangeRate::of_file } else { ChangeRate::of_page };
            let chance = rate(earlier.changes, earlier.watched).chance(now.since(earlier.checked));
            (chance >= self.chance).then_some(chance)
        };
        match self.policy {
            Policy::Never => None,
            Policy::Uniform => Some(1.0),
            // What a page shows is one link further away.
            Policy::TopLevels => (known.link.depth <= self.levels + u32::from(media)).then_some(1.0),
            Policy::Proportional | Policy::Watcher => likely(),
        }
    }
}

/// Queues what is due; gives how much that is. Doing it again changes nothing.
pub(crate) async fn queue_due(
    store: &Store,
    crawl: &Crawl,
    run: &Run,
    revisit: Revisit,
    guide: &Guide,
    budgets: Budgets,
    stop: &Stop,
) -> Result<u64, StoreError> {
    if revisit.policy == Policy::Never {
        return Ok(0);
    }
    let now = store.frontier().now().await?;
    let watched = match revisit.policy {
        Policy::Watcher => queue_reports(store, crawl, run, now, budgets).await?,
        _ => HashSet::new(),
    };
    let (mut after, mut queued) = (0, 0);
    loop {
        let known = store.library().known_addresses(crawl.id, Which::Content, after, BATCH).await?;
        let Some(last) = known.last() else { return Ok(queued) };
        after = last.number;
        let due = |known: KnownAddress| {
            let soon = revisit.due(&known, run.started, now)?;
            let told = known.link.kind == VisitKind::Page && watched.contains(&known.link.url.origin());
            (!told && admitted(&known.link, guide)).then(|| Link { order: order(guide, soon), ..known.link })
        };
        let links: Vec<Link> = known.into_iter().filter_map(due).collect();
        queued += links.len() as u64;
        if !links.is_empty() {
            store.frontier().add(crawl.id, links, budgets).await?;
        }
        if stop.asked() {
            return Ok(queued);
        }
    }
}

/// Asks all sites again for their reports and sitemaps; gives those whose reports say what is due.
async fn queue_reports(
    store: &Store,
    crawl: &Crawl,
    run: &Run,
    now: Timestamp,
    budgets: Budgets,
) -> Result<HashSet<Origin>, StoreError> {
    let (mut after, mut watched) = (0, HashSet::new());
    loop {
        let known = store.library().known_addresses(crawl.id, Which::Reports, after, BATCH).await?;
        let Some(last) = known.last() else { return Ok(watched) };
        after = last.number;
        let mut links = Vec::new();
        for known in known {
            let earlier = &known.earlier;
            let absent = earlier.reason.as_deref() == Some(store::ABSENT);
            if known.link.kind == VisitKind::Report && says_what_is_due(earlier) {
                watched.insert(known.link.url.origin());
            }
            let rested = !absent || now.since(earlier.asked) >= ABSENT_REST;
            if earlier.asked < run.started && rested {
                links.push(known.link);
            }
        }
        if !links.is_empty() {
            store.frontier().add(crawl.id, links, budgets).await?;
        }
    }
}

/// Whether the report of a site could be read last time, or is another crawler's. One that was refused
/// or could not be had says nothing: the site is visited as one that has none.
fn says_what_is_due(report: &Earlier) -> bool {
    matches!(report.reason.as_deref(), None | Some(store::FLAGGED))
}

/// Whether the crawl may still go there: its settings may be others than when it first did.
fn admitted(link: &Link, guide: &Guide) -> bool {
    let filter: &Filter = &guide.filter;
    let admitted = match link.kind {
        VisitKind::Media(kind) => filter.admits_media(&link.url, kind).is_ok(),
        VisitKind::Page | VisitKind::Report | VisitKind::Sitemap => filter.admits(&link.url, link.depth).is_ok(),
    };
    admitted && !guide.blocked.address(&link.url)
}

/// Among what waits for the first time, as the strategy has it: by how soon it is due where that goes
/// by priority, else as if it were found now.
pub(crate) fn order(guide: &Guide, soon: f64) -> Order {
    match guide.strategy.seed() {
        Order::Best(_) => Order::Best(Priority::new(soon)),
        order => order,
    }
}

#[cfg(test)]
mod tests {
    use facts::{Branch, MediaKind, Url};
    use store::LinkContext;

    use super::*;

    const DAY: i64 = 24 * 3600 * 1000;
    const NOW: Timestamp = Timestamp(1_000 * DAY);

    fn known(kind: VisitKind, depth: u32, days_ago: i64, changes: u32, watched: i64) -> KnownAddress {
        let at = Timestamp(NOW.0 - days_ago * DAY);
        let link = Link {
            url: Url::parse("http://a.example/").unwrap(),
            kind,
            order: Order::FirstIn,
            depth,
            branch: Branch::default(),
            parent: None,
            referer: None,
            context: LinkContext::default(),
            hops: Vec::new(),
            reopen: true,
        };
        let watched = Duration::from_millis((watched * DAY) as u64);
        let earlier = Earlier { checked: at, asked: at, changes, watched, ..Earlier::default() };
        KnownAddress { number: 1, link, earlier }
    }

    #[test]
    fn each_policy_has_its_pages() {
        let page = VisitKind::Page;
        let image = VisitKind::Media(MediaKind::Image);
        let due = |policy: &str, known: &KnownAddress| {
            let revisit: Revisit = policy.parse().unwrap();
            revisit.due(known, NOW, NOW).is_some()
        };
        let often = known(page, 3, 1, 10, 20);
        let never = known(page, 3, 1, 0, 60);
        let near = known(page, 1, 1, 0, 60);
        for (policy, expected) in [
            ("never", [false, false, false]),
            ("uniform", [true, true, true]),
            ("proportional", [true, false, false]),
            ("watcher", [true, false, false]),
            ("top-levels", [false, false, true]),
            ("top-levels:3", [true, true, true]),
        ] {
            assert_eq!([&often, &never, &near].map(|known| due(policy, known)), expected, "{policy}");
        }
        assert!(due("top-levels", &known(image, 2, 1, 0, 0)) && !due("top-levels", &known(image, 3, 1, 0, 0)));
        // Once in a run.
        assert!(!due("uniform", &known(page, 0, 0, 0, 0)));
        // Pictures are thought to stay as they are.
        assert!(due("proportional", &known(page, 0, 3, 0, 0)) && !due("proportional", &known(image, 0, 3, 0, 0)));
        assert!(due("proportional", &known(image, 0, 60, 0, 0)));
    }

    #[test]
    fn what_is_gone_is_left_alone_for_a_while() {
        let gone = |days| {
            let mut known = known(VisitKind::Page, 0, days, 50, 50);
            known.earlier.gone = true;
            Revisit::default().due(&known, NOW, NOW).is_some()
        };
        assert!(!gone(6) && gone(7));
    }

    #[test]
    fn a_report_that_broke_says_nothing_of_what_is_due() {
        let due = |reason: Option<&str>| {
            says_what_is_due(&Earlier { reason: reason.map(str::to_owned), ..Earlier::default() })
        };
        assert!(due(None) && due(Some(store::FLAGGED)));
        for broken in [store::ABSENT, "report-lie", "report-malformed", "http-500", "timeout", "robots"] {
            assert!(!due(Some(broken)), "{broken}");
        }
    }

    #[test]
    fn policies_are_read_as_they_are_written() {
        assert_eq!("top-levels:4".parse::<Revisit>().unwrap().levels, 4);
        for wrong in ["", "always", "uniform:2", "top-levels:", "top-levels:x", "top-levels:-1"] {
            assert!(wrong.parse::<Revisit>().is_err(), "{wrong}");
        }
        for name in Policy::NAMES {
            let policy = name.parse::<Revisit>().unwrap().policy;
            assert_eq!(serde_json::to_value(policy).unwrap(), name);
        }
    }
}
