//! What is taken out of the library for good.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

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

/// What may not come back, as it was when it was last looked at
/// ([`Library::look_for_forgotten`](crate::Library::look_for_forgotten)). Clones see what is forgotten later, too.
#[derive(Clone, Debug, Default)]
pub struct Blocked(Arc<RwLock<Lists>>);

#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// How often something had been forgotten by then; nothing before they are read.
    pub times: Option<u64>,
    pub hosts: HashSet<Box<str>>,
    /// First halves of the identities of addresses.
    pub addresses: HashSet<[u8; 16]>,
    pub contents: HashSet<MediaId>,
}

impl Blocked {
    /// How often something had been forgotten when it was last looked.
    pub(crate) fn times(&self) -> Option<u64> {
        self.lists().times
    }

    /// Takes in what was read, unless somebody read more.
    pub(crate) fn renew(&self, lists: Lists) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.times <= lists.times {
            *known = lists;
        }
    }

    fn lists(&self) -> RwLockReadGuard<'_, Lists> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing may be asked of this host.
    pub fn host(&self, host: &HostName) -> bool {
        self.lists().hosts.contains(host.as_str())
    }

    /// Whether this address may not be visited, for itself or for its host.
    pub fn address(&self, url: &Url) -> bool {
        let lists = self.lists();
        lists.hosts.contains(url.host_str())
            || (!lists.addresses.is_empty() && lists.addresses.contains(&url.id().short()))
    }

    /// Whether this local file may not be imported.
    pub fn file(&self, path: &str) -> bool {
        let listed = |address: FileAddress| self.lists().addresses.contains(&address.id);
        FileAddress::of(path).is_ok_and(listed)
    }

    /// Whether a file with this content may not be kept.
    pub fn content(&self, id: &MediaId) -> bool {
        self.lists().contents.contains(id)
    }
}
