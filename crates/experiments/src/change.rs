//! What people do to pictures.

use decode::Picture;
use jpeg_encoder::{ColorType, Encoder};

/// A way to make a copy of a picture that is not quite the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Compressed to a fraction of its bytes.
    Jpeg30,
    /// Half as wide and high.
    Half,
    /// Without a twentieth at each of its sides.
    Crop,
    /// Without a twentieth of its width and height in all, all of it at two sides.
    CropCorner,
    /// Left becomes right.
    Mirror,
    /// By 90° to the right.
    Turn,
    /// With words on a bar over its lower eighth.
    Caption,
    /// With words on a bar below it.
    CaptionBelow,
    /// Without colours.
    Grey,
    /// A fifth brighter.
    Brighter,
    /// A fifth darker.
    Darker,
}

impl Change {
    pub(crate) const ALL: [Self; 11] = [
        Self::Jpeg30,
        Self::Half,
        Self::Crop,
        Self::CropCorner,
        Self::Mirror,
        Self::Turn,
        Self::Caption,
        Self::CaptionBelow,
        Self::Grey,
        Self::Brighter,
        Self::Darker,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg30 => "JPEG quality 30",
            Self::Half => "half the size",
            Self::Crop => "5 % cut off each side",
            Self::CropCorner => "5 % cut off two sides",
            Self::Mirror => "mirrored",
            Self::Turn => "turned by 90°",
            Self::Caption => "caption over it",
            Self::CaptionBelow => "caption below it",
            Self::Grey => "grey",
            Self::Brighter => "20 % brighter",
            Self::Darker => "20 % darker",
        }
    }

    /// The least share of copies that is to be found.
    pub(crate) fn wanted(self) -> f64 {
        match self {
            Self::Crop | Self::CropCorner | Self::Caption | Self::CaptionBelow => 0.90,
            _ => 0.95,
        }
    }

    /// The copy, as a file.
    pub(crate) fn jpeg(self, picture: &Picture) -> Option<Vec<u8>> {
        jpeg(&self.made(picture), if self == Self::Jpeg30 { 30 } else { 85 })
    }

    pub(crate) fn made(self, picture: &Picture) -> Picture {
        let (width, height) = (picture.width as usize, picture.height as usize);
        let at = |x: usize, y: usize| {
            let from = 3 * (y * width + x);
            [picture.rgb[from], picture.rgb[from + 1], picture.rgb[from + 2]]
        };
        let times = |by: f32| move |[r, g, b]: [u8; 3]| [r, g, b].map(|value| (f32::from(value) * by).min(255.0) as u8);
        match self {
            Self::Jpeg30 => picture.clone(),
            Self::Half => drawn(width / 2, height / 2, |x, y| {
                let four = [at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1), at(2 * x + 1, 2 * y + 1)];
                std::array::from_fn(|i| (four.iter().map(|pixel| u32::from(pixel[i])).sum::<u32>() / 4) as u8)
            }),
            Self::Crop => {
                let (left, top) = (width / 20, height / 20);
                drawn(width - 2 * left, height - 2 * top, |x, y| at(x + left, y + top))
            }
            Self::CropCorner => {
                let (left, top) = (width / 20, height / 20);
                drawn(width - left, height - top, |x, y| at(x + left, y + top))
            }
            Self::Mirror => drawn(width, height, |x, y| at(width - 1 - x, y)),
            Self::Turn => drawn(height, width, |x, y| at(y, height - 1 - x)),
            Self::Caption => {
                let bar = height / 8;
                let top = height - bar;
                drawn(width, height, |x, y| if y < top { at(x, y) } else { words(x, y - top, width, bar) })
            }
            Self::CaptionBelow => {
                let bar = height / 8;
                drawn(width, height + bar, |x, y| if y < height { at(x, y) } else { words(x, y - height, width, bar) })
            }
            Self::Grey => drawn(width, height, |x, y| {
                let [r, g, b] = at(x, y).map(f32::from);
                [(0.299 * r + 0.587 * g + 0.114 * b) as u8; 3]
            }),
            Self::Brighter => drawn(width, height, |x, y| times(1.2)(at(x, y))),
            Self::Darker => drawn(width, height, |x, y| times(0.8)(at(x, y))),
        }
    }
}

/// A picture as a file.
pub(crate) fn jpeg(picture: &Picture, quality: u8) -> Option<Vec<u8>> {
    let mut file = Vec::new();
    let (width, height) = (u16::try_from(picture.width).ok()?, u16::try_from(picture.height).ok()?);
    Encoder::new(&mut file, quality).encode(&picture.rgb, width, height, ColorType::Rgb).ok()?;
    Some(file)
}

fn drawn(width: usize, height: usize, pixel: impl Fn(usize, usize) -> [u8; 3]) -> Picture {
    let (width, height) = (width.max(1), height.max(1));
    let rgb = (0..width * height).flat_map(|i| pixel(i % width, i / width)).collect();
    Picture { width: width as u32, height: height as u32, rgb, exact: true }
}

/// Something like a line of white letters on black.
fn words(x: usize, y: usize, width: usize, bar: usize) -> [u8; 3] {
    let letter = (bar / 3).max(1);
    let number = x / letter;
    let inside = (bar / 3..2 * bar / 3).contains(&y) && (width / 10..9 * width / 10).contains(&x);
    // Every sixth is a gap between words; each letter is two strokes.
    let stroke = number % 6 != 5 && (x % letter) * 3 / letter != 1;
    if inside && stroke { [255; 3] } else { [0; 3] }
}
