//! Small pictures.

use decode::{DecodeError, Picture, thumbnail};

use crate::made::{QUARTERS, rgb};
use crate::{alike, decoded, quarters};

fn made(width: u32, height: u32) -> Picture {
    Picture { width, height, rgb: rgb(width, height) }
}

/// The size of a thumbnail.
fn check(from: (u32, u32), longest: u32, to: (u32, u32)) {
    let file = thumbnail(&made(from.0, from.1), longest).unwrap();
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
    let file = thumbnail(&made(70_000, 3), u32::MAX).unwrap();
    let shown = decoded(&file, "jpeg", 1, u32::MAX).unwrap();
    assert_eq!((shown.width, shown.height), (65_500, 3));
}

#[test]
fn a_thumbnail_is_small_in_bytes_too() {
    let noise: Vec<u8> = (0..800u32 * 600 * 3).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8 * 6).collect();
    let file = thumbnail(&Picture { width: 800, height: 600, rgb: noise }, 400).unwrap();
    assert!(file.len() < 60_000, "{}", file.len());
}

#[test]
fn a_picture_without_its_pixels_is_refused() {
    for (width, height, bytes) in [(0, 0, 0), (10, 0, 0), (10, 10, 299), (10, 10, 301), (u32::MAX, u32::MAX, 12)] {
        let error = thumbnail(&Picture { width, height, rgb: vec![0; bytes] }, 400).unwrap_err();
        assert_eq!(error, DecodeError::Misshapen { width, height, bytes });
        assert_eq!(error.as_str(), "broken");
    }
}
