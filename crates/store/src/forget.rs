//! What is taken out of the library for good.

use std::collections::HashSet;
use std::sync::Arc;

use facts::{HostName, MediaId, Timestamp, Url};

use crate::import::FileAddress;

/// What to forget. It does not come back: neither a host, nor an address, nor the content that a
/// media file had at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forget {
    /// A host, exactly of this name, with its pages and the media that came from it alone.
    Host(HostName),
    /// A page, with the media that no other page shows; or a media file, with all addresses that
    /// have the same content.
    Address(Url),
    /// A file that was imported, by its absolute path. The file itself stays where it is.
    File(String),
}

impl Forget {
    /// What someone means who writes a host or an address; what is wrong when it is neither.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Url::parse(text).map(Self::Address).map_err(|error| format!("is no address: {error}"));
        }
        if text.contains("://") {
            return Err("is no address: only http and https are fetched".into());
        }
        if text.contains('/') {
            return match Url::parse(&format!("https://{text}")) {
                Ok(url) if url.host_str().contains('.') => Ok(Self::Address(url)),
                _ => Err("is no address: one begins with https://".into()),
            };
        }
        let named = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
        let host = HostName::parse(text).filter(|_| text.chars().all(named));
        host.map(Self::Host).ok_or_else(|| "is neither a host nor an address".into())
    }
}

/// One thing that may not come back, as it can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedEntry {
    /// `host`, `address` or `content`.
    pub kind: String,
    /// The name of a host; of the others only what they are told by, in hex.
    pub what: String,
    /// Since when.
    pub at: Timestamp,
}

/// What was there to forget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Pages.
    pub pages: u64,
    /// Distinct pictures, films and sounds.
    pub media: u64,
    /// Their files in the media directory, thumbnails among them.
    pub files: u64,
    /// Addresses of media.
    pub addresses: u64,
}

/// What may not come back, as it was when it was loaded. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Blocked(Arc<Lists>);

#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub hosts: HashSet<Box<str>>,
    /// First halves of the identities of addresses.
    pub addresses: HashSet<[u8; 16]>,
    pub contents: HashSet<MediaId>,
}

impl Blocked {
    pub(crate) fn new(lists: Lists) -> Self {
        Self(Arc::new(lists))
    }

    /// Whether nothing may be asked of this host.
    pub fn host(&self, host: &HostName) -> bool {
        self.0.hosts.contains(host.as_str())
    }

    /// Whether this address may not be visited, for itself or for its host.
    pub fn address(&self, url: &Url) -> bool {
        let lists = &self.0;
        lists.hosts.contains(url.host_str())
            || (!lists.addresses.is_empty() && lists.addresses.contains(&url.id().short()))
    }

    /// Whether this local file may not be imported.
    pub fn file(&self, path: &str) -> bool {
        let listed = |address: FileAddress| self.0.addresses.contains(&address.id);
        FileAddress::of(path).is_ok_and(listed)
    }

    /// Whether a file with this content may not be kept.
    pub fn content(&self, id: &MediaId) -> bool {
        self.0.contents.contains(id)
    }
}
