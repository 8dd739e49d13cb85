//! The one walk over a document.

mod marks;
mod shown;

use std::sync::OnceLock;

use facts::{MediaKind, Url};

use self::shown::{Figure, OpenLink, caption_all};
use crate::caption::Caption;
use crate::dom::{Cursor, Descend, Dom, Element, Step};
use crate::elements::{CAPTION_HEADINGS, PHRASE, weighted_tag};
use crate::links::{Fragment, Links};
use crate::media::Gallery;
use crate::metas::Metas;
use crate::names::{Key, Tag};
use crate::picture::Choice;
use crate::structured::{Items, Scripts, Structured, StructuredSource};
use crate::text::{Folded, Tags, TextRun, fold};
use crate::tree::{NodeId, Tree};
use crate::{Limits, Page, guard, language};

/// Reads a document that is HTML, or was sent as if it were.
pub(crate) fn read_html(text: &str, url: &Url, limits: &Limits) -> Page {
    let (dom, truncated) = guard::parse(text, limits.depth, limits.nodes);
    let mut page = read_tree(&dom, url, limits);
    page.truncated |= truncated;
    page
}

/// Reads a document that is parsed already.
pub(crate) fn read_tree(dom: &Dom<'_>, url: &Url, limits: &Limits) -> Page {
    let base = dom.base().and_then(|base| base.attribute(Key::Href)).and_then(|href| url.join(href).ok());
    let mut reader = Reader::new(dom, base.unwrap_or_else(|| url.clone()), limits);
    dom.walk(|at, step| match step {
        Step::Enter(element) => reader.enter(at, element),
        Step::Text(text) => reader.text(text),
        Step::Leave => reader.leave(),
    });
    reader.finish(url)
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
    heading: bool,
    figcaption: bool,
    items: u8,
    properties: u8,
}

struct Reader<'d> {
    dom: &'d Dom<'d>,
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
    fragments: Vec<Fragment>,
    open_links: Vec<OpenLink>,
    /// Where in the text the last link ended.
    link_end: u32,
    gallery: Gallery,
    picture: Option<Choice<'d>>,
    figures: Vec<Figure>,
    captions: Vec<Caption>,
    items: Items,
    scripts: Scripts,
    open_properties: Vec<(StructuredSource, Vec<String>)>,
    structured: Vec<Structured>,
    malformed_structured: usize,
    truncated: bool,
}

impl<'d> Reader<'d> {
    fn new(dom: &'d Dom<'d>, base: Url, limits: &'d Limits) -> Self {
        Self {
            dom,
            base,
            limits,
            tree: Tree::with_room(dom.len()),
            frames: Vec::new(),
            // A page is seldom more than half text; growing by doubling would copy that twice.
            visible: Folded::with_room(limits.text, dom.text.len() / 2),
            breaks: Vec::new(),
            runs: Vec::new(),
            title: String::new(),
            title_node: None,
            html_language: None,
            metas: Metas::default(),
            links: Links::new(limits.links),
            fragments: Vec::new(),
            open_links: Vec::new(),
            link_end: u32::MAX,
            gallery: Gallery::new(limits.media),
            picture: None,
            figures: Vec::new(),
            captions: Vec::new(),
            items: Items::default(),
            scripts: Scripts::default(),
            open_properties: Vec::new(),
            structured: Vec::new(),
            malformed_structured: 0,
            truncated: false,
        }
    }

    fn enter(&mut self, at: Cursor, element: Element<'d>) -> Descend {
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
        if element.is_block() {
            self.break_block();
            frame.end.block = true;
        }
        self.enter_attributes(element, name, &mut frame);
        let descend = self.enter_element(at, element, name, &mut frame);
        self.frames.push(frame);
        descend
    }

    fn enter_element(&mut self, at: Cursor, element: Element<'d>, name: Tag, frame: &mut Frame) -> Descend {
        match name {
            Tag::Html => {
                let lang = element.attribute(Key::Lang);
                self.html_language = self.html_language.take().or_else(|| language::language_code(lang?));
            }
            Tag::Title => {
                if self.title.is_empty() {
                    self.title = fold(&self.dom.own_text(at), PHRASE);
                    self.title_node = Some(frame.node);
                }
                return Descend::No;
            }
            Tag::Script => {
                self.script(at, element, frame.node);
                return Descend::No;
            }
            Tag::Style | Tag::Template => return Descend::No,
            Tag::Meta => self.meta(element, frame.node),
            Tag::Link => self.head_link(element, frame),
            Tag::Head | Tag::Noscript | Tag::Select | Tag::Datalist | Tag::Textarea | Tag::Object | Tag::Canvas => {
                frame.visible = false;
                if name == Tag::Object {
                    self.embed(element, element.attribute(Key::Data), frame);
                }
            }
            Tag::A => {
                frame.end.caption = true;
                self.open_link(element, frame);
            }
            Tag::Area => self.area(element, frame),
            Tag::Iframe | Tag::Frame => {
                self.frame(element, frame);
                return Descend::No;
            }
            Tag::Img => self.img(element, frame),
            Tag::Picture => {
                self.picture = None;
                frame.in_picture = true;
            }
            Tag::Source => self.source(element, frame),
            Tag::Video => self.player(element, MediaKind::Video, frame),
            Tag::Audio => self.player(element, MediaKind::Audio, frame),
            Tag::Embed => self.embed(element, element.attribute(Key::Src), frame),
            Tag::Figure => {
                self.figures.push(Figure { around: frame.figure, ..Figure::default() });
                frame.figure = Some(self.figures.len() as u32 - 1);
            }
            Tag::Figcaption => frame.end.figcaption = true,
            Tag::Br => {
                self.visible.break_line();
                self.break_word_in_link();
            }
            Tag::P => frame.end.caption = true,
            _ => {
                if let Some(tag) = weighted_tag(name) {
                    frame.tags = frame.tags.with(tag);
                    frame.end.heading = CAPTION_HEADINGS.contains(&tag);
                    frame.end.caption = frame.end.heading;
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
            let (heading, last) = (frame.end.heading, self.tree.nodes().next_back().unwrap_or(frame.node));
            self.captions.push(Caption { node: frame.node, text: text.clone(), heading, last });
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

    fn finish(mut self, url: &Url) -> Page {
        self.add_declared();
        self.truncated |= self.visible.is_full() || self.links.truncated || self.gallery.truncated;
        let links = self.links.finish(&self.visible, &self.breaks);
        let media = caption_all(self.gallery, self.figures, self.captions, &self.tree, &self.visible);
        let said = self.html_language.or(self.metas.content_language).or(self.metas.locale);
        let language = said.or_else(|| language::detect(self.visible.as_str()));
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
            text: self.visible.into_string(),
            runs: self.runs,
            links,
            fragments: self.fragments,
            media,
            structured: self.structured,
            malformed_structured: self.malformed_structured,
            canonical: self.metas.canonical,
            robots: self.metas.robots,
            feeds: self.metas.feeds,
            refresh: self.metas.refresh,
            tree: self.tree,
            truncated: self.truncated,
            counted: OnceLock::new(),
        }
    }
}
