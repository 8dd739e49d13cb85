//! PNG: chunks before the picture, and those some writers put after it.

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::container::Reading;
use crate::metadata::text::{latin1, text};
use crate::metadata::{Block, Origin, iptc};
use crate::parts::{Parts, Window};

/// As many chunks as are looked at.
const MAX_CHUNKS: usize = 100_000;
/// As long as a text becomes that was packed.
const MAX_UNPACKED: usize = 1 << 20;
/// As much as is unpacked of one file.
const MAX_UNPACKED_IN_ALL: usize = 4 << 20;

pub(crate) fn read(parts: &Parts<'_>, reading: &mut Reading) {
    let file = parts.window();
    if let (Some(width), Some(height)) = (file.u32(16), file.u32(20)) {
        reading.size(width, height);
    }
    let mut texts = Texts { said: Block::new(Origin::Container), room: MAX_UNPACKED_IN_ALL };
    let (mut at, mut in_picture) = (8u64, false);
    for _ in 0..MAX_CHUNKS {
        // Once in the picture, what comes after it is worth one look at the end of the file, not
        // one at the head of each of its chunks.
        let header = if in_picture { file.peek(at, 8) } else { file.get(at, 8) };
        let Some(header) = header else {
            if in_picture && file.holds(at, 12) {
                match parts.tail() {
                    Some(tail) => after_picture(tail, reading, &mut texts),
                    None if !reading.knows_place() => parts.want_end(),
                    None => {}
                }
            }
            break;
        };
        let (length, kind) = header.split_at(4);
        let length = u64::from(u32::from_be_bytes(length.try_into().unwrap_or_default()));
        match kind {
            b"IEND" => break,
            b"IDAT" => in_picture = true,
            kind if is_of_use(kind) && length <= MAX_UNPACKED as u64 && file.holds(at, 12 + length) => {
                take(kind, file.window(at + 8, length), reading, &mut texts);
            }
            _ => {}
        }
        at += 12 + length;
    }
    reading.blocks.push(texts.said);
}

/// What the texts of a file say, and how much more of them may be unpacked.
struct Texts {
    said: Block,
    room: usize,
}

impl Texts {
    fn unpack(&mut self, packed: &[u8]) -> Option<Vec<u8>> {
        let unpacked = decompress_to_vec_zlib_with_limit(packed, self.room.min(MAX_UNPACKED));
        // What failed has cost as much.
        let cost = unpacked.as_ref().map_or_else(|error| error.output.len(), Vec::len);
        self.room = self.room.saturating_sub(cost);
        unpacked.ok()
    }
}

fn is_of_use(kind: &[u8]) -> bool {
    matches!(kind, b"eXIf" | b"iTXt" | b"tEXt" | b"zTXt")
}

/// The key words of texts that are read; others are not unpacked.
fn is_known(keyword: &[u8]) -> bool {
    matches!(
        keyword,
        b"XML:com.adobe.xmp"
            | b"Raw profile type exif"
            | b"Raw profile type APP1"
            | b"Raw profile type xmp"
            | b"Raw profile type iptc"
            | b"Title"
            | b"Author"
            | b"Description"
            | b"Copyright"
    )
}

/// Chunks in the last bytes of a file, where it is not known where a chunk begins: those are taken
/// whose check sum is right.
fn after_picture(tail: Window<'_>, reading: &mut Reading, texts: &mut Texts) {
    let Some(bytes) = tail.all() else { return };
    let mut at = 4;
    while let Some(kind) = bytes.get(at..at + 4) {
        if is_of_use(kind) {
            let length = u32::from_be_bytes(bytes[at - 4..at].try_into().unwrap_or_default()) as usize;
            let end = at.saturating_add(4).saturating_add(length);
            let sum = bytes.get(end..end.saturating_add(4));
            if length <= MAX_UNPACKED && sum.is_some_and(|sum| sum == crc(&bytes[at..end]).to_be_bytes()) {
                take(kind, tail.window(at as u64 + 4, length as u64), reading, texts);
                at = end;
                continue;
            }
        }
        at += 1;
    }
}

fn take(kind: &[u8], body: Window<'_>, reading: &mut Reading, texts: &mut Texts) {
    if kind == b"eXIf" {
        return reading.exif(body);
    }
    let Some(bytes) = body.all() else { return };
    let Some(end) = bytes.iter().take(80).position(|byte| *byte == 0) else { return };
    let (keyword, rest) = (&bytes[..end], &bytes[end + 1..]);
    if !is_known(keyword) {
        return;
    }
    let value = match kind {
        b"tEXt" => Some(rest.to_vec()),
        b"zTXt" => rest.get(1..).and_then(|packed| texts.unpack(packed)),
        _ => international(rest)
            .and_then(|(packed, value)| if packed { texts.unpack(value) } else { Some(value.to_vec()) }),
    };
    let Some(value) = value else { return };
    let words = || if kind == b"iTXt" { text(&value) } else { latin1(&value) };
    match keyword {
        b"XML:com.adobe.xmp" => reading.xmp(&value),
        b"Raw profile type exif" | b"Raw profile type APP1" => {
            if let Some(profile) = raw_profile(&value) {
                match profile.strip_prefix(b"http://ns.adobe.com/xap/1.0/\0") {
                    Some(packet) => reading.xmp(packet),
                    None => reading.exif(Parts::whole(&profile).window()),
                }
            }
        }
        b"Raw profile type xmp" => reading.xmp(&raw_profile(&value).unwrap_or_default()),
        b"Raw profile type iptc" => {
            let profile = raw_profile(&value).unwrap_or_default();
            let records = iptc::resources(&profile).into_iter().find(|(number, _)| *number == 0x0404);
            reading.add(|| Some(iptc::read(records.map_or(&profile, |(_, records)| records))));
        }
        b"Title" => texts.said.title = words(),
        b"Author" => texts.said.author = words(),
        b"Description" => texts.said.description = words(),
        b"Copyright" => texts.said.copyright = words(),
        _ => {}
    }
}

/// Of an iTXt chunk after its key word: whether it is packed, and the text after the language and
/// the key word in that language.
fn international(rest: &[u8]) -> Option<(bool, &[u8])> {
    let [packed, _, rest @ ..] = rest else { return None };
    Some((*packed == 1, rest.splitn(3, |byte| *byte == 0).nth(2)?))
}

/// A block that ImageMagick wrote as text: a name and a length on lines of their own, then
/// hexadecimal digits.
fn raw_profile(text: &[u8]) -> Option<Vec<u8>> {
    let mut lines = text.trim_ascii_start().splitn(3, |byte| *byte == b'\n');
    let (_, length, digits) = (lines.next()?, lines.next()?, lines.next()?);
    let length: usize = std::str::from_utf8(length).ok()?.trim().parse().ok()?;
    let mut digits = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16));
    let profile: Vec<u8> = std::iter::from_fn(|| Some((digits.next()? << 4 | digits.next()?) as u8)).collect();
    (profile.len() == length).then_some(profile)
}

/// The check sum of a chunk's kind and content.
fn crc(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut sum = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
                bit += 1;
            }
            table[byte] = sum;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |sum, byte| sum >> 8 ^ TABLE[((sum ^ u32::from(*byte)) & 0xff) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_sums_are_those_of_the_standard() {
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn a_profile_written_as_text_is_read_back() {
        assert_eq!(raw_profile(b"\nexif\n       4\n4578\n6966\n").as_deref(), Some(&b"Exif"[..]));
        assert_eq!(raw_profile(b"\nexif\n       5\n4578\n6966\n"), None);
    }
}
