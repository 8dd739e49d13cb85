//! What sites tell crawlers: robots.txt, sitemaps, reservations.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Settings;
use crate::host::{Host, RobotsStyle};
use crate::html::escaped;
use crate::media::picture::{Size, photo_count, picture};
use crate::page::{Page, Role, section};
use crate::thing::{Server, Service, Sitemap, Thing, server};

/// The site's robots.txt; the status when there is none.
pub(crate) fn robots_txt(host: &Host) -> Result<String, u16> {
    let mut out = String::new();
    let archive = section(host, Role::Archive);
    match host.robots {
        RobotsStyle::Missing => return Err(404),
        RobotsStyle::Broken => return Err(503),
        RobotsStyle::AllowAll => out.push_str("User-agent: *\nDisallow:\n"),
        RobotsStyle::Sections => {
            let _ = write!(out, "User-agent: *\nDisallow: /login\nDisallow: /{archive}/\nDisallow: /search\n");
        }
        RobotsStyle::CrawlDelay | RobotsStyle::Redirected => out.push_str("User-agent: *\nDisallow: /search\n"),
        RobotsStyle::Messy => {
            let _ = write!(
                out,
                "\u{feff}# robots.txt of {}\r\n\r\nUser-agent: GreedyBot\r\nDisallow: /\r\n\r\n\
                 user-AGENT : *   # everyone else\r\nDisallow : /login\r\nDisallow: /{archive}/\r\n\
                 Disallow: /search\r\nUnknown-line: 7\r\n",
                host.name
            );
        }
    }
    if let Some(delay) = host.crawl_delay {
        let _ = writeln!(out, "Crawl-delay: {delay}");
    }
    if host.sitemap {
        let _ = writeln!(out, "\nSitemap: {}/sitemap.xml", host.origin());
    }
    Ok(out)
}

/// The robots.txt of a host that is no site.
pub(crate) fn service_robots(service: Service) -> Result<String, u16> {
    match service {
        Service::Statistics => Ok("User-agent: *\nDisallow: /\n".to_owned()),
        Service::Files(n) if n % 2 == 0 => Err(404),
        _ => Ok("User-agent: *\nDisallow:\n".to_owned()),
    }
}

/// Whether a crawler that obeys robots.txt may ask for this; known from what was forbidden, not
/// from reading it back.
pub(crate) fn allowed(settings: &Settings, name: &str, thing: &Thing) -> bool {
    let host = match server(settings, name) {
        Server::Service(Service::Statistics) => return *thing == Thing::Robots,
        Server::Site(host) => host,
        Server::Service(_) | Server::Unknown => return true,
    };
    match thing {
        Thing::Robots | Thing::RobotsMoved(_) => true,
        _ if host.robots == RobotsStyle::Broken => false,
        Thing::Search => matches!(host.robots, RobotsStyle::Missing | RobotsStyle::AllowAll),
        Thing::Page(id) => Page::new(settings, &host, id.index).is_none_or(|page| page.allowed()),
        // The rules of the site hold for its other names too: they share one robots.txt.
        Thing::Moved(_, to) => match facts::Url::parse(to) {
            Ok(to) if to.host_str() == host.name && name != host.name => {
                let there = crate::thing::named(settings, host.https, &host.name, to.path_and_query());
                matches!(there, Thing::Moved(..)) || allowed(settings, &host.name, &there)
            }
            _ => true,
        },
        _ => true,
    }
}

/// Pages a sitemap lists at most.
const LISTED: u64 = 500;

/// One part of the site's sitemap, compressed where its name says so.
pub(crate) fn sitemap(settings: &Settings, host: &Host, part: Sitemap) -> Vec<u8> {
    let origin = host.origin();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let pages = || (0..host.pages.min(LISTED)).filter_map(|i| Page::new(settings, host, i)).filter(Page::allowed);
    match part {
        Sitemap::Index => {
            let _ = write!(
                out,
                "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
                 <sitemap><loc>{origin}/sitemap-pages.xml.gz</loc></sitemap>\n\
                 <sitemap><loc>{origin}/sitemap-images.xml</loc></sitemap>\n</sitemapindex>\n"
            );
            out.into_bytes()
        }
        Sitemap::Pages => {
            out.push_str("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
            for page in pages() {
                let _ = writeln!(out, "<url><loc>{}</loc></url>", page.url());
            }
            out.push_str("</urlset>\n");
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            // Writing into memory cannot fail.
            let _ = gzip.write_all(out.as_bytes());
            gzip.finish().unwrap_or_default()
        }
        Sitemap::Pictures => {
            out.push_str(
                "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
                 xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\">\n",
            );
            for page in pages().take(50) {
                let _ = write!(out, "<url><loc>{}</loc>", page.url());
                for slot in 0..photo_count(&page) {
                    if let Some(photo) = picture(&page, slot) {
                        let url = escaped(&photo.url(&page, slot, Size::Full));
                        let _ = write!(out, "<image:image><image:loc>{url}</image:loc></image:image>");
                    }
                }
                out.push_str("</url>\n");
            }
            out.push_str("</urlset>\n");
            out.into_bytes()
        }
    }
}
