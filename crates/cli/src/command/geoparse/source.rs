//! Text of any size and any bytes, in pieces.

use std::io::{ErrorKind, Read};

use anyhow::Context;

/// Bytes that are asked for at once.
const PIECE: usize = 64 * 1024;

/// A text on its way in. Bytes that are no UTF-8 become U+FFFD, also across pieces.
pub struct Source {
    input: Box<dyn Read>,
    piece: Vec<u8>,
    /// Bytes of a character whose rest has not come yet, at the beginning of `piece`.
    cut: usize,
    waiting: String,
}

impl Source {
    pub fn new(input: Box<dyn Read>) -> Self {
        Self { input, piece: vec![0; PIECE], cut: 0, waiting: String::new() }
    }

    /// What was read and is not done with.
    pub fn waiting(&self) -> &str {
        &self.waiting
    }

    /// Forgets the beginning of what waits.
    pub fn done(&mut self, bytes: usize) {
        self.waiting.drain(..bytes);
    }

    /// Reads one more piece; false at the end.
    pub fn read(&mut self) -> anyhow::Result<bool> {
        let read = loop {
            match self.input.read(&mut self.piece[self.cut..]) {
                Ok(read) => break read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error).context("cannot read the text"),
            }
        };
        let mut left = &self.piece[..self.cut + read];
        loop {
            match std::str::from_utf8(left) {
                Ok(text) => {
                    self.waiting.push_str(text);
                    left = &[];
                }
                Err(error) => {
                    let (text, rest) = left.split_at(error.valid_up_to());
                    self.waiting.push_str(std::str::from_utf8(text).unwrap_or_default());
                    left = rest;
                    match error.error_len() {
                        Some(bad) => left = &rest[bad..],
                        // A character that the next piece may complete.
                        None if read > 0 => break,
                        None => left = &[],
                    }
                    self.waiting.push('\u{fffd}');
                    continue;
                }
            }
            break;
        }
        let cut = self.cut + read - left.len()..self.cut + read;
        self.cut = left.len();
        self.piece.copy_within(cut, 0);
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow(std::slice::Iter<'static, u8>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, byte)) = buffer.first_mut().zip(self.0.next()) else { return Ok(0) };
            *first = *byte;
            Ok(1)
        }
    }

    #[test]
    fn any_bytes_become_the_same_text_however_they_come() {
        for bytes in [
            &b"plain"[..],
            "Grüße aus 東京 😀".as_bytes(),
            b"a\xffb\xc3",
            b"\xe2\x82",
            b"\xe2\x82x\xf0\x9f\x98",
            b"\xc3\xc3\xa4\x80\x80",
            b"\xf0\x80\x80\x41",
            b"",
        ] {
            let inputs: [Box<dyn Read>; 2] =
                [Box::new(std::io::Cursor::new(bytes.to_vec())), Box::new(Slow(bytes.iter()))];
            for input in inputs {
                let mut source = Source::new(input);
                while source.read().unwrap() {}
                assert_eq!(source.waiting(), String::from_utf8_lossy(bytes), "{bytes:?}");
            }
        }
    }
}
