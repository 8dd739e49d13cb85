//! A list of one's own: addresses, a sitemap or a feed, from a file or from the web.

use std::path::PathBuf;

use async_trait::async_trait;
use facts::Url;

use crate::error::SourceError;
use crate::listing::{self, Listing, MOST};
use crate::question::Question;
use crate::service::Service;
use crate::source::{Answer, Source, Start};

/// Further sitemaps that an index may lead to.
const MAPS: usize = 50;
/// Bytes of a file.
const LONGEST: u64 = 64 << 20;

/// Where a list is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File(PathBuf),
    Web(Url),
}

pub(crate) struct Urls {
    name: String,
    service: Service,
    place: Place,
    /// What it names, what fits the question first; read when it is first asked.
    listed: Option<std::vec::IntoIter<Start>>,
}

impl Urls {
    pub fn new(name: String, service: Service, place: Place) -> Self {
        Self { name, service, place, listed: None }
    }

    async fn read(&self) -> Result<Vec<Start>, SourceError> {
        let url = match &self.place {
            Place::File(file) => return from_file(file.clone()).await,
            Place::Web(url) => url.clone(),
        };
        let mut listing = self.listing(url).await?;
        // An index of sitemaps; those that cannot be read are left out.
        let mut maps: std::collections::VecDeque<Url> = listing.maps.drain(..).collect();
        let mut asked = 0;
        let mut failed = None;
        while let Some(map) = maps.pop_front().filter(|_| asked < MAPS && listing.starts.len() < MOST) {
            asked += 1;
            match self.listing(map).await {
                Ok(more) => {
                    listing.starts.extend(more.starts);
                    maps.extend(more.maps);
                }
                Err(error) => failed = Some(error),
            }
        }
        match failed {
            Some(error) if listing.starts.is_empty() => Err(error),
            _ => Ok(listing.starts),
        }
    }

    async fn listing(&self, url: Url) -> Result<Listing, SourceError> {
        let received = self.service.get(url).await?;
        let host = received.url.host().to_string();
        let reading = tokio::task::spawn_blocking(move || listing::read(&received.body, &received.url));
        reading.await.ok().flatten().ok_or(SourceError::Strange {
            host,
            what: "no list of pages",
            hint: "it must be a sitemap, a feed, or one address a line",
        })
    }
}

async fn from_file(file: PathBuf) -> Result<Vec<Start>, SourceError> {
    let named = file.display().to_string();
    let wrong = |why: String| SourceError::File { file: named.clone(), why };
    let reading = tokio::task::spawn_blocking(move || {
        let size = std::fs::metadata(&file)?.len();
        if size > LONGEST {
            return Err(std::io::Error::other(format!("it is larger than {LONGEST} bytes")));
        }
        std::fs::read(&file)
    });
    let body = reading.await.map_err(|error| wrong(error.to_string()))?.map_err(|error| wrong(error.to_string()))?;
    // Addresses in it are whole: there is nothing they could be relative to.
    let nowhere = Url::parse("http://list.invalid/").map_err(|error| wrong(error.to_string()))?;
    let listing = tokio::task::spawn_blocking(move || listing::read(&body, &nowhere)).await.ok().flatten();
    Ok(listing.ok_or_else(|| wrong("there is no address in it: write one a line".into()))?.starts)
}

#[async_trait]
impl Source for Urls {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError> {
        let mut listed = match self.listed.take() {
            Some(listed) => listed,
            None => fitting_first(self.read().await?, question).into_iter(),
        };
        let starts: Vec<Start> = listed.by_ref().take(most).collect();
        let more = listed.len() > 0;
        self.listed = Some(listed);
        Ok(Answer { starts, more })
    }
}

/// Pages whose address, title or pictures have words of the question come first; the order is else that of the
/// list. Other sites than the one that is asked for are left out.
fn fitting_first(mut starts: Vec<Start>, question: &Question) -> Vec<Start> {
    if let Some(site) = &question.site {
        let below = format!(".{site}");
        starts.retain(|start| start.url.host_str() == site || start.url.host_str().ends_with(&below));
    }
    let Some(sought) = question.want.as_ref().and_then(|want| query::Sought::of(want, |_| false)) else {
        return starts;
    };
    let misses = |start: &Start| {
        let mut said = format!("{} {}", start.url.path().replace(['-', '_', '/', '.'], " "), start.title);
        for media in start.media.iter().take(100) {
            said.push(' ');
            said.push_str(&media.words);
        }
        let found = sought.look(None, &said).finish();
        (0..sought.terms().len()).filter(|term| !found.has(*term)).count()
    };
    starts.sort_by_cached_key(misses);
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_the_words_comes_first() {
        let start = |url: &str| Start::at(Url::parse(url).unwrap());
        let starts = ["https://a.example/x", "https://b.example/old-castle", "https://a.example/castles"].map(start);
        let asked = |text: &str| {
            let question = Question::of(&query::Query::parse(text).unwrap());
            let found = fitting_first(starts.to_vec(), &question);
            found.iter().map(|start| start.url.path().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(asked("old castle"), ["/old-castle", "/castles", "/x"]);
        assert_eq!(asked("castle site:a.example"), ["/castles", "/x"]);
    }
}
