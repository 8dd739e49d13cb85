//! WebDataset: one tar archive with, for each item, its file, its record and its words under one name.
//!
//! Programs that train on pictures read it from front to back. Everything up to the first dot of a name is
//! the same for what belongs together.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use crate::Record;

/// Bytes of a block of an archive.
const BLOCK: usize = 512;

/// The largest file that a plain header can speak of.
const LARGEST: u64 = 0o77_777_777_777;

/// Writes an item, whose file is at `path`; not when that is gone or is no file any more.
pub(crate) fn sample(out: &mut impl Write, record: &Record<'_>, path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => return Ok(false),
        Err(error) => return Err(error),
    };
    let about = file.metadata()?;
    if !about.is_file() || about.len() > LARGEST {
        return Ok(false);
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).filter(|ending| is_plain(ending));
    let seconds = u64::try_from(record.first_seen / 1_000).unwrap_or(0);
    let entry = |ending: &str, size| header(&format!("{}.{}", record.id, ending.to_ascii_lowercase()), size, seconds);
    out.write_all(&entry(ending.unwrap_or(record.format), about.len())?)?;
    let copied = io::copy(&mut file.take(about.len()), out)?;
    if copied < about.len() {
        return Err(io::Error::new(ErrorKind::UnexpectedEof, format!("{} became shorter", path.display())));
    }
    pad(out, copied)?;
    let said = match record.description {
        "" => record.title.or(record.caption).unwrap_or_default(),
        said => said,
    };
    for (ending, bytes) in [("json", serde_json::to_vec(record)?), ("txt", said.as_bytes().to_vec())] {
        out.write_all(&entry(ending, bytes.len() as u64)?)?;
        out.write_all(&bytes)?;
        pad(out, bytes.len() as u64)?;
    }
    Ok(true)
}

pub(crate) fn end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

fn is_plain(ending: &str) -> bool {
    (1..=8).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn pad(out: &mut impl Write, written: u64) -> io::Result<()> {
    let over = (written % BLOCK as u64) as usize;
    if over == 0 { Ok(()) } else { out.write_all(&[0; BLOCK][over..]) }
}

/// The header of a file, as POSIX has it (ustar).
fn header(name: &str, size: u64, seconds: u64) -> io::Result<[u8; BLOCK]> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| match block.get_mut(at..at + bytes.len()) {
        Some(place) => place.copy_from_slice(bytes),
        None => debug_assert!(false, "{at}"),
    };
    if name.len() > 99 {
        return Err(io::Error::new(ErrorKind::InvalidInput, format!("{name} is too long for an archive")));
    }
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, format!("{:011o}\0", seconds.min(LARGEST)).as_bytes());
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let sum = format!("{sum:06o}\0 ");
    block[148..156].copy_from_slice(sum.as_bytes());
    Ok(block)
}
