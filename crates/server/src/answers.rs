//! Answers to questions that were asked before.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use lru::LruCache;

/// Answers that are kept, and bytes of each.
const MOST: NonZeroUsize = NonZeroUsize::new(256).unwrap();
const LARGEST: usize = 256 << 10;

/// Answers, each with the revision of the library that it was true in.
pub(crate) struct Answers(Mutex<LruCache<String, (u64, Bytes)>>);

impl Default for Answers {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST)))
    }
}

impl Answers {
    /// What this question was answered with, when nothing has changed since.
    pub fn get(&self, question: &str, revision: Option<u64>) -> Option<Bytes> {
        let revision = revision?;
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.get(question).filter(|(then, _)| *then == revision).map(|(_, answer)| answer.clone())
    }

    /// Keeps an answer. The revision is that of before it was looked for.
    pub fn put(&self, question: String, revision: Option<u64>, answer: &Bytes) {
        if let Some(revision) = revision.filter(|_| answer.len() <= LARGEST) {
            let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            answers.put(question, (revision, answer.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_until_the_library_changes() {
        let answers = Answers::default();
        let one = Bytes::from_static(b"one");
        answers.put("q=a".into(), Some(1), &one);
        assert_eq!(answers.get("q=a", Some(1)), Some(one.clone()));
        assert_eq!(answers.get("q=a", Some(2)), None);
        assert_eq!(answers.get("q=a", None), None);
        assert_eq!(answers.get("q=b", Some(1)), None);
        answers.put("q=c".into(), Some(1), &vec![0; LARGEST + 1].into());
        assert_eq!(answers.get("q=c", Some(1)), None);
        for n in 0..1_000 {
            answers.put(n.to_string(), Some(1), &one);
        }
        assert_eq!(answers.0.lock().unwrap().len(), MOST.get());
    }
}
