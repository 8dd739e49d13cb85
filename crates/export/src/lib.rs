//! The library in formats that other programs read.
//!
//! An [`Export`] takes items or pages one by one and writes them to anything that can be written to,
//! in one of the [`Format`]s; it never holds more than one. [`Record`] is an item as all of them
//! show it; pages are shown as searches show them, with all their places.
//!
//! Of items, GeoJSON, CSV and JSON lines have all; KML and GPX, which are maps, those whose place is
//! known. Of pages, JSON lines have one object a page, GeoJSON and CSV one entry a place, KML and GPX
//! one for each place that is said exactly or is relevant. A WebDataset has items with their files, and no
//! pages.

mod csv;
mod dataset;
mod json;
mod map;
mod page_csv;
mod page_map;
mod record;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use search::PageHit;
use store::{MediaItem, PageItem, Shelf, StoreError};

pub use crate::record::Record;

/// A format that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One FeatureCollection (RFC 7946).
    GeoJson,
    /// A table with a line of headings (RFC 4180).
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// Placemarks for Google Earth and the like.
    Kml,
    /// Waypoints for navigation devices.
    Gpx,
    /// A tar archive with the files themselves, for programs that train on them.
    WebDataset,
}

/// What a document is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Items; paths of files start from the media directory or the bucket.
    Media(PathBuf),
    /// Pages and their places.
    Pages,
}

/// Items or pages on their way out.
pub struct Export<W: Write> {
    out: W,
    format: Format,
    subject: Subject,
    /// Where the files themselves are read, when that is not where they are said to be.
    files: Option<Shelf>,
    written: u64,
}

impl<W: Write> Export<W> {
    /// Begins a document.
    pub fn begin(mut out: W, format: Format, subject: Subject) -> io::Result<Self> {
        match format {
            Format::GeoJson => json::begin(&mut out)?,
            Format::Csv => match subject {
                Subject::Media(_) => csv::begin(&mut out)?,
                Subject::Pages => page_csv::begin(&mut out)?,
            },
            Format::Jsonl | Format::WebDataset => {}
            Format::Kml => map::begin_kml(&mut out)?,
            Format::Gpx => map::begin_gpx(&mut out)?,
        }
        Ok(Self { out, format, subject, files: None, written: 0 })
    }

    /// Files themselves are read from a shelf.
    pub fn with_files(self, shelf: Shelf) -> Self {
        Self { files: Some(shelf), ..self }
    }

    /// Writes an item, where the format has a place for it.
    pub fn item(&mut self, item: &MediaItem) -> io::Result<()> {
        let Subject::Media(media) = &self.subject else { return Ok(()) };
        let record = Record::of(item, media);
        let written = match self.format {
            Format::GeoJson => json::feature(&mut self.out, &record, self.written == 0)?,
            Format::Csv => csv::line(&mut self.out, &record)?,
            Format::Jsonl => json::line(&mut self.out, &record)?,
            Format::Kml => map::placemark(&mut self.out, &record)?,
            Format::Gpx => map::waypoint(&mut self.out, &record)?,
            Format::WebDataset => match self.files.as_ref().map(|shelf| shelf.local(&item.path)) {
                None => dataset::sample(&mut self.out, &record, Path::new(&record.file))?,
                Some(Ok(file)) => dataset::sample(&mut self.out, &record, &file)?,
                Some(Err(StoreError::Bucket(error))) if error.is_missing() => false,
                Some(Err(error)) => return Err(io::Error::other(error)),
            },
        };
        self.written += u64::from(written);
        Ok(())
    }

    /// Writes a page with its places, as far as the format has a place for them.
    pub fn page(&mut self, page: &PageItem) -> io::Result<()> {
        if self.subject != Subject::Pages {
            return Ok(());
        }
        let hit = PageHit::of(page, None);
        if self.format == Format::Jsonl {
            self.written += u64::from(json::page_line(&mut self.out, page, &hit)?);
            return Ok(());
        }
        for (number, place) in hit.places.iter().enumerate() {
            let spoken = Spoken { page, place, number };
            let on_map = place.relevant || place.is_exact();
            let written = match self.format {
                Format::GeoJson => json::place_feature(&mut self.out, &spoken, self.written == 0)?,
                Format::Csv => page_csv::line(&mut self.out, &spoken)?,
                Format::Kml if on_map => page_map::placemark(&mut self.out, &spoken)?,
                Format::Gpx if on_map => page_map::waypoint(&mut self.out, &spoken)?,
                _ => false,
            };
            self.written += u64::from(written);
        }
        Ok(())
    }

    /// Ends the document; gives how many items, pages or places are in it.
    pub fn finish(mut self) -> io::Result<u64> {
        match self.format {
            Format::GeoJson => json::end(&mut self.out)?,
            Format::Csv | Format::Jsonl => {}
            Format::Kml => map::end_kml(&mut self.out)?,
            Format::Gpx => map::end_gpx(&mut self.out)?,
            Format::WebDataset => dataset::end(&mut self.out)?,
        }
        self.out.flush()?;
        Ok(self.written)
    }
}

/// A place as one page speaks of it.
struct Spoken<'p> {
    page: &'p PageItem,
    place: &'p search::SpokenPlace,
    /// Which of the page's places it is.
    number: usize,
}

impl Spoken<'_> {
    /// A name that no other place of a document has.
    fn id(&self) -> String {
        format!("p{}-{}", self.page.number, self.number)
    }

    /// Whether the page as a whole is about it.
    fn is_focus(&self) -> bool {
        self.page.focus == Some(self.number)
    }
}

#[cfg(test)]
mod tests;
