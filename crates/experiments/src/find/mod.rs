//! Pictures for a question: how many in which time, and how many of them are meant [002 Tables 3–5].

mod ground;
mod told;

use std::sync::Arc;
use std::time::Duration;

use crawl::{Asked, FindMeans, FindResult, FindSettings, FindSummary};
use lab::{Answers, LogSummary, Mirror, Server, Web};
use query::Synonyms;
use serde::Serialize;
use sources::{SourceKind, SourceSettings};
use tokio::sync::watch;

use self::ground::{Topic, named_pages, topics};
use crate::trial::reach;
use crate::{ExperimentError, Order, Report};

/// Hosts of the web that time is measured on, and its pages.
const HOSTS: u32 = 1_200;
const PAGES: u64 = 60_000;
/// How long is collected for that.
const TIME: Duration = Duration::from_secs(30);
/// Pages that are read for one question when precision is measured: both ways get as many.
const READ: u64 = 400;
/// Questions.
const QUERIES: usize = 12;
/// Pages that a search names.
const NAMED: usize = 20;
/// Ranks that are judged, in hundreds.
pub(crate) const HUNDREDS: usize = 5;

/// What was measured of a find.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    pub name: String,
    pub summary: FindSummary,
    /// How far from its deadline it ended, in seconds.
    pub late: f64,
    /// Requests made of those that hosts and slots allow for.
    pub used: Option<f64>,
    /// Mean seconds of a request.
    pub latency: f64,
    /// As the server saw it.
    pub log: Seen,
}

/// What the server saw.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Seen {
    pub requests: u64,
    pub overlaps: u64,
    pub breaches: u64,
}

/// Precision of one question, by hundreds of ranks.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judged {
    pub query: String,
    /// With the anchor-text rule, and without it.
    pub with: Vec<Option<f64>>,
    pub without: Vec<Option<f64>>,
}

pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    if let Some(folder) = &order.from {
        let from = |error: std::io::Error| ExperimentError::From { path: folder.clone(), why: error.to_string() };
        let mirror = Mirror::open(folder).map_err(from)?;
        return from_folder(mirror, order, progress).await;
    }
    let number = order.number.unwrap_or(1);
    let speed = speed(number, order.max_pages, progress).await?;
    let judged = precision(number, order.max_pages.unwrap_or(READ), progress).await?;
    let scoring = scoring_milliseconds();
    Ok(told::report(&speed, &judged, scoring))
}

fn web(number: u64, hosts: u32, pages: u64) -> lab::Settings {
    lab::Settings {
        number,
        hosts,
        pages,
        topics: Some(lab::Topics::default()),
        photo_bytes_scale: 0.08,
        bad_certificates: false,
        https_share: 0.0,
        flaky_share: 0.0,
        ..lab::Settings::default()
    }
}

/// Pages and pictures in a time, on a web that is as slow as the real one.
async fn speed(
    number: u64,
    max_pages: Option<u64>,
    progress: &watch::Sender<String>,
) -> Result<Vec<Measured>, ExperimentError> {
    // A short look for whoever only wants to see it work.
    let (hosts, pages, time) = match max_pages {
        Some(pages) if pages < READ => (60, 3_000, Duration::from_secs(3)),
        _ => (HOSTS, PAGES, TIME),
    };
    let latency = lab::Latency { stall_share: 0.05, stall_ms: 10_000, ..lab::Latency::default() };
    let settings = lab::Settings { latency: Some(latency), crawl_delay: 0.0, ..web(number, hosts, pages) };
    let starts = ground::home_pages(&settings);
    // Words of all topics in several languages: nearly every page has one.
    let words = ground::all_words(&settings);
    let mut measured = Vec::new();
    for (name, delay, concurrency) in [
        ("1 s delay, 256 at once", Duration::from_secs(1), 256),
        ("no delay, 256 at once", Duration::ZERO, 256),
        ("defaults", FindSettings::default().delay, FindSettings::default().concurrency),
    ] {
        progress.send_replace(format!("{name}: {} s", time.as_secs()));
        let server = Server::start(Web::new(settings.clone()), ([127, 0, 0, 1], 0).into()).await?;
        let find = FindSettings { time, delay, concurrency, ..FindSettings::default() };
        let (mut one, _) = found(&server, &words, &starts, find.clone()).await?;
        let requests = one.summary.requests as f64;
        let by_hosts = one.summary.hosts as f64 * time.as_secs_f64() / (delay.as_secs_f64() + one.latency);
        let by_slots = concurrency as f64 * time.as_secs_f64() / one.latency.max(0.001);
        one.used = Some(requests / by_hosts.min(by_slots).max(1.0));
        one.name = name.to_owned();
        measured.push(one);
        server.stop().await;
    }
    Ok(measured)
}

/// Precision with and without the anchor-text rule, over the same web and as many pages.
async fn precision(number: u64, pages: u64, progress: &watch::Sender<String>) -> Result<Vec<Judged>, ExperimentError> {
    let settings = lab::Settings { crawl_delay: 0.0, ..web(number, 150, 30_000) };
    let web = Web::new(settings);
    let topics = topics(&web, QUERIES);
    let server = Server::start(web, ([127, 0, 0, 1], 0).into()).await?;
    let mut judged = Vec::new();
    for (at, topic) in topics.iter().enumerate() {
        progress.send_replace(format!("question {} of {}: {}", at + 1, topics.len(), topic.word));
        let starts = named_pages(server.web(), topic, NAMED);
        let mut ways = Vec::new();
        for anchor_rule in [true, false] {
            let find = FindSettings {
                time: Duration::from_secs(120),
                delay: Duration::ZERO,
                concurrency: 64,
                max_pages: Some(pages),
                shown: 0,
                anchor_rule,
                ..FindSettings::default()
            };
            let (_, results) = found(&server, topic.word, &starts, find).await?;
            ways.push(by_hundreds(server.web(), topic, &results));
        }
        let (without, with) = (ways.pop().unwrap_or_default(), ways.pop().unwrap_or_default());
        judged.push(Judged { query: topic.word.to_owned(), with, without });
    }
    server.stop().await;
    Ok(judged)
}

/// The share of results that are meant, hundred by hundred; nothing for a hundred that is not full.
fn by_hundreds(web: &Web, topic: &Topic, results: &[FindResult]) -> Vec<Option<f64>> {
    let meant = |result: &FindResult| {
        let page = facts::Url::parse(&result.page).ok().and_then(|url| web.page_at(&url));
        page.is_some_and(|page| web.is_on_topic(page, topic.word))
    };
    let share = |hundred: usize| {
        let ranks: Vec<&FindResult> = results.iter().skip(100 * hundred).take(100).collect();
        // What is missing of the first hundred was not found.
        let enough = ranks.len() == 100 || (hundred == 0 && !ranks.is_empty());
        enough.then(|| ranks.iter().filter(|result| meant(result)).count() as f64 / 100.0)
    };
    (0..HUNDREDS).map(share).collect()
}

/// A find over a served web, from these start pages.
async fn found(
    server: &Server<impl Answers>,
    query: &str,
    starts: &[String],
    mut settings: FindSettings,
) -> Result<(Measured, Vec<FindResult>), ExperimentError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("starts.txt");
    std::fs::write(&file, starts.join("\n"))?;
    let mut list = SourceSettings::of(SourceKind::Urls);
    list.file = Some(file);
    settings.sources = vec![list];
    let asked = Asked::parse(query, &Synonyms::default()).map_err(|error| ExperimentError::Find(error.to_string()))?;
    let means = FindMeans { store: None, library: None, reach: reach(server) };
    let (_stopper, stop) = crawl::stopper();
    server.reset_log();
    let (time, started) = (settings.time, std::time::Instant::now());
    let finding = crawl::find(asked, settings, means, stop).await;
    let finding = Arc::new(finding.map_err(|error| ExperimentError::Find(error.to_string()))?);
    finding.over().await;
    let late = started.elapsed().as_secs_f64() - time.as_secs_f64();
    let results = finding.results(0, 100 * HUNDREDS);
    let (summary, progress) = (finding.summary(), finding.progress());
    drop(finding);
    let log: LogSummary = server.settled_log().await;
    let seen = Seen { requests: log.requests, overlaps: log.overlaps, breaches: log.robots_breaches };
    let latency = progress.waited / (progress.requests as f64).max(1.0);
    Ok((Measured { name: String::new(), summary, late, used: None, latency, log: seen }, results))
}

/// Folders of real pages: what is found and left out, with and without the rule. Nobody knows what is meant there.
async fn from_folder(
    mirror: Mirror,
    order: &Order,
    progress: &watch::Sender<String>,
) -> Result<Report, ExperimentError> {
    let starts: Vec<String> = mirror.seeds().iter().map(ToString::to_string).collect();
    let query = match &order.query {
        Some(query) => query.clone(),
        None => ground::telling_word(&mirror).ok_or_else(|| ExperimentError::Find("give a --query".into()))?,
    };
    let server = Server::start(mirror, ([127, 0, 0, 1], 0).into()).await?;
    let mut measured = Vec::new();
    for (name, anchor_rule) in [("with the rule", true), ("without it", false)] {
        progress.send_replace(format!("{query}, {name}"));
        let settings = FindSettings {
            time: TIME,
            delay: Duration::ZERO,
            max_pages: order.max_pages,
            anchor_rule,
            ..FindSettings::default()
        };
        let (mut one, _) = found(&server, &query, &starts, settings).await?;
        one.name = name.to_owned();
        measured.push(one);
    }
    server.stop().await;
    Ok(told::from_folder(&query, &measured))
}

/// How long a page of 2,000 pictures and 20,000 words takes to score, reading included.
fn scoring_milliseconds() -> f64 {
    let mut body = String::from("<html><title>The old castle</title><body>");
    for n in 0..2_000 {
        let words = ["stone", "tower", "castle", "river", "old", "wall", "gate", "moat", "hill"][n % 9];
        let wrap = ["<div><p>", "<section><div><p>", "<table><tr><td>"][n % 3];
        body.push_str(&format!("{wrap}<img src=/p{n}.jpg alt='picture {n}'> the {words} of an {words} place with castle walls here</p></div>"));
    }
    let sample = crawl::score_page(body.as_bytes(), "old castle");
    sample.map_or(f64::NAN, |(milliseconds, _)| milliseconds)
}
