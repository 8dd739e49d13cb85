//! Character references: `&amp;`, `&#246;`, `&#xf6;`.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

use super::Parser;
use crate::dom::Span;

/// The longest name of a reference is 32 letters with its semicolon.
const LONGEST: usize = 32;

/// The longest that may stand without one, `&plusmn` and the like.
const LONGEST_BARE: usize = 6;

impl<'p> Parser<'p> {
    /// A stretch of the text with its references decoded.
    pub(super) fn decode(&mut self, start: usize, end: usize, in_attribute: bool) -> Span {
        let text = &self.text[..end];
        let from = self.arena.side.len();
        let mut at = start;
        while let Some(found) = memchr::memchr(b'&', &text.as_bytes()[at..]) {
            self.arena.side.push_str(&text[at..at + found]);
            at += found + 1;
            at += match reference(&text[at..], in_attribute) {
                Some((used, first, second)) => {
                    self.arena.side.push(first);
                    self.arena.side.extend(second);
                    used
                }
                None => {
                    self.arena.side.push('&');
                    0
                }
            };
        }
        self.arena.side.push_str(&text[at..]);
        Span::of_side(from, self.arena.side.len())
    }
}

/// What a reference stands for, and how many bytes after the `&` it takes.
fn reference(after: &str, in_attribute: bool) -> Option<(usize, char, Option<char>)> {
    let bytes = after.as_bytes();
    match bytes.first()? {
        b'#' => numeric(&bytes[1..]).map(|(used, c)| (used + 1, c, None)),
        b if b.is_ascii_alphanumeric() => named(after, in_attribute),
        _ => None,
    }
}

fn numeric(bytes: &[u8]) -> Option<(usize, char)> {
    let (base, skipped) = if matches!(bytes.first(), Some(b'x' | b'X')) { (16, 1) } else { (10, 0) };
    let digits = bytes[skipped..].iter().take_while(|b| (**b as char).is_digit(base)).count();
    if digits == 0 {
        return None;
    }
    let mut number = 0u32;
    for byte in &bytes[skipped..skipped + digits] {
        number = number.saturating_mul(base).saturating_add((*byte as char).to_digit(base).unwrap_or(0));
    }
    let c = match number {
        0 => None,
        0x80..=0x9F => C1_REPLACEMENTS[(number - 0x80) as usize].or(char::from_u32(number)),
        _ => char::from_u32(number),
    };
    let semicolon = usize::from(bytes.get(skipped + digits) == Some(&b';'));
    Some((skipped + digits + semicolon, c.unwrap_or('\u{fffd}')))
}

fn named(after: &str, in_attribute: bool) -> Option<(usize, char, Option<char>)> {
    let bytes = after.as_bytes();
    let letters = bytes.iter().take(LONGEST).take_while(|b| b.is_ascii_alphanumeric()).count();
    if bytes.get(letters) == Some(&b';') {
        let common = match &bytes[..letters] {
            b"amp" => Some('&'),
            b"nbsp" => Some('\u{a0}'),
            b"lt" => Some('<'),
            b"gt" => Some('>'),
            b"quot" => Some('"'),
            _ => None,
        };
        if let Some(c) = common {
            return Some((letters + 1, c, None));
        }
        if let Some((first, second)) = look_up(&after[..letters + 1]) {
            return Some((letters + 1, first, second));
        }
    }
    // Without a semicolon the longest of the old names that fits.
    let (len, first, second) = (1..=letters.min(LONGEST_BARE)).rev().find_map(|len| {
        let (first, second) = look_up(&after[..len])?;
        Some((len, first, second))
    })?;
    let next = bytes.get(len);
    if in_attribute && next.is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric()) {
        return None;
    }
    Some((len, first, second))
}

fn look_up(name: &str) -> Option<(char, Option<char>)> {
    // Starts of names are in the table too, standing for nothing.
    let (first, second) = *NAMED_ENTITIES.get(name).filter(|(first, _)| *first != 0)?;
    Some((char::from_u32(first)?, char::from_u32(second).filter(|c| *c != '\0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_browsers_do() {
        for (after, in_attribute, expected) in [
            ("amp;x", false, Some((4, '&', None))),
            ("ampx", false, Some((3, '&', None))),
            ("ampx", true, None),
            ("amp=", true, None),
            ("amp ", true, Some((3, '&', None))),
            ("notin;", false, Some((6, '∉', None))),
            ("notit;", false, Some((3, '¬', None))),
            ("nGt;", false, Some((4, '≫', Some('\u{20d2}')))),
            ("bogus;", false, None),
            ("#65;", false, Some((4, 'A', None))),
            ("#x41", false, Some((4, 'A', None))),
            ("#128;", false, Some((5, '€', None))),
            ("#0;", false, Some((3, '\u{fffd}', None))),
            ("#xd800;", false, Some((7, '\u{fffd}', None))),
            ("#99999999999;", false, Some((13, '\u{fffd}', None))),
            ("#x;", false, None),
            ("#", false, None),
            ("", false, None),
            ("ü", false, None),
        ] {
            assert_eq!(reference(after, in_attribute), expected, "{after}");
        }
    }
}
