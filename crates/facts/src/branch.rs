//! How far a link is from the last page that mattered.

use serde::{Deserialize, Serialize};

/// The way from the last relevant page, or from the seed, to a page [001 §4.1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Branch {
    /// Links since the last relevant page, or since the seed when there was none; 0 for a seed.
    pub links: u32,
    /// Whether it started at a relevant page.
    pub from_relevant: bool,
}

impl Branch {
    /// The way to what the page at the end of this one links to.
    pub fn onward(self, relevant: bool) -> Self {
        if relevant {
            Self { links: 1, from_relevant: true }
        } else {
            Self { links: self.links.saturating_add(1), ..self }
        }
    }

    /// Pages without relevance between the last relevant one and the end; `None` when there was no
    /// relevant page before.
    pub fn bridge(self) -> Option<u32> {
        self.from_relevant.then(|| self.links.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relevant_page_starts_the_way_anew() {
        let seed = Branch::default();
        assert_eq!((seed.links, seed.bridge()), (0, None));
        let second = seed.onward(false).onward(false);
        assert_eq!((second.links, second.bridge()), (2, None));
        let direct = second.onward(true);
        assert_eq!((direct.links, direct.bridge()), (1, Some(0)));
        assert_eq!(direct.onward(false).bridge(), Some(1));
    }
}
