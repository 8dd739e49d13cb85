//! What tells a page from another version of it.

use sha2::{Digest, Sha256};

use crate::Page;

impl Page {
    /// A hash of what the page says and leads to, without what is another one with every visit: scripts,
    /// styles, hidden fields.
    ///
    /// ```
    /// let url = facts::Url::parse("https://example.org/").unwrap();
    /// let digest = |html: &str| page::read(html.as_bytes(), None, &url, &page::Limits::default()).digest();
    /// assert_eq!(digest("<p>A tower.<script nonce=1></script>"), digest("<p>A tower.<script nonce=2></script>"));
    /// assert_ne!(digest("<p>A tower."), digest("<p>A gate."));
    /// ```
    pub fn digest(&self) -> [u8; 16] {
        let mut hash = Sha256::new();
        for text in [&self.title, &self.description, &self.text] {
            hash.update(text.as_bytes());
            hash.update([0]);
        }
        for url in self.links.iter().map(|link| &link.url).chain(self.media.iter().map(|media| &media.url)) {
            hash.update(url.id().as_bytes());
        }
        let mut short = [0; 16];
        short.copy_from_slice(&hash.finalize()[..16]);
        short
    }
}
