//! A site in a folder: looked through once, then kept in step by what the kernel tells, and looked
//! through again now and then, and whenever something was lost.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::book::{Look, Noted, is};
use crate::due::Due;
use crate::events::{Events, Happening};
use crate::look::{content, hash, look};
use crate::names::{Id, ROOT};
use crate::site::is_page;
use crate::watched::{Watched, now};

/// How long after its last happening a file is looked at: writing and renaming come in pairs.
const SETTLES: Duration = Duration::from_millis(100);
/// The same for one that was made and not finished; most are finished sooner, and then it is the
/// above.
const UNFINISHED: Duration = Duration::from_millis(1_500);
/// How often to look through it all when not every folder can be watched.
const BLIND: Duration = Duration::from_secs(300);
/// It is never looked through more often by itself.
const OFTEN: Duration = Duration::from_secs(60);
/// Files whose looks are noted at once.
const TOGETHER: usize = 1_000;
/// Folders inside each other; a loop of mounts ends here.
const DEEPEST: usize = 128;
/// Bytes of an .htaccess that are read.
const ACCESS_BYTES: u64 = 64 << 10;

/// Keeps the book of one site in step with its folder.
pub(crate) struct Folder {
    watched: Arc<Watched>,
    /// As it was named.
    root: PathBuf,
    /// Where that is now: a link may be set anew with each release.
    real: PathBuf,
    /// Which folder that is, by device and number: another may be put in its place.
    which: Option<(u64, u64)>,
    events: Option<Events>,
    /// Names to be looked at, and when.
    due: Due,
    /// When everything was last looked through.
    looked: Instant,
    rescan: Duration,
    /// Folders that could not be read, so that it is said once.
    unreadable: HashSet<Id>,
    /// Set when the watcher is to end, also in the middle of a walk.
    ending: Arc<AtomicBool>,
}

/// What a walk through folders saw.
#[derive(Default)]
struct Walk {
    /// Where it began.
    roots: HashSet<Id>,
    seen: Vec<u64>,
    /// Folders that are there and cannot be read: what is in them stays as it was.
    closed: HashSet<Id>,
    /// Folders that are not there.
    vanished: HashSet<Id>,
}

impl Walk {
    fn see(&mut self, id: Id) {
        let place = id as usize / 64;
        if self.seen.len() <= place {
            self.seen.resize(place + 1, 0);
        }
        self.seen[place] |= 1 << (id % 64);
    }

    fn saw(&self, id: Id) -> bool {
        self.seen.get(id as usize / 64).is_some_and(|bits| bits & 1 << (id % 64) != 0)
    }
}

impl Folder {
    pub(crate) fn new(watched: Arc<Watched>, root: PathBuf, rescan: Duration, ending: Arc<AtomicBool>) -> Self {
        let (real, which) = place(&root).map_or((root.clone(), None), |(real, which)| (real, Some(which)));
        let events = events();
        let rescan = if events.is_some() { rescan } else { rescan.min(BLIND) };
        // Looking all the time would keep the disk busy.
        let rescan = rescan.max(OFTEN);
        Self {
            watched,
            root,
            real,
            which,
            events,
            due: Due::default(),
            looked: Instant::now(),
            rescan,
            unreadable: HashSet::new(),
            ending,
        }
    }

    /// Looks at everything.
    pub(crate) fn look_through(&mut self) {
        self.looked = Instant::now();
        if let Some(events) = &mut self.events {
            events.lost = false;
        }
        let mut walk = Walk::default();
        self.walk(ROOT, &mut walk);
        self.finish(walk);
    }

    /// Waits for changes and notes them, for so long at most.
    pub(crate) fn step(&mut self, patience: Duration) {
        let next = self.due.next().map_or(patience, |due| due.saturating_duration_since(Instant::now()));
        match &self.events {
            Some(events) => events.wait(next.min(patience)),
            None => std::thread::sleep(patience.min(Duration::from_millis(200))),
        }
        self.gather();
        self.follow();
        let blind = self.events.as_ref().is_none_or(|events| events.exhausted);
        let rescan = if blind { self.rescan.min(BLIND) } else { self.rescan };
        if self.events.as_ref().is_some_and(|events| events.lost) || self.looked.elapsed() > rescan {
            self.due = Due::default();
            self.look_through();
        }
        self.note_due();
    }

    /// Looks at everything where another folder is at the place of the site: a link that was set anew, or
    /// a folder that was moved there. While there is none, pages stay as they were.
    fn follow(&mut self) {
        let place = place(&self.root);
        let which = place.as_ref().map(|(_, which)| *which);
        if which == self.which && place.as_ref().is_none_or(|(real, _)| *real == self.real) {
            return;
        }
        self.which = which;
        if let Some((real, _)) = place {
            self.real = real;
            // What happens in the folder that was there is no news of this one.
            if self.events.is_some() {
                self.events = events();
            }
            self.due = Due::default();
            self.look_through();
        }
    }

    /// Takes over what happened.
    fn gather(&mut self) {
        let Some(events) = &mut self.events else { return };
        events.drain();
        let now = Instant::now();
        for Happening { folder, name, unfinished } in events.take() {
            self.due.happened((folder, name), now, if unfinished { UNFINISHED } else { SETTLES });
        }
    }

    /// Looks at the names whose time has come.
    fn note_due(&mut self) {
        let ready = self.due.ready(Instant::now());
        if ready.is_empty() {
            return;
        }
        let mut walk = Walk::default();
        let mut looks = Vec::new();
        let mut shut = HashMap::new();
        for (number, (folder, name)) in ready.into_iter().enumerate() {
            let path = self.path(folder).join(OsStr::from_bytes(&name));
            let known = self.watched.book().names.find(folder, &name);
            match path.symlink_metadata() {
                // Who may enter is said in it.
                _ if &*name == b".htaccess" => self.walk(folder, &mut walk),
                // A locked folder is watched only for being opened.
                Ok(_) if self.is_shut(folder, &mut shut) => {}
                Ok(meta) if meta.is_dir() && !name.starts_with(b".") => {
                    let id = self.watched.book().intern(folder, &name);
                    id.into_iter().for_each(|id| self.walk(id, &mut walk));
                }
                Ok(meta) if meta.is_file() && is_page(&name) && !name.starts_with(b".") => {
                    looks.push((folder, name, look(&meta)));
                }
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    let Some(id) = known else { continue };
                    let is_page = self.watched.book().page(id).is_there();
                    if is_page { self.watched.book().gone(id, crate::watched::now()) } else { self.walk(id, &mut walk) }
                }
                Err(error) => tracing::debug!("{} cannot be looked at: {error}", path.display()),
            }
            if looks.len() >= TOGETHER {
                self.note(std::mem::take(&mut looks), &mut Walk::default());
            }
            if number % TOGETHER == 0 {
                self.drain();
            }
        }
        self.note(looks, &mut Walk::default());
        self.finish(walk);
    }

    /// Whether a folder, or one that it is in, asks who enters.
    fn is_shut(&self, folder: Id, known: &mut HashMap<Id, bool>) -> bool {
        if let Some(shut) = known.get(&folder) {
            return *shut;
        }
        let parent = (folder != ROOT).then(|| self.watched.book().names.parent(folder));
        let shut = is_locked(&self.path(folder)) || parent.is_some_and(|parent| self.is_shut(parent, known));
        known.insert(folder, shut);
        shut
    }

    fn drain(&mut self) {
        if let Some(events) = &mut self.events {
            events.drain();
        }
    }

    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    fn path(&self, id: Id) -> PathBuf {
        let book = self.watched.book();
        let mut path = self.real.clone();
        path.extend(book.names.path(id).into_iter().map(OsStr::from_bytes));
        path
    }

    /// Walks through a folder and what is in it.
    fn walk(&mut self, from: Id, walk: &mut Walk) {
        walk.roots.insert(from);
        let parent = self.watched.book().names.parent(from);
        if from != ROOT && self.is_shut(parent, &mut HashMap::new()) {
            return;
        }
        let depth = self.watched.book().names.upwards(from).count();
        let mut open = vec![(from, self.path(from), depth)];
        while let Some((id, path, depth)) = open.pop() {
            if self.is_ending() {
                return;
            }
            self.drain();
            if let Err(error) = self.walk_one(id, &path, depth, &mut open, walk) {
                match error.kind() {
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory if id != ROOT => {
                        walk.vanished.insert(id);
                    }
                    _ => {
                        walk.closed.insert(id);
                        if self.unreadable.insert(id) {
                            tracing::warn!("{} cannot be read: {error}; its pages stay as they were", path.display());
                        }
                    }
                }
            }
        }
    }

    fn walk_one(
        &mut self,
        id: Id,
        path: &Path,
        depth: usize,
        open: &mut Vec<(Id, PathBuf, usize)>,
        walk: &mut Walk,
    ) -> std::io::Result<()> {
        // Watched first: what changes after that is told, what changed before is seen.
        if let Some(events) = &mut self.events {
            events.watch(id, path);
        }
        if depth > DEEPEST || is_locked(path) {
            return Ok(());
        }
        let mut looks = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let name = name.as_bytes();
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with(b".") {
                continue;
            }
            if kind.is_dir() {
                let child = self.watched.book().intern(id, name);
                open.extend(child.map(|child| (child, entry.path(), depth + 1)));
            } else if kind.is_file() && is_page(name) {
                let Ok(meta) = entry.metadata() else { continue };
                looks.push((id, name.into(), look(&meta)));
            }
            if looks.len() >= TOGETHER {
                self.note(std::mem::take(&mut looks), walk);
                self.drain();
                if self.is_ending() {
                    return Ok(());
                }
            }
        }
        self.note(looks, walk);
        self.unreadable.remove(&id);
        Ok(())
    }

    /// Notes what looks at files showed; where only the content can tell, it is read.
    fn note(&mut self, looks: Vec<(Id, Box<[u8]>, Look)>, walk: &mut Walk) {
        let mut doubtful = Vec::new();
        {
            let first = self.watched.is_first_look();
            let now = now();
            let mut book = self.watched.book();
            for (folder, name, look) in looks {
                let Some(id) = book.intern(folder, &name) else {
                    tracing::warn!("there are more names than can be watched: some pages are left out");
                    break;
                };
                walk.see(id);
                if book.note(id, look, now, first) == Noted::Doubtful {
                    doubtful.push(id);
                }
            }
        }
        for id in doubtful {
            let read = content(&self.path(id));
            let mut book = self.watched.book();
            match read {
                Ok(Some((bytes, look))) if hash(&bytes, look) == book.page(id).hash => book.unchanged(id, look),
                Ok(Some((bytes, look))) => {
                    book.update(id, look, now());
                    book.compare_with(id, hash(&bytes, look));
                }
                // Being written: its end will be told. Gone: that too.
                Ok(None) => {
                    let name = book.names.name(id).into();
                    self.due.happened((book.names.parent(id), name), Instant::now(), UNFINISHED);
                }
                Err(error) => tracing::debug!("a page that changed cannot be read: {error}"),
            }
        }
    }

    /// Notes as removed what was not seen where it should be.
    fn finish(&mut self, walk: Walk) {
        // A walk that was broken off has not seen everything.
        if walk.roots.is_empty() || self.is_ending() {
            return;
        }
        let now = now();
        let mut book = self.watched.book();
        let lost: Vec<Id> = book
            .pages()
            .filter(|(id, page)| page.is_there() && !walk.saw(*id))
            .map(|(id, _)| id)
            .filter(|id| {
                let mut covered = walk.roots.contains(&ROOT);
                for folder in book.names.upwards(*id) {
                    if walk.closed.contains(&folder) {
                        return false;
                    }
                    covered |= walk.roots.contains(&folder);
                }
                covered && !walk.closed.contains(&ROOT)
            })
            .collect();
        for id in lost {
            debug_assert!(book.page(id).has(is::PAGE));
            book.gone(id, now);
        }
        if let Some(events) = self.events.as_mut().filter(|_| !walk.vanished.is_empty()) {
            events.leave(&book.names, |id| walk.vanished.contains(&id));
        }
    }
}

fn events() -> Option<Events> {
    let failed = |error: &std::io::Error| {
        tracing::warn!("the kernel tells of no changes ({error}): the folder is looked at every few minutes");
    };
    Events::new().inspect_err(failed).ok()
}

/// Where a folder really is, and which one it is.
fn place(root: &Path) -> Option<(PathBuf, (u64, u64))> {
    let real = root.canonicalize().ok()?;
    let meta = real.metadata().ok()?;
    Some((real, (meta.dev(), meta.ino())))
}

/// Whether a folder asks who enters: then its pages are not for crawlers.
fn is_locked(folder: &Path) -> bool {
    let path = folder.join(".htaccess");
    // Asking for its size first spares opening in the many folders that have none.
    let Ok(meta) = path.symlink_metadata() else { return false };
    if !meta.is_file() || meta.len() > ACCESS_BYTES {
        return meta.is_file();
    }
    let Ok(Some((text, _))) = content(&path) else { return false };
    String::from_utf8_lossy(&text).lines().any(|line| {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(
            words.as_slice(),
            ["authtype", ..]
                | ["require", "valid-user" | "user" | "group" | "ldap-user" | "ldap-group", ..]
                | ["require", "all", "denied"]
                | ["deny", "from", "all"]
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_behind_a_log_in_are_locked() {
        let folder = tempfile::tempdir().unwrap();
        let check = |text: &str| {
            std::fs::write(folder.path().join(".htaccess"), text).unwrap();
            is_locked(folder.path())
        };
        assert!(!is_locked(folder.path()));
        assert!(check("AuthName x\n  AuthType Basic\n"));
        assert!(check("Require valid-user"));
        assert!(check("Deny from all"));
        assert!(!check("Require all granted\n# AuthType Basic\nRewriteEngine on"));
    }
}
