//! The Brave Search API, which asks for a key.

use async_trait::async_trait;
use facts::Url;
use serde::Deserialize;

use crate::error::SourceError;
use crate::question::Question;
use crate::service::{Service, short, with_parameters};
use crate::source::{Answer, Source, Start};

/// Results of one answer, and answers to one question: more is not given.
const COUNT: usize = 20;
const OFFSETS: u32 = 10;

pub(crate) struct Brave {
    name: String,
    service: Service,
    base: Url,
    /// Which page of results comes next, from 0.
    offset: u32,
}

#[derive(Deserialize)]
struct Results {
    #[serde(default)]
    query: Query,
    #[serde(default)]
    web: Web,
}

#[derive(Deserialize, Default)]
struct Query {
    #[serde(default)]
    more_results_available: bool,
}

#[derive(Deserialize, Default)]
struct Web {
    #[serde(default)]
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    url: String,
    #[serde(default)]
    title: String,
}

impl Brave {
    pub fn new(name: String, service: Service, base: Url) -> Self {
        Self { name, service, base, offset: 0 }
    }
}

#[async_trait]
impl Source for Brave {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError> {
        let mut starts = Vec::new();
        loop {
            let (count, offset) = (COUNT.to_string(), self.offset.to_string());
            let parameters = [
                ("q", question.with_site()),
                ("count", count),
                ("offset", offset),
                ("result_filter", "web".into()),
                ("text_decorations", "0".into()),
            ];
            let parameters: Vec<(&str, &str)> =
                parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let url = self.base.join("/res/v1/web/search").ok().and_then(|url| with_parameters(&url, &parameters));
            let Some(url) = url else { return Ok(Answer { starts, more: false }) };
            let found: Result<Results, SourceError> =
                self.service.json(url, "the address of the Brave Search API is https://api.search.brave.com/").await;
            let found = match found {
                Ok(found) => found,
                Err(error) if starts.is_empty() => return Err(error),
                Err(_) => return Ok(Answer { starts, more: false }),
            };
            self.offset += 1;
            let none = found.web.results.is_empty();
            for hit in found.web.results {
                if let Ok(url) = Url::parse(&hit.url) {
                    starts.push(Start { title: short(&hit.title), ..Start::at(url) });
                }
            }
            let more = found.query.more_results_available && self.offset < OFFSETS && !none;
            if !more || starts.len() >= most {
                return Ok(Answer { starts, more });
            }
        }
    }
}
