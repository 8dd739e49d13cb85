//! Pictures: which a page has, how each was made, where it is found, and what it copies.

use facts::LatLon;

use crate::Settings;
use crate::dice::Dice;
use crate::host::{Host, SiteKind, cdn_name};
use crate::media::exif::{Exif, Gps};
use crate::media::files::{self, Padding};
use crate::media::jpeg::{Manner, jpeg};
use crate::media::scene::{draw, enlarged};
use crate::page::{Page, PageId, Role};
use crate::tongue::slug;
use crate::town::point_near;

/// How a picture file is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Jpeg,
    Png,
    Webp,
    Gif,
    Bmp,
}

impl Format {
    pub fn extension(self) -> &'static str {
        match self {
            Format::Jpeg => "jpg",
            Format::Png => "png",
            Format::Webp => "webp",
            Format::Gif => "gif",
            Format::Bmp => "bmp",
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Format::Jpeg => "image/jpeg",
            Format::Png => "image/png",
            Format::Webp => "image/webp",
            Format::Gif => "image/gif",
            Format::Bmp => "image/bmp",
        }
    }
}

/// Everything the bytes of a picture depend on: equal shots are equal files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shot {
    pub scene: u64,
    /// The size of the drawing, which copies in other sizes share: so they show the same.
    drawn: (usize, usize),
    pub format: Format,
    pub width: u32,
    pub height: u32,
    /// The size a JPEG is filled up to.
    pub bytes: usize,
    pub quality: u8,
    pub padding: Padding,
    pub exif: Option<Exif>,
}

/// How a picture relates to the one it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyKind {
    Exact,
    Recoded,
    Resized,
}

/// A photo by its page and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PictureId {
    pub page: PageId,
    pub slot: u64,
}

/// A photo on a page.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    pub shot: Shot,
    pub copy: Option<(PictureId, CopyKind)>,
    /// Word of the file name.
    name: String,
}

/// Which rendition of a photo an address asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Size {
    Full,
    Wide(u32),
    Thumbnail,
}

impl Size {
    fn word(self) -> String {
        match self {
            Size::Full => "full".to_owned(),
            Size::Wide(width) => format!("w{width}"),
            Size::Thumbnail => "thumb".to_owned(),
        }
    }

    fn parse(word: &str) -> Option<Self> {
        match word {
            "full" => Some(Size::Full),
            "thumb" => Some(Size::Thumbnail),
            "w320" => Some(Size::Wide(320)),
            "w640" => Some(Size::Wide(640)),
            _ => None,
        }
    }
}

/// The share of located photos by kind of site, relative to the mean [000 Table 11].
fn located_factor(kind: SiteKind) -> f64 {
    match kind {
        SiteKind::Photos => 1.5,
        SiteKind::Museum => 1.7,
        SiteKind::Travel => 1.1,
        SiteKind::Town => 0.9,
        SiteKind::News => 0.4,
        SiteKind::Blog => 0.4,
        SiteKind::Restaurant | SiteKind::Shop => 0.1,
    }
}

/// How many photos the page has.
pub(crate) fn photo_count(page: &Page<'_>) -> u64 {
    if matches!(page.role, Role::Terms | Role::Login) {
        return 0;
    }
    let (least, most) = match page.host.kind {
        SiteKind::Photos => (6, 12),
        SiteKind::Travel => (3, 6),
        SiteKind::Museum => (3, 6),
        SiteKind::Shop => (3, 7),
        SiteKind::Town | SiteKind::News => (2, 4),
        SiteKind::Restaurant => (2, 5),
        SiteKind::Blog => (1, 3),
    };
    page.dice("photo count").between(least, most)
}

const CAMERAS: [(&str, &str); 6] = [
    ("Fern", "F2 Pocket"),
    ("Fern", "F5 Pro"),
    ("Kestrel", "K-70"),
    ("Kestrel", "Phone 9"),
    ("Optika", "Reise 12"),
    ("Optika", "Mono S"),
];

/// Width to height, and how often; the last three are none of a camera's.
const ASPECTS: [(f64, f64); 12] = [
    (4.0 / 3.0, 0.26),
    (3.0 / 2.0, 0.26),
    (16.0 / 9.0, 0.12),
    (1.0, 0.07),
    (3.0 / 4.0, 0.08),
    (2.0 / 3.0, 0.06),
    (9.0 / 16.0, 0.03),
    (5.0 / 4.0, 0.02),
    (3.0, 0.02),
    (2.1, 0.04),
    (0.87, 0.02),
    (4.6, 0.02),
];

/// Bytes a pixel takes in a JPEG, about: photos with more bytes are larger.
const BYTES_PER_PIXEL: f64 = 0.2;

/// The photo as its own camera made it, before asking whether it is a copy.
fn original(page: &Page<'_>, slot: u64) -> Shot {
    let settings = page.settings;
    let mut dice = Dice::new(settings.number, "photo", [u64::from(page.host.index), page.index, slot]);
    let scene = dice.next();
    let format = match dice.unit() {
        u if u < 0.86 => Format::Jpeg,
        u if u < 0.91 => Format::Png,
        u if u < 0.97 => Format::Webp,
        u if u < 0.99 => Format::Gif,
        _ => Format::Bmp,
    };
    // Median 150 KB, mean 350 KB: the deviation follows from the two.
    let wanted = dice.log_normal(172_000.0, (2.0 * (350.0f64 / 150.0).ln()).sqrt()).clamp(6_000.0, 12_000_000.0);
    let bytes = (wanted * settings.photo_bytes_scale.max(0.0)) as usize;
    let aspect = ASPECTS[dice.weighted(&ASPECTS.map(|(_, weight)| weight))].0;
    let small = dice.chance(0.06);
    let (width, height) = dimensions(format, bytes as f64, aspect, small);
    let located = dice.chance(settings.located_share * located_factor(page.host.kind));
    let (lat, lon) = point_near(page.town(), &mut dice);
    let gps = match (LatLon::new(lat, lon).filter(|_| located), dice.below(25)) {
        (None, _) => Gps::None,
        (Some(_), 0) => Gps::Zero,
        (Some(_), 1) => Gps::OutOfRange,
        (Some(point), 2) => Gps::NoReference(point),
        (Some(point), _) => Gps::Right(point),
    };
    let camera = dice.pick(&CAMERAS);
    let taken = 1_104_537_600 + dice.below(20 * 31_557_600) as i64;
    let orientation = if dice.chance(0.08) { dice.pick(&[3, 6, 8]) } else { 1 };
    let keeps_metadata = gps != Gps::None || dice.chance(0.3);
    let carries = matches!(format, Format::Jpeg | Format::Webp) || gps != Gps::None;
    Shot {
        scene,
        drawn: drawn(width, height),
        // Only these two formats are written with metadata here.
        format: if gps != Gps::None && format != Format::Webp { Format::Jpeg } else { format },
        width,
        height,
        bytes,
        quality: dice.between(70, 84) as u8,
        padding: match dice.unit() {
            u if u < 0.02 => Padding::BeforeFrame,
            u if u < 0.05 => Padding::BeforeScan,
            _ => Padding::AfterPicture,
        },
        exif: (keeps_metadata && carries).then_some(Exif { make: camera.0, model: camera.1, orientation, taken, gps }),
    }
}

fn dimensions(format: Format, bytes: f64, aspect: f64, small: bool) -> (u32, u32) {
    let most = if format == Format::Jpeg { 2_400_000.0 } else { 230_000.0 };
    let area = if small { 60_000.0 } else { (bytes / BYTES_PER_PIXEL).clamp(170_000.0, most) };
    let mut short = (area / aspect.max(1.0 / aspect)).sqrt();
    if !small {
        short = short.max(410.0);
    }
    // Cameras and editors like round numbers.
    let short = (short / 2.0).round() * 2.0;
    let long = (short * aspect.max(1.0 / aspect)).round();
    if aspect >= 1.0 { (long as u32, short as u32) } else { (short as u32, long as u32) }
}

/// The photo at this place of the page.
pub(crate) fn picture(page: &Page<'_>, slot: u64) -> Option<Picture> {
    if slot >= photo_count(page) {
        return None;
    }
    let id = PictureId { page: page.id(), slot };
    let (shot, copy) = match copied(page.settings, id) {
        Some((of, how)) => (copied_shot(page.settings, of, how)?, Some((of, how))),
        None => (original(page, slot), None),
    };
    Some(Picture { shot, copy, name: file_name(page, slot) })
}

/// What the photo is a copy of: always an original.
fn copied(settings: &Settings, id: PictureId) -> Option<(PictureId, CopyKind)> {
    let (of, how) = wish_to_copy(settings, id)?;
    (of != id && wish_to_copy(settings, of).is_none()).then_some((of, how))
}

fn wish_to_copy(settings: &Settings, id: PictureId) -> Option<(PictureId, CopyKind)> {
    let mut dice = Dice::new(settings.number, "copy", [u64::from(id.page.host), id.page.index, id.slot]);
    let how = match dice.unit() {
        u if u < 0.03 => CopyKind::Exact,
        u if u < 0.045 => CopyKind::Recoded,
        u if u < 0.06 => CopyKind::Resized,
        _ => return None,
    };
    let host = Host::at(settings, dice.below(u64::from(settings.hosts)) as u32);
    let index = dice.below(host.pages);
    let page = Page::new(settings, &host, index)?;
    let count = photo_count(&page);
    (count > 0).then(|| (PictureId { page: page.id(), slot: dice.below(count) }, how))
}

fn copied_shot(settings: &Settings, of: PictureId, how: CopyKind) -> Option<Shot> {
    let host = Host::at(settings, of.page.host);
    let shot = original(&Page::new(settings, &host, of.page.index)?, of.slot);
    Some(match how {
        CopyKind::Exact => shot,
        CopyKind::Recoded => Shot { format: Format::Jpeg, quality: 55, bytes: 0, exif: None, ..shot },
        CopyKind::Resized => {
            let (width, height) = (shot.width * 3 / 5, shot.height * 3 / 5);
            Shot { format: Format::Jpeg, width, height, bytes: 0, exif: None, ..shot }
        }
    })
}

fn file_name(page: &Page<'_>, slot: u64) -> String {
    let mut dice = Dice::new(page.settings.number, "file name", [u64::from(page.host.index), page.index, slot]);
    match dice.unit() {
        u if u < 0.2 => format!("IMG_{:04}", dice.below(10_000)),
        u if u < 0.3 => format!("DSC{:05}", dice.below(100_000)),
        u if u < 0.6 && !page.plain => {
            format!("{}-{}", slug(page.topic_words()[0]), slug(page.town().name))
        }
        u if u < 0.62 => format!("banner-{}", slug(page.topic_words()[0])),
        _ => format!("{}-{}", slug(page.topic_words()[0]), slug(page.topic_words()[1])),
    }
}

impl Picture {
    /// The text that stands for the picture, where the page gives one.
    pub fn alt(&self, page: &Page<'_>, slot: u64) -> String {
        let mut dice = Dice::new(page.settings.number, "alt", [u64::from(page.host.index), page.index, slot]);
        match dice.unit() {
            u if u < 0.25 => String::new(),
            u if u < 0.5 && !page.plain => {
                format!("{}{}{}", page.topic_words()[0], page.tongue().space, page.town().name)
            }
            _ => page.tongue().title(&mut dice, page.spoken[0]),
        }
    }

    /// The file of one rendition.
    pub fn rendition(&self, size: Size) -> Shot {
        let width = match size {
            Size::Full => return self.shot.clone(),
            Size::Wide(width) => width.min(self.shot.width),
            Size::Thumbnail => {
                (160.0 * f64::from(self.shot.width) / f64::from(self.shot.width.max(self.shot.height))) as u32
            }
        }
        .max(16);
        let height = (width * self.shot.height / self.shot.width.max(1)).max(16);
        // A rendition in the size of its original is a file of its own all the same.
        Shot { format: Format::Jpeg, width, height, bytes: 0, quality: 68, exif: None, ..self.shot.clone() }
    }

    /// The path of a rendition on the host that serves it, with its signature where it needs one.
    pub fn path(&self, page: &Page<'_>, slot: u64, size: Size) -> String {
        let format = if size == Size::Full { self.shot.format } else { Format::Jpeg };
        let folder = match page.host.cdn {
            Some(_) => format!("/{}", page.host.name),
            None => String::new(),
        };
        let path = format!(
            "{folder}/pictures/{}-{}/{}/{}.{}",
            page.index,
            slot + 1,
            size.word(),
            self.name,
            format.extension()
        );
        if !page.host.signed {
            return path;
        }
        // 1 January 2100: signed, but not soon out of date.
        format!("{path}?expires={EXPIRES}&sig={}", signature(page.settings, &path))
    }

    pub fn url(&self, page: &Page<'_>, slot: u64, size: Size) -> String {
        let path = self.path(page, slot, size);
        match page.host.cdn {
            Some(n) => format!("{}://{}{path}", page.host.scheme(), cdn_name(n)),
            None => format!("{}{path}", page.host.origin()),
        }
    }
}

const EXPIRES: u64 = 4_102_444_800;

fn signature(settings: &Settings, path: &str) -> String {
    format!("{:016x}", Dice::new(settings.number, path, [EXPIRES]).next())
}

/// Page, place and rendition a path below the site's folder asks for.
pub(crate) fn parse_path(path: &str) -> Option<(u64, u64, Size)> {
    let mut parts = path.strip_prefix("/pictures/")?.split('/');
    let (index, slot) = parts.next()?.split_once('-')?;
    let size = Size::parse(parts.next()?)?;
    Some((index.parse().ok()?, slot.parse::<u64>().ok()?.checked_sub(1)?, size))
}

impl Shot {
    /// One that belongs to no page.
    pub fn to_order(scene: u64, format: Format, (width, height): (u32, u32), bytes: usize, exif: Exif) -> Self {
        let (drawn, padding) = (drawn(width, height), Padding::AfterPicture);
        Self { scene, drawn, format, width, height, bytes, quality: 80, padding, exif: Some(exif) }
    }

    /// A number that equal shots share.
    pub fn key(&self) -> u64 {
        let gps = match self.exif.map(|exif| exif.gps) {
            None => 0,
            Some(Gps::None) => 1,
            Some(Gps::Zero) => 2,
            Some(Gps::OutOfRange) => 3,
            Some(Gps::NoReference(_)) => 4,
            Some(Gps::Right(_)) => 5,
        };
        let about = [u64::from(self.width), u64::from(self.height), self.bytes as u64, self.quality.into(), gps];
        Dice::new(self.scene, self.format.extension(), about).next()
    }

    /// Where the metadata say it was taken, when they say so properly.
    pub fn located(&self) -> Option<LatLon> {
        match self.exif?.gps {
            Gps::Right(point) => Some(point),
            _ => None,
        }
    }

    /// Draws and encodes it.
    pub fn render(&self) -> Vec<u8> {
        let (width, height) = (self.width as usize, self.height as usize);
        let small = draw(self.scene, self.drawn.0, self.drawn.1);
        let tiff = self.exif.map(|exif| exif.tiff());
        // Other formats than JPEG are enlarged pixel by pixel, and kept small for that reason.
        let enlarged = || enlarged(&small, width, height, 0, self.scene);
        match self.format {
            Format::Jpeg => {
                let grain = if self.bytes == 0 { 0 } else { 2 + self.scene % 8 };
                let exif = tiff.as_deref();
                let samples = match width / self.drawn.0 {
                    0 | 1 => 8,
                    2 | 3 => 4,
                    _ => 2,
                };
                let manner = Manner { width, height, quality: self.quality, samples, grain, seed: self.scene, exif };
                files::padded_jpeg(jpeg(&small, &manner), self.bytes, self.padding)
            }
            Format::Png => files::png(&enlarged()),
            Format::Webp => files::webp(&enlarged(), tiff.as_deref()),
            Format::Gif => files::gif(&[enlarged()]),
            Format::Bmp => files::bmp(&enlarged()),
        }
    }
}

/// A quarter of the photo's own size, within what is worth drawing.
fn drawn(width: u32, height: u32) -> (usize, usize) {
    let long = f64::from(width.max(height));
    let scale = (long / 4.0).clamp(64.0, 280.0) / long;
    let side = |full: u32| ((f64::from(full) * scale).round() as usize).max(12);
    (side(width), side(height))
}
