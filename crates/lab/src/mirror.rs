//! A folder of HTML files as a web.
//!
//! - A folder with HTML at its top, or with HTML in only one of its sub-folders, is one site:
//!   `http://mirror.lab.test/`.
//! - Otherwise each sub-folder that holds HTML is a site of its own. A sub-folder that is named like
//!   a host (`www.example.org`, as programs that copy sites name them) is that host; `en-US` is
//!   `en-us.lab.test`; where that makes no name, or one that another has, the third sub-folder is
//!   `mirror3.lab.test`. A link that leads up and over into the sub-folder of another site is
//!   redirected to that site.
//! - The seeds are each site's `index.html` that lie nearest to its top, or else its first file.
//!
//! Files are served as they are, with the type their name says; a folder answers with its
//! `index.html`. Nothing is listed, hidden files are not served, and no link on disk leads out of
//! the folder.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use facts::{HostName, Url};
use serde_json::{Value, json};

use crate::Answers;
use crate::answer::{Answer, Asked, conditional, missing};
use crate::dice::Dice;
use crate::escape::decoded;
use crate::host::{Certificate, DOMAIN};

/// A folder of HTML files, served as a web.
#[derive(Clone, Debug)]
pub struct Mirror {
    root: PathBuf,
    sites: Vec<Site>,
    pages: u64,
}

/// One host of it.
#[derive(Clone, Debug)]
struct Site {
    host: String,
    /// The folder its paths start in.
    folder: PathBuf,
    /// The name of that folder; nothing for the mirror as a whole.
    name: Option<String>,
    /// Paths from its folder.
    seeds: Vec<Vec<String>>,
}

/// Files and folders looked at when a mirror is opened.
const ENTRIES: usize = 2_000_000;
const DEPTH: usize = 64;
const SEEDS_PER_SITE: usize = 50;
const LARGEST: u64 = 64 << 20;
const INDEX: [&str; 2] = ["index.html", "index.htm"];

impl Mirror {
    /// Looks through the folder. Fails when there is no HTML file in it.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let root = folder.canonicalize()?;
        let mut files = html_files(&root)?;
        // Nearest to the top first, then by name.
        files.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        if files.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no .html or .htm file in it"));
        }
        let mut tops: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        for path in &files {
            if let [top, below @ ..] = path.as_slice()
                && !below.is_empty()
            {
                tops.entry(top).or_default().push(below.to_vec());
            }
        }
        let whole = tops.len() < 2 || files.iter().any(|path| path.len() == 1);
        let sites = if whole {
            vec![Site { host: format!("mirror.{DOMAIN}"), folder: root.clone(), name: None, seeds: seeds(&files) }]
        } else {
            let mut taken = HashSet::new();
            let mut site = |(place, (top, files)): (usize, (&str, Vec<Vec<String>>))| {
                let named = host_name(top).or_else(|| label(top).map(|label| format!("{label}.{DOMAIN}")));
                let numbered = (place + 1..).map(|number| format!("mirror{number}.{DOMAIN}"));
                let host =
                    named.into_iter().chain(numbered).find(|host| taken.insert(host.clone())).unwrap_or_default();
                Site { host, folder: root.join(top), name: Some(top.to_owned()), seeds: seeds(&files) }
            };
            tops.into_iter().enumerate().map(&mut site).collect()
        };
        Ok(Self { root, sites, pages: files.len() as u64 })
    }

    /// HTML files in it.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Its host names.
    pub fn host_names(&self) -> impl Iterator<Item = &str> {
        self.sites.iter().map(|site| site.host.as_str())
    }

    fn site(&self, host: &str) -> Option<&Site> {
        self.sites.iter().find(|site| site.host == host)
    }

    /// What is at this path of a site, if it is inside of the mirror.
    fn look(&self, site: &Site, path: &[String]) -> Option<(PathBuf, fs::Metadata)> {
        let mut place = site.folder.clone();
        place.extend(path);
        // Follows links on disk, so that where they lead can be judged.
        let place = place.canonicalize().ok().filter(|place| place.starts_with(&self.root))?;
        let metadata = place.metadata().ok()?;
        Some((place, metadata))
    }

    fn index_of(&self, site: &Site, path: &[String]) -> Option<(PathBuf, fs::Metadata)> {
        INDEX.iter().find_map(|name| {
            let path: Vec<String> = path.iter().cloned().chain([(*name).to_owned()]).collect();
            self.look(site, &path).filter(|(_, metadata)| metadata.is_file())
        })
    }
}

impl Answers for Mirror {
    fn seeds(&self) -> Vec<Url> {
        let url = |site: &Site, path: &[String]| Url::parse(&address(&site.host, path)).ok();
        self.sites.iter().flat_map(|site| site.seeds.iter().filter_map(move |path| url(site, path))).collect()
    }

    fn answer(&self, asked: &Asked) -> Answer {
        let path = asked.target.split(['?', '#']).next().unwrap_or_default();
        let (Some(site), Some(names)) = (self.site(&asked.host.to_ascii_lowercase()), names(path)) else {
            return missing();
        };
        let folder_asked = path.ends_with('/') || names.is_empty();
        let found = match self.look(site, &names) {
            Some((_, metadata)) if metadata.is_dir() => match self.index_of(site, &names) {
                // Links on its index page are relative to the folder.
                Some(_) if !folder_asked => return Answer::moved(301, &format!("{}/", address(&site.host, &names))),
                index => index,
            },
            file => file.filter(|(_, metadata)| metadata.is_file() && !folder_asked),
        };
        if let Some((file, metadata)) = found {
            return content(&file, &metadata, asked).unwrap_or_else(missing);
        }
        let other = names.split_first().and_then(|(top, rest)| {
            let there = self.sites.iter().find(|other| other.name.as_ref() == Some(top) && other.host != site.host)?;
            let slash = if folder_asked && !rest.is_empty() { "/" } else { "" };
            Some(format!("{}{slash}", address(&there.host, rest)))
        });
        other.map_or_else(missing, |to| Answer::moved(301, &to))
    }

    /// All: what its pages link to outside is not here, and is not to be looked for elsewhere.
    fn hosts(&self) -> String {
        "*".to_owned()
    }

    fn certificate(&self, host: &str) -> Option<Certificate> {
        self.site(host).map(|_| Certificate::Good)
    }

    fn settings(&self) -> Value {
        json!({ "mirror": self.root, "hosts": self.host_names().collect::<Vec<_>>(), "pages": self.pages })
    }
}

/// The HTML files below a folder, each by the names of its path. Folders that are links are not
/// gone into: what they lead to is found where it is, or is outside.
fn html_files(root: &Path) -> io::Result<Vec<Vec<String>>> {
    let mut files = Vec::new();
    let mut open = vec![Vec::<String>::new()];
    let mut looked_at = 0;
    while let Some(folder) = open.pop() {
        let mut place = root.to_path_buf();
        place.extend(&folder);
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            // One that cannot be read is not served either.
            Err(error) if folder.is_empty() => return Err(error),
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > ENTRIES {
                return Ok(files);
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let path = || folder.iter().cloned().chain([name.clone()]).collect::<Vec<_>>();
            if kind.is_dir() && folder.len() < DEPTH {
                open.push(path());
            } else if kind.is_file() && is_html(&name) {
                files.push(path());
            }
        }
    }
    Ok(files)
}

/// Every index nearest to the top, or the first file; `files` are in that order.
fn seeds(files: &[Vec<String>]) -> Vec<Vec<String>> {
    let is_index = |path: &&Vec<String>| path.last().is_some_and(|name| INDEX.contains(&name.as_str()));
    let depth = files.iter().find(is_index).map(Vec::len);
    let mut seeds: Vec<_> = match depth {
        Some(depth) => files.iter().filter(is_index).filter(|path| path.len() == depth).cloned().collect(),
        None => files.first().cloned().into_iter().collect(),
    };
    seeds.truncate(SEEDS_PER_SITE);
    seeds
}

fn is_html(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"))
}

/// A folder's name as a host name, when it is one: with a dot, and no number at its end.
fn host_name(folder: &str) -> Option<String> {
    let host = HostName::parse(folder).filter(|_| folder.contains('.'))?;
    let tld = host.tld()?;
    (tld.len() > 1 && tld.chars().all(|c| c.is_ascii_alphabetic() || c == '-')).then(|| host.as_str().to_owned())
}

/// A folder's name as part of a host name: letters, digits and hyphens.
fn label(folder: &str) -> Option<String> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let label: String = folder.chars().map(plain).collect();
    let label = label.trim_matches('-');
    (!label.is_empty() && label.len() <= 60).then(|| label.to_owned())
}

fn address(host: &str, path: &[String]) -> String {
    let mut url = format!("http://{host}");
    for name in path {
        url.push('/');
        for c in name.chars() {
            match c {
                '%' => url.push_str("%25"),
                '?' => url.push_str("%3F"),
                '#' => url.push_str("%23"),
                '\\' => url.push_str("%5C"),
                _ => url.push(c),
            }
        }
    }
    if path.is_empty() {
        url.push('/');
    }
    url
}

/// The names of a path, decoded; none when one of them is not a name to be served.
fn names(path: &str) -> Option<Vec<String>> {
    let names: Vec<String> = path.split('/').filter(|name| !name.is_empty()).map(decoded).collect();
    let harmless = |name: &String| !name.starts_with('.') && !name.contains(['/', '\0']);
    names.iter().all(harmless).then_some(names)
}

fn content(file: &Path, metadata: &fs::Metadata, asked: &Asked) -> Option<Answer> {
    if metadata.len() > LARGEST {
        return None;
    }
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    let bytes = fs::read(file).ok()?;
    let key = Dice::new(metadata.len(), &file.to_string_lossy(), [changed.as_millis() as u64]).next();
    Some(conditional(Answer::new(200, content_type(file), bytes), key, asked, true))
}

/// No charset: pages say theirs themselves, or it is found out.
fn content_type(file: &Path) -> &'static str {
    let end = file.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
    match end.as_str() {
        "html" | "htm" => "text/html",
        "xhtml" => "application/xhtml+xml",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "txt" | "md" | "rst" => "text/plain",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" | "jpe" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "heic" | "heif" => "image/heic",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        "ico" => "image/vnd.microsoft.icon",
        "mp4" | "m4v" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        "mp3" => "audio/mpeg",
        "ogg" | "oga" => "audio/ogg",
        "wav" => "audio/wav",
        "flac" => "audio/flac",
        "m4a" => "audio/mp4",
        "pdf" => "application/pdf",
        "gz" => "application/gzip",
        "zip" => "application/zip",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, each with its own path as its content.
    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        folder
    }

    fn seeds_of(mirror: &Mirror) -> Vec<String> {
        Answers::seeds(mirror).iter().map(ToString::to_string).collect()
    }

    fn asked(mirror: &Mirror, host: &str, target: &str) -> Answer {
        mirror.answer(&Asked { host: host.into(), target: target.into(), ..Asked::default() })
    }

    fn said(answer: &Answer) -> String {
        match answer.header("location") {
            Some(to) => format!("{} {to}", answer.status),
            None => format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body)),
        }
    }

    #[test]
    fn sites_and_seeds_follow_from_where_the_files_are() {
        for (files, seeds) in [
            (&["index.html", "a/index.html", "b/x.html"][..], &["http://mirror.lab.test/index.html"][..]),
            (&["about.htm", "zoo.html", "a/b/x.html"], &["http://mirror.lab.test/about.htm"]),
            (&["only/x y.html", "only/z.html", "other/readme.txt"], &["http://mirror.lab.test/only/x%20y.html"]),
            (
                &["b/de/index.html", "b/en/index.html", "b/en/more/index.html", "a/100%.html", "c/.x/index.html"],
                &[
                    "http://a.lab.test/100%25.html",
                    "http://b.lab.test/de/index.html",
                    "http://b.lab.test/en/index.html",
                ],
            ),
            (
                &["en-US/x.html", "en_us/x.html", "日本/x.html"],
                &["http://en-us.lab.test/x.html", "http://mirror2.lab.test/x.html", "http://mirror3.lab.test/x.html"],
            ),
            (
                &["www.example.org/index.html", "example.com/index.html", "python3.11/index.html"],
                &[
                    "http://example.com/index.html",
                    "http://python3-11.lab.test/index.html",
                    "http://www.example.org/index.html",
                ],
            ),
        ] {
            let folder = folder(files);
            assert_eq!(seeds_of(&Mirror::open(folder.path()).unwrap()), seeds, "{files:?}");
        }
    }

    #[test]
    fn a_folder_without_pages_is_no_web() {
        assert!(Mirror::open(folder(&["x.txt"]).path()).unwrap_err().to_string().contains(".html"));
        assert!(Mirror::open(Path::new("/nothing/of/that/name")).is_err());
    }

    #[test]
    fn files_folders_and_ways_between_sites_are_answered() {
        let folder = folder(&["a/index.html", "a/sub/index.html", "a/p.jpg", "a/b/own.html", "b/x.html", "b/own.html"]);
        let mirror = Mirror::open(folder.path()).unwrap();
        let (a, b) = ("a.lab.test", "b.lab.test");
        for (host, target, expected) in [
            (a, "/", "200 a/index.html"),
            (a, "/index.html?x=1", "200 a/index.html"),
            (a, "//sub", "301 http://a.lab.test/sub/"),
            (a, "/sub/", "200 a/sub/index.html"),
            (a, "/p.jpg", "200 a/p.jpg"),
            (a, "/%70.jpg", "200 a/p.jpg"),
            (a, "/b/own.html", "200 a/b/own.html"),
            (a, "/b/x.html", "301 http://b.lab.test/x.html"),
            (b, "/a/sub/", "301 http://a.lab.test/sub/"),
            (a, "/b/", "301 http://b.lab.test/"),
            (b, "/a", "301 http://a.lab.test/"),
            ("B.lab.test", "/x.html", "200 b/x.html"),
        ] {
            assert_eq!(said(&asked(&mirror, host, target)), expected, "{host}{target}");
        }
        assert_eq!(asked(&mirror, a, "/p.jpg").header("content-type"), Some("image/jpeg"));
        let part =
            Asked { host: a.into(), target: "/p.jpg".into(), range: Some("bytes=2-3".into()), ..Asked::default() };
        assert_eq!(said(&mirror.answer(&part)), "206 p.");
        for (host, target) in
            [(b, "/"), (a, "/none.html"), (a, "/p.jpg/"), ("elsewhere.test", "/"), ("", ""), (a, "/sub/%00")]
        {
            assert_eq!(asked(&mirror, host, target).status, 404, "{host}{target}");
        }
    }

    #[test]
    fn nothing_outside_of_the_folder_and_nothing_hidden_is_served() {
        let outside = folder(&["secret.html", "deep/secret.html"]);
        let inside = folder(&["index.html", "a/x.html", ".hidden.html", ".git/index.html"]);
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, inside.path().join(name)).unwrap();
        link(&outside.path().join("secret.html"), "out.html");
        link(&outside.path().join("deep"), "out");
        link(Path::new("a/x.html"), "in.html");
        link(Path::new("."), "round");
        let mirror = Mirror::open(inside.path()).unwrap();
        let get = |target: &str| asked(&mirror, "mirror.lab.test", target).status;
        assert_eq!(mirror.pages(), 2, "what is hidden or a link is not counted");
        let escape = format!("/../{}/secret.html", outside.path().file_name().unwrap().to_string_lossy());
        let dots = escape.replace("..", "%2e%2e");
        let absolute = format!("/%2F{}", outside.path().join("secret.html").display());
        for target in
            ["/out.html", "/out/secret.html", "/.hidden.html", "/.git/", "/.git/index.html", &escape, &dots, &absolute]
        {
            assert_eq!(get(target), 404, "{target}");
        }
        for target in ["/in.html", "/round/in.html", "/a/x.html"] {
            assert_eq!(get(target), 200, "{target}");
        }
        assert_eq!(get("/a/"), 404, "nothing is listed");
    }
}
