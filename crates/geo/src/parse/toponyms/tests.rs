//! What the toponym layer finds, in sentences.

use crate::{Hints, Kind, Mention, Region, parse};

/// What is found, as "text=place".
fn found(text: &str, hints: &Hints<'_>) -> Vec<String> {
    let mentions: Vec<Mention> = parse(text, hints);
    mentions
        .iter()
        .map(|m| format!("{}={}", &text[m.span.clone()], m.place.map_or(String::new(), |p| p.full_name())))
        .collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(found(text, &Hints::default()), expected, "{text}");
}

#[test]
fn names_are_found_in_ten_languages_and_their_inflections() {
    for (text, expected) in [
        (
            "The ferry from Gothenburg to Kiel was late because of the weather in the Baltic Sea.",
            "Gothenburg Kiel Baltic Sea",
        ),
        (
            "Die Fähre von Göteborg nach Kiel war wegen des Wetters auf der Ostsee zu spät, sagte die Polizei in Hamburg.",
            "Göteborg Kiel Ostsee Hamburg",
        ),
        (
            "Lautta Tukholmasta Turkuun oli myöhässä, mutta Helsingissä ja Joensuussa sää oli hyvä, ja se on totta.",
            "Tukholmasta Turkuun Helsingissä Joensuussa",
        ),
        (
            "Färjan från Stockholm till Åbo var sen, men det är inte ovanligt att den är det på Östersjön.",
            "Stockholm Åbo Östersjön",
        ),
        (
            "Le train de Paris est arrivé à Marseille dans la nuit, et les passagers ont dormi à Lyon.",
            "Paris Marseille Lyon",
        ),
        (
            "El tren de Madrid llegó a Sevilla por la noche y los pasajeros durmieron en Córdoba.",
            "Madrid Sevilla Córdoba",
        ),
        (
            "Il treno da Milano è arrivato a Napoli nella notte e i passeggeri non sono scesi a Firenze.",
            "Milano Napoli Firenze",
        ),
        (
            "De trein van Amsterdam naar Utrecht was te laat en het was niet de eerste keer in Nederland.",
            "Amsterdam Utrecht Nederland",
        ),
        (
            "O comboio de Lisboa chegou ao Porto na noite e os passageiros não dormiram em Coimbra.",
            "Lisboa Porto Coimbra",
        ),
        (
            "Pociąg z Warszawy do Krakowa jest spóźniony, a w Gdańsku i w Poznaniu nie ma opóźnień.",
            "Warszawy Krakowa Gdańsku Poznaniu",
        ),
    ] {
        let names: Vec<String> =
            parse(text, &Hints::default()).iter().map(|m| text[m.span.clone()].to_owned()).collect();
        assert_eq!(names.join(" "), expected, "{text}");
    }
}

#[test]
fn inflected_names_are_the_places_they_come_from() {
    for (text, place) in [
        ("Kokous pidettiin Oulussa ja se oli hyvä, mutta ei pitkä.", "Oulussa=Oulu, North Ostrobothnia, Finland"),
        ("Hän on kotoisin Lahdesta ja se on totta, mutta ei kaikki.", "Lahdesta=Lahti, Paijat-Hame, Finland"),
        ("Spotkanie było w Krakowie i nie jest to tajemnica.", "Krakowie=Kraków, Lesser Poland, Poland"),
        ("Das ist eines der ältesten Häuser Deutschlands und es wird nicht verkauft.", "Deutschlands=Germany"),
    ] {
        check(text, &[place]);
    }
}

#[test]
fn inflected_names_are_found_in_cyrillic_and_greek_and_over_several_words() {
    for (text, expected) in [
        ("Пожар в Москве потушили, пожарные приехали из Подольска и Химок.", "Moscow Podolsk Khimki"),
        ("В Санкт-Петербурге и Казани было спокойно, сказал он.", "Saint Petersburg Kazan"),
        ("Президент России встретился в Минске с президентом Беларуси.", "Russia Minsk Belarus"),
        ("Пожежа у Києві та Харкові, пожежники приїхали зі Львова.", "Kyiv Kharkiv Lviv"),
        ("Πυροσβέστες ήρθαν από τη Θεσσαλονίκη, και στον Βόλο έβρεξε.", "Thessaloníki Volos"),
        ("Toimimme koko Pohjois-Karjalan alueella ja myös Lapin maakunnassa, joka on suuri.", "North Karelia Lapland"),
        ("Zatrzymaliśmy się w Łodzi i w Zakopanem, a potem przyjechali do nas goście z Puław.", "Łódź Zakopane Puławy"),
    ] {
        let names: Vec<String> = parse(text, &Hints::default())
            .iter()
            .map(|m| m.place.map_or("", |place| place.name()).to_owned())
            .collect();
        assert_eq!(names.join(" "), expected, "{text}");
    }
}

#[test]
fn arabic_names_are_found_behind_what_is_written_together_with_them() {
    let text = "سيزور بعد ذلك بيروت ودمشق وبغداد.";
    assert_eq!(
        found(text, &Hints::default()),
        ["بيروت=Beirut, Lebanon", "دمشق=Damascus, Damascus Governorate, Syria", "بغداد=Baghdad, Iraq"]
    );
}

#[test]
fn a_name_in_a_list_of_places_is_one() {
    // "Granada" is a grenade, "Norcia" small.
    check(
        "Después visitamos con los niños Granada y Sevilla.",
        &["Granada=Granada, Andalusia, Spain", "Sevilla=Sevilla, Andalusia, Spain"],
    );
    check(
        "La scossa è stata avvertita anche a Foligno, Spoleto e Norcia.",
        &["Foligno=Foligno, Umbria, Italy", "Spoleto=Spoleto, Umbria, Italy", "Norcia=Norcia, Umbria, Italy"],
    );
}

#[test]
fn a_name_spelled_like_one_place_is_that_one() {
    check("O presidente recebeu em Brasília o ministro.", &["Brasília=Brasília, Federal District, Brazil"]);
    check(
        "La squadra di calcio ha vinto a Torino e a Napoli.",
        &["Torino=Turin, Piedmont, Italy", "Napoli=Naples, Campania, Italy"],
    );
    check("Das sagte die Polizei Niedersachsen, die nicht zuständig ist.", &["Niedersachsen=Lower Saxony, Germany"]);
}

#[test]
fn names_in_other_scripts_are_found() {
    for (text, place) in [
        ("Он живёт в Москве и работает. Москва большая.", "Moscow"),
        ("彼は東京に住んでいます", "Tokyo"),
        ("زيارة القاهرة", "Cairo"),
        ("Ζει στην Αθήνα", "Athens"),
        ("თბილისი საქართველოს დედაქალაქია", "Tbilisi"),
        ("ის ცხოვრობს ბათუმში", "Batumi"),
    ] {
        let mentions = parse(text, &Hints::default());
        assert!(mentions.iter().any(|m| m.place.is_some_and(|p| p.name() == place)), "{text}: {mentions:?}");
    }
}

#[test]
fn the_area_named_after_a_place_says_which_it_is() {
    check("A man from Paris, Texas, was fined.", &["Paris=Paris, Texas, United States", "Texas=Texas, United States"]);
    check("A man from Paris, TX, was fined.", &["Paris=Paris, Texas, United States", "TX=Texas, United States"]);
    check("They met in London, Ont., last week.", &["London=London, Ontario, Canada", "Ont=Ontario, Canada"]);
    check(
        "They met in Birmingham, Alabama.",
        &["Birmingham=Birmingham, Alabama, United States", "Alabama=Alabama, United States"],
    );
    check(
        "They met in Birmingham, England.",
        &["Birmingham=Birmingham, England, United Kingdom", "England=England, United Kingdom"],
    );
}

#[test]
fn a_place_said_to_be_in_an_area_is_the_one_there() {
    check(
        "Lima is a city in Allen County, Ohio.",
        &[
            "Lima=Lima, Ohio, United States",
            "Allen County=Allen County, Ohio, United States",
            "Ohio=Ohio, United States",
        ],
    );
    check("She grew up in Paris in Texas.", &["Paris=Paris, Texas, United States", "Texas=Texas, United States"]);
    check("Lima is the capital of Peru.", &["Lima=Lima, Lima Province, Peru", "Peru=Peru"]);
}

#[test]
fn one_sense_holds_for_the_whole_text() {
    let text = "A fire broke out in London, Ontario. Residents of London said the London police came quickly.";
    let london = "London=London, Ontario, Canada";
    check(text, &[london, "Ontario=Ontario, Canada", london, london]);
}

#[test]
fn words_and_people_are_no_places() {
    for text in [
        "Nice to meet you. Reading is fun and Bath is what I need.",
        "Mr. Paris and Dr. Kiel spoke with Jordan Smith.",
        "Of course the man was there. Most of them were.",
        "May was cold, and on Monday it rained.",
        "Paris Hilton sang.",
        "El Banco publicó sus cuentas y los empleados no se quejan de la subida para el año.",
        "O doutor João Pereira e a engenheira Ana Costa não estão.",
        "Domenica si gioca e non sono contenti.",
        "Frau Müller sprach mit der Geschäftsführerin Anna Becker über die Bilanz.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn a_word_with_a_capital_inside_a_sentence_can_be_a_place() {
    check("The boats in Nice were small.", &["Nice=Nice, Provence-Alpes-Côte d'Azur, France"]);
    check("She was born in Bath and it was raining.", &["Bath=Bath, England, United Kingdom"]);
}

#[test]
fn acronyms_count_in_capitals_only() {
    check("The US and the UK signed it.", &["US=United States", "UK=United Kingdom"]);
    check("The U.S. signed it.", &["U.S.=United States"]);
    check("They told us that it works.", &[]);
}

#[test]
fn hints_decide_between_namesakes() {
    let text = "Sie wohnt in Frankenthal und arbeitet nicht.";
    assert_eq!(found(text, &Hints::default()).len(), 1);
    let region = Region::find(crate::Gazetteer::embedded(), "Saxony").unwrap();
    let hints = Hints { region: Some(&region), ..Hints::default() };
    assert_eq!(found(text, &hints), ["Frankenthal=Frankenthal, Saxony, Germany"]);
    let cambridge = "The school is in Cambridge.";
    let hints = Hints { country: Some("US"), ..Hints::default() };
    assert_eq!(found(cambridge, &hints), ["Cambridge=Cambridge, Massachusetts, United States"]);
    let hints = Hints { country: Some("GB"), ..Hints::default() };
    assert_eq!(found(cambridge, &hints), ["Cambridge=Cambridge, England, United Kingdom"]);
}

#[test]
fn mentions_say_why() {
    let mentions = parse("They met in Kiel.", &Hints::default());
    assert_eq!(mentions.len(), 1);
    assert!(mentions[0].why.starts_with("a word before it that says where; "), "{}", mentions[0].why);
    assert!(mentions[0].confidence > 0.5 && mentions[0].confidence < 1.0);
    assert!((4_000.0..8_000.0).contains(&mentions[0].precision_m));
}

#[test]
fn what_is_said_of_a_place_is_true_of_the_one_that_was_taken() {
    for (text, kind) in [("Manchester is wet.", "a town of some size; "), ("Mexico is big.", "a country; ")] {
        let mentions = parse(text, &Hints::default());
        assert!(mentions[0].why.starts_with(kind), "{text}: {}", mentions[0].why);
    }
    for text in ["Georgia and Alabama and Florida are warm.", "Mexico, Manchester, Luxembourg, Europe and Ohio."] {
        for mention in parse(text, &Hints::default()) {
            let kind = match mention.place.unwrap().kind() {
                Kind::Country => "a country",
                Kind::Continent => "a continent",
                Kind::Admin1 => "a first-order area",
                _ => "a town",
            };
            let said = ["a country", "a continent", "a first-order area", "a town"];
            let said = said.iter().find(|said| mention.why.starts_with(**said));
            assert!(said.is_none_or(|said| *said == kind), "{text}: {mention:?}");
        }
    }
}

#[test]
fn a_name_with_a_parenthesis_is_one_name() {
    check(
        "Von Halle (Saale) nach Frankfurt (Oder) und nicht nach Paris (Texas).",
        &[
            "Halle (Saale)=Halle (Saale), Saxony-Anhalt, Germany",
            "Frankfurt (Oder)=Frankfurt (Oder), Brandenburg, Germany",
            "Paris=Paris, Île-de-France, France",
            "Texas=Texas, United States",
        ],
    );
}

#[test]
fn a_place_in_its_area_is_one_although_somebody_is_called_so() {
    check(
        "Abraham Lincoln never saw Lincoln, Nebraska.",
        &["Lincoln=Lincoln, Nebraska, United States", "Nebraska=Nebraska, United States"],
    );
}

#[test]
fn short_texts_whose_language_is_not_clear_keep_their_endings_and_small_words() {
    check(
        "Matkustimme Jyväskylästä Ouluun ja Rovaniemelle.",
        &[
            "Jyväskylästä=Jyväskylä, Central Finland, Finland",
            "Ouluun=Oulu, North Ostrobothnia, Finland",
            "Rovaniemelle=Rovaniemi, Lapland, Finland",
        ],
    );
    check(
        "da Firenze a Venezia e poi a Roma",
        &["Firenze=Florence, Tuscany, Italy", "Venezia=Venice, Veneto, Italy", "Roma=Rome, Lazio, Italy"],
    );
    // Without a word that says so nothing is Finnish.
    check("Monika Berlinista", &[]);
}

#[test]
fn ordinary_words_are_no_inflected_names_of_countries_far_away() {
    let hints = Hints { language: Some("fi"), ..Hints::default() };
    let text = "Sateen jälkeen tori oli tyhjä, ja lapset juoksivat rantaan. Sateen jälkeen kaikki oli märkää.";
    assert_eq!(found(text, &hints), [""; 0]);
}

#[test]
fn each_of_many_towns_has_its_own_state() {
    let times = 500;
    let expected = ["Austin=Austin, Texas, United States", "TX=Texas, United States"];
    let text = "He left Austin, TX for Lewisburg, W.Va. and was seen there. ".repeat(times);
    let found = found(&text, &Hints { language: Some("en"), ..Hints::default() });
    assert_eq!(found.len(), 4 * times);
    assert!(found.chunks(4).all(|four| four == &found[..4] && four[..2] == expected), "{:?}", &found[..4]);
}
