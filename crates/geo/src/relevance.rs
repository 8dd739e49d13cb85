//! Whether a page is about a region [algorithms 1.4, 3.2].

use serde::{Deserialize, Serialize};

use crate::parse::{Mention, MentionKind};
use crate::region::Region;

/// How exactly a place must be said to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// An address or coordinates \[001\].
    #[default]
    Address,
    /// Any place, also by its name alone.
    Place,
}

impl Mention {
    /// Whether it says where something is to the house, not just the name of a place.
    pub fn is_exact(&self) -> bool {
        match self.kind {
            MentionKind::Address | MentionKind::Coordinates => true,
            MentionKind::Structured => {
                self.place.is_none() || self.address.as_ref().is_some_and(|address| address.street.is_some())
            }
            MentionKind::Toponym => false,
        }
    }
}

/// Whether some mention lies in the region and is exact enough; without a region, whether any is
/// exact enough.
///
/// ```
/// use geo::{Gazetteer, Granularity, Hints, Region, is_relevant, parse};
/// let region = Region::find(Gazetteer::embedded(), "Oldenburg").unwrap();
/// let named = parse("A concert in Oldenburg.", &Hints::default());
/// assert!(!is_relevant(&named, Some(&region), Granularity::Address));
/// assert!(is_relevant(&named, Some(&region), Granularity::Place));
/// let addressed = parse("Escherweg 2, 26121 Oldenburg", &Hints::default());
/// assert!(is_relevant(&addressed, Some(&region), Granularity::Address));
/// ```
pub fn is_relevant<'m>(
    mentions: impl IntoIterator<Item = &'m Mention>,
    region: Option<&Region>,
    granularity: Granularity,
) -> bool {
    mentions.into_iter().any(|mention| {
        (granularity == Granularity::Place || mention.is_exact())
            && region.is_none_or(|region| match mention.place {
                Some(place) if !mention.is_exact() => region.contains_place(place),
                _ => region.contains(mention.at),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gazetteer, Hints, parse};

    #[test]
    fn relevance_needs_an_exact_place_inside_the_region() {
        let kiel = Region::find(Gazetteer::embedded(), "Kiel").unwrap();
        for (text, address, place) in [
            ("Wir treffen uns in Kiel.", false, true),
            ("Musterstraße 5, 24103 Kiel", true, true),
            ("54.3233, 10.1228", true, true),
            ("Escherweg 2, 26121 Oldenburg", false, false),
            ("53.1412, 8.2147", false, false),
            ("Nothing at all.", false, false),
        ] {
            let mentions = parse(text, &Hints::default());
            assert_eq!(is_relevant(&mentions, Some(&kiel), Granularity::Address), address, "{text}");
            assert_eq!(is_relevant(&mentions, Some(&kiel), Granularity::Place), place, "{text}");
        }
        let elsewhere = parse("Escherweg 2, 26121 Oldenburg", &Hints::default());
        assert!(is_relevant(&elsewhere, None, Granularity::Address));
    }
}
