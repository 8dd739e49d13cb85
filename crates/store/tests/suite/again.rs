//! Addresses that are visited again.

use std::time::Duration;

use facts::Timestamp;
use store::{
    Claim, Earlier, ItemFilter, KnownAddress, Library, Outcome, PageFilter, Version, VisitKind, Visited, Which,
};

use super::web::*;
use super::{Home, Stop};

const DAY: i64 = 24 * 3600 * 1000;

fn on_day(day: i64, visit: Visited) -> Visited {
    let claim = Claim { round: day as u32, ..visit.claim.clone() };
    Visited { claim, at: Timestamp((100 + day) * DAY), ..visit }
}

fn tagged(tag: &str, visit: Visited) -> Visited {
    Visited { version: Version { etag: Some(tag.into()), ..Version::default() }, ..visit }
}

fn unchanged(claim: Claim) -> Visited {
    Visited { status: Some(304), ..visited(claim, Outcome::Unchanged, Vec::new()) }
}

fn gone(claim: Claim) -> Visited {
    Visited { status: Some(404), ..failed(claim, "http-404") }
}

async fn known(library: &dyn Library, crawl: store::CrawlId) -> Vec<KnownAddress> {
    let first = library.known_addresses(crawl, Which::Content, 0, 1).await.unwrap();
    let after = first.last().map_or(0, |last| last.number);
    let rest = library.known_addresses(crawl, Which::Content, after, 100).await.unwrap();
    first.into_iter().chain(rest).collect()
}

async fn earlier(library: &dyn Library, crawl: store::CrawlId, address: &str) -> Option<Earlier> {
    let asked = [url("http://never.example/").id(), url(address).id()];
    let [None, earlier] = &library.earlier(crawl, &asked).await.unwrap()[..] else { panic!("one is known") };
    earlier.clone()
}

pub async fn what_did_not_change_is_counted_with_the_visit_that_found_it(mut home: impl Home) {
    let address = "http://a.example/";
    let crawl = home.library().save_crawl("again", &serde_json::json!({})).await.unwrap().id;
    let run = home.library().start_run(crawl, Default::default(), 10).await.unwrap().id;
    let first = tagged("\"1\"", on_day(0, read(page_claim(address), Vec::new())));
    home.library().record(run, &[first]).await.unwrap();
    let same = on_day(2, unchanged(page_claim(address)));
    let recorded = home.library().record(run, std::slice::from_ref(&same)).await.unwrap();
    assert_eq!(recorded.pages, 1, "it counts against the pages of a run");
    // Writing it again, also after a kill, changes nothing.
    home.restart(Stop::Killed).await;
    assert_eq!(home.library().record(run, &[same]).await.unwrap().pages, 0);
    let library = home.library();
    let figures = library.figures(crawl, Some(run)).await.unwrap();
    assert_eq!((figures.pages, figures.visits, figures.pages_asked()), (1, 2, 2));
    assert_eq!(figures.revisits["page"]["unchanged"], 1);
    let earlier = earlier(&*library, crawl, address).await.unwrap();
    assert_eq!(earlier.version.etag.as_deref(), Some("\"1\""));
    assert_eq!((earlier.round, earlier.checked, earlier.changes), (2, Timestamp(102 * DAY), 0));
    assert_eq!(earlier.watched, Duration::from_millis(2 * DAY as u64));
    assert!(library.changes(crawl, 10).await.unwrap().is_empty());
    assert_eq!(known(&*library, crawl).await.len(), 1);
    home.audit().await;
}

pub async fn changes_are_a_history_and_say_how_often_they_come(home: impl Home) {
    let library = home.library();
    let (a, b) = ("http://a.example/", "http://a.example/b");
    let crawl = library.save_crawl("again", &serde_json::json!({})).await.unwrap().id;
    let run = library.start_run(crawl, Default::default(), 10).await.unwrap().id;
    let mut first = on_day(0, read(page_claim(a), Vec::new()));
    // Ten days old when it was first read.
    first.version.modified = Some(Timestamp(90 * DAY));
    let b_claim = || claim_of(found(page(b, best(0.5)), &page_claim(a)));
    let child = on_day(0, read(b_claim(), Vec::new()));
    library.record(run, &[first, child]).await.unwrap();
    library.record(run, &[tagged("\"2\"", on_day(1, read(page_claim(a), Vec::new())))]).await.unwrap();
    library.record(run, &[on_day(2, unchanged(page_claim(a))), on_day(2, gone(b_claim()))]).await.unwrap();
    // What fails for another reason says nothing.
    library.record(run, &[on_day(3, failed(page_claim(a), "timeout"))]).await.unwrap();
    let stood = earlier(&*library, crawl, a).await.unwrap();
    assert_eq!((stood.changes, stood.watched), (2, Duration::from_millis(12 * DAY as u64)));
    assert_eq!((stood.checked, stood.asked), (Timestamp(102 * DAY), Timestamp(103 * DAY)));
    assert_eq!((stood.version.etag.as_deref(), stood.gone), (Some("\"2\""), false));
    assert!(earlier(&*library, crawl, b).await.unwrap().gone);
    let addresses = known(&*library, crawl).await;
    let b_again = addresses.iter().find(|known| known.link.url == url(b)).unwrap();
    assert_eq!((b_again.link.depth, b_again.link.kind, b_again.link.reopen), (1, VisitKind::Page, true));
    assert_eq!((b_again.link.referer.clone(), b_again.link.parent), (Some(url(a)), Some(url(a).id())));

    library.record(run, &[on_day(4, gone(b_claim()))]).await.unwrap();
    library.record(run, &[on_day(5, read(b_claim(), Vec::new()))]).await.unwrap();
    let seen = library.changes(crawl, 10).await.unwrap();
    let told: Vec<_> = seen.iter().map(|seen| (seen.url.as_str(), seen.change.as_str(), seen.at.0 / DAY)).collect();
    assert_eq!(told, [(b, "back", 105), (b, "gone", 102), (a, "changed", 101)]);
    assert_eq!(library.changes(crawl, 1).await.unwrap().len(), 1);
    let figures = library.figures(crawl, None).await.unwrap();
    let counted = |what: &str| figures.revisits["page"].get(what).copied().unwrap_or(0);
    assert_eq!(["changed", "unchanged", "gone", "back"].map(counted), [1, 1, 2, 1]);
    home.audit().await;
}

pub async fn what_is_gone_is_asked_again_three_times(home: impl Home) {
    let library = home.library();
    let crawl = library.save_crawl("again", &serde_json::json!({})).await.unwrap().id;
    let run = library.start_run(crawl, Default::default(), 10).await.unwrap().id;
    library.record(run, &[on_day(0, read(page_claim("http://a.example/"), Vec::new()))]).await.unwrap();
    for day in 1..=4 {
        assert_eq!(known(&*library, crawl).await.len(), 1, "day {day}");
        library.record(run, &[on_day(day, gone(page_claim("http://a.example/")))]).await.unwrap();
    }
    assert!(known(&*library, crawl).await.is_empty());
    // What was never there is not asked for at all.
    library.record(run, &[on_day(0, gone(page_claim("http://b.example/")))]).await.unwrap();
    assert!(known(&*library, crawl).await.is_empty());
    home.audit().await;
}

pub async fn pages_and_files_that_are_gone_are_shown_as_gone(home: impl Home) {
    let library = home.library();
    let crawl = library.save_crawl("again", &serde_json::json!({})).await.unwrap().id;
    let run = library.start_run(crawl, Default::default(), 10).await.unwrap().id;
    let (page, one, two) = ("http://a.example/", "http://a.example/1.jpg", "http://a.example/2.jpg");
    let showing = |images: &[&str]| {
        let mut visit = read_with_images(page_claim(page), images);
        facts_of(&mut visit).places = vec![place(at(10.0, 0.9))];
        visit
    };
    let files = [(one, "one"), (two, "two")].map(|(address, content)| on_day(0, kept(image_claim(address), content)));
    library.record(run, &[on_day(0, showing(&[one, two]))]).await.unwrap();
    library.record(run, &files).await.unwrap();
    let item = async |content: &str| library.item(id_of(content)).await.unwrap().unwrap();
    assert_eq!((item("one").await.gone, item("one").await.found[0].gone), (None, None));

    // The same file again is no change; a file that is not there is.
    library.record(run, &[on_day(1, kept(image_claim(two), "two")), on_day(1, gone(image_claim(one)))]).await.unwrap();
    assert_eq!(item("one").await.gone, Some(Timestamp(101 * DAY)));
    assert_eq!((item("two").await.gone, item("two").await.found[0].gone), (None, None));
    // A page that shows it no longer.
    library.record(run, &[on_day(1, showing(&[one]))]).await.unwrap();
    assert_eq!((item("two").await.gone, item("two").await.found[0].gone), (None, Some(Timestamp(101 * DAY))));
    // A page that moved for good.
    let moved = visited(page_claim(page), Outcome::Redirect(url("http://b.example/")), Vec::new());
    library.record(run, &[on_day(2, Visited { status: Some(301), ..moved })]).await.unwrap();
    let listed = library.pages(&PageFilter::default(), 0, 10).await.unwrap();
    assert_eq!(listed[0].gone, Some(Timestamp(102 * DAY)));
    assert_eq!(library.items(&ItemFilter::default(), 0, 10).await.unwrap().len(), 2, "nothing is lost");
    // All of it is there again.
    library.record(run, &[on_day(3, showing(&[one, two])), on_day(3, kept(image_claim(one), "one"))]).await.unwrap();
    assert_eq!((item("one").await.gone, item("two").await.found[0].gone), (None, None));
    assert_eq!(library.pages(&PageFilter::default(), 0, 10).await.unwrap()[0].gone, None);
    let figures = library.figures(crawl, None).await.unwrap();
    assert_eq!((figures.revisits["image"]["unchanged"], figures.revisits["image"]["gone"]), (1, 1));
    home.audit().await;
}

/// A report is a visit; the token it gave is what the next one is asked with.
pub async fn reports_are_remembered_by_their_tokens(home: impl Home) {
    let library = home.library();
    let crawl = library.save_crawl("again", &serde_json::json!({})).await.unwrap().id;
    let run = library.start_run(crawl, Default::default(), 10).await.unwrap().id;
    let address = "http://a.example/.well-known/report.json";
    let claim = || claim_of(store::Link { kind: VisitKind::Report, ..page(address, store::Order::FirstIn) });
    let told = |reason| {
        let facts = store::ReportFacts { token: None, reason, detail: "2 listed".into() };
        visited(claim(), Outcome::Report(facts), Vec::new())
    };
    library.record(run, &[tagged("a.1", on_day(0, told(None)))]).await.unwrap();
    library.record(run, &[tagged("a.2", on_day(1, told(None)))]).await.unwrap();
    let stood = earlier(&*library, crawl, address).await.unwrap();
    assert_eq!((stood.version.etag.as_deref(), stood.reason), (Some("a.2"), None));
    // One that cannot be believed leaves the token as it was.
    library.record(run, &[on_day(2, failed(claim(), "report-lie"))]).await.unwrap();
    let stood = earlier(&*library, crawl, address).await.unwrap();
    assert_eq!((stood.version.etag.as_deref(), stood.reason.as_deref()), (Some("a.2"), Some("report-lie")));
    assert_eq!(library.mishaps(crawl, 5).await.unwrap()[0].reason, "report-lie");
    assert!(known(&*library, crawl).await.is_empty(), "it is no page");
    let reports = library.known_addresses(crawl, Which::Reports, 0, 10).await.unwrap();
    assert_eq!((reports.len(), reports[0].link.kind), (1, VisitKind::Report));
    assert!(library.changes(crawl, 5).await.unwrap().is_empty());
    assert_eq!(library.figures(crawl, None).await.unwrap().revisits.len(), 0);
    home.audit().await;
}
