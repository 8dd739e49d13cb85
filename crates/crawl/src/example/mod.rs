//! Questions that are pictures, films or sounds [004 ch. 6].
//!
//! A [`ByExample`] is read from a file or from an item of the library; [`ByExample::ask`] finds what is
//! like it, its copies, the whole that it is a part of, or the best of its copies.

mod copies;
mod whole;

use std::io::Write;
use std::path::Path;

use facts::{MediaId, MediaKind, Url};
use fetch::Fetcher;
use media::SNIFF_BYTES;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::{Alike, Described, Library, StoreError};
use tempfile::NamedTempFile;

use crate::describe::{Likeness, look_at, version};
use crate::inspect::download;
use crate::settings::Limits;

/// Bytes of the largest example.
pub const LARGEST_EXAMPLE: u64 = 512 << 20;

/// Points that are compared, and items whose descriptions are. Of 100,000 blends of photos this found
/// all of the ten most similar (`crawl/examples/alike.rs`).
const COMPARED: usize = 30_000;
const RANKED: usize = 300;

/// What is asked of an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// What is like it, the most similar first.
    #[default]
    Similar,
    /// All its copies.
    Exact,
    /// The whole that it is a part of.
    Whole,
    /// Its copies, the best first.
    Better,
}

impl Mode {
    /// All of them, by name.
    pub const ALL: [(&str, Self); 4] =
        [("similar", Self::Similar), ("exact", Self::Exact), ("whole", Self::Whole), ("better", Self::Better)];
}

/// Something that others are to be like.
pub struct ByExample {
    likeness: Likeness,
    pixels: Option<[u8; 32]>,
    /// Its content.
    id: MediaId,
    /// It is an item of the library, which is no answer itself.
    is_item: bool,
}

/// An item that was found by an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The item.
    pub id: MediaId,
    /// How similar it is in itself, 0 to 100.
    pub similarity: f64,
    /// Why it is an answer, where that is more than its similarity.
    pub why: Option<String>,
}

impl ByExample {
    /// Reads an example from a file, within the limits of all decoding; or says why that cannot be.
    /// Blocks.
    pub fn of_file(file: &Path) -> Result<Self, String> {
        let unread = |error: std::io::Error| format!("it cannot be read: {error}");
        // Looked at before it is opened: opening a pipe waits until somebody writes into it.
        let found = std::fs::metadata(file).map_err(unread)?;
        if !found.is_file() {
            return Err("it is not a file".into());
        }
        let mut opened = std::fs::File::open(file).map_err(unread)?;
        if found.len() > LARGEST_EXAMPLE {
            return Err(format!("it is larger than {} MB: cut out a part of it", LARGEST_EXAMPLE >> 20));
        }
        let mut hash = Sha256::new();
        let mut head = Vec::new();
        let mut piece = vec![0; 1 << 16];
        loop {
            let read = std::io::Read::read(&mut opened, &mut piece).map_err(unread)?;
            let Some(bytes) = piece.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            hash.update(bytes);
            let missing = SNIFF_BYTES.saturating_sub(head.len());
            head.extend(bytes.iter().take(missing));
        }
        let format = media::sniff(&head).ok_or("it is no picture, film or sound that is known here")?;
        let (likeness, pixels) =
            look_at(file, format.kind).map_err(|error| format!("it cannot be decoded: {error}"))?;
        Ok(Self { likeness, pixels, id: MediaId::from_sha256(hash.finalize().into()), is_item: false })
    }

    /// Reads an example from the web, within the limits of a crawl; or says why that cannot be.
    pub async fn of_address(url: &Url, fetcher: &Fetcher, limits: &Limits) -> Result<Self, String> {
        let bytes = download(url.clone(), fetcher, limits).await?;
        let read = tokio::task::spawn_blocking(move || {
            // Decoders of films want a file.
            let mut file = NamedTempFile::with_prefix("bowerbird-").map_err(|error| error.to_string())?;
            file.write_all(&bytes).map_err(|error| error.to_string())?;
            Self::of_file(file.path())
        });
        read.await.unwrap_or_else(|broken| Err(broken.to_string()))
    }

    /// An item of the library; nothing when there is none, or it is not described (yet).
    pub async fn of_item(library: &dyn Library, id: MediaId) -> Result<Option<Self>, StoreError> {
        let Some(item) = library.item(id).await? else { return Ok(None) };
        let Some(Described::As(description)) = library.description(id).await? else { return Ok(None) };
        let likeness = Likeness::read(item.kind, &description);
        Ok(likeness.map(|likeness| Self { likeness, pixels: description.traces.pixels, id, is_item: true }))
    }

    /// A look that is no file's.
    pub fn of_look(look: media::Look) -> Self {
        let likeness = Likeness::Picture(Box::new(look));
        Self { likeness, pixels: None, id: MediaId::from_sha256([0; 32]), is_item: false }
    }

    /// What it is.
    pub fn kind(&self) -> MediaKind {
        self.likeness.kind()
    }

    /// What is found by it: in all, and the first `top` that are at least so similar (0 to 100).
    pub async fn ask(
        &self,
        library: &dyn Library,
        mode: Mode,
        at_least: f64,
        top: usize,
    ) -> Result<(u64, Vec<Found>), StoreError> {
        let mut found = match mode {
            Mode::Similar => self.similar(library, top).await?,
            Mode::Exact => self.copies(library).await?,
            Mode::Whole => self.whole(library).await?,
            Mode::Better => self.better(library).await?,
        };
        found.retain(|found| found.similarity >= at_least);
        let total = found.len() as u64;
        found.truncate(top);
        Ok((total, found))
    }

    async fn similar(&self, library: &dyn Library, top: usize) -> Result<Vec<Found>, StoreError> {
        let mut ranked: Vec<(f64, Found)> = Vec::new();
        for (id, other) in self.near(library, RANKED.max(top.saturating_mul(2))).await? {
            let found = Found { id, similarity: self.likeness.similarity(&other), why: None };
            ranked.push((self.likeness.distance(&other), found));
        }
        ranked.sort_by(|(a, one), (b, other)| a.total_cmp(b).then(one.id.cmp(&other.id)));
        Ok(ranked.into_iter().map(|(_, found)| found).collect())
    }

    /// Originals whose points are nearest, with their descriptions.
    async fn near(&self, library: &dyn Library, most: usize) -> Result<Vec<(MediaId, Likeness)>, StoreError> {
        let kind = self.kind();
        let asked = Alike {
            kind,
            version: version(kind),
            point: self.likeness.point(),
            compared: COMPARED,
            most,
            copies: false,
            except: self.is_item.then_some(self.id),
        };
        let near = library.alike(&asked).await?;
        let read = near.into_iter().filter_map(|item| Some((item.id, Likeness::from_bytes(kind, &item.bytes)?)));
        Ok(read.collect())
    }
}

/// Orders answers by their distances to targets: the new places of the ones given, the nearest first
/// [004 §6.2]. What is not described, or is of another kind, comes last in the order it had.
pub async fn reordered(
    library: &dyn Library,
    answers: &[MediaId],
    targets: &[MediaId],
) -> Result<Vec<MediaId>, StoreError> {
    let mut wanted = Vec::new();
    for target in targets {
        wanted.extend(ByExample::of_item(library, *target).await?.map(|one| one.likeness));
    }
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for (place, answer) in answers.iter().enumerate() {
        if targets.contains(answer) {
            continue;
        }
        let one = ByExample::of_item(library, *answer).await?;
        let comparable = |target: &&Likeness| one.as_ref().is_some_and(|one| one.kind() == target.kind());
        let apart: Vec<f64> = wanted
            .iter()
            .filter(comparable)
            .filter_map(|target| Some(target.distance(&one.as_ref()?.likeness)))
            .collect();
        let mean = if apart.is_empty() { f64::INFINITY } else { apart.iter().sum::<f64>() / apart.len() as f64 };
        ranked.push((mean, place));
    }
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let first = targets.iter().filter(|target| answers.contains(target)).copied();
    Ok(first.chain(ranked.into_iter().filter_map(|(_, place)| answers.get(place).copied())).collect())
}
