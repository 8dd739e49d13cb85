//! How long the list of active formatting elements may become.
//!
//! Both parsers look through it for nearly each `</b>` and `</a>`, and the standard lets it grow without
//! bound: markers of cells and objects stay in it where one end tag closes several of them.

use crate::names::Tag;

/// Longest list of active formatting elements. Real pages have a few dozen.
pub(crate) const LONGEST: usize = 4_096;

/// Counts tags that may leave a marker in the list for good, from above: html5ever does not tell how
/// many markers there are, and both parsers must stop at the same pages.
///
/// Each end of a cell, a caption, an object or a template takes one marker away. So one stays where
/// another element than the one that ends has a marker too: an object that was left open, or whatever
/// has one inside a template.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leaks {
    count: usize,
    /// Templates that may be open: ends of those that are not count for nothing.
    templates: usize,
}

impl Leaks {
    pub(crate) fn tag(&mut self, name: Tag, end: bool) {
        match name {
            Tag::Template if end => self.templates = self.templates.saturating_sub(1),
            Tag::Template => {
                self.templates += 1;
                self.count += 1;
            }
            Tag::Applet | Tag::Marquee | Tag::Object if !end => self.count += 1,
            Tag::Td | Tag::Th | Tag::Caption if !end && self.templates > 0 => self.count += 1,
            _ => {}
        }
    }

    pub(crate) fn are_too_many(self) -> bool {
        self.count > LONGEST
    }
}
