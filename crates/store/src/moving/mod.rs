//! Moving house: a library with its queue, and if wanted its files, from a data directory to a shared
//! database or back.
//!
//! First the tables, then words for all that is in them, then the queue, then files. Each is done again where
//! it was broken off, and compared with where it came from before the next begins: by how many rows there
//! are and by hashes of what is in them. Until all of it is done the new home is refused to everybody else.

mod files;
mod queue;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use facts::Timestamp;
use serde::{Deserialize, Serialize};

pub(crate) use self::queue::{Queued, Take};

use self::queue::Sums;
use crate::embedded::{IdleQueue as EmbeddedQueue, SqliteConnections, machine_time};
use crate::lock::WriterLock;
use crate::postgres::{IdleQueue as SharedQueue, Pool, Stillness};
use crate::rank::HostKey;
use crate::store::{FRONTIER, LIBRARY, make_directory};
use crate::tables::moving::{self as tables, MOVING, Shape, TABLES};
use crate::tables::{Connections, MEDIA_HOME};
use crate::{Options, Shelf, StoreError};

/// Visited addresses whose hosts are looked for at once.
const LOOKED_UP: usize = 500;

/// The least that every host rests after a move: nobody knows who asked it last.
const REST: Duration = Duration::from_secs(1);

/// Where a library is.
#[derive(Clone, Debug)]
pub enum Home {
    /// In a data directory.
    Directory(PathBuf),
    /// In a shared database; files that are in no bucket are in a directory.
    Database {
        /// `postgres://…`.
        url: String,
        /// The data directory.
        dir: PathBuf,
    },
}

/// What is moved.
#[derive(Clone, Debug)]
pub struct Move {
    /// From where.
    pub from: Home,
    /// To where, which has to be empty or half filled by the same move.
    pub to: Home,
    /// Where files go: a bucket (`s3://…`), or the media directory of the new home. Without it they stay
    /// where they are, but for those of a directory that are moved to another.
    pub media: Option<String>,
}

/// A part that was moved, and is the same in both homes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedPart {
    /// What it is.
    pub name: String,
    /// How many rows, or files.
    pub count: u64,
    /// Those of them that this run brought; the others were there.
    pub brought: u64,
    /// The beginning of a hash of all of it.
    pub hash: String,
}

/// What was moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Part by part.
    pub parts: Vec<MovedPart>,
    /// Addresses that were visited and of which nothing else is known any more: they may be visited again.
    pub unplaced: u64,
    /// Where files are now.
    pub files: String,
}

/// How far it came, for whoever waits.
#[derive(Clone, Debug)]
pub struct MoveProgress {
    /// The part that is being moved.
    pub part: String,
    /// How many of it came so far.
    pub count: u64,
}

/// What a new home remembers of the move.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    from: String,
    worded: bool,
}

enum Queue {
    Embedded(EmbeddedQueue),
    Shared(SharedQueue),
}

/// A home while nobody else works there.
struct Idle {
    label: String,
    connections: Connections,
    queue: Queue,
    dir: PathBuf,
    /// How a shared one was found: a directory is locked, a database is not.
    found: Option<Stillness>,
    _lock: Option<WriterLock>,
}

impl Idle {
    fn open(home: &Home) -> Result<Self, StoreError> {
        match home {
            Home::Directory(dir) => {
                make_directory(dir)?;
                let lock = WriterLock::take(dir, "migrate")?;
                let (connections, identity) = SqliteConnections::write(&dir.join(LIBRARY))?;
                let queue = EmbeddedQueue::open(&dir.join(FRONTIER), identity)?;
                Ok(Self {
                    label: format!("library {identity:x}"),
                    connections: Connections::Embedded(connections),
                    queue: Queue::Embedded(queue),
                    dir: dir.clone(),
                    found: None,
                    _lock: Some(lock),
                })
            }
            Home::Database { url, dir } => {
                let pool = Arc::new(Pool::open(url, Duration::ZERO, Options::default().lease)?);
                let label = pool.label().display().to_string();
                let queue = SharedQueue::open(Arc::clone(&pool));
                let (connections, found) = (Connections::Shared(pool), Some(queue.stillness()?));
                let idle =
                    Self { label, connections, queue: Queue::Shared(queue), dir: dir.clone(), found, _lock: None };
                idle.refuse_company()?;
                Ok(idle)
            }
        }
    }

    /// Refuses a home that somebody works in.
    fn refuse_company(&self) -> Result<(), StoreError> {
        let Queue::Shared(queue) = &self.queue else { return Ok(()) };
        match queue.at_work()?.into_iter().next() {
            Some(what) => Err(StoreError::AtWork { home: self.label.clone(), what }),
            None => Ok(()),
        }
    }

    /// Refuses a home that somebody worked in since it was opened, and may have left: what was copied before and
    /// after does not belong together.
    fn refuse_traces(&self) -> Result<(), StoreError> {
        let (Queue::Shared(queue), Some(found)) = (&self.queue, self.found) else { return Ok(()) };
        let now = queue.stillness()?;
        if now == found {
            return Ok(());
        }
        let what = if now.last_worker == found.last_worker { "its library changed" } else { "a process joined" };
        Err(StoreError::Disturbed { home: self.label.clone(), what: what.into() })
    }

    fn is_directory(&self) -> bool {
        matches!(self.queue, Queue::Embedded(_))
    }

    fn shelf(&self) -> Result<Shelf, StoreError> {
        let home = tables::setting(&self.connections, MEDIA_HOME)?;
        Shelf::at(&self.dir, home.and_then(|home| serde_json::from_str::<String>(&home).ok()).as_deref())
    }

    fn walk(&self, take: Take<'_>) -> Result<(), StoreError> {
        match &self.queue {
            Queue::Embedded(queue) => queue.walk(take),
            Queue::Shared(queue) => queue.walk(take),
        }
    }

    fn now(&self) -> Result<Timestamp, StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(machine_time()),
            Queue::Shared(queue) => queue.now(),
        }
    }

    fn unlike(&self, what: &str, from: &Self) -> StoreError {
        StoreError::Unlike { what: what.to_owned(), from: from.label.clone(), to: self.label.clone() }
    }
}

/// Moves house. Blocking; `told` hears how far it came.
pub fn move_house(order: &Move, told: &mut dyn FnMut(MoveProgress)) -> Result<Moved, StoreError> {
    if let Home::Directory(dir) = &order.from
        && !dir.join(LIBRARY).exists()
    {
        return Err(StoreError::Missing { dir: dir.clone() });
    }
    let (from, to) = (Idle::open(&order.from)?, Idle::open(&order.to)?);
    if tables::setting(&from.connections, MOVING)?.is_some() {
        return Err(StoreError::HalfMoved { home: from.label });
    }
    let mut note = enter(&from, &to)?;
    // From now on nobody joins there.
    to.refuse_company()?;
    let mut moved = Moved::default();
    move_tables(&from, &to, &mut moved, told)?;
    if !note.worded {
        word(&to, told)?;
        note.worded = true;
        tables::set(&to.connections, MOVING, Some(written(&note)))?;
    }
    move_queue(&from, &to, &mut moved, told)?;
    from.refuse_traces()?;
    let home = files::move_files(&from, &to, order.media.as_deref(), &mut moved, told)?;
    tables::set(&to.connections, MEDIA_HOME, home.map(|home| serde_json::Value::from(home).to_string()))?;
    moved.files = to.shelf()?.base().display().to_string();
    if order.media.is_none() && !to.is_directory() {
        moved.files = from.shelf()?.base().display().to_string();
    }
    from.refuse_traces()?;
    tables::set(&to.connections, MOVING, None)?;
    Ok(moved)
}

/// Marks the new home as one that is moved into; refuses one that holds something else.
fn enter(from: &Idle, to: &Idle) -> Result<Note, StoreError> {
    let noted = tables::setting(&to.connections, MOVING)?;
    let noted: Option<Note> = noted.and_then(|noted| serde_json::from_str(&noted).ok());
    match noted {
        Some(note) if note.from == from.label => Ok(note),
        None if !tables::holds_something(&to.connections)? => {
            let note = Note { from: from.label.clone(), worded: false };
            tables::set(&to.connections, MOVING, Some(written(&note)))?;
            Ok(note)
        }
        _ => Err(StoreError::Inhabited { home: to.label.clone() }),
    }
}

fn written(note: &Note) -> String {
    serde_json::to_string(note).unwrap_or_default()
}

fn move_tables(
    from: &Idle,
    to: &Idle,
    moved: &mut Moved,
    told: &mut dyn FnMut(MoveProgress),
) -> Result<(), StoreError> {
    let embedded = match (&from.connections, &to.connections) {
        (embedded @ Connections::Embedded(_), _) | (_, embedded @ Connections::Embedded(_)) => embedded,
        _ => return Err(StoreError::SameKind),
    };
    let shapes = TABLES.iter().map(|table| Shape::of(embedded, table)).collect::<Result<Vec<_>, _>>()?;
    for (table, shape) in TABLES.iter().zip(&shapes) {
        let mut brought = 0;
        shape.copy(&from.connections, &to.connections, |more| {
            brought += more;
            told(MoveProgress { part: (*table).to_owned(), count: brought });
        })?;
        shape.set_numbers(&from.connections, &to.connections)?;
        let (count, hash) = shape.sum(&from.connections)?;
        if shape.sum(&to.connections)? != (count, hash.clone()) {
            return Err(to.unlike(table, from));
        }
        moved.parts.push(MovedPart { name: (*table).to_owned(), count, brought, hash });
    }
    Ok(())
}

/// Words everything in the new home.
fn word(to: &Idle, told: &mut dyn FnMut(MoveProgress)) -> Result<(), StoreError> {
    tables::begin_wording(&to.connections)?;
    let mut count = 0;
    while tables::word_some(&to.connections)? {
        count += 1;
        told(MoveProgress { part: "batches of words".into(), count });
    }
    Ok(())
}

fn move_queue(from: &Idle, to: &Idle, moved: &mut Moved, told: &mut dyn FnMut(MoveProgress)) -> Result<(), StoreError> {
    let rested = to.now()?.max(from.now()?);
    let mut left = Sums::default();
    let mut visited = Vec::new();
    let mut count = 0;
    {
        let mut filling = Filling::of(&to.queue);
        let mut arrive = |part: Queued, left: &mut Sums| {
            let part = match part {
                Queued::Clock { host, ready_at, delay, failures } => {
                    let ready_at = ready_at.max(rested + delay.unwrap_or_default().max(REST));
                    Queued::Clock { host, ready_at, delay, failures }
                }
                part => part,
            };
            left.add(&part)?;
            count += 1;
            if count % 10_000 == 0 {
                told(MoveProgress { part: part.name().to_owned(), count });
            }
            filling.take(part)
        };
        let mut unplaced = 0;
        from.walk(&mut |part| match part {
            Queued::Visited { crawl, id, rounds, host: None } if matches!(to.queue, Queue::Shared(_)) => {
                visited.push((crawl, id, rounds));
                if visited.len() < LOOKED_UP {
                    return Ok(());
                }
                unplaced += place(from, std::mem::take(&mut visited), &mut |part| arrive(part, &mut left))?;
                Ok(())
            }
            part => arrive(part, &mut left),
        })?;
        unplaced += place(from, visited, &mut |part| arrive(part, &mut left))?;
        moved.unplaced = unplaced;
        filling.finish()?;
    }
    let mut there = Sums::default();
    to.walk(&mut |part| there.add(&part))?;
    for (name, sum) in &left.0 {
        if there.0.get(name) != Some(sum) {
            return Err(to.unlike(name, from));
        }
        let (count, hash) = *sum;
        let hash = format!("{:016x}", (hash >> 64) as u64);
        moved.parts.push(MovedPart { name: (*name).to_owned(), count, brought: count, hash });
    }
    if there.0.len() != left.0.len() {
        return Err(to.unlike("the queue", from));
    }
    Ok(())
}

/// Finds the hosts of addresses that were visited; gives how many are not known any more.
fn place(from: &Idle, visited: Vec<(u32, [u8; 16], u32)>, arrive: Take<'_>) -> Result<u64, StoreError> {
    let mut unplaced = 0;
    for of_crawl in visited.chunk_by(|a, b| a.0 == b.0) {
        let Some((crawl, ..)) = of_crawl.first() else { continue };
        let ids: Vec<[u8; 16]> = of_crawl.iter().map(|(_, id, _)| *id).collect();
        let hosts: std::collections::HashMap<[u8; 16], HostKey> =
            tables::hosts_of(&from.connections, *crawl, &ids)?.into_iter().collect();
        for (crawl, id, rounds) in of_crawl {
            match hosts.get(id) {
                Some(host) => arrive(Queued::Visited { crawl: *crawl, id: *id, rounds: *rounds, host: Some(*host) })?,
                None => unplaced += 1,
            }
        }
    }
    Ok(unplaced)
}

enum Filling<'a> {
    Embedded(crate::embedded::Filling<'a>),
    Shared(crate::postgres::Filling<'a>),
}

impl<'a> Filling<'a> {
    fn of(queue: &'a Queue) -> Self {
        match queue {
            Queue::Embedded(queue) => Self::Embedded(queue.filling()),
            Queue::Shared(queue) => Self::Shared(queue.filling()),
        }
    }

    fn take(&mut self, part: Queued) -> Result<(), StoreError> {
        match self {
            Self::Embedded(filling) => filling.take(part),
            Self::Shared(filling) => filling.take(part),
        }
    }

    fn finish(self) -> Result<(), StoreError> {
        match self {
            Self::Embedded(filling) => filling.finish(),
            Self::Shared(filling) => filling.finish(),
        }
    }
}
