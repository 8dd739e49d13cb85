//! Statements about the queue.

use std::time::Duration;

use facts::{Branch, Order, Timestamp};
use store::{
    Budgets, Claim, ClaimLimit, CrawlId, FrontierFigures, Link, LinkContext, OriginFile, OriginRecord, Outcome,
    Overrun, Reservation, Rest,
};

use super::web::*;
use super::{DELAY, Home, PLENTY, Stop};

const ONE: CrawlId = CrawlId(1);
const TWO: CrawlId = CrawlId(2);

fn granted(reservation: Reservation) -> bool {
    matches!(reservation, Reservation::Granted { .. })
}

/// Not before that moment, and not much later: a clock elsewhere is not read to the millisecond.
fn about(next: Option<Timestamp>, until: Timestamp) -> bool {
    next.is_some_and(|next| next >= until && next.since(until) < Duration::from_secs(60))
}

/// A tree of two levels on three hosts, in the order of the document.
fn tree(order: Order) -> impl Fn(&str) -> Vec<Link> {
    move |name| {
        let pages = |names: &[&str]| names.iter().map(|name| page(&format!("http://{name}"), order)).collect();
        match name {
            "a.example/" => pages(&["a.example/1", "b.example/2", "c.example/3"]),
            "a.example/1" => pages(&["a.example/1a", "b.example/1b"]),
            "b.example/2" => pages(&["c.example/2a", "a.example/1"]),
            _ => Vec::new(),
        }
    }
}

pub async fn bfs_visits_in_order_of_discovery(home: impl Home) {
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    let order = crawl_all(&*frontier, ONE, tree(Order::FirstIn)).await;
    assert_eq!(
        order,
        ["a.example/", "a.example/1", "b.example/2", "c.example/3", "a.example/1a", "b.example/1b", "c.example/2a"]
    );
}

pub async fn dfs_visits_children_first_in_document_order(home: impl Home) {
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/", Order::LastIn)], PLENTY).await.unwrap();
    let order = crawl_all(&*frontier, ONE, tree(Order::LastIn)).await;
    assert_eq!(
        order,
        ["a.example/", "a.example/1", "a.example/1a", "b.example/1b", "b.example/2", "c.example/2a", "c.example/3"]
    );
}

pub async fn best_first_visits_the_largest_and_breaks_ties_by_discovery(home: impl Home) {
    let frontier = home.frontier();
    let seeds = [("a", 0.2), ("b", 0.9), ("c", 0.5), ("a", 0.5), ("b", 0.1)];
    let links = seeds.iter().enumerate().map(|(i, (host, p))| page(&format!("http://{host}.example/{i}"), best(*p)));
    frontier.add(ONE, links.collect(), PLENTY).await.unwrap();
    let order = crawl_all(&*frontier, ONE, |_| Vec::new()).await;
    assert_eq!(order, ["b.example/1", "c.example/2", "a.example/3", "a.example/0", "b.example/4"]);
}

pub async fn a_row_found_again_with_a_larger_priority_moves_forward(home: impl Home) {
    let frontier = home.frontier();
    let names = ["http://a.example/x", "http://a.example/y", "http://b.example/z"];
    frontier.add(ONE, names.map(|name| page(name, best(0.3))).to_vec(), PLENTY).await.unwrap();
    let again = vec![page(names[1], best(0.8)), page(names[0], best(0.1))];
    assert_eq!(frontier.add(ONE, again, PLENTY).await.unwrap(), 0, "none of them is new");
    let order = crawl_all(&*frontier, ONE, |_| Vec::new()).await;
    assert_eq!(order, ["a.example/y", "a.example/x", "b.example/z"]);
}

pub async fn a_raised_row_comes_by_the_better_way(home: impl Home) {
    let frontier = home.frontier();
    let start = vec![page("http://a.example/", best(0.9)), page("http://b.example/", best(0.1))];
    frontier.add(ONE, start, PLENTY).await.unwrap();
    let claims = claim(&*frontier, ONE).await.claims;
    let target = |anchor: &str, priority, links| Link {
        context: LinkContext { anchor: anchor.into(), around: "words".into() },
        branch: Branch { links, from_relevant: links == 1 },
        ..page("http://c.example/target", best(priority))
    };
    let [first, second] = <[Claim; 2]>::try_from(claims).unwrap();
    let mut early = read(first.clone(), Vec::new());
    early.links = vec![Link { depth: 2, ..found(target("poor", 0.2, 3), &first) }];
    let mut late = read(second.clone(), Vec::new());
    late.links = vec![
        Link { depth: 5, ..found(target("good", 0.6, 1), &second) },
        Link { depth: 1, ..found(target("poorer", 0.5, 4), &second) },
    ];
    for visit in [early, late] {
        release(&*frontier, &visit.claim).await;
        frontier.finish(ONE, &[visit], PLENTY).await.unwrap();
    }
    let raised = claim_one(&*frontier, ONE).await.link;
    assert_eq!((raised.context.anchor.as_str(), raised.branch.links, raised.branch.from_relevant), ("good", 1, true));
    assert_eq!((raised.parent, raised.referer), (Some(second.id), Some(second.link.url)));
    assert_eq!((raised.depth, raised.order), (2, best(0.6)));
}

pub async fn a_claimed_row_is_not_raised(home: impl Home) {
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/x", best(0.3))], PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    frontier.add(ONE, vec![page("http://a.example/x", best(0.9))], PLENTY).await.unwrap();
    release(&*frontier, &claim).await;
    frontier.finish(ONE, &[read(claim, Vec::new())], PLENTY).await.unwrap();
    assert!(self::claim(&*frontier, ONE).await.empty);
}

async fn claim(frontier: &dyn store::Frontier, crawl: CrawlId) -> store::Claims {
    super::web::claim(frontier, crawl, ALL).await
}

pub async fn the_target_of_a_redirect_takes_the_place_of_what_led_to_it(home: impl Home) {
    let frontier = home.frontier();
    let names = ["http://a.example/old", "http://b.example/second", "http://c.example/third"];
    frontier.add(ONE, names.map(|name| page(name, Order::FirstIn)).to_vec(), PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    release(&*frontier, &claim).await;
    let target = Link { hops: vec![claim.id], ..page("http://d.example/new", Order::FirstIn) };
    let moved = visited(claim, Outcome::Redirect(target.url.clone()), vec![target]);
    frontier.finish(ONE, &[moved], PLENTY).await.unwrap();
    let order = crawl_all(&*frontier, ONE, |_| Vec::new()).await;
    assert_eq!(order, ["d.example/new", "b.example/second", "c.example/third"]);
}

pub async fn a_redirect_within_its_host_survives_a_kill(mut home: impl Home) {
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/old", Order::FirstIn)], PLENTY).await.unwrap();
    frontier.add(ONE, vec![page("http://a.example/other", Order::FirstIn)], PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    release(&*frontier, &claim).await;
    let target = Link { hops: vec![claim.id], ..page("http://a.example/new", Order::FirstIn) };
    let moved = visited(claim, Outcome::Redirect(target.url.clone()), vec![target]);
    frontier.finish(ONE, &[moved], PLENTY).await.unwrap();
    drop(frontier);
    home.restart(Stop::Killed).await;
    let (claims, _) = claim_when_free(&*home.frontier(), ONE).await;
    assert_eq!(names(&claims), ["a.example/new"]);
}

pub async fn the_first_discovery_counts(home: impl Home) {
    let frontier = home.frontier();
    let mut first = page("http://a.example/x", Order::FirstIn);
    first.context.anchor = "first".into();
    let mut second = first.clone();
    second.context.anchor = "second".into();
    assert_eq!(frontier.add(ONE, vec![first, second.clone()], PLENTY).await.unwrap(), 1);
    assert_eq!(frontier.add(ONE, vec![second], PLENTY).await.unwrap(), 0);
    assert_eq!(claim_one(&*frontier, ONE).await.link.context.anchor, "first");
}

pub async fn a_claim_carries_its_link_whole(home: impl Home) {
    let frontier = home.frontier();
    let seed = page("http://a.example/", best(0.5));
    frontier.add(ONE, vec![seed.clone()], PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    assert_eq!(claim.link, seed);
    assert_eq!(claim.id, seed.url.id());
    release(&*frontier, &claim).await;
    let link = Link { hops: vec![claim.id], ..image("http://b.example/i.png?x=%20", best(0.25)) };
    let expected = found(link.clone(), &claim);
    frontier.finish(ONE, &[read(claim, vec![link])], PLENTY).await.unwrap();
    assert_eq!(claim_one(&*frontier, ONE).await.link, expected);
}

pub async fn media_go_before_pages_on_every_host(home: impl Home) {
    let frontier = home.frontier();
    let links = vec![
        page("http://a.example/p", best(1.0)),
        page("http://b.example/p", best(0.9)),
        image("http://b.example/i", best(0.1)),
        image("http://c.example/i", best(0.2)),
    ];
    frontier.add(ONE, links, PLENTY).await.unwrap();
    let order = crawl_all(&*frontier, ONE, |_| Vec::new()).await;
    assert_eq!(order, ["c.example/i", "b.example/i", "a.example/p", "b.example/p"]);
}

pub async fn without_room_for_pages_only_media_are_claimed(home: impl Home) {
    let frontier = home.frontier();
    let links = vec![
        page("http://a.example/p", Order::FirstIn),
        image("http://b.example/i", Order::FirstIn),
        image("http://c.example/i", Order::FirstIn),
        page("http://d.example/p", Order::FirstIn),
    ];
    frontier.add(ONE, links, PLENTY).await.unwrap();
    let claims = super::web::claim(&*frontier, ONE, ClaimLimit { any: 10, pages: 0, ..ALL }).await;
    assert_eq!(names(&claims), ["b.example/i", "c.example/i"]);
    let claims = super::web::claim(&*frontier, ONE, ClaimLimit { any: 10, pages: 0, ..ALL }).await;
    assert!(claims.claims.is_empty() && claims.next.is_none() && !claims.empty);
    let claims = super::web::claim(&*frontier, ONE, ClaimLimit { any: 10, pages: 1, ..ALL }).await;
    assert_eq!(names(&claims), ["a.example/p"]);
}

pub async fn a_host_has_one_claim_at_a_time_whichever_crawl_asks(home: impl Home) {
    let frontier = home.frontier();
    for crawl in [ONE, TWO] {
        let links = ["http://a.example/1", "http://a.example/2", "http://b.example/1"];
        frontier.add(crawl, links.map(|name| page(name, Order::FirstIn)).to_vec(), PLENTY).await.unwrap();
    }
    let first = super::web::claim(&*frontier, ONE, ClaimLimit { any: 1, pages: 1, ..ALL }).await;
    assert_eq!(names(&first), ["a.example/1"]);
    let second = claim(&*frontier, TWO).await;
    assert_eq!(names(&second), ["b.example/1"]);
    for crawl in [ONE, TWO] {
        let none = claim(&*frontier, crawl).await;
        assert!(none.claims.is_empty() && !none.empty);
        assert_eq!((none.next, none.busy), (None, true), "nobody knows when a busy host is free");
    }
    release(&*frontier, &first.claims[0]).await;
    assert_eq!(names(&claim(&*frontier, TWO).await), ["a.example/1"]);
    assert!(claim(&*frontier, ONE).await.claims.is_empty());
}

pub async fn a_resting_host_is_left_alone_until_its_time(home: impl Home) {
    let frontier = home.frontier();
    let links = ["http://a.example/1", "http://a.example/2"].map(|name| page(name, Order::FirstIn));
    frontier.add(ONE, links.to_vec(), PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    let until = frontier.now().await.unwrap() + Duration::from_millis(40);
    let rest = Rest { until, delay: Some(Duration::from_secs(3)), failures: 2 };
    frontier.release(&claim.link.url.host(), rest).await.unwrap();
    let none = self::claim(&*frontier, ONE).await;
    assert_eq!((none.claims.len(), none.empty), (0, false));
    assert!(about(none.next, until), "{:?} and not {until:?}", none.next);
    let (claims, at) = claim_when_free(&*frontier, ONE).await;
    assert!(at >= until);
    assert_eq!(names(&claims), ["a.example/2"]);
    assert_eq!(claims.claims[0].host_delay, Some(Duration::from_secs(3)));
    assert_eq!(claims.claims[0].host_failures, 2);
}

pub async fn a_reserved_host_is_busy_for_everyone(home: impl Home) {
    let frontier = home.frontier();
    let a = host("a.example");
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    assert!(granted(frontier.reserve(&a, DELAY).await.unwrap()));
    assert!(claim(&*frontier, ONE).await.claims.is_empty());
    let now = frontier.now().await.unwrap();
    assert!(
        matches!(frontier.reserve(&a, DELAY).await.unwrap(), Reservation::NotBefore(moment) if moment > now),
        "busy"
    );

    let until = frontier.now().await.unwrap() + Duration::from_millis(40);
    frontier.release(&a, Rest { until, ..Rest::default() }).await.unwrap();
    let resting = frontier.reserve(&a, DELAY).await.unwrap();
    assert!(matches!(resting, Reservation::NotBefore(next) if about(Some(next), until)), "{resting:?}");
    let (claims, at) = claim_when_free(&*frontier, ONE).await;
    assert!(at >= until && claims.claims.len() == 1);
    assert!(!granted(frontier.reserve(&a, DELAY).await.unwrap()), "claimed");
}

pub async fn a_host_that_nobody_waits_for_any_more_is_free(home: impl Home) {
    let frontier = home.frontier();
    let a = host("a.example");
    for polls in 0..4 {
        // Given up at any moment: before it is asked for, on its way, or when it was granted.
        let mut asked = Box::pin(frontier.reserve(&a, DELAY));
        for _ in 0..polls {
            let answer = std::future::poll_fn(|context| std::task::Poll::Ready(asked.as_mut().poll(context))).await;
            if answer.is_ready() {
                // Whoever received it lets it go.
                let until = frontier.now().await.unwrap();
                frontier.release(&a, Rest { until, ..Rest::default() }).await.unwrap();
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        drop(asked);
        let began = std::time::Instant::now();
        while !granted(frontier.reserve(&a, DELAY).await.unwrap()) {
            assert!(began.elapsed() < Duration::from_secs(20), "given up after {polls} looks, it is held for ever");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let until = frontier.now().await.unwrap();
        frontier.release(&a, Rest { until, ..Rest::default() }).await.unwrap();
    }
}

pub async fn a_row_put_back_is_where_it_was_and_counts_failed_tries(home: impl Home) {
    let frontier = home.frontier();
    let links = ["http://a.example/1", "http://a.example/2"].map(|name| page(name, Order::FirstIn));
    frontier.add(ONE, links.to_vec(), PLENTY).await.unwrap();
    for (failed, tries) in [(false, 0), (true, 0), (true, 1), (false, 2)] {
        let claim = claim_one(&*frontier, ONE).await;
        assert_eq!((name(&claim).as_str(), claim.tries), ("a.example/1", tries));
        release(&*frontier, &claim).await;
        frontier.put_back(ONE, claim, failed).await.unwrap();
    }
    assert_eq!(frontier.figures(ONE).await.unwrap().queued_pages, 2);
}

pub async fn an_address_is_visited_once_unless_it_is_reopened(home: impl Home) {
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    let first = claim_one(&*frontier, ONE).await;
    assert_eq!(first.round, 0);
    release(&*frontier, &first).await;
    let again = page("http://a.example/", Order::FirstIn);
    frontier.finish(ONE, &[read(first.clone(), vec![again.clone()])], PLENTY).await.unwrap();
    assert!(claim(&*frontier, ONE).await.empty);

    let reopened = Link { reopen: true, ..again };
    assert_eq!(frontier.add(ONE, vec![reopened.clone(), reopened], PLENTY).await.unwrap(), 0);
    let figures = frontier.figures(ONE).await.unwrap();
    assert_eq!((figures.known_pages, figures.queued_pages), (1, 1));
    let second = claim_one(&*frontier, ONE).await;
    assert_eq!(second.round, 1);
    // What answers the first claim does not answer the second.
    frontier.finish(ONE, &[read(first, Vec::new())], PLENTY).await.unwrap();
    assert_eq!(frontier.figures(ONE).await.unwrap().queued_pages, 1);
    release(&*frontier, &second).await;
    frontier.finish(ONE, &[read(second, Vec::new())], PLENTY).await.unwrap();
    assert!(claim(&*frontier, ONE).await.empty);
}

pub async fn budgets_hold_for_links_but_not_for_seeds_redirects_and_media(home: impl Home) {
    let frontier = home.frontier();
    let budgets = Budgets { per_host: 4, per_template: 3 };
    let seeds = (0..2).map(|i| page(&format!("http://a.example/seed/{i}"), Order::FirstIn)).collect();
    assert_eq!(frontier.add(ONE, seeds, budgets).await.unwrap(), 2);
    let claim = claim_one(&*frontier, ONE).await;
    release(&*frontier, &claim).await;
    let mut links: Vec<Link> =
        (0..9).map(|i| page(&format!("http://a.example/p{}/", "x".repeat(i)), best(0.5))).collect();
    links.extend((0..9).map(|i| page(&format!("http://b.example/day/{i}"), best(0.5))));
    links.extend((0..9).map(|i| image(&format!("http://a.example/i/{i}"), best(0.5))));
    links.push(Link { hops: vec![claim.id], ..page("http://a.example/redirected", best(0.5)) });
    frontier.finish(ONE, &[read(claim, links)], budgets).await.unwrap();
    let figures = frontier.figures(ONE).await.unwrap();
    let expected = FrontierFigures {
        // Two seeds and two links fill the host, three links the template; one redirect is let in.
        known_pages: 2 + 2 + 3 + 1,
        known_media: 9,
        queued_pages: 1 + 2 + 3 + 1,
        queued_media: 9,
        over_budget: 7 + 6,
        overruns: vec![
            Overrun { host: "a.example".into(), shape: None, refused: 7 },
            Overrun { host: "b.example".into(), shape: Some("b.example/day/0".into()), refused: 6 },
        ],
    };
    assert_eq!(figures, expected);
}

pub async fn finishing_twice_changes_nothing(home: impl Home) {
    let frontier = home.frontier();
    let budgets = Budgets { per_host: 3, per_template: 1_000 };
    frontier.add(ONE, vec![page("http://a.example/", best(0.5))], budgets).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    release(&*frontier, &claim).await;
    let links: Vec<Link> = (0..5).map(|i| page(&format!("http://a.example/{i}"), best(0.5))).collect();
    let visit = read(claim, links);
    frontier.finish(ONE, std::slice::from_ref(&visit), budgets).await.unwrap();
    let before = frontier.figures(ONE).await.unwrap();
    assert_eq!((before.known_pages, before.over_budget), (3, 3));
    frontier.finish(ONE, &[visit.clone(), visit], budgets).await.unwrap();
    assert_eq!(frontier.figures(ONE).await.unwrap(), before);
}

pub async fn a_killed_queue_has_its_claimed_rows_again(mut home: impl Home) {
    let frontier = home.frontier();
    let links = ["http://a.example/", "http://b.example/"].map(|name| page(name, Order::FirstIn));
    frontier.add(ONE, links.to_vec(), PLENTY).await.unwrap();
    let claims = claim(&*frontier, ONE).await;
    let number = claims.claims[1].number;
    drop(frontier);
    for stop in [Stop::Killed, Stop::Clean] {
        home.restart(stop).await;
        let frontier = home.frontier();
        let (claims, _) = claim_when_free(&*frontier, ONE).await;
        assert_eq!(names(&claims), ["a.example/", "b.example/"], "{stop:?}");
        assert!(claims.claims[0].number > number);
    }
}

pub async fn after_a_kill_every_host_waits_its_full_delay(mut home: impl Home) {
    let frontier = home.frontier();
    let names = ["http://slow.example/1", "http://slow.example/2", "http://new.example/1"];
    frontier.add(ONE, names.map(|name| page(name, Order::FirstIn)).to_vec(), PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    let slow = Duration::from_millis(150);
    let rest = Rest { until: frontier.now().await.unwrap(), delay: Some(slow), failures: 0 };
    frontier.release(&claim.link.url.host(), rest).await.unwrap();
    let before = frontier.now().await.unwrap();
    drop(frontier);
    home.restart(Stop::Killed).await;
    // A second, clean stop does not shorten it.
    home.restart(Stop::Clean).await;
    let frontier = home.frontier();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let (claims, at) = claim_when_free(&*frontier, ONE).await;
        seen.extend(claims.claims.iter().map(|claim| (claim.link.url.host_str().to_owned(), at.since(before))));
    }
    for (host, waited) in seen {
        let delay = if host == "slow.example" { slow } else { DELAY };
        assert!(waited >= delay, "{host} after {waited:?}");
    }
}

pub async fn after_a_kill_hosts_rest_as_long_as_whoever_asked_them_would_have_let_them(mut home: impl Home) {
    const LONG: Duration = Duration::from_secs(3600);
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/", Order::FirstIn)], PLENTY).await.unwrap();
    let limit = ClaimLimit { delay: LONG, ..ALL };
    assert_eq!(super::web::claim(&*frontier, ONE, limit).await.claims.len(), 1);
    assert!(granted(frontier.reserve(&host("b.example"), LONG).await.unwrap()));
    let killed = frontier.now().await.unwrap();
    drop(frontier);
    // Whoever comes next asks with a short delay, and may be killed as well.
    for stop in [Stop::Killed, Stop::Killed, Stop::Clean] {
        home.restart(stop).await;
        let frontier = home.frontier();
        for name in ["a.example", "b.example"] {
            let answer = frontier.reserve(&host(name), DELAY).await.unwrap();
            let rests = |moment: Timestamp| moment.since(killed) >= LONG;
            assert!(matches!(answer, Reservation::NotBefore(moment) if rests(moment)), "{name}, {stop:?}: {answer:?}");
        }
        assert!(claim(&*frontier, ONE).await.claims.is_empty(), "{stop:?}");
    }
}

pub async fn after_a_clean_stop_hosts_rest_as_long_as_they_were_told(mut home: impl Home) {
    let frontier = home.frontier();
    let names = ["http://a.example/1", "http://b.example/1"];
    frontier.add(ONE, names.map(|name| page(name, Order::FirstIn)).to_vec(), PLENTY).await.unwrap();
    let until = frontier.now().await.unwrap() + Duration::from_secs(3600);
    assert!(granted(frontier.reserve(&host("a.example"), DELAY).await.unwrap()));
    frontier.release(&host("a.example"), Rest { until, ..Rest::default() }).await.unwrap();
    drop(frontier);
    home.restart(Stop::Clean).await;
    let frontier = home.frontier();
    assert_eq!(super::web::names(&claim(&*frontier, ONE).await), ["b.example/1"]);
    assert!(about(claim(&*frontier, ONE).await.next, until));
}

pub async fn a_long_rest_survives_a_kill(mut home: impl Home) {
    let frontier = home.frontier();
    let until = frontier.now().await.unwrap() + Duration::from_secs(3600);
    assert!(granted(frontier.reserve(&host("a.example"), DELAY).await.unwrap()));
    frontier.release(&host("a.example"), Rest { until, ..Rest::default() }).await.unwrap();
    drop(frontier);
    home.restart(Stop::Killed).await;
    let again = home.frontier().reserve(&host("a.example"), DELAY).await.unwrap();
    assert!(matches!(again, Reservation::NotBefore(next) if about(Some(next), until)), "{again:?}");
}

pub async fn figures_survive_every_stop(mut home: impl Home) {
    let frontier = home.frontier();
    frontier.add(ONE, vec![page("http://a.example/", best(0.5))], PLENTY).await.unwrap();
    let claim = claim_one(&*frontier, ONE).await;
    release(&*frontier, &claim).await;
    let links = vec![page("http://a.example/1", best(0.5)), image("http://c.example/i", best(0.5))];
    frontier.finish(ONE, &[read(claim, links)], PLENTY).await.unwrap();
    let figures = frontier.figures(ONE).await.unwrap();
    let expected = FrontierFigures {
        known_pages: 2,
        known_media: 1,
        queued_pages: 1,
        queued_media: 1,
        ..FrontierFigures::default()
    };
    assert_eq!(figures, expected);
    drop(frontier);
    for stop in [Stop::Clean, Stop::Killed, Stop::Killed] {
        home.restart(stop).await;
        assert_eq!(home.frontier().figures(ONE).await.unwrap(), expected, "{stop:?}");
    }
}

pub async fn crawls_have_queues_of_their_own(home: impl Home) {
    let frontier = home.frontier();
    let seed = || vec![page("http://a.example/", Order::FirstIn)];
    assert_eq!(frontier.add(ONE, seed(), PLENTY).await.unwrap(), 1);
    assert!(claim(&*frontier, TWO).await.empty);
    assert_eq!(frontier.add(TWO, seed(), PLENTY).await.unwrap(), 1);
    assert_eq!(frontier.figures(ONE).await.unwrap().known_pages, 1);
}

pub async fn what_an_origin_said_is_remembered(mut home: impl Home) {
    let origin = url("https://a.example/page").origin();
    let other = url("http://a.example/page").origin();
    let record = OriginRecord {
        at: Timestamp(5),
        fresh_until: Timestamp(9),
        status: Some(200),
        trouble: None,
        attempts: 0,
        body: b"User-agent: *\nDisallow: /".repeat(20_000),
    };
    let frontier = home.frontier();
    assert_eq!(frontier.origin(&origin, OriginFile::Robots).await.unwrap(), None);
    frontier.remember_origin(&origin, OriginFile::Robots, record.clone()).await.unwrap();
    drop(frontier);
    home.restart(Stop::Killed).await;
    let frontier = home.frontier();
    assert_eq!(frontier.origin(&origin, OriginFile::Robots).await.unwrap(), Some(record));
    assert_eq!(frontier.origin(&origin, OriginFile::Tdm).await.unwrap(), None);
    assert_eq!(frontier.origin(&other, OriginFile::Robots).await.unwrap(), None);
}
