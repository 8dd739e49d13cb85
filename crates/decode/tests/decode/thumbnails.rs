//! Small pictures.

use decode::{DecodeError, Picture, thumbnail};

use crate::made::{QUARTERS, rgb};
use crate::{alike, decoded, quarters};

fn made(width: u32, height: u32) -> Picture {
    Picture { width, height, rgb: rgb(width, height), exact: true }
}

/// The size of a thumbnail.
fn check(from: (u32, u32), longest: u32, to: (u32, u32)) {
    let file = thumbnail(&made(from.0, from.1), longest).unwrap().jpeg;
    let shown = decoded(&file, "jpeg", 1, u32::MAX).unwrap();
    assert_eq!((shown.width, shown.height), to, "{from:?} to {longest}");
    if to.0.min(to.1) >= 32 {
        assert!(alike(quarters(&shown), QUARTERS), "{from:?} to {longest}: {:?}", quarters(&shown));
    }
}

#[test]
fn a_thumbnail_is_as_long_as_asked_and_keeps_its_shape() {
    check((800, 600), 400, (400, 300));
    check((600, 800), 400, (300, 400));
    check((408, 306), 400, (400, 300));
    check((1000, 333), 400, (400, 133));
    check((5000, 2), 400, (400, 1));
    check((2, 5000), 400, (1, 400));
    check((800, 600), 0, (1, 1));
}

#[test]
fn nothing_is_enlarged() {
    check((400, 300), 400, (400, 300));
    check((120, 90), 400, (120, 90));
    check((1, 1), 400, (1, 1));
    check((64, 48), u32::MAX, (64, 48));
}

#[test]
fn no_thumbnail_is_longer_than_a_jpeg_can_be() {
    let file = thumbnail(&made(70_000, 3), u32::MAX).unwrap().jpeg;
    let shown = decoded(&file, "jpeg", 1, u32::MAX).unwrap();
    assert_eq!((shown.width, shown.height), (65_500, 3));
}

#[test]
fn a_thumbnail_is_small_in_bytes_too() {
    let noise: Vec<u8> = (0..800u32 * 600 * 3).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8 * 6).collect();
    let file = thumbnail(&Picture { width: 800, height: 600, rgb: noise, exact: true }, 400).unwrap().jpeg;
    assert!(file.len() < 60_000, "{}", file.len());
}

#[test]
fn a_picture_without_its_pixels_is_refused() {
    for (width, height, bytes) in [(0, 0, 0), (10, 0, 0), (10, 10, 299), (10, 10, 301), (u32::MAX, u32::MAX, 12)] {
        let error = thumbnail(&Picture { width, height, rgb: vec![0; bytes], exact: true }, 400).unwrap_err();
        assert_eq!(error, DecodeError::Misshapen { width, height, bytes });
        assert_eq!(error.as_str(), "broken");
    }
}

#[test]
fn the_colour_of_a_thumbnail_is_the_one_that_most_of_it_has() {
    // Two fifths are a sky, the rest is as colourful as can be.
    let pixel = |n: u32| match n % 5 {
        0 | 1 => [100 + (n % 7) as u8, 150, 200],
        _ => [(n * 37) as u8, (n * 91) as u8, (n * 53) as u8],
    };
    let rgb: Vec<u8> = (0..100 * 80).flat_map(pixel).collect();
    let made = thumbnail(&Picture { width: 100, height: 80, rgb, exact: true }, 400).unwrap();
    let apart = |a: u8, b: u8| a.abs_diff(b);
    let [red, green, blue] = made.colour;
    assert!(apart(red, 103) < 6 && apart(green, 150) < 6 && apart(blue, 200) < 6, "{:?}", made.colour);
    // Of a large picture too, and of one pixel.
    let plain = |width: u32, height: u32| Picture {
        width,
        height,
        rgb: [9, 200, 31].repeat((width * height) as usize),
        exact: true,
    };
    for picture in [plain(1, 1), plain(900, 700)] {
        assert_eq!(thumbnail(&picture, 200).unwrap().colour, [9, 200, 31]);
    }
}
