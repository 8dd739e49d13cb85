//! What a file is, by content.

use facts::MediaKind;

/// As many first bytes as any signature needs.
pub const SNIFF_BYTES: usize = 8192;

/// A media format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Picture, film or sound.
    pub kind: MediaKind,
    /// Its name in lower case: `jpeg`, `webp`, `mp4` …
    pub name: &'static str,
    /// The ending of its files, without the dot.
    pub extension: &'static str,
}

/// The format of a file that starts with these bytes; nothing for what is not a picture, film or
/// sound. Formats that carry scripts or open further files (SVG, playlists) are not media here.
pub fn sniff(head: &[u8]) -> Option<Format> {
    let found = infer::get(&head[..head.len().min(SNIFF_BYTES)])?;
    let kind = match found.matcher_type() {
        infer::MatcherType::Image => MediaKind::Image,
        infer::MatcherType::Video => MediaKind::Video,
        infer::MatcherType::Audio => MediaKind::Audio,
        _ => return None,
    };
    let name = match found.mime_type() {
        "image/jpeg" => "jpeg",
        "image/tiff" => "tiff",
        _ => found.extension(),
    };
    Some(Format { kind, name, extension: found.extension() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_content() {
        let cases: &[(&[u8], Option<(MediaKind, &str)>)] = &[
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", Some((MediaKind::Image, "jpeg"))),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some((MediaKind::Image, "png"))),
            (b"GIF89a\x01\0\x01\0", Some((MediaKind::Image, "gif"))),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some((MediaKind::Image, "webp"))),
            (b"RIFF\x24\0\0\0WAVEfmt ", Some((MediaKind::Audio, "wav"))),
            (b"RIFF\x24\0\0\0AVI LIST", Some((MediaKind::Video, "avi"))),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", Some((MediaKind::Video, "mp4"))),
            (b"\0\0\0\x18ftypavif\0\0\0\0avifmif1", Some((MediaKind::Image, "avif"))),
            (b"OggS\0\x02\0\0\0\0\0\0\0\0", Some((MediaKind::Audio, "ogg"))),
            (b"ID3\x04\0\0\0\0\0\0", Some((MediaKind::Audio, "mp3"))),
            (b"fLaC\0\0\0\x22", Some((MediaKind::Audio, "flac"))),
            (b"<!doctype html><html>", None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
            (b"#EXTM3U\n", None),
            (b"%PDF-1.7", None),
            (b"", None),
        ];
        for (head, expected) in cases {
            assert_eq!(sniff(head).map(|f| (f.kind, f.name)), *expected, "{head:?}");
        }
    }
}
