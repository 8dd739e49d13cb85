//! The keyspaces of the queue, and the changes written to them at once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use fjall::config::{PartitioningPolicy, PinningPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode, Slice};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{StoreError, open_files};

/// A keyspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    /// Version, clean mark, and a [`CrawlRow`](super::rows::CrawlRow) per crawl.
    Meta,
    /// Every address of a crawl.
    Known,
    /// Waiting addresses by host.
    Queue,
    /// What waits, by crawl and host.
    Backlog,
    /// Hosts that are not in memory and may be asked, best first.
    Ready,
    /// Hosts that are not in memory and rest, soonest first.
    Resting,
    /// Politeness clocks.
    Hosts,
    /// Pages by shape of address.
    Templates,
    /// robots.txt and its like.
    Origins,
    /// Budgets that were used up.
    Overruns,
}

impl Space {
    const ALL: [(Self, &str); 10] = [
        (Self::Meta, "meta"),
        (Self::Known, "known"),
        (Self::Queue, "queue"),
        (Self::Backlog, "backlog"),
        (Self::Ready, "ready"),
        (Self::Resting, "resting"),
        (Self::Hosts, "hosts"),
        (Self::Templates, "templates"),
        (Self::Origins, "origins"),
        (Self::Overruns, "overruns"),
    ];

    /// Measured at 5 million known and as many queued: with filters and index blocks pinned whole
    /// an absent key costs 4 µs, without 277 µs; small memtables keep memory flat.
    fn options(self) -> KeyspaceCreateOptions {
        let memtable = match self {
            Self::Known | Self::Queue => 8 << 20,
            _ => 2 << 20,
        };
        KeyspaceCreateOptions::default()
            .max_memtable_size(memtable)
            .filter_block_pinning_policy(PinningPolicy::all(true))
            .index_block_pinning_policy(PinningPolicy::all(true))
            .filter_block_partitioning_policy(PartitioningPolicy::all(false))
            .index_block_partitioning_policy(PartitioningPolicy::all(false))
    }
}

const CACHE: u64 = 16 << 20;
const JOURNALS: u64 = 64 << 20;

/// The open database.
pub(super) struct Spaces {
    path: PathBuf,
    db: Database,
    keyspaces: Vec<Keyspace>,
}

impl Spaces {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let there = path.try_exists().map_err(|error| StoreError::io(path, &error))?;
        if !there {
            Self::make(path)?;
        }
        Self::open_at(path)
    }

    /// Makes an empty one. The database makes its files one after the other and takes what a kill left of them for
    /// damage: so they are made elsewhere, and are there when all of them are.
    fn make(path: &Path) -> Result<(), StoreError> {
        let failed = |error: std::io::Error| StoreError::io(path, &error);
        let unfinished = path.with_extension("new");
        match fs::remove_dir_all(&unfinished) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        drop(Self::open_at(&unfinished)?);
        fs::rename(&unfinished, path).map_err(failed)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent).and_then(|parent| parent.sync_all()).map_err(failed)
    }

    fn open_at(path: &Path) -> Result<Self, StoreError> {
        let open = || {
            let db = Database::builder(path)
                .cache_size(CACHE)
                .max_journaling_size(JOURNALS)
                .max_cached_files(Some(open_files::for_the_queue()))
                .worker_threads(2)
                .open()?;
            let keyspaces = Space::ALL.map(|(space, name)| db.keyspace(name, || space.options()));
            Ok((db, keyspaces.into_iter().collect::<Result<_, _>>()?))
        };
        // Some damage makes the database panic instead of saying so.
        match catch_unwind(AssertUnwindSafe(open)) {
            Ok(Ok((db, keyspaces))) => Ok(Self { path: path.to_owned(), db, keyspaces }),
            Ok(Err(error)) => Err(StoreError::fjall(path, &error)),
            Err(_) => Err(StoreError::Damaged { path: path.to_owned(), reason: "it cannot be opened".into() }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn failed(&self, error: &fjall::Error) -> StoreError {
        StoreError::fjall(&self.path, error)
    }

    /// The error for a value that does not read as what its key says.
    pub fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), reason: reason.into() }
    }

    fn keyspace(&self, space: Space) -> &Keyspace {
        &self.keyspaces[space as usize]
    }

    pub fn get(&self, space: Space, key: &[u8]) -> Result<Option<Slice>, StoreError> {
        self.keyspace(space).get(key).map_err(|error| self.failed(&error))
    }

    pub fn read<T: DeserializeOwned>(&self, space: Space, key: &[u8]) -> Result<Option<T>, StoreError> {
        self.get(space, key)?.map(|bytes| self.decode(space, &bytes)).transpose()
    }

    fn decode<T: DeserializeOwned>(&self, space: Space, bytes: &[u8]) -> Result<T, StoreError> {
        postcard::from_bytes(bytes).map_err(|error| self.damaged(format!("a row of {space:?} does not read: {error}")))
    }

    /// Writes one value by itself.
    pub fn put<T: Serialize>(&self, space: Space, key: &[u8], value: &T) -> Result<(), StoreError> {
        let value = self.encode(space, value)?;
        self.keyspace(space).insert(key, value).map_err(|error| self.failed(&error))
    }

    fn encode<T: Serialize>(&self, space: Space, value: &T) -> Result<Vec<u8>, StoreError> {
        postcard::to_stdvec(value)
            .map_err(|error| self.damaged(format!("a row of {space:?} cannot be written: {error}")))
    }

    /// At most `most` keys under a prefix, from one on, that `read` makes something of.
    pub fn keys<T>(
        &self,
        space: Space,
        prefix: &[u8],
        from: &[u8],
        most: usize,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        let upper = next_prefix(prefix);
        let range = (Bound::Included(from), upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded));
        for guard in self.keyspace(space).range::<&[u8], _>(range) {
            if found.len() >= most {
                break;
            }
            let key = guard.key().map_err(|error| self.failed(&error))?;
            found.extend(read(&key));
        }
        Ok(found)
    }

    /// At most `most` values under a prefix.
    pub fn values<T: DeserializeOwned>(&self, space: Space, prefix: &[u8], most: usize) -> Result<Vec<T>, StoreError> {
        let guards = self.keyspace(space).prefix(prefix).take(most);
        guards.map(|guard| self.decode(space, &guard.value().map_err(|error| self.failed(&error))?)).collect()
    }

    /// Every key and value of a keyspace.
    pub fn each(
        &self,
        space: Space,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for guard in self.keyspace(space).iter() {
            let (key, value) = guard.into_inner().map_err(|error| self.failed(&error))?;
            visit(&key, &value)?;
        }
        Ok(())
    }

    /// Everything written so far is on the disk, not only with the system.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.db.persist(PersistMode::SyncAll).map_err(|error| self.failed(&error))
    }

    pub fn changes(&self) -> Changes<'_> {
        Changes { spaces: self, writes: HashMap::new() }
    }
}

/// The first key after all keys with this prefix.
fn next_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut next = prefix[..=last].to_vec();
    next[last] += 1;
    Some(next)
}

/// How safe changes are when [`Changes::commit`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Safe {
    /// From a kill of the process.
    FromKill,
    /// From a loss of power.
    FromPowerLoss,
}

/// Changes that are written all or not at all, and can be read before they are. A key has one
/// place here however often it changes: the database would not keep two writes of one batch apart.
pub(super) struct Changes<'a> {
    spaces: &'a Spaces,
    writes: HashMap<(Space, Vec<u8>), Option<Vec<u8>>>,
}

impl Changes<'_> {
    pub fn put_bytes(&mut self, space: Space, key: &[u8], value: Vec<u8>) {
        self.writes.insert((space, key.to_vec()), Some(value));
    }

    pub fn put<T: Serialize>(&mut self, space: Space, key: &[u8], value: &T) -> Result<(), StoreError> {
        let value = self.spaces.encode(space, value)?;
        self.put_bytes(space, key, value);
        Ok(())
    }

    pub fn remove(&mut self, space: Space, key: &[u8]) {
        self.writes.insert((space, key.to_vec()), None);
    }

    /// The value as it will be.
    pub fn read<T: DeserializeOwned>(&self, space: Space, key: &[u8]) -> Result<Option<T>, StoreError> {
        match self.writes.get(&(space, key.to_vec())) {
            Some(Some(bytes)) => self.spaces.decode(space, bytes).map(Some),
            Some(None) => Ok(None),
            None => self.spaces.read(space, key),
        }
    }

    pub fn len(&self) -> usize {
        self.writes.len()
    }

    pub fn commit(self, safe: Safe) -> Result<(), StoreError> {
        let mode = match safe {
            Safe::FromKill => PersistMode::Buffer,
            Safe::FromPowerLoss => PersistMode::SyncData,
        };
        let spaces = self.spaces;
        let mut batch = spaces.db.batch().durability(Some(mode));
        for ((space, key), value) in self.writes {
            match value {
                Some(value) => batch.insert(spaces.keyspace(space), key, value),
                None => batch.remove(spaces.keyspace(space), key),
            }
        }
        batch.commit().map_err(|error| spaces.failed(&error))
    }
}
