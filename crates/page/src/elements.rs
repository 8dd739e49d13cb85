//! What is known of elements by their names.

use crate::dom::Element;
use crate::names::{Key, Tag};
use crate::text::{Tags, fold};

/// Longest text of a link, alt or caption, in bytes.
pub(crate) const PHRASE: usize = 500;

/// An attribute's text, folded and of limited length.
pub(crate) fn phrase(element: Element<'_>, attribute: Key) -> String {
    element.attribute(attribute).map(|text| fold(text, PHRASE)).unwrap_or_default()
}

/// The words an element gives for what cannot be seen.
pub(crate) fn described(element: Element<'_>) -> String {
    let alternatives = [Key::Alt, Key::Title, Key::AriaLabel];
    alternatives.into_iter().map(|name| phrase(element, name)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The value of a microdata property that stands in an attribute.
pub(crate) fn attribute_value<'e>(element: Element<'e>, name: Tag) -> Option<&'e str> {
    let attribute = match name {
        Tag::Meta => Key::Content,
        Tag::A | Tag::Area | Tag::Link => Key::Href,
        Tag::Img | Tag::Audio | Tag::Video | Tag::Source | Tag::Track | Tag::Embed | Tag::Iframe => Key::Src,
        Tag::Object => Key::Data,
        Tag::Data | Tag::Meter => Key::Value,
        Tag::Time => Key::Datetime,
        // Many pages put `content` on any element.
        _ => Key::Content,
    };
    element.attribute(attribute)
}

/// Headings whose text can caption a picture [000 §5.1].
pub(crate) const CAPTION_HEADINGS: [Tags; 5] = [Tags::H1, Tags::H2, Tags::H3, Tags::H4, Tags::H5];

/// The weight an element gives to the words inside it.
pub(crate) fn weighted_tag(name: Tag) -> Option<Tags> {
    Some(match name {
        Tag::H1 => Tags::H1,
        Tag::H2 => Tags::H2,
        Tag::H3 => Tags::H3,
        Tag::H4 => Tags::H4,
        Tag::H5 => Tags::H5,
        Tag::H6 => Tags::H6,
        Tag::B => Tags::B,
        Tag::I => Tags::I,
        Tag::Em => Tags::EM,
        Tag::Strong => Tags::STRONG,
        Tag::Font => Tags::FONT,
        Tag::Center => Tags::CENTER,
        Tag::Ins => Tags::INS,
        _ => return None,
    })
}
