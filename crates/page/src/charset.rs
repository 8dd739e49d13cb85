//! From bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Where the HTML standard looks for a declaration inside the document.
const DECLARATION_WITHIN: usize = 1024;

/// Enough for a guess; more only costs time.
const GUESS_FROM: usize = 64 * 1024;

/// Decodes a body: byte order mark, then header, then declaration, then a guess.
pub(crate) fn decode<'a>(
    body: &'a [u8],
    content_type: Option<&str>,
    tld: Option<&str>,
) -> (Cow<'a, str>, &'static Encoding) {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return (encoding.decode_without_bom_handling(&body[mark..]).0, encoding);
    }
    let encoding = content_type
        .and_then(header_charset)
        .or_else(|| declared(&body[..body.len().min(DECLARATION_WITHIN)]))
        .unwrap_or_else(|| guess(body, tld));
    (encoding.decode_without_bom_handling(body).0, encoding)
}

fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    content_type
        .split(';')
        .skip(1)
        .find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
        })
        .and_then(|label| Encoding::for_label(label.as_bytes()))
}

/// `<meta charset=x>`, `<meta http-equiv=content-type content="…; charset=x">` or an XML declaration.
fn declared(start: &[u8]) -> Option<&'static Encoding> {
    let lower = start.to_ascii_lowercase();
    if lower.starts_with(b"<?xml") {
        let declaration = lower.split(|&b| b == b'>').next().unwrap_or_default();
        if let Some(encoding) = label_after(declaration, b"encoding") {
            return Some(encoding);
        }
    }
    let mut rest = &lower[..];
    while let Some(at) = find(rest, b"<") {
        rest = &rest[at..];
        if rest.starts_with(b"<!--") {
            rest = &rest[find(&rest[4..], b"-->").map_or(rest.len(), |end| 4 + end + 3)..];
            continue;
        }
        let tag = &rest[..find(rest, b">").unwrap_or(rest.len())];
        if tag.starts_with(b"<meta")
            && tag.get(5).is_some_and(|b| b.is_ascii_whitespace() || *b == b'/')
            && let Some(encoding) = label_after(tag, b"charset")
        {
            return Some(encoding);
        }
        rest = &rest[tag.len().max(1)..];
    }
    None
}

/// The label after `name =`, quoted or not.
fn label_after(text: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let after = text[find(text, name)? + name.len()..].trim_ascii_start();
    let value = after.strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let end = value.iter().position(|b| matches!(b, b'"' | b'\'' | b';' | b'/') || b.is_ascii_whitespace());
    let encoding = Encoding::for_label(&value[..end.unwrap_or(value.len())])?;
    // A declaration that could be read as ASCII cannot be in UTF-16 (HTML standard, "prescan").
    Some(if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == encoding_rs::X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn guess(body: &[u8], tld: Option<&str>) -> &'static Encoding {
    let sample = &body[..body.len().min(GUESS_FROM)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, sample.len() == body.len());
    // The detector insists on lower-case ASCII without dots.
    let tld = tld.filter(|t| t.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
    detector.guess(tld.map(str::as_bytes), Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charset(body: &[u8], content_type: Option<&str>) -> &'static str {
        decode(body, content_type, None).1.name()
    }

    #[test]
    fn a_mark_beats_the_header_beats_a_declaration_beats_a_guess() {
        let declared = b"<html><meta charset=koi8-r>";
        for (body, header, expected) in [
            (&b"\xEF\xBB\xBF<meta charset=koi8-r>"[..], Some("text/html; charset=shift_jis"), "UTF-8"),
            (b"\xFF\xFEa\0", Some("text/html; charset=shift_jis"), "UTF-16LE"),
            (declared, Some("text/html; Charset=\"Shift_JIS\""), "Shift_JIS"),
            (declared, Some("text/html; charset=nonsense"), "KOI8-R"),
            (declared, Some("text/html"), "KOI8-R"),
            (declared, None, "KOI8-R"),
            (b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=windows-1251'>", None, "windows-1251"),
            (b"<?xml version='1.0' encoding='ISO-8859-2'?><html>", None, "ISO-8859-2"),
            (b"<!-- <meta charset=koi8-r> --><meta charset=euc-jp>", None, "EUC-JP"),
            (b"<metadata charset=koi8-r><meta charset=big5>", None, "Big5"),
            (b"<meta charset=utf-16>", None, "UTF-8"),
            ("päivä ja yö".as_bytes(), None, "UTF-8"),
        ] {
            assert_eq!(charset(body, header), expected, "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn undeclared_text_is_guessed() {
        let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode("Добро пожаловать в наш музей на берегу реки");
        let (text, encoding) = decode(&bytes, None, Some("ru"));
        assert_eq!(encoding.name(), "windows-1251");
        assert!(text.contains("музей"));
    }

    #[test]
    fn odd_top_level_domains_do_not_disturb_the_guess() {
        for tld in ["RU", "a.b", "ü", ""] {
            decode(b"plain \xE4", None, Some(tld));
        }
    }
}
