//! The cookie of a browser that logged in: a role and an end, signed.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderValue, header};
use sha2::Sha256;

use super::tokens::{Role, Tokens};

/// Its name.
pub(crate) const COOKIE: &str = "bowerbird_session";
/// How long a browser stays logged in, in seconds.
const LASTS: u64 = 30 * 24 * 3600;
/// Where the key is, in the data directory.
const KEY_FILE: &str = "session.key";

/// The key that cookies are signed with.
pub(crate) struct SessionKey([u8; 32]);

impl SessionKey {
    /// Reads the key of a data directory, or makes one that only its owner can read.
    pub fn open(dir: &Path) -> std::io::Result<Self> {
        let path = dir.join(KEY_FILE);
        match fs::read(&path) {
            Ok(bytes) => {
                if let Ok(key) = bytes.try_into() {
                    return Ok(Self(key));
                }
                // One that was cut off says nothing; whoever was logged in logs in again.
                fs::remove_file(&path)?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let key = random()?;
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(&key)?;
        file.sync_all()?;
        Ok(Self(key))
    }

    /// The value of a cookie for this role, from now on.
    pub fn sign(&self, role: Role, tokens: &Tokens) -> Option<String> {
        let until = seconds_now() + LASTS;
        let mac = self.mac(role, until, tokens)?.finalize().into_bytes();
        let mac: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("{}.{until}.{mac}", letter(role)))
    }

    /// The role that a cookie gives now.
    pub fn role(&self, cookie: &str, tokens: &Tokens) -> Role {
        self.read(cookie, tokens, seconds_now()).unwrap_or(Role::None)
    }

    fn read(&self, cookie: &str, tokens: &Tokens, now: u64) -> Option<Role> {
        let mut parts = cookie.splitn(3, '.');
        let role = [Role::Admin, Role::Reader].into_iter().find(|role| Some(letter(*role)) == parts.clone().next())?;
        let until: u64 = parts.nth(1)?.parse().ok()?;
        let given = from_hex(parts.next()?)?;
        self.mac(role, until, tokens)?.verify_slice(&given).ok()?;
        (now < until).then_some(role)
    }

    /// Bound to the token: another token ends the sessions of the old one.
    fn mac(&self, role: Role, until: u64, tokens: &Tokens) -> Option<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        let told = format!("session {} {until} ", letter(role));
        Some(mac.chain_update(told.as_bytes()).chain_update(tokens.of(role)?.hash()))
    }
}

fn letter(role: Role) -> &'static str {
    match role {
        Role::Admin => "a",
        Role::Reader => "r",
        Role::None => "n",
    }
}

/// The cookie of a request.
pub(super) fn read(headers: &HeaderMap) -> Option<&str> {
    let lists = headers.get_all(header::COOKIE).iter().filter_map(|list| list.to_str().ok());
    let mut cookies = lists.flat_map(|list| list.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find(|(name, _)| *name == COOKIE).map(|(_, value)| value)
}

/// The header that gives a browser its cookie.
pub(crate) fn kept(value: &str) -> Option<HeaderValue> {
    let text = format!("{COOKIE}={value}; Path=/; Max-Age={LASTS}; HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&text).ok()
}

/// The header that takes it away.
pub(crate) fn gone() -> Option<HeaderValue> {
    let text = format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&text).ok()
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A name that nobody guesses.
pub(crate) fn random_name() -> Option<String> {
    let bytes = random().ok()?;
    Some(bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

fn random() -> std::io::Result<[u8; 32]> {
    let mut key = [0; 32];
    let mut filled = 0;
    while let Some(rest) = key.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(key)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::Token;
    use super::*;

    #[test]
    fn a_cookie_gives_its_role_until_it_ends_or_the_token_changes() {
        let dir = tempfile::tempdir().unwrap();
        let key = SessionKey::open(dir.path()).unwrap();
        let tokens = Tokens { admin: Token::new("admin-secret"), reader: Token::new("reader-secret") };
        let cookie = key.sign(Role::Reader, &tokens).unwrap();
        assert_eq!(key.role(&cookie, &tokens), Role::Reader);
        assert_eq!(SessionKey::open(dir.path()).unwrap().role(&cookie, &tokens), Role::Reader, "the key is kept");
        assert_eq!(key.read(&cookie, &tokens, seconds_now() + LASTS + 1), None);
        let other = Tokens { reader: Token::new("another-secret"), ..tokens.clone() };
        assert_eq!(key.role(&cookie, &other), Role::None);
        let stranger = SessionKey([7; 32]);
        let admin = format!("a{}", &cookie[1..]);
        let later = cookie.replacen("r.", "r.9", 1);
        for forged in [admin.as_str(), &later, "", "r", "r.1", "r.1.zz", "n.9999999999.00", &cookie[..cookie.len() - 1]]
        {
            assert_eq!(key.role(forged, &tokens), Role::None, "{forged}");
        }
        assert_eq!(stranger.role(&cookie, &tokens), Role::None);
        let mode = fs::metadata(dir.path().join(KEY_FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn cookies_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append("cookie", "a=b; bowerbird_session=r.1.x; c=d".parse().unwrap());
        assert_eq!(read(&headers), Some("r.1.x"));
        let text = kept("x").unwrap();
        let text = text.to_str().unwrap();
        assert!(text.contains("HttpOnly") && text.contains("SameSite=Strict"), "{text}");
    }
}
