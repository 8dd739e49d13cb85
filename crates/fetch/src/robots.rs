//! robots.txt, as RFC 9309 has it.

use std::collections::BTreeSet;
use std::time::Duration;

use facts::Url;
use http::header::{CACHE_CONTROL, HeaderMap};

use crate::settings::product;

/// What of a robots.txt is read (RFC 9309 §2.5 asks for at least this much).
pub const ROBOTS_LIMIT: u64 = robotxt::BYTE_LIMIT as u64;

/// Longer delays than this are a way to say no, and `Disallow` says that better.
const LONGEST_DELAY: Duration = Duration::from_secs(300);

/// Lines of one kind that are kept.
const MOST_SITEMAPS: usize = 1000;
const MOST_WATCHERS: usize = 10;

/// Patterns with a `*` inside that are matched as they are: each goes over the whole path, and every address
/// is asked of all of them. No file written by people has as many.
const MOST_WILDCARDS: usize = 2000;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// What a host allows us, from its robots.txt.
#[derive(Clone, Debug)]
pub struct Robots {
    rules: robotxt::Robots,
    sitemaps: Vec<Url>,
    watchers: Vec<String>,
    crawl_delay: Option<Duration>,
    /// More is denied than the file says.
    is_widened: bool,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The file itself.
    File,
    /// There is none: everything is allowed.
    Absent,
    /// It cannot be had just now: nothing is allowed until it can.
    Unreachable,
}

impl Robots {
    /// Reads the answer to `/robots.txt`, redirects already followed: `None` when the host could not
    /// be reached. 2xx is a file, 5xx (and 429, which is no answer either) means later, and
    /// anything else that there is no file.
    pub fn from_answer(status: Option<u16>, body: &[u8], agent: &str) -> Self {
        let source = match status {
            Some(200..=299) => Source::File,
            None | Some(429 | 500..) => Source::Unreachable,
            Some(_) => Source::Absent,
        };
        match source {
            Source::Absent => Self::bare(robotxt::Robots::allow_all(), source),
            Source::Unreachable => Self::bare(robotxt::Robots::disallow_all(), source),
            Source::File => {
                let body = &body[..body.len().min(ROBOTS_LIMIT as usize + 1)];
                let rules = robotxt::Robots::parse(body, product(agent));
                let sitemaps = rules.sitemaps().iter().take(MOST_SITEMAPS);
                let sitemaps = sitemaps.filter_map(|url| Url::parse(url.as_str()).ok()).collect();
                let crawl_delay = rules.crawl_delay();
                let wildcards = rules.rules().iter().filter(|rule| is_wild(rule.pattern())).count();
                let is_widened = wildcards > MOST_WILDCARDS;
                let rules = if is_widened { widened(&rules) } else { rules };
                Self { sitemaps, watchers: watchers(body), crawl_delay, is_widened, rules, source }
            }
        }
    }

    fn bare(rules: robotxt::Robots, source: Source) -> Self {
        let (sitemaps, watchers) = (Vec::new(), Vec::new());
        Self { rules, sitemaps, watchers, crawl_delay: None, is_widened: false, source }
    }

    /// Whether this URL of the host may be visited.
    pub fn allows(&self, url: &Url) -> bool {
        // Not even robots.txt itself is worth asking for again before its time.
        self.source != Source::Unreachable && self.rules.is_allowed(url.path_and_query())
    }

    /// Whether robots.txt could not be had, so that everything is denied for now.
    pub fn is_unreachable(&self) -> bool {
        self.source == Source::Unreachable
    }

    /// The delay the host asks for, at most five minutes.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay.map(|delay| delay.min(LONGEST_DELAY))
    }

    /// Whether it has so many patterns that more is taken for denied than they say, so that no address takes
    /// long to check.
    pub fn is_widened(&self) -> bool {
        self.is_widened
    }

    /// Bytes of memory it takes, about.
    pub fn memory(&self) -> usize {
        let rules = self.rules.rules().iter().map(|rule| PIECE + rule.pattern().len());
        let sitemaps = self.rules.sitemaps().iter().map(|url| 2 * (2 * PIECE + url.as_str().len()));
        let watchers = self.watchers.iter().map(|watcher| PIECE + watcher.len());
        rules.sum::<usize>() + sitemaps.sum::<usize>() + watchers.sum::<usize>()
    }

    /// The sitemaps it names.
    pub fn sitemaps(&self) -> &[Url] {
        &self.sitemaps
    }

    /// The values of its `Watcher:` lines, as written.
    pub fn watchers(&self) -> &[String] {
        &self.watchers
    }

    /// How long this may be relied on: what `Cache-Control` says, between an hour and a day. A host
    /// that could not be reached is asked again after ten minutes, then after ever longer times;
    /// `failures` counts the earlier attempts in a row.
    pub fn fresh_for(&self, headers: Option<&HeaderMap>, failures: u32) -> Duration {
        if self.source == Source::Unreachable {
            return Duration::from_secs(600).saturating_mul(1 << failures.min(10)).min(DAY);
        }
        let lines = headers.into_iter().flat_map(|headers| headers.get_all(CACHE_CONTROL));
        let mut life = DAY;
        for directive in lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')) {
            let directive = directive.trim().to_ascii_lowercase();
            if matches!(directive.as_str(), "no-cache" | "no-store") {
                return HOUR;
            }
            if let Some(seconds) = directive.strip_prefix("max-age=") {
                life = Duration::from_secs(seconds.trim_matches('"').parse().unwrap_or(DAY.as_secs()));
            }
        }
        life.clamp(HOUR, DAY)
    }
}

/// What a string takes beside its bytes.
const PIECE: usize = 64;

/// Whether matching a pattern means looking for parts of it.
fn is_wild(pattern: &str) -> bool {
    pattern.trim_end_matches('*').contains('*')
}

/// Rules that deny all that these deny, and take little to check: each denies all that begins like it, and
/// nothing is excepted.
fn widened(rules: &robotxt::Robots) -> robotxt::Robots {
    let denied = rules.rules().iter().filter(|rule| !rule.is_allow());
    let begins: BTreeSet<&str> = denied.filter_map(|rule| rule.pattern().split(['*', '$']).next()).collect();
    let mut text = String::from("User-agent: *\n");
    for begin in begins {
        text.extend(["Disallow: ", begin, "\n"]);
    }
    if text.len() as u64 > ROBOTS_LIMIT {
        return robotxt::Robots::disallow_all();
    }
    robotxt::Robots::parse(text.as_bytes(), robotxt::ANY_AGENT)
}

/// `Watcher:` lines name a service of the site that tells what changed.
fn watchers(body: &[u8]) -> Vec<String> {
    let lines = body.split(|byte| matches!(byte, b'\n' | b'\r'));
    lines
        .filter_map(|line| {
            let line = line.trim_ascii();
            let (key, value) = line.split_at_checked(line.iter().position(|byte| *byte == b':')?)?;
            if !key.trim_ascii().eq_ignore_ascii_case(b"watcher") || value.len() > 2048 {
                return None;
            }
            let value = String::from_utf8_lossy(&value[1..]);
            let value = value.split('#').next().unwrap_or_default().trim();
            (!value.is_empty()).then(|| value.to_owned())
        })
        .take(MOST_WATCHERS)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    fn allows(text: &str, path: &str) -> bool {
        let robots = Robots::from_answer(Some(200), text.as_bytes(), "Bowerbird/0.1 (+me)");
        robots.allows(&Url::parse(&format!("http://example.org{path}")).unwrap())
    }

    #[test]
    fn rules_are_read_as_the_standard_says() {
        for (text, path, expected) in [
            ("", "/", true),
            ("User-agent: *\nDisallow: /", "/a", false),
            ("User-agent: *\nDisallow: /", "/robots.txt", true),
            ("User-agent: *\nDisallow:", "/a", true),
            ("User-agent: *\nDisallow: /a", "/b", true),
            ("User-agent: other\nDisallow: /", "/a", true),
            ("user-AGENT: bowerBIRD\ndisALLOW: /", "/a", false),
            ("User-agent: *\nDisallow: /\nUser-agent: Bowerbird\nDisallow: /x", "/a", true),
            ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true),
            ("User-agent: *\nDisallow: /a/b\nAllow: /a", "/a/b/c", false),
            ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", true),
            ("User-agent: *\nDisallow: /*.php$", "/x/y.php", false),
            ("User-agent: *\nDisallow: /*.php$", "/x/y.php?z", true),
            ("User-agent: *\nDisallow: /p?q=", "/p?q=1", false),
            ("User-agent: *\nDisallow: /%7Euser", "/~user/", false),
            ("User-agent: *\nDisallow: /ä", "/%C3%A4", false),
            ("User-agent: a\nUser-agent: bowerbird\nDisallow: /", "/x", false),
            ("\u{feff}User-agent: *\nDisallow: /", "/x", false),
            ("User-agent: * # all\r\nDisallow: /x # this\r\n", "/x", false),
            ("Disallow: /", "/x", true),
            ("<html><body>not found</body></html>", "/x", true),
        ] {
            assert_eq!(allows(text, path), expected, "{text:?} {path}");
        }
    }

    #[test]
    fn no_file_allows_all_and_no_server_denies_all_for_now() {
        let url = Url::parse("http://example.org/page").unwrap();
        for (status, expected) in [
            (Some(200), false),
            (Some(204), false),
            (Some(301), true),
            (Some(401), true),
            (Some(403), true),
            (Some(404), true),
            (Some(410), true),
            (Some(429), false),
            (Some(500), false),
            (Some(503), false),
            (None, false),
        ] {
            let robots = Robots::from_answer(status, b"User-agent: *\nDisallow: /", "Bowerbird");
            assert_eq!(robots.allows(&url), expected, "{status:?}");
        }
    }

    #[test]
    fn delays_sitemaps_and_watchers_are_kept_within_bounds() {
        let text = "User-agent: *\nCrawl-delay: 2.5\nSitemap: https://example.org/s.xml\nSitemap: /relative\n\
                    Sitemap: ftp://example.org/x\nWatcher: https://example.org/watch v1 # ours\nwatcher:\n";
        let robots = Robots::from_answer(Some(200), text.as_bytes(), "Bowerbird");
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2500)));
        assert_eq!(robots.sitemaps(), [Url::parse("https://example.org/s.xml").unwrap()]);
        assert_eq!(robots.watchers(), ["https://example.org/watch v1"]);

        let delay = |value: &str| {
            let text = format!("User-agent: *\nCrawl-delay: {value}");
            Robots::from_answer(Some(200), text.as_bytes(), "Bowerbird").crawl_delay()
        };
        assert_eq!(delay("1e300"), None);
        assert_eq!(delay("86400"), Some(LONGEST_DELAY));
        assert_eq!(delay("-1"), None);
        assert_eq!(delay("NaN"), None);
        let many = "Sitemap: http://a.example/x\nWatcher: w\n".repeat(5000);
        let robots = Robots::from_answer(Some(200), many.as_bytes(), "Bowerbird");
        assert_eq!((robots.sitemaps().len(), robots.watchers().len()), (MOST_SITEMAPS, MOST_WATCHERS));
    }

    #[test]
    fn freshness_stays_between_an_hour_and_a_day() {
        let file = Robots::from_answer(Some(200), b"", "Bowerbird");
        for (line, expected) in [
            (None, DAY),
            (Some("max-age=7200"), Duration::from_secs(7200)),
            (Some("public, MAX-AGE=60"), HOUR),
            (Some("max-age=99999999"), DAY),
            (Some("max-age=nonsense"), DAY),
            (Some("no-store, max-age=80000"), HOUR),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(line) = line {
                headers.insert(CACHE_CONTROL, line.parse().unwrap());
            }
            assert_eq!(file.fresh_for(Some(&headers), 0), expected, "{line:?}");
        }
        let gone = Robots::from_answer(None, b"", "Bowerbird");
        let waits: Vec<u64> = (0..5).map(|failures| gone.fresh_for(None, failures).as_secs()).collect();
        assert_eq!(waits, [600, 1200, 2400, 4800, 9600]);
        assert_eq!(gone.fresh_for(None, u32::MAX), DAY);
    }

    #[test]
    fn hostile_rules_do_not_hang() {
        let path = format!("/{}", "a".repeat(2000));
        let stars = format!("/{}", "*a".repeat(2000));
        let hostile = [
            format!("User-agent: *\nDisallow: {stars}$"),
            format!("User-agent: *\nDisallow: {stars}b"),
            format!("User-agent: *\nDisallow: /{}", "*".repeat(400_000)),
            format!("User-agent: *\nDisallow: /{}b$", "*a".repeat(200_000)),
            format!("User-agent: *\n{}", "Disallow: /*a*a*a*b$\n".repeat(20_000)),
            "User-agent: *\n".repeat(30_000),
            format!("User-agent: *\nDisallow: {}", "\u{0}%".repeat(200_000)),
            "x".repeat(2_000_000),
        ];
        let start = Instant::now();
        for text in &hostile {
            allows(text, &path);
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    }

    #[test]
    fn patterns_without_end_deny_what_they_deny_and_more_and_take_no_time() {
        let of = |text: &str| Robots::from_answer(Some(200), text.as_bytes(), "Bowerbird");
        let many = |count: usize| (0..count).map(|n| format!("Disallow: /x*{n}a*b$\n")).collect::<String>();
        let usual = of(&format!("User-agent: *\nCrawl-delay: 2\n{}", many(MOST_WILDCARDS)));
        assert!(!usual.is_widened());
        let robots = of(&format!(
            "User-agent: *\nCrawl-delay: 2\nAllow: /x/open\nDisallow: /plain\n{}",
            many(MOST_WILDCARDS + 1)
        ));
        assert!(robots.is_widened());
        let allows = |path: &str| robots.allows(&Url::parse(&format!("http://example.org{path}")).unwrap());
        assert!(!allows("/x7ab") && !allows("/x/open") && !allows("/plain/a") && allows("/y"));
        assert_eq!(robots.crawl_delay(), Some(Duration::from_secs(2)));
        // Nothing is left that goes over the whole path.
        assert!(robots.rules.rules().iter().all(|rule| !is_wild(rule.pattern())));
        assert_eq!(robots.rules.rules().len(), 2);
        // Rules of others are as many as they like.
        assert!(!of(&format!("User-agent: other\n{}User-agent: *\nDisallow: /a", many(9000))).is_widened());
    }

    #[test]
    fn how_much_memory_rules_take_is_known() {
        let of = |text: &str| Robots::from_answer(Some(200), text.as_bytes(), "Bowerbird").memory();
        assert!(of("User-agent: *\nDisallow: /a") < 200);
        let many: String = (0..50_000).map(|n| format!("alow:{n}\n")).collect();
        assert!(of(&format!("User-agent: *\n{many}")) > 50_000 * 56);
    }

    #[test]
    fn only_the_first_half_mebibyte_counts() {
        let padding = "# padding padding padding\n".repeat(ROBOTS_LIMIT as usize / 26 + 1);
        assert!(allows(&format!("{padding}User-agent: *\nDisallow: /"), "/a"));
        assert!(!allows(&format!("User-agent: *\nDisallow: /\n{padding}"), "/a"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_panics(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            Robots::from_answer(Some(200), &body, "Bowerbird").allows(&Url::parse("http://a.example/b").unwrap());
        }
    }
}
