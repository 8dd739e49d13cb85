//! Where pages and files are: the region of interest, and what is remembered of places.

use facts::{Locality, Whereabouts};
use geo::{About, Gazetteer, Granularity, Hints, MediaPlaces, Mention, Region, RegionError, SpokenPlace};
use media::Facts;
use page::Page;
use store::{PagePlace, SaidLocation, SaidSource};
use strategy::Vocabulary;

use crate::settings::Settings;

/// Words of a file's own description that are looked through.
const CAPTION_BYTES: usize = 4096;
/// Names of places in the region that links are looked through for: those of the largest.
const NAMES: usize = 500;

/// What a crawl looks for.
#[derive(Debug)]
pub(crate) struct Interest {
    /// The region; anywhere without one.
    pub region: Option<Region>,
    granularity: Granularity,
    /// Whether places are looked for in words at all.
    pub places: bool,
}

impl Interest {
    /// As the settings say.
    pub fn of(settings: &Settings) -> Result<Self, RegionError> {
        let found = settings.region.as_deref().map(|text| Region::find(Gazetteer::embedded(), text));
        Ok(Self { region: found.transpose()?, granularity: settings.granularity, places: settings.places })
    }

    /// What a page says of places.
    pub fn about(&self, page: &Page) -> About {
        if !self.places {
            return About { media: vec![MediaPlaces::default(); page.media.len()], ..About::default() };
        }
        // What a page calls its language is often that of its template: the text counts more.
        let hints = Hints { region: self.region.as_ref(), ..Hints::default() };
        geo::about(page, &hints, self.granularity)
    }

    /// The words that name the region and what is in it.
    pub fn vocabulary(&self) -> Vocabulary {
        let Some(region) = &self.region else { return Vocabulary::default() };
        let mut inside: Vec<_> = Gazetteer::embedded().places().filter(|place| region.contains_place(*place)).collect();
        inside.sort_by_key(|place| std::cmp::Reverse(place.population()));
        let own = region.name().split(',').next().unwrap_or_default();
        // "15 km around 53.14,8.21" has no name.
        let own = Some(own).filter(|name| !name.contains(|c: char| c.is_ascii_digit()));
        Vocabulary::of(own.into_iter().chain(inside.iter().take(NAMES).map(|place| place.name())))
    }
}

/// A place of a page as it is remembered.
pub(crate) fn page_place(spoken: &SpokenPlace) -> PagePlace {
    let mention = &spoken.mention;
    PagePlace {
        kind: mention.kind.as_str().to_owned(),
        id: mention.place.and_then(|place| place.id().geonames()),
        mentions: spoken.mentions,
        relevant: spoken.relevant,
        why: mention.why.clone(),
        whereabouts: geo::whereabouts(mention, &spoken.words),
    }
}

/// What a page says of where one of its media was made.
pub(crate) fn said_on_page(places: MediaPlaces) -> Vec<SaidLocation> {
    let said = |source, found: Option<Whereabouts>| found.map(|whereabouts| SaidLocation { source, whereabouts });
    let MediaPlaces { structured, description } = places;
    [said(SaidSource::Structured, structured), said(SaidSource::Description, description)]
        .into_iter()
        .flatten()
        .collect()
}

/// Names of what is at the location a file carries, and what its own words say of where it was made.
pub(crate) fn said_in_file(facts: &Facts, places: bool) -> (Option<Locality>, Vec<SaidLocation>) {
    let locality = facts.location.map(|location| geo::locality(location.at));
    let mut said = Vec::new();
    if places {
        let names = &facts.place_names;
        let (city, state, country) = (names.city.as_deref(), names.state.as_deref(), names.country.as_deref());
        let named = geo::named_place(city, state, country);
        said.extend(named.map(|whereabouts| SaidLocation { source: SaidSource::Iptc, whereabouts }));
        let words = [facts.title.as_deref(), facts.description.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().chain(facts.keywords.iter().map(String::as_str)).collect();
        said.extend(said_in_words(&words.join("\n"), SaidSource::Caption));
    }
    (locality, said)
}

/// What words about a file say of where it was made.
pub(crate) fn said_in_words(words: &str, source: SaidSource) -> Option<SaidLocation> {
    let words = &words[..words.floor_char_boundary(CAPTION_BYTES)];
    let mentions = geo::parse(words, &Hints::default());
    // Whether it is said to the house, then how surely, then how finely.
    let better = |a: &&Mention, b: &&Mention| {
        let key = |mention: &Mention| (mention.is_exact(), mention.confidence, -mention.precision_m);
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    };
    let best = mentions.iter().max_by(better)?;
    let whereabouts = geo::whereabouts(best, words.get(best.span.clone()).unwrap_or_default());
    Some(SaidLocation { source, whereabouts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_gives_its_name_and_those_of_what_is_in_it() {
        let settings = Settings { region: Some("Oldenburg".into()), ..Settings::default() };
        let interest = Interest::of(&settings).unwrap();
        assert!(format!("{:?}", interest.vocabulary()).contains("\"oldenburg\""));
        let nowhere = Interest::of(&Settings { region: Some("Oldenburgh upon Nothing".into()), ..Settings::default() });
        assert!(matches!(nowhere, Err(RegionError::Unknown { nearest, .. }) if nearest.len() == 5));
    }

    #[test]
    fn a_text_is_read_in_its_own_language_whatever_its_template_says() {
        let html = "<html lang=en><p>Matkustimme kesällä Jyväskylästä Ouluun, ja sieltä Rovaniemelle, koska siellä oli \
                    valoisaa myös yöllä. Kuopiossa satoi, mutta Turussa paistoi aurinko, ja se oli hyvä niin.";
        let url = facts::Url::parse("http://a.example/").unwrap();
        let page = page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default());
        let settings =
            Settings { region: Some("Finland".into()), granularity: Granularity::Place, ..Settings::default() };
        let about = Interest::of(&settings).unwrap().about(&page);
        assert!(about.relevant && about.places.len() >= 4, "{:?}", about.places);
    }
}
