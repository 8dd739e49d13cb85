//! One page in a tab of its own, in a profile of its own, with somebody who answers its requests.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use facts::Url;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::error::RenderError;
use crate::protocol::{Event, Fault, Line};
use crate::supply::{Supplied, Supplier, Verdict, judge};

/// How long the browser may take for what does not depend on a page.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take to let go of a page.
const FAREWELL: Duration = Duration::from_secs(3);
/// Between two looks whether a page has come.
const GLANCE: Duration = Duration::from_millis(10);
/// Requests of one page that are under way at once.
const AT_ONCE: usize = 6;
/// How often a page may load itself.
const LOADS: u32 = 3;
/// How large a page is shown, in pixels.
const WIDTH: u32 = 1280;
const HEIGHT: u32 = 1600;
/// Addresses that scripts try to go to, of one page.
const LEADS: usize = 200;
/// A picture of one transparent dot.
const DOT: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/// A page as its server sent it.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its address.
    pub url: Url,
    /// Its `Content-Type`.
    pub content_type: Option<String>,
    /// Its bytes.
    pub body: Bytes,
}

/// A tab with one page.
pub(crate) struct Tab {
    line: Arc<Line>,
    context: String,
    session: String,
    desk: Arc<Desk>,
    attendant: JoinHandle<()>,
}

/// Where the requests of a page are answered.
struct Desk {
    line: Arc<Line>,
    session: String,
    /// The main frame.
    frame: String,
    document: Document,
    supplier: Arc<dyn Supplier>,
    loads: AtomicU32,
    /// Requests that the page may still make.
    left: AtomicU32,
    at_once: Semaphore,
    /// How many requests are under way, and how many there were.
    open: watch::Sender<u64>,
    begun: AtomicU64,
    leads: Mutex<Vec<Url>>,
    /// Why the page cannot be gone on with.
    end: watch::Sender<Option<RenderError>>,
}

impl Tab {
    /// Opens an empty tab, with `script` to be run before those of the page.
    pub async fn open(
        line: &Arc<Line>,
        document: Document,
        script: &str,
        requests: u32,
        supplier: Arc<dyn Supplier>,
    ) -> Result<Self, RenderError> {
        let ask = |method: &'static str, params: Value| async move {
            let answer = line.call(None, method, params, PATIENCE).await.map_err(broken)?;
            Ok::<_, RenderError>(answer)
        };
        let context =
            text(&ask("Target.createBrowserContext", json!({ "disposeOnDetach": true })).await?, "browserContextId");
        let made = json!({ "url": "about:blank", "browserContextId": context, "hidden": true });
        let target = match ask("Target.createTarget", made).await {
            Ok(made) => text(&made, "targetId"),
            Err(error) => {
                line.tell(None, "Target.disposeBrowserContext", json!({ "browserContextId": context }));
                return Err(error);
            }
        };
        let attached = ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true })).await?;
        let session = text(&attached, "sessionId");
        let desk = Arc::new(Desk::new(Arc::clone(line), &session, target, document, requests, supplier));
        let events = line.listen(&session);
        let attendant = tokio::spawn(attend(Arc::clone(&desk), events));
        let tab = Self { line: Arc::clone(line), context, session, desk, attendant };
        let deny = json!({ "behavior": "deny", "browserContextId": tab.context });
        line.tell(None, "Browser.setDownloadBehavior", deny);
        // A tab without a window costs a third of one that has one, and needs to be told how large it is.
        tab.tell(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false }),
        );
        tab.tell("Page.enable", json!({}));
        tab.tell("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }));
        tab.call("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })).await?;
        Ok(tab)
    }

    /// Shows the page, and waits until the script with this name is there. The page comes from the desk, as
    /// everything does. No event tells for sure that a page has come: the first document of a tab may still
    /// be on its way out.
    pub async fn load(&self, name: &str) -> Result<(), RenderError> {
        let _ = self.value(&format!("delete window.{name}"), PATIENCE).await;
        self.call("Page.navigate", json!({ "url": self.desk.document.url.as_str() })).await?;
        loop {
            match self.value(&format!("typeof {name}"), PATIENCE).await {
                Ok(kind) if kind == "object" => return Ok(()),
                Ok(_) | Err(RenderError::Browser(_)) => tokio::time::sleep(GLANCE).await,
                Err(error) => return Err(error),
            }
        }
    }

    /// The value of an expression, which may be a promise.
    pub async fn value(&self, expression: &str, patience: Duration) -> Result<Value, RenderError> {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true, "silent": true });
        let answer = self.within(self.line.call(Some(&self.session), "Runtime.evaluate", params, patience)).await?;
        if let Some(wrong) = answer.get("exceptionDetails") {
            let wrong = wrong.pointer("/exception/description").or(wrong.get("text")).and_then(Value::as_str);
            let wrong: String = wrong.unwrap_or("a script failed").chars().take(200).collect();
            return Err(RenderError::Browser(wrong));
        }
        Ok(answer.pointer("/result/value").cloned().unwrap_or_default())
    }

    /// How many requests the page has made so far.
    pub fn begun(&self) -> u64 {
        self.desk.begun.load(Ordering::Relaxed)
    }

    /// Waits until no request is under way.
    pub async fn answered(&self) -> Result<(), RenderError> {
        let mut open = self.desk.open.subscribe();
        let idle = async {
            let _ = open.wait_for(|open| *open == 0).await;
            Ok(Value::Null)
        };
        self.within(idle).await.map(|_| ())
    }

    /// Where scripts tried to go.
    pub fn leads(&self) -> Vec<Url> {
        self.desk.leads().clone()
    }

    /// Closes the tab and forgets its profile; says whether the browser did so.
    pub async fn close(mut self) -> bool {
        self.attendant.abort();
        // With it go the requests that are under way.
        let _ = (&mut self.attendant).await;
        self.line.forget(&self.session);
        let gone = json!({ "browserContextId": self.context });
        !matches!(self.line.call(None, "Target.disposeBrowserContext", gone, FAREWELL).await, Err(Fault::Late(_)))
    }

    fn tell(&self, method: &str, params: Value) {
        self.line.tell(Some(&self.session), method, params);
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, RenderError> {
        self.within(self.line.call(Some(&self.session), method, params, PATIENCE)).await
    }

    /// What comes of it, unless the page comes to its end before.
    async fn within(&self, work: impl Future<Output = Result<Value, Fault>>) -> Result<Value, RenderError> {
        let mut end = self.desk.end.subscribe();
        tokio::select! {
            biased;
            answer = work => answer.map_err(broken),
            ended = end.wait_for(Option::is_some) => Err(ended.ok().and_then(|end| end.clone()).unwrap_or(RenderError::Gone)),
        }
    }
}

fn broken(fault: Fault) -> RenderError {
    match fault {
        Fault::Gone => RenderError::Gone,
        Fault::Late(time) => RenderError::Late(time),
        Fault::Refused(why) => RenderError::Browser(why),
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Looks at what happens in a tab until it is closed.
async fn attend(desk: Arc<Desk>, mut events: mpsc::Receiver<Event>) {
    // Dropped with this, and then nobody asks for anything any more.
    let mut errands = JoinSet::new();
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            Some(_) = errands.join_next(), if !errands.is_empty() => continue,
        };
        let Some(Event { method, params }) = event else { break };
        match method.as_str() {
            "Fetch.requestPaused" => desk.asked(&params, &mut errands),
            "Page.javascriptDialogOpening" => desk.tell("Page.handleJavaScriptDialog", json!({ "accept": false })),
            "Inspector.targetCrashed" => desk.end(RenderError::Crashed),
            "Inspector.detached" => desk.end(RenderError::Crashed),
            _ => {}
        }
    }
    // The browser is gone, or the page made more of this than anyone can look at.
    desk.end(if desk.line.is_open() { RenderError::Flood } else { RenderError::Gone });
}

/// Where the scripts of a page tried to go, by what a browser that showed it said through its pipe. The bytes
/// need not come from a browser: this is for trying what they could do.
pub async fn overhear(said: &[u8], document: Document, supplier: Arc<dyn Supplier>) -> Vec<Url> {
    let line = Line::unheard();
    let (session, frame) = ("session", "frame".to_owned());
    let events = line.listen(session);
    let desk = Arc::new(Desk::new(Arc::clone(&line), session, frame, document, 100, supplier));
    line.replay(said);
    attend(Arc::clone(&desk), events).await;
    desk.leads().clone()
}

impl Desk {
    fn new(
        line: Arc<Line>,
        session: &str,
        frame: String,
        document: Document,
        requests: u32,
        supplier: Arc<dyn Supplier>,
    ) -> Self {
        Self {
            line,
            session: session.to_owned(),
            frame,
            document,
            supplier,
            loads: AtomicU32::new(0),
            left: AtomicU32::new(requests),
            at_once: Semaphore::new(AT_ONCE),
            open: watch::Sender::new(0),
            begun: AtomicU64::new(0),
            leads: Mutex::default(),
            end: watch::Sender::new(None),
        }
    }

    fn leads(&self) -> MutexGuard<'_, Vec<Url>> {
        self.leads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, method: &str, params: Value) {
        self.line.tell(Some(&self.session), method, params);
    }

    fn end(&self, error: RenderError) {
        self.end.send_if_modified(|end| end.is_none() && end.replace(error).is_none());
    }

    fn asked(self: &Arc<Self>, params: &Value, errands: &mut JoinSet<()>) {
        let of = |path: &str| params.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (id, resource) = (of("/requestId").to_owned(), of("/resourceType"));
        let (url, method) = (of("/request/url"), of("/request/method"));
        if resource == "Document" {
            return self.navigates(&id, url, method, of("/frameId"));
        }
        let purpose = [of("/request/headers/Sec-Purpose"), of("/request/headers/Purpose")].concat();
        match judge(resource, method, url, of("/request/headers/Accept"), &purpose) {
            Verdict::Refuse => self.refuse(&id),
            Verdict::Dot => {
                let headers = json!([{ "name": "Content-Type", "value": "image/gif" }, { "name": "Access-Control-Allow-Origin", "value": "*" }]);
                let dot = json!({ "requestId": id, "responseCode": 200, "responseHeaders": headers, "body": DOT });
                self.tell("Fetch.fulfillRequest", dot);
            }
            Verdict::Ask(wanted) => {
                let may = |left: u32| left.checked_sub(1);
                if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, may).is_err() {
                    return self.refuse(&id);
                }
                self.begun.fetch_add(1, Ordering::Relaxed);
                self.open.send_modify(|open| *open += 1);
                let desk = Arc::clone(self);
                errands.spawn(async move {
                    let supplied = match desk.at_once.acquire().await {
                        Ok(_place) => desk.supplier.supply(wanted).await,
                        Err(_) => None,
                    };
                    match supplied {
                        Some(supplied) => desk.fulfil(&id, supplied),
                        None => desk.refuse(&id),
                    }
                    desk.open.send_modify(|open| *open = open.saturating_sub(1));
                });
            }
        }
    }

    /// The page itself is given out; nothing else is gone to, and where a script wanted to go is a link.
    fn navigates(&self, id: &str, url: &str, method: &str, frame: &str) {
        if frame != self.frame {
            return self.refuse(id);
        }
        let url = Url::parse(url).ok();
        let itself = method == "GET" && url.as_ref().is_some_and(|url| url.id() == self.document.url.id());
        if itself && self.loads.fetch_add(1, Ordering::Relaxed) < LOADS {
            let kind = self.document.content_type.as_deref().unwrap_or("text/html; charset=utf-8");
            let headers = json!([{ "name": "Content-Type", "value": kind }]);
            let body = BASE64_STANDARD.encode(&self.document.body);
            return self.tell(
                "Fetch.fulfillRequest",
                json!({ "requestId": id, "responseCode": 200, "responseHeaders": headers, "body": body }),
            );
        }
        if let Some(url) = url.filter(|_| method == "GET" && !itself) {
            let mut leads = self.leads();
            if leads.len() < LEADS && !leads.contains(&url) {
                leads.push(url);
            }
        }
        // "No content" leaves the page where it is.
        self.tell("Fetch.fulfillRequest", json!({ "requestId": id, "responseCode": 204 }));
    }

    fn refuse(&self, id: &str) {
        self.tell("Fetch.failRequest", json!({ "requestId": id, "errorReason": "BlockedByClient" }));
    }

    fn fulfil(&self, id: &str, supplied: Supplied) {
        let headers = supplied.headers.iter().filter(|(name, _)| !is_ours(name));
        let headers: Vec<Value> = headers.map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let body = BASE64_STANDARD.encode(&supplied.body);
        let status = supplied.status.clamp(200, 599);
        self.tell(
            "Fetch.fulfillRequest",
            json!({ "requestId": id, "responseCode": status, "responseHeaders": headers, "body": body }),
        );
    }
}

/// Headers that were about the transfer, or are kept elsewhere: bodies are decoded, cookies are in our jar.
fn is_ours(name: &str) -> bool {
    let names = [
        "connection",
        "content-encoding",
        "content-length",
        "keep-alive",
        "set-cookie",
        "transfer-encoding",
        "trailer",
        "upgrade",
        "alt-svc",
        "report-to",
        "nel",
    ];
    names.iter().any(|ours| name.eq_ignore_ascii_case(ours))
}
