//! Statements about where media were made, by every source that knows.

use facts::{Address, LatLon, Locality, MediaId, Order, Whereabouts};
use store::{Area, Forget, ItemFilter, ItemLocation, Library, Link, Outcome, Said, SaidLocation, SaidSource, Visited};

use super::library::start;
use super::web::*;
use super::{Home, Stop};

const PICTURE: &str = "http://m.example/1.jpg";
const PAGE: &str = "http://a.example/";
const OTHER: &str = "http://b.example/";

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

/// A visit of a later round, as a page that is read again.
fn again(visit: Visited, round: u32) -> Visited {
    Visited { claim: store::Claim { round, ..visit.claim }, ..visit }
}

/// A page that shows a picture and says this of it, and is about a place.
fn showing(page: &str, picture: &str, said: Vec<SaidLocation>, focus: Option<Whereabouts>) -> Visited {
    let mut visit = read_with_images(page_claim(page), &[picture]);
    let facts = facts_of(&mut visit);
    facts.media[0].locations = said;
    facts.focus = focus.as_ref().map(|_| 1);
    facts.places = focus.map_or(Vec::new(), |focus| vec![place(at(80.0, 0.1)), place(focus)]);
    visit
}

fn described(page: &str, whereabouts: Whereabouts) -> Visited {
    showing(page, PICTURE, vec![said(SaidSource::Description, whereabouts)], None)
}

async fn locations(library: &dyn Library, content: &str) -> Vec<ItemLocation> {
    let item = library.item(id_of(content)).await.unwrap().expect("it was kept");
    item.location.into_iter().chain(item.other_locations).collect()
}

/// Sources and latitudes of what is known of a content, the best first.
async fn known(library: &dyn Library, content: &str) -> Vec<(String, f64)> {
    locations(library, content).await.into_iter().map(|location| (location.source, location.at.lat())).collect()
}

fn is(known: &[(&str, f64)]) -> Vec<(String, f64)> {
    known.iter().map(|(source, lat)| ((*source).to_owned(), *lat)).collect()
}

async fn of_all_images(library: &dyn Library) -> (u64, u64) {
    let images = library.library_figures(0).await.unwrap().images;
    (images.with_location_in_metadata, images.located_by_text)
}

pub async fn the_best_source_is_shown_and_all_are_kept(home: impl Home) {
    let library = home.library();
    let some = |text: &str| Some(text.to_owned());
    let address =
        Address { street: some("Escherweg"), number: some("2"), city: some("Oldenburg"), ..Address::default() };
    let names = Locality { place: "Kiel, Germany".into(), town: some("Kiel"), admin1: some("SH"), country: some("DE") };
    let structured = Whereabouts { address: Some(address.clone()), locality: names.clone(), ..at(2.0, 0.9) };
    let of_page = vec![said(SaidSource::Description, at(4.0, 0.99)), said(SaidSource::Structured, structured.clone())];
    let mut picture = kept_as(image_claim(PICTURE), "one", taken_at(0.5, 10.0));
    file_of(&mut picture).locality = Some(names.clone());
    file_of(&mut picture).said = vec![said(SaidSource::Caption, at(3.0, 0.3)), said(SaidSource::Iptc, at(1.0, 0.5))];
    let mut page = showing(PAGE, PICTURE, of_page, Some(at(5.0, 0.7)));
    facts_of(&mut page).focus_confidence = Some(0.4);
    record(&*library, vec![page, picture]).await;

    let known = locations(&*library, "one").await;
    let sources: Vec<(&str, f64)> = known.iter().map(|known| (known.source.as_str(), known.at.lat())).collect();
    let expected =
        [("exif", 0.5), ("iptc", 1.0), ("structured", 2.0), ("caption", 3.0), ("description", 4.0), ("page", 5.0)];
    assert_eq!(sources, expected);
    let fix = &known[0];
    assert_eq!((fix.confidence, fix.precision_m, &fix.locality, &fix.evidence), (1.0, None, &names, &None));
    let written = ItemLocation {
        at: structured.at,
        altitude: None,
        direction: None,
        date: None,
        source: "structured".into(),
        precision_m: Some(1_000.0),
        confidence: 0.9,
        evidence: some("words about 2"),
        address: Some(address),
        locality: names,
        verified: false,
    };
    assert_eq!(known[2], written);
    // A page is surer of what it is about than of where its pictures were made.
    assert_eq!(known[5].confidence, 0.4);
    home.audit().await;
}

pub async fn words_about_a_wide_area_come_after_finer_ones(home: impl Home) {
    let library = home.library();
    let wide = |lat| Whereabouts { precision_m: 25_001.0, ..at(lat, 1.0) };
    let mut picture = kept(image_claim(PICTURE), "one");
    file_of(&mut picture).said = vec![said(SaidSource::Iptc, wide(1.0))];
    let of_page = vec![said(SaidSource::Structured, wide(2.0)), said(SaidSource::Description, at(3.0, 0.1))];
    let town = Whereabouts { precision_m: 25_000.0, ..at(4.0, 0.1) };
    record(&*library, vec![picture, showing(PAGE, PICTURE, of_page, Some(town))]).await;
    let expected = is(&[("description", 3.0), ("page", 4.0), ("iptc", 1.0), ("structured", 2.0)]);
    assert_eq!(known(&*library, "one").await, expected);
    home.audit().await;
}

pub async fn what_pages_say_counts_whenever_they_are_read(home: impl Home) {
    let library = home.library();
    let page = || showing(PAGE, PICTURE, vec![said(SaidSource::Structured, at(1.0, 0.5))], Some(at(2.0, 0.5)));
    let expected = is(&[("structured", 1.0), ("page", 2.0)]);
    record(&*library, vec![page(), kept(image_claim(PICTURE), "one")]).await;
    assert_eq!(known(&*library, "one").await, expected);
    let elsewhere = "http://m.example/2.jpg";
    record(&*library, vec![kept(image_claim(elsewhere), "two")]).await;
    assert_eq!(of_all_images(&*library).await, (0, 1));
    let later = showing(OTHER, elsewhere, vec![said(SaidSource::Structured, at(1.0, 0.5))], Some(at(2.0, 0.5)));
    record(&*library, vec![later]).await;
    assert_eq!(known(&*library, "two").await, expected);
    assert_eq!(of_all_images(&*library).await, (0, 2));
    home.audit().await;
}

pub async fn what_pages_say_follows_redirects(home: impl Home) {
    let library = home.library();
    let real = "http://cdn.example/real.jpg";
    let redirect = || visited(image_claim(PICTURE), Outcome::Redirect(url(real)), Vec::new());
    let behind = Link { hops: vec![url(PICTURE).id()], ..image(real, Order::FirstIn) };
    record(&*library, vec![described(PAGE, at(1.0, 0.5)), redirect(), kept(claim_of(behind), "one")]).await;
    assert_eq!(known(&*library, "one").await, is(&[("description", 1.0)]));
    // A page that names the old address later, one that says something else now, one that is gone.
    record(&*library, vec![described(OTHER, at(2.0, 0.6))]).await;
    assert_eq!(known(&*library, "one").await, is(&[("description", 2.0)]));
    record(&*library, vec![again(described(OTHER, at(3.0, 0.4)), 1)]).await;
    assert_eq!(known(&*library, "one").await, is(&[("description", 1.0)]));
    assert_eq!(library.item(id_of("one")).await.unwrap().unwrap().found.len(), 2);
    home.audit().await;
    home.forget(Forget::Address(url(PAGE))).await.unwrap();
    assert_eq!(known(&*library, "one").await, is(&[("description", 3.0)]));
    home.audit().await;
}

pub async fn an_address_with_a_picture_of_its_own_leads_nowhere(home: impl Home) {
    let library = home.library();
    let real = "http://cdn.example/real.jpg";
    let behind = Link { hops: vec![url(PICTURE).id()], ..image(real, Order::FirstIn) };
    record(&*library, vec![read_with_images(page_claim(PAGE), &[PICTURE]), kept(claim_of(behind), "one")]).await;
    record(&*library, vec![kept(image_claim(PICTURE), "two"), described(OTHER, at(1.0, 0.5))]).await;
    assert_eq!(known(&*library, "one").await, is(&[]));
    assert_eq!(known(&*library, "two").await, is(&[("description", 1.0)]));
    home.audit().await;
}

pub async fn what_leads_to_a_known_picture_is_heard_of_too(home: impl Home) {
    let library = home.library();
    let real = "http://cdn.example/real.jpg";
    let mut visits = vec![read_with_images(page_claim(OTHER), &[real]), kept(image_claim(real), "one")];
    visits.push(described(PAGE, at(1.0, 0.5)));
    visits.push(visited(image_claim(PICTURE), Outcome::Redirect(url(real)), Vec::new()));
    record(&*library, visits).await;
    assert_eq!(known(&*library, "one").await, is(&[("description", 1.0)]));
    let of_page = ItemFilter { host: Some("a.example".into()), ..ItemFilter::default() };
    assert_eq!(library.items(&of_page, 0, 9).await.unwrap().len(), 1);
    home.audit().await;
}

pub async fn of_several_pages_the_surest_is_believed(home: impl Home) {
    let library = home.library();
    let fine = |lat, confidence| Whereabouts { precision_m: 10.0, ..at(lat, confidence) };
    let mut visits = vec![kept(image_claim(PICTURE), "one")];
    let cases = [
        (at(1.0, 0.5), 1.0),
        (at(2.0, 0.4), 1.0),
        (at(3.0, 0.5), 1.0),
        (fine(4.0, 0.5), 4.0),
        (fine(5.0, 0.5), 4.0),
        (at(6.0, 0.6), 6.0),
    ];
    for (n, (whereabouts, expected)) in cases.into_iter().enumerate() {
        visits.push(described(&format!("http://p{n}.example/"), whereabouts));
        record(&*library, std::mem::take(&mut visits)).await;
        assert_eq!(known(&*library, "one").await, is(&[("description", expected)]));
    }
    // The same from one page, which says two things.
    let twice = vec![said(SaidSource::Structured, at(8.0, 0.2)), said(SaidSource::Structured, at(9.0, 0.3))];
    record(&*library, vec![showing(PAGE, PICTURE, twice, None)]).await;
    assert_eq!(known(&*library, "one").await, is(&[("structured", 9.0), ("description", 6.0)]));
    home.audit().await;
}

pub async fn what_is_not_said_any_more_is_not_known(home: impl Home) {
    let library = home.library();
    let structured = |lat| vec![said(SaidSource::Structured, at(lat, 0.5))];
    let mut picture = kept(image_claim(PICTURE), "one");
    file_of(&mut picture).said = vec![said(SaidSource::Caption, at(1.0, 0.5))];
    let pages = [
        showing(PAGE, PICTURE, structured(2.0), Some(at(3.0, 0.9))),
        showing(OTHER, PICTURE, Vec::new(), Some(at(4.0, 0.8))),
    ];
    record(&*library, [picture].into_iter().chain(pages).collect()).await;
    let expected = [("structured", 2.0), ("caption", 1.0), ("page", 3.0)];
    assert_eq!(known(&*library, "one").await, is(&expected));

    // A page is read again, and speaks of other places, or does not show the picture any more.
    record(&*library, vec![again(showing(PAGE, PICTURE, Vec::new(), Some(at(5.0, 0.7))), 1)]).await;
    assert_eq!(known(&*library, "one").await, is(&[("caption", 1.0), ("page", 4.0)]));
    let mut elsewhere = read(page_claim(OTHER), Vec::new());
    (facts_of(&mut elsewhere).places, facts_of(&mut elsewhere).focus) = (vec![place(at(6.0, 0.6))], Some(0));
    record(&*library, vec![again(elsewhere, 1)]).await;
    assert_eq!(known(&*library, "one").await, is(&[("caption", 1.0), ("page", 5.0)]));
    home.audit().await;

    // The address has another content; what the pages say is said of that.
    record(&*library, vec![kept(image_claim("http://n.example/copy.jpg"), "one")]).await;
    record(&*library, vec![again(kept(image_claim(PICTURE), "two"), 1)]).await;
    assert_eq!(known(&*library, "one").await, is(&[]));
    assert_eq!(known(&*library, "two").await, is(&[("page", 5.0)]));
    assert_eq!(of_all_images(&*library).await, (0, 1));
    home.audit().await;

    home.forget(Forget::Host(host("a.example"))).await.unwrap();
    assert_eq!(known(&*library, "two").await, is(&[("page", 6.0)]));
    record(&*library, vec![read_with_images(page_claim("http://c.example/"), &[PICTURE])]).await;
    home.forget(Forget::Address(url(OTHER))).await.unwrap();
    assert_eq!(known(&*library, "two").await, is(&[]));
    assert_eq!(of_all_images(&*library).await, (0, 0));
    home.audit().await;
}

pub async fn the_names_of_a_place_are_added_when_they_were_missing(home: impl Home) {
    let library = home.library();
    record(&*library, vec![kept_as(image_claim(PICTURE), "one", taken_at(1.0, 10.0))]).await;
    for place in ["Kiel", "Oldenburg"] {
        let mut copy = kept_as(image_claim(&format!("http://n.example/{place}")), "one", taken_at(1.0, 10.0));
        file_of(&mut copy).locality = Some(named(place));
        record(&*library, vec![copy]).await;
    }
    assert_eq!(locations(&*library, "one").await[0].locality, named("Kiel"));
}

/// All that the word of a person must outlast.
pub async fn the_word_of_a_person_stays(mut home: impl Home) {
    let library = home.library();
    let there = LatLon::new(-33.0, 151.0).unwrap();
    let word = Said::Point(there, named("Sydney"));
    assert!(!library.set_location(id_of("one"), word.clone()).await.unwrap(), "nothing of that content is kept");
    let picture = || kept_as(image_claim(PICTURE), "one", taken_at(1.0, 10.0));
    record(&*library, vec![picture()]).await;
    assert!(library.set_location(id_of("one"), word.clone()).await.unwrap());
    let said_so = async |home: &_| {
        let locations = locations(&*Home::library(home), "one").await;
        let best = &locations[0];
        assert_eq!((best.source.as_str(), best.at, best.locality.place.as_str()), ("person", there, "Sydney"));
        assert_eq!((best.verified, best.confidence, best.precision_m), (true, 1.0, None));
        locations.len()
    };
    assert_eq!(said_so(&home).await, 2);
    record(&*library, vec![described(PAGE, at(2.0, 1.0)), again(picture(), 1)]).await;
    home.import(vec![local("/one.jpg", "one", taken_at(1.0, 10.0))]).await.unwrap();
    assert_eq!(said_so(&home).await, 3);
    home.restart(Stop::Killed).await;
    // The content goes from all its addresses, and comes again.
    home.import(vec![local("/one.jpg", "other", plain())]).await.unwrap();
    let library = home.library();
    record(&*library, vec![again(kept(image_claim(PICTURE), "other"), 2)]).await;
    assert_eq!(library.item(id_of("one")).await.unwrap(), None);
    record(&*library, vec![again(picture(), 3)]).await;
    assert_eq!(said_so(&home).await, 3);
    home.audit().await;

    assert!(library.set_location(id_of("one"), Said::Nothing).await.unwrap());
    assert_eq!(known(&*library, "one").await, is(&[("exif", 1.0), ("description", 2.0)]));
    library.set_location(id_of("one"), word).await.unwrap();
    // Who moves the pin again is the one who is believed.
    library.set_location(id_of("one"), Said::Point(LatLon::new(9.0, 9.0).unwrap(), named(""))).await.unwrap();
    assert_eq!(known(&*library, "one").await[0], ("person".to_owned(), 9.0));
    home.audit().await;
}

pub async fn a_forgotten_content_takes_the_word_of_a_person_along(home: impl Home) {
    let library = home.library();
    let show = |page: &str| read_with_images(page_claim(page), &[PICTURE]);
    record(&*library, vec![show(PAGE), kept(image_claim(PICTURE), "one")]).await;
    library.set_location(id_of("one"), Said::Point(LatLon::new(9.0, 9.0).unwrap(), named("there"))).await.unwrap();
    // The page goes, and with it the picture that only it showed. Another page may show it.
    home.forget(Forget::Address(url(PAGE))).await.unwrap();
    record(&*library, vec![show(OTHER), again(kept(image_claim(PICTURE), "one"), 1)]).await;
    assert_eq!(known(&*library, "one").await, is(&[]));
    home.audit().await;
}

pub async fn items_are_listed_by_what_words_say_of_them(home: impl Home) {
    let library = home.library();
    let mut sure = kept(image_claim("http://m.example/2.jpg"), "two");
    file_of(&mut sure).said = vec![said(SaidSource::Iptc, at(2.0, 0.9))];
    record(&*library, vec![described(PAGE, at(1.0, 0.5)), kept(image_claim(PICTURE), "one"), sure]).await;
    record(&*library, vec![kept(image_claim("http://m.example/3.jpg"), "three")]).await;
    let near = async |lat| {
        let area = Some(Area::circle(LatLon::new(lat, 10.0).unwrap(), 1_000.0));
        let items = library.items(&ItemFilter { area, ..ItemFilter::default() }, 0, 9).await.unwrap();
        items.into_iter().map(|item| item.id).collect::<Vec<MediaId>>()
    };
    assert_eq!((near(1.0).await, near(2.0).await), (vec![id_of("one")], vec![id_of("two")]));
    let located = ItemFilter { located: Some(true), ..ItemFilter::default() };
    assert_eq!(library.items(&located, 0, 9).await.unwrap().len(), 2);
    // A surer page, then a person.
    record(&*library, vec![described(OTHER, at(3.0, 0.6))]).await;
    assert_eq!((near(1.0).await, near(3.0).await), (vec![], vec![id_of("one")]));
    library.set_location(id_of("one"), Said::Point(LatLon::new(2.0, 10.0).unwrap(), named(""))).await.unwrap();
    assert_eq!((near(3.0).await, near(2.0).await), (vec![], vec![id_of("one"), id_of("two")]));
    library.set_location(id_of("one"), Said::Nothing).await.unwrap();
    assert_eq!(near(3.0).await, vec![id_of("one")]);
}

pub async fn images_located_by_words_are_counted_once(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let copy = "http://n.example/copy.jpg";
    let visits = vec![
        // Without a place, with one of its own, and one behind words.
        kept(image_claim(PICTURE), "one"),
        kept(image_claim(copy), "one"),
        kept_as(image_claim("http://m.example/2.jpg"), "two", taken_at(1.0, 1.0)),
        showing(PAGE, "http://m.example/3.jpg", Vec::new(), Some(at(1.0, 0.5))),
        kept(image_claim("http://m.example/3.jpg"), "three"),
        showing(OTHER, "http://m.example/2.jpg", Vec::new(), Some(at(1.0, 0.5))),
    ];
    let located = async || library.figures(crawl, None).await.unwrap().located;
    for _ in 0..2 {
        library.record(run.id, &visits).await.unwrap();
        assert_eq!((located().await, of_all_images(&*library).await), (1, (1, 1)));
    }
    // One content at two addresses; a page that is read again; another crawl that keeps nothing.
    let page = described("http://c.example/", at(2.0, 0.5));
    library.record(run.id, std::slice::from_ref(&page)).await.unwrap();
    assert_eq!((located().await, of_all_images(&*library).await), (3, (1, 2)));
    let nothing = again(described("http://c.example/", at(2.0, 0.5)), 1);
    library.record(run.id, &[page, nothing, again(kept(image_claim(copy), "one"), 1)]).await.unwrap();
    assert_eq!(located().await, 3);
    let other = library.save_crawl("other", &serde_json::json!({})).await.unwrap().id;
    let run = library.start_run(other, Default::default(), 9).await.unwrap();
    library.record(run.id, &[described("http://d.example/", at(3.0, 0.9))]).await.unwrap();
    assert_eq!(library.figures(other, None).await.unwrap().located, 0);
    library.record(run.id, &[kept(image_claim(copy), "one")]).await.unwrap();
    assert_eq!(library.figures(other, None).await.unwrap().located, 1);
    assert_eq!(located().await, 3);
    // A copy that says where it was made says it of the other copies.
    let copies = ["http://m.example/4.jpg", "http://m.example/5.jpg"].map(|copy| kept(image_claim(copy), "four"));
    library.record(run.id, &copies).await.unwrap();
    assert_eq!(library.figures(other, None).await.unwrap().located, 1);
    let mut third = kept(image_claim("http://m.example/6.jpg"), "four");
    file_of(&mut third).said = vec![said(SaidSource::Caption, at(4.0, 0.5))];
    library.record(run.id, &[third]).await.unwrap();
    assert_eq!(library.figures(other, None).await.unwrap().located, 4);
    home.audit().await;
}

pub async fn strange_numbers_and_long_words_are_kept_within_bounds(home: impl Home) {
    let library = home.library();
    let long = || "č".repeat(9_000);
    let strange = |precision_m, confidence| Whereabouts {
        precision_m,
        confidence,
        evidence: long(),
        address: Some(Address { street: Some(long()), ..Address::default() }),
        locality: Locality { place: long(), town: Some(long()), ..Locality::default() },
        ..at(1.0, 0.0)
    };
    let words = vec![
        said(SaidSource::Structured, strange(f64::NAN, f64::NAN)),
        said(SaidSource::Description, strange(-5.0, f64::INFINITY)),
    ];
    let page = showing(PAGE, PICTURE, words, Some(strange(f64::INFINITY, -1.0)));
    record(&*library, vec![page, kept(image_claim(PICTURE), "one")]).await;
    let known = locations(&*library, "one").await;
    let numbers: Vec<_> = known.iter().map(|known| (known.precision_m.unwrap(), known.confidence)).collect();
    let anywhere = 20_037_508.0;
    assert_eq!(numbers, [(0.0, 1.0), (anywhere, 0.0), (anywhere, 0.0)]);
    let length = |text: &str| text.chars().count();
    let best = &known[0];
    assert_eq!((length(best.evidence.as_ref().unwrap()), length(&best.locality.place)), (500, 500));
    assert_eq!(length(best.locality.town.as_ref().unwrap()), 200);
    assert_eq!(length(best.address.as_ref().unwrap().street.as_ref().unwrap()), 200);
    home.audit().await;
}

pub async fn imported_files_are_where_their_words_say(home: impl Home) {
    let import = |path: &str, lat| {
        let mut file = local(path, "one", plain());
        file.outcome.as_mut().unwrap().said = vec![said(SaidSource::Description, at(lat, 0.5))];
        file
    };
    home.import(vec![import("/Kiel/1.jpg", 1.0), import("/Oldenburg/1.jpg", 2.0)]).await.unwrap();
    let library = home.library();
    assert_eq!(known(&*library, "one").await, is(&[("description", 1.0)]));
    assert_eq!(of_all_images(&*library).await, (0, 1));
    for _ in 0..2 {
        home.import(vec![import("/Kiel/1.jpg", 3.0)]).await.unwrap();
        assert_eq!(known(&*library, "one").await, is(&[("description", 3.0)]));
    }
    home.import(vec![local("/Kiel/1.jpg", "other", plain())]).await.unwrap();
    assert_eq!(known(&*library, "one").await, is(&[("description", 2.0)]));
    assert_eq!(known(&*library, "other").await, is(&[]));
    record(&*library, vec![described(PAGE, at(4.0, 0.6)), kept(image_claim(PICTURE), "one")]).await;
    assert_eq!(known(&*library, "one").await, is(&[("description", 4.0)]));
    home.audit().await;
}
