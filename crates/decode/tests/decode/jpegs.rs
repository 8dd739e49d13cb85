//! The many kinds of JPEG.

use decode::{DecodeError, Limits, Picture, picture};
use jpeg_encoder::{ColorType, SamplingFactor};

use crate::made::{QUARTERS, drawn, jpeg, plain_jpeg, progressive_jpeg, rgb};
use crate::{alike, decoded, named, quarters};

const W: u32 = 320;
const H: u32 = 240;

fn check(name: &str, file: &[u8], wanted: [[u8; 3]; 4]) {
    for long_side in [W, W / 2, W / 4, W / 8, W * 3 / 8] {
        let picture = decoded(file, "jpeg", 1, long_side).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((picture.width, picture.height), (long_side, long_side * 3 / 4), "{name}");
        assert!(alike(quarters(&picture), wanted), "{name} at {long_side}: {:?}", quarters(&picture));
    }
}

#[test]
fn every_kind_of_jpeg_is_shown_at_every_scale() {
    let samples = rgb(W, H);
    let cmyk = drawn(W, H, |quarter| {
        let [r, g, b] = QUARTERS[quarter].map(|colour| 255 - colour);
        [r, g, b, 0]
    })
    .concat();
    let greys = [[0; 3], [85; 3], [170; 3], [255; 3]];
    let grey = drawn(W, H, |quarter| greys[quarter][0]);
    check("plain", &plain_jpeg(W, H), QUARTERS);
    check("progressive", &progressive_jpeg(W, H), QUARTERS);
    check("cmyk", &jpeg(W, H, &cmyk, ColorType::Cmyk, |_| ()), QUARTERS);
    check("ycck", &jpeg(W, H, &cmyk, ColorType::CmykAsYcck, |_| ()), QUARTERS);
    check("grey", &jpeg(W, H, &grey, ColorType::Luma, |_| ()), greys);
    check("grey progressive", &jpeg(W, H, &grey, ColorType::Luma, |encoder| encoder.set_progressive(true)), greys);
    check("with restarts", &jpeg(W, H, &samples, ColorType::Rgb, |encoder| encoder.set_restart_interval(3)), QUARTERS);
    for sampling in [
        SamplingFactor::F_1_1,
        SamplingFactor::F_2_1,
        SamplingFactor::F_1_2,
        SamplingFactor::F_4_1,
        SamplingFactor::F_4_2,
        SamplingFactor::F_1_4,
        SamplingFactor::F_2_4,
    ] {
        let file = jpeg(W, H, &samples, ColorType::Rgb, |encoder| encoder.set_sampling_factor(sampling));
        check(&format!("{sampling:?}"), &file, QUARTERS);
    }
}

#[test]
fn a_truncated_jpeg_shows_its_upper_part() {
    // Rows differ, so that their share of the file is known.
    let samples: Vec<u8> = (0..W * H).flat_map(|i| [(i % 251) as u8, (i / 7 % 241) as u8, (i % 97) as u8]).collect();
    let file = jpeg(W, H, &samples, ColorType::Rgb, |_| ());
    let whole = decoded(&file, "jpeg", 1, W).unwrap();
    for share in [3, 5, 8] {
        let cut = decoded(&file[..file.len() * share / 10], "jpeg", 1, W).unwrap();
        assert_eq!((cut.width, cut.height), (W, H));
        let upper = whole.rgb.len() * (share - 1) / 10;
        assert!(cut.rgb[..upper] == whole.rgb[..upper], "{share} tenths");
        assert_ne!(cut, whole, "{share} tenths");
    }
    let progressive = progressive_jpeg(W, H);
    let cut = decoded(&progressive[..progressive.len() * 7 / 10], "jpeg", 1, W).unwrap();
    assert!(alike(quarters(&cut), QUARTERS), "{:?}", quarters(&cut));
}

#[test]
fn a_jpeg_that_ends_before_its_first_pixel_is_broken() {
    let file = plain_jpeg(W, H);
    let scan = file.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
    for end in [0, 1, 2, 20, scan, scan + 2, scan + 14] {
        let error = decoded(&file[..end], "jpeg", 1, W).unwrap_err();
        assert!(matches!(error, DecodeError::Broken(_)), "{end}: {error}");
    }
}

#[test]
fn at_an_eighth_a_progressive_jpeg_without_its_details_is_the_same_picture() {
    let samples: Vec<u8> = (0..W * H).flat_map(|i| [(i % 251) as u8, (i / 7 % 241) as u8, (i / 900) as u8]).collect();
    let progressive = jpeg(W, H, &samples, ColorType::Rgb, |encoder| encoder.set_progressive(true));
    let plain = jpeg(W, H, &samples, ColorType::Rgb, |_| ());
    let eighth = |file: &[u8]| decoded(file, "jpeg", 1, W / 8).unwrap();
    assert_eq!(eighth(&progressive), eighth(&plain));
    // The details were indeed left out: without them there is nothing to be damaged.
    let mut damaged = progressive.clone();
    let frame = progressive.windows(2).position(|pair| pair == [0xff, 0xc2]).unwrap();
    let brightness = progressive[frame + 10];
    let scan = [0xff, 0xda, 0, 8, 1, brightness];
    let last = progressive.windows(6).rposition(|window| window == scan).unwrap();
    damaged[last + 20..last + 200].fill(0x5a);
    assert_eq!(eighth(&damaged), eighth(&plain));
    let half = |file: &[u8]| decoded(file, "jpeg", 1, W / 2).unwrap();
    assert_ne!(half(&damaged), half(&progressive));
}

/// A JPEG that goes over its pixels many times and says nothing new.
fn tedious(width: u16, height: u16, scans: usize) -> Vec<u8> {
    let mut file = progressive_jpeg(64, 64);
    let frame = file.windows(2).position(|pair| pair == [0xff, 0xc2]).unwrap();
    file[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    file[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    file.truncate(file.len() - 2);
    // Refinement of one frequency of the first component, by a bit that is there already.
    for _ in 0..scans {
        file.extend_from_slice(&[0xff, 0xda, 0, 8, 1, 0, 0, 1, 1, 0x10, 0, 0]);
    }
    file.extend_from_slice(&[0xff, 0xd9]);
    file
}

#[test]
fn a_jpeg_that_only_keeps_us_busy_is_refused() {
    let limits = Limits { pixels: 1_000_000, ..Limits::default() };
    let decode = |file: &[u8]| picture(file, named("jpeg"), 1, 400, &limits);
    let error = decode(&tedious(1000, 1000, 20)).unwrap_err();
    assert!(matches!(error, DecodeError::TooManyScans { width: 1000, height: 1000, scans: 17.. }), "{error:?}");
    assert_eq!(error.as_str(), "too-large");
    let error = decode(&tedious(16, 16, 5000)).unwrap_err();
    assert!(matches!(error, DecodeError::TooManyScans { .. }), "{error:?}");
    let shown: Picture = decode(&tedious(64, 64, 20)).unwrap();
    assert_eq!((shown.width, shown.height), (64, 64));
}

#[test]
fn a_progressive_jpeg_needs_memory_for_all_of_it_and_a_plain_one_does_not() {
    let limits = Limits { memory: 200_000, ..Limits::default() };
    let eighth = |file: &[u8]| picture(file, named("jpeg"), 1, W / 8, &limits);
    eighth(&plain_jpeg(W, H)).unwrap();
    let error = eighth(&progressive_jpeg(W, H)).unwrap_err();
    assert_eq!(error, DecodeError::TooMuchMemory { most: 200_000 });
}
