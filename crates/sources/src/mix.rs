//! Several sources at once: each within a time, mixed by rank.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use facts::UrlId;
use serde::Serialize;
use tokio::task::{self, JoinSet};

use crate::error::SourceError;
use crate::question::Question;
use crate::source::{Answer, Source, Start, StartMedia};

/// How much the first ranks of a source count more than the next: reciprocal ranks, as is usual for mixing
/// lists whose scores cannot be compared.
const FLAT: f64 = 60.0;

/// Pages that wait to be taken.
const WAITING: usize = 10_000;
/// Pictures, films and sounds that sources name with one page.
const MEDIA: usize = 1_000;

/// How a source is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceState {
    /// What it is called.
    pub name: String,
    /// Whether it answered.
    pub state: Standing,
    /// Pages it named.
    pub pages: u64,
    /// What went wrong, in a sentence.
    pub detail: Option<String>,
}

/// Whether a source answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It was asked and has not answered yet.
    Asked,
    /// It answered.
    Answered,
    /// It failed, and is not asked again.
    Failed,
}

/// Sources that are asked together.
pub struct Mix {
    question: Arc<Question>,
    timeout: Duration,
    resting: Vec<Resting>,
    asked: JoinSet<(Resting, Result<Answer, SourceError>)>,
    /// Which source each of those that are asked is.
    numbers: HashMap<task::Id, usize>,
    states: Vec<SourceState>,
    waiting: HashMap<UrlId, Waiting>,
    taken: HashSet<UrlId>,
    arrived: u64,
}

/// A source that can be asked for more.
struct Resting {
    number: usize,
    source: Box<dyn Source>,
    /// Pages it named so far.
    named: usize,
}

struct Waiting {
    start: Start,
    score: f64,
    arrived: u64,
}

impl Mix {
    /// Asks nobody yet.
    pub fn new(sources: Vec<Box<dyn Source>>, question: Question, timeout: Duration) -> Self {
        let state = |source: &dyn Source| SourceState {
            name: source.name().to_owned(),
            state: Standing::Asked,
            pages: 0,
            detail: None,
        };
        Self {
            states: sources.iter().map(|source| state(&**source)).collect(),
            resting: sources
                .into_iter()
                .enumerate()
                .map(|(number, source)| Resting { number, source, named: 0 })
                .collect(),
            question: Arc::new(question),
            timeout,
            asked: JoinSet::new(),
            numbers: HashMap::new(),
            waiting: HashMap::new(),
            taken: HashSet::new(),
            arrived: 0,
        }
    }

    /// Asks all that may have more, and are not being asked.
    pub fn ask(&mut self, most: usize) {
        for mut resting in self.resting.drain(..) {
            let (question, limit, number) = (Arc::clone(&self.question), self.timeout, resting.number);
            let asked = self.asked.spawn(async move {
                let mut answer = match tokio::time::timeout(limit, resting.source.ask(&question, most)).await {
                    Ok(answer) => answer,
                    Err(_) => Err(SourceError::Slow(limit)),
                };
                // One that names more than it was asked for does not crowd out the others.
                if let Ok(answer) = &mut answer {
                    answer.starts.truncate(most);
                }
                (resting, answer)
            });
            self.numbers.insert(asked.id(), number);
        }
    }

    /// Waits until one of those that are asked has answered; at once when none is. Can be dropped at any time.
    pub async fn answered(&mut self) {
        match self.asked.join_next_with_id().await {
            Some(Ok((id, (resting, answer)))) => {
                self.numbers.remove(&id);
                self.take_in(resting, answer);
            }
            Some(Err(broken)) => {
                let number = self.numbers.remove(&broken.id());
                if let Some(state) = number.and_then(|number| self.states.get_mut(number)) {
                    (state.state, state.detail) = (Standing::Failed, Some(format!("it broke: {broken}")));
                }
            }
            None => {}
        }
    }

    fn take_in(&mut self, mut resting: Resting, answer: Result<Answer, SourceError>) {
        let Some(state) = self.states.get_mut(resting.number) else { return };
        let Answer { starts, more } = match answer {
            Ok(answer) => answer,
            Err(error) => {
                (state.state, state.detail) = (Standing::Failed, Some(error.to_string()));
                return;
            }
        };
        state.state = Standing::Answered;
        for start in starts {
            resting.named += 1;
            let score = 1.0 / (FLAT + resting.named as f64);
            let id = start.url.id();
            if self.taken.contains(&id) {
                continue;
            }
            state.pages += 1;
            let room = self.waiting.len() < WAITING;
            match self.waiting.get_mut(&id) {
                Some(known) => {
                    known.score += score;
                    merge(&mut known.start, start.media);
                }
                None if room => {
                    self.arrived += 1;
                    self.waiting.insert(id, Waiting { start, score, arrived: self.arrived });
                }
                None => {}
            }
        }
        if more {
            self.resting.push(resting);
        }
    }

    /// The best of the pages that wait.
    pub fn take(&mut self) -> Option<Start> {
        let best = self
            .waiting
            .iter()
            .max_by(|(_, a), (_, b)| a.score.total_cmp(&b.score).then_with(|| b.arrived.cmp(&a.arrived)));
        let id = *best?.0;
        self.taken.insert(id);
        self.waiting.remove(&id).map(|waiting| waiting.start)
    }

    /// Pages that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no page waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether someone is being asked.
    pub fn is_asking(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Whether no more pages will come.
    pub fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.asked.is_empty() && self.resting.is_empty()
    }

    /// How each is doing.
    pub fn states(&self) -> &[SourceState] {
        &self.states
    }

    /// Whether every source failed.
    pub fn all_failed(&self) -> bool {
        self.states.iter().all(|state| state.state == Standing::Failed)
    }
}

fn merge(start: &mut Start, media: Vec<StartMedia>) {
    let mut known: HashSet<UrlId> = start.media.iter().map(|known| known.url.id()).collect();
    let room = MEDIA.saturating_sub(start.media.len());
    start.media.extend(media.into_iter().filter(|new| known.insert(new.url.id())).take(room));
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use facts::Url;

    use super::*;

    /// Gives its pages two at a time; `None` never answers.
    struct Fixed(&'static str, Option<Vec<&'static str>>);

    #[async_trait]
    impl Source for Fixed {
        fn name(&self) -> &str {
            self.0
        }

        async fn ask(&mut self, _: &Question, _: usize) -> Result<Answer, SourceError> {
            let Some(pages) = &mut self.1 else { return std::future::pending().await };
            if pages.is_empty() {
                return Err(SourceError::Status { host: "x".into(), status: 500 });
            }
            let two: Vec<&str> = pages.drain(..pages.len().min(2)).collect();
            let starts = two.iter().map(|page| Start::at(Url::parse(&format!("http://{page}.example/")).unwrap()));
            Ok(Answer { starts: starts.collect(), more: !pages.is_empty() })
        }
    }

    /// Breaks, or names far more than it was asked for, all of it on one page.
    struct Hostile(bool);

    #[async_trait]
    impl Source for Hostile {
        fn name(&self) -> &str {
            "hostile"
        }

        async fn ask(&mut self, _: &Question, _: usize) -> Result<Answer, SourceError> {
            assert!(!self.0, "outside numbers");
            let page = Url::parse("http://one.example/").unwrap();
            let start = |n: usize| {
                let mut start = Start::at(page.clone());
                let url = Url::parse(&format!("http://one.example/{n}.jpg")).unwrap();
                start.media.push(StartMedia { url, kind: facts::MediaKind::Image, words: String::new() });
                start
            };
            Ok(Answer { starts: (0..50_000).map(start).collect(), more: false })
        }
    }

    #[tokio::test]
    async fn one_that_breaks_has_failed_and_one_that_names_too_much_is_cut() {
        let sources: Vec<Box<dyn Source>> = vec![Box::new(Hostile(true)), Box::new(Hostile(false))];
        let mut mix = Mix::new(sources, Question::words("x"), Duration::from_secs(60));
        mix.ask(5_000);
        while mix.is_asking() {
            mix.answered().await;
        }
        let states: Vec<Standing> = mix.states().iter().map(|state| state.state).collect();
        assert_eq!(states, [Standing::Failed, Standing::Answered]);
        assert_eq!(mix.take().map(|start| start.media.len()), Some(MEDIA));
        assert!(mix.is_over());
    }

    #[tokio::test]
    async fn pages_are_mixed_by_rank_and_what_fails_is_told() {
        let sources: Vec<Box<dyn Source>> = vec![
            Box::new(Fixed("one", Some(vec!["a", "b", "c"]))),
            Box::new(Fixed("two", Some(vec!["x", "b"]))),
            Box::new(Fixed("slow", None)),
            Box::new(Fixed("broken", Some(vec![]))),
        ];
        let mut mix = Mix::new(sources, Question::words("x"), Duration::from_millis(50));
        mix.ask(2);
        while mix.is_asking() {
            mix.answered().await;
        }
        // What two name comes first, then the first of each.
        let first: Vec<String> = std::iter::from_fn(|| mix.take()).map(|start| start.url.host().to_string()).collect();
        assert_eq!(first[0], "b.example");
        assert_eq!(first.len(), 3);
        let states: Vec<(Standing, u64)> = mix.states().iter().map(|state| (state.state, state.pages)).collect();
        use Standing::{Answered, Failed};
        assert_eq!(states, [(Answered, 2), (Answered, 2), (Failed, 0), (Failed, 0)]);
        assert!(mix.states()[2].detail.as_deref().unwrap().contains("50ms"), "{:?}", mix.states()[2]);
        assert!(!mix.is_over() && !mix.all_failed());
        mix.ask(2);
        mix.answered().await;
        assert_eq!(mix.take().unwrap().url.host().as_str(), "c.example");
        assert!(mix.is_over());
    }
}
