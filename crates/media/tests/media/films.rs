//! Films: where they were made, how long and how large they are.

use std::time::Duration;

use media::{LocationSource, WrongLocation};

use crate::made::{HELSINKI, element, film, mp4, track, unit};
use crate::{near, read};

fn xyz(text: &str) -> Vec<u8> {
    unit(b"udta", &unit(b"\xa9xyz", &[&(text.len() as u16).to_be_bytes()[..], &[0x15, 0xc7], text.as_bytes()].concat()))
}

fn loci(lat: f64, lon: f64) -> Vec<u8> {
    let fixed = |degrees: f64| ((degrees * 65_536.0).round() as i32).to_be_bytes();
    let body =
        [&[0, 0, 0, 0, 0x15, 0xc7][..], b"home\0", &[0], &fixed(lon), &fixed(lat), &fixed(17.0), b"earth\0\0"].concat();
    unit(b"udta", &unit(b"loci", &body))
}

fn apple(keys: &[(&str, &str)]) -> Vec<u8> {
    let names = keys.iter().map(|(name, _)| unit(b"mdta", name.as_bytes())).collect::<Vec<_>>().concat();
    let values = keys.iter().enumerate().map(|(nth, (_, value))| {
        let data = unit(b"data", &[&[0, 0, 0, 1, 0, 0, 0, 0][..], value.as_bytes()].concat());
        unit(&(nth as u32 + 1).to_be_bytes(), &data)
    });
    let list = values.collect::<Vec<_>>().concat();
    let keys = unit(b"keys", &[&[0, 0, 0, 0][..], &(keys.len() as u32).to_be_bytes(), &names].concat());
    let hdlr = unit(b"hdlr", &[&[0; 8][..], b"mdta", &[0; 12]].concat());
    unit(b"meta", &[hdlr, keys, unit(b"ilst", &list)].concat())
}

#[test]
fn a_film_says_how_long_how_large_and_how_turned_it_is() {
    let facts = read(&mp4(&film(&[]), 0, 5000));
    assert_eq!(facts.format.name, "mp4");
    assert_eq!((facts.width, facts.height), (Some(1920), Some(1080)));
    assert_eq!(facts.upright(), Some((1080, 1920)));
    assert_eq!(facts.duration, Some(Duration::from_millis(12_500)));
    assert_eq!(facts.taken.unwrap().to_string(), "2018-01-28T16:00:00Z");
}

#[test]
fn the_place_of_a_film_is_read_from_all_three_boxes() {
    let cases = [
        ("xyz", xyz("+60.1699+024.9384+017.000/"), LocationSource::Quicktime, HELSINKI),
        ("xyz, south and west", xyz("-22.9519-043.2105/"), LocationSource::Quicktime, (-22.9519, -43.2105)),
        ("loci", loci(60.169_891, 24.938_400), LocationSource::Loci, (60.169_891_357, 24.938_400_268)),
        ("loci, south and west", loci(-22.5, -43.25), LocationSource::Loci, (-22.5, -43.25)),
        (
            "apple",
            apple(&[
                ("com.apple.quicktime.make", "Apple"),
                ("com.apple.quicktime.location.ISO6709", "+60.1699+024.9384+017.000/"),
                ("com.apple.quicktime.creationdate", "2018-04-18T15:40:26+0300"),
            ]),
            LocationSource::Quicktime,
            HELSINKI,
        ),
    ];
    for (name, extra, source, point) in cases {
        for file in [mp4(&film(&extra), 0, 5000), mp4(&film(&extra), 100_000, 0)] {
            let facts = read(&file);
            assert!(near(&facts, point), "{name}: {:?}", facts.location);
            assert_eq!(facts.location.unwrap().source, source, "{name}");
            assert_eq!(facts.width, Some(1920), "{name}");
            if name == "apple" {
                assert_eq!(facts.make.as_deref(), Some("Apple"));
                assert_eq!(facts.taken.unwrap().to_string(), "2018-04-18T15:40:26+03:00");
            }
        }
    }
}

#[test]
fn wrong_places_of_films_are_refused_by_reason() {
    for (extra, reason) in [
        (xyz("+00.0000+000.0000/"), WrongLocation::NullIsland),
        (xyz("+60.1699/"), WrongLocation::Incomplete),
        (xyz("+95.0000+024.0000/"), WrongLocation::OutOfRange),
        (loci(0.0, 0.0), WrongLocation::NullIsland),
        (loci(91.0, 10.0), WrongLocation::OutOfRange),
    ] {
        let facts = read(&mp4(&film(&extra), 0, 100));
        assert_eq!((facts.location, facts.wrong_location), (None, Some(reason)));
    }
}

#[test]
fn a_film_without_pictures_is_a_sound() {
    let moov = unit(b"moov", &[unit(b"mvhd", &[0; 100]), track(b"soun", &[0; 84])].concat());
    assert_eq!(read(&mp4(&moov, 0, 100)).format.name, "m4a");
}

#[test]
fn titles_and_rights_of_itunes_are_read() {
    let item = |kind: &[u8; 4], value: &str| {
        unit(kind, &unit(b"data", &[&[0, 0, 0, 1, 0, 0, 0, 0][..], value.as_bytes()].concat()))
    };
    let list = unit(b"ilst", &[item(b"\xa9nam", "Waves"), item(b"\xa9ART", "The Sea"), item(b"cprt", "CC0")].concat());
    let hdlr = unit(b"hdlr", &[&[0; 8][..], b"mdir", &[0; 12]].concat());
    let meta = unit(b"meta", &[&[0; 4][..], &hdlr, &list].concat());
    let facts = read(&mp4(&film(&unit(b"udta", &meta)), 0, 10));
    assert_eq!(facts.title.as_deref(), Some("Waves"));
    assert_eq!(facts.author.as_deref(), Some("The Sea"));
    assert_eq!(facts.licence.as_deref(), Some("CC0"));
}

pub fn matroska(doc_type: &str, track_kind: u8) -> Vec<u8> {
    let tag = |name: &str, value: &str| {
        element(0x67c8, &[element(0x45a3, name.as_bytes()), element(0x4487, value.as_bytes())].concat())
    };
    let info = [
        element(0x2ad7b1, &1_000_000u32.to_be_bytes()),
        element(0x4489, &12_500f64.to_be_bytes()),
        element(0x7ba9, b"Waves"),
    ];
    let video = element(0xe0, &[element(0xb0, &1920u16.to_be_bytes()), element(0xba, &1080u16.to_be_bytes())].concat());
    let track = element(0xae, &[element(0x83, &[track_kind]), if track_kind == 1 { video } else { vec![] }].concat());
    let tags = element(0x7373, &[tag("LOCATION", "+60.1699+024.9384/"), tag("ARTIST", "The Sea")].concat());
    let segment = [
        element(0x1549_a966, &info.concat()),
        element(0x1654_ae6b, &track),
        element(0x1254_c367, &tags),
        element(0x1f43_b675, &[0x55; 500]),
    ];
    [element(0x1a45_dfa3, &element(0x4282, doc_type.as_bytes())), element(0x1853_8067, &segment.concat())].concat()
}

#[test]
fn matroska_and_webm_are_read() {
    for (doc_type, kind, name) in
        [("matroska", 1, "mkv"), ("webm", 1, "webm"), ("webm", 2, "weba"), ("matroska", 2, "mka")]
    {
        let facts = read(&matroska(doc_type, kind));
        assert_eq!(facts.format.name, name);
        assert_eq!(facts.duration, Some(Duration::from_millis(12_500)));
        assert_eq!(facts.width.zip(facts.height), (kind == 1).then_some((1920, 1080)));
        assert!(near(&facts, HELSINKI), "{:?}", facts.location);
        assert_eq!(facts.location.unwrap().source, LocationSource::Matroska);
        assert_eq!((facts.title.as_deref(), facts.author.as_deref()), (Some("Waves"), Some("The Sea")));
    }
}

#[test]
fn avi_and_mpeg_give_their_size() {
    let mut avih = vec![0; 56];
    for (at, number) in [(0, 40_000u32), (16, 250), (32, 640), (36, 480)] {
        avih[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    let header = [&b"hdrlavih"[..], &56u32.to_le_bytes(), &avih].concat();
    let facts = read(&crate::made::riff(b"AVI ", &[(b"LIST", header), (b"LIST", b"movi".to_vec())]));
    assert_eq!((facts.width, facts.height, facts.duration), (Some(640), Some(480), Some(Duration::from_secs(10))));
    let facts = read(b"\0\0\x01\xba\x44\0\x04\0\0\0\x01\xb3\x28\x01\xe0\x13");
    assert_eq!((facts.width, facts.height), (Some(640), Some(480)));
}
