//! An item as every format shows it.

use std::path::Path;

use media::PlaceNames;
use search::{Location, file_of};
use serde::Serialize;
use store::{Edited, MediaItem, Sighting};

/// Characters of a name on a map.
const LONGEST_NAME: usize = 80;

/// An item as every format shows it. The names of the fields are a contract.
#[derive(Clone, Debug, Serialize)]
pub struct Record<'i> {
    /// SHA-256 of its bytes.
    pub id: String,
    /// `image`, `video` or `audio`.
    pub kind: &'static str,
    /// `jpeg`, `png`, `mp4` …
    pub format: &'i str,
    /// Bytes.
    pub size: u64,
    /// Where the file is.
    pub file: String,
    /// Where its thumbnail is.
    pub thumbnail: Option<String>,
    /// The address it was first found at.
    pub image: Option<&'i str>,
    /// The page it was first found on.
    pub page: Option<&'i str>,
    /// What that page says about it.
    pub description: &'i str,
    /// Width in pixels, right way up.
    pub width: Option<u32>,
    /// Height in pixels, right way up.
    pub height: Option<u32>,
    /// Seconds.
    pub duration: Option<f64>,
    /// When it was made, as it says.
    pub taken: Option<&'i str>,
    /// Who made the camera.
    pub make: Option<&'i str>,
    /// The camera.
    pub model: Option<&'i str>,
    /// Where it was made, by the best of its sources.
    pub location: Option<Location>,
    /// What its other sources say, the most believed first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_locations: Vec<Location>,
    /// Why the location it names is not believed.
    pub wrong_location: Option<&'i str>,
    /// Names of the place, as its maker wrote them.
    #[serde(skip_serializing_if = "PlaceNames::is_empty")]
    pub place_names: &'i PlaceNames,
    /// Its own title.
    pub title: Option<&'i str>,
    /// Its own description.
    pub caption: Option<&'i str>,
    /// Its own key words.
    pub keywords: &'i [String],
    /// Those that tell the pages that show it from others of their crawl, each once.
    pub page_keywords: Vec<&'i str>,
    /// The licence, by name or address, else the notice of copyright: as the file says, else as a
    /// page says.
    pub licence: Option<&'i str>,
    /// Who made it, as the file says, else as a page says.
    pub author: Option<&'i str>,
    /// When it came in, in milliseconds since 1970.
    pub first_seen: i64,
    /// Everywhere it was found, oldest first.
    pub found: &'i [Sighting],
}

impl<'i> Record<'i> {
    /// The item, with paths that start from the media directory.
    pub fn of(item: &'i MediaItem, media: &Path) -> Self {
        let path = |path: &str| file_of(media, path);
        let first = item.found.first();
        let said = item.found.iter().map(|s| s.description.as_str()).find(|d| !d.is_empty()).unwrap_or_default();
        let edited = item.edited.as_ref();
        // What a person wrote comes before what file and pages say.
        let written = |text: fn(&Edited) -> &Option<String>| edited.and_then(|edited| text(edited).as_deref());
        Self {
            id: item.id.to_string(),
            kind: item.kind.as_str(),
            format: &item.format,
            size: item.size,
            file: path(&item.path),
            thumbnail: item.thumbnail.as_deref().map(path),
            image: first.map(|sighting| sighting.image.as_str()),
            page: item.found.iter().find_map(|sighting| sighting.page.as_deref()),
            description: written(|edited| &edited.description).unwrap_or(said),
            width: item.width,
            height: item.height,
            duration: item.duration,
            taken: item.taken.as_deref(),
            make: item.make.as_deref(),
            model: item.model.as_deref(),
            location: item.location.as_ref().map(Location::from),
            other_locations: item.other_locations.iter().map(Location::from).collect(),
            wrong_location: item.wrong_location.as_deref(),
            place_names: &item.place_names,
            title: written(|edited| &edited.title).or(item.title.as_deref()),
            caption: item.description.as_deref(),
            keywords: &item.keywords,
            page_keywords: page_keywords(item),
            licence: item.licence.as_deref().or_else(|| item.found.iter().find_map(|s| s.licence.as_deref())),
            author: item.author.as_deref().or_else(|| item.found.iter().find_map(|s| s.author.as_deref())),
            first_seen: item.first_seen.0,
            found: &item.found,
        }
    }

    /// What to call it on a map.
    pub(crate) fn name(&self) -> String {
        let file = self.file.rsplit('/').next().unwrap_or_default();
        let said = self.title.or(Some(self.description).filter(|text| !text.is_empty())).unwrap_or(file);
        shortened(said)
    }
}

fn page_keywords(item: &MediaItem) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for word in item.found.iter().flat_map(|sighting| &sighting.page_keywords) {
        if !found.contains(&word.as_str()) {
            found.push(word);
        }
    }
    found
}

/// A name that fits on a map.
pub(crate) fn shortened(said: &str) -> String {
    match said.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", said[..end].trim_end()),
        None => said.to_owned(),
    }
}
