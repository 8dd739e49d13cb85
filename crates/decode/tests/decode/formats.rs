//! Every format, every kind of pixel, every way up.

use decode::DecodeError;
use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageFormat, RgbaImage};
use png::{BitDepth, ColorType};

use crate::made::{
    BLUE, GREEN, LOSSY_WEBP, QUARTERS, RED, WHITE, YELLOW, drawn, encoded, every_format, moving_webp, png, rgb, webp,
};
use crate::{alike, decoded, quarters};

const W: u32 = 64;
const H: u32 = 48;

fn check(name: &str, file: &[u8], format: &str, wanted: [[u8; 3]; 4]) {
    let picture = decoded(file, format, 1, 1000).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!((picture.width, picture.height), (W, H), "{name}");
    assert!(alike(quarters(&picture), wanted), "{name}: {:?}", quarters(&picture));
}

#[test]
fn every_format_is_shown() {
    for (format, file) in every_format(W, H) {
        check(format, &file, format, QUARTERS);
    }
    check("webp with loss", &LOSSY_WEBP, "webp", QUARTERS);
}

#[test]
fn every_orientation_is_held_upright_in_every_format() {
    // What a person sees of the quarters as they are stored (EXIF 2.32, tag 0x0112).
    let orientations = [
        (0, QUARTERS),
        (1, QUARTERS),
        (2, [GREEN, RED, YELLOW, BLUE]),
        (3, [YELLOW, BLUE, GREEN, RED]),
        (4, [BLUE, YELLOW, RED, GREEN]),
        (5, [RED, BLUE, GREEN, YELLOW]),
        (6, [BLUE, RED, YELLOW, GREEN]),
        (7, [YELLOW, GREEN, BLUE, RED]),
        (8, [GREEN, YELLOW, RED, BLUE]),
        (9, QUARTERS),
        (255, QUARTERS),
    ];
    for (format, file) in every_format(W, H) {
        for (orientation, wanted) in orientations {
            let picture = decoded(&file, format, orientation, 1000).unwrap();
            let turned = (5..=8).contains(&orientation);
            assert_eq!((picture.width, picture.height), if turned { (H, W) } else { (W, H) }, "{format} {orientation}");
            assert!(alike(quarters(&picture), wanted), "{format} {orientation}: {:?}", quarters(&picture));
        }
    }
}

#[test]
fn every_kind_of_png_is_shown() {
    let none = |_: &mut png::Encoder<'_, &mut Vec<u8>>| ();
    let sixteen = |bytes: &[u8]| bytes.iter().flat_map(|byte| [*byte, 0x55]).collect::<Vec<u8>>();
    let greys = [[0; 3], [85; 3], [170; 3], [255; 3]];
    let grey = drawn(W, H, |quarter| greys[quarter][0]);
    let veiled = drawn(W, H, |quarter| [0, [0, 85, 170, 255][quarter]]).concat();
    let holed = drawn(W, H, |quarter| {
        let [r, g, b] = QUARTERS[quarter];
        [r, g, b, if quarter == 0 { 0 } else { 255 }]
    })
    .concat();
    let behind = [WHITE, GREEN, BLUE, YELLOW];
    let half = [[255; 3], [170; 3], [85; 3], [0; 3]];
    let palette = |encoder: &mut png::Encoder<'_, &mut Vec<u8>>| {
        encoder.set_palette(QUARTERS.concat());
        encoder.set_trns(vec![0, 255, 255, 255]);
    };
    let indexed: Vec<u8> = drawn(W, H, |quarter| quarter as u8)
        .chunks(4)
        .map(|four| four.iter().fold(0, |byte, index| byte << 2 | index))
        .collect();
    let (rgb_8, eight) = (rgb(W, H), BitDepth::Eight);
    let size = (W, H);
    check("rgb", &png(size, &rgb_8, ColorType::Rgb, eight, none), "png", QUARTERS);
    check("rgb 16", &png(size, &sixteen(&rgb_8), ColorType::Rgb, BitDepth::Sixteen, none), "png", QUARTERS);
    check("rgba", &png(size, &holed, ColorType::Rgba, eight, none), "png", behind);
    check("rgba 16", &png(size, &sixteen(&holed), ColorType::Rgba, BitDepth::Sixteen, none), "png", behind);
    check("grey", &png(size, &grey, ColorType::Grayscale, eight, none), "png", greys);
    check("grey 16", &png(size, &sixteen(&grey), ColorType::Grayscale, BitDepth::Sixteen, none), "png", greys);
    check("grey and alpha", &png(size, &veiled, ColorType::GrayscaleAlpha, eight, none), "png", half);
    check("palette", &png(size, &indexed, ColorType::Indexed, BitDepth::Two, palette), "png", behind);
}

#[test]
fn other_formats_keep_their_depth_and_transparency() {
    let holed = drawn(W, H, |quarter| {
        let [r, g, b] = QUARTERS[quarter];
        [r, g, b, if quarter == 0 { 0 } else { 255 }]
    })
    .concat();
    let behind = [WHITE, GREEN, BLUE, YELLOW];
    let image = DynamicImage::from(RgbaImage::from_raw(W, H, holed.clone()).unwrap());
    check("webp with alpha", &webp(W, H, &holed, image_webp::ColorType::Rgba8), "webp", behind);
    check("gif with alpha", &encoded(&image, ImageFormat::Gif), "gif", behind);
    check("tiff with alpha", &encoded(&image, ImageFormat::Tiff), "tiff", behind);
    let deep = DynamicImage::from(image.to_rgb16());
    check("tiff of 16 bits", &encoded(&deep, ImageFormat::Tiff), "tiff", QUARTERS);
    let fine = DynamicImage::from(image.to_rgb32f());
    check("tiff of fractions", &encoded(&fine, ImageFormat::Tiff), "tiff", QUARTERS);
    let grey = DynamicImage::from(image.to_luma8());
    let greys = [[47; 3], [143; 3], [16; 3], [204; 3]];
    check("grey tiff", &encoded(&grey, ImageFormat::Tiff), "tiff", greys);
}

#[test]
fn of_an_animation_the_first_frame_is_shown() {
    let first = rgb(W, H);
    let then = vec![0; first.len()];
    let frames = [&first, &then].map(|samples| webp(W, H, samples, image_webp::ColorType::Rgb8));
    check("webp", &moving_webp(W, H, &frames), "webp", QUARTERS);

    let mut gif = Vec::new();
    let mut encoder = GifEncoder::new(&mut gif);
    for samples in [&first, &then] {
        let image = image::RgbImage::from_raw(W, H, samples.clone()).unwrap();
        encoder.encode_frame(Frame::new(DynamicImage::from(image).into_rgba8())).unwrap();
    }
    drop(encoder);
    check("gif", &gif, "gif", QUARTERS);
}

#[test]
fn formats_without_a_decoder_are_named() {
    for format in ["jxl", "jp2", "psd", "dng", "cr2", "mp4", "mp3"] {
        let error = decoded(&[0; 100], format, 1, 400).unwrap_err();
        assert_eq!(error, DecodeError::Unsupported { format });
        assert_eq!(error.as_str(), "format");
    }
}

#[test]
fn a_file_that_is_not_what_it_is_said_to_be_is_broken() {
    for (format, file) in every_format(W, H) {
        for (other, _) in every_format(W, H) {
            if format != other {
                let error = decoded(&file, other, 1, 400).unwrap_err();
                assert!(matches!(error, DecodeError::Broken(_)), "{format} as {other}: {error}");
                assert_eq!(error.as_str(), "broken");
            }
        }
    }
}

#[test]
fn large_pictures_come_out_between_once_and_twice_the_size_asked_for() {
    for (format, file) in every_format(640, 480) {
        for long_side in [1, 30, 79, 80, 100, 213, 320, 321, 400, 639, 640, 641, u32::MAX] {
            let picture = decoded(&file, format, 1, long_side).unwrap();
            let least = long_side.min(640);
            let name = format!("{format} for {long_side}: {} × {}", picture.width, picture.height);
            assert!(picture.width >= least && picture.width < least.saturating_mul(2).max(2), "{name}");
            assert!((picture.width * 3 / 4).abs_diff(picture.height) <= 1, "{name}");
            if long_side >= 30 {
                assert!(alike(quarters(&picture), QUARTERS), "{name}: {:?}", quarters(&picture));
            }
        }
    }
}
