//! IPTC records, and the Photoshop resources they are kept in.

use crate::metadata::date::Taken;
use crate::metadata::text::{latin1, text};
use crate::metadata::{Block, MAX_KEYWORDS, Origin};

/// As many records or resources as are looked at.
const MAX_RECORDS: usize = 2000;

/// What IPTC records say.
pub(crate) fn read(mut bytes: &[u8]) -> Block {
    let mut block = Block::new(Origin::Iptc);
    let (mut utf8, mut date, mut time) = (false, None, None);
    for _ in 0..MAX_RECORDS {
        let [0x1c, record, dataset, high, low, rest @ ..] = bytes else { break };
        let size = usize::from(u16::from_be_bytes([*high, *low]));
        // Sizes above 32767 say how many bytes the size takes: no text of use is that long.
        if size > 0x7fff {
            break;
        }
        let Some((value, after)) = rest.split_at_checked(size) else { break };
        bytes = after;
        let read = || if utf8 { text(value) } else { text(value).or_else(|| latin1(value)) };
        match (record, dataset) {
            (1, 90) => utf8 = value.starts_with(b"\x1b%G"),
            (2, 5) => block.title = block.title.or_else(read),
            (2, 25) if block.keywords.len() < MAX_KEYWORDS => block.keywords.extend(read()),
            (2, 55) => date = date.or_else(read),
            (2, 60) => time = time.or_else(read),
            (2, 80) => block.author = block.author.or_else(read),
            (2, 90) => block.names.city = block.names.city.or_else(read),
            (2, 92) => block.names.sublocation = block.names.sublocation.or_else(read),
            (2, 95) => block.names.state = block.names.state.or_else(read),
            (2, 101) => block.names.country = block.names.country.or_else(read),
            (2, 116) => block.copyright = block.copyright.or_else(read),
            (2, 120) => block.description = block.description.or_else(read),
            _ => {}
        }
    }
    block.taken = date.and_then(|date| taken(&date, time.as_deref()));
    block
}

/// `20080530` and `155601+0300`.
fn taken(date: &str, time: Option<&str>) -> Option<Taken> {
    let date = format!("{}-{}-{}", date.get(..4)?, date.get(4..6)?, date.get(6..8)?);
    let time = time
        .and_then(|time| Some(format!("T{}:{}:{}{}", time.get(..2)?, time.get(2..4)?, time.get(4..6)?, &time[6..])));
    time.and_then(|time| Taken::parse(&format!("{date}{time}"))).or_else(|| Taken::parse(&date))
}

/// The Photoshop resources of use: their number and bytes.
pub(crate) fn resources(mut bytes: &[u8]) -> Vec<(u16, &[u8])> {
    let mut found = Vec::new();
    for _ in 0..MAX_RECORDS {
        let [b'8', b'B' | b'P', b'I' | b'H', b'M' | b'U' | b'T', high, low, rest @ ..] = bytes else { break };
        let Some((name, _)) = rest.split_first() else { break };
        // The name counts its own length byte, and is padded to an even length.
        let name = (usize::from(*name) + 2) & !1;
        let Some(([a, b, c, d], rest)) = rest.get(name..).and_then(|rest| rest.split_first_chunk()) else { break };
        let size = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let Some(value) = rest.get(..size) else { break };
        found.push((u16::from_be_bytes([*high, *low]), value));
        bytes = rest.get(size + (size & 1)..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(dataset: u8, value: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x1c, 2, dataset, 0, value.len() as u8];
        bytes.extend(value);
        bytes
    }

    #[test]
    fn place_names_date_and_key_words_are_read() {
        let bytes = [
            record(90, b"Joensuu"),
            record(92, "Sirkkala".as_bytes()),
            record(101, b"Finland"),
            record(25, b"bridge"),
            record(25, b"p\xe4iv\xe4"),
            record(55, b"20180418"),
            record(60, b"154026+0300"),
            record(116, b"CC BY 4.0"),
        ]
        .concat();
        let block = read(&bytes);
        assert_eq!(block.names.city.as_deref(), Some("Joensuu"));
        assert_eq!(block.names.sublocation.as_deref(), Some("Sirkkala"));
        assert_eq!(block.names.country.as_deref(), Some("Finland"));
        assert_eq!(block.keywords, ["bridge", "p\u{e4}iv\u{e4}"]);
        assert_eq!(block.taken.unwrap().to_string(), "2018-04-18T15:40:26+03:00");
        assert_eq!(block.copyright.as_deref(), Some("CC BY 4.0"));
    }

    #[test]
    fn resources_are_found_one_after_the_other() {
        let bytes = b"8BIM\x04\x25\0\0\0\0\0\x03abc\0\
            8BIM\x04\x04\x03xyz\0\0\0\x02de";
        assert_eq!(resources(bytes), [(0x0425, &b"abc"[..]), (0x0404, &b"de"[..])]);
        assert_eq!(resources(&bytes[..bytes.len() - 1]).len(), 1);
    }
}
