//! Texts inside media files: bounded, decoded, trimmed.

/// As many bytes of one text as are kept.
const LIMIT: usize = 4096;

/// Text up to its first NUL: UTF-8, or what Windows-1252 was once written as. Nothing for blanks.
pub(crate) fn text(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let bytes = &bytes[..end.min(LIMIT)];
    match std::str::from_utf8(bytes) {
        Ok(text) => tidy(text),
        // Cut inside a character by the limit.
        Err(error) if error.error_len().is_none() && end > LIMIT => {
            tidy(&String::from_utf8_lossy(&bytes[..error.valid_up_to()]))
        }
        Err(_) => latin1(bytes),
    }
}

/// Text in ISO 8859-1.
pub(crate) fn latin1(bytes: &[u8]) -> Option<String> {
    let text: String = bytes.iter().take(LIMIT).take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
    tidy(&text)
}

/// Text in UTF-16, up to its first NUL; a byte order mark beats `big_endian`.
pub(crate) fn utf16(bytes: &[u8], big_endian: bool) -> Option<String> {
    let (bytes, big_endian) = match bytes {
        [0xfe, 0xff, rest @ ..] => (rest, true),
        [0xff, 0xfe, rest @ ..] => (rest, false),
        _ => (bytes, big_endian),
    };
    let units = bytes.chunks_exact(2).take(LIMIT / 2).map(|pair| match big_endian {
        true => u16::from_be_bytes([pair[0], pair[1]]),
        false => u16::from_le_bytes([pair[0], pair[1]]),
    });
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    tidy(&String::from_utf16_lossy(&units))
}

/// Trimmed, without control characters, cut at the limit; nothing when nothing is left.
pub(crate) fn tidy(text: &str) -> Option<String> {
    let mut end = text.len().min(LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let clean: String = text[..end].trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let clean = clean.trim();
    (!clean.is_empty()).then(|| clean.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_trimmed_and_bounded() {
        assert_eq!(text(b"NIKON CORPORATION  \0junk").as_deref(), Some("NIKON CORPORATION"));
        assert_eq!(text("Jyv\u{e4}skyl\u{e4}".as_bytes()).as_deref(), Some("Jyv\u{e4}skyl\u{e4}"));
        assert_eq!(text(b"Jyv\xe4skyl\xe4").as_deref(), Some("Jyv\u{e4}skyl\u{e4}"));
        assert_eq!(text(b"   \0"), None);
        assert_eq!(text(&[b'x'; 10_000]).map(|text| text.len()), Some(LIMIT));
        assert_eq!(utf16(b"\xff\xfea\0b\0\0\0c\0", true).as_deref(), Some("ab"));
        assert_eq!(utf16(b"\0a\0b\xd8", true).as_deref(), Some("ab"));
    }
}
