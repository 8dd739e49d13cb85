//! Local files on their way into the library.

use std::fmt::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{MediaFile, Refused, StoreError};

/// The host that imported files are counted under. No name that can be looked up has brackets.
pub(crate) const IMPORTED: &str = "(imported)";

/// A local file that was looked at.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// Where it is: an absolute path.
    pub source: String,
    /// Bytes.
    pub size: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub modified: i64,
    /// What is said about it: its name, the folder it is in …
    pub description: String,
    /// The file as the library keeps it, or why it does not.
    pub outcome: Result<MediaFile, Refused>,
}

/// What came of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Files whose content is new to the library.
    pub new: u64,
    /// Files whose content was there already.
    pub known: u64,
    /// Files that were not taken.
    pub refused: u64,
    /// Files that may not come back, by their path or by their content.
    pub forgotten: u64,
}

/// The address of a local file, and the first half of the SHA-256 that identifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileAddress {
    pub url: String,
    pub id: [u8; 16],
}

impl FileAddress {
    /// `file:///home/me/a%20picture.jpg` for an absolute path.
    pub fn of(path: &str) -> Result<Self, StoreError> {
        if !Path::new(path).is_absolute() {
            return Err(StoreError::NotAbsolute { path: path.into() });
        }
        let mut url = String::with_capacity(path.len() + 8);
        url.push_str("file://");
        for byte in path.bytes() {
            // Unreserved characters and the separator (RFC 3986 §2.3).
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                url.push(byte.into());
            } else {
                let _ = write!(url, "%{byte:02X}");
            }
        }
        let hash: [u8; 32] = Sha256::digest(url.as_bytes()).into();
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Ok(Self { url, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_addresses() {
        for (path, url) in [
            ("/home/me/a.jpg", "file:///home/me/a.jpg"),
            ("/a b/100%.jpg", "file:///a%20b/100%25.jpg"),
            ("/kůň?#.png", "file:///k%C5%AF%C5%88%3F%23.png"),
        ] {
            assert_eq!(FileAddress::of(path).unwrap().url, url);
        }
        assert!(matches!(FileAddress::of("a.jpg"), Err(StoreError::NotAbsolute { .. })));
        assert_ne!(FileAddress::of("/a").unwrap().id, FileAddress::of("/b").unwrap().id);
    }
}
