//! Operators: a name, a colon and a value.

use facts::{LatLon, MediaKind, Timestamp};

use crate::calendar::{days, written};

/// Kilometres around a place that is named without them.
const AROUND: f64 = 10.0;

/// A condition that words do not answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// `site:HOST`: from this host, or found on its pages.
    Site(String),
    /// `kind:image`: of this kind.
    Kind(Kind),
    /// `place:NAME`: in this place.
    Place(String),
    /// `near:LAT,LON,KM` or `near:NAME`: near this point or place.
    Near(Near),
    /// `after:DATE`: came in at this moment or later.
    After(Timestamp),
    /// `before:DATE`: came in before this moment.
    Before(Timestamp),
    /// `license:open` (true) or `license:any`.
    OpenLicence(bool),
    /// `link:URL`: pages that link to it; for `find`.
    Link(String),
    /// `related:URL`: pages whose words are like those of this page; for `find`.
    Related(String),
}

/// What kind of thing is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pictures, films or sounds.
    Media(MediaKind),
    /// Pages with their places.
    Page,
}

/// Near a point or place.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Near what.
    pub to: Where,
    /// How near, in kilometres.
    pub km: f64,
}

/// A point or the name of a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Where {
    /// A point.
    Point(LatLon),
    /// A name, for a gazetteer.
    Named(String),
}

impl Operator {
    /// The operator of this name with this value; nothing when there is none of this name, and what is
    /// wrong when it cannot have this value.
    pub(crate) fn read(name: &str, value: &str) -> Option<Result<Self, String>> {
        let value = value.trim();
        let text = || value.to_owned();
        Some(match name.to_ascii_lowercase().as_str() {
            "site" | "host" => host(value).map(Self::Site),
            "kind" => kind(value).map(Self::Kind),
            "place" | "in" => match crate::fold(value).is_empty() && !value.contains(',') {
                true => Err("place: names a place, such as place:Kiel".to_owned()),
                false => Ok(Self::Place(text())),
            },
            "near" => near(value).map(Self::Near),
            "after" | "since" => date(name, value).map(|[first, _]| Self::After(first)),
            "before" => date(name, value).map(|[first, _]| Self::Before(first)),
            // The day, month or year itself counts, as with `--until`.
            "until" => date(name, value).map(|[_, next]| Self::Before(next)),
            "license" | "licence" => match value.to_ascii_lowercase().as_str() {
                "open" | "cc" | "free" => Ok(Self::OpenLicence(true)),
                "any" => Ok(Self::OpenLicence(false)),
                _ => Err(format!("license:{value} is not known: open (Creative Commons, public domain) or any")),
            },
            "link" => Ok(Self::Link(text())),
            "related" => Ok(Self::Related(text())),
            _ => return None,
        })
    }

    /// What only `find` can answer.
    pub fn is_for_find(&self) -> bool {
        matches!(self, Self::Link(_) | Self::Related(_))
    }

    /// Said in words, after what is looked for; kinds are said before it.
    pub(crate) fn said(&self) -> Option<String> {
        let plain = |text: &str| text.replace('*', "");
        Some(match self {
            Self::Kind(_) | Self::OpenLicence(false) => return None,
            Self::Site(host) => format!("from {}", plain(host)),
            Self::Place(name) => format!("in {}", plain(name)),
            Self::Near(Near { to: Where::Point(at), km }) => {
                format!("within {km} km of {:.4}, {:.4}", at.lat(), at.lon())
            }
            Self::Near(Near { to: Where::Named(name), km }) => format!("within {km} km of {}", plain(name)),
            Self::After(at) => format!("since {}", written(*at)),
            Self::Before(at) => format!("before {}", written(*at)),
            Self::OpenLicence(true) => "with an open licence".to_owned(),
            Self::Link(url) => format!("linking to {}", plain(url)),
            Self::Related(url) => format!("like {}", plain(url)),
        })
    }
}

impl Kind {
    /// In words, more than one of them.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Media(MediaKind::Image) => "pictures",
            Self::Media(MediaKind::Video) => "films",
            Self::Media(MediaKind::Audio) => "sounds",
            Self::Page => "pages",
        }
    }
}

fn host(value: &str) -> Result<String, String> {
    let host = value.split_once("://").map_or(value, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    match host.is_empty() || host.chars().any(|c| c.is_whitespace() || c.is_control()) {
        true => Err(format!("site:{value} names no host: write it as site:example.org")),
        false => Ok(host),
    }
}

fn kind(value: &str) -> Result<Kind, String> {
    Ok(match value.to_ascii_lowercase().as_str() {
        "image" | "images" | "picture" | "pictures" | "photo" | "photos" => Kind::Media(MediaKind::Image),
        "video" | "videos" | "film" | "films" => Kind::Media(MediaKind::Video),
        "audio" | "sound" | "sounds" => Kind::Media(MediaKind::Audio),
        "page" | "pages" => Kind::Page,
        _ => return Err(format!("kind:{value} is not known: image, video, audio or page")),
    })
}

fn date(name: &str, value: &str) -> Result<[Timestamp; 2], String> {
    days(value).ok_or_else(|| format!("{name}:{value} is no date: write it as 2020, 2020-06 or 2020-06-30"))
}

/// `LAT,LON`, `LAT,LON,KM`, `NAME` or `NAME,KM`.
fn near(value: &str) -> Result<Near, String> {
    let wrong = || {
        format!(
            "near:{value} is not understood: write it as near:60.17,24.94,10 (kilometres last) or near:\"Bad Ischl\",5"
        )
    };
    let parts: Vec<&str> = value.split(',').map(str::trim).collect();
    let number = |text: &str| text.parse::<f64>().ok();
    let numbers: Vec<Option<f64>> = parts.iter().map(|part| number(part)).collect();
    let km = |text: &str| {
        let text = text.to_ascii_lowercase();
        let km = match (text.strip_suffix("km"), text.strip_suffix('m')) {
            (Some(km), _) => number(km.trim()),
            (None, Some(metres)) => number(metres.trim()).map(|metres| metres / 1_000.0),
            (None, None) => number(&text),
        };
        km.filter(|km| km.is_finite() && *km > 0.0 && *km <= 20_040.0)
    };
    let point = |lat: f64, lon: f64| LatLon::new(lat, lon).map(Where::Point).ok_or_else(wrong);
    match (numbers.as_slice(), parts.as_slice()) {
        ([Some(lat), Some(lon)], _) => Ok(Near { to: point(*lat, *lon)?, km: AROUND }),
        ([Some(lat), Some(lon), _], [_, _, far]) => Ok(Near { to: point(*lat, *lon)?, km: km(far).ok_or_else(wrong)? }),
        ([Some(_), ..], _) => Err(wrong()),
        (_, [name @ .., last]) if !name.is_empty() && km(last).is_some() => {
            named(&name.join(", "), km(last).unwrap_or(AROUND)).ok_or_else(wrong)
        }
        _ => named(value, AROUND).ok_or_else(wrong),
    }
}

fn named(name: &str, km: f64) -> Option<Near> {
    let name = name.trim();
    (!crate::fold(name).is_empty()).then(|| Near { to: Where::Named(name.to_owned()), km })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_be_near_are_points_or_names() {
        let point = |lat, lon, km| Near { to: Where::Point(LatLon::new(lat, lon).unwrap()), km };
        let name = |name: &str, km| Near { to: Where::Named(name.into()), km };
        for (value, expected) in [
            ("60.17,24.94,5", point(60.17, 24.94, 5.0)),
            ("60.17,24.94,5km", point(60.17, 24.94, 5.0)),
            ("60.17, 24.94, 500m", point(60.17, 24.94, 0.5)),
            ("-17.5,-179.9", point(-17.5, -179.9, 10.0)),
            ("Kiel", name("Kiel", 10.0)),
            ("Bad Ischl,3km", name("Bad Ischl", 3.0)),
            ("Springfield, Illinois", name("Springfield, Illinois", 10.0)),
            ("Springfield, Illinois, 25", name("Springfield, Illinois", 25.0)),
        ] {
            assert_eq!(near(value), Ok(expected), "{value}");
        }
        for wrong in
            ["", ",", "NaN,8,5", "91,0,5", "0,181,5", "1,2,NaN", "1,2,-5", "1,2,inf", "1,2,3,4", "1", "inf,inf"]
        {
            assert!(near(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hosts_are_taken_out_of_addresses() {
        for (value, expected) in
            [("Example.ORG", "example.org"), ("https://example.org/a?b", "example.org"), ("(imported)", "(imported)")]
        {
            assert_eq!(host(value).as_deref(), Ok(expected));
        }
        assert!(host("").is_err() && host("/").is_err());
    }
}
