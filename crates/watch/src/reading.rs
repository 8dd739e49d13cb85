//! What is in pages: their links, and what scripts do to them.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use facts::Url;
use page::{Limits, Outline};
use report::Event;

use crate::book::{Joints, Look, is};
use crate::dynamic::{Script, dynamic};
use crate::look::{content, hash};
use crate::names::Id;
use crate::watched::{Watched, now};

/// Bytes of a script that are looked at.
const SCRIPT_BYTES: usize = 256 << 10;
/// Scripts of one page that are looked at.
const SCRIPTS: usize = 20;
/// Scripts that are remembered: most pages of a site load the same.
const REMEMBERED: usize = 64;

impl Watched {
    /// Notes what is in a page.
    pub(crate) fn take_in(&self, id: Id, url: &Url, hash: u64, outline: &Outline, scripts: &[&Script]) {
        let entries = match outline.asks_password {
            true => Vec::new(),
            false => dynamic(url, outline, scripts),
        };
        let json = (!entries.is_empty()).then(|| serde_json::to_string(&entries).ok()).flatten();
        let mut flags = if outline.asks_password { is::HIDDEN } else { 0 };
        flags |= if json.is_some() { is::DYNAMIC } else { 0 };
        let mut book = self.book();
        let had = book.page(id).has(is::DYNAMIC);
        let links = outline.links.iter().filter_map(|url| book.resolve(url)).collect();
        let forms = outline.forms.iter().filter_map(|url| book.resolve(url)).filter(|form| *form != id).collect();
        book.read(id, hash, Joints { links, forms, flags });
        drop(book);
        if had || json.is_some() {
            self.keep_dynamic(id, json);
        }
    }
}

/// The outline of a page, with the handlers that matter.
pub(crate) fn outline(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Outline {
    page::outline(bytes, content_type, url, &Limits::default(), |name| Event::parse(name).is_some())
}

/// Reads pages of a folder.
pub(crate) struct FileReader {
    watched: Arc<Watched>,
    root: PathBuf,
    scripts: VecDeque<(PathBuf, Look, Arc<Script>)>,
}

impl FileReader {
    pub(crate) fn new(watched: Arc<Watched>, root: PathBuf) -> Self {
        Self { watched, root, scripts: VecDeque::new() }
    }

    /// Reads one page, if it is there and not being written.
    pub(crate) fn read(&mut self, id: Id) {
        let Ok(root) = self.root.canonicalize() else { return };
        let (path, url) = {
            let book = self.watched.book();
            let page = book.page(id);
            if !page.is_there() || page.has(is::READ) {
                return;
            }
            let mut path = root.clone();
            path.extend(book.names.path(id).into_iter().map(OsStr::from_bytes));
            (path, book.url(id))
        };
        let Some(url) = url else { return };
        let (bytes, look) = match content(&path) {
            Ok(Some(read)) => read,
            // The end of writing is told, and the page read then.
            Ok(None) => return,
            Err(error) => return tracing::debug!("{} cannot be read: {error}", path.display()),
        };
        if self.watched.book().page(id).mark != look.mark {
            // Its change is yet to be noted; it is read after that.
            return;
        }
        let outline = outline(&bytes, None, &url);
        let scripts: Vec<Arc<Script>> =
            outline.scripts.iter().take(SCRIPTS).filter_map(|script| self.script(&root, script)).collect();
        let scripts: Vec<&Script> = scripts.iter().map(Arc::as_ref).collect();
        self.watched.take_in(id, &url, hash(&bytes, look), &outline, &scripts);
    }

    /// A script of the site itself.
    fn script(&mut self, root: &Path, url: &Url) -> Option<Arc<Script>> {
        let names = self.watched.site.path(url)?;
        let mut path = root.to_owned();
        path.extend(names.iter().map(|name| OsStr::from_bytes(name)));
        // A folder of the way may be a link that leads out.
        let path = path.canonicalize().ok().filter(|path| path.starts_with(root))?;
        let look = crate::look::look(&path.symlink_metadata().ok()?);
        if let Some((_, _, script)) = self.scripts.iter().find(|(known, at, _)| *known == path && *at == look) {
            return Some(Arc::clone(script));
        }
        let (bytes, look) = content(&path).ok().flatten()?;
        let code = String::from_utf8_lossy(&bytes[..bytes.len().min(SCRIPT_BYTES)]);
        let script = Arc::new(Script::read(&code));
        self.scripts.retain(|(known, ..)| *known != path);
        while self.scripts.len() >= REMEMBERED {
            self.scripts.pop_front();
        }
        self.scripts.push_back((path, look, Arc::clone(&script)));
        Some(script)
    }
}

/// Notes a page that was fetched; gives whether it is another one than before.
pub(crate) fn take_fetched(watched: &Watched, id: Id, url: &Url, bytes: &[u8], content_type: Option<&str>) -> bool {
    let (known, look) = {
        let book = watched.book();
        let page = book.page(id);
        (page.hash, Look { mark: page.mark, modified: page.modified })
    };
    let hash = match content_type {
        // What a program makes has something else in it each time: what it says is what counts.
        None => said(bytes, content_type, url),
        Some(kind) if kind.contains("html") => said(bytes, content_type, url),
        Some(_) => hash(bytes, look),
    };
    let changed = known != 0 && known != hash;
    if changed {
        let now = now();
        watched.book().update(id, Look { modified: now, ..look }, now);
    }
    let outline = outline(bytes, content_type, url);
    watched.take_in(id, url, hash, &outline, &[]);
    changed
}

/// What tells a page by what it says; never 0.
fn said(bytes: &[u8], content_type: Option<&str>, url: &Url) -> u64 {
    let digest = page::read(bytes, content_type, url, &Limits::default()).digest();
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte)).max(1)
}
