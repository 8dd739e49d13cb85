//! What a page asks for, who answers it, and what is not asked for at all.

use async_trait::async_trait;
use bytes::Bytes;
use facts::Url;

/// Something that a page needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where it is.
    pub url: Url,
    /// What it is for.
    pub kind: WantedKind,
}

/// What a page needs something for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WantedKind {
    /// A script.
    Script,
    /// A style sheet: scripts ask where elements are.
    Style,
    /// What scripts fetch.
    Data,
}

/// An answer to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supplied {
    /// The HTTP status; a redirect makes the page ask again.
    pub status: u16,
    /// Headers, as they came.
    pub headers: Vec<(String, String)>,
    /// The body, decoded.
    pub body: Bytes,
}

/// Answers the requests of a page, in the place of the network. The browser has none: whatever a page gets
/// came through here.
#[async_trait]
pub trait Supplier: Send + Sync {
    /// What is there; nothing when it may not be asked for, or cannot be had.
    async fn supply(&self, wanted: Wanted) -> Option<Supplied>;
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is passed on.
    Ask(Wanted),
    /// A picture of one dot: the page goes on as if it were there, and the crawl asks for the real one.
    Dot,
    /// It is not answered.
    Refuse,
}

/// Judges a request by what the browser says it is for.
pub(crate) fn judge(resource: &str, method: &str, url: &str, accept: &str, purpose: &str) -> Verdict {
    if resource == "Image" {
        return Verdict::Dot;
    }
    let kind = match resource {
        "Script" => WantedKind::Script,
        "Stylesheet" => WantedKind::Style,
        "XHR" | "Fetch" => WantedKind::Data,
        // Films, fonts, manifests, pings, frames, sockets, what is fetched for later.
        _ => return Verdict::Refuse,
    };
    // What is sent changes something at the other end; a stream has no end; what is for later is not for now.
    if method != "GET" || accept.contains("event-stream") || !purpose.is_empty() {
        return Verdict::Refuse;
    }
    match Url::parse(url) {
        Ok(url) if !is_tracker(url.host_str()) => Verdict::Ask(Wanted { url, kind }),
        _ => Verdict::Refuse,
    }
}

/// Hosts that watch visitors or show advertisements; pages do without them.
const TRACKERS: &[&str] = &[
    "2mdn.net",
    "addthis.com",
    "adform.net",
    "adnxs.com",
    "adsafeprotected.com",
    "adservice.google.com",
    "adsrvr.org",
    "amazon-adsystem.com",
    "analytics.google.com",
    "appsflyer.com",
    "bat.bing.com",
    "bluekai.com",
    "branch.io",
    "casalemedia.com",
    "chartbeat.com",
    "chartbeat.net",
    "clarity.ms",
    "connect.facebook.net",
    "criteo.com",
    "criteo.net",
    "crazyegg.com",
    "crwdcntrl.net",
    "demdex.net",
    "doubleclick.net",
    "doubleverify.com",
    "everesttech.net",
    "fullstory.com",
    "google-analytics.com",
    "googleadservices.com",
    "googlesyndication.com",
    "googletagmanager.com",
    "googletagservices.com",
    "heapanalytics.com",
    "hotjar.com",
    "hs-analytics.net",
    "ioam.de",
    "krxd.net",
    "matomo.cloud",
    "mc.yandex.ru",
    "mixpanel.com",
    "moatads.com",
    "mouseflow.com",
    "newrelic.com",
    "nr-data.net",
    "omtrdc.net",
    "onetrust.com",
    "openx.net",
    "optimizely.com",
    "outbrain.com",
    "pubmatic.com",
    "quantcount.com",
    "quantserve.com",
    "rubiconproject.com",
    "scorecardresearch.com",
    "segment.com",
    "segment.io",
    "sharethis.com",
    "smartadserver.com",
    "snap.licdn.com",
    "static.ads-twitter.com",
    "statcounter.com",
    "taboola.com",
    "tiqcdn.com",
    "tradedesk.com",
    "xiti.com",
    "yieldlab.net",
];

fn is_tracker(host: &str) -> bool {
    let within = |domain: &&str| host.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    TRACKERS.iter().any(within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_page_cannot_do_without_is_asked_for() {
        for (resource, method, url, asked) in [
            ("Script", "GET", "https://a.example/app.js", true),
            ("Stylesheet", "GET", "https://a.example/app.css", true),
            ("XHR", "GET", "https://a.example/api", true),
            ("Fetch", "GET", "http://10.0.0.1/api", true),
            ("Fetch", "POST", "https://a.example/api", false),
            ("Fetch", "GET", "data:text/plain,x", false),
            ("Fetch", "GET", "file:///etc/passwd", false),
            ("Script", "GET", "https://www.google-analytics.com/analytics.js", false),
            ("Script", "GET", "https://notdoubleclick.net/a.js", true),
            ("Font", "GET", "https://a.example/a.woff2", false),
            ("Media", "GET", "https://a.example/a.mp4", false),
            ("WebSocket", "GET", "wss://a.example/", false),
            ("Document", "GET", "https://a.example/", false),
            ("Ping", "POST", "https://a.example/", false),
            ("Other", "GET", "https://a.example/", false),
        ] {
            let verdict = judge(resource, method, url, "*/*", "");
            assert_eq!(matches!(verdict, Verdict::Ask(_)), asked, "{resource} {method} {url}: {verdict:?}");
        }
        assert_eq!(judge("Image", "GET", "https://a.example/a.jpg", "*/*", ""), Verdict::Dot);
        for (accept, purpose) in [("text/event-stream", ""), ("*/*", "prefetch")] {
            assert_eq!(judge("Fetch", "GET", "https://a.example/", accept, purpose), Verdict::Refuse);
        }
    }
}
