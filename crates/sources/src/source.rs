//! What names start pages.

use async_trait::async_trait;
use facts::{MediaKind, Url};

use crate::error::SourceError;
use crate::question::Question;

/// A page to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Where it is.
    pub url: Url,
    /// What the source calls it; may be empty.
    pub title: String,
    /// Pictures, films and sounds that the source says are on it.
    pub media: Vec<StartMedia>,
}

impl Start {
    /// A page of which nothing else is known.
    pub fn at(url: Url) -> Self {
        Self { url, title: String::new(), media: Vec::new() }
    }
}

/// A picture, film or sound of a start page, as a sitemap or feed names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartMedia {
    /// Where it is.
    pub url: Url,
    /// What it is said to be.
    pub kind: MediaKind,
    /// Its title and caption.
    pub words: String,
}

/// What a source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Pages, the best first.
    pub starts: Vec<Start>,
    /// Whether asking again may bring more.
    pub more: bool,
}

/// Something that names start pages. It knows how far it was asked.
#[async_trait]
pub trait Source: Send + Sync {
    /// What people call it.
    fn name(&self) -> &str;

    /// The next pages for the question, at most so many if that can be told to it.
    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError>;
}
