//! Sitemaps (sitemaps.org), with their pictures and films.

use facts::{MediaKind, Url};

use super::xml::{Step, local, walk};
use super::{Listing, MEDIA, MOST};
use crate::source::{Start, StartMedia};

/// What is being read.
#[derive(Default)]
struct Entry {
    page: Option<Url>,
    media: Vec<StartMedia>,
    /// The picture or film that is open.
    open: Option<Open>,
}

struct Open {
    kind: MediaKind,
    file: Option<Url>,
    /// A still of a film.
    still: Option<Url>,
    words: Vec<String>,
}

impl Open {
    fn new(kind: MediaKind) -> Self {
        Self { kind, file: None, still: None, words: Vec::new() }
    }

    fn close(self, media: &mut Vec<StartMedia>) {
        let words = self.words.join(" ");
        let found = [(self.file, self.kind), (self.still, MediaKind::Image)];
        for (url, kind) in found {
            if let Some(url) = url.filter(|_| media.len() < MEDIA) {
                media.push(StartMedia { url, kind, words: words.clone() });
            }
        }
    }
}

/// Reads a sitemap or an index of them; nothing when it is neither.
pub(super) fn read(text: &str, from: &Url) -> Option<Listing> {
    let (mut listing, mut is_one) = (Listing::default(), false);
    let mut entry = Entry::default();
    walk(text, |step| {
        match step {
            Step::Start(name, _) => match name {
                "urlset" | "sitemapindex" => is_one = true,
                "url" | "sitemap" => entry = Entry::default(),
                // The prefix is a choice of whoever wrote it: what matters is what it is the name of.
                _ => match local(name) {
                    "urlset" | "sitemapindex" => is_one = true,
                    "image" if name != "image" => entry.open = Some(Open::new(MediaKind::Image)),
                    "video" if name != "video" => entry.open = Some(Open::new(MediaKind::Video)),
                    _ => {}
                },
            },
            Step::End(name, said) => end(name, said, from, &mut entry, &mut listing),
        }
        // What is no sitemap is noticed at its first element.
        is_one && listing.starts.len() + listing.maps.len() < MOST
    });
    is_one.then_some(listing)
}

fn end(name: &str, said: &str, from: &Url, entry: &mut Entry, listing: &mut Listing) {
    let address = || from.join(said).ok();
    match (local(name), &mut entry.open) {
        ("loc" | "content_loc", Some(open)) => open.file = open.file.take().or_else(address),
        ("thumbnail_loc", Some(open)) => open.still = open.still.take().or_else(address),
        ("title" | "caption" | "description" | "tag", Some(open)) if !said.is_empty() && open.words.len() < 10 => {
            open.words.push(said.chars().take(500).collect());
        }
        ("image" | "video", Some(_)) => {
            if let Some(open) = entry.open.take() {
                open.close(&mut entry.media);
            }
        }
        ("loc", None) => entry.page = entry.page.take().or_else(address),
        ("url", _) => {
            let Entry { page, media, .. } = std::mem::take(entry);
            listing.starts.extend(page.map(|url| Start { media, ..Start::at(url) }));
        }
        ("sitemap", _) => listing.maps.extend(std::mem::take(entry).page),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Listing> {
        super::read(text, &Url::parse("https://example.org/sitemap.xml").unwrap())
    }

    #[test]
    fn pages_come_with_their_pictures_and_films() {
        let listing = read(
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'
               xmlns:image='http://www.google.com/schemas/sitemap-image/1.1' xmlns:v='urn:video'>
             <url><loc>https://example.org/a?x=1&amp;y=2</loc>
               <image:image><image:loc>/castle.jpg</image:loc><image:caption>The <![CDATA[castle]]></image:caption></image:image>
               <image:image><image:loc>https://cdn.example/b.jpg</image:loc><image:title>Tower</image:title></image:image>
               <v:video><v:title>A walk</v:title><v:content_loc>/walk.mp4</v:content_loc>
                 <v:thumbnail_loc>/walk.jpg</v:thumbnail_loc><v:player_loc>/player</v:player_loc></v:video></url>
             <url><loc>/b</loc></url><url></url></urlset>",
        )
        .unwrap();
        let urls: Vec<&str> = listing.starts.iter().map(|start| start.url.as_str()).collect();
        assert_eq!(urls, ["https://example.org/a?x=1&y=2", "https://example.org/b"]);
        let media: Vec<(&str, MediaKind, &str)> = listing.starts[0]
            .media
            .iter()
            .map(|media| (media.url.as_str(), media.kind, media.words.as_str()))
            .collect();
        let expected = [
            ("https://example.org/castle.jpg", MediaKind::Image, "The castle"),
            ("https://cdn.example/b.jpg", MediaKind::Image, "Tower"),
            ("https://example.org/walk.mp4", MediaKind::Video, "A walk"),
            ("https://example.org/walk.jpg", MediaKind::Image, "A walk"),
        ];
        assert_eq!(media, expected);
    }

    #[test]
    fn an_index_names_further_sitemaps() {
        let index = read("<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/b.xml.gz</loc>").unwrap();
        assert_eq!(index.maps.len(), 1);
        assert_eq!(index.maps[0].path(), "/a.xml");
    }

    #[test]
    fn what_is_made_to_be_long_is_bounded() {
        for other in ["", "<html><body>Not found</body></html>", "\u{0}", "<rss><channel/></rss>"] {
            assert_eq!(read(other), None, "{other}");
        }
        let many = format!("<urlset>{}", "<url><loc>/a</loc></url>".repeat(60_000));
        assert_eq!(read(&many).unwrap().starts.len(), MOST);
        let pictures =
            format!("<urlset><url><loc>/a</loc>{}</url>", "<i:image><i:loc>/x.jpg</i:loc></i:image>".repeat(5_000));
        assert_eq!(read(&pictures).unwrap().starts[0].media.len(), MEDIA);
    }
}
