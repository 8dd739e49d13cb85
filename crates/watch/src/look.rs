//! Looking at one file: which version it is, and what is in it. Nothing outside of the folder is
//! read, whatever its names lead to.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use facts::Timestamp;
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::book::Look;

/// Bytes of a file that are read; what is behind them is not looked at.
pub(crate) const LONGEST: u64 = 4 << 20;

/// Which version a file is, by its times and size.
pub(crate) fn look(meta: &Metadata) -> Look {
    let mut hash = Sha256::new();
    for number in [meta.mtime(), meta.mtime_nsec(), meta.size() as i64] {
        hash.update(number.to_le_bytes());
    }
    let modified = meta.mtime().saturating_mul(1000).saturating_add(meta.mtime_nsec() / 1_000_000);
    Look { mark: short(&hash.finalize()), modified: Timestamp(modified) }
}

/// The content of a file, as far as it is read, and which version that was; nothing when it is not a
/// plain file, cannot be read, or is being written.
pub(crate) fn content(path: &Path) -> std::io::Result<Option<(Vec<u8>, Look)>> {
    // A pipe must not stop us, a link not lead us astray.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let mut file = File::options().read(true).custom_flags(flags as i32).open(path)?;
    let before = file.metadata()?;
    if !before.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(before.len().min(LONGEST) as usize);
    Read::by_ref(&mut file).take(LONGEST).read_to_end(&mut bytes)?;
    let (before, after) = (look(&before), look(&file.metadata()?));
    Ok((before == after).then_some((bytes, after)))
}

/// What tells a content from others; never 0. Of one that is longer than what is read, the version
/// counts too.
pub(crate) fn hash(bytes: &[u8], look: Look) -> u64 {
    let mut hash = Sha256::new();
    hash.update(bytes);
    if bytes.len() as u64 >= LONGEST {
        hash.update(look.mark.to_le_bytes());
    }
    short(&hash.finalize()).max(1)
}

fn short(hash: &[u8]) -> u64 {
    hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_pipes_and_folders_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(at("secret"), at("link.html")).unwrap();
        assert!(content(&at("link.html")).is_err());
        assert!(!matches!(content(folder.path()), Ok(Some(_))));
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe.html"), kind, mode, 0).unwrap();
        assert!(matches!(content(&at("pipe.html")), Ok(None)));
        assert_eq!(content(&at("secret")).unwrap().unwrap().0, b"secret");
    }

    #[test]
    fn a_huge_file_costs_no_more_than_what_is_read_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.html");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 30).unwrap();
        let (bytes, first) = content(&path).unwrap().unwrap();
        assert_eq!(bytes.len() as u64, LONGEST);
        // A change behind what is read is one too.
        file.set_len((1 << 30) + 1).unwrap();
        let (again, second) = content(&path).unwrap().unwrap();
        assert_ne!(hash(&bytes, first), hash(&again, second));
    }
}
