//! Statements about lists of items in an order, by every filter.

use facts::{LatLon, Locality, MediaId, MediaKind, Timestamp};
use media::{Facts, Format};
use store::{
    Area, Cursor, ItemFilter, ItemOrder, Library, MediaItem, PageFilter, Said, SaidSource, StoreError, Visited,
};

use super::Home;
use super::library::start;
use super::web::*;

pub const ORDERS: [ItemOrder; 6] =
    [ItemOrder::Newest, ItemOrder::Oldest, ItemOrder::Taken, ItemOrder::Place, ItemOrder::Host, ItemOrder::Colour];

/// All pages of a list, one after the other, each with at most so many items.
pub async fn whole(library: &dyn Library, filter: &ItemFilter, order: ItemOrder, most: usize) -> Vec<MediaItem> {
    let (mut found, mut after): (Vec<MediaItem>, Option<Cursor>) = (Vec::new(), None);
    loop {
        let listed = library.list_items(filter, order, after.as_ref(), most).await.unwrap();
        assert!(listed.what.len() == most || listed.next.is_none(), "a page that is not the last is full");
        found.extend(listed.what);
        match listed.next {
            // As it goes over the wire and comes back.
            Some(next) => after = serde_json::from_str(&serde_json::to_string(&next).unwrap()).unwrap(),
            None => return found,
        }
    }
}

fn ids(contents: &[&str]) -> Vec<MediaId> {
    contents.iter().map(|content| id_of(content)).collect()
}

/// The `n`-th picture of a host, which came at that moment.
fn picture(host: &str, content: &str, n: i64) -> Visited {
    let mut visit = kept(image_claim(&format!("http://{host}/{content}.jpg")), content);
    visit.at = Timestamp(n);
    visit
}

fn in_town(country: &str, admin1: &str, town: &str) -> Locality {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Locality { place: town.into(), town: some(town), admin1: some(admin1), country: some(country) }
}

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

pub async fn items_are_listed_in_every_order(home: impl Home) {
    let library = home.library();
    let mut visits = Vec::new();
    for (n, (content, host, place, taken, colour)) in [
        ("a", "m.example", Some(("DE", "Niedersachsen", "Oldenburg")), Some(1999), Some([200, 10, 10])),
        ("b", "k.example", Some(("AT", "Wien", "Wien")), None, Some([128, 128, 128])),
        ("c", "m.example", None, Some(2010), None),
        ("d", "z.example", Some(("DE", "Bayern", "Oldenburg")), Some(2005), Some([10, 10, 200])),
        ("e", "k.example", Some(("DE", "Niedersachsen", "Aurich")), Some(2010), Some([60, 0, 0])),
        ("f", "m.example", Some(("DE", "Niedersachsen", "Oldenburg")), None, Some([10, 200, 10])),
        ("g", "z.example", Some(("", "", "Nowhere")), None, None),
    ]
    .into_iter()
    .enumerate()
    {
        let mut visit = picture(host, content, n as i64);
        let file = file_of(&mut visit);
        file.colour = colour;
        if let Some(year) = taken {
            let exif = format!("{year}-05-30T15:56:01");
            file.facts.taken = media::Taken::parse(&exif);
        }
        if let Some((country, admin1, town)) = place {
            let mut whereabouts = at(1.0 + n as f64, 0.5);
            whereabouts.locality = in_town(country, admin1, town);
            file.said = vec![said(SaidSource::Caption, whereabouts)];
        }
        visits.push(visit);
    }
    record(&*library, visits).await;
    for (order, expected) in [
        (ItemOrder::Newest, ["g", "f", "e", "d", "c", "b", "a"]),
        (ItemOrder::Oldest, ["a", "b", "c", "d", "e", "f", "g"]),
        (ItemOrder::Taken, ["e", "c", "d", "a", "g", "f", "b"]),
        (ItemOrder::Place, ["b", "d", "e", "f", "a", "g", "c"]),
        (ItemOrder::Host, ["e", "b", "f", "c", "a", "g", "d"]),
        (ItemOrder::Colour, ["e", "a", "f", "d", "b", "g", "c"]),
    ] {
        for most in [1, 2, 3, 7, 50] {
            let listed = whole(&*library, &ItemFilter::default(), order, most).await;
            assert_eq!(listed.iter().map(|item| item.id).collect::<Vec<_>>(), ids(&expected), "{order:?} by {most}");
        }
        let none = library.list_items(&ItemFilter::default(), order, None, 0).await.unwrap();
        assert!(none.what.is_empty());
    }
    assert_eq!(library.item(id_of("a")).await.unwrap().unwrap().colour, Some([200, 10, 10]));
    // The host that is named first goes: the picture is listed by the one that is left.
    let mut copy = picture("a.example", "f", 9);
    copy.claim.link.url = url("http://a.example/f.jpg");
    record(&*library, vec![copy]).await;
    home.forget(store::Forget::Host(host("m.example"))).await.unwrap();
    let first = library.list_items(&ItemFilter::default(), ItemOrder::Host, None, 1).await.unwrap();
    assert_eq!(first.what.first().map(|item| item.id), Some(id_of("f")));
    home.audit().await;
}

pub async fn filters_hold_in_every_order(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let other = library.save_crawl("other", &serde_json::json!({})).await.unwrap();
    let other = library.start_run(other.id, Default::default(), 5).await.unwrap();
    let mut located = picture("m.example", "located", 10);
    file_of(&mut located).said = vec![said(SaidSource::Caption, at(5.0, 0.5))];
    let mut film = picture("m.example", "film", 20);
    file_of(&mut film).facts = Facts { format: Format::named("mp4").unwrap(), ..taken_at(6.0, 10.0) };
    let mut open = picture("n.example", "open", 30);
    file_of(&mut open).facts.licence = Some("CC BY 4.0".into());
    let mut page = read_with_images(page_claim("http://p.example/"), &["http://n.example/shared.jpg"]);
    facts_of(&mut page).media[0].licence = Some("https://creativecommons.org/licenses/by/4.0/".into());
    facts_of(&mut page).places = vec![place(at(1.0, 0.5))];
    library.record(run.id, &[located, film, open]).await.unwrap();
    library.record(other.id, &[page, picture("n.example", "shared", 40)]).await.unwrap();
    // A page of the other crawl shows what the first one fetched.
    let second = read_with_images(page_claim("http://q.example/"), &["http://m.example/film.jpg"]);
    library.record(other.id, &[second]).await.unwrap();
    library.set_location(id_of("film"), Said::Confirm).await.unwrap();

    let all = ItemFilter::default;
    let near = Some(Area::circle(LatLon::new(5.0, 10.0).unwrap(), 1_000.0));
    for (filter, expected) in [
        (ItemFilter { located: Some(true), ..all() }, &["located", "film"][..]),
        (ItemFilter { located: Some(false), ..all() }, &["open", "shared"]),
        (ItemFilter { verified: Some(true), ..all() }, &["film"]),
        (ItemFilter { verified: Some(false), ..all() }, &["located"]),
        (ItemFilter { verified: Some(true), located: Some(false), ..all() }, &[]),
        (ItemFilter { open_licence: true, ..all() }, &["open", "shared"]),
        (ItemFilter { since: Some(Timestamp(20)), ..all() }, &["film", "open", "shared"]),
        (ItemFilter { until: Some(Timestamp(20)), ..all() }, &["located", "film"]),
        (ItemFilter { since: Some(Timestamp(15)), until: Some(Timestamp(35)), ..all() }, &["film", "open"]),
        (ItemFilter { since: Some(Timestamp(41)), ..all() }, &[]),
        (ItemFilter { until: Some(Timestamp(9)), ..all() }, &[]),
        (ItemFilter { crawl: Some("other".into()), ..all() }, &["film", "shared"]),
        (ItemFilter { crawl: Some("no such crawl".into()), ..all() }, &[]),
        (ItemFilter { crawl: Some("other".into()), open_licence: true, ..all() }, &["shared"]),
        (ItemFilter { kinds: vec![MediaKind::Video, MediaKind::Audio], ..all() }, &["film"]),
        (ItemFilter { kinds: vec![MediaKind::Image, MediaKind::Audio], ..all() }, &["located", "open", "shared"]),
        (ItemFilter { kinds: vec![MediaKind::Image], located: Some(true), ..all() }, &["located"]),
        (ItemFilter { area: near, ..all() }, &["located"]),
        (ItemFilter { host: Some("q.example".into()), ..all() }, &["film"]),
        (ItemFilter { host: Some("N.example".into()), crawl: Some("other".into()), ..all() }, &["shared"]),
        (ItemFilter { host: Some("m.example".into()), until: Some(Timestamp(10)), ..all() }, &["located"]),
    ] {
        for order in ORDERS {
            let mut expected = ids(expected);
            let mut listed: Vec<MediaId> =
                whole(&*library, &filter, order, 2).await.iter().map(|item| item.id).collect();
            if order != ItemOrder::Oldest {
                expected.sort_unstable();
                listed.sort_unstable();
            }
            assert_eq!(listed, expected, "{filter:?} {order:?}");
        }
        let by_arrival = library.items(&filter, 0, 9).await.unwrap();
        assert_eq!(by_arrival.iter().map(|item| item.id).collect::<Vec<_>>(), ids(expected), "{filter:?}");
        assert_eq!(library.search_items(&filter, None, 0, 9).await.unwrap().total, expected.len() as u64, "{filter:?}");
    }
    for (filter, expected) in [
        (PageFilter { crawl: Some("other".into()), ..PageFilter::default() }, 1),
        (PageFilter { crawl: Some("other".into()), host: Some("q.example".into()), ..PageFilter::default() }, 0),
        (PageFilter { crawl: Some("none".into()), ..PageFilter::default() }, 0),
        (PageFilter { until: Some(Timestamp(999)), ..PageFilter::default() }, 0),
        (PageFilter { until: Some(Timestamp(1_000)), ..PageFilter::default() }, 1),
    ] {
        assert_eq!(library.pages(&filter, 0, 9).await.unwrap().len(), expected, "{filter:?}");
        assert_eq!(library.search_pages(&filter, None, 0, 9).await.unwrap().total, expected as u64, "{filter:?}");
    }
    home.audit().await;
}

pub async fn what_nobody_verified_is_listed_with_the_least_certain_first(home: impl Home) {
    let library = home.library();
    let mut visits = vec![picture("m.example", "nowhere", 0)];
    for (content, confidence, metres) in
        [("sure", 0.9, 10.0), ("fine", 0.2, 10.0), ("coarse", 0.2, 90_000.0), ("told", 0.1, 1.0), ("not", 0.1, 1.0)]
    {
        let mut visit = picture("m.example", content, 0);
        let mut whereabouts = at(1.0, confidence);
        whereabouts.precision_m = metres;
        file_of(&mut visit).said = vec![said(SaidSource::Caption, whereabouts)];
        visits.push(visit);
    }
    record(&*library, visits).await;
    library.set_location(id_of("told"), Said::Confirm).await.unwrap();
    library.set_location(id_of("not"), Said::Reject).await.unwrap();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let listed = library.unverified(after.as_ref(), 1).await.unwrap();
        found.extend(listed.what.into_iter().map(|item| item.id));
        after = listed.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, ids(&["coarse", "fine", "sure"]));
}

pub async fn a_strange_cursor_breaks_nothing(home: impl Home) {
    let library = home.library();
    record(&*library, vec![picture("m.example", "a", 0), picture("m.example", "b", 0)]).await;
    for cursor in
        [r#"{"key":null,"number":-1}"#, r#"{"key":"x","number":9223372036854775807}"#, r#"{"key":5,"number":0}"#]
    {
        let cursor: Cursor = serde_json::from_str(cursor).unwrap();
        for order in ORDERS {
            let listed = library.list_items(&ItemFilter::default(), order, Some(&cursor), 9).await;
            assert!(listed.is_ok_and(|listed| listed.what.len() <= 2));
        }
        let listed: Result<_, StoreError> = library.unverified(Some(&cursor), 9).await;
        assert!(listed.is_ok_and(|listed| listed.what.is_empty()));
    }
}
