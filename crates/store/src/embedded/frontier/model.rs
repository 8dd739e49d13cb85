//! The queue against a model that keeps everything in plain maps and looks at all of it.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use facts::{Branch, HostName, MediaKind, Order, Priority, Timestamp, Url};
use proptest::prelude::*;

use super::clock::Clock;
use super::keys::{HostKey, Lane, band};
use super::state::State;
use crate::{
    Budgets, Claim, ClaimLimit, CrawlId, FrontierFigures, Link, LinkContext, Outcome, Overrun, Reservation, Rest,
    Version, VisitKind, Visited,
};

const DELAY: Duration = Duration::from_millis(50);
const BUDGETS: Budgets = Budgets { per_host: 6, per_template: 4 };

/// A link in a small web of 5 hosts with 6 pages and 2 pictures each.
#[derive(Clone, Copy, Debug)]
struct Found {
    host: u8,
    path: u8,
    priority: u8,
    depth: u8,
    reopen: bool,
    redirect: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Add { crawl: bool, links: Vec<Found> },
    Claim { crawl: bool, any: usize, pages: usize, delay: u8 },
    Finish { which: usize, links: Vec<Found> },
    FinishAgain { which: usize },
    Release { which: usize, rest: u8, delay: Option<u8> },
    Reserve { host: u8, delay: u8 },
    PutBack { which: usize, failed: bool },
    Wait { ms: u8 },
    Close,
    Kill,
}

fn found() -> impl Strategy<Value = Found> {
    (0u8..5, 0u8..8, 0u8..4, 0u8..4, prop::bool::weighted(0.1), prop::bool::weighted(0.1)).prop_map(
        |(host, path, priority, depth, reopen, redirect)| Found { host, path, priority, depth, reopen, redirect },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let links = || prop::collection::vec(found(), 0..8);
    let which = || 0usize..6;
    prop_oneof![
        1 => (any::<bool>(), links()).prop_map(|(crawl, links)| Step::Add { crawl, links }),
        5 => (any::<bool>(), 0usize..4, 0usize..4, 0u8..80)
            .prop_map(|(crawl, any, pages, delay)| Step::Claim { crawl, any, pages, delay }),
        5 => (which(), links()).prop_map(|(which, links)| Step::Finish { which, links }),
        1 => which().prop_map(|which| Step::FinishAgain { which }),
        6 => (which(), 0u8..40, prop::option::weighted(0.2, 0u8..200))
            .prop_map(|(which, rest, delay)| Step::Release { which, rest, delay }),
        1 => (0u8..5, 0u8..200).prop_map(|(host, delay)| Step::Reserve { host, delay }),
        2 => (which(), any::<bool>()).prop_map(|(which, failed)| Step::PutBack { which, failed }),
        3 => (0u8..60).prop_map(|ms| Step::Wait { ms }),
        1 => Just(Step::Close),
        1 => Just(Step::Kill),
    ]
}

#[derive(Clone, Debug)]
struct ModelRow {
    at: (Lane, u64, u64),
    link: Link,
    claimed: bool,
    tries: u32,
}

#[derive(Clone, Debug, Default)]
struct ModelAddress {
    waiting: Option<ModelRow>,
    rounds: u32,
}

#[derive(Debug, Default)]
struct ModelHost {
    ready_at: i64,
    delay: Option<Duration>,
    busy: bool,
}

#[derive(Default)]
struct ModelCrawl {
    addresses: BTreeMap<String, ModelAddress>,
    pages: HashMap<String, u64>,
    templates: HashMap<String, u64>,
    figures: FrontierFigures,
    overruns: BTreeMap<(String, Option<String>), u64>,
}

#[derive(Default)]
struct Model {
    crawls: HashMap<CrawlId, ModelCrawl>,
    hosts: HashMap<String, ModelHost>,
    number: u64,
    quiet_until: i64,
    /// The longest delay that hosts were asked with, since the last opening and before the last kill.
    longest: i64,
    waited: i64,
}

impl Model {
    fn link(&mut self, crawl: CrawlId, link: &Link, number: u64, index: usize) -> u64 {
        let crawl = self.crawls.entry(crawl).or_default();
        let address = crawl.addresses.get(link.url.as_str()).cloned().unwrap_or_default();
        let lane = Lane::of(link.kind);
        let place = (lane, band(link.order, number), number * 1000 + index as u64);
        let row = |at| ModelRow { at, link: link.clone(), claimed: false, tries: 0 };
        if let Some(mut waiting) = address.waiting {
            if !waiting.claimed && matches!(link.order, Order::Best(_)) && place.1 < waiting.at.1 {
                waiting.at.1 = place.1;
                let Link { depth, hops, reopen, .. } = waiting.link;
                waiting.link = Link { depth: depth.min(link.depth), hops, reopen, ..link.clone() };
                crawl.addresses.get_mut(link.url.as_str()).unwrap().waiting = Some(waiting);
            }
            return 0;
        }
        if address.rounds > 0 && !link.reopen {
            return 0;
        }
        if address.rounds == 0 {
            if lane == Lane::Pages {
                let pages = crawl.pages.entry(link.url.host_str().into()).or_default();
                let alike = crawl.templates.entry(link.url.template()).or_default();
                let exempt = link.parent.is_none() || !link.hops.is_empty();
                if !exempt && (*pages >= BUDGETS.per_host || *alike >= BUDGETS.per_template) {
                    crawl.figures.over_budget += 1;
                    let shape = (*pages < BUDGETS.per_host).then(|| link.url.template());
                    *crawl.overruns.entry((link.url.host_str().into(), shape)).or_default() += 1;
                    return 0;
                }
                *pages += 1;
                *alike += 1;
                crawl.figures.known_pages += 1;
            } else {
                crawl.figures.known_media += 1;
            }
        }
        *crawl.queued(lane) += 1;
        let new = u64::from(address.rounds == 0);
        crawl
            .addresses
            .insert(link.url.as_str().into(), ModelAddress { waiting: Some(row(place)), rounds: address.rounds });
        new
    }

    fn finish(&mut self, crawl: CrawlId, claim: &Claim, number: u64, links: &[Link]) {
        let model = self.crawls.entry(crawl).or_default();
        let address = model.addresses.get_mut(claim.link.url.as_str()).unwrap();
        if address.rounds != claim.round || address.waiting.is_none() {
            return;
        }
        let row = address.waiting.take().unwrap();
        address.rounds += 1;
        *model.queued(row.at.0) -= 1;
        for (index, link) in links.iter().enumerate() {
            self.link(crawl, link, number, index);
        }
    }

    /// First waiting row of each host, best first.
    fn heads(&self, crawl: CrawlId) -> Vec<((Lane, u64, u64), String, String)> {
        let mut heads: BTreeMap<String, ((Lane, u64, u64), String)> = BTreeMap::new();
        let rows = self.crawls.get(&crawl).into_iter().flat_map(|c| &c.addresses);
        for (url, row) in rows.filter_map(|(url, address)| Some((url, address.waiting.as_ref()?))) {
            let host = row.link.url.host_str();
            let better = heads.get(host).is_none_or(|(at, _)| row.at < *at);
            if !row.claimed && better {
                heads.insert(host.to_owned(), (row.at, url.clone()));
            }
        }
        let mut heads: Vec<_> = heads.into_iter().map(|(host, (at, url))| (at, host, url)).collect();
        heads.sort_by_key(|(at, host, _)| (*at, HostKey::of_name(host)));
        heads
    }
}

impl ModelCrawl {
    fn queued(&mut self, lane: Lane) -> &mut u64 {
        match lane {
            Lane::Media => &mut self.figures.queued_media,
            Lane::Pages => &mut self.figures.queued_pages,
        }
    }
}

fn host_name(host: u8) -> HostName {
    HostName::parse(&format!("h{host}.example")).unwrap()
}

fn link(found: Found, mode: u8, parent: Option<&Claim>) -> Link {
    let picture = found.path >= 6;
    // Half of the pages share a template, so that its budget binds.
    let path = match found.path {
        path @ 0..4 => format!("n/{path}"),
        path => format!("p{}", ["a", "b", "c", "d"][usize::from(path) - 4]),
    };
    Link {
        url: Url::parse(&format!("http://{}/{path}", host_name(found.host))).unwrap(),
        kind: if picture { VisitKind::Media(MediaKind::Image) } else { VisitKind::Page },
        order: match mode {
            0 => Order::FirstIn,
            1 => Order::LastIn,
            _ => Order::Best(Priority::new(f64::from(found.priority) / 4.0)),
        },
        depth: found.depth.into(),
        branch: Branch { links: found.priority.into(), from_relevant: parent.is_some() },
        parent: parent.map(|claim| claim.id),
        referer: parent.map(|claim| claim.link.url.clone()),
        context: LinkContext { anchor: format!("{found:?}"), around: String::new() },
        hops: parent.filter(|_| found.redirect).map(|claim| claim.id).into_iter().collect(),
        reopen: found.reopen,
    }
}

struct Held {
    crawl: CrawlId,
    claim: Claim,
    number: u64,
    released: bool,
}

fn check(steps: Vec<Step>, mode: u8, active_hosts: usize) {
    let dir = crate::scratch::dir();
    let mut now = 1_000_000i64;
    let open = |now| State::open(dir.path(), Clock::stopped(Timestamp(now)), DELAY, active_hosts).unwrap();
    let mut state = open(now);
    let mut model = Model::default();
    let mut held: Vec<Held> = Vec::new();
    let mut reserved: Vec<u8> = Vec::new();
    let mut done: Vec<(CrawlId, Visited)> = Vec::new();
    let mut largest: HashMap<CrawlId, u64> = HashMap::new();
    let crawl_id = |second: bool| CrawlId(1 + u32::from(second));

    for step in steps {
        match step {
            Step::Add { crawl, links } => {
                let crawl = crawl_id(crawl);
                let links: Vec<Link> = links.into_iter().map(|found| link(found, mode, None)).collect();
                let new = state.add(crawl, &links, BUDGETS).unwrap();
                model.number += 1;
                let number = model.number;
                let expected: u64 = (0..).zip(&links).map(|(i, link)| model.link(crawl, link, number, i)).sum();
                assert_eq!(new, expected);
            }
            Step::Claim { crawl, any, pages, delay } => {
                let crawl = crawl_id(crawl);
                let limit = ClaimLimit { any, pages, run: None, delay: Duration::from_millis(delay.into()) };
                let claims = state.claim(crawl, limit).unwrap();
                let queued = model.crawls.get(&crawl).map_or(0, |c| c.figures.queued_pages + c.figures.queued_media);
                if queued > 0 && now >= model.quiet_until {
                    model.longest = model.longest.max(delay.into());
                }
                assert_eq!(claims.empty, queued == 0);
                let (mut expected, mut pages_left, mut next) = (Vec::new(), pages, None::<i64>);
                for (at, host, url) in model.heads(crawl) {
                    let clock = model.hosts.entry(host).or_default();
                    let ready_at = clock.ready_at.max(model.quiet_until);
                    if at.0 == Lane::Pages && pages == 0 || clock.busy {
                        continue;
                    }
                    if ready_at > now {
                        next = Some(next.map_or(ready_at, |next| next.min(ready_at)));
                    } else if expected.len() < any && (at.0 == Lane::Media || pages_left > 0) {
                        pages_left -= usize::from(at.0 == Lane::Pages);
                        clock.busy = true;
                        expected.push(url);
                    }
                }
                let urls: Vec<&str> = claims.claims.iter().map(|claim| claim.link.url.as_str()).collect();
                assert_eq!(urls, expected);
                if let (true, true, Some(next)) = (expected.is_empty(), any > 0, next) {
                    let told = claims.next.expect("a host rests with work");
                    assert!(told.0 > now && told.0 <= next, "told {told:?}, free at {next}, now {now}");
                }
                for claim in claims.claims {
                    let before = largest.insert(crawl, claim.number);
                    assert!(before.is_none_or(|before| before < claim.number), "claim numbers grow");
                    let address = model.crawls.get_mut(&crawl).unwrap().addresses.get_mut(claim.link.url.as_str());
                    let address = address.unwrap();
                    let row = address.waiting.as_mut().unwrap();
                    row.claimed = true;
                    assert_eq!((claim.tries, claim.round), (row.tries, address.rounds));
                    assert_eq!(claim.link, row.link);
                    model.number += 1;
                    held.push(Held { crawl, claim, number: model.number, released: false });
                }
                let active = state.crawls.get(&crawl).map_or(0, |queue| queue.active.len());
                let most = active_hosts + held.len() + reserved.len();
                assert!(active <= most, "{active} hosts in memory, not {most}");
            }
            Step::Finish { which, links } if which < held.len() && held[which].released => {
                let Held { crawl, claim, number, .. } = held.swap_remove(which);
                let links: Vec<Link> = links.into_iter().map(|found| link(found, mode, Some(&claim))).collect();
                let visit = visited(claim, links);
                state.finish(crawl, std::slice::from_ref(&visit), BUDGETS).unwrap();
                model.finish(crawl, &visit.claim, number, &visit.links);
                done.push((crawl, visit));
            }
            Step::FinishAgain { which } if which < done.len() => {
                let (crawl, visit) = &done[done.len() - 1 - which];
                state.finish(*crawl, std::slice::from_ref(visit), BUDGETS).unwrap();
                // Its links are all known or refused once more: nothing may change.
            }
            Step::Release { which, rest, delay } => {
                let unreleased = held.iter_mut().filter(|held| !held.released).nth(which);
                let host = match unreleased {
                    Some(held) => {
                        held.released = true;
                        held.claim.link.url.host()
                    }
                    None => match reserved.pop() {
                        Some(host) => host_name(host),
                        None => continue,
                    },
                };
                let delay = delay.map(|ms| Duration::from_millis(ms.into()));
                let until = now + i64::from(rest);
                state.release(&host, Rest { until: Timestamp(until), delay, failures: 0 }).unwrap();
                let clock = model.hosts.entry(host.as_str().into()).or_default();
                (clock.busy, clock.ready_at) = (false, until);
                clock.delay = delay.or(clock.delay);
            }
            Step::Reserve { host, delay } => {
                let answer = state.reserve(&host_name(host), Duration::from_millis(delay.into())).unwrap();
                model.longest = model.longest.max(delay.into());
                let clock = model.hosts.entry(host_name(host).as_str().into()).or_default();
                let ready_at = clock.ready_at.max(model.quiet_until);
                assert_eq!(matches!(answer, Reservation::Granted { .. }), !clock.busy && ready_at <= now);
                match answer {
                    Reservation::NotBefore(until) => assert!(until.0 > now),
                    Reservation::Granted { .. } => {
                        clock.busy = true;
                        reserved.push(host);
                    }
                }
            }
            Step::PutBack { which, failed } if which < held.len() => {
                // Before or after the release, both happen.
                if !held[which].released {
                    let host = held[which].claim.link.url.host();
                    state.put_back(held[which].crawl, held[which].claim.clone(), failed).unwrap();
                    state.release(&host, Rest { until: Timestamp(now), delay: None, failures: 0 }).unwrap();
                    let clock = model.hosts.get_mut(host.as_str()).unwrap();
                    (clock.busy, clock.ready_at) = (false, now);
                } else {
                    state.put_back(held[which].crawl, held[which].claim.clone(), failed).unwrap();
                }
                let Held { crawl, claim, .. } = held.swap_remove(which);
                let address = model.crawls.get_mut(&crawl).unwrap().addresses.get_mut(claim.link.url.as_str());
                let row = address.unwrap().waiting.as_mut().unwrap();
                row.claimed = false;
                row.tries += u32::from(failed);
            }
            Step::Wait { ms } => {
                now += i64::from(ms);
                state.clock = Clock::stopped(Timestamp(now));
            }
            Step::Close | Step::Kill => {
                let clean = matches!(step, Step::Close);
                if clean {
                    state.close().unwrap();
                }
                drop(state);
                state = open(now);
                held.clear();
                reserved.clear();
                let rows = model.crawls.values_mut().flat_map(|c| c.addresses.values_mut());
                rows.filter_map(|address| address.waiting.as_mut()).for_each(|row| row.claimed = false);
                let usual = DELAY.as_millis() as i64;
                let mut longest = std::mem::take(&mut model.longest).max(usual);
                if !clean {
                    // Killed while all wait, they wait on.
                    if model.quiet_until > now {
                        longest = longest.max(model.waited);
                    }
                    (model.waited, model.quiet_until) = (longest, now + longest);
                }
                for clock in model.hosts.values_mut() {
                    let rested = now + longest.max(clock.delay.unwrap_or_default().as_millis() as i64);
                    if clock.busy || !clean {
                        clock.ready_at = clock.ready_at.max(rested);
                    }
                    clock.busy = false;
                }
            }
            _ => {}
        }
        for second in [false, true] {
            let crawl = crawl_id(second);
            let ModelCrawl { figures, overruns, .. } = model.crawls.entry(crawl).or_default();
            let each = overruns.iter().map(|((host, shape), &refused)| Overrun {
                host: host.clone(),
                shape: shape.clone(),
                refused,
            });
            let expected = FrontierFigures { overruns: Overrun::worst(each.collect()), ..figures.clone() };
            assert_eq!(state.figures(crawl).unwrap(), expected);
        }
    }
}

fn visited(claim: Claim, links: Vec<Link>) -> Visited {
    let outcome = Outcome::Refused(crate::Refused::unseen("a test"));
    Visited { claim, at: Timestamp(0), took_ms: 0, bytes: 0, status: None, version: Version::default(), outcome, links }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_queue_behaves_as_its_model(
        steps in prop::collection::vec(step(), 1..150),
        mode in 0u8..3,
        active_hosts in 1usize..6,
    ) {
        check(steps, mode, active_hosts);
    }
}
