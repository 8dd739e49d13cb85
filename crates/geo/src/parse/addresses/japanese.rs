//! Japanese addresses, from the largest to the smallest.

use super::{Address, Reader};
use crate::parse::locate::{self, Clues};
use crate::parse::tokens::Gap;
use crate::parse::{Mention, MentionKind, tuning};

/// Confidence in an address with its mark, 〒.
const CONFIDENCE: f64 = 0.95;
/// How far an address may reach after its postcode, in bytes: some hundred characters. Each of many on one long
/// line is looked for no farther.
const REACH: usize = 360;

impl Reader<'_> {
    /// `〒920-0961 石川県金沢市片町1丁目2-3`: found at the first half of the postcode.
    pub(super) fn japanese(&self, index: usize) -> Option<Mention> {
        let digits = |index: usize, length: usize| {
            let word = self.word(index);
            word.len() == length && word.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !digits(index, 3) || !digits(index + 1, 4) || self.tokens[index + 1].gap != Gap::Joins {
            return None;
        }
        let (mut start, end) = (self.tokens[index].start as usize, self.tokens[index + 1].end as usize);
        let postcode = self.text.get(start..end)?.to_owned();
        let mark = self.text.get(..start)?.strip_suffix('〒')?;
        start = mark.len();
        let (line, from) = line_after(self.text, end)?;
        // The prefecture, the town, then the quarter and the numbers of block and house.
        let after = |text: &str, marks: &[char]| text.find(marks).map(|at| at + '市'.len_utf8());
        let prefecture = after(line, &['県', '府', '都', '道']).unwrap_or(0);
        let city_end = prefecture + after(line.get(prefecture..)?, &['市', '区', '町', '村'])?;
        let city = line.get(prefecture..city_end)?;
        let tail = line.get(city_end..)?.split(' ').next()?;
        let street = tail.split(|c: char| c.is_ascii_digit()).next()?;
        let number = tail.get(street.len()..).filter(|number| !number.is_empty())?;
        let mut address = Address {
            street: Some(street.to_owned()),
            number: Some(number.to_owned()),
            postcode: Some(postcode),
            city: Some(city.to_owned()),
            country: Some("JP".to_owned()),
        };
        let region = line.get(..prefecture).filter(|name| !name.is_empty());
        let clues = Clues { region, countries: &["JP"], ..Clues::default() };
        let place = locate::town(self.gazetteer, &address, clues, self.hints)?;
        address.street = address.street.filter(|street| !street.is_empty());
        Some(Mention {
            span: start..from + city_end + tail.len(),
            kind: MentionKind::Address,
            place: Some(place),
            at: place.at(),
            precision_m: tuning::precision_m(place),
            confidence: CONFIDENCE,
            address: Some(address),
            why: format!("street, number and postcode with {}, a known town", place.name()),
        })
    }
}

/// What stands after a postcode up to the end of the line or sentence, and where that begins.
fn line_after(text: &str, end: usize) -> Option<(&str, usize)> {
    let rest = text.get(end..text.floor_char_boundary(end + REACH))?;
    let line = rest.split(['\n', '、', '。', '　']).next()?.trim_start();
    Some((line, end + (rest.len() - rest.trim_start().len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_postcodes_on_one_line_are_each_read_as_far_as_one() {
        let read = |times: usize| -> usize {
            let text = "〒920-0961 M".repeat(times);
            let ends = text.match_indices("0961").map(|(at, postcode)| at + postcode.len());
            ends.filter_map(|end| line_after(&text, end)).map(|(line, _)| line.len()).sum()
        };
        assert!(read(1000) > 0 && read(4000) < 5 * read(1000));
    }
}
