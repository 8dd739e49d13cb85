//! A whole file on its way into the store: examined, judged, put in its place, shown small.

use std::io::Read;

use bytes::Bytes;
use decode::{Share, Thumbnail};
use facts::{HostName, MediaKind, Timestamp};
use media::{Rules, Unreadable};
use store::{Blocked, FORGOTTEN, FileDraft, Files, MediaFile, Refused, Store, StoreError};
use tokio::sync::OwnedSemaphorePermit;

use crate::describe::{Seen, see};
use crate::gathering::{Gathered, WHOLE};
use crate::inspect::from_ends;
use crate::keep::{Called, refused, verdict_on};

/// Pictures up to this size are read as a whole; of larger ones, and of films and sounds, only the ends.
const READ_WHOLE: u64 = 32 << 20;

/// A picture that is to be looked at, and the room it takes.
pub(crate) struct Pixels {
    bytes: Bytes,
    _room: Held,
}

/// The room that the bytes of a file take: among those that are gathered, or among those that are read
/// again from disk.
enum Held {
    Gathered { _room: Option<OwnedSemaphorePermit> },
    Whole { _room: Option<Share<'static>> },
}

/// Keeps a file, or says why not. With a new picture come its bytes, to be looked at.
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
        Gathered::Memory(bytes, room) => (Some(bytes), Held::Gathered { _room: room }, None),
        Gathered::Draft(draft) => {
            let (bytes, room) = whole_picture(&draft)?.unzip();
            (bytes, Held::Whole { _room: room }, Some(draft))
        }
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
    let size = draft.as_ref().map(|draft| draft.size()).or(bytes.as_ref().map(|bytes| bytes.len() as u64));
    if let Err(refusal) = verdict_on(rules, &facts, size, called) {
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

fn whole_picture(draft: &FileDraft) -> Result<Option<(Bytes, Share<'static>)>, StoreError> {
    let start = draft.with_file(|file| {
        let mut start = Vec::new();
        file.take(media::SNIFF_BYTES as u64).read_to_end(&mut start).map(|_| start)
    })?;
    let is_picture = media::sniff(&start).is_some_and(|format| format.kind == MediaKind::Image);
    if !is_picture || draft.size() > READ_WHOLE {
        return Ok(None);
    }
    let room = WHOLE.take(draft.size());
    Ok(Some((draft.read()?.into(), room)))
}

/// Adds what its pixels say: what it looks like, and a thumbnail. A picture that cannot be decoded has
/// none.
pub(crate) fn add_looks(files: &Files, file: MediaFile, pixels: &Pixels, size: u32) -> Result<MediaFile, StoreError> {
    let Seen { thumbnail, described } = see(&pixels.bytes, &file.facts, size);
    let colour = thumbnail.as_ref().map(|small| small.colour);
    let place = |small: Thumbnail| files.place_thumbnail(&file.path, file.id, &small.jpeg);
    let thumbnail = thumbnail.map(place).transpose()?;
    Ok(MediaFile { thumbnail, colour, description: described, ..file })
}
