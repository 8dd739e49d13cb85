//! What the rest of the web understands: sitemaps, and an Atom feed of changes.

use std::fmt::Write;

use facts::Timestamp;
use quick_xml::escape::escape;
use report::{Change, moment};

use crate::names::Id;
use crate::watched::{Watched, now};

/// Addresses of one sitemap (sitemaps.org).
const ADDRESSES: usize = 50_000;
/// Entries of the feed.
const CHANGES: usize = 100;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SITEMAPS: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

impl Watched {
    /// How many sitemaps the site needs.
    pub(crate) fn sitemaps(&self) -> usize {
        let book = self.book();
        let open = book.pages().filter(|(_, page)| page.is_there() && book.is_open(page)).count();
        open.div_ceil(ADDRESSES).max(1)
    }

    /// The sitemap of that number, from 1; nothing when there are fewer.
    pub(crate) fn sitemap(&self, number: usize) -> Option<String> {
        let skipped = number.checked_sub(1)?.checked_mul(ADDRESSES)?;
        let book = self.book();
        let open = book.pages().filter(|(_, page)| page.is_there() && book.is_open(page));
        let mut out = format!("{HEAD}<urlset xmlns=\"{SITEMAPS}\">\n");
        let mut listed = 0;
        for (id, page) in open.skip(skipped).take(ADDRESSES) {
            let Some(url) = book.url(id) else { continue };
            listed += 1;
            let _ = write!(out, "<url><loc>{}</loc>", escape(url.as_str()));
            if page.modified > Timestamp(0) {
                let _ = write!(out, "<lastmod>{}</lastmod>", moment(seconds(page.modified.min(now()))));
            }
            out.push_str("</url>\n");
        }
        out.push_str("</urlset>\n");
        (listed > 0 || number == 1).then_some(out)
    }

    /// The index of all sitemaps, each at the address that `name` says, relative to the site.
    pub(crate) fn sitemap_index(&self, name: impl Fn(usize) -> String) -> String {
        let mut out = format!("{HEAD}<sitemapindex xmlns=\"{SITEMAPS}\">\n");
        for number in 1..=self.sitemaps() {
            if let Ok(url) = self.site.url.join(&name(number)) {
                let _ = writeln!(out, "<sitemap><loc>{}</loc></sitemap>", escape(url.as_str()));
            }
        }
        out.push_str("</sitemapindex>\n");
        out
    }

    /// The last changes, the newest first, as a feed that is at this address.
    pub(crate) fn feed(&self, path: &str) -> String {
        let book = self.book();
        let mut latest: Vec<(u64, Id)> =
            book.pages().filter(|(_, page)| book.is_open(page)).map(|(id, page)| (page.change, id)).collect();
        let kept = latest.len().min(CHANGES);
        if kept < latest.len() {
            latest.select_nth_unstable_by(kept, |a, b| b.cmp(a));
            latest.truncate(kept);
        }
        latest.sort_unstable_by(|a, b| b.cmp(a));
        let updated = latest.first().map_or(Timestamp(0), |(_, id)| book.page(*id).changed.min(now()));
        let site = escape(self.site.url.as_str());
        let mut out = format!("{HEAD}<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{site}</id>\n");
        let _ = writeln!(out, "<title>Changes of {site}</title><author><name>{site}</name></author>");
        let _ = writeln!(out, "<updated>{}</updated><link href=\"{site}\"/>", moment(updated));
        if let Ok(own) = self.site.url.join(path) {
            let _ = writeln!(out, "<link rel=\"self\" href=\"{}\"/>", escape(own.as_str()));
        }
        for (change, id) in latest {
            let Some(url) = book.url(id) else { continue };
            let page = book.page(id);
            let what = match page.kind() {
                Change::New => "New",
                Change::Updated => "Updated",
                Change::Removed => "Removed",
            };
            let (url, at) = (escape(url.as_str()), moment(page.changed.min(now())));
            let _ = writeln!(
                out,
                "<entry><id>{url}#{change}</id><title>{what}: {url}</title><link href=\"{url}\"/><updated>{at}</updated></entry>"
            );
        }
        out.push_str("</feed>\n");
        out
    }
}

/// Sitemaps are read by programs that know no fractions.
fn seconds(at: Timestamp) -> Timestamp {
    Timestamp(at.0 - at.0.rem_euclid(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Look;
    use crate::flag::Reset;
    use crate::names::ROOT;
    use crate::site::Site;

    #[test]
    fn big_sites_have_several_sitemaps_and_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::parse("https://example.org/=/srv/www").unwrap();
        let watched = Watched::open(site, folder.path(), Reset::Event).unwrap();
        let look = Look { mark: 1, modified: Timestamp(1_772_366_400_123) };
        for i in 0..ADDRESSES + 5 {
            let mut book = watched.book();
            let id = book.intern(ROOT, format!("a&b{i}.html").as_bytes()).unwrap();
            book.note(id, look, now(), true);
        }
        assert_eq!(watched.sitemaps(), 2);
        let first = watched.sitemap(1).unwrap();
        assert_eq!(first.matches("<url>").count(), ADDRESSES);
        assert!(first.contains("<loc>https://example.org/a&amp;b7.html</loc><lastmod>2026-03-01T12:00:00Z</lastmod>"));
        assert_eq!(watched.sitemap(2).unwrap().matches("<url>").count(), 5);
        assert_eq!((watched.sitemap(3), watched.sitemap(0), watched.sitemap(usize::MAX)), (None, None, None));
        let index = watched.sitemap_index(|number| format!("sitemap-{number}.xml"));
        assert!(index.contains("<loc>https://example.org/sitemap-2.xml</loc>"));
        let mut book = watched.book();
        book.gone(7, now());
        drop(book);
        let feed = watched.feed("changes.atom");
        assert_eq!(feed.matches("<entry>").count(), CHANGES);
        assert!(feed.find("Removed: https://example.org/a&amp;b6.html").unwrap() < feed.find("New:").unwrap());
    }
}
