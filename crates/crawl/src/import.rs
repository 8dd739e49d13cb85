//! Local files into the library, as if they had been crawled.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, UNIX_EPOCH};

use decode::Thumbnail;
use facts::{MediaKind, Timestamp};
use media::Rules;
use serde::Serialize;
use store::{Blocked, FORGOTTEN, ImportedFile, MediaFile, Refused, SaidSource, Store, StoreError};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::describe::{Seen, describe_unless_others_do, see};
use crate::error::CrawlError;
use crate::gathering::on_disk;
use crate::inspect::{Examined, examine_file};
use crate::keep::{Called, Keep, refused, verdict_on};
use crate::places::{said_in_file, said_in_words};
use crate::stop::Stop;

/// Where files that were sent up are, in the data directory: the only ones there that can be imported.
pub const UPLOADS: &str = "uploads";

/// Files written in one transaction.
const BATCH: usize = 64;

/// What to import.
#[derive(Clone, Debug)]
pub struct ImportOrder {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Which files are kept.
    pub keep: Keep,
    /// Kinds of media to take.
    pub kinds: Vec<MediaKind>,
    /// Whether files are described and compared before it ends. Where a [`Describer`](crate::Describer)
    /// is at work nobody waits for that.
    pub describe: bool,
}

/// What an import came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportSummary {
    /// Files found.
    pub files: u64,
    /// Files whose content is new to the library.
    pub imported: u64,
    /// Files whose content was there already.
    pub copies: u64,
    /// Files that were imported before and have not changed since.
    pub unchanged: u64,
    /// Files that were not taken, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Of the files taken, those that say where they were made.
    pub geotagged: u64,
    /// Of the others, those that are located by words: their own, or those of their name and folder.
    pub located: u64,
    /// Files that name a location which cannot be, by what is wrong with it.
    pub wrong_coordinates: BTreeMap<String, u64>,
    /// Bytes of the files taken.
    pub bytes: u64,
    /// Items that turned out to be copies of others that are not the same bytes.
    pub near_copies: u64,
    /// Items that could not be looked at or listened to.
    pub undescribed: u64,
    /// Time at work.
    pub seconds: f64,
    /// Why it ended: `done` or `interrupted`.
    pub stopped: &'static str,
}

/// Imports files where they are: their bytes are not copied. Files that were imported before and
/// have not changed since are passed over, so an import that was stopped goes on when it is given
/// again.
pub async fn import(
    store: Arc<Store>,
    order: ImportOrder,
    stop: Stop,
    progress: watch::Sender<ImportSummary>,
) -> Result<ImportSummary, CrawlError> {
    let started = Instant::now();
    let mut roots = order.paths.iter().map(|path| absolute(path)).collect::<Result<Vec<_>, _>>()?;
    // What is named twice, or below a folder that is named too, counts once.
    let named: HashSet<PathBuf> = roots.iter().cloned().collect();
    let mut before = HashSet::new();
    // A hidden one is not met on the way from above.
    let hidden = |path: &Path| path.iter().any(|part| part.to_string_lossy().starts_with('.'));
    let met =
        |root: &Path, above: &Path| named.contains(above) && root.strip_prefix(above).is_ok_and(|below| !hidden(below));
    roots.retain(|root| before.insert(root.clone()) && !root.ancestors().skip(1).any(|above| met(root, above)));
    let own = fs::canonicalize(store.dir()).unwrap_or_else(|_| store.dir().to_owned());
    let importer = Importer {
        blocked: store.library().forgotten().await?,
        rules: Arc::new(order.keep.rules()),
        kinds: order.kinds.into(),
        thumbnail_size: order.keep.thumbnail_size,
        store,
    };
    let mut summary = ImportSummary { stopped: "done", ..ImportSummary::default() };
    let mut walk = Walk { open: roots.into_iter().rev().collect(), own, unreadable: 0 };
    loop {
        if stop.asked() {
            summary.stopped = "interrupted";
            break;
        }
        let (batch, back) = on_disk(move || Ok((walk.take(BATCH), walk))).await?;
        walk = back;
        if walk.unreadable > 0 {
            *summary.refused.entry("unreadable".to_owned()).or_default() += std::mem::take(&mut walk.unreadable);
        }
        if batch.is_empty() {
            break;
        }
        importer.take(batch, &stop, &mut summary).await?;
        summary.seconds = started.elapsed().as_secs_f64();
        progress.send_replace(summary.clone());
    }
    if order.describe {
        let describing = describe_unless_others_do(&importer.store, &stop).await?;
        summary.near_copies = describing.copies;
        summary.undescribed = describing.failed + describing.waiting;
        if stop.asked() {
            summary.stopped = "interrupted";
        }
    }
    summary.seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

fn absolute(path: &Path) -> Result<PathBuf, CrawlError> {
    fs::canonicalize(path).map_err(|error| CrawlError::Import { path: path.to_owned(), why: error.to_string() })
}

/// A file as the walk found it.
struct Found {
    path: PathBuf,
    size: u64,
    modified: i64,
}

/// Files below folders, in the order of their names. Hidden ones are passed over, and so is the data
/// directory itself; links to folders are not followed.
struct Walk {
    open: Vec<PathBuf>,
    own: PathBuf,
    /// Folders and links that could not be read since this was last asked.
    unreadable: u64,
}

impl Walk {
    fn take(&mut self, most: usize) -> Vec<Found> {
        let mut found = Vec::new();
        while found.len() < most
            && let Some(path) = self.open.pop()
        {
            let Ok(about) = fs::metadata(&path) else {
                tracing::warn!("{} cannot be read: left out", path.display());
                self.unreadable += 1;
                continue;
            };
            if about.is_dir() {
                if !path.starts_with(&self.own) {
                    self.enter(&path);
                }
            } else if about.is_file() && (!path.starts_with(&self.own) || path.starts_with(self.own.join(UPLOADS))) {
                let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let modified = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
                found.push(Found { path, size: about.len(), modified });
            }
        }
        found
    }

    fn enter(&mut self, folder: &Path) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.unreadable += 1;
                return tracing::warn!("{} cannot be read: {error}", folder.display());
            }
        };
        let mut below: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .filter(|entry| !(entry.file_type().is_ok_and(|kind| kind.is_symlink()) && entry.path().is_dir()))
            .map(|entry| entry.path())
            .collect();
        below.sort_by(|a, b| b.cmp(a));
        self.open.append(&mut below);
    }
}

struct Importer {
    store: Arc<Store>,
    blocked: Blocked,
    rules: Arc<Rules>,
    kinds: Arc<[MediaKind]>,
    thumbnail_size: u32,
}

impl Importer {
    async fn take(&self, batch: Vec<Found>, stop: &Stop, summary: &mut ImportSummary) -> Result<(), StoreError> {
        summary.files += batch.len() as u64;
        let mut named = Vec::new();
        for found in batch {
            match found.path.to_str() {
                Some(path) => named.push((path.to_owned(), found)),
                None => count(&mut summary.refused, "name"),
            }
        }
        let paths: Vec<String> = named.iter().map(|(path, _)| path.clone()).collect();
        let before = self.store.library().imported(&paths).await?;
        let now = self.store.frontier().now().await?;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let (mut looks, mut files) = (JoinSet::new(), Vec::new());
        for ((path, found), before) in named.into_iter().zip(before) {
            if stop.asked() {
                summary.stopped = "interrupted";
                break;
            }
            if before == Some((found.size, found.modified)) {
                summary.unchanged += 1;
                continue;
            }
            if looks.len() >= cores {
                files.extend(looked(looks.join_next().await));
            }
            let look = self.look(path, found, now);
            looks.spawn_blocking(look);
        }
        while let Some(look) = looks.join_next().await {
            files.extend(looked(Some(look)));
        }
        let mut readable = Vec::new();
        for file in files {
            match file {
                Ok(file) => readable.push(file),
                Err(Unread { path, why }) => {
                    tracing::warn!("{path} cannot be read: {why}");
                    count(&mut summary.refused, "unreadable");
                }
            }
        }
        // Of copies the first is the one that is named, whichever was looked at first.
        readable.sort_by(|a, b| a.source.cmp(&b.source));
        self.write(readable, summary).await
    }

    async fn write(&self, files: Vec<ImportedFile>, summary: &mut ImportSummary) -> Result<(), StoreError> {
        for file in &files {
            let wrong = match &file.outcome {
                Ok(kept) => {
                    let geotagged = kept.facts.location.is_some();
                    summary.geotagged += u64::from(geotagged);
                    summary.located += u64::from(!geotagged && !kept.said.is_empty());
                    summary.bytes += kept.size;
                    kept.facts.wrong_location
                }
                Err(refused) => {
                    count(&mut summary.refused, &refused.reason);
                    refused.wrong_location
                }
            };
            if let Some(wrong) = wrong {
                count(&mut summary.wrong_coordinates, wrong.as_str());
            }
        }
        let imported = self.store.import(files).await?;
        summary.imported += imported.new;
        summary.copies += imported.known;
        Ok(())
    }

    /// Looks at a file, on a thread of its own.
    fn look(
        &self,
        path: String,
        found: Found,
        now: Timestamp,
    ) -> impl FnOnce() -> Result<ImportedFile, Unread> + Send + 'static {
        let (store, blocked, rules, kinds, size) = (
            Arc::clone(&self.store),
            self.blocked.clone(),
            Arc::clone(&self.rules),
            Arc::clone(&self.kinds),
            self.thumbnail_size,
        );
        move || {
            let outcome = match blocked.file(&path) {
                true => Err(Refused::unseen(FORGOTTEN)),
                false => examined(&store, &blocked, &rules, &kinds, &path, size, now)
                    .map_err(|why| Unread { path: path.clone(), why })?,
            };
            let Found { path: source, size, modified } = found;
            Ok(ImportedFile { description: description(&source), source: path, size, modified, outcome })
        }
    }
}

/// A file that could not be read; it is tried again the next time.
struct Unread {
    path: String,
    why: String,
}

fn looked<T>(look: Option<Result<T, tokio::task::JoinError>>) -> Option<T> {
    match look? {
        Ok(looked) => Some(looked),
        Err(broken) => {
            tracing::error!("a file could not be looked at: {broken}");
            None
        }
    }
}

fn examined(
    store: &Store,
    blocked: &Blocked,
    rules: &Rules,
    kinds: &[MediaKind],
    path: &str,
    thumbnail_size: u32,
    now: Timestamp,
) -> Result<Result<MediaFile, Refused>, String> {
    let Examined { size, id, facts, bytes } = examine_file(Path::new(path), now).map_err(|error| error.to_string())?;
    let facts = match facts {
        Ok(facts) => facts,
        Err(unreadable) => return Ok(Err(Refused::unseen(unreadable.as_str()))),
    };
    if blocked.content(&id) {
        return Ok(Err(Refused::unseen(FORGOTTEN)));
    }
    if !kinds.contains(&facts.format.kind) {
        return Ok(Err(Refused::unseen("kind")));
    }
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    if let Err(refusal) = verdict_on(rules, &facts, Some(size), &Called { alt: String::new(), name }) {
        return Ok(Err(refused(&facts, refusal)));
    }
    let Seen { thumbnail, described } = bytes.map(|bytes| see(&bytes, &facts, thumbnail_size)).unwrap_or_default();
    let colour = thumbnail.as_ref().map(|small| small.colour);
    let place = |small: Thumbnail| store.files().place_thumbnail(path, id, &small.jpeg);
    let thumbnail = thumbnail.map(place).transpose().map_err(|error| error.to_string())?;
    let (locality, mut said) = said_in_file(&facts, true);
    said.extend(said_in_words(&description(Path::new(path)), SaidSource::Description));
    let path = path.to_owned();
    Ok(Ok(MediaFile { id, size, path, thumbnail, colour, facts, locality, said, description: described }))
}

/// The words of a file's name and of the folder it is in.
fn description(path: &Path) -> String {
    let words = |text: Option<&std::ffi::OsStr>| {
        let text = text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
        page::name_words(&text)
    };
    let folder = words(path.parent().and_then(Path::file_name));
    [words(path.file_name()), folder].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" ")
}

fn count(counts: &mut BTreeMap<String, u64>, reason: &str) {
    *counts.entry(reason.to_owned()).or_default() += 1;
}
