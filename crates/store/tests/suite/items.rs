//! Statements about the items of a library.

use facts::{LatLon, MediaKind, Order, Timestamp};
use media::{Facts, Format, Location, LocationSource, PlaceNames, Taken, WrongLocation};
use store::{Area, ItemFilter, Library, MediaItem, Outcome, Sighting, Visited};

use super::Home;
use super::library::start;
use super::web::*;

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

async fn list(library: &dyn Library, filter: ItemFilter) -> Vec<MediaItem> {
    library.items(&filter, 0, 1_000).await.unwrap()
}

fn sighting(image: &str, page: Option<&str>, description: &str) -> Sighting {
    let page_title = page.map(|page| format!("Title of {page}"));
    let (image, page, description) = (image.into(), page.map(str::to_owned), description.into());
    Sighting {
        image,
        page,
        page_title,
        page_keywords: Vec::new(),
        description,
        licence: None,
        author: None,
        gone: None,
    }
}

/// A page with a title that shows pictures.
fn showing(page: &str, images: &[&str]) -> Visited {
    let mut visit = read_with_images(page_claim(page), images);
    if let Outcome::Page(facts) = &mut visit.outcome {
        facts.title = format!("Title of {page}");
    }
    visit
}

pub async fn an_item_carries_all_that_is_known_of_it(home: impl Home) {
    let some = |text: &str| Some(text.to_owned());
    let facts = Facts {
        width: Some(4_000),
        height: Some(3_000),
        orientation: 6,
        duration: Some(std::time::Duration::from_millis(1_500)),
        taken: Taken::parse("2008-05-30T15:56:01+03:00"),
        make: some("Maker"),
        model: some("Model"),
        location: Some(Location {
            at: LatLon::new(60.17, 24.94).unwrap(),
            altitude: Some(12.5),
            direction: Some(270.0),
            date: Some(Timestamp(1_212_000_000_000)),
            source: LocationSource::Xmp,
        }),
        place_names: PlaceNames {
            sublocation: some("Quay"),
            city: some("Helsinki"),
            state: some("Uusimaa"),
            country: some("Finland"),
        },
        title: some("A title"),
        description: some("What it shows"),
        keywords: vec!["sea".into(), "\"ferry\"".into()],
        licence: some("CC BY 4.0"),
        author: some("Somebody"),
        ..plain()
    };
    let library = home.library();
    let mut visit = kept_as(image_claim("http://m.example/1.jpg"), "one", facts.clone());
    visit.at = Timestamp(77_000);
    if let Outcome::Media(file) = &mut visit.outcome {
        file.thumbnail = some("m.example/one.thumb.jpg");
    }
    let wrong = Facts { wrong_location: Some(WrongLocation::NullIsland), ..plain() };
    record(&*library, vec![visit, kept_as(image_claim("http://m.example/2.jpg"), "two", wrong)]).await;

    let item = library.item(id_of("one")).await.unwrap().expect("it was kept");
    let expected = MediaItem {
        id: id_of("one"),
        number: item.number,
        kind: MediaKind::Image,
        format: "jpeg".into(),
        size: 3,
        path: format!("m.example/{}.jpeg", id_of("one")),
        thumbnail: some("m.example/one.thumb.jpg"),
        colour: None,
        width: Some(3_000),
        height: Some(4_000),
        orientation: 6,
        duration: Some(1.5),
        taken: some("2008-05-30T15:56:01+03:00"),
        make: facts.make,
        model: facts.model,
        title: facts.title,
        description: facts.description,
        edited: None,
        keywords: facts.keywords,
        licence: facts.licence,
        author: facts.author,
        place_names: facts.place_names,
        location: Some(store::ItemLocation {
            at: LatLon::new(60.17, 24.94).unwrap(),
            altitude: Some(12.5),
            direction: Some(270.0),
            date: Some(Timestamp(1_212_000_000_000)),
            source: "xmp".into(),
            precision_m: None,
            confidence: 1.0,
            evidence: None,
            address: None,
            locality: facts::Locality::default(),
            verified: false,
        }),
        other_locations: Vec::new(),
        rejected: false,
        wrong_location: None,
        first_seen: Timestamp(77_000),
        addresses: 1,
        duplicate_of: None,
        copies: 0,
        gone: None,
        found: vec![sighting("http://m.example/1.jpg", None, "")],
    };
    assert_eq!(item, expected);
    let items = list(&*library, ItemFilter::default()).await;
    assert_eq!(items[0], expected);
    assert_eq!((items[1].location.as_ref(), items[1].wrong_location.as_deref()), (None, Some("null-island")));
    assert_eq!((items[1].width, items[1].taken.as_ref(), items[1].orientation), (None, None, 1));
    assert_eq!(library.item(id_of("three")).await.unwrap(), None);
}

pub async fn long_texts_of_files_are_cut(home: impl Home) {
    let long = || Some("č".repeat(9_000));
    let facts = Facts {
        title: long(),
        description: long(),
        make: long(),
        keywords: vec!["č".repeat(9_000); 900],
        licence: long(),
        place_names: PlaceNames { city: long(), ..PlaceNames::default() },
        ..plain()
    };
    let library = home.library();
    record(&*library, vec![kept_as(image_claim("http://m.example/1.jpg"), "one", facts)]).await;
    let item = library.item(id_of("one")).await.unwrap().unwrap();
    let length = |text: &Option<String>| text.as_ref().unwrap().chars().count();
    assert_eq!((length(&item.title), length(&item.description), length(&item.make)), (1_000, 4_000, 200));
    assert_eq!((length(&item.licence), length(&item.place_names.city)), (1_000, 200));
    assert!(item.keywords.len() == 100 && item.keywords.iter().all(|word| word.chars().count() == 200));
}

pub async fn the_same_bytes_again_add_an_address_and_a_missing_thumbnail(home: impl Home) {
    let library = home.library();
    let with_thumbnail = |address: &str, facts, thumbnail: Option<&str>| {
        let mut visit = kept_as(image_claim(address), "the same", facts);
        if let Outcome::Media(file) = &mut visit.outcome {
            file.thumbnail = thumbnail.map(str::to_owned);
        }
        visit
    };
    let first = with_thumbnail("http://a.example/1.jpg", taken_at(60.0, 25.0), None);
    let second = with_thumbnail("http://b.example/2.jpg", plain(), Some("b.example/1.thumb.jpg"));
    let third = with_thumbnail("http://c.example/3.jpg", plain(), Some("c.example/1.thumb.jpg"));
    record(&*library, vec![first, second, third]).await;
    let item = library.item(id_of("the same")).await.unwrap().unwrap();
    assert_eq!(item.path, format!("a.example/{}.jpeg", id_of("the same")));
    assert_eq!(item.thumbnail.as_deref(), Some("b.example/1.thumb.jpg"));
    assert!(item.location.is_some(), "what the first said stays");
    let found: Vec<&str> = item.found.iter().map(|sighting| sighting.image.as_str()).collect();
    assert_eq!(found, ["http://a.example/1.jpg", "http://b.example/2.jpg", "http://c.example/3.jpg"]);
}

pub async fn an_item_names_every_page_that_shows_it(home: impl Home) {
    let library = home.library();
    let (one, two) = ("http://m.example/1.jpg", "http://n.example/2.jpg");
    let mut visits = vec![
        showing("http://a.example/", &[one, "http://m.example/other.jpg"]),
        kept(image_claim(one), "the same"),
        kept(image_claim(two), "the same"),
    ];
    visits.extend((0..150).map(|n| showing(&format!("http://b.example/{n}"), &[one])));
    record(&*library, visits).await;
    let item = library.item(id_of("the same")).await.unwrap().unwrap();
    assert_eq!(item.found.len(), 100);
    let description = format!("a picture at {one}");
    assert_eq!(item.found[0], sighting(one, Some("http://a.example/"), &description));
    assert_eq!(item.found[1], sighting(one, Some("http://b.example/0"), &description));

    let library = home.library();
    record(&*library, vec![kept(image_claim("http://m.example/3.jpg"), "another")]).await;
    let found = library.item(id_of("another")).await.unwrap().unwrap().found;
    assert_eq!(found, [sighting("http://m.example/3.jpg", None, "")]);
}

pub async fn a_picture_behind_a_redirect_is_shown_by_the_page_that_named_it(home: impl Home) {
    let library = home.library();
    let (named, real) = ("http://m.example/1.jpg", "http://cdn.example/real.jpg");
    let mut moved = image(real, Order::FirstIn);
    moved.hops = vec![url(named).id()];
    let visits = vec![
        showing("http://a.example/", &[named]),
        visited(image_claim(named), Outcome::Redirect(url(real)), Vec::new()),
        kept(claim_of(moved), "one"),
    ];
    record(&*library, visits).await;
    let found = library.item(id_of("one")).await.unwrap().unwrap().found;
    assert_eq!(found, [sighting(real, Some("http://a.example/"), &format!("a picture at {named}"))]);
    let of_page = ItemFilter { host: Some("a.example".into()), ..ItemFilter::default() };
    assert_eq!(list(&*library, of_page).await.len(), 1);
}

pub async fn lists_go_on_where_they_stopped(home: impl Home) {
    let library = home.library();
    let picture = |n: i32| kept(image_claim(&format!("http://m.example/{n}.jpg")), &n.to_string());
    record(&*library, (0..25).map(picture).collect()).await;
    let (mut after, mut seen) = (0, Vec::new());
    loop {
        let page = library.items(&ItemFilter::default(), after, 10).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.number;
        seen.extend(page.iter().map(|item| item.id));
    }
    assert_eq!(seen, (0..25).map(|n| id_of(&n.to_string())).collect::<Vec<_>>());
    // What was last and went makes no room for what comes.
    home.forget(store::Forget::Address(url("http://m.example/24.jpg"))).await.unwrap();
    record(&*library, vec![picture(25)]).await;
    let page = library.items(&ItemFilter::default(), after, 10).await.unwrap();
    assert_eq!(page.iter().map(|item| item.id).collect::<Vec<_>>(), [id_of("25")]);
    assert!(library.items(&ItemFilter::default(), 0, 0).await.unwrap().is_empty());
}

pub async fn lists_hold_what_was_asked_for(home: impl Home) {
    let library = home.library();
    let film = |facts: Facts| Facts { format: Format::named("mp4").unwrap(), ..facts };
    let sound = |facts: Facts| Facts { format: Format::named("mp3").unwrap(), ..facts };
    let files: [(&str, i64, Facts); 8] = [
        ("http://m.example/0", 0, plain()),
        ("http://m.example/1", 10, taken_at(60.0, 25.0)),
        ("http://n.example/2", 20, film(taken_at(60.001, 25.0))),
        ("http://n.example/3", 30, sound(plain())),
        ("http://n.example/4", 40, taken_at(61.0, 25.0)),
        // Clocks go back now and then.
        ("http://m.example/5", 5, film(plain())),
        ("http://m.example/6", 50, sound(taken_at(60.0, 25.001))),
        ("http://n.example/7", 60, taken_at(60.0, 25.002)),
    ];
    let mut visits = vec![showing("http://page.example/", &["http://m.example/1", "http://n.example/4"])];
    for (n, (address, at, facts)) in files.into_iter().enumerate() {
        visits.push(Visited { at: Timestamp(at), ..kept_as(image_claim(address), &n.to_string(), facts) });
    }
    visits.push(showing("http://page.example/later", &["http://n.example/7"]));
    record(&*library, visits).await;

    use MediaKind::{Audio, Image, Video};
    let all = ItemFilter::default;
    let near = |metres| Some(Area::circle(LatLon::new(60.0, 25.0).unwrap(), metres));
    let host = |name: &str| Some(name.to_owned());
    let since = |at| Some(Timestamp(at));
    let cases: [(ItemFilter, &[i64]); 21] = [
        (all(), &[0, 1, 2, 3, 4, 5, 6, 7]),
        (ItemFilter { kinds: vec![Video], ..all() }, &[2, 5]),
        (ItemFilter { kinds: vec![Video, Audio, Video], ..all() }, &[2, 3, 5, 6]),
        (ItemFilter { kinds: vec![Image, Video, Audio], ..all() }, &[0, 1, 2, 3, 4, 5, 6, 7]),
        (ItemFilter { located: Some(true), ..all() }, &[1, 2, 4, 6, 7]),
        (ItemFilter { located: Some(true), kinds: vec![Image], ..all() }, &[1, 4, 7]),
        (ItemFilter { located: Some(true), kinds: vec![Video], ..all() }, &[2]),
        (ItemFilter { since: since(20), ..all() }, &[2, 3, 4, 6, 7]),
        (ItemFilter { since: since(5), located: Some(true), ..all() }, &[1, 2, 4, 6, 7]),
        (ItemFilter { since: since(61), ..all() }, &[]),
        (ItemFilter { since: since(30), kinds: vec![Audio], ..all() }, &[3, 6]),
        (ItemFilter { area: near(150.0), ..all() }, &[1, 2, 6, 7]),
        (ItemFilter { area: near(80.0), ..all() }, &[1, 6]),
        (ItemFilter { area: near(0.0), ..all() }, &[1]),
        (ItemFilter { area: near(-1.0), ..all() }, &[]),
        (ItemFilter { area: near(150.0), kinds: vec![Image], since: since(11), ..all() }, &[7]),
        (ItemFilter { area: near(150.0), kinds: vec![Audio, Video], ..all() }, &[2, 6]),
        (ItemFilter { host: host("m.example"), ..all() }, &[0, 1, 5, 6]),
        (ItemFilter { host: host("page.example"), ..all() }, &[1, 4, 7]),
        (
            ItemFilter { host: host("Page.example"), area: near(1e9), kinds: vec![Image], since: since(20), ..all() },
            &[4, 7],
        ),
        (ItemFilter { host: host("nobody.example"), ..all() }, &[]),
    ];
    let names: Vec<_> = (0..8).map(|n| id_of(&n.to_string())).collect();
    for (filter, expected) in cases {
        let number = |item: &MediaItem| names.iter().position(|id| *id == item.id).unwrap() as i64;
        let found: Vec<i64> = list(&*library, filter.clone()).await.iter().map(number).collect();
        assert_eq!(found, expected, "{filter:?}");
        // In pages of one, too.
        let (mut after, mut one_by_one) = (0, Vec::new());
        while let Some(item) = library.items(&filter, after, 1).await.unwrap().first() {
            one_by_one.push(number(item));
            after = item.number;
        }
        assert_eq!(one_by_one, expected, "{filter:?}");
        // And the first of them, with how many there are.
        let first = library.search_items(&filter, None, 0, 2).await.unwrap();
        let found: Vec<i64> = first.found.iter().map(|found| number(&found.what)).collect();
        assert_eq!((first.total, first.more), (expected.len() as u64, false), "{filter:?}");
        assert_eq!(found, expected[..expected.len().min(2)], "{filter:?}");
    }
}

pub async fn the_nearest_are_found_first(home: impl Home) {
    let library = home.library();
    // Number n is n degrees north of 10; the last but one has no place, the last is on the other side.
    let picture = |n: i32| {
        let facts = match n {
            6 => plain(),
            7 => taken_at(-10.0, 10.0),
            n => taken_at(10.0 + f64::from(n), -170.0),
        };
        kept_as(image_claim(&format!("http://m{}.example/{n}", n % 2)), &n.to_string(), facts)
    };
    record(&*library, (0..8).rev().map(picture).collect()).await;
    let centre = LatLon::new(10.0, -170.0).unwrap();
    let names: Vec<_> = (0..8).map(|n| id_of(&n.to_string())).collect();
    let all = ItemFilter::default;
    let circle = |metres| Some(Area::circle(centre, metres));
    let north = Area { boxes: vec![[12.0, -171.0, 90.0, -169.0]], contains: std::sync::Arc::new(|_| true) };
    let cases: [(ItemFilter, usize, u64, &[usize]); 7] = [
        (ItemFilter { area: circle(400e3), ..all() }, 9, 4, &[0, 1, 2, 3]),
        (ItemFilter { area: circle(400e3), ..all() }, 2, 4, &[0, 1]),
        (ItemFilter { area: circle(2.1e7), ..all() }, 9, 7, &[0, 1, 2, 3, 4, 5, 7]),
        (ItemFilter { area: circle(2.1e7), host: Some("m1.example".into()), ..all() }, 9, 4, &[1, 3, 5, 7]),
        (ItemFilter { area: Some(north), kinds: vec![MediaKind::Image], ..all() }, 2, 4, &[2, 3]),
        (ItemFilter { area: circle(-1.0), ..all() }, 2, 0, &[]),
        (ItemFilter { located: Some(true), area: circle(1.0), ..all() }, 0, 1, &[]),
    ];
    for (filter, most, total, expected) in cases {
        let matches = library.search_items(&filter, Some(centre), 0, most).await.unwrap();
        let found: Vec<usize> =
            matches.found.iter().map(|found| names.iter().position(|id| *id == found.what.id).unwrap()).collect();
        assert_eq!((matches.total, found.as_slice()), (total, expected), "{filter:?}");
        for found in &matches.found {
            let metres = centre.metres_to(found.what.location.as_ref().unwrap().at);
            assert!((found.metres.unwrap() - metres).abs() < 0.1);
        }
    }
}

pub async fn the_meridian_and_the_poles_are_no_borders(home: impl Home) {
    let library = home.library();
    let points = [(0.0, 179.999), (0.0, -179.999), (0.0, 180.0), (89.999, 0.0), (89.999, 180.0), (-90.0, 50.0)];
    let picture = |(n, (lat, lon)): (usize, (f64, f64))| {
        kept_as(image_claim(&format!("http://m.example/{n}")), &n.to_string(), taken_at(lat, lon))
    };
    record(&*library, points.into_iter().enumerate().map(picture).collect()).await;
    for (lat, lon, metres, expected) in [
        (0.0, 179.9995, 200.0, &[0, 1, 2][..]),
        (0.0, -179.9995, 200.0, &[0, 1, 2]),
        (0.0, -180.0, 1.0, &[2]),
        (0.0, 179.99, 1_001.0, &[0]),
        (89.999, 90.0, 300.0, &[3, 4]),
        (90.0, -77.0, 112.0, &[3, 4]),
        (-89.9999, 0.0, 20.0, &[5]),
        (0.0, 0.0, 2.1e7, &[0, 1, 2, 3, 4, 5]),
        (0.0, 0.0, f64::INFINITY, &[0, 1, 2, 3, 4, 5]),
    ] {
        let area = Some(Area::circle(LatLon::new(lat, lon).unwrap(), metres));
        let items = list(&*library, ItemFilter { area, ..ItemFilter::default() }).await;
        let found: Vec<usize> =
            items.iter().map(|item| (0..6).find(|n| id_of(&n.to_string()) == item.id).unwrap()).collect();
        assert_eq!(found, expected, "{metres} m of {lat} {lon}");
    }
}

/// So many points that they are not sorted but walked over.
pub async fn far_and_wide_is_listed_too<H: Home>(home: H) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let place = |n: i32| (f64::from(n % 160) - 80.0, f64::from(n % 359) - 179.0);
    for batch in 0..if H::QUICK { 21 } else { 1 } {
        let visits: Vec<Visited> = (1_000 * batch..1_000 * (batch + 1))
            .map(|n| {
                let (lat, lon) = place(n);
                kept_as(image_claim(&format!("http://m.example/{n}")), &n.to_string(), taken_at(lat, lon))
            })
            .collect();
        library.record(run.id, &visits).await.unwrap();
    }
    let everywhere = Some(Area::circle(LatLon::new(0.0, 0.0).unwrap(), 2.1e7));
    let filter = ItemFilter { area: everywhere, ..ItemFilter::default() };
    let first = library.items(&filter, 0, 500).await.unwrap();
    let second = library.items(&filter, first[499].number, 500).await.unwrap();
    let ids: Vec<_> = first.iter().chain(&second).map(|item| item.id).collect();
    assert_eq!(ids, (0..1_000).map(|n| id_of(&n.to_string())).collect::<Vec<_>>());
}
