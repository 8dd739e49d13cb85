//! What stands before a postcode, as words and what separates them.

use std::cell::OnceCell;

use super::number::key;

/// How far back an address may begin, in bytes.
const REACH: usize = 180;
/// Letters of any abbreviation with a full stop, at most; longer words end a sentence with it, except …
const ABBREVIATION: usize = 3;
/// … these, and what ends like the first few, in lower case.
const ABBREVIATIONS: &str = "str straße strasse vej vægen gatan blvd pkwy avda prof \
    hwy ctra pza plza imp chem bldg flr apto cres terr circ prol urb calz dept suite hgwy hway inż marsz kard pplk nábř mudr \
    comm ing arch gral sgto cdad trav capt lieut cpt pres wm jct expy frwy tpke crse esp espl pde plaz ptnr geb etg haus bât \
    izda dcha izqda dcho lejl bajo entlo ppal edif sala esqa \
    resid résid boul rond oost west east nth sth";
/// How many of them are endings too.
const ENDINGS: usize = 9;

/// What separates a word from the one before it, from the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sep {
    Space,
    Comma,
    /// A dash, a bullet, a bar, a colon, a parenthesis.
    Mark,
    Line,
    /// The end of a sentence, or of what is looked at.
    Stop,
}

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Piece<'t> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: &'t str,
    pub(super) sep: Sep,
    /// See [`Piece::key`].
    key: OnceCell<String>,
}

impl Piece<'_> {
    /// It in one spelling. The street is looked for on many ways through the same words, so this is kept.
    pub(super) fn key(&self) -> &str {
        self.key.get_or_init(|| key(self.text))
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.text.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase)
    }

    pub(super) fn folded(&self) -> String {
        crate::fold(self.text)
    }

    pub(super) fn has_digit(&self) -> bool {
        self.text.bytes().any(|byte| byte.is_ascii_digit())
    }
}

/// The words that end before a byte, and what separates the last from what follows.
pub(super) fn before(text: &str, end: usize) -> (Vec<Piece<'_>>, Sep) {
    let mut floor = end.saturating_sub(REACH);
    while !text.is_char_boundary(floor) {
        floor += 1;
    }
    let Some(window) = text.get(floor..end) else { return (Vec::new(), Sep::Stop) };
    let mut found: Vec<Piece<'_>> = Vec::new();
    let mut sep = if floor == 0 { Sep::Line } else { Sep::Stop };
    let mut at = 0;
    // What the window cuts through is no word.
    if floor > 0 && !text[..floor].ends_with(char::is_whitespace) {
        at = window.find(char::is_whitespace).unwrap_or(window.len());
    }
    while at < window.len() {
        let rest = &window[at..];
        let Some(c) = rest.chars().next() else { break };
        if c.is_whitespace() {
            if c == '\n' {
                sep = sep.max(Sep::Line);
            }
            at += c.len_utf8();
            continue;
        }
        if let Some(mark) = separator(c).filter(|_| c != ':' || !is_inside(rest)) {
            sep = sep.max(mark);
            at += c.len_utf8();
            continue;
        }
        let length = rest
            .char_indices()
            .find(|(index, c)| {
                c.is_whitespace() || separator(*c).is_some() && (*c != ':' || !is_inside(&rest[*index..]))
            })
            .map_or(rest.len(), |(index, _)| index);
        // "Hauptstr.5"
        let length =
            rest[..length].find('.').filter(|stop| is_glued(&rest[..length], *stop)).map_or(length, |stop| stop + 1);
        let (word, start) = (&rest[..length], floor + at);
        at += length;
        // A dash or slash alone separates; between two numbers it joins them.
        if word.chars().all(|c| !c.is_alphanumeric() && c != '#' && c != '&') {
            let joins = matches!(word, "-" | "–" | "/" | "+")
                && found.last().is_some_and(|last| is_short_number(last.text))
                && window[at..].split_whitespace().next().is_some_and(|next| {
                    // Before the postcode itself it separates.
                    is_short_number(next.trim_end_matches([',', ';']))
                });
            if joins && let Some(last) = found.last_mut() {
                let after = at + window[at..].len() - window[at..].trim_start().len();
                let next = window[after..].find(|c: char| c.is_whitespace() || separator(c).is_some());
                let to = next.map_or(window.len(), |next| after + next);
                last.end = floor + to;
                last.text = &text[last.start..last.end];
                at = to;
            } else {
                sep = sep.max(Sep::Mark);
            }
            continue;
        }
        let bare = word.trim_matches(['"', '„', '“', '”', '»', '«', '*', '!', '?', '…', '_']);
        let start = start + word.find(bare).unwrap_or(0);
        // A full stop before a comma shortens.
        let shortens = window[at..].starts_with(',');
        let ends = word.ends_with(['!', '?', '…']) || is_sentence_end(bare) && !shortens;
        let bare = if ends { bare.trim_end_matches('.') } else { bare };
        if !bare.is_empty() {
            found.push(Piece { start, end: start + bare.len(), text: bare, sep, key: OnceCell::new() });
            sep = Sep::Space;
        }
        if ends {
            sep = sep.max(Sep::Stop);
        }
    }
    (found, sep)
}

fn separator(c: char) -> Option<Sep> {
    Some(match c {
        ',' | '，' => Sep::Comma,
        ';' | '|' | '•' | '·' | '∙' | '●' | '■' | '—' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ':' | '\\'
        | '~' | '→' => Sep::Mark,
        _ => return None,
    })
}

/// Whether a colon is inside a word: "S:t Eriksgatan".
fn is_inside(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(char::is_lowercase)
}

/// Whether a house number follows a shortened word without a space.
fn is_glued(word: &str, stop: usize) -> bool {
    let (name, number) = (&word[..stop], &word[stop + 1..]);
    name.chars().count() > 2 && name.chars().all(|c| c.is_alphabetic() || c == '-') && is_short_number(number)
}

fn is_short_number(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && word.len() - digits <= 1 && word[digits..].bytes().all(|b| b.is_ascii_alphabetic())
}

/// Whether a word with a full stop ends a sentence: "Str.", "St.", "H.C." and "17." do not.
fn is_sentence_end(word: &str) -> bool {
    let Some(stem) = word.strip_suffix('.') else { return false };
    let letters = stem.chars().filter(|c| c.is_alphabetic()).count();
    let lower = stem.to_lowercase();
    let known = ABBREVIATIONS
        .split_ascii_whitespace()
        .enumerate()
        .any(|(index, abbreviation)| lower == abbreviation || index < ENDINGS && lower.ends_with(abbreviation));
    letters > ABBREVIATION && !known && !stem.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let (pieces, last) = before(text, text.len());
        let shown: Vec<String> = pieces.iter().map(|piece| format!("{:?} {}", piece.sep, piece.text)).collect();
        assert_eq!(format!("{} / {last:?}", shown.join(" / ")), expected);
        assert!(pieces.iter().all(|piece| text[piece.start..piece.end] == *piece.text), "{pieces:?}");
    }

    #[test]
    fn words_know_what_separates_them() {
        check("Holstenstr. 5 – 7 · ", "Line Holstenstr. / Space 5 – 7 / Mark");
        check("We moved. C/ Mayor, 12\n", "Line We / Space moved / Stop C/ / Space Mayor / Comma 12 / Line");
        check(
            "Willkommen. Adresse: Am Markt 3,",
            "Line Willkommen / Stop Adresse / Mark Am / Space Markt / Space 3 / Comma",
        );
        check("12,rue X - ", "Line 12 / Comma rue / Space X / Mark");
    }
}
