use std::path::PathBuf;

use facts::{Address, LatLon, Locality, MediaId, MediaKind, Timestamp, Whereabouts};
use media::PlaceNames;
use proptest::prelude::*;
use serde_json::Value;
use store::{ItemLocation, MediaItem, PageItem, PagePlace, Sighting};

use crate::{Export, Format, Subject};

const HOSTILE: &str = "=HYPERLINK(\"http://evil.test\",\"a,b\")\n<b>&\u{1}]]> 東京";

fn item(located: bool, words: &str) -> MediaItem {
    let at = LatLon::new(-33.5, 151.25).unwrap();
    MediaItem {
        id: MediaId::from_sha256([7; 32]),
        number: 1,
        kind: MediaKind::Image,
        format: "jpeg".into(),
        size: 1234,
        path: "a.test/07/x.jpg".into(),
        thumbnail: None,
        colour: None,
        width: Some(800),
        height: Some(600),
        orientation: 1,
        duration: None,
        taken: Some("2008-05-30T15:56:01+03:00".into()),
        make: Some("Canon".into()),
        model: Some(words.into()),
        title: Some(words.into()),
        description: Some(words.into()),
        edited: None,
        keywords: vec![words.into()],
        licence: Some(words.into()),
        author: Some(words.into()),
        place_names: PlaceNames::default(),
        location: located.then(|| ItemLocation {
            at,
            altitude: Some(-2.5),
            direction: None,
            date: None,
            source: "exif".into(),
            precision_m: Some(12.5),
            confidence: 0.75,
            evidence: Some(words.into()),
            address: Some(address(words)),
            locality: locality(words),
            verified: true,
        }),
        other_locations: vec![other_location(words)],
        rejected: false,
        wrong_location: None,
        first_seen: Timestamp(5),
        addresses: 1,
        duplicate_of: None,
        copies: 0,
        gone: None,
        found: vec![Sighting {
            page_keywords: vec!["harbour".into(), "quay".into()],
            image: "http://a.test/x.jpg".into(),
            page: Some("http://a.test/?a=1&b=<2>".into()),
            page_title: None,
            description: words.into(),
            licence: None,
            author: None,
            gone: None,
        }],
    }
}

fn address(words: &str) -> Address {
    Address { street: Some(words.into()), number: Some("5".into()), city: Some("Sydney".into()), ..Address::default() }
}

fn locality(words: &str) -> Locality {
    Locality {
        place: words.into(),
        town: Some("Sydney".into()),
        admin1: Some(words.into()),
        country: Some("AU".into()),
    }
}

fn other_location(words: &str) -> ItemLocation {
    ItemLocation {
        at: LatLon::new(-33.0, 151.0).unwrap(),
        altitude: None,
        direction: None,
        date: None,
        source: "caption".into(),
        precision_m: Some(5000.0),
        confidence: 0.5,
        evidence: Some(words.into()),
        address: None,
        locality: Locality::default(),
        verified: false,
    }
}

/// A page with a place by its name alone, an address, and one that a crawl was sent for.
fn page(words: &str) -> PageItem {
    let place = |kind: &str, lat: f64, relevant| PagePlace {
        kind: kind.into(),
        id: Some(7),
        mentions: 2,
        relevant,
        why: words.into(),
        whereabouts: Whereabouts {
            at: LatLon::new(lat, 180.0).unwrap(),
            precision_m: 50.0,
            confidence: 0.9,
            evidence: words.into(),
            address: (kind == "address").then(|| address(words)),
            locality: locality(words),
        },
    };
    PageItem {
        number: 3,
        url: "http://a.test/?a=1&b=<2>".into(),
        title: words.into(),
        description: words.into(),
        language: Some("de".into()),
        first_seen: Timestamp(5),
        gone: None,
        relevant: true,
        focus: Some(1),
        places: vec![place("toponym", -1.5, false), place("address", 2.5, false), place("toponym", 3.5, true)],
    }
}

fn exported_pages(format: Format, pages: &[PageItem]) -> (String, u64) {
    let mut out = Vec::new();
    let mut export = Export::begin(&mut out, format, Subject::Pages).unwrap();
    pages.iter().for_each(|page| export.page(page).unwrap());
    let written = export.finish().unwrap();
    (String::from_utf8(out).unwrap(), written)
}

fn exported(format: Format, items: &[MediaItem]) -> (String, u64) {
    let mut out = Vec::new();
    let mut export = Export::begin(&mut out, format, Subject::Media(PathBuf::from("/data/media"))).unwrap();
    items.iter().for_each(|item| export.item(item).unwrap());
    let written = export.finish().unwrap();
    (String::from_utf8(out).unwrap(), written)
}

/// The cells of a table, by RFC 4180.
fn cells(table: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut quoted, mut chars) = (false, table.chars().peekable());
    while let Some(c) = chars.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {
                chars.next();
                rows.push(vec![String::new()]);
            }
            c => row.last_mut().unwrap().push(c),
        }
    }
    rows.pop();
    rows
}

#[test]
fn a_table_keeps_numbers_and_disarms_formulas() {
    let (table, written) = exported(Format::Csv, &[item(true, HOSTILE), item(false, "plain, but for a comma")]);
    let rows = cells(&table);
    assert_eq!((written, rows.len()), (2, 3));
    let cell = |row: usize, name: &str| {
        let column = rows[0].iter().position(|heading| heading == name).unwrap();
        rows[row][column].as_str()
    };
    assert_eq!((cell(1, "lat"), cell(1, "lon"), cell(1, "altitude")), ("-33.5", "151.25", "-2.5"));
    assert_eq!(cell(1, "title"), format!("'{HOSTILE}"));
    assert_eq!((cell(1, "precision_m"), cell(1, "confidence"), cell(1, "verified")), ("12.5", "0.75", "true"));
    for (name, expected) in [
        ("evidence", format!("'{HOSTILE}")),
        ("place", format!("'{HOSTILE}")),
        ("admin1", format!("'{HOSTILE}")),
        ("address", format!("'{HOSTILE} 5, Sydney")),
        ("town", "Sydney".into()),
        ("country", "AU".into()),
    ] {
        assert_eq!(cell(1, name), expected, "{name}");
    }
    assert_eq!((cell(2, "title"), cell(2, "lat")), ("plain, but for a comma", ""));
    assert_eq!((cell(2, "confidence"), cell(2, "verified"), cell(2, "place")), ("", "", ""));
    for (text, disarmed) in
        [("+1", "'+1"), ("-x", "'-x"), ("@a", "'@a"), ("\t=1", "'\t=1"), (" =1", "' =1"), ("a=1", "a=1")]
    {
        assert_eq!(cells(&format!("{}\r\n", crate::csv::text(text)))[0][0], disarmed);
    }
}

#[test]
fn geojson_has_points_longitude_first_and_features_without_a_place() {
    let (text, written) = exported(Format::GeoJson, &[item(true, HOSTILE), item(false, "x")]);
    let collection: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((written, collection["type"].as_str()), (2, Some("FeatureCollection")));
    let features = collection["features"].as_array().unwrap();
    assert_eq!(features[0]["geometry"]["coordinates"], serde_json::json!([151.25, -33.5, -2.5]));
    assert!(features[1]["geometry"].is_null());
    assert_eq!(features[0]["properties"]["title"], HOSTILE);
    assert_eq!(features[0]["properties"]["file"], "/data/media/a.test/07/x.jpg");
    let location = &features[0]["properties"]["location"];
    assert_eq!((&location["source"], &location["confidence"]), (&"exif".into(), &0.75.into()));
    assert_eq!((&location["town"], &location["verified"]), (&"Sydney".into(), &true.into()));
    assert_eq!((&location["address"]["number"], &location["precision_m"]), (&"5".into(), &12.5.into()));
    let (nothing, _) = exported(Format::GeoJson, &[]);
    assert_eq!(serde_json::from_str::<Value>(&nothing).unwrap()["features"], serde_json::json!([]));
}

#[test]
fn json_lines_are_one_object_a_line_with_every_sighting() {
    let (text, written) = exported(Format::Jsonl, &[item(true, HOSTILE), item(false, "x")]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((written, lines.len()), (2, 2));
    assert_eq!(lines[0]["found"][0]["page"], "http://a.test/?a=1&b=<2>");
    assert_eq!(lines[0]["id"], "07".repeat(32));
    let other = &lines[0]["other_locations"][0];
    assert_eq!(
        (&other["source"], &other["evidence"], &other["place"]),
        (&"caption".into(), &HOSTILE.into(), &Value::Null)
    );
}

#[test]
fn maps_are_well_formed_and_have_what_has_a_place() {
    for format in [Format::Kml, Format::Gpx] {
        let (text, written) = exported(format, &[item(true, HOSTILE), item(false, "x")]);
        assert_eq!(written, 1);
        assert!(texts(&text).iter().any(|text| text.contains("東京") && text.contains("<b>&]]>")), "{text}");
    }
    let (gpx, _) = exported(Format::Gpx, &[item(true, "x")]);
    assert!(gpx.contains("<wpt lat=\"-33.5\" lon=\"151.25\">\n<ele>-2.5</ele>\n<time>2008-05-30T12:56:01Z</time>"));
    let (kml, _) = exported(Format::Kml, &[item(true, "x")]);
    assert!(kml.contains("<coordinates>151.25,-33.5,-2.5</coordinates>"));
    for said in [kml, gpx] {
        assert!(said.contains("x 5, Sydney") && said.contains("exif, confirmed, ± 12 m"), "{said}");
    }
}

#[test]
fn pages_are_one_entry_a_place_in_tables_and_collections() {
    let (table, written) = exported_pages(Format::Csv, &[page(HOSTILE), page("x")]);
    let rows = cells(&table);
    assert_eq!((written, rows.len()), (6, 7));
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let cell = |row: usize, name: &str| {
        let column = rows[0].iter().position(|heading| heading == name).unwrap();
        rows[row][column].as_str()
    };
    assert_eq!((cell(1, "lat"), cell(1, "lon"), cell(1, "kind")), ("-1.5", "180", "toponym"));
    assert_eq!((cell(1, "focus"), cell(2, "focus"), cell(3, "relevant")), ("false", "true", "true"));
    for name in ["title", "text", "why", "place"] {
        assert_eq!(cell(1, name), format!("'{HOSTILE}"), "{name}");
    }
    let (text, written) = exported_pages(Format::GeoJson, &[page(HOSTILE)]);
    let collection: Value = serde_json::from_str(&text).unwrap();
    let features = collection["features"].as_array().unwrap();
    assert_eq!((written, features.len()), (3, 3));
    assert_eq!(features[1]["geometry"]["coordinates"], serde_json::json!([180.0, 2.5]));
    let properties = &features[1]["properties"];
    assert_eq!((&properties["page"], &properties["text"]), (&"http://a.test/?a=1&b=<2>".into(), &HOSTILE.into()));
    assert_eq!((&properties["kind"], &properties["confidence"]), (&"address".into(), &0.9.into()));
    assert_eq!((&properties["focus"], &properties["address"]["city"]), (&true.into(), &"Sydney".into()));
    assert_ne!(features[0]["id"], features[1]["id"]);
}

#[test]
fn pages_are_one_object_a_line_with_all_their_places() {
    let (text, written) = exported_pages(Format::Jsonl, &[page(HOSTILE), page("x")]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((written, lines.len()), (2, 2));
    assert_eq!((lines[0]["places"].as_array().unwrap().len(), &lines[0]["title"]), (3, &HOSTILE.into()));
    assert_eq!((&lines[0]["location"]["lat"], &lines[0]["language"]), (&2.5.into(), &"de".into()));
    assert!(lines[0].get("score").is_none());
}

#[test]
fn maps_of_pages_have_what_is_exact_or_relevant() {
    for format in [Format::Kml, Format::Gpx] {
        let (text, written) = exported_pages(format, &[page(HOSTILE)]);
        assert_eq!(written, 2);
        assert!(texts(&text).iter().any(|text| text.contains("東京") && text.contains("<b>&]]>")), "{text}");
    }
    let (kml, _) = exported_pages(Format::Kml, &[page("x")]);
    assert!(kml.contains("<coordinates>180,2.5</coordinates>") && kml.contains("<coordinates>180,3.5</coordinates>"));
    let (gpx, _) = exported_pages(Format::Gpx, &[page("x")]);
    assert!(gpx.contains("<wpt lat=\"2.5\" lon=\"-180\">"), "{gpx}");
}

/// All texts of a document; panics when it is not well formed.
fn texts(xml: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut texts, mut open, mut text) = (Vec::new(), 0, String::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(_) => open += 1,
            Event::End(_) => {
                open -= 1;
                texts.push(std::mem::take(&mut text));
            }
            Event::Text(part) => text.push_str(&part),
            Event::GeneralRef(name) => {
                let entity = format!("&{};", &*name);
                text.push_str(&quick_xml::escape::unescape(&entity).unwrap());
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(open, 0);
    texts
}

proptest! {
    #[test]
    fn no_words_break_a_document(words in ".{0,60}") {
        let items = [item(true, &words)];
        prop_assert!(serde_json::from_str::<Value>(&exported(Format::GeoJson, &items).0).is_ok());
        texts(&exported(Format::Kml, &items).0);
        texts(&exported(Format::Gpx, &items).0);
        let rows = cells(&exported(Format::Csv, &items).0);
        prop_assert_eq!(rows.len(), 2);
        prop_assert_eq!(rows[0].len(), rows[1].len());
        let pages = [page(&words)];
        prop_assert!(serde_json::from_str::<Value>(&exported_pages(Format::GeoJson, &pages).0).is_ok());
        texts(&exported_pages(Format::Kml, &pages).0);
        texts(&exported_pages(Format::Gpx, &pages).0);
        prop_assert_eq!(cells(&exported_pages(Format::Csv, &pages).0).len(), 4);
    }
}
