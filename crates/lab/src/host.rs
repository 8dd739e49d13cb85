//! Sites: what kind each is, how it is named, how big it is and what habits it has. Everything is
//! computed from its place in the list, so that a web of a million sites costs no more than one.

use serde::Serialize;

use crate::Settings;
use crate::dice::Dice;
use crate::tongue::Tongue;
use crate::town::{FOCUS_TOWNS, TOWNS};

/// The kinds of site of the documents [000 Tables 8 and 11].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// Photo sharing.
    Photos,
    /// Travel news and guides.
    Travel,
    /// General news.
    News,
    /// A town's own site.
    Town,
    /// A restaurant.
    Restaurant,
    /// A museum.
    Museum,
    /// A shop.
    Shop,
    /// Someone's blog.
    Blog,
}

use SiteKind::*;

/// Kinds in the order in which sites come; repeated for as many sites as there are.
const ROW: [SiteKind; 20] = [
    Town, Photos, Travel, News, Restaurant, Museum, Blog, Shop, Town, Photos, Travel, Restaurant, News, Town, Blog,
    Shop, Photos, Restaurant, News, Travel,
];

impl SiteKind {
    /// The first part of the host names of this kind.
    pub fn word(self) -> &'static str {
        match self {
            Photos => "photos",
            Travel => "travel",
            News => "news",
            Town => "town",
            Restaurant => "restaurant",
            Museum => "museum",
            Shop => "shop",
            Blog => "blog",
        }
    }

    /// How big a site of this kind is, compared with others.
    fn weight(self) -> u64 {
        match self {
            Photos => 16,
            Travel => 15,
            News => 16,
            Town => 12,
            Restaurant => 3,
            Museum => 6,
            Shop => 9,
            Blog => 7,
        }
    }

    /// Whether the whole site belongs to one town.
    pub(crate) fn is_local(self) -> bool {
        matches!(self, Town | Restaurant | Museum | Shop)
    }
}

/// What a site's robots.txt is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RobotsStyle {
    Missing,
    AllowAll,
    Sections,
    CrawlDelay,
    Messy,
    Redirected,
    Broken,
}

/// What a site does before it shows a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wall {
    None,
    Notice,
    CookieToSelf,
    CookieByConsent,
}

/// What is wrong with a site's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// Nothing.
    Good,
    /// Its time is over.
    Expired,
    /// It names another host.
    WrongName,
}

/// Everything about a site that does not depend on the page.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub index: u32,
    pub kind: SiteKind,
    /// The name with `www.` where the site prefers it.
    pub name: String,
    pub www: bool,
    pub https: bool,
    pub certificate: Certificate,
    pub pages: u64,
    pub tongue: &'static Tongue,
    /// The town a local site belongs to; for others the one its editors sit in.
    pub town: u32,
    pub robots: RobotsStyle,
    pub crawl_delay: Option<f64>,
    pub wall: Wall,
    /// Paths that say nothing: `/node/17`.
    pub opaque: bool,
    /// Pictures are refused without this site as Referer.
    pub hotlink_guard: bool,
    /// Picture addresses carry an expiry and a signature.
    pub signed: bool,
    /// Pictures come from this file server instead of the site itself.
    pub cdn: Option<u32>,
    pub ranges: bool,
    pub compresses: bool,
    pub sitemap: bool,
    pub tdm_reserved: bool,
}

/// The domain all hosts are in.
pub(crate) const DOMAIN: &str = "lab.test";

/// Sites at the start of the list, which seeds are taken from, are well behaved.
const WELL_BEHAVED: u32 = 8;

/// Marks the rows that are the sites of a kind, not the pages of a site.
const SITES: u64 = 1 << 48;

/// The town the web's number is about, as an index into the list of towns.
pub(crate) fn focus(settings: &Settings) -> u32 {
    (settings.number % FOCUS_TOWNS) as u32
}

/// One in how many pages with an address is in the focus town.
pub(crate) fn focus_period(settings: &Settings) -> u64 {
    (1.0 / settings.focus_share.clamp(0.001, 1.0)).round() as u64
}

/// The town of the `position`-th thing in a row of things that have towns: every few the focus,
/// between them the others in turn, starting elsewhere in each row.
pub(crate) fn town_at(settings: &Settings, row: u64, position: u64) -> u32 {
    let period = focus_period(settings);
    let turn = turn(settings, row);
    if position % period == turn {
        return focus(settings);
    }
    let other = position - (position + period - 1 - turn) / period;
    let others = TOWNS.len() as u64 - 1;
    let town = (other + offset(settings, row)) % others;
    if town >= u64::from(focus(settings)) { town as u32 + 1 } else { town as u32 }
}

/// The inverse of [`town_at`]: one of the positions below `count` that have this town.
pub(crate) fn position_of(settings: &Settings, row: u64, town: u32, count: u64, dice: &mut Dice) -> Option<u64> {
    let (period, turn) = (focus_period(settings), turn(settings, row));
    let focused = (count + period - 1 - turn) / period;
    if town == focus(settings) {
        return (focused > 0).then(|| dice.below(focused) * period + turn);
    }
    if period == 1 {
        return None;
    }
    let others = TOWNS.len() as u64 - 1;
    let wanted = u64::from(town) - u64::from(town > focus(settings));
    let first = (wanted + others - offset(settings, row)) % others;
    let free = count - focused;
    if first >= free {
        return None;
    }
    let other = first + others * dice.below((free - first).div_ceil(others));
    Some(other + (other + period - 1 - turn) / (period - 1))
}

/// Which position of each period is the focus: the first among the sites of a kind (so that the
/// smallest web has some), anywhere among the pages of a site.
fn turn(settings: &Settings, row: u64) -> u64 {
    if row >= SITES { 0 } else { Dice::new(settings.number, "turn", [row]).below(focus_period(settings)) }
}

fn offset(settings: &Settings, row: u64) -> u64 {
    Dice::new(settings.number, "towns", [row]).below(TOWNS.len() as u64 - 1)
}

/// How many of the first `index` sites are of this kind.
fn kind_count(kind: SiteKind, index: u32) -> u32 {
    let in_row = |upto: usize| ROW[..upto].iter().filter(|k| **k == kind).count() as u32;
    index / 20 * in_row(20) + in_row(index as usize % 20)
}

fn weight_before(index: u32) -> u64 {
    let in_row = |upto: usize| ROW[..upto].iter().map(|k| k.weight()).sum::<u64>();
    u64::from(index / 20) * in_row(20) + in_row(index as usize % 20)
}

/// Pages of the site: the total is shared out by weight so that it comes out exactly.
fn pages_of(settings: &Settings, index: u32) -> u64 {
    let all = u128::from(weight_before(settings.hosts)).max(1);
    let upto = |index: u32| (u128::from(settings.pages) * u128::from(weight_before(index)) / all) as u64;
    (upto(index + 1) - upto(index)).max(1)
}

impl Host {
    /// The site at this place in the list.
    pub fn at(settings: &Settings, index: u32) -> Self {
        let kind = ROW[index as usize % 20];
        let nth = kind_count(kind, index);
        let tame = index < WELL_BEHAVED;
        let mut dice = Dice::new(settings.number, "host", [u64::from(index)]);
        let town = town_at(settings, SITES | kind as u64, u64::from(nth));
        let www = dice.chance(0.15);
        let https = dice.chance(settings.https_share);
        let bad = if tame || !https || !settings.bad_certificates { 1.0 } else { dice.unit() };
        let home_tongue = TOWNS[town as usize].country.tongue();
        let focus_tongue = TOWNS[focus(settings) as usize].country.tongue();
        let tongue = match (kind.is_local(), dice.unit()) {
            (true, _) => home_tongue,
            (false, u) if u < 0.45 => focus_tongue,
            (false, u) if u < 0.70 => Tongue::of("en"),
            _ => &Tongue::all()[dice.below(Tongue::all().len() as u64) as usize],
        };
        let robots = match dice.unit() {
            _ if tame => RobotsStyle::Sections,
            u if u < 0.20 => RobotsStyle::Missing,
            u if u < 0.40 => RobotsStyle::AllowAll,
            u if u < 0.65 => RobotsStyle::Sections,
            u if u < 0.78 => RobotsStyle::CrawlDelay,
            u if u < 0.90 => RobotsStyle::Messy,
            u if u < 0.97 => RobotsStyle::Redirected,
            _ => RobotsStyle::Broken,
        };
        let delays = matches!(robots, RobotsStyle::CrawlDelay) || (robots == RobotsStyle::Messy && dice.chance(0.3));
        let wall = match dice.unit() {
            u if tame || u < 0.80 => Wall::None,
            u if u < 0.90 => Wall::Notice,
            u if u < 0.96 => Wall::CookieToSelf,
            _ => Wall::CookieByConsent,
        };
        let cdns = u64::from(cdn_count(settings));
        let join = if settings.own_domains { '-' } else { '.' };
        let bare = format!("{}{}{join}{DOMAIN}", kind.word(), nth + 1);
        Self {
            index,
            kind,
            name: if www { format!("www.{bare}") } else { bare },
            www,
            https,
            certificate: match bad {
                b if b < 0.03 => Certificate::Expired,
                b if b < 0.06 => Certificate::WrongName,
                _ => Certificate::Good,
            },
            pages: pages_of(settings, index),
            tongue,
            town,
            robots,
            crawl_delay: delays.then(|| (settings.crawl_delay * (0.5 + 0.5 * dice.unit()) * 1000.0).round() / 1000.0),
            wall,
            opaque: dice.chance(0.15) && !tame,
            hotlink_guard: dice.chance(0.15),
            signed: dice.chance(0.08),
            cdn: dice.chance(0.35).then(|| dice.below(cdns) as u32),
            ranges: dice.chance(0.9),
            compresses: dice.chance(0.85),
            sitemap: dice.chance(0.5),
            tdm_reserved: !tame && dice.chance(0.04),
        }
    }

    /// The place in the list of the site with this name, with or without `www.`.
    pub fn index_of(settings: &Settings, name: &str) -> Option<u32> {
        let bare = name.strip_prefix("www.").unwrap_or(name).strip_suffix(DOMAIN)?;
        let bare = bare.strip_suffix(if settings.own_domains { '-' } else { '.' })?;
        let digits = bare.find(|c: char| c.is_ascii_digit())?;
        let (word, number) = bare.split_at(digits);
        let kind = *ROW.iter().find(|kind| kind.word() == word)?;
        if number.starts_with('0') {
            return None;
        }
        let index = nth_of_kind(kind, number.parse::<u32>().ok()?.checked_sub(1)?)?;
        (index < settings.hosts).then_some(index)
    }

    pub fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }

    /// Scheme and host, without a slash at the end.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme(), self.name)
    }

    /// A site that cannot be crawled at all: its robots.txt fails, or its certificate is bad.
    pub fn out_of_reach(&self) -> bool {
        self.robots == RobotsStyle::Broken || self.certificate != Certificate::Good
    }
}

/// Where the `nth` site of a kind is in the list.
fn nth_of_kind(kind: SiteKind, nth: u32) -> Option<u32> {
    let per_row = ROW.iter().filter(|k| **k == kind).count() as u32;
    let place = ROW.iter().enumerate().filter(|(_, k)| **k == kind).nth((nth % per_row) as usize)?.0 as u32;
    (nth / per_row).checked_mul(20)?.checked_add(place)
}

/// A site of this kind that belongs to the town, if there is one.
pub(crate) fn local_host(settings: &Settings, kind: SiteKind, town: u32, dice: &mut Dice) -> Option<u32> {
    let count = kind_count(kind, settings.hosts);
    let nth = position_of(settings, SITES | kind as u64, town, u64::from(count), dice)?;
    nth_of_kind(kind, nth as u32)
}

/// How many file servers there are.
pub(crate) fn cdn_count(settings: &Settings) -> u32 {
    settings.hosts / 10 + 1
}

/// The name of a file server.
pub(crate) fn cdn_name(n: u32) -> String {
    format!("cdn{}.{DOMAIN}", n + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_sites() {
        let settings = Settings { hosts: 1000, ..Settings::default() };
        for index in 0..1000 {
            let host = Host::at(&settings, index);
            assert_eq!(Host::index_of(&settings, &host.name), Some(index), "{}", host.name);
        }
        let apart = Settings { own_domains: true, ..settings.clone() };
        let host = Host::at(&apart, 9);
        assert!(host.name.ends_with("photos2-lab.test") && Host::index_of(&apart, &host.name) == Some(9));
        for name in ["town01.lab.test", "town.lab.test", "town99999.lab.test", "cdn1.lab.test", "town1.example", "x"] {
            assert_eq!(Host::index_of(&settings, name), None, "{name}");
        }
    }

    #[test]
    fn the_pages_of_all_sites_add_up() {
        for (hosts, pages) in [(1, 10), (7, 1_000), (100, 10_000), (333, 1_000_000)] {
            let settings = Settings { hosts, pages, ..Settings::default() };
            assert_eq!((0..hosts).map(|i| Host::at(&settings, i).pages).sum::<u64>(), pages);
        }
    }

    #[test]
    fn towns_can_be_looked_up_both_ways() {
        let settings = Settings::default();
        let mut dice = Dice::new(1, "test", [0]);
        for row in 0..5 {
            for count in [0, 1, 3, 60, 500] {
                let towns: Vec<u32> = (0..count).map(|p| town_at(&settings, row, p)).collect();
                for town in 0..TOWNS.len() as u32 {
                    match position_of(&settings, row, town, count, &mut dice) {
                        Some(position) => assert_eq!(towns[position as usize], town),
                        None => assert!(!towns.contains(&town)),
                    }
                }
            }
        }
    }
}
