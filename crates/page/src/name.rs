//! The words in a file's name.

use facts::Url;

/// What cameras, phones and messengers start a file's name with.
const CAMERAS: &[&str] = &[
    "img",
    "image",
    "imag",
    "dsc",
    "dscn",
    "dscf",
    "dsci",
    "dcim",
    "pict",
    "pic",
    "pxl",
    "mvi",
    "mov",
    "vid",
    "wp",
    "gopr",
    "gp",
    "dji",
    "kimg",
    "sam",
    "hpim",
    "cimg",
    "imgp",
    "p",
    "pa",
    "csc",
    "sdc",
    "fullsizerender",
    "screenshot",
    "wa",
    "photo",
    "signal",
    "mvimg",
];

/// Words of the file name of an address.
pub(crate) fn words(url: &Url) -> String {
    name_words(&url.file_name())
}

/// Words of a file name: without ending, separators as spaces, and without what a camera or a size
/// adds.
pub fn name_words(name: &str) -> String {
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if (1..=5).contains(&ending.len()) => stem,
        _ => name,
    };
    let mut tokens = name.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty()).peekable();
    let mut words = String::new();
    let mut after_camera = false;
    while let Some(token) = tokens.next() {
        let number_next = tokens.peek().is_some_and(|next| is_number(next));
        after_camera = is_camera(token, number_next) || (after_camera && is_number(token));
        if !after_camera && !is_size(token) && !is_stamp(token) {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(token);
        }
    }
    words.truncate(words.floor_char_boundary(200));
    words
}

/// `DSC0001`, or `IMG` before a number.
fn is_camera(token: &str, number_next: bool) -> bool {
    let letters = token.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = token.len() - letters.len();
    (digits >= 3 || (digits == 0 && number_next)) && CAMERAS.iter().any(|camera| camera.eq_ignore_ascii_case(letters))
}

fn is_number(token: &str) -> bool {
    token.bytes().all(|b| b.is_ascii_digit())
}

/// `1024x768`.
fn is_size(token: &str) -> bool {
    token.split_once(['x', 'X']).is_some_and(|(w, h)| !w.is_empty() && !h.is_empty() && is_number(w) && is_number(h))
}

/// `20190714` and longer: dates and serial numbers, no words.
fn is_stamp(token: &str) -> bool {
    token.len() >= 6 && is_number(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words_and_camera_names_nothing() {
        for (url, expected) in [
            ("http://a.example/old-church_in%20Joensuu.jpg", "old church in Joensuu"),
            ("http://a.example/p/IMG_1234.JPG", ""),
            ("http://a.example/p/DSC0001.jpg", ""),
            ("http://a.example/p/DSC_0042-harbour.jpg", "harbour"),
            ("http://a.example/p/PXL_20230714_101500123.jpg", ""),
            ("http://a.example/p/20190714_101500.jpg", ""),
            ("http://a.example/p/harbour-1024x768.webp", "harbour"),
            ("http://a.example/p/route-66.jpg", "route 66"),
            ("http://a.example/p/image-of-a-boat.jpg", "image of a boat"),
            ("http://a.example/p/K%C3%B6ln.png", "Köln"),
            ("http://a.example/p/%FF.png", "FF"),
            ("http://a.example/p/", ""),
            ("http://a.example/photo?id=7", "photo"),
        ] {
            assert_eq!(words(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
