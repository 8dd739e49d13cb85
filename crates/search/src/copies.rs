//! Groups of copies, in the shape that scripts and the web know.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Serialize;
use store::{CopyFile, CopyGroup, CopyReason, Library, SameBytes, StoreError};

use crate::file_of;

/// Groups read at a time.
const BATCH: usize = 500;

/// Everything that is in the library more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    /// What looks or sounds the same, the newest first; then what was found twice with the same bytes.
    pub groups: Vec<DuplicateGroup>,
}

/// One original and its copies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DuplicateGroup {
    /// The best of them: the largest, then the one that says most of itself, then the first.
    pub kept: DuplicateFile,
    /// The others.
    pub copies: Vec<DuplicateCopy>,
}

/// A file of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DuplicateFile {
    /// The item.
    pub id: String,
    /// Where it is.
    pub file: String,
}

/// A copy, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DuplicateCopy {
    /// The item: that of the original when the bytes are the same.
    pub id: String,
    /// Where it is; for the same bytes at another address of the web, that address.
    pub file: String,
    /// `bytes`, `pixels`, `near`, `video` or `audio`.
    pub why: &'static str,
    /// The same in words.
    pub detail: String,
}

/// Lists at most `most` groups of copies. `media` is the folder that stored files are in.
pub async fn duplicates(library: &dyn Library, media: &Path, most: usize) -> Result<Duplicates, StoreError> {
    let mut twice = HashMap::new();
    let mut after = None;
    let mut order = Vec::new();
    while order.len() < most {
        let listed = library.same_bytes(after.as_ref(), BATCH).await?;
        for same in listed.what {
            order.push(same.kept.id);
            twice.insert(same.kept.id, same);
        }
        match listed.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    let (mut groups, mut told, mut after) = (Vec::new(), HashSet::new(), None);
    while groups.len() < most {
        let listed = library.copy_groups(after.as_ref(), BATCH.min(most - groups.len())).await?;
        for group in listed.what {
            let members = std::iter::once(&group.kept).chain(group.copies.iter().map(|copy| &copy.file));
            told.extend(members.map(|file| file.id));
            groups.push(DuplicateGroup::of(&group, &twice, media));
        }
        match listed.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    let alone = order.iter().filter(|id| !told.contains(*id)).filter_map(|id| twice.get(id));
    groups.extend(alone.map(|same| DuplicateGroup { kept: file(&same.kept, media), copies: same_bytes(same, media) }));
    groups.truncate(most);
    Ok(Duplicates { groups })
}

impl DuplicateGroup {
    fn of(group: &CopyGroup, twice: &HashMap<facts::MediaId, SameBytes>, media: &Path) -> Self {
        let also = |id| twice.get(&id).map(|same| same_bytes(same, media)).unwrap_or_default();
        let mut copies = also(group.kept.id);
        for copy in &group.copies {
            let DuplicateFile { id, file } = file(&copy.file, media);
            copies.push(DuplicateCopy { id, file, why: copy.why.as_str(), detail: copy.detail.clone() });
            copies.extend(also(copy.file.id));
        }
        Self { kept: file(&group.kept, media), copies }
    }
}

fn file(file: &CopyFile, media: &Path) -> DuplicateFile {
    DuplicateFile { id: file.id.to_string(), file: file_of(media, &file.path) }
}

fn same_bytes(same: &SameBytes, media: &Path) -> Vec<DuplicateCopy> {
    let at = |place: &String| match place.contains("://") {
        true => place.clone(),
        false => file_of(media, place),
    };
    let copy = |place: &String| DuplicateCopy {
        id: same.kept.id.to_string(),
        file: at(place),
        why: CopyReason::Bytes.as_str(),
        detail: "the same bytes".to_owned(),
    };
    same.also_at.iter().map(copy).collect()
}
