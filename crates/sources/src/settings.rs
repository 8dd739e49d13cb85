//! Which sources are asked.

use std::path::PathBuf;

use facts::Url;
use serde::{Deserialize, Serialize};

/// A source, as settings name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SourceSettings {
    /// What kind of source it is.
    pub kind: SourceKind,
    /// What people call it; without it, its kind and host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is: the instance, the description, the list; for `wikimedia` a wiki other than Commons and the
    /// English Wikipedia.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Url>,
    /// A list on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The key that the service asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether it may be on a private network, or on this machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// The own library.
    Index,
    /// The search of Wikimedia's wikis.
    Wikimedia,
    /// A SearXNG instance.
    Searxng,
    /// Whatever an OpenSearch description describes.
    Opensearch,
    /// The Brave Search API.
    Brave,
    /// A list of addresses, a sitemap or a feed.
    Urls,
}

impl SourceKind {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("index", Self::Index),
        ("wikimedia", Self::Wikimedia),
        ("searxng", Self::Searxng),
        ("opensearch", Self::Opensearch),
        ("brave", Self::Brave),
        ("urls", Self::Urls),
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

impl SourceSettings {
    /// A source of which only the kind is said.
    pub fn of(kind: SourceKind) -> Self {
        Self { kind, name: None, url: None, file: None, key: None, private: false }
    }

    /// What is asked when nothing was set: the own library and Wikimedia.
    pub fn usual() -> Vec<Self> {
        vec![Self::of(SourceKind::Index), Self::of(SourceKind::Wikimedia)]
    }

    /// What people call it.
    pub fn called(&self) -> String {
        if let Some(name) = self.name.as_ref().filter(|name| !name.trim().is_empty()) {
            return name.trim().to_owned();
        }
        let kind = self.kind.as_str();
        match (&self.url, &self.file) {
            (Some(url), _) if self.kind != SourceKind::Brave => format!("{kind} {}", url.host_str()),
            (_, Some(file)) => format!("{kind} {}", file.display()),
            _ => kind.to_owned(),
        }
    }

    /// What is missing or makes no sense.
    pub fn check(&self) -> Result<(), String> {
        use SourceKind::{Brave, Index, Opensearch, Searxng, Urls, Wikimedia};
        let kind = self.kind.as_str();
        match self.kind {
            Searxng if self.url.is_none() => Err("searxng needs the url of an instance".into()),
            Opensearch if self.url.is_none() => Err("opensearch needs the url of a description".into()),
            Brave if self.key.as_ref().is_none_or(|key| key.trim().is_empty()) => {
                Err("brave needs a key: set `key`, or BOWERBIRD_BRAVE_KEY".into())
            }
            Brave if self.key.as_ref().is_some_and(|key| http::HeaderValue::from_str(key.trim()).is_err()) => {
                Err("the key has characters that cannot be sent".into())
            }
            Urls if self.url.is_some() == self.file.is_some() => {
                Err("urls needs a file or an url, and not both".into())
            }
            Index if self.url.is_some() || self.key.is_some() => Err("index takes no url and no key".into()),
            Index | Wikimedia | Searxng | Opensearch | Brave if self.file.is_some() => {
                Err(format!("{kind} takes no file"))
            }
            Wikimedia | Searxng | Opensearch | Urls if self.key.is_some() => Err(format!("{kind} takes no key")),
            _ => Ok(()),
        }
    }
}

/// Reads one of `index`, `wikimedia`, `wikimedia=https://de.wikipedia.org`, `searxng=URL`, `opensearch=URL`,
/// `brave`, `brave=KEY`, `urls=FILE` or `urls=URL`, as the command line takes them.
pub fn parse_via(text: &str) -> Result<SourceSettings, String> {
    let (name, value) = match text.trim().split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim()).filter(|value| !value.is_empty())),
        None => (text.trim(), None),
    };
    let kinds = || SourceKind::ALL.map(|(name, _)| name).join(", ");
    let kind = SourceKind::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    let kind = kind.ok_or_else(|| format!("'{name}' is no source: give one of {}", kinds()))?;
    let mut settings = SourceSettings::of(kind);
    let is_address = |value: &str| value.starts_with("http://") || value.starts_with("https://");
    match (kind, value) {
        (SourceKind::Brave, Some(key)) => settings.key = Some(key.to_owned()),
        (SourceKind::Urls, Some(file)) if !is_address(file) => settings.file = Some(file.into()),
        (_, Some(value)) => {
            let address = if is_address(value) { value.to_owned() } else { format!("https://{value}") };
            let url = Url::parse(&address).map_err(|error| format!("'{value}' is no address: {error}"))?;
            settings.url = Some(url);
        }
        (_, None) => {}
    }
    if kind != SourceKind::Brave {
        settings.check()?;
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_on_the_command_line() {
        for (text, called) in [
            ("index", "index"),
            ("wikimedia", "wikimedia"),
            ("wikimedia=de.wikipedia.org", "wikimedia de.wikipedia.org"),
            ("searxng=https://s.example/x", "searxng s.example"),
            ("urls=pages.txt", "urls pages.txt"),
            ("urls=https://a.example/sitemap.xml", "urls a.example"),
            ("brave", "brave"),
        ] {
            assert_eq!(parse_via(text).map(|settings| settings.called()).as_deref(), Ok(called), "{text}");
        }
        for wrong in ["", "google", "searxng", "searxng=", "opensearch", "urls", "index=https://x.example"] {
            assert!(parse_via(wrong).is_err(), "{wrong}");
        }
        assert!(parse_via("brave").unwrap().check().is_err());
        assert!(parse_via("brave=abc").unwrap().check().is_ok());
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        let text = r#"{"kind": "searxng", "url": "https://s.example/", "private": true}"#;
        let settings: SourceSettings = serde_json::from_str(text).unwrap();
        assert_eq!(
            serde_json::from_value::<SourceSettings>(serde_json::to_value(&settings).unwrap()).unwrap(),
            settings
        );
        assert!(serde_json::from_str::<SourceSettings>(r#"{"kind": "index", "other": 1}"#).is_err());
    }
}
