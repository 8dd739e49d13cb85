//! Pictures, films and sounds: what is known about each, and their bytes.

pub(crate) mod clip;
pub(crate) mod decor;
pub(crate) mod exif;
mod files;
mod jpeg;
mod photo;
pub(crate) mod picture;
mod scene;

pub use self::photo::Photo;

use std::sync::Mutex;

use bytes::Bytes;
use lru::LruCache;

/// Encoded files kept so that a range request does not draw its picture again.
pub(crate) struct Files {
    kept: Mutex<Kept>,
}

struct Kept {
    files: LruCache<u64, Bytes>,
    bytes: usize,
}

/// All kept files together have at most so many bytes.
const KEPT_BYTES: usize = 64 << 20;

impl Files {
    pub fn new() -> Self {
        Self { kept: Mutex::new(Kept { files: LruCache::unbounded(), bytes: 0 }) }
    }

    /// The file with this key, made if it is not kept. Two threads may make the same file at
    /// once: it comes out the same.
    pub fn get(&self, key: u64, make: impl FnOnce() -> Vec<u8>) -> Bytes {
        if let Ok(mut kept) = self.kept.lock()
            && let Some(file) = kept.files.get(&key)
        {
            return file.clone();
        }
        let file = Bytes::from(make());
        if let Ok(mut kept) = self.kept.lock() {
            kept.bytes += file.len();
            if let Some(old) = kept.files.put(key, file.clone()) {
                kept.bytes -= old.len();
            }
            while kept.bytes > KEPT_BYTES {
                let Some((_, oldest)) = kept.files.pop_lru() else { break };
                kept.bytes -= oldest.len();
            }
        }
        file
    }
}
