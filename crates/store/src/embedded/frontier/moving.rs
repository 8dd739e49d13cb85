//! The queue taken out of its store, and put into one.

use std::path::Path;
use std::time::Duration;

use facts::Timestamp;

use super::keys::{self, HostKey, Lane};
use super::queue::crawl_row_key;
use super::rows::{BacklogRow, Counts, CrawlRow, HostRow, Known, Row, RowRef};
use super::spaces::{Changes, Safe, Space, Spaces};
use super::state::{CLEAN_KEY, DELAY_KEY, LIBRARY_KEY, VERSION, VERSION_KEY};
use crate::moving::{Queued, Take};
use crate::{CrawlId, StoreError};

/// Rows written at once.
const BATCH: usize = 5_000;

/// The queue of a data directory while nobody works on it.
pub(crate) struct IdleQueue(Spaces);

impl IdleQueue {
    /// Opens or makes the queue of a library.
    pub fn open(path: &Path, library: i32) -> Result<Self, StoreError> {
        let spaces = Spaces::open(path)?;
        match spaces.read::<i32>(Space::Meta, LIBRARY_KEY)? {
            Some(known) if known != library => return Err(spaces.damaged("it belongs to another library.db")),
            Some(_) => {}
            None => {
                spaces.put(Space::Meta, LIBRARY_KEY, &library)?;
                spaces.put(Space::Meta, VERSION_KEY, &VERSION)?;
            }
        }
        Ok(Self(spaces))
    }

    /// Gives every part of it.
    pub fn walk(&self, take: Take<'_>) -> Result<(), StoreError> {
        let spaces = &self.0;
        let damaged = || spaces.damaged("a key does not read");
        spaces.each(Space::Meta, |key, value| {
            let Some(crawl) = key.strip_prefix(b"crawl/") else { return Ok(()) };
            let crawl = u32::from_be_bytes(crawl.try_into().map_err(|_| damaged())?);
            let CrawlRow { figures, next } = read(spaces, value)?;
            take(Queued::Crawl { crawl, figures: figures.with(Vec::new()), next })
        })?;
        spaces.each(Space::Overruns, |key, value| {
            let crawl = u32::from_be_bytes(*key.first_chunk().ok_or_else(damaged)?);
            take(Queued::Overrun { crawl, overrun: read(spaces, value)? })
        })?;
        spaces.each(Space::Queue, |key, value| {
            let (CrawlId(crawl), host) = keys::read_backlog(key).ok_or_else(damaged)?;
            let lane = key.get(12).and_then(|lane| Lane::ALL.get(usize::from(*lane))).ok_or_else(damaged)?;
            let rank = keys::read_row(key).ok_or_else(damaged)?;
            let Row { link, tries, round } = read(spaces, value)?;
            take(Queued::Waiting { crawl, host, lane: *lane, rank, link: Box::new(link), tries, round })
        })?;
        spaces.each(Space::Known, |key, value| {
            let key: keys::KnownKey = key.try_into().map_err(|_| damaged())?;
            let (crawl, id) = key.split_first_chunk::<4>().ok_or_else(damaged)?;
            let id = id.try_into().map_err(|_| damaged())?;
            match Known::decode(value).ok_or_else(damaged)? {
                Known::Queued { .. } => Ok(()),
                Known::Visited { rounds } => {
                    take(Queued::Visited { crawl: u32::from_be_bytes(*crawl), id, rounds, host: None })
                }
            }
        })?;
        spaces.each(Space::Backlog, |key, value| {
            let (CrawlId(crawl), host) = keys::read_backlog(key).ok_or_else(damaged)?;
            match read::<BacklogRow>(spaces, value)?.pages {
                0 => Ok(()),
                pages => take(Queued::Host { crawl, host, pages }),
            }
        })?;
        spaces.each(Space::Templates, |key, value| {
            let (CrawlId(crawl), host) = keys::read_backlog(key).ok_or_else(damaged)?;
            let shape = key.get(12..).and_then(|shape| shape.try_into().ok()).ok_or_else(damaged)?;
            take(Queued::Shape { crawl, host, shape, pages: read(spaces, value)? })
        })?;
        let is_clean = spaces.get(Space::Meta, CLEAN_KEY)?.is_some();
        let asked: Option<Duration> = spaces.read(Space::Meta, DELAY_KEY)?.filter(|_| !is_clean);
        let not_before = now() + asked.unwrap_or_default();
        spaces.each(Space::Hosts, |key, value| {
            let HostRow { ready_at, delay, failures, .. } = read(spaces, value)?;
            let ready_at = if is_clean { ready_at } else { ready_at.max(not_before) };
            take(Queued::Clock { host: HostKey(key.try_into().map_err(|_| damaged())?), ready_at, delay, failures })
        })?;
        spaces.each(Space::Origins, |key, value| {
            let name = String::from_utf8(key.to_vec()).map_err(|_| damaged())?;
            take(Queued::Origin { name, record: value.to_vec() })
        })
    }

    /// Takes parts in; the same again changes nothing. It is left as after an unclean stop: whoever opens
    /// it next finds a place for every host, and lets all of them rest first.
    pub fn filling(&self) -> Filling<'_> {
        Filling { spaces: &self.0, changes: self.0.changes(), host: None }
    }
}

/// Parts on their way in. What waits has to come by crawl, host and lane, and in order.
pub(crate) struct Filling<'a> {
    spaces: &'a Spaces,
    changes: Changes<'a>,
    /// The host whose rows come.
    host: Option<(CrawlId, HostKey, BacklogRow)>,
}

impl Filling<'_> {
    pub fn take(&mut self, part: Queued) -> Result<(), StoreError> {
        match part {
            Queued::Crawl { crawl, figures, next } => {
                let row = CrawlRow { figures: Counts::of(&figures), next };
                self.changes.put(Space::Meta, &crawl_row_key(CrawlId(crawl)), &row)?;
            }
            Queued::Overrun { crawl, overrun } => {
                self.changes.put(Space::Overruns, &keys::overrun(CrawlId(crawl), &overrun), &overrun)?;
            }
            Queued::Waiting { crawl, host, lane, rank, link, tries, round } => {
                let crawl = CrawlId(crawl);
                if self.host.as_ref().is_none_or(|(c, h, _)| (*c, *h) != (crawl, host)) {
                    self.finish_host()?;
                    self.host = Some((crawl, host, BacklogRow::new(link.url.host_str())));
                }
                if let Some((.., row)) = &mut self.host {
                    let counted = &mut row.lanes[lane as usize];
                    counted.from = if counted.queued == 0 { rank } else { counted.from.min(rank) };
                    counted.queued += 1;
                }
                let row = RowRef { link: &link, tries, round };
                self.changes.put(Space::Queue, &keys::row(crawl, host, lane, rank), &row)?;
                let known = Known::Queued { lane, rank, round };
                self.changes.put_bytes(Space::Known, &keys::known(crawl, link.url.id().short()), known.encode());
            }
            Queued::Visited { crawl, id, rounds, .. } => {
                let known = Known::Visited { rounds };
                self.changes.put_bytes(Space::Known, &keys::known(CrawlId(crawl), id), known.encode());
            }
            Queued::Host { crawl, host, pages } => {
                self.finish_host()?;
                let key = keys::backlog(CrawlId(crawl), host);
                let row = self.changes.read::<BacklogRow>(Space::Backlog, &key)?;
                let row = BacklogRow { pages, ..row.unwrap_or_else(|| BacklogRow::new("")) };
                self.changes.put(Space::Backlog, &key, &row)?;
            }
            Queued::Shape { crawl, host, shape, pages } => {
                let key = [&keys::backlog(CrawlId(crawl), host)[..], &shape].concat();
                self.changes.put(Space::Templates, &key, &pages)?;
            }
            Queued::Clock { host, ready_at, delay, failures } => {
                let row = HostRow { ready_at, delay, failures, opening: 0 };
                self.changes.put(Space::Hosts, &host.0, &row)?;
            }
            Queued::Origin { name, record } => self.changes.put_bytes(Space::Origins, name.as_bytes(), record),
        }
        if self.changes.len() >= BATCH { self.write(Safe::FromKill) } else { Ok(()) }
    }

    fn finish_host(&mut self) -> Result<(), StoreError> {
        let Some((crawl, host, row)) = self.host.take() else { return Ok(()) };
        self.changes.put(Space::Backlog, &keys::backlog(crawl, host), &row)
    }

    fn write(&mut self, safe: Safe) -> Result<(), StoreError> {
        std::mem::replace(&mut self.changes, self.spaces.changes()).commit(safe)
    }

    /// Writes what is left.
    pub fn finish(mut self) -> Result<(), StoreError> {
        self.finish_host()?;
        self.write(Safe::FromPowerLoss)?;
        self.spaces.sync()
    }
}

fn read<T: serde::de::DeserializeOwned>(spaces: &Spaces, bytes: &[u8]) -> Result<T, StoreError> {
    postcard::from_bytes(bytes).map_err(|error| spaces.damaged(format!("a row does not read: {error}")))
}

/// The time of this machine, by which clocks of a directory go.
pub(crate) fn now() -> Timestamp {
    super::clock::Clock::start(Duration::ZERO).now()
}
