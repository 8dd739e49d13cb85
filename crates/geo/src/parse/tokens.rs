//! Text as words.

use query::is_word_char;

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All in lower case.
    Lower,
    /// A capital first.
    Capital,
    /// Capitals only, two or more.
    Capitals,
    /// In a script without capitals.
    Caseless,
    /// Begins with a digit.
    Number,
}

/// What stands between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing: scripts that do not space their words.
    None,
    /// One space, hyphen or apostrophe: may be inside a name.
    Joins,
    /// A full stop, perhaps with a space: may be inside "St. Louis".
    Stop,
    /// A comma and a space.
    Comma,
    /// A space and an opening parenthesis: may be inside "Frankfurt (Oder)".
    Opens,
    /// The end of a sentence, a line, or the beginning of the text.
    Sentence,
    /// Anything else.
    Other,
}

/// A word of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) shape: Shape,
    pub(super) gap: Gap,
}

impl Token {
    pub(super) fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    pub(super) fn is_capitalised(&self) -> bool {
        matches!(self.shape, Shape::Capital | Shape::Capitals)
    }
}

/// Whether a character is of a script that does not space its words, so that each is a token.
fn stands_alone(c: char) -> bool {
    matches!(c as u32, 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF
        | 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Whether a letter is a small one beside which names have a capital. The letters of Georgian are
/// small to Unicode, but their capitals never begin a word.
fn is_small(c: char) -> bool {
    c.is_lowercase() && !is_georgian(c)
}

/// Whether a character is a letter of Georgian as it is always written.
pub(super) fn is_georgian(c: char) -> bool {
    matches!(c, '\u{10D0}'..='\u{10FF}')
}

const LETTER: u8 = 1;
const CAPITAL: u8 = 2;
const DIGIT: u8 = 4;

/// What each byte of ASCII is; 0 for what is not part of a word.
static ASCII: [u8; 128] = {
    let mut kinds = [0; 128];
    let mut byte = 0u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' => LETTER,
            b'A'..=b'Z' => LETTER | CAPITAL,
            b'0'..=b'9' => DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Splits a text of less than 4 GB into words.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(text.len() / 6);
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut last_end = 0;
    while at < bytes.len() {
        let start = at;
        let mut shape = Shape::Lower;
        if bytes[at] < 0x80 {
            if ASCII[usize::from(bytes[at])] == 0 {
                at += 1;
                continue;
            }
        } else {
            let Some(c) = text[at..].chars().next() else { break };
            if !is_word_char(c) {
                at += c.len_utf8();
                continue;
            }
            if stands_alone(c) {
                at += c.len_utf8();
                // Marks belong to the letter before them.
                while let Some(mark) =
                    text[at..].chars().next().filter(|c| stands_alone(*c) && !c.is_alphabetic() && is_word_char(*c))
                {
                    at += mark.len_utf8();
                }
                let gap = gap(&text[last_end..start], tokens.is_empty());
                tokens.push(Token { start: start as u32, end: at as u32, shape: Shape::Caseless, gap });
                last_end = at;
                continue;
            }
        }
        let (mut letters, mut capitals) = (0u32, 0u32);
        let mut first = true;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte < 0x80 {
                let kind = ASCII[usize::from(byte)];
                if kind == 0 {
                    break;
                }
                letters += u32::from(kind & LETTER != 0);
                capitals += u32::from(kind & CAPITAL != 0);
                if first {
                    shape = match byte {
                        b'0'..=b'9' => Shape::Number,
                        b'A'..=b'Z' => Shape::Capital,
                        _ => Shape::Lower,
                    };
                }
                at += 1;
            } else {
                let Some(c) = text[at..].chars().next() else { break };
                if !is_word_char(c) || stands_alone(c) {
                    break;
                }
                if c.is_uppercase() {
                    letters += 1;
                    capitals += 1;
                    if first {
                        shape = Shape::Capital;
                    }
                } else if is_small(c) {
                    letters += 1;
                } else if first {
                    shape = Shape::Caseless;
                }
                at += c.len_utf8();
            }
            first = false;
        }
        if shape == Shape::Capital && letters > 1 && letters == capitals {
            shape = Shape::Capitals;
        }
        let gap = gap(&text[last_end..start], tokens.is_empty());
        tokens.push(Token { start: start as u32, end: at as u32, shape, gap });
        last_end = at;
    }
    tokens
}

fn gap(between: &str, first: bool) -> Gap {
    if first {
        return Gap::Sentence;
    }
    // By bytes, because this is asked for every word.
    match between.as_bytes() {
        b"" => return Gap::None,
        b" " | b"-" | b"'" => return Gap::Joins,
        b"." | b". " => return Gap::Stop,
        b"," | b", " => return Gap::Comma,
        b" (" => return Gap::Opens,
        _ => {}
    }
    match between {
        "’" | "\u{a0}" | "\u{2010}" | "\u{2011}" | "・" | "·" => Gap::Joins,
        ",\u{a0}" => Gap::Comma,
        _ if between.contains('\n') || between.contains(['.', '!', '?', ':', '。', '…']) => Gap::Sentence,
        _ => Gap::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_their_shapes_and_gaps_known() {
        let text = "In St. Louis, USA: don't Ärger 3rd\n東京 нет Да თბილისი";
        let found: Vec<(&str, Shape, Gap)> = tokens(text).iter().map(|t| (t.text(text), t.shape, t.gap)).collect();
        assert_eq!(
            found,
            [
                ("In", Shape::Capital, Gap::Sentence),
                ("St", Shape::Capital, Gap::Joins),
                ("Louis", Shape::Capital, Gap::Stop),
                ("USA", Shape::Capitals, Gap::Comma),
                ("don", Shape::Lower, Gap::Sentence),
                ("t", Shape::Lower, Gap::Joins),
                ("Ärger", Shape::Capital, Gap::Joins),
                ("3rd", Shape::Number, Gap::Joins),
                ("東", Shape::Caseless, Gap::Sentence),
                ("京", Shape::Caseless, Gap::None),
                ("нет", Shape::Lower, Gap::Joins),
                ("Да", Shape::Capital, Gap::Joins),
                ("თბილისი", Shape::Caseless, Gap::Joins),
            ]
        );
    }
}
