//! A page that was just read, and how the crawl came to it.

use facts::{Branch, UrlId};
use page::Page;

/// A page that was just read, and how the crawl came to it.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// The page.
    pub page: &'a Page,
    /// Whether it is relevant to the region of interest.
    pub relevant: bool,
    /// The identity of the address it was asked for by.
    pub id: UrlId,
    /// The page whose link led here; none for a seed.
    pub parent: Option<UrlId>,
    /// The address of that page.
    pub referer: Option<&'a facts::Url>,
    /// The text of that link.
    pub anchor: &'a str,
    /// The text around it.
    pub around: &'a str,
    /// The way from the last relevant page to this one.
    pub branch: Branch,
}

impl<'a> Arrival<'a> {
    /// The way to what this page links to.
    pub(crate) fn onward(&self) -> Branch {
        self.branch.onward(self.relevant)
    }

    /// At a seed.
    pub fn at(page: &'a Page) -> Self {
        let id = page.url.id();
        let branch = Branch::default();
        Self { page, relevant: false, id, parent: None, referer: None, anchor: "", around: "", branch }
    }
}
