//! The one walk over a document.

use std::ops::Range;

use facts::{MediaKind, Url};
use html5ever::{LocalName, local_name};
use serde_json::json;

use crate::caption::{self, Caption};
use crate::declared::{self, Declared};
use crate::dom::{Cursor, Descend, Dom, Element, Step};
use crate::links::{Link, LinkOrigin, Links, Rel, Span};
use crate::media::{Found, Gallery, Media, MediaOrigin, kind_of, kind_of_type};
use crate::metas::Metas;
use crate::picture::{self, Choice};
use crate::structured::{self, Items, Structured, StructuredSource};
use crate::text::{Folded, Tags, TextRun, clip, fold};
use crate::tree::{NodeId, Tree};
use crate::{Limits, Page, Words, guard, language, name, style};

/// Longest text of a link, alt or caption, in bytes.
const PHRASE: usize = 500;

/// Most names of one property.
const PROPERTY_NAMES: usize = 8;

/// Reads a document that is HTML, or was sent as if it were.
pub(crate) fn read_html(text: &str, url: &Url, limits: &Limits) -> Page {
    let (dom, truncated) = guard::parse(text, limits.depth, limits.nodes);
    let base = dom.base().and_then(|base| base.attribute(&local_name!("href"))).and_then(|href| url.join(href).ok());
    let mut reader = Reader::new(&dom, base.unwrap_or_else(|| url.clone()), limits);
    dom.walk(|at, step| match step {
        Step::Enter(element) => reader.enter(at, element),
        Step::Text(text) => reader.text(text),
        Step::Leave => reader.leave(),
    });
    let mut page = reader.finish(url);
    page.truncated |= truncated;
    page
}

/// Reads a text without markup.
pub(crate) fn read_plain(text: &str, url: &Url, limits: &Limits) -> Page {
    let dom = guard::parse("", limits.depth, limits.nodes).0;
    let mut reader = Reader::new(&dom, url.clone(), limits);
    let node = reader.tree.push(None);
    for line in text.lines() {
        let range = reader.visible.push(line);
        if !range.is_empty() {
            reader.runs.push(TextRun { node, range, tags: Tags::NONE });
        }
        reader.visible.break_line();
    }
    reader.finish(url)
}

/// An open element: what holds inside it, and what is to do when it ends.
#[derive(Clone, Copy)]
struct Frame {
    node: NodeId,
    visible: bool,
    tags: Tags,
    figure: Option<u32>,
    /// Inside `<video>` or `<audio>`.
    player: Option<MediaKind>,
    in_picture: bool,
    text_start: u32,
    end: End,
}

/// What an element's end closes.
#[derive(Clone, Copy, Default)]
struct End {
    block: bool,
    link: bool,
    caption: bool,
    figcaption: bool,
    items: u8,
    properties: u8,
}

/// A link whose element is still open.
struct OpenLink {
    url: Url,
    rel: Rel,
    title: String,
    visible: bool,
    /// What a hidden link says; the words of others are in the visible text.
    text: Folded,
    alt: String,
    breaks_before: u32,
}

/// A figure: its own caption, or that of the figure around it.
#[derive(Clone, Default)]
struct Figure {
    around: Option<u32>,
    caption: Range<u32>,
}

struct Reader<'d> {
    dom: &'d Dom,
    base: Url,
    limits: &'d Limits,
    tree: Tree,
    frames: Vec<Frame>,
    visible: Folded,
    breaks: Vec<u32>,
    runs: Vec<TextRun>,
    title: String,
    title_node: Option<NodeId>,
    html_language: Option<String>,
    metas: Metas,
    links: Links,
    open_links: Vec<OpenLink>,
    /// Where in the text the last link ended.
    link_end: u32,
    gallery: Gallery,
    picture: Option<Choice<'d>>,
    figures: Vec<Figure>,
    captions: Vec<Caption>,
    items: Items,
    open_properties: Vec<(StructuredSource, Vec<String>)>,
    structured: Vec<Structured>,
    malformed_structured: usize,
    truncated: bool,
}

impl<'d> Reader<'d> {
    fn new(dom: &'d Dom, base: Url, limits: &'d Limits) -> Self {
        Self {
            dom,
            base,
            limits,
            tree: Tree::default(),
            frames: Vec::new(),
            visible: Folded::new(limits.text),
            breaks: Vec::new(),
            runs: Vec::new(),
            title: String::new(),
            title_node: None,
            html_language: None,
            metas: Metas::default(),
            links: Links::new(limits.links),
            open_links: Vec::new(),
            link_end: u32::MAX,
            gallery: Gallery::new(limits.media),
            picture: None,
            figures: Vec::new(),
            captions: Vec::new(),
            items: Items::default(),
            open_properties: Vec::new(),
            structured: Vec::new(),
            malformed_structured: 0,
            truncated: false,
        }
    }

    fn enter(&mut self, at: Cursor, element: &'d Element) -> Descend {
        let around = self.frames.last().copied();
        let node = self.tree.push(around.map(|frame| frame.node));
        let mut frame = Frame {
            node,
            visible: around.is_none_or(|frame| frame.visible),
            tags: around.map_or(Tags::NONE, |frame| frame.tags),
            figure: around.and_then(|frame| frame.figure),
            player: around.and_then(|frame| frame.player),
            in_picture: around.is_some_and(|frame| frame.in_picture),
            text_start: self.visible.len(),
            end: End::default(),
        };
        let Some(name) = element.html_name() else {
            // Drawings are not text; formulas are.
            frame.visible &= !element.is_svg_root();
            self.frames.push(frame);
            return Descend::Yes;
        };
        if is_block(name) {
            self.break_block();
            frame.end.block = true;
        }
        self.enter_attributes(element, name, &mut frame);
        let descend = self.enter_element(at, element, name, &mut frame);
        self.frames.push(frame);
        descend
    }

    /// What any element may have: styles, and marks of structured data.
    fn enter_attributes(&mut self, element: &'d Element, name: &LocalName, frame: &mut Frame) {
        let mut item = Item::default();
        for (attribute, value) in element.attributes() {
            match *attribute {
                local_name!("hidden") => frame.visible = false,
                local_name!("style") => {
                    frame.visible &= !style::hides(value);
                    for background in style::backgrounds(value) {
                        self.add_media(background, MediaKind::Image, MediaOrigin::CssBackground, element, frame);
                    }
                }
                local_name!("itemscope") => item.scope = true,
                local_name!("itemtype") => item.kind = value,
                local_name!("itemprop") => item.properties = value,
                local_name!("class") => item.class = value,
                _ => {
                    if let Some(background) = picture::lazy_background(attribute, value) {
                        self.add_media(background, MediaKind::Image, MediaOrigin::Lazy, element, frame);
                    }
                }
            }
        }
        self.enter_microdata(element, name, &item, frame);
        if !item.class.is_empty() {
            self.enter_microformat(element, name, item.class, frame);
        }
    }

    fn enter_microdata(&mut self, element: &Element, name: &LocalName, item: &Item<'_>, frame: &mut Frame) {
        let source = StructuredSource::Microdata;
        let properties = || {
            let names = item.properties.split_ascii_whitespace().take(PROPERTY_NAMES);
            names.map(|name| clip(name, 100).to_owned()).collect::<Vec<_>>()
        };
        if item.scope {
            frame.end.items += u8::from(self.items.open(source, item.kind, properties(), frame.node));
        } else if !item.properties.is_empty() && self.items.inside(source) {
            match attribute_value(element, name) {
                Some(value) => self.items.property(source, &properties(), value),
                None => {
                    self.open_properties.push((source, properties()));
                    frame.end.properties += 1;
                }
            }
        }
    }

    fn enter_microformat(&mut self, element: &Element, name: &LocalName, class: &str, frame: &mut Frame) {
        let source = StructuredSource::Microformat;
        if let Some(root) = structured::microformat_root(class) {
            // An address may hold its position as a property.
            let property = if root.ends_with("geo") { vec!["geo".to_owned()] } else { Vec::new() };
            frame.end.items += u8::from(self.items.open(source, root, property, frame.node));
        } else if self.items.inside(source)
            && let Some(property) = structured::microformat_property(class)
        {
            let property = vec![property.to_owned()];
            let short = element.attribute(&local_name!("title")).filter(|_| *name == local_name!("abbr"));
            match short.or_else(|| element.attribute(&local_name!("value"))) {
                Some(value) => self.items.property(source, &property, value),
                None => {
                    self.open_properties.push((source, property));
                    frame.end.properties += 1;
                }
            }
        }
    }

    fn enter_element(&mut self, at: Cursor, element: &'d Element, name: &LocalName, frame: &mut Frame) -> Descend {
        match *name {
            local_name!("html") => {
                let lang = element.attribute(&local_name!("lang"));
                self.html_language = self.html_language.take().or_else(|| language::language_code(lang?));
            }
            local_name!("title") => {
                if self.title.is_empty() {
                    self.title = fold(&self.dom.own_text(at), PHRASE);
                    self.title_node = Some(frame.node);
                }
                return Descend::No;
            }
            local_name!("script") => {
                self.script(at, element, frame.node);
                return Descend::No;
            }
            local_name!("style") | local_name!("template") => return Descend::No,
            local_name!("meta") => self.meta(element, frame.node),
            local_name!("link") => self.head_link(element, frame),
            local_name!("head")
            | local_name!("noscript")
            | local_name!("select")
            | local_name!("datalist")
            | local_name!("textarea")
            | local_name!("object")
            | local_name!("canvas") => {
                frame.visible = false;
                if *name == local_name!("object") {
                    self.embed(element, element.attribute(&local_name!("data")), frame);
                }
            }
            local_name!("a") => {
                frame.end.caption = true;
                self.open_link(element, frame);
            }
            local_name!("area") => self.area(element, frame),
            local_name!("iframe") | local_name!("frame") => {
                self.frame(element, frame);
                return Descend::No;
            }
            local_name!("img") => self.img(element, frame),
            local_name!("picture") => {
                self.picture = None;
                frame.in_picture = true;
            }
            local_name!("source") => self.source(element, frame),
            local_name!("video") => self.player(element, MediaKind::Video, frame),
            local_name!("audio") => self.player(element, MediaKind::Audio, frame),
            local_name!("embed") => self.embed(element, element.attribute(&local_name!("src")), frame),
            local_name!("figure") => {
                self.figures.push(Figure { around: frame.figure, ..Figure::default() });
                frame.figure = Some(self.figures.len() as u32 - 1);
            }
            local_name!("figcaption") => frame.end.figcaption = true,
            local_name!("br") => {
                self.visible.break_line();
                self.break_word_in_link();
            }
            local_name!("p") => frame.end.caption = true,
            _ => {
                if let Some(tag) = weighted_tag(name) {
                    frame.tags = frame.tags.with(tag);
                    frame.end.caption = CAPTION_HEADINGS.contains(&tag);
                }
            }
        }
        Descend::Yes
    }

    fn text(&mut self, text: &str) -> Descend {
        let Some(frame) = self.frames.last() else { return Descend::No };
        if frame.visible {
            let range = self.visible.push(text);
            if !range.is_empty() {
                let node = self.tree.push(Some(frame.node));
                self.runs.push(TextRun { node, range, tags: frame.tags });
            }
        } else if let Some(link) = self.open_links.last_mut()
            && !link.visible
        {
            link.text.push(text);
        }
        Descend::No
    }

    fn leave(&mut self) -> Descend {
        let Some(frame) = self.frames.pop() else { return Descend::No };
        let text = frame.text_start..self.visible.len();
        for _ in 0..frame.end.properties {
            if let Some((source, names)) = self.open_properties.pop() {
                self.items.property(source, &names, self.visible.slice(text.clone()));
            }
        }
        for _ in 0..frame.end.items {
            if let Some(found) = self.items.close(self.visible.slice(text.clone())) {
                self.keep(found);
            }
        }
        if !text.is_empty() && frame.end.caption {
            self.captions.push(Caption { node: frame.node, text: text.clone() });
        }
        if frame.end.figcaption
            && let Some(figure) = frame.figure.and_then(|figure| self.figures.get_mut(figure as usize))
            && figure.caption.is_empty()
        {
            figure.caption = text.clone();
        }
        if frame.end.link {
            self.close_link(&frame, text);
        }
        if frame.end.block {
            self.break_block();
        }
        Descend::Yes
    }

    fn break_block(&mut self) {
        self.visible.break_line();
        self.breaks.push(self.visible.len());
        self.break_word_in_link();
    }

    fn break_word_in_link(&mut self) {
        if let Some(link) = self.open_links.last_mut() {
            link.text.break_word();
        }
    }

    fn keep(&mut self, found: Structured) {
        if self.structured.len() < self.limits.structured {
            self.structured.push(found);
        } else {
            self.truncated = true;
        }
    }

    fn script(&mut self, at: Cursor, element: &Element, node: NodeId) {
        let kind = element.attribute(&local_name!("type")).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json") {
            return;
        }
        match structured::json_ld(&self.dom.own_text(at)) {
            Some(value) => self.keep(Structured { source: StructuredSource::JsonLd, value, node }),
            None => self.malformed_structured += 1,
        }
    }

    fn meta(&mut self, element: &Element, node: NodeId) {
        let content = element.attribute(&local_name!("content")).unwrap_or_default();
        if let Some(name) = element.attribute(&local_name!("http-equiv")) {
            self.metas.http(name, content, &self.base);
            return;
        }
        let places = self.metas.places.len();
        for name in [local_name!("property"), local_name!("name")] {
            if let Some(name) = element.attribute(&name) {
                self.metas.named(name, content);
                break;
            }
        }
        if let Some((name, content)) = self.metas.places.get(places) {
            let value = json!({ "name": name, "content": content });
            self.keep(Structured { source: StructuredSource::Meta, value, node });
        }
    }

    fn head_link(&mut self, element: &'d Element, frame: &Frame) {
        let Some(href) = element.attribute(&local_name!("href")) else { return };
        let rel = element.attribute(&local_name!("rel")).unwrap_or_default();
        let kind = element.attribute(&local_name!("type")).unwrap_or_default();
        if rel.eq_ignore_ascii_case("image_src") {
            self.add_media(href, MediaKind::Image, MediaOrigin::ImageSrc, element, frame);
        } else {
            self.metas.link(rel, kind, href, &self.base);
        }
    }

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
        self.base.join(href).ok()
    }

    fn open_link(&mut self, element: &Element, frame: &mut Frame) {
        let Some(url) = element.attribute(&local_name!("href")).and_then(|href| self.target(href, frame.node)) else {
            return;
        };
        // Links side by side are words of their own, also where the page puts no space between them.
        if self.link_end == self.visible.len() {
            self.visible.break_word();
        }
        frame.end.link = true;
        self.open_links.push(OpenLink {
            url,
            rel: element.attribute(&local_name!("rel")).map(Rel::parse).unwrap_or_default(),
            title: phrase(element, &local_name!("title")),
            text: Folded::new(PHRASE),
            alt: String::new(),
            visible: frame.visible,
            breaks_before: self.breaks.len() as u32,
        });
    }

    fn close_link(&mut self, frame: &Frame, text: Range<u32>) {
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
    fn add_link(&mut self, url: Url, words: String, origin: LinkOrigin, element: &Element, frame: &Frame) {
        let title = phrase(element, &local_name!("title"));
        let rel = element.attribute(&local_name!("rel")).map(Rel::parse).unwrap_or_default();
        let text = if words.is_empty() { title.clone() } else { words };
        let link = Link { url, text, title, around: String::new(), rel, origin, node: frame.node };
        let breaks = self.breaks.len() as u32;
        self.links.add(link, Span { text: frame.text_start..frame.text_start, breaks: breaks..breaks });
    }

    fn area(&mut self, element: &'d Element, frame: &Frame) {
        let Some(href) = element.attribute(&local_name!("href")) else { return };
        let Some(url) = self.target(href, frame.node) else { return };
        match kind_of(&url) {
            Some(kind) => self.add_media(href, kind, MediaOrigin::Link, element, frame),
            None => {
                self.add_link(url, phrase(element, &local_name!("alt")), LinkOrigin::Area, element, frame);
            }
        }
    }

    fn frame(&mut self, element: &Element, frame: &Frame) {
        let lazy = || element.attributes().find(|(name, _)| ***name == *"data-src").map(|(_, value)| value);
        let src = element.attribute(&local_name!("src")).filter(|src| !src.starts_with("about:")).or_else(lazy);
        if let Some(url) = src.and_then(|src| self.target(src, frame.node)) {
            self.add_link(url, String::new(), LinkOrigin::Frame, element, frame);
        }
    }

    fn img(&mut self, element: &'d Element, frame: &Frame) {
        let alt = described(element);
        if let Some(link) = self.open_links.last_mut()
            && link.alt.is_empty()
        {
            link.alt.clone_from(&alt);
        }
        let source = if frame.in_picture { self.picture.take() } else { None };
        let Some(choice) = picture::better(picture::of_img(element), source) else { return };
        let Ok(url) = self.base.join(choice.url) else { return };
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
                node: frame.node,
            },
            figure: frame.figure,
            placed: true,
        });
    }

    fn source(&mut self, element: &'d Element, frame: &Frame) {
        if frame.in_picture {
            self.picture = picture::better(self.picture, picture::of_source(element));
        } else if let Some(kind) = frame.player
            && let Some(src) = element.attribute(&local_name!("src"))
        {
            self.add_media(src, kind, player_origin(kind), element, frame);
        }
    }

    fn player(&mut self, element: &'d Element, kind: MediaKind, frame: &mut Frame) {
        frame.player = Some(kind);
        frame.visible = false;
        if let Some(src) = element.attribute(&local_name!("src")) {
            self.add_media(src, kind, player_origin(kind), element, frame);
        }
        if let Some(poster) = element.attribute(&local_name!("poster")) {
            self.add_media(poster, MediaKind::Image, MediaOrigin::Poster, element, frame);
        }
    }

    fn embed(&mut self, element: &'d Element, address: Option<&'d str>, frame: &Frame) {
        let Some(address) = address else { return };
        let kind = element.attribute(&local_name!("type")).and_then(kind_of_type);
        let kind = kind.or_else(|| self.base.join(address).ok().as_ref().and_then(kind_of));
        if let Some(kind) = kind {
            self.add_media(address, kind, MediaOrigin::Embed, element, frame);
        }
    }

    /// A media file that the element names in another way than an `<img>` does.
    fn add_media(&mut self, address: &str, kind: MediaKind, origin: MediaOrigin, element: &Element, frame: &Frame) {
        let Ok(url) = self.base.join(address) else { return };
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
                node: frame.node,
            },
            figure: frame.figure,
            placed: origin != MediaOrigin::ImageSrc,
        });
    }

    /// Media named in metas and JSON-LD come after those in the body, whose places say more.
    fn add_declared(&mut self) {
        let root = self.tree.nodes().next();
        let metas = std::mem::take(&mut self.metas.media);
        let structured = std::mem::take(&mut self.structured);
        let mut add = |declared: Declared<'_>, node: Option<NodeId>| {
            let (Ok(url), Some(node)) = (self.base.join(declared.url), node) else { return };
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

    fn finish(mut self, url: &Url) -> Page {
        self.add_declared();
        self.truncated |= self.visible.is_full() || self.links.truncated || self.gallery.truncated;
        let links = self.links.finish(&self.visible, &self.breaks);
        let media = caption_all(self.gallery, self.figures, self.captions, &self.tree, &self.visible);
        let said = self.html_language.or(self.metas.content_language).or(self.metas.locale);
        let language = said.or_else(|| language::detect(self.visible.as_str()));
        let text = self.visible.into_string();
        let or = |own: String, other: String| if own.is_empty() { other } else { own };
        Page {
            url: url.clone(),
            base: self.base,
            charset: "UTF-8",
            title: or(self.title, self.metas.og_title),
            title_node: self.title_node,
            description: or(self.metas.description, self.metas.og_description),
            keywords: self.metas.keywords,
            language,
            words: Words::of(&text),
            text,
            runs: self.runs,
            links,
            media,
            structured: self.structured,
            malformed_structured: self.malformed_structured,
            canonical: self.metas.canonical,
            robots: self.metas.robots,
            feeds: self.metas.feeds,
            refresh: self.metas.refresh,
            tree: self.tree,
            truncated: self.truncated,
        }
    }
}

/// The marks of structured data on an element.
#[derive(Default)]
struct Item<'d> {
    scope: bool,
    kind: &'d str,
    properties: &'d str,
    class: &'d str,
}

/// Figure captions first, then the nearest of the others.
fn caption_all(
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

fn phrase(element: &Element, attribute: &LocalName) -> String {
    element.attribute(attribute).map(|text| fold(text, PHRASE)).unwrap_or_default()
}

/// The words an element gives for what cannot be seen.
fn described(element: &Element) -> String {
    let alternatives = [local_name!("alt"), local_name!("title"), local_name!("aria-label")];
    alternatives.iter().map(|name| phrase(element, name)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The value of a microdata property that stands in an attribute.
fn attribute_value<'e>(element: &'e Element, name: &LocalName) -> Option<&'e str> {
    let attribute = match *name {
        local_name!("meta") => local_name!("content"),
        local_name!("a") | local_name!("area") | local_name!("link") => local_name!("href"),
        local_name!("img")
        | local_name!("audio")
        | local_name!("video")
        | local_name!("source")
        | local_name!("track")
        | local_name!("embed")
        | local_name!("iframe") => local_name!("src"),
        local_name!("object") => local_name!("data"),
        local_name!("data") | local_name!("meter") => local_name!("value"),
        local_name!("time") => local_name!("datetime"),
        // Many pages put `content` on any element.
        _ => local_name!("content"),
    };
    element.attribute(&attribute)
}

const CAPTION_HEADINGS: [Tags; 5] = [Tags::H1, Tags::H2, Tags::H3, Tags::H4, Tags::H5];

fn weighted_tag(name: &LocalName) -> Option<Tags> {
    Some(match *name {
        local_name!("h1") => Tags::H1,
        local_name!("h2") => Tags::H2,
        local_name!("h3") => Tags::H3,
        local_name!("h4") => Tags::H4,
        local_name!("h5") => Tags::H5,
        local_name!("h6") => Tags::H6,
        local_name!("b") => Tags::B,
        local_name!("i") => Tags::I,
        local_name!("em") => Tags::EM,
        local_name!("strong") => Tags::STRONG,
        local_name!("font") => Tags::FONT,
        local_name!("center") => Tags::CENTER,
        local_name!("ins") => Tags::INS,
        _ => return None,
    })
}

/// Elements that stand on lines of their own.
fn is_block(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("address")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("caption")
            | local_name!("center")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dialog")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("fieldset")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("footer")
            | local_name!("form")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("hgroup")
            | local_name!("hr")
            | local_name!("legend")
            | local_name!("li")
            | local_name!("main")
            | local_name!("menu")
            | local_name!("nav")
            | local_name!("ol")
            | local_name!("option")
            | local_name!("p")
            | local_name!("pre")
            | local_name!("search")
            | local_name!("section")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("td")
            | local_name!("th")
            | local_name!("tr")
            | local_name!("ul")
    )
}
