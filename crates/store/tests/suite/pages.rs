//! Statements about pages with their places.

use std::sync::Arc;

use facts::{LatLon, Timestamp, Whereabouts};
use store::{Area, Claim, CrawlId, Forget, Library, PageFilter, PageItem, PagePlace, Visited};

use super::Home;
use super::library::start;
use super::web::*;

/// A page that speaks of places at these latitudes.
fn speaking(page: &str, latitudes: &[f64]) -> Visited {
    let mut visit = read(page_claim(page), Vec::new());
    facts_of(&mut visit).places = latitudes.iter().map(|lat| place(at(*lat, 0.5))).collect();
    visit
}

fn relevant(mut visit: Visited) -> Visited {
    facts_of(&mut visit).relevant = true;
    visit
}

fn round(visit: Visited, round: u32) -> Visited {
    Visited { claim: Claim { round, ..visit.claim }, ..visit }
}

async fn list(library: &dyn Library, filter: &PageFilter) -> Vec<PageItem> {
    library.pages(filter, 0, 1_000).await.unwrap()
}

async fn with_places(library: &dyn Library) -> u64 {
    library.library_figures(0).await.unwrap().pages_with_places
}

pub async fn a_page_is_listed_with_all_its_places(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let places = vec![
        PagePlace { id: None, kind: "address".into(), relevant: true, ..place(at(1.0, 0.5)) },
        PagePlace { mentions: 9, why: "it is written there".into(), ..place(at(2.0, 0.25)) },
    ];
    let mut visit = relevant(Visited { at: Timestamp(5), ..speaking("http://a.example/", &[]) });
    let facts = facts_of(&mut visit);
    (facts.places, facts.focus, facts.language) = (places.clone(), Some(1), Some("de".into()));
    facts.description = "What it says of itself".into();
    let without = read(page_claim("http://b.example/"), Vec::new());
    library.record(run.id, &[visit, without]).await.unwrap();
    let pages = list(&*library, &PageFilter::default()).await;
    let expected = PageItem {
        number: pages[0].number,
        url: "http://a.example/".into(),
        title: "Title of http://a.example/".into(),
        description: "What it says of itself".into(),
        language: Some("de".into()),
        first_seen: Timestamp(5),
        gone: None,
        relevant: true,
        focus: Some(1),
        places,
    };
    assert_eq!(pages, [expected]);
    assert_eq!(with_places(&*library).await, 1);
}

pub async fn a_hundred_places_of_a_page_are_kept_with_the_one_it_is_about(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let latitudes: Vec<f64> = (0..150).map(|n| f64::from(n) / 2.0).collect();
    let mut visits: Vec<Visited> = (0..3).map(|n| speaking(&format!("http://a.example/{n}"), &latitudes)).collect();
    for (visit, focus) in visits.iter_mut().zip([Some(99), Some(120), Some(150)]) {
        facts_of(visit).focus = focus;
    }
    library.record(run.id, &visits).await.unwrap();
    let pages = list(&*library, &PageFilter::default()).await;
    let kept: Vec<_> =
        pages.iter().map(|page| (page.places.len(), page.focus, page.places[98].whereabouts.at.lat())).collect();
    assert_eq!(kept, [(100, Some(99), 49.0), (100, Some(99), 49.0), (100, None, 49.0)]);
    let last = |page: &PageItem| page.places[99].whereabouts.at.lat();
    assert_eq!(pages.iter().map(last).collect::<Vec<_>>(), [49.5, 60.0, 49.5]);
    home.audit().await;
}

pub async fn a_page_read_again_has_the_places_of_its_last_reading(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let first = [speaking("http://a.example/", &[1.0, 2.0]), speaking("http://b.example/", &[3.0])];
    library.record(run.id, &first).await.unwrap();
    let before = list(&*library, &PageFilter::default()).await;
    library.record(run.id, &first).await.unwrap();
    assert_eq!(list(&*library, &PageFilter::default()).await, before);
    let second = [round(speaking("http://a.example/", &[4.0]), 1), round(speaking("http://b.example/", &[]), 1)];
    library.record(run.id, &second).await.unwrap();
    let after = list(&*library, &PageFilter::default()).await;
    assert_eq!((after.len(), after[0].number, after[0].places.len()), (1, before[0].number, 1));
    assert_eq!(after[0].places[0].whereabouts.at.lat(), 4.0);
    assert_eq!(with_places(&*library).await, 1);
    home.audit().await;
}

pub async fn a_page_is_relevant_when_a_crawl_last_found_it_so(home: impl Home) {
    let library = home.library();
    let mut runs = Vec::new();
    for name in ["one", "two"] {
        let crawl = library.save_crawl(name, &serde_json::json!({})).await.unwrap().id;
        runs.push(library.start_run(crawl, Default::default(), 9).await.unwrap().id);
    }
    let page = || speaking("http://a.example/", &[1.0]);
    for (n, (run, visit, expected)) in [
        (runs[0], page(), false),
        (runs[1], relevant(page()), true),
        (runs[0], round(page(), 1), true),
        (runs[1], round(page(), 1), false),
        (runs[0], round(relevant(page()), 2), true),
    ]
    .into_iter()
    .enumerate()
    {
        library.record(run, &[visit]).await.unwrap();
        let filter = PageFilter { relevant: true, ..PageFilter::default() };
        let listed = list(&*library, &filter).await;
        assert_eq!(listed.len(), usize::from(expected), "reading {n}");
        assert_eq!(list(&*library, &PageFilter::default()).await[0].relevant, expected);
    }
    let figures = [CrawlId(1), CrawlId(2)].map(|crawl| library.figures(crawl, None));
    let [one, two] = figures;
    assert_eq!((one.await.unwrap().relevant, two.await.unwrap().relevant), (1, 1));
    home.audit().await;
}

fn area(boxes: Vec<[f64; 4]>, contains: impl Fn(LatLon) -> bool + Send + Sync + 'static) -> Option<Area> {
    Some(Area { boxes, contains: Arc::new(contains) })
}

pub async fn lists_of_pages_hold_what_was_asked_for(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let pages: [(&str, i64, &[f64], bool); 6] = [
        ("http://a.example/0", 10, &[1.0, 50.0], true),
        ("http://b.example/1", 20, &[], true),
        ("http://b.example/2", 30, &[1.5], false),
        // Clocks go back now and then.
        ("http://a.example/3", 15, &[2.0, 1.0], false),
        ("http://a.example/4", 40, &[60.0], true),
        ("http://b.example/5", 50, &[1.0], true),
    ];
    let visit = |(page, at, latitudes, is): (&str, i64, &[f64], bool)| {
        let visit = Visited { at: Timestamp(at), ..speaking(page, latitudes) };
        if is { relevant(visit) } else { visit }
    };
    library.record(run.id, &pages.map(visit)).await.unwrap();
    let all = PageFilter::default;
    let south = || area(vec![[0.0, 0.0, 10.0, 20.0]], |point| point.lat() < 1.8);
    let cases: [(PageFilter, &[usize]); 12] = [
        (all(), &[0, 2, 3, 4, 5]),
        (PageFilter { relevant: true, ..all() }, &[0, 4, 5]),
        (PageFilter { since: Some(Timestamp(20)), ..all() }, &[2, 4, 5]),
        (PageFilter { since: Some(Timestamp(51)), ..all() }, &[]),
        (PageFilter { host: Some("A.example".into()), ..all() }, &[0, 3, 4]),
        (PageFilter { host: Some("c.example".into()), ..all() }, &[]),
        (PageFilter { area: south(), ..all() }, &[0, 2, 3, 5]),
        (PageFilter { area: south(), relevant: true, since: Some(Timestamp(11)), ..all() }, &[5]),
        (PageFilter { area: south(), host: Some("b.example".into()), ..all() }, &[2, 5]),
        (PageFilter { area: area(vec![], |_| true), ..all() }, &[]),
        (PageFilter { area: area(vec![[0.0, 0.0, 10.0, 9.9]], |_| true), ..all() }, &[]),
        // Boxes that overlap name a page once.
        (
            PageFilter {
                area: area(vec![[49.0, 0.0, 55.0, 20.0], [0.0, 0.0, 90.0, 20.0]], |p| p.lat() > 40.0),
                ..all()
            },
            &[0, 4],
        ),
    ];
    for (filter, expected) in cases {
        let number = |page: &PageItem| pages.iter().position(|(url, ..)| *url == page.url).unwrap();
        let found: Vec<usize> = list(&*library, &filter).await.iter().map(number).collect();
        assert_eq!(found, expected, "{filter:?}");
        let (mut after, mut one_by_one) = (0, Vec::new());
        while let Some(page) = library.pages(&filter, after, 1).await.unwrap().first() {
            one_by_one.push(number(page));
            after = page.number;
        }
        assert_eq!(one_by_one, expected, "{filter:?}");
        let first = library.search_pages(&filter, None, 0, 2).await.unwrap();
        let found: Vec<usize> = first.found.iter().map(|found| number(&found.what)).collect();
        assert_eq!((first.total, first.more), (expected.len() as u64, false), "{filter:?}");
        assert_eq!(found, expected[..expected.len().min(2)], "{filter:?}");
    }
}

pub async fn pages_with_the_nearest_places_are_found_first(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let pages: [(&str, &[f64], bool); 5] = [
        ("http://a.example/0", &[40.0, 3.0], true),
        ("http://b.example/1", &[1.0, 1.5], true),
        ("http://b.example/2", &[2.0, 80.0, -80.0], false),
        ("http://a.example/3", &[], true),
        ("http://a.example/4", &[-70.0], true),
    ];
    let visit = |(page, latitudes, is): (&str, &[f64], bool)| {
        if is { relevant(speaking(page, latitudes)) } else { speaking(page, latitudes) }
    };
    library.record(run.id, &pages.map(visit)).await.unwrap();
    let centre = LatLon::new(1.0, 10.0).unwrap();
    let all = PageFilter::default;
    let circle = |metres| Some(Area::circle(centre, metres));
    // The filter, how many at most, how many match; which are found, with degrees.
    type Case = (PageFilter, usize, u64, &'static [(usize, f64)]);
    let cases: [Case; 5] = [
        (PageFilter { area: circle(2.1e7), ..all() }, 9, 4, &[(1, 0.0), (2, 1.0), (0, 2.0), (4, 71.0)]),
        (PageFilter { area: circle(2.1e7), ..all() }, 1, 4, &[(1, 0.0)]),
        (PageFilter { area: circle(300e3), relevant: true, ..all() }, 9, 2, &[(1, 0.0), (0, 2.0)]),
        (PageFilter { area: circle(2.1e7), host: Some("a.example".into()), ..all() }, 9, 2, &[(0, 2.0), (4, 71.0)]),
        (PageFilter { area: circle(2.1e7), host: Some("c.example".into()), ..all() }, 9, 0, &[]),
    ];
    for (filter, most, total, expected) in cases {
        let matches = library.search_pages(&filter, Some(centre), 0, most).await.unwrap();
        let number = |page: &PageItem| pages.iter().position(|(url, ..)| *url == page.url).unwrap();
        let degrees = |metres: f64| (metres / 111_195.0).round();
        let found: Vec<_> =
            matches.found.iter().map(|found| (number(&found.what), degrees(found.metres.unwrap()))).collect();
        assert_eq!((matches.total, found.as_slice()), (total, expected), "{filter:?}");
    }
}

/// So many places that they are not sorted but walked over.
pub async fn pages_of_a_wide_area_are_listed_too(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let latitudes: Vec<f64> = (0..100).map(|n| f64::from(n) / 2.0).collect();
    for batch in 0..3 {
        let page = |n: i32| {
            let mut visit = speaking(&format!("http://h{}.example/{n}", n % 3), &latitudes);
            let north = |place: &mut PagePlace| place.whereabouts = at(60.0, 0.5);
            if n % 2 == 0 {
                facts_of(&mut visit).places.iter_mut().for_each(north);
            }
            visit
        };
        let visits: Vec<Visited> = (80 * batch..80 * (batch + 1)).map(page).collect();
        library.record(run.id, &visits).await.unwrap();
    }
    let everywhere = vec![[-90.0, -180.0, 90.0, 180.0]];
    let filter = PageFilter { area: area(everywhere, |point| point.lat() < 50.0), ..PageFilter::default() };
    let first = library.pages(&filter, 0, 50).await.unwrap();
    let second = library.pages(&filter, first[49].number, 1_000).await.unwrap();
    let names: Vec<_> = first.iter().chain(&second).map(|page| page.url.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, (0..240).filter(|n| n % 2 == 1).map(|n| n.to_string()).collect::<Vec<_>>());
}

pub async fn forgotten_pages_are_not_listed(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let names = ["http://a.example/1", "http://a.example/2", "http://b.example/3", "http://b.example/4"];
    library.record(run.id, &names.map(|name| speaking(name, &[1.0, 2.0]))).await.unwrap();
    let last = list(&*library, &PageFilter::default()).await[3].number;
    home.forget(Forget::Address(url(names[3]))).await.unwrap();
    home.forget(Forget::Host(host("a.example"))).await.unwrap();
    let here = PageFilter { area: area(vec![[0.0, 0.0, 9.0, 20.0]], |_| true), ..PageFilter::default() };
    for filter in [PageFilter::default(), here] {
        let listed: Vec<String> = list(&*library, &filter).await.into_iter().map(|page| page.url).collect();
        assert_eq!(listed, [names[2]]);
    }
    assert_eq!(with_places(&*library).await, 1);
    // What was last and went makes no room for what comes.
    library.record(run.id, &[speaking("http://c.example/", &[1.0])]).await.unwrap();
    let next = library.pages(&PageFilter::default(), last, 9).await.unwrap();
    assert_eq!(next.iter().map(|page| page.url.as_str()).collect::<Vec<_>>(), ["http://c.example/"]);
    home.audit().await;
}

pub async fn places_that_cannot_be_are_kept_within_bounds(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let strange = Whereabouts { precision_m: f64::NAN, confidence: 7.0, evidence: "č".repeat(9_000), ..at(1.0, 0.5) };
    let mut visit = speaking("http://a.example/", &[]);
    facts_of(&mut visit).places = vec![PagePlace { why: "č".repeat(9_000), ..place(strange) }];
    library.record(run.id, &[visit]).await.unwrap();
    let pages = list(&*library, &PageFilter::default()).await;
    let found = &pages[0].places[0];
    assert_eq!((found.whereabouts.precision_m, found.whereabouts.confidence), (20_037_508.0, 1.0));
    assert_eq!((found.whereabouts.evidence.chars().count(), found.why.chars().count()), (500, 500));
}
