//! Formats that are decoded in full: PNG, WebP, GIF, BMP, TIFF.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::{ColorType, ImageDecoder, ImageError, ImageFormat, ImageReader};
use media::Format;

use crate::{DecodeError, Limits, Picture, worth_showing};

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

/// The first picture of a file.
pub(crate) fn decode(bytes: &[u8], container: ImageFormat, limits: &Limits) -> Result<Picture, DecodeError> {
    // These decoders are young next to what people have thrown at libjpeg. A fault in one of them
    // costs the picture, not the crawl.
    catch_unwind(AssertUnwindSafe(|| guarded(bytes, container, limits)))
        .unwrap_or_else(|_| Err(DecodeError::Broken("its decoder gave up".to_owned())))
}

fn guarded(bytes: &[u8], container: ImageFormat, limits: &Limits) -> Result<Picture, DecodeError> {
    let fault = |error: ImageError| match error {
        ImageError::Limits(_) => DecodeError::TooMuchMemory { most: limits.memory },
        other => DecodeError::Broken(other.to_string()),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), container);
    let mut theirs = image::Limits::no_limits();
    theirs.max_alloc = Some(limits.memory);
    reader.limits(theirs.clone());
    let mut decoder = reader.into_decoder().map_err(fault)?;
    let (width, height) = decoder.dimensions();
    limits.allow_pixels(width, height)?;
    // PNG and BMP are written straight into their place; the others are put together elsewhere first.
    let copies = if matches!(container, ImageFormat::Png | ImageFormat::Bmp) { 1 } else { 2 };
    let result = 3 * u64::from(width) * u64::from(height);
    limits.allow_memory(decoder.total_bytes().saturating_mul(copies).saturating_add(result))?;
    decoder.set_limits(theirs).map_err(fault)?;
    let colours = decoder.color_type();
    let mut samples = vec![0; decoder.total_bytes() as usize];
    if let Err(error) = decoder.read_image(&mut samples)
        && !worth_showing(&samples, 0)
    {
        return Err(fault(error));
    }
    let exact = matches!(colours, ColorType::L8 | ColorType::Rgb8);
    Ok(Picture { width, height, rgb: rgb(samples, colours)?, exact })
}

/// Samples of any kind as red, green and blue over white.
fn rgb(samples: Vec<u8>, colours: ColorType) -> Result<Vec<u8>, DecodeError> {
    let eight = |s: &[u8; 1]| s[0];
    let sixteen = |s: &[u8; 2]| (u16::from_ne_bytes(*s) >> 8) as u8;
    let float = |s: &[u8; 4]| (f32::from_ne_bytes(*s).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    if colours == ColorType::Rgb8 {
        return Ok(samples);
    }
    let samples = &samples[..];
    Ok(match colours {
        ColorType::L8 => grey::<1, 1>(samples, eight),
        ColorType::La8 => grey::<1, 2>(samples, eight),
        ColorType::Rgba8 => coloured::<1, 4>(samples, eight),
        ColorType::L16 => grey::<2, 1>(samples, sixteen),
        ColorType::La16 => grey::<2, 2>(samples, sixteen),
        ColorType::Rgb16 => coloured::<2, 3>(samples, sixteen),
        ColorType::Rgba16 => coloured::<2, 4>(samples, sixteen),
        ColorType::Rgb32F => coloured::<4, 3>(samples, float),
        ColorType::Rgba32F => coloured::<4, 4>(samples, float),
        other => return Err(DecodeError::Broken(format!("its pixels are {other:?}"))),
    })
}

/// `BYTES` a sample, `SAMPLES` a pixel: brightness, and how opaque it is if there are two.
fn grey<const BYTES: usize, const SAMPLES: usize>(samples: &[u8], value: impl Fn(&[u8; BYTES]) -> u8) -> Vec<u8> {
    let pixels = samples.as_chunks::<BYTES>().0.as_chunks::<SAMPLES>().0;
    let mut rgb = Vec::with_capacity(3 * pixels.len());
    for pixel in pixels {
        let alpha = pixel.get(1).map_or(255, &value);
        rgb.extend_from_slice(&[over_white(value(&pixel[0]), alpha); 3]);
    }
    rgb
}

/// `BYTES` a sample, `SAMPLES` a pixel: three colours, and how opaque it is if there are four.
fn coloured<const BYTES: usize, const SAMPLES: usize>(samples: &[u8], value: impl Fn(&[u8; BYTES]) -> u8) -> Vec<u8> {
    let pixels = samples.as_chunks::<BYTES>().0.as_chunks::<SAMPLES>().0;
    let mut rgb = Vec::with_capacity(3 * pixels.len());
    for pixel in pixels {
        let alpha = pixel.get(3).map_or(255, &value);
        rgb.extend_from_slice(&[0, 1, 2].map(|i| over_white(value(&pixel[i]), alpha)));
    }
    rgb
}

/// Exact rounding of the mean of a colour and white, weighted by how opaque the colour is.
fn over_white(colour: u8, alpha: u8) -> u8 {
    let (colour, alpha) = (u32::from(colour), u32::from(alpha));
    ((colour * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}
