//! One request of a find, from the host's clock to what came of it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::{Bytes, BytesMut};
use facts::{Directives, HostName, MediaKind, Origin, Timestamp, Url};
use fetch::{Accept, Answer, ByteRange, FetchError, Fetcher, Manners, ROBOTS_LIMIT, Request, Response, Robots, Tdm};
use media::{Candidate, Probe, Rules, Wants, judge};
use sources::StartMedia;
use store::{Frontier, OriginFile, OriginRecord, Reservation, Rest};
use tokio::sync::{Semaphore, oneshot};

use super::hosts::{Line, Manner};
use super::keep::Keeper;
use crate::origin::no_sooner;

/// Bytes of a page that are read; what is longer is read so far.
const PAGE_BYTES: usize = 4 << 20;
/// Bytes of a picture that are asked for first: enough for nearly all that were made for the web.
const FIRST: u64 = 12 << 10;
/// Requests that looking at one picture is worth.
const LOOKS: u32 = 3;
/// Bytes of a picture that is shown in small.
const SHOWN_BYTES: u64 = 24 << 20;
/// Pixels of the longer side of a thumbnail.
const THUMBNAIL: u32 = 400;
/// Hops of one redirect.
pub(super) const HOPS: u8 = 5;

/// Something to ask a host for.
pub(super) enum Task {
    /// A file that says how to behave.
    File { origin: Origin, file: OriginFile, at: Url, hops: u8 },
    /// A page.
    Page(PageTask),
    /// The first bytes of a picture.
    Look(LookTask),
    /// A whole picture.
    Fetch(FetchTask),
}

/// A page to read.
pub(super) struct PageTask {
    pub url: Url,
    pub referer: Option<Url>,
    pub base: Arc<[f32]>,
    /// The site of the start page; that of the page itself for a start page, which may redirect.
    pub site: Option<facts::Site>,
    pub named: Vec<StartMedia>,
    pub hops: u8,
}

/// A picture to look at.
pub(super) struct LookTask {
    pub id: u32,
    pub url: Url,
    pub page: Url,
    pub alt: String,
    pub hops: u8,
    /// What is here of it.
    pub probe: Option<Box<Probe>>,
    pub total: Option<u64>,
    pub looks: u32,
}

/// A picture to fetch.
pub(super) struct FetchTask {
    pub id: u32,
    pub url: Url,
    pub page: Url,
    pub why: Why,
    pub hops: u8,
}

/// What a picture is fetched for.
pub(super) enum Why {
    /// To be shown in small; a preview that fails gives way to the picture itself.
    Thumbnail { instead: Option<Url> },
    /// To be kept: who waits for it.
    Keep { alt: String, waiting: oneshot::Sender<Kept> },
}

/// What came of keeping a picture.
pub(super) type Kept = Result<Box<store::MediaFile>, String>;

impl Task {
    pub fn url(&self) -> &Url {
        match self {
            Self::File { at, .. } => at,
            Self::Page(task) => &task.url,
            Self::Look(task) => &task.url,
            Self::Fetch(task) => &task.url,
        }
    }
}

/// What came of a request.
pub(super) enum Done {
    /// The host is with someone else, or rests: to be asked again then.
    Later(Line, Task, Duration),
    /// A file that says how to behave, or why it could not be had.
    File { origin: Origin, file: OriginFile, hops: u8, said: Said },
    /// A page.
    Page(PageTask, Result<Body, Trouble>),
    /// A page, or something, is elsewhere.
    Moved(Task, Url),
    /// A picture by its first bytes.
    Looked(LookTask, Look),
    /// A thumbnail.
    Small(FetchTask, Option<Arc<[u8]>>),
    /// Whoever waited knows already.
    Told,
}

/// What a file that says how to behave came to.
pub(super) enum Said {
    Robots(Robots),
    Tdm(Tdm),
    Moved(Url),
    /// It may go better next time.
    Failed(Robots, &'static str),
}

/// A page as it came.
pub(super) struct Body {
    pub bytes: Bytes,
    pub content_type: Option<String>,
    pub directives: Directives,
}

/// Why a request gave nothing, in a word.
pub(super) struct Trouble(pub String);

/// What the first bytes of a picture say.
pub(super) enum Look {
    Selected {
        width: u32,
        height: u32,
        format: &'static str,
        content: u64,
    },
    Refused(&'static str),
    Failed(String),
    /// More of it has to be looked at.
    Again,
}

/// A request that has ended.
pub(super) struct Landed {
    pub host: HostName,
    pub done: Done,
    /// How it went, as far as politeness is concerned; nothing when no request was made.
    pub answer: Option<Answer>,
    pub bytes: u64,
    pub took: Duration,
}

/// What all requests of a find share.
pub(super) struct Flights {
    pub fetcher: Fetcher,
    /// For files that are kept: nobody waits for those.
    pub patient: Fetcher,
    /// The clocks of hosts that crawls look at too.
    pub frontier: Option<Arc<dyn Frontier>>,
    pub keeper: Option<Arc<Keeper>>,
    pub manners: Manners,
    pub rules: Rules,
    /// Pictures that are made small take turns with pages that are read.
    pub cpu: Arc<Semaphore>,
}

/// A host that is reserved with the store; it is let go in any case.
struct Reserved {
    frontier: Arc<dyn Frontier>,
    host: Option<HostName>,
    /// How long it is left alone when the request is broken off.
    delay: Duration,
    /// Requests to it that failed in a row, whoever made them.
    failures: u32,
    /// Which of its takings this is.
    taking: u64,
}

impl Reserved {
    /// Lets it rest as its answer asks for. A delay that was asked for now is remembered for crawls too.
    async fn release(
        mut self,
        manners: &Manners,
        delay: Option<Duration>,
        asked: Option<Duration>,
        answer: Option<Answer>,
    ) {
        if let Some(host) = self.host.take()
            && let Ok(now) = self.frontier.now().await
        {
            let rest = match answer {
                Some(answer) => {
                    let advice = manners.rest(now, delay, self.failures, &answer);
                    Rest { until: no_sooner(now, advice.until), delay: asked, failures: advice.failures }
                }
                // Nothing was asked of it.
                None => Rest { until: now, delay: asked, failures: self.failures },
            };
            let _ = self.frontier.release_taken(&host, self.taking, rest).await;
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // The request was broken off: its host rests its delay from now on.
        if let (Some(host), Ok(runtime)) = (self.host.take(), tokio::runtime::Handle::try_current()) {
            let (frontier, delay, failures, taking) =
                (Arc::clone(&self.frontier), self.delay, self.failures, self.taking);
            runtime.spawn(async move {
                if let Ok(now) = frontier.now().await {
                    let rest = Rest { until: no_sooner(now, now + delay), delay: None, failures };
                    let _ = frontier.release_taken(&host, taking, rest).await;
                }
            });
        }
    }
}

impl Flights {
    /// Makes a request to a host of which this is known.
    pub async fn fly(&self, host: HostName, manner: Manner, line: Line, task: Task) -> Landed {
        let started = std::time::Instant::now();
        let (reserved, delay) = match self.reserve(&host, manner).await {
            Ok(granted) => granted,
            Err(wait) => {
                let took = Duration::ZERO;
                return Landed { host, done: Done::Later(line, task, wait), answer: None, bytes: 0, took };
            }
        };
        let mut trip = Trip { flights: self, answer: None, bytes: 0 };
        let done = match task {
            Task::File { origin, file, at, hops } => trip.file(origin, file, at, hops).await,
            Task::Page(task) => trip.page(task).await,
            Task::Look(task) => trip.look(task).await,
            Task::Fetch(task) => trip.fetch(task).await,
        };
        let Trip { answer, bytes, .. } = trip;
        if let Some(reserved) = reserved {
            let asked = match &done {
                Done::File { said: Said::Robots(robots), .. } => robots.crawl_delay(),
                _ => None,
            };
            reserved.release(&self.manners, delay.max(asked), asked, answer).await;
        }
        Landed { host, done, answer, bytes, took: started.elapsed() }
    }

    /// The host for this request and the delay it is known to ask for, or how long to leave it alone.
    async fn reserve(&self, host: &HostName, manner: Manner) -> Result<(Option<Reserved>, Option<Duration>), Duration> {
        let Some(frontier) = &self.frontier else { return Ok((None, manner.delay)) };
        match frontier.reserve(host, self.manners.delay).await {
            Ok(Reservation::Granted { delay, failures, taking }) => {
                let asked = delay.max(manner.delay);
                let delay = asked.unwrap_or_default().min(self.manners.max_delay).max(self.manners.delay);
                let (frontier, host) = (Arc::clone(frontier), Some(host.clone()));
                Ok((Some(Reserved { frontier, host, delay, failures, taking }), asked))
            }
            Ok(Reservation::NotBefore(moment)) => {
                let now = frontier.now().await.unwrap_or(moment);
                Err(moment.since(now).max(Duration::from_millis(5)))
            }
            // A store that fails is no reason to be impolite, nor to find nothing.
            Err(_) => Ok((None, manner.delay)),
        }
    }

    /// What is known of an origin from earlier crawls.
    async fn remembered(&self, origin: &Origin, file: OriginFile) -> Option<OriginRecord> {
        let frontier = self.frontier.as_ref()?;
        let (record, now) = (frontier.origin(origin, file).await.ok()??, frontier.now().await.ok()?);
        let failed = record.status.is_none_or(|status| status == 429 || status >= 500);
        (record.fresh_until > now && !failed).then_some(record)
    }
}

/// A request under way.
struct Trip<'f> {
    flights: &'f Flights,
    answer: Option<Answer>,
    bytes: u64,
}

impl Trip<'_> {
    async fn send(&mut self, fetcher: &Fetcher, request: Request) -> Result<Response, FetchError> {
        let sent = fetcher.send(request).await;
        self.answer = Some(match &sent {
            Ok(response) => Answer::of_status(response.status, response.retry_after(now())),
            Err(error) => Answer::of_error(error),
        });
        sent
    }

    fn broke(&mut self, error: &FetchError) -> String {
        self.answer = Some(Answer::of_error(error));
        error.reason().to_owned()
    }

    async fn file(&mut self, origin: Origin, file: OriginFile, at: Url, hops: u8) -> Done {
        let product = self.flights.fetcher.product().to_owned();
        let read = |status: Option<u16>, body: &[u8]| match file {
            OriginFile::Robots => Said::Robots(Robots::from_answer(status, body, &product)),
            OriginFile::Tdm => Said::Tdm(Tdm::from_answer(status, body)),
        };
        let done = |said| Done::File { origin: origin.clone(), file, hops, said };
        if hops == 0
            && let Some(record) = self.flights.remembered(&origin, file).await
        {
            return done(read(record.status, &record.body));
        }
        let request = Request { limit: ROBOTS_LIMIT, ..Request::new(at, Accept::Text) };
        let fetcher = self.flights.fetcher.clone();
        let unreachable = || Robots::from_answer(None, &[], &product);
        let mut response = match self.send(&fetcher, request).await {
            Ok(response) => response,
            Err(error) => return done(Said::Failed(unreachable(), error.reason())),
        };
        if let Some(Ok(target)) = response.redirect() {
            response.discard().await;
            return done(Said::Moved(target));
        }
        let mut body = Vec::new();
        let broken = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break None,
                // What is longer than the limit is used as far as it came (RFC 9309 §2.5).
                Err(FetchError::TooLarge { .. }) => break None,
                Err(error) => break Some(error),
            }
        };
        self.bytes += response.received();
        // Half of it may lack the very rule that matters.
        if let Some(error) = broken {
            self.broke(&error);
            return done(Said::Failed(unreachable(), error.reason()));
        }
        let status = response.status;
        if status == 429 || status >= 500 {
            return done(Said::Failed(Robots::from_answer(Some(status), &body, &product), "robots-unreachable"));
        }
        if let (Some(frontier), 0) = (&self.flights.frontier, hops)
            && let Ok(at) = frontier.now().await
        {
            let robots = Robots::from_answer(Some(status), &body, &product);
            let fresh_until = at + robots.fresh_for(Some(&response.headers), 0);
            let record =
                OriginRecord { at, fresh_until, status: Some(status), trouble: None, attempts: 0, body: body.clone() };
            let _ = frontier.remember_origin(&origin, file, record).await;
        }
        done(read(Some(status), &body))
    }

    async fn page(&mut self, task: PageTask) -> Done {
        let request =
            Request { referer: task.referer.clone(), limit: u64::MAX, ..Request::new(task.url.clone(), Accept::Page) };
        let fetcher = self.flights.fetcher.clone();
        let mut response = match self.send(&fetcher, request).await {
            Ok(response) => response,
            Err(error) => return Done::Page(task, Err(Trouble(error.reason().to_owned()))),
        };
        if let Some(target) = response.redirect() {
            response.discard().await;
            return match target {
                Ok(target) => Done::Moved(Task::Page(task), target),
                Err(_) => Done::Page(task, Err(Trouble("redirect".into()))),
            };
        }
        let status = response.status;
        if !(200..300).contains(&status) {
            response.discard().await;
            return Done::Page(task, Err(Trouble(format!("http-{status}"))));
        }
        let content_type = response.content_type().map(str::to_owned);
        if !could_be_html(content_type.as_deref()) {
            return Done::Page(task, Err(Trouble("format".into())));
        }
        let mut body = BytesMut::new();
        let failed = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break None,
                Err(error) => break Some(self.broke(&error)),
            }
            if body.len() >= PAGE_BYTES {
                body.truncate(PAGE_BYTES);
                break None;
            }
        };
        self.bytes += response.received();
        if let Some(reason) = failed {
            return Done::Page(task, Err(Trouble(reason)));
        }
        if media::sniff(&body).is_some() {
            return Done::Page(task, Err(Trouble("format".into())));
        }
        let directives = response.directives();
        Done::Page(task, Ok(Body { bytes: body.freeze(), content_type, directives }))
    }

    async fn look(&mut self, mut task: LookTask) -> Done {
        let have = task.probe.as_ref().map_or(0, |probe| probe.start().len() as u64);
        let end = match task.probe.as_ref().map(|probe| probe.next()) {
            Some(Wants::Head(end)) => end as u64,
            _ => have + FIRST,
        };
        task.looks += 1;
        let request = Request {
            referer: Some(task.page.clone()),
            range: Some(ByteRange::From { start: have, end: Some(end - 1) }),
            ..Request::new(task.url.clone(), Accept::Image)
        };
        let fetcher = self.flights.fetcher.clone();
        let mut response = match self.send(&fetcher, request).await {
            Ok(response) => response,
            Err(error) => return Done::Looked(task, Look::Failed(error.reason().to_owned())),
        };
        if let Some(target) = response.redirect() {
            response.discard().await;
            return match target {
                Ok(target) => Done::Moved(Task::Look(task), target),
                Err(_) => Done::Looked(task, Look::Failed("redirect".into())),
            };
        }
        let part = response.content_range();
        match response.status {
            206 if part.is_some_and(|part| part.start == have) => task.total = part.and_then(|part| part.total),
            // Ranges are not known there: the file comes from its beginning, and is broken off.
            200..=299 => (task.probe, task.total) = (None, response.body_length()),
            status => {
                response.discard().await;
                return Done::Looked(task, Look::Failed(format!("http-{status}")));
            }
        }
        let mut probe = task.probe.take().unwrap_or_else(|| Box::new(Probe::new(task.total)));
        if probe.start().is_empty() {
            *probe = Probe::new(task.total);
        }
        let whole = response.status != 206;
        let failed = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => probe.head(&chunk),
                Ok(None) => {
                    if whole {
                        probe.ended();
                    }
                    break None;
                }
                Err(error) => break Some(self.broke(&error)),
            }
            let enough = probe.start().len() as u64 >= FIRST
                && (sized(&probe).is_some() || !matches!(probe.next(), Wants::Head(_)));
            // A server that sends more than was asked for is broken off as well.
            let more = probe.start().len() as u64 > end.max(FIRST);
            if (whole || more) && enough {
                break None;
            }
        };
        self.bytes += response.received();
        let look = match failed {
            Some(reason) => Look::Failed(reason),
            None => self.judge(&mut task, probe, &response, whole),
        };
        Done::Looked(task, look)
    }

    fn judge(&self, task: &mut LookTask, probe: Box<Probe>, response: &Response, whole: bool) -> Look {
        let directives = response.directives();
        if directives.noindex || directives.reserve_media(MediaKind::Image) {
            return Look::Refused("opt-out");
        }
        let facts = match probe.facts(now()) {
            Ok(facts) => facts,
            Err(unreadable) => return Look::Refused(unreadable.as_str()),
        };
        if facts.format.kind != MediaKind::Image {
            return Look::Refused("format");
        }
        let Some((width, height)) = facts.upright() else {
            let more = matches!(probe.next(), Wants::Head(end) if end > probe.start().len());
            if more && !whole && task.looks < LOOKS {
                task.probe = Some(probe);
                return Look::Again;
            }
            return Look::Refused("broken");
        };
        let name = task.url.file_name();
        let candidate = Candidate {
            format: facts.format,
            width: Some(width),
            height: Some(height),
            duration: None,
            size: task.total,
            located: facts.location.is_some(),
            alt: &task.alt,
            name: &name,
        };
        match judge(&self.flights.rules, &candidate) {
            Ok(()) => {
                let mut hasher = DefaultHasher::new();
                probe.start().get(..probe.start().len().min(4096)).hash(&mut hasher);
                (task.total, width, height).hash(&mut hasher);
                Look::Selected { width, height, format: facts.format.name, content: hasher.finish() }
            }
            Err(refusal) => Look::Refused(refusal.as_str()),
        }
    }

    async fn fetch(&mut self, task: FetchTask) -> Done {
        let keeps = matches!(task.why, Why::Keep { .. });
        let fetcher = if keeps { self.flights.patient.clone() } else { self.flights.fetcher.clone() };
        let limit =
            if keeps { Request::new(task.url.clone(), Accept::Image).limit.max(100 << 20) } else { SHOWN_BYTES };
        let request =
            Request { referer: Some(task.page.clone()), limit, ..Request::new(task.url.clone(), Accept::Image) };
        let mut response = match self.send(&fetcher, request).await {
            Ok(response) => response,
            Err(error) => return failed(task, error.to_string()),
        };
        if let Some(target) = response.redirect() {
            response.discard().await;
            return match target {
                Ok(target) => Done::Moved(Task::Fetch(task), target),
                Err(_) => failed(task, "it leads to no address".into()),
            };
        }
        if response.status != 200 {
            let why = format!("{} answered {}", task.url.host(), response.status);
            response.discard().await;
            return failed(task, why);
        }
        if let Why::Keep { .. } = task.why {
            return self.keep(task, response).await;
        }
        let mut body = BytesMut::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => {
                    self.bytes += response.received();
                    self.broke(&error);
                    return failed(task, error.to_string());
                }
            }
        }
        self.bytes += response.received();
        let body = body.freeze();
        let _core = self.flights.cpu.acquire().await;
        let small = tokio::task::spawn_blocking(move || thumbnail(&body)).await.ok().flatten();
        Done::Small(task, small)
    }

    async fn keep(&mut self, task: FetchTask, mut response: Response) -> Done {
        let FetchTask { url, page, why: Why::Keep { alt, waiting }, .. } = task else { return Done::Told };
        let kept = match &self.flights.keeper {
            Some(keeper) => keeper.take(&url, &page, alt, &mut response).await,
            None => Err("there is no library to keep it in".to_owned()),
        };
        self.bytes += response.received();
        let _ = waiting.send(kept);
        Done::Told
    }
}

/// A picture that could not be fetched; who waits for it is told.
pub(super) fn failed(task: FetchTask, why: String) -> Done {
    match task.why {
        Why::Keep { waiting, .. } => {
            let _ = waiting.send(Err(why));
            Done::Told
        }
        Why::Thumbnail { .. } => Done::Small(task, None),
    }
}

fn sized(probe: &Probe) -> Option<(u32, u32)> {
    probe.facts(Timestamp(0)).ok()?.upright()
}

fn could_be_html(content_type: Option<&str>) -> bool {
    let named = content_type.map(|text| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    match named.as_deref() {
        None | Some("") => true,
        Some(named) => {
            matches!(named, "text/html" | "application/xhtml+xml" | "text/plain" | "application/octet-stream")
        }
    }
}

/// A picture in small, as a JPEG.
fn thumbnail(bytes: &[u8]) -> Option<Arc<[u8]>> {
    let made = std::panic::catch_unwind(|| {
        let facts = media::read_whole(bytes, Timestamp(0)).ok()?;
        let limits = decode::Limits::default();
        let picture = decode::picture(bytes, facts.format, facts.orientation, THUMBNAIL, &limits).ok()?;
        decode::thumbnail(&picture, THUMBNAIL).ok()
    });
    made.ok().flatten().map(|small| small.jpeg.into())
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
