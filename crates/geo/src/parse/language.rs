//! Which language a text is in, from its commonest small words: a tenth of the cost of comparing
//! letter statistics, and only the languages whose grammar is used here need telling apart.

use std::sync::LazyLock;

use super::tokens::{Shape, Token};

/// How many words are looked at.
const SAMPLE: usize = 150;
/// Longest of the words below, in bytes.
const LONGEST: usize = 9;
/// Least sum of evidence, and how many times the next language's it must be: the less there is, the
/// clearer it must be.
const ENOUGH: [(f64, f64); 3] = [(2.5, 1.25), (1.5, 1.6), (1.0, 3.0)];
/// Evidence that makes a language likely, at least, and as a share of what the likeliest has.
const LIKELY: (f64, f64) = (0.5, 0.6);
/// What a letter that few languages have counts, shared by those that have it.
const LETTER: f64 = 0.5;

/// The commonest small words of each language, as they are written.
const WORDS: [(&str, &str); 22] = [
    ("en", "the of and to in is was for that with on as are from his her have has it be by at this which were"),
    ("de", "der die das und nicht von mit den ist im ein eine dem zu auf für sich des auch es wird aus bei nach als"),
    (
        "fi",
        "ja on oli että ei mutta joka kun se ovat myös kuin hän sekä mukaan jossa olla vuonna tai jo sieltä jonka niin",
    ),
    ("sv", "och att det som för är på av den med till en ett har inte om från var men vid i där efter utan"),
    (
        "fr",
        "le la les et des est une dans pour que qui du en un sur au pas avec par il plus ce sont aux à a ne se ou été",
    ),
    ("es", "el la los y que por una con del las en de un se para su al es como más lo fue a no sin desde"),
    (
        "it",
        "il di che per una della con non sono un in la del le nel alla gli anche è da più i dei e a al si ma come ha dal dalla",
    ),
    ("nl", "de het een van en niet dat zijn in op te is met voor die aan er door naar bij ook uit werd"),
    ("pt", "o os que não uma para com do da em um as dos se no na por mais ao é foi e das a ou pelo sua"),
    ("pl", "i w się na nie jest że do z to o jak po od za przez oraz był dla są we ze a tym jego"),
    ("da", "og det er på af til ikke med som den en for der har et fra var de at blev"),
    ("no", "og det er på av til ikke med som den en for har et fra var de å ble etter"),
    ("cs", "a je se na že v to s z do i byl který jsou pro ve od ale po jako"),
    ("sk", "a je sa na že v to s z do bol ktorý sú pre vo od ale po ako aj"),
    ("sl", "je in na se za da so ki v z po pri tudi bil ali pa od kot"),
    ("hr", "je i na se da u su za od koji s iz kao nije bio ili te što"),
    ("hu", "a az és hogy nem egy is volt meg van csak már ez de mint vagy"),
    ("ro", "și este în la nu care de un o cu din pe pentru au fost mai să"),
    ("tr", "ve bir bu için ile de da olarak olan çok en daha gibi kadar var"),
    ("ca", "el la i els amb per que de un una les en del és no als va"),
    ("et", "ja on ei et oli kui see ta mis ka aga ning kes aastal oma"),
    ("id", "yang dan di ini itu untuk dengan dari pada tidak dalam adalah oleh juga akan"),
];

/// Letters that only some languages have.
const LETTERS: [(&str, &str); 24] = [
    ("ß", "de"),
    ("å", "sv da no"),
    ("äö", "fi sv de et"),
    ("øæ", "da no"),
    ("ñ", "es"),
    ("ãõ", "pt"),
    ("ç", "fr pt ca tr"),
    ("êôîûœë", "fr"),
    ("èà", "fr it ca"),
    ("ìòù", "it"),
    ("é", "fr es pt hu cs ca"),
    ("íóúá", "es pt hu cs sk"),
    ("łąęśźżń", "pl"),
    ("ć", "pl hr"),
    ("řěů", "cs"),
    ("ýť", "cs sk"),
    ("ľĺŕ", "sk"),
    ("ščž", "cs sk sl hr"),
    ("đ", "hr"),
    ("őű", "hu"),
    ("ü", "de hu tr et"),
    ("ățș", "ro"),
    ("ğı", "tr"),
    ("ş", "tr ro"),
];

/// The language of a text, if its script, its small words or its letters say so clearly.
pub(super) fn guess(text: &str, tokens: &[Token]) -> Option<&'static str> {
    let (scores, scripts) = weigh(text, tokens);
    if let Some(language) = scripts.language() {
        return Some(language);
    }
    let best = (0..WORDS.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]))?;
    let next =
        (0..WORDS.len()).filter(|language| *language != best).map(|language| scores[language]).fold(0.0, f64::max);
    let is_clear = ENOUGH.iter().any(|(enough, clearly)| scores[best] >= *enough && scores[best] >= next * clearly);
    is_clear.then_some(WORDS[best].0)
}

/// The languages that a text may be in when none is clear, the likeliest first.
pub(super) fn likely(text: &str, tokens: &[Token]) -> Vec<&'static str> {
    let (scores, _) = weigh(text, tokens);
    let most = scores.iter().copied().fold(0.0, f64::max);
    let mut likely: Vec<usize> =
        (0..WORDS.len()).filter(|language| scores[*language] >= LIKELY.0.max(most * LIKELY.1)).collect();
    likely.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    likely.into_iter().map(|language| WORDS[language].0).collect()
}

/// What speaks for each language, and for scripts.
fn weigh(text: &str, tokens: &[Token]) -> ([f64; WORDS.len()], Scripts) {
    let mut scores = [0.0; WORDS.len()];
    let mut scripts = Scripts::default();
    let table = table();
    for token in tokens.iter().filter(|token| token.shape == Shape::Lower).take(SAMPLE) {
        let word = token.text(text);
        if word.len() <= LONGEST
            && let Ok(found) = table.binary_search_by(|(known, _)| (*known).cmp(word))
        {
            add(&mut scores, table[found].1, 1.0);
        } else if !word.is_ascii() {
            scripts.count(word);
            letters(word).for_each(|languages| add(&mut scores, languages, LETTER));
        }
    }
    (scores, scripts)
}

/// Shares evidence among languages.
fn add(scores: &mut [f64; WORDS.len()], languages: u32, evidence: f64) {
    let share = evidence / f64::from(languages.count_ones().max(1));
    let listed = scores.iter_mut().enumerate().filter(|(language, _)| languages >> language & 1 != 0);
    listed.for_each(|(_, score)| *score += share);
}

/// The languages that have the telling letters of a word, one set a kind of letter.
fn letters(word: &str) -> impl Iterator<Item = u32> {
    static SETS: LazyLock<[u32; LETTERS.len()]> = LazyLock::new(|| {
        let number = |code: &str| WORDS.iter().position(|(known, _)| *known == code);
        LETTERS.map(|(_, codes)| codes.split(' ').filter_map(number).fold(0, |set, number| set | 1 << number))
    });
    /// Telling letters in their order, each with its kind.
    static KINDS: LazyLock<Vec<(char, usize)>> = LazyLock::new(|| {
        let of_kind = |(kind, (letters, _)): (usize, (&'static str, _))| letters.chars().map(move |c| (c, kind));
        let mut kinds: Vec<(char, usize)> = LETTERS.into_iter().enumerate().flat_map(of_kind).collect();
        kinds.sort_unstable();
        kinds
    });
    let kind = |c: char| KINDS.binary_search_by_key(&c, |(known, _)| *known).ok().map(|found| KINDS[found].1);
    let kinds = word.chars().filter(|c| !c.is_ascii()).filter_map(kind).fold(0u32, |kinds, kind| kinds | 1 << kind);
    (0..LETTERS.len()).filter(move |kind| kinds >> kind & 1 != 0).map(|kind| SETS[kind])
}

/// Words by script, where the script says enough.
#[derive(Default)]
struct Scripts {
    greek: u32,
    cyrillic: u32,
    ukrainian: u32,
}

impl Scripts {
    fn count(&mut self, word: &str) {
        let has = |range: std::ops::RangeInclusive<char>| word.contains(|c| range.contains(&c));
        self.greek += u32::from(has('\u{370}'..='\u{3ff}') || has('\u{1f00}'..='\u{1fff}'));
        self.cyrillic += u32::from(has('\u{400}'..='\u{52f}'));
        self.ukrainian += u32::from(word.contains(['і', 'ї', 'є', 'ґ']));
    }

    fn language(&self) -> Option<&'static str> {
        match () {
            () if self.greek >= 2 && self.greek > self.cyrillic => Some("el"),
            () if self.ukrainian * 4 > self.cyrillic && self.cyrillic >= 2 => Some("uk"),
            () if self.cyrillic >= 2 => Some("ru"),
            () => None,
        }
    }
}

/// Words in order, each with the languages that have it.
fn table() -> &'static [(&'static str, u32)] {
    static TABLE: std::sync::LazyLock<Vec<(&'static str, u32)>> = std::sync::LazyLock::new(|| {
        let mut words: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
        for (language, (_, list)) in WORDS.iter().enumerate() {
            list.split(' ').for_each(|word| *words.entry(word).or_default() |= 1 << language);
        }
        words.into_iter().collect()
    });
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn languages_are_told_by_their_small_words() {
        for (text, language) in [
            ("The harbour of the town is on the coast and was built in the last century", Some("en")),
            ("Der Hafen der Stadt liegt an der Küste und wurde im letzten Jahrhundert gebaut", Some("de")),
            ("Kaupungin satama on rannikolla ja se rakennettiin viime vuosisadalla, mutta ei ole käytössä", Some("fi")),
            ("Stadens hamn ligger på kusten och är byggd av sten, men den har inte många båtar", Some("sv")),
            ("Le port de la ville est sur la côte et il a été construit dans le siècle dernier", Some("fr")),
            ("El puerto de la ciudad está en la costa y fue construido por los romanos", Some("es")),
            ("Il porto della città è sulla costa e non sono molti i turisti che arrivano", Some("it")),
            ("De haven van de stad ligt aan de kust en het is een van de oudste", Some("nl")),
            ("O porto da cidade fica na costa e não é uma das mais antigas do país", Some("pt")),
            ("Port w mieście jest na wybrzeżu i nie był używany przez wiele lat", Some("pl")),
            ("Пожар потушили за два часа, никто не пострадал", Some("ru")),
            ("Пожежу загасили за дві години, ніхто не постраждав", Some("uk")),
            ("Η πυρκαγιά τέθηκε υπό έλεγχο από τους πυροσβέστες", Some("el")),
            // Short ones.
            ("Lapin luonto on kaunis myös sateella ja pysähdyimme järvellä", Some("fi")),
            ("De nya husen och gatorna har fått tusentals invånare på grund av gruvan", Some("sv")),
            ("The café was closed", Some("en")),
            ("Kiel Oldenburg Joensuu", None),
            ("Garage for sale", None),
            ("", None),
        ] {
            assert_eq!(guess(text, &tokens(text)), language, "{text}");
        }
    }

    #[test]
    fn a_short_text_is_likely_in_the_languages_of_its_small_words() {
        for (text, language, is_likely) in [
            ("Matkustimme Jyväskylästä Ouluun ja Rovaniemelle.", "fi", true),
            ("Matkustimme Jyväskylästä Ouluun ja Rovaniemelle.", "pl", false),
            ("da Firenze a Venezia e poi a Roma", "it", true),
            ("Kiel Oldenburg Joensuu", "fi", false),
        ] {
            assert_eq!(likely(text, &tokens(text)).contains(&language), is_likely, "{text} {language}");
        }
    }
}
