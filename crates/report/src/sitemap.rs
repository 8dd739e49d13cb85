//! Reading sitemaps (sitemaps.org).

use std::borrow::Cow;
use std::io::Read;
use std::time::Duration;

use facts::{Timestamp, Url};
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

use crate::shape::{midnight, when};

/// Addresses of one sitemap that are read.
const MOST: usize = 50_000;
/// Bytes of one text.
const LONGEST: usize = 4_096;
/// Bytes of one that was packed (sitemaps.org).
const UNPACKED: u64 = 50 << 20;
/// Bytes by which it is told whether the rest is worth unpacking.
const BEGINNING: u64 = 4_096;
/// A date that begins in UTC has ended everywhere on Earth after so long.
const DATE: Duration = Duration::from_secs(36 * 3600);

/// When a page was changed, as a sitemap says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lastmod {
    /// Then, or at the beginning of that date.
    pub at: Timestamp,
    /// Not after this: a date lasts until its end, and may come again for another change.
    pub until: Timestamp,
}

impl Lastmod {
    fn read(text: &str) -> Option<Self> {
        let at = when(text)?;
        let until = if midnight(text.trim()).is_some() { at + DATE } else { at };
        Some(Self { at, until })
    }
}

/// A sitemap.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Pages, with when they changed if it says so.
    pub pages: Vec<(Url, Option<Lastmod>)>,
    /// Further sitemaps.
    pub maps: Vec<Url>,
}

impl Sitemap {
    /// Reads a sitemap or an index of them, also one that is packed with gzip, as far as it can be read;
    /// nothing when it is neither.
    pub fn read(body: &[u8], from: &Url) -> Option<Self> {
        let unpacked;
        let body = match body {
            [0x1f, 0x8b, ..] => {
                unpacked = unpack(body)?;
                &unpacked
            }
            body => body,
        };
        let text = words(body)?;
        let mut reader = Reader::from_str(&text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_dangling_amp = true;
        let mut sitemap = Self::default();
        let mut is_one = false;
        let (mut address, mut changed, mut text) = (None, None, String::new());
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(start) => {
                    is_one |= matches!(start.local_name().as_ref(), "urlset" | "sitemapindex");
                    text.clear();
                }
                Event::Text(piece) => append(&mut text, &piece),
                Event::CData(piece) => append(&mut text, &piece),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => append(&mut text, character.encode_utf8(&mut [0; 4])),
                    _ => append(&mut text, resolve_predefined_entity(&reference).unwrap_or_default()),
                },
                Event::End(end) => {
                    match end.local_name().as_ref() {
                        "loc" => address = address.or_else(|| from.join(&text).ok()),
                        "lastmod" => changed = Lastmod::read(&text),
                        "url" => sitemap.pages.extend(address.take().map(|url| (url, changed.take()))),
                        "sitemap" => sitemap.maps.extend(address.take()),
                        _ => {}
                    }
                    text.clear();
                }
                Event::Eof => break,
                _ => {}
            }
            if sitemap.pages.len() + sitemap.maps.len() >= MOST {
                break;
            }
        }
        is_one.then_some(sitemap)
    }
}

/// Unpacks a file that was packed with gzip, what can be unpacked of a broken one; nothing when it will not
/// be XML.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut rest = flate2::read::MultiGzDecoder::new(packed).take(UNPACKED);
    let mut unpacked = Vec::new();
    let _ = rest.by_ref().take(BEGINNING).read_to_end(&mut unpacked);
    if !begins_like_xml(&unpacked) {
        return None;
    }
    let _ = rest.read_to_end(&mut unpacked);
    Some(unpacked)
}

/// The text of a file that may be XML. What is not UTF-8 becomes as many bytes or fewer, of a character
/// that is in no address.
fn words(body: &[u8]) -> Option<Cow<'_, str>> {
    if !begins_like_xml(body) {
        return None;
    }
    Some(std::str::from_utf8(body).map(Cow::Borrowed).unwrap_or_else(|_| {
        let mut text = String::with_capacity(body.len());
        for chunk in body.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend((!chunk.invalid().is_empty()).then_some('\u{7f}'));
        }
        Cow::Owned(text)
    }))
}

fn begins_like_xml(body: &[u8]) -> bool {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start().starts_with(b"<")
}

fn append(text: &mut String, piece: &str) {
    if text.len() + piece.len() <= LONGEST {
        text.push_str(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Sitemap> {
        Sitemap::read(text.as_bytes(), &Url::parse("https://example.org/sitemap.xml").unwrap())
    }

    #[test]
    fn pages_and_further_sitemaps_are_read() {
        let map = read(
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:i='urn:x'>
            <url><loc> https://example.org/?a=1&amp;b=2 </loc><lastmod>2026-03-01</lastmod><i:image><i:loc>x</i:loc></i:image></url>
            <url><loc><![CDATA[https://example.org/b]]></loc></url><url></url></urlset>",
        )
        .unwrap();
        let pages: Vec<_> = map.pages.iter().map(|(url, at)| (url.as_str(), at.map(|at| at.at.0))).collect();
        let expected = [("https://example.org/?a=1&b=2", Some(1_772_323_200_000)), ("https://example.org/b", None)];
        assert_eq!(pages, expected);
        let index = read("<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/b.xml</loc>").unwrap();
        assert_eq!(index.maps[0].path(), "/a.xml");
    }

    #[test]
    fn a_date_lasts_until_its_end_and_a_moment_does_not() {
        let changed = |text: &str| {
            let map = read(&format!("<urlset><url><loc>/a</loc><lastmod> {text} </lastmod></url></urlset>")).unwrap();
            map.pages[0].1.map(|changed| changed.until.since(changed.at))
        };
        assert_eq!(changed("2026-03-01"), Some(DATE));
        assert_eq!(changed("2026-03-01T00:00:00Z"), Some(Duration::ZERO));
        assert_eq!(changed("lately"), None);
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut packed, text).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn what_does_not_begin_like_a_sitemap_is_not_unpacked() {
        let zeros = packed(&[0; 10 << 20]);
        assert_eq!((unpack(&zeros), words(&[0xff; 100])), (None, None));
        let map = "\u{feff}\n<urlset><url><loc>/a</loc></url>".to_owned() + &"\n".repeat(1 << 20);
        assert_eq!(unpack(&packed(map.as_bytes())).map(|unpacked| unpacked.len()), Some(map.len()));
        assert_eq!(read(&map).unwrap().pages.len(), 1);
    }

    #[test]
    fn bytes_that_are_no_text_take_no_more_room_as_text() {
        let mut map = b"<urlset><url><loc>/a</loc></url><url><loc>/b".to_vec();
        map.extend([0xff; 100]);
        map.extend(b"</loc></url></urlset>");
        assert_eq!(words(&map).map(|text| text.len()), Some(map.len()));
        let read = Sitemap::read(&map, &Url::parse("https://example.org/sitemap.xml").unwrap()).unwrap();
        assert_eq!((read.pages.len(), read.pages[0].0.path()), (2, "/a"));
    }

    #[test]
    fn packed_sitemaps_are_read() {
        let packed = packed(b"<urlset><url><loc>/a</loc></url></urlset>");
        let from = Url::parse("https://example.org/sitemap.xml.gz").unwrap();
        assert_eq!(Sitemap::read(&packed, &from).unwrap().pages.len(), 1);
        assert_eq!(Sitemap::read(b"\x1f\x8b\x08broken", &from), None);
    }

    #[test]
    fn what_is_none_is_not_taken_for_an_empty_one() {
        for other in ["", "<html><body>Not found</body></html>", "{}", "\u{0}"] {
            assert_eq!(read(other), None, "{other}");
        }
        let many = format!("<urlset>{}", "<url><loc>/a</loc></url>".repeat(60_000));
        assert_eq!(read(&many).unwrap().pages.len(), MOST);
    }
}
