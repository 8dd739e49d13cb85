//! The search of Wikimedia's wikis, and of any other that runs MediaWiki. Needs no account.

use async_trait::async_trait;
use facts::Url;
use serde::Deserialize;
use serde_json::Value;

use crate::error::SourceError;
use crate::question::Question;
use crate::service::{Service, short, with_parameters};
use crate::source::{Answer, Source, Start};

/// The most that one request gives to programs without an account.
const MOST: usize = 50;

pub(crate) struct Wikimedia {
    name: String,
    service: Service,
    base: Url,
    /// Pages and galleries everywhere; on Commons, files and categories too.
    namespaces: &'static str,
    /// What the last answer said to go on with.
    offset: u64,
}

#[derive(Deserialize)]
struct Results {
    #[serde(default, rename = "continue")]
    onward: Option<Onward>,
    #[serde(default)]
    query: Option<Found>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Onward {
    gsroffset: u64,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    pages: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    #[serde(default)]
    title: String,
    #[serde(default)]
    index: i64,
    #[serde(default)]
    fullurl: Option<String>,
}

impl Wikimedia {
    pub fn new(name: String, service: Service, base: Url) -> Self {
        let commons = base.host_str() == "commons.wikimedia.org";
        Self { name, service, base, namespaces: if commons { "0|6|14" } else { "0" }, offset: 0 }
    }
}

#[async_trait]
impl Source for Wikimedia {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError> {
        let host = self.base.host_str();
        // Another site's pages are not on a wiki.
        if question.site.as_ref().is_some_and(|site| !host.ends_with(site.as_str())) {
            return Ok(Answer::default());
        }
        let (limit, offset) = (most.clamp(1, MOST).to_string(), self.offset.to_string());
        let parameters = [
            ("action", "query"),
            ("format", "json"),
            ("formatversion", "2"),
            ("generator", "search"),
            ("gsrsearch", &question.plain()),
            ("gsrnamespace", self.namespaces),
            ("gsrlimit", &limit),
            ("gsroffset", &offset),
            ("prop", "info"),
            ("inprop", "url"),
            ("maxlag", "5"),
        ];
        let url = self.base.join("/w/api.php").ok().and_then(|url| with_parameters(&url, &parameters));
        let Some(url) = url else { return Ok(Answer::default()) };
        let found: Results =
            self.service.json(url, "it should be a wiki such as https://commons.wikimedia.org/").await?;
        if let Some(error) = found.error {
            let said = error.get("info").or(error.get("code")).and_then(Value::as_str).unwrap_or("something is wrong");
            return Err(SourceError::Said { host: host.to_owned(), message: short(said) });
        }
        let mut hits = found.query.map(|query| query.pages).unwrap_or_default();
        // They come by number of the page; this is the order of the search.
        hits.sort_by_key(|hit| hit.index);
        let start = |hit: Hit| {
            let url = Url::parse(&hit.fullurl?).ok()?;
            Some(Start { title: short(&hit.title), ..Start::at(url) })
        };
        let starts: Vec<Start> = hits.into_iter().filter_map(start).collect();
        let onward = found.onward.map(|onward| onward.gsroffset).filter(|onward| *onward > self.offset);
        self.offset = onward.unwrap_or(self.offset);
        Ok(Answer { more: onward.is_some() && !starts.is_empty(), starts })
    }
}
