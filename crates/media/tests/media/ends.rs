//! Reading the ends of files gives what reading all of them gives, and costs little.

use media::{Facts, Probe, Wants};

use crate::made::{
    Carried, Exif, HELSINKI, PICTURES, film, heic_late, jpeg, mp4, packet, png, png_late, tiff_size, unit, webp,
};
use crate::{NOW, near, read};

/// What a probe says, how many bytes it took and in how many pieces.
fn probe(file: &[u8], total: Option<u64>) -> (Facts, usize, usize) {
    let mut probe = Probe::new(total);
    let (mut head, mut bytes, mut pieces) = (0, 0, 0);
    loop {
        match probe.next() {
            Wants::Nothing => return (probe.facts(NOW).unwrap(), bytes, pieces),
            Wants::Head(end) => {
                assert!(end > head && end <= 64 << 10, "asks for {end} bytes having {head}");
                let end = end.min(file.len());
                probe.head(&file[head..end]);
                bytes += end - head;
                head = end;
                if head == file.len() {
                    probe.ended();
                }
            }
            Wants::Tail(last) => {
                assert!(last <= 64 << 10);
                let start = file.len().saturating_sub(last as usize);
                probe.tail(start as u64, &file[start..]);
                bytes += file.len() - start;
            }
        }
        pieces += 1;
        assert!(pieces <= 4, "asks for more and more");
    }
}

#[test]
fn the_ends_of_a_file_say_what_all_of_it_says() {
    let xmp = packet(r#"exif:GPSLatitude="60,10.194N" exif:GPSLongitude="24,56.304E">"#);
    for (name, make) in PICTURES {
        for picture in [0, 3000, 20_000, 70_000, 120_000, 500_000] {
            let mut exif = Exif::at(HELSINKI);
            if name == "tiff" {
                exif.first.extend(tiff_size());
            }
            for carried in [Carried::exif(exif.bytes()), Carried::xmp(&xmp), Carried::default()] {
                if name == "tiff" && carried.exif.is_empty() && carried.xmp.is_empty() {
                    continue;
                }
                let file = make(&carried.picture(picture));
                for total in [Some(file.len() as u64), None] {
                    let (facts, bytes, _) = probe(&file, total);
                    assert_eq!(facts, read(&file), "{name} with a picture of {picture} bytes, length known: {total:?}");
                    assert!(bytes <= file.len().min(128 << 10) + (64 << 10), "{name}: {bytes} of {}", file.len());
                }
            }
        }
    }
}

#[test]
fn a_common_picture_takes_one_piece_of_16_kib() {
    let file = jpeg(&Carried::exif(Exif::at(HELSINKI).bytes()).picture(2_000_000));
    let (facts, bytes, pieces) = probe(&file, Some(file.len() as u64));
    assert!(near(&facts, HELSINKI));
    assert_eq!((bytes, pieces), (Probe::FIRST, 1));
}

#[test]
fn a_long_block_before_the_picture_takes_what_it_needs() {
    let mut exif = Exif::at(HELSINKI);
    exif.first.push((0x9286, crate::made::Value::Bytes(vec![7; 30_000])));
    let file = jpeg(&Carried::exif(exif.bytes()).picture(2_000_000));
    let (facts, bytes, pieces) = probe(&file, Some(file.len() as u64));
    assert!(near(&facts, HELSINKI));
    assert_eq!(facts.upright(), Some((480, 640)));
    assert!(bytes < 40 << 10 && pieces <= 3, "{bytes} bytes in {pieces} pieces");
}

#[test]
fn metadata_at_the_end_take_just_that_end() {
    let exif = Exif::at(HELSINKI).bytes();
    let needed = exif.len() + 64;
    for make in [webp, heic_late] {
        let file = make(&Carried::exif(exif.clone()).picture(2_000_000));
        let (facts, bytes, pieces) = probe(&file, Some(file.len() as u64));
        assert!(near(&facts, HELSINKI));
        assert!(bytes <= Probe::FIRST + needed && pieces == 2, "{bytes} bytes in {pieces} pieces");
    }
}

#[test]
fn a_tiff_file_with_its_directories_at_the_end_is_read_from_there() {
    for picture in [30_000, 100_000, 2_000_000] {
        let mut exif = Exif { picture, ..Exif::at(HELSINKI) };
        exif.first.extend(tiff_size());
        let file = exif.bytes();
        for total in [Some(file.len() as u64), None] {
            let (facts, bytes, pieces) = probe(&file, total);
            assert_eq!(facts, read(&file));
            assert!(near(&facts, HELSINKI));
            assert!(bytes <= 128 << 10 && pieces <= 3, "{bytes} bytes in {pieces} pieces");
        }
    }
}

#[test]
fn a_picture_without_metadata_is_not_asked_for_its_end() {
    let file = webp(&Carried::default().picture(2_000_000));
    assert_eq!(probe(&file, Some(file.len() as u64)).2, 1);
}

#[test]
fn a_packet_without_a_place_does_not_hide_one_behind_the_picture() {
    let untold = packet("><dc:title>Castle</dc:title>");
    let mut file = png(&Carried::xmp(&untold).picture(300_000));
    let end = file.split_off(file.len() - 12);
    file.extend([crate::made::chunk(b"eXIf", &Exif::at(HELSINKI).bytes()), end].concat());
    let (facts, _, pieces) = probe(&file, Some(file.len() as u64));
    assert!(near(&facts, HELSINKI));
    assert_eq!((facts.title.as_deref(), facts.partial, pieces), (Some("Castle"), false, 2));
    // Without the end, it is said that there was more.
    let mut start = Probe::new(Some(file.len() as u64));
    start.head(&file[..Probe::FIRST]);
    let facts = start.facts(NOW).unwrap();
    assert_eq!((facts.location, facts.partial), (None, true));
    // Where the place is known, or EXIF would have named it, the end is not asked for.
    let told = packet(r#"exif:GPSLatitude="60,10.194N" exif:GPSLongitude="24,56.304E">"#);
    let camera = Exif { gps: Vec::new(), ..Exif::at(HELSINKI) };
    for carried in [Carried::xmp(&told), Carried::exif(camera.bytes())] {
        let file = png(&carried.picture(300_000));
        let (facts, _, pieces) = probe(&file, Some(file.len() as u64));
        assert_eq!((facts.partial, pieces), (false, 1));
    }
}

#[test]
fn what_only_looks_like_a_chunk_inside_a_picture_is_not_one() {
    let mut file = png_late(&Carried::default().picture(200_000));
    let fake = crate::made::chunk(b"eXIf", &Exif::at(HELSINKI).bytes());
    let at = file.len() - 3000;
    file[at..at + fake.len() - 4].copy_from_slice(&fake[..fake.len() - 4]);
    assert_eq!(probe(&file, Some(file.len() as u64)).0.location, None);
}

#[test]
fn a_size_out_of_reach_is_said_to_be_missing_and_not_guessed() {
    let mut file = vec![0xff, 0xd8];
    for _ in 0..3 {
        file.extend(crate::made::segment(0xe2, b"ICC_PROFILE\0", &[0; 60_000]));
    }
    file.extend(&jpeg(&Carried::exif(Exif::at(HELSINKI).bytes()).picture(1_000_000))[2..]);
    let (facts, ..) = probe(&file, Some(file.len() as u64));
    assert!(facts.partial);
    assert_eq!((facts.width, facts.location, facts.wrong_location), (None, None, None));
    assert!(near(&read(&file), HELSINKI));
}

#[test]
fn a_film_says_its_place_from_either_end() {
    let xyz = unit(b"udta", &unit(b"\xa9xyz", b"\0\x12\x15\xc7+60.1699+024.9384/"));
    // A film of an hour has a table of samples that is longer than an end.
    let table = unit(b"trak", &unit(b"mdia", &unit(b"minf", &vec![0; 150_000])));
    for (name, moov) in [("short", film(&xyz)), ("long", film(&[table, xyz].concat()))] {
        for (before, after) in [(0, 800_000), (800_000, 0)] {
            let file = mp4(&moov, before, after);
            let (facts, bytes, _) = probe(&file, Some(file.len() as u64));
            if name == "short" || before > 0 {
                assert!(near(&facts, HELSINKI), "{name}, {before} bytes before: {facts:?}");
            }
            if name == "short" || after > 0 {
                assert_eq!(facts.width, Some(1920), "{name}, {before} bytes before");
            }
            assert!(bytes <= 128 << 10);
        }
    }
}

#[test]
fn a_probe_holds_no_more_than_its_ends() {
    let mut probe = Probe::new(None);
    for _ in 0..100 {
        probe.head(&[0xff; 10_000]);
    }
    probe.tail(5_000_000, &vec![1; 1_000_000]);
    assert!(format!("{probe:?}").len() < 1_000_000);
}

#[test]
fn a_file_that_ends_early_is_read_as_far_as_it_goes() {
    let file = jpeg(&Carried::exif(Exif::at(HELSINKI).bytes()));
    let mut probe = Probe::new(None);
    assert_eq!(probe.next(), Wants::Head(Probe::FIRST));
    probe.head(&file);
    probe.ended();
    assert_eq!(probe.next(), Wants::Nothing);
    assert!(near(&probe.facts(NOW).unwrap(), HELSINKI));
}
