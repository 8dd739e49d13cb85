//! Addresses as people write them.

use super::super::tokens::tokens;
use super::*;

fn read(text: &str) -> Vec<Mention> {
    addresses(Gazetteer::embedded(), text, &tokens(text), &Hints::default())
}

/// Text; street, number, postcode, city, country.
fn check(text: &str, expected: [&str; 5]) {
    let found = read(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    let address = found[0].address.clone().unwrap();
    let parts = [address.street, address.number, address.postcode, address.city, address.country];
    assert_eq!(parts.map(Option::unwrap_or_default), expected, "{text}");
}

#[test]
fn addresses_are_read_in_the_orders_of_their_countries() {
    check("Besuchen Sie uns: Musterstraße 12a, 24103 Kiel", ["Musterstraße", "12a", "24103", "Kiel", "DE"]);
    check("OFFIS e. V.\nEscherweg 2\n26121 Oldenburg\nDeutschland", ["Escherweg", "2", "26121", "Oldenburg", "DE"]);
    check("Holstenstr. 5-7 · D-24103 Kiel", ["Holstenstr.", "5-7", "24103", "Kiel", "DE"]);
    check("Am Markt 3, 26122 Oldenburg", ["Am Markt", "3", "26122", "Oldenburg", "DE"]);
    check("Unter den Linden 77, 10117 Berlin", ["Unter den Linden", "77", "10117", "Berlin", "DE"]);
    check("Länsikatu 15, 80110 Joensuu", ["Länsikatu", "15", "80110", "Joensuu", "FI"]);
    check("Yliopistokatu 2 B 12\n80100 Joensuu", ["Yliopistokatu", "2 B 12", "80100", "Joensuu", "FI"]);
    check("12 rue de Rivoli, 75004 Paris", ["rue de Rivoli", "12", "75004", "Paris", "FR"]);
    check("4 bis, avenue Foch\n69006 Lyon", ["avenue Foch", "4 bis", "69006", "Lyon", "FR"]);
    check("10 Downing Street, London SW1A 2AA", ["Downing Street", "10", "SW1A 2AA", "London", "GB"]);
    check("221B Baker Street\nLondon\nNW1 6XE", ["Baker Street", "221B", "NW1 6XE", "London", "GB"]);
    check(
        "1600 Pennsylvania Avenue NW, Washington, DC 20500",
        ["Pennsylvania Avenue NW", "1600", "20500", "Washington", "US"],
    );
    check("350 5th Ave\nNew York, NY 10118-0110", ["5th Ave", "350", "10118-0110", "New York", "US"]);
    check("500 Main St, Springfield, IL 62701", ["Main St", "500", "62701", "Springfield", "US"]);
    check("Stephansplatz 1, 1010 Wien", ["Stephansplatz", "1", "1010", "Wien", "AT"]);
    check("Storgatan 5, 111 51 Stockholm", ["Storgatan", "5", "111 51", "Stockholm", "SE"]);
    check("Kerkstraat 24, 9711 AB Groningen", ["Kerkstraat", "24", "9711 AB", "Groningen", "NL"]);
    check("ul. Długa 15/3, 80-831 Gdańsk", ["ul. Długa", "15/3", "80-831", "Gdańsk", "PL"]);
    check("Panadería García S.L.\nCalle Mayor, 12\n11001 Cádiz", ["Calle Mayor", "12", "11001", "Cádiz", "ES"]);
    check("Ci trovate in Via Garibaldi, 15, 40121 Bologna BO", ["Via Garibaldi", "15", "40121", "Bologna", "IT"]);
    let long = "word ".repeat(60) + "Via Garibaldi, 15, 40121 Bologna";
    check(&long, ["Via Garibaldi", "15", "40121", "Bologna", "IT"]);
    check("Rua do Comércio, 45\n4050-253 Porto", ["Rua do Comércio", "45", "4050-253", "Porto", "PT"]);
    check("14 Station Road, Galway, H91 E3T5", ["Station Road", "14", "H91 E3T5", "Galway", "IE"]);
    check("100 Queen Street W, Toronto, ON M5H 2N2", ["Queen Street W", "100", "M5H 2N2", "Toronto", "CA"]);
    check("12 George Street, Sydney NSW 2000", ["George Street", "12", "2000", "Sydney", "AU"]);
    check("Ερμού 25\n382 21 Βόλος", ["Ερμού", "25", "382 21", "Βόλος", "GR"]);
    check("Am Hang Nr. 5, 24103 Kiel", ["Am Hang", "5", "24103", "Kiel", "DE"]);
    check("Straße des 17. Juni 135, 10623 Berlin", ["Straße des 17. Juni", "135", "10623", "Berlin", "DE"]);
    check("123 Main St., Suite 200, Boston, MA 02108", ["Main St.", "123", "02108", "Boston", "US"]);
    check("123 Main St Apt 4B, Portland, Oregon 97201", ["Main St", "123", "97201", "Portland", "US"]);
    check("One Infinite Loop, Cupertino, CA 95014", ["Infinite Loop", "One", "95014", "Cupertino", "US"]);
    check("5 High St, P.O. Box 12, Concord, New Hampshire 03301", ["High St", "5", "03301", "Concord", "US"]);
    check("The Old Barn, 4 Mill Lane, Fakenham, Norfolk NR21 0AB", ["Mill Lane", "4", "NR21 0AB", "Fakenham", "GB"]);
    check("〒920-0961 石川県金沢市片町1丁目2-3", ["片町", "1丁目2-3", "920-0961", "金沢市", "JP"]);
}

#[test]
fn the_town_is_the_one_that_agrees_with_postcode_and_state() {
    for (text, name) in [
        ("500 Main St, Springfield, IL 62701", "Springfield, Illinois, United States"),
        ("500 Main St, Springfield, MA 01103", "Springfield, Massachusetts, United States"),
        ("Hauptstraße 1, 15230 Frankfurt", "Frankfurt (Oder), Brandenburg, Germany"),
        ("Zeil 1, 60313 Frankfurt", "Frankfurt am Main, Hesse, Germany"),
        ("Calle Mayor, 86, 37001 Salamanca", "Salamanca, Castille and León, Spain"),
        ("1 King St, London, ON N6A 1A1", "London, Ontario, Canada"),
    ] {
        let found = read(text);
        assert_eq!(found[0].place.unwrap().full_name(), name, "{text}");
    }
}

#[test]
fn what_only_looks_like_an_address_is_none() {
    for text in [
        "In 2019 Kiel had 24103 visitors",
        "about 10000 Berlin residents",
        "24103 Kiel",
        "Rechnung 12, 99999 Xyzhausen",
        "He paid 12345 Euros in Paris",
        "Room 12, 75004 people came",
        "Between 1990-200 Porto lost",
        "The score was 80-831 Gdańsk",
        "In 12, 11001 Cádiz was small",
        "See page 5, H91 A1B2",
        "He came to Sydney in NSW 2000 times",
        "Im Jahr 1945, 20000 Hamburg",
        "Im Sommer 1945, 20000 Hamburg",
        "Seite 17, 24103 Kiel",
        "Nr. 17, 24103 Kiel",
        "Tel. 12, 26122 Oldenburg",
        "Am 12. Mai 24, 24103 Kiel",
        "P.O. Box 123, Boston, MA 02108",
        "Postfach 1234, 24103 Kiel",
        "Tel. 920-0961 石川県金沢市",
        "12",
        "",
    ] {
        assert!(read(text).is_empty(), "{text}: {:?}", read(text));
    }
}

#[test]
fn spans_cover_the_whole_address() {
    let text = "Hier: Escherweg 2, 26121 Oldenburg, Tel. 0441";
    assert_eq!(&text[read(text)[0].span.clone()], "Escherweg 2, 26121 Oldenburg");
    let text = "We met near the Schlossplatz 1, 26122 Oldenburg.";
    assert_eq!(&text[read(text)[0].span.clone()], "Schlossplatz 1, 26122 Oldenburg");
}

#[test]
fn a_postcode_of_another_area_costs_confidence_and_does_not_change_the_town() {
    let found = read("Hauptstraße 5, 80331 Kiel");
    assert_eq!(found[0].place.unwrap().full_name(), "Kiel, Schleswig-Holstein, Germany");
    assert!(found[0].confidence <= 0.5 && found[0].why.contains("the postcode is of another area"), "{found:?}");
    let found = read("Hauptstraße 5, 24103 Kiel");
    assert!(found[0].confidence > 0.9 && found[0].why.contains("fits the state"), "{found:?}");
    let found = read("12 rue de Rivoli, 69001 Lyon");
    assert!(found[0].why.contains("the postcode is of its area"), "{found:?}");
    let found = read("Domkloster 4, 50667 Cologne");
    assert_eq!(found[0].place.unwrap().full_name(), "Köln, North Rhine-Westphalia, Germany");
}
