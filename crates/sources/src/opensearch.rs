//! Any search that has an OpenSearch description (1.1).

use async_trait::async_trait;
use facts::Url;

use crate::error::SourceError;
use crate::listing;
use crate::question::Question;
use crate::service::{Received, Service};
use crate::source::{Answer, Source, Start};

/// Pages of results that are asked for at most.
const PAGES: u32 = 10;

pub(crate) struct OpenSearch {
    name: String,
    service: Service,
    description: Url,
    template: Option<Template>,
    /// Pages of results that were asked for.
    asked: u32,
    /// Results that came so far.
    so_far: usize,
}

/// How results are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    text: String,
    /// `application/rss+xml` and the like.
    kind: String,
    index_offset: i64,
    page_offset: i64,
}

impl OpenSearch {
    pub fn new(name: String, service: Service, description: Url) -> Self {
        Self { name, service, description, template: None, asked: 0, so_far: 0 }
    }

    async fn template(&mut self) -> Result<Template, SourceError> {
        if let Some(template) = &self.template {
            return Ok(template.clone());
        }
        let Received { url, body, .. } = self.service.get(self.description.clone()).await?;
        let text = String::from_utf8_lossy(&body);
        let strange = |what, hint| SourceError::Strange { host: url.host().to_string(), what, hint };
        let found = templates(&text)
            .ok_or_else(|| strange("no OpenSearch description", "give the address of one, such as /opensearch.xml"))?;
        let best = found
            .into_iter()
            .min_by_key(Template::rank)
            .ok_or_else(|| strange("a description of no search", "it must describe results as RSS, Atom or a page"))?;
        self.template = Some(best.clone());
        Ok(best)
    }
}

#[async_trait]
impl Source for OpenSearch {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&mut self, question: &Question, most: usize) -> Result<Answer, SourceError> {
        let template = self.template().await?;
        let words = question.with_site();
        let filled = template.filled(&words, self.asked, self.so_far, most);
        let url = self.description.join(&filled).map_err(|_| SourceError::Strange {
            host: self.description.host().to_string(),
            what: "a template that makes no address",
            hint: "its description is broken",
        })?;
        let received = self.service.get(url).await?;
        self.asked += 1;
        let starts = results(&received, question)?;
        let pages = template.has("startPage") || template.has("startIndex");
        self.so_far += starts.len();
        Ok(Answer { more: pages && !starts.is_empty() && self.asked < PAGES, starts })
    }
}

impl Template {
    /// What can be read best comes first.
    fn rank(&self) -> usize {
        let kinds = ["application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/xml", "text/html"];
        kinds.iter().position(|kind| *kind == self.kind).unwrap_or(kinds.len())
    }

    fn has(&self, parameter: &str) -> bool {
        self.text.contains(&format!("{{{parameter}}}")) || self.text.contains(&format!("{{{parameter}?}}"))
    }

    /// The address that asks for the next results.
    fn filled(&self, words: &str, page: u32, so_far: usize, most: usize) -> String {
        let encoded: String = url::form_urlencoded::byte_serialize(words.as_bytes()).collect();
        let mut out = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((parameter, behind)) = after.split_once('}') else {
                rest = after;
                break;
            };
            match parameter.trim_end_matches('?') {
                "searchTerms" => out.push_str(&encoded),
                "count" => out.push_str(&most.to_string()),
                "startIndex" => out.push_str(&self.index_offset.saturating_add_unsigned(so_far as u64).to_string()),
                "startPage" => out.push_str(&self.page_offset.saturating_add(i64::from(page)).to_string()),
                "language" => out.push('*'),
                "inputEncoding" | "outputEncoding" => out.push_str("UTF-8"),
                // One that we do not know stays empty, as the standard wants it.
                _ => {}
            }
            rest = behind;
        }
        out.push_str(rest);
        out
    }
}

/// The templates of a description; nothing when it is none.
fn templates(text: &str) -> Option<Vec<Template>> {
    let (mut found, mut is_one) = (Vec::new(), false);
    listing::elements(text, |name, attribute| {
        match name {
            "OpenSearchDescription" => is_one = true,
            "Url" => {
                let rel = attribute("rel").unwrap_or_else(|| "results".into());
                let offset = |name: &str| attribute(name).and_then(|text| text.trim().parse().ok()).unwrap_or(1);
                if let (Some(text), Some(kind)) = (attribute("template"), attribute("type"))
                    && rel.split_ascii_whitespace().any(|rel| rel == "results")
                    && attribute("method").is_none_or(|method| method.eq_ignore_ascii_case("get"))
                    && text.contains("{searchTerms")
                {
                    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                    let (index_offset, page_offset) = (offset("indexOffset"), offset("pageOffset"));
                    found.push(Template { text, kind, index_offset, page_offset });
                }
            }
            _ => {}
        }
        is_one && found.len() < 50
    });
    is_one.then_some(found)
}

/// The pages that an answer names: a feed, or a page whose links have the words.
fn results(received: &Received, question: &Question) -> Result<Vec<Start>, SourceError> {
    let Received { url, content_type, body } = received;
    if let Some(listing) = listing::read(body, url) {
        return Ok(listing.starts);
    }
    if !content_type.contains("html") && !body.trim_ascii_start().starts_with(b"<") {
        let host = url.host().to_string();
        let hint = "results come as RSS, Atom or a page";
        return Err(SourceError::Strange { host, what: "something else than results", hint });
    }
    let page = page::read(body, Some(content_type.as_str()), url, &page::Limits::default());
    let sought = question.want.as_ref().and_then(|want| query::Sought::of(want, |_| false));
    let mut starts = Vec::new();
    for link in page.links {
        let said = format!("{} {} {}", link.text, link.title, link.around);
        let fits = sought.as_ref().is_none_or(|sought| sought.look(None, &said).finish().has_any());
        // What leads to another page of results is no result.
        let itself = link.url.host() == url.host() && link.url.path() == url.path();
        if fits && !itself && !link.text.is_empty() {
            starts.push(Start { title: link.text.chars().take(300).collect(), ..Start::at(link.url) });
        }
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: &str = "<?xml version='1.0'?><OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'>
        <ShortName>Web</ShortName><Url type='text/html' template='http://s.example/?q={searchTerms}'/>
        <Url type='application/x-suggestions+json' rel='suggestions' template='http://s.example/s?{searchTerms}'/>
        <Url type='application/rss+xml' indexOffset='0' template='/rss?q={searchTerms}&amp;n={count?}&amp;i={startIndex?}&amp;p={startPage?}&amp;x={unknown?}'/>
        </OpenSearchDescription>";

    #[test]
    fn the_template_that_reads_best_is_filled() {
        let found = templates(DESCRIPTION).unwrap();
        assert_eq!(found.len(), 2);
        let best = found.into_iter().min_by_key(Template::rank).unwrap();
        assert_eq!(best.filled("old bridge", 1, 20, 50), "/rss?q=old+bridge&n=50&i=20&p=2&x=");
        assert_eq!(templates("<html></html>"), None);
        let broken = Template { text: "/x?{searchTerms".into(), ..best };
        assert_eq!(broken.filled("a", 0, 0, 1), "/x?searchTerms");
    }
}
