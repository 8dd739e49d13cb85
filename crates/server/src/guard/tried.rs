//! Who may ask, as the fuzz targets try it: without a library behind.

use std::io;
use std::path::Path;

use http::Method;
use http::request::Parts;

use super::{Hosts, Role, SessionKey, Token, Tokens, bearer, cookie, origin};

/// A server at `localhost` and `bird.example` that wants tokens.
pub struct Doorway {
    hosts: Hosts,
    tokens: Tokens,
    key: SessionKey,
}

impl Doorway {
    /// With the key of this directory.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let tokens = Tokens { admin: Token::new("admin-secret"), reader: Token::new("reader-secret") };
        let hosts = Hosts::new(([127, 0, 0, 1], 7700).into(), &["bird.example".to_owned()]);
        Ok(Self { hosts, tokens, key: SessionKey::open(dir)? })
    }

    /// A cookie that it would give to a reader.
    pub fn cookie(&self) -> Option<String> {
        self.key.sign(Role::Reader, &self.tokens)
    }

    /// Whether a request comes from where it may, and whether its token or cookie may look and change.
    pub fn admits(&self, parts: &Parts) -> (bool, bool, bool) {
        let changes = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
        let from = self.hosts.check(parts).is_ok() && origin::check(parts, changes).is_ok();
        let role = match bearer(&parts.headers) {
            Some(token) => self.tokens.role(token),
            None => cookie::read(&parts.headers).map_or(Role::None, |cookie| self.key.role(cookie, &self.tokens)),
        };
        (from, role >= Role::Reader, role == Role::Admin)
    }
}
