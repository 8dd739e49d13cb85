//! Statements about finding items and pages by their words.

use facts::{LatLon, Locality};
use store::{
    Claim, ClusterFilter, Forget, ImportedFile, ItemFilter, ItemOrder, Library, PageFilter, Said, SaidSource, Slip,
    Visited, Want,
};

use super::Home;
use super::library::start;
use super::lists::{ORDERS, whole};
use super::web::*;

const PAGE: &str = "http://p.example/";

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

fn again(visit: Visited, round: u32) -> Visited {
    Visited { claim: Claim { round, ..visit.claim }, ..visit }
}

fn words(text: &str) -> ItemFilter {
    ItemFilter { words: Want::parse(text), ..ItemFilter::default() }
}

fn pages(text: &str) -> PageFilter {
    PageFilter { words: Want::parse(text), ..PageFilter::default() }
}

fn picture(content: &str) -> String {
    format!("http://m.example/{content}.jpg")
}

/// What is found by words, the best first, by the name it was given.
async fn found(library: &dyn Library, text: &str, names: &[&str]) -> Vec<String> {
    let matches = library.search_items(&words(text), None, 0, 99).await.unwrap();
    assert_eq!(matches.total, matches.found.len() as u64);
    assert!(matches.found.is_sorted_by(|a, b| a.score >= b.score), "{text}: the best come first");
    let name = |id| names.iter().find(|name| id_of(name) == id).map_or_else(|| format!("{id}"), |name| (*name).into());
    let best: Vec<String> = matches.found.iter().map(|found| name(found.what.id)).collect();
    // However it is listed, the same is found.
    let mut sorted = best.clone();
    sorted.sort();
    for order in ORDERS {
        let mut listed: Vec<String> =
            whole(library, &words(text), order, 2).await.iter().map(|item| name(item.id)).collect();
        listed.sort();
        assert_eq!(listed, sorted, "{text} {order:?}");
    }
    best
}

fn shown(captions: &[(&str, &str)], round: u32) -> Visited {
    let images: Vec<String> = captions.iter().map(|(content, _)| picture(content)).collect();
    let images: Vec<&str> = images.iter().map(String::as_str).collect();
    let mut visit = again(read_with_images(page_claim(PAGE), &images), round);
    for (reference, (_, caption)) in facts_of(&mut visit).media.iter_mut().zip(captions) {
        reference.description = (*caption).into();
    }
    visit
}

pub async fn items_are_found_by_all_that_is_said_of_them(home: impl Home) {
    let library = home.library();
    let names = ["titled", "described", "captioned", "tagged", "placed", "by", "imported"];
    let mut visits: Vec<Visited> = names[..6].iter().map(|name| kept(image_claim(&picture(name)), name)).collect();
    let [titled, described, _, tagged, placed, by] = &mut visits[..] else { panic!("six") };
    file_of(titled).facts.title = Some("Das Lappan-Tor in Oldenburg".into());
    file_of(described).facts.description = Some("Blick auf die Schloßkirche, Café nebenan".into());
    file_of(tagged).facts.keywords = vec!["Windmühle".into(), "Grüne Wiese".into()];
    let mut there = at(53.0, 0.5);
    there.locality = Locality {
        place: "Westerstede, Niedersachsen, Deutschland".into(),
        town: Some("Westerstede".into()),
        ..Locality::default()
    };
    file_of(placed).said = vec![said(SaidSource::Caption, there)];
    file_of(by).facts.author = Some("Ada Hansen".into());
    visits.push(shown(&[("captioned", "Ein Leuchtturm am Abend"), ("titled", "nichts weiter")], 0));
    record(&*library, visits).await;
    let ImportedFile { source, .. } = local("/zoo/giraffe.jpg", "imported", plain());
    home.import(vec![local(&source, "imported", plain())]).await.unwrap();

    for (text, expected) in [
        ("lappan", &["titled"][..]),
        ("LAPPAN tor", &["titled"]),
        ("oldenburg", &["titled"]),
        ("olden", &["titled"]),
        ("olden tor", &[]),
        ("cafe", &["described"]),
        ("schloßkirche", &["described"]),
        ("leuchtturm abend", &["captioned"]),
        ("\"am abend\"", &["captioned"]),
        ("\"abend am\"", &[]),
        ("windmuhle", &["tagged"]),
        ("westerstede", &["placed"]),
        ("niedersachs", &["placed"]),
        ("hansen", &["by"]),
        ("giraffe", &["imported"]),
        ("no such words", &[]),
        ("m.example -hansen -lappan -ein -windmühle -westerstede -blick", &[]),
        ("example hansen", &["by"]),
        ("OR AND NOT ( ) * : ^ \" '", &[]),
    ] {
        assert_eq!(found(&*library, text, &names).await, expected, "{text}");
    }
    assert_eq!(found(&*library, "-example", &names).await, ["imported"], "what may not be there");
    assert_eq!(found(&*library, "-example -giraffe", &names).await, [""; 0]);
    let matches = library.search_items(&words("tor \"lappan tor\" oldenb"), None, 0, 9).await.unwrap();
    assert_eq!(matches.found[0].matched, ["tor", "lappan tor", "oldenb"]);
    home.audit().await;
}

pub async fn a_word_in_the_title_counts_for_more_and_pages_of_matches_follow(home: impl Home) {
    let library = home.library();
    let mut visits: Vec<Visited> = ["a", "b", "c"].map(|name| kept(image_claim(&picture(name)), name)).into();
    file_of(&mut visits[1]).facts.title = Some("The bridge".into());
    file_of(&mut visits[0]).facts.author = Some("Bridge, Anna".into());
    visits.push(shown(&[("c", "a long caption in which a bridge is one of many things that are seen from here")], 0));
    visits.push(shown(&[("a", "something else"), ("b", "something else"), ("c", "and more")], 1));
    record(&*library, visits).await;
    assert_eq!(found(&*library, "bridge", &["a", "b", "c"]).await[0], "b");
    let all = found(&*library, "bridge", &["a", "b", "c"]).await;
    for skip in 0..4 {
        let page = library.search_items(&words("bridge"), None, skip, 1).await.unwrap();
        let expected: Vec<_> = all.iter().skip(skip).take(1).map(|name| id_of(name)).collect();
        assert_eq!(page.found.iter().map(|found| found.what.id).collect::<Vec<_>>(), expected);
        assert_eq!(page.total, 3);
    }
    let host = ItemFilter { host: Some("none.example".into()), ..words("bridge") };
    assert_eq!(library.search_items(&host, None, 0, 9).await.unwrap().total, 0);
}

pub async fn words_follow_what_is_said_now(home: impl Home) {
    let library = home.library();
    let names = ["one", "two"];
    record(&*library, vec![shown(&[("one", "a lighthouse")], 0), kept(image_claim(&picture("one")), "one")]).await;
    assert_eq!(found(&*library, "lighthouse", &names).await, ["one"]);
    // A page that is read again has longer words about it.
    record(&*library, vec![shown(&[("one", "a windmill and its garden")], 1)]).await;
    assert_eq!(found(&*library, "windmill", &names).await, ["one"]);
    assert_eq!(found(&*library, "lighthouse", &names).await, [""; 0]);
    // A person writes something over it.
    library.set_text(id_of("one"), Some(Some("Our harbour".into())), Some(Some("in winter".into()))).await.unwrap();
    assert_eq!(found(&*library, "harbour winter", &names).await, ["one"]);
    library.set_text(id_of("one"), Some(None), None).await.unwrap();
    assert_eq!(found(&*library, "harbour", &names).await, [""; 0]);
    assert_eq!(found(&*library, "winter", &names).await, ["one"]);
    // So does the place that is shown.
    let point = Said::Point(LatLon::new(1.0, 1.0).unwrap(), named("Husum"));
    library.set_location(id_of("one"), point).await.unwrap();
    assert_eq!(found(&*library, "husum", &names).await, ["one"]);
    library.set_location(id_of("one"), Said::Reject).await.unwrap();
    assert_eq!(found(&*library, "husum", &names).await, [""; 0]);
    // Another content at the address has its words; the one that went has none.
    record(&*library, vec![again(kept(image_claim(&picture("one")), "two"), 2)]).await;
    assert_eq!(found(&*library, "windmill", &names).await, ["two"]);
    assert_eq!(found(&*library, "winter", &names).await, [""; 0]);
    home.audit().await;
    home.remove(id_of("two")).await.unwrap();
    assert_eq!(found(&*library, "windmill", &names).await, [""; 0]);
    record(&*library, vec![again(kept(image_claim(&picture("one")), "two"), 3)]).await;
    assert_eq!(found(&*library, "windmill", &names).await, ["two"]);
    home.forget(Forget::Address(url(PAGE))).await.unwrap();
    assert_eq!(found(&*library, "windmill", &names).await, [""; 0]);
    home.audit().await;
}

pub async fn pages_are_found_by_their_words(home: impl Home) {
    let library = home.library();
    let page = |address: &str, title: &str, description: &str, places: &[&str], round: u32| {
        let mut visit = again(read(page_claim(address), Vec::new()), round);
        let facts = facts_of(&mut visit);
        (facts.title, facts.description) = (title.into(), description.into());
        facts.places = places
            .iter()
            .map(|name| {
                let mut whereabouts = at(10.0, 0.5);
                whereabouts.locality = named(name);
                place(whereabouts)
            })
            .collect();
        visit
    };
    let (a, b) = ("http://a.example/", "http://b.example/");
    let visits = vec![
        page(a, "Wandern im Moor", "Wege und Ziele", &["Bad Zwischenahn, Deutschland"], 0),
        page(b, "Ziele", "Das Moor von oben", &["Kiel"], 0),
        page("http://c.example/", "Das Moor ohne Ort", "", &[], 0),
    ];
    record(&*library, visits).await;
    let found = async |filter: PageFilter| {
        let matches = library.search_pages(&filter, None, 0, 9).await.unwrap();
        assert_eq!(matches.total, matches.found.len() as u64);
        let listed = library.pages(&filter, 0, 9).await.unwrap();
        assert_eq!(listed.len(), matches.found.len());
        let map = library.clusters(&ClusterFilter::Pages(filter), [-90.0, -180.0, 90.0, 180.0], 3).await.unwrap();
        assert_eq!(map.total, matches.total);
        matches.found.into_iter().map(|found| found.what.url).collect::<Vec<_>>()
    };
    assert_eq!(found(pages("moor")).await, [a, b], "a title counts for more");
    assert_eq!(found(pages("ziele")).await, [b, a]);
    assert_eq!(found(pages("zwischen")).await, [a]);
    assert_eq!(found(pages("moor -kiel")).await, [a]);
    assert_eq!(found(pages("-kiel")).await, [a]);
    assert_eq!(found(pages("b.example")).await, [b]);
    assert_eq!(found(PageFilter { host: Some("b.example".into()), ..pages("moor") }).await, [b]);
    let near = library.search_pages(&pages("moor"), LatLon::new(10.0, 10.0), 0, 9).await.unwrap();
    assert_eq!(near.total, 2);
    record(&*library, vec![page(a, "Wandern an der See", "", &["Dangast"], 1)]).await;
    assert_eq!(found(pages("moor")).await, [b]);
    assert_eq!(found(pages("dangast see")).await, [a]);
    record(&*library, vec![page(a, "Wandern an der See", "", &[], 2)]).await;
    assert_eq!(found(pages("dangast")).await, [""; 0]);
    home.audit().await;
    home.forget(Forget::Host(host("b.example"))).await.unwrap();
    assert_eq!(found(pages("moor")).await, [""; 0]);
    home.audit().await;
}

pub async fn a_map_and_a_list_of_words_are_cut_by_other_filters(home: impl Home) {
    let library = home.library();
    let mut visits = Vec::new();
    for n in 0..6 {
        let mut visit = kept_as(image_claim(&picture(&n.to_string())), &n.to_string(), taken_at(f64::from(n), 10.0));
        file_of(&mut visit).facts.title = Some(if n % 2 == 0 { "even sea" } else { "odd sea" }.into());
        visits.push(visit);
    }
    record(&*library, visits).await;
    let map = ClusterFilter::Media(words("even"));
    assert_eq!(library.clusters(&map, [-90.0, -180.0, 90.0, 180.0], 2).await.unwrap().total, 3);
    let area = Some(store::Area::circle(LatLon::new(2.0, 10.0).unwrap(), 150_000.0));
    let filter = ItemFilter { area, ..words("sea") };
    assert_eq!(whole(&*library, &filter, ItemOrder::Newest, 1).await.len(), 3);
    let near = library.search_items(&words("odd"), LatLon::new(5.0, 10.0), 0, 1).await.unwrap();
    assert_eq!((near.total, near.found[0].what.id), (3, id_of("5")));
}

/// A page in a language that shows pictures with captions.
fn spoken(address: &str, language: &str, captions: &[(&str, &str)]) -> Visited {
    let images: Vec<String> = captions.iter().map(|(content, _)| picture(content)).collect();
    let images: Vec<&str> = images.iter().map(String::as_str).collect();
    let mut visit = read_with_images(page_claim(address), &images);
    let facts = facts_of(&mut visit);
    facts.language = Some(language.into());
    for (reference, (_, caption)) in facts.media.iter_mut().zip(captions) {
        reference.description = (*caption).into();
    }
    visit
}

pub async fn a_word_is_found_in_its_forms_and_exactly_when_asked(home: impl Home) {
    let library = home.library();
    let names = ["one", "two", "three", "four"];
    let mut visits: Vec<Visited> = names.map(|name| kept(image_claim(&picture(name)), name)).into();
    visits.push(spoken("http://a.example/de", "de", &[("one", "Alte Brücken am Fluss"), ("two", "Die Brücke")]));
    visits.push(spoken("http://a.example/en", "en", &[("three", "Bridges of the old town"), ("four", "a bridge")]));
    record(&*library, visits).await;
    for (text, expected) in [
        ("brücke", &["two", "one"][..]),
        ("brucken", &["one", "two"]),
        ("BRÜCKEN", &["one", "two"]),
        ("+brücken", &["one"]),
        ("+brucke", &["two"]),
        ("bridge", &["four", "three"]),
        ("bridges", &["three", "four"]),
        ("+bridges", &["three"]),
        ("~bridge", &["four", "three"]),
        ("bridge OR brücke", &["four", "two", "three", "one"]),
        ("(bridges OR brücken) -alte", &["three", "four", "two"]),
        ("-(bridge OR brücke)", &[]),
        ("fluss OR town", &["one", "three"]),
        ("\"old town\" OR \"am fluss\"", &["one", "three"]),
        ("bridge \"old town\"", &["three"]),
        ("bridge \"town old\"", &[]),
    ] {
        let mut got = found(&*library, text, &names).await;
        let (mut got_sorted, mut expected_sorted) = (got.clone(), expected.to_vec());
        got_sorted.sort();
        expected_sorted.sort_unstable();
        assert_eq!(got_sorted, expected_sorted, "{text}");
        // The very form comes before others.
        if expected.len() == 2 && !text.contains(' ') {
            assert_eq!(got.remove(0), expected[0], "{text}");
        }
    }
    let matches = library.search_items(&words("bridge OR fluss"), None, 0, 9).await.unwrap();
    let of = |name: &str| matches.found.iter().find(|found| found.what.id == id_of(name)).unwrap();
    assert_eq!(
        (of("one").matched.as_slice(), of("four").matched.as_slice()),
        (&["fluss".into()][..], &["bridge".into()][..])
    );
    assert!(matches.found.iter().all(|found| found.score.is_some_and(|score| (0.0..=1.0).contains(&score))));
    assert!(matches.forms.contains(&"bridges".to_owned()) && matches.slips.is_empty());
    home.audit().await;
}

/// The Greek stemmer panics over this word; Greek is also what each word that nobody has is looked for in.
pub async fn a_word_without_a_stem_is_kept_and_found(home: impl Home) {
    let library = home.library();
    assert_eq!(found(&*library, "ισαισα", &[]).await, [""; 0]);
    let mut titled = kept(image_claim(&picture("titled")), "titled");
    file_of(&mut titled).facts.title = Some("Ισαισα".into());
    let captioned = kept(image_claim(&picture("captioned")), "captioned");
    let page = spoken("http://a.example/el", "el", &[("captioned", "ίσαισα γέφυρες"), ("titled", "ισαισα")]);
    record(&*library, vec![titled, captioned, page]).await;
    for text in ["ισαισα", "ΊΣΑΙΣΑ", "~ισαισα", "+ισαισα"] {
        assert_eq!(found(&*library, text, &["titled", "captioned"]).await, ["titled", "captioned"], "{text}");
    }
    assert_eq!(found(&*library, "γέφυρα", &["captioned"]).await, ["captioned"]);
    home.audit().await;
}

pub async fn a_slip_is_understood_and_a_likelier_word_is_said(home: impl Home) {
    let library = home.library();
    let names: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let mut visits: Vec<Visited> = names.iter().map(|name| kept(image_claim(&picture(name)), name)).collect();
    for visit in &mut visits {
        file_of(visit).facts.title = Some("Oldenburg castle".into());
    }
    file_of(&mut visits[0]).facts.title = Some("A cattle".into());
    record(&*library, visits).await;
    let matches = library.search_items(&words("oldenbrug"), None, 0, 9).await.unwrap();
    assert_eq!(matches.total, 39);
    assert_eq!(matches.slips, [Slip { typed: "oldenbrug".into(), words: vec!["oldenburg".into()], taken: true }]);
    // Someone has this one, but hardly anyone: what is found is what was asked for.
    let matches = library.search_items(&words("cattle"), None, 0, 9).await.unwrap();
    assert_eq!(matches.total, 1);
    assert_eq!(matches.slips, [Slip { typed: "cattle".into(), words: vec!["castle".into()], taken: false }]);
    for exactly in ["+oldenbrug", "\"oldenbrug castle\"", "xyzxyzxyz", "-oldenbrug cattel7"] {
        let matches = library.search_items(&words(exactly), None, 0, 9).await.unwrap();
        assert_eq!((matches.total, matches.slips.len()), (0, 0), "{exactly}");
    }
    // What comes in later is known too.
    let mut late = kept(image_claim(&picture("late")), "late");
    file_of(&mut late).facts.title = Some("Lighthouse".into());
    record(&*library, vec![late]).await;
    let matches = library.search_items(&words("lihgthouse"), None, 0, 9).await.unwrap();
    assert_eq!(matches.found.first().map(|found| found.what.id), Some(id_of("late")));
}

pub async fn pictures_are_found_by_what_their_pages_say_of_themselves(home: impl Home) {
    let library = home.library();
    let names = ["one"];
    let page = |keywords: &[&str], round: u32| {
        let mut visit = again(read_with_images(page_claim(PAGE), &[&picture("one")]), round);
        let facts = facts_of(&mut visit);
        facts.title = "Holidays by the sea".into();
        facts.keywords = keywords.iter().map(|word| (*word).to_owned()).collect();
        visit
    };
    record(&*library, vec![page(&["beaches", "Where to swim"], 0), kept(image_claim(&picture("one")), "one")]).await;
    for text in ["beach", "\"where to swim\"", "holidays"] {
        assert_eq!(found(&*library, text, &names).await, ["one"], "{text}");
    }
    assert_eq!(
        found(&*library, "\"swim holidays\"", &names).await,
        [""; 0],
        "no phrase goes from one text to the next"
    );
    record(&*library, vec![page(&["mountains"], 1)]).await;
    assert_eq!(found(&*library, "mountain", &names).await, ["one"]);
    assert_eq!(found(&*library, "beach", &names).await, [""; 0]);
    home.audit().await;
}

pub async fn words_places_times_and_kinds_go_together(home: impl Home) {
    let library = home.library();
    let mut visits = Vec::new();
    // Around the date line, at the pole, and elsewhere.
    for (n, (lat, lon)) in
        [(0.0, 179.9), (0.1, -179.9), (89.9, 10.0), (89.9, -170.0), (50.0, 8.0)].into_iter().enumerate()
    {
        let mut visit = kept_as(image_claim(&picture(&n.to_string())), &n.to_string(), taken_at(lat, lon));
        file_of(&mut visit).facts.title = Some(if n == 1 { "harbour lights" } else { "harbour" }.into());
        visits.push(visit);
    }
    record(&*library, visits).await;
    let near = async |text: &str, lat: f64, lon: f64, km: f64| {
        let centre = LatLon::new(lat, lon).unwrap();
        let area = Some(store::Area::circle(centre, 1_000.0 * km));
        let filter = ItemFilter { area, kinds: vec![facts::MediaKind::Image], ..words(text) };
        let nearest = library.search_items(&filter, Some(centre), 0, 9).await.unwrap();
        assert!(nearest.found.is_sorted_by(|a, b| a.metres <= b.metres));
        let best = library.search_items(&filter, None, 0, 9).await.unwrap();
        assert_eq!(best.total, nearest.total);
        nearest
            .found
            .iter()
            .map(|found| (0..5).position(|n| id_of(&n.to_string()) == found.what.id).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(near("harbour", 0.0, 179.99, 100.0).await, [0, 1]);
    assert_eq!(near("harbour lights", 0.0, 179.99, 100.0).await, [1]);
    assert_eq!(near("harbour -lights", 0.0, -179.99, 100.0).await, [0]);
    assert_eq!(near("harbour", 90.0, 0.0, 50.0).await, [2, 3]);
    assert_eq!(near("harbour", 50.0, 8.0, 1.0).await, [4]);
    assert_eq!(near("bridge", 50.0, 8.0, 20_000.0).await, [0; 0]);
    let area = store::Area {
        boxes: vec![[-1.0, 179.0, 1.0, 180.0], [-1.0, -180.0, 1.0, -179.0]],
        contains: std::sync::Arc::new(|_| true),
    };
    let filter = ItemFilter { area: Some(area), since: Some(facts::Timestamp(0)), ..words("harbour") };
    assert_eq!(library.search_items(&filter, None, 0, 9).await.unwrap().total, 2);
    let never = ItemFilter { until: Some(facts::Timestamp(-1)), ..filter };
    assert_eq!(library.search_items(&never, None, 0, 9).await.unwrap().total, 0);
}

pub async fn what_was_written_changes_the_revision(home: impl Home) {
    let library = home.library();
    let before = library.revision().await.unwrap().unwrap();
    assert_eq!(library.revision().await.unwrap(), Some(before));
    record(&*library, vec![kept(image_claim(&picture("one")), "one")]).await;
    assert_ne!(library.revision().await.unwrap(), Some(before));
}
