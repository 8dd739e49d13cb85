//! Places as tables hold them.

use crate::sql::{self, Row, ToSql};
use facts::{Address, LatLon, Locality, Whereabouts};

use super::text::{DETAIL, NAME, cut, cut_some};

/// The columns of a place in every table that has places, in this order.
pub(super) const COLUMNS: &str = "lat, lon, precision, confidence, evidence, address, place, town, admin1, country";

/// Metres from a point to the farthest from it, which is as inexact as anything can be.
const FARTHEST: f64 = 20_037_508.0;

/// What these columns hold: texts cut, numbers within their bounds.
pub(super) struct Columns<'a> {
    point: (f64, f64),
    precision: f64,
    confidence: f64,
    evidence: &'a str,
    address: Option<String>,
    names: Names<'a>,
}

/// The last four of the columns.
pub(super) struct Names<'a> {
    pub place: &'a str,
    pub town: Option<&'a str>,
    pub admin1: Option<&'a str>,
    pub country: Option<&'a str>,
}

impl<'a> Columns<'a> {
    pub fn of(whereabouts: &'a Whereabouts) -> Self {
        let Whereabouts { at, precision_m, confidence, evidence, address, locality } = whereabouts;
        let number = |number: f64| !number.is_nan();
        Self {
            point: (at.lat(), at.lon()),
            precision: Some(*precision_m).filter(|metres| number(*metres)).map_or(FARTHEST, |m| m.clamp(0.0, FARTHEST)),
            confidence: Some(*confidence).filter(|share| number(*share)).map_or(0.0, |share| share.clamp(0.0, 1.0)),
            evidence: cut(evidence, DETAIL),
            address: address.as_ref().and_then(|address| serde_json::to_string(&cut_address(address)).ok()),
            names: Names::of(locality),
        }
    }

    /// In the order of [`COLUMNS`].
    pub fn values(&self) -> [&dyn ToSql; 10] {
        let Names { place, town, admin1, country } = &self.names;
        let (lat, lon) = (&self.point.0, &self.point.1);
        [lat, lon, &self.precision, &self.confidence, &self.evidence, &self.address, place, town, admin1, country]
    }
}

impl<'a> Names<'a> {
    pub fn of(locality: &'a Locality) -> Self {
        Self {
            place: cut(&locality.place, DETAIL),
            town: cut_some(&locality.town, NAME),
            admin1: cut_some(&locality.admin1, NAME),
            country: cut_some(&locality.country, NAME),
        }
    }
}

fn cut_address(address: &Address) -> Address {
    let part = |part: &Option<String>| cut_some(part, NAME).map(str::to_owned);
    Address {
        street: part(&address.street),
        number: part(&address.number),
        postcode: part(&address.postcode),
        city: part(&address.city),
        country: part(&address.country),
    }
}

/// Reads [`COLUMNS`], the first of which is at this position.
pub(super) fn read(row: &Row<'_>, first: usize) -> sql::Result<Whereabouts> {
    Ok(Whereabouts {
        at: read_point(row, first)?,
        precision_m: row.get(first + 2)?,
        confidence: row.get(first + 3)?,
        evidence: row.get(first + 4)?,
        address: read_address(row, first + 5)?,
        locality: read_names(row, first + 6)?,
    })
}

pub(super) fn read_point(row: &Row<'_>, first: usize) -> sql::Result<LatLon> {
    let nowhere = || sql::Error::strange(first, "a point off the Earth");
    LatLon::new(row.get(first)?, row.get(first + 1)?).ok_or_else(nowhere)
}

pub(super) fn read_address(row: &Row<'_>, column: usize) -> sql::Result<Option<Address>> {
    let text: Option<String> = row.get(column)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

pub(super) fn read_names(row: &Row<'_>, first: usize) -> sql::Result<Locality> {
    Ok(Locality {
        place: row.get::<_, Option<String>>(first)?.unwrap_or_default(),
        town: row.get(first + 1)?,
        admin1: row.get(first + 2)?,
        country: row.get(first + 3)?,
    })
}
