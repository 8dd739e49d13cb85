//! Every number the geoparser decides by, in one place.
//!
//! Two sums of evidence. The first says whether a name in a text is a place at all: it is accepted
//! when its *support* reaches [`ACCEPT`]. The second says which of the places of that name: the
//! candidate with the largest *score* is taken. Both are in units of a factor of ten in
//! population, so "in" before a name counts as much as being fifteen times larger.

/// Support from which a name is taken for a place.
pub(super) const ACCEPT: f64 = 0.3;

/// Support by what the best candidate is.
pub(super) mod support {
    /// A country or continent by its main name; by another name.
    pub(crate) const COUNTRY: (f64, f64) = (3.5, 2.6);
    /// A first-order area by its main name; by another name.
    pub(crate) const ADMIN1: (f64, f64) = (2.0, 0.9);
    /// A lower area by its main name; by another name.
    pub(crate) const ADMIN2: (f64, f64) = (0.2, -0.6);
    /// A region nobody governs.
    pub(crate) const REGION: (f64, f64) = (0.6, 0.0);
    /// A sea, mountain range or river of the short list of those that everybody knows.
    pub(crate) const FEATURE: (f64, f64) = (1.8, 1.0);
    /// A town of ten thousand people; ten times the people is one more.
    pub(crate) const TOWN_OF_10_000: f64 = 0.0;
    /// A town by one of its other names.
    pub(crate) const OTHER_NAME: f64 = -0.8;
    /// A part of a town.
    pub(crate) const QUARTER: f64 = -0.5;
    /// The capital of a country; of a first-order area.
    pub(crate) const CAPITAL: (f64, f64) = (1.5, 0.5);
    /// A name of several words is seldom anything else.
    pub(crate) const SEVERAL_WORDS: f64 = 0.9;
    /// An ordinary word of the text's language.
    pub(crate) const ORDINARY: f64 = -2.8;
    /// The same with a capital after a word that says where, or if it is a country. Names of people
    /// count half there.
    pub(crate) const ORDINARY_INSIDE: f64 = -1.5;
    /// A stop word of the text's language, on top of that.
    pub(crate) const STOP_WORD: f64 = -3.0;
    /// A name of several words, all of them ordinary, of a place that has another main name.
    pub(crate) const ORDINARY_WORDS: f64 = -2.5;
    /// An article and ordinary words: "El Banco" may be any bank.
    pub(crate) const ORDINARY_ARTICLE: f64 = -1.5;
    /// The name of a month or a day, perhaps shortened.
    pub(crate) const CALENDAR: f64 = -4.0;
    /// The same name is part of a person's elsewhere in the text.
    pub(crate) const PERSON_ELSEWHERE: f64 = -2.0;
    /// An ordinary word of some other language.
    pub(crate) const ORDINARY_ELSEWHERE: f64 = -0.2;
    /// A given name; a family name.
    pub(crate) const GIVEN: f64 = -1.2;
    /// See [`GIVEN`].
    pub(crate) const FAMILY: f64 = -0.7;
    /// After a given name, a title of a person, or initials.
    pub(crate) const AFTER_PERSON: f64 = -3.5;
    /// Before a word that makes it the first half of a person's name.
    pub(crate) const BEFORE_FAMILY: f64 = -2.5;
    /// After another capitalised word that is no place.
    pub(crate) const AFTER_CAPITALISED: f64 = -1.4;
    /// The same where nouns are capitalised too.
    pub(crate) const AFTER_NOUN: f64 = -0.5;
    /// Before another capitalised word that is no place: "Boston Globe".
    pub(crate) const BEFORE_CAPITALISED: f64 = -0.6;
    /// First word of a sentence, where everything is capitalised.
    pub(crate) const SENTENCE_START: f64 = -0.4;
    /// After a word that says where: in, near, from.
    pub(crate) const LOCATIVE: f64 = 1.3;
    /// With a case ending that says where (Finnish).
    pub(crate) const LOCATIVE_CASE: f64 = 1.0;
    /// Found by taking an ending off.
    pub(crate) const INFLECTED: f64 = -0.6;
    /// Followed by the area it lies in: "Paris, Texas".
    pub(crate) const CONTAINED: f64 = 3.0;
    /// The area that a place before it lies in.
    pub(crate) const CONTAINS: f64 = 2.5;
    /// Before or after a word for a kind of place: "the town of", "County".
    pub(crate) const KIND_WORD: f64 = 1.0;
    /// In a script without capitals, where every word could be a name.
    pub(crate) const CASELESS: f64 = -0.8;
    /// Two or three letters.
    pub(crate) const SHORT: f64 = -1.0;
    /// Capitals where the name has none, if it is short: more likely an acronym.
    pub(crate) const SHOUTED_SHORT: f64 = -2.0;
    /// Mentioned again elsewhere with enough support of its own.
    pub(crate) const SECOND_MENTION: f64 = 0.5;
    /// Written with a capital only where everything is, and small elsewhere.
    pub(crate) const WRITTEN_SMALL: f64 = -2.8;
    /// A short second name with an ending taken off, where everything has a capital; also of countries.
    pub(crate) const SHORT_STEM: f64 = -10.0;
    /// In a list with a name that is certain; if it is also a person's name.
    pub(crate) const LISTED: (f64, f64) = (1.2, 0.6);
    /// In the country, or the first-order area, of places that are certain.
    pub(crate) const SAME_COUNTRY: f64 = 0.3;
    /// See [`SAME_COUNTRY`].
    pub(crate) const SAME_ADMIN1: f64 = 0.6;
    /// In the region of interest.
    pub(crate) const IN_REGION: f64 = 1.2;
    /// Spoken of around the text.
    pub(crate) const IN_CONTEXT: f64 = 0.8;
}

/// Scores of candidates.
pub(super) mod score {
    /// By kind, on top of the tenfolds of people.
    pub(crate) const COUNTRY: f64 = 2.0;
    /// See [`COUNTRY`].
    pub(crate) const CONTINENT: f64 = 2.0;
    /// See [`COUNTRY`].
    pub(crate) const ADMIN1: f64 = 0.3;
    /// See [`COUNTRY`].
    pub(crate) const ADMIN2: f64 = -1.2;
    /// See [`COUNTRY`].
    pub(crate) const REGION: f64 = -0.5;
    /// See [`COUNTRY`]; for seas, mountains and rivers.
    pub(crate) const FEATURE: f64 = 3.5;
    /// See [`COUNTRY`].
    pub(crate) const QUARTER: f64 = -0.6;
    /// Capital of a country; of a first-order area.
    pub(crate) const CAPITAL: (f64, f64) = (1.7, 0.3);
    /// The name is not its main one.
    pub(crate) const OTHER_NAME: f64 = -1.5;
    /// An area whose city of the same name has a fifth of its people or more.
    pub(crate) const NAMED_AFTER_CITY: f64 = -3.0;
    /// Named together with the area it lies in.
    pub(crate) const CONTAINED: f64 = 6.0;
    /// Said to be in an area: "a town in Ohio"; "Paris in Texas".
    pub(crate) const DEFINED_IN: f64 = 4.0;
    /// See [`DEFINED_IN`].
    pub(crate) const SAID_IN: f64 = 3.0;
    /// In a first-order area that the text names.
    pub(crate) const NAMED_ADMIN1: f64 = 1.6;
    /// In a country that the text names, times the country's share of what is certain.
    pub(crate) const NAMED_COUNTRY: f64 = 1.4;
    /// Written with the marks of its main name, where that has any: "Brasília" is not Brazil.
    pub(crate) const SPELLED: f64 = 1.5;
    /// Written with marks that its main name has not, in another language than is written there:
    /// "Montaña" is not Montana.
    pub(crate) const MISSPELLED: f64 = -2.0;
    /// For each certain place within [`NEAR_KM`], up to [`NEAR_MOST`].
    pub(crate) const NEAR: f64 = 0.5;
    /// See [`NEAR`].
    pub(crate) const NEAR_MOST: f64 = 1.5;
    /// Kilometres that count as near.
    pub(crate) const NEAR_KM: f64 = 150.0;
    /// In the country that the host or the caller names.
    pub(crate) const HINTED_COUNTRY: f64 = 1.2;
    /// In a country where the text's language is written.
    pub(crate) const LANGUAGE: f64 = 0.3;
    /// In the region of interest.
    pub(crate) const IN_REGION: f64 = 2.5;
    /// Spoken of around the text.
    pub(crate) const IN_CONTEXT: f64 = 4.0;
}

/// An area is named after its city when that has one in so many of its people.
pub(super) const CITY_SHARE: u64 = 5;
/// Most areas of one name, the largest, that another place is looked for in.
pub(super) const AREAS: usize = 12;
/// Most words between a place and the area it is said to be in.
pub(super) const WITHIN_WORDS: usize = 8;
/// Most certain places that are compared with for nearness.
pub(super) const ANCHORS: usize = 24;
/// Rounds of resolution: what is certain in one helps in the next.
pub(super) const ROUNDS: usize = 3;
/// Bytes of text that are looked at together: one sense per name holds within them.
pub(super) const BLOCK: usize = 256 * 1024;
/// Most bytes around a text that are looked through for words written small.
pub(super) const BESIDE: usize = 64 * 1024;
/// Words that are looked for one by one; more of them in one go over the text.
pub(super) const SOUGHT_SINGLY: usize = 4;
/// Most mentions given for one text.
pub(super) const MENTIONS: usize = 100_000;

/// Metres around a place's centre in which what is said of it may be.
pub(crate) fn precision_m(place: crate::Place) -> f64 {
    use crate::Kind;
    // Where neither borders nor towns of an area are known.
    let usual_km = match place.kind() {
        Kind::Town | Kind::Quarter => return crate::town_radius(place.population()) * 1000.0,
        Kind::Admin2 => 25.0,
        Kind::Admin1 => 120.0,
        Kind::Country => 400.0,
        Kind::Region => 500.0,
        Kind::Continent => 3000.0,
    };
    place.extent_km().filter(|km| *km > 0.0).unwrap_or(usual_km) * 1000.0
}
