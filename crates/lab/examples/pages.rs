//! A static copy of some of the made web's pages, for any web server and any crawler.
//!
//! `cargo run --release -p bowerbird-lab --example pages -- DIR PORT SIZE…` writes as many pages as
//! the largest size says, of 40 to 100 KB each, to `DIR/web/ADDRESS/…`. Sites are at loopback
//! addresses, `http://127.77.0.1:PORT` and on, which every program can reach without being told of
//! names. For each size there are `DIR/seeds-SIZE.txt`, one page of each site at least, and
//! `DIR/pages-SIZE.txt`: exactly the pages that a crawl from these seeds finds. The first site has
//! `/start-SIZE.htm`, which leads to the seeds, for crawlers that start from one page.
//!
//! So that this is true, links to what is not copied lead to what is, and no page leads to one of a
//! larger size than its own. Pictures are as in the made web, but below `/media/`, which is not
//! there and closed by robots.txt: only pages are to be fetched.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use facts::Url;
use lab::{Asked, PageId, Settings, Web};

/// Bytes of a page: about 64 KB in the mean.
const BYTES: std::ops::Range<usize> = 40_000..100_000;
/// Links of each page that make sure that all are found.
const CHILDREN: usize = 6;
const ROBOTS: &str = "User-agent: *\nDisallow: /media/\n";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(port)) = (arguments.next(), arguments.next()) else {
        return Err("name a folder, a port, and how many pages to write".into());
    };
    let (folder, port) = (Path::new(&folder), port.parse()?);
    let mut sizes = arguments.map(|size| size.parse()).collect::<Result<Vec<usize>, _>>()?;
    sizes.sort_unstable();
    let web = Web::new(Settings {
        hosts: 150,
        pages: 80_000,
        bad_certificates: false,
        flaky_share: 0.0,
        ..Settings::default()
    });
    let copy = Copy::of(&web, port, &sizes)?;
    let mut bytes = 0;
    for number in 0..copy.pages.len() {
        let file = folder.join("web").join(copy.file(number));
        std::fs::create_dir_all(file.parent().ok_or("a file at the root")?)?;
        let html = copy.html(number);
        bytes += html.len();
        std::fs::write(file, html)?;
    }
    for site in 0..copy.sites {
        std::fs::write(folder.join("web").join(address(site)).join("robots.txt"), ROBOTS)?;
    }
    for (level, size) in sizes.iter().enumerate() {
        let list = |wanted: &dyn Fn(&Spot) -> bool| {
            let spots = copy.pages.iter().enumerate().filter(|(_, spot)| spot.level <= level && wanted(spot));
            spots.map(|(number, _)| copy.url(number) + "\n").collect::<String>()
        };
        let seeds = list(&|spot| spot.place == 0);
        let start: String = seeds.lines().map(|seed| format!("<p><a href=\"{seed}\">{seed}</a>\n")).collect();
        std::fs::write(folder.join("web").join(address(0)).join(format!("start-{size}.htm")), start)?;
        std::fs::write(folder.join(format!("seeds-{size}.txt")), seeds)?;
        std::fs::write(folder.join(format!("pages-{size}.txt")), list(&|_| true))?;
    }
    println!(
        "{} pages of {} sites, {} bytes in the mean",
        copy.pages.len(),
        copy.sites,
        bytes / copy.pages.len().max(1)
    );
    Ok(())
}

/// The loopback address of a site.
fn address(site: usize) -> String {
    format!("127.77.{}.{}", site / 250, site % 250 + 1)
}

/// The pages that are copied, in the order of the sizes.
struct Copy<'a> {
    web: &'a Web,
    port: u16,
    sites: usize,
    pages: Vec<Spot>,
    numbers: HashMap<PageId, usize>,
    /// The pages of a site in a level: a tree, in which each leads to [`CHILDREN`] more.
    groups: HashMap<(usize, usize), Vec<usize>>,
    /// How many pages there are up to each level.
    sizes: &'a [usize],
}

struct Spot {
    url: Url,
    site: usize,
    level: usize,
    /// Which one of its group it is.
    place: usize,
}

impl<'a> Copy<'a> {
    fn of(web: &'a Web, port: u16, sizes: &'a [usize]) -> Result<Self, Box<dyn Error>> {
        let most = *sizes.last().ok_or("say how many pages to write")?;
        let mut sites: HashMap<String, (usize, usize)> = HashMap::new();
        let mut found = Vec::new();
        for (page, _) in web.walk() {
            let Some(url) = web.url_of(page) else { continue };
            if found.len() < most && html(web, &url).is_some_and(|html| BYTES.contains(&html.len())) {
                let next = sites.len();
                let (site, seen) = sites.entry(url.host_str().to_owned()).or_insert((next, 0));
                found.push((*seen, *site, page, url));
                *seen += 1;
            }
        }
        if found.len() < most {
            return Err(format!("the made web has only {} such pages", found.len()).into());
        }
        // Each site's first page, then each one's second: so all sites are in all sizes.
        found.sort_by_key(|(seen, site, ..)| (*seen, *site));
        let mut copy = Self {
            web,
            port,
            sites: sites.len(),
            pages: Vec::new(),
            numbers: HashMap::new(),
            groups: HashMap::new(),
            sizes,
        };
        for (number, (_, site, page, url)) in found.into_iter().enumerate() {
            let level = sizes.partition_point(|size| *size <= number);
            let group = copy.groups.entry((site, level)).or_default();
            copy.pages.push(Spot { url, site, level, place: group.len() });
            group.push(number);
            copy.numbers.insert(page, number);
        }
        Ok(copy)
    }

    /// The path of a page: as in the made web, in letters that every program writes alike.
    fn path(&self, number: usize) -> String {
        let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_');
        let path: String = self.pages[number].url.path().chars().filter(|c| kept(*c)).collect();
        format!("{}-{number}.html", path.trim_end_matches('/'))
    }

    fn file(&self, number: usize) -> String {
        format!("{}{}", address(self.pages[number].site), self.href(number))
    }

    /// The address of a page within its site.
    fn href(&self, number: usize) -> String {
        let path = self.path(number);
        if path.starts_with('/') { path } else { format!("/page{path}") }
    }

    fn url(&self, number: usize) -> String {
        format!("http://{}:{}{}", address(self.pages[number].site), self.port, self.href(number))
    }

    fn html(&self, number: usize) -> String {
        let spot = &self.pages[number];
        let group = &self.groups[&(spot.site, spot.level)];
        let first = (spot.place * CHILDREN + 1).min(group.len());
        let mut children = group[first..(first + CHILDREN).min(group.len())].iter();
        let html = html(self.web, &spot.url).unwrap_or_default();
        let mut out = String::with_capacity(html.len() + 1000);
        let mut parts = html.split("href=\"");
        out.push_str(parts.next().unwrap_or_default());
        for (nth, part) in parts.enumerate() {
            let (old, rest) = part.split_once('"').unwrap_or((part, ""));
            let new = if out.ends_with("rel=\"canonical\" ") {
                self.url(number)
            } else {
                self.link(number, nth, old, &mut children)
            };
            let _ = write!(out, "href=\"{new}\"{rest}");
        }
        let more: String =
            children.map(|child| format!("<li><a href=\"{}\">more</a></li>", self.href(*child))).collect();
        let out = out.replace("</body>", &format!("<ul class=\"more\">{more}</ul>\n</body>"));
        let out = out.replace(" rel=\"nofollow\"", "").replace("<meta name=\"robots\"", "<meta name=\"robots-were\"");
        pictures_apart(&out)
    }

    /// Where a link leads in the copy.
    fn link<'c>(&self, from: usize, nth: usize, old: &str, children: &mut impl Iterator<Item = &'c usize>) -> String {
        let spot = &self.pages[from];
        let target = spot.url.join(&old.replace("&amp;", "&")).ok();
        let copied = target.as_ref().and_then(|url| self.web.page_at(url)).and_then(|page| self.numbers.get(&page));
        let within = target.as_ref().is_some_and(|url| url.host_str() == spot.url.host_str());
        let name = old.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        if name.contains('.') || old.contains("//ads.") {
            return format!("/media/{name}");
        }
        let to = match copied {
            Some(to) if self.pages[*to].level <= spot.level => *to,
            _ => match children.next() {
                Some(child) => *child,
                None => {
                    let any = (from * 7919 + nth * 104_729).wrapping_mul(0x9e37_79b9) >> 7;
                    let group = &self.groups[&(spot.site, spot.level)];
                    if within { group[any % group.len()] } else { any % self.sizes[spot.level] }
                }
            },
        };
        if self.pages[to].site == spot.site { self.href(to) } else { self.url(to) }
    }
}

/// A page of the made web, as one who has been there before gets it.
fn html(web: &Web, url: &Url) -> Option<String> {
    let cookie = Some("seen=1; consent=yes".to_owned());
    let answer = web.answer(&Asked { cookie, times_before: 1, ..Asked::get(url) });
    (answer.status == 200).then(|| String::from_utf8(answer.body.to_vec()).ok()).flatten()
}

/// The page with all its pictures below `/media/` of its own site.
fn pictures_apart(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("://") {
        let start = rest[..at].strip_suffix("https").or(rest[..at].strip_suffix("http")).map(str::len);
        let after = &rest[at + 3..];
        let end = after.find(['/', '"', '\'', '<', ' ']).unwrap_or(after.len());
        match start.filter(|_| after[..end].ends_with("lab.test")) {
            Some(start) => {
                out.push_str(&rest[..start]);
                out.push_str("/media");
            }
            None => out.push_str(&rest[..at + 3 + end]),
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    for attribute in ["src=\"/", "srcset=\"/", "url('/", "w, /"] {
        out = out.replace(attribute, &format!("{attribute}media/")).replace("/media/media/", "/media/");
    }
    out
}
