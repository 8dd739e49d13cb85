//! Claiming: the best rows of hosts that are free.

use std::time::Duration;

use facts::Timestamp;

use super::keys::{self, HostKey, Lane, Rank};
use super::queue::Taken;
use super::rows::Row;
use super::spaces::Space;
use super::state::State;
use crate::{Claim, ClaimLimit, Claims, CrawlId, StoreError};

/// When the next host is free this soon, nobody needs to know whether another is busy.
const SOON: Duration = Duration::from_secs(1);

impl State {
    pub fn claim(&mut self, crawl: CrawlId, limit: ClaimLimit) -> Result<Claims, StoreError> {
        let now = self.clock.now();
        if self.queue(crawl)?.is_empty() {
            return Ok(Claims { empty: true, ..Claims::default() });
        }
        if let Some(until) = self.hosts.quiet_until().filter(|&until| now < until) {
            return Ok(Claims { next: Some(until), ..Claims::default() });
        }
        self.note_delay(limit.delay)?;
        self.wake(crawl, now)?;
        let mut claims = Vec::new();
        let mut pages_left = limit.pages;
        while claims.len() < limit.any {
            let Some((lane, rank, host)) = self.best(crawl, pages_left > 0)? else { break };
            if lane == Lane::Pages {
                pages_left -= 1;
            }
            claims.push(self.take(crawl, host, lane, rank)?);
        }
        self.make_room(crawl, 0)?;
        let (mut next, mut busy) = (None, false);
        if let Some(queue) = self.crawls.get_mut(&crawl).filter(|_| claims.is_empty() && limit.any > 0) {
            next = queue.next(&self.spaces, limit.pages > 0)?;
            busy = next.is_none_or(|next| next.since(now) > SOON) && queue.is_busy(limit.pages > 0);
        }
        Ok(Claims { claims, next, busy, empty: false })
    }

    /// Hosts whose rest is over become ready.
    fn wake(&mut self, crawl: CrawlId, now: Timestamp) -> Result<(), StoreError> {
        for lane in Lane::ALL {
            while let Some((until, host)) = self.queue(crawl)?.next_active(lane)
                && until <= now
            {
                self.place(host)?;
            }
        }
        self.wake_parked(crawl, now)
    }

    /// The best row of a free host, whether the host is active or parked.
    fn best(&mut self, crawl: CrawlId, pages: bool) -> Result<Option<(Lane, Rank, HostKey)>, StoreError> {
        loop {
            let Some(queue) = self.crawls.get_mut(&crawl) else { return Ok(None) };
            let active = queue.best_active(pages);
            match queue.best_parked(&self.spaces, pages)? {
                // Once active, the host stands where it really belongs; so this comes to an end.
                Some(parked) if active.is_none_or(|active| parked < active) => self.activate(crawl, parked.2)?,
                _ => return Ok(active),
            }
        }
    }

    fn take(&mut self, crawl: CrawlId, host: HostKey, lane: Lane, rank: Rank) -> Result<Claim, StoreError> {
        let row: Option<Row> = self.spaces.read(Space::Queue, &keys::row(crawl, host, lane, rank))?;
        let row = row.ok_or_else(|| self.spaces.damaged("a waiting address has no row"))?;
        let clock = self.hosts.clock(&self.spaces, host)?;
        clock.busy = true;
        let (host_delay, host_failures) = (clock.row.delay, clock.row.failures);
        let Some(queue) = self.crawls.get_mut(&crawl) else { return Err(self.spaces.damaged("a crawl was lost")) };
        let number = queue.number(&self.spaces)?;
        let id = row.link.url.id();
        queue.claimed.insert(id.short(), Taken { host, lane, rank });
        if let Some(backlog) = queue.active.get_mut(&host) {
            backlog.take(lane, rank);
        }
        self.place(host)?;
        Ok(Claim {
            number,
            id,
            link: row.link,
            tries: row.tries,
            round: row.round,
            host_delay,
            host_failures,
            taking: 0,
        })
    }
}
