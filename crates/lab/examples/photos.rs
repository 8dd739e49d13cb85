//! A static copy of some of the made web's photos, for any web server.
//!
//! `cargo run --release -p bowerbird-lab --example photos -- DIR COUNT` writes `COUNT` distinct JPEG
//! photos with metadata to `DIR/photos`, pages that show twenty of them each to `DIR/pages`, and
//! `DIR/index.html`, which leads to the pages. `DIR/photos.txt` lists the paths of the photos.
//!
//! The made web fills its photos up to their size with bytes that no decoder looks at, because
//! drawing must be quick there. Here they get grain instead, as cameras give it, so that decoding
//! them costs what it costs for real ones.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use lab::{Asked, Settings, Web};

const PHOTOS_A_PAGE: usize = 20;

/// The weakest and strongest grain, in levels of 256: photos of the web have between one and two
/// bits a pixel with it.
const GRAIN: (u32, u32) = (3, 15);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(count)) = (arguments.next(), arguments.next()) else {
        return Err("name a folder and how many photos to write".into());
    };
    let (folder, count) = (Path::new(&folder), count.parse::<usize>()?);
    for part in ["photos", "pages"] {
        std::fs::create_dir_all(folder.join(part))?;
    }
    let mut sizes = Vec::new();
    let mut list = String::new();
    for photo in photos().filter_map(|photo| grained(&photo)).take(count) {
        let path = format!("photos/{:05}.jpg", sizes.len() + 1);
        std::fs::write(folder.join(&path), &photo)?;
        writeln!(list, "{path}")?;
        sizes.push(photo.len());
    }
    if sizes.len() < count {
        return Err(format!("the made web has only {} such photos", sizes.len()).into());
    }
    std::fs::write(folder.join("photos.txt"), &list)?;
    write_pages(folder, &list.lines().collect::<Vec<_>>())?;
    sizes.sort_unstable();
    let kilobytes = |bytes: usize| bytes as f64 / 1e3;
    println!(
        "{count} photos: median {:.0} KB, mean {:.0} KB, 95 % below {:.0} KB",
        kilobytes(sizes[count / 2]),
        kilobytes(sizes.iter().sum::<usize>() / count),
        kilobytes(sizes[count * 95 / 100]),
    );
    Ok(())
}

/// JPEG photos, each once, of a size and shape that every rule for keeping pictures admits.
fn photos() -> impl Iterator<Item = Vec<u8>> {
    let web = Web::new(Settings { hosts: 1_000, pages: 100_000, ..Settings::default() });
    let mut written = HashSet::new();
    let pages: Vec<_> = web.walk().take(5_000).map(|(page, _)| page).collect();
    let media = pages.into_iter().flat_map(move |page| {
        let web = web.clone();
        web.media_of(page).into_iter().map(move |url| (web.clone(), url))
    });
    media.filter_map(move |(web, url)| {
        let photo = web.truth(&url)?.picture?;
        let aspect = f64::from(photo.width) / f64::from(photo.height);
        let wanted = photo.format == "jpg" && photo.width > 350 && aspect > 0.45 && aspect < 2.2;
        if !wanted || photo.taken.is_none() || photo.copy_of.is_some() || !written.insert(url.clone()) {
            return None;
        }
        let asked = Asked { referer: Some(photo.page), times_before: 1, ..Asked::get(&url) };
        let answer = web.answer(&asked);
        (answer.status == 200 && answer.body.starts_with(&[0xff, 0xd8])).then(|| answer.body.to_vec())
    })
}

/// The photo with grain of its own strength, without padding.
fn grained(photo: &[u8]) -> Option<Vec<u8>> {
    let mut pixels = image::load_from_memory_with_format(photo, image::ImageFormat::Jpeg).ok()?.into_rgb8();
    let mut state = photo.len() as u32 | 1;
    let mut throw = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let strength = GRAIN.0 + throw() % (GRAIN.1 - GRAIN.0);
    for pixel in pixels.pixels_mut() {
        let grain = (throw() % (2 * strength + 1)) as i16 - strength as i16;
        pixel.0 = pixel.0.map(|colour| (i16::from(colour) + grain).clamp(0, 255) as u8);
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 82);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.add_exif_metadata(exif(photo)?).ok()?;
    encoder.encode(pixels.as_raw(), pixels.width() as u16, pixels.height() as u16, ColorType::Rgb).ok()?;
    Some(file)
}

/// The EXIF block of a JPEG of the made web.
fn exif(photo: &[u8]) -> Option<&[u8]> {
    let at = photo.windows(6).position(|window| window == b"Exif\0\0")?;
    let length = usize::from(u16::from_be_bytes([photo[at - 2], photo[at - 1]]));
    photo.get(at + 6..at - 2 + length)
}

fn write_pages(folder: &Path, photos: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
    let html = |title: &str, body: &str| {
        format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><h1>{title}</h1>\n{body}</html>\n"
        )
    };
    let mut index = String::new();
    for (number, shown) in (1..).zip(photos.chunks(PHOTOS_A_PAGE)) {
        let mut body = String::new();
        for photo in shown {
            writeln!(body, "<p><img src=\"/{photo}\" alt=\"a view of a town\">")?;
        }
        std::fs::write(folder.join(format!("pages/{number}.html")), html(&format!("Views {number}"), &body))?;
        writeln!(index, "<p><a href=\"/pages/{number}.html\">views {number}</a>")?;
    }
    std::fs::write(folder.join("index.html"), html("Views of towns", &index))?;
    Ok(())
}
