//! What is known about everything on the made web.

use serde::Serialize;

use crate::Settings;
use crate::host::{Host, SiteKind, focus};
use crate::media::clip::{ClipKind, clip};
use crate::media::exif::{Gps, iso_time};
use crate::media::picture::{CopyKind, PictureId, Size, picture};
use crate::page::{Page, PageId, Role};
use crate::robots;
use crate::thing::{Thing, named};
use crate::topics::Aside;
use crate::town::{Address, TOWNS};

/// What an address is, and what there is to know about it.
#[derive(Clone, Debug, Serialize)]
pub struct Truth {
    /// `page`, `picture`, `film`, `sound`, `decoration`, `redirect`, `robots`, `sitemap`, `dead` or `other`.
    pub kind: &'static str,
    /// The address under which it is served.
    pub url: String,
    /// Whether robots.txt allows it.
    pub allowed: bool,
    /// The site it belongs to.
    pub site: Option<SiteTruth>,
    /// When it is a page.
    pub page: Option<PageTruth>,
    /// When it is a photo.
    pub picture: Option<PictureTruth>,
    /// When it is a film or sound.
    pub clip: Option<ClipTruth>,
}

/// About a site.
#[derive(Clone, Debug, Serialize)]
pub struct SiteTruth {
    /// Its host name.
    pub host: String,
    /// What kind of site it is.
    pub kind: SiteKind,
    /// The language it is written in.
    pub language: &'static str,
    /// How many pages it has.
    pub pages: u64,
    /// The crawl-delay it asks for, in seconds.
    pub crawl_delay: Option<f64>,
    /// Whether it cannot be crawled: its robots.txt fails or its certificate is bad.
    pub out_of_reach: bool,
}

/// About a page.
#[derive(Clone, Debug, Serialize)]
pub struct PageTruth {
    /// The part it plays on its site.
    pub role: Role,
    /// Its title.
    pub title: String,
    /// Its language.
    pub language: &'static str,
    /// The places whose address it gives.
    pub places: Vec<Address>,
    /// The towns those are in.
    pub relevant_to: Vec<&'static str>,
    /// Whether the web's focus town is one of them.
    pub relevant: bool,
    /// The town it speaks of, with an address or without.
    pub about: &'static str,
    /// Words it is about.
    pub topics: [&'static str; 2],
    /// A word that it has in passing, and is not about.
    pub passing: Option<&'static str>,
    /// A word that only the texts of its links have.
    pub anchors_only: Option<&'static str>,
    /// Its robots meta, if it has one.
    pub robots: Option<&'static str>,
    /// The `X-Robots-Tag` it is sent with, if there is one.
    pub robots_header: Option<&'static str>,
    /// Its photos, films and sounds, each in full size.
    pub media: Vec<String>,
}

/// About a photo.
#[derive(Clone, Debug, Serialize)]
pub struct PictureTruth {
    /// The page it is on.
    pub page: String,
    /// `jpg`, `png`, `webp`, `gif` or `bmp`.
    pub format: &'static str,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Where its metadata say it was taken: latitude and longitude.
    pub location: Option<(f64, f64)>,
    /// What is wrong with the location in its metadata.
    pub wrong_location: Option<&'static str>,
    /// When it was taken, if it says so.
    pub taken: Option<String>,
    /// The photo it was made from.
    pub copy_of: Option<String>,
    /// `bytes` for the same file, `recoded`, `resized`; `rendition` for a smaller size of itself.
    pub copy_kind: Option<&'static str>,
}

/// About a film or sound.
#[derive(Clone, Debug, Serialize)]
pub struct ClipTruth {
    /// The page it is on.
    pub page: String,
    /// Its length.
    pub seconds: f64,
    /// The one it is the same file as.
    pub copy_of: Option<String>,
    /// The one it is cut from.
    pub part_of: Option<String>,
    /// Where in that one it starts.
    pub offset_seconds: f64,
}

/// The truth about an address; `None` when nothing answers there.
pub(crate) fn truth(settings: &Settings, url: &facts::Url) -> Option<Truth> {
    let https = url.scheme() == "https";
    let thing = named(settings, https, url.host_str(), url.path_and_query());
    let site_index = match &thing {
        Thing::Page(id) | Thing::Clip(id, _) | Thing::Picture(PictureId { page: id, .. }, _) => Some(id.host),
        _ => Host::index_of(settings, url.host_str()),
    };
    let mut truth = Truth {
        kind: "other",
        url: url.as_str().to_owned(),
        allowed: robots::allowed(settings, url.host_str(), &thing),
        site: site_index.map(|index| site(&Host::at(settings, index))),
        page: None,
        picture: None,
        clip: None,
    };
    match thing {
        Thing::Nothing => return None,
        Thing::Page(id) => {
            truth.kind = "page";
            with_page(settings, id, |page| {
                truth.url = page.url();
                truth.page = Some(about_page(page));
            })?;
        }
        Thing::Picture(id, size) => {
            truth.kind = "picture";
            truth.url = picture_url(settings, id, size)?;
            truth.picture = Some(about_picture(settings, id, size)?);
        }
        Thing::Clip(id, kind) => {
            truth.kind = if kind == ClipKind::Film { "film" } else { "sound" };
            truth.clip = Some(about_clip(settings, id, kind)?);
        }
        Thing::Moved(_, to) | Thing::RobotsMoved(to) => {
            truth.kind = "redirect";
            truth.url = to;
        }
        Thing::Decor(_) => truth.kind = "decoration",
        Thing::Robots => truth.kind = "robots",
        Thing::Sitemap(_) => truth.kind = "sitemap",
        Thing::Dead(_) => truth.kind = "dead",
        _ => {}
    }
    Some(truth)
}

fn site(host: &Host) -> SiteTruth {
    SiteTruth {
        host: host.name.clone(),
        kind: host.kind,
        language: host.tongue.code,
        pages: host.pages,
        crawl_delay: host.crawl_delay,
        out_of_reach: host.out_of_reach(),
    }
}

/// Does something with a page, if there is such a page.
pub(crate) fn with_page<T>(settings: &Settings, id: PageId, then: impl FnOnce(&Page<'_>) -> T) -> Option<T> {
    if id.host >= settings.hosts {
        return None;
    }
    let host = Host::at(settings, id.host);
    Page::new(settings, &host, id.index).as_ref().map(then)
}

fn about_page(page: &Page<'_>) -> PageTruth {
    let places: Vec<Address> = page.address().into_iter().collect();
    PageTruth {
        role: page.role,
        title: page.title(),
        language: page.tongue().code,
        relevant_to: if places.is_empty() { Vec::new() } else { vec![page.town().name] },
        relevant: is_relevant(page),
        places,
        about: TOWNS[page.town as usize].name,
        topics: page.topic_words(),
        passing: match page.aside {
            Some(Aside::Passing(topic)) => Some(page.tongue().noun(topic)),
            _ => None,
        },
        anchors_only: match page.aside {
            Some(Aside::Listed(topic)) => Some(page.tongue().noun(topic)),
            _ => None,
        },
        robots: page.robots_meta(),
        robots_header: page.robots_header(),
        media: media(page),
    }
}

/// Whether the page gives an address in the focus town.
pub(crate) fn is_relevant(page: &Page<'_>) -> bool {
    page.has_address() && page.town == focus(page.settings)
}

/// The addresses of the page's photos (in full size), films and sounds.
pub(crate) fn media(page: &Page<'_>) -> Vec<String> {
    let mut media: Vec<String> =
        (0..).map_while(|slot| Some(picture(page, slot)?.url(page, slot, Size::Full))).collect();
    for kind in [ClipKind::Film, ClipKind::Sound] {
        media.extend(clip(page, kind).map(|clip| format!("{}{}", page.host.origin(), clip.path(page))));
    }
    media
}

fn picture_url(settings: &Settings, id: PictureId, size: Size) -> Option<String> {
    with_page(settings, id.page, |page| Some(picture(page, id.slot)?.url(page, id.slot, size)))?
}

fn about_picture(settings: &Settings, id: PictureId, size: Size) -> Option<PictureTruth> {
    with_page(settings, id.page, |page| {
        let picture = picture(page, id.slot)?;
        let shot = picture.rendition(size);
        let gps = shot.exif.map(|exif| exif.gps);
        let (copy_of, copy_kind) = match (size, picture.copy) {
            (Size::Full, None) => (None, None),
            (Size::Full, Some((of, how))) => {
                let how = match how {
                    CopyKind::Exact => "bytes",
                    CopyKind::Recoded => "recoded",
                    CopyKind::Resized => "resized",
                };
                (picture_url(settings, of, Size::Full), Some(how))
            }
            _ => (Some(picture.url(page, id.slot, Size::Full)), Some("rendition")),
        };
        Some(PictureTruth {
            page: page.url(),
            format: shot.format.extension(),
            width: shot.width,
            height: shot.height,
            location: shot.located().map(|point| (point.lat(), point.lon())),
            wrong_location: match gps {
                Some(Gps::Zero) => Some("zero"),
                Some(Gps::OutOfRange) => Some("out-of-range"),
                Some(Gps::NoReference(_)) => Some("no-reference"),
                _ => None,
            },
            taken: shot.exif.map(|exif| iso_time(exif.taken)),
            copy_of,
            copy_kind,
        })
    })?
}

fn about_clip(settings: &Settings, id: PageId, kind: ClipKind) -> Option<ClipTruth> {
    with_page(settings, id, |page| {
        let found = clip(page, kind)?;
        let source = found.source.and_then(|(of, whole)| {
            let url = with_page(settings, of, |page| {
                Some(format!("{}{}", page.host.origin(), clip(page, kind)?.path(page)))
            })??;
            Some((url, whole))
        });
        let (copy_of, part_of) = match source {
            Some((url, true)) => (Some(url), None),
            Some((url, false)) => (None, Some(url)),
            None => (None, None),
        };
        Some(ClipTruth { page: page.url(), seconds: found.seconds(), copy_of, part_of, offset_seconds: found.offset() })
    })?
}
