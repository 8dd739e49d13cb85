//! The pool: one browser, a few tabs, a new browser when the old one is gone or worn.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::Instant;

use crate::chromium::{Chromium, program};
use crate::error::RenderError;
use crate::explore::{Explorer, Listed, Rendered};
use crate::protocol::Line;
use crate::settings::Settings;
use crate::supply::Supplier;
use crate::tab::{Document, Tab};

/// Pages that one browser shows before it is replaced: they leave things behind.
const WORN: u32 = 500;
/// How long over its time a page may be before it is given up.
const SLACK: Duration = Duration::from_secs(2);
/// Starts that may fail in a row before no further one is tried.
const STARTS: u32 = 3;

/// The script that runs in pages before their own.
const SCRIPT: &str = include_str!("page.js");

/// Renders pages. The browser starts with the first of them and ends with this.
pub struct Renderer {
    settings: Settings,
    tabs: Semaphore,
    browser: Mutex<Option<Arc<Browser>>>,
    failures: AtomicU32,
}

/// A browser, and the name that our script has in its pages: another in each browser, so that no page knows it.
struct Browser {
    chromium: Chromium,
    name: String,
    script: String,
    pages: AtomicU32,
}

impl Renderer {
    /// Renders with these settings; says at once when there is no browser.
    pub fn new(settings: Settings) -> Result<Self, RenderError> {
        program(&settings)?;
        let tabs = Semaphore::new(settings.tabs.max(1));
        Ok(Self { settings, tabs, browser: Mutex::new(None), failures: AtomicU32::new(0) })
    }

    /// Shows a page, sets off what is listed, or else what can be found, and gives its states. All its
    /// requests go to the supplier.
    pub async fn render(
        &self,
        document: Document,
        listed: &[Listed],
        supplier: Arc<dyn Supplier>,
    ) -> Result<Rendered, RenderError> {
        let Ok(_tab) = self.tabs.acquire().await else { return Err(RenderError::Gone) };
        // Another page may have taken the browser with it: that is no fault of this one.
        match self.once(document.clone(), listed, Arc::clone(&supplier)).await {
            Err(RenderError::Gone) => self.once(document, listed, supplier).await,
            done => done,
        }
    }

    async fn once(
        &self,
        document: Document,
        listed: &[Listed],
        supplier: Arc<dyn Supplier>,
    ) -> Result<Rendered, RenderError> {
        let browser = self.browser().await?;
        let Browser { chromium, name, script, .. } = &*browser;
        let tab = Tab::open(&chromium.line, document, script, self.settings.requests, supplier).await?;
        // A browser that has to start first takes nothing of the page's time.
        let deadline = Instant::now() + self.settings.page_time;
        let late = RenderError::Late(self.settings.page_time);
        let work = async {
            tab.load(name).await?;
            Explorer::new(&tab, name, &self.settings, deadline).explore(listed).await
        };
        // The explorer keeps to the deadline by itself, and keeps what it has; this is for one that cannot.
        let found = tokio::time::timeout_at(deadline + SLACK, work).await.unwrap_or(Err(late.clone()));
        if !tab.close().await {
            // It cannot let go of the page: away with all of it.
            chromium.kill();
        }
        // A page that keeps its tab busy is late, whichever wait noticed it.
        found.map_err(|error| if matches!(error, RenderError::Late(_)) { late } else { error })
    }

    async fn browser(&self) -> Result<Arc<Browser>, RenderError> {
        let mut current = self.browser.lock().await;
        if let Some(browser) = &*current
            && browser.chromium.line.is_open()
            && browser.pages.fetch_add(1, Ordering::Relaxed) < WORN
        {
            return Ok(Arc::clone(browser));
        }
        *current = None;
        if self.failures.load(Ordering::Relaxed) >= STARTS {
            return Err(RenderError::Start("it failed several times before".into()));
        }
        match Browser::start(&self.settings).await {
            Ok(browser) => {
                self.failures.store(0, Ordering::Relaxed);
                Ok(Arc::clone(current.insert(Arc::new(browser))))
            }
            Err(error) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                Err(error)
            }
        }
    }
}

impl Browser {
    async fn start(settings: &Settings) -> Result<Self, RenderError> {
        let chromium = Chromium::start(settings).await?;
        let name = format!("b{:016x}", RandomState::new().build_hasher().finish());
        let script = SCRIPT.replace("%NAME%", &name);
        tokio::spawn(close_popups(Arc::clone(&chromium.line)));
        chromium.line.tell(None, "Target.setDiscoverTargets", json!({ "discover": true }));
        Ok(Self { chromium, name, script, pages: AtomicU32::new(1) })
    }
}

/// Closes what pages open.
async fn close_popups(line: Arc<Line>) {
    let mut events = line.listen("");
    while let Some(event) = events.recv().await {
        let target = event.params.get("targetInfo");
        let of = |name: &str| target.and_then(|target| target.get(name)).and_then(Value::as_str).unwrap_or_default();
        if event.method == "Target.targetCreated" && !of("openerId").is_empty() {
            line.tell(None, "Target.closeTarget", json!({ "targetId": of("targetId") }));
        }
    }
}
