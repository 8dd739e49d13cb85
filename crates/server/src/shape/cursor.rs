//! Where a list goes on, as a word that clients only hand back.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A place in a list as a word.
pub(crate) fn to_cursor(place: &impl Serialize) -> Option<String> {
    let text = serde_json::to_vec(place).ok()?;
    Some(text.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The place that a word stands for.
pub(crate) fn from_cursor<T: DeserializeOwned>(word: &str) -> Result<T, &'static str> {
    let wrong = "is not a cursor that this list gave";
    let digits = word.as_bytes();
    if !digits.len().is_multiple_of(2) || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong);
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let text: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    text.and_then(|text| serde_json::from_slice(&text).ok()).ok_or(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_and_nothing_else_is_one() {
        assert_eq!(from_cursor(&to_cursor(&42i64).unwrap()), Ok(42i64));
        for word in ["", "x", "zz", "0", "7b7d", "ffff"] {
            assert!(from_cursor::<i64>(word).is_err(), "{word}");
        }
    }
}
