//! Damaged and hostile files: fewer facts, never a panic, a wait or a place that is not so.

use std::time::{Duration, Instant};

use media::{Facts, Probe, Wants, read_whole};
use proptest::prelude::*;

use crate::made::{Carried, Exif, HELSINKI, PICTURES, Value, film, jpeg, mp4, packet, tiff_size, unit};
use crate::{NOW, near, read};

/// Small files of every kind that know their place.
fn located() -> Vec<(String, Vec<u8>)> {
    let xmp = packet(r#"exif:GPSLatitude="60,10.194N" exif:GPSLongitude="24,56.304E">"#);
    let mut files = Vec::new();
    for (name, make) in PICTURES {
        let mut exif = Exif::at(HELSINKI);
        if name == "tiff" {
            exif.first.extend(tiff_size());
        }
        files.push((format!("{name} with EXIF"), make(&Carried::exif(exif.bytes()).picture(40))));
        files.push((format!("{name} with XMP"), make(&Carried::xmp(&xmp).picture(40))));
    }
    let xyz = unit(b"udta", &unit(b"\xa9xyz", b"\0\x12\x15\xc7+60.1699+024.9384/"));
    files.push(("mp4".to_owned(), mp4(&film(&xyz), 40, 0)));
    files.push(("mkv".to_owned(), crate::films::matroska("matroska", 1)));
    files
}

/// All that can be asked of a file, as a crawler would.
fn exercise(bytes: &[u8]) -> Option<Facts> {
    let mut probe = Probe::new(Some(bytes.len() as u64));
    let mut head = 0;
    for _ in 0..4 {
        match probe.next() {
            Wants::Nothing => break,
            Wants::Head(end) => {
                probe.head(&bytes[head..end]);
                head = end;
            }
            Wants::Tail(last) => {
                let start = bytes.len() - last as usize;
                probe.tail(start as u64, &bytes[start..]);
            }
        }
    }
    assert_eq!(probe.next(), Wants::Nothing);
    // A length that nobody told, or that is a lie, must do no harm either.
    for total in [None, Some(u64::MAX), Some(7)] {
        let mut probe = Probe::new(total);
        probe.head(bytes);
        probe.next();
        probe.facts(NOW).ok();
        for offset in [u64::MAX - 10, u64::MAX >> 2, 0] {
            probe.tail(offset, bytes);
            probe.next();
            probe.facts(NOW).ok();
        }
    }
    let whole = read_whole(bytes, NOW).ok();
    if bytes.len() <= 64 << 10 {
        assert_eq!(probe.facts(NOW).ok(), whole);
    }
    whole
}

#[test]
fn a_file_cut_anywhere_names_its_place_or_none() {
    for (name, file) in located() {
        assert!(near(&read(&file), HELSINKI), "{name}");
        for end in 0..file.len() {
            let facts = exercise(&file[..end]);
            if let Some(facts) = facts.filter(|facts| facts.location.is_some()) {
                assert!(near(&facts, HELSINKI), "{name} cut at {end}: {:?}", facts.location);
            }
        }
    }
}

#[test]
fn a_file_with_any_byte_changed_is_still_read_to_the_end() {
    for (_, file) in located() {
        for at in 0..file.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut file = file.clone();
                file[at] ^= change;
                exercise(&file);
            }
        }
    }
}

#[test]
fn half_a_file_that_is_still_coming_is_not_called_wrong() {
    for (name, file) in located() {
        for end in (16..file.len()).step_by(7) {
            let mut probe = Probe::new(Some(file.len() as u64));
            probe.head(&file[..end]);
            let Ok(facts) = probe.facts(NOW) else { continue };
            assert_eq!(facts.wrong_location, None, "{name} up to {end}");
        }
    }
}

#[test]
fn hostile_packets_cost_little() {
    let entities: String =
        (1..20).map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))).collect();
    let bomb = format!("<!DOCTYPE x [<!ENTITY e0 \"ha\">{entities}]>{}", packet("><dc:title>&e19;</dc:title>"));
    let deep = packet(&format!(">{}", "<dc:title>".repeat(5000)));
    let many = packet(&format!(">{}", "<dc:subject><rdf:Bag><rdf:li>x</rdf:li></rdf:Bag></dc:subject>".repeat(900)));
    let long = packet(&format!("><dc:title>{}</dc:title>", "x".repeat(60_000)));
    let declared: String = (0..2000).map(|n| format!("xmlns:n{n}='u' ")).collect();
    let start = Instant::now();
    for xmp in [bomb, deep, many, long, packet(&format!("{declared}>"))] {
        let facts = read(&jpeg(&Carried::xmp(&xmp[..xmp.len().min(65_000)])));
        assert!(facts.title.unwrap_or_default().len() <= 4096);
        assert!(facts.keywords.len() <= 100);
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn directories_that_point_to_themselves_end() {
    let mut exif = Exif::at(HELSINKI).bytes();
    for tag in [[0x69u8, 0x87], [0x25, 0x88]] {
        let entry = exif.windows(4).position(|entry| entry[..2] == tag && entry[2..] == [4, 0]).unwrap();
        exif[entry + 8..entry + 12].copy_from_slice(&8u32.to_le_bytes());
    }
    let facts = read(&jpeg(&Carried::exif(exif)));
    assert_eq!(facts.location, None);
}

#[test]
fn sizes_that_lie_allocate_nothing() {
    let mut huge = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    huge.extend([0xff; 13]);
    huge.extend([0; 4]);
    huge.extend(b"\xff\xff\xff\xf0eXIf");
    assert!(exercise(&huge).is_some());
    let boxes = [&unit(b"ftyp", b"heic\0\0\0\0mif1heic")[..], &[0, 0, 0, 1], b"meta", &[0xff; 8], &[0; 64]].concat();
    assert!(exercise(&boxes).is_some());
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b'0'; 50 << 20], 1);
    let chunk = crate::made::chunk(b"zTXt", &[b"Raw profile type exif\0\0", &bomb[..]].concat());
    let plain = crate::made::png(&Carried::default());
    let start = Instant::now();
    assert!(exercise(&[&plain[..33], &chunk, &plain[33..]].concat()).is_some());
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn pieces_of_items_that_take_no_bytes_cost_nothing() {
    let entry = |id: u16| unit(b"infe", &[&[2, 0, 0, 0], &id.to_be_bytes()[..], b"\0\0Exif\0"].concat());
    let items = [&[0, 0, 0, 0, 0, 16][..], &(60_000..60_016).flat_map(entry).collect::<Vec<_>>()].concat();
    let place = |id: u16| [&id.to_be_bytes()[..], &[0, 0, 0xff, 0xff]].concat();
    let places = [&[0, 0, 0, 0, 0, 0, 0x10, 0][..], &(0..4096).flat_map(place).collect::<Vec<_>>()].concat();
    let meta = [&[0; 4][..], &unit(b"iinf", &items), &unit(b"iloc", &places)].concat();
    let file = [unit(b"ftyp", b"heic\0\0\0\0mif1heic"), unit(b"meta", &meta)].concat();
    let start = Instant::now();
    assert_eq!(read(&file).location, None);
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn packed_texts_without_end_cost_little() {
    let plain = crate::made::png(&Carried::default());
    let around = |chunks: &[u8]| [&plain[..33], chunks, &plain[33..]].concat();
    let packed = |words: &[u8]| miniz_oxide::deflate::compress_to_vec_zlib(words, 6);
    let filler = packed(&vec![b'a'; 1 << 20]);
    let unknown = crate::made::chunk(b"zTXt", &[b"Nothing\0\0", &filler[..]].concat());
    let other = crate::made::chunk(b"zTXt", &[b"Comment\0\0", &filler[..]].concat());
    let title = crate::made::chunk(b"zTXt", &[b"Title\0\0", &packed(b"Castle")[..]].concat());
    let start = Instant::now();
    let facts = read(&around(&[unknown.repeat(500), other.repeat(500), title.clone()].concat()));
    assert_eq!(facts.title.as_deref(), Some("Castle"), "what is not read takes nothing away");
    let long = crate::made::chunk(b"zTXt", &[b"Author\0\0", &filler[..]].concat());
    assert_eq!(read(&around(&[long.repeat(500), title].concat())).title, None, "no more is unpacked");
    let words = "k".repeat(4096);
    let item = format!("<rdf:li>{words}</rdf:li>").repeat(100);
    let xmp = packed(packet(&format!("><dc:subject><rdf:Bag>{item}</rdf:Bag></dc:subject>")).as_bytes());
    let xmp = crate::made::chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\x01\0\0\0", &xmp[..]].concat());
    assert!(read(&around(&xmp.repeat(500))).keywords.len() <= 100);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn a_file_of_many_blocks_is_read_for_its_first() {
    let plain = crate::made::png(&Carried::default());
    let titled = |title: &str| {
        let xmp = packet(&format!("><dc:title>{title}</dc:title>"));
        crate::made::chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", xmp.as_bytes()].concat())
    };
    let located = crate::made::chunk(b"eXIf", &Exif::at(HELSINKI).bytes());
    for (blocks, found) in [(15, true), (16, false)] {
        let file = [&plain[..33], &titled("First").repeat(blocks), &located, &plain[33..]].concat();
        let facts = read(&file);
        assert_eq!(facts.title.as_deref(), Some("First"));
        assert_eq!(near(&facts, HELSINKI), found, "after {blocks} blocks");
    }
}

#[test]
fn a_tag_of_a_tiff_file_that_comes_again_is_read_once() {
    let titled = |title: &str| Value::Bytes(packet(&format!("><dc:title>{title}</dc:title>")).into_bytes());
    let mut exif = Exif::at(HELSINKI);
    exif.first.extend(tiff_size());
    let described = packet("><dc:description>Second</dc:description>").into_bytes();
    exif.first.extend([(0x02bc, titled("First")), (0x02bc, Value::Bytes(described))]);
    let records = |dataset: u8, words: &str| [&[0x1c, 2, dataset, 0, words.len() as u8], words.as_bytes()].concat();
    exif.first.extend([(0x83bb, records(90, "Turku")), (0x83bb, records(101, "Sweden"))].map(bytes));
    let resource = |records: Vec<u8>| {
        [b"8BIM\x04\x04\0\0", &(records.len() as u32).to_be_bytes()[..], &records, &[0][..records.len() % 2]].concat()
    };
    let pair = [(0x8649, resource(records(95, "Uusimaa"))), (0x8649, resource(records(92, "Harbour")))];
    exif.first.extend(pair.map(bytes));
    let facts = read(&exif.bytes());
    assert!(near(&facts, HELSINKI));
    assert_eq!((facts.title.as_deref(), facts.description), (Some("First"), None));
    assert_eq!((facts.place_names.city.as_deref(), facts.place_names.country), (Some("Turku"), None));
    assert_eq!((facts.place_names.state.as_deref(), facts.place_names.sublocation), (Some("Uusimaa"), None));
}

fn bytes((tag, content): (u16, Vec<u8>)) -> (u16, Value) {
    (tag, Value::Bytes(content))
}

const STARTS: [&[u8]; 20] = [
    b"",
    b"\xff\xd8\xff\xe1",
    b"\xff\xd8\xff\xe1\x01\0Exif\0\0II*\0\x08\0\0\0",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    b"RIFF\xff\xff\0\0WEBPVP8X\x0a\0\0\0\x0c",
    b"RIFF\xff\xff\0\0WAVE",
    b"RIFF\xff\xff\0\0AVI LIST",
    b"II*\0\x08\0\0\0",
    b"MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10",
    b"\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\xff\0meta\0\0\0\0",
    b"\0\0\0\x18ftypisom\0\0\0\0mif1mp42\0\0\xff\0moov",
    b"\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff",
    b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead",
    b"fLaC",
    b"ID3\x04\0\0\0\0\x7f\x7f",
    b"FORM\0\0\x10\0AIFF",
    b"8BPS\0\x01\0\0\0\0\0\0\0\x03",
    b"\0\0\0\x0cJXL \r\n\x87\n",
    b"\0\0\0\x0cjP  \r\n\x87\n",
    b"\0\0\x01\xba",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read(start in 0..STARTS.len(), rest in prop::collection::vec(any::<u8>(), 0..2000)) {
        exercise(&[STARTS[start], &rest].concat());
    }

    #[test]
    fn any_numbers_after_a_signature_are_read(start in 0..STARTS.len(), rest in prop::collection::vec(0u8..4, 0..600)) {
        exercise(&[STARTS[start], &rest].concat());
    }

    #[test]
    fn any_packet_is_read(words in prop::collection::vec("[<>/=\"'&;:a-z0-9 !\\[\\]-]{0,12}|<rdf:Description |exif:GPSLatitude|</rdf:RDF>", 0..60)) {
        read(&jpeg(&Carried::xmp(&packet(&words.concat()))));
    }
}
