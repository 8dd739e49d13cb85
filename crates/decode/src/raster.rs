//! Formats that are decoded in full: PNG, WebP, GIF, BMP, TIFF.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::{ColorType, ImageDecoder, ImageError, ImageFormat, ImageReader};
use media::Format;

use crate::room::Share;
use crate::{DecodeError, Limits, Picture, Wanted, worth_showing};

/// The decoder for a format.
pub(crate) fn container(format: Format) -> Option<ImageFormat> {
    Some(match format.name {
        "png" => ImageFormat::Png,
        "webp" => ImageFormat::WebP,
        "gif" => ImageFormat::Gif,
        "bmp" => ImageFormat::Bmp,
        "tiff" => ImageFormat::Tiff,
        _ => return None,
    })
}

/// What surrounds the pixels of a PNG: profiles, texts, a row or two. Read before it is known how large
/// the picture is.
const AROUND: u64 = 8 << 20;

/// The first picture of a file.
pub(crate) fn decode(
    bytes: &[u8],
    container: ImageFormat,
    wanted: Wanted,
    limits: &Limits,
) -> Result<(Picture, Share<'static>), DecodeError> {
    // These decoders are young next to what people have thrown at libjpeg. A fault in one of them
    // costs the picture, not the crawl.
    catch_unwind(AssertUnwindSafe(|| guarded(bytes, container, wanted, limits)))
        .unwrap_or_else(|_| Err(DecodeError::Broken("its decoder gave up".to_owned())))
}

fn guarded(
    bytes: &[u8],
    container: ImageFormat,
    wanted: Wanted,
    limits: &Limits,
) -> Result<(Picture, Share<'static>), DecodeError> {
    let fault = |error: ImageError| match error {
        ImageError::Limits(_) => DecodeError::TooMuchMemory { most: limits.memory },
        other => DecodeError::Broken(other.to_string()),
    };
    let within = |most: u64| {
        let mut theirs = image::Limits::no_limits();
        theirs.max_alloc = Some(most);
        theirs
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), container);
    reader.limits(within(limits.memory.min(AROUND)));
    let mut decoder = reader.into_decoder().map_err(fault)?;
    let (width, height) = decoder.dimensions();
    limits.allow_pixels(width, height)?;
    // PNG and BMP are written straight into their place; the others are put together elsewhere first.
    let elsewhere = if matches!(container, ImageFormat::Png | ImageFormat::Bmp) { 0 } else { decoder.total_bytes() };
    let result = 3 * u64::from(width) * u64::from(height);
    // Samples become colours in their place.
    let place = decoder.total_bytes().max(result);
    let shown = wanted.memory(width, height).saturating_add(place - result);
    let room = limits.take(place.saturating_add(elsewhere).max(shown))?;
    decoder.set_limits(within(limits.memory)).map_err(fault)?;
    let colours = decoder.color_type();
    let mut samples = Vec::with_capacity(place as usize);
    samples.resize(decoder.total_bytes() as usize, 0);
    if let Err(error) = decoder.read_image(&mut samples)
        && !worth_showing(&samples, 0)
    {
        return Err(fault(error));
    }
    let exact = matches!(colours, ColorType::L8 | ColorType::Rgb8);
    Ok((Picture { width, height, rgb: rgb(samples, colours)?, exact }, room))
}

/// Samples of any kind as red, green and blue over white.
fn rgb(samples: Vec<u8>, colours: ColorType) -> Result<Vec<u8>, DecodeError> {
    let eight = |s: &[u8; 1]| s[0];
    let sixteen = |s: &[u8; 2]| (u16::from_ne_bytes(*s) >> 8) as u8;
    let float = |s: &[u8; 4]| (f32::from_ne_bytes(*s).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    Ok(match colours {
        ColorType::Rgb8 => samples,
        ColorType::L8 => replaced(samples, |pixel: &[_; 1]| grey(pixel, eight)),
        ColorType::La8 => replaced(samples, |pixel: &[_; 2]| grey(pixel, eight)),
        ColorType::Rgba8 => replaced(samples, |pixel: &[_; 4]| coloured(pixel, eight)),
        ColorType::L16 => replaced(samples, |pixel: &[_; 1]| grey(pixel, sixteen)),
        ColorType::La16 => replaced(samples, |pixel: &[_; 2]| grey(pixel, sixteen)),
        ColorType::Rgb16 => replaced(samples, |pixel: &[_; 3]| coloured(pixel, sixteen)),
        ColorType::Rgba16 => replaced(samples, |pixel: &[_; 4]| coloured(pixel, sixteen)),
        ColorType::Rgb32F => replaced(samples, |pixel: &[_; 3]| coloured(pixel, float)),
        ColorType::Rgba32F => replaced(samples, |pixel: &[_; 4]| coloured(pixel, float)),
        other => return Err(DecodeError::Broken(format!("its pixels are {other:?}"))),
    })
}

/// `BYTES` a sample, `SAMPLES` a pixel: what is made of each takes its place, so that a picture is never
/// held twice.
fn replaced<const BYTES: usize, const SAMPLES: usize>(
    mut samples: Vec<u8>,
    colour: impl Fn(&[[u8; BYTES]; SAMPLES]) -> [u8; 3],
) -> Vec<u8> {
    let size = BYTES * SAMPLES;
    let pixels = samples.len() / size;
    let made = |samples: &[u8], at: usize| {
        let mut pixel = [[0; BYTES]; SAMPLES];
        pixel.as_flattened_mut().copy_from_slice(&samples[at * size..][..size]);
        colour(&pixel)
    };
    if size < 3 {
        // From the end, where what is written is never what is still to be read.
        samples.resize(3 * pixels, 0);
        for at in (0..pixels).rev() {
            let made = made(&samples, at);
            samples[3 * at..][..3].copy_from_slice(&made);
        }
    } else {
        for at in 0..pixels {
            let made = made(&samples, at);
            samples[3 * at..][..3].copy_from_slice(&made);
        }
        samples.truncate(3 * pixels);
    }
    samples
}

/// Brightness, and how opaque it is if there are two samples.
fn grey<const BYTES: usize>(pixel: &[[u8; BYTES]], value: impl Fn(&[u8; BYTES]) -> u8) -> [u8; 3] {
    [over_white(value(&pixel[0]), pixel.get(1).map_or(255, &value)); 3]
}

/// Three colours, and how opaque they are if there are four samples.
fn coloured<const BYTES: usize>(pixel: &[[u8; BYTES]], value: impl Fn(&[u8; BYTES]) -> u8) -> [u8; 3] {
    let alpha = pixel.get(3).map_or(255, &value);
    [0, 1, 2].map(|i| over_white(value(&pixel[i]), alpha))
}

/// Exact rounding of the mean of a colour and white, weighted by how opaque the colour is.
fn over_white(colour: u8, alpha: u8) -> u8 {
    let (colour, alpha) = (u32::from(colour), u32::from(alpha));
    ((colour * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}
