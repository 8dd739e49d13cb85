//! One writer at a time in a data directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::StoreError;

const NAME: &str = "writer.lock";

/// What a writer says of itself to whoever comes second.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    what: String,
    /// Milliseconds since 1970.
    since: u64,
}

/// The right to write, until dropped or killed: the system lets go of the lock with the process.
#[derive(Debug)]
pub(crate) struct WriterLock(#[expect(dead_code, reason = "held for its lock")] File);

impl WriterLock {
    pub fn take(dir: &Path, what: &str) -> Result<Self, StoreError> {
        let path = dir.join(NAME);
        let failed = |error: &std::io::Error| StoreError::io(&path, error);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read_holder(&mut file);
                return Err(StoreError::InUse { dir: dir.to_owned(), pid: holder.pid, what: holder.what });
            }
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let holder =
            Holder { pid: std::process::id(), what: what.to_owned(), since: u64::try_from(since).unwrap_or(0) };
        let text = serde_json::to_string(&holder).unwrap_or_default();
        let mut write = || {
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(text.as_bytes())
        };
        write().map_err(|error| failed(&error))?;
        Ok(Self(file))
    }
}

fn read_holder(file: &mut File) -> Holder {
    let mut text = String::new();
    // The holder may be writing its name just now: then it goes unnamed.
    let _ = file.take(4096).read_to_string(&mut text);
    serde_json::from_str(&text).unwrap_or_else(|_| Holder { what: "just started".into(), ..Holder::default() })
}
