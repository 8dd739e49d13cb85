//! The bytes of a file as they come in: in memory while there is room, on disk otherwise.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use facts::HostName;
use store::{FileDraft, Files, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Files up to this size are gathered in memory: most pictures are, and cost one write.
const SMALL: u64 = 2 << 20;
/// What all files together may hold of memory, in units of [`UNIT`].
const ROOM: usize = 64 << 20;
const UNIT: usize = 64 << 10;
/// The largest file on disk that is read as a whole to be looked at, and what all of those may hold of
/// memory together.
pub(crate) const LARGEST_WHOLE: u64 = 64 << 20;
pub(crate) static WHOLE: decode::Room = decode::Room::new(LARGEST_WHOLE);
/// Bytes of a file on disk gathered before they are written.
const PIECE: usize = 256 << 10;

/// The memory that files being fetched share.
#[derive(Clone)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(ROOM / UNIT)))
    }

    /// Room for so many bytes, if there is any.
    fn take(&self, bytes: u64) -> Option<OwnedSemaphorePermit> {
        let units = u32::try_from(bytes.div_ceil(UNIT as u64)).ok()?;
        (bytes <= SMALL).then(|| Arc::clone(&self.0).try_acquire_many_owned(units.max(1)).ok()).flatten()
    }
}

/// A file being gathered.
pub(crate) struct Gathering {
    room: Room,
    files: Files,
    host: HostName,
    held: Option<OwnedSemaphorePermit>,
    /// How much may be held in memory.
    most: u64,
    memory: BytesMut,
    draft: Option<FileDraft>,
    size: u64,
}

/// A file that is here as a whole.
pub(crate) enum Gathered {
    /// In memory, and the room it takes.
    Memory(Bytes, Option<OwnedSemaphorePermit>),
    /// On disk.
    Draft(FileDraft),
}

impl Gathering {
    /// A file of this length, where it is known.
    pub fn new(room: &Room, files: &Files, host: HostName, length: Option<u64>) -> Self {
        // Most servers say how long a file is; one that does not gets room for a usual picture.
        let most = length.unwrap_or(SMALL / 4);
        let held = room.take(most);
        let most = if held.is_some() { most.next_multiple_of(UNIT as u64) } else { 0 };
        let memory = BytesMut::new();
        Self { room: room.clone(), files: files.clone(), host, held, most, memory, draft: None, size: 0 }
    }

    /// Bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.size += bytes.len() as u64;
        self.memory.extend_from_slice(bytes);
        let fits = self.draft.is_none() && self.size <= self.most;
        if !fits && self.memory.len() >= PIECE { self.spill().await } else { Ok(()) }
    }

    async fn spill(&mut self) -> Result<(), StoreError> {
        let (files, host, draft, bytes) =
            (self.files.clone(), self.host.clone(), self.draft.take(), self.memory.split());
        let draft = on_disk(move || {
            let mut draft = draft.map_or_else(|| files.draft(&host), Ok)?;
            draft.write(&bytes).map(|()| draft)
        });
        self.draft = Some(draft.await?);
        self.held = None;
        Ok(())
    }

    pub async fn finish(mut self) -> Result<Gathered, StoreError> {
        if self.draft.is_none() && self.size > self.most && self.held.is_none() {
            // Grown beyond what was set aside for it: small enough, it may still stay in memory.
            self.held = self.room.take(self.size);
        }
        if self.draft.is_none() && self.held.is_some() {
            return Ok(Gathered::Memory(self.memory.freeze(), self.held));
        }
        self.spill().await?;
        match self.draft {
            Some(draft) => Ok(Gathered::Draft(draft)),
            None => Ok(Gathered::Memory(self.memory.freeze(), None)),
        }
    }
}

/// File work away from the threads that wait for the network.
pub(crate) async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}
