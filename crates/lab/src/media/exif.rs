//! The metadata cameras write: an EXIF block with the few tags that matter here.

use facts::LatLon;

/// What the metadata of a photo say about where it was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Gps {
    None,
    Right(LatLon),
    /// Latitude and longitude 0.
    Zero,
    /// A latitude beyond the pole.
    OutOfRange,
    /// Degrees without saying whether north or south, east or west.
    NoReference(LatLon),
}

/// The tags of one photo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exif {
    pub make: &'static str,
    pub model: &'static str,
    pub orientation: u16,
    /// Seconds since 1970, on the camera's clock.
    pub taken: i64,
    pub gps: Gps,
}

const ASCII: u16 = 2;
const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;

struct Tag {
    id: u16,
    kind: u16,
    count: u32,
    bytes: Vec<u8>,
}

fn ascii(id: u16, text: &str) -> Tag {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    Tag { id, kind: ASCII, count: bytes.len() as u32, bytes }
}

fn short(id: u16, value: u16) -> Tag {
    Tag { id, kind: SHORT, count: 1, bytes: value.to_le_bytes().to_vec() }
}

fn long(id: u16, value: u32) -> Tag {
    Tag { id, kind: LONG, count: 1, bytes: value.to_le_bytes().to_vec() }
}

/// Degrees, minutes and seconds, each as a fraction.
fn degrees(id: u16, value: f64) -> Tag {
    let hundredths = (value.abs() * 360_000.0).round() as u64;
    let parts = [(hundredths / 360_000, 1), (hundredths / 6_000 % 60, 1), (hundredths % 6_000, 100)];
    let bytes = parts.iter().flat_map(|(n, d): &(u64, u32)| [(*n as u32).to_le_bytes(), d.to_le_bytes()].concat());
    Tag { id, kind: RATIONAL, count: 3, bytes: bytes.collect() }
}

/// Appends a directory at the end of the block; values longer than four bytes follow it.
fn directory(block: &mut Vec<u8>, tags: &[Tag]) {
    let mut values_at = block.len() + 2 + 12 * tags.len() + 4;
    let mut values: Vec<u8> = Vec::new();
    block.extend((tags.len() as u16).to_le_bytes());
    for tag in tags {
        block.extend(tag.id.to_le_bytes());
        block.extend(tag.kind.to_le_bytes());
        block.extend(tag.count.to_le_bytes());
        if tag.bytes.len() <= 4 {
            let mut inline = tag.bytes.clone();
            inline.resize(4, 0);
            block.extend(inline);
        } else {
            block.extend((values_at as u32).to_le_bytes());
            values.extend(&tag.bytes);
            values_at += tag.bytes.len();
        }
    }
    block.extend([0; 4]);
    block.extend(values);
}

fn directory_length(tags: &[Tag]) -> usize {
    6 + 12 * tags.len() + tags.iter().map(|tag| tag.bytes.len()).filter(|length| *length > 4).sum::<usize>()
}

impl Exif {
    /// The block as TIFF, least significant byte first.
    pub fn tiff(&self) -> Vec<u8> {
        let place = self.place();
        let taken = [ascii(0x9003, &exif_time(self.taken))];
        let mut first =
            vec![ascii(0x010f, self.make), ascii(0x0110, self.model), short(0x0112, self.orientation), long(0x8769, 0)];
        if !place.is_empty() {
            first.push(long(0x8825, 0));
        }
        let taken_at = 8 + directory_length(&first);
        first[3] = long(0x8769, taken_at as u32);
        if !place.is_empty() {
            first[4] = long(0x8825, (taken_at + directory_length(&taken)) as u32);
        }
        let mut block = b"II\x2a\0\x08\0\0\0".to_vec();
        directory(&mut block, &first);
        directory(&mut block, &taken);
        if !place.is_empty() {
            directory(&mut block, &place);
        }
        block
    }

    fn place(&self) -> Vec<Tag> {
        let (lat, lon, referenced) = match self.gps {
            Gps::None => return Vec::new(),
            Gps::Right(point) => (point.lat(), point.lon(), true),
            Gps::Zero => (0.0, 0.0, true),
            Gps::OutOfRange => (97.5, 14.25, true),
            Gps::NoReference(point) => (point.lat(), point.lon(), false),
        };
        let mut tags = Vec::with_capacity(4);
        if referenced {
            tags.push(ascii(1, if lat < 0.0 { "S" } else { "N" }));
        }
        tags.push(degrees(2, lat));
        if referenced {
            tags.push(ascii(3, if lon < 0.0 { "W" } else { "E" }));
        }
        tags.push(degrees(4, lon));
        tags
    }
}

/// Year, month and day of a day counted from 1 January 1970 (proleptic Gregorian calendar).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn exif_time(seconds: i64) -> String {
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let time = seconds.rem_euclid(86_400);
    format!("{year:04}:{month:02}:{day:02} {:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60)
}

/// `2019-07-04T12:30:00`, for pages and the truth.
pub(crate) fn iso_time(seconds: i64) -> String {
    exif_time(seconds).replacen(':', "-", 2).replace(' ', "T")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_dates() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_400, "2000-02-29T00:00:00"),
            (1_562_243_400, "2019-07-04T12:30:00"),
            (1_735_689_599, "2024-12-31T23:59:59"),
        ] {
            assert_eq!(iso_time(seconds), date);
        }
    }

    #[test]
    fn directories_point_at_each_other() {
        let exif = Exif {
            make: "Fern",
            model: "F2 Pocket",
            orientation: 6,
            taken: 1_562_243_400,
            gps: Gps::Right(LatLon::new(-36.5271, 6.2886).unwrap()),
        };
        let block = exif.tiff();
        let long = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap()) as usize;
        // The fifth entry of the first directory points at the place: four tags, the first "S".
        let place = long(8 + 2 + 4 * 12 + 8);
        assert_eq!(&block[place..place + 2], &[4, 0]);
        assert_eq!(block[place + 2 + 8], b'S');
        let latitude = long(place + 2 + 12 + 8);
        assert_eq!((long(latitude), long(latitude + 8), long(latitude + 16)), (36, 31, 3756));
    }
}
