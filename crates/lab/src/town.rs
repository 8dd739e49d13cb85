//! Towns that exist, and addresses in them as their country writes them.

use serde::Serialize;

use crate::dice::Dice;
use crate::tongue::Tongue;

/// A country, as far as addresses go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Country {
    De,
    At,
    Ch,
    Fi,
    Se,
    Fr,
    Es,
    It,
    Nl,
    Pl,
    Gb,
    Ie,
    Us,
    Gr,
    Jp,
}

use Country::*;

/// A town with its real coordinates and one of its real postcodes.
#[derive(Debug)]
pub(crate) struct Town {
    pub name: &'static str,
    pub country: Country,
    /// What an address says besides the town: the state in the United States, the prefecture in Japan.
    pub region: &'static str,
    pub postcode: &'static str,
    pub lat: f64,
    pub lon: f64,
}

const fn town(
    name: &'static str,
    country: Country,
    region: &'static str,
    postcode: &'static str,
    lat: f64,
    lon: f64,
) -> Town {
    Town { name, country, region, postcode, lat, lon }
}

/// All towns; any two are more than 30 km apart, so that a circle of 15 km belongs to one of them.
pub(crate) static TOWNS: &[Town] = &[
    town("Oldenburg", De, "", "26121", 53.1435, 8.2146),
    town("Joensuu", Fi, "", "80100", 62.6010, 29.7636),
    town("Uppsala", Se, "", "753 10", 59.8586, 17.6389),
    town("Nantes", Fr, "", "44000", 47.2184, -1.5536),
    town("Cádiz", Es, "", "11001", 36.5271, -6.2886),
    town("Bologna", It, "", "40121", 44.4949, 11.3426),
    town("Groningen", Nl, "", "9711", 53.2194, 6.5665),
    town("Gdańsk", Pl, "", "80-831", 54.3520, 18.6466),
    town("York", Gb, "", "YO1", 53.9600, -1.0873),
    town("Portland", Us, "OR", "97201", 45.5152, -122.6784),
    town("Münster", De, "", "48143", 51.9625, 7.6256),
    town("Freiburg im Breisgau", De, "", "79098", 47.9959, 7.8522),
    town("Leipzig", De, "", "04109", 51.3397, 12.3731),
    town("Bamberg", De, "", "96047", 49.8917, 10.8917),
    town("Lübeck", De, "", "23552", 53.8689, 10.6873),
    town("Graz", At, "", "8010", 47.0707, 15.4395),
    town("Salzburg", At, "", "5020", 47.8095, 13.0550),
    town("Bern", Ch, "", "3011", 46.9480, 7.4474),
    town("Kouvola", Fi, "", "45100", 60.8681, 26.7042),
    town("Lahti", Fi, "", "15110", 60.9827, 25.6612),
    town("Turku", Fi, "", "20100", 60.4518, 22.2666),
    town("Oulu", Fi, "", "90100", 65.0121, 25.4651),
    town("Kuopio", Fi, "", "70100", 62.8924, 27.6770),
    town("Umeå", Se, "", "903 26", 63.8258, 20.2630),
    town("Malmö", Se, "", "211 22", 55.6050, 13.0038),
    town("Visby", Se, "", "621 55", 57.6348, 18.2948),
    town("Annecy", Fr, "", "74000", 45.8992, 6.1294),
    town("Dijon", Fr, "", "21000", 47.3220, 5.0415),
    town("La Rochelle", Fr, "", "17000", 46.1603, -1.1511),
    town("Quimper", Fr, "", "29000", 47.9960, -4.1024),
    town("Girona", Es, "", "17001", 41.9794, 2.8214),
    town("Salamanca", Es, "", "37001", 40.9701, -5.6635),
    town("Burgos", Es, "", "09003", 42.3439, -3.6969),
    town("Granada", Es, "", "18001", 37.1773, -3.5986),
    town("Siena", It, "", "53100", 43.3188, 11.3308),
    town("Lecce", It, "", "73100", 40.3515, 18.1750),
    town("Trieste", It, "", "34121", 45.6495, 13.7768),
    town("Verona", It, "", "37121", 45.4384, 10.9916),
    town("Delft", Nl, "", "2611", 52.0116, 4.3571),
    town("Maastricht", Nl, "", "6211", 50.8514, 5.6910),
    town("Zwolle", Nl, "", "8011", 52.5168, 6.0830),
    town("Toruń", Pl, "", "87-100", 53.0138, 18.5984),
    town("Kraków", Pl, "", "31-042", 50.0647, 19.9450),
    town("Lublin", Pl, "", "20-111", 51.2465, 22.5684),
    town("Bath", Gb, "", "BA1", 51.3811, -2.3590),
    town("Inverness", Gb, "", "IV1", 57.4778, -4.2247),
    town("Galway", Ie, "", "H91", 53.2707, -9.0568),
    town("Savannah", Us, "GA", "31401", 32.0809, -81.0912),
    town("Burlington", Us, "VT", "05401", 44.4759, -73.2121),
    town("Santa Fe", Us, "NM", "87501", 35.6870, -105.9378),
    town("Duluth", Us, "MN", "55802", 46.7867, -92.1005),
    town("Χανιά", Gr, "", "731 32", 35.5138, 24.0180),
    town("Βόλος", Gr, "", "382 21", 39.3622, 22.9420),
    town("金沢市", Jp, "石川県", "920-0961", 36.5613, 136.6562),
    town("松山市", Jp, "愛媛県", "790-0001", 33.8392, 132.7655),
];

/// The first towns of the list can be a web's focus: their languages and address forms are the
/// ones most people will try first.
pub(crate) const FOCUS_TOWNS: u64 = 10;

impl Country {
    /// ISO 3166, two letters.
    pub fn code(self) -> &'static str {
        match self {
            De => "DE",
            At => "AT",
            Ch => "CH",
            Fi => "FI",
            Se => "SE",
            Fr => "FR",
            Es => "ES",
            It => "IT",
            Nl => "NL",
            Pl => "PL",
            Gb => "GB",
            Ie => "IE",
            Us => "US",
            Gr => "GR",
            Jp => "JP",
        }
    }

    pub fn tongue(self) -> &'static Tongue {
        Tongue::of(match self {
            De | At | Ch => "de",
            Fi => "fi",
            Se => "sv",
            Fr => "fr",
            Es => "es",
            It => "it",
            Nl => "nl",
            Pl => "pl",
            Gb | Ie | Us => "en",
            Gr => "el",
            Jp => "ja",
        })
    }

    fn streets(self) -> &'static [&'static str] {
        match self {
            De | At | Ch => &[
                "Hauptstraße",
                "Bahnhofstraße",
                "Gartenstraße",
                "Lindenweg",
                "Marktplatz",
                "Schulstraße",
                "Kirchgasse",
                "Am Wall",
                "Mühlenweg",
                "Ringstraße",
                "Lange Straße",
                "Hafenstraße",
            ],
            Fi => &[
                "Kauppakatu",
                "Rantakatu",
                "Koskikatu",
                "Kirkkokatu",
                "Niskakatu",
                "Torikatu",
                "Siltakatu",
                "Puistotie",
                "Asematie",
                "Koulukatu",
            ],
            Se => &[
                "Storgatan",
                "Kungsgatan",
                "Drottninggatan",
                "Skolgatan",
                "Hamngatan",
                "Kyrkogatan",
                "Järnvägsgatan",
                "Östra Ågatan",
            ],
            Fr => &[
                "rue de la Paix",
                "rue Victor Hugo",
                "avenue de la Gare",
                "place du Marché",
                "rue des Écoles",
                "quai de la Fosse",
                "boulevard Gambetta",
                "rue du Moulin",
            ],
            Es => &[
                "Calle Mayor",
                "Calle Real",
                "Plaza de España",
                "Avenida de la Constitución",
                "Calle del Puerto",
                "Calle San Juan",
                "Paseo Marítimo",
            ],
            It => &[
                "Via Roma",
                "Via Garibaldi",
                "Piazza Maggiore",
                "Corso Italia",
                "Via Dante",
                "Via Mazzini",
                "Viale della Stazione",
            ],
            Nl => &["Kerkstraat", "Stationsweg", "Markt", "Oude Gracht", "Dorpsstraat", "Molenweg", "Havenstraat"],
            Pl => &["ul. Długa", "ul. Kościuszki", "ul. Polna", "ul. Mickiewicza", "ul. Ogrodowa", "pl. Rynek"],
            Gb | Ie => &["High Street", "Station Road", "Church Lane", "Mill Road", "Bridge Street", "Castle Terrace"],
            Us => &["Main Street", "Oak Avenue", "2nd Street", "Park Boulevard", "Maple Drive", "Lake Avenue"],
            Gr => &["Ερμού", "Βενιζέλου", "Αγίου Νικολάου", "Παπαδιαμάντη"],
            Jp => &["片町", "本町", "大手町", "柿木畠"],
        }
    }
}

/// A postal address with its point, as the truth knows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Address {
    /// The street without its number.
    pub street: String,
    /// The house number.
    pub number: String,
    /// The postcode.
    pub postcode: String,
    /// The town.
    pub city: String,
    /// The country, two letters.
    pub country: String,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// The address in one line, as it stands on the page.
    pub line: String,
}

impl Address {
    /// A house in the town, the same one for the same dice.
    pub(crate) fn within(town: &Town, dice: &mut Dice) -> Self {
        let street = dice.pick(town.country.streets()).to_owned();
        let house = dice.between(1, if town.country == Us { 1900 } else { 94 });
        let letter = |dice: &mut Dice| char::from(b'A' + dice.below(20) as u8);
        let postcode = match town.country {
            Nl => format!("{} {}{}", town.postcode, letter(dice), letter(dice)),
            Gb => format!("{} {}{}{}", town.postcode, dice.between(1, 9), letter(dice), letter(dice)),
            Ie => format!("{} {}{}{}{}", town.postcode, letter(dice), dice.below(10), letter(dice), dice.below(10)),
            _ => town.postcode.to_owned(),
        };
        let number = match town.country {
            De | At | Nl if dice.chance(0.2) => format!("{house}{}", char::from(b'a' + dice.below(4) as u8)),
            Jp => format!("{}丁目{}-{}", dice.between(1, 4), dice.between(1, 20), dice.between(1, 9)),
            _ => house.to_string(),
        };
        let city = town.name;
        let line = match town.country {
            De | At | Ch | Fi | Se | Nl | Pl | Gr => format!("{street} {number}, {postcode} {city}"),
            Fr => format!("{number} {street}, {postcode} {city}"),
            Es | It => format!("{street}, {number}, {postcode} {city}"),
            Gb => format!("{number} {street}, {city} {postcode}"),
            Ie => format!("{number} {street}, {city}, {postcode}"),
            Us => format!("{number} {street}, {city}, {} {postcode}", town.region),
            Jp => format!("〒{postcode} {}{city}{street}{number}", town.region),
        };
        let (lat, lon) = point_near(town, dice);
        Self {
            street,
            number,
            postcode,
            city: city.to_owned(),
            country: town.country.code().to_owned(),
            lat,
            lon,
            line,
        }
    }
}

/// A point within some 4 km of the town's centre, to five decimals.
pub(crate) fn point_near(town: &Town, dice: &mut Dice) -> (f64, f64) {
    let round = |degrees: f64| (degrees * 1e5).round() / 1e5;
    let lat = town.lat + (dice.unit() - 0.5) * 0.05;
    let lon = town.lon + (dice.unit() - 0.5) * 0.05 / town.lat.to_radians().cos();
    (round(lat), round(lon))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kilometres between two points, on a sphere.
    fn kilometres(a: (f64, f64), b: (f64, f64)) -> f64 {
        let (la, lb) = (a.0.to_radians(), b.0.to_radians());
        let (dla, dlo) = (lb - la, (b.1 - a.1).to_radians());
        let h = (dla / 2.0).sin().powi(2) + la.cos() * lb.cos() * (dlo / 2.0).sin().powi(2);
        2.0 * 6371.0 * h.sqrt().asin()
    }

    #[test]
    fn circles_around_towns_do_not_meet() {
        for (i, a) in TOWNS.iter().enumerate() {
            for b in &TOWNS[..i] {
                let apart = kilometres((a.lat, a.lon), (b.lat, b.lon));
                assert!(apart > 30.0, "{} and {} are {apart:.0} km apart", a.name, b.name);
            }
        }
    }

    #[test]
    fn addresses_are_in_their_town_and_written_as_their_country_does() {
        for (i, town) in TOWNS.iter().enumerate() {
            let address = Address::within(town, &mut Dice::new(1, "address", [i as u64]));
            assert!(kilometres((town.lat, town.lon), (address.lat, address.lon)) < 8.0, "{address:?}");
            assert!(address.line.contains(town.name) && address.line.contains(town.postcode), "{}", address.line);
        }
        let american = Address::within(&TOWNS[9], &mut Dice::new(1, "address", [0]));
        assert!(american.line.starts_with(&american.number) && american.line.ends_with("Portland, OR 97201"));
    }
}
