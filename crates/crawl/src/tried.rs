//! What the fuzz targets try that is private elsewhere: what a library remembers, read again.

use facts::{MediaId, MediaKind};
use page::Page;
use store::{Candidate, Clue};

use crate::describe::Likeness;
use crate::lexicon::Lexicon;

/// What was saved of the words of a crawl, read, met with what others saved, and asked of a page; gives it as
/// it is saved then, and the telling words.
pub fn words(saved: &[u8], theirs: &[u8], page: &Page) -> (Option<Vec<u8>>, Vec<String>) {
    let lexicon = Lexicon::restored(Some(saved.to_vec()));
    let told = lexicon.telling(page, true);
    (lexicon.meet(Some(saved), theirs), told)
}

/// Two descriptions of a kind, compared in every way; gives whether both read.
pub fn compared(kind: MediaKind, one: &[u8], other: &[u8]) -> bool {
    let (Some(a), Some(b)) = (Likeness::from_bytes(kind, one), Likeness::from_bytes(kind, other)) else { return false };
    assert_eq!(a.description(None).bytes, one, "what was read is written again as it was");
    let _ = (a.point(), a.example(None, None));
    assert!(!a.distance(&b).is_nan() && (0.0..=100.0).contains(&a.similarity(&b)));
    let _ = a.part_of(&b);
    let _ = a.copy(&Candidate {
        id: MediaId::from_sha256([0; 32]),
        clue: Clue::Hash { distance: 0, asked: 0, close: 1 },
        bytes: Some(other.to_vec()),
    });
    true
}
