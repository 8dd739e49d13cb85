//! The own library: pages that were read before.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use facts::{MediaKind, Url};
use store::{ItemFilter, Library, PageFilter};

use crate::error::SourceError;
use crate::question::Question;
use crate::source::{Answer, Source, Start};

/// As far as the library lists what it found.
const FURTHEST: usize = 2_000;

pub(crate) struct Index {
    library: Arc<dyn Library>,
    /// Pictures that were asked for.
    skip: usize,
    named: HashSet<String>,
}

impl Index {
    pub fn new(library: Arc<dyn Library>) -> Self {
        Self { library, skip: 0, named: HashSet::new() }
    }

    fn add(&mut self, url: &str, title: &str, starts: &mut Vec<Start>) {
        if let Ok(parsed) = Url::parse(url)
            && self.named.insert(url.to_owned())
        {
            starts.push(Start { title: title.to_owned(), ..Start::at(parsed) });
        }
    }
}

#[async_trait]
impl Source for Index {
    fn name(&self) -> &str {
        "index"
    }

    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError> {
        let Some(want) = question.want.clone() else { return Ok(Answer::default()) };
        let mut starts = Vec::new();
        let host = question.site.clone();
        if self.skip == 0 {
            let filter = PageFilter { words: Some(want.clone()), host: host.clone(), ..PageFilter::default() };
            for found in self.library.search_pages(&filter, None, 0, most / 2).await?.found {
                self.add(&found.what.url, &found.what.title, &mut starts);
            }
        }
        let kinds = vec![MediaKind::Image];
        let filter = ItemFilter { kinds, words: Some(want), host, ..ItemFilter::default() };
        let found = self.library.search_items(&filter, None, self.skip, most).await?.found;
        let more = found.len() == most && self.skip + most < FURTHEST;
        self.skip += most;
        for item in found {
            for sighting in item.what.found.iter().take(3) {
                if let Some(page) = &sighting.page {
                    self.add(page, sighting.page_title.as_deref().unwrap_or_default(), &mut starts);
                }
            }
        }
        Ok(Answer { starts, more })
    }
}
