//! What strategies have learnt, as bytes that tell whose they are.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::BadModel;

/// Whose it is, as the first byte; another version is another number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Geo = 1,
    Weighted = 2,
    Backlink = 3,
}

const ALL: [Kind; 3] = [Kind::Geo, Kind::Weighted, Kind::Backlink];

pub(crate) fn write(kind: Kind, learnt: &impl Serialize) -> Option<Vec<u8>> {
    postcard::to_extend(learnt, vec![kind as u8]).ok()
}

/// What a strategy of this kind has learnt.
pub(crate) fn read<T: DeserializeOwned>(kind: Kind, saved: &[u8]) -> Result<T, BadModel> {
    match saved.split_first() {
        Some((&first, bytes)) if first == kind as u8 => postcard::from_bytes(bytes).map_err(|_| BadModel),
        _ => Err(BadModel),
    }
}

/// The same of the crawl's own past; nothing when it had another strategy then.
pub(crate) fn resumed<T: DeserializeOwned>(kind: Kind, saved: &[u8]) -> Result<Option<T>, BadModel> {
    let other = ALL.into_iter().filter(|other| *other != kind).any(|other| saved.first() == Some(&(other as u8)));
    if other { Ok(None) } else { read(kind, saved).map(Some) }
}
