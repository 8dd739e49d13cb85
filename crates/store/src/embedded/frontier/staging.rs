//! Links on their way into the queue: what is new, what is raised, what a budget refuses. All of
//! it is worked out against the store first and committed at once.

use std::collections::HashMap;

use facts::Order;
use lru::LruCache;

use super::backlog::{Edit, Post};
use super::keys::{self, HostKey, KnownKey, Lane, Rank};
use super::queue::{CrawlQueue, crawl_row_key};
use super::rows::{BacklogRow, CrawlRow, Known, Parked, Row, RowRef};
use super::spaces::{Changes, Safe, Space, Spaces};
use crate::{Budgets, Claim, Link, Overrun, StoreError};

/// Addresses seen lately: navigation links repeat on every page.
pub(super) type Recent = LruCache<KnownKey, Known>;

/// Whether a claim was marked as visited.
pub(super) enum Finished {
    /// It had been.
    Before,
    /// It is now; with the rank its row had.
    Now(Option<Rank>),
}

/// A host as it will be.
pub(super) struct StagedHost {
    pub row: BacklogRow,
    pub edits: Vec<Edit>,
    /// Its place in the indexes before and after.
    pub posts: (Option<Post>, Option<Post>),
}

/// What was committed, for memory to follow.
pub(super) struct Staged {
    pub row: CrawlRow,
    pub next: u64,
    pub hosts: HashMap<HostKey, StagedHost>,
    pub known: HashMap<KnownKey, Known>,
}

pub(super) struct Staging<'a> {
    spaces: &'a Spaces,
    queue: &'a CrawlQueue,
    recent: &'a mut Recent,
    budgets: Budgets,
    changes: Changes<'a>,
    staged: Staged,
}

impl<'a> Staging<'a> {
    pub fn new(spaces: &'a Spaces, queue: &'a CrawlQueue, recent: &'a mut Recent, budgets: Budgets) -> Self {
        let staged = Staged { row: queue.row.clone(), next: queue.next, hosts: HashMap::new(), known: HashMap::new() };
        Self { spaces, queue, recent, budgets, changes: spaces.changes(), staged }
    }

    /// The number of the next claim, used up.
    pub fn number(&mut self) -> u64 {
        let number = self.staged.next;
        self.staged.next += 1;
        self.staged.row.next = self.staged.row.next.max(self.staged.next);
        number
    }

    /// Marks a claim as visited.
    pub fn finish(&mut self, claim: &Claim) -> Result<Finished, StoreError> {
        let id = claim.id.short();
        let key = keys::known(self.queue.id, id);
        match self.known(&key)? {
            Some(Known::Queued { lane, rank, round }) if round == claim.round => {
                let host = HostKey::of_name(claim.link.url.host_str());
                self.remove_row(host, claim.link.url.host_str(), lane, rank)?;
                self.mark(key, Known::Visited { rounds: round + 1 });
                Ok(Finished::Now(Some(rank)))
            }
            Some(_) => Ok(Finished::Before),
            None => {
                self.count_known(Lane::of(claim.link.kind));
                self.mark(key, Known::Visited { rounds: claim.round + 1 });
                Ok(Finished::Now(None))
            }
        }
    }

    /// Queues a link at that rank when it is new; one without a rank is beyond what can be counted.
    pub fn link(&mut self, link: &Link, rank: Option<Rank>) -> Result<bool, StoreError> {
        let Some(rank) = rank else {
            self.staged.row.figures.over_budget += 1;
            return Ok(false);
        };
        let id = link.url.id().short();
        let key = keys::known(self.queue.id, id);
        let round = match self.known(&key)? {
            Some(Known::Queued { lane, rank, round }) => {
                if !self.queue.claimed.contains_key(&id) {
                    self.raise(key, link, lane, rank, round)?;
                }
                return Ok(false);
            }
            Some(Known::Visited { rounds }) if link.reopen => rounds,
            Some(Known::Visited { .. }) => return Ok(false),
            None => {
                if !self.within_budgets(link)? {
                    self.staged.row.figures.over_budget += 1;
                    return Ok(false);
                }
                self.count_known(Lane::of(link.kind));
                0
            }
        };
        let lane = Lane::of(link.kind);
        self.insert_row(lane, rank, &RowRef { link, tries: 0, round })?;
        self.mark(key, Known::Queued { lane, rank, round });
        Ok(round == 0)
    }

    /// A waiting row found again with a larger priority moves forward, with its old place in the
    /// order of discovery. What explains a priority comes with it: the way there and the words
    /// around the link.
    fn raise(&mut self, key: KnownKey, link: &Link, lane: Lane, rank: Rank, round: u32) -> Result<(), StoreError> {
        let Order::Best(_) = link.order else { return Ok(()) };
        let raised = Rank { band: keys::band(link.order, 0), ..rank };
        if raised >= rank {
            return Ok(());
        }
        let name = link.url.host_str();
        let host = HostKey::of_name(name);
        let row_key = keys::row(self.queue.id, host, lane, rank);
        let Some(mut row) = self.changes.read::<Row>(Space::Queue, &row_key)? else {
            return Err(self.spaces.damaged("a waiting address has no row"));
        };
        row.link = Link {
            order: link.order,
            depth: row.link.depth.min(link.depth),
            branch: link.branch,
            parent: link.parent,
            referer: link.referer.clone(),
            context: link.context.clone(),
            ..row.link
        };
        self.remove_row(host, name, lane, rank)?;
        self.insert_row(lane, raised, &RowRef { link: &row.link, tries: row.tries, round })?;
        self.mark(key, Known::Queued { lane, rank: raised, round });
        Ok(())
    }

    /// Counts a new page against its budgets. Seeds and targets of redirects are always let in.
    fn within_budgets(&mut self, link: &Link) -> Result<bool, StoreError> {
        if Lane::of(link.kind) == Lane::Media {
            return Ok(true);
        }
        let (budgets, crawl) = (self.budgets, self.queue.id);
        let exempt = link.parent.is_none() || !link.hops.is_empty();
        let host = HostKey::of_name(link.url.host_str());
        let shape = link.url.template();
        let template = keys::template(crawl, host, &shape);
        let alike = self.changes.read::<u64>(Space::Templates, &template)?.unwrap_or(0);
        let backlog = self.host(host, link.url.host_str())?;
        let of_host = backlog.row.pages >= budgets.per_host;
        if !exempt && (of_host || alike >= budgets.per_template) {
            self.note_overrun(link, (!of_host).then_some(shape))?;
            return Ok(false);
        }
        backlog.row.pages += 1;
        self.changes.put(Space::Templates, &template, &(alike + 1))?;
        Ok(true)
    }

    fn note_overrun(&mut self, link: &Link, shape: Option<String>) -> Result<(), StoreError> {
        let new = Overrun { host: link.url.host_str().to_owned(), shape, refused: 0 };
        let key = keys::overrun(self.queue.id, &new);
        let mut noted = self.changes.read::<Overrun>(Space::Overruns, &key)?.unwrap_or(new);
        noted.refused += 1;
        self.changes.put(Space::Overruns, &key, &noted)
    }

    fn known(&mut self, key: &KnownKey) -> Result<Option<Known>, StoreError> {
        if let Some(&known) = self.staged.known.get(key) {
            return Ok(Some(known));
        }
        if let Some(&known) = self.recent.get(key) {
            return Ok(Some(known));
        }
        let Some(bytes) = self.spaces.get(Space::Known, key)? else { return Ok(None) };
        let known = Known::decode(&bytes).ok_or_else(|| self.spaces.damaged("a known address does not read"))?;
        self.recent.put(*key, known);
        Ok(Some(known))
    }

    fn mark(&mut self, key: KnownKey, known: Known) {
        self.changes.put_bytes(Space::Known, &key, known.encode());
        self.staged.known.insert(key, known);
    }

    fn host(&mut self, host: HostKey, name: &str) -> Result<&mut StagedHost, StoreError> {
        if !self.staged.hosts.contains_key(&host) {
            let row = match self.queue.active.get(&host) {
                Some(backlog) => backlog.row.clone(),
                None => {
                    let stored = self.spaces.read(Space::Backlog, &keys::backlog(self.queue.id, host))?;
                    stored.unwrap_or_else(|| BacklogRow::new(name))
                }
            };
            let posts = (Post::of(&row, host), None);
            self.staged.hosts.insert(host, StagedHost { row, edits: Vec::new(), posts });
        }
        self.staged.hosts.get_mut(&host).ok_or_else(|| self.spaces.damaged("a host was lost"))
    }

    fn insert_row(&mut self, lane: Lane, rank: Rank, row: &RowRef<'_>) -> Result<(), StoreError> {
        let name = row.link.url.host_str();
        let host = HostKey::of_name(name);
        self.changes.put(Space::Queue, &keys::row(self.queue.id, host, lane, rank), row)?;
        let staged = self.host(host, name)?;
        staged.edits.push(Edit::Insert(lane, rank));
        let counted = &mut staged.row.lanes[lane as usize];
        counted.from = if counted.queued == 0 { rank } else { counted.from.min(rank) };
        counted.queued += 1;
        *self.queued(lane) += 1;
        Ok(())
    }

    fn remove_row(&mut self, host: HostKey, name: &str, lane: Lane, rank: Rank) -> Result<(), StoreError> {
        self.changes.remove(Space::Queue, &keys::row(self.queue.id, host, lane, rank));
        let staged = self.host(host, name)?;
        staged.edits.push(Edit::Remove(lane, rank));
        let counted = &mut staged.row.lanes[lane as usize];
        counted.queued = counted.queued.saturating_sub(1);
        let figure = self.queued(lane);
        *figure = figure.saturating_sub(1);
        Ok(())
    }

    fn queued(&mut self, lane: Lane) -> &mut u64 {
        match lane {
            Lane::Media => &mut self.staged.row.figures.queued_media,
            Lane::Pages => &mut self.staged.row.figures.queued_pages,
        }
    }

    fn count_known(&mut self, lane: Lane) {
        match lane {
            Lane::Media => self.staged.row.figures.known_media += 1,
            Lane::Pages => self.staged.row.figures.known_pages += 1,
        }
    }

    /// Writes it all, or nothing.
    pub fn commit(mut self) -> Result<Staged, StoreError> {
        let crawl = self.queue.id;
        // Hosts that were only asked for their budget stay as they are.
        self.staged.hosts.retain(|_, staged| !staged.edits.is_empty());
        for (&host, staged) in &mut self.staged.hosts {
            if let Some(backlog) = self.queue.active.get(&host) {
                staged.row = backlog.stored(staged.row.clone(), &staged.edits);
            } else if staged.row.lane().is_none() {
                staged.row.parked = Parked::No;
            } else if staged.row.parked == Parked::No {
                staged.row.parked = Parked::Ready;
            }
            staged.posts.1 = Post::of(&staged.row, host);
            let (before, after) = staged.posts;
            if before != after {
                before.inspect(|post| post.remove(&mut self.changes, crawl));
                after.inspect(|post| post.put(&mut self.changes, crawl));
            }
            self.changes.put(Space::Backlog, &keys::backlog(crawl, host), &staged.row)?;
        }
        self.changes.put(Space::Meta, &crawl_row_key(crawl), &self.staged.row)?;
        self.changes.commit(Safe::FromPowerLoss)?;
        Ok(self.staged)
    }
}
