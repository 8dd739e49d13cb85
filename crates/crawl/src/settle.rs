//! A whole file on its way into the store: examined, judged, put in its place, shown small.

use std::io::Read;

use bytes::Bytes;
use decode::Thumbnail;
use facts::{HostName, MediaKind, Timestamp};
use media::{Facts, Rules, Unreadable};
use store::{Blocked, FORGOTTEN, FileDraft, Files, MediaFile, Refused, Store, StoreError};
use tokio::sync::OwnedSemaphorePermit;

use crate::gathering::Gathered;
use crate::inspect::from_ends;
use crate::keep::{Called, refused, verdict_on};

/// Pictures up to this size are read as a whole; of larger ones, and of films and sounds, only the ends.
const READ_WHOLE: u64 = 32 << 20;

/// A picture that a thumbnail can be made of, and the room it takes.
pub(crate) struct Pixels {
    bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Keeps a file, or says why not. With a new picture come its bytes, for a thumbnail.
pub(crate) fn examine(
    store: &Store,
    host: &HostName,
    rules: &Rules,
    blocked: &Blocked,
    called: &Called,
    gathered: Gathered,
    now: Timestamp,
) -> Result<Result<(MediaFile, Option<Pixels>), Refused>, StoreError> {
    let (bytes, room, draft) = match gathered {
        Gathered::Memory(bytes, room) => (Some(bytes), room, None),
        Gathered::Draft(draft) => (whole_picture(&draft)?, None, Some(draft)),
    };
    let facts = match (&bytes, &draft) {
        (Some(bytes), _) => media::read_whole(bytes, now),
        (None, Some(draft)) => draft.with_file(|file| from_ends(file, draft.size(), now))?,
        (None, None) => Err(Unreadable::Empty),
    };
    let facts = match facts {
        Ok(facts) => facts,
        Err(unreadable) => return Ok(Err(Refused::unseen(unreadable.as_str()))),
    };
    if let Err(refusal) = verdict_on(rules, &facts, called) {
        return Ok(Err(refused(&facts, refusal)));
    }
    let draft = match draft {
        Some(draft) => draft,
        None => {
            let mut draft = store.files().draft(host)?;
            draft.write(bytes.as_deref().unwrap_or_default())?;
            draft
        }
    };
    if blocked.content(&draft.id()) {
        return Ok(Err(Refused::unseen(FORGOTTEN)));
    }
    let kept = store.keep(draft, facts.format.extension)?;
    let is_picture = facts.format.kind == MediaKind::Image;
    let pixels = bytes.filter(|_| is_picture && !kept.again).map(|bytes| Pixels { bytes, _room: room });
    let file = MediaFile {
        id: kept.file.id,
        size: kept.file.size,
        path: kept.file.path,
        thumbnail: None,
        colour: None,
        facts,
        locality: None,
        said: Vec::new(),
        description: None,
    };
    Ok(Ok((file, pixels)))
}

fn whole_picture(draft: &FileDraft) -> Result<Option<Bytes>, StoreError> {
    let start = draft.with_file(|file| {
        let mut start = Vec::new();
        file.take(media::SNIFF_BYTES as u64).read_to_end(&mut start).map(|_| start)
    })?;
    let is_picture = media::sniff(&start).is_some_and(|format| format.kind == MediaKind::Image);
    if is_picture && draft.size() <= READ_WHOLE { Ok(Some(draft.read()?.into())) } else { Ok(None) }
}

/// Adds a thumbnail; a picture that cannot be decoded has none.
pub(crate) fn add_thumbnail(
    files: &Files,
    file: MediaFile,
    pixels: &Pixels,
    size: u32,
) -> Result<MediaFile, StoreError> {
    let Some(Thumbnail { jpeg, colour }) = thumbnail(&pixels.bytes, &file.facts, size) else { return Ok(file) };
    let thumbnail = files.place_thumbnail(&file.path, file.id, &jpeg)?;
    Ok(MediaFile { thumbnail: Some(thumbnail), colour: Some(colour), ..file })
}

/// A picture made small, the right way up, as JPEG.
pub(crate) fn thumbnail(bytes: &[u8], facts: &Facts, size: u32) -> Option<Thumbnail> {
    if size == 0 || facts.format.kind != MediaKind::Image {
        return None;
    }
    let small = || {
        let picture = decode::picture(bytes, facts.format, facts.orientation, size, &decode::Limits::default())?;
        decode::thumbnail(&picture, size)
    };
    // A decoder that panics is a defect of the decoder: the picture is kept without a thumbnail.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(small)) {
        Ok(Ok(small)) => Some(small),
        Ok(Err(error)) => {
            tracing::debug!("no thumbnail: {error}");
            None
        }
        Err(_) => None,
    }
}
