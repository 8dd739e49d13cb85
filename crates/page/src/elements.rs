//! What is known of elements by their names.

use html5ever::{LocalName, local_name};

use crate::dom::Element;
use crate::text::{Tags, fold};

/// Longest text of a link, alt or caption, in bytes.
pub(crate) const PHRASE: usize = 500;

/// An attribute's text, folded and of limited length.
pub(crate) fn phrase(element: &Element, attribute: &LocalName) -> String {
    element.attribute(attribute).map(|text| fold(text, PHRASE)).unwrap_or_default()
}

/// The words an element gives for what cannot be seen.
pub(crate) fn described(element: &Element) -> String {
    let alternatives = [local_name!("alt"), local_name!("title"), local_name!("aria-label")];
    alternatives.iter().map(|name| phrase(element, name)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The value of a microdata property that stands in an attribute.
pub(crate) fn attribute_value<'e>(element: &'e Element, name: &LocalName) -> Option<&'e str> {
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

/// Headings whose text can caption a picture [000 §5.1].
pub(crate) const CAPTION_HEADINGS: [Tags; 5] = [Tags::H1, Tags::H2, Tags::H3, Tags::H4, Tags::H5];

/// The weight an element gives to the words inside it.
pub(crate) fn weighted_tag(name: &LocalName) -> Option<Tags> {
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
pub(crate) fn is_block(name: &LocalName) -> bool {
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
