//! Lists of pages: addresses line by line, sitemaps, feeds.

mod feed;
mod sitemap;
mod xml;

use std::io::Read;

use facts::Url;

use crate::source::Start;

/// Pages of one list.
pub const MOST: usize = 50_000;

/// Pictures, films and sounds of one page that are taken over from a list.
const MEDIA: usize = 1_000;

/// Bytes of a list after decompression.
const LONGEST: u64 = 64 << 20;

/// What a list names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Pages, in the order of the list.
    pub starts: Vec<Start>,
    /// Further sitemaps.
    pub maps: Vec<Url>,
}

/// Reads a list, whatever kind it is: a sitemap or an index of sitemaps, RSS, Atom, JSON Feed, or an address
/// a line. `from` is where it came from. Nothing when it is none of these; a page of HTML is none.
///
/// ```
/// let from = facts::Url::parse("https://example.org/list.txt").unwrap();
/// let listing = sources::listing::read(b"# mine\nhttps://a.example/\nb.example/page\n", &from).unwrap();
/// assert_eq!(listing.starts[1].url.as_str(), "https://b.example/page");
/// ```
pub fn read(body: &[u8], from: &Url) -> Option<Listing> {
    let unpacked;
    let body = match body {
        [0x1f, 0x8b, ..] => {
            let mut whole = Vec::new();
            // What can be unpacked of a broken file is used.
            let _ = flate2::read::MultiGzDecoder::new(body).take(LONGEST).read_to_end(&mut whole);
            unpacked = whole;
            unpacked.as_slice()
        }
        body => body,
    };
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.as_bytes().first()? {
        b'<' => sitemap::read(text, from).or_else(|| feed::read_xml(text, from)),
        b'{' => feed::read_json(text, from),
        _ => lines(text),
    }
}

/// An address a line; what follows a space says what is there, and lines that begin with `#` say nothing.
fn lines(text: &str) -> Option<Listing> {
    let said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut starts = Vec::new();
    for line in said.take(MOST) {
        let (address, title) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let url = match address.contains("://") {
            true => Url::parse(address).ok(),
            // What people write: a host with a dot in it.
            false if address.contains('.') => Url::parse(&format!("https://{address}")).ok(),
            false => None,
        };
        starts.extend(url.map(|url| Start { title: title.trim().chars().take(300).collect(), ..Start::at(url) }));
    }
    (!starts.is_empty()).then_some(Listing { starts, maps: Vec::new() })
}

/// The elements of an XML document: each with its name, without a prefix, and a way to ask for its attributes.
pub(crate) fn elements(text: &str, mut visit: impl FnMut(&str, &dyn Fn(&str) -> Option<String>) -> bool) {
    xml::walk(text, |step| match step {
        xml::Step::Start(name, start) => visit(xml::local(name), &|wanted| xml::attribute(start, wanted)),
        xml::Step::End(..) => true,
    });
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn from() -> Url {
        Url::parse("https://example.org/maps/sitemap.xml").unwrap()
    }

    #[test]
    fn lists_are_told_apart_by_what_is_in_them() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"<urlset><url><loc>/a</loc></url></urlset>").unwrap();
        let packed = packed.finish().unwrap();
        for (body, expected) in [
            (&b"https://a.example/x\n\n# no\nftp://x/\nnot an address\n"[..], Some("https://a.example/x")),
            (b"\xef\xbb\xbf<urlset><url><loc>/b</loc></url></urlset>", Some("https://example.org/b")),
            (&packed, Some("https://example.org/a")),
            (
                b"<rss><channel><item><link>https://a.example/r</link></item></channel></rss>",
                Some("https://a.example/r"),
            ),
            (
                b"{\"version\": \"https://jsonfeed.org/version/1.1\", \"items\": [{\"url\": \"/j\"}]}",
                Some("https://example.org/j"),
            ),
            (b"<!doctype html><title>404</title><a href=/x>", None),
            (b"{\"items\": 7}", None),
            (b"just words", None),
            (b"\x1f\x8b\x08broken", None),
            (b"", None),
        ] {
            let read = read(body, &from());
            let first = read.as_ref().and_then(|read| read.starts.first()).map(|start| start.url.as_str());
            assert_eq!(first, expected, "{}", String::from_utf8_lossy(body));
        }
    }
}
