//! What tells a page from another version of it.

use xxhash_rust::xxh3::Xxh3;

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
        // Whoever could make two pages with one hash could as well send the same page twice: quick is enough.
        let mut hash = Xxh3::new();
        for text in [&self.title, &self.description, &self.text] {
            hash.update(text.as_bytes());
            hash.update(&[0]);
        }
        for url in self.links.iter().map(|link| &link.url).chain(self.media.iter().map(|media| &media.url)) {
            hash.update(url.id().as_bytes());
        }
        hash.digest128().to_be_bytes()
    }
}
