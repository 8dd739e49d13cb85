//! `<meta>` and `<link>`: what a page says of itself.

use facts::{Directives, Url};

use crate::language::language_code;
use crate::robots;
use crate::text::{clip, fold};

/// Enough for any honest head.
const PROPERTIES: usize = 200;
const KEYWORDS: usize = 50;
const FEEDS: usize = 20;

/// What was gathered from metas and links.
#[derive(Debug, Default)]
pub(crate) struct Metas {
    pub(crate) description: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) content_language: Option<String>,
    pub(crate) locale: Option<String>,
    pub(crate) og_title: String,
    pub(crate) og_description: String,
    pub(crate) robots: Directives,
    pub(crate) refresh: Option<Url>,
    pub(crate) canonical: Option<Url>,
    pub(crate) feeds: Vec<Url>,
    /// `og:image`, `twitter:image` and their kin with their parts, in order.
    pub(crate) media: Vec<(String, String)>,
    /// Metas that name a place.
    pub(crate) places: Vec<(String, String)>,
}

impl Metas {
    /// `<meta name|property content>`.
    pub(crate) fn named(&mut self, name: &str, content: &str) {
        let name = name.trim().to_ascii_lowercase();
        let content = clip(content.trim(), 4000);
        if content.is_empty() {
            return;
        }
        match name.as_str() {
            "description" => first(&mut self.description, content),
            "og:description" | "twitter:description" => first(&mut self.og_description, content),
            "og:title" | "twitter:title" => first(&mut self.og_title, content),
            "og:locale" => self.locale = self.locale.take().or_else(|| language_code(content)),
            "keywords" => {
                let words = content.split([',', ';']).map(|k| fold(k, 100)).filter(|k| !k.is_empty());
                let room = KEYWORDS.saturating_sub(self.keywords.len());
                self.keywords.extend(words.take(room));
            }
            _ if is_place(&name) && self.places.len() < PROPERTIES => self.places.push((name, content.into())),
            _ if is_media(&name) && self.media.len() < PROPERTIES => self.media.push((name, content.into())),
            _ => self.robots = self.robots.and(robots::from_meta(&name, content)),
        }
    }

    /// `<meta http-equiv content>`.
    pub(crate) fn http(&mut self, name: &str, content: &str, base: &Url) {
        if name.trim().eq_ignore_ascii_case("refresh") {
            self.refresh = self.refresh.take().or_else(|| refresh(content).and_then(|to| base.join(to).ok()));
        } else if name.trim().eq_ignore_ascii_case("content-language") {
            self.content_language = self.content_language.take().or_else(|| language_code(content));
        }
    }

    /// `<link rel href>`, of which canonical addresses and feeds are of interest.
    pub(crate) fn link(&mut self, rel: &str, kind: &str, href: &str, base: &Url) {
        let mut rel = rel.split_ascii_whitespace();
        match rel.find(|word| word.eq_ignore_ascii_case("canonical") || word.eq_ignore_ascii_case("alternate")) {
            Some(word) if word.eq_ignore_ascii_case("canonical") => {
                self.canonical = self.canonical.take().or_else(|| base.join(href).ok());
            }
            Some(_) if is_feed(kind) && self.feeds.len() < FEEDS => {
                if let Ok(feed) = base.join(href)
                    && !self.feeds.contains(&feed)
                {
                    self.feeds.push(feed);
                }
            }
            _ => {}
        }
    }
}

fn first(field: &mut String, content: &str) {
    if field.is_empty() {
        *field = fold(content, 2000);
    }
}

fn is_place(name: &str) -> bool {
    matches!(name, "icbm" | "geo.position" | "geo.placename" | "geo.region" | "geo.country")
        || name.starts_with("place:location:")
        || matches!(name, "og:latitude" | "og:longitude" | "og:locality" | "og:region" | "og:country-name")
        || matches!(name, "og:street-address" | "og:postal-code")
}

fn is_media(name: &str) -> bool {
    let stem = name.strip_prefix("og:").or_else(|| name.strip_prefix("twitter:"));
    stem.is_some_and(|stem| ["image", "video", "audio"].iter().any(|kind| stem.starts_with(kind)))
}

fn is_feed(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(kind.as_str(), "application/rss+xml" | "application/atom+xml" | "application/feed+json")
}

/// The target of `5; url='/next'`; nothing when the page only reloads itself.
fn refresh(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim_start();
    let target = match target.get(..3) {
        Some(url) if url.eq_ignore_ascii_case("url") => target[3..].trim_start().strip_prefix('=')?.trim_start(),
        _ => target,
    };
    let target = match target.chars().next()? {
        quote @ ('"' | '\'') => target[1..].split(quote).next().unwrap_or_default(),
        _ => target.trim_end(),
    };
    (!target.is_empty()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_leads_elsewhere_or_nowhere() {
        for (content, target) in [
            ("0; url=/next", Some("/next")),
            ("0;URL = 'http://a.example/?a;b'", Some("http://a.example/?a;b")),
            ("3, \"x.html\" trailing", Some("x.html")),
            ("5; next.html ", Some("next.html")),
            ("30", None),
            ("30;", None),
            ("0; url=", None),
            ("0; ürl", Some("ürl")),
        ] {
            assert_eq!(refresh(content), target, "{content}");
        }
    }

    #[test]
    fn the_first_description_and_every_robots_meta_count() {
        let mut metas = Metas::default();
        for (name, content) in [
            ("Description", " A  museum\nby the sea "),
            ("description", "second"),
            ("ROBOTS", "nofollow"),
            ("bowerbird", "noimageindex"),
            ("keywords", "sea, museum,, boats"),
            ("ICBM", "62.6, 29.76"),
            ("og:image:alt", "A boat"),
        ] {
            metas.named(name, content);
        }
        assert_eq!(metas.description, "A museum by the sea");
        assert!(metas.robots.nofollow && metas.robots.noimageindex && !metas.robots.noindex);
        assert_eq!(metas.keywords, ["sea", "museum", "boats"]);
        assert_eq!(metas.places, [("icbm".to_owned(), "62.6, 29.76".to_owned())]);
        assert_eq!(metas.media.len(), 1);
    }
}
