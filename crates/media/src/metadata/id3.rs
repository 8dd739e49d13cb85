//! ID3v2: tags before a sound.

use crate::metadata::date::Taken;
use crate::metadata::text::{latin1, text, utf16};
use crate::metadata::{Block, Origin};
use crate::parts::Window;

/// As many frames as are looked at.
const MAX_FRAMES: usize = 500;

/// How long the tag is that starts here, with its head; zero where there is none.
pub(crate) fn length(head: &[u8]) -> u64 {
    match head {
        [b'I', b'D', b'3', 2..=4, _, flags, a, b, c, d, ..] if [a, b, c, d].iter().all(|byte| **byte < 0x80) => {
            let footer = if flags & 0x10 != 0 { 10 } else { 0 };
            10 + footer + seven_bits([*a, *b, *c, *d])
        }
        _ => 0,
    }
}

/// The tag that starts here. Of a long one, what is behind its first bytes is pictures, which are
/// not worth a request.
pub(crate) fn read(window: Window<'_>) -> Option<Block> {
    let head = window.get(0, 10)?;
    let (version, end) = (head[3], length(head));
    if end == 0 {
        return None;
    }
    let tag = window.window(0, end);
    let mut block = Block::new(Origin::Container);
    // An extended header says how long it is, in the newest version with its own four bytes.
    let mut at = match (head[5] & 0x40 != 0, version) {
        (false, _) => 10,
        (true, 3) => 14 + u64::from(u32::from_be_bytes(tag.peek(10, 4)?.try_into().ok()?)),
        (true, _) => 10 + seven_bits(tag.peek(10, 4)?.try_into().ok()?),
    };
    for _ in 0..MAX_FRAMES {
        let Some((name, length, head)) = frame(tag, at, version) else { break };
        let body = tag.peek(at + head, length.min(4096));
        match (name, body) {
            (b"TIT2" | b"TT2", Some(body)) => block.title = words(body),
            (b"TPE1" | b"TP1", Some(body)) => block.author = words(body),
            (b"TCOP" | b"TCR", Some(body)) => block.copyright = words(body),
            (b"WCOP" | b"WCP", Some(body)) => block.licence = latin1(body),
            (b"TDRC" | b"TDRL", Some(body)) => {
                block.taken = block.taken.or_else(|| Taken::parse(&words(body)?));
            }
            (b"COMM" | b"COM", Some(body)) => block.description = block.description.or_else(|| comment(body)),
            _ => {}
        }
        at += head + length;
    }
    Some(block)
}

/// Name, length and length of the head of a frame.
fn frame(tag: Window<'_>, at: u64, version: u8) -> Option<(&[u8], u64, u64)> {
    let (name, length, head) = if version == 2 {
        let bytes = tag.peek(at, 6)?;
        (&bytes[..3], u32::from_be_bytes([0, bytes[3], bytes[4], bytes[5]]).into(), 6)
    } else {
        let bytes = tag.peek(at, 10)?;
        let size = [bytes[4], bytes[5], bytes[6], bytes[7]];
        let length = if version == 4 { seven_bits(size) } else { u32::from_be_bytes(size).into() };
        (&bytes[..4], length, 10)
    };
    let named = name.iter().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit());
    (named && length > 0).then_some((name, length, head))
}

/// Text after a byte that tells its encoding.
fn words(body: &[u8]) -> Option<String> {
    let (encoding, rest) = body.split_first()?;
    match encoding {
        0 => latin1(rest),
        1 => utf16(rest, false),
        2 => utf16(rest, true),
        _ => text(rest),
    }
}

/// Text after an encoding, a language and a short description.
fn comment(body: &[u8]) -> Option<String> {
    let (encoding, rest) = (*body.first()?, body.get(4..)?);
    let after = match encoding {
        1 | 2 => rest.chunks_exact(2).position(|pair| pair == [0, 0]).map(|nth| nth * 2 + 2),
        _ => rest.iter().position(|byte| *byte == 0).map(|nth| nth + 1),
    }?;
    words(&[&[encoding], rest.get(after..)?].concat())
}

/// Numbers of which each byte gives seven bits, so that they never look like a sound.
fn seven_bits(bytes: [u8; 4]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}
