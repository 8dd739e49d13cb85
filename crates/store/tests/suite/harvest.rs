//! Statements about how well crawls find what they are sent for.

use facts::{Branch, Order};
use serde_json::json;
use store::{Claim, CrawlId, Harvest, Library, Link, RunLimits, StoreError, Visited};

use super::library::start;
use super::web::*;
use super::{Home, Stop};

/// A page found on another, as the engine would number it.
fn step(name: &str, on: Option<&Visited>, relevant: bool) -> Visited {
    let seed = page(&format!("http://{name}.example/"), Order::FirstIn);
    let link = match on {
        None => seed,
        Some(on) => {
            let before = facts_of(&mut on.clone()).relevant;
            Link { branch: on.claim.link.branch.onward(before), ..found(seed, &on.claim) }
        }
    };
    let mut visit = read(claim_of(link), Vec::new());
    facts_of(&mut visit).relevant = relevant;
    visit
}

async fn harvest(library: &dyn Library, crawl: CrawlId) -> Harvest {
    library.harvest(Some(crawl)).await.unwrap()
}

pub async fn bridges_tails_and_distances_are_counted_as_pages_are_read(mut home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    assert_eq!(harvest(&*library, crawl).await, Harvest::default());
    // seed ─ start(r) ─┬─ near(r) ─ off ─ far(r)
    //                  └─ out ─ lost
    let seed = step("seed", None, false);
    let start_page = step("start", Some(&seed), true);
    let near = step("near", Some(&start_page), true);
    let (off, out) = (step("off", Some(&near), false), step("out", Some(&start_page), false));
    let (far, lost) = (step("far", Some(&off), true), step("lost", Some(&out), false));
    type Lists<'a> = [&'a [u64]; 3];
    let steps: [(&Visited, Lists<'_>); 7] = [
        (&seed, [&[], &[], &[]]),
        (&start_page, [&[], &[1], &[0, 1]]),
        (&near, [&[1], &[1], &[0, 1, 1]]),
        (&off, [&[1], &[0, 1], &[0, 1, 1]]),
        (&out, [&[1], &[0, 2], &[0, 1, 1]]),
        (&far, [&[1, 1], &[1, 1], &[0, 1, 1, 0, 1]]),
        (&lost, [&[1, 1], &[1, 0, 1], &[0, 1, 1, 0, 1]]),
    ];
    for (n, (visit, [bridge, tail, seed_distance])) in steps.into_iter().enumerate() {
        // Written twice, it counts once.
        for _ in 0..2 {
            library.record(run.id, std::slice::from_ref(visit)).await.unwrap();
            let found = harvest(&*library, crawl).await;
            assert_eq!(
                (found.pages, found.bridge.as_slice()),
                (n as u64 + 1, bridge),
                "after {}",
                visit.claim.link.url
            );
            assert_eq!((found.tail.as_slice(), found.seed_distance.as_slice()), (tail, seed_distance), "step {n}");
        }
    }
    let before = harvest(&*library, crawl).await;
    assert_eq!((before.relevant, before.rate()), (3, Some(3.0 / 7.0)));
    assert_eq!(library.figures(crawl, Some(run.id)).await.unwrap().relevant, 3);
    home.audit().await;

    // A later run goes on where the other ended; another crawl is counted apart.
    home.restart(Stop::Killed).await;
    let library = home.library();
    library.end_run(run.id, 1.0, Some("max-pages")).await.unwrap();
    let next = library.start_run(crawl, RunLimits::default(), 9).await.unwrap();
    library.record(next.id, &[step("after", Some(&lost), false)]).await.unwrap();
    assert_eq!(harvest(&*library, crawl).await.tail, [1, 0, 0, 1]);
    let other = library.save_crawl("other", &json!({})).await.unwrap().id;
    let run = library.start_run(other, RunLimits::default(), 9).await.unwrap();
    library.record(run.id, &[step("start", Some(&seed), true)]).await.unwrap();
    assert_eq!(harvest(&*library, other).await.tail, [1]);
    assert_eq!(harvest(&*library, crawl).await.tail, [1, 0, 0, 1]);
    let all = library.harvest(None).await.unwrap();
    assert_eq!((all.pages, all.relevant, all.tail.as_slice()), (9, 4, &[2, 0, 0, 1][..]));
    assert_eq!(library.library_figures(0).await.unwrap().harvest, all);
    home.audit().await;
}

pub async fn only_the_first_page_after_another_ends_its_tail(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let root = step("root", None, true);
    let mut visits = vec![root.clone()];
    visits.extend(["a", "b", "c"].map(|name| step(name, Some(&root), false)));
    // Media, failures and redirects are no pages.
    visits.push(kept(claim_of(found(image("http://m.example/1", Order::FirstIn), &visits[1].claim)), "one"));
    visits.push(failed(claim_of(found(page("http://x.example/", Order::FirstIn), &visits[1].claim)), "dns"));
    library.record(run.id, &visits).await.unwrap();
    assert_eq!(harvest(&*library, crawl).await.tail, [0, 3]);
    // The page is read again: its second reading is a page of its own.
    let mut again = root.clone();
    again.claim.round = 1;
    library.record(run.id, &[again.clone()]).await.unwrap();
    assert_eq!(harvest(&*library, crawl).await.tail, [1, 3]);
    library.record(run.id, &[step("d", Some(&again), false)]).await.unwrap();
    assert_eq!(harvest(&*library, crawl).await.tail, [0, 4]);
    home.audit().await;
}

pub async fn long_ways_are_counted_together(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    let far = |name: &str, links, depth, relevant| {
        let mut visit = step(name, None, relevant);
        let link = visit.claim.link;
        let branch = Branch { links, from_relevant: true };
        visit.claim = Claim { link: Link { branch, depth, ..link }, ..visit.claim };
        visit
    };
    let visits = [far("a", 64, 63, true), far("b", 900, u32::MAX, true), far("c", u32::MAX, 9, false)];
    library.record(run.id, &visits).await.unwrap();
    let found = harvest(&*library, crawl).await;
    assert_eq!((found.bridge.len(), found.bridge[63]), (64, 2));
    assert_eq!((found.seed_distance.len(), found.seed_distance[63]), (64, 2));
    assert_eq!((found.tail.len(), found.tail[0], found.tail[63]), (64, 2, 1));
    home.audit().await;
}

pub async fn a_harvest_curve_has_evenly_spaced_points(home: impl Home) {
    let library = home.library();
    let (crawl, run) = start(&*library).await;
    assert!(library.harvest_curve(crawl, 9).await.unwrap().is_empty());
    let mut visits = Vec::new();
    for n in 0..10 {
        visits.push(step(&format!("h{n}"), None, n % 3 == 0));
        visits.push(kept(image_claim(&format!("http://m.example/{n}")), &n.to_string()));
    }
    library.record(run.id, &visits).await.unwrap();
    for (points, expected) in [
        (0, &[][..]),
        (1, &[(10, 4)]),
        (3, &[(3, 1), (6, 2), (10, 4)]),
        (4, &[(2, 1), (5, 2), (7, 3), (10, 4)]),
        (10, &[(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2), (7, 3), (8, 3), (9, 3), (10, 4)]),
    ] {
        assert_eq!(library.harvest_curve(crawl, points).await.unwrap(), expected);
    }
    assert_eq!(library.harvest_curve(crawl, usize::MAX).await.unwrap().len(), 10);
    assert!(library.harvest_curve(CrawlId(77), 5).await.unwrap().is_empty());
}

pub async fn tasks_count_relevant_pages(mut home: impl Home) {
    let library = home.library();
    let (_, run) = start(&*library).await;
    let visits: Vec<Visited> = (0..5).map(|n| step(&format!("h{n}"), None, n != 1 && n != 4)).collect();
    library.record(run.id, &visits[..3]).await.unwrap();
    home.restart(Stop::Killed).await;
    let library = home.library();
    library.record(run.id, &visits).await.unwrap();
    let tasks: Vec<_> =
        library.tasks(run.id).await.unwrap().into_iter().map(|task| (task.pages, task.relevant)).collect();
    assert_eq!(tasks, [(2, 1), (2, 2), (1, 0)]);
    home.audit().await;
}

pub async fn what_a_strategy_learnt_is_kept_with_its_crawl(mut home: impl Home) {
    let library = home.library();
    let (crawl, _) = start(&*library).await;
    let other = library.save_crawl("other", &json!({})).await.unwrap().id;
    assert_eq!(library.model(crawl).await.unwrap(), None);
    library.save_model(crawl, b"little".to_vec()).await.unwrap();
    let large = vec![7; 64 << 20];
    library.save_model(crawl, large.clone()).await.unwrap();
    let larger = library.save_model(crawl, vec![8; (64 << 20) + 1]).await;
    assert!(matches!(larger, Err(StoreError::TooLarge { .. })));
    let nobody = library.save_model(CrawlId(77), Vec::new()).await;
    assert!(matches!(nobody, Err(StoreError::Unknown { what: "crawl", number: 77 })));
    home.restart(Stop::Killed).await;
    let library = home.library();
    assert!(library.model(crawl).await.unwrap() == Some(large));
    assert_eq!((library.model(other).await.unwrap(), library.model(CrawlId(77)).await.unwrap()), (None, None));
}
