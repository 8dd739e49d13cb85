//! What kind of web is made.

use serde::{Deserialize, Serialize};

use crate::Topics;

/// The settings of a made web; with the same settings it is the same web, byte for byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The web's number: everything else being equal, another number is another web.
    pub number: u64,
    /// Sites, not counting those that only serve files.
    pub hosts: u32,
    /// Pages of all sites together (each site has at least its home page).
    pub pages: u64,
    /// Share of the pages with an address that link directly to another page with an address in the same town.
    pub cohesion: f64,
    /// How often the way from one such page to the next leads over 1, 2, 3 or 4 pages without an address (weights).
    pub bridge: [f64; 4],
    /// Share of the links of such ways that lead somewhere else instead.
    pub noise: f64,
    /// Share of the other links of texts that lead to any page of any site. With a `noise` of 1 too,
    /// nothing is to be learnt from who links to whom.
    pub aimless: f64,
    /// Share of pages on such ways whose path, and the text of whose links, name no place.
    pub plain_share: f64,
    /// Share of the pages with an address whose address is in the focus town.
    pub focus_share: f64,
    /// Share of photos with coordinates in their metadata.
    pub located_share: f64,
    /// Multiplies the size of photos in bytes (and so their pixels); tests use a small one.
    pub photo_bytes_scale: f64,
    /// Share of sites reached over https.
    pub https_share: f64,
    /// Whether some sites have expired certificates or such of another name.
    pub bad_certificates: bool,
    /// The longest crawl-delay asked for in a robots.txt, in seconds.
    pub crawl_delay: f64,
    /// Share of pages that answer 503 the first time they are asked for.
    pub flaky_share: f64,
    /// Seconds of the `Retry-After` that comes with a 503.
    pub retry_after: u32,
    /// Whether some sites have a calendar without end.
    pub traps: bool,
    /// How long answers take; at once when there is none.
    pub latency: Option<Latency>,
    /// Whether each site has a registrable domain of its own (`town3-lab.test`), as most on the real web
    /// have; else all share one.
    pub own_domains: bool,
    /// What words and links tell of topics; without it links have nothing to do with them.
    pub topics: Option<Topics>,
}

/// How long a site takes to answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Milliseconds of the quickest site.
    pub least_ms: u64,
    /// Milliseconds of the slowest site.
    pub most_ms: u64,
    /// Share of requests that stall.
    pub stall_share: f64,
    /// Milliseconds a stalled answer waits in the middle of its body.
    pub stall_ms: u64,
}

impl Default for Latency {
    fn default() -> Self {
        Self { least_ms: 50, most_ms: 500, stall_share: 0.0, stall_ms: 5_000 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            number: 1,
            hosts: 100,
            pages: 10_000,
            cohesion: 0.27,
            bridge: [0.35, 0.30, 0.20, 0.15],
            noise: 0.2,
            aimless: 0.0,
            plain_share: 0.5,
            focus_share: 0.33,
            located_share: 0.015,
            photo_bytes_scale: 1.0,
            https_share: 0.5,
            bad_certificates: true,
            crawl_delay: 0.2,
            flaky_share: 0.004,
            retry_after: 1,
            traps: false,
            latency: None,
            own_domains: false,
            topics: None,
        }
    }
}
