//! Patterns of addresses.

/// A pattern in which `*` stands for any run of characters, also an empty one, and everything else
/// for itself. Question marks and brackets are no wildcards: addresses are full of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(String);

impl Pattern {
    /// `None` for what could never match: nothing, or more than an address can hold.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > 2048 {
            return None;
        }
        // Addresses have other letters percent-encoded.
        let mut pattern = String::with_capacity(text.len());
        for byte in text.bytes() {
            if byte.is_ascii() {
                pattern.push(byte as char);
            } else {
                pattern.push_str(&format!("%{byte:02X}"));
            }
        }
        Some(Self(pattern))
    }

    /// Whether the whole address matches. When a character does not fit, only the last `*` can
    /// take more, so time is at most pattern × address and in practice a few steps a character.
    pub(crate) fn matches(&self, address: &str) -> bool {
        let (pattern, address) = (self.0.as_bytes(), address.as_bytes());
        let (mut p, mut a) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while a < address.len() {
            if pattern.get(p) == Some(&b'*') {
                star = Some((p, a));
                p += 1;
            } else if pattern.get(p) == Some(&address[a]) {
                p += 1;
                a += 1;
            } else if let Some((at, taken)) = star {
                star = Some((at, taken + 1));
                p = at + 1;
                a = taken + 1;
            } else {
                return false;
            }
        }
        pattern[p..].iter().all(|&byte| byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything_and_the_rest_for_itself() {
        for (pattern, address, expected) in [
            ("*/photo/*", "http://a.example/photo/1", true),
            ("*/photo/*", "http://a.example/photo/", true),
            ("*/photo/*", "http://a.example/photo", false),
            ("*/photo/*", "http://a.example/photos/1", false),
            ("http://a.example/", "http://a.example/", true),
            ("http://a.example/", "http://a.example/x", false),
            ("*.pdf", "http://a.example/x.pdf", true),
            ("*.pdf", "http://a.example/x.pdf?page=1", false),
            ("*?page=*", "http://a.example/x?page=2", true),
            ("*?page=*", "http://a.example/x&page=2", false),
            ("*a*b*c*", "xxaxxbxxc", true),
            ("*a*b*c*", "xxaxxcxxb", false),
            ("*", "", true),
            ("**", "anything", true),
            ("*/köln/*", "http://a.example/k%C3%B6ln/dom", true),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().matches(address), expected, "{pattern} {address}");
        }
        assert_eq!(Pattern::new("  "), None);
    }
}
