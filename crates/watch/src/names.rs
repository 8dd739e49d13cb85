//! Names of files and folders, a million of them in little memory: each is stored once, beside the
//! number of the folder it is in.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// The number of a file or folder. Numbers are given in order and never taken back.
pub(crate) type Id = u32;

/// The folder of the site itself.
pub(crate) const ROOT: Id = 0;

const EMPTY: u32 = u32::MAX;
/// Names at most: what is above it is not watched.
const MOST: usize = 64 << 20;

/// A tree of names.
pub(crate) struct Names {
    parents: Vec<Id>,
    /// Where each name begins; it ends where the next begins.
    starts: Vec<u32>,
    bytes: Vec<u8>,
    /// A hash table of numbers, by parent and name. Nothing is ever taken out of it.
    table: Vec<u32>,
    hasher: RandomState,
}

impl Names {
    pub(crate) fn new() -> Self {
        let mut names = Self {
            parents: Vec::new(),
            starts: Vec::new(),
            bytes: Vec::new(),
            table: vec![EMPTY; 64],
            hasher: RandomState::new(),
        };
        names.push(ROOT, b"");
        names
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no room for more.
    pub(crate) fn is_full(&self) -> bool {
        self.len() >= MOST || self.bytes.len() >= (u32::MAX - (1 << 16)) as usize
    }

    pub(crate) fn parent(&self, id: Id) -> Id {
        self.parents.get(id as usize).copied().unwrap_or(ROOT)
    }

    pub(crate) fn name(&self, id: Id) -> &[u8] {
        let place = id as usize;
        let Some(&start) = self.starts.get(place) else { return b"" };
        let end = self.starts.get(place + 1).map_or(self.bytes.len(), |&end| end as usize);
        self.bytes.get(start as usize..end).unwrap_or_default()
    }

    /// The names from the root to this one.
    pub(crate) fn path(&self, id: Id) -> Vec<&[u8]> {
        let mut path: Vec<&[u8]> = self.upwards(id).map(|id| self.name(id)).collect();
        path.reverse();
        path
    }

    /// This one and the folders it is in, without the root.
    pub(crate) fn upwards(&self, id: Id) -> impl Iterator<Item = Id> {
        let mut at = id;
        std::iter::from_fn(move || {
            let here = at;
            at = self.parent(at);
            (here != ROOT).then_some(here)
        })
    }

    pub(crate) fn find(&self, parent: Id, name: &[u8]) -> Option<Id> {
        self.slot(parent, name).ok()
    }

    /// The number of a name, a new one if it has none; nothing when there is no room.
    pub(crate) fn intern(&mut self, parent: Id, name: &[u8]) -> Option<Id> {
        match self.slot(parent, name) {
            Ok(id) => Some(id),
            Err(_) if self.is_full() => None,
            Err(_) => Some(self.push(parent, name)),
        }
    }

    /// The number in the table, or the free place for it.
    fn slot(&self, parent: Id, name: &[u8]) -> Result<Id, usize> {
        let mask = self.table.len() - 1;
        let mut place = self.hasher.hash_one((parent, name)) as usize & mask;
        loop {
            match self.table[place] {
                EMPTY => return Err(place),
                id if self.parent(id) == parent && self.name(id) == name => return Ok(id),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn push(&mut self, parent: Id, name: &[u8]) -> Id {
        let id = self.len() as Id;
        self.starts.push(self.bytes.len() as u32);
        self.bytes.extend_from_slice(name);
        self.parents.push(parent);
        if self.len() * 3 > self.table.len() * 2 {
            self.table = vec![EMPTY; self.table.len() * 2];
            for known in 0..id {
                self.put(known);
            }
        }
        self.put(id);
        id
    }

    fn put(&mut self, id: Id) {
        let mask = self.table.len() - 1;
        let mut place = self.hasher.hash_one((self.parent(id), self.name(id))) as usize & mask;
        while self.table[place] != EMPTY {
            place = (place + 1) & mask;
        }
        self.table[place] = id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again_among_many() {
        let mut names = Names::new();
        let folders: Vec<Id> = (0..50).map(|i| names.intern(ROOT, format!("f{i}").as_bytes()).unwrap()).collect();
        for &folder in &folders {
            for i in 0..200 {
                names.intern(folder, format!("p{i}.html").as_bytes()).unwrap();
            }
        }
        assert_eq!(names.len(), 1 + 50 + 50 * 200);
        for &folder in &folders {
            let id = names.find(folder, b"p7.html").unwrap();
            assert_eq!((names.parent(id), names.name(id)), (folder, &b"p7.html"[..]));
            assert_eq!(names.intern(folder, b"p7.html"), Some(id));
        }
        assert_eq!(names.find(ROOT, b"p7.html"), None);
        let id = names.find(folders[3], b"p0.html").unwrap();
        assert_eq!(names.path(id), [&b"f3"[..], b"p0.html"]);
        assert!(names.path(ROOT).is_empty());
    }

    #[test]
    fn any_bytes_are_a_name() {
        let mut names = Names::new();
        let id = names.intern(ROOT, b"\xff\xfe.html").unwrap();
        assert_eq!(names.find(ROOT, b"\xff\xfe.html"), Some(id));
        assert_ne!(names.intern(ROOT, b""), Some(id));
    }
}
