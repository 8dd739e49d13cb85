//! The library in formats that other programs read.
//!
//! An [`Export`] takes items one by one and writes them to anything that can be written to, in one
//! of the [`Format`]s; it never holds more than one. [`Record`] is an item as all of them show it.
//!
//! GeoJSON, CSV and JSON lines have every item; KML and GPX, which are maps, those whose place is
//! known.

mod csv;
mod json;
mod map;
mod record;

use std::io::{self, Write};
use std::path::PathBuf;

use store::MediaItem;

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
}

/// Items on their way out.
pub struct Export<W: Write> {
    out: W,
    format: Format,
    media: PathBuf,
    written: u64,
}

impl<W: Write> Export<W> {
    /// Begins a document; paths of files start from the media directory `media`.
    pub fn begin(mut out: W, format: Format, media: PathBuf) -> io::Result<Self> {
        match format {
            Format::GeoJson => json::begin(&mut out)?,
            Format::Csv => csv::begin(&mut out)?,
            Format::Jsonl => {}
            Format::Kml => map::begin_kml(&mut out)?,
            Format::Gpx => map::begin_gpx(&mut out)?,
        }
        Ok(Self { out, format, media, written: 0 })
    }

    /// Writes an item, where the format has a place for it.
    pub fn item(&mut self, item: &MediaItem) -> io::Result<()> {
        let record = Record::of(item, &self.media);
        let written = match self.format {
            Format::GeoJson => json::feature(&mut self.out, &record, self.written == 0)?,
            Format::Csv => csv::line(&mut self.out, &record)?,
            Format::Jsonl => json::line(&mut self.out, &record)?,
            Format::Kml => map::placemark(&mut self.out, &record)?,
            Format::Gpx => map::waypoint(&mut self.out, &record)?,
        };
        self.written += u64::from(written);
        Ok(())
    }

    /// Ends the document; gives how many items are in it.
    pub fn finish(mut self) -> io::Result<u64> {
        match self.format {
            Format::GeoJson => json::end(&mut self.out)?,
            Format::Csv | Format::Jsonl => {}
            Format::Kml => map::end_kml(&mut self.out)?,
            Format::Gpx => map::end_gpx(&mut self.out)?,
        }
        self.out.flush()?;
        Ok(self.written)
    }
}

#[cfg(test)]
mod tests;
