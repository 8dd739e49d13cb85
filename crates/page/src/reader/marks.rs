//! What a page says beside what it shows: metas, scripts, and marks of structured data.

use facts::MediaKind;
use serde_json::json;

use super::{Frame, Reader};
use crate::dom::{Cursor, Element};
use crate::elements::attribute_value;
use crate::media::MediaOrigin;
use crate::names::{Key, Tag};
use crate::structured::{self, Structured, StructuredSource};
use crate::text::clip;
use crate::tree::NodeId;
use crate::{picture, style};

/// Most names of one property.
const PROPERTY_NAMES: usize = 8;

/// The marks of structured data on an element.
#[derive(Default)]
struct Item<'d> {
    scope: bool,
    kind: &'d str,
    properties: &'d str,
    class: &'d str,
}

impl<'d> Reader<'d> {
    /// What any element may have: styles, and marks of structured data.
    pub(super) fn enter_attributes(&mut self, element: Element<'d>, name: Tag, frame: &mut Frame) {
        let mut item = Item::default();
        for (attribute, value) in element.attributes() {
            match attribute {
                Key::Hidden => frame.visible = false,
                Key::Style => {
                    frame.visible &= !style::hides(value);
                    for background in style::backgrounds(value) {
                        self.add_media(background, MediaKind::Image, MediaOrigin::CssBackground, element, frame);
                    }
                }
                Key::Itemscope => item.scope = true,
                Key::Itemtype => item.kind = value,
                Key::Itemprop => item.properties = value,
                Key::Class => item.class = value,
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

    fn enter_microdata(&mut self, element: Element<'_>, name: Tag, item: &Item<'_>, frame: &mut Frame) {
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

    fn enter_microformat(&mut self, element: Element<'_>, name: Tag, class: &str, frame: &mut Frame) {
        let source = StructuredSource::Microformat;
        if let Some(root) = structured::microformat_root(class) {
            // An address may hold its position as a property.
            let property = if root.ends_with("geo") { vec!["geo".to_owned()] } else { Vec::new() };
            frame.end.items += u8::from(self.items.open(source, root, property, frame.node));
        } else if self.items.inside(source)
            && let Some(property) = structured::microformat_property(class)
        {
            let property = vec![property.to_owned()];
            let short = element.attribute(Key::Title).filter(|_| name == Tag::Abbr);
            match short.or_else(|| element.attribute(Key::Value)) {
                Some(value) => self.items.property(source, &property, value),
                None => {
                    self.open_properties.push((source, property));
                    frame.end.properties += 1;
                }
            }
        }
    }

    pub(super) fn keep(&mut self, found: Structured) {
        if self.structured.len() < self.limits.structured {
            self.structured.push(found);
        } else {
            self.truncated = true;
        }
    }

    pub(super) fn script(&mut self, at: Cursor, element: Element<'_>, node: NodeId) {
        let kind = element.attribute(Key::Type).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json") {
            return;
        }
        match self.scripts.read(&self.dom.own_text(at)) {
            Some(value) => self.keep(Structured { source: StructuredSource::JsonLd, value, node }),
            None => self.malformed_structured += 1,
        }
    }

    pub(super) fn meta(&mut self, element: Element<'_>, node: NodeId) {
        let content = element.attribute(Key::Content).unwrap_or_default();
        if let Some(name) = element.attribute(Key::HttpEquiv) {
            self.metas.http(name, content, &self.base);
            return;
        }
        let places = self.metas.places.len();
        for name in [Key::Property, Key::Name] {
            if let Some(name) = element.attribute(name) {
                self.metas.named(name, content);
                break;
            }
        }
        if let Some((name, content)) = self.metas.places.get(places) {
            let value = json!({ "name": name, "content": content });
            self.keep(Structured { source: StructuredSource::Meta, value, node });
        }
    }

    pub(super) fn head_link(&mut self, element: Element<'d>, frame: &Frame) {
        let Some(href) = element.attribute(Key::Href) else { return };
        let rel = element.attribute(Key::Rel).unwrap_or_default();
        let kind = element.attribute(Key::Type).unwrap_or_default();
        if rel.eq_ignore_ascii_case("image_src") {
            self.add_media(href, MediaKind::Image, MediaOrigin::ImageSrc, element, frame);
        } else {
            self.metas.link(rel, kind, href, &self.base);
        }
    }
}
