//! What structured data say, form by form.

use super::*;

fn read(html: &str) -> Vec<Located> {
    let url = facts::Url::parse("https://example.org/").unwrap();
    let page = page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default());
    structured(&page, &Hints::default())
}

fn check(html: &str, lat: f64, lon: f64, within_km: f64) {
    let found = read(html);
    assert_eq!(found.len(), 1, "{html}: {found:?}");
    let km = crate::kilometres(found[0].mention.at, LatLon::new(lat, lon).unwrap());
    assert!(km <= within_km, "{html}: {:?}, {km} km off", found[0].mention.at);
    assert_eq!(found[0].mention.kind, MentionKind::Structured);
}

#[test]
fn coordinates_are_read_from_every_form_of_structured_data() {
    for html in [
        r#"<script type="application/ld+json">{"@type":"Museum","geo":{"@type":"GeoCoordinates","latitude":54.3233,"longitude":"10.1228"}}</script>"#,
        r#"<script type="application/ld+json">{"@graph":[{"@type":"Event","location":{"@type":"Place","geo":{"latitude":"54,3233","longitude":"10,1228"}}}]}</script>"#,
        r#"<script type="application/ld+json">[{"@type":"GeoCircle","geoMidpoint":{"latitude":54.3233,"longitude":10.1228}}]</script>"#,
        r#"<div itemscope itemtype="https://schema.org/Place"><div itemprop="geo" itemscope itemtype="https://schema.org/GeoCoordinates"><meta itemprop="latitude" content="54.3233"><meta itemprop="longitude" content="10.1228"></div></div>"#,
        r#"<meta name="geo.position" content="54.3233;10.1228">"#,
        r#"<meta name="ICBM" content="54.3233, 10.1228">"#,
        r#"<meta property="place:location:latitude" content="54.3233"><meta property="place:location:longitude" content="10.1228">"#,
        r#"<span class="geo">54.3233; 10.1228</span>"#,
        r#"<p class="h-geo"><span class="p-latitude">54.3233</span> <span class="p-longitude">10.1228</span></p>"#,
        r#"<a href="geo:54.3233,10.1228">Map</a>"#,
        r#"<a href="https://www.openstreetmap.org/?mlat=54.3233&mlon=10.1228#map=15/1/2">Map</a>"#,
        r#"<a href="https://www.openstreetmap.org/#map=15/54.3233/10.1228">Map</a>"#,
        r#"<a href="https://www.openstreetmap.org/">OSM</a> <a href="https://www.openstreetmap.org/#map=15/54.3233/10.1228">Map</a>"#,
        r#"<iframe src="https://www.google.com/maps/embed?pb=!1m18!1m12!1m3!1d23!2d10.1228!3d54.3233!2m3!1f0"></iframe>"#,
        r#"<a href="https://www.google.com/maps/place/Kiel/@54.3233,10.1228,15z">Map</a>"#,
        r#"<a href="https://maps.google.de/?q=54.3233,10.1228">Map</a>"#,
        r#"<a href="https://maps.apple.com/?ll=54.3233%2C10.1228">Map</a>"#,
        r#"<a href="https://www.bing.com/maps?cp=54.3233~10.1228&lvl=12">Map</a>"#,
    ] {
        check(html, 54.3233, 10.1228, 0.1);
    }
}

#[test]
fn addresses_for_machines_are_located_by_their_town() {
    for html in [
        r#"<script type="application/ld+json">{"@type":"Hotel","address":{"@type":"PostalAddress","streetAddress":"Escherweg 2","postalCode":"26121","addressLocality":"Oldenburg","addressCountry":"DE"}}</script>"#,
        r#"<script type="application/ld+json">{"@type":"Hotel","address":"Escherweg 2, 26121 Oldenburg"}</script>"#,
        r#"<p class="h-adr"><span class="p-street-address">Escherweg 2</span> <span class="p-postal-code">26121</span> <span class="p-locality">Oldenburg</span></p>"#,
        r#"<meta property="og:street-address" content="Escherweg 2"><meta property="og:locality" content="Oldenburg"><meta property="og:country-name" content="Germany">"#,
        r#"<meta name="geo.placename" content="Oldenburg"><meta name="geo.region" content="DE-NI">"#,
    ] {
        check(html, 53.14, 8.21, 3.0);
    }
    let html = r#"<script type="application/ld+json">{"@type":"Shop","address":{"streetAddress":"500 Main St","addressLocality":"Springfield","addressRegion":"IL","addressCountry":{"@type":"Country","name":"US"}}}</script>"#;
    check(html, 39.8, -89.64, 5.0);
    let address = read(html)[0].mention.address.clone().unwrap();
    assert_eq!((address.street.as_deref(), address.number.as_deref()), (Some("Main St"), Some("500")));
}

#[test]
fn what_is_broken_or_nowhere_is_left_out() {
    for html in [
        r#"<meta name="geo.position" content="0;0">"#,
        r#"<meta name="geo.position" content="somewhere">"#,
        r#"<script type="application/ld+json">{"geo":{"latitude":95,"longitude":10}}</script>"#,
        r#"<script type="application/ld+json">{"geo":{"latitude":"","longitude":null}}</script>"#,
        r#"<script type="application/ld+json">{"address":{"addressLocality":"Xyzhausen"}}</script>"#,
        r#"<script type="application/ld+json">{"latitude":</script>"#,
        r#"<a href="https://maps.google.com/">Map</a>"#,
        r#"<a href="https://example.com/?q=54.3,10.1">Not a map</a>"#,
    ] {
        assert!(read(html).is_empty(), "{html}: {:?}", read(html));
    }
}
