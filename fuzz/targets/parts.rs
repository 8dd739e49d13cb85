//! What stands inside a page in a language of its own: structured data, lists of pictures, styles, metas. The
//! bytes are put where such things stand, and what is read there is asked for its places.
#![no_main]

use geo::{Granularity, Hints};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(body);
    let attribute = text.replace('"', "&quot;");
    let html = match first % 8 {
        0 => format!("<script type=\"application/ld+json\">{text}</script>"),
        1 => format!("<img src=/a.jpg srcset=\"{attribute}\" sizes=\"{attribute}\">"),
        2 => format!("<style>{text}</style><div style=\"{attribute}\">x</div>"),
        3 => {
            format!("<meta name=\"geo.position\" content=\"{attribute}\"><meta name=\"ICBM\" content=\"{attribute}\">")
        }
        4 => format!("<meta name=robots content=\"{attribute}\"><meta http-equiv=refresh content=\"{attribute}\">"),
        5 => {
            let item = "<div itemscope itemtype=\"https://schema.org/Place\"";
            format!("{item} itemref=\"{attribute}\"><span itemprop=\"{attribute}\">{text}</span></div>")
        }
        6 => format!("<div vocab=\"https://schema.org/\" typeof=\"{attribute}\" property=\"{attribute}\">{text}</div>"),
        _ => format!(
            "<div class=\"h-card vcard\"><span class=\"{attribute}\">{text}</span><a href=\"{attribute}\">x</a></div>"
        ),
    };
    let url = facts::Url::parse("https://www.example.org/a/b").expect("a fixed address");
    let read = page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default());
    let _ = geo::about(&read, &Hints::default(), Granularity::Place);
});
