//! Words of addresses, language by language. All are folded: lower case, no diacritics.

use std::sync::LazyLock;

use super::tables::{Table, Words};

/// How a language names streets.
struct Language {
    /// Where it is written.
    countries: &'static str,
    /// Words that come before the name: rue, via, ul.
    first: &'static str,
    /// Words that come after it, or stand alone: Street, Straße, gate.
    last: &'static str,
    /// What words for streets end with: Hauptstraße, Kerkstraat.
    endings: &'static str,
}

const LANGUAGES: [Language; 14] = [
    // German
    Language {
        countries: "DE AT CH LI LU",
        first: "strasse platz allee am an auf in im zum zur unter hinter bei beim vor ob",
        last: "strasse str weg platz pl allee gasse g ring damm ufer chaussee markt promenade steig stieg pfad kai graben \
               wall hof garten park zeile gurtel lande bruecke brucke tor berg steg passage siedlung anger ch",
        endings: "strasse str weg platz allee gasse ring damm ufer chaussee markt promenade steig stieg pfad kai graben wall \
                  hof garten gaerten park zeile guertel gurtel lande brucke tor berg hang steg winkel tal feld twiete deich \
                  hohe rain grund anger bogen kamp heide horst redder stieg terrasse weiher wiese wiesen acker aecker halde \
                  bach plan torfeld werder koppel ried moos matt matte egg rank gasschen gassli wegli quai linden brink \
                  dyk diek kreisel spitze stiege brook busch wald",
    },
    // Dutch
    Language {
        countries: "NL BE",
        first: "laan plein",
        last: "straat laan weg plein gracht kade singel dijk steeg hof dreef baan pad park markt kaai lei vest plaats \
               boulevard boulv boulev ring haven",
        endings: "straat laan weg plein gracht kade singel dijk steeg hof dreef baan pad park markt kaai lei vest plaats \
                  straatweg boulevard haven wal burgwal hout dam poort veld berg akker kamp meent oord rade rak sloot vaart \
                  stede brug brink donk es erf ven horst heem plantsoen steenweg stwg molen hoek bos zoom leane strjitte",
    },
    // French
    Language {
        countries: "FR BE CH LU CA MC GP MQ GF RE YT",
        first: "rue r avenue av ave boulevard bd bld blvd boul place pl chemin ch che allee allees all quai impasse imp cours \
                route rte passage pass square sq villa cite sentier esplanade esp faubourg fg fbg rond promenade prom montee \
                ruelle venelle voie traverse trav residence res lotissement lot hameau ham lieu galerie parvis pont porte \
                clos domaine dom mail cour chaussee ch rang montee cote descente zone za zi zac zae parc autoroute carrefour \
                carre rampe levee berge port petite grande grand vieux vieille drève dreve terrasse cote croissant",
        last: "",
        endings: "",
    },
    // Spanish, Catalan, Galician, Basque
    Language {
        countries: "ES MX",
        first: "calle c cl avenida avda av avd plaza plz pza pl paseo p ps pso pº camino cno cmno carretera ctra crta ronda rda travesia \
                trav trva callejon cjon pasaje pje psje glorieta gta cuesta costanilla bulevar blvd alameda rambla rbla \
                poligono pol urbanizacion urb autovia via gran barrio bo bda barriada parque pq plazuela rua rinconada \
                carrer cr avinguda avgda placa pca passeig pg pge passatge cami baixada travessera rambles riera moll \
                kalea praza estrada corredera ribera muelle calzada circunvalacion jardines ronda senda subida vereda",
        last: "kalea etorbidea hiribidea plaza",
        endings: "kalea",
    },
    // Portuguese
    Language {
        countries: "PT",
        first: "rua r avenida av avª praca pc pca pç praceta pct largo lg lgo travessa tv trav estrada est estr alameda al calcada cc calc \
                beco bc rotunda rot quinta qta urbanizacao urb bairro br azinhaga caminho cam campo escadas escadinhas \
                ladeira passeio patio parque cais via vila viela zona loteamento lugar sitio terreiro jardim avenidas",
        last: "",
        endings: "",
    },
    // Italian
    Language {
        countries: "IT CH",
        first: "via v viale v.le vle vl piazza p p.za pza pzza p.zza piazzale ple p.le piazzetta corso c so cso largo lgo l.go vicolo vic vico strada str \
                lungomare lungotevere lungarno lungadige lungo contrada c.da cda localita loc frazione fraz salita calle campo campiello \
                fondamenta rio rione borgo galleria gall circonvallazione circ rampa scalinata sestiere traversa discesa \
                riva molo passeggiata parco regione rotonda ronco stradone stradella autostrada ss sp bastioni foro ripa \
                alzaia piazzette cannaregio dorsoduro castello",
        last: "strasse",
        endings: "strasse weg platz gasse",
    },
    // Danish
    Language {
        countries: "DK",
        first: "",
        last: "gade vej alle plads torv straede boulevard gaard gard vaenge park bakke kaj brygge have stien stræde gyde \
               vange ring",
        endings: "gade vej alle plads torv torvet straede boulevard garden gaarden vaenge vaenget parken bakken kaj kajen \
                  brygge haven toften svinget gaden vejen pladsen gyde stien ringen vang vangen krogen marken engen lunden \
                  skoven dalen hoj hojen havnen kanal dam garde gard ledet lokken agre leddet banke banken aasen tvaervej promenade boulevarden esplanaden",
    },
    // Norwegian
    Language {
        countries: "NO",
        first: "",
        last: "gate gata gaten gt vei veien veg vegen vn plass torg torv torget brygge alle alleen bakken stien svingen lia kroken \
               terrasse ring kai brygga smug plassen plads",
        endings: "gate gata gaten gt vei veien veg vegen vn plass plassen torg torget torvet brygge brygga alle alleen bakken stien \
                  svingen lia kroken terrasse ringen kai kaia smauet smug almenning allmenningen myra asen haugen toppen \
                  jordet lokka dalen odden neset sletta grenda tunet lunden bakke faret gutua moen hagen vika skrenten kleiva",
    },
    // Swedish
    Language {
        countries: "SE FI AX",
        first: "",
        last: "gatan gata vagen vag grand torg torget plan plats platsen stigen stig backen backe allen alle esplanaden \
               leden kajen ringen strand boulevard",
        endings: "gatan gata vagen vag grand granden torg torget plan planen plats platsen stigen backen allen esplanaden \
                  leden kajen ringen strand stranden gangen liden gatan slingan svangen hojden tappan parken garden trappan \
                  bron hamnen kroken lyckan angen marken dalen bergs udden viken rundan stallet varvet vretten",
    },
    // Finnish
    Language {
        countries: "FI",
        first: "",
        last: "katu tie kuja polku vayla kaari raitti tori ranta puisto aukio rinne portti penger esplanadi bulevardi laituri puistotie",
        endings: "katu tie kuja polku vayla kaari raitti tori ranta puisto aukio rinne maki portti penger esplanadi bulevardi \
                  laituri silta kierto taival rantatie tanhua kallio lenkki piha niemi haka laakso linja varsi valkama kulma \
                  syrja ahde mutka kangas lahde tarha pelto niitty",
    },
    // Polish
    Language {
        countries: "PL",
        first: "ul ulica al aleja aleje alei pl plac os osiedle rynek rondo skwer bulwar bulwary trakt droga szosa wybrzeze \
                zaulek nabrzeze most park kolonia ulicy placu osiedlu",
        last: "rynek",
        endings: "",
    },
    // Czech, Slovak
    Language {
        countries: "CZ SK",
        first: "ulice ul namesti nam trida tr nabrezi nabr sady sidliste alej na nad pod u v za k ke pri ve mezi",
        last: "namesti nam trida nabrezi ulice sady",
        endings: "ova ska cka ni",
    },
    // English
    Language {
        countries: "GB IE US CA AU NZ",
        first: "highway hwy route rte rt road country county state interstate fm rr cr sr us camino calle via rue rua \
                business loop spur farm ranch pr",
        last: "street st str road rd avenue ave av aven drive dr drv driv lane ln la way wy court ct crt square sq terrace ter terr \
               parkway pkwy pkway pky pwy highway hwy hgwy hiway close crescent cres cr gardens gdns gdn garden row mews hill \
               walk broadway circle cir circ loop trail trl tr alley aly turnpike tpke tpk pike place pl plaza plz plza boulevard \
               blvd boul blv bvd parade pde quay esplanade esp green grove gr grv park pk rise view vw views vale yard wharf lodge \
               point pt ridge rdg run pass path bend bnd cove cv creek crk crossing xing crest cross crossroad expressway expy \
               freeway fwy frwy fork glen heights hts hollow holw island isle junction jct knoll landing ldg link lock mall manor \
               mnr meadow meadows mdw mdws mill orchard oval overlook ovlk plain port promenade prom ramp ranch route rte rt \
               shore shores spring springs spur station sta stravenue summit smt trace trce track trak union valley vly via \
               viaduct village vlg vista vis walk well wells strand mount mt dene croft drove embankment approach arcade end \
               fold gate ghyll causeway chase circus common copse corner hall hatch haven bank bridge brae brow wynd vennel \
               market place strand side town dale field fields ings lea leas garth bypass concourse dock wood woods gulch \
               line sideroad concession townline industrial estate centre center close circuit cct way highway motorway bypass \
               southway northway bldv crossways speedway skyway throughway thruway camino paseo calle broad beach terrace turn turnabout crt",
        endings: "gate way road street",
    },
    // Greek
    Language {
        countries: "GR", first: "οδος λεωφορος λεωφ πλατεια πλ", last: "", endings: ""
    },
];

/// Words of the names of directions, as English addresses have them.
const DIRECTIONS: &str = "n s e w ne nw se sw north south east west northeast northwest southeast southwest n.e n.w s.e s.w no so \
                          nord sud est ouest o nth sth central lower upper";

/// Words that begin a part of a building, in all languages.
const UNITS: &str = "suite ste apt apartment unit floor flr fl room rm bldg building flat lot level lvl shop office ofc dept \
                     department space spc trailer trlr penthouse ph tower block studio bay kiosk # no pmb mailstop \
                     maisonette basement ground attn \
                     stock og ug eg dg etage wohnung whg haus hinterhaus vorderhaus hof gebaude geb stiege stg top tuer tur eingang aufgang \
                     bus bte boite bt boîte appt app appartement batiment bat escalier esc porte etg rez rdc hall entree immeuble imm \
                     residence cs bp tsa verdieping appartement kamer hs huis \
                     piso planta pta puerta escalera portal bajo bajos local nave oficina atico entlo entresuelo principal ppal izda dcha edificio edif \
                     bloque andar esq dto drt fracao lote loja cave bloco sala r/c rc \
                     int interno scala piano palazzina interno pal sc \
                     sal tv th mf st kl kld lejl dor lgh tr van van. oppgang etasje leil as lh rappu porras krs kerros \
                     m lok lokal mieszkanie klatka pietro pok kancelar patro byt vchod";

/// Of them, those that stand after what they count: "2nd Floor", "3. Stock", "2. tv".
const COUNTED: &str = "floor flr fl stock og ug etage obergeschoss etg verdieping etage sal tv th mf piso planta andar esq dto pietro \
                       patro tr krs kerros etasje izda dcha izquierda derecha izq der dcha dto esquerdo direito frente";

/// Words that are the number when there is none: without number.
const NUMBERLESS: [&str; 4] = ["s/n", "s/nº", "s.n.c.", "snc"];

/// Boxes at a post office.
const BOXES: [&str; 17] = [
    "po box",
    "p o box",
    "pob",
    "post office box",
    "postfach",
    "boite postale",
    "casella postale",
    "apartado",
    "postbus",
    "postboks",
    "postbox",
    "box",
    "pl ",
    "skrytka",
    "gpo box",
    "private bag",
    "locked bag",
];

/// Words of a form or a table that say what follows.
const LABELS: &str = "adresse anschrift address addr adres adresa osoite adress direccion domicilio indirizzo morada endereco sede \
                      strasse street straat rue via calle rua ulica gate vej gatuadress katuosoite besoksadress besogsadresse \
                      besoksadresse bezoekadres hausnummer nummer number numero numer cislo \
                      plz postleitzahl postcode zip code postal cp cap codigo postal postnummer postnr postinumero psc kod pocztowy \
                      eircode ort stadt wohnort city town ville localite commune citta comune localita ciudad poblacion \
                      municipio localidad cidade localidade concelho plaats woonplaats stad gemeente miasto miejscowosc mesto obec \
                      by poststed postort kaupunki postitoimipaikka kunta sted suburb state county province region country land pays zipcode";

/// Words before a number that make it something else than a house: a year, a page, a telephone.
const NO_STREETS: &str = "jahr jahre jahres year years seite seiten page pages tel telefon telephone phone fax mobil handy mobile band kapitel \
    chapter artikel article absatz zimmer room raum saal uhr abb bild figure fig tabelle table rechnung ausgabe heft puh \
    sivu vuonna pagina version section step line lines release port rfc iso volume vol issue bug error code level note \
    appendix example listing part nr no nummer number numero uke uge vecka semaine week woche option item windows linux debian kernel \
    python java posix ascii unicode utf bit bits byte bytes hz mhz ghz mb gb kb kg km cm mm postfach postbus boks box apartado \
    since until about over nearly some more than than approx circa ca c isbn issn doi utc gmt cet";

/// Words that may stand inside the name of a street, written small.
const PARTICLES: &str = "de du des la le les l d a au aux en et sur sous saint sainte am an der den dem die das des im in von vom van ter ten te \
    of the and zur zum zu auf unter bei beim hinter vor ob di da do dos das del della dei degli delle dello al alla ai san santa \
    el los las y i e och og ja und na nad pod u v ve za k ke pri mezi w z ze o op aan het bij onder gen dr prof sw im ks von \
    s t n lo nell nel sul sulla per con ing mons ter av \
    ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince \
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia";

/// Words before a street that are no part of it although they have a capital.
const NOT_OF_IT: &str = "in at to from on near our the visit die der das im bei unser unsere sie besuchen firma adresse siedziba \
    przy office head hq address located sitz laden filiale zentrale nous notre siege situe vous en nuestra nuestro oficina \
    visitenos sede situada ubicada la nossa morada ci trovate presso la nostra adresse besog vores vi pa kontor besok vart \
    var oss meidan toimisto osoitteessa kantoor bezoek ons onze bevindt biuro nase kancelar navstivte adresa sidlo na v w z do";

/// Adjectives and titles before a street's word that belong to it.
const ADJECTIVES: &str = "alte alter altes neue neuer neues grosse grosser kleine kleiner obere oberer untere unterer hintere vordere lange langer kurze breite hohe \
    innere aussere mittlere rechte linke sankt st erste zweite dritte bad schone schoner alten neuen grossen \
    eerste tweede derde vierde oude nieuwe grote kleine lange korte hoge lage noorder zuider ooster wester jan van de prins prinses \
    koning koningin kleine sint burgemeester burg dr prof pastoor pater \
    gamla nya norra sodra ostra vastra stora lilla ovre nedre mellersta sankt store lille gamle nye vestre ostre nordre sondre \
    gammel ny norre sonder oster vester ovre nedre kong dronning prins prinsesse \
    itainen lantinen pohjoinen etelainen vanha uusi iso pieni ala yla itatuulen pitka lyhyt kuningas";

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meaning {
    /// The languages in which it comes before a street's name, by bits.
    pub(super) first: u16,
    /// In which it comes after, or is the end of a word for a street.
    pub(super) last: u16,
}

/// English, by its bit.
pub(super) const ENGLISH: u16 = 1 << 12;
/// Languages that put the number before the word for a street: French, and now and then others.
pub(super) const NUMBER_FIRST: u16 = 1 << 2;
const POLISH_CZECH: u16 = 1 << 10 | 1 << 11;

/// What a word says of a street; `word` is folded.
pub(super) fn meaning(word: &str) -> Meaning {
    static FIRST: LazyLock<Table<&str, u16>> = LazyLock::new(|| table(|language| language.first));
    static LAST: LazyLock<Table<&str, u16>> = LazyLock::new(|| table(|language| language.last));
    // By their last bytes: most words end with none of them.
    static ENDINGS: LazyLock<Table<u8, Vec<(&str, u16)>>> = LazyLock::new(|| {
        let mut endings: Table<u8, Vec<(&str, u16)>> = Table::default();
        for (ending, languages) in table(|language| language.endings) {
            endings.entry(ending.bytes().last().unwrap_or_default()).or_default().push((ending, languages));
        }
        endings
    });
    let mut last = LAST.get(word).copied().unwrap_or_default();
    if word.len() >= 6 && !word.contains(' ') {
        let same = word.bytes().last().and_then(|last| ENDINGS.get(&last));
        for (ending, languages) in same.into_iter().flatten() {
            if word.len() >= ending.len() + 3 && word.ends_with(ending) {
                last |= languages;
            }
        }
    }
    Meaning { first: FIRST.get(word).copied().unwrap_or_default(), last }
}

/// Whether a word alone is a kind of street.
pub(super) fn is_kind(word: &str) -> bool {
    static LAST: LazyLock<Table<&str, u16>> = LazyLock::new(|| table(|language| language.last));
    LAST.get(word).is_some_and(|languages| languages & !ENGLISH != 0)
}

/// Whether a word after a street's name can only be its kind in English, and not part of a town's.
pub(super) fn is_english_last(word: &str) -> bool {
    meaning(word).last & ENGLISH != 0
}

/// Whether a word comes before the name of a street in a language that has it so.
pub(super) fn is_english_first(word: &str) -> bool {
    meaning(word).first & ENGLISH != 0
}

/// Whether languages write in a country.
pub(super) fn speaks(languages: u16, country: &str) -> bool {
    LANGUAGES.iter().enumerate().any(|(index, language)| {
        languages >> index & 1 != 0 && language.countries.split(' ').any(|code| code == country)
    })
}

/// Languages where prepositions and first words of that kind are capitalised or the name is an
/// adjective: short ones say little there.
pub(super) fn is_weak(word: &str, languages: u16) -> bool {
    languages & !(1 | POLISH_CZECH) == 0
        && word.len() <= 5
        && !matches!(word, "ul" | "al" | "pl" | "os" | "nam" | "tr" | "plac" | "ulice" | "platz" | "allee")
}

fn table(words: impl Fn(&Language) -> &'static str) -> Table<&'static str, u16> {
    let mut table: Table<&str, u16> = Table::default();
    for (index, language) in LANGUAGES.iter().enumerate() {
        words(language).split_ascii_whitespace().for_each(|word| *table.entry(word).or_default() |= 1 << index);
    }
    table
}

fn set(words: &'static str) -> Words {
    words.split_ascii_whitespace().collect()
}

macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident: $words:ident;)*) => {
        $($(#[$doc])* pub(super) fn $name(word: &str) -> bool {
            static WORDS: LazyLock<Words> = LazyLock::new(|| set($words));
            WORDS.contains(word)
        })*
    };
}

sets! {
    /// Whether a word is a direction.
    is_direction: DIRECTIONS;
    /// Whether a word begins a part of a building.
    is_unit: UNITS;
    /// Whether a word follows the number of a part of a building.
    is_counted: COUNTED;
    /// Whether a word says what follows, in a form.
    is_label: LABELS;
    /// Whether a number after the word is that of no house.
    is_no_street: NO_STREETS;
    /// Whether a small word may be in the name of a street.
    is_particle: PARTICLES;
    /// Whether a capitalised word before a street is no part of its name.
    is_outside: NOT_OF_IT;
    /// Whether a word before a street's word belongs to the name.
    is_adjective: ADJECTIVES;
}

/// Whether something stands for a house number where there is none.
pub(super) fn is_numberless(word: &str) -> bool {
    NUMBERLESS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether folded words are a box at a post office.
pub(super) fn is_box(folded: &str) -> bool {
    BOXES.iter().any(|known| {
        folded.strip_prefix(known).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with(' ')
                || known.ends_with(' ') && rest.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}
