//! AVIF and HEIC, which other programs decode.

use std::path::Path;
use std::process::Command;

use decode::{DecodeError, Limits, picture};
use image::ImageFormat;

use crate::made::{BLUE, GREEN, QUARTERS, RED, YELLOW, file};
use crate::recorded::ffmpeg;
use crate::{alike, decoded, named, quarters};

const W: u32 = 120;
const H: u32 = 80;

fn avif(folder: &Path) -> Vec<u8> {
    let (from, to) = (folder.join("drawn.png"), folder.join("drawn.avif"));
    std::fs::write(&from, file(W, H, ImageFormat::Png)).unwrap();
    let how = ["-frames:v", "1", "-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8", "-crf", "15"];
    ffmpeg(&[&["-i", from.to_str().unwrap()][..], &how].concat(), &to);
    std::fs::read(&to).unwrap()
}

/// Nothing where heif-enc is missing: it comes with heif-convert.
fn heic(folder: &Path) -> Option<Vec<u8>> {
    let (from, to) = (folder.join("drawn.png"), folder.join("drawn.heic"));
    std::fs::write(&from, file(W, H, ImageFormat::Png)).unwrap();
    let made = Command::new("heif-enc").args(["-q", "90", "-o"]).args([&to, &from]).output().ok()?;
    made.status.success().then(|| std::fs::read(&to).unwrap())
}

#[test]
fn pictures_are_decoded_and_turned_once() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("avif", Some(avif(folder.path()))), ("heic", heic(folder.path()))];
    for (format, bytes) in files.iter().filter_map(|(format, bytes)| Some((*format, bytes.as_ref()?))) {
        assert_eq!(media::sniff(bytes).unwrap().name, format);
        let upright = decoded(bytes, format, 1, 400).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!((upright.width, upright.height), (W, H), "{format}");
        assert!(alike(quarters(&upright), QUARTERS), "{format}: {:?}", quarters(&upright));
        let turned = decoded(bytes, format, 6, 400).unwrap();
        assert_eq!((turned.width, turned.height), (H, W), "{format}");
        assert!(alike(quarters(&turned), [BLUE, RED, YELLOW, GREEN]), "{format}: {:?}", quarters(&turned));
        assert!((40..80).contains(&decoded(bytes, format, 1, 40).unwrap().width), "{format} made small");
    }
}

#[test]
fn broken_ones_and_large_ones_give_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let avif = avif(folder.path());
    for format in ["avif", "heic"] {
        for bytes in [&[][..], &[0; 100], b"#EXTM3U\nhttp://127.0.0.1/\n", &avif[..avif.len() / 2], &avif[..60]] {
            let error = decoded(bytes, format, 1, 400).unwrap_err();
            assert_eq!(error.as_str(), "broken", "{format}: {error}");
        }
        let few = Limits { pixels: 1000, ..Limits::default() };
        let error = picture(&avif, named(format), 1, 400, &few).unwrap_err();
        assert!(matches!(error, DecodeError::TooManyPixels { width: W, height: H, .. }), "{error}");
    }
}
