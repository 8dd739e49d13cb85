//! Coordinates in running text: decimal degrees, degrees with minutes and seconds, UTM, MGRS, `geo:` URIs.

use facts::LatLon;

use super::grid::{from_mgrs, from_utm};
use super::{Mention, MentionKind};

/// Decimals from which two bare numbers are taken for coordinates; fewer are prices and versions.
const BARE_DECIMALS: usize = 4;
/// Decimals that are enough after a word such as "coordinates" or "GPS".
const LABELLED_DECIMALS: usize = 2;
/// How far back such a word may stand, in bytes.
const LABEL_REACH: usize = 32;
/// Metres of a degree.
const DEGREE_M: f64 = 111_320.0;

/// How points of well-known text begin.
const POINT: &[u8] = b"POINT";

/// The words that announce coordinates, in lower case.
const LABELS: [&str; 12] = [
    "coord",
    "koord",
    "gps",
    "lat",
    "position",
    "sijainti",
    "wgs",
    "breite",
    "standort",
    "ubicaci",
    "posizione",
    "location:",
];

/// Coordinates read somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) at: LatLon,
    pub(super) precision_m: f64,
    pub(super) end: usize,
    pub(super) form: &'static str,
}

/// All coordinates of a text, in order.
pub(super) fn coordinates(text: &str) -> Vec<Mention> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(|byte| MAY_START[usize::from(*byte)]) {
        at += skipped;
        if !starts(bytes, at) || !free_before(bytes, at) {
            at += 1;
            continue;
        }
        match read(text, at) {
            Some(reading) => {
                found.push(Mention {
                    span: at..reading.end,
                    kind: MentionKind::Coordinates,
                    place: None,
                    at: reading.at,
                    precision_m: reading.precision_m,
                    confidence: if reading.form == "bare numbers" { 0.8 } else { 0.98 },
                    address: None,
                    why: format!("coordinates written as {}", reading.form),
                });
                at = reading.end;
            }
            None => at = skip_number(bytes, at),
        }
    }
    found
}

/// Bytes that coordinates may start with: nearly all of a text are others.
static MAY_START: [bool; 256] = {
    let mut may = [false; 256];
    let bytes = b"0123456789-+NSEWgGP";
    let mut i = 0;
    while i < bytes.len() {
        may[bytes[i] as usize] = true;
        i += 1;
    }
    may
};

/// Whether coordinates may start here.
fn starts(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'0'..=b'9' => true,
        b'-' | b'+' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
        b'N' | b'S' | b'E' | b'W' => hemisphere_prefix(bytes, at),
        b'g' | b'G' => bytes.get(at + 3) == Some(&b':') && bytes[at..at + 3].eq_ignore_ascii_case(b"geo"),
        b'P' => is_point(bytes, at),
        _ => false,
    }
}

/// The coordinates that begin at a byte.
fn read(text: &str, at: usize) -> Option<Reading> {
    let rest = text.get(at..)?;
    if rest.len() > 4 && rest.is_char_boundary(4) && rest[..4].eq_ignore_ascii_case("geo:") {
        return geo_uri(rest).map(|reading| Reading { end: at + reading.end, ..reading });
    }
    if rest.starts_with('P') {
        return well_known_text(text, at);
    }
    pair(text, at).or_else(|| utm(text, at)).or_else(|| mgrs(text, at))
}

fn is_point(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + POINT.len()).is_some_and(|word| word.eq_ignore_ascii_case(POINT))
}

/// `POINT(8.2 53.1)`, `POINT Z (8.2 53.1 7)`: the longitude comes first.
fn well_known_text(text: &str, at: usize) -> Option<Reading> {
    let rest = text.get(at + POINT.len()..)?;
    let inside = rest.trim_start().trim_start_matches(['Z', 'M', 'z', 'm']).trim_start().strip_prefix('(')?;
    let (inside, _) = inside.split_at(inside.char_indices().take(LABEL_REACH * 2).find(|(_, c)| *c == ')')?.0);
    let start = text.len() - rest.len();
    let end = start + rest.find(')')? + 1;
    let mut numbers = inside.split_whitespace();
    let (lon, lat) = (numbers.next()?, numbers.next()?);
    let decimals = |number: &str| number.split_once('.').map_or(0, |(_, digits)| digits.len());
    let point = LatLon::new(lat.parse().ok()?, lon.parse().ok()?).filter(|point| !is_origin(*point))?;
    let precision_m = spread_of(decimals(lat).max(decimals(lon)));
    Some(Reading { at: point, precision_m, end, form: "well-known text" })
}

/// `geo:54.32,10.12;u=35` (RFC 5870).
pub(super) fn geo_uri(uri: &str) -> Option<Reading> {
    let numbers = uri.get(4..)?;
    let end = numbers.find(|c: char| !(c.is_ascii_digit() || ",.+-".contains(c))).unwrap_or(numbers.len());
    let mut parts = numbers[..end].trim_end_matches(['.', ',']).split(',');
    let (lat, lon) = (parts.next()?, parts.next()?);
    let decimals = lat.split_once('.').map_or(0, |(_, digits)| digits.len());
    let point = LatLon::new(lat.parse().ok()?, lon.parse().ok()?).filter(|point| !is_origin(*point))?;
    let spread = numbers[end..].strip_prefix(";u=").and_then(|rest| {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..digits].trim_end_matches('.').parse::<f64>().ok()
    });
    let length = 4 + numbers[..end].trim_end_matches(['.', ',']).len();
    Some(Reading {
        at: point,
        precision_m: spread.unwrap_or_else(|| spread_of(decimals)),
        end: length,
        form: "a geo URI",
    })
}

/// Two numbers as people write them in a field of their own: "62.6; 29.7", "62.6,29.7".
pub(crate) fn two_numbers(text: &str) -> Option<(LatLon, f64)> {
    let mut numbers = text.split([';', ',', ' ', '\n', '\t']).filter(|part| !part.is_empty());
    let (lat, lon) = (numbers.next()?, numbers.next()?);
    let decimals = lat.split_once('.').map_or(0, |(_, digits)| digits.len());
    if numbers.next().is_some() {
        return None;
    }
    let point = LatLon::new(lat.parse().ok()?, lon.parse().ok()?)?;
    (!is_origin(point)).then(|| (point, spread_of(decimals)))
}

/// 0,0 is where broken devices are.
pub(crate) fn is_origin(point: LatLon) -> bool {
    point.lat() == 0.0 && point.lon() == 0.0
}

/// Metres that a number with so many decimals leaves open.
pub(crate) fn spread_of(decimals: usize) -> f64 {
    (DEGREE_M * 10f64.powi(-(decimals.min(9) as i32))).max(1.0)
}

/// One half of a pair.
#[derive(Clone, Copy, Debug)]
struct Half {
    degrees: f64,
    hemisphere: Option<u8>,
    /// It has a degree sign.
    marked: bool,
    decimals: usize,
    spread: f64,
    end: usize,
}

fn pair(text: &str, at: usize) -> Option<Reading> {
    let bytes = text.as_bytes();
    let first = half(text, at)?;
    let (start, comma) = separator(text, first.end)?;
    let second = half(text, start)?;
    let (lat, lon) = match (first.hemisphere, second.hemisphere) {
        (Some(b'N' | b'S'), Some(b'E' | b'W')) => (first, second),
        (Some(b'E' | b'W'), Some(b'N' | b'S')) => (second, first),
        (None, None) => (first, second),
        _ => return None,
    };
    let form = if lat.hemisphere.is_some() || first.marked && second.marked {
        if lat.marked { "degrees" } else { "numbers with letters" }
    } else {
        let before = &bytes[at.saturating_sub(LABEL_REACH)..at];
        let before = String::from_utf8_lossy(before).to_lowercase();
        let labelled = LABELS.iter().any(|label| before.contains(label));
        let least = if labelled { LABELLED_DECIMALS } else { BARE_DECIMALS };
        if !comma && !labelled || first.decimals < least || second.decimals < least || !free_after(bytes, second.end) {
            return None;
        }
        if labelled { "labelled numbers" } else { "bare numbers" }
    };
    let point = LatLon::new(lat.degrees, lon.degrees).filter(|point| !is_origin(*point))?;
    Some(Reading { at: point, precision_m: lat.spread.max(1.0), end: second.end, form })
}

/// `N 54° 19' 23"`, `54.32° N`, `-10.12`.
fn half(text: &str, at: usize) -> Option<Half> {
    let bytes = text.as_bytes();
    let mut at = at;
    let mut hemisphere = None;
    if hemisphere_prefix(bytes, at) {
        hemisphere = Some(bytes[at]);
        at = spaces(bytes, at + 1);
    }
    let negative = matches!(bytes.get(at), Some(b'-')) || text.get(at..).is_some_and(|rest| rest.starts_with('−'));
    if negative || bytes.get(at) == Some(&b'+') {
        at += if bytes[at] == b'-' || bytes[at] == b'+' { 1 } else { '−'.len_utf8() };
    }
    let (mut degrees, decimals, mut end) = number(text, at)?;
    if degrees > 180.0 {
        return None;
    }
    let mut spread = spread_of(decimals);
    let mut marked = false;
    if let Some(after) = sign(text, end, &["°", "º", "˚", " °", "deg", "&deg;"]) {
        marked = true;
        end = after;
        if decimals == 0 {
            spread = DEGREE_M;
        }
        let next = spaces(bytes, end);
        if decimals == 0
            && let Some((minutes, places, after)) = number(text, next)
            && minutes < 60.0
            && let Some(after) = sign(text, after, &["'", "′", "’", "´", "‘", " '", " ′", "min"])
        {
            degrees += minutes / 60.0;
            spread = DEGREE_M / 60.0 * 10f64.powi(-(places.min(6) as i32));
            end = after;
            let next = spaces(bytes, end);
            if places == 0
                && let Some((seconds, places, after)) = number(text, next)
                && seconds < 60.0
                && let Some(after) = sign(text, after, &["\"", "″", "”", "''", "’’", "′′", "“", " \"", " ″", "sec"])
            {
                degrees += seconds / 3600.0;
                spread = DEGREE_M / 3600.0 * 10f64.powi(-(places.min(4) as i32));
                end = after;
            }
        }
    }
    if hemisphere.is_none() {
        let next = spaces(bytes, end);
        if let Some(letter) = bytes.get(next).copied().filter(|_| is_hemisphere(bytes, next))
            && next - end <= 1
            && (marked || decimals > 0)
        {
            hemisphere = Some(letter);
            end = next + 1;
        }
    }
    let turned = negative != matches!(hemisphere, Some(b'S' | b'W'));
    Some(Half { degrees: if turned { -degrees } else { degrees }, hemisphere, marked, decimals, spread, end })
}

/// A number with its decimals; a comma counts as the decimal point when a degree sign or a compass
/// letter follows.
fn number(text: &str, at: usize) -> Option<(f64, usize, usize)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| (from..bytes.len()).take_while(|i| bytes[*i].is_ascii_digit()).count();
    let whole = digits(at);
    if whole == 0 || whole > 3 {
        return None;
    }
    let mut end = at + whole;
    let mut decimals = 0;
    match bytes.get(end) {
        Some(b'.') => {
            decimals = digits(end + 1);
            if decimals > 0 {
                end += 1 + decimals;
            }
        }
        Some(b',') => {
            let count = digits(end + 1);
            let after = end + 1 + count;
            let marked = sign(text, after, &["°", "º", " °", "'", "′", "\"", "″"]).is_some();
            if count > 0 && (marked || is_hemisphere(bytes, spaces(bytes, after))) {
                decimals = count;
                end += 1 + count;
            }
        }
        _ => {}
    }
    if decimals > 15 {
        return None;
    }
    let value: f64 = text.get(at..end)?.replace(',', ".").parse().ok()?;
    Some((value, decimals, end))
}

/// A compass letter that stands alone.
fn is_hemisphere(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), Some(b'N' | b'S' | b'E' | b'W'))
        && bytes.get(at + 1).is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

fn sign(text: &str, at: usize, signs: &[&str]) -> Option<usize> {
    let rest = text.get(at..)?;
    signs.iter().find(|sign| rest.starts_with(**sign)).map(|sign| at + sign.len())
}

/// What may stand between the halves: where the second begins, and whether a comma or the like does.
fn separator(text: &str, at: usize) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let mut end = at;
    let mut comma = false;
    while end < bytes.len() && end - at < 24 {
        match bytes[end] {
            b' ' | b'\t' | b'\n' | b'\r' | b'|' => end += 1,
            b',' | b';' | b'/' | b':' | b'=' => {
                comma = true;
                end += 1;
            }
            0xC2 if bytes.get(end + 1) == Some(&0xA0) => end += 2,
            b'l' | b'L' => {
                let word = (end..bytes.len()).take_while(|i| bytes[*i].is_ascii_alphabetic()).count();
                let known = bytes[end..end + word].to_ascii_lowercase();
                if !matches!(known.as_slice(), b"lon" | b"long" | b"lng" | b"longitude" | b"laenge") {
                    return None;
                }
                comma = true;
                end += word;
            }
            _ => break,
        }
    }
    (end > at).then_some((end, comma))
}

fn spaces(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < bytes.len() && end - at < 3 && bytes[end] == b' ' {
        end += 1;
    }
    if bytes.get(end) == Some(&0xC2) && bytes.get(end + 1) == Some(&0xA0) { end + 2 } else { end }
}

/// A compass letter with a number after it.
fn hemisphere_prefix(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), Some(b'N' | b'S' | b'E' | b'W'))
        && (bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
            || bytes.get(at + 1) == Some(&b' ') && bytes.get(at + 2).is_some_and(u8::is_ascii_digit))
}

fn free_before(bytes: &[u8], at: usize) -> bool {
    at == 0 || {
        let before = bytes[at - 1];
        !(before.is_ascii_alphanumeric()
            || matches!(before, b'.' | b'-' | b'+' | b'_')
            || before == b'/' && bytes[at].is_ascii_digit())
    }
}

fn free_after(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        Some(b'.' | b',') => !bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
        Some(byte) => !byte.is_ascii_alphanumeric() && *byte != b'%',
        None => true,
    }
}

fn skip_number(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end].is_ascii_digit() {
        end += 1;
    }
    end
}

/// `32U 573012 6020345`, also with E and N or m before or after the numbers.
fn utm(text: &str, at: usize) -> Option<Reading> {
    let bytes = text.as_bytes();
    let (zone, band, mut end) = zone(bytes, at)?;
    let mut value = |digits: usize, letter: u8| -> Option<f64> {
        end = spaces(bytes, end);
        if matches!(bytes.get(end), Some(b',' | b';')) {
            end = spaces(bytes, end + 1);
        }
        if bytes.get(end) == Some(&letter) {
            end = spaces(bytes, end + 1);
        }
        let count = (end..bytes.len()).take_while(|i| bytes[*i].is_ascii_digit()).count();
        if count != digits {
            return None;
        }
        let number = text.get(end..end + count)?.parse().ok()?;
        end += count;
        if bytes.get(end) == Some(&b'm') {
            end += 1;
        }
        if bytes.get(end) == Some(&letter) {
            end += 1;
        }
        Some(number)
    };
    let (easting, northing) = (value(6, b'E')?, value(7, b'N')?);
    if !free_after(bytes, end) {
        return None;
    }
    let point = from_utm(zone, band, easting, northing)?;
    Some(Reading { at: point, precision_m: 1.0, end, form: "UTM" })
}

/// `32U NF 73012 20345`, with or without spaces.
fn mgrs(text: &str, at: usize) -> Option<Reading> {
    let bytes = text.as_bytes();
    let (zone, band, end) = zone(bytes, at)?;
    let mut end = spaces(bytes, end);
    let square = [*bytes.get(end)?, *bytes.get(end + 1)?];
    if !square.iter().all(u8::is_ascii_uppercase) {
        return None;
    }
    end = spaces(bytes, end + 2);
    let digits = |from: usize| (from..bytes.len()).take_while(|i| bytes[*i].is_ascii_digit()).count();
    let first = digits(end);
    let (easting, northing, length) =
        if first % 2 == 0 && (4..=10).contains(&first) && !bytes.get(end + first + 1).is_some_and(u8::is_ascii_digit) {
            let half = first / 2;
            let (a, b) = (text.get(end..end + half)?, text.get(end + half..end + first)?);
            end += first;
            (a, b, half)
        } else if (2..=5).contains(&first) {
            let next = spaces(bytes, end + first);
            if digits(next) != first {
                return None;
            }
            let parts = (text.get(end..end + first)?, text.get(next..next + first)?);
            end = next + first;
            (parts.0, parts.1, first)
        } else {
            return None;
        };
    if !free_after(bytes, end) {
        return None;
    }
    let metres = 10f64.powi(5 - length as i32);
    let read = |digits: &str| Some(digits.parse::<f64>().ok()? * metres + metres / 2.0);
    let point = from_mgrs(zone, band, square, read(easting)?, read(northing)?)?;
    Some(Reading { at: point, precision_m: metres.max(1.0), end, form: "MGRS" })
}

/// A UTM zone and its band.
fn zone(bytes: &[u8], at: usize) -> Option<(u8, u8, usize)> {
    let count = (at..bytes.len()).take_while(|i| bytes[*i].is_ascii_digit()).count();
    if count == 0 || count > 2 {
        return None;
    }
    let number = bytes[at..at + count].iter().fold(0, |sum, byte| sum * 10 + (byte - b'0'));
    let band = *bytes.get(at + count)?;
    let valid = (1..=60).contains(&number) && matches!(band, b'C'..=b'X') && band != b'I' && band != b'O';
    valid.then_some((number, band, at + count + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(f64, f64)>) {
        let found = coordinates(text);
        match (found.as_slice(), expected) {
            ([], None) => {}
            ([one], Some((lat, lon))) => {
                let error = crate::kilometres(one.at, LatLon::new(lat, lon).unwrap());
                assert!(error < 0.1, "{text}: {:?}, {error} km off", one.at);
            }
            _ => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn coordinates_are_read_in_every_usual_form() {
        let kiel = Some((54.3233, 10.1228));
        for text in [
            "at 54.3233, 10.1228 by the quay",
            "(54.3233,10.1228)",
            "GPS 54.3233 10.1228",
            "54.3233° N, 10.1228° E",
            "54.3233°N 10.1228°E",
            "N 54.3233 E 10.1228",
            "N54.3233°, E10.1228°",
            "54,3233° N 10,1228° E",
            "54,3233 N; 10,1228 E",
            "POINT(10.1228 54.3233)",
            "as POINT (10.1228 54.3233) or so",
            "54° 19′ 23.9″ N, 10° 7′ 22.1″ E",
            "54°19'23.9\"N 10°7'22.1\"E",
            "N 54° 19.398' E 010° 07.368'",
            "54° 19' 23.9'' N / 10° 07' 22.1'' E",
            "Lat: 54.3233, Lon: 10.1228",
            "latitude 54.3233 longitude 10.1228",
            "geo:54.3233,10.1228;u=20",
            "see <geo:54.3233,10.1228>.",
            "Koordinaten: 54.3233 / 10.1228",
            "UTM 32U 573032 6020043",
            "32U E 573032 N 6020043",
            "32U NF 73032 20043",
            "32UNF7303220043",
        ] {
            check(text, kiel);
        }
        check("10.1228° E, 54.3233° N", kiel);
        check("-33.8688, 151.2093", Some((-33.8688, 151.2093)));
        check("33.8688 S, 151.2093 E", Some((-33.8688, 151.2093)));
        check("40° 26′ 46″ N 79° 58′ 56″ W", Some((40.4461, -79.9822)));
        check("33.8688° S 151.2093° E", Some((-33.8688, 151.2093)));
    }

    #[test]
    fn numbers_that_are_no_coordinates_stay_numbers() {
        for text in [
            "between 54.32 and 10.12 euros",
            "version 1.2345.6789",
            "192.168.100.1234, 10.1234",
            "0.0000, 0.0000",
            "95.1234, 10.1234",
            "1.234, 5.678",
            "3.14159",
            "12 May, 2024",
            "54° in the shade",
            "tel. 0431 12345, 6789",
            "20N 30E",
            "32 people, 573000 euros",
            "5.1234%, 6.1234%",
            "geo:graphy",
            "POINT (of view)",
            "POINT(10.1)",
            "POINT(190.1 54.3)",
            "5,50 E and 3,20 N",
            "geo:91,5",
            "-",
            "N",
            "",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn precision_follows_what_is_written() {
        for (text, metres) in [
            ("54.3233, 10.1228", 11.132),
            ("54° 19′ N, 10° 7′ E", 1855.3),
            ("geo:54.3,10.1;u=35", 35.0),
            ("32UNF7320", 1000.0),
        ] {
            let found = coordinates(text);
            assert!((found[0].precision_m - metres).abs() < metres * 0.01, "{text}: {}", found[0].precision_m);
        }
    }
}
