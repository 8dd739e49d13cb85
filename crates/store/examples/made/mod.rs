//! Made visits, and what measurements of them need.

use std::path::Path;
use std::time::Duration;

use facts::{MediaId, MediaKind, Order, Timestamp, Url};
use media::{Facts, Format};
use store::{Claim, Link, LinkContext, MediaFile, Outcome, Version, VisitKind, Visited};

/// Visits that are written at once.
pub const BATCH: u64 = 256;

pub type Outcomes = Result<(), Box<dyn std::error::Error>>;

/// Numbers that look random and follow from `n`.
#[allow(dead_code, reason = "not every measurement needs them")]
pub fn scattered(n: u64, salt: u64) -> f64 {
    let mixed = (n ^ salt << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 29)) as f64 / u64::MAX as f64
}

/// Where the `n`-th picture is.
pub fn address(n: u64) -> Url {
    Url::parse(&format!("http://m{}.example/photos/{n}.jpg", n % 500)).expect("a made address")
}

/// What the `n`-th picture says of itself: one in 200 is a film.
pub fn facts(n: u64) -> Facts {
    let mut facts = media::read_whole(b"\xff\xd8\xff\xe0", Timestamp(0)).expect("the start of a JPEG");
    (facts.width, facts.height) = (Some(4_000), Some(3_000));
    if n.is_multiple_of(200) {
        facts.format = Format::named("mp4").expect("a known format");
    }
    facts
}

/// The content of the `n`-th picture.
pub fn id(n: u64) -> MediaId {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    hash[8..16].copy_from_slice(&n.to_be_bytes());
    MediaId::from_sha256(hash)
}

/// The file of the `n`-th picture.
pub fn file(n: u64, facts: Facts) -> MediaFile {
    let id = id(n);
    MediaFile {
        id,
        size: 2_000_000,
        path: format!("m{}.example/{}/{id}.jpg", n % 500, &id.to_string()[..2]),
        thumbnail: None,
        colour: None,
        facts,
        locality: None,
        said: Vec::new(),
        description: None,
    }
}

/// The visit that brought the `n`-th picture.
pub fn kept(n: u64, file: MediaFile) -> Visited {
    visit(address(n), VisitKind::Media(MediaKind::Image), n, Outcome::Media(file))
}

pub fn visit(url: Url, kind: VisitKind, n: u64, outcome: Outcome) -> Visited {
    let id = url.id();
    let link = Link {
        url,
        kind,
        order: Order::FirstIn,
        depth: 1,
        parent: None,
        referer: None,
        context: LinkContext::default(),
        branch: facts::Branch::default(),
        hops: Vec::new(),
        reopen: false,
    };
    let claim = Claim { number: n, id, link, tries: 0, round: 0, host_delay: None, host_failures: 0, taking: 0 };
    let at = Timestamp(n as i64);
    Visited {
        claim,
        at,
        took_ms: 20,
        bytes: 8_000,
        status: Some(200),
        version: Version::default(),
        outcome,
        links: Vec::new(),
    }
}

pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Bytes of the library's tables.
pub fn size(dir: &Path) -> u64 {
    let length = |name| std::fs::metadata(dir.join(name)).map_or(0, |file| file.len());
    ["library.db", "library.db-wal"].into_iter().map(length).sum()
}

/// Kilobytes of memory that the process has.
pub fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
