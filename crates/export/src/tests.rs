use std::path::PathBuf;

use facts::{LatLon, MediaId, MediaKind, Timestamp};
use media::PlaceNames;
use proptest::prelude::*;
use serde_json::Value;
use store::{ItemLocation, MediaItem, Sighting};

use crate::{Export, Format};

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
        width: Some(800),
        height: Some(600),
        orientation: 1,
        duration: None,
        taken: Some("2008-05-30T15:56:01+03:00".into()),
        make: Some("Canon".into()),
        model: Some(words.into()),
        title: Some(words.into()),
        description: Some(words.into()),
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
            precision_m: None,
            confidence: 1.0,
            evidence: None,
            address: None,
            locality: facts::Locality::default(),
            verified: false,
        }),
        other_locations: Vec::new(),
        wrong_location: None,
        first_seen: Timestamp(5),
        found: vec![Sighting {
            image: "http://a.test/x.jpg".into(),
            page: Some("http://a.test/?a=1&b=<2>".into()),
            page_title: None,
            description: words.into(),
            licence: None,
            author: None,
        }],
    }
}

fn exported(format: Format, items: &[MediaItem]) -> (String, u64) {
    let mut out = Vec::new();
    let mut export = Export::begin(&mut out, format, PathBuf::from("/data/media")).unwrap();
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
    assert_eq!((cell(2, "title"), cell(2, "lat")), ("plain, but for a comma", ""));
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
    }
}
