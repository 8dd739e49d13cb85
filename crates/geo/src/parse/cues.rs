//! Words around names that say what the names are. Written down by hand: they are few, and every
//! grammar has them.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Languages that the geoparser knows small words of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Language(pub(super) Option<usize>);

/// Languages that are known by their grammar only: their ordinary words are not.
const GRAMMARS: [&str; 3] = ["el", "ru", "uk"];

impl Language {
    pub(super) fn new(code: Option<&str>) -> Self {
        let mut known = crate::layout::LANGUAGES.iter().chain(&GRAMMARS);
        Self(code.and_then(|code| known.position(|known| *known == code)))
    }

    pub(super) fn code(self) -> Option<&'static str> {
        let mut known = crate::layout::LANGUAGES.iter().chain(&GRAMMARS);
        self.0.and_then(|number| known.nth(number)).copied()
    }

    /// Its number among those whose ordinary words are known.
    pub(super) fn with_words(self) -> Option<usize> {
        self.0.filter(|number| *number < crate::layout::LANGUAGES.len())
    }
}

/// Whether a word (in lower case) says that a place follows.
pub(super) fn is_locative(language: Language, word: &str) -> bool {
    let known: &[&str] = match language.code() {
        Some("en") | None => &[
            "in",
            "at",
            "near",
            "from",
            "to",
            "outside",
            "around",
            "across",
            "throughout",
            "between",
            "towards",
            "toward",
            "via",
            "visiting",
            "northern",
            "southern",
            "eastern",
            "western",
            "central",
            "downtown",
            "inside",
            "into",
            "within",
            "over",
        ],
        Some("de") => &[
            "in",
            "im",
            "bei",
            "aus",
            "nach",
            "um",
            "zwischen",
            "nahe",
            "ins",
            "über",
            "südlich",
            "nördlich",
            "östlich",
            "westlich",
            "von",
        ],
        Some("fr") => &["à", "a", "en", "au", "aux", "dans", "vers", "près", "depuis", "entre", "chez"],
        Some("es") => &["en", "a", "desde", "hacia", "hasta", "entre", "cerca", "de"],
        Some("it") => &["a", "ad", "in", "da", "verso", "presso", "nel", "nella", "tra", "fra", "vicino"],
        Some("nl") => &["in", "te", "naar", "uit", "bij", "rond", "nabij", "tussen", "vanuit", "van"],
        Some("pt") => &["em", "no", "na", "nos", "nas", "para", "desde", "até", "entre", "perto"],
        Some("sv" | "no" | "da") => {
            &["i", "på", "från", "fra", "till", "til", "vid", "ved", "nära", "kring", "mellan", "utanför", "genom"]
        }
        Some("pl") => &["w", "we", "z", "ze", "do", "od", "koło", "pod", "przez", "na", "między", "nad"],
        Some("el") => &["στη", "στην", "στο", "στον", "στα", "στις", "στους", "σε", "από", "προς", "για", "μέχρι"],
        Some("ru" | "uk") => {
            &["в", "во", "у", "на", "из", "від", "з", "до", "под", "около", "близ", "через", "к", "по", "біля", "від"]
        }
        Some("cs" | "sk" | "sl" | "hr") => {
            &["v", "ve", "vo", "u", "z", "ze", "zo", "do", "od", "na", "pri", "při", "iz"]
        }
        _ => &["in", "en", "de", "a", "i"],
    };
    known.contains(&word)
}

/// Whether a word is a title or office that a person's name follows.
pub(super) fn is_title(word: &str) -> bool {
    const TITLES: [&str; 50] = [
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "professor",
        "sir",
        "lord",
        "lady",
        "dame",
        "king",
        "queen",
        "prince",
        "princess",
        "president",
        "minister",
        "chancellor",
        "senator",
        "sen",
        "rep",
        "gov",
        "governor",
        "mayor",
        "judge",
        "justice",
        "captain",
        "capt",
        "sgt",
        "sergeant",
        "lt",
        "lieutenant",
        "col",
        "colonel",
        "gen",
        "general",
        "officer",
        "detective",
        "sheriff",
        "herr",
        "frau",
        "madame",
        "monsieur",
        "mme",
        "señor",
        "señora",
        "signor",
        "signora",
        "pan",
        "pani",
    ];
    TITLES.contains(&word)
}

/// Whether a word after or before a name says that it is a place.
pub(super) fn is_kind_of_place(word: &str) -> bool {
    const KINDS: [&str; 48] = [
        "county",
        "province",
        "district",
        "state",
        "region",
        "city",
        "town",
        "village",
        "island",
        "islands",
        "municipality",
        "prefecture",
        "republic",
        "airport",
        "suburb",
        "borough",
        "parish",
        "valley",
        "peninsula",
        "coast",
        "metropolitan",
        "stadt",
        "gemeinde",
        "landkreis",
        "kreis",
        "insel",
        "dorf",
        "ville",
        "commune",
        "département",
        "ciudad",
        "pueblo",
        "provincia",
        "municipio",
        "città",
        "comune",
        "gemeente",
        "stad",
        "provincie",
        "cidade",
        "município",
        "miasto",
        "kommun",
        "län",
        "kaupunki",
        "kunta",
        "residents",
        "area",
    ];
    KINDS.contains(&word)
}

/// Whether a capitalised word after a name leaves it the name of a place: "Edmonton Police",
/// "London Bridge" are in Edmonton and London.
pub(super) fn is_local_body(word: &str) -> bool {
    const BODIES: [&str; 42] = [
        "police",
        "city",
        "county",
        "council",
        "airport",
        "university",
        "hospital",
        "school",
        "high",
        "fire",
        "court",
        "street",
        "road",
        "avenue",
        "bridge",
        "station",
        "park",
        "museum",
        "stadium",
        "state",
        "district",
        "province",
        "international",
        "regional",
        "metropolitan",
        "north",
        "south",
        "east",
        "west",
        "central",
        "public",
        "health",
        "mayor",
        "department",
        "government",
        "medical",
        "general",
        "college",
        "harbour",
        "harbor",
        "marathon",
        "zoo",
    ];
    BODIES.contains(&word)
}

/// Whether a word (in lower case) is one of the small words of a language whose ordinary words are not
/// known otherwise.
pub(super) fn is_small_word(language: Language, word: &str) -> bool {
    let words = match language.code() {
        Some("el") => {
            "ο η το οι τα τον την του της των στο στη στην στον και ή αλλά όμως γιατί επειδή όταν όπως όπου που πως αν να θα δεν \
             μη μην με μετά πριν από για κατά παρά προς σε χωρίς κάτω πάνω μέσα έξω κοντά πίσω μπροστά εδώ εκεί τώρα τότε πάντα \
             ποτέ πολύ λίγο όλα όλοι ένας μια ένα αυτός αυτή αυτό εγώ εσύ εμείς εσείς είναι ήταν έχει μετα σήμερα χθες αύριο"
        }
        Some("ru") => {
            "и а но или да нет не ни что как где когда если чтобы потому так там тут здесь это этот эта эти тот та те он она оно \
             они мы вы я ты его её их мой наш ваш свой все всё весь вся после перед до от из у к по за над под при про для без \
             через между был была было были есть быть уже ещё только очень можно нужно сегодня вчера завтра затем потом"
        }
        Some("uk") => {
            "і й та а але або що як де коли якщо щоб бо тому так там тут це цей ця ці той він вона воно вони ми ви я ти його її \
             їх мій наш ваш свій все весь вся після перед до від із з у в к по за над під при про для без через між був була було \
             були є бути вже ще тільки дуже можна треба сьогодні вчора завтра потім"
        }
        _ => return false,
    };
    words.split_ascii_whitespace().any(|known| known == word)
}

/// Whether a word (in lower case) joins the members of a list.
pub(super) fn is_and(word: &str) -> bool {
    const WORDS: [&str; 24] = [
        "and", "or", "und", "oder", "et", "ou", "y", "e", "o", "en", "of", "och", "og", "eller", "ja", "tai", "sekä",
        "i", "oraz", "a", "és", "και", "и", "і",
    ];
    WORDS.contains(&word)
}

/// Whether a word (in lower case) is a month or a day of the week, perhaps shortened.
pub(super) fn is_calendar(word: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| CALENDAR.split_ascii_whitespace().collect());
    NAMES.contains(word)
}

const CALENDAR: &str = "
    january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon
    tue tues wed thu thurs fri sat sun januar februar märz mai juni juli oktober dezember montag
    dienstag mittwoch donnerstag freitag samstag sonntag août marzo januari februari mars maj augusti
    måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag marts tammikuu
    helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
    maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai janvier février avril juin
    juillet septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche
    enero febrero abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes
    miércoles jueves viernes sábado domingo gennaio febbraio aprile maggio giugno luglio settembre
    ottobre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica maart mei augustus maandag
    dinsdag woensdag donderdag vrijdag zaterdag zondag janeiro fevereiro março maio junho julho setembro
    outubro novembro dezembro segunda terça quarta quinta sexta styczeń luty marzec kwiecień czerwiec
    lipiec sierpień wrzesień październik listopad grudzień poniedziałek wtorek środa czwartek piątek
    sobota niedziela
";

/// Traditional abbreviations of states and provinces, as GeoNames codes. They count after a town
/// and a comma, or with their dots: "Metcalfe, Ky.", "B.C.".
pub(super) fn abbreviated(key: &str) -> Option<(&'static str, &'static str)> {
    const STATES: [(&str, &str); 50] = [
        ("ala", "AL"),
        ("ariz", "AZ"),
        ("ark", "AR"),
        ("calif", "CA"),
        ("cal", "CA"),
        ("colo", "CO"),
        ("conn", "CT"),
        ("del", "DE"),
        ("fla", "FL"),
        ("ga", "GA"),
        ("ill", "IL"),
        ("ind", "IN"),
        ("kan", "KS"),
        ("kans", "KS"),
        ("ky", "KY"),
        ("la", "LA"),
        ("md", "MD"),
        ("mass", "MA"),
        ("mich", "MI"),
        ("minn", "MN"),
        ("miss", "MS"),
        ("mo", "MO"),
        ("mont", "MT"),
        ("neb", "NE"),
        ("nebr", "NE"),
        ("nev", "NV"),
        ("n h", "NH"),
        ("n j", "NJ"),
        ("n m", "NM"),
        ("n y", "NY"),
        ("n c", "NC"),
        ("n d", "ND"),
        ("okla", "OK"),
        ("ore", "OR"),
        ("pa", "PA"),
        ("r i", "RI"),
        ("s c", "SC"),
        ("s d", "SD"),
        ("tenn", "TN"),
        ("tex", "TX"),
        ("vt", "VT"),
        ("va", "VA"),
        ("wash", "WA"),
        ("w va", "WV"),
        ("wis", "WI"),
        ("wisc", "WI"),
        ("wyo", "WY"),
        ("d c", "DC"),
        ("fl", "FL"),
        ("penn", "PA"),
    ];
    const PROVINCES: [(&str, &str); 22] = [
        ("alta", "01"),
        ("ab", "01"),
        ("b c", "02"),
        ("bc", "02"),
        ("man", "03"),
        ("mb", "03"),
        ("n b", "04"),
        ("nb", "04"),
        ("n l", "05"),
        ("nl", "05"),
        ("nfld", "05"),
        ("n s", "07"),
        ("ns", "07"),
        ("ont", "08"),
        ("on", "08"),
        ("p e i", "09"),
        ("pei", "09"),
        ("que", "10"),
        ("qc", "10"),
        ("sask", "11"),
        ("sk", "11"),
        ("n w t", "13"),
    ];
    let find = |list: &'static [(&'static str, &'static str)]| {
        list.iter().find(|(short, _)| *short == key).map(|(_, code)| *code)
    };
    find(&STATES).map(|code| ("US", code)).or_else(|| find(&PROVINCES).map(|code| ("CA", code)))
}
