//! Statements about what is taken out for good.

use facts::MediaId;
use store::{FORGOTTEN, Forget, Forgotten, ItemFilter, Library, MediaItem, Outcome, Refused, Start, Visited};

use super::library::start;
use super::web::*;
use super::{Home, Stop};

const ONE: &str = "http://m.example/1.jpg";
const TWO: &str = "http://m.example/2.jpg";
const COPY: &str = "http://n.example/copy.jpg";
const THREE: &str = "http://n.example/3.jpg";

/// Two pages of two hosts; the first shows everything, the second only `THREE`. `ONE` is at `COPY`
/// too.
fn visits() -> Vec<Visited> {
    vec![
        read_with_images(page_claim("http://a.example/"), &[ONE, TWO, COPY, THREE, "http://m.example/unseen.jpg"]),
        read_with_images(page_claim("http://b.example/"), &[THREE]),
        kept_as(image_claim(ONE), "one", taken_at(60.0, 25.0)),
        kept_as(image_claim(TWO), "two", plain()),
        kept_as(image_claim(COPY), "one", taken_at(60.0, 25.0)),
        kept_as(image_claim(THREE), "three", taken_at(61.0, 25.0)),
    ]
}

async fn filled(home: &impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    library.record(run.id, &visits()).await.unwrap();
}

async fn items(library: &dyn Library) -> Vec<MediaItem> {
    library.items(&ItemFilter::default(), 0, 99).await.unwrap()
}

async fn ids(library: &dyn Library) -> Vec<MediaId> {
    items(library).await.into_iter().map(|item| item.id).collect()
}

/// Pages, images and geotagged of each host.
async fn hosts(library: &dyn Library) -> Vec<(String, u64, u64, u64)> {
    let mut hosts: Vec<_> = library.library_figures(9).await.unwrap().hosts;
    hosts.sort_by(|a, b| a.host.cmp(&b.host));
    hosts.into_iter().map(|host| (host.host, host.pages, host.images, host.geotagged)).collect()
}

fn figures(host: &str, pages: u64, images: u64, geotagged: u64) -> (String, u64, u64, u64) {
    (host.into(), pages, images, geotagged)
}

pub async fn a_forgotten_host_takes_its_pages_and_media_along(home: impl Home) {
    filled(&home).await;
    let library = home.library();
    let before = library.figures(library.crawl("demo").await.unwrap().unwrap().id, None).await.unwrap();
    let forgotten = home.forget(Forget::Host(host("m.example"))).await.unwrap();
    assert_eq!(forgotten, Forgotten { pages: 0, media: 1, files: 1, addresses: 3 });
    assert_eq!(ids(&*library).await, [id_of("one"), id_of("three")]);
    let expected = [figures("a.example", 1, 0, 0), figures("b.example", 1, 0, 0), figures("n.example", 0, 2, 2)];
    assert_eq!(hosts(&*library).await, expected);

    let forgotten = home.forget(Forget::Host(host("a.example"))).await.unwrap();
    // The picture on another host that only its page showed goes with it.
    assert_eq!(forgotten, Forgotten { pages: 1, media: 1, files: 1, addresses: 1 });
    assert_eq!(hosts(&*library).await, [figures("b.example", 1, 0, 0), figures("n.example", 0, 1, 1)]);
    let found: Vec<_> = items(&*library).await.into_iter().map(|item| item.found[0].page.clone()).collect();
    assert_eq!(found, [Some("http://b.example/".to_owned())]);
    let blocked = library.forgotten().await.unwrap();
    assert!(blocked.host(&host("m.example")) && blocked.address(&url(ONE)) && !blocked.content(&id_of("two")));
    assert!(!blocked.host(&host("www.m.example")) && !blocked.address(&url(COPY)));
    let after = library.figures(library.crawl("demo").await.unwrap().unwrap().id, None).await.unwrap();
    assert_eq!(after, before, "what a run did stays told");
}

pub async fn what_other_hosts_have_too_stays(home: impl Home) {
    filled(&home).await;
    home.forget(Forget::Host(host("m.example"))).await.unwrap();
    let library = home.library();
    let one = library.item(id_of("one")).await.unwrap().unwrap();
    assert_eq!(one.found.iter().map(|sighting| sighting.image.as_str()).collect::<Vec<_>>(), [COPY]);
    let of_host = |name: &str| ItemFilter { host: Some(name.into()), ..ItemFilter::default() };
    assert!(library.items(&of_host("m.example"), 0, 9).await.unwrap().is_empty());
    assert_eq!(library.items(&of_host("n.example"), 0, 9).await.unwrap().len(), 2);
    assert_eq!(library.library_figures(0).await.unwrap().tlds, [("example".to_owned(), 2)]);
}

pub async fn a_forgotten_file_goes_under_all_its_addresses(home: impl Home) {
    filled(&home).await;
    home.import(vec![local("/one.jpg", "one", plain())]).await.unwrap();
    let forgotten = home.forget(Forget::Address(url(COPY))).await.unwrap();
    assert_eq!(forgotten, Forgotten { pages: 0, media: 1, files: 1, addresses: 3 });
    let library = home.library();
    assert_eq!(ids(&*library).await, [id_of("two"), id_of("three")]);
    let expected = [
        figures("a.example", 1, 0, 0),
        figures("b.example", 1, 0, 0),
        figures("m.example", 0, 1, 0),
        figures("n.example", 0, 1, 1),
    ];
    assert_eq!(hosts(&*library).await, expected);
    let blocked = library.forgotten().await.unwrap();
    assert!(blocked.content(&id_of("one")) && blocked.address(&url(COPY)));
    assert!(!blocked.address(&url(ONE)) && !blocked.host(&host("n.example")));
    // Neither from another address, nor from a disk.
    let (_, run) = start(&*library).await;
    library.record(run.id, &[kept(image_claim("http://o.example/again.jpg"), "one")]).await.unwrap();
    assert_eq!(home.import(vec![local("/other.jpg", "one", plain())]).await.unwrap().forgotten, 1);
    assert_eq!(library.item(id_of("one")).await.unwrap(), None);
}

pub async fn what_a_forgotten_address_leads_to_goes_too(home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let [named, hop, real] = [ONE, TWO, THREE];
    let visits = [
        read_with_images(page_claim("http://a.example/"), &[named]),
        visited(image_claim(named), Outcome::Redirect(url(hop)), Vec::new()),
        visited(image_claim(hop), Outcome::Redirect(url(real)), Vec::new()),
        kept(image_claim(real), "one"),
        // A page that moved does not take the page it moved to along.
        visited(page_claim("http://a.example/old"), Outcome::Redirect(url("http://a.example/")), Vec::new()),
    ];
    library.record(run.id, &visits).await.unwrap();
    let forgotten = home.forget(Forget::Address(url("http://a.example/old"))).await.unwrap();
    assert_eq!(forgotten, Forgotten::default());
    let forgotten = home.forget(Forget::Address(url(named))).await.unwrap();
    assert_eq!(forgotten, Forgotten { pages: 0, media: 1, files: 1, addresses: 2 });
    assert!(items(&*library).await.is_empty());
    assert!(library.forgotten().await.unwrap().content(&id_of("one")));
}

pub async fn a_forgotten_page_takes_the_media_only_it_showed(home: impl Home) {
    filled(&home).await;
    let forgotten = home.forget(Forget::Address(url("http://a.example/"))).await.unwrap();
    assert_eq!(forgotten, Forgotten { pages: 1, media: 2, files: 2, addresses: 4 });
    let library = home.library();
    assert_eq!(ids(&*library).await, [id_of("three")]);
    assert_eq!(hosts(&*library).await, [figures("b.example", 1, 0, 0), figures("n.example", 0, 1, 1)]);
    let of_page = ItemFilter { host: Some("a.example".into()), ..ItemFilter::default() };
    assert!(library.items(&of_page, 0, 9).await.unwrap().is_empty());
    let blocked = library.forgotten().await.unwrap();
    assert!(blocked.address(&url("http://a.example/")) && !blocked.content(&id_of("one")));
    assert!(!blocked.host(&host("a.example")));
}

pub async fn a_forgotten_import_does_not_come_back(home: impl Home) {
    home.import(vec![local("/a.jpg", "one", plain()), local("/b.jpg", "two", plain())]).await.unwrap();
    let forgotten = home.forget(Forget::File("/a.jpg".into())).await.unwrap();
    assert_eq!(forgotten, Forgotten { pages: 0, media: 1, files: 0, addresses: 1 });
    let library = home.library();
    assert_eq!(ids(&*library).await, [id_of("two")]);
    assert_eq!(library.imported(&["/a.jpg".into()]).await.unwrap(), [None]);
    let blocked = library.forgotten().await.unwrap();
    assert!(blocked.file("/a.jpg") && !blocked.file("/b.jpg") && blocked.content(&id_of("one")));
    let again = vec![local("/a.jpg", "changed", plain()), local("/elsewhere.jpg", "one", plain())];
    assert_eq!(home.import(again).await.unwrap().forgotten, 2);
    assert_eq!(ids(&*library).await, [id_of("two")]);
    let all = home.forget(Forget::Host(host("(imported)"))).await.expect_err("refused");
    assert!(all.to_string().contains("by their paths"), "{all}");
    assert_eq!(ids(&*library).await, [id_of("two")]);
    let relative = home.forget(Forget::File("a.jpg".into())).await.expect_err("refused");
    assert!(relative.to_string().contains("not an absolute path"), "{relative}");
}

pub async fn what_is_not_there_is_blocked_all_the_same(home: impl Home) {
    let unknown = [
        Forget::Host(host("h.example")),
        Forget::Address(url("http://x.example/page?utm_source=y")),
        Forget::File("/a.jpg".into()),
    ];
    for what in unknown {
        assert_eq!(home.forget(what.clone()).await.unwrap(), Forgotten::default());
        assert_eq!(home.forget(what).await.unwrap(), Forgotten::default());
    }
    let blocked = home.library().forgotten().await.unwrap();
    assert!(blocked.address(&url("https://h.example:8443/any")) && blocked.file("/a.jpg"));
    assert!(blocked.address(&url("http://x.example/page")), "one address, however it is written");
}

pub async fn forgetting_survives_a_kill(mut home: impl Home) {
    filled(&home).await;
    home.forget(Forget::Address(url(ONE))).await.unwrap();
    home.restart(Stop::Killed).await;
    let library = home.library();
    assert!(library.forgotten().await.unwrap().content(&id_of("one")));
    assert_eq!(ids(&*library).await, [id_of("two"), id_of("three")]);
    // What was on its way is written again, and is refused.
    let (crawl, run) = start(&*library).await;
    library.record(run.id, &visits()).await.unwrap();
    assert_eq!(ids(&*library).await, [id_of("two"), id_of("three")]);
    assert_eq!(library.figures(crawl, None).await.unwrap().visits, 6);
}

pub async fn a_forgotten_visit_is_counted_without_its_address(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let not = || Refused { saved: 50, ..Refused::unseen(FORGOTTEN) };
    let visits = [
        refused(image_claim("http://m.example/secret.jpg"), not()),
        refused(page_claim("http://m.example/secret.html"), not()),
    ];
    for _ in 0..2 {
        library.record(run.id, &visits).await.unwrap();
    }
    let figures = library.figures(crawl, None).await.unwrap();
    assert_eq!((figures.visits, figures.saved), (2, 100));
    assert_eq!(figures.media["image"].refused[FORGOTTEN], 1);
    assert_eq!((figures.media["image"].seen, figures.errors[FORGOTTEN]), (0, 1));
    assert!(library.starts(crawl).await.unwrap().is_empty());
    assert!(library.library_figures(9).await.unwrap().hosts.is_empty());
}

pub async fn visits_on_their_way_do_not_bring_it_back(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    for what in [Forget::Host(host("m.example")), Forget::Address(url("http://a.example/"))] {
        home.forget(what).await.unwrap();
    }
    let moved = visited(page_claim("http://c.example/"), Outcome::Redirect(url(TWO)), Vec::new());
    let visits: Vec<Visited> = visits().into_iter().chain([moved]).collect();
    library.record(run.id, &visits).await.unwrap();
    assert_eq!(ids(&*library).await, [id_of("one"), id_of("three")]);
    let paths: Vec<_> =
        items(&*library).await.into_iter().flat_map(|item| item.found).map(|found| found.image).collect();
    assert_eq!(paths, [COPY, THREE]);
    assert_eq!(hosts(&*library).await, [figures("b.example", 1, 0, 0), figures("n.example", 0, 2, 2)]);
    let figures = library.figures(crawl, None).await.unwrap();
    assert_eq!((figures.visits, figures.pages, figures.errors[FORGOTTEN]), (7, 1, 1));
    assert_eq!(figures.media["image"].refused[FORGOTTEN], 2);
}

pub async fn addresses_of_a_forgotten_host_are_told_nowhere(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let visits = [
        failed(page_claim("http://gone.example:8080/start"), "dns"),
        read(page_claim("http://gone.example/"), Vec::new()),
        read(page_claim("http://gone.example.org/"), Vec::new()),
    ];
    library.record(run.id, &visits).await.unwrap();
    home.forget(Forget::Host(host("gone.example"))).await.unwrap();
    let mishap = &library.mishaps(crawl, 9).await.unwrap()[0];
    assert_eq!((mishap.url.as_str(), mishap.detail.as_str(), mishap.reason.as_str()), ("", "", "dns"));
    let starts = library.starts(crawl).await.unwrap();
    assert_eq!(starts, [Start { url: url("http://gone.example.org/"), failed: false }]);
}
