//! The whole that an example is a part of.

use std::collections::BTreeMap;

use facts::MediaId;
use store::{Library, StoreError};

use super::{ByExample, Found, RANKED};
use crate::describe::Likeness;

/// Candidates that are compared.
const CANDIDATES: usize = 256;

impl ByExample {
    /// What it is a part of, the surest first; then its copies, which are as whole as it is.
    pub(super) async fn whole(&self, library: &dyn Library) -> Result<Vec<Found>, StoreError> {
        let mut parts: BTreeMap<MediaId, (f64, String)> = BTreeMap::new();
        let mut asked = self.likeness.example(self.pixels, self.is_item.then_some(self.id));
        asked.most = CANDIDATES;
        for candidate in library.candidates(&asked).await? {
            let bytes = candidate.bytes.as_deref().unwrap_or_default();
            let Some(other) = Likeness::from_bytes(self.kind(), bytes) else { continue };
            if let Some(part) = self.likeness.part_of(&other) {
                parts.insert(candidate.id, part);
            }
        }
        // A crop of a picture is no near copy: hashes do not find it, colours and edges do.
        if matches!(self.likeness, Likeness::Picture(_)) {
            for (id, other) in self.near(library, 2 * RANKED).await? {
                if !parts.contains_key(&id)
                    && let Some(part) = self.likeness.part_of(&other)
                {
                    parts.insert(id, part);
                }
            }
        }
        let mut ranked: Vec<(f64, Found)> = Vec::new();
        for (id, (sure, why)) in parts {
            ranked.push((sure, Found { id, similarity: self.similarity_of(library, id).await?, why: Some(why) }));
        }
        ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.id.cmp(&other.id)));
        let mut found: Vec<Found> = ranked.into_iter().map(|(_, found)| found).collect();
        for copy in self.copies(library).await? {
            if !found.iter().any(|one| one.id == copy.id) {
                found.push(copy);
            }
        }
        Ok(found)
    }
}
