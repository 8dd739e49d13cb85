//! What pages are decorated with and nobody collects: logos, headers, sprites, icons, adverts,
//! tracking pixels.

use crate::dice::Dice;
use crate::media::files;
use crate::media::jpeg::{Manner, jpeg};
use crate::media::scene::{Canvas, draw};

/// A decoration by its path, the same on every site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Decor {
    Logo,
    Header,
    Sprite,
    Icon(u64),
    Advert(u64),
    Pixel,
}

const ICONS: [&str; 3] = ["facebook", "share", "rss"];
const ADVERT_SIZES: [(u32, u32); 4] = [(728, 90), (300, 250), (468, 60), (160, 600)];

impl Decor {
    pub fn path(self) -> String {
        match self {
            Decor::Logo => "/static/logo.png".to_owned(),
            Decor::Header => "/static/header.jpg".to_owned(),
            Decor::Sprite => "/static/sprite.png".to_owned(),
            Decor::Icon(n) => format!("/static/icon-{}.png", ICONS[n as usize % ICONS.len()]),
            Decor::Advert(n) => format!("/adserver/banner-{}.gif", n % 40),
            Decor::Pixel => "/pixel.gif".to_owned(),
        }
    }

    pub fn parse(path: &str) -> Option<Self> {
        let advert = || path.strip_prefix("/adserver/banner-")?.strip_suffix(".gif")?.parse().ok().map(Decor::Advert);
        let known =
            [Decor::Logo, Decor::Header, Decor::Sprite, Decor::Pixel, Decor::Icon(0), Decor::Icon(1), Decor::Icon(2)];
        known.into_iter().chain(advert()).find(|decor| decor.path() == path)
    }

    pub fn size(self) -> (u32, u32) {
        match self {
            Decor::Logo => (220, 64),
            Decor::Header => (1200, 180),
            Decor::Sprite => (256, 32),
            Decor::Icon(_) => (32, 32),
            Decor::Advert(n) => ADVERT_SIZES[n as usize % ADVERT_SIZES.len()],
            Decor::Pixel => (1, 1),
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Decor::Logo | Decor::Sprite | Decor::Icon(_) => "image/png",
            Decor::Header => "image/jpeg",
            Decor::Advert(_) | Decor::Pixel => "image/gif",
        }
    }

    pub fn render(self, number: u64) -> Vec<u8> {
        let (width, height) = (self.size().0 as usize, self.size().1 as usize);
        match self {
            Decor::Header => {
                let manner = Manner { width, height, quality: 75, samples: 2, grain: 2, seed: number, exif: None };
                jpeg(&draw(number, 300, 45), &manner)
            }
            Decor::Advert(n) => files::gif(&[blocks(number ^ n << 32, width, height)]),
            Decor::Pixel => files::gif(&[Canvas { width, height, rgb: vec![255; 3] }]),
            Decor::Icon(n) => files::png(&blocks(n, width, height)),
            Decor::Logo | Decor::Sprite => files::png(&blocks(number, width, height)),
        }
    }
}

/// Flat shapes in a few strong colours.
fn blocks(number: u64, width: usize, height: usize) -> Canvas {
    let mut dice = Dice::new(number, "blocks", []);
    let mut colour = || [dice.below(256) as u8, dice.below(256) as u8, dice.below(256) as u8];
    let colours = [colour(), colour(), [250, 250, 250]];
    let step = (height / 2).max(1);
    let mut rgb = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            let cell = (x / step * 7 + y / step * 3) % 5;
            let (dx, dy) = ((x % step) as f32 / step as f32 - 0.5, (y % step) as f32 / step as f32 - 0.5);
            let round = dx * dx + dy * dy < 0.16;
            rgb.extend(colours[if round { cell % 2 } else { 2 }]);
        }
    }
    Canvas { width, height, rgb }
}
