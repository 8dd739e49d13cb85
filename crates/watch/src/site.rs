//! A site to watch: where its pages are, and how they are addressed.

use std::path::PathBuf;

use facts::Url;

/// Names of files that stand for their folder.
const INDEXES: &[&[u8]] = &[b"index.html", b"index.htm", b"index.xhtml", b"index.php", b"default.htm", b"default.asp"];
/// How the names of pages end.
const PAGES: &[&str] = &["html", "htm", "xhtml", "xht", "shtml", "php", "asp", "aspx", "jsp", "jspx", "cfm", "cgi"];

/// A site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The address of its main page; its path ends with a slash.
    pub url: Url,
    /// Where its pages are.
    pub source: Source,
}

/// Where the pages of a site are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In a folder, as files.
    Folder(PathBuf),
    /// Made by a program; its sitemap lists them.
    Sitemap(Url),
}

/// Why a site cannot be watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// Not of the form that is needed.
    #[error(
        "'{0}' is no site: write it like https://example.org/=/var/www/html, or https://example.org/=https://example.org/sitemap.xml"
    )]
    Form(String),
    /// Not an address.
    #[error("'{0}' is no address of a site: {1}")]
    Address(String, String),
    /// Not a main page.
    #[error("{0} has a query: name the main page of the site")]
    Query(String),
    /// The sitemap is elsewhere.
    #[error("the sitemap {0} is not at the host of the site {1}")]
    OtherHost(String, String),
    /// Two sites that share pages.
    #[error("{0} and {1} overlap: each page must belong to one site; leave one of them out")]
    Overlap(String, String),
    /// Not a folder.
    #[error("cannot watch {folder}: {why}", folder = .0.display(), why = .1)]
    Folder(PathBuf, String),
}

impl Site {
    /// Reads `URL=DIR` or `URL=SITEMAP`.
    pub fn parse(text: &str) -> Result<Self, SiteError> {
        let form = || SiteError::Form(text.to_owned());
        // An address of a main page has no equals sign, a folder may.
        let (address, source) = text.split_once('=').ok_or_else(form)?;
        // Programs take `http:///x` for the host x; whoever writes it means a path.
        if source.trim().is_empty() || address.contains(":///") {
            return Err(form());
        }
        let url = Url::parse(address).map_err(|error| SiteError::Address(address.to_owned(), error.to_string()))?;
        if url.query().is_some() {
            return Err(SiteError::Query(url.to_string()));
        }
        let url = match url.path().ends_with('/') {
            true => url,
            false => Url::parse(&format!("{url}/"))
                .map_err(|error| SiteError::Address(address.to_owned(), error.to_string()))?,
        };
        let source = match source.starts_with("http://") || source.starts_with("https://") {
            true => {
                let map = Url::parse(source).map_err(|e| SiteError::Address(source.to_owned(), e.to_string()))?;
                if map.host_str() != url.host_str() {
                    return Err(SiteError::OtherHost(map.to_string(), url.to_string()));
                }
                Source::Sitemap(map)
            }
            false => Source::Folder(PathBuf::from(source)),
        };
        Ok(Self { url, source })
    }

    /// Whether an address belongs to the site.
    pub(crate) fn covers(&self, url: &Url) -> bool {
        // The same site over http and https.
        url.host_str() == self.url.host_str()
            && (url.port() == self.url.port() || matches!((url.port(), self.url.port()), (80, 443) | (443, 80)))
            && url.path().starts_with(self.url.path())
    }

    /// The address of a page, by the names from the site's folder to it.
    pub(crate) fn page(&self, path: &[&[u8]]) -> Option<Url> {
        let mut text = self.url.as_str().to_owned();
        for (number, name) in path.iter().enumerate() {
            let last = number + 1 == path.len();
            if last && is_index(name) {
                break;
            }
            encode(name, &mut text);
            if !last {
                text.push('/');
            }
        }
        Url::parse(&text).ok()
    }

    /// The names from the site's folder to what an address asks for, percent-encoding undone; an
    /// empty last one for a folder.
    pub(crate) fn path(&self, url: &Url) -> Option<Vec<Vec<u8>>> {
        let below = self.covers(url).then(|| &url.path()[self.url.path().len()..])?;
        let names: Vec<Vec<u8>> = below.split('/').map(decode).collect();
        let odd = |name: &Vec<u8>| name.contains(&b'/') || name.contains(&0) || name == b".." || name == b".";
        (!names.iter().any(odd)).then_some(names)
    }
}

/// Sites that share no pages, in folders that are there.
pub fn check(sites: &[Site]) -> Result<(), SiteError> {
    for (number, site) in sites.iter().enumerate() {
        for other in &sites[..number] {
            if site.covers(&other.url) || other.covers(&site.url) {
                return Err(SiteError::Overlap(other.url.to_string(), site.url.to_string()));
            }
        }
        if let Source::Folder(folder) = &site.source {
            let wrong = |why: String| SiteError::Folder(folder.clone(), why);
            let meta = std::fs::metadata(folder).map_err(|error| wrong(error.to_string()))?;
            if !meta.is_dir() {
                return Err(wrong("it is not a folder".into()));
            }
            std::fs::read_dir(folder).map_err(|error| wrong(error.to_string()))?;
        }
    }
    let real: Vec<(&Site, PathBuf)> = sites
        .iter()
        .filter_map(|site| match &site.source {
            Source::Folder(folder) => Some((site, folder.canonicalize().ok()?)),
            Source::Sitemap(_) => None,
        })
        .collect();
    for (number, (site, folder)) in real.iter().enumerate() {
        for (_, other) in &real[..number] {
            if folder.starts_with(other) || other.starts_with(folder) {
                let shown = |path: &PathBuf| path.display().to_string();
                return Err(SiteError::Overlap(shown(other), format!("{} of {}", shown(folder), site.url)));
            }
        }
    }
    Ok(())
}

/// Whether a file of this name is a page.
pub(crate) fn is_page(name: &[u8]) -> bool {
    let Some(dot) = name.iter().rposition(|b| *b == b'.').filter(|dot| *dot > 0) else { return false };
    PAGES.iter().any(|known| name[dot + 1..].eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether a file of this name stands for its folder.
pub(crate) fn is_index(name: &[u8]) -> bool {
    INDEXES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The names that stand for a folder, the likeliest first.
pub(crate) fn indexes() -> impl Iterator<Item = &'static [u8]> {
    INDEXES.iter().copied()
}

fn encode(name: &[u8], out: &mut String) {
    for &b in name {
        let plain = b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&b);
        if plain { out.push(b as char) } else { out.push_str(&format!("%{b:02X}")) }
    }
}

fn decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        let hex = |place: usize| bytes.get(place).and_then(|b| (*b as char).to_digit(16));
        match (b, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(b);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(text: &str) -> Site {
        Site::parse(text).unwrap()
    }

    #[test]
    fn sites_are_folders_or_sitemaps() {
        let folder = site("https://example.org/shop=/var/www/a=b");
        assert_eq!(
            (folder.url.as_str(), folder.source),
            ("https://example.org/shop/", Source::Folder("/var/www/a=b".into()))
        );
        assert!(matches!(site("https://example.org=https://example.org/sitemap.xml").source, Source::Sitemap(_)));
        for wrong in [
            "",
            "https://example.org/",
            "https://example.org/=",
            "/var/www",
            "http:///x=/tmp",
            "file:///a=/tmp",
            "https://example.org/?a=/tmp",
            "https://example.org/=https://example.com/sitemap.xml",
        ] {
            assert!(Site::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sites_must_not_overlap() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = tmp.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path.display().to_string()
        };
        let check = |a: &str, b: &str| super::check(&[site(a), site(b)]);
        let (a, b, c) = (folder("a"), folder("b"), folder("a/c"));
        assert_eq!(check(&format!("https://a.test/={a}"), &format!("https://b.test/={b}")), Ok(()));
        assert!(check(&format!("https://a.test/={a}"), &format!("http://a.test/b={b}")).is_err());
        assert!(check(&format!("https://a.test/={a}"), &format!("https://b.test/={c}")).is_err());
        assert!(check(&format!("https://a.test/={a}"), &format!("https://b.test/={a}/missing")).is_err());
        std::fs::write(tmp.path().join("file"), "").unwrap();
        assert!(check(&format!("https://a.test/={a}"), &format!("https://b.test/={a}/../file")).is_err());
    }

    #[test]
    fn names_become_addresses_and_come_back() {
        let site = site("https://example.org/x/=/tmp");
        for (path, url) in [
            (vec![&b"a b"[..], b"c?.html"], "https://example.org/x/a%20b/c%3F.html"),
            (vec![b"\xff%.html"], "https://example.org/x/%FF%25.html"),
            (vec!["Köln.html".as_bytes()], "https://example.org/x/K%C3%B6ln.html"),
        ] {
            let page = site.page(&path).unwrap();
            assert_eq!(page.as_str(), url);
            assert_eq!(site.path(&page).unwrap(), path);
        }
        assert_eq!(site.page(&[b"a", b"index.html"]).unwrap().as_str(), "https://example.org/x/a/");
        assert_eq!(site.page(&[b"index.html"]).unwrap().as_str(), "https://example.org/x/");
        let path = |url: &str| site.path(&Url::parse(url).unwrap());
        assert_eq!(path("http://example.org/x/").unwrap(), [b""]);
        for elsewhere in [
            "https://example.org/",
            "https://example.com/x/",
            "https://example.org/x/a%2Fb",
            "https://example.org/x/%00",
        ] {
            assert_eq!(path(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn pages_are_known_by_their_names() {
        for page in ["a.html", "A.HTM", "main.asp", "x.y.php"] {
            assert!(is_page(page.as_bytes()), "{page}");
        }
        for other in ["a.jpg", "html", ".html", "a.html~", "a.", ""] {
            assert!(!is_page(other.as_bytes()), "{other}");
        }
    }
}
