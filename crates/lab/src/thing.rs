//! What an address names: the one place where hosts and paths are taken apart.

use crate::Settings;
use crate::host::{DOMAIN, Host, RobotsStyle, cdn_count};
use crate::html::link;
use crate::media::clip::{Clip, ClipKind};
use crate::media::decor::Decor;
use crate::media::picture::{self, PictureId, Size};
use crate::page::{self, Page, PageId};

/// Something that answers on the made web.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Thing {
    Page(PageId),
    /// Another address of something else: status and where to.
    Moved(u16, String),
    Picture(PictureId, Size),
    Clip(PageId, ClipKind),
    Decor(Decor),
    Robots,
    /// A robots.txt that is kept on another name of the site.
    RobotsMoved(String),
    Sitemap(Sitemap),
    Reservation,
    /// Sets the cookie a walled site wants, then leads back to this path.
    Consent(String),
    /// Gone, missing or broken, by status.
    Dead(u16),
    Search,
    Calendar(u64, u64),
    Advertiser,
    BadCertificateHome,
    Nothing,
}

/// The parts of a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sitemap {
    Index,
    Pages,
    Pictures,
}

/// Hosts that are no sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Files(u32),
    Adverts,
    Statistics,
    BadCertificate,
}

impl Service {
    pub fn named(settings: &Settings, name: &str) -> Option<Self> {
        let word = name.strip_suffix(DOMAIN)?.strip_suffix('.')?;
        match word {
            "ads" => Some(Service::Adverts),
            "stats" => Some(Service::Statistics),
            "expired" | "wrong" => Some(Service::BadCertificate),
            _ => {
                let n = word.strip_prefix("cdn")?.parse::<u32>().ok()?.checked_sub(1)?;
                (n < cdn_count(settings) && !word.starts_with("cdn0")).then_some(Service::Files(n))
            }
        }
    }
}

/// Where a request goes, before asking what is there.
#[derive(Debug)]
pub(crate) enum Server {
    Site(Host),
    Service(Service),
    Unknown,
}

/// The server that answers for this host name.
pub(crate) fn server(settings: &Settings, name: &str) -> Server {
    if let Some(index) = Host::index_of(settings, name) {
        return Server::Site(Host::at(settings, index));
    }
    Service::named(settings, name).map_or(Server::Unknown, Server::Service)
}

/// What the address names; `target` is path and query.
pub(crate) fn named(settings: &Settings, https: bool, name: &str, target: &str) -> Thing {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match server(settings, name) {
        Server::Site(host) => on_site(settings, &host, https, name, path, query),
        Server::Service(service) => on_service(settings, service, path),
        Server::Unknown => Thing::Nothing,
    }
}

fn on_service(settings: &Settings, service: Service, path: &str) -> Thing {
    if path == "/robots.txt" {
        return Thing::Robots;
    }
    match service {
        Service::Adverts if path == "/click" => Thing::Advertiser,
        Service::Adverts | Service::Statistics => Decor::parse(path).map_or(Thing::Nothing, Thing::Decor),
        Service::BadCertificate => Thing::BadCertificateHome,
        Service::Files(n) => on_file_server(settings, n, path).unwrap_or(Thing::Nothing),
    }
}

fn on_file_server(settings: &Settings, n: u32, path: &str) -> Option<Thing> {
    let (site, _) = path.strip_prefix('/')?.split_once('/')?;
    let host = Host::at(settings, Host::index_of(settings, site)?);
    (host.cdn == Some(n) && host.name == site).then_some(())?;
    on_site_file(settings, &host, &path[site.len() + 1..])
}

/// Photos, wherever they are served from.
fn on_site_file(settings: &Settings, host: &Host, path: &str) -> Option<Thing> {
    let (index, slot, size) = picture::parse_path(path)?;
    let page = Page::new(settings, host, index)?;
    picture::picture(&page, slot)?;
    Some(Thing::Picture(PictureId { page: page.id(), slot }, size))
}

fn on_site(settings: &Settings, host: &Host, https: bool, name: &str, path: &str, query: &str) -> Thing {
    let canonical = https == host.https && name == host.name;
    if path == "/robots.txt" && host.robots == RobotsStyle::Redirected {
        let other = match host.name.strip_prefix("www.") {
            Some(bare) => bare.to_owned(),
            None => format!("www.{}", host.name),
        };
        return if name == other {
            Thing::Robots
        } else {
            Thing::RobotsMoved(format!("{}://{other}{path}", host.scheme()))
        };
    }
    if !canonical {
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        return Thing::Moved(301, format!("{}{path}{query}", host.origin()));
    }
    let clean = path.split(";jsessionid=").next().unwrap_or(path);
    on_canonical(settings, host, clean, query).unwrap_or(Thing::Nothing)
}

fn on_canonical(settings: &Settings, host: &Host, path: &str, query: &str) -> Option<Thing> {
    if let Some(index) = page::index_of(settings, host, path) {
        return Some(Thing::Page(PageId { host: host.index, index }));
    }
    let first = path.strip_prefix('/')?.split('/').next()?;
    match first {
        "pictures" if host.cdn.is_none() => on_site_file(settings, host, path),
        "films" | "sounds" => {
            let (kind, index) = Clip::parse_path(path)?;
            let page = Page::new(settings, host, index)?;
            let clip = crate::media::clip::clip(&page, kind)?;
            (clip.path(&page) == path).then(|| Thing::Clip(page.id(), kind))
        }
        "static" => Decor::parse(path).map(Thing::Decor),
        "robots.txt" => Some(Thing::Robots),
        ".well-known" if path == "/.well-known/tdmrep.json" && host.tdm_reserved => Some(Thing::Reservation),
        "sitemap.xml" if host.sitemap => Some(Thing::Sitemap(Sitemap::Index)),
        "sitemap-pages.xml.gz" if host.sitemap => Some(Thing::Sitemap(Sitemap::Pages)),
        "sitemap-images.xml" if host.sitemap => Some(Thing::Sitemap(Sitemap::Pictures)),
        "consent" => {
            let back = query.strip_prefix("to=").filter(|to| to.starts_with('/') && !to.starts_with("//"));
            Some(Thing::Consent(back.unwrap_or("/").to_owned()))
        }
        "search" => Some(Thing::Search),
        "go" => {
            let (hops, id) = link::redirected(settings, host, path)?;
            let status = [301, 302, 307, 308][(id.index % 4) as usize];
            let to = match hops {
                1 => Page::new(settings, host, id.index)?.path(),
                _ => format!("/go/{}/{}", hops - 1, id.index),
            };
            Some(Thing::Moved(status, format!("{}{to}", host.origin())))
        }
        "round" => {
            let to = if path == "/round/1" { "/round/2" } else { "/round/1" };
            Some(Thing::Moved(302, format!("{}{to}", host.origin())))
        }
        "old" => {
            let n: u64 = path.strip_prefix("/old/")?.parse().ok()?;
            Some(Thing::Dead([404, 404, 410, 500][(n % 4) as usize]))
        }
        "calendar" if settings.traps => {
            let (year, month) = path.strip_prefix("/calendar/")?.split_once('/')?;
            let (year, month) = (year.parse().ok()?, month.parse().ok()?);
            (year < 10_000 && (1..=12).contains(&month)).then_some(Thing::Calendar(year, month))
        }
        _ => None,
    }
}
