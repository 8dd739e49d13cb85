//! A SearXNG instance, by its JSON answers.

use std::collections::HashSet;

use async_trait::async_trait;
use facts::Url;
use serde::Deserialize;

use crate::error::SourceError;
use crate::question::Question;
use crate::service::{Service, short, with_parameters};
use crate::source::{Answer, Source, Start};

/// Pages of results that are asked for at most.
const PAGES: u32 = 10;

pub(crate) struct Searxng {
    name: String,
    service: Service,
    base: Url,
    /// The page of results that comes next, from 1.
    page: u32,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    title: Option<String>,
}

impl Searxng {
    pub fn new(name: String, service: Service, base: Url) -> Self {
        Self { name, service, base, page: 1 }
    }
}

#[async_trait]
impl Source for Searxng {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError> {
        let (mut starts, mut named) = (Vec::new(), HashSet::new());
        // It decides itself how many a page has; as many pages are asked for as it takes.
        loop {
            let page = self.page.to_string();
            let parameters = [("q", question.with_site()), ("format", "json".into()), ("pageno", page)];
            let parameters: Vec<(&str, &str)> =
                parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let url = search_address(&self.base).and_then(|url| with_parameters(&url, &parameters));
            let Some(url) = url else { return Ok(Answer { starts, more: false }) };
            let hint = "a SearXNG instance answers in JSON only when its settings.yml lists it under search: formats";
            let found: Result<Results, SourceError> = self.service.json(url, hint).await;
            let found = match found {
                Ok(found) => found,
                // What came before is not lost.
                Err(error) if starts.is_empty() => return Err(error),
                Err(_) => return Ok(Answer { starts, more: false }),
            };
            self.page += 1;
            let before = starts.len();
            for hit in found.results {
                // One that names the same again has no more.
                if let Some(url) = hit.url.and_then(|url| Url::parse(&url).ok())
                    && named.insert(url.id())
                {
                    starts.push(Start { title: short(&hit.title.unwrap_or_default()), ..Start::at(url) });
                }
            }
            if starts.len() == before || self.page > PAGES {
                return Ok(Answer { starts, more: false });
            }
            if starts.len() >= most {
                return Ok(Answer { starts, more: true });
            }
        }
    }
}

/// Where it is searched: instances may live below a path.
fn search_address(base: &Url) -> Option<Url> {
    let text = base.as_str().split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let text = text.strip_suffix("/search").unwrap_or(text);
    Url::parse(&format!("{text}/search")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_is_named_by_any_of_its_addresses() {
        for (base, expected) in [
            ("https://s.example/", "https://s.example/search"),
            ("https://s.example/search?q=x", "https://s.example/search"),
            ("http://s.example/searxng/", "http://s.example/searxng/search"),
        ] {
            assert_eq!(search_address(&Url::parse(base).unwrap()).unwrap().as_str(), expected);
        }
    }
}
