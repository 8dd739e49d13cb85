//! Links to map services that carry coordinates.

use facts::LatLon;

use crate::parse::two_numbers;

/// The point that a link to a map service shows: Google, OpenStreetMap, Bing, Apple, Here and what
/// names its parameters as they do.
pub(super) fn map_link(url: &str) -> Option<(LatLon, f64)> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (host, path) = rest.split_once('/')?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let known = host.starts_with("maps.")
        || host.starts_with("map.")
        || host.contains(".maps.")
        || host.contains("openstreetmap")
        || host.starts_with("osm.")
        || host.starts_with("share.here")
        || host.starts_with("wego.here")
        || host.starts_with("google.") && path.starts_with("maps")
        || host.starts_with("bing.") && path.starts_with("maps")
        || host.starts_with("geohack")
        || host.contains("kartta");
    if !known {
        return None;
    }
    let path = path.replace("%2C", ",").replace("%2c", ",").replace("%21", "!");
    let parameter = |names: &[&str]| {
        path.split(['?', '&', '#']).skip(1).find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            names.contains(&name).then(|| value.to_owned())
        })
    };
    if let (Some(lat), Some(lon)) = (parameter(&["mlat", "lat"]), parameter(&["mlon", "lon", "lng"])) {
        return two_numbers(&format!("{lat};{lon}"));
    }
    if let Some(point) = parameter(&["q", "ll", "sll", "center", "query", "cp", "daddr", "destination", "map"])
        .and_then(|value| two_numbers(&value.replace('~', ",").replace("loc:", "").replace('+', " ")))
    {
        return Some(point);
    }
    // google.…/maps/place/…/@54.3,10.1,15z and …!3d54.3!4d10.1; its embedded maps …!2d10.1!3d54.3;
    // openstreetmap.org/#map=15/54.3/10.1
    let field = |name: &str| {
        let (_, value) = path.split_once(name)?;
        value.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c))).next()
    };
    if let Some(lat) = field("!3d")
        && let Some(lon) = field("!4d").or_else(|| field("!2d"))
    {
        return two_numbers(&format!("{lat};{lon}"));
    }
    if let Some((_, at)) = path.split_once('@') {
        let mut parts = at.split(',');
        return two_numbers(&format!("{};{}", parts.next()?, parts.next()?));
    }
    let (_, map) = path.split_once("#map=")?;
    let mut parts = map.split(['/', '&']).skip(1);
    two_numbers(&format!("{};{}", parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_maps_are_known_by_their_services_and_parameters() {
        let kiel = LatLon::new(54.3233, 10.1228);
        for url in [
            "https://www.openstreetmap.org/#map=15/54.3233/10.1228",
            "https://www.google.de/maps/place/Kiel/data=!3m1!4b1!3d54.3233!4d10.1228",
            "https://www.google.com/maps/embed?pb=!1m18!1m12!1m3!1d2358.1!2d10.1228!3d54.3233!2m3!1f0!2f0!3f0!3m2!1i1024",
            "https://www.google.com/maps/dir/?api=1&destination=54.3233,10.1228",
            "http://maps.google.com/maps?ll=54.3233,10.1228&z=12",
            "https://share.here.com/r/x?map=54.3233,10.1228",
        ] {
            assert_eq!(map_link(url).map(|(point, _)| point), kiel, "{url}");
        }
        for url in [
            "https://example.org/@54.3233,10.1228",
            "https://maps.google.com/?q=Kiel",
            "mailto:a@54.3,10.1",
            "https://maps.google.com/@x,y",
        ] {
            assert_eq!(map_link(url), None, "{url}");
        }
    }
}
