//! Links on their way into the queue: what is new, what is raised, what a budget refuses.
//!
//! What is known of all addresses of a batch is asked for at once; then the hosts that change are held,
//! what may have changed meanwhile is asked for again, the batch is gone through in order, and all that
//! came of it is written at once. Statements about many addresses are bound to go by the key of each: the planner
//! knows little of tables that have grown from nothing in a minute.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use facts::Order;

use super::places::{Place, host_number, read_place, shape_number};
use crate::rank::{Lane, Rank, band};
use crate::sql::{self, Error, Session};
use crate::{Budgets, Claim, CrawlId, Link, Outcome, Visited};

/// Slots that figures are summed in.
const SLOTS: i64 = 16;

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Staged {
    /// Addresses that are new.
    pub new: u64,
}

/// An address of the crawl: its host, and the first half of its identity.
type Key = (i64, [u8; 16]);

/// What is known of an address.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Where it waits; nothing for one that was visited.
    place: Option<Place>,
    round: i32,
}

/// A waiting address.
struct Row {
    id: [u8; 16],
    link: Link,
    tries: i32,
    round: i32,
    claimed: bool,
}

/// A host whose queue changes.
#[derive(Default)]
struct Host {
    ever: i64,
    head: Option<Place>,
    changed: bool,
    /// Its first address goes, and the next one is not known here.
    headless: bool,
}

/// Marks visits as done, and queues what they found.
pub(super) fn finish(
    session: &Session,
    worker: i64,
    crawl: CrawlId,
    visits: &[Visited],
    budgets: Budgets,
) -> sql::Result<Staged> {
    let links = visits.iter().flat_map(|visit| &visit.links);
    let claims = visits.iter().map(|visit| &visit.claim);
    let mut staging = Staging::begin(session, crawl, budgets, claims, links)?;
    for visit in visits {
        let Some(place) = staging.finish(&visit.claim) else { continue };
        // The target of a redirect takes the place of what it was found by.
        let place = place.filter(|_| matches!(visit.outcome, Outcome::Redirect(_)));
        for (index, link) in visit.links.iter().enumerate() {
            let found = Rank::new(link.order, visit.claim.number, index);
            staging.link(link, place.filter(|_| index == 0).or(found));
        }
    }
    staging.write(worker)
}

/// Adds links, seeds.
pub(super) fn add(
    session: &Session,
    worker: i64,
    crawl: CrawlId,
    links: &[Link],
    budgets: Budgets,
) -> sql::Result<Staged> {
    let mut staging = Staging::begin(session, crawl, budgets, std::iter::empty(), links.iter())?;
    // Once the hosts are held, as who claims does it, so that nobody waits for each other.
    let number = session.own(
        "INSERT INTO queue_crawl (crawl, next) VALUES ($1, 1)
         ON CONFLICT (crawl) DO UPDATE SET next = queue_crawl.next + 1 RETURNING next - 1",
    )?;
    let number: i64 = session.wait(session.client().query_one(&number, &[&i64::from(crawl.0)]))?.get(0);
    for (index, link) in links.iter().enumerate() {
        staging.link(link, Rank::new(link.order, number as u64, index));
    }
    staging.write(worker)
}

struct Staging<'s> {
    session: &'s Session,
    crawl: i64,
    budgets: Budgets,
    known: HashMap<Key, Known>,
    marked: HashSet<Key>,
    hosts: BTreeMap<i64, Host>,
    templates: BTreeMap<(i64, i64), i64>,
    counted: BTreeSet<(i64, i64)>,
    /// Rows that are there, as far as they may be raised; and those that will be.
    stored: HashMap<(i64, Place), Row>,
    inserted: HashMap<(i64, Place), Row>,
    removed: HashSet<(i64, Place)>,
    figures: Deltas,
    /// Links that a budget refused, by host and shape.
    overruns: BTreeMap<(String, String), i64>,
    new: u64,
}

/// By how much figures change.
#[derive(Default)]
struct Deltas {
    known: [i64; 2],
    queued: [i64; 2],
    over_budget: i64,
}

impl<'s> Staging<'s> {
    fn begin<'l>(
        session: &'s Session,
        crawl: CrawlId,
        budgets: Budgets,
        claims: impl Iterator<Item = &'l Claim>,
        links: impl Iterator<Item = &'l Link>,
    ) -> sql::Result<Self> {
        let mut staging = Self {
            session,
            crawl: crawl.0.into(),
            budgets,
            known: HashMap::new(),
            marked: HashSet::new(),
            hosts: BTreeMap::new(),
            templates: BTreeMap::new(),
            counted: BTreeSet::new(),
            stored: HashMap::new(),
            inserted: HashMap::new(),
            removed: HashSet::new(),
            figures: Deltas::default(),
            overruns: BTreeMap::new(),
            new: 0,
        };
        let claimed: Vec<Key> =
            claims.map(|claim| (host_number(claim.link.url.host_str()), claim.id.short())).collect();
        let links: Vec<(Key, &Link)> = links.map(|link| (key(link), link)).collect();
        let all: BTreeSet<Key> = links.iter().map(|(key, _)| *key).chain(claimed.iter().copied()).collect();
        staging.look_up(&all)?;
        // What changes: visits, and links that are new, reopened or raised.
        let changes = |(key, link): &&(Key, &Link)| match staging.known.get(key) {
            None => true,
            Some(Known { place: Some(place), .. }) => raises(link, *place),
            Some(Known { place: None, .. }) => link.reopen,
        };
        let changing: Vec<(Key, &Link)> = links.iter().filter(changes).copied().collect();
        let keys: BTreeSet<Key> = changing.iter().map(|(key, _)| *key).chain(claimed).collect();
        if keys.is_empty() {
            return Ok(staging);
        }
        staging.hold(&keys.iter().map(|(host, _)| *host).collect())?;
        // Nobody else changes them now.
        staging.look_up(&keys)?;
        staging.count_templates(&changing)?;
        staging.read_rows(&changing)?;
        Ok(staging)
    }

    /// Asks what is known of addresses.
    fn look_up(&mut self, keys: &BTreeSet<Key>) -> sql::Result<()> {
        let ask = self.session.own(
            "SELECT k.* FROM unnest($1::BIGINT[], $2::BYTEA[]) AS a (host, id) CROSS JOIN LATERAL
                 (SELECT k.host, k.id, k.round, k.lane, k.band, k.seq FROM known AS k
                  WHERE k.host = a.host AND k.crawl = $3 AND k.id = a.id LIMIT 1) AS k",
        )?;
        let (hosts, ids): (Vec<i64>, Vec<&[u8]>) = keys.iter().map(|(host, id)| (*host, &id[..])).unzip();
        let rows = self.session.wait(self.session.client().query(&ask, &[&hosts, &ids, &self.crawl]))?;
        for row in rows {
            let known = Known { place: read_place(&row, 3), round: row.get(2) };
            self.known.insert((row.get(0), short(row.get(1))?), known);
        }
        Ok(())
    }

    /// Holds hosts until the end, in one order, so that nobody waits for each other.
    fn hold(&mut self, hosts: &BTreeSet<i64>) -> sql::Result<()> {
        let hosts: Vec<i64> = hosts.iter().copied().collect();
        let make = self.session.own(
            "INSERT INTO backlog (host, crawl) SELECT host, $2 FROM unnest($1::BIGINT[]) AS a (host) ORDER BY host
             ON CONFLICT DO NOTHING",
        )?;
        let hold = self.session.own(
            "SELECT b.host, b.ever, b.lane, b.band, b.seq FROM backlog AS b
             WHERE b.host = ANY ($1) AND b.crawl = $2 ORDER BY b.host FOR UPDATE",
        )?;
        let client = self.session.client();
        self.session.wait(client.execute(&make, &[&hosts, &self.crawl]))?;
        for row in self.session.wait(client.query(&hold, &[&hosts, &self.crawl]))? {
            let host = Host { ever: row.get(1), head: read_place(&row, 2), ..Host::default() };
            self.hosts.insert(row.get(0), host);
        }
        Ok(())
    }

    /// Asks how many pages have the shapes of those that are new.
    fn count_templates(&mut self, links: &[(Key, &Link)]) -> sql::Result<()> {
        let new =
            links.iter().filter(|(key, link)| Lane::of(link.kind) == Lane::Pages && !self.known.contains_key(key));
        let shapes: BTreeSet<(i64, i64)> =
            new.map(|((host, _), link)| (*host, shape_number(&link.url.template()))).collect();
        if shapes.is_empty() {
            return Ok(());
        }
        let ask = self.session.own(
            "SELECT t.* FROM unnest($1::BIGINT[], $2::BIGINT[]) AS a (host, shape) CROSS JOIN LATERAL
                 (SELECT t.host, t.shape, t.pages FROM template AS t
                  WHERE t.host = a.host AND t.crawl = $3 AND t.shape = a.shape LIMIT 1) AS t",
        )?;
        let (hosts, shapes): (Vec<i64>, Vec<i64>) = shapes.into_iter().unzip();
        for row in self.session.wait(self.session.client().query(&ask, &[&hosts, &shapes, &self.crawl]))? {
            self.templates.insert((row.get(0), row.get(1)), row.get(2));
        }
        Ok(())
    }

    /// Reads the rows that may be raised.
    fn read_rows(&mut self, links: &[(Key, &Link)]) -> sql::Result<()> {
        let mut places = BTreeSet::new();
        for (key, link) in links {
            if let Some(Known { place: Some(place), .. }) = self.known.get(key)
                && raises(link, *place)
            {
                places.insert((key.0, *place));
            }
        }
        if places.is_empty() {
            return Ok(());
        }
        let ask = self.session.own(
            "SELECT w.host, w.lane, w.band, w.seq, w.id, w.link, w.tries, w.round,
                    EXISTS (SELECT 1 FROM claimed AS t WHERE t.host = w.host AND t.crawl = w.crawl AND t.lane = w.lane
                                                       AND t.band = w.band AND t.seq = w.seq)
             FROM unnest($1::BIGINT[], $2::SMALLINT[], $3::BIGINT[], $4::BIGINT[]) AS a (host, lane, band, seq)
             CROSS JOIN LATERAL
                 (SELECT * FROM waiting AS w WHERE w.host = a.host AND w.crawl = $5 AND w.lane = a.lane
                  AND w.band = a.band AND w.seq = a.seq LIMIT 1) AS w",
        )?;
        let (hosts, lanes, bands, seqs) = columns(places.iter());
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] = [&hosts, &lanes, &bands, &seqs, &self.crawl];
        for row in self.session.wait(self.session.client().query(&ask, &values))? {
            let Some(place) = read_place(&row, 1) else { continue };
            let (id, link) = (short(row.get(4))?, read_link(row.get(5))?);
            let read = Row { id, link, tries: row.get(6), round: row.get(7), claimed: row.get(8) };
            self.stored.insert((row.get(0), place), read);
        }
        Ok(())
    }

    /// Marks a claim as visited; gives the rank its row had, or nothing when it had been visited.
    fn finish(&mut self, claim: &Claim) -> Option<Option<Rank>> {
        let key = (host_number(claim.link.url.host_str()), claim.id.short());
        match self.known.get(&key).copied() {
            Some(Known { place: Some(place), round }) if round == claim.round as i32 => {
                self.remove_row(key.0, place);
                self.mark(key, Known { place: None, round: round + 1 });
                Some(Some(place.rank()))
            }
            Some(_) => None,
            None => {
                self.figures.known[Lane::of(claim.link.kind) as usize] += 1;
                self.mark(key, Known { place: None, round: claim.round as i32 + 1 });
                Some(None)
            }
        }
    }

    /// Queues a link at that rank when it is new; one without a rank is beyond what can be counted.
    fn link(&mut self, link: &Link, rank: Option<Rank>) {
        let Some(rank) = rank else {
            self.figures.over_budget += 1;
            return;
        };
        let key = key(link);
        let round = match self.known.get(&key).copied() {
            Some(Known { place: Some(place), round }) => return self.raise(key, link, place, round),
            Some(Known { place: None, round }) if link.reopen => round,
            Some(_) => return,
            None => {
                if !self.within_budgets(key.0, link) {
                    self.figures.over_budget += 1;
                    return;
                }
                self.figures.known[Lane::of(link.kind) as usize] += 1;
                0
            }
        };
        let place = Place::new(Lane::of(link.kind), rank);
        self.insert_row(key.0, place, Row { id: key.1, link: link.clone(), tries: 0, round, claimed: false });
        self.mark(key, Known { place: Some(place), round });
        self.new += u64::from(round == 0);
    }

    /// A waiting row found again with a larger priority moves forward, with its old place in the order of
    /// discovery. What explains a priority comes with it: the way there and the words around the link.
    fn raise(&mut self, key: Key, link: &Link, place: Place, round: i32) {
        if !raises(link, place) {
            return;
        }
        let at = (key.0, place);
        let Some(mut row) = self.inserted.remove(&at).or_else(|| self.stored.remove(&at)) else { return };
        if row.claimed {
            self.stored.insert(at, row);
            return;
        }
        row.link = Link {
            order: link.order,
            depth: row.link.depth.min(link.depth),
            branch: link.branch,
            parent: link.parent,
            referer: link.referer.clone(),
            context: link.context.clone(),
            ..row.link
        };
        let raised = place.raised(band(link.order, 0));
        self.remove_row(key.0, place);
        self.insert_row(key.0, raised, row);
        self.mark(key, Known { place: Some(raised), round });
    }

    /// Counts a new page against its budgets. Seeds and targets of redirects are always let in.
    fn within_budgets(&mut self, host: i64, link: &Link) -> bool {
        if Lane::of(link.kind) == Lane::Media {
            return true;
        }
        let exempt = link.parent.is_none() || !link.hops.is_empty();
        let template = link.url.template();
        let shape = (host, shape_number(&template));
        let alike = self.templates.entry(shape).or_default();
        let Some(row) = self.hosts.get_mut(&host) else { return false };
        let full = |count: i64, budget: u64| count.max(0) as u64 >= budget;
        let of_host = full(row.ever, self.budgets.per_host);
        if !exempt && (of_host || full(*alike, self.budgets.per_template)) {
            let shape = if of_host { String::new() } else { template };
            *self.overruns.entry((link.url.host_str().to_owned(), shape)).or_default() += 1;
            return false;
        }
        *alike += 1;
        self.counted.insert(shape);
        (row.ever, row.changed) = (row.ever + 1, true);
        true
    }

    fn mark(&mut self, key: Key, known: Known) {
        self.known.insert(key, known);
        self.marked.insert(key);
    }

    fn insert_row(&mut self, host: i64, place: Place, row: Row) {
        self.figures.queued[usize::from(place.lane == Lane::Pages.code())] += 1;
        if let Some(host) = self.hosts.get_mut(&host) {
            host.changed = true;
            if host.head.is_none_or(|head| place < head) {
                // Before what was the first, or where it has just gone.
                host.head = Some(place);
            }
        }
        self.inserted.insert((host, place), row);
    }

    fn remove_row(&mut self, host: i64, place: Place) {
        self.figures.queued[usize::from(place.lane == Lane::Pages.code())] -= 1;
        if let Some(host) = self.hosts.get_mut(&host) {
            host.changed = true;
            if host.head == Some(place) {
                (host.head, host.headless) = (None, true);
            }
        }
        if self.inserted.remove(&(host, place)).is_none() {
            self.removed.insert((host, place));
        }
    }

    /// Writes all that came of it.
    fn write(self, worker: i64) -> sql::Result<Staged> {
        self.write_rows()?;
        self.write_known()?;
        self.write_templates()?;
        self.write_hosts()?;
        self.write_figures(worker)?;
        self.write_overruns()?;
        Ok(Staged { new: self.new })
    }

    fn write_rows(&self) -> sql::Result<()> {
        let client = self.session.client();
        if !self.removed.is_empty() {
            let delete = self.session.own("SELECT take_out($1, $2, $3, $4, $5)")?;
            let (hosts, lanes, bands, seqs) = columns(self.removed.iter());
            self.session.wait(client.execute(&delete, &[&self.crawl, &hosts, &lanes, &bands, &seqs]))?;
        }
        if !self.inserted.is_empty() {
            let insert = self.session.own(
                "INSERT INTO waiting (host, lane, band, seq, id, link, tries, round, crawl)
                 SELECT a.*, $9 FROM unnest($1::BIGINT[], $2::SMALLINT[], $3::BIGINT[], $4::BIGINT[], $5::BYTEA[],
                                            $6::BYTEA[], $7::INTEGER[], $8::INTEGER[]) AS a",
            )?;
            let (hosts, lanes, bands, seqs) = columns(self.inserted.keys());
            let rows: Vec<&Row> = self.inserted.values().collect();
            let ids: Vec<&[u8]> = rows.iter().map(|row| &row.id[..]).collect();
            let links: Vec<Vec<u8>> = rows.iter().map(|row| write_link(&row.link)).collect::<sql::Result<_>>()?;
            let tries: Vec<i32> = rows.iter().map(|row| row.tries).collect();
            let rounds: Vec<i32> = rows.iter().map(|row| row.round).collect();
            let values: [&(dyn tokio_postgres::types::ToSql + Sync); 9] =
                [&hosts, &lanes, &bands, &seqs, &ids, &links, &tries, &rounds, &self.crawl];
            self.session.wait(client.execute(&insert, &values))?;
        }
        Ok(())
    }

    fn write_known(&self) -> sql::Result<()> {
        if self.marked.is_empty() {
            return Ok(());
        }
        let write = self.session.own(
            "INSERT INTO known (host, id, round, lane, band, seq, crawl)
             SELECT a.*, $7 FROM unnest($1::BIGINT[], $2::BYTEA[], $3::INTEGER[], $4::SMALLINT[], $5::BIGINT[],
                                        $6::BIGINT[]) AS a
             ON CONFLICT (host, crawl, id) DO UPDATE SET round = excluded.round, lane = excluded.lane,
                 band = excluded.band, seq = excluded.seq",
        )?;
        let marked: Vec<(&Key, &Known)> =
            self.marked.iter().filter_map(|key| Some((key, self.known.get(key)?))).collect();
        let hosts: Vec<i64> = marked.iter().map(|((host, _), _)| *host).collect();
        let ids: Vec<&[u8]> = marked.iter().map(|((_, id), _)| &id[..]).collect();
        let rounds: Vec<i32> = marked.iter().map(|(_, known)| known.round).collect();
        let place = |known: &Known| known.place;
        let lanes: Vec<Option<i16>> = marked.iter().map(|(_, known)| place(known).map(|place| place.lane)).collect();
        let bands: Vec<Option<i64>> = marked.iter().map(|(_, known)| place(known).map(|place| place.band)).collect();
        let seqs: Vec<Option<i64>> = marked.iter().map(|(_, known)| place(known).map(|place| place.seq)).collect();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
            [&hosts, &ids, &rounds, &lanes, &bands, &seqs, &self.crawl];
        self.session.wait(self.session.client().execute(&write, &values)).map(drop)
    }

    fn write_templates(&self) -> sql::Result<()> {
        if self.counted.is_empty() {
            return Ok(());
        }
        let write = self.session.own(
            "INSERT INTO template (host, shape, pages, crawl)
             SELECT a.*, $4 FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BIGINT[]) AS a
             ON CONFLICT (host, crawl, shape) DO UPDATE SET pages = excluded.pages",
        )?;
        let (hosts, shapes): (Vec<i64>, Vec<i64>) = self.counted.iter().copied().unzip();
        let pages: Vec<i64> =
            self.counted.iter().map(|shape| self.templates.get(shape).copied().unwrap_or(0)).collect();
        self.session.wait(self.session.client().execute(&write, &[&hosts, &shapes, &pages, &self.crawl])).map(drop)
    }

    fn write_hosts(&self) -> sql::Result<()> {
        let changed: Vec<(&i64, &Host)> = self.hosts.iter().filter(|(_, host)| host.changed).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let write = self.session.own(
            // They are there.
            "INSERT INTO backlog (host, ever, lane, band, seq, crawl)
             SELECT a.*, $6 FROM unnest($1::BIGINT[], $2::BIGINT[], $3::SMALLINT[], $4::BIGINT[], $5::BIGINT[]) AS a
             ON CONFLICT (host, crawl) DO UPDATE
             SET ever = excluded.ever, lane = excluded.lane, band = excluded.band, seq = excluded.seq",
        )?;
        let hosts: Vec<i64> = changed.iter().map(|(host, _)| **host).collect();
        let ever: Vec<i64> = changed.iter().map(|(_, host)| host.ever).collect();
        let lanes: Vec<Option<i16>> = changed.iter().map(|(_, host)| host.head.map(|head| head.lane)).collect();
        let bands: Vec<Option<i64>> = changed.iter().map(|(_, host)| host.head.map(|head| head.band)).collect();
        let seqs: Vec<Option<i64>> = changed.iter().map(|(_, host)| host.head.map(|head| head.seq)).collect();
        let client = self.session.client();
        self.session.wait(client.execute(&write, &[&hosts, &ever, &lanes, &bands, &seqs, &self.crawl]))?;
        let headless: Vec<i64> = changed.iter().filter(|(_, host)| host.headless).map(|(host, _)| **host).collect();
        if !headless.is_empty() {
            let find = self.session.own(
                "UPDATE backlog AS b SET (lane, band, seq) =
                     (SELECT w.lane, w.band, w.seq FROM unclaimed AS w
                      WHERE w.host = b.host AND w.crawl = b.crawl ORDER BY w.lane, w.band, w.seq LIMIT 1)
                 WHERE b.host = ANY ($1) AND b.crawl = $2",
            )?;
            self.session.wait(client.execute(&find, &[&headless, &self.crawl]))?;
        }
        Ok(())
    }

    fn write_overruns(&self) -> sql::Result<()> {
        if self.overruns.is_empty() {
            return Ok(());
        }
        // In order, so that two workers do not wait for each other.
        let write = self.session.own(
            "INSERT INTO overrun AS o (host, shape, refused, crawl)
             SELECT a.*, $4 FROM unnest($1::TEXT[], $2::TEXT[], $3::BIGINT[]) AS a
             ON CONFLICT (crawl, host, shape) DO UPDATE SET refused = o.refused + excluded.refused",
        )?;
        let (hosts, shapes): (Vec<&str>, Vec<&str>) =
            self.overruns.keys().map(|(host, shape)| (host.as_str(), shape.as_str())).unzip();
        let refused: Vec<i64> = self.overruns.values().copied().collect();
        self.session.wait(self.session.client().execute(&write, &[&hosts, &shapes, &refused, &self.crawl])).map(drop)
    }

    fn write_figures(&self, worker: i64) -> sql::Result<()> {
        let write = self.session.own(
            "INSERT INTO queue_figure AS f (crawl, slot, known_media, known_pages, queued_media, queued_pages, over_budget)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (crawl, slot) DO UPDATE SET
                 known_media = f.known_media + excluded.known_media,
                 known_pages = f.known_pages + excluded.known_pages,
                 queued_media = f.queued_media + excluded.queued_media,
                 queued_pages = f.queued_pages + excluded.queued_pages,
                 over_budget = f.over_budget + excluded.over_budget",
        )?;
        let Deltas { known, queued, over_budget } = &self.figures;
        let slot = worker.rem_euclid(SLOTS);
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
            [&self.crawl, &slot, &known[0], &known[1], &queued[0], &queued[1], over_budget];
        self.session.wait(self.session.client().execute(&write, &values)).map(drop)
    }
}

fn key(link: &Link) -> Key {
    (host_number(link.url.host_str()), link.url.id().short())
}

/// Whether a link found again moves what waits forward.
fn raises(link: &Link, place: Place) -> bool {
    matches!(link.order, Order::Best(_)) && place.raised(band(link.order, 0)) < place
}

/// Places as columns.
fn columns<'p>(places: impl Iterator<Item = &'p (i64, Place)>) -> (Vec<i64>, Vec<i16>, Vec<i64>, Vec<i64>) {
    let (mut hosts, mut lanes, mut bands, mut seqs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (host, place) in places {
        hosts.push(*host);
        lanes.push(place.lane);
        bands.push(place.band);
        seqs.push(place.seq);
    }
    (hosts, lanes, bands, seqs)
}

fn short(bytes: &[u8]) -> sql::Result<[u8; 16]> {
    bytes.try_into().map_err(|_| Error::Strange("an address of the queue does not read".into()))
}

/// A link as the table has it.
pub(super) fn read_link(bytes: &[u8]) -> sql::Result<Link> {
    postcard::from_bytes(bytes).map_err(|error| Error::Strange(format!("a waiting address does not read: {error}")))
}

pub(super) fn write_link(link: &Link) -> sql::Result<Vec<u8>> {
    postcard::to_stdvec(link).map_err(|error| Error::Strange(format!("a link cannot be written: {error}")))
}
