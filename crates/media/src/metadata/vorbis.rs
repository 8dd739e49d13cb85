//! The comments of FLAC, Ogg and Opus.

use crate::metadata::date::Taken;
use crate::metadata::location::{Location, LocationSource};
use crate::metadata::text::text;
use crate::metadata::{Block, MAX_KEYWORDS, Origin};

/// As many comments as are looked at.
const MAX_COMMENTS: usize = 500;

/// What the comments say: as many as are here.
pub(crate) fn read(bytes: &[u8]) -> Block {
    let mut block = Block::new(Origin::Container);
    let mut rest = bytes;
    let Some(_vendor) = field(&mut rest) else { return block };
    rest = rest.get(4..).unwrap_or_default();
    for _ in 0..MAX_COMMENTS {
        let Some(comment) = field(&mut rest) else { break };
        let Some(equals) = comment.iter().take(64).position(|byte| *byte == b'=') else { continue };
        let (name, Some(value)) = (&comment[..equals], text(&comment[equals + 1..])) else { continue };
        match name.to_ascii_uppercase().as_slice() {
            b"TITLE" => block.title = Some(value),
            b"ARTIST" => block.author = Some(value),
            b"DESCRIPTION" | b"COMMENT" => block.description = Some(value),
            b"COPYRIGHT" => block.copyright = Some(value),
            b"LICENSE" => block.licence = Some(value),
            b"DATE" => block.taken = Taken::parse(&value),
            b"KEYWORDS" if block.keywords.len() < MAX_KEYWORDS => block.keywords.push(value),
            b"LOCATION" if value.starts_with(['+', '-']) => {
                block.location = Some(Location::iso6709(&value, LocationSource::Vorbis));
            }
            b"LOCATION" => block.names.sublocation = Some(value),
            _ => {}
        }
    }
    block
}

/// A length of four bytes, and so many bytes.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (field, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(field)
}
