//! What is known of the pages of one site, in memory.

use std::collections::VecDeque;

use facts::{Timestamp, Url};
use report::{Change, Spread};

use crate::links::{Links, UNREACHED};
use crate::names::{Id, Names, ROOT};
use crate::site::{Site, Source, indexes, is_index};

/// What may be true of a name.
pub(crate) mod is {
    /// It is, or was, a page.
    pub(crate) const PAGE: u16 = 1;
    /// It is not there any more.
    pub(crate) const GONE: u16 = 2;
    /// It asks for a password: not for crawlers.
    pub(crate) const HIDDEN: u16 = 4;
    /// A form is sent there.
    pub(crate) const FORM: u16 = 8;
    /// Its links were read.
    pub(crate) const READ: u16 = 16;
    /// Scripts change it.
    pub(crate) const DYNAMIC: u16 = 32;
    /// It is to be written to the state.
    pub(crate) const DIRTY: u16 = 64;
    /// It is listed, and yet not there.
    pub(crate) const MISSING: u16 = 128;
    /// Not kept in the state.
    pub(crate) const PASSING: u16 = DIRTY;
}

/// Names that are only linked to, at most, for each page there is.
const LINKED_ONLY: usize = 2;
/// The same for small sites.
const LINKED_ONLY_LEAST: usize = 10_000;
/// What a change is noted as that came with the first look.
const FIRST: u64 = 1;

/// A page, or a name that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// When its content was last changed, as the file system or the sitemap says.
    pub(crate) modified: Timestamp,
    /// When that was noticed.
    pub(crate) changed: Timestamp,
    /// What tells this version from others without reading it.
    pub(crate) mark: u64,
    /// What tells its content from others; 0 when it was never read.
    pub(crate) hash: u64,
    /// The number of its last change.
    pub(crate) change: u64,
    /// How many updates of it were seen.
    pub(crate) updates: u32,
    /// Links from the main page.
    pub(crate) distance: u16,
    pub(crate) flags: u16,
}

impl Page {
    const NONE: Self = Self {
        modified: Timestamp(0),
        changed: Timestamp(0),
        mark: 0,
        hash: 0,
        change: 0,
        updates: 0,
        distance: UNREACHED,
        flags: 0,
    };

    pub(crate) fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether it is a page that is there.
    pub(crate) fn is_there(&self) -> bool {
        self.flags & (is::PAGE | is::GONE) == is::PAGE
    }

    pub(crate) fn kind(&self) -> Change {
        match (self.has(is::GONE), self.updates) {
            (true, _) => Change::Removed,
            (false, 0) => Change::New,
            (false, _) => Change::Updated,
        }
    }
}

/// What a look at a page showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) mark: u64,
    pub(crate) modified: Timestamp,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// Nothing new.
    Same,
    /// It changed, or is new.
    Changed,
    /// It may have changed: its content decides.
    Doubtful,
}

/// Everything known of a site.
pub(crate) struct Book {
    site: Site,
    pub(crate) names: Names,
    pages: Vec<Page>,
    pub(crate) links: Links,
    /// The number of the last change.
    pub(crate) last: u64,
    /// Grows with everything that lists show.
    pub(crate) version: u64,
    /// Whether all links were read once.
    pub(crate) ranked: bool,
    /// Links from the main page to the page furthest away.
    pub(crate) length: u16,
    /// Pages whose links are to be read.
    pub(crate) unread: VecDeque<Id>,
    /// Whether links changed since distances were counted.
    pub(crate) moved: bool,
    /// Names to be written.
    dirty: Vec<Id>,
    linked_only: usize,
    there: usize,
}

impl Book {
    pub(crate) fn new(site: Site) -> Self {
        let mut book = Self {
            site,
            names: Names::new(),
            pages: vec![Page::NONE],
            links: Links::default(),
            last: FIRST - 1,
            version: 0,
            ranked: false,
            length: 0,
            unread: VecDeque::new(),
            moved: false,
            dirty: Vec::new(),
            linked_only: 0,
            there: 0,
        };
        book.touch(ROOT);
        book
    }

    pub(crate) fn page(&self, id: Id) -> &Page {
        self.pages.get(id as usize).unwrap_or(&Page::NONE)
    }

    /// All names with what is known of them.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (Id, &Page)> {
        (0..).zip(&self.pages)
    }

    /// Pages that are there.
    pub(crate) fn there(&self) -> usize {
        self.there
    }

    /// The number of a name, a new one if it has none.
    pub(crate) fn intern(&mut self, parent: Id, name: &[u8]) -> Option<Id> {
        let id = self.names.intern(parent, name)?;
        if id as usize >= self.pages.len() {
            self.pages.push(Page::NONE);
            self.touch(id);
        }
        Some(id)
    }

    /// Puts a name in its place that was stored; for filling an empty book in order.
    pub(crate) fn restore(&mut self, parent: Id, name: &[u8], page: Page, links: &[u8]) {
        let Some(id) = self.names.intern(parent, name).filter(|id| *id as usize == self.pages.len()) else { return };
        self.pages.push(page);
        self.links.set_packed(id, links);
        self.there += usize::from(page.is_there());
        self.linked_only += usize::from(!page.has(is::PAGE));
        if page.is_there() && !page.has(is::READ) {
            self.unread.push_back(id);
        }
        self.moved = true;
    }

    fn touch(&mut self, id: Id) {
        if let Some(page) = self.pages.get_mut(id as usize).filter(|page| !page.has(is::DIRTY)) {
            page.flags |= is::DIRTY;
            self.dirty.push(id);
        }
    }

    /// Puts back what could not be written.
    pub(crate) fn put_back(&mut self, ids: &[Id]) {
        for &id in ids {
            self.touch(id);
        }
    }

    /// Some names that are to be written, in order, and which are then no longer.
    pub(crate) fn take_dirty(&mut self, most: usize) -> Vec<Id> {
        // In order, so that what a kill leaves in the state has no gaps.
        self.dirty.sort_unstable_by(|a, b| b.cmp(a));
        let some = self.dirty.split_off(self.dirty.len().saturating_sub(most));
        for &id in &some {
            if let Some(page) = self.pages.get_mut(id as usize) {
                page.flags &= !is::PASSING;
            }
        }
        some.into_iter().rev().collect()
    }

    /// Notes what a look at a page showed.
    pub(crate) fn note(&mut self, id: Id, look: Look, now: Timestamp, first: bool) -> Noted {
        let Some(page) = self.pages.get_mut(id as usize) else { return Noted::Same };
        if page.is_there() {
            if page.mark == look.mark {
                return Noted::Same;
            }
            if page.hash != 0 {
                return Noted::Doubtful;
            }
            self.update(id, look, now);
            return Noted::Changed;
        }
        // One that comes back is an update of what was there before.
        page.updates += u32::from(page.has(is::PAGE));
        page.flags = page.flags & !(is::GONE | is::MISSING | is::READ) | is::PAGE;
        page.hash = 0;
        (page.mark, page.modified) = (look.mark, look.modified);
        let at = if first { look.modified.min(now) } else { now };
        self.there += 1;
        self.unread.push_back(id);
        self.changed(id, at);
        Noted::Changed
    }

    /// Notes that the content of a page is another one.
    pub(crate) fn update(&mut self, id: Id, look: Look, now: Timestamp) {
        let Some(page) = self.pages.get_mut(id as usize) else { return };
        (page.mark, page.modified) = (look.mark, look.modified);
        page.updates = page.updates.saturating_add(1);
        page.flags &= !is::READ;
        page.hash = 0;
        self.unread.push_back(id);
        self.changed(id, now);
    }

    /// What the content of a page is compared with, before its links are read.
    pub(crate) fn compare_with(&mut self, id: Id, hash: u64) {
        if let Some(page) = self.pages.get_mut(id as usize) {
            page.hash = hash;
        }
    }

    /// Notes that a page was written again with the content it had.
    pub(crate) fn unchanged(&mut self, id: Id, look: Look) {
        if let Some(page) = self.pages.get_mut(id as usize) {
            page.mark = look.mark;
            self.touch(id);
        }
    }

    /// Notes that a page is not there any more.
    pub(crate) fn gone(&mut self, id: Id, now: Timestamp) {
        let Some(page) = self.pages.get_mut(id as usize).filter(|page| page.is_there()) else { return };
        page.flags |= is::GONE;
        self.there -= 1;
        self.moved = true;
        self.changed(id, now);
    }

    /// Notes that a page that is listed is not there: being listed does not bring it back.
    pub(crate) fn missing(&mut self, id: Id, now: Timestamp) {
        self.gone(id, now);
        if let Some(page) = self.pages.get_mut(id as usize).filter(|page| page.has(is::GONE)) {
            page.flags |= is::MISSING;
            self.touch(id);
        }
    }

    /// Notes that a page is not listed any more: when it is, it is back.
    pub(crate) fn unlisted(&mut self, id: Id, now: Timestamp) {
        self.gone(id, now);
        if let Some(page) = self.pages.get_mut(id as usize).filter(|page| page.has(is::MISSING)) {
            page.flags &= !is::MISSING;
            self.touch(id);
        }
    }

    fn changed(&mut self, id: Id, at: Timestamp) {
        if let Some(page) = self.pages.get_mut(id as usize) {
            page.changed = at;
            // What crawlers are not told of is no reason for them to come.
            if !page.has(is::HIDDEN) {
                self.last += 1;
                page.change = self.last;
                self.version += 1;
            }
        }
        self.touch(id);
    }

    /// Notes what was read in a page: the numbers of what it links to, whether it asks for a
    /// password, whether scripts change it.
    pub(crate) fn read(&mut self, id: Id, hash: u64, joints: Joints) {
        let Some(page) = self.pages.get_mut(id as usize) else { return };
        page.hash = hash;
        let opened = page.has(is::HIDDEN) && joints.flags & is::HIDDEN == 0;
        page.flags = page.flags & !(is::HIDDEN | is::DYNAMIC) | is::READ | joints.flags;
        if opened {
            // Nobody was told of it so far.
            self.changed(id, self.page(id).changed);
        }
        for form in joints.forms {
            if let Some(page) = self.pages.get_mut(form as usize) {
                page.flags |= is::FORM;
            }
            self.touch(form);
        }
        let before = self.links.packed(id).to_vec();
        if !self.links.set(id, joints.links) {
            tracing::debug!(
                "the site has more links than are kept: levels are those of the links that were read first"
            );
        }
        self.moved |= before != self.links.packed(id);
        self.version += 1;
        self.touch(id);
    }

    /// Counts distances from the main page anew.
    pub(crate) fn rank(&mut self) {
        let main = self.main();
        let distances = self.links.distances(&main, self.pages.len());
        self.length = 0;
        let mut opened = Vec::new();
        for (id, (page, distance)) in (0..).zip(self.pages.iter_mut().zip(distances)) {
            if self.ranked && page.has(is::FORM) && page.distance == UNREACHED && distance != UNREACHED {
                opened.push(id);
            }
            page.distance = distance;
            if distance != UNREACHED && page.is_there() {
                self.length = self.length.max(distance);
            }
        }
        // What only forms led to is a page now, and nobody was told of it so far.
        for id in opened {
            self.changed(id, self.page(id).changed);
        }
        self.moved = false;
        self.ranked = true;
        self.version += 1;
    }

    /// The main page: the index of the root, or the address itself.
    fn main(&self) -> Vec<Id> {
        match &self.site.source {
            Source::Folder(_) => indexes().filter_map(|name| self.names.find(ROOT, name)).collect(),
            Source::Sitemap(_) => {
                self.names.find(ROOT, self.site.url.path_and_query().as_bytes()).into_iter().collect()
            }
        }
    }

    /// How far a page counts to be from the main page.
    fn distance(&self, id: Id, page: &Page) -> u32 {
        match (self.ranked, page.distance) {
            // Folders stand for links that were not read yet.
            (false, _) => {
                let depth = self.names.upwards(id).count() as u32;
                depth - u32::from(depth > 0 && is_index(self.names.name(id)))
            }
            (true, UNREACHED) => u32::from(self.length),
            (true, distance) => u32::from(distance),
        }
    }

    /// How far from its main page the site goes.
    pub(crate) fn depth(&self) -> u32 {
        match self.ranked {
            true => u32::from(self.length),
            false => self
                .pages()
                .filter(|(_, page)| page.is_there())
                .map(|(id, page)| self.distance(id, page))
                .max()
                .unwrap_or(0),
        }
    }

    /// The level of a page, in a site of this depth.
    pub(crate) fn level(&self, id: Id, depth: u32) -> f64 {
        report::level(self.distance(id, self.page(id)), depth)
    }

    /// The fewest and the most updates of pages that are there.
    pub(crate) fn spread(&self) -> Spread {
        Spread::of(self.pages.iter().filter(|page| page.is_there()).map(|page| page.updates))
    }

    /// Whether crawlers are told of a page.
    pub(crate) fn is_open(&self, page: &Page) -> bool {
        let form_only = self.ranked && page.has(is::FORM) && page.distance == UNREACHED;
        page.has(is::PAGE) && !page.has(is::HIDDEN) && !form_only
    }

    /// The address of a page.
    pub(crate) fn url(&self, id: Id) -> Option<Url> {
        match &self.site.source {
            Source::Folder(_) => self.site.page(&self.names.path(id)),
            Source::Sitemap(_) => self.site.url.join(std::str::from_utf8(self.names.name(id)).ok()?).ok(),
        }
    }

    /// The number of what an address asks for, also when it is not there yet.
    pub(crate) fn resolve(&mut self, url: &Url) -> Option<Id> {
        match &self.site.source {
            Source::Sitemap(_) => {
                let covered = self.site.covers(url);
                covered.then(|| self.linked(ROOT, url.path_and_query().as_bytes())).flatten()
            }
            Source::Folder(_) => {
                let path = self.site.path(url)?;
                let (name, folders) = path.split_last()?;
                let mut folder = ROOT;
                for name in folders.iter().filter(|name| !name.is_empty()) {
                    folder = self.linked(folder, name)?;
                }
                self.target(folder, name)
            }
        }
    }

    /// What a name in a folder leads to: that file, its index if it is a folder, or a page whose
    /// ending may be left out.
    fn target(&mut self, folder: Id, name: &[u8]) -> Option<Id> {
        let folder = match name {
            b"" => folder,
            _ => match self.names.find(folder, name) {
                Some(id) if self.page(id).has(is::PAGE) => return Some(id),
                Some(id) => id,
                None if crate::site::is_page(name) => return self.linked(folder, name),
                None => {
                    let with_ending = [name, b".html"].concat();
                    return self.names.find(folder, &with_ending);
                }
            },
        };
        let index = indexes().find_map(|index| self.names.find(folder, index).filter(|id| self.page(*id).is_there()));
        index.or_else(|| self.linked(folder, b"index.html"))
    }

    /// A name that is linked to. Those that are only that are bounded.
    fn linked(&mut self, parent: Id, name: &[u8]) -> Option<Id> {
        if let Some(id) = self.names.find(parent, name) {
            return Some(id);
        }
        if name.len() > 1024 || self.linked_only > LINKED_ONLY_LEAST + LINKED_ONLY * self.there {
            return None;
        }
        self.linked_only += 1;
        self.intern(parent, name)
    }
}

/// What was read in a page.
#[derive(Default)]
pub(crate) struct Joints {
    pub(crate) links: Vec<Id>,
    pub(crate) forms: Vec<Id>,
    /// [`is::HIDDEN`], [`is::DYNAMIC`].
    pub(crate) flags: u16,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn look(mark: u64) -> Look {
        Look { mark, modified: Timestamp(500) }
    }

    fn book() -> Book {
        Book::new(Site::parse("https://example.org/=/srv/www").unwrap())
    }

    fn url(path: &str) -> Url {
        Url::parse("https://example.org/").unwrap().join(path).unwrap()
    }

    #[test]
    fn a_page_is_new_then_updated_then_removed_then_back() {
        let mut book = book();
        let id = book.intern(ROOT, b"a.html").unwrap();
        assert_eq!(book.note(id, look(1), NOW, true), Noted::Changed);
        assert_eq!((book.page(id).kind(), book.page(id).changed, book.last), (Change::New, Timestamp(500), 1));
        assert_eq!(book.note(id, look(1), NOW, false), Noted::Same);
        assert_eq!(book.note(id, look(2), NOW, false), Noted::Changed);
        assert_eq!((book.page(id).kind(), book.page(id).updates, book.last), (Change::Updated, 1, 2));
        book.gone(id, NOW);
        book.gone(id, NOW);
        assert_eq!((book.page(id).kind(), book.last, book.there()), (Change::Removed, 3, 0));
        book.note(id, look(2), NOW, false);
        assert_eq!((book.page(id).kind(), book.page(id).updates, book.there()), (Change::Updated, 2, 1));
    }

    #[test]
    fn a_page_that_is_listed_and_not_there_is_gone_once() {
        let mut book = book();
        let id = book.intern(ROOT, b"/a").unwrap();
        book.note(id, look(1), NOW, false);
        book.missing(id, NOW);
        book.missing(id, NOW);
        assert_eq!((book.page(id).kind(), book.last, book.page(id).has(is::MISSING)), (Change::Removed, 2, true));
        // Off the list it is as any other that is gone, and may come back.
        book.unlisted(id, NOW);
        assert_eq!((book.last, book.page(id).has(is::MISSING)), (2, false));
        book.note(id, look(1), NOW, false);
        assert!(book.page(id).is_there());
    }

    #[test]
    fn a_page_that_was_read_is_compared_by_its_content() {
        let mut book = book();
        let id = book.intern(ROOT, b"a.html").unwrap();
        book.note(id, look(1), NOW, false);
        book.read(id, 77, Joints::default());
        assert_eq!(book.note(id, look(2), NOW, false), Noted::Doubtful);
        book.unchanged(id, look(2));
        assert_eq!((book.note(id, look(2), NOW, false), book.page(id).updates), (Noted::Same, 0));
    }

    #[test]
    fn links_lead_to_files_indexes_and_what_is_yet_to_come() {
        let mut book = book();
        let folder = book.intern(ROOT, b"d").unwrap();
        let index = book.intern(folder, b"index.htm").unwrap();
        let page = book.intern(ROOT, b"p.html").unwrap();
        book.note(index, look(1), NOW, false);
        book.note(page, look(1), NOW, false);
        assert_eq!(book.resolve(&url("/d/")), Some(index));
        assert_eq!(book.resolve(&url("/d")), Some(index));
        assert_eq!(book.resolve(&url("/p")), Some(page));
        assert_eq!(book.resolve(&url("http://example.org/p.html?x=1")), Some(page));
        assert_eq!(book.resolve(&url("https://example.com/p.html")), None);
        assert_eq!(book.resolve(&url("/picture.jpg")), None);
        let later = book.resolve(&url("/new/later.html")).unwrap();
        assert!(!book.page(later).has(is::PAGE));
        let new = book.names.find(ROOT, b"new").unwrap();
        assert_eq!(book.intern(new, b"later.html"), Some(later));
    }

    #[test]
    fn levels_come_from_links_and_before_that_from_folders() {
        let mut book = book();
        let add = |book: &mut Book, parent, name: &str| {
            let id = book.intern(parent, name.as_bytes()).unwrap();
            book.note(id, look(1), NOW, false);
            id
        };
        let folder = book.intern(ROOT, b"a").unwrap();
        let inner = book.intern(folder, b"b").unwrap();
        let [main, near, far] =
            [(ROOT, "index.html"), (ROOT, "x.html"), (inner, "y.html")].map(|(f, n)| add(&mut book, f, n));
        let levels = |book: &Book| [main, near, far].map(|id| book.level(id, book.depth()));
        assert_eq!(levels(&book), [0.5, 0.5, 0.3]);
        book.read(main, 1, Joints { links: vec![far], ..Joints::default() });
        book.read(far, 1, Joints { links: vec![near], ..Joints::default() });
        book.rank();
        assert_eq!((levels(&book), book.length), ([0.5, 0.4, 0.5], 2));
    }

    #[test]
    fn log_ins_and_what_only_forms_lead_to_are_not_for_crawlers() {
        let mut book = book();
        let main = book.resolve(&url("/")).unwrap();
        let login = book.resolve(&url("/login.html")).unwrap();
        let result = book.resolve(&url("/result.php")).unwrap();
        for id in [main, login, result] {
            book.note(id, look(1), NOW, false);
        }
        let joints = Joints { links: vec![login], forms: vec![result], flags: 0 };
        book.read(main, 1, joints);
        book.read(login, 1, Joints { flags: is::HIDDEN, ..Joints::default() });
        book.rank();
        let open = |book: &Book| [main, login, result].map(|id| book.is_open(book.page(id)));
        assert_eq!(open(&book), [true, false, false]);
        // Its changes are no reason to come.
        let last = book.last;
        book.update(login, look(2), NOW);
        assert_eq!(book.last, last);
        book.read(login, 2, Joints::default());
        assert_eq!(
            (book.last, book.page(login).change),
            (last + 1, last + 1),
            "it is told of when it is none any more"
        );
        book.read(login, 2, Joints { flags: is::HIDDEN, ..Joints::default() });
        // A link makes a page of what was only the answer to a form.
        book.read(main, 2, Joints { links: vec![result], ..Joints::default() });
        book.rank();
        assert_eq!(open(&book), [true, false, true]);
        assert_eq!(book.page(result).change, book.last, "and is told of");
    }

    #[test]
    fn names_that_nobody_made_are_bounded() {
        let mut book = book();
        for i in 0..30_000 {
            book.resolve(&url(&format!("/x{i}.html")));
        }
        assert!(book.names.len() < LINKED_ONLY_LEAST + 10, "{}", book.names.len());
    }
}
