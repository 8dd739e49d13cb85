//! Statements about what a map shows.

use std::collections::BTreeMap;

use facts::{LatLon, MediaKind, Timestamp, Whereabouts};
use media::{Facts, Format};
use store::{Area, ClusterFilter, Clusters, ItemFilter, Library, PageFilter, Representative, Said, Visited};

use super::Home;
use super::library::start;
use super::web::*;

const WORLD: [f64; 4] = [-90.0, -180.0, 90.0, 180.0];

fn media(filter: ItemFilter) -> ClusterFilter {
    ClusterFilter::Media(filter)
}

fn all() -> ClusterFilter {
    media(ItemFilter::default())
}

/// The same, but not by counted cells.
fn all_walked() -> ClusterFilter {
    media(ItemFilter { since: Some(Timestamp(i64::MIN)), ..ItemFilter::default() })
}

async fn look(library: &dyn Library, what: &ClusterFilter, view: [f64; 4], zoom: u8) -> Clusters {
    let found = library.clusters(what, view, zoom).await.unwrap();
    assert!(found.clusters.len() <= 400);
    assert_eq!(found.total, found.clusters.iter().map(|cluster| cluster.count).sum::<u64>());
    for cluster in &found.clusters {
        let [south, west, north, east] = cluster.bounds;
        let within = |least: f64, value: f64, most: f64| least - 1e-6 <= value && value <= most + 1e-6;
        assert!(within(south, cluster.at.lat(), north) && within(west, cluster.at.lon(), east), "{cluster:?}");
    }
    found
}

/// Counts, points to a millionth of a degree, and representatives.
fn told(found: &Clusters) -> Vec<(u64, i64, i64, Representative)> {
    let micro = |degrees: f64| (degrees * 1e6).round() as i64;
    let mut told: Vec<_> = found
        .clusters
        .iter()
        .map(|cluster| {
            let at = (micro(cluster.at.lat()), micro(cluster.at.lon()));
            (cluster.count, at.0, at.1, cluster.representative.clone())
        })
        .collect();
    told.sort_by_key(|(count, lat, lon, _)| (*count, *lat, *lon));
    told
}

/// Counted cells and a walk over all items say the same of these views.
pub async fn check_maps(library: &dyn Library) {
    let located = library.items(&ItemFilter { located: Some(true), ..ItemFilter::default() }, 0, 1_000).await.unwrap();
    let pages = library.pages(&PageFilter::default(), 0, 1_000).await.unwrap();
    for zoom in [0, 3, 9, 20] {
        let found = look(library, &all(), WORLD, zoom).await;
        assert_eq!(found.total, located.len() as u64, "zoom {zoom}");
        let films = media(ItemFilter { kinds: vec![MediaKind::Video], ..ItemFilter::default() });
        let of_films = located.iter().filter(|item| item.kind == MediaKind::Video).count() as u64;
        assert_eq!(look(library, &films, WORLD, zoom).await.total, of_films);
        for view in [WORLD, [0.0, 0.0, 30.0, 30.0], [1.9, 9.9, 2.1, 10.1], [3.0, 9.99999, 3.00001, 10.0]] {
            let (counted, walked) =
                (look(library, &all(), view, zoom).await, look(library, &all_walked(), view, zoom).await);
            assert_eq!(told(&counted), told(&walked), "{view:?} at {zoom}");
            let everything = PageFilter::default;
            let walked = PageFilter { since: Some(Timestamp(i64::MIN)), ..everything() };
            let counted = look(library, &ClusterFilter::Pages(everything()), view, zoom).await;
            let walked = look(library, &ClusterFilter::Pages(walked), view, zoom).await;
            assert_eq!(told(&counted), told(&walked), "pages of {view:?} at {zoom}");
        }
        let found = look(library, &ClusterFilter::Pages(PageFilter::default()), WORLD, zoom).await;
        assert_eq!(found.total, pages.len() as u64);
        let relevant = ClusterFilter::Pages(PageFilter { relevant: true, ..PageFilter::default() });
        let of_relevant = pages.iter().filter(|page| page.relevant).count() as u64;
        assert_eq!(look(library, &relevant, WORLD, zoom).await.total, of_relevant);
    }
}

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

fn picture(content: &str, lat: f64, lon: f64) -> Visited {
    kept_as(image_claim(&format!("http://m.example/{content}.jpg")), content, taken_at(lat, lon))
}

pub async fn a_map_shows_clusters_that_part_as_one_comes_nearer(home: impl Home) {
    let library = home.library();
    let film = Facts { format: Format::named("mp4").unwrap(), ..taken_at(53.1438, 8.2146) };
    let visits = vec![
        picture("a", 53.1435, 8.2146),
        picture("b", 53.1435, 8.2146),
        picture("c", 53.1438, 8.2146),
        kept_as(image_claim("http://m.example/film.mp4"), "film", film),
        picture("far", -33.0, 151.0),
        kept(image_claim("http://m.example/nowhere.jpg"), "nowhere"),
    ];
    record(&*library, visits).await;
    let counts = |found: &Clusters| {
        let mut counts: Vec<u64> = found.clusters.iter().map(|cluster| cluster.count).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(counts(&look(&*library, &all(), WORLD, 0).await), [1, 4]);
    let street = [53.143, 8.213, 53.1445, 8.216];
    assert_eq!(counts(&look(&*library, &all(), street, 16).await), [4]);
    // Thirty metres apart, and two at one point that never part.
    let near = look(&*library, &all(), street, 20).await;
    assert_eq!(counts(&near), [2, 2]);
    let mut by_count: BTreeMap<u64, Vec<LatLon>> = BTreeMap::new();
    near.clusters.iter().for_each(|cluster| by_count.entry(cluster.count).or_default().push(cluster.at));
    assert!(by_count[&2].iter().any(|at| (at.lat() - 53.1435).abs() < 1e-6), "{by_count:?}");
    let images = media(ItemFilter { kinds: vec![MediaKind::Image], ..ItemFilter::default() });
    assert_eq!(counts(&look(&*library, &images, street, 20).await), [1, 2]);
    let one = look(&*library, &images, [-34.0, 150.0, -32.0, 152.0], 10).await;
    assert_eq!(one.clusters[0].representative, Representative::Media(id_of("far"), MediaKind::Image));
    assert_eq!(
        (one.clusters[0].bounds, one.clusters[0].at),
        ([-33.0, 151.0, -33.0, 151.0], LatLon::new(-33.0, 151.0).unwrap())
    );
    // The newest stands for all, also after it is gone.
    let who = async || look(&*library, &all(), street, 10).await.clusters[0].representative.clone();
    assert_eq!(who().await, Representative::Media(id_of("film"), MediaKind::Video));
    for (gone, next) in [("film", "c"), ("c", "b"), ("b", "a")] {
        home.remove(id_of(gone)).await.unwrap();
        assert_eq!(who().await, Representative::Media(id_of(next), MediaKind::Image));
        home.audit().await;
        check_maps(&*library).await;
    }
    library.set_location(id_of("a"), Said::Point(LatLon::new(-33.0, 151.0).unwrap(), named("there"))).await.unwrap();
    assert_eq!(counts(&look(&*library, &all(), WORLD, 20).await), [2]);
    library.set_location(id_of("a"), Said::Reject).await.unwrap();
    assert_eq!(counts(&look(&*library, &all(), WORLD, 20).await), [1]);
    home.audit().await;
}

pub async fn a_view_may_go_over_the_date_line(home: impl Home) {
    let library = home.library();
    let visits = vec![picture("west", 0.0, 179.5), picture("east", 0.0, -179.5), picture("other", 0.0, 0.0)];
    record(&*library, visits).await;
    for what in [all(), all_walked()] {
        for view in [[-5.0, 175.0, 5.0, -175.0], [-5.0, 175.0, 5.0, 185.0], [-5.0, -185.0, 5.0, -175.0]] {
            assert_eq!(look(&*library, &what, view, 6).await.total, 2, "{view:?}");
        }
        assert_eq!(look(&*library, &what, [-5.0, -5.0, 5.0, 5.0], 6).await.total, 1);
        for none in [[5.0, 0.0, -5.0, 1.0], [f64::NAN, 0.0, 1.0, 1.0]] {
            assert_eq!(look(&*library, &what, none, 6).await, Clusters::default());
        }
        assert_eq!(look(&*library, &what, [-1e300, -1e300, 1e300, 1e300], 255).await.total, 3);
    }
}

pub async fn maps_show_what_was_asked_for(home: impl Home) {
    let library = home.library();
    let mut open = picture("open", 10.0, 10.0);
    file_of(&mut open).facts.licence = Some("CC BY".into());
    record(&*library, vec![open, picture("other", 10.0, 10.0), picture("third", 11.0, 10.0)]).await;
    library.set_location(id_of("third"), Said::Confirm).await.unwrap();
    let all = ItemFilter::default;
    for (filter, expected) in [
        (ItemFilter { open_licence: true, ..all() }, 1),
        (ItemFilter { verified: Some(true), ..all() }, 1),
        (ItemFilter { verified: Some(false), ..all() }, 2),
        (ItemFilter { located: Some(true), ..all() }, 3),
        (ItemFilter { located: Some(false), ..all() }, 0),
        (ItemFilter { host: Some("m.example".into()), ..all() }, 3),
        (ItemFilter { host: Some("none.example".into()), ..all() }, 0),
        (ItemFilter { crawl: Some("none".into()), ..all() }, 0),
        (ItemFilter { until: Some(Timestamp(0)), ..all() }, 0),
        (ItemFilter { area: Some(Area::circle(LatLon::new(11.0, 10.0).unwrap(), 1e3)), ..all() }, 1),
    ] {
        let found = look(&*library, &media(filter.clone()), WORLD, 4).await;
        assert_eq!((found.total, found.more), (expected, false), "{filter:?}");
    }
}

pub async fn pages_are_shown_at_the_place_they_are_about(home: impl Home) {
    let library = home.library();
    let read_page = |address: &str, places: &[Whereabouts], focus: Option<usize>, round: u32| {
        let mut visit = read(page_claim(address), Vec::new());
        visit.claim.round = round;
        facts_of(&mut visit).places = places.iter().cloned().map(place).collect();
        facts_of(&mut visit).focus = focus;
        visit
    };
    let (sure, unsure) = (at(10.0, 0.9), at(40.0, 0.2));
    let (a, b) = ("http://a.example/", "http://b.example/");
    record(&*library, vec![read_page(a, &[sure.clone(), unsure.clone()], Some(1), 0)]).await;
    record(&*library, vec![read_page(b, &[unsure.clone(), sure.clone()], None, 0)]).await;
    record(&*library, vec![read_page("http://c.example/", &[], None, 0)]).await;
    let pages = |filter: PageFilter| ClusterFilter::Pages(filter);
    let shown = async |filter: PageFilter| {
        let found = look(&*library, &pages(filter), WORLD, 3).await;
        let page = |representative: &Representative| match representative {
            Representative::Page(url) => url.clone(),
            other => panic!("{other:?} is no page"),
        };
        let mut shown: Vec<_> = found
            .clusters
            .iter()
            .map(|cluster| (page(&cluster.representative), cluster.at.lat() as i64, cluster.count))
            .collect();
        shown.sort();
        shown
    };
    let all = PageFilter::default;
    assert_eq!(shown(all()).await, [(a.to_owned(), 40, 1), (b.to_owned(), 10, 1)]);
    let host = PageFilter { host: Some("a.example".into()), ..all() };
    assert_eq!(shown(host).await, [(a.to_owned(), 40, 1)]);
    let crawl = |name: &str| PageFilter { crawl: Some(name.into()), ..all() };
    assert_eq!(shown(crawl("none")).await, []);
    record(&*library, vec![read_page(a, &[sure], None, 1)]).await;
    assert_eq!(shown(all()).await, [(b.to_owned(), 10, 2)]);
    home.audit().await;
    home.forget(store::Forget::Host(host_named("b.example"))).await.unwrap();
    assert_eq!(shown(all()).await, [(a.to_owned(), 10, 1)]);
    home.forget(store::Forget::Address(url(a))).await.unwrap();
    assert_eq!(shown(all()).await, []);
    home.audit().await;
}

fn host_named(name: &str) -> facts::HostName {
    host(name)
}
