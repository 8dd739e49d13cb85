//! Files made to do harm: they give a picture or an error, soon.

use std::time::Duration;

use decode::{DecodeError, Limits, picture};
use image::ImageFormat;
use proptest::prelude::*;

use crate::made::{LOSSY_WEBP, every_format, file, jpeg, moving_webp, plain_jpeg, png, progressive_jpeg, rgb, webp};
use crate::named;

/// Limits that small files keep well, and damaged ones may not.
const LIMITS: Limits =
    Limits { pixels: 1_000_000, memory: 20_000_000, time: Duration::from_secs(20), listen: Duration::from_secs(60) };

fn targets() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = every_format(40, 24);
    let frame = webp(40, 24, &rgb(40, 24), image_webp::ColorType::Rgb8);
    files.push(("webp", LOSSY_WEBP.to_vec()));
    files.push(("webp", moving_webp(40, 24, &[frame.clone(), frame])));
    files
}

/// Decodes, and checks what holds of every picture.
fn exercise(bytes: &[u8], format: &str, orientation: u8, long_side: u32) {
    match picture(bytes, named(format), orientation, long_side, &LIMITS) {
        Ok(shown) => {
            let pixels = u64::from(shown.width) * u64::from(shown.height);
            assert_eq!(shown.rgb.len() as u64, 3 * pixels);
            assert!(pixels > 0 && pixels <= LIMITS.pixels);
            decode::thumbnail(&shown, 16).unwrap();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

#[test]
fn a_file_cut_anywhere_does_no_harm() {
    for (format, file) in targets() {
        for end in 0..file.len() {
            exercise(&file[..end], format, 1, 20);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_damaged_file_does_no_harm(
        which in 0usize..9,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
        orientation in any::<u8>(),
        long_side in prop_oneof![0u32..100, any::<u32>()],
    ) {
        let (format, mut file) = targets().swap_remove(which);
        for (at, value) in flips {
            let at = at.index(file.len());
            file[at] = value;
        }
        file.truncate(cut.map_or(file.len(), |cut| cut.index(file.len())));
        exercise(&file, format, orientation, long_side);
    }

    #[test]
    fn noise_behind_a_signature_does_no_harm(
        which in 0usize..9,
        kept in 0usize..64,
        noise in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let (format, mut file) = targets().swap_remove(which);
        file.truncate(kept);
        file.extend(noise);
        exercise(&file, format, 1, 20);
    }
}

/// A small file whose header claims a size.
fn claiming(format: &str, width: u32, height: u32) -> Vec<u8> {
    let (w, h) = (width.to_be_bytes(), height.to_be_bytes());
    match format {
        "png" => {
            let mut bytes = Vec::new();
            let mut writer = png::Encoder::new(&mut bytes, width, height).write_header().unwrap();
            writer.write_chunk(png::chunk::IDAT, &[0x78, 0x01]).unwrap();
            drop(writer);
            bytes
        }
        "jpeg" => {
            let mut bytes = plain_jpeg(40, 24);
            let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
            bytes[frame + 5..frame + 7].copy_from_slice(&h[2..]);
            bytes[frame + 7..frame + 9].copy_from_slice(&w[2..]);
            bytes
        }
        "gif" => {
            let mut bytes = file(40, 24, ImageFormat::Gif);
            let frame = bytes.iter().rposition(|byte| *byte == 0x2c).unwrap();
            for at in [6, frame + 5] {
                bytes[at..at + 4].copy_from_slice(&[w[3], w[2], h[3], h[2]]);
            }
            bytes
        }
        "bmp" => {
            let mut bytes = file(40, 24, ImageFormat::Bmp);
            bytes[18..22].copy_from_slice(&width.to_le_bytes());
            bytes[22..26].copy_from_slice(&height.to_le_bytes());
            bytes
        }
        _ => unreachable!(),
    }
}

#[test]
fn pictures_that_claim_too_many_pixels_are_refused_before_anything_is_allocated() {
    for format in ["png", "jpeg", "gif", "bmp"] {
        let bomb = claiming(format, 60_000, 60_000);
        let error = picture(&bomb, named(format), 1, 400, &Limits::default()).unwrap_err();
        let most = 100_000_000;
        assert_eq!(error, DecodeError::TooManyPixels { width: 60_000, height: 60_000, most }, "{format}");
        assert_eq!(error.as_str(), "too-large");
    }
}

#[test]
fn pictures_that_need_too_much_memory_are_refused_before_anything_is_allocated() {
    for format in ["png", "gif", "bmp"] {
        let bomb = claiming(format, 9_000, 9_000);
        let limits = Limits { memory: 100_000_000, ..Limits::default() };
        let error = picture(&bomb, named(format), 1, 400, &limits).unwrap_err();
        assert_eq!(error, DecodeError::TooMuchMemory { most: 100_000_000 }, "{format}");
    }
}

/// As PNG has it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

/// A picture of one colour.
fn flat_png(width: u32, height: u32) -> Vec<u8> {
    let samples = vec![200; 3 * width as usize * height as usize];
    png((width, height), &samples, png::ColorType::Rgb, png::BitDepth::Eight, |_| ())
}

#[test]
fn a_small_file_does_not_take_the_memory_of_a_machine() {
    let mut flat = claiming("png", 8960, 6720);
    // Transparent colours: four bytes a pixel. What they are comes after the sides, and then a checksum.
    flat[25] = 6;
    let sum = crc32(&flat[12..29]);
    flat[29..33].copy_from_slice(&sum.to_be_bytes());
    let mut spread = progressive_jpeg(64, 64);
    let frame = spread.windows(2).position(|pair| pair == [0xff, 0xc2]).unwrap();
    for side in [frame + 5, frame + 7] {
        spread[side..side + 2].copy_from_slice(&9300u16.to_be_bytes());
    }
    // A sample of each colour for every pixel.
    spread[frame + 11] = 0x11;
    for (file, format) in [(flat, "png"), (spread, "jpeg")] {
        let error = picture(&file, named(format), 1, 640, &Limits::default()).unwrap_err();
        assert_eq!(error, DecodeError::TooMuchMemory { most: 160 << 20 }, "{format}");
        assert_eq!(error.as_str(), "too-large");
    }
}

#[test]
fn large_photographs_are_decoded() {
    let flat = flat_png(6000, 4000);
    let samples = vec![200; 8000 * 6250];
    let jpeg = jpeg(8000, 6250, &samples, jpeg_encoder::ColorType::Luma, |_| ());
    for (file, format, sides) in [(flat, "png", (667, 445)), (jpeg, "jpeg", (1000, 782))] {
        let shown = picture(&file, named(format), 6, 640, &Limits::default()).unwrap();
        assert_eq!((shown.height, shown.width), sides, "{format}");
        assert!(shown.rgb.iter().all(|sample| sample.abs_diff(200) < 3), "{format}");
    }
}

#[test]
fn all_pixels_are_turned_within_what_is_allowed_or_not_at_all() {
    let flat = flat_png(1000, 1000);
    let limits = Limits { memory: 5_000_000, ..Limits::default() };
    let whole = |orientation| decode::whole(&flat, named("png"), orientation, &limits, |picture| picture.rgb.len());
    assert_eq!(whole(1), Ok(3_000_000));
    assert_eq!(whole(6), Err(DecodeError::TooMuchMemory { most: 5_000_000 }));
}

#[test]
fn a_truncated_png_shows_its_upper_part() {
    let file = file(400, 400, ImageFormat::Png);
    let whole = picture(&file, named("png"), 1, 400, &Limits::default()).unwrap();
    let cut = picture(&file[..file.len() / 2], named("png"), 1, 400, &Limits::default()).unwrap();
    assert_eq!((cut.width, cut.height), (400, 400));
    assert_eq!(cut.rgb[..3 * 400 * 20], whole.rgb[..3 * 400 * 20]);
}
