//! Tags and their attributes.

use super::Parser;
use crate::dom::{Attribute, Attributes, Name, Span};
use crate::guard::ATTRIBUTES;
use crate::names::{Key, Tag};

/// A start or end tag.
pub(super) struct TagToken {
    pub(super) name: Name,
    pub(super) end: bool,
    pub(super) self_closing: bool,
    pub(super) attributes: Attributes,
}

const SPACE: u8 = 1;
const SLASH_OR_END: u8 = 2;
const EQUALS: u8 = 4;
const UPPER: u8 = 8;
const END: u8 = 16;

/// What each byte is inside a tag.
static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut b = b'A';
    while b <= b'Z' {
        kinds[b as usize] = UPPER;
        b += 1;
    }
    kinds[b' ' as usize] = SPACE;
    kinds[b'\t' as usize] = SPACE;
    kinds[b'\n' as usize] = SPACE;
    kinds[0x0C] = SPACE;
    kinds[b'/' as usize] = SLASH_OR_END;
    kinds[b'>' as usize] = SLASH_OR_END | END;
    kinds[b'=' as usize] = EQUALS;
    kinds
}

fn kind(byte: u8) -> u8 {
    KINDS[byte as usize]
}

/// The longest name that is looked up; none that is known is longer.
const LOOKED_UP: usize = 32;

impl<'p> Parser<'p> {
    /// Where a run of bytes of no kind of `stop` ends, and the kinds that were met.
    fn run_of(&self, from: usize, stop: u8) -> (usize, u8) {
        let mut met = 0;
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        for (i, &byte) in rest.iter().enumerate() {
            let kind = kind(byte);
            if kind & stop != 0 {
                return (from + i, met);
            }
            met |= kind;
        }
        (self.text.len(), met)
    }

    fn skip_space(&self, from: usize) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().position(|&byte| kind(byte) != SPACE).unwrap_or(rest.len())
    }

    /// Reads the tag whose name starts at `at`, up to its `>`. Nothing when the page ends before.
    pub(super) fn read_tag(&mut self, at: usize, end: bool) -> Option<TagToken> {
        let bytes = self.text.as_bytes();
        let (stop, met) = self.run_of(at, SPACE | SLASH_OR_END);
        let name = self.element_name(at, stop, met & UPPER != 0);
        let start = self.arena.attributes.len();
        let mut seen = 0;
        let mut at = stop;
        let self_closing = loop {
            at = self.skip_space(at);
            match *bytes.get(at)? {
                b'>' => {
                    at += 1;
                    break false;
                }
                b'/' => {
                    at += 1;
                    if bytes.get(at) == Some(&b'>') {
                        at += 1;
                        break true;
                    }
                }
                _ => {
                    seen += 1;
                    at = self.read_attribute(at, start, !end)?;
                }
            }
        };
        if seen > ATTRIBUTES && !end {
            self.given_up = true;
        }
        self.at = at;
        let attributes = Attributes { start: start as u32, len: (self.arena.attributes.len() - start) as u32 };
        Some(TagToken { name, end, self_closing, attributes })
    }

    /// Reads one attribute and says where it ends. `first` is where those of its tag start.
    fn read_attribute(&mut self, at: usize, first: usize, keep: bool) -> Option<usize> {
        let bytes = self.text.as_bytes();
        // An equals sign in first place belongs to the name.
        let (stop, met) = self.run_of(at + 1, SPACE | SLASH_OR_END | EQUALS);
        let upper = (met | kind(bytes[at])) & UPPER != 0;
        let equals = self.skip_space(stop);
        let mut value = (stop, stop);
        let mut after = equals;
        if *bytes.get(equals)? == b'=' {
            let start = self.skip_space(equals + 1);
            match *bytes.get(start)? {
                quote @ (b'"' | b'\'') => {
                    let end = start + 1 + memchr::memchr(quote, &bytes[start + 1..])?;
                    value = (start + 1, end);
                    after = end + 1;
                }
                _ => {
                    let end = self.run_of(start, SPACE | END).0;
                    value = (start, end);
                    after = end;
                }
            }
        }
        if keep && self.arena.attributes.len() - first <= ATTRIBUTES {
            self.keep_attribute((at, stop), upper, value, first);
        }
        Some(after)
    }

    fn keep_attribute(&mut self, name: (usize, usize), upper: bool, value: (usize, usize), first: usize) {
        let (mut key, mut other) = (Key::Other, Span::of_text(name.0, name.1));
        let written = &self.text[name.0..name.1];
        if !upper {
            key = Key::of(written.as_bytes());
        } else {
            let small = written.to_ascii_lowercase();
            key = if small.len() <= LOOKED_UP { Key::of(small.as_bytes()) } else { key };
            if key == Key::Other {
                let start = self.arena.side.len();
                self.arena.side.push_str(&small);
                other = Span::of_side(start, self.arena.side.len());
            }
        }
        let mut attribute = Attribute { key, other, value: Span::EMPTY };
        // The first of two with one name counts.
        if self.arena.attributes[first..].iter().any(|old| self.same_name(old, &attribute)) {
            return;
        }
        attribute.value = self.value(value.0, value.1);
        self.arena.attributes.push(attribute);
    }

    fn value(&mut self, start: usize, end: usize) -> Span {
        let value = &self.text.as_bytes()[start..end];
        if memchr::memchr(b'&', value).is_some() { self.decode(start, end, true) } else { Span::of_text(start, end) }
    }

    pub(super) fn same_name(&self, a: &Attribute, b: &Attribute) -> bool {
        a.key == b.key && (a.key != Key::Other || self.words(a.other) == self.words(b.other))
    }

    fn element_name(&mut self, start: usize, end: usize, upper: bool) -> Name {
        let written = &self.text[start..end];
        if !upper {
            return match Tag::of(written.as_bytes()) {
                Tag::Other => self.other_name(written),
                tag => tag.into(),
            };
        }
        let small = written.to_ascii_lowercase();
        match Tag::of(small.as_bytes()) {
            Tag::Other => self.other_name(&small),
            tag => tag.into(),
        }
    }

    fn other_name(&mut self, name: &str) -> Name {
        let known = self.others.get(name).copied();
        let other = known.unwrap_or_else(|| {
            let other = self.arena.others.len().min(usize::from(u16::MAX)) as u16;
            self.given_up |= other == u16::MAX;
            self.others.insert(name.into(), other);
            self.arena.others.push(name.into());
            other
        });
        Name { tag: Tag::Other, other }
    }
}
