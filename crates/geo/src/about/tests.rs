//! What pages say of places, as whole pages.

use facts::{LatLon, Url};
use page::{Limits, Page};

use super::*;
use crate::MentionKind;
use crate::distance::kilometres;
use crate::region::Region;

fn page_at(url: &str, html: &str) -> Page {
    page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &Url::parse(url).unwrap(), &Limits::default())
}

fn read(html: &str) -> About {
    about(&page_at("https://example.org/a/", html), &Hints::default(), Granularity::Address)
}

/// The place a page is about, in words.
fn focus(html: &str) -> Option<String> {
    let about = read(html);
    assert!(about.focus_confidence <= 0.5, "{}", about.focus_confidence);
    assert_eq!(about.focus.is_some(), about.focus_confidence > 0.0);
    about.focus.map(|index| about.places[index].words.clone())
}

fn town(whereabouts: &Option<Whereabouts>) -> Option<&str> {
    whereabouts.as_ref().and_then(|whereabouts| whereabouts.locality.town.as_deref())
}

#[test]
fn a_place_is_given_once_with_its_mentions_and_words() {
    let about = read(
        "<title>News</title><p>From Kiel to Hamburg. Kiel is nice, and Kiel again.</p>
        <p>Escherweg 2, 26121 Oldenburg</p><address>Escherweg 2<br>26121 Oldenburg</address>
        <p>54.3233, 10.1228</p><p>54.32331, 10.12281</p>",
    );
    let found: Vec<(&str, &str, u32)> =
        about.places.iter().map(|place| (place.mention.kind.as_str(), &*place.words, place.mentions)).collect();
    assert_eq!(
        found,
        [
            ("toponym", "Kiel", 3),
            ("toponym", "Hamburg", 1),
            ("address", "Escherweg 2, 26121 Oldenburg", 2),
            ("coordinates", "54.3233, 10.1228", 2),
        ]
    );
}

#[test]
fn words_and_structured_data_about_one_place_are_one_place() {
    let about = read(
        r#"<script type="application/ld+json">{"@type":"Hotel","geo":{"latitude":53.1489,"longitude":8.2012},
        "address":{"streetAddress":"Escherweg 2","postalCode":"26121","addressLocality":"Oldenburg","addressCountry":"Germany"}}</script>
        <p>Escherweg 2, 26121 Oldenburg</p><a href="https://www.openstreetmap.org/?mlat=53.1489&mlon=8.2012">Map</a>"#,
    );
    assert_eq!(about.places.len(), 1, "{:?}", about.places);
    let place = &about.places[0];
    assert_eq!((place.mentions, place.mention.kind), (2, MentionKind::Structured));
    assert!(place.mention.place.is_none() && place.mention.precision_m < 100.0);
    assert_eq!(place.words, "Escherweg 2, 26121 Oldenburg, DE");
    assert_eq!(about.focus, Some(0));
}

#[test]
fn the_title_is_not_counted_twice_and_spans_are_those_of_the_text() {
    let page =
        page_at("https://example.org/", "<title>A day in Kiel</title><h1>A day in Kiel</h1><p>It rained in Laboe.");
    let found = about(&page, &Hints::default(), Granularity::Address);
    assert_eq!(found.places[0].mentions, 1);
    for place in &found.places {
        assert_eq!(&page.text[place.mention.span.clone()], place.words);
    }
    let page = page_at("https://example.org/", "<title>A day in Kiel</title><p>It rained in Laboe.");
    let found = about(&page, &Hints::default(), Granularity::Address);
    assert_eq!(found.places[0].words, "Kiel");
    assert!(found.places[0].mention.span.is_empty());
    assert_eq!(&page.text[found.places[1].mention.span.clone()], "Laboe");
}

#[test]
fn relevance_is_told_by_place_and_page() {
    let oldenburg = Region::find(Gazetteer::embedded(), "Oldenburg").unwrap();
    let hints = Hints { region: Some(&oldenburg), ..Hints::default() };
    let page = page_at("https://example.org/", "<p>Escherweg 2, 26121 Oldenburg</p><p>Holstenstraße 5, 24103 Kiel</p>");
    let found = about(&page, &hints, Granularity::Address);
    assert!(found.relevant);
    assert_eq!(found.places.iter().map(|place| place.relevant).collect::<Vec<_>>(), [true, false]);
    let named = page_at("https://example.org/", "<p>A concert in Oldenburg.");
    assert!(!about(&named, &hints, Granularity::Address).relevant);
    assert!(about(&named, &hints, Granularity::Place).relevant);
    let elsewhere = page_at("https://example.org/", "<p>Holstenstraße 5, 24103 Kiel</p>");
    assert!(!about(&elsewhere, &hints, Granularity::Place).relevant);
    assert!(about(&elsewhere, &Hints::default(), Granularity::Address).relevant);
}

#[test]
fn the_top_level_domain_decides_between_namesakes() {
    for (url, state) in [
        ("https://school.ac.uk/", "England, United Kingdom"),
        ("https://school.example.us/", "Massachusetts, United States"),
    ] {
        let found = about(&page_at(url, "<p>The school is in Cambridge."), &Hints::default(), Granularity::Place);
        assert_eq!(found.places[0].mention.place.unwrap().full_name(), format!("Cambridge, {state}"));
    }
    for (tld, country) in [
        ("uk", Some("GB")),
        ("de", Some("DE")),
        ("fi", Some("FI")),
        ("com", None),
        ("io", None),
        ("co", None),
        ("tv", None),
        ("me", None),
        ("ai", None),
        ("xx", None),
        ("test", None),
    ] {
        assert_eq!(country_of(tld), country, "{tld}");
    }
}

#[test]
fn the_focus_is_what_the_page_says_of_itself() {
    let ld = |json: &str| {
        format!(r#"<title>Page</title><script type="application/ld+json">{json}</script><p>Near Hamburg and Kiel.</p>"#)
    };
    for (json, words) in [
        (r#"{"@type":"Museum","geo":{"latitude":54.3233,"longitude":10.1228}}"#, "54.32330, 10.12280"),
        (
            r#"{"@type":"Article","contentLocation":{"@type":"Place","geo":{"latitude":54.3233,"longitude":10.1228}}}"#,
            "54.32330, 10.12280",
        ),
        (
            r##"{"@graph":[{"@type":"Event","location":{"@id":"#p"}},{"@id":"#p","@type":"Place","geo":{"latitude":54.3233,"longitude":10.1228}}]}"##,
            "54.32330, 10.12280",
        ),
        (
            r#"{"@type":"Hotel","address":{"streetAddress":"Escherweg 2","addressLocality":"Oldenburg","addressCountry":"DE"}}"#,
            "Escherweg 2, Oldenburg, DE",
        ),
    ] {
        assert_eq!(focus(&ld(json)).as_deref(), Some(words), "{json}");
    }
    let metas = r#"<meta name="geo.position" content="53.14;8.21"><meta name="geo.placename" content="Oldenburg"><meta name="geo.region" content="DE-NI">"#;
    assert_eq!(focus(metas).as_deref(), Some("53.14000, 8.21000"));
}

#[test]
fn who_publishes_a_page_is_not_what_it_is_about() {
    let html = r#"<title>Floods in Passau</title><script type="application/ld+json">{"@type":"NewsArticle",
        "publisher":{"@type":"Organization","address":{"streetAddress":"Escherweg 2","addressLocality":"Oldenburg","addressCountry":"DE"}}}</script>
        <p>The water in Passau rose. People of Passau left.</p><img src="a.jpg">"#;
    let about = read(html);
    assert_eq!(about.places[about.focus.unwrap()].words, "Passau");
    assert!(about.places.iter().any(|place| place.words.starts_with("Escherweg 2")), "{:?}", about.places);
    assert_eq!(about.media[0].structured, None);
}

#[test]
fn the_only_address_is_the_focus_unless_the_title_is_about_elsewhere() {
    let address = "<p>Escherweg 2, 26121 Oldenburg</p>";
    let words = Some("Escherweg 2, 26121 Oldenburg".to_owned());
    assert_eq!(focus(&format!("<title>Contact</title>{address}<p>We deliver to Bremen and Hamburg.</p>")), words);
    assert_eq!(focus(&format!("<title>Oldenburg: contact</title>{address}")), words);
    assert_eq!(
        focus(&format!("<title>Holidays in Barcelona</title><p>Barcelona is warm.</p>{address}")).as_deref(),
        Some("Barcelona")
    );
}

#[test]
fn the_focus_is_the_finest_place_most_is_said_of() {
    for (html, words) in [
        ("<title>A day in Kiel</title><p>We came from Hamburg. Kiel is a town in Germany.", Some("Kiel")),
        ("<p>Kiel, Schleswig-Holstein, Germany", Some("Kiel")),
        (
            "<title>Travels in Germany</title><p>Germany is large. In Germany we saw Kiel, Berlin and Munich.",
            Some("Germany"),
        ),
        ("<p>Our branches: Hamburg, Munich, Paris, Madrid, Rome, Vienna.", None),
        ("<p>Our branches in Germany: Hamburg, Munich, Leipzig, Cologne, Kiel.", Some("Germany")),
        ("<p>Trains run from Hamburg to Munich.", None),
        ("<p>Nothing at all.", None),
        ("", None),
    ] {
        assert_eq!(focus(html).as_deref(), words, "{html}");
    }
}

#[test]
fn a_clearer_focus_is_more_certain() {
    let certainty = |html: &str| read(html).focus_confidence;
    let title = certainty("<title>A day in Kiel</title><p>Kiel is nice. Kiel is old.");
    let passing = certainty("<p>It was bought in Kiel.");
    let mixed = certainty("<title>A day in Kiel</title><p>Not in Hamburg, not in Munich, not in Berlin.");
    assert!(title > passing && title > mixed && passing > 0.0, "{title} {passing} {mixed}");
}

#[test]
fn at_most_a_hundred_places_the_strongest() {
    let points: String = (0..300).map(|n| format!("<p>Point 48.{:04}, 11.5000</p>", n * 30)).collect();
    let html = format!("<p>Kiel, Kiel and Kiel.</p>{points}<p>Escherweg 2, 26121 Oldenburg</p>");
    let oldenburg = Region::find(Gazetteer::embedded(), "Oldenburg").unwrap();
    let hints = Hints { region: Some(&oldenburg), ..Hints::default() };
    let found = about(&page_at("https://example.org/", &html), &hints, Granularity::Address);
    assert_eq!(found.places.len(), 100);
    assert!(found.places.last().unwrap().relevant && found.relevant);
    assert!(found.places.iter().all(|place| place.mention.is_exact()));
    assert!(found.places.windows(2).all(|pair| pair[0].mention.span.start < pair[1].mention.span.start));
}

#[test]
fn a_picture_is_where_structured_data_about_it_say() {
    let about = read(
        r#"<script type="application/ld+json">[
            {"@type":"ImageObject","contentUrl":"kiel.jpg","contentLocation":{"@type":"Place","geo":{"latitude":54.3233,"longitude":10.1228}},
             "creator":{"@type":"Person","address":{"addressLocality":"Munich","addressCountry":"DE"}}},
            {"@type":"Restaurant","image":["/a/food.jpg"],"geo":{"latitude":53.1435,"longitude":8.2146}},
            {"@type":"Restaurant","image":{"@type":"ImageObject","url":"https://example.org/a/fish.jpg"},"address":{"addressLocality":"Bremen","addressCountry":"DE"}}
        ]</script><img src="kiel.jpg"><img src="food.jpg"><img src="fish.jpg"><img src="other.jpg">"#,
    );
    let towns: Vec<Option<&str>> = about.media.iter().map(|media| town(&media.structured)).collect();
    assert_eq!(towns, [Some("Kiel"), Some("Oldenburg"), Some("Bremen"), None]);
    let confidence: Vec<f64> = about.media.iter().flat_map(|media| &media.structured).map(|w| w.confidence).collect();
    assert!(confidence[0] > confidence[1], "{confidence:?}");
    assert_eq!(about.media[0].structured.as_ref().unwrap().evidence, "54.32330, 10.12280");
}

#[test]
fn a_picture_is_where_the_element_around_it_says() {
    let about = read(
        r#"<div itemscope itemtype="https://schema.org/Place"><img src="1.jpg"><div itemprop="geo" itemscope>
            <meta itemprop="latitude" content="54.3233"><meta itemprop="longitude" content="10.1228"></div></div>
        <div class="h-entry"><figure><img src="2.jpg"></figure><p>At <span class="h-geo"><span class="p-latitude">53.1435</span>
            <span class="p-longitude">8.2146</span></span></p></div>
        <ul><li><img src="3.jpg"><a href="geo:53.0793,8.8017">Map</a></li>
            <li><img src="4.jpg"><a href="https://www.openstreetmap.org/?mlat=53.5511&mlon=9.9937">Map</a></li></ul>
        <p><img src="5.jpg"></p>"#,
    );
    let towns: Vec<Option<&str>> = about.media.iter().map(|media| town(&media.structured)).collect();
    assert_eq!(towns, [Some("Kiel"), Some("Oldenburg"), Some("Bremen"), Some("Hamburg"), None]);
}

#[test]
fn a_picture_is_where_its_page_says_it_is_with_less_certainty() {
    let html = r#"<meta name="ICBM" content="54.3233, 10.1228"><img src="1.jpg"><p><img src="2.jpg">"#;
    let about = read(html);
    for media in &about.media {
        assert_eq!(town(&media.structured), Some("Kiel"));
        assert!(media.structured.as_ref().unwrap().confidence < 0.7);
    }
    let two = format!(
        r#"{html}<meta property="place:location:latitude" content="48.1"><meta property="place:location:longitude" content="11.6">"#
    );
    assert!(read(&two).media.iter().all(|media| media.structured.is_none()));
}

#[test]
fn descriptions_say_where_a_picture_was_made() {
    let about = read(
        r#"<img src="1.jpg" alt="The harbour of Kiel"><img src="2.jpg" alt="a red boat"><img src="3.jpg" alt="From Hamburg to Munich">
        <img src="4.jpg" alt="Somewhere in Germany"><img src="5.jpg" alt="Escherweg 2, 26121 Oldenburg">"#,
    );
    let towns: Vec<Option<&str>> = about.media.iter().map(|media| town(&media.description)).collect();
    assert_eq!(towns, [Some("Kiel"), None, None, None, Some("Oldenburg")]);
    assert_eq!(about.media[0].description.as_ref().unwrap().evidence, "The harbour of Kiel 1");
    assert!(about.media[4].description.as_ref().unwrap().address.is_some());
    // The nearest paragraph may be about more than the picture.
    let about = read("<img src=a.jpg alt='Boats in Laboe'><p>From Hamburg we came to Kiel.");
    assert_eq!(town(&about.media[0].description), Some("Laboe"));
}

#[test]
fn a_bare_name_in_a_description_is_the_place_the_page_speaks_of() {
    let palatinate = LatLon::new(49.3501, 8.1389).unwrap();
    let holstein = LatLon::new(54.1073, 10.8162).unwrap();
    for (place, at) in [("Neustadt an der Weinstraße", palatinate), ("Neustadt in Holstein", holstein)] {
        let html = format!(
            "<html lang=de><title>Ausflug nach {place}</title><p>Die Stadt {place} ist nicht groß und auch nicht klein.</p>
            <figure><img src=kirche.jpg alt='Kirche in Neustadt'></figure>"
        );
        let about = read(&html);
        let found = about.media[0].description.as_ref().unwrap_or_else(|| panic!("{place}"));
        assert!(kilometres(found.at, at) < 5.0, "{place}: {found:?}");
    }
}

#[test]
fn names_of_a_maker_lead_to_a_place_when_they_agree() {
    for (names, place, precision) in [
        ([Some("Kiel"), Some("Schleswig-Holstein"), Some("Germany")], "Kiel, Schleswig-Holstein, Germany", 10_000.0),
        ([Some("Paris"), Some("Texas"), None], "Paris, Texas, United States", 10_000.0),
        ([Some("Portland"), Some("ME"), Some("USA")], "Portland, Maine, United States", 10_000.0),
        ([Some("Springfield"), Some("Illinois"), Some("US")], "Springfield, Illinois, United States", 10_000.0),
        ([Some("München"), None, Some("DEU")], "Munich, Bavaria, Germany", 20_000.0),
        ([Some("Xyzhausen"), Some("Bayern"), Some("Deutschland")], "Bavaria, Germany", 250_000.0),
        ([Some(""), None, Some("Finland")], "Finland", 800_000.0),
        ([Some("Kiel"), Some("near the sea"), Some("Germany")], "Kiel, Schleswig-Holstein, Germany", 10_000.0),
    ] {
        let found = named_place(names[0], names[1], names[2]).unwrap_or_else(|| panic!("{names:?}"));
        assert_eq!(found.locality.place, place, "{names:?}");
        assert!(
            found.precision_m <= precision && found.precision_m > precision / 20.0,
            "{names:?}: {}",
            found.precision_m
        );
    }
    for names in [
        [Some("Kiel"), None, Some("France")],
        [Some("Kiel"), Some("Bayern"), None],
        [Some("Kiel"), Some("Texas"), Some("Germany")],
        [Some("Xyzhausen"), None, None],
        [None, None, None],
    ] {
        assert_eq!(named_place(names[0], names[1], names[2]), None, "{names:?}");
    }
    let alone = named_place(Some("Springfield"), None, None).unwrap();
    let with = named_place(Some("Springfield"), Some("Illinois"), Some("US")).unwrap();
    assert!(alone.confidence < with.confidence);
}

#[test]
fn an_area_is_called_by_its_own_name_and_not_by_what_is_in_its_middle() {
    let about = read("<p>Holidays in Bavaria.");
    let known = whereabouts(&about.places[0].mention, &about.places[0].words);
    assert_eq!(known.locality.place, "Bavaria, Germany");
    assert_eq!((known.locality.town, known.locality.country.as_deref()), (None, Some("DE")));
}

#[test]
fn hostile_pages_take_no_long_time() {
    // References that lead to each other, a point in every cell, pictures that all ask for a place.
    let refs: String =
        (0..200).map(|n| format!(r##"{{"@id":"#{n}","a":[{}]}},"##, r##"{"@id":"#0"},"##.repeat(50) + "1")).collect();
    let points: String = (0..3000)
        .map(|n| format!("<p>{:.5}, 7.50000 <img src='{n}.jpg' alt='Boat {n} in Kiel'>", 40.0 + f64::from(n) * 1e-5))
        .collect();
    let html = format!("<script type=application/ld+json>[{refs}1]</script>{}{points}", "<div>".repeat(400));
    let page = page_at("https://example.org/", &html);
    let start = std::time::Instant::now();
    let found = about(&page, &Hints::default(), Granularity::Address);
    assert_eq!(found.media.len(), 2000);
    assert!((50..=100).contains(&found.places.len()), "{}", found.places.len());
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
