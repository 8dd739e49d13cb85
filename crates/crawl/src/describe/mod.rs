//! What kept files look and sound like, and which of them are copies of each other.
//!
//! Pictures are described while they come in, from the pixels that their thumbnails are made of.
//! Films, sounds, and whatever was left behind by a kill or by older formulas, are described
//! afterwards from their files. Whatever is described is compared with what is like it. All of it is
//! read from the store and written there, so it goes on wherever it was stopped.

mod likeness;
mod placing;
mod seen;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use decode::DecodeError;
use facts::{MediaId, MediaKind};
use serde::Serialize;
use store::{Candidate, Clue, Compared, CopyFound, Described, Store, StoreError, Turn, Undescribed};
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

pub(crate) use self::likeness::Likeness;
pub use self::placing::{CLUSTERING, Clustering, Placing, leaders, place};
pub(crate) use self::seen::{Seen, look_at, pixels_of, see, version};

use self::likeness::Verdict;
use crate::gathering::on_disk;
use crate::stop::{Stop, Stopper, stopper};

/// Items compared, and files described, in one transaction.
const BATCH: usize = 64;
/// New items wait so long for company before they are compared.
const WINDOW: Duration = Duration::from_millis(500);

/// What describing came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Describing {
    /// Files described that had not been when they came in.
    pub described: u64,
    /// Files that cannot be: damaged, or of a rare kind.
    pub failed: u64,
    /// Files that could be with programs that are missing here, or when they can be read again.
    pub waiting: u64,
    /// Items compared with what is like them.
    pub compared: u64,
    /// Those of them that are copies of another.
    pub copies: u64,
}

/// Members of a group that a newcomer is compared with, beside the original.
const ASKED: usize = 6;

/// Describes what is not described yet, and finds copies of what is new, until nothing is left or it
/// is stopped.
pub async fn describe(
    store: &Arc<Store>,
    stop: &Stop,
    progress: &watch::Sender<Describing>,
) -> Result<Describing, StoreError> {
    describe_but(&mut HashSet::new(), store, stop, progress).await
}

/// [`describe`] at the end of a run or an import, which waits for nobody: what comes in while another of those who share
/// the store describes is described by that one, whose work may take hours.
pub(crate) async fn describe_unless_others_do(store: &Arc<Store>, stop: &Stop) -> Result<Describing, StoreError> {
    let mut stopped = stop.clone();
    let turn = tokio::select! {
        turn = store.describing_unless_others_do() => turn?,
        () = stopped.wait() => None,
    };
    let Some(_turn) = turn else { return Ok(Describing::default()) };
    describe_in_turn(&mut HashSet::new(), store, stop, &watch::channel(Describing::default()).0).await
}

/// Describes all but those that are known to wait, and learns which do.
async fn describe_but(
    waits: &mut HashSet<MediaId>,
    store: &Arc<Store>,
    stop: &Stop,
    progress: &watch::Sender<Describing>,
) -> Result<Describing, StoreError> {
    let Some(_turn) = turn(store, stop).await? else { return Ok(Describing::default()) };
    describe_in_turn(waits, store, stop, progress).await
}

/// Describes, for one whose turn it is.
async fn describe_in_turn(
    waits: &mut HashSet<MediaId>,
    store: &Arc<Store>,
    stop: &Stop,
    progress: &watch::Sender<Describing>,
) -> Result<Describing, StoreError> {
    let mut pass = Pass { store, stop, progress, so_far: Describing::default(), waits, waits_for: None };
    pass.compare().await?;
    for kind in [MediaKind::Image, MediaKind::Audio, MediaKind::Video] {
        pass.describe(kind).await?;
    }
    placing::place(&**store.library(), stop).await?;
    if let Some(why) = pass.waits_for {
        tracing::warn!("{} cannot be described yet: {why}", pass.so_far.waiting);
    }
    Ok(pass.so_far)
}

/// Waits until nobody else describes what is in this store, which would be done twice; nothing when it
/// is stopped before.
async fn turn<'a>(store: &'a Store, stop: &Stop) -> Result<Option<Turn<'a>>, StoreError> {
    let mut stopped = stop.clone();
    tokio::select! {
        turn = store.describing() => turn.map(Some),
        () = stopped.wait() => Ok(None),
    }
}

struct Pass<'a> {
    store: &'a Arc<Store>,
    stop: &'a Stop,
    progress: &'a watch::Sender<Describing>,
    so_far: Describing,
    /// Those that wait for a program, or to be readable again.
    waits: &'a mut HashSet<MediaId>,
    /// Why the first that is new among them does.
    waits_for: Option<DecodeError>,
}

impl Pass<'_> {
    async fn describe(&mut self, kind: MediaKind) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            if self.stop.asked() {
                return Ok(());
            }
            let listed = self.store.library().undescribed(kind, seen::version(kind), after.as_ref(), BATCH).await?;
            let next = listed.next;
            self.describe_all(listed.what).await?;
            self.compare().await?;
            match next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// Describes files, one for each core at a time; what is done when it is stopped is kept.
    async fn describe_all(&mut self, files: Vec<Undescribed>) -> Result<(), StoreError> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let (mut looks, mut described) = (JoinSet::new(), Vec::new());
        let mut stopped = self.stop.clone();
        let mut files = files.into_iter().filter(|file| !self.waits.contains(&file.id)).collect::<Vec<_>>().into_iter();
        loop {
            while looks.len() < cores
                && let Some(file) = files.next()
            {
                let shelf = self.store.files().shelf().clone();
                looks.spawn_blocking(move || {
                    let local = shelf.local(&file.path).map_err(|error| DecodeError::Unreadable(error.to_string()));
                    (file.id, local.and_then(|local| seen::describe(&local, file.kind)))
                });
            }
            // A film may take minutes: nobody who stops waits for it.
            let looked = tokio::select! {
                looked = looks.join_next() => looked,
                () = stopped.wait() => break,
            };
            match looked {
                Some(Ok((id, Ok(outcome)))) => described.push((id, outcome)),
                Some(Ok((id, Err(why)))) => {
                    self.so_far.waiting += 1;
                    self.waits.insert(id);
                    self.waits_for.get_or_insert(why);
                }
                Some(Err(broken)) => tracing::error!("a file could not be described: {broken}"),
                None => break,
            }
        }
        let of = |wanted: fn(&Described) -> bool| described.iter().filter(|(_, one)| wanted(one)).count() as u64;
        self.so_far.described += of(|one| matches!(one, Described::As(_)));
        self.so_far.failed += of(|one| matches!(one, Described::Not { .. }));
        if !described.is_empty() {
            self.store.library().describe(&described).await?;
        }
        self.progress.send_replace(self.so_far);
        Ok(())
    }

    /// Compares what was described with what is like it.
    async fn compare(&mut self) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            if self.stop.asked() {
                return Ok(());
            }
            let listed = self.store.library().uncompared(after.as_ref(), BATCH).await?;
            let (mut compared, mut joined) = (Vec::new(), HashSet::new());
            for (id, kind, description) in listed.what {
                let found = match Likeness::read(kind, &description) {
                    Some(likeness) => self.alike(id, likeness, description.traces.pixels).await?,
                    // Of older formulas: it is compared when it was described anew.
                    None => Vec::new(),
                };
                // What groups these are in is asked of the store, which has to know what came before.
                if found.iter().map(|copy| copy.of).chain([id]).any(|one| joined.contains(&one)) {
                    self.join(std::mem::take(&mut compared)).await?;
                    joined.clear();
                }
                let copies = self.copies(id, found).await?;
                if !copies.is_empty() {
                    joined.extend(copies.iter().map(|copy| copy.of).chain([id]));
                }
                compared.push(Compared { id, copies });
            }
            self.join(compared).await?;
            match listed.next {
                Some(next) => after = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// Writes what was compared.
    async fn join(&mut self, compared: Vec<Compared>) -> Result<(), StoreError> {
        if compared.is_empty() {
            return Ok(());
        }
        self.store.library().compared(&compared).await?;
        self.so_far.compared += compared.len() as u64;
        for one in compared.iter().filter(|one| !one.copies.is_empty()) {
            let item = self.store.library().item(one.id).await?;
            self.so_far.copies += u64::from(item.is_some_and(|item| item.duplicate_of.is_some()));
        }
        self.progress.send_replace(self.so_far);
        Ok(())
    }

    /// What an item is a copy of, the surest first.
    async fn alike(
        &self,
        id: MediaId,
        likeness: Likeness,
        pixels: Option<[u8; 32]>,
    ) -> Result<Vec<CopyFound>, StoreError> {
        let candidates = self.store.library().candidates(&likeness.example(pixels, Some(id))).await?;
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let mut found =
            on_disk(move || Ok(candidates.iter().filter_map(|one| likeness.copy(one)).collect::<Vec<_>>())).await?;
        for verdict in &mut found {
            if verdict.identical && self.same_pixels(id, verdict.copy.of).await? {
                *verdict = Verdict::pixels(verdict.copy.of);
            }
        }
        found.sort_by_key(|verdict| verdict.copy.why);
        Ok(found.into_iter().map(|verdict| verdict.copy).collect())
    }

    /// Those whose groups it may join; the originals of these before them.
    async fn copies(&self, id: MediaId, found: Vec<CopyFound>) -> Result<Vec<CopyFound>, StoreError> {
        let mut copies = Vec::new();
        for copy in found {
            let back = CopyFound { of: id, ..copy.clone() };
            // Each must fit into the group of the other.
            if let Some(original) = self.like_original(id, &copy).await?
                && self.like_original(copy.of, &back).await?.is_some()
            {
                copies.extend([original, copy]);
            }
        }
        let mut told = HashSet::new();
        copies.retain(|copy| told.insert(copy.of));
        Ok(copies)
    }

    /// How an item is a copy of the original of the group that what it is like belongs to. Nothing when it
    /// is none, or is not like most of the others: pictures of one pan have nothing in common in the end,
    /// though each is like the next.
    async fn like_original(&self, id: MediaId, like: &CopyFound) -> Result<Option<CopyFound>, StoreError> {
        let library = self.store.library();
        let Some(group) = library.copy_group(like.of).await? else { return Ok(Some(like.clone())) };
        let step = group.copies.len().div_ceil(ASKED).max(1);
        let others = group.copies.iter().step_by(step).map(|copy| copy.file.id);
        let members: Vec<MediaId> =
            std::iter::once(group.kept.id).chain(others).filter(|member| *member != id).collect();
        let Some(item) = library.item(like.of).await? else { return Ok(None) };
        let Some(Described::As(own)) = library.description(id).await? else { return Ok(None) };
        let mut candidates = Vec::new();
        for member in &members {
            if let Some(Described::As(its)) = library.description(*member).await? {
                let pixels = own.traces.pixels.is_some() && own.traces.pixels == its.traces.pixels;
                let clue = if pixels { Clue::Pixels } else { Clue::Keys { shared: 0 } };
                candidates.push(Candidate { id: *member, clue, bytes: Some(its.bytes) });
            }
        }
        let Some(likeness) = Likeness::read(item.kind, &own) else { return Ok(None) };
        let copies = on_disk(move || {
            Ok(candidates.iter().filter_map(|one| likeness.copy(one)).map(|verdict| verdict.copy).collect::<Vec<_>>())
        })
        .await?;
        let most = 2 * copies.len() >= members.len();
        Ok(copies.into_iter().find(|copy| most && Some(&copy.of) == members.first()))
    }

    /// Whether two pictures have the same pixels: what large ones are only asked when they look the same.
    async fn same_pixels(&self, a: MediaId, b: MediaId) -> Result<bool, StoreError> {
        let mut files = Vec::new();
        for id in [a, b] {
            let Some(item) = self.store.library().item(id).await? else { return Ok(false) };
            files.push((item.width.zip(item.height), item.path));
        }
        let sides: HashSet<_> = files.iter().map(|(sides, _)| sides.map(|(w, h)| (w.min(h), w.max(h)))).collect();
        if sides.len() > 1 {
            return Ok(false);
        }
        let shelf = self.store.files().shelf().clone();
        on_disk(move || {
            let pixels = |path: &str| shelf.local(path).ok().and_then(|file| pixels_of(&file).ok().flatten());
            let hashes: HashSet<_> = files.iter().map(|(_, path)| pixels(path)).collect();
            Ok(hashes.len() == 1 && !hashes.contains(&None))
        })
        .await
    }
}

/// Describes and compares in the background.
pub struct Describer {
    arrived: Arc<Notify>,
    stopper: Stopper,
    task: JoinHandle<Result<Describing, StoreError>>,
}

impl Describer {
    /// Waits for the first to come in.
    pub fn start(store: Arc<Store>) -> Self {
        let (stopper, stop) = stopper();
        let arrived = Arc::new(Notify::new());
        let woken = Arc::clone(&arrived);
        let task = tokio::spawn(async move {
            let (mut all, progress) = (Describing::default(), watch::channel(Describing::default()).0);
            let (mut stopped, mut waits) = (stop.clone(), HashSet::new());
            loop {
                tokio::select! {
                    () = async { woken.notified().await; tokio::time::sleep(WINDOW).await } => {}
                    () = stopped.wait() => return Ok(all),
                }
                all.add(describe_but(&mut waits, &store, &stop, &progress).await?);
            }
        });
        Self { arrived, stopper, task }
    }

    /// Something came in.
    pub fn arrived(&self) {
        self.arrived.notify_one();
    }

    /// Tells it, for those who do not have it, that something came in.
    pub fn bell(&self) -> Arc<Notify> {
        Arc::clone(&self.arrived)
    }

    /// Ends it; what is left is done the next time.
    pub async fn stop(self) -> Result<Describing, StoreError> {
        self.stopper.stop();
        self.task.await.unwrap_or_else(|broken| std::panic::resume_unwind(broken.into_panic()))
    }
}

impl Describing {
    pub(crate) fn add(&mut self, more: Self) {
        self.described += more.described;
        self.failed += more.failed;
        self.waiting += more.waiting;
        self.compared += more.compared;
        self.copies += more.copies;
    }
}
