//! Where pages link to.
//!
//! Pages with an address rarely link to each other. The way from one to the next leads over pages
//! without an address: a directory of places is one step away, a guide two, a story three, a
//! column four. These are the bridges of \[001\]; tags, archives, products and profiles are its
//! tails. The rest of a page's links are drawn at random, mostly from articles and tails.

use crate::Settings;
use crate::dice::Dice;
use crate::host::{Host, SiteKind, local_host};
use crate::page::{Page, PageId, Role, page_about, range};
use crate::topics::{self, Aside};

/// The part of the page a link stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Block {
    Nav,
    Body,
    Related,
    /// A list whose links name what the page is not about.
    Listed,
    Footer,
}

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum To {
    Page(PageId),
    /// Nothing: 404, 410 or 500 by its number.
    Dead(u64),
    /// Two addresses that redirect to each other.
    Loop,
    /// The host whose certificate has expired, or is another's.
    BadCertificate(bool),
    /// The site's calendar without end.
    Calendar,
}

/// How the address of a page is written in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Manner {
    Canonical,
    /// With parameters that say where the visitor came from.
    Tracked,
    /// With a session id.
    Session,
    /// Over so many redirects.
    Redirected(u8),
    /// The other scheme or without `www.`: redirected by the site.
    OldAddress,
}

/// A link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub to: To,
    pub block: Block,
    pub manner: Manner,
    pub nofollow: bool,
}

/// Levels of bridge pages: the first leads to addresses, each other to the one before.
const LEVELS: [Role; 4] = [Role::Directory, Role::Guide, Role::Story, Role::Column];

/// Roles that random links lead to, and how often.
const RANDOM: [(Role, f64); 10] = [
    (Role::Article, 0.44),
    (Role::Tag, 0.12),
    (Role::Archive, 0.08),
    (Role::Item, 0.14),
    (Role::Home, 0.07),
    (Role::Column, 0.06),
    (Role::Story, 0.05),
    (Role::Guide, 0.036),
    (Role::Directory, 0.009),
    (Role::Place, 0.001),
];

/// All links of the page, in document order. Some may be twice, as on real pages.
pub(crate) fn edges(page: &Page<'_>) -> Vec<Edge> {
    let mut dice = page.dice("links");
    let mut edges = Vec::with_capacity(80);
    let mut push = |to, block, dice: &mut Dice| {
        let (manner, nofollow) = match block {
            Block::Nav | Block::Footer => (Manner::Canonical, false),
            _ => (manner(page, dice), dice.chance(0.01)),
        };
        edges.push(Edge { to, block, manner, nofollow });
    };

    let nav = navigation(page);
    for index in &nav {
        push(To::Page(PageId { host: page.host.index, index: *index }), Block::Nav, &mut dice);
    }
    for target in ways(page, &mut dice) {
        push(To::Page(target), Block::Body, &mut dice);
    }
    for _ in 0..dice.between(8, 20) {
        push(random(page, &mut dice), Block::Body, &mut dice);
    }
    for _ in 0..dice.between(8, 16) {
        let to = related(page, &mut dice).unwrap_or_else(|| random(page, &mut dice));
        push(to, Block::Related, &mut dice);
    }
    if let Some(Aside::Listed(topic)) = page.aside {
        for target in topics::unrelated(page, topic, &mut dice) {
            push(To::Page(target), Block::Listed, &mut dice);
        }
    }
    for to in footer(page) {
        push(to, Block::Footer, &mut dice);
    }
    edges
}

/// The links at the top of each page of the site.
fn navigation(page: &Page<'_>) -> Vec<u64> {
    let mut nav: Vec<u64> = (0..page.host.pages.min(4)).collect();
    for (role, most) in [(Role::Guide, 1), (Role::Column, 4), (Role::Article, 7)] {
        let (first, count) = range(page.host, role);
        nav.extend(first..first + count.min(most));
    }
    nav
}

/// The same on every page of the site: old articles, partner sites, and what has been forgotten there.
fn footer(page: &Page<'_>) -> Vec<To> {
    let host = page.host;
    let mut dice = Dice::new(page.settings.number, "footer", [u64::from(host.index)]);
    let mut links = Vec::with_capacity(14);
    let (first, count) = range(host, Role::Article);
    for _ in 0..dice.between(4, 7).min(count) {
        links.push(To::Page(PageId { host: host.index, index: first + dice.below(count) }));
    }
    for _ in 0..dice.between(3, 7) {
        links.push(To::Page(PageId { host: dice.below(u64::from(page.settings.hosts)) as u32, index: 0 }));
    }
    if dice.chance(0.15) {
        links.push(To::Dead(dice.below(30)));
    }
    if dice.chance(0.05) {
        links.push(To::Loop);
    }
    if page.settings.bad_certificates && dice.chance(0.08) {
        links.push(To::BadCertificate(dice.chance(0.5)));
    }
    if page.settings.traps && dice.chance(0.2) {
        links.push(To::Calendar);
    }
    links
}

/// The links that make the bridges.
fn ways(page: &Page<'_>, dice: &mut Dice) -> Vec<PageId> {
    let mut ways = Vec::new();
    let mut lead = |role: Role, town: u32, count: u64, dice: &mut Dice| {
        for _ in 0..count {
            if dice.chance(page.settings.noise) {
                continue;
            }
            ways.extend(somewhere_about(page, role, town, dice));
        }
    };
    match page.role {
        Role::Place | Role::Contact => {
            // Few pages with an address name others of their town; those that do, name several.
            if page.has_address() && dice.chance(page.settings.cohesion) {
                let count = dice.between(5, 10);
                lead(Role::Place, page.town, count, dice);
            }
            lead(LEVELS[bridge_length(page)], page.town, 5, dice);
        }
        Role::Directory => {
            let count = dice.between(12, 24);
            lead(Role::Place, page.town, count, dice);
            lead(Role::Directory, page.town, 1, dice);
        }
        Role::Guide => {
            let count = dice.between(3, 6);
            lead(Role::Directory, page.town, count, dice)
        }
        Role::Story => {
            let count = dice.between(2, 4);
            lead(Role::Guide, page.town, count, dice)
        }
        Role::Column => {
            let count = dice.between(2, 4);
            lead(Role::Story, page.town, count, dice)
        }
        Role::Home => {
            lead(Role::Directory, page.town, 4, dice);
            lead(Role::Guide, page.town, 2, dice);
            lead(Role::Column, page.town, 2, dice);
        }
        Role::Article if dice.chance(0.3) => {
            let level = dice.pick(&LEVELS[1..3]);
            lead(level, page.town, 1, dice);
        }
        _ => {}
    }
    ways.retain(|way| *way != page.id());
    ways
}

/// How many levels the way from this page to another with an address has, less one.
fn bridge_length(page: &Page<'_>) -> usize {
    page.dice("bridge").weighted(&page.settings.bridge)
}

/// Half of what pages about places call related is about the same town: bridges as long as the
/// page's own, or longer.
fn related(page: &Page<'_>, dice: &mut Dice) -> Option<To> {
    let levels = match page.role {
        Role::Place => bridge_length(page)..LEVELS.len(),
        Role::Directory => 0..2,
        Role::Guide => 1..3,
        _ => return None,
    };
    if dice.chance(0.5 + page.settings.noise / 2.0) {
        return None;
    }
    let level = levels.start + dice.below(levels.len() as u64) as usize;
    somewhere_about(page, LEVELS[level], page.town, dice).map(To::Page)
}

/// A page with this role about the town: on this site, a site of the town, or any other.
fn somewhere_about(page: &Page<'_>, role: Role, town: u32, dice: &mut Dice) -> Option<PageId> {
    let settings = page.settings;
    let on = |host: &Host, dice: &mut Dice| {
        let index = page_about(settings, host, role, town, dice)?;
        Some(PageId { host: host.index, index })
    };
    if dice.chance(0.6)
        && let Some(found) = on(page.host, dice)
    {
        return Some(found);
    }
    if dice.chance(0.25)
        && let Some(found) = local_contact(settings, role, town, dice)
    {
        return Some(found);
    }
    if dice.chance(0.4)
        && let Some(index) = local_host(settings, SiteKind::Town, town, dice)
        && let Some(found) = on(&Host::at(settings, index), dice)
    {
        return Some(found);
    }
    for _ in 0..4 {
        let index = dice.below(u64::from(settings.hosts)) as u32;
        if let Some(found) = on(&Host::at(settings, index), dice) {
            return Some(found);
        }
    }
    on(page.host, dice)
}

/// Restaurants, museums and shops are listed by their home page or one of their articles, from
/// where the contact page with the address is one step more.
fn local_contact(settings: &Settings, role: Role, town: u32, dice: &mut Dice) -> Option<PageId> {
    if role != Role::Place {
        return None;
    }
    let kind = dice.pick(&[SiteKind::Restaurant, SiteKind::Museum, SiteKind::Shop]);
    let host = local_host(settings, kind, town, dice)?;
    Some(PageId { host, index: if dice.chance(0.3) { 1 } else { 0 } })
}

/// A link that has nothing to do with the way.
fn random(page: &Page<'_>, dice: &mut Dice) -> To {
    if dice.chance(0.01) {
        return To::Dead(dice.below(1000));
    }
    if let Some(topics) = &page.settings.topics
        && dice.chance(topics.cohesion)
        && let Some(found) = topics::alike(page, dice)
    {
        return To::Page(found);
    }
    let anywhere = |dice: &mut Dice| Host::at(page.settings, dice.below(u64::from(page.settings.hosts)) as u32);
    // Nothing is drawn where there are no such links: those webs are as they always were.
    if page.settings.aimless > 0.0 && dice.chance(page.settings.aimless) {
        let host = anywhere(dice);
        return To::Page(PageId { host: host.index, index: dice.below(host.pages) });
    }
    let other;
    let host = if dice.chance(0.65) {
        page.host
    } else {
        other = anywhere(dice);
        &other
    };
    let weights = RANDOM.map(|(_, weight)| weight);
    for _ in 0..3 {
        let role = RANDOM[dice.weighted(&weights)].0;
        let (first, count) = range(host, role);
        let index = first + dice.below(count);
        let Some(target) = (count > 0).then(|| Page::new(page.settings, host, index)).flatten() else { continue };
        // Whether pages with an address link to each other is decided by the cohesion alone.
        if page.has_address() && target.has_address() && target.town == page.town {
            continue;
        }
        return To::Page(target.id());
    }
    To::Page(PageId { host: host.index, index: 0 })
}

fn manner(page: &Page<'_>, dice: &mut Dice) -> Manner {
    match dice.unit() {
        u if u < 0.03 => Manner::Tracked,
        u if u < 0.04 => Manner::Session,
        u if u < 0.06 => Manner::Redirected(dice.between(1, 3) as u8),
        u if u < 0.08 && (page.host.https || page.host.www) => Manner::OldAddress,
        _ => Manner::Canonical,
    }
}
