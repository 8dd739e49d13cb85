//! What may be visited at all.

use std::collections::HashSet;
use std::fmt;
use std::sync::{PoisonError, RwLock};

use facts::{HostName, MediaKind, Site, Url};
use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;

/// How far from the seeds a crawl may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Only the hosts of the seeds.
    Host,
    /// The registrable domains of the seeds.
    Domain,
    /// Anywhere.
    #[default]
    Any,
}

/// What a crawl is told to leave out. The default leaves out nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FilterSettings {
    /// How far from the seeds.
    pub scope: Scope,
    /// Only pages whose whole address matches one of these are visited, besides the seeds. `*`
    /// stands for any run of characters, everything else for itself: `*/photo/*`.
    pub include: Vec<String>,
    /// Pages and media whose whole address matches one of these are not visited.
    pub exclude: Vec<String>,
    /// Only links of pages in these languages (`en`, `de-AT`) are followed, and of pages whose
    /// language cannot be told. Empty for all.
    pub languages: Vec<String>,
    /// Top-level domains that are not visited: `ru`, `.cn`.
    pub exclude_tlds: Vec<String>,
    /// Most links from a seed.
    pub max_depth: Option<u32>,
    /// Kinds of media that are collected; with none, only pages are read.
    pub kinds: Vec<MediaKind>,
    /// Content types of pages that are read: `text/html`, `text/*`. Empty for all.
    pub content_types: Vec<String>,
}

impl Default for FilterSettings {
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            include: Vec::new(),
            exclude: Vec::new(),
            languages: Vec::new(),
            exclude_tlds: Vec::new(),
            max_depth: None,
            kinds: vec![MediaKind::Image, MediaKind::Video, MediaKind::Audio],
            content_types: Vec::new(),
        }
    }
}

/// A setting that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// An include or exclude pattern that can match nothing.
    #[error("{0:?} is no pattern of addresses: write part of an address with * for anything, such as */photo/*")]
    Pattern(String),
    /// Not a language.
    #[error("{0:?} is no language: write its ISO 639-1 code, such as en, de or fi")]
    Language(String),
    /// Not a top-level domain.
    #[error("{0:?} is no top-level domain: write the last part of a host name, such as fi or .org")]
    Tld(String),
    /// Not a content type.
    #[error("{0:?} is no content type: write one such as text/html or text/*")]
    ContentType(String),
}

/// Why something is not visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Refusal {
    /// Too far from the seeds.
    Scope,
    /// Matches an exclude pattern, or no include pattern.
    Pattern,
    /// In an excluded top-level domain.
    Tld,
    /// Too many links from a seed.
    Depth,
    /// A kind of media or a content type that is not wanted.
    Kind,
    /// In a language that is not wanted.
    Language,
}

impl Refusal {
    /// The name it is counted by.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::Pattern => "pattern",
            Self::Tld => "tld",
            Self::Depth => "depth",
            Self::Kind => "kind",
            Self::Language => "language",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Checked settings, ready to judge addresses.
#[derive(Debug)]
pub struct Filter {
    scope: Reach,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    languages: Vec<String>,
    exclude_tlds: Vec<String>,
    max_depth: Option<u32>,
    kinds: Vec<MediaKind>,
    content_types: Vec<String>,
}

/// A scope around the seeds it was given.
#[derive(Debug)]
enum Reach {
    Hosts(RwLock<HashSet<HostName>>),
    Sites(RwLock<HashSet<Site>>),
    Any,
}

impl Filter {
    /// Checks the settings of a crawl from these seeds.
    pub fn new<'a>(settings: &FilterSettings, seeds: impl IntoIterator<Item = &'a Url>) -> Result<Self, FilterError> {
        let seeds = seeds.into_iter();
        Ok(Self {
            scope: match settings.scope {
                Scope::Host => Reach::Hosts(RwLock::new(seeds.map(Url::host).collect())),
                Scope::Domain => Reach::Sites(RwLock::new(seeds.map(Url::site).collect())),
                Scope::Any => Reach::Any,
            },
            include: checked(&settings.include, FilterError::Pattern, Pattern::new)?,
            exclude: checked(&settings.exclude, FilterError::Pattern, Pattern::new)?,
            languages: checked(&settings.languages, FilterError::Language, page::language_code)?,
            exclude_tlds: checked(&settings.exclude_tlds, FilterError::Tld, tld)?,
            max_depth: settings.max_depth,
            kinds: settings.kinds.clone(),
            content_types: checked(&settings.content_types, FilterError::ContentType, content_type)?,
        })
    }

    /// Counts the host of this address among those of the seeds: where a seed redirects to, the
    /// crawl was meant to start.
    pub fn widen(&self, url: &Url) {
        match &self.scope {
            Reach::Hosts(hosts) => {
                hosts.write().unwrap_or_else(PoisonError::into_inner).insert(url.host());
            }
            Reach::Sites(sites) => {
                sites.write().unwrap_or_else(PoisonError::into_inner).insert(url.site());
            }
            Reach::Any => {}
        }
    }

    /// Whether a page may be visited; `depth` is its number of links from a seed, 0 for a seed,
    /// which need not match an include pattern.
    pub fn admits(&self, url: &Url, depth: u32) -> Result<(), Refusal> {
        if self.max_depth.is_some_and(|most| depth > most) {
            return Err(Refusal::Depth);
        }
        let near = match &self.scope {
            Reach::Hosts(hosts) => hosts.read().unwrap_or_else(PoisonError::into_inner).contains(&url.host()),
            Reach::Sites(sites) => sites.read().unwrap_or_else(PoisonError::into_inner).contains(&url.site()),
            Reach::Any => true,
        };
        if !near {
            return Err(Refusal::Scope);
        }
        let included = self.include.is_empty() || depth == 0;
        if !included && !self.include.iter().any(|pattern| pattern.matches(url.as_str())) {
            return Err(Refusal::Pattern);
        }
        self.excludes(url)
    }

    /// Whether a media file may be fetched. It may be out of scope, since pictures often come from
    /// elsewhere than their page.
    pub fn admits_media(&self, url: &Url, kind: MediaKind) -> Result<(), Refusal> {
        if !self.kinds.contains(&kind) {
            return Err(Refusal::Kind);
        }
        self.excludes(url)
    }

    /// Whether the links of a page in this language are followed.
    pub fn admits_language(&self, language: Option<&str>) -> Result<(), Refusal> {
        match language {
            Some(language) if !self.languages.is_empty() && !self.languages.iter().any(|l| l == language) => {
                Err(Refusal::Language)
            }
            _ => Ok(()),
        }
    }

    /// Whether a page sent with this content type is read.
    pub fn admits_content_type(&self, header: &str) -> Result<(), Refusal> {
        let essence = header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let wanted = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => essence.starts_with(start),
            None => essence == *pattern,
        };
        if self.content_types.is_empty() || self.content_types.iter().any(wanted) { Ok(()) } else { Err(Refusal::Kind) }
    }

    fn excludes(&self, url: &Url) -> Result<(), Refusal> {
        if !self.exclude_tlds.is_empty()
            && url.host().tld().is_some_and(|tld| self.exclude_tlds.iter().any(|excluded| excluded == tld))
        {
            return Err(Refusal::Tld);
        }
        if self.exclude.iter().any(|pattern| pattern.matches(url.as_str())) {
            return Err(Refusal::Pattern);
        }
        Ok(())
    }
}

fn checked<T>(
    texts: &[String],
    error: fn(String) -> FilterError,
    check: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, FilterError> {
    texts.iter().map(|text| check(text).ok_or_else(|| error(text.clone()))).collect()
}

fn tld(text: &str) -> Option<String> {
    let label = text.trim().trim_start_matches('.');
    // International ones are compared in their ASCII form, as hosts are.
    let host = HostName::parse(&format!("x.{label}"))?;
    host.tld().filter(|_| !label.contains('.') && !label.is_empty()).map(str::to_owned)
}

fn content_type(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let (kind, subtype) = text.split_once('/')?;
    (!kind.is_empty() && !subtype.is_empty() && !kind.contains('*')).then_some(text)
}
