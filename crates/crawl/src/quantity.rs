//! Durations and sizes as people write them: `30s`, `1h30m`, `2GB`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

/// Units of time, longest name first so that `ms` is not read as `m`.
const TIMES: &[(&str, f64)] = &[("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0)];

/// Units of size; powers of ten without an `i`, of two with it.
const SIZES: &[(&str, f64)] = &[
    ("kib", 1024.0),
    ("mib", 1048576.0),
    ("gib", 1073741824.0),
    ("tib", 1099511627776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("b", 1.0),
];

/// Reads `200ms`, `1s`, `1.5m`, `1h30m`, `2d`; a bare `0` needs no unit.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is not a duration: write it like 200ms, 30s, 15m, 2h or 1h30m");
    if text.trim() == "0" {
        return Ok(Duration::ZERO);
    }
    let seconds = sum(text, TIMES).ok_or_else(wrong)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// Reads `500`, `64KiB`, `10MB`, `2GB`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if let Ok(bytes) = text.parse() {
        return Ok(bytes);
    }
    let bytes = sum(text, SIZES).ok_or_else(|| format!("'{text}' is not a size: write it like 64KiB, 10MB or 2GB"))?;
    Ok(bytes as u64)
}

/// The sum of `number unit` pairs.
fn sum(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    let mut rest = lower.as_str();
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let (unit, size) = units.iter().find(|(unit, _)| rest.starts_with(unit))?;
        total += number * size;
        rest = rest[unit.len()..].trim_start();
    }
    (total.is_finite() && !lower.is_empty()).then_some(total)
}

/// The shortest form that [`parse_duration`] reads back.
pub fn show_duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    match ms {
        0 => "0".into(),
        _ if ms.is_multiple_of(3_600_000) => format!("{}h", ms / 3_600_000),
        _ if ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        _ if ms.is_multiple_of(1000) => format!("{}s", ms / 1000),
        _ => format!("{ms}ms"),
    }
}

/// A size for people: `1.5 MB`.
pub fn show_bytes(bytes: u64) -> String {
    let (unit, size) = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
        .into_iter()
        .find(|(_, size)| bytes as f64 >= *size)
        .unwrap_or(("B", 1.0));
    if size == 1.0 { format!("{bytes} B") } else { format!("{:.1} {unit}", bytes as f64 / size) }
}

/// `#[serde(with = "quantity::duration")]`: a duration as text.
pub(crate) mod duration {
    use super::*;

    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&show_duration(*duration))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        parse_duration(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// `#[serde(with = "quantity::optional_duration")]`: a duration as text, or nothing.
pub(crate) mod optional_duration {
    use super::*;

    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::duration::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        super::duration::deserialize(deserializer).map(Some)
    }
}

/// `#[serde(with = "quantity::bytes")]`: a size as a number or as text.
pub(crate) mod bytes {
    use super::*;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u64),
        Text(String),
    }

    pub fn serialize<S: Serializer>(bytes: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(*bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(bytes),
            Written::Text(text) => parse_bytes(&text).map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, ms) in [
            ("200ms", 200),
            ("1s", 1000),
            ("1.5m", 90_000),
            ("1h30m", 5_400_000),
            ("2d", 172_800_000),
            ("0", 0),
            ("30 s", 30_000),
        ] {
            assert_eq!(parse_duration(text).unwrap().as_millis(), ms, "{text}");
        }
        for text in ["", "s", "10", "-1s", "1 fortnight", "1e400s", "999999999999999999999d"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in
            [("500", 500), ("64KiB", 65536), ("10MB", 10_000_000), ("2 GB", 2_000_000_000), ("1.5kb", 1500)]
        {
            assert_eq!(parse_bytes(text).unwrap(), bytes, "{text}");
        }
        for text in ["", "GB", "-5", "10 parsecs"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for ms in [0, 1, 200, 1000, 61_000, 3_600_000, 90_000] {
            let duration = Duration::from_millis(ms);
            assert_eq!(parse_duration(&show_duration(duration)).unwrap(), duration);
        }
    }
}
