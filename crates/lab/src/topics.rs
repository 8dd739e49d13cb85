//! What words and links tell of topics, and where they mislead.
//!
//! On the real web a page links mostly to pages like itself, a word may stand on a page that is about
//! something else, and lists of links name much that their page does not speak of.

use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::dice::Dice;
use crate::host::Host;
use crate::page::{Page, PageId, Role};
use crate::tongue::TOPICS;

/// How a web speaks of the twelve topics its pages have. All are shares, from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Topics {
    /// Links of texts that lead to a page with one of the page's own topics, in its language.
    pub cohesion: f64,
    /// Pages that have the word of another topic in passing.
    pub passing: f64,
    /// Pages that have the word of another topic only in a list of links, which lead to other things.
    pub anchors_only: f64,
    /// Pages that write a topic in another form of its word.
    pub inflected: f64,
    /// Links of texts that name a topic which their target is not about.
    pub misleading: f64,
}

impl Default for Topics {
    fn default() -> Self {
        Self { cohesion: 0.35, passing: 0.25, anchors_only: 0.15, inflected: 0.3, misleading: 0.05 }
    }
}

/// A topic that a page names and is not about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aside {
    /// In its text.
    Passing(u64),
    /// Only in the texts of links.
    Listed(u64),
}

impl Topics {
    /// The topics of a page as it writes them: other forms are counted beyond [`TOPICS`].
    pub(crate) fn spoken(&self, settings: &Settings, host: &Host, index: u64, topics: [u64; 2]) -> [u64; 2] {
        let mut dice = Dice::new(settings.number, "forms", [u64::from(host.index), index]);
        topics.map(|topic| if dice.chance(self.inflected) { topic + TOPICS } else { topic })
    }

    pub(crate) fn aside(
        &self,
        settings: &Settings,
        host: &Host,
        index: u64,
        topics: [u64; 2],
        role: Role,
    ) -> Option<Aside> {
        let mut dice = Dice::new(settings.number, "aside", [u64::from(host.index), index]);
        let other = (topics[0] + 1 + dice.below(TOPICS - 1)) % TOPICS;
        if other == topics[1] {
            return None;
        }
        let lists = matches!(role, Role::Article | Role::Tag | Role::Archive | Role::Item);
        match dice.unit() {
            throw if throw < self.passing => Some(Aside::Passing(other)),
            throw if lists && throw < self.passing + self.anchors_only => Some(Aside::Listed(other)),
            _ => None,
        }
    }
}

/// Pages looked at before one is given up to be found.
const TRIES: usize = 30;

/// A page in the same language that shares a topic with this one.
pub(crate) fn alike(page: &Page<'_>, dice: &mut Dice) -> Option<PageId> {
    let topic = dice.pick(&page.topics);
    some_page(page, 0.4, dice, |other| other.topics.contains(&topic))
}

/// Some pages in the same language that are not about this topic.
pub(crate) fn unrelated(page: &Page<'_>, topic: u64, dice: &mut Dice) -> Vec<PageId> {
    let count = dice.between(5, 10);
    (0..count).filter_map(|_| some_page(page, 0.7, dice, |other| !other.topics.contains(&topic))).collect()
}

fn some_page(page: &Page<'_>, here: f64, dice: &mut Dice, wanted: impl Fn(&Page<'_>) -> bool) -> Option<PageId> {
    let mut other;
    for _ in 0..TRIES {
        let host = if dice.chance(here) {
            page.host
        } else {
            other = Host::at(page.settings, dice.below(u64::from(page.settings.hosts)) as u32);
            &other
        };
        if host.tongue.code != page.host.tongue.code {
            continue;
        }
        let Some(found) = Page::new(page.settings, host, dice.below(host.pages)) else { continue };
        let leads_on = !matches!(found.role, Role::Home | Role::Contact | Role::Terms | Role::Login | Role::Place);
        if leads_on && found.id() != page.id() && wanted(&found) {
            return Some(found.id());
        }
    }
    None
}
