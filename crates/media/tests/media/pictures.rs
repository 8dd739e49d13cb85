//! Pictures: EXIF, XMP and IPTC in every format that carries them.

use media::{LocationSource, WrongLocation};

use crate::made::{Carried, Exif, HELSINKI, PICTURES, SIZE, Value, gps, jpeg, packet, png, text, tiff, tiff_size};
use crate::{NOW, near, read};

#[test]
fn every_format_gives_place_size_camera_and_date_in_every_quarter_of_the_earth() {
    let points = [
        (60.1699, 24.9384),
        (-33.8568, 151.2153),
        (40.6892, -74.0445),
        (-22.9519, -43.2105),
        (0.0, 6.5),
        (-0.3713, 0.0),
    ];
    for (name, make) in PICTURES {
        for (nth, point) in points.into_iter().enumerate() {
            let mut exif = Exif::at(point);
            exif.little = nth % 2 == 0;
            if name == "tiff" {
                exif.first.extend(tiff_size());
            }
            let facts = read(&make(&Carried::exif(exif.bytes())));
            assert!(near(&facts, point), "{name} {point:?}: {:?} {:?}", facts.location, facts.wrong_location);
            assert_eq!(facts.wrong_location, None);
            assert_eq!((facts.width, facts.height), (Some(SIZE.0), Some(SIZE.1)), "{name}");
            assert_eq!(facts.upright(), Some((SIZE.1, SIZE.0)), "{name}");
            assert_eq!((facts.make.as_deref(), facts.model.as_deref()), (Some("Bower"), Some("Bird 1")), "{name}");
            assert_eq!(facts.taken.unwrap().to_string(), "2018-04-18T15:40:26+03:00", "{name}");
            assert_eq!(facts.orientation, 6, "{name}");
            assert_eq!(facts.author.as_deref(), Some("A. Person"), "{name}");
            assert_eq!(facts.licence.as_deref(), Some("CC BY-SA 4.0"), "{name}");
            assert!(!facts.partial, "{name}");
            let location = facts.location.unwrap();
            assert_eq!(location.source, LocationSource::Exif);
            assert_eq!((location.altitude, location.direction), (Some(-12.5), Some(206.1)), "{name}");
            assert_eq!(location.date.unwrap().0, 1_224_772_027_240, "{name}");
        }
    }
}

#[test]
fn every_format_gives_the_place_that_xmp_names() {
    let xmp = packet(r#"exif:GPSLatitude="60,10.194N" exif:GPSLongitude="24,56.304E" photoshop:City="Helsinki">"#);
    for (name, make) in PICTURES {
        let facts = read(&make(&Carried::xmp(&xmp)));
        assert!(near(&facts, HELSINKI), "{name}: {facts:?}");
        assert_eq!(facts.location.unwrap().source, LocationSource::Xmp);
        assert_eq!(facts.place_names.city.as_deref(), Some("Helsinki"), "{name}");
    }
}

#[test]
fn wrong_coordinates_are_refused_by_reason() {
    use WrongLocation::*;
    let change = |tag: u16, value: Option<Value>| {
        let mut entries: Vec<_> = gps(HELSINKI).into_iter().filter(|(other, _)| *other != tag).collect();
        entries.extend(value.map(|value| (tag, value)));
        entries
    };
    let fractions = |parts: [(u32, u32); 3]| Some(Value::Fractions(parts.to_vec()));
    let nowhere = || Value::Fractions(vec![(0, 1), (0, 1), (0, 1)]);
    let cases = [
        ("no fix", vec![(1, text("N")), (2, nowhere()), (3, text("E")), (4, nowhere())], NullIsland),
        ("no fix and no references", vec![(2, nowhere()), (4, nowhere())], NullIsland),
        ("beyond the pole", change(2, fractions([(91, 1), (0, 1), (0, 1)])), OutOfRange),
        ("beyond the date line", change(4, fractions([(180, 1), (0, 1), (1, 1)])), OutOfRange),
        ("no letter for the latitude", change(1, None), MissingReference),
        ("no letter for the longitude", change(3, None), MissingReference),
        ("a letter that is none", change(1, Some(text("X"))), MissingReference),
        ("an empty letter", change(3, Some(text(""))), MissingReference),
        ("degrees by zero", change(2, fractions([(60, 0), (10, 1), (0, 1)])), NotANumber),
        ("seconds by zero", change(4, fractions([(24, 1), (56, 1), (0, 0)])), NotANumber),
        ("text for a number", change(2, Some(text("60.1699"))), NotANumber),
        ("no longitude", change(4, None), Incomplete),
        ("no latitude", change(2, None), Incomplete),
        ("nothing in it", change(2, Some(Value::Fractions(vec![]))), Incomplete),
    ];
    for (name, entries, reason) in cases {
        for little in [true, false] {
            let mut exif = Exif::with_gps(entries.iter().map(|(tag, value)| (*tag, copy(value))).collect());
            exif.little = little;
            let facts = read(&jpeg(&Carried::exif(exif.bytes())));
            assert_eq!((facts.location, facts.wrong_location), (None, Some(reason)), "{name}");
            assert_eq!(facts.make.as_deref(), Some("Bower"), "{name}: the rest is still read");
        }
    }
}

fn copy(value: &Value) -> Value {
    match value {
        Value::Text(words) => Value::Text(words.clone()),
        Value::Short(number) => Value::Short(*number),
        Value::Long(number) => Value::Long(*number),
        Value::Byte(number) => Value::Byte(*number),
        Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
        Value::Fractions(parts) => Value::Fractions(parts.clone()),
    }
}

#[test]
fn a_gps_directory_without_coordinates_is_no_wrong_location() {
    let facts = read(&jpeg(&Carried::exif(Exif::with_gps(vec![(29, text("2008:10:23"))]).bytes())));
    assert_eq!((facts.location, facts.wrong_location), (None, None));
}

#[test]
fn coordinates_are_read_with_fewer_than_three_parts() {
    let entries = vec![
        (1, text("s")),
        (2, Value::Fractions(vec![(338_568, 10_000)])),
        (3, text("East")),
        (4, Value::Fractions(vec![(151, 1), (12_918, 1000)])),
    ];
    let facts = read(&jpeg(&Carried::exif(Exif::with_gps(entries).bytes())));
    assert!(near(&facts, (-33.8568, 151.2153)), "{:?}", facts.location);
}

#[test]
fn a_good_place_in_xmp_stands_in_for_a_wrong_one_in_exif() {
    let carried = Carried {
        exif: Exif::with_gps(vec![(2, Value::Fractions(vec![(0, 0); 3])), (4, Value::Fractions(vec![(0, 0); 3]))])
            .bytes(),
        xmp: packet(r#"exif:GPSLatitude="60,10.194N" exif:GPSLongitude="24,56.304E">"#).into(),
        ..Carried::default()
    };
    let facts = read(&jpeg(&carried));
    assert!(near(&facts, HELSINKI));
    assert_eq!(facts.wrong_location, None);
}

#[test]
fn a_position_from_the_future_loses_its_date_and_stays() {
    let mut entries = gps(HELSINKI);
    entries.retain(|(tag, _)| *tag != 29);
    entries.push((29, text("2031:01:01")));
    let facts = read(&jpeg(&Carried::exif(Exif::with_gps(entries).bytes())));
    assert!(near(&facts, HELSINKI));
    assert_eq!(facts.location.unwrap().date, None);
}

#[test]
fn xmp_coordinates_are_read_in_every_form_and_refused_by_reason() {
    use WrongLocation::*;
    let cases = [
        ("60,10.194N", "24,56.304E", Ok(HELSINKI)),
        ("60,10,11.64N", "24,56,18.24E", Ok(HELSINKI)),
        ("60.1699", "24.9384", Ok(HELSINKI)),
        ("-33.8568", "151.2153", Ok((-33.8568, 151.2153))),
        ("33,51.408S", "151,12.918e", Ok((-33.8568, 151.2153))),
        ("-33,51.408S", "151,12.918E", Ok((-33.8568, 151.2153))),
        ("60,10.194", "24,56.304", Err(MissingReference)),
        ("60,10.194E", "24,56.304N", Err(MissingReference)),
        ("0,0N", "0,0E", Err(NullIsland)),
        ("0", "0", Err(NullIsland)),
        ("91,0N", "24,0E", Err(OutOfRange)),
        ("-60,10N", "24,0E", Err(OutOfRange)),
        ("sixty", "24,0E", Err(NotANumber)),
        ("60,10,11,12N", "24,0E", Err(NotANumber)),
        ("NaN", "24.5", Err(NotANumber)),
        ("", "24,0E", Err(Incomplete)),
    ];
    for (lat, lon, expected) in cases {
        let attributes = packet(&format!(r#"exif:GPSLatitude="{lat}" exif:GPSLongitude="{lon}">"#));
        let elements =
            packet(&format!("><exif:GPSLatitude>{lat}</exif:GPSLatitude><exif:GPSLongitude>{lon}</exif:GPSLongitude>"));
        for xmp in [attributes, elements] {
            let facts = read(&jpeg(&Carried::xmp(&xmp)));
            match expected {
                Ok(point) => assert!(near(&facts, point), "{lat} {lon}: {facts:?}"),
                Err(reason) => assert_eq!((facts.location, facts.wrong_location), (None, Some(reason)), "{lat} {lon}"),
            }
        }
    }
}

#[test]
fn a_place_that_is_shown_is_not_the_place_of_the_camera() {
    let xmp = packet(
        r#"><Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li rdf:parseType="Resource">
        <exif:GPSLatitude>60,10.194N</exif:GPSLatitude><exif:GPSLongitude>24,56.304E</exif:GPSLongitude>
        </rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>"#,
    );
    let facts = read(&jpeg(&Carried::xmp(&xmp)));
    assert_eq!((facts.location, facts.wrong_location), (None, None));
}

#[test]
fn people_are_believed_on_words_and_cameras_on_dates() {
    let mut exif = Exif::at(HELSINKI);
    exif.first.push((0x010e, text("OLYMPUS DIGITAL CAMERA")));
    let xmp = packet(
        r#"photoshop:State="Uusimaa" p:Location="Market Square" tiff:Make="Other" exif:DateTimeOriginal="2001-01-01T00:00:00"
        xmpRights:WebStatement="https://example.org/rights">
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Fish &amp; boats</rdf:li></rdf:Alt></dc:title>
        <dc:description><rdf:Alt><rdf:li xml:lang="x-default">A market &#228; la carte</rdf:li></rdf:Alt></dc:description>
        <dc:subject><rdf:Bag><rdf:li>market</rdf:li><rdf:li>sea</rdf:li></rdf:Bag></dc:subject>
        <dc:creator><rdf:Seq><rdf:li>Another Person</rdf:li></rdf:Seq></dc:creator>
        <cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>"#,
    );
    let iptc = b"\x1c\x02\x5a\0\x08Helsinki\x1c\x02\x65\0\x07Finland".to_vec();
    let facts = read(&jpeg(&Carried { exif: exif.bytes(), xmp: xmp.into(), iptc, picture: 0 }));
    assert_eq!(facts.title.as_deref(), Some("Fish & boats"));
    assert_eq!(facts.description.as_deref(), Some("A market \u{e4} la carte"));
    assert_eq!(facts.keywords, ["market", "sea"]);
    assert_eq!(facts.author.as_deref(), Some("Another Person"));
    assert_eq!(facts.licence.as_deref(), Some("https://creativecommons.org/licenses/by/4.0/"));
    assert_eq!(facts.make.as_deref(), Some("Bower"));
    assert_eq!(facts.taken.unwrap().year, 2018);
    let names = facts.place_names;
    assert_eq!(names.city.as_deref(), Some("Helsinki"));
    assert_eq!(names.state.as_deref(), Some("Uusimaa"));
    assert_eq!(names.sublocation.as_deref(), Some("Market Square"));
    assert_eq!(names.country.as_deref(), Some("Finland"));
}

#[test]
fn exif_that_was_split_over_segments_is_joined() {
    let mut exif = Exif::at(HELSINKI);
    exif.first.push((0x010e, text(&"long ".repeat(600))));
    let bytes = exif.bytes();
    let (start, rest) = bytes.split_at(1500);
    let mut file = vec![0xff, 0xd8];
    file.extend(crate::made::segment(0xe1, b"Exif\0\0", start));
    file.extend(crate::made::segment(0xe1, b"Exif\0\0", rest));
    file.extend(&jpeg(&Carried::default())[2..]);
    assert!(near(&read(&file), HELSINKI));
}

#[test]
fn xmp_that_did_not_fit_one_segment_is_joined() {
    let xmp = packet(r#"exif:GPSLatitude="60,10.194N" exif:GPSLongitude="24,56.304E">"#);
    let mut file = vec![0xff, 0xd8];
    let (start, rest) = xmp.as_bytes().split_at(200);
    for (offset, piece) in [(0u32, start), (200, rest)] {
        let head = [&[b'A'; 32][..], &(xmp.len() as u32).to_be_bytes(), &offset.to_be_bytes(), piece].concat();
        file.extend(crate::made::segment(0xe1, b"http://ns.adobe.com/xmp/extension/\0", &head));
    }
    file.extend(&jpeg(&Carried::default())[2..]);
    assert!(near(&read(&file), HELSINKI));
}

#[test]
fn png_texts_packed_or_not_are_read() {
    let profile: String =
        [b"Exif\0\0", &Exif::at(HELSINKI).bytes()[..]].concat().iter().map(|b| format!("{b:02x}")).collect();
    let raw = format!("\nexif\n    {}\n{profile}\n", profile.len() / 2);
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(raw.as_bytes(), 6);
    let chunk = crate::made::chunk(b"zTXt", &[b"Raw profile type exif\0\0", &packed[..]].concat());
    let plain = png(&Carried::default());
    let author = crate::made::chunk(b"tEXt", b"Author\0Somebody");
    let file = [&plain[..33], &chunk, &author, &plain[33..]].concat();
    let facts = read(&file);
    assert!(near(&facts, HELSINKI), "{facts:?}");
    assert_eq!(facts.author.as_deref(), Some("Somebody"));
}

#[test]
fn big_tiff_is_read() {
    let mut file = b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0".to_vec();
    file.extend(2u64.to_le_bytes());
    for (tag, size) in [(0x0100u16, SIZE.0), (0x0101, SIZE.1)] {
        file.extend(tag.to_le_bytes());
        file.extend(4u16.to_le_bytes());
        file.extend(1u64.to_le_bytes());
        file.extend(u64::from(size).to_le_bytes());
    }
    file.extend([0; 8]);
    let facts = read(&file);
    assert_eq!((facts.width, facts.height), (Some(SIZE.0), Some(SIZE.1)));
}

#[test]
fn a_raw_file_is_as_large_as_its_picture_not_its_preview() {
    let mut exif = Exif::at(HELSINKI);
    exif.first.extend([(0x00fe, Value::Long(1)), (0x0100, Value::Long(160)), (0x0101, Value::Long(120))]);
    exif.first.push((0x014a, Value::Long(0)));
    exif.first.push((0xc612, Value::Bytes(vec![1, 4, 0, 0])));
    let mut bytes = exif.bytes();
    let at = bytes.len() as u32;
    let entry = bytes.windows(4).position(|entry| entry == [0x4a, 0x01, 4, 0]).unwrap();
    bytes[entry + 8..entry + 12].copy_from_slice(&at.to_le_bytes());
    bytes.extend(3u16.to_le_bytes());
    for (tag, number) in [(0x00feu16, 0u32), (0x0100, 6000), (0x0101, 4000)] {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(4u16.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0; 4]);
    let facts = read(&tiff(&Carried::exif(bytes)));
    assert_eq!((facts.width, facts.height, facts.format.name), (Some(6000), Some(4000), "dng"));
}

#[test]
fn plain_formats_give_their_size() {
    let gif = b"GIF89a\x80\x02\xe0\x01\0\0\0".to_vec();
    let mut bmp = b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x80\x02\0\0".to_vec();
    bmp.extend((-480i32).to_le_bytes());
    let psd = b"8BPS\0\x01\0\0\0\0\0\0\0\x03\0\0\x01\xe0\0\0\x02\x80\0\x08\0\x03\0\0\0\0\0\0\0\0".to_vec();
    let lossless = crate::made::riff(b"WEBP", &[(b"VP8L", vec![0x2f, 0x7f, 0xc2, 0x77, 0])]);
    let lossy = crate::made::riff(b"WEBP", &[(b"VP8 ", vec![0, 0, 0, 0x9d, 1, 0x2a, 0x80, 2, 0xe0, 1])]);
    let jp2 = [
        b"\0\0\0\x0cjP  \r\n\x87\n".to_vec(),
        crate::made::unit(b"jp2h", &crate::made::unit(b"ihdr", &[0, 0, 1, 0xe0, 0, 0, 2, 0x80, 0, 3, 7, 7, 0, 0])),
    ]
    .concat();
    for file in [gif, bmp, psd, lossless, lossy, jp2] {
        let facts = read(&file);
        assert_eq!((facts.width, facts.height), (Some(SIZE.0), Some(SIZE.1)), "{}", facts.format.name);
    }
}

#[test]
fn what_is_no_media_file_is_not_read() {
    use media::{Unreadable, read_whole};
    assert_eq!(read_whole(b"", NOW), Err(Unreadable::Empty));
    assert_eq!(read_whole(b"<svg xmlns='http://www.w3.org/2000/svg'/>", NOW), Err(Unreadable::Unknown));
    assert_eq!(read_whole(packet(">").as_bytes(), NOW), Err(Unreadable::Unknown));
}
