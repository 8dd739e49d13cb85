//! Links as they are written: address and text.

use crate::Settings;
use crate::dice::Dice;
use crate::graph::{Block, Edge, Manner, To};
use crate::host::{DOMAIN, Host};
use crate::page::{Page, PageId, Role};
use crate::tongue::{Label, TOPICS};
use crate::topics::Aside;

/// A link ready to be written into a page.
pub(crate) struct Written {
    pub href: String,
    pub text: String,
}

/// The link at this place of the page.
pub(crate) fn written(page: &Page<'_>, edge: &Edge, place: u64) -> Written {
    let mut dice = Dice::new(page.settings.number, "anchor", [u64::from(page.host.index), page.index, place]);
    let tongue = page.tongue();
    match edge.to {
        To::Page(id) => {
            let other;
            let host = if id.host == page.host.index {
                page.host
            } else {
                other = Host::at(page.settings, id.host);
                &other
            };
            match Page::new(page.settings, host, id.index) {
                Some(target) => Written {
                    href: address(page, &target, edge.manner, &mut dice),
                    text: named(page, &target, edge.block, &mut dice),
                },
                None => Written { href: "/".to_owned(), text: tongue.label(Label::Home).to_owned() },
            }
        }
        To::Dead(n) => Written { href: format!("/old/{n}"), text: tongue.phrase(&mut dice) },
        To::Loop => Written { href: "/round/1".to_owned(), text: tongue.phrase(&mut dice) },
        To::Calendar => Written { href: "/calendar/2024/1".to_owned(), text: "2024".to_owned() },
        To::BadCertificate(expired) => {
            let name = if expired { "expired" } else { "wrong" };
            Written { href: format!("https://{name}.{DOMAIN}/"), text: tongue.phrase(&mut dice) }
        }
    }
}

/// How the address stands in the page: mostly a path within the site.
fn address(page: &Page<'_>, target: &Page<'_>, manner: Manner, dice: &mut Dice) -> String {
    let at = |path: String| {
        if target.host.index == page.host.index { path } else { format!("{}{path}", target.host.origin()) }
    };
    match manner {
        Manner::Canonical => at(target.path()),
        Manner::Tracked => {
            let source = dice.pick(&["utm_source=newsletter&utm_medium=mail", "fbclid=IwAR0x9", "gclid=Cj0K77"]);
            format!("{}?{source}", at(target.path()))
        }
        Manner::Session if dice.chance(0.5) => format!("{};jsessionid={:08X}", at(target.path()), dice.next() as u32),
        Manner::Session => format!("{}?PHPSESSID={:016x}", at(target.path()), dice.next()),
        Manner::Redirected(hops) => at(format!("/go/{hops}/{}", target.index)),
        Manner::OldAddress => {
            let bare = target.host.name.strip_prefix("www.").unwrap_or(&target.host.name);
            format!("http://{bare}{}", target.path())
        }
    }
}

/// The page behind an address that is not its canonical one.
pub(crate) fn redirected(settings: &Settings, host: &Host, path: &str) -> Option<(u8, PageId)> {
    let (hops, index) = path.strip_prefix("/go/")?.split_once('/')?;
    let (hops, index) = (hops.parse().ok()?, index.parse().ok()?);
    Page::new(settings, host, index).filter(|_| (1..=3).contains(&hops)).map(|page| (hops, page.id()))
}

/// The text of a link: what its target is called, unless it misleads.
fn named(page: &Page<'_>, target: &Page<'_>, block: Block, dice: &mut Dice) -> String {
    let wrong = match (&page.settings.topics, page.aside, block) {
        (Some(_), Some(Aside::Listed(topic)), Block::Listed) => Some(topic),
        (Some(topics), _, Block::Body | Block::Related) if dice.chance(topics.misleading) => Some(dice.below(TOPICS)),
        _ => None,
    };
    match wrong {
        Some(topic) => page.tongue().title(dice, topic),
        None => anchor(page, target, block, dice),
    }
}

fn anchor(page: &Page<'_>, target: &Page<'_>, block: Block, dice: &mut Dice) -> String {
    let tongue = page.tongue();
    let label = match target.role {
        Role::Contact => Some(Label::Contact),
        Role::Terms => Some(Label::Terms),
        Role::Login => Some(Label::Login),
        Role::Home if block == Block::Nav => Some(Label::Home),
        _ => None,
    };
    if let Some(label) = label {
        return tongue.label(label).to_owned();
    }
    if target.role == Role::Home {
        return target.host.name.clone();
    }
    if block != Block::Nav && target.plain {
        match dice.below(4) {
            0 => return tongue.label(Label::ReadMore).to_owned(),
            1 => return tongue.label(Label::Details).to_owned(),
            2 => return tongue.phrase(dice),
            _ => {}
        }
    }
    target.title()
}
