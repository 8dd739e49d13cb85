//! Picture files with four coloured quarters.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

pub const RED: [u8; 3] = [220, 0, 0];
pub const GREEN: [u8; 3] = [0, 200, 0];
pub const BLUE: [u8; 3] = [0, 0, 220];
pub const YELLOW: [u8; 3] = [220, 220, 0];
pub const WHITE: [u8; 3] = [255; 3];

/// Upper left, upper right, lower left, lower right.
pub const QUARTERS: [[u8; 3]; 4] = [RED, GREEN, BLUE, YELLOW];

/// A drawing with a pixel for each place, made from the number of its quarter.
pub fn drawn<P>(width: u32, height: u32, pixel: impl Fn(usize) -> P) -> Vec<P> {
    let quarter = |x, y| 2 * usize::from(y >= height / 2) + usize::from(x >= width / 2);
    (0..height).flat_map(|y| (0..width).map(move |x| quarter(x, y))).map(pixel).collect()
}

pub fn rgb(width: u32, height: u32) -> Vec<u8> {
    drawn(width, height, |quarter| QUARTERS[quarter]).concat()
}

/// Encoded by the image crate.
pub fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let image = RgbImage::from_raw(width, height, rgb(width, height)).unwrap();
    encoded(&DynamicImage::from(image), format)
}

pub fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// A JPEG of these samples.
pub fn jpeg(
    width: u32,
    height: u32,
    samples: &[u8],
    colours: ColorType,
    set: impl Fn(&mut Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, 90);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    set(&mut encoder);
    encoder.encode(samples, width as u16, height as u16, colours).unwrap();
    bytes
}

pub fn plain_jpeg(width: u32, height: u32) -> Vec<u8> {
    jpeg(width, height, &rgb(width, height), ColorType::Rgb, |_| ())
}

pub fn progressive_jpeg(width: u32, height: u32) -> Vec<u8> {
    jpeg(width, height, &rgb(width, height), ColorType::Rgb, |encoder| encoder.set_progressive(true))
}

/// A PNG of these samples, with a palette if there is one.
pub fn png(
    (width, height): (u32, u32),
    samples: &[u8],
    colours: png::ColorType,
    depth: png::BitDepth,
    set: impl Fn(&mut png::Encoder<'_, &mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colours);
    encoder.set_depth(depth);
    set(&mut encoder);
    encoder.write_header().unwrap().write_image_data(samples).unwrap();
    bytes
}

pub fn webp(width: u32, height: u32, samples: &[u8], colours: image_webp::ColorType) -> Vec<u8> {
    let mut bytes = Vec::new();
    image_webp::WebPEncoder::new(&mut bytes).encode(samples, width, height, colours).unwrap();
    bytes
}

/// The four quarters at 64 × 48, as libwebp compresses them with loss (quality 75).
pub const LOSSY_WEBP: [u8; 140] = *b"RIFF\x84\0\0\0WEBPVP8 \x78\0\0\0\
\x90\x05\0\x9d\x01\x2a\x40\0\x30\0\x3e\x89\x36\x95\x47\xa5\x23\x22\x21\x32\xa8\0\xa0\x11\x09\x40\x19\x0b\x39\x9f\xc0\
\x3f\x12\x76\x2c\x78\x07\xe2\xad\x67\xe0\x3c\x4f\x7b\xf1\x33\x74\xcc\xdd\xd8\x77\x34\x60\0\xfe\xf0\x6c\x49\x4f\x9a\x24\
\x98\x02\x13\x5b\x7b\x5b\x7b\xea\x44\x96\xe4\x7c\x20\xe6\x06\x2a\xfb\x75\xd3\x9a\xe9\xcd\x7f\xd3\x16\x76\xed\x1b\x71\
\x2e\xe1\x41\x17\xbe\xfe\x85\xbb\xa3\xf9\x33\xff\xff\x89\xdf\x77\x4a\x9f\xb4\x84\x86\x45\x77\xaa\x8f\xe1\x16\0\0\0";

/// A WebP animation of these frames, each a file without loss.
pub fn moving_webp(width: u32, height: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], data: &[u8]| {
        let mut bytes = name.to_vec();
        bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
        bytes.extend_from_slice(data);
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        bytes
    };
    let size = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
    let mut chunks = chunk(b"VP8X", &[vec![2, 0, 0, 0], size(width), size(height)].concat());
    chunks.extend(chunk(b"ANIM", &[0; 6]));
    for frame in frames {
        let place = [vec![0; 6], size(width), size(height), vec![100, 0, 0, 0]].concat();
        chunks.extend(chunk(b"ANMF", &[&place[..], &frame[12..]].concat()));
    }
    chunk(b"RIFF", &[&b"WEBP"[..], &chunks].concat())
}

/// Small files of every format, by the name of the format.
pub fn every_format(width: u32, height: u32) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("jpeg", plain_jpeg(width, height)),
        ("jpeg", progressive_jpeg(width, height)),
        ("png", file(width, height, ImageFormat::Png)),
        ("webp", webp(width, height, &rgb(width, height), image_webp::ColorType::Rgb8)),
        ("gif", file(width, height, ImageFormat::Gif)),
        ("bmp", file(width, height, ImageFormat::Bmp)),
        ("tiff", file(width, height, ImageFormat::Tiff)),
    ]
}
