//! What a file is, by content.

use facts::MediaKind;

use crate::container::mp3::{Frame, adts_length};
use crate::metadata::id3;

/// As many first bytes as any signature needs.
pub const SNIFF_BYTES: usize = 8192;

/// A media format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Picture, film or sound.
    pub kind: MediaKind,
    /// Its name in lower case: `jpeg`, `webp`, `mp4` …
    pub name: &'static str,
    /// The ending of its files, without the dot.
    pub extension: &'static str,
    structure: Structure,
}

/// How files of a format are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Structure {
    Jpeg,
    Png,
    Riff,
    Tiff,
    Heif,
    Jxl,
    Jp2,
    Gif,
    Bmp,
    Psd,
    Mp4,
    Matroska,
    Mpeg,
    Mp3,
    Flac,
    Ogg,
    Aiff,
    /// Known by its first bytes, not read any further.
    Opaque,
}

const fn format(kind: MediaKind, name: &'static str, extension: &'static str, structure: Structure) -> Format {
    Format { kind, name, extension, structure }
}

/// Every format there is.
const FORMATS: &[Format] = {
    use MediaKind::{Audio, Image, Video};
    use Structure::*;
    &[
        format(Image, "jpeg", "jpg", Jpeg),
        format(Image, "png", "png", Png),
        format(Image, "gif", "gif", Gif),
        format(Image, "webp", "webp", Riff),
        format(Image, "tiff", "tif", Tiff),
        format(Image, "dng", "dng", Tiff),
        format(Image, "cr2", "cr2", Tiff),
        format(Image, "orf", "orf", Tiff),
        format(Image, "heic", "heic", Heif),
        format(Image, "avif", "avif", Heif),
        format(Image, "jxl", "jxl", Jxl),
        format(Image, "jp2", "jp2", Jp2),
        format(Image, "bmp", "bmp", Bmp),
        format(Image, "psd", "psd", Psd),
        format(Video, "mp4", "mp4", Mp4),
        format(Video, "mov", "mov", Mp4),
        format(Video, "3gp", "3gp", Mp4),
        format(Video, "mkv", "mkv", Matroska),
        format(Video, "webm", "webm", Matroska),
        format(Video, "avi", "avi", Riff),
        format(Video, "mpeg", "mpg", Mpeg),
        format(Video, "ts", "ts", Opaque),
        format(Video, "flv", "flv", Opaque),
        format(Video, "wmv", "wmv", Opaque),
        format(Video, "ogv", "ogv", Ogg),
        format(Audio, "m4a", "m4a", Mp4),
        format(Audio, "mka", "mka", Matroska),
        format(Audio, "weba", "weba", Matroska),
        format(Audio, "mp3", "mp3", Mp3),
        format(Audio, "aac", "aac", Opaque),
        format(Audio, "ogg", "ogg", Ogg),
        format(Audio, "opus", "opus", Ogg),
        format(Audio, "flac", "flac", Flac),
        format(Audio, "wav", "wav", Riff),
        format(Audio, "aiff", "aiff", Aiff),
        format(Audio, "amr", "amr", Opaque),
    ]
};

impl Format {
    /// The format of this [name](Self::name).
    pub fn named(name: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.name == name).copied()
    }

    pub(crate) fn structure(self) -> Structure {
        self.structure
    }
}

/// The format of a file that starts with these bytes; nothing for what is not a picture, film or
/// sound. Formats that carry scripts or open further files (SVG, playlists) are not media here,
/// nor are icons.
pub fn sniff(head: &[u8]) -> Option<Format> {
    let head = &head[..head.len().min(SNIFF_BYTES)];
    Format::named(name(head)?)
}

fn name(head: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, signature: &[u8]| head.get(offset..).is_some_and(|rest| rest.starts_with(signature));
    Some(match head {
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        _ if at(0, b"\x89PNG\r\n\x1a\n") => "png",
        _ if at(0, b"GIF87a") || at(0, b"GIF89a") => "gif",
        _ if at(0, b"RIFF") => match head.get(8..12)? {
            b"WEBP" => "webp",
            b"WAVE" => "wav",
            b"AVI " => "avi",
            _ => return None,
        },
        _ if at(0, b"II*\0") && at(8, b"CR") => "cr2",
        _ if [&b"II*\0"[..], b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0"].iter().any(|mark| at(0, mark)) => "tiff",
        _ if at(0, b"IIRO") || at(0, b"IIRS") || at(0, b"MMOR") => "orf",
        _ if at(0, b"\xff\x0a") || at(0, b"\0\0\0\x0cJXL \r\n\x87\n") => "jxl",
        _ if at(0, b"\0\0\0\x0cjP  \r\n\x87\n") || at(0, b"\xff\x4f\xff\x51") => "jp2",
        _ if at(0, b"BM") => bitmap(head)?,
        _ if at(0, b"8BPS\0\x01") => "psd",
        _ if at(4, b"ftyp") => brand(head),
        // QuickTime of the time before brands.
        _ if [b"moov", b"mdat", b"wide", b"pnot"].iter().any(|kind| at(4, *kind)) && head[0] == 0 => "mov",
        _ if at(0, b"\x1a\x45\xdf\xa3") => matroska(head)?,
        _ if at(0, b"OggS") => ogg(head),
        _ if at(0, b"fLaC") => "flac",
        _ if at(0, b"FORM") && (at(8, b"AIFF") || at(8, b"AIFC")) => "aiff",
        _ if at(0, b"#!AMR") => "amr",
        _ if at(0, b"\0\0\x01\xba") || at(0, b"\0\0\x01\xb3") => "mpeg",
        _ if at(0, b"FLV\x01") => "flv",
        _ if at(0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11") => "wmv",
        _ if is_transport_stream(head, 0, 188) || is_transport_stream(head, 4, 192) => "ts",
        _ => return sound(head),
    })
}

/// Two letters are few: the header must make sense as well.
fn bitmap(head: &[u8]) -> Option<&'static str> {
    let header = u32::from_le_bytes(head.get(14..18)?.try_into().ok()?);
    matches!(header, 12 | 16 | 40 | 52 | 56 | 64 | 108 | 124).then_some("bmp")
}

/// The main brand, and for pictures the ones it agrees with.
fn brand(head: &[u8]) -> &'static str {
    let length = head.get(..4).map_or(0, |bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize);
    let brands = &head[8..length.clamp(8, head.len().min(256))];
    let agrees = |with: &[u8]| brands.chunks_exact(4).any(|brand| brand == with);
    match brands.get(..4).unwrap_or_default() {
        b"avif" | b"avis" => "avif",
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"hevm" | b"hevs" => "heic",
        b"mif1" | b"msf1" | b"mif2" if agrees(b"avif") || agrees(b"avis") => "avif",
        b"mif1" | b"msf1" | b"mif2" => "heic",
        b"qt  " => "mov",
        b"M4A " | b"M4B " | b"M4P " | b"F4A " | b"F4B " => "m4a",
        [b'3', b'g', ..] => "3gp",
        _ => "mp4",
    }
}

fn matroska(head: &[u8]) -> Option<&'static str> {
    let start = &head[..head.len().min(64)];
    let says = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    match (says(b"webm"), says(b"matroska")) {
        (true, _) => Some("webm"),
        (_, true) => Some("mkv"),
        _ => None,
    }
}

/// By the first packet of the first page.
fn ogg(head: &[u8]) -> &'static str {
    let start = &head[..head.len().min(64)];
    let says = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    if says(b"OpusHead") {
        "opus"
    } else if says(b"\x80theora") || says(b"fishead") && head.windows(7).any(|window| window == b"\x80theora") {
        "ogv"
    } else {
        "ogg"
    }
}

fn is_transport_stream(head: &[u8], first: usize, packet: usize) -> bool {
    (0..4).all(|nth| head.get(first + nth * packet) == Some(&0x47))
}

/// MP3 and AAC have no signature: an ID3 tag, or two frames one after the other, show them.
fn sound(head: &[u8]) -> Option<&'static str> {
    let tag = id3::length(head) as usize;
    let sound = head.get(tag..).unwrap_or_default();
    let frame = |at: usize| sound.get(at..at + 4).and_then(Frame::read);
    if sound.starts_with(b"fLaC") {
        Some("flac")
    } else if adts_length(sound).is_some_and(|length| sound.get(length..).and_then(adts_length).is_some()) {
        Some("aac")
    } else if tag > 0 || frame(0).is_some_and(|first| frame(first.length()).is_some()) {
        Some("mp3")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_content() {
        type Case<'a> = (&'a [u8], Option<(MediaKind, &'a str)>);
        let cases: &[Case<'_>] = &[
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", Some((MediaKind::Image, "jpeg"))),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some((MediaKind::Image, "png"))),
            (b"GIF89a\x01\0\x01\0", Some((MediaKind::Image, "gif"))),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some((MediaKind::Image, "webp"))),
            (b"II*\0\x08\0\0\0", Some((MediaKind::Image, "tiff"))),
            (b"MM\0+\0\x08\0\0\0\0\0\0\0\0\0\x10", Some((MediaKind::Image, "tiff"))),
            (b"II*\0\x10\0\0\0CR\x02\0", Some((MediaKind::Image, "cr2"))),
            (b"IIRO\x08\0\0\0", Some((MediaKind::Image, "orf"))),
            (b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", Some((MediaKind::Image, "bmp"))),
            (b"BMW and other cars are sold here.", None),
            (b"\0\0\0\x0cJXL \r\n\x87\n", Some((MediaKind::Image, "jxl"))),
            (b"8BPS\0\x01\0\0", Some((MediaKind::Image, "psd"))),
            (b"RIFF\x24\0\0\0WAVEfmt ", Some((MediaKind::Audio, "wav"))),
            (b"RIFF\x24\0\0\0AVI LIST", Some((MediaKind::Video, "avi"))),
            (b"RIFF\x24\0\0\0CDR6", None),
            (b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom", Some((MediaKind::Video, "mp4"))),
            (b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", Some((MediaKind::Video, "mov"))),
            (b"\0\0\x10\0moov\0\0\0\x6cmvhd", Some((MediaKind::Video, "mov"))),
            (b"\0\0\0\x18ftyp3gp5\0\0\0\x013gp5isom", Some((MediaKind::Video, "3gp"))),
            (b"\0\0\0\x18ftypM4A \0\0\0\0isommp42", Some((MediaKind::Audio, "m4a"))),
            (b"\0\0\0\x18ftypavif\0\0\0\0avifmif1", Some((MediaKind::Image, "avif"))),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", Some((MediaKind::Image, "avif"))),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", Some((MediaKind::Image, "heic"))),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Some((MediaKind::Image, "heic"))),
            (b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska", Some((MediaKind::Video, "mkv"))),
            (b"\x1a\x45\xdf\xa3\x93\x42\x82\x84webm", Some((MediaKind::Video, "webm"))),
            (b"OggS\0\x02\0\0\0\0\0\0\0\0", Some((MediaKind::Audio, "ogg"))),
            (b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead", Some((MediaKind::Audio, "opus"))),
            (b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x2a\x80theora", Some((MediaKind::Video, "ogv"))),
            (b"ID3\x04\0\0\0\0\0\0", Some((MediaKind::Audio, "mp3"))),
            (b"fLaC\0\0\0\x22", Some((MediaKind::Audio, "flac"))),
            (b"FORM\0\0\x10\0AIFFCOMM", Some((MediaKind::Audio, "aiff"))),
            (b"\0\0\x01\xba\x44\0\x04\0", Some((MediaKind::Video, "mpeg"))),
            (b"<!doctype html><html>", None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
            (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'>", None),
            (b"#EXTM3U\n", None),
            (b"[playlist]\n", None),
            (b"%PDF-1.7", None),
            (b"\0\0\x01\0\x01\0\x10\x10", None),
            (b"", None),
        ];
        for (head, expected) in cases {
            assert_eq!(sniff(head).map(|f| (f.kind, f.name)), *expected, "{head:?}");
        }
    }

    #[test]
    fn sounds_without_a_signature_are_told_by_two_frames() {
        let mut mp3 = vec![0; 418];
        mp3[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
        assert_eq!(sniff(&mp3), None, "one frame may be chance");
        mp3.splice(417.., [0xff, 0xfb, 0x90, 0x00]);
        assert_eq!(sniff(&mp3).unwrap().name, "mp3");
        let frame = [0xff, 0xf1, 0x50, 0x80, 0x01, 0x7f, 0xfc, 0, 0, 0, 0];
        assert_eq!(sniff(&[frame, frame].concat()).unwrap().name, "aac");
        let mut stream = vec![0; 188 * 4];
        stream.iter_mut().step_by(188).for_each(|byte| *byte = 0x47);
        assert_eq!(sniff(&stream).unwrap().name, "ts");
    }

    #[test]
    fn every_name_leads_to_its_format() {
        for format in FORMATS {
            assert_eq!(Format::named(format.name), Some(*format));
        }
        assert_eq!(Format::named("svg"), None);
    }
}
