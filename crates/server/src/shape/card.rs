//! A picture, film or sound as lists and its own page show it.

use search::Location;
use serde::Serialize;
use store::MediaItem;
use utoipa::ToSchema;

use crate::moment::Moment;

/// An item in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Card {
    /// SHA-256 of its bytes.
    #[schema(min_length = 64, max_length = 64)]
    pub id: String,
    /// `image`, `video` or `audio`.
    #[schema(value_type = String)]
    pub kind: &'static str,
    /// `jpeg`, `png`, `mp4` …
    pub format: String,
    /// Pixels, right way up.
    pub width: Option<u32>,
    /// Pixels, right way up.
    pub height: Option<u32>,
    /// Seconds.
    pub duration: Option<f64>,
    /// The colour that stands out, as `#rrggbb`.
    pub colour: Option<String>,
    /// What it is called.
    pub title: Option<String>,
    /// What is said about it.
    pub description: Option<String>,
    /// When it was made, as it says; the offset only where it is known.
    pub taken: Option<String>,
    /// When it came in.
    pub added: Moment,
    /// The host it came from.
    pub host: Option<String>,
    /// The page it was first found on.
    pub page: Option<String>,
    /// Where it was made.
    pub location: Option<Location>,
    /// Where its thumbnail is.
    pub thumbnail: Option<String>,
    /// Where the file is.
    pub file: String,
    /// Its copies: items that look or sound the same, and other addresses that hold the same bytes.
    pub copies: u64,
    /// Since when it is not on the web any more, as far as its addresses were asked again.
    pub gone: Option<Moment>,
}

impl Card {
    /// An item of the library.
    pub fn of(item: &MediaItem) -> Self {
        let said = item.found.iter().map(|sighting| sighting.description.as_str());
        let edited = item.edited.clone().unwrap_or_default();
        let written = edited.description.as_deref().into_iter();
        let description = written.chain(said).chain(item.description.as_deref()).find(|text| !text.is_empty());
        let first = item.found.first().map(|sighting| sighting.image.as_str());
        let host = first.and_then(|image| facts::Url::parse(image).ok()).map(|url| url.host_str().to_owned());
        Self {
            id: item.id.to_string(),
            kind: item.kind.as_str(),
            format: item.format.clone(),
            width: item.width,
            height: item.height,
            duration: item.duration,
            colour: item.colour.map(|[red, green, blue]| format!("#{red:02x}{green:02x}{blue:02x}")),
            title: edited.title.clone().or_else(|| item.title.clone()),
            description: description.map(str::to_owned),
            taken: item.taken.clone(),
            added: item.first_seen.into(),
            host,
            page: item.found.iter().find_map(|sighting| sighting.page.clone()),
            location: item.location.as_ref().map(Location::from),
            thumbnail: item.thumbnail.as_ref().map(|_| format!("/media/{}/thumbnail", item.id)),
            file: format!("/media/{}/file", item.id),
            copies: item.copies + item.addresses.saturating_sub(1),
            gone: item.gone.map(Into::into),
        }
    }
}

/// An item with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Item {
    #[serde(flatten)]
    pub card: Card,
    /// Bytes.
    pub size: u64,
    /// How to hold the stored pixels, as EXIF counts.
    pub orientation: u8,
    /// Who made the camera.
    pub make: Option<String>,
    /// The camera.
    pub model: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// The licence, by name or address, else the notice of copyright.
    pub licence: Option<String>,
    /// Its own key words.
    pub keywords: Vec<String>,
    /// The words that tell the pages that show it from others of their crawl, the most telling first; at
    /// most 30.
    pub page_keywords: Vec<String>,
    /// Its own title.
    pub own_title: Option<String>,
    /// Its own description.
    pub own_description: Option<String>,
    /// What a person wrote in their place.
    pub edited: Option<EditedText>,
    /// Names of the place, as its maker wrote them.
    pub place_names: Vec<String>,
    /// What its other sources say of where it was made, the most believed first.
    pub other_locations: Vec<Location>,
    /// A person said that nobody knows where it was made.
    pub rejected: bool,
    /// What is wrong with the location it names: `null-island`, `out-of-range` …
    pub wrong_location: Option<String>,
    /// Where it was found, oldest first; at most 100.
    pub found: Vec<Sighting>,
    /// Addresses that hold it; at most 100.
    pub addresses: Vec<String>,
    /// Where the file is on the server's disk, from the media directory.
    pub path: String,
}

/// What a person wrote over an item's own texts.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct EditedText {
    pub title: Option<String>,
    pub description: Option<String>,
}

/// One page that shows an item, or one address it came from without a page.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Sighting {
    /// The item's address.
    pub image: String,
    /// The page that shows it.
    pub page: Option<String>,
    /// The page's title.
    pub page_title: Option<String>,
    /// What the page says about it.
    pub description: String,
    /// The licence the page gives it.
    pub licence: Option<String>,
    /// Who made it, as the page says.
    pub author: Option<String>,
    /// Since when it is not to be found there any more: the file or the page is gone, or the page
    /// shows it no longer.
    pub gone: Option<Moment>,
}

impl Item {
    /// An item of the library.
    pub fn of(item: &MediaItem) -> Self {
        let names = &item.place_names;
        let mut addresses: Vec<String> = item.found.iter().map(|sighting| sighting.image.clone()).collect();
        addresses.dedup();
        Self {
            card: Card::of(item),
            size: item.size,
            orientation: item.orientation,
            make: item.make.clone(),
            model: item.model.clone(),
            author: item.author.clone(),
            licence: item.licence.clone(),
            keywords: item.keywords.clone(),
            page_keywords: page_keywords(item),
            own_title: item.title.clone(),
            own_description: item.description.clone(),
            edited: item
                .edited
                .as_ref()
                .map(|edited| EditedText { title: edited.title.clone(), description: edited.description.clone() }),
            rejected: item.rejected,
            place_names: [&names.sublocation, &names.city, &names.state, &names.country]
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
            other_locations: item.other_locations.iter().map(Location::from).collect(),
            wrong_location: item.wrong_location.clone(),
            found: item
                .found
                .iter()
                .map(|sighting| Sighting {
                    image: sighting.image.clone(),
                    page: sighting.page.clone(),
                    page_title: sighting.page_title.clone(),
                    description: sighting.description.clone(),
                    licence: sighting.licence.clone(),
                    author: sighting.author.clone(),
                    gone: sighting.gone.map(Into::into),
                })
                .collect(),
            addresses,
            path: item.path.clone(),
        }
    }
}

/// Key words of pages that are shown with an item.
const PAGE_KEYWORDS: usize = 30;

/// Those of all pages that show it, each once.
fn page_keywords(item: &MediaItem) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in item.found.iter().flat_map(|sighting| &sighting.page_keywords) {
        if found.len() < PAGE_KEYWORDS && !found.contains(word) {
            found.push(word.clone());
        }
    }
    found
}
