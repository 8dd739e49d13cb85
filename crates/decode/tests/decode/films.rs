//! What becomes of films.

use std::fs;
use std::time::{Duration, Instant};

use decode::{DecodeError, Limits, film, frames};
use media::film::{part_of, same_film};

use crate::named;
use crate::recorded::{self, SCENES, ffmpeg, format, melody, wav};

#[test]
fn a_film_is_the_same_in_another_format_and_size_and_another_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits::default();
    let original = recorded::film(folder.path(), "original", &SCENES[..3], 1);
    let other = recorded::film(folder.path(), "other", &SCENES[3..], 2);
    let whole = film(&original, format(&original), &limits).unwrap();
    let other = film(&other, format(&other), &limits).unwrap();
    assert_eq!(same_film(&whole, &other), None);
    assert!(whole.sound().is_some());
    assert!(whole.duration().abs_diff(Duration::from_secs(6)) < Duration::from_millis(300), "{:?}", whole.duration());
    assert!(whole.hashes().count() >= 3, "each scene has a key frame");
    let from = original.to_str().unwrap();
    for (name, how) in [
        ("copy.webm", &["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "200k", "-an"][..]),
        ("copy.mkv", &["-vf", "scale=96:72", "-r", "11", "-c:v", "libx264", "-preset", "ultrafast"]),
        ("copy.avi", &["-c:v", "mpeg4", "-q:v", "6", "-c:a", "mp3"]),
        ("copy.mpg", &["-c:v", "mpeg2video", "-r", "25", "-q:v", "6"]),
        ("copy.ts", &["-c:v", "libx264", "-preset", "ultrafast"]),
        ("copy.flv", &["-c:v", "flv1", "-an"]),
    ] {
        let copy = folder.path().join(name);
        ffmpeg(&[&["-i", from], how].concat(), &copy);
        let copy = film(&copy, format(&copy), &limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        let told = same_film(&whole, &copy);
        assert!(told.is_some_and(|told| told.share > 0.6), "{name}: {told:?}");
        assert_eq!(same_film(&copy, &other), None, "{name}");
    }
}

#[test]
fn a_part_is_found_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits::default();
    let original = recorded::film(folder.path(), "original", SCENES, 3);
    let part = folder.path().join("part.mp4");
    let how = ["-an", "-vf", "scale=128:96", "-c:v", "libx264", "-preset", "ultrafast"];
    ffmpeg(&[&["-ss", "5.1", "-t", "4", "-i", original.to_str().unwrap()][..], &how].concat(), &part);
    let whole = film(&original, format(&original), &limits).unwrap();
    let part = film(&part, format(&part), &limits).unwrap();
    let found = part_of(&part, &whole).expect("it is a part");
    assert!((found.at.as_secs_f64() - 5.1).abs() < 1.0, "{found:?}");
    assert_eq!((same_film(&part, &whole), part_of(&whole, &part)), (None, None));
}

#[test]
fn frames_are_upright_and_small() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, turned) = (folder.path().join("plain.mp4"), folder.path().join("turned.mp4"));
    let red_above_blue = "color=red:s=640x240:r=5,pad=640:480:0:0:blue,trim=duration=1";
    ffmpeg(&["-f", "lavfi", "-i", red_above_blue, "-pix_fmt", "yuv420p", "-c:v", "libx264"], &plain);
    ffmpeg(&["-i", plain.to_str().unwrap(), "-c", "copy", "-metadata:s:v:0", "rotate=90"], &turned);
    let seen = |file: &std::path::Path| {
        let mut seen = Vec::new();
        frames(file, named("mp4"), &Limits::default(), &mut |at, pixels| {
            let colour = |x: u32, y: u32| pixels.rgb[3 * (y * pixels.width + x) as usize];
            let (right, bottom) = (pixels.width - 9, pixels.height - 9);
            seen.push((
                at,
                pixels.width,
                pixels.height,
                [colour(9, 9), colour(right, 9), colour(9, bottom)].map(|red| red > 128),
            ));
        })
        .unwrap();
        seen
    };
    assert_eq!(seen(&plain)[0], (Duration::ZERO, 320, 240, [true, true, false]));
    let (_, width, height, [left, right, below]) = seen(&turned)[0];
    assert_eq!((width, height), (240, 320));
    assert!(left != right && left == below, "red is on one side");
}

#[test]
fn what_is_no_film_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let told = |name: &str, format: &str| film(&at(name), named(format), &limits);

    wav(&melody(6, 3), &at("sound.wav"));
    ffmpeg(&["-i", at("sound.wav").to_str().unwrap(), "-c:a", "aac"], &at("sound.mp4"));
    assert_eq!(told("sound.mp4", "mp4"), Err(DecodeError::NoFilm), "only sound");
    ffmpeg(&["-f", "lavfi", "-i", "color=black:s=64x64:r=5:d=2", "-c:v", "libx264"], &at("black.mp4"));
    assert_eq!(told("black.mp4", "mp4"), Err(DecodeError::NoFilm), "only black");

    fs::write(at("empty.mp4"), b"").unwrap();
    // Playlists that would open other files and addresses, whatever they are called.
    let playlists = [
        "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile /etc/passwd\n",
        "<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011'></MPD>",
    ];
    for (nth, playlist) in playlists.iter().enumerate() {
        fs::write(at(&format!("{nth}.mp4")), playlist).unwrap();
    }
    for name in ["empty.mp4", "0.mp4", "1.mp4", "2.mp4"] {
        for format in ["mp4", "mkv", "avi", "mpeg", "ts", "flv", "wmv", "ogv"] {
            let error = told(name, format).expect_err(name);
            assert!(matches!(error, DecodeError::Broken(_) | DecodeError::NoFilm), "{name} as {format}: {error}");
        }
    }
    assert!(matches!(told("nowhere.mp4", "mp4"), Err(DecodeError::Unreadable(_))));
    assert!(matches!(told("empty.mp4", "jpeg"), Err(DecodeError::Unsupported { .. })));
}

#[test]
fn damaged_films_give_what_they_have_and_wrong_ones_end_soon() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let original = recorded::film(folder.path(), "original", &SCENES[..3], 7);
    let whole = film(&original, format(&original), &limits).unwrap();
    let (flv, cut) = (folder.path().join("copy.mkv"), folder.path().join("cut"));
    ffmpeg(&["-i", original.to_str().unwrap(), "-c", "copy"], &flv);
    let bytes = fs::read(&flv).unwrap();
    fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let rest = film(&cut, named("mkv"), &limits).unwrap();
    assert!(same_film(&rest, &whole).is_some() || part_of(&rest, &whole).is_some(), "{:?}", rest.duration());

    // Any byte may be wrong: it gives a film or a reason.
    let bytes = fs::read(&original).unwrap();
    for nth in 0..6 {
        let mut bytes = bytes.clone();
        for byte in bytes.iter_mut().skip(40 * nth).step_by(97 + 40 * nth) {
            *byte = byte.wrapping_add(131);
        }
        fs::write(&cut, &bytes).unwrap();
        let began = Instant::now();
        let _ = film(&cut, named("mp4"), &limits);
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn limits_hold() {
    let folder = tempfile::tempdir().unwrap();
    let original = recorded::film(folder.path(), "original", &SCENES[..1], 8);
    let few = Limits { pixels: 10_000, ..Limits::default() };
    assert!(matches!(film(&original, named("mp4"), &few), Err(DecodeError::TooManyPixels { width: 192, .. })));
    let small = Limits { memory: 10_000, ..Limits::default() };
    assert!(matches!(film(&original, named("mp4"), &small), Err(DecodeError::TooMuchMemory { .. })));
    let bounded = Limits { listen: Duration::from_secs(1), ..Limits::default() };
    let mut seen = Duration::ZERO;
    frames(&original, named("mp4"), &bounded, &mut |at, _| seen = at).unwrap();
    assert!(seen <= Duration::from_secs(1), "{seen:?}");
}
