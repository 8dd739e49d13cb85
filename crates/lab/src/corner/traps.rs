//! What each host of the corner does to those who ask.

use std::fmt::Write;
use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use facts::Url;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::acts::{Act, document, head, page, status, unfolding, whole};
use super::{Asked, Corner, address_of, host_of};

/// A host of the corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The first part of its name.
    pub(super) host: &'static str,
    /// The path that is linked to.
    pub(super) path: &'static str,
    /// What it does, for people.
    pub what: &'static str,
    /// What a crawl says of it.
    pub named: Named,
}

/// What a crawl that met a trap should say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A visit to the host failed, for one of these reasons.
    Failed(&'static [&'static str]),
    /// A file of the host was not kept.
    Refused,
    /// The host is listed among those that a budget stopped.
    Budget,
    /// A page was read in part.
    Cut,
    /// It is read, and harms nobody.
    Read,
    /// A file of the host is kept, and what it would take to show it is not spent.
    Kept,
}

impl Trap {
    /// Its host.
    pub fn host(&self) -> String {
        host_of(self.host)
    }

    /// The address that is linked to.
    pub fn url(&self) -> Url {
        address_of(self.host, self.path)
    }
}

const fn trap(host: &'static str, path: &'static str, named: Named, what: &'static str) -> Trap {
    Trap { host, path, what, named }
}

use Named::{Budget, Cut, Failed, Kept, Read, Refused};

pub(super) const ALL: &[Trap] = &[
    trap("calendar", "/calendar/2026/11", Budget, "a calendar without an end, in both directions"),
    trap("session", "/s/0f1e2d3c4b5a69788796a5b4c3d2e1f0aa/page", Budget, "a new session in the path of every link"),
    trap("facets", "/list?colour=1&size=1", Budget, "every order and mixture of filters is an address"),
    trap("deeper", "/a/", Budget, "relative links that lead ever deeper"),
    trap("circle", "/a", Failed(&["redirect"]), "two addresses that lead to each other"),
    trap("chain", "/0", Failed(&["redirect"]), "each address leads to the next, without end"),
    trap("refresh", "/0", Read, "each page sends on to the next after no time"),
    trap("endless", "/page", Failed(&["too-large"]), "a page that never ends, as fast as it is taken"),
    trap("endless-picture", "/page", Refused, "a picture that never ends"),
    trap("slow", "/page", Failed(&["timeout"]), "one byte after the other"),
    trap("slow-head", "/page", Failed(&["timeout", "headers"]), "headers byte by byte"),
    trap("silent", "/page", Failed(&["timeout"]), "a connection, and no answer"),
    trap("type", "/page", Refused, "pages that are pictures, pictures that are pages, programs that are pages"),
    trap("charset", "/page", Read, "charsets that are not, and that do not fit"),
    trap("broken", "/page", Read, "tags and attributes that end nowhere"),
    trap("deep", "/page", Cut, "two hundred thousand elements inside each other"),
    trap("wide", "/page", Cut, "three hundred thousand links on one page"),
    trap("attributes", "/page", Cut, "a tag with two hundred thousand attributes"),
    trap("bomb", "/page", Failed(&["too-large"]), "a page that unfolds a thousandfold"),
    trap("bomb-in-bomb", "/page", Failed(&["too-large", "decode"]), "a compressed page in a compressed page"),
    trap("coding", "/page", Failed(&["decode"]), "a body that is not in the coding it claims"),
    trap("png-bomb", "/page", Refused, "a picture of 60,000 × 60,000 dots in half a megabyte"),
    trap("flat-png", "/page", Kept, "a picture of one colour whose dots take 240 megabytes, in a quarter of one"),
    trap("jpeg-bomb", "/page", Refused, "a photo that says it has 65,500 × 65,500 dots"),
    trap("gif-bomb", "/page", Refused, "a picture with a hundred thousand frames of the largest size"),
    trap("long-header", "/page", Failed(&["headers"]), "one header of two megabytes"),
    trap("many-headers", "/page", Failed(&["headers"]), "headers without end"),
    trap("cookies", "/page", Failed(&["headers"]), "a thousand cookies of four kilobytes"),
    trap("interim", "/page", Failed(&["headers", "protocol", "timeout"]), "interim answers without end"),
    trap("busy", "/page", Failed(&["http-429"]), "too many requests, however few there were"),
    trap("down", "/page", Failed(&["http-503"]), "never available"),
    trap(
        "dying",
        "/page",
        Failed(&["cut-short", "protocol", "connect"]),
        "answers twice, and then breaks every connection",
    ),
    trap("half", "/page", Failed(&["cut-short"]), "half of what it promises"),
    trap("chunks", "/page", Failed(&["cut-short", "protocol"]), "chunks of impossible sizes"),
    trap("garbage", "/page", Failed(&["protocol"]), "bytes that are no HTTP"),
    trap("robots", "/page", Read, "a robots.txt that never ends"),
    trap("robots-circle", "/page", Read, "a robots.txt that leads to itself"),
    trap("sitemap", "/page", Read, "a sitemap that lists itself, and one that unfolds a thousandfold"),
    trap(
        "private",
        "/page",
        Failed(&["refused-address"]),
        "links and pictures at addresses of this machine and its network",
    ),
];

static BOMB: LazyLock<Bytes> = LazyLock::new(|| unfolding(512 << 20, b'<').into());
static BOMB_IN_BOMB: LazyLock<Bytes> = LazyLock::new(|| {
    let inner = unfolding(64 << 20, b'a');
    let mut outer = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    let _ = outer.write_all(&inner);
    outer.finish().unwrap_or_default().into()
});
static PNG_BOMB: LazyLock<Bytes> = LazyLock::new(|| flat_png((60_000, 60_000), 1, 0).into());
static FLAT_PNG: LazyLock<Bytes> = LazyLock::new(|| flat_png((8960, 6720), 8, 6).into());

/// What is done with a request.
pub(super) fn acts(asked: &Asked) -> Vec<Act> {
    let target = asked.target.as_str();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let about_site = path == "/robots.txt" || path.starts_with("/.well-known/") || path == "/sitemap.xml";
    match (asked.trap.as_str(), path) {
        ("robots", "/robots.txt") => {
            let line = "User-agent: *\nDisallow: /never\n".repeat(500);
            vec![head("200 OK", &[("Content-Type", "text/plain")]), Act::Forever(line.into())]
        }
        ("robots-circle", "/robots.txt") => status("302 Found", &[("Location", "/robots.txt")]),
        ("sitemap", "/robots.txt") => {
            let at = |path: &str| format!("Sitemap: {}\n", address_of("sitemap", path));
            whole("text/plain", format!("{}{}", at("/self.xml"), at("/bomb.xml")))
        }
        ("sitemap", "/self.xml") => whole(
            "application/xml",
            format!(
                "<sitemapindex><sitemap><loc>{}</loc></sitemap><sitemap><loc>{}</loc></sitemap></sitemapindex>",
                address_of("sitemap", "/self.xml"),
                address_of("sitemap", &format!("/self.xml?{}", asked.before)),
            ),
        ),
        ("sitemap", path) if path.starts_with("/self") || path.starts_with("/bomb") => coded("gzip", BOMB.clone()),
        _ if about_site && !matches!(asked.trap.as_str(), "silent" | "slow-head" | "garbage") => {
            status("404 Not Found", &[])
        }
        ("start", _) => start(),
        ("calendar", path) => calendar(path),
        ("session", _) => {
            let link =
                |n: u64| format!("<a href=\"/s/{:034x}/page\">{n}</a> ", u128::from(asked.before) * 7 + u128::from(n));
            page(&(0..7).map(link).collect::<String>())
        }
        ("facets", _) => {
            let number = |name: &str| -> u64 {
                query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok()).unwrap_or(0)
            };
            let (colour, size) = (number("colour"), number("size"));
            page(&format!(
                "<a href=\"?colour={}&size={size}\">colour</a> <a href=\"?size={}&colour={colour}\">size</a>",
                colour + 1,
                size + 1
            ))
        }
        ("deeper", _) => page("<a href=\"a/\">a</a> <a href=\"b/\">b</a>"),
        ("circle", "/a") => status("302 Found", &[("Location", "/b")]),
        ("circle", _) => status("301 Moved Permanently", &[("Location", "/a")]),
        ("chain", path) => status("302 Found", &[("Location", &format!("/{}", next(path)))]),
        ("refresh", path) => {
            let next = next(path);
            let body = format!(
                "<html><head><meta http-equiv=refresh content=\"0; url=/{next}\"></head><body>on</body></html>"
            );
            whole("text/html", body)
        }
        ("endless", _) => {
            let more = "<p>and then <a href=\"/more\">more</a></p>\n".repeat(1000);
            vec![head("200 OK", &[("Content-Type", "text/html")]), Act::Forever(more.into())]
        }
        ("endless-picture", "/page") => page("<img src=/endless.jpg width=1000 height=800 alt=\"A long one\">"),
        ("endless-picture", _) => {
            let start = jpeg_head(1000, 800);
            vec![
                head("200 OK", &[("Content-Type", "image/jpeg")]),
                Act::Send(start.into()),
                Act::Forever(vec![0x55; 1 << 16].into()),
            ]
        }
        ("slow", _) => vec![
            head("200 OK", &[("Content-Type", "text/html")]),
            Act::Drip("<p>slow ".into(), Duration::from_millis(200)),
        ],
        ("slow-head", _) => vec![Act::Drip("HTTP/1.1 200 OK\r\nX-Slow: ".into(), Duration::from_millis(200))],
        ("silent", _) => vec![Act::Silence],
        ("type", "/page") => page(
            "<img src=/page.jpg width=900 height=700 alt=\"A page\"><img src=/program.png width=900 height=700 alt=\"A program\">\
             <a href=/picture.html>picture</a> <a href=/program>program</a>",
        ),
        ("type", "/page.jpg") => whole("image/jpeg", document("<p>no picture</p>")),
        ("type", "/picture.html") => whole("text/html", jpeg_head(900, 700)),
        ("type", _) => whole("text/html", [b"\x7fELF\x02\x01\x01".as_slice(), &[0x90; 4096]].concat()),
        ("charset", "/page") => {
            page("<a href=/utf-16>a</a> <a href=/none>b</a> <a href=/seven>c</a> <a href=/marks>d</a>")
        }
        ("charset", "/utf-16") => whole("text/html; charset=utf-16", document("<p>not in two bytes</p>")),
        ("charset", "/none") => whole("text/html; charset=klingon", document("<p>nobody knows it</p>")),
        ("charset", "/seven") => whole("text/html; charset=utf-7", document("<p>+ADw-script+AD4-</p>")),
        ("charset", _) => {
            whole("text/html; charset=utf-8", b"\xef\xbb\xbf\xff\xfe<p>\xc3\x28\xe2\x82\xf0\x9f</p>\0\0".to_vec())
        }
        ("broken", _) => whole(
            "text/html",
            "<table><td><form><b><i></p><svg><a href=/x <img src='y' \"><!-- <![CDATA[ <select><option>".repeat(2000),
        ),
        ("deep", _) => page(&"<div><b><font>".repeat(70_000)),
        ("wide", _) => {
            let mut links = String::with_capacity(30 << 20);
            for n in 0..300_000 {
                let _ = write!(links, "<a href=/{n}>x</a>");
            }
            page(&links)
        }
        ("attributes", _) => {
            let mut tag = String::from("<a href=/x");
            for n in 0..200_000 {
                let _ = write!(tag, " a{n}=b");
            }
            page(&(tag + ">x</a>"))
        }
        ("bomb", _) => coded("gzip", BOMB.clone()),
        ("bomb-in-bomb", _) => coded("gzip, gzip", BOMB_IN_BOMB.clone()),
        ("coding", _) => coded("gzip", Bytes::from_static(b"this is no gzip at all")),
        ("png-bomb" | "flat-png" | "jpeg-bomb" | "gif-bomb", "/page") => {
            page("<img src=/bomb width=2000 height=1500 alt=\"A view of the harbour\">")
        }
        ("png-bomb", _) => whole("image/png", PNG_BOMB.clone()),
        ("flat-png", _) => whole("image/png", FLAT_PNG.clone()),
        ("jpeg-bomb", _) => whole("image/jpeg", [jpeg_head(65_500, 65_500), vec![0x55; 100_000]].concat()),
        ("gif-bomb", _) => whole("image/gif", gif_bomb()),
        ("long-header", _) => vec![head("200 OK", &[("X-Long", &"x".repeat(2 << 20))])],
        ("many-headers", _) => {
            vec![Act::Send("HTTP/1.1 200 OK\r\n".into()), Act::Forever("X-More: and more\r\n".repeat(1000).into())]
        }
        ("cookies", _) => {
            let cookies: String = (0..1000).map(|n| format!("Set-Cookie: c{n}={}\r\n", "x".repeat(4000))).collect();
            vec![Act::Send(format!("HTTP/1.1 200 OK\r\n{cookies}\r\n").into())]
        }
        ("interim", _) => vec![Act::Forever("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(100).into())],
        ("busy", _) => status("429 Too Many Requests", &[("Retry-After", "1")]),
        ("down", _) => status("503 Service Unavailable", &[]),
        ("dying", _) if asked.before < 4 => page("<a href=/2>2</a> <a href=/3>3</a> <a href=/4>4</a> <a href=/5>5</a>"),
        ("dying", _) => vec![Act::Send("HTTP/1.1 200 OK\r\nContent-Le".into()), Act::Reset],
        ("half", _) => vec![
            head("200 OK", &[("Content-Type", "text/html"), ("Content-Length", "100000")]),
            Act::Send(document("<p>half</p>").into()),
        ],
        ("chunks", _) => vec![
            head("200 OK", &[("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")]),
            Act::Send("5\r\nhello\r\nffffffffffffffff\r\nmore".into()),
        ],
        ("garbage", _) => vec![Act::Send(Bytes::from_static(b"\x16\x03\x01 SSH-2.0 220 welcome\r\n\r\n\0\0\0"))],
        ("private", _) => page(
            "<base href=\"http://127.0.0.1:22/\"><a href=/one>a</a> <a href=\"http://169.254.169.254/latest/meta-data\">b</a> \
             <a href=\"http://[::1]/\">c</a> <a href=\"http://0x7f.1/hexadecimal\">d</a> <a href=\"http://2130706433/decimal\">e</a> <a href=\"http://10.0.0.1/\">f</a>\
             <img src=\"http://192.168.0.1/router.jpg\" width=900 height=700>",
        ),
        ("turning", "/") => page(&format!("<a href=\"http://turning.names.lab.test:{}/page\">a name</a>", asked.port)),
        ("turning", "/page") => page("<a href=/inside>and on</a>"),
        ("robots-circle" | "sitemap" | "robots", _) => page("<p>Nothing but a page.</p>"),
        _ => status("404 Not Found", &[]),
    }
}

fn start() -> Vec<Act> {
    let links: String =
        Corner::traps().iter().map(|trap| format!("<li><a href=\"{}\">{}</a></li>\n", trap.url(), trap.what)).collect();
    page(&format!("<h1>The hostile corner</h1>\n<ul>\n{links}</ul>"))
}

fn calendar(path: &str) -> Vec<Act> {
    let mut parts = path.trim_start_matches("/calendar/").split('/').map(|part| part.parse::<i64>().unwrap_or(1));
    let (year, month) = (parts.next().unwrap_or(2026), parts.next().unwrap_or(1));
    let (before, after) = (year * 12 + month - 2, year * 12 + month);
    let link =
        |months: i64, name: &str| format!("<a href=\"/calendar/{}/{}\">{name}</a> ", months / 12, months % 12 + 1);
    page(&format!("<h1>{year}-{month}</h1>{}{}", link(before, "before"), link(after, "after")))
}

/// The number after the one a path names.
fn next(path: &str) -> u64 {
    path.trim_start_matches('/').parse::<u64>().unwrap_or(0).saturating_add(1)
}

fn coded(coding: &str, body: Bytes) -> Vec<Act> {
    let length = body.len().to_string();
    let headers = [("Content-Type", "text/html"), ("Content-Encoding", coding), ("Content-Length", &length)];
    vec![head("200 OK", &headers), Act::Send(body)]
}

/// The start of a baseline JPEG of this size, as far as the first scan.
fn jpeg_head(width: u16, height: u16) -> Vec<u8> {
    let mut out = vec![0xff, 0xd8, 0xff, 0xdb, 0, 67, 0];
    out.extend([16; 64]);
    out.extend([0xff, 0xc0, 0, 11, 8]);
    out.extend(height.to_be_bytes());
    out.extend(width.to_be_bytes());
    out.extend([1, 1, 0x11, 0]);
    // One code of each length up to 16 is a table that decodes anything.
    for class in [0x00, 0x10] {
        out.extend([0xff, 0xc4, 0, 35, class]);
        out.extend([1; 16]);
        out.extend([0; 16]);
    }
    out.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
    out
}

/// A PNG of zeros: bits a sample and kind of colours as its header has them.
fn flat_png((width, height): (u32, u32), bits: u8, colours: u8) -> Vec<u8> {
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::best());
    let samples = if colours == 6 { 4 } else { 1 };
    let row = vec![0; (width as usize * samples * usize::from(bits)).div_ceil(8) + 1];
    for _ in 0..height {
        let _ = pixels.write_all(&row);
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], data: &[u8]| {
        out.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
        let mut sum = flate2::Crc::new();
        sum.update(name);
        sum.update(data);
        out.extend(name);
        out.extend(data);
        out.extend(sum.sum().to_be_bytes());
    };
    let (width, height) = (width.to_be_bytes(), height.to_be_bytes());
    chunk(b"IHDR", &[&width[..], &height[..], &[bits, colours, 0, 0, 0]].concat());
    chunk(b"IDAT", &pixels.finish().unwrap_or_default());
    chunk(b"IEND", &[]);
    out
}

fn gif_bomb() -> Vec<u8> {
    let mut out = b"GIF89a\xff\xff\xff\xff\xf0\0\0\0\0\0\xff\xff\xff".to_vec();
    let frame = b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0";
    out.extend(frame.repeat(100_000));
    out.push(0x3b);
    out
}
