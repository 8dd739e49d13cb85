//! Where a file says it was made, and when that cannot be believed.

use facts::{LatLon, Timestamp};
use serde::{Deserialize, Serialize};

/// Where a file says it was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// The point.
    pub at: LatLon,
    /// Metres above the sea.
    pub altitude: Option<f64>,
    /// Where the camera looked, in degrees from north, clockwise.
    pub direction: Option<f64>,
    /// When the position was taken; never later than the time it was read.
    pub date: Option<Timestamp>,
    /// Which part of the file says so.
    pub source: LocationSource,
}

/// The part of a file that names a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LocationSource {
    /// The GPS directory of EXIF.
    Exif,
    /// An XMP packet.
    Xmp,
    /// A film's user data: `©xyz`, or Apple's location key.
    Quicktime,
    /// The location box of 3GPP.
    Loci,
    /// A Matroska tag.
    Matroska,
    /// A comment of FLAC, Ogg or Opus.
    Vorbis,
}

impl LocationSource {
    /// `exif`, `xmp`, `quicktime` …
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exif => "exif",
            Self::Xmp => "xmp",
            Self::Quicktime => "quicktime",
            Self::Loci => "loci",
            Self::Matroska => "matroska",
            Self::Vorbis => "vorbis",
        }
    }
}

/// Why a location that a file names is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrongLocation {
    /// 0° N 0° E: what a camera without a fix writes.
    NullIsland,
    /// More than 90° of latitude or 180° of longitude, or a negative amount of degrees.
    OutOfRange,
    /// Degrees without N or S, E or W.
    MissingReference,
    /// Zero denominators, or text where a number should be.
    NotANumber,
    /// A latitude without a longitude or the reverse, or values that the file does not hold.
    Incomplete,
}

impl WrongLocation {
    /// `null-island`, `out-of-range`, `missing-reference`, `not-a-number` or `incomplete`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NullIsland => "null-island",
            Self::OutOfRange => "out-of-range",
            Self::MissingReference => "missing-reference",
            Self::NotANumber => "not-a-number",
            Self::Incomplete => "incomplete",
        }
    }
}

impl Location {
    /// A point, if it is one that can be believed.
    pub(crate) fn new(lat: f64, lon: f64, source: LocationSource) -> Result<Self, WrongLocation> {
        if !lat.is_finite() || !lon.is_finite() {
            return Err(WrongLocation::NotANumber);
        }
        if lat == 0.0 && lon == 0.0 {
            return Err(WrongLocation::NullIsland);
        }
        let at = LatLon::new(lat, lon).ok_or(WrongLocation::OutOfRange)?;
        Ok(Self { at, altitude: None, direction: None, date: None, source })
    }

    /// A point written as ISO 6709, such as `+60.1699+024.9384+017.000/`.
    pub(crate) fn iso6709(text: &str, source: LocationSource) -> Result<Self, WrongLocation> {
        let text = text.trim().split(['/', 'C']).next().unwrap_or_default();
        let starts: Vec<usize> = text.match_indices(['+', '-']).map(|(at, _)| at).take(4).collect();
        let number = |nth: usize| -> Option<&str> {
            let end = starts.get(nth + 1).copied().unwrap_or(text.len());
            text.get(*starts.get(nth)?..end)
        };
        let (Some(lat), Some(lon)) = (number(0), number(1)) else { return Err(WrongLocation::Incomplete) };
        if starts.first() != Some(&0) || starts.len() > 3 {
            return Err(WrongLocation::NotANumber);
        }
        let lat = sexagesimal(lat, 2).ok_or(WrongLocation::NotANumber)?;
        let lon = sexagesimal(lon, 3).ok_or(WrongLocation::NotANumber)?;
        let mut location = Self::new(lat, lon, source)?;
        location.altitude =
            number(2).and_then(|altitude| altitude.parse().ok()).filter(|metres: &f64| metres.is_finite());
        Ok(location)
    }
}

/// `±DD.d`, `±DDMM.m` or `±DDMMSS.s` (three digits of degrees for a longitude).
fn sexagesimal(text: &str, degree_digits: usize) -> Option<f64> {
    let (sign, digits) = (if text.starts_with('-') { -1.0 } else { 1.0 }, text.get(1..)?);
    let whole = digits.find('.').unwrap_or(digits.len());
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || whole == 0 {
        return None;
    }
    let value = match whole.checked_sub(degree_digits) {
        Some(2) => digits[..degree_digits].parse::<f64>().ok()? + digits[degree_digits..].parse::<f64>().ok()? / 60.0,
        Some(4) => {
            let minutes = degree_digits + 2;
            digits[..degree_digits].parse::<f64>().ok()?
                + digits[degree_digits..minutes].parse::<f64>().ok()? / 60.0
                + digits[minutes..].parse::<f64>().ok()? / 3600.0
        }
        _ => digits.parse().ok()?,
    };
    Some(sign * value)
}

/// The sign a reference letter gives to degrees.
pub(crate) fn sign(reference: &str, positive: char, negative: char) -> Option<f64> {
    let letter = reference.trim().chars().next()?.to_ascii_uppercase();
    if letter == positive {
        Some(1.0)
    } else if letter == negative {
        Some(-1.0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(f64, f64, Option<f64>), WrongLocation> {
        let location = Location::iso6709(text, LocationSource::Quicktime)?;
        Ok((location.at.lat(), location.at.lon(), location.altitude))
    }

    #[test]
    fn iso_6709_is_read_in_its_three_forms() {
        assert_eq!(read("+60.1699+024.9384+017.000/"), Ok((60.1699, 24.9384, Some(17.0))));
        assert_eq!(read("-33.8568+151.2153/"), Ok((-33.8568, 151.2153, None)));
        assert_eq!(read("+6030+02415.6/"), Ok((60.5, 24.26, None)));
        assert_eq!(read("+603036-0241500CRSWGS_84/"), Ok((60.51, -24.25, None)));
    }

    #[test]
    fn wrong_points_are_refused_by_reason() {
        use WrongLocation::*;
        for (text, reason) in [
            ("+00.0000+000.0000/", NullIsland),
            ("+91.0000+000.0000/", OutOfRange),
            ("+60.0000+181.0000/", OutOfRange),
            ("+60.0000/", Incomplete),
            ("", Incomplete),
            ("60.0+24.0-10/", NotANumber),
            ("+ab+cd/", NotANumber),
            ("+nan+inf/", NotANumber),
        ] {
            assert_eq!(read(text), Err(reason), "{text}");
        }
    }
}
