//! Addresses whose town stands before the postcode: where English is written.

use super::evidence::Evidence;
use super::pieces::{self, Piece, Sep};
use super::street::Street;
use super::vocabulary as words;
use super::{Address, Parts, Postcode, Reader};
use crate::gazetteer::{Kind, Place};
use crate::parse::cues;
use crate::parse::locate::{self, Clues, Fit};

/// Most words of a town's name, and of a state's.
const CITY_WORDS: usize = 5;
const STATE_WORDS: usize = 3;
/// Score from which street, town and postcode are taken for an address.
const ENOUGH: f64 = 2.0;

/// A state or county before the postcode: how many words it has, and its name.
#[derive(Clone, Debug)]
struct Area {
    words: usize,
    name: Option<String>,
    place: Option<Place>,
}

/// A reading of what stands before a postcode.
struct Reading {
    score: f64,
    street: Street,
    city: String,
    place: Option<Place>,
    area: Area,
    untidy: bool,
    country: &'static str,
}

/// The streets before each word. Which it is depends neither on the country nor on the area, of which there are
/// several to try.
struct Streets<'p> {
    text: &'p str,
    pieces: &'p [Piece<'p>],
    known: Vec<Option<Option<Street>>>,
}

impl Streets<'_> {
    fn before(&mut self, word: usize) -> Option<Street> {
        self.known.get_mut(word)?.get_or_insert_with(|| Street::before_town(self.text, &self.pieces[..word])).clone()
    }
}

impl<'r> Reader<'r> {
    /// `10 Downing Street, London SW1A 2AA`, `1600 Pennsylvania Avenue NW, Washington, DC 20500`.
    pub(super) fn town_before(&self, postcode: Postcode<'_>, countries: &[&'static str]) -> Option<Parts> {
        let digits = postcode.written.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b' ');
        // A year after a word is far more often just that.
        if postcode.written.len() == 4 && !self.tokens.get(postcode.first.checked_sub(1)?)?.is_capitalised() {
            return None;
        }
        let (mut before, last) = pieces::before(self.text, postcode.start);
        if last == Sep::Stop {
            return None;
        }
        while before
            .last()
            .is_some_and(|piece| words::is_label(&piece.folded()) && (last >= Sep::Mark || piece.sep >= Sep::Mark))
        {
            before.pop();
        }
        // ZIP codes of the East that lost their zero.
        let short = ["US"].into_iter().filter(|_| postcode.written.len() == 4 && digits);
        let countries: Vec<&'static str> = countries.iter().copied().chain(short).collect();
        let mut streets = Streets { text: self.text, pieces: &before, known: vec![None; before.len()] };
        let best = countries
            .iter()
            .flat_map(|country| self.areas(&before, country).into_iter().map(move |area| (country, area)))
            .filter_map(|(country, area)| self.reading(postcode, &mut streets, country, area, digits))
            .max_by(|a, b| a.score.total_cmp(&b.score))?;
        if best.score < ENOUGH {
            return None;
        }
        let Reading { street, city, place: town, area, untidy, country, .. } = best;
        let named = self.country_after(postcode.end);
        let known = town.is_some();
        let place = match town.or(area.place) {
            Some(place) => place,
            None => self.gazetteer.country(country)?.place(),
        };
        let country = if known { place.country()?.code() } else { country };
        let hinted = self.hints.country.is_some_and(|hint| hint.eq_ignore_ascii_case(country));
        let evidence = Evidence {
            sure: street.sure,
            known,
            shaped: !digits,
            country: named.map(|named| named == country).or(hinted.then_some(true)),
            language: None,
            untidy,
            apart: street.apart,
            state: area.place.is_some(),
            fit: None,
        };
        Some(Parts {
            span: street.start..postcode.end,
            street,
            postcode: postcode.written.to_owned(),
            city,
            place,
            known,
            country,
            evidence,
        })
    }

    /// The ways to read an area before the postcode; none is one of them where it may be left out.
    fn areas(&self, pieces: &[Piece<'_>], country: &'static str) -> Vec<Area> {
        let nothing = Area { words: 0, name: None, place: None };
        let mut found = Vec::new();
        for words in 1..=STATE_WORDS.min(pieces.len().saturating_sub(2)) {
            let part = &pieces[pieces.len() - words..];
            if part[1..].iter().any(|piece| piece.sep != Sep::Space) {
                break;
            }
            let written = part.iter().map(|piece| piece.text.replace('.', "")).collect::<Vec<_>>().join(" ");
            let stated = match country {
                "US" | "CA" | "AU" => self.formats.area(country, &written).map(|area| area.name).or_else(|| {
                    let (of, code) = cues::abbreviated(&written.to_lowercase())?;
                    let area = self.gazetteer.admin1_by_code(of, code).filter(|_| of == country)?;
                    Some(area.name())
                }),
                _ => None,
            };
            if let Some(name) = stated {
                let states = self.gazetteer.named(name);
                let place = states.into_iter().find(|place| {
                    place.kind() == Kind::Admin1 && place.country().is_some_and(|own| own.code() == country)
                });
                let name = place.map_or(name, Place::name);
                found.push(Area { words, name: Some(name.to_owned()), place });
            }
            // Counties: "Norfolk", "Co. Galway".
            if matches!(country, "GB" | "IE") && part[0].sep > Sep::Space {
                let bare = written.strip_prefix("Co ").or_else(|| written.strip_prefix("County ")).unwrap_or(&written);
                let is_county = bare.len() < written.len()
                    || self.gazetteer.named(bare).iter().any(|place| {
                        matches!(place.kind(), Kind::Admin2 | Kind::Admin1)
                            && place.country().is_some_and(|own| own.code() == country)
                    })
                    || is_old_county(&crate::fold(bare));
                // York is a county and a town.
                let is_town = bare.len() == written.len()
                    && self.gazetteer.named(bare).iter().any(|place| {
                        place.kind() == Kind::Town && place.country().is_some_and(|own| own.code() == country)
                    });
                if is_county {
                    let sure = !is_town || is_old_county(&crate::fold(bare));
                    found.push(Area { words, name: sure.then(|| bare.to_owned()), place: None });
                }
            }
        }
        if found.is_empty() && country != "AU" || matches!(country, "GB" | "IE" | "NZ" | "US" | "CA") {
            found.push(nothing);
        }
        found
    }

    /// The best town and street before an area.
    fn reading(
        &self,
        postcode: Postcode<'_>,
        streets: &mut Streets<'_>,
        country: &'static str,
        area: Area,
        digits: bool,
    ) -> Option<Reading> {
        let pieces = streets.pieces;
        if country == "US" && postcode.written.len() == 4 {
            let state = area.place?.code();
            self.formats.fits(country, state, &format!("0{}", postcode.written)).filter(|fits| *fits)?;
        }
        let end = pieces.len() - area.words;
        let mut best: Option<Reading> = None;
        for words in 1..=CITY_WORDS.min(end.saturating_sub(1)) {
            let first = end - words;
            let part = &pieces[first..end];
            if part[1..].iter().any(|piece| piece.sep != Sep::Space) {
                break;
            }
            let (bounded, city) = (part[0].sep > Sep::Space, self.text.get(part[0].start..part[words - 1].end)?);
            // "N. Orange" is one name.
            let led =
                !bounded && first > 0 && pieces[first - 1].sep > Sep::Space && is_leading(pieces[first - 1].key());
            if led {
                continue;
            }
            if !is_town_like(part, country) {
                continue;
            }
            let Some(street) = streets.before(first) else { continue };
            let place = self.known_town(city, postcode, country, &area);
            let fit = place.and_then(|place| {
                let address = Address { postcode: Some(postcode.written.to_owned()), ..Address::default() };
                locate::fit(place, &address)
            });
            let mut score = street.score;
            // Of two known towns the longer name is meant: "dr | north palm beach".
            let longer = 0.4 * (words as f64 - 1.0);
            score += match place {
                Some(_) if area.place.is_some() => 3.0 + longer,
                Some(_) => 2.0 + longer,
                None => 0.0,
            };
            if bounded {
                score += 1.2;
            }
            if area.place.is_some() {
                score += 1.0;
            } else if area.name.is_some() {
                score += 0.5;
            } else if area.words > 0 {
                score -= 0.5;
            }
            if fit == Some(Fit::Elsewhere) {
                score -= 1.0;
            }
            let head = part[0].key();
            if words > 1
                && place.is_none()
                && words::is_english_last(head)
                && !matches!(head, "st" | "mt" | "ft" | "mount" | "port" | "glen" | "lake" | "la")
            {
                score -= 1.0;
            }
            if place.is_none() {
                // Long unknown names rather hide the end of a street.
                score -= 0.2 * (words as f64 - 1.0);
            }
            let believed = match country {
                "NZ" => place.is_some() && street.sure && city.len() > 2,
                "US" if area.words == 0 => place.is_some() && street.sure && fit == Some(Fit::State),
                "AU" => area.place.is_some() && street.sure,
                _ if digits => place.is_some() || street.sure && (bounded || street.score >= 1.5),
                _ => place.is_some() || street.sure,
            };
            let bare = street.street.chars().count() < 2;
            if believed && !bare && best.as_ref().is_none_or(|best| score > best.score) {
                let untidy = !bounded;
                best =
                    Some(Reading { score, street, city: city.to_owned(), place, area: area.clone(), untidy, country });
            }
        }
        best
    }

    /// The town of a name in a country and area; shortened words are tried in full.
    fn known_town(&self, city: &str, postcode: Postcode<'_>, country: &str, area: &Area) -> Option<Place> {
        let countries: &[&str] = match country {
            "GB" => &["GB", "IM", "JE", "GG"],
            "US" => &["US", "PR"],
            other => &[other],
        };
        let clues = Clues { region: area.place.and(area.name.as_deref()), countries, ..Clues::default() };
        let town = |city: String| {
            let address =
                Address { city: Some(city), postcode: Some(postcode.written.to_owned()), ..Address::default() };
            let found = locate::town(self.gazetteer, &address, clues, self.hints)?;
            // A state that is named must be the town's.
            let agrees = area.place.is_none_or(|state| found.admin1() == Some(state));
            agrees.then_some(found)
        };
        let whole = || {
            let folded = crate::fold(city);
            let full: Vec<&str> = folded.split(' ').map(in_full).collect();
            let full = full.join(" ");
            (full != folded).then(|| town(full)).flatten()
        };
        // "Dublin 2": the number is a district's.
        let bare = || {
            let bare = city.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'W').trim_end();
            (country == "IE" && bare.len() < city.len()).then(|| town(bare.to_owned())).flatten()
        };
        town(city.to_owned()).or_else(whole).or_else(bare)
    }
}

/// Directions that begin a town's name rather than end a street's.
fn is_leading(word: &str) -> bool {
    matches!(word, "n" | "s" | "e" | "w" | "north" | "south" | "east" | "west")
}

fn in_full(word: &str) -> &str {
    match word {
        "st" => "saint",
        "ft" => "fort",
        "mt" => "mount",
        "n" | "no" => "north",
        "s" | "so" => "south",
        "e" => "east",
        "w" => "west",
        "pt" => "point",
        "hts" => "heights",
        "spgs" => "springs",
        "twp" => "township",
        other => other,
    }
}

/// Whether words can be a town's name.
fn is_town_like(part: &[Piece<'_>], country: &str) -> bool {
    let last = part.len() - 1;
    part.iter().enumerate().all(|(index, piece)| {
        let district = country == "IE" && index == last && index > 0 && piece.text.len() <= 2;
        let bare = piece.key();
        (!piece.has_digit() || district)
            && !piece.text.starts_with('#')
            && !(index == 0 && (words::is_unit(bare) && bare != "st" && bare != "top" && bare.len() < 9 && bare != "van" && bare != "bay"))
            && !words::is_box(bare)
    }) && part[0].text.chars().filter(|c| c.is_alphabetic()).count() >= if part.len() > 1 { 1 } else { 2 }
        // The whole address may be written small; then so is the town.
        && part.iter().any(|piece| piece.text.chars().any(char::is_alphabetic))
}

/// Counties that offices have given up and people write still.
fn is_old_county(folded: &str) -> bool {
    matches!(
        folded,
        "middlesex"
            | "greater london"
            | "west midlands"
            | "greater manchester"
            | "merseyside"
            | "tyne and wear"
            | "tyne wear"
            | "west yorkshire"
            | "south yorkshire"
            | "north yorkshire"
            | "avon"
            | "berkshire"
            | "humberside"
            | "cleveland"
            | "north humberside"
            | "east sussex"
            | "west sussex"
            | "sussex"
            | "cheshire"
            | "bedfordshire"
            | "northamptonshire"
            | "cumbria"
            | "westmorland"
            | "huntingdonshire"
            | "clwyd"
            | "dyfed"
            | "gwent"
            | "mid glamorgan"
            | "south glamorgan"
            | "west glamorgan"
            | "glamorgan"
            | "sir gaerfyrddin"
            | "lothian"
            | "strathclyde"
            | "tayside"
            | "grampian"
            | "lanarkshire"
            | "ayrshire"
            | "perthshire"
            | "fife"
            | "kent"
            | "surrey"
            | "devon"
            | "dorset"
            | "somerset"
            | "essex"
            | "hertfordshire"
            | "county durham"
            | "co durham"
            | "co antrim"
            | "co down"
    )
}
