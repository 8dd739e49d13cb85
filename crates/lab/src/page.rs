//! Pages: which part a page plays on its site, what it is about, and its path.
//!
//! The pages of a site are numbered; each role has a range of numbers, so that "some page with an
//! address in this town" can be computed instead of searched for.

use serde::Serialize;

use crate::Settings;
use crate::dice::Dice;
use crate::host::{Host, RobotsStyle, SiteKind, position_of, town_at};
use crate::tongue::{Label, TOPICS, Tongue, slug};
use crate::topics::Aside;
use crate::town::{Address, TOWNS, Town};

/// The part a page plays on its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The start page.
    Home,
    /// How to reach the site's owner; restaurants, museums and shops give their address here.
    Contact,
    /// Legal notes.
    Terms,
    /// A form to log in.
    Login,
    /// A list of places in a town: one step before pages with an address.
    Directory,
    /// About a town, leading to directories.
    Guide,
    /// A story set in a town, leading to guides.
    Story,
    /// A column, leading to stories.
    Column,
    /// About one place, with its address.
    Place,
    /// An ordinary article.
    Article,
    /// All there is about a word; leads nowhere.
    Tag,
    /// Old articles by month; leads nowhere.
    Archive,
    /// A product or a user's profile; leads nowhere.
    Item,
}

use Role::*;

/// Roles that have a range of pages each, in the order of the ranges.
const RANGED: [Role; 9] = [Directory, Guide, Story, Column, Place, Article, Tag, Archive, Item];
const SINGLE: [Role; 4] = [Home, Contact, Terms, Login];

/// Shares of the ranged roles but the last, in hundredths, by kind of site.
fn shares(kind: SiteKind) -> [u64; 8] {
    match kind {
        SiteKind::Town => [5, 8, 5, 4, 34, 22, 8, 8],
        SiteKind::Travel => [5, 9, 7, 5, 30, 24, 8, 6],
        SiteKind::Photos => [4, 5, 4, 4, 25, 12, 16, 6],
        SiteKind::News => [2, 3, 5, 6, 8, 44, 14, 14],
        SiteKind::Blog => [2, 3, 6, 5, 8, 46, 14, 14],
        SiteKind::Restaurant => [3, 4, 4, 4, 0, 40, 10, 5],
        SiteKind::Museum => [3, 5, 6, 6, 0, 40, 10, 10],
        SiteKind::Shop => [1, 1, 2, 3, 0, 15, 13, 5],
    }
}

/// The range of a role's page numbers: first and how many.
pub(crate) fn range(host: &Host, role: Role) -> (u64, u64) {
    if let Some(n) = SINGLE.iter().position(|single| *single == role) {
        let n = n as u64;
        return (n, u64::from(n < host.pages));
    }
    let singles = SINGLE.len() as u64;
    let rest = host.pages.saturating_sub(singles);
    let shares = shares(host.kind);
    let mut first = singles;
    for (ranged, share) in RANGED.iter().zip(shares) {
        let count = rest * share / 100;
        if *ranged == role {
            return (first, count);
        }
        first += count;
    }
    (first, host.pages.saturating_sub(first))
}

/// A page by its site and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageId {
    pub(crate) host: u32,
    pub(crate) index: u64,
}

/// A page and what it is about.
#[derive(Clone, Debug)]
pub(crate) struct Page<'a> {
    pub settings: &'a Settings,
    pub host: &'a Host,
    pub index: u64,
    pub role: Role,
    /// Place within the role's range.
    pub nth: u64,
    /// The town it has an address in, or speaks of.
    pub town: u32,
    /// Neither its path nor the links to it name a place.
    pub plain: bool,
    pub topics: [u64; 2],
    /// The same in the forms that the page writes them in.
    pub spoken: [u64; 2],
    /// A topic that it names and is not about.
    pub aside: Option<Aside>,
}

impl<'a> Page<'a> {
    pub fn new(settings: &'a Settings, host: &'a Host, index: u64) -> Option<Self> {
        let role = role_of(host, index)?;
        let nth = index - range(host, role).0;
        let town = if host.kind.is_local() || SINGLE.contains(&role) {
            host.town
        } else {
            town_at(settings, row(host, role), nth)
        };
        let mut dice = Dice::new(settings.number, "page", [u64::from(host.index), index]);
        let plain = dice.chance(settings.plain_share);
        let host_topic = Dice::new(settings.number, "topic", [u64::from(host.index)]).below(TOPICS);
        let topics = [if dice.chance(0.5) { host_topic } else { dice.below(TOPICS) }, dice.below(TOPICS)];
        let (spoken, aside) = match &settings.topics {
            Some(share) => {
                (share.spoken(settings, host, index, topics), share.aside(settings, host, index, topics, role))
            }
            None => (topics, None),
        };
        Some(Self { settings, host, index, role, nth, town, plain, topics, spoken, aside })
    }

    pub fn id(&self) -> PageId {
        PageId { host: self.host.index, index: self.index }
    }

    pub fn dice(&self, what: &str) -> Dice {
        Dice::new(self.settings.number, what, [u64::from(self.host.index), self.index])
    }

    pub fn town(&self) -> &'static Town {
        &TOWNS[self.town as usize]
    }

    pub fn tongue(&self) -> &'static Tongue {
        self.host.tongue
    }

    /// Whether the page gives an address (of its town).
    pub fn has_address(&self) -> bool {
        has_address(self.host.kind, self.role)
    }

    pub fn address(&self) -> Option<Address> {
        self.has_address().then(|| Address::within(self.town(), &mut self.dice("address")))
    }

    /// A word for each topic, in the page's language.
    pub fn topic_words(&self) -> [&'static str; 2] {
        self.topics.map(|topic| self.tongue().noun(topic))
    }

    /// What the page is called.
    pub fn title(&self) -> String {
        let (tongue, mut dice) = (self.tongue(), self.dice("title"));
        let label = |label| tongue.label(label);
        let named = |word: &str| {
            if self.plain { word.to_owned() } else { format!("{word}{}{}", tongue.space, self.town().name) }
        };
        match self.role {
            Home => format!("{} – {}", label(Label::Welcome), self.host.name),
            Contact => label(Label::Contact).to_owned(),
            Terms => label(Label::Terms).to_owned(),
            Login => label(Label::Login).to_owned(),
            Directory => format!("{} {}", named(label(Label::Directory)), self.nth + 1),
            Guide => format!("{} {}", named(label(Label::Guide)), tongue.title(&mut dice, self.spoken[0])),
            Place => named(&format!("{} {}", dice.pick(&tongue.sights), name(&mut dice))),
            Story if !self.plain => {
                format!("{} ({})", tongue.title(&mut dice, self.spoken[0]), self.town().name)
            }
            Tag => format!("#{}", tongue.noun(self.spoken[0])),
            Archive => format!("{} {}", label(Label::Archive), 1998 + self.nth % 28),
            Item => format!("{} {}", name(&mut dice), self.nth + 1),
            Story | Column | Article => tongue.title(&mut dice, self.spoken[0]),
        }
    }

    /// The canonical path, which names the page and no other.
    pub fn path(&self) -> String {
        if self.role == Home {
            return "/".to_owned();
        }
        if self.host.opaque && !SINGLE.contains(&self.role) {
            return format!("/node/{}", self.index);
        }
        let section = section(self.host, self.role);
        let nth = self.nth + 1;
        let words = path_tongue(self.host.tongue);
        let noun = || slug(words.nouns[self.topics[0] as usize]);
        let place = || slug(self.town().name);
        match self.role {
            Contact | Terms | Login => format!("/{section}"),
            Place if self.plain => format!("/{section}/{nth}"),
            Place => {
                let sight = slug(self.dice("title").pick(&words.sights));
                format!("/{section}/{sight}-{}-{nth}", place())
            }
            Directory | Guide | Story if !self.plain => format!("/{section}/{}-{}-{nth}", noun(), place()),
            Directory | Guide => format!("/{section}/{nth}"),
            Archive => format!("/{section}/{}/{:02}/{nth}", 1998 + self.nth % 28, 1 + self.nth % 12),
            Item => format!("/{section}/{nth}"),
            _ => format!("/{section}/{}-{nth}", noun()),
        }
    }

    /// The canonical address.
    pub fn url(&self) -> String {
        format!("{}{}", self.host.origin(), self.path())
    }

    /// Whether the site's robots.txt lets crawlers in here.
    pub fn allowed(&self) -> bool {
        match self.host.robots {
            RobotsStyle::Broken => false,
            RobotsStyle::Sections | RobotsStyle::Messy => match self.role {
                Login => false,
                Archive => self.host.opaque,
                _ => true,
            },
            _ => true,
        }
    }

    /// `noindex` and the like in the page's head: rare, never on the pages that lead on.
    pub fn robots_meta(&self) -> Option<&'static str> {
        let wish = self.dice("robots meta").below(120);
        match (self.role, wish) {
            (Home | Contact | Directory | Guide | Place, _) => None,
            (_, 0) => Some("noindex"),
            (_, 1) => Some("nofollow"),
            (_, 2) => Some("noindex, nofollow"),
            (_, 3) => Some("noimageindex"),
            (_, 4) => Some("noai, noimageai"),
            _ => None,
        }
    }

    /// The same in a header.
    pub fn robots_header(&self) -> Option<&'static str> {
        let wish = self.dice("robots header").below(200);
        match (self.role, wish) {
            (Home | Contact | Directory | Guide | Place, _) => None,
            (_, 0) => Some("noindex"),
            (_, 1) => Some("noai"),
            (_, 2) => Some("otherbot: noindex"),
            _ => None,
        }
    }
}

fn row(host: &Host, role: Role) -> u64 {
    u64::from(host.index) << 8 | role as u64
}

fn role_of(host: &Host, index: u64) -> Option<Role> {
    if index >= host.pages {
        return None;
    }
    if let Some(single) = SINGLE.get(index as usize) {
        return Some(*single);
    }
    RANGED.into_iter().find(|role| {
        let (first, count) = range(host, *role);
        (first..first + count).contains(&index)
    })
}

fn has_address(kind: SiteKind, role: Role) -> bool {
    match role {
        Place => true,
        Contact => matches!(kind, SiteKind::Restaurant | SiteKind::Museum | SiteKind::Shop),
        _ => false,
    }
}

/// Some page of the site with this role that has to do with the town, if there is one.
pub(crate) fn page_about(settings: &Settings, host: &Host, role: Role, town: u32, dice: &mut Dice) -> Option<u64> {
    let (first, count) = range(host, role);
    if host.kind.is_local() {
        return (host.town == town && count > 0).then(|| first + dice.below(count));
    }
    position_of(settings, row(host, role), town, count, dice).map(|nth| first + nth)
}

/// Paths are written in the site's language; Japanese sites use English ones, as many do.
fn path_tongue(tongue: &'static Tongue) -> &'static Tongue {
    if tongue.code == "ja" { Tongue::of("en") } else { tongue }
}

/// The first part of the paths of a role.
pub(crate) fn section(host: &Host, role: Role) -> String {
    let tongue = path_tongue(host.tongue);
    let label = |label| slug(tongue.label(label));
    match role {
        Home => String::new(),
        Contact => label(Label::Contact),
        Terms => label(Label::Terms),
        Login => "login".to_owned(),
        Directory => label(Label::Directory),
        Guide => label(Label::Guide),
        Story => label(Label::Stories),
        Column => label(Label::Topics),
        Place => label(Label::Visit),
        Article => label(Label::News),
        Tag => "tag".to_owned(),
        Archive => label(Label::Archive),
        Item if host.kind == SiteKind::Shop => "product".to_owned(),
        Item => "user".to_owned(),
    }
}

/// The number of the page with this canonical path.
pub(crate) fn index_of(settings: &Settings, host: &Host, path: &str) -> Option<u64> {
    if path == "/" {
        return Some(0);
    }
    let mut parts = path.strip_prefix('/')?.split('/');
    let (head, last) = (parts.next()?, path.rsplit(['/', '-']).next()?);
    let index = if head == "node" {
        last.parse().ok()?
    } else {
        let role = SINGLE.into_iter().chain(RANGED).find(|role| section(host, *role) == head)?;
        let (first, count) = range(host, role);
        if SINGLE.contains(&role) {
            first
        } else {
            let nth = last.parse::<u64>().ok()?.checked_sub(1)?;
            (nth < count).then_some(first + nth)?
        }
    };
    let page = Page::new(settings, host, index)?;
    (page.path() == path).then_some(index)
}

/// A made-up proper name.
pub(crate) fn name(dice: &mut Dice) -> String {
    const FIRST: [&str; 12] = ["Ka", "Lo", "Mi", "Ve", "So", "Ta", "Ru", "Be", "Na", "El", "Or", "Di"];
    const MIDDLE: [&str; 8] = ["li", "ra", "no", "mer", "vi", "sta", "le", "ko"];
    const LAST: [&str; 8] = ["na", "ro", "den", "ta", "las", "mi", "ven", "sa"];
    format!("{}{}{}", dice.pick(&FIRST), dice.pick(&MIDDLE), dice.pick(&LAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_back_to_their_pages() {
        let settings = Settings { hosts: 60, pages: 6_000, ..Settings::default() };
        for index in 0..settings.hosts {
            let host = Host::at(&settings, index);
            for i in 0..host.pages {
                let page = Page::new(&settings, &host, i).unwrap();
                assert_eq!(index_of(&settings, &host, &page.path()), Some(i), "{}", page.url());
                let url = facts::Url::parse(&page.url()).unwrap();
                assert_eq!(url.as_str(), page.url(), "addresses are written as they are requested");
            }
            assert_eq!(index_of(&settings, &host, "/nothing/here-1"), None);
            assert_eq!(index_of(&settings, &host, &format!("/node/{}", u64::MAX)), None);
        }
    }

    #[test]
    fn tiny_sites_have_a_home_page() {
        let settings = Settings { hosts: 3, pages: 2, ..Settings::default() };
        for index in 0..3 {
            let host = Host::at(&settings, index);
            assert_eq!(Page::new(&settings, &host, 0).unwrap().role, Role::Home);
        }
    }
}
