//! XML as a list of what happens in it, bounded.

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

/// Bytes of one text.
const LONGEST: usize = 4_096;

/// Something that happens in a document.
pub(super) enum Step<'a> {
    /// An element begins: its name with its prefix, and its attributes.
    Start(&'a str, &'a BytesStart<'a>),
    /// One ends, with the text that stood in it last.
    End(&'a str, &'a str),
}

/// Goes through a document as far as it can be read, or until the visitor has enough.
pub(super) fn walk(text: &str, mut visit: impl FnMut(Step<'_>) -> bool) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    let mut said = String::new();
    while let Ok(event) = reader.read_event() {
        let goes_on = match event {
            Event::Start(start) => {
                said.clear();
                visit(Step::Start(start.name().as_ref(), &start))
            }
            Event::Empty(start) => {
                said.clear();
                let name = start.name();
                visit(Step::Start(name.as_ref(), &start)) && visit(Step::End(name.as_ref(), ""))
            }
            Event::Text(piece) => append(&mut said, &piece),
            Event::CData(piece) => append(&mut said, &piece),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => append(&mut said, character.encode_utf8(&mut [0; 4])),
                _ => append(&mut said, resolve_predefined_entity(&reference).unwrap_or_default()),
            },
            Event::End(end) => {
                let goes_on = visit(Step::End(end.name().as_ref(), said.trim()));
                said.clear();
                goes_on
            }
            Event::Eof => false,
            _ => true,
        };
        if !goes_on {
            return;
        }
    }
}

fn append(text: &mut String, piece: &str) -> bool {
    if text.len() + piece.len() <= LONGEST {
        text.push_str(piece);
    }
    true
}

/// The value of an attribute.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.attributes().flatten().find(|attribute| attribute.key.as_ref() == name)?;
    let value: &str = &found.value;
    let value = quick_xml::escape::unescape(value).map_or_else(|_| value.to_owned(), |value| value.into_owned());
    Some(value.chars().take(LONGEST).collect())
}

/// A name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}
