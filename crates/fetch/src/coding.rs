//! Content codings, decoded piece by piece: whatever the input, one step makes at most one piece.

use std::io;

use bytes::{Buf, Bytes};
use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::zstd::params::DParameter;
use compression_codecs::{BrotliDecoder, DecodeV2, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};

/// The size of a decoded piece.
const PIECE: usize = 32 * 1024;

/// Pieces shorter than this are copied, so that the room for a whole one need not be made again for each.
const SHORT: usize = PIECE / 4;

/// Members without content, one after the other, that are taken for what a server does; more are made to
/// keep us busy.
const MOST_EMPTY: u32 = 1000;

/// The largest window a zstd body may ask for, as its log: 8 MiB (RFC 9659).
const ZSTD_WINDOW_LOG: u32 = 23;

/// Undoes a Content-Encoding.
pub(crate) enum Decoder {
    /// Nothing to undo.
    Identity,
    /// One of the codings.
    Coded(Box<Coded>),
}

pub(crate) struct Coded {
    codec: Codec,
    input: Bytes,
    /// The last piece was full, so there may be more without further input.
    has_more: bool,
    stage: Stage,
    /// Where the next piece is decoded to; empty while there is none.
    room: Vec<u8>,
    /// Members that ended since there was content.
    empty: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing came yet; an empty body needs no header.
    Before,
    Inside,
    /// A member ended; another may follow.
    Between,
    /// What follows is not part of the body.
    After,
}

enum Codec {
    Gzip(GzipDecoder),
    /// What the standard calls deflate.
    Zlib(ZlibDecoder),
    /// What some servers call deflate.
    Bare(DeflateDecoder),
    Brotli(BrotliDecoder),
    Zstd(ZstdDecoder),
}

impl Decoder {
    /// The decoder for a Content-Encoding; nothing when it is not known.
    pub(crate) fn of(coding: &str) -> Option<Self> {
        let codec = match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" | "none" | "utf-8" => return Some(Self::Identity),
            "gzip" | "x-gzip" => Codec::Gzip(GzipDecoder::new()),
            "deflate" => Codec::Zlib(ZlibDecoder::new()),
            "br" => Codec::Brotli(BrotliDecoder::new()),
            "zstd" => Codec::Zstd(ZstdDecoder::new_with_params(&[DParameter::window_log_max(ZSTD_WINDOW_LOG)])),
            _ => return None,
        };
        Some(Self::Coded(Box::new(Coded::new(codec))))
    }
}

impl Coded {
    fn new(codec: Codec) -> Self {
        Self { codec, input: Bytes::new(), has_more: false, stage: Stage::Before, room: Vec::new(), empty: 0 }
    }

    /// The name of the coding.
    pub(crate) fn name(&self) -> &'static str {
        match self.codec {
            Codec::Gzip(_) => "gzip",
            Codec::Zlib(_) | Codec::Bare(_) => "deflate",
            Codec::Brotli(_) => "br",
            Codec::Zstd(_) => "zstd",
        }
    }

    /// More of the coded body. Only when [`pull`](Self::pull) had nothing left.
    pub(crate) fn push(&mut self, input: Bytes) {
        self.input = input;
    }

    /// The next decoded piece; nothing when more input is needed.
    pub(crate) fn pull(&mut self) -> io::Result<Option<Bytes>> {
        while !self.input.is_empty() || self.has_more {
            if !self.is_open()? {
                self.input.clear();
                return Ok(None);
            }
            self.room.resize(PIECE, 0);
            let mut output = WriteBuffer::new_initialized(&mut self.room);
            let mut input = PartialBuffer::new(&self.input[..]);
            let is_finished = match self.codec.open().decode(&mut input, &mut output) {
                // The last piece was just full: zlib calls it an error to be asked for the rest, of which there may
                // be a little or nothing. What is really broken is told with the next input, or at the end.
                Err(_) if self.input.is_empty() => false,
                decoded => decoded?,
            };
            let (read, written) = (input.written_len(), output.written_len());
            self.input.advance(read);
            self.has_more = written == PIECE && !is_finished;
            self.empty = if written > 0 { 0 } else { self.empty + u32::from(is_finished) };
            if self.empty > MOST_EMPTY {
                return Err(io::Error::other("it is made of parts without content"));
            }
            if is_finished {
                self.stage = Stage::Between;
            } else if read == 0 && written == 0 && !self.input.is_empty() {
                return Err(io::Error::other("the decoder makes no progress"));
            }
            if written >= SHORT {
                let mut piece = std::mem::take(&mut self.room);
                piece.truncate(written);
                return Ok(Some(piece.into()));
            }
            if written > 0 {
                return Ok(self.room.get(..written).map(Bytes::copy_from_slice));
            }
        }
        Ok(None)
    }

    /// After the last input: an error when the coded body is not whole.
    pub(crate) fn finish(&self) -> io::Result<()> {
        match self.stage {
            Stage::Inside => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends in the middle")),
            _ => Ok(()),
        }
    }

    /// Prepares the codec for the input at hand; false when that is not part of the body.
    fn is_open(&mut self) -> io::Result<bool> {
        match (self.stage, self.input.first()) {
            (Stage::Inside, _) => {}
            (Stage::Before, Some(first)) => {
                // zlib says "deflate" in the low half of its first byte, and a window of at most 32 KiB in the other.
                let is_zlib = first & 0x0f == 8 && first >> 4 <= 7;
                if matches!(self.codec, Codec::Zlib(_)) && !is_zlib {
                    self.codec = Codec::Bare(DeflateDecoder::new());
                }
                self.stage = Stage::Inside;
            }
            (Stage::Between, Some(first)) if self.codec.may_follow(*first) => {
                self.codec.open().reinit()?;
                self.stage = Stage::Inside;
            }
            _ => self.stage = Stage::After,
        }
        Ok(self.stage == Stage::Inside)
    }
}

impl Codec {
    fn open(&mut self) -> &mut dyn DecodeV2 {
        match self {
            Self::Gzip(codec) => codec,
            Self::Zlib(codec) => codec,
            Self::Bare(codec) => codec,
            Self::Brotli(codec) => codec,
            Self::Zstd(codec) => codec,
        }
    }

    /// Whether a member that starts with this byte may follow one that ended.
    fn may_follow(&self, first: u8) -> bool {
        match self {
            Self::Gzip(_) => first == 0x1f,
            Self::Zstd(_) => first == 0x28 || first & 0xf0 == 0x50,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use compression_codecs::brotli::params::EncoderParams;
    use compression_codecs::core::Level;
    use compression_codecs::{BrotliEncoder, DeflateEncoder, EncodeV2, GzipEncoder, ZlibEncoder, ZstdEncoder};

    use super::*;

    fn coded(mut encoder: impl EncodeV2, plain: &[u8]) -> Vec<u8> {
        let mut room = vec![0; 2 * plain.len() + 1_000];
        let mut output = WriteBuffer::new_initialized(&mut room);
        encoder.encode(&mut PartialBuffer::new(plain), &mut output).unwrap();
        assert!(encoder.finish(&mut output).unwrap());
        let length = output.written_len();
        room.truncate(length);
        room
    }

    fn decoded(coding: &str, parts: [&[u8]; 2]) -> io::Result<Vec<u8>> {
        let Some(Decoder::Coded(mut decoder)) = Decoder::of(coding) else { panic!("{coding} is not known") };
        let mut plain = Vec::new();
        for part in parts {
            decoder.push(Bytes::copy_from_slice(part));
            while let Some(piece) = decoder.pull()? {
                plain.extend_from_slice(&piece);
            }
        }
        decoder.finish()?;
        Ok(plain)
    }

    #[test]
    fn what_arrives_in_parts_is_decoded_wherever_they_end() {
        // Cannot be made shorter: each byte that arrives makes one more, and some part ends where a piece does.
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let plain: Vec<u8> = (0..PIECE + 2_000).map(|_| noise()).collect();
        for (coding, body) in [
            ("gzip", coded(GzipEncoder::new(Level::Fastest.into()), &plain)),
            ("deflate", coded(ZlibEncoder::new(Level::Fastest.into()), &plain)),
            ("deflate", coded(DeflateEncoder::new(Level::Fastest.into()), &plain)),
            ("br", coded(BrotliEncoder::new(EncoderParams::default().quality(Level::Fastest)), &plain)),
            ("zstd", coded(ZstdEncoder::new(3), &plain)),
        ] {
            for end in (0..100).chain(PIECE - 100..body.len().min(PIECE + 400)) {
                let (first, rest) = body.split_at(end);
                let found = decoded(coding, [first, rest]);
                let found = found.unwrap_or_else(|error| panic!("{coding} cut at {end}: {error}"));
                let same = found.iter().zip(&plain).take_while(|(a, b)| a == b).count();
                assert_eq!((found.len(), same), (plain.len(), plain.len()), "{coding} cut at {end}");
            }
        }
    }
}
