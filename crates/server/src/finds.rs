//! The finds that are remembered: those that run, and those that someone may still look at. Nothing of them is in
//! the library until it is kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crawl::{Asked, FindMeans, FindSettings, Finding, Reach, Stopper};
use http::StatusCode;
use store::Store;

use crate::moment::Moment;
use crate::problem::Problem;

/// Finds that run at once.
const AT_ONCE: usize = 4;
/// Finds that are remembered.
const REMEMBERED: usize = 16;
/// How long one is remembered after its end.
const KEPT: Duration = Duration::from_secs(3600);

/// The finds of a server.
pub(crate) struct Finds {
    store: Arc<Store>,
    reach: Reach,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The oldest first.
    finds: VecDeque<Arc<Remembered>>,
    /// Those that are about to begin.
    beginning: usize,
    /// No more are begun.
    closed: bool,
}

/// A find that is remembered.
pub(crate) struct Remembered {
    /// What it goes by.
    pub id: String,
    pub created: Moment,
    /// How many results events list.
    pub top: usize,
    pub finding: Finding,
    stopper: Stopper,
}

/// A find that is about to begin; its place is free again when this is dropped.
struct Beginning<'f>(&'f Finds);

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        self.0.state().beginning -= 1;
    }
}

impl State {
    /// Nobody looks at those that were over long ago: they hold pages and pictures in memory.
    fn forget_old(&mut self) {
        let now = Instant::now();
        self.finds.retain(|find| find.finding.over_since().is_none_or(|over| now - over <= KEPT));
    }
}

fn ending() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is about to end")
}

impl Remembered {
    /// Ends it; what was found stays.
    pub fn stop(&self) {
        self.stopper.stop();
    }
}

impl Finds {
    /// None is remembered yet.
    pub fn new(store: Arc<Store>, reach: Reach) -> Self {
        Self { store, reach, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a find.
    pub async fn start(&self, asked: Asked, settings: FindSettings, top: usize) -> Result<Arc<Remembered>, Problem> {
        let beginning = self.room()?;
        let (stopper, stop) = crawl::stopper();
        let means = FindMeans { store: Some(Arc::clone(&self.store)), library: None, reach: self.reach.clone() };
        let finding = crawl::find(asked, settings, means, stop).await.map_err(|error| match error {
            crawl::FindError::Query(detail) => Problem::field("query", detail),
            crawl::FindError::Settings(detail) => Problem::field("", detail),
            other => Problem::internal(&other),
        })?;
        let id = crate::guard::random_name().ok_or_else(|| Problem::internal(&"no random numbers"))?;
        let find = Arc::new(Remembered { id, created: Moment::now(), top, finding, stopper });
        let mut state = self.state();
        if state.closed {
            find.stop();
            return Err(ending());
        }
        state.finds.push_back(Arc::clone(&find));
        while state.finds.len() > REMEMBERED {
            let oldest = state.finds.iter().position(|find| find.finding.is_over()).unwrap_or(0);
            state.finds.remove(oldest);
        }
        drop(state);
        drop(beginning);
        Ok(find)
    }

    /// A place for one more, held until it is among those that run.
    fn room(&self) -> Result<Beginning<'_>, Problem> {
        let mut state = self.state();
        if state.closed {
            return Err(ending());
        }
        state.forget_old();
        let running = state.finds.iter().filter(|find| !find.finding.is_over()).count() + state.beginning;
        if running >= AT_ONCE {
            return Err(Problem::new(StatusCode::CONFLICT, format!("{AT_ONCE} finds run already: stop one first")));
        }
        state.beginning += 1;
        Ok(Beginning(self))
    }

    /// The newest first.
    pub fn list(&self) -> Vec<Arc<Remembered>> {
        self.state().finds.iter().rev().cloned().collect()
    }

    /// The one of this name.
    pub fn one(&self, id: &str) -> Result<Arc<Remembered>, Problem> {
        let found = self.state().finds.iter().find(|find| find.id == id).cloned();
        found.ok_or_else(|| Problem::missing("this find is not remembered, or not any more"))
    }

    /// Lets go of one.
    pub fn forget(&self, id: &str) -> Result<(), Problem> {
        let mut state = self.state();
        let at = state.finds.iter().position(|find| find.id == id);
        let at = at.ok_or_else(|| Problem::missing("this find is not remembered, or not any more"))?;
        if let Some(find) = state.finds.remove(at) {
            find.stop();
        }
        Ok(())
    }

    /// Ends all of them.
    pub fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.finds.drain(..).for_each(|find| find.stop());
    }
}
