//! One spelling for the many ways a name is written.
//!
//! `Saint-Étienne`, `SAINT ETIENNE` and `saint étienne` fold to the same key, `saint etienne`: lower
//! case, no diacritics, words separated by one space. The gazetteer's keys are made with the same
//! functions that read text, so what is found does not depend on two tables agreeing.

use unicode_normalization::char::decompose_canonical;

/// Whether a character is part of a word. Marks that Unicode does not call letters but without
/// which a name falls apart (vowel signs, viramas) are.
pub fn is_word_char(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    match c as u32 {
        // Most that are met: letters of Latin, Greek and Cyrillic, without a look into the tables of Unicode.
        0x00D7 | 0x00F7 => false,
        0x00C0..=0x024F | 0x0388..=0x038A | 0x038E..=0x03A1 | 0x03A3..=0x03F5 | 0x0400..=0x0481 => true,
        // Modifier letters that stand for apostrophes separate words as apostrophes do.
        0x02B0..=0x02FF => false,
        0x0300..=0x036F | 0x0483..=0x0487 | 0x0591..=0x05C7 | 0x0610..=0x061A | 0x064B..=0x065F => true,
        0x0900..=0x0DFF => !matches!(c, '\u{0964}' | '\u{0965}' | '\u{0970}'),
        0x0E31 | 0x0E34..=0x0E3A | 0x0E47..=0x0E4E | 0x0EB1 | 0x0EB4..=0x0EBC | 0x0EC8..=0x0ECD => true,
        0x0F18..=0x0F39 | 0x0F71..=0x0FBC | 0x102B..=0x103E | 0x17B4..=0x17D3 => true,
        0x200C | 0x200D => true,
        _ => c.is_alphanumeric(),
    }
}

/// Gives the folded characters of a word character.
pub fn fold_char(c: char, mut out: impl FnMut(char)) {
    if c.is_ascii() {
        return out(c.to_ascii_lowercase());
    }
    if let Some(plain) = plain(c) {
        return plain.chars().for_each(out);
    }
    match c {
        // Vowel marks and stretching are optional in Arabic and Hebrew; joiners are invisible.
        '\u{0640}' | '\u{064B}'..='\u{065F}' | '\u{0591}'..='\u{05C7}' | '\u{200C}' | '\u{200D}' => {}
        '\u{0300}'..='\u{036F}' => {}
        _ => {
            for lower in c.to_lowercase() {
                // Beyond Latin, Greek and Cyrillic a decomposed mark is part of the letter.
                if matches!(lower as u32, 0..=0x052F | 0x1E00..=0x1FFF) {
                    decompose_canonical(lower, |part| match plain(part) {
                        // A letter with a mark may be one of those: ǽ is æ with an accent.
                        Some(plain) => plain.chars().for_each(&mut out),
                        None if matches!(part as u32, 0x0300..=0x036F) => {}
                        None => out(part),
                    });
                } else {
                    out(lower);
                }
            }
        }
    }
}

/// What a letter that no rule of Unicode takes apart is written as without it.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'þ' | 'Þ' => "th",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'ı' | 'İ' => "i",
        'ħ' | 'Ħ' => "h",
        'ŋ' | 'Ŋ' => "n",
        'ə' | 'Ə' => "e",
        'أ' | 'إ' | 'آ' | 'ٱ' => "ا",
        'ى' | 'ی' => "ي",
        'ک' => "ك",
        _ => return None,
    })
}

/// The folded form of a name: its words in lower case without diacritics, one space between them.
///
/// ```
/// assert_eq!(query::fold("Saint-Étienne"), "saint etienne");
/// assert_eq!(query::fold("  ŁÓDŹ "), "lodz");
/// assert_eq!(query::fold("U.S."), "u s");
/// ```
pub fn fold(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut gap = false;
    for c in name.chars() {
        if !is_word_char(c) {
            gap = true;
            continue;
        }
        fold_char(c, |folded| {
            // Folding takes letters apart; what is left over is no letter. Of a mark alone nothing is left.
            if !is_word_char(folded) {
                return;
            }
            if gap && !key.is_empty() {
                key.push(' ');
            }
            gap = false;
            key.push(folded);
        });
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_fold_to_one_key() {
        for (name, key) in [
            ("Malmö", "malmo"),
            ("Malmo\u{308}", "malmo"),
            ("Gießen", "giessen"),
            ("Ærøskøbing", "aeroskobing"),
            ("Xi’an", "xi an"),
            ("Stoke-on-Trent", "stoke on trent"),
            ("İstanbul", "istanbul"),
            ("Киёв", "киев"),
            ("Αθήνα", "αθηνα"),
            ("東京", "東京"),
            ("서울", "서울"),
            ("दिल्ली", "दिल्ली"),
            ("مُحَمَّد", "محمد"),
            ("…", ""),
            ("", ""),
        ] {
            assert_eq!(fold(name), key, "{name}");
        }
    }

    #[test]
    fn letters_known_by_heart_are_letters_to_unicode() {
        let by_heart = ('\u{c0}'..='\u{24f}').chain('\u{388}'..='\u{38a}').chain('\u{38e}'..='\u{481}');
        for c in by_heart.filter(|c| !matches!(*c, '\u{3f6}'..='\u{3ff}')) {
            assert_eq!(is_word_char(c), c.is_alphanumeric(), "{c:?}");
        }
    }

    #[test]
    fn folding_a_key_changes_nothing() {
        for name in ["Châlons-en-Champagne", "Ǆ", "ΐ", "ﬁ", "Nový Jičín"] {
            assert_eq!(fold(&fold(name)), fold(name), "{name}");
        }
        for c in ('\0'..=char::MAX).filter(|c| is_word_char(*c)) {
            for name in [format!("a {c}"), format!("a {c} b"), format!("a{c}b")] {
                let key = fold(&name);
                assert_eq!(fold(&key), key, "{name:?}, U+{:04X}", c as u32);
                assert!(!key.ends_with(' ') && !key.contains("  "), "{name:?}: {key:?}");
            }
        }
    }
}
