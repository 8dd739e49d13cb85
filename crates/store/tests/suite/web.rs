//! Links and visits for tests.

use std::time::Duration;

use facts::{HostName, LatLon, Locality, MediaId, MediaKind, Order, Priority, Timestamp, Url, Whereabouts};
use media::{Facts, Location, LocationSource};
use sha2::{Digest, Sha256};
use store::{
    Claim, ClaimLimit, Claims, CrawlId, Frontier, ImportedFile, Link, LinkContext, MediaFile, MediaReference, Outcome,
    PageFacts, PagePlace, Refused, Rest, SaidLocation, SaidSource, Version, VisitKind, Visited,
};

pub fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

pub fn host(name: &str) -> HostName {
    HostName::parse(name).unwrap()
}

/// A seed; see [`found`] for a link of a page.
pub fn page(text: &str, order: Order) -> Link {
    Link {
        url: url(text),
        kind: VisitKind::Page,
        order,
        depth: 0,
        parent: None,
        referer: None,
        context: LinkContext { anchor: "anchor".into(), around: "words around".into() },
        branch: facts::Branch::default(),
        hops: Vec::new(),
        reopen: false,
    }
}

pub fn image(text: &str, order: Order) -> Link {
    Link { kind: VisitKind::Media(MediaKind::Image), ..page(text, order) }
}

/// The link as found on the page of a claim.
pub fn found(link: Link, on: &Claim) -> Link {
    Link { parent: Some(on.id), referer: Some(on.link.url.clone()), depth: on.link.depth + 1, ..link }
}

pub fn best(priority: f64) -> Order {
    Order::Best(Priority::new(priority))
}

pub fn visited(claim: Claim, outcome: Outcome, links: Vec<Link>) -> Visited {
    let links = links.into_iter().map(|link| found(link, &claim)).collect();
    Visited {
        claim,
        at: Timestamp(1_000),
        took_ms: 7,
        bytes: 100,
        status: Some(200),
        version: Version::default(),
        outcome,
        links,
    }
}

/// A page that was read.
pub fn read(claim: Claim, links: Vec<Link>) -> Visited {
    let facts = PageFacts { title: format!("Title of {}", claim.link.url), size: 500, ..PageFacts::default() };
    visited(claim, Outcome::Page(facts), links)
}

/// A page that was read and shows pictures.
pub fn read_with_images(claim: Claim, images: &[&str]) -> Visited {
    let reference = |text: &&str| MediaReference {
        url: url(text),
        kind: MediaKind::Image,
        description: format!("a picture at {text}"),
        licence: None,
        author: None,
        locations: Vec::new(),
        refused: None,
    };
    let facts = PageFacts { media: images.iter().map(reference).collect(), ..PageFacts::default() };
    visited(claim, Outcome::Page(facts), images.iter().map(|text| image(text, Order::FirstIn)).collect())
}

/// The page of a visit, to change it.
pub fn facts_of(visit: &mut Visited) -> &mut PageFacts {
    let Outcome::Page(facts) = &mut visit.outcome else { panic!("{} is no page", visit.claim.link.url) };
    facts
}

/// The file of a visit, to change it.
pub fn file_of(visit: &mut Visited) -> &mut MediaFile {
    let Outcome::Media(file) = &mut visit.outcome else { panic!("{} is no file", visit.claim.link.url) };
    file
}

/// Somewhere at a latitude, as sure as that, to a kilometre.
pub fn at(lat: f64, confidence: f64) -> Whereabouts {
    Whereabouts {
        at: LatLon::new(lat, 10.0).unwrap(),
        precision_m: 1_000.0,
        confidence,
        evidence: format!("words about {lat}"),
        address: None,
        locality: named(&format!("Place {lat}")),
    }
}

pub fn named(place: &str) -> Locality {
    Locality { place: place.into(), ..Locality::default() }
}

pub fn said(source: SaidSource, whereabouts: Whereabouts) -> SaidLocation {
    SaidLocation { source, whereabouts }
}

/// A place that a page speaks of.
pub fn place(whereabouts: Whereabouts) -> PagePlace {
    let (kind, why) = ("toponym".into(), "its name".into());
    PagePlace { kind, id: Some(7), mentions: 2, relevant: false, why, whereabouts }
}

pub fn id_of(content: &str) -> MediaId {
    MediaId::from_sha256(Sha256::digest(content.as_bytes()).into())
}

/// What a picture without any metadata says.
pub fn plain() -> Facts {
    media::read_whole(b"\xff\xd8\xff\xe0", Timestamp(0)).unwrap()
}

/// What a picture made here says.
pub fn taken_at(lat: f64, lon: f64) -> Facts {
    let at = LatLon::new(lat, lon).unwrap();
    let location = Location { at, altitude: None, direction: None, date: None, source: LocationSource::Exif };
    Facts { location: Some(location), ..plain() }
}

/// A file of that content, in the directory of a host or elsewhere.
pub fn file(directory: &str, content: &str, facts: Facts) -> MediaFile {
    let id = id_of(content);
    MediaFile {
        id,
        size: content.len() as u64,
        path: format!("{directory}/{id}.jpeg"),
        thumbnail: None,
        colour: None,
        facts,
        locality: None,
        said: Vec::new(),
        description: None,
    }
}

pub fn kept(claim: Claim, content: &str) -> Visited {
    kept_as(claim, content, plain())
}

pub fn kept_as(claim: Claim, content: &str, facts: Facts) -> Visited {
    let file = file(claim.link.url.host_str(), content, facts);
    visited(claim, Outcome::Media(file), Vec::new())
}

pub fn refused(claim: Claim, refused: Refused) -> Visited {
    visited(claim, Outcome::Refused(refused), Vec::new())
}

/// A claim of an address, as a queue that has nothing else would make it.
pub fn claim_of(link: Link) -> Claim {
    let id = link.url.id();
    Claim { number: 0, id, link, tries: 0, round: 0, host_delay: None, host_failures: 0, taking: 0 }
}

pub fn page_claim(text: &str) -> Claim {
    claim_of(page(text, Order::FirstIn))
}

pub fn image_claim(text: &str) -> Claim {
    claim_of(image(text, Order::FirstIn))
}

/// A local file that is taken where it is.
pub fn local(path: &str, content: &str, facts: Facts) -> ImportedFile {
    let file = MediaFile { path: path.into(), ..file("", content, facts) };
    ImportedFile {
        source: path.into(),
        size: file.size,
        modified: 1_000,
        description: format!("the file {path}"),
        outcome: Ok(file),
    }
}

pub fn failed(claim: Claim, reason: &str) -> Visited {
    let detail = format!("{} did not answer", claim.link.url);
    Visited { status: None, ..visited(claim, Outcome::Failed { reason: reason.into(), detail }, Vec::new()) }
}

/// All that can be claimed at once.
pub const ALL: ClaimLimit = ClaimLimit { any: 1_000, pages: 1_000, run: None, delay: Duration::ZERO };

pub async fn claim(frontier: &dyn Frontier, crawl: CrawlId, limit: ClaimLimit) -> Claims {
    frontier.claim(crawl, limit).await.unwrap()
}

/// The one best row.
pub async fn claim_one(frontier: &dyn Frontier, crawl: CrawlId) -> Claim {
    let claims = claim(frontier, crawl, ClaimLimit { any: 1, pages: 1, ..ALL }).await;
    claims.claims.into_iter().next().expect("something to claim")
}

/// The host is free at once.
pub async fn release(frontier: &dyn Frontier, claim: &Claim) {
    let now = frontier.now().await.unwrap();
    frontier.release(&claim.link.url.host(), Rest { until: now, ..Rest::default() }).await.unwrap();
}

/// Addresses without their `http://`.
pub fn names(claims: &Claims) -> Vec<String> {
    claims.claims.iter().map(name).collect()
}

pub fn name(claim: &Claim) -> String {
    claim.link.url.as_str().trim_start_matches("http://").to_owned()
}

/// Asks again until the moment the queue named has come, and gives what it gives then.
pub async fn claim_when_free(frontier: &dyn Frontier, crawl: CrawlId) -> (Claims, Timestamp) {
    loop {
        let claims = claim(frontier, crawl, ALL).await;
        let Some(next) = claims.next else { return (claims, frontier.now().await.unwrap()) };
        while frontier.now().await.unwrap() < next {
            tokio::task::yield_now().await;
        }
    }
}

/// Visits everything, one at a time, following `links`; gives the order of visits.
pub async fn crawl_all(frontier: &dyn Frontier, crawl: CrawlId, links: impl Fn(&str) -> Vec<Link>) -> Vec<String> {
    let mut order = Vec::new();
    loop {
        let claims = claim(frontier, crawl, ClaimLimit { any: 1, pages: 1, ..ALL }).await;
        let Some(claim) = claims.claims.into_iter().next() else {
            assert!(claims.empty, "nothing to claim, but not empty: {:?}", claims.next);
            return order;
        };
        release(frontier, &claim).await;
        let name = name(&claim);
        let found = links(&name);
        order.push(name);
        frontier.finish(crawl, &[read(claim, found)], super::PLENTY).await.unwrap();
    }
}
