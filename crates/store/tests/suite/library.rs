//! Statements about the library, and about both together.

use std::collections::BTreeMap;
use std::time::Duration;

use facts::{MediaKind, Order};
use media::{Facts, Format, WrongLocation};
use serde_json::json;
use store::{
    Beat, Claim, CrawlId, Figures, Frontier, FrontierFigures, Library, MediaFigures, Outcome, Refused, Run, RunId,
    RunLimits, Step, StoreError, Visited,
};

use super::web::*;
use super::{Home, PLENTY, Stop};

const PAGES: RunLimits = RunLimits { pages: Some(5), seconds: None, bytes: None };

pub async fn start(library: &dyn Library) -> (CrawlId, Run) {
    let crawl = library.save_crawl("demo", &json!({ "depth": 3 })).await.unwrap();
    let run = library.start_run(crawl.id, PAGES, 2).await.unwrap();
    (crawl.id, run)
}

/// A claim as the queue would make it.
async fn claimed(frontier: &dyn Frontier, crawl: CrawlId, link: store::Link) -> Claim {
    frontier.add(crawl, vec![link], PLENTY).await.unwrap();
    let claim = claim_one(frontier, crawl).await;
    release(frontier, &claim).await;
    claim
}

async fn claimed_page(home: &impl Home, crawl: CrawlId, text: &str) -> Claim {
    claimed(&*home.frontier(), crawl, page(text, Order::FirstIn)).await
}

pub async fn a_crawl_is_found_by_its_name_and_keeps_its_number(home: impl Home) {
    let library = home.library();
    assert_eq!(library.crawl("demo").await.unwrap(), None);
    let first = library.save_crawl("demo", &json!({ "depth": 3 })).await.unwrap();
    let again = library.save_crawl("demo", &json!({ "depth": 4 })).await.unwrap();
    assert_eq!((again.id, again.created), (first.id, first.created));
    assert_eq!(library.crawl("demo").await.unwrap().unwrap().settings, json!({ "depth": 4 }));
    let other = library.save_crawl("other", &json!(null)).await.unwrap();
    let names: Vec<String> = library.crawls().await.unwrap().into_iter().map(|c| c.crawl.name).collect();
    assert_eq!(names, ["other", "demo"]);
    assert_ne!(other.id, first.id);
}

pub async fn an_unfinished_run_is_gone_on_with_under_the_limits_given_last(mut home: impl Home) {
    let (crawl, first) = start(&*home.library()).await;
    for stop in [Stop::Killed, Stop::Clean] {
        home.restart(stop).await;
        let limits = RunLimits { pages: Some(70), ..RunLimits::default() };
        let resumed = home.library().start_run(crawl, limits, 99).await.unwrap();
        assert_eq!((resumed.id, resumed.limits, resumed.task_pages), (first.id, limits, 99));
    }
    let library = home.library();
    library.end_run(first.id, 4.5, None).await.unwrap();
    let resumed = library.start_run(crawl, RunLimits::default(), 99).await.unwrap();
    assert_eq!((resumed.id, resumed.seconds, resumed.ended), (first.id, 4.5, None));
    library.end_run(first.id, 6.0, Some("max-pages")).await.unwrap();

    let next = library.start_run(crawl, RunLimits { seconds: Some(9), ..RunLimits::default() }, 7).await.unwrap();
    assert_ne!(next.id, first.id);
    assert_eq!((next.limits.seconds, next.task_pages, next.seconds), (Some(9), 7, 0.0));
    let runs = &library.crawls().await.unwrap()[0].runs;
    assert_eq!(runs[0].stopped.as_deref(), Some("max-pages"));
    assert!(runs[0].ended.is_some() && runs[0].seconds == 6.0 && runs[1].ended.is_none());
}

pub async fn what_does_not_exist_is_said_so(home: impl Home) {
    let library = home.library();
    let missing = library.start_run(CrawlId(77), PAGES, 1).await;
    assert!(matches!(missing, Err(StoreError::Unknown { what: "crawl", number: 77 })));
    for result in [
        library.beat(RunId(77), &Beat::default(), Duration::ZERO).await,
        library.end_run(RunId(77), 1.0, None).await,
        library.record(RunId(77), &[]).await.map(drop),
    ] {
        assert!(matches!(result, Err(StoreError::Unknown { what: "run", number: 77 })));
    }
}

/// A page with two pictures, one of them kept, one refused; a broken link; a redirect.
async fn some_visits(home: &impl Home, crawl: CrawlId) -> Vec<Visited> {
    let frontier = home.frontier();
    let shows = ["http://m.example/1.jpg", "http://m.example/2.jpg"];
    let first = claimed_page(home, crawl, "http://a.example/").await;
    let mut visits = vec![read_with_images(first, &shows)];
    let one = claimed(&*frontier, crawl, image(shows[0], Order::FirstIn)).await;
    visits.push(kept(one, "picture"));
    let two = claimed(&*frontier, crawl, image(shows[1], Order::FirstIn)).await;
    visits.push(visited(two, Outcome::Refused(Refused::unseen("too-large")), Vec::new()));
    visits.push(failed(claimed_page(home, crawl, "http://gone.example/").await, "dns"));
    let moved = claimed_page(home, crawl, "http://b.example/old").await;
    visits.push(visited(moved, Outcome::Redirect(url("http://b.example/new")), Vec::new()));
    visits
}

fn expected_figures() -> Figures {
    let images = MediaFigures { seen: 2, kept: 1, refused: [("too-large".to_owned(), 1)].into() };
    Figures {
        pages: 1,
        visits: 5,
        fetched: 4,
        links: 2,
        bytes: 500,
        media: [("image".to_owned(), images)].into(),
        errors: [("dns".to_owned(), 1)].into(),
        ..Figures::default()
    }
}

pub async fn figures_count_what_was_recorded(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let visits = some_visits(&home, crawl).await;
    library.record(run.id, &visits).await.unwrap();
    assert_eq!(library.figures(crawl, None).await.unwrap(), expected_figures());
    assert_eq!(library.figures(crawl, Some(run.id)).await.unwrap(), expected_figures());
    assert_eq!(library.figures(crawl, Some(RunId(99))).await.unwrap(), Figures::default());
    assert_eq!(library.crawls().await.unwrap()[0].figures, expected_figures());
}

/// Of several reasons of pages one is told, of a page and a visit what the visit found.
pub async fn why_a_picture_was_refused_does_not_depend_on_which_page_was_read_first(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let reserves = |page: &str, image: &str, reason: &str| {
        let mut visit = read_with_images(page_claim(&format!("http://a.example/{page}")), &[image]);
        facts_of(&mut visit).media[0].refused = Some(reason.to_owned());
        visit.links.clear();
        visit
    };
    let small = |image: &str| refused(image_claim(image), Refused::unseen("small"));
    let [one, two, three, four] = [1, 2, 3, 4].map(|n| format!("http://m.example/{n}.jpg"));
    let visits = [
        reserves("1", &one, "robots"),
        reserves("2", &one, "opt-out"),
        reserves("3", &two, "opt-out"),
        reserves("4", &two, "robots"),
        reserves("5", &three, "robots"),
        small(&three),
        reserves("6", &three, "opt-out"),
        small(&four),
        reserves("7", &four, "opt-out"),
    ];
    for visit in visits {
        library.record(run.id, &[visit]).await.unwrap();
    }
    let figures = library.figures(crawl, None).await.unwrap();
    let told = [("opt-out".to_owned(), 2), ("small".to_owned(), 2)].into();
    assert_eq!(figures.media["image"].refused, told);
}

pub async fn recording_again_changes_nothing(mut home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let visits = some_visits(&home, crawl).await;
    library.record(run.id, &visits).await.unwrap();
    let (tasks, whole) = (library.tasks(run.id).await.unwrap(), library.library_figures(9).await.unwrap());
    library.record(run.id, &visits).await.unwrap();
    home.restart(Stop::Killed).await;
    let library = home.library();
    library.record(run.id, &visits).await.unwrap();
    assert_eq!(library.figures(crawl, None).await.unwrap(), expected_figures());
    assert_eq!(library.tasks(run.id).await.unwrap(), tasks);
    let again = library.library_figures(9).await.unwrap();
    assert_eq!((again.hosts, again.media, again.visited), (whole.hosts, whole.media, whole.visited));
    assert_eq!(library.mishaps(crawl, 10).await.unwrap().len(), 1);
}

pub async fn a_reopened_address_is_a_visit_of_its_own(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let wall = claimed_page(&home, crawl, "http://a.example/").await;
    let consent = url("http://a.example/consent");
    home.commit(crawl, run.id, vec![visited(wall, Outcome::Redirect(consent), Vec::new())]).await.unwrap();
    let back = store::Link { reopen: true, ..page("http://a.example/", Order::FirstIn) };
    let claim = claimed(&*home.frontier(), crawl, back).await;
    let visit = read(claim, Vec::new());
    library.record(run.id, std::slice::from_ref(&visit)).await.unwrap();
    home.commit(crawl, run.id, vec![visit]).await.unwrap();
    let figures = library.figures(crawl, None).await.unwrap();
    assert_eq!((figures.visits, figures.pages), (2, 1));
}

pub async fn the_same_bytes_at_two_addresses_are_one_file(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let mut visits = Vec::new();
    for text in ["http://m.example/1.jpg", "http://n.example/2.jpg"] {
        let claim = claimed(&*home.frontier(), crawl, image(text, Order::FirstIn)).await;
        visits.push(kept(claim, "the same bytes"));
    }
    let Outcome::Media(file) = visits[0].outcome.clone() else { unreachable!() };
    assert_eq!(library.media_path(file.id).await.unwrap(), None);
    library.record(run.id, &visits).await.unwrap();
    let figures = library.figures(crawl, None).await.unwrap();
    assert_eq!((figures.media["image"].kept, figures.duplicates), (2, 1));
    assert_eq!(library.library_figures(0).await.unwrap().media["image"], 1);
    assert_eq!(library.media_path(file.id).await.unwrap(), Some(file.path));
}

pub async fn runs_are_counted_apart(home: impl Home) {
    let library = home.library();
    let (crawl, first) = start(&*library).await;
    let visit = read(claimed_page(&home, crawl, "http://a.example/1").await, Vec::new());
    library.record(first.id, &[visit]).await.unwrap();
    library.end_run(first.id, 1.0, Some("max-pages")).await.unwrap();
    let second = library.start_run(crawl, PAGES, 2).await.unwrap();
    let visits = [
        read(claimed_page(&home, crawl, "http://b.example/2").await, Vec::new()),
        read(claimed_page(&home, crawl, "http://c.example/3").await, Vec::new()),
    ];
    library.record(second.id, &visits).await.unwrap();
    for (run, pages) in [(Some(first.id), 1), (Some(second.id), 2), (None, 3)] {
        assert_eq!(library.figures(crawl, run).await.unwrap().pages, pages);
    }
    let runs: Vec<u64> = library.library_figures(0).await.unwrap().runs.into_iter().map(|(.., pages)| pages).collect();
    assert_eq!(runs, [1, 2]);
}

pub async fn tasks_are_equal_slices_of_a_run(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    for i in 0..5 {
        let mut visit = read(claimed_page(&home, crawl, &format!("http://h{i}.example/")).await, Vec::new());
        visit.at.0 = run.started.0 + 1_000 * (i + 1);
        library.record(run.id, &[visit]).await.unwrap();
    }
    let tasks = library.tasks(run.id).await.unwrap();
    let at = |seconds: i64| facts::Timestamp(run.started.0 + 1_000 * seconds);
    let slices: Vec<_> = tasks.iter().map(|task| (task.number, task.pages, task.started, task.ended)).collect();
    assert_eq!(slices, [(1, 2, at(0), Some(at(2))), (2, 2, at(2), Some(at(4))), (3, 1, at(4), None)]);
    library.end_run(run.id, 5.0, Some("empty")).await.unwrap();
    assert!(library.tasks(run.id).await.unwrap()[2].ended.is_some());
}

pub async fn mishaps_are_listed_newest_first_and_cut(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    for (i, reason) in ["dns", "timeout", "tls"].into_iter().enumerate() {
        let mut visit = failed(claimed_page(&home, crawl, &format!("http://h{i}.example/")).await, reason);
        if let Outcome::Failed { detail, .. } = &mut visit.outcome {
            detail.push_str(&"č".repeat(5_000));
        }
        library.record(run.id, &[visit]).await.unwrap();
    }
    let mut visit = read(claimed_page(&home, crawl, "http://huge.example/").await, Vec::new());
    if let Outcome::Page(page) = &mut visit.outcome {
        page.cut = true;
    }
    library.record(run.id, &[visit]).await.unwrap();
    let mishaps = library.mishaps(crawl, 3).await.unwrap();
    let reasons: Vec<&str> = mishaps.iter().map(|mishap| mishap.reason.as_str()).collect();
    assert_eq!(reasons, ["cut", "tls", "timeout"], "a page that was read in part is told too");
    let mishaps = &mishaps[1..];
    assert_eq!(mishaps[0].url, "http://h2.example/");
    assert!(mishaps[0].detail.starts_with("http://h2.example/ did not answer"));
    assert_eq!(mishaps[0].detail.chars().count(), 500);
}

pub async fn of_all_who_work_on_a_run_one_at_a_time_writes_how_far_it_is(home: impl Home) {
    const EVERY: Duration = Duration::from_secs(1);
    let library = home.library();
    let (_, run) = start(&*library).await;
    let beat = |seconds: f64| Beat { seconds, ..Beat::default() };
    for (told, every, written) in [
        (5.0, EVERY, 5.0),
        (5.9, EVERY, 5.0),
        (6.0, EVERY, 6.0),
        // One that joined later is a little behind; what memory it takes counts all the same.
        (4.0, EVERY, 6.0),
        // The last word.
        (6.4, Duration::ZERO, 6.4),
    ] {
        library.beat(run.id, &beat(told), every).await.unwrap();
        assert_eq!(library.run(run.id).await.unwrap().unwrap().seconds, written, "{told}");
    }
    library.beat(run.id, &Beat { peak_memory: Some(9 << 20), ..beat(4.0) }, EVERY).await.unwrap();
    let known = library.run(run.id).await.unwrap().unwrap();
    assert_eq!((known.seconds, known.peak_memory), (6.4, Some(9 << 20)));
}

pub async fn the_library_counts_hosts_and_what_is_known(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    library.record(run.id, &some_visits(&home, crawl).await).await.unwrap();
    let frontier = home.frontier().figures(crawl).await.unwrap();
    let steps = BTreeMap::from([("writing".to_owned(), Step { count: 3, seconds: 0.5 })]);
    let beat = |peak_memory| Beat { seconds: 2.5, frontier: frontier.clone(), peak_memory, steps: steps.clone() };
    library.beat(run.id, &beat(Some(9 << 20)), Duration::ZERO).await.unwrap();
    // The next process has not had as much yet.
    library.beat(run.id, &beat(Some(7 << 20)), Duration::ZERO).await.unwrap();
    library.beat(run.id, &beat(None), Duration::ZERO).await.unwrap();
    let told = library.crawls().await.unwrap()[0].runs[0].clone();
    assert_eq!((told.seconds, told.peak_memory, told.steps), (2.5, Some(9 << 20), steps.clone()));
    let figures = library.library_figures(1).await.unwrap();
    assert_eq!(figures.discovered, frontier.known_pages + frontier.known_media);
    assert_eq!((figures.visited, figures.pages, figures.media["image"]), (5, 1, 1));
    assert_eq!(figures.hosts.len(), 1);
    assert_eq!(figures.results.get("kept"), Some(&1));
    let refused: u64 = figures.results.iter().filter(|(reason, _)| *reason != "kept").map(|(_, count)| count).sum();
    let of_crawl = library.figures(crawl, None).await.unwrap().media["image"].clone();
    assert_eq!(refused, of_crawl.refused.values().sum::<u64>());
    assert_eq!((figures.hosts[0].host.as_str(), figures.hosts[0].pages), ("a.example", 1));
    assert_eq!(figures.runs[0].0, "demo");
    assert_eq!(figures.runs[0].1.seconds, 2.5);
    let hosts = library.library_figures(10).await.unwrap().hosts;
    assert!(hosts.iter().any(|host| host.host == "m.example" && host.images == 1));
    assert_eq!(library.crawls().await.unwrap()[0].frontier, frontier);
}

/// The end of a process at every step of a visit; then the crawl goes on to its end.
pub async fn a_kill_at_any_point_of_a_commit_loses_and_doubles_nothing(mut home: impl Home) {
    let (crawl, run) = start(&*home.library()).await;
    home.frontier().add(crawl, vec![page("http://a.example/0", Order::FirstIn)], PLENTY).await.unwrap();
    // Page n links to n + 1 and to its picture.
    let visit = |claim: Claim| {
        let number: u32 = name(&claim).rsplit('/').next().unwrap().trim_end_matches(".jpg").parse().unwrap();
        if name(&claim).ends_with(".jpg") {
            return kept(claim, &number.to_string());
        }
        let picture = format!("http://m.example/{number}.jpg");
        let mut visit = read_with_images(claim, &[&picture]);
        if number < 9 {
            let next = page(&format!("http://a.example/{}", number + 1), Order::FirstIn);
            visit.links.push(found(next, &visit.claim));
        }
        visit
    };
    for point in (0..4).cycle() {
        let (claims, _) = claim_when_free(&*home.frontier(), crawl).await;
        if claims.empty {
            break;
        }
        let visits: Vec<Visited> = claims.claims.into_iter().map(visit).collect();
        for visit in &visits {
            release(&*home.frontier(), &visit.claim).await;
        }
        match point {
            0 => home.restart(Stop::Killed).await,
            1 => {
                home.library().record(run.id, &visits).await.unwrap();
                home.restart(Stop::Killed).await;
            }
            2 => {
                home.commit(crawl, run.id, visits).await.unwrap();
                home.restart(Stop::Killed).await;
            }
            _ => home.commit(crawl, run.id, visits).await.unwrap(),
        }
    }
    let figures = home.library().figures(crawl, None).await.unwrap();
    let images = &figures.media["image"];
    assert_eq!((figures.pages, figures.visits, images.seen, images.kept, figures.duplicates), (10, 20, 10, 10, 0));
    let queue = home.frontier().figures(crawl).await.unwrap();
    let expected = FrontierFigures { known_pages: 10, known_media: 10, ..FrontierFigures::default() };
    assert_eq!(queue, expected);
}

/// Three located files of two kinds, a wrong one that is kept, two that are not.
fn located_visits() -> Vec<Visited> {
    let film = Facts { format: Format::named("mp4").unwrap(), ..taken_at(1.0, 1.0) };
    let wrong = |reason| Facts { wrong_location: Some(reason), ..plain() };
    let not = |saved, wrong_location| Refused { saved, wrong_location, ..Refused::unseen("small") };
    vec![
        kept_as(image_claim("http://m.example/1.jpg"), "one", taken_at(60.0, 25.0)),
        kept_as(image_claim("http://m.example/2.jpg"), "two", taken_at(61.0, 25.0)),
        kept_as(image_claim("http://m.example/3.mp4"), "three", film),
        kept_as(image_claim("http://m.example/4.jpg"), "four", wrong(WrongLocation::NullIsland)),
        refused(image_claim("http://m.example/5.jpg"), not(700, Some(WrongLocation::NullIsland))),
        refused(image_claim("http://m.example/6.jpg"), not(77, Some(WrongLocation::OutOfRange))),
    ]
}

pub async fn what_files_say_of_where_they_were_made_is_counted(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    library.record(run.id, &located_visits()).await.unwrap();
    let figures = library.figures(crawl, None).await.unwrap();
    assert_eq!((figures.saved, figures.geotagged), (777, 2));
    let wrong: BTreeMap<String, u64> = [("null-island".to_owned(), 2), ("out-of-range".to_owned(), 1)].into();
    assert_eq!(figures.wrong_locations, wrong);
    assert_eq!(figures.media["image"].refused["small"], 2);
    let host = &library.library_figures(9).await.unwrap().hosts[0];
    assert_eq!((host.images, host.geotagged), (3, 2));
}

pub async fn what_files_say_is_counted_once_however_often_it_is_written(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let visits = located_visits();
    library.record(run.id, &visits).await.unwrap();
    let (figures, whole) = (library.figures(crawl, None).await.unwrap(), library.library_figures(9).await.unwrap());
    library.record(run.id, &visits).await.unwrap();
    assert_eq!(library.figures(crawl, None).await.unwrap(), figures);
    let again = library.library_figures(9).await.unwrap();
    assert_eq!((again.images, again.tlds, again.hosts), (whole.images, whole.tlds, whole.hosts));
    // The same address in a later round names the same wrong place.
    let mut reopened = visits[4].clone();
    reopened.claim.round = 1;
    library.record(run.id, &[reopened]).await.unwrap();
    let later = library.figures(crawl, None).await.unwrap();
    assert_eq!(later.wrong_locations, figures.wrong_locations);
    assert_eq!(later.visits, figures.visits + 1);
}

pub async fn images_are_counted_by_size_place_and_top_level_domain(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let empty = library.library_figures(9).await.unwrap();
    assert_eq!((empty.images, empty.tlds), Default::default());
    let sized = |facts: Facts, width, height| Facts { width: Some(width), height: Some(height), ..facts };
    let turned = Facts { orientation: 6, ..sized(taken_at(60.0, 25.0), 400, 300) };
    let sound = Facts { format: Format::named("mp3").unwrap(), ..taken_at(1.0, 1.0) };
    assert_eq!(sound.format.kind, MediaKind::Audio);
    let visits = [
        kept_as(image_claim("http://a.fi/1"), "one", sized(taken_at(60.0, 25.0), 100, 200)),
        kept_as(image_claim("http://b.fi/2"), "two", turned),
        kept_as(image_claim("http://c.org/3"), "three", taken_at(60.0, 25.0)),
        kept_as(image_claim("http://127.0.0.1/4"), "four", taken_at(60.0, 25.0)),
        kept_as(
            image_claim("http://c.org/5"),
            "five",
            Facts { wrong_location: Some(WrongLocation::Incomplete), ..plain() },
        ),
        kept_as(image_claim("http://c.org/6"), "six", plain()),
        kept_as(image_claim("http://c.org/7"), "seven", sound),
    ];
    library.record(run.id, &visits).await.unwrap();
    let figures = library.library_figures(9).await.unwrap();
    let images = &figures.images;
    assert_eq!((images.total, images.with_location_in_metadata, images.without), (6, 4, 2));
    assert_eq!(images.wrong_coordinates, 1);
    assert_eq!((images.average_width, images.average_height), (Some(200.0), Some(300.0)));
    assert_eq!(figures.tlds, [("fi".to_owned(), 2), ("org".to_owned(), 1)]);
}
