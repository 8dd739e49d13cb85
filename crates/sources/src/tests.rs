//! Services as they answer, and as they lie: each on a loopback port, in the format that it documents.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use facts::Url;
use query::Query;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::{Answer, Means, Mix, Question, Source, SourceError, SourceKind, SourceSettings, Standing, build};

/// What a service answers: a status, headers and a body; an endless one for none.
type Reply = (u16, &'static str, Option<String>);

/// A service on this machine, and the requests it saw.
struct Service {
    url: Url,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Service {
    async fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let Ok(byte) = stream.read_u8().await else { return };
                        head.push(byte);
                    }
                    let head = String::from_utf8_lossy(&head).into_owned();
                    log.lock().unwrap().push(head.clone());
                    let target = head.split(' ').nth(1).unwrap_or_default();
                    let (status, headers, body) = answer(target);
                    let length =
                        body.as_ref().map_or(String::new(), |body| format!("Content-Length: {}\r\n", body.len()));
                    let start = format!("HTTP/1.1 {status} x\r\n{headers}{length}Connection: close\r\n\r\n");
                    let _ = stream.write_all(start.as_bytes()).await;
                    match body {
                        Some(body) => drop(stream.write_all(body.as_bytes()).await),
                        None => while stream.write_all(&[b' '; 4096]).await.is_ok() {},
                    }
                });
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    fn settings(&self, kind: SourceKind) -> SourceSettings {
        let key = (kind == SourceKind::Brave).then(|| "secret".to_owned());
        SourceSettings { url: Some(self.url.clone()), key, private: true, ..SourceSettings::of(kind) }
    }
}

fn sources(settings: &[SourceSettings]) -> Vec<Box<dyn Source>> {
    let fetch = fetch::Settings { proxy: fetch::Proxy::None, ..fetch::Settings::default() };
    build(settings, Means { fetch, library: None }).unwrap()
}

async fn ask(settings: SourceSettings, typed: &str, times: usize) -> Vec<Result<Answer, SourceError>> {
    let mut source = sources(&[settings]).remove(0);
    let question = Question::of(&Query::parse(typed).unwrap());
    let mut answers = Vec::new();
    for _ in 0..times {
        answers.push(source.ask(&question, 3).await);
    }
    answers
}

fn named(answer: &Result<Answer, SourceError>) -> Vec<&str> {
    answer.as_ref().unwrap().starts.iter().map(|start| start.url.as_str()).collect()
}

#[tokio::test]
async fn a_searxng_instance_is_asked_page_by_page() {
    let service = Service::start(|target| {
        let body = match target.contains("pageno=1") {
            true => r#"{"query": "x", "number_of_results": 3, "results": [{"url": "https://a.example/1", "title": "One", "engine": "e"},
                {"url": "javascript:x"}, {"title": "no address"}, {"url": "https://a.example/2"}], "unresponsive_engines": [["g", "timeout"]]}"#,
            false => r#"{"results": []}"#,
        };
        (200, "Content-Type: application/json\r\n", Some(body.to_owned()))
    })
    .await;
    let answers = ask(service.settings(SourceKind::Searxng), "old bridge -night site:a.example", 1).await;
    assert_eq!(named(&answers[0]), ["https://a.example/1", "https://a.example/2"]);
    assert!(!answers[0].as_ref().unwrap().more);
    assert!(
        service.seen()[0].contains("/search?q=old+bridge+-night+site%3Aa.example&format=json&pageno=1"),
        "{:?}",
        service.seen()
    );
}

#[tokio::test]
async fn the_brave_api_gets_its_key_and_nobody_else_does() {
    let elsewhere = Service::start(|_| (200, "", Some(r#"{"web": {"results": []}}"#.to_owned()))).await;
    let to: &'static str = Box::leak(format!("Location: {}x\r\n", elsewhere.url).into_boxed_str());
    let service = Service::start(move |target| match target.contains("offset=0") {
        true => {
            let body = r#"{"type": "search", "query": {"original": "x", "more_results_available": true},
                "web": {"type": "search", "results": [{"title": "One", "url": "https://a.example/", "description": "d"}]}}"#;
            (200, "Content-Type: application/json\r\n", Some(body.to_owned()))
        }
        false => (302, to, Some(String::new())),
    })
    .await;
    let answers = ask(service.settings(SourceKind::Brave), "castle", 2).await;
    assert_eq!(named(&answers[0]), ["https://a.example/"]);
    assert!(service.seen()[0].starts_with("GET /res/v1/web/search?q=castle&count=20&offset=0"));
    assert!(service.seen()[0].to_lowercase().contains("x-subscription-token: secret"), "{}", service.seen()[0]);
    assert!(!elsewhere.seen()[0].contains("secret"));
}

#[tokio::test]
async fn a_wiki_gives_pages_in_the_order_of_its_search() {
    let service = Service::start(|target| {
        let body = match target.contains("gsroffset=0") {
            true => r#"{"continue": {"gsroffset": 3, "continue": "gsroffset||"}, "query": {"pages": [
                {"pageid": 7, "ns": 0, "title": "Second", "index": 2, "fullurl": "https://w.example/wiki/Second"},
                {"pageid": 9, "ns": 6, "title": "File:First.jpg", "index": 1, "fullurl": "https://w.example/wiki/File:First.jpg"}]}}"#,
            false => r#"{"batchcomplete": true}"#,
        };
        (200, "Content-Type: application/json\r\n", Some(body.to_owned()))
    })
    .await;
    let answers = ask(service.settings(SourceKind::Wikimedia), "castle", 2).await;
    assert_eq!(named(&answers[0]), ["https://w.example/wiki/File:First.jpg", "https://w.example/wiki/Second"]);
    assert!(answers[0].as_ref().unwrap().more);
    assert_eq!(answers[1].as_ref().unwrap(), &Answer::default());
    let lagging = Service::start(|_| {
        (200, "", Some(r#"{"error": {"code": "maxlag", "info": "Waiting for a database server"}}"#.to_owned()))
    })
    .await;
    let refused = ask(lagging.settings(SourceKind::Wikimedia), "castle", 1).await.remove(0).unwrap_err().to_string();
    assert!(refused.contains("Waiting for a database server"), "{refused}");
}

#[tokio::test]
async fn a_search_that_is_described_gives_a_feed_or_a_page() {
    for (kind, results) in [
        (
            "application/rss+xml",
            "<rss><channel><item><title>One</title><link>https://a.example/1</link></item></channel></rss>",
        ),
        (
            "text/html",
            "<html><a href=/about>About</a><ol><li><a href=https://a.example/1>The castle</a></ol><a href='?q=castle&p=2'>castle: next</a>",
        ),
    ] {
        let service = Service::start(move |target| match target {
            "/" => {
                let template = format!("<Url type='{kind}' template='/s?q={{searchTerms}}&amp;p={{startPage?}}'/>");
                let body = format!("<OpenSearchDescription xmlns='http://a9.com/-/spec/opensearch/1.1/'>{template}</OpenSearchDescription>");
                (200, "Content-Type: application/opensearchdescription+xml\r\n", Some(body))
            }
            _ => (200, "Content-Type: text/html\r\n", Some(results.to_owned())),
        })
        .await;
        let answers = ask(service.settings(SourceKind::Opensearch), "castle", 1).await;
        assert_eq!(named(&answers[0]), ["https://a.example/1"], "{kind}");
        assert!(service.seen()[1].starts_with("GET /s?q=castle&p=1 "), "{:?}", service.seen());
    }
}

#[tokio::test]
async fn sitemaps_lead_to_sitemaps_and_files_are_read() {
    let service = Service::start(|target| {
        let body = match target {
            "/" => "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/missing.xml</loc></sitemap></sitemapindex>",
            "/a.xml" => "<urlset><url><loc>https://a.example/x</loc></url><url><loc>https://a.example/castle</loc></url></urlset>",
            _ => return (404, "", Some(String::new())),
        };
        (200, "Content-Type: application/xml\r\n", Some(body.to_owned()))
    })
    .await;
    let answers = ask(service.settings(SourceKind::Urls), "castle", 1).await;
    assert_eq!(named(&answers[0]), ["https://a.example/castle", "https://a.example/x"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("list.txt");
    std::fs::write(&file, "https://b.example/1\nhttps://b.example/2\nhttps://b.example/3\nhttps://b.example/4")
        .unwrap();
    let settings = SourceSettings { file: Some(file), ..SourceSettings::of(SourceKind::Urls) };
    let answers = ask(settings.clone(), "castle", 2).await;
    assert_eq!((named(&answers[0]).len(), named(&answers[1])), (3, vec!["https://b.example/4"]));
    let gone = SourceSettings { file: Some("/nothing/there".into()), ..settings };
    assert!(ask(gone, "castle", 1).await[0].as_ref().unwrap_err().to_string().contains("/nothing/there"));
}

#[tokio::test]
async fn services_that_lie_are_told_and_the_others_go_on() {
    let good = Service::start(|_| (200, "", Some(r#"{"results": [{"url": "https://a.example/"}]}"#.to_owned()))).await;
    let html = Service::start(|_| (200, "Content-Type: text/html\r\n", Some("<html>hello".into()))).await;
    let shape = Service::start(|_| (200, "", Some(r#"{"results": 7}"#.into()))).await;
    let busy = Service::start(|_| (429, "Retry-After: 120\r\n", Some(String::new()))).await;
    let forbids = Service::start(|_| (403, "", Some(String::new()))).await;
    let endless = Service::start(|_| (200, "Content-Type: application/json\r\n", None)).await;
    let circle = Service::start(|_| (302, "Location: /search\r\n", Some(String::new()))).await;
    let gone = Url::parse("http://127.0.0.1:9/").unwrap();
    let gone = SourceSettings { url: Some(gone), private: true, ..SourceSettings::of(SourceKind::Searxng) };
    // Nobody said that this one may be here.
    let guarded = SourceSettings { private: false, ..good.settings(SourceKind::Searxng) };
    let of = |service: &Service| service.settings(SourceKind::Searxng);
    let all = [of(&good), of(&html), of(&shape), of(&busy), of(&forbids), of(&endless), of(&circle), gone];
    let mut mix = Mix::new(sources(&all), Question::words("castle"), Duration::from_millis(1500));
    mix.ask(50);
    while mix.is_asking() {
        mix.answered().await;
    }
    assert_eq!(mix.take().unwrap().url.as_str(), "https://a.example/");
    let details: Vec<String> = mix.states().iter().map(|state| state.detail.clone().unwrap_or_default()).collect();
    let expected = [
        "",
        "a page instead of JSON",
        "JSON of another shape",
        "none for 120 s",
        "answered 403",
        "",
        "circles",
        "cannot be reached",
    ];
    for (detail, expected) in details.iter().zip(expected) {
        assert!(detail.contains(expected), "{detail:?} should say {expected:?}");
    }
    // An endless body is too large, or too slow.
    assert_eq!(mix.states()[5].state, Standing::Failed);
    assert_eq!(mix.states().iter().filter(|state| state.state == Standing::Answered).count(), 1);
    let refused = ask(guarded, "castle", 1).await.remove(0).unwrap_err().to_string();
    assert!(refused.contains("not dialled"), "{refused}");
}
