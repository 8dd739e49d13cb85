//! Content codings, decoded piece by piece: whatever the input, one step makes at most one piece.

use std::io;

use bytes::{Buf, Bytes};
use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::zstd::params::DParameter;
use compression_codecs::{BrotliDecoder, DecodeV2, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};

/// The size of a decoded piece.
const PIECE: usize = 32 * 1024;

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
        Some(Self::Coded(Box::new(Coded { codec, input: Bytes::new(), has_more: false, stage: Stage::Before })))
    }
}

impl Coded {
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
            let mut piece = vec![0; PIECE];
            let mut output = WriteBuffer::new_initialized(&mut piece);
            let mut input = PartialBuffer::new(&self.input[..]);
            let is_finished = self.codec.open().decode(&mut input, &mut output)?;
            let (read, written) = (input.written_len(), output.written_len());
            self.input.advance(read);
            self.has_more = written == PIECE && !is_finished;
            if is_finished {
                self.stage = Stage::Between;
            } else if read == 0 && written == 0 && !self.input.is_empty() {
                return Err(io::Error::other("the decoder makes no progress"));
            }
            if written > 0 {
                piece.truncate(written);
                return Ok(Some(piece.into()));
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
