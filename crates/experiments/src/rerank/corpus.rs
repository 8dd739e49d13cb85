//! Pictures with classes, and how well others retrieve them.

use std::path::{Path, PathBuf};

use crate::{ExperimentError, pictures};

/// A picture, and what it shows.
pub(crate) struct Labelled {
    pub path: PathBuf,
    pub class: String,
}

/// What another program reaches on the same pictures.
pub(crate) struct Peer {
    pub descriptor: String,
    pub map: f64,
    pub at_10: f64,
}

/// The pictures of a folder by its `labels.tsv` (file, number of the class, class), or by sub-folder.
pub(crate) fn labelled(folder: &Path) -> Result<Vec<Labelled>, ExperimentError> {
    let list = folder.join("labels.tsv");
    let all: Vec<Labelled> = match std::fs::read_to_string(&list) {
        Ok(text) => text
            .lines()
            .skip(1)
            .filter_map(|line| {
                let mut fields = line.split('\t');
                let (file, class) = (fields.next()?, fields.next()?);
                Some(Labelled { path: folder.join(file), class: class.to_owned() })
            })
            .collect(),
        Err(_) => pictures::below(folder)?
            .into_iter()
            .filter_map(|path| {
                let class = path.strip_prefix(folder).ok()?.parent()?.to_str()?.to_owned();
                (!class.is_empty()).then_some(Labelled { path, class })
            })
            .collect(),
    };
    if all.len() < 2 {
        let why = "it has neither a labels.tsv (file, class) nor a sub-folder for each class".to_owned();
        return Err(ExperimentError::Corpus { path: folder.to_owned(), why });
    }
    Ok(all)
}

/// What `peers.tsv` says, if there is one: descriptor, mean average precision, precision at 10.
pub(crate) fn peers(folder: &Path) -> Vec<Peer> {
    let text = std::fs::read_to_string(folder.join("peers.tsv")).unwrap_or_default();
    let peer = |line: &str| {
        let mut fields = line.split('\t');
        let descriptor = fields.next()?.to_owned();
        Some(Peer { descriptor, map: fields.next()?.parse().ok()?, at_10: fields.next()?.parse().ok()? })
    };
    text.lines().filter_map(peer).collect()
}
