//! What becomes of sounds.

use std::fs;
use std::time::Duration;

use decode::{DecodeError, Limits, samples, sound};
use media::sound::{part_of, same_sound};

use crate::named;
use crate::recorded::{ffmpeg, format, melody, wav};

#[test]
fn a_sound_is_the_same_in_every_format_and_another_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (original, other) = (folder.path().join("original.wav"), folder.path().join("other.wav"));
    wav(&melody(1, 12), &original);
    wav(&melody(2, 12), &other);
    let limits = Limits::default();
    let whole = sound(&original, format(&original), &limits).unwrap();
    let other = sound(&other, format(&other), &limits).unwrap();
    assert_eq!(same_sound(&whole, &other), None);
    assert!(whole.duration().abs_diff(Duration::from_secs(12)) < Duration::from_millis(50));
    let from = original.to_str().unwrap();
    for (name, how) in [
        ("copy.mp3", &["-b:a", "64k"][..]),
        ("copy.ogg", &["-c:a", "libvorbis", "-q:a", "1"]),
        ("copy.opus", &["-c:a", "libopus", "-b:a", "24k"]),
        ("copy.flac", &["-ar", "48000", "-ac", "2"]),
        ("copy.m4a", &["-b:a", "48k", "-af", "volume=-12dB"]),
        ("copy.aac", &["-b:a", "48k"]),
        ("copy.aiff", &["-ar", "8000"]),
        ("copy.wma", &["-b:a", "48k"]),
        ("copy.mka", &["-c:a", "libopus", "-b:a", "32k"]),
    ] {
        let copy = folder.path().join(name);
        ffmpeg(&[&["-i", from], how].concat(), &copy);
        let copy = sound(&copy, format(&copy), &limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        let told = same_sound(&whole, &copy);
        assert!(told.is_some_and(|told| told.share > 0.2), "{name}: {told:?}");
        assert_eq!(same_sound(&other, &copy), None, "{name}");
        assert!(whole.similarity(&copy) > 80.0, "{name}: {} % alike", whole.similarity(&copy));
    }
}

#[test]
fn a_part_is_found_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole.wav"), folder.path().join("part.mp3"));
    wav(&melody(3, 40), &whole);
    ffmpeg(&["-ss", "21.3", "-t", "10", "-i", whole.to_str().unwrap(), "-b:a", "64k"], &part);
    let limits = Limits::default();
    let (whole, part) =
        (sound(&whole, format(&whole), &limits).unwrap(), sound(&part, format(&part), &limits).unwrap());
    let found = part_of(&part, &whole).expect("it is a part");
    assert!((found.at.as_secs_f64() - 21.3).abs() < 0.3, "{found:?}");
    assert_eq!(part_of(&whole, &part), None, "a whole is no part of its part");
    assert_eq!(same_sound(&whole, &part), None);
}

#[test]
fn only_the_beginning_of_a_long_sound_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let (file, opus) = (folder.path().join("long.wav"), folder.path().join("long.opus"));
    wav(&melody(4, 30), &file);
    ffmpeg(&["-i", file.to_str().unwrap(), "-c:a", "libopus", "-b:a", "16k"], &opus);
    let limits = Limits { listen: Duration::from_secs(5), ..Limits::default() };
    for file in [file, opus] {
        let mut heard = 0;
        samples(&file, format(&file), &limits, &mut |samples| heard += samples.len()).unwrap();
        assert_eq!(heard, 5 * 5512, "{}", file.display());
    }
}

#[test]
fn files_without_sound_say_so_and_damaged_ones_give_what_they_have() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let told = |name: &str, format: &str| sound(&at(name), named(format), &limits);

    fs::write(at("empty"), b"").unwrap();
    for format in ["mp3", "ogg", "flac", "wav", "m4a", "aac", "opus", "amr", "mka", "aiff"] {
        assert!(told("empty", format).is_err(), "{format}");
    }
    wav(&[], &at("none.wav"));
    assert!(matches!(told("none.wav", "wav"), Err(DecodeError::NoSound | DecodeError::Broken(_))));
    wav(&[0.0; 100], &at("short.wav"));
    assert_eq!(told("short.wav", "wav"), Err(DecodeError::NoSound));
    assert!(matches!(told("nowhere", "mp3"), Err(DecodeError::Unreadable(_))));
    fs::write(at("text"), "#EXTM3U\nhttp://127.0.0.1/a.mp3\nfile:///etc/passwd\n".repeat(100)).unwrap();
    for format in ["mp3", "m4a", "opus", "wav"] {
        assert!(told("text", format).is_err(), "a playlist is no {format}");
    }

    wav(&melody(5, 12), &at("whole.wav"));
    let whole = sound(&at("whole.wav"), named("wav"), &limits).unwrap();
    let from = at("whole.wav");
    for name in ["copy.mp3", "copy.opus", "copy.ogg", "copy.flac"] {
        ffmpeg(&["-i", from.to_str().unwrap()], &at(name));
        let bytes = fs::read(at(name)).unwrap();
        fs::write(at(name), &bytes[..bytes.len() * 2 / 3]).unwrap();
        let rest = sound(&at(name), format(&at(name)), &limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(part_of(&rest, &whole).is_some(), "{name} lasts {:?}", rest.duration());
        let mut holes = bytes;
        holes.iter_mut().skip(5000).step_by(3001).for_each(|byte| *byte ^= 0x55);
        fs::write(at(name), &holes).unwrap();
        let rest = sound(&at(name), format(&at(name)), &limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(rest.duration() > Duration::from_secs(2), "{name} lasts {:?}", rest.duration());
    }
}

#[test]
fn silence_is_like_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("silence.wav");
    wav(&[0.0; 200_000], &file);
    let silence = sound(&file, format(&file), &Limits::default()).unwrap();
    assert_eq!(same_sound(&silence, &silence), None);
    assert_eq!(silence.keys().count(), 0);
}
