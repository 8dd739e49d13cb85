//! Reading `.osm.pbf`: blocks of a file, and fields of its messages. Everything is bounded, and whatever
//! is not as it should be ends the reading.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::ZlibDecoder;

use crate::GazetteerError;

/// Most bytes of a block's header, and of a block, as the format has it.
const HEADER: usize = 64 << 10;
const BLOCK: usize = 32 << 20;

/// The blocks of a file.
pub(crate) struct Blocks {
    path: std::path::PathBuf,
    file: BufReader<File>,
    /// Bytes read so far.
    pub(crate) read: u64,
    first: bool,
}

impl Blocks {
    pub(crate) fn open(path: &Path) -> Result<Self, GazetteerError> {
        let file = File::open(path).map_err(GazetteerError::file(path))?;
        Ok(Self { path: path.to_owned(), file: BufReader::with_capacity(1 << 18, file), read: 0, first: true })
    }

    /// The next block of data, unpacked.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, GazetteerError> {
        loop {
            let mut length = [0; 4];
            match self.file.read_exact(&mut length) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !self.first => return Ok(None),
                Err(_) => return Err(self.wrong("is empty")),
            }
            let header = self.bytes(u32::from_be_bytes(length) as usize, HEADER)?;
            let (mut kind, mut size) = (Vec::new(), 0usize);
            for field in Fields(&header) {
                match field.ok_or_else(|| self.wrong("has a damaged block"))? {
                    (1, Field::Bytes(bytes)) => kind = bytes.to_vec(),
                    (3, Field::Number(number)) => size = usize::try_from(number).unwrap_or(usize::MAX),
                    _ => {}
                }
            }
            let blob = self.bytes(size, BLOCK)?;
            self.read += 4 + header.len() as u64 + blob.len() as u64;
            if std::mem::take(&mut self.first) && kind != b"OSMHeader" {
                return Err(self.wrong("is no .osm.pbf file"));
            }
            let data = self.unpack(&blob)?;
            if kind == b"OSMData" {
                return Ok(Some(data));
            }
        }
    }

    fn bytes(&mut self, length: usize, most: usize) -> Result<Vec<u8>, GazetteerError> {
        if length > most {
            return Err(self.wrong("is no .osm.pbf file, or a block of it is damaged"));
        }
        let mut bytes = vec![0; length];
        self.file.read_exact(&mut bytes).map_err(|_| self.wrong("ends in the middle of a block"))?;
        Ok(bytes)
    }

    fn unpack(&self, blob: &[u8]) -> Result<Vec<u8>, GazetteerError> {
        for field in Fields(blob) {
            match field.ok_or_else(|| self.wrong("has a damaged block"))? {
                (1, Field::Bytes(raw)) => return Ok(raw.to_vec()),
                (3, Field::Bytes(packed)) => {
                    let mut data = Vec::new();
                    let unpacked = ZlibDecoder::new(packed).take(BLOCK as u64 + 1).read_to_end(&mut data);
                    return match unpacked {
                        Ok(length) if length <= BLOCK => Ok(data),
                        _ => Err(self.wrong("has a block that cannot be unpacked")),
                    };
                }
                (4..=7, Field::Bytes(_)) => {
                    return Err(self.wrong("is not packed with zlib; write it anew with `osmium cat`"));
                }
                _ => {}
            }
        }
        Ok(Vec::new())
    }

    pub(crate) fn wrong(&self, why: &str) -> GazetteerError {
        GazetteerError::source(&self.path, why)
    }
}

/// A field's content.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

/// The fields of a message; `None` where it is damaged, and nothing after that.
pub(crate) struct Fields<'m>(pub(crate) &'m [u8]);

impl<'m> Fields<'m> {
    fn field(&mut self) -> Option<(u64, Field<'m>)> {
        let tag = varint(&mut self.0)?;
        let take = |rest: &mut &'m [u8], length: usize| {
            let (bytes, after) = rest.split_at_checked(length)?;
            *rest = after;
            Some(bytes)
        };
        let content = match tag & 7 {
            0 => Field::Number(varint(&mut self.0)?),
            1 => Field::Bytes(take(&mut self.0, 8)?),
            2 => {
                let length = usize::try_from(varint(&mut self.0)?).ok()?;
                Field::Bytes(take(&mut self.0, length)?)
            }
            5 => Field::Bytes(take(&mut self.0, 4)?),
            _ => return None,
        };
        Some((tag >> 3, content))
    }
}

impl<'m> Iterator for Fields<'m> {
    type Item = Option<(u64, Field<'m>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

/// A number at the beginning of bytes, which then begin after it.
pub(crate) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A signed number, zigzag.
pub(crate) fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
