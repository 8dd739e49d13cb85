//! Percent-encoding, as addresses have it.

/// `%2F` as the character it stands for; a broken escape is left as it is.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let escape = || {
            let mut ahead = rest.clone();
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            Some((digit(ahead.next())? * 16 + digit(ahead.next())?) as u8)
        };
        match Some(byte).filter(|byte| *byte == b'%').and_then(|_| escape()) {
            Some(byte) => {
                bytes.push(byte);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_read_and_broken_ones_left() {
        assert_eq!(decoded("http%3A%2F%2Fa.test%2F%C3%A4?x+y"), "http://a.test/ä?x+y");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
