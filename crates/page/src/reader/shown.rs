//! What a page shows and leads to: links, and media with their captions.

use std::ops::Range;

use facts::{MediaKind, Url};

use super::{Frame, Reader};
use crate::caption::{self, Caption};
use crate::declared::{self, Declared};
use crate::dom::Element;
use crate::elements::{PHRASE, described, phrase};
use crate::links::{Fragment, Link, LinkOrigin, Rel, Span, join};
use crate::media::{Found, Gallery, Media, MediaOrigin, kind_of, kind_of_type};
use crate::names::Key;
use crate::rights::Rights;
use crate::structured::{Structured, StructuredSource};
use crate::text::{Folded, Tags, clip, fold};
use crate::tree::{NodeId, Tree};
use crate::{name, picture};

/// A link whose element is still open.
pub(super) struct OpenLink {
    url: Url,
    rel: Rel,
    title: String,
    pub(super) visible: bool,
    /// What a hidden link says; the words of others are in the visible text.
    pub(super) text: Folded,
    alt: String,
    breaks_before: u32,
}

/// A figure: its own caption, or that of the figure around it.
#[derive(Clone, Default)]
pub(super) struct Figure {
    pub(super) around: Option<u32>,
    pub(super) caption: Range<u32>,
}

impl<'d> Reader<'d> {
    /// The target of a link, unless it is this page itself or nothing that can be visited.
    fn target(&mut self, href: &str, node: NodeId) -> Option<Url> {
        let href = href.trim();
        let scheme = |name: &str| href.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if scheme("geo:") {
            let value = clip(href, PHRASE).into();
            self.keep(Structured { source: StructuredSource::GeoUri, value, node });
            return None;
        }
        let unvisitable = ["javascript:", "mailto:", "tel:", "data:"].into_iter().any(scheme);
        if href.is_empty() || href.starts_with('#') || unvisitable {
            return None;
        }
        let url = join(&self.base, href)?;
        // What is shown there may be said only behind the address: `#map=15/54.3/10.1`.
        if let Some((_, fragment)) = href.split_once('#')
            && fragment.contains('=')
            && fragment.len() <= PHRASE
            && self.fragments.len() < self.limits.links
        {
            self.fragments.push(Fragment { url: url.clone(), fragment: fragment.to_owned(), node });
        }
        Some(url)
    }

    pub(super) fn open_link(&mut self, element: Element<'_>, frame: &mut Frame) {
        let Some(url) = element.attribute(Key::Href).and_then(|href| self.target(href, frame.node)) else {
            return;
        };
        // Links side by side are words of their own, also where the page puts no space between them.
        if self.link_end == self.visible.len() {
            self.visible.break_word();
        }
        frame.end.link = true;
        frame.tags = frame.tags.with(Tags::LINK);
        self.open_links.push(OpenLink {
            url,
            rel: element.attribute(Key::Rel).map(Rel::parse).unwrap_or_default(),
            title: phrase(element, Key::Title),
            text: Folded::new(PHRASE),
            alt: String::new(),
            visible: frame.visible,
            breaks_before: self.breaks.len() as u32,
        });
    }

    pub(super) fn close_link(&mut self, frame: &Frame, text: Range<u32>) {
        let Some(link) = self.open_links.pop() else { return };
        self.link_end = text.end;
        let mut words = if link.visible {
            clip(self.visible.slice(text.clone()), PHRASE).replace('\n', " ")
        } else {
            link.text.into_string()
        };
        if words.is_empty() {
            words = if link.alt.is_empty() { link.title.clone() } else { link.alt };
        }
        if let Some(kind) = kind_of(&link.url) {
            self.gallery.add(Found {
                media: Media {
                    name_words: name::words(&link.url),
                    url: link.url,
                    kind,
                    alt: words,
                    caption: String::new(),
                    origin: MediaOrigin::Link,
                    link_target: None,
                    declared_size: None,
                    rights: Rights::default(),
                    node: frame.node,
                },
                figure: frame.figure,
                placed: true,
            });
            return;
        }
        let span = Span { text, breaks: link.breaks_before..self.breaks.len() as u32 };
        let link = Link {
            url: link.url,
            text: words,
            title: link.title,
            around: String::new(),
            rel: link.rel,
            origin: LinkOrigin::Anchor,
            node: frame.node,
        };
        self.links.add(link, span);
    }

    /// A link without an inside.
    fn add_link(&mut self, url: Url, words: String, origin: LinkOrigin, element: Element<'_>, frame: &Frame) {
        let title = phrase(element, Key::Title);
        let rel = element.attribute(Key::Rel).map(Rel::parse).unwrap_or_default();
        let text = if words.is_empty() { title.clone() } else { words };
        let link = Link { url, text, title, around: String::new(), rel, origin, node: frame.node };
        let breaks = self.breaks.len() as u32;
        self.links.add(link, Span { text: frame.text_start..frame.text_start, breaks: breaks..breaks });
    }

    pub(super) fn area(&mut self, element: Element<'d>, frame: &Frame) {
        let Some(href) = element.attribute(Key::Href) else { return };
        let Some(url) = self.target(href, frame.node) else { return };
        match kind_of(&url) {
            Some(kind) => self.add_media(href, kind, MediaOrigin::Link, element, frame),
            None => {
                self.add_link(url, phrase(element, Key::Alt), LinkOrigin::Area, element, frame);
            }
        }
    }

    pub(super) fn frame(&mut self, element: Element<'_>, frame: &Frame) {
        let lazy = || element.attribute(Key::DataSrc);
        let src = element.attribute(Key::Src).filter(|src| !src.starts_with("about:")).or_else(lazy);
        if let Some(url) = src.and_then(|src| self.target(src, frame.node)) {
            self.add_link(url, String::new(), LinkOrigin::Frame, element, frame);
        }
    }

    pub(super) fn img(&mut self, element: Element<'d>, frame: &Frame) {
        let alt = described(element);
        if let Some(link) = self.open_links.last_mut()
            && link.alt.is_empty()
        {
            link.alt.clone_from(&alt);
        }
        let source = if frame.in_picture { self.picture.take() } else { None };
        let Some(choice) = picture::better(picture::of_img(element), source) else { return };
        let Some(url) = join(&self.base, choice.url) else { return };
        let declared = picture::declared_size(element);
        let declared_size = match (choice.width, declared) {
            (Some(width), Some((w, h))) if w > 0 => {
                let height = u64::from(width) * u64::from(h) / u64::from(w);
                Some((width, u32::try_from(height).unwrap_or(0)))
            }
            (Some(width), _) => Some((width, 0)),
            (None, declared) => declared,
        };
        self.gallery.add(Found {
            media: Media {
                name_words: name::words(&url),
                url,
                kind: MediaKind::Image,
                alt,
                caption: String::new(),
                origin: choice.origin,
                link_target: self.open_links.last().map(|link| link.url.clone()),
                declared_size,
                rights: Rights::default(),
                node: frame.node,
            },
            figure: frame.figure,
            placed: true,
        });
    }

    pub(super) fn source(&mut self, element: Element<'d>, frame: &Frame) {
        if frame.in_picture {
            self.picture = picture::better(self.picture, picture::of_source(element));
        } else if let Some(kind) = frame.player
            && let Some(src) = element.attribute(Key::Src)
        {
            self.add_media(src, kind, player_origin(kind), element, frame);
        }
    }

    pub(super) fn player(&mut self, element: Element<'d>, kind: MediaKind, frame: &mut Frame) {
        frame.player = Some(kind);
        frame.visible = false;
        if let Some(src) = element.attribute(Key::Src) {
            self.add_media(src, kind, player_origin(kind), element, frame);
        }
        if let Some(poster) = element.attribute(Key::Poster) {
            self.add_media(poster, MediaKind::Image, MediaOrigin::Poster, element, frame);
        }
    }

    pub(super) fn embed(&mut self, element: Element<'d>, address: Option<&'d str>, frame: &Frame) {
        let Some(address) = address else { return };
        let kind = element.attribute(Key::Type).and_then(kind_of_type);
        let kind = kind.or_else(|| join(&self.base, address).as_ref().and_then(kind_of));
        if let Some(kind) = kind {
            self.add_media(address, kind, MediaOrigin::Embed, element, frame);
        }
    }

    /// A media file that the element names in another way than an `<img>` does.
    pub(super) fn add_media(
        &mut self,
        address: &str,
        kind: MediaKind,
        origin: MediaOrigin,
        element: Element<'_>,
        frame: &Frame,
    ) {
        let Some(url) = join(&self.base, address) else { return };
        self.gallery.add(Found {
            media: Media {
                name_words: name::words(&url),
                url,
                kind,
                alt: described(element),
                caption: String::new(),
                origin,
                link_target: self.open_links.last().map(|link| link.url.clone()),
                declared_size: picture::declared_size(element),
                rights: Rights::default(),
                node: frame.node,
            },
            figure: frame.figure,
            placed: origin != MediaOrigin::ImageSrc,
        });
    }

    /// Media named in metas and JSON-LD come after those in the body, whose places say more.
    pub(super) fn add_declared(&mut self) {
        let root = self.tree.nodes().next();
        let metas = std::mem::take(&mut self.metas.media);
        let structured = std::mem::take(&mut self.structured);
        let mut add = |declared: Declared<'_>, node: Option<NodeId>| {
            let (Some(url), Some(node)) = (join(&self.base, declared.url), node) else { return };
            self.gallery.add(Found {
                media: Media {
                    name_words: name::words(&url),
                    url,
                    kind: declared.kind,
                    alt: fold(declared.alt, PHRASE),
                    caption: String::new(),
                    origin: declared.origin,
                    link_target: None,
                    declared_size: declared.size,
                    rights: declared.rights,
                    node,
                },
                figure: None,
                placed: false,
            });
        };
        for declared in declared::open_graph(&metas) {
            add(declared, root);
        }
        for item in structured.iter().filter(|item| item.source == StructuredSource::JsonLd) {
            for declared in declared::json_ld(&item.value) {
                add(declared, Some(item.node));
            }
        }
        self.structured = structured;
    }
}

/// Figure captions first, then the nearest of the others.
pub(super) fn caption_all(
    gallery: Gallery,
    mut figures: Vec<Figure>,
    mut captions: Vec<Caption>,
    tree: &Tree,
    text: &Folded,
) -> Vec<Media> {
    // A figure comes after the one around it, so one pass hands captions down any depth.
    for i in 0..figures.len() {
        if figures[i].caption.is_empty()
            && let Some(around) = figures[i].around
        {
            figures[i].caption = figures[around as usize].caption.clone();
        }
    }
    captions.sort_unstable_by_key(|caption| caption.node);
    let mut places = gallery.places();
    places.sort_unstable();
    places.dedup();
    let nearest = caption::nearest(&captions, &places, tree);
    gallery.finish(|found| {
        let own = found.figure.map(|figure| figures[figure as usize].caption.clone()).filter(|own| !own.is_empty());
        let near = || {
            let place = places.binary_search(&found.media.node).ok().filter(|_| found.placed)?;
            nearest[place].map(|index| captions[index].text.clone())
        };
        let range = own.or_else(near).unwrap_or_default();
        clip(text.slice(range), PHRASE).replace('\n', " ")
    })
}

fn player_origin(kind: MediaKind) -> MediaOrigin {
    if kind == MediaKind::Audio { MediaOrigin::Audio } else { MediaOrigin::Video }
}
