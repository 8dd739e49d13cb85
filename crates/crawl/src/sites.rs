//! What sites say of themselves: the report of a watcher, or else a sitemap. [004 §3.4.2]
//!
//! Both are visits like any other, in the queue of their host: asked for once in a run, before the
//! pages of the site, and never believed beyond what can be checked.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facts::{Branch, Origin, Timestamp, Url, UrlId};
use fetch::Robots;
use lru::LruCache;
use report::{Change, Dynamic, Refused, Report, Sitemap, WELL_KNOWN};
use store::{
    ABSENT, Budgets, Claim, CrawlId, Earlier, FLAGGED, Link, LinkContext, Outcome, ReportFacts, Store, StoreError,
    VisitKind,
};
use tokio::sync::Semaphore;

use crate::gathering::on_disk;
use crate::links::Guide;
use crate::origin::Rules;
use crate::revisit::{ABSENT_REST, order};
use crate::scripted::Scripted;

/// Sites whose standing is in memory; that of the others is looked up.
const SITES: NonZeroUsize = NonZeroUsize::new(8_192).unwrap();
/// Pages of lists in memory at once.
const AT_ONCE: usize = 2;
/// Addresses that the library is asked about at once.
const BATCH: usize = 1_000;
/// Sitemaps that robots.txt names, or an index, and how deep indexes may lead.
const MOST_MAPS: usize = 100;
const DEEPEST_MAP: u32 = 3;
/// A page that changed within this time before it was read may have changed after.
const SLACK: Duration = Duration::from_secs(5);
/// How often a report is queued in one process, should it never be settled.
const MOST_ASKED: u8 = 3;

/// How a site stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It was not asked for a report in this run.
    Unasked,
    /// Its report says what to visit.
    Watched,
    /// Another crawler has taken its report.
    Flagged,
    /// It has no report, or none that can be believed.
    Absent,
}

/// The sites of a crawl.
pub(crate) struct Sites {
    store: Arc<Store>,
    crawl: CrawlId,
    run: Timestamp,
    /// Whether the run goes on after a kill: then a report that is taken may have been by us.
    resumed: bool,
    heeds: bool,
    known: Mutex<LruCache<Origin, Standing>>,
    asked: Mutex<LruCache<Origin, u8>>,
    scripted: Scripted,
    pub desks: Semaphore,
}

impl Sites {
    /// Sites as a run sees them; only one that `heeds` reports asks for any.
    pub fn new(store: Arc<Store>, crawl: CrawlId, run: Timestamp, resumed: bool, heeds: bool) -> Self {
        let (known, asked) = (Mutex::new(LruCache::new(SITES)), Mutex::new(LruCache::new(SITES)));
        let (scripted, desks) = (Scripted::new(), Semaphore::new(AT_ONCE));
        Self { store, crawl, run, resumed, heeds, known, asked, scripted, desks }
    }

    /// None is asked for anything: pages that are read outside of a crawl.
    pub fn unasked(store: Arc<Store>) -> Self {
        Self::new(store, CrawlId(0), Timestamp(0), false, false)
    }

    /// How the site of a page stands.
    pub async fn standing(&self, origin: &Origin, robots: &Robots, now: Timestamp) -> Result<Standing, StoreError> {
        if !self.heeds {
            return Ok(Standing::Absent);
        }
        if let Some(standing) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(origin) {
            return Ok(*standing);
        }
        let address = address(origin, robots).unwrap_or_else(|_| origin.at(WELL_KNOWN));
        if !robots.allows(&address) {
            return Ok(Standing::Absent);
        }
        let earlier = self.store.library().earlier(self.crawl, &[address.id()]).await?;
        let standing = match earlier.into_iter().flatten().next() {
            Some(earlier) => self.stood(&earlier, now),
            None => Standing::Unasked,
        };
        if standing != Standing::Unasked {
            self.settle(origin, standing);
            return Ok(standing);
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let times = asked.get_or_insert_mut(origin.clone(), || 0);
        *times = times.saturating_add(1);
        Ok(if *times > MOST_ASKED { Standing::Absent } else { Standing::Unasked })
    }

    fn stood(&self, earlier: &Earlier, now: Timestamp) -> Standing {
        let reason = earlier.reason.as_deref();
        if reason == Some(ABSENT) && now.since(earlier.asked) < ABSENT_REST {
            return Standing::Absent;
        }
        match reason {
            _ if earlier.asked < self.run => Standing::Unasked,
            None => Standing::Watched,
            Some(FLAGGED) => Standing::Flagged,
            Some(_) => Standing::Absent,
        }
    }

    /// From now on the site stands so.
    pub fn settle(&self, origin: &Origin, standing: Standing) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).put(origin.clone(), standing);
    }

    /// What came of asking for its report.
    pub fn told(&self, origin: &Origin, outcome: &Outcome) {
        let standing = match outcome {
            Outcome::Report(facts) => match facts.reason {
                None => Standing::Watched,
                Some(FLAGGED) => Standing::Flagged,
                Some(_) => Standing::Absent,
            },
            // Where it leads to is asked next.
            Outcome::Redirect(_) => return,
            _ => Standing::Absent,
        };
        self.settle(origin, standing);
    }

    /// Whether a link is to a site whose report lists its pages: then only that to its main page counts.
    pub fn lists(&self, url: &Url) -> bool {
        self.heeds && url.path_and_query() != "/" && {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known.peek(&url.origin()) == Some(&Standing::Watched)
        }
    }

    /// What scripts change on a page, as the report of its site says.
    pub fn dynamic(&self, url: &Url) -> Arc<[Dynamic]> {
        self.scripted.of(url)
    }

    /// Whether a claim of the flag that somebody has may be our own, of which the answer was lost.
    pub fn may_be_ours(&self, claim: &Claim) -> bool {
        self.resumed || claim.tries > 0
    }

    /// What earlier visits of these addresses left.
    async fn earlier(&self, urls: &[UrlId]) -> Result<Vec<Option<Earlier>>, StoreError> {
        let mut earlier = Vec::with_capacity(urls.len());
        for some in urls.chunks(BATCH) {
            earlier.extend(self.store.library().earlier(self.crawl, some).await?);
        }
        Ok(earlier)
    }

    /// The links of a page of a report, best rank first. What did not change since it was read is left out.
    pub async fn listed(
        &self,
        claim: &Claim,
        report: Box<Report>,
        rules: &Arc<Rules<Robots>>,
        guide: &Arc<Guide>,
        now: Timestamp,
    ) -> Result<Vec<Link>, StoreError> {
        self.scripted.note(&report.dynamic);
        let ids: Vec<UrlId> = report.pages.iter().map(|entry| entry.url.id()).collect();
        let known = self.earlier(&ids).await?;
        let (claim, rules, guide, run) = (claim.clone(), Arc::clone(rules), Arc::clone(guide), self.run);
        // robots.txt is asked for each of thousands.
        on_disk(move || {
            let all = report.since.is_none();
            let mut links = Vec::new();
            for (entry, earlier) in report.pages.iter().zip(known) {
                // Clocks of sites go wrong by days; how long ago something happened does not.
                let age = report.made.since(entry.at);
                let due = match (entry.change, earlier) {
                    (Change::Removed, None) => false,
                    (Change::Removed, Some(earlier)) => !earlier.gone,
                    // A list that is read once more after a kill has pages that were visited since.
                    (_, Some(earlier)) if all || earlier.asked >= run => now.since(earlier.checked) + SLACK >= age,
                    _ => true,
                };
                let depth = u32::from(entry.url != report.site);
                let same_origin = entry.url.origin() == claim.link.url.origin();
                if due && admits(&guide, &entry.url, depth, &rules.says, same_origin) {
                    links.push(listed_link(&claim, entry.url.clone(), depth, order(&guide, entry.rank)));
                }
            }
            Ok(links)
        })
        .await
    }

    /// Queues the links of a page of a report before the next is asked for. Doing it again changes nothing:
    /// a kill costs no more than reading the list once more.
    pub async fn queue(&self, links: Vec<Link>, budgets: Budgets) -> Result<(), StoreError> {
        match links.is_empty() {
            true => Ok(()),
            false => self.store.frontier().add(self.crawl, links, budgets).await.map(drop),
        }
    }

    /// The links of a sitemap: pages that are new or changed since they were read, and further maps.
    pub async fn mapped(
        &self,
        claim: &Claim,
        sitemap: Sitemap,
        rules: &Arc<Rules<Robots>>,
        guide: &Arc<Guide>,
    ) -> Result<(ReportFacts, Vec<Link>), StoreError> {
        let site = claim.link.url.clone();
        let (pages, maps, ids) = on_disk(move || {
            let Sitemap { mut pages, mut maps } = sitemap;
            pages.retain(|(url, _)| url.host_str() == site.host_str());
            maps.retain(|url| url.host_str() == site.host_str());
            let ids: Vec<UrlId> = pages.iter().map(|(url, _)| url.id()).collect();
            Ok((pages, maps, ids))
        })
        .await?;
        let known = self.earlier(&ids).await?;
        let (claim, rules, guide) = (claim.clone(), Arc::clone(rules), Arc::clone(guide));
        on_disk(move || {
            let listed = pages.len();
            let mut links = Vec::new();
            for ((url, changed), earlier) in pages.into_iter().zip(known) {
                let due = match (&earlier, changed) {
                    (None, _) => true,
                    (Some(earlier), Some(changed)) => changed.until + SLACK >= earlier.checked,
                    // Nobody says that it changed: it is due when that is likely.
                    (Some(_), None) => false,
                };
                let same_origin = url.origin() == claim.link.url.origin();
                if due && admits(&guide, &url, 1, &rules.says, same_origin) {
                    links.push(listed_link(&claim, url, 1, order(&guide, 0.5)));
                }
            }
            if claim.link.depth < DEEPEST_MAP {
                let maps = maps.into_iter().take(MOST_MAPS);
                links.extend(maps.map(|map| list_link(map, VisitKind::Sitemap, claim.link.depth + 1, Some(claim.id))));
            }
            let detail = format!("{listed} listed, {} to visit", links.len());
            Ok((ReportFacts { token: None, reason: None, detail }, links))
        })
        .await
    }
}

/// Where the report of a site is: as its robots.txt says, or else at the usual place. Another host
/// cannot speak for it.
pub(crate) fn address(origin: &Origin, robots: &Robots) -> Result<Url, Refused> {
    let usual = origin.at(WELL_KNOWN);
    let Some(named) = robots.watchers().first() else { return Ok(usual) };
    let named = named.split_whitespace().next().unwrap_or_default();
    let named = usual.join(named).map_err(|error| Refused::Malformed(format!("'Watcher: {named}': {error}")))?;
    let same = named.host_str() == usual.host_str() && [usual.port(), 80, 443].contains(&named.port());
    if same { Ok(named) } else { Err(Refused::OtherHost(named.host_str().to_owned())) }
}

/// A link to the report of a site.
pub(crate) fn report_link(origin: &Origin, robots: &Robots) -> Link {
    let address = address(origin, robots).unwrap_or_else(|_| origin.at(WELL_KNOWN));
    list_link(address, VisitKind::Report, 0, None)
}

/// Links to the sitemaps of a site that has no report: those it names, or the usual one.
pub(crate) fn sitemap_links(claim: &Claim, robots: &Robots) -> Vec<Link> {
    let host = claim.link.url.host_str();
    let named = robots.sitemaps().iter().filter(|map| map.host_str() == host).take(MOST_MAPS).cloned();
    let mut maps: Vec<Url> = named.collect();
    if maps.is_empty() {
        maps.push(claim.link.url.origin().at("/sitemap.xml"));
    }
    maps.into_iter().map(|map| list_link(map, VisitKind::Sitemap, 1, Some(claim.id))).collect()
}

fn list_link(url: Url, kind: VisitKind, depth: u32, parent: Option<UrlId>) -> Link {
    Link {
        url,
        kind,
        order: facts::Order::FirstIn,
        depth,
        branch: Branch::default(),
        parent,
        referer: None,
        context: LinkContext::default(),
        hops: Vec::new(),
        reopen: true,
    }
}

fn listed_link(claim: &Claim, url: Url, depth: u32, order: facts::Order) -> Link {
    Link { order, ..list_link(url, VisitKind::Page, depth, Some(claim.id)) }
}

fn admits(guide: &Guide, url: &Url, depth: u32, robots: &Robots, same_origin: bool) -> bool {
    // What another origin of the host allows is asked when the page is visited.
    guide.filter.admits(url, depth).is_ok() && !guide.blocked.address(url) && (!same_origin || robots.allows(url))
}
