//! Addresses whose town follows the postcode: most of the continent.

use super::evidence::Evidence;
use super::pieces::{self, Sep};
use super::street::Street;
use super::vocabulary as words;
use super::{Address, Parts, Postcode, Reader};
use crate::gazetteer::Place;
use crate::parse::locate::{self, Clues};
use crate::parse::tokens::{Gap, Shape};

/// Most words of a town's name.
const CITY_WORDS: usize = 5;
/// Words that join the rest of a town's name to its beginning: "Freiburg im Breisgau", "Kostelec nad Orlicí".
const JOINING: [&str; 40] = [
    "am", "an", "im", "in", "bei", "b", "a", "i", "ob", "auf", "zu", "vor", "der", "d", "den", "dem", "sur", "sous",
    "les", "lez", "en", "de", "del", "della", "di", "la", "le", "du", "des", "nad", "pod", "u", "na", "op", "aan",
    "den", "pa", "v", "do", "da",
];

struct Town {
    /// Words it has, up to where.
    end: usize,
    city: String,
    place: Option<Place>,
}

impl<'r> Reader<'r> {
    /// `Musterstraße 12, 24103 Kiel`, `12 rue de Rivoli, 75001 Paris`, `Via Roma, 5, 40121 Bologna`.
    pub(super) fn town_after(&self, postcode: Postcode<'_>, countries: &[&'static str]) -> Option<Parts> {
        let (first, loose) = self.town_begins(postcode.after)?;
        let (start, prefixed) = self.country_prefix(postcode);
        let (before, last) = pieces::before(self.text, start);
        let mut kept = before.len();
        while kept > 0
            && words::is_label(&before[kept - 1].folded())
            && (last >= Sep::Mark || kept < before.len() || before[kept - 1].sep >= Sep::Mark)
        {
            kept -= 1;
        }
        let last = if kept < before.len() { before[kept].sep } else { last };
        let street = Street::before_postcode(self.text, &before[..kept], last)?;
        let spaced =
            !postcode.written.contains(['-', ' ']) && postcode.written.len() == 5 || postcode.written.len() == 4;
        let shaped = !spaced;
        // Digits in two groups, with nothing else that says so, are anything.
        if postcode.written.as_bytes().get(2) == Some(&b' ') && !street.sure {
            return None;
        }
        let end_guess = self.tokens.get(first).map_or(postcode.end, |token| token.end as usize);
        let mut said = self.said(countries, street.start, end_guess);
        for (country, weight) in &mut said.weights {
            if street.languages != 0 {
                *weight += if words::speaks(street.languages, country) { 2.0 } else { -2.0 };
            }
        }
        let town = self.town_from(first, postcode, countries, &said.weights, prefixed)?;
        said.named = self.country_after(town.end);
        // Where the country is named, only its towns count.
        let town = match said.named.filter(|named| countries.contains(named) && prefixed.is_none()) {
            Some(named)
                if town.place.is_none_or(|place| place.country().is_none_or(|country| country.code() != named)) =>
            {
                self.town_from(first, postcode, &[named], &[], Some(named)).unwrap_or(town)
            }
            _ => town,
        };
        let known = town.place.is_some();
        let country = match town.place {
            Some(place) => place.country()?.code(),
            None => self.likeliest(&said.weights, said.named.or(prefixed), &street)?,
        };
        // Parts in cells of a table are believed when all is known.
        if loose && (!known || !street.sure) {
            return None;
        }
        let evidence = Evidence {
            sure: street.sure,
            known,
            shaped,
            country: prefixed.map(|code| code == country).or_else(|| said.agrees(self, country)),
            language: (street.languages != 0).then(|| words::speaks(street.languages, country)),
            untidy: last == Sep::Space,
            apart: street.apart,
            ..Evidence::default()
        };
        let place = match town.place {
            Some(place) => place,
            None => self.gazetteer.country(country)?.place(),
        };
        Some(Parts {
            span: street.start..town.end,
            street,
            postcode: postcode.written.to_owned(),
            city: town.city,
            place,
            known,
            country,
            evidence,
        })
    }

    /// The first word of the town after a postcode, and whether it stands in a place of its own.
    fn town_begins(&self, after: usize) -> Option<(usize, bool)> {
        let mut at = after;
        // "24103\nOrt: Kiel"
        while self.tokens.get(at).is_some_and(|token| token.gap != Gap::Joins)
            && words::is_label(&crate::fold(self.word(at)))
            && self.tokens.get(at + 1).is_some_and(|next| !matches!(next.gap, Gap::Joins | Gap::Comma))
            && at < after + 2
        {
            at += 1;
        }
        let token = self.tokens.get(at)?;
        let lower = token.shape == Shape::Lower && matches!(self.word(at), "s" | "l" | "d" | "den" | "la" | "le");
        if !token.is_capitalised() && !lower {
            return None;
        }
        let between = self.text.get(self.tokens[after - 1].end as usize..token.start as usize)?;
        match token.gap {
            Gap::Joins if at == after => Some((at, between != " " && between != "\u{a0}")),
            Gap::Comma | Gap::Sentence | Gap::Other | Gap::Joins | Gap::Opens => {
                (!between.contains(['.', '!', '?', '(', ';', '=', '/', '"', '+'])).then_some((at, true))
            }
            _ => None,
        }
    }

    /// `D-24103`, `FI-80100`: where it begins, and the country.
    fn country_prefix(&self, postcode: Postcode<'_>) -> (usize, Option<&'static str>) {
        let plain = (postcode.start, None);
        let Some(before) = postcode.first.checked_sub(1) else { return plain };
        let token = &self.tokens[before];
        let between = self.text.get(token.end as usize..postcode.start).unwrap_or_default();
        // With spaces around it, a dash separates unless the letter stands alone: not "5/B - 37138".
        let spaced = matches!(between, " - " | " – ") && matches!(token.gap, Gap::Comma | Gap::Sentence);
        if !(spaced || matches!(between, "-" | "–" | "\u{2011}")) || !token.is_capitalised() {
            return plain;
        }
        let code = match self.word(before) {
            "D" => "DE",
            "F" => "FR",
            "A" => "AT",
            "I" => "IT",
            "E" => "ES",
            "S" => "SE",
            "L" => "LU",
            "B" => "BE",
            "P" => "PT",
            "N" => "NO",
            "FIN" | "SF" => "FI",
            prefix if prefix.len() == 2 => match self.gazetteer.country(prefix) {
                Some(country) => country.code(),
                None => return plain,
            },
            _ => return plain,
        };
        (token.start as usize, Some(code))
    }

    /// The longest name of a town from a word on; or words that can be one.
    fn town_from(
        &self,
        first: usize,
        postcode: Postcode<'_>,
        countries: &[&str],
        weights: &[(&str, f64)],
        country: Option<&str>,
    ) -> Option<Town> {
        let start = self.tokens[first].start as usize;
        let joined = (first + 1..self.tokens.len().min(first + CITY_WORDS))
            .take_while(|index| matches!(self.tokens[*index].gap, Gap::Joins | Gap::Stop | Gap::Opens))
            .count();
        for words in (1..=joined + 1).rev() {
            let mut end = self.tokens[first + words - 1].end as usize;
            // "Frankfurt (Oder)" whole, or not at all.
            let opened = self.tokens[first + 1..first + words].iter().any(|token| token.gap == Gap::Opens);
            if opened {
                if !self.text.get(end..).is_some_and(|rest| rest.starts_with(')')) {
                    continue;
                }
                end += 1;
            }
            let city = self.text.get(start..end)?;
            let address = Address {
                city: Some(city.to_owned()),
                postcode: Some(postcode.written.to_owned()),
                country: country.map(str::to_owned),
                ..Address::default()
            };
            let clues = Clues { region: None, countries: if country.is_some() { &[] } else { countries }, weights };
            if let Some(place) = locate::town(self.gazetteer, &address, clues, self.hints) {
                // What is in parentheses after a town is mostly its province.
                if opened && !place.name().contains('(') {
                    continue;
                }
                let end = if opened { end } else { self.town_goes_on(first + words, place) };
                return Some(Town { end, city: self.text.get(start..end)?.to_owned(), place: Some(place) });
            }
        }
        // Nothing that is known: capitalised words to the end of the line.
        let mut words = 1;
        while words <= joined && self.tokens[first + words].gap == Gap::Joins && words < 4 {
            let token = &self.tokens[first + words];
            let joining = JOINING.contains(&self.word(first + words));
            let next =
                self.tokens.get(first + words + 1).is_some_and(|next| next.is_capitalised() && next.gap == Gap::Joins);
            if !(token.is_capitalised() || joining && next) {
                break;
            }
            words += 1;
        }
        let last = &self.tokens[first + words - 1];
        let ends = self.tokens.get(first + words).is_none_or(|next| next.gap != Gap::Joins);
        let long = last.end as usize - start > 2;
        (ends && long && self.tokens[first].shape == Shape::Capital).then(|| Town {
            end: last.end as usize,
            city: self.text.get(start..last.end as usize).unwrap_or_default().to_owned(),
            place: None,
        })
    }

    /// Where the name of a town ends that is longer than what the gazetteer has: "Praha 1",
    /// "København K", "Ostrava-Poruba", "Freiburg im Breisgau".
    fn town_goes_on(&self, mut next: usize, place: Place) -> usize {
        let country = place.country().map_or("", |country| country.code());
        let end = |next: usize| self.tokens[next - 1].end as usize;
        // "Biel/Bienne"
        if self
            .tokens
            .get(next)
            .is_some_and(|token| self.text.get(end(next)..token.start as usize) == Some("/") && token.is_capitalised())
        {
            next += 1;
        }
        while let Some(token) = self.tokens.get(next).filter(|token| token.gap == Gap::Joins) {
            let word = token.text(self.text);
            let hyphen = self.text.as_bytes().get(end(next)) == Some(&b'-');
            let joined = JOINING.contains(&word.to_lowercase().as_str()) && token.shape == Shape::Lower;
            // Postal districts: numbers, and in Denmark letters.
            let district = match country {
                "CZ" | "SK" | "AT" | "IE" => token.shape == Shape::Number && word.len() <= 2,
                "DK" => matches!(word, "K" | "V" | "N" | "S" | "Ø" | "C" | "NV" | "SV" | "SØ" | "NØ" | "M"),
                _ => false,
            };
            if hyphen && token.shape != Shape::Number {
                next += 1;
            } else if district {
                next += 1;
                if country != "DK" {
                    break;
                }
            } else if joined {
                // Only with the name that follows.
                let last = (next..self.tokens.len().min(next + 4))
                    .take_while(|at| matches!(self.tokens[*at].gap, Gap::Joins | Gap::Stop))
                    .find(|at| self.tokens[*at].is_capitalised());
                let all_joining =
                    |last: usize| (next..last).all(|at| JOINING.contains(&self.word(at).to_lowercase().as_str()));
                match last.filter(|last| all_joining(*last)) {
                    Some(last)
                        if matches!(country, "DE" | "AT" | "CH" | "FR" | "CZ" | "SK" | "IT" | "ES" | "PT" | "NL")
                            && self.line_ends(last + 1) =>
                    {
                        next = last + 1
                    }
                    _ => break,
                }
            } else {
                break;
            }
        }
        end(next)
    }

    fn line_ends(&self, next: usize) -> bool {
        self.tokens.get(next).is_none_or(|token| !matches!(token.gap, Gap::Joins | Gap::Stop))
    }

    /// The country of an address whose town is not known: the one that is named, or the only one whose
    /// streets are called so.
    fn likeliest(
        &self,
        weights: &[(&'static str, f64)],
        named: Option<&'static str>,
        street: &Street,
    ) -> Option<&'static str> {
        let hinted = || {
            weights
                .iter()
                .map(|(code, _)| *code)
                .find(|code| self.hints.country.is_some_and(|hint| hint.eq_ignore_ascii_case(code)))
        };
        if let Some(country) = named.or_else(hinted) {
            return weights.iter().map(|(code, _)| *code).find(|code| *code == country);
        }
        let best = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let close = weights.iter().filter(|(_, weight)| *weight > best.1 - 0.5).count();
        (street.sure && best.1 > 0.0 && close <= 3 || weights.len() == 1).then_some(best.0)
    }
}
