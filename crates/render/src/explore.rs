//! What can be done on a page, and the states that come of it. [004 Alg. 3.1]

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use facts::Url;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::error::RenderError;
use crate::settings::Settings;
use crate::tab::Tab;

/// Longest wait for timers and answers after the page came, and after an event.
const LOADING: Duration = Duration::from_millis(6_000);
const REACTING: Duration = Duration::from_millis(3_000);
/// How long a page may be busy beyond what it was asked to be.
const SLACK: Duration = Duration::from_secs(3);
/// Characters of one state, and of all states of a page.
const LARGEST: usize = 4 << 20;
const LARGEST_TOGETHER: usize = 24 << 20;
/// Bytes of what a page says besides its states, and addresses that its scripts tried to go to. What says it keeps
/// to less by itself, but it runs beside the page's own scripts.
const LONGEST: usize = 1 << 20;
const LEADS: usize = 1_000;
/// How often one element is set off while new states come of it.
const REPEATS: u32 = 30;

/// What is done to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Touch {
    /// A click.
    Click,
    /// Two clicks.
    DblClick,
    /// The pointer over it.
    Hover,
}

impl Touch {
    fn as_str(self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::DblClick => "dblclick",
            Self::Hover => "hover",
        }
    }
}

/// A change that a site says can be set off: any of the touches on any of the elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which touches do it.
    pub touches: Vec<Touch>,
    /// CSS selectors of the elements.
    pub sources: Vec<String>,
}

/// What a page looks like at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Of the first state the document, as HTML; of another what no state before it had.
    pub html: String,
    /// What set it off: `load`, `scroll`, `click BUTTON#more` …
    pub after: String,
}

/// What became of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Its states, each once, the first as it was loaded.
    pub states: Vec<State>,
    /// Where its scripts tried to go.
    pub leads: Vec<Url>,
    /// Events that were set off.
    pub events: usize,
    /// Why it was left before everything was tried.
    pub cut: Option<RenderError>,
}

#[derive(Deserialize)]
struct Looked {
    hash: String,
    address: String,
    #[serde(default)]
    scrolls: bool,
}

#[derive(Clone, Deserialize)]
struct Candidate {
    element: u64,
    kind: Touch,
    key: String,
}

impl Candidate {
    fn id(&self) -> (u64, Touch) {
        (self.element, self.kind)
    }
}

/// Looks at a page from its first state to all that can be reached from it.
pub(crate) struct Explorer<'a> {
    tab: &'a Tab,
    name: &'a str,
    settings: &'a Settings,
    deadline: Instant,
    known: HashSet<String>,
    size: usize,
    home: String,
    /// How often the page had to be loaded again: then its elements are other ones.
    reloads: u32,
    found: Rendered,
}

impl<'a> Explorer<'a> {
    /// `name` is what the script in the page is called.
    pub fn new(tab: &'a Tab, name: &'a str, settings: &'a Settings, deadline: Instant) -> Self {
        let (known, found) = (HashSet::new(), Rendered::default());
        Self { tab, name, settings, deadline, known, size: 0, home: String::new(), reloads: 0, found }
    }

    /// Explores; what was found before something went wrong is kept. An error means that there is nothing.
    pub async fn explore(mut self, listed: &[Listed]) -> Result<Rendered, RenderError> {
        let loaded = self.settled("settle", "", LOADING).await?;
        self.home = without_fragment(&loaded.address).to_owned();
        self.keep(&loaded.hash, "load").await?;
        let rest = self.rest(listed, loaded.scrolls).await;
        self.found.cut = rest.err();
        self.found.leads.extend(self.tab.leads());
        Ok(self.found)
    }

    async fn rest(&mut self, listed: &[Listed], scrolls: bool) -> Result<(), RenderError> {
        if listed.is_empty() {
            if scrolls {
                self.scroll().await?;
            }
            self.touch_all().await?;
        } else {
            self.touch_listed(listed).await?;
        }
        self.take_leads().await
    }

    /// Where the page's own scripts would have gone.
    async fn take_leads(&mut self) -> Result<(), RenderError> {
        let leads = self.tab.value(&format!("{}.leads()", self.name), self.left()?).await?;
        let leads: Vec<String> = serde_json::from_str(told(&leads)).unwrap_or_default();
        let more = LEADS.saturating_sub(self.found.leads.len());
        self.found.leads.extend(leads.iter().filter_map(|lead| Url::parse(lead).ok()).take(more));
        Ok(())
    }

    /// Scrolls to the end as long as something new comes.
    async fn scroll(&mut self) -> Result<(), RenderError> {
        for _ in 0..self.settings.scrolls {
            let looked = self.settled("scroll", "", REACTING).await?;
            if self.is_full() || !self.keep(&looked.hash, "scroll").await? {
                break;
            }
        }
        Ok(())
    }

    /// Sets off what a site says can be set off.
    async fn touch_listed(&mut self, listed: &[Listed]) -> Result<(), RenderError> {
        for Listed { touches, sources } in listed {
            let Some(touch) = touches.first() else { continue };
            for source in sources {
                let selector = serde_json::to_string(source).unwrap_or_default();
                let element = self.tab.value(&format!("{}.named({selector})", self.name), self.left()?).await?;
                if let Some(element) = element.as_u64() {
                    let candidate = Candidate { element, kind: *touch, key: format!("{} {source}", touch.as_str()) };
                    for _ in 0..REPEATS {
                        if self.is_full() || !self.touch(&candidate).await? {
                            break;
                        }
                    }
                    break;
                }
            }
        }
        Ok(())
    }

    /// Touches all that may be touched: what a touch brought before what was there before it, for it may be
    /// gone after the next.
    async fn touch_all(&mut self) -> Result<(), RenderError> {
        let first = self.list().await?;
        let mut old: HashSet<u64> = first.iter().map(|candidate| candidate.element).collect();
        let mut done: HashSet<String> = HashSet::new();
        let mut times: HashMap<(u64, Touch), u32> = HashMap::new();
        let mut queue: VecDeque<Candidate> = first.into();
        while let Some(candidate) = queue.pop_front() {
            if self.is_full() {
                return Ok(());
            }
            let touched = times.entry(candidate.id()).or_default();
            // One that was made anew in the place of one that was touched is the same to a visitor.
            let remade = !old.contains(&candidate.element) && *touched == 0 && done.contains(&candidate.key);
            if *touched >= REPEATS || remade {
                continue;
            }
            *touched += 1;
            done.insert(candidate.key.clone());
            let reloads = self.reloads;
            let is_new = self.touch(&candidate).await?;
            if self.reloads > reloads {
                (old, times) = (HashSet::new(), HashMap::new());
                queue = self.list().await?.into();
            } else if is_new {
                let waiting: HashSet<_> = queue.iter().map(Candidate::id).collect();
                let mut fresh = self.list().await?;
                fresh.retain(|found| {
                    let is_known = times.contains_key(&found.id()) || waiting.contains(&found.id());
                    found.id() == candidate.id() || !is_known
                });
                fresh.into_iter().rev().for_each(|found| queue.push_front(found));
            }
        }
        Ok(())
    }

    /// Touches an element; says whether a new state came of it.
    async fn touch(&mut self, candidate: &Candidate) -> Result<bool, RenderError> {
        self.found.events += 1;
        let kind = candidate.kind.as_str();
        let looked = self.settled("act", &format!("{}, '{kind}', ", candidate.element), REACTING).await?;
        if without_fragment(&looked.address) != self.home {
            // The page is another one now: it will be visited as such.
            if let Ok(lead) = Url::parse(&looked.address) {
                self.found.leads.push(lead);
            }
            self.go_back().await?;
            return Ok(false);
        }
        let is_new = self.keep(&looked.hash, &candidate.key).await?;
        if candidate.kind == Touch::Hover {
            self.tab.value(&format!("{}.leave({})", self.name, candidate.element), self.left()?).await?;
        }
        Ok(is_new)
    }

    async fn go_back(&mut self) -> Result<(), RenderError> {
        let looked = self.settled("back", "", REACTING).await?;
        if without_fragment(&looked.address) != self.home || !self.known.contains(&looked.hash) {
            self.take_leads().await?;
            self.reloads += 1;
            self.tab.load(self.name).await?;
            self.settled("settle", "", LOADING).await?;
            // So that it knows what it has shown.
            self.tab.value(&format!("{}.html(0)", self.name), self.left()?).await?;
        }
        Ok(())
    }

    async fn list(&mut self) -> Result<Vec<Candidate>, RenderError> {
        let listed = self.tab.value(&format!("{}.list()", self.name), self.left()?).await?;
        Ok(serde_json::from_str(told(&listed)).unwrap_or_default())
    }

    /// Does something and waits until what it set off is done: no answer is waited for that was not there
    /// when the page was last looked at.
    async fn settled(&mut self, what: &str, arguments: &str, most: Duration) -> Result<Looked, RenderError> {
        let end = Instant::now() + most;
        let mut begun = self.tab.begun();
        let mut looked = self.look(&format!("{what}({arguments}{})", most.as_millis()), most).await?;
        loop {
            let wait = end.saturating_duration_since(Instant::now()).min(self.left()?);
            if let Ok(answered) = tokio::time::timeout(wait, self.tab.answered()).await {
                answered?;
            }
            let now = self.tab.begun();
            if now == begun || Instant::now() >= end {
                return Ok(looked);
            }
            begun = now;
            let rest = end.saturating_duration_since(Instant::now());
            let scrolls = looked.scrolls;
            looked = self.look(&format!("settle({})", rest.as_millis()), rest).await?;
            looked.scrolls |= scrolls;
        }
    }

    async fn look(&self, call: &str, most: Duration) -> Result<Looked, RenderError> {
        let patience = (most + SLACK).min(self.left()?);
        let told = self.tab.value(&format!("{}.{call}", self.name), patience).await?;
        read(&told)
    }

    /// Keeps the state the page is in when it is new.
    async fn keep(&mut self, hash: &str, after: &str) -> Result<bool, RenderError> {
        if !self.known.insert(hash.to_owned()) {
            return Ok(false);
        }
        let html = self.tab.value(&format!("{}.html({LARGEST})", self.name), self.left()?).await?;
        // A character takes up to three bytes.
        let html = html.as_str().filter(|html| html.len() <= 3 * LARGEST).unwrap_or_default().to_owned();
        if html.is_empty() {
            return Ok(false);
        }
        self.size += html.len();
        let after = after.chars().take(100).collect();
        self.found.states.push(State { html, after });
        Ok(true)
    }

    fn is_full(&self) -> bool {
        self.found.states.len() >= self.settings.states
            || self.found.events >= self.settings.events
            || self.size >= LARGEST_TOGETHER
    }

    /// The time that is left for the page.
    fn left(&self) -> Result<Duration, RenderError> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(RenderError::Late(self.settings.page_time)) } else { Ok(left) }
    }
}

/// What a page says of itself, when it is no longer than that may be.
fn told(value: &Value) -> &str {
    value.as_str().filter(|text| text.len() <= LONGEST).unwrap_or_default()
}

fn read(value: &Value) -> Result<Looked, RenderError> {
    serde_json::from_str(told(value)).map_err(|_| RenderError::Browser("the page does not say how it looks".into()))
}

fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Document, Supplied, Supplier, Wanted};

    struct Nobody;

    #[async_trait::async_trait]
    impl Supplier for Nobody {
        async fn supply(&self, _: Wanted) -> Option<Supplied> {
            None
        }
    }

    /// What is found where the script in the page gives these answers.
    async fn explored(answers: &[&str]) -> Rendered {
        let url = Url::parse("https://www.example.org/a").unwrap();
        let document = Document { url, content_type: None, body: bytes::Bytes::new() };
        let (answers, settings) = (answers.join("\n"), Settings::default());
        crate::tried::explored(answers.as_bytes(), document, &[], &settings, Arc::new(Nobody)).await.unwrap()
    }

    #[tokio::test]
    async fn a_page_that_says_more_than_its_script_would_is_not_believed() {
        let looked = r#"{"hash":"1","address":"https://www.example.org/a"}"#;
        let candidate = r#"{"element":1,"kind":"click","key":"click A"}"#;
        let lead = r#""https://www.example.org/b""#;
        let many = |one: &str, times: usize| format!("[{}]", vec![one; times].join(","));

        let usual = explored(&[looked, "<p>", &many(candidate, 1), looked, &many(lead, 2)]).await;
        assert_eq!((usual.states.len(), usual.events, usual.leads.len()), (1, 1, 2), "{usual:?}");

        let leads = explored(&[looked, "<p>", "[]", &many(lead, 5_000)]).await;
        assert_eq!(leads.leads.len(), LEADS);
        let leads = explored(&[looked, "<p>", "[]", &many("\"\"", 1 << 20)]).await;
        assert_eq!(leads.leads.len(), 0);
        let list = explored(&[looked, "<p>", &many(candidate, 50_000), "[]"]).await;
        assert_eq!((list.states.len(), list.events), (1, 0));
        let html = explored(&[looked, &"x".repeat(3 * LARGEST + 1), "[]", "[]"]).await;
        assert_eq!(html.states, []);
    }
}
