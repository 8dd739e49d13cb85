//! What each token allows.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

/// What someone may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Nothing but log in.
    None,
    /// Look at everything.
    Reader,
    /// Change things too.
    Admin,
}

/// A secret that is compared in a time that says nothing of it.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The shortest token that is taken.
    pub const SHORTEST: usize = 8;

    /// A token, when it is long enough and has only what fits into a header.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits =
            text.len() >= Self::SHORTEST && text.len() <= 1_000 && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// Whether this is it. Both are hashed with a key first, so that neither their length nor how
    /// much of them is alike shows in the time it takes.
    fn is(&self, given: &str) -> bool {
        let mac = |text: &str| {
            let mac = Hmac::<Sha256>::new_from_slice(b"bowerbird token").ok();
            mac.map(|mac| mac.chain_update(text.as_bytes()))
        };
        match (mac(&self.0), mac(given)) {
            (Some(own), Some(given)) => own.verify(&given.finalize().into_bytes()).is_ok(),
            _ => false,
        }
    }

    /// What a cookie is bound to, so that it ends with the token.
    pub(super) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The tokens of this server; with none everyone is admin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tokens {
    pub admin: Option<Token>,
    pub reader: Option<Token>,
}

impl Tokens {
    /// Whether anyone has to show one.
    pub fn needed(&self) -> bool {
        self.admin.is_some() || self.reader.is_some()
    }

    /// What this token allows.
    pub fn role(&self, given: &str) -> Role {
        let is = |token: &Option<Token>| token.as_ref().is_some_and(|token| token.is(given));
        // Both are looked at, whichever it is.
        match (is(&self.admin), is(&self.reader)) {
            (true, _) => Role::Admin,
            (false, true) => Role::Reader,
            (false, false) => Role::None,
        }
    }

    /// The token that gives a role.
    pub fn of(&self, role: Role) -> Option<&Token> {
        match role {
            Role::Admin => self.admin.as_ref(),
            Role::Reader => self.reader.as_ref(),
            Role::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_gives_its_role_and_nothing_like_it_does() {
        let tokens = Tokens { admin: Token::new("admin-secret"), reader: Token::new("reader-secret\n") };
        assert!(tokens.needed() && !Tokens::default().needed());
        for (given, role) in [
            ("admin-secret", Role::Admin),
            ("reader-secret", Role::Reader),
            ("admin-secre", Role::None),
            ("admin-secrett", Role::None),
            ("", Role::None),
        ] {
            assert_eq!(tokens.role(given), role, "{given}");
        }
        assert!(Token::new("short").is_none() && Token::new("with a space").is_none());
        assert!(!format!("{tokens:?}").contains("secret"));
    }
}
