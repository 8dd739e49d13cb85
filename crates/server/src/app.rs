//! What all handlers share.

use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use facts::MediaId;
use http::HeaderValue;
use store::{Library, Shelf, Store};
use tokio::sync::{Notify, Semaphore, watch};

use crate::answers::Answers;
use crate::api::WouldPay;
use crate::crawls::Crawls;
use crate::finds::Finds;
use crate::guard::{Hosts, SessionKey, Throttle, Tokens};
use crate::metrics::Metrics;
use crate::observed::Watch;
use crate::timetable::Timetable;

/// A server at work.
pub(crate) struct App {
    pub store: Arc<Store>,
    pub crawls: Arc<Crawls>,
    pub finds: Finds,
    pub timetable: Arc<Timetable>,
    pub hosts: Hosts,
    pub tokens: Tokens,
    pub key: SessionKey,
    pub throttle: Throttle,
    pub metrics: Metrics,
    /// What of library and workers was seen last.
    pub watch: Watch,
    /// Told when there is something new to describe or compare.
    pub arrived: Arc<Notify>,
    /// Requests that are worked on at once.
    pub slots: Semaphore,
    /// Uploads that are taken at once: each holds a file.
    pub uploads: Semaphore,
    /// Becomes true when the server ends.
    pub ending: watch::Receiver<bool>,
    /// What was answered lately.
    pub answers: Answers,
    /// How many workers would pay.
    pub would_pay: WouldPay,
    /// The OpenAPI description.
    pub description: Bytes,
    /// What the page may do in a browser; depends on where the map comes from.
    pub policy: RwLock<HeaderValue>,
}

impl App {
    /// The library.
    pub fn library(&self) -> &dyn Library {
        &**self.store.library()
    }

    /// Where files are.
    pub fn shelf(&self) -> &Shelf {
        self.store.files().shelf()
    }

    /// The policy of the page.
    pub fn policy(&self) -> HeaderValue {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the policy of the page.
    pub fn set_policy(&self, policy: HeaderValue) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
    }
}

/// The identity that 64 hex digits say.
pub(crate) fn media_id(text: &str) -> Option<MediaId> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)) {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(MediaId::from_sha256(hash))
}
