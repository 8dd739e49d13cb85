//! Servers and stores that misbehave: what is lost is only what they withhold, and it is said.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::{Bird, said};
use crate::site::{Reply, Site};

fn crawl(site: &Site, more: &[&str]) -> Vec<String> {
    let mut arguments = vec!["crawl".to_owned(), "http://one.test/".into(), "--delay".into(), "20ms".into()];
    arguments.extend(site.resolve("*.test"));
    arguments.extend(more.iter().map(|argument| argument.to_string()));
    arguments
}

/// A page that leads to the next, and so on.
fn endless() -> Site {
    Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        path => {
            let number: u64 = path.trim_start_matches('/').parse().unwrap_or(0);
            Reply::html(&format!("<a href=/{}>next</a>", number + 1))
        }
    })
}

/// Waits until the path was asked for so often.
fn wait_for(site: &Site, path: &str, count: usize) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while site.count(path) < count {
        assert!(Instant::now() < deadline, "{path} was not asked for: {:?}", site.log());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_dead_port_of_a_host_costs_its_links_and_nothing_else() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::html("<a href='http://one.test:9/dead'>x</a><a href=/a>a</a><a href=/b>b</a><img src=/p.gif>"),
        "/p.gif" => Reply::picture(),
        _ => Reply::html("<p>fine"),
    });
    let bird = Bird::new();
    // Port 9 of the host goes to a port of loopback where nothing listens.
    let mut arguments = vec!["--resolve".to_owned(), "one.test:9=127.0.0.1:1".into()];
    arguments.extend(site.resolve("*.test"));
    let order = ["crawl", "http://one.test/", "--delay", "20ms", "--keep", "all"]
        .map(String::from)
        .into_iter()
        .chain(arguments);
    let summary = bird.json(order);
    assert_eq!((&summary["pages"], &summary["stopped"]), (&3.into(), &"empty".into()), "{summary}");
    assert_eq!((&summary["errors"]["connect"], &summary["images"]["kept"]), (&1.into(), &1.into()), "{summary}");
}

#[test]
fn a_robots_file_that_cannot_be_had_is_asked_for_again_and_forbids() {
    let site = Site::start(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("one.test", "/robots.txt") => Reply::status(404),
        ("one.test", "/") => Reply::html("<a href=http://ill.test/>x</a><a href=http://well.test/>y</a>"),
        ("ill.test", "/robots.txt") => Reply::status(500),
        ("well.test", "/robots.txt") => Reply::status(503).with("Retry-After", "0"),
        _ => Reply::html("<p>fine"),
    });
    let bird = Bird::new();
    let summary = bird.json(crawl(&site, &[]));
    assert_eq!((&summary["pages"], &summary["errors"]["robots-unreachable"]), (&1.into(), &2.into()), "{summary}");
    let asked: Vec<_> = site.log().into_iter().filter(|asked| asked.host != "one.test").collect();
    assert!(asked.iter().all(|asked| asked.path == "/robots.txt"), "{asked:?}");
    assert!(asked.len() >= 4, "each was asked for more than once: {asked:?}");
}

#[test]
fn a_redirected_robots_file_whose_host_is_busy_is_waited_for() {
    let site = Site::start(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("one.test", "/robots.txt") | ("two.test", "/robots.txt") => Reply::status(404),
        ("one.test", "/") => Reply::html("<a href=http://two.test/slow>x</a><a href=http://three.test/secret>y</a>"),
        ("two.test", "/slow") => Reply::html("<p>slow").after(Duration::from_secs(2)),
        ("three.test", "/robots.txt") => Reply::redirect("http://two.test/rules.txt"),
        ("two.test", "/rules.txt") => Reply::text("User-agent: *\nDisallow: /secret\n"),
        _ => Reply::html("<p>secret"),
    });
    let bird = Bird::new();
    let summary = bird.json(crawl(&site, &[]));
    assert_eq!((&summary["pages"], &summary["errors"]["robots"]), (&2.into(), &1.into()), "{summary}");
    assert_eq!(site.count("/secret"), 0);
}

#[test]
fn crawl_delays_hold_for_every_kind_of_request() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Reply::text("User-agent: *\nCrawl-delay: 0.4\n"),
        "/" => Reply::html("<img src=/p.gif><a href=/moved>a</a>"),
        "/moved" => Reply::redirect("/b"),
        "/p.gif" => Reply::picture(),
        "/b" => Reply::status(500),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    bird.json(crawl(&site, &[]));
    assert!(site.count("/.well-known/tdmrep.json") == 1 && site.count("/p.gif") == 1 && site.count("/b") == 3);
    let gap = site.shortest_gap("one.test");
    assert!(gap >= Duration::from_millis(400), "{gap:?} {:?}", site.log());
}

#[test]
fn a_killed_crawl_waits_the_delay_it_had() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::html("<a href=/slow>a</a>"),
        "/slow" => Reply::html("<p>slow").after(Duration::from_millis(700)),
        _ => Reply::html("<p>fine"),
    });
    let bird = Bird::new();
    let mut order = crawl(&site, &["--name", "x"]);
    let delay = order.iter().position(|argument| argument == "20ms").unwrap();
    order[delay] = "1500ms".into();
    let mut running = bird.spawn(order);
    wait_for(&site, "/slow", 1);
    running.signal(Signal::KILL);
    running.0.wait().unwrap();
    let killed = Instant::now();
    let resume = ["crawl".to_owned(), "--resume".into(), "x".into()].into_iter().chain(site.resolve("*.test"));
    bird.json(resume);
    let next = site.log().into_iter().find(|asked| asked.at > killed).unwrap();
    let waited = next.at - killed;
    assert!(waited >= Duration::from_millis(1400), "{waited:?}");
}

#[test]
fn a_cookie_wall_is_passed_also_after_an_interruption() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::html("<a href=/walled>a</a>"),
        "/walled" if asked.cookie.contains("yes") => Reply::html("<p>inside"),
        "/walled" => Reply::redirect("/consent?to=walled"),
        "/consent?to=walled" => Reply::redirect("/walled").with("Set-Cookie", "consent=yes"),
        _ => Reply::status(404),
    });
    let whole = Bird::new();
    assert_eq!(whole.json(crawl(&site, &[]))["pages"], 2);

    let bird = Bird::new();
    let before = site.count("/consent?to=walled");
    let mut running = bird.spawn(crawl(&site, &["--name", "x"]));
    wait_for(&site, "/consent?to=walled", before + 1);
    running.signal(Signal::INT);
    running.0.wait().unwrap();
    bird.json(crawl(&site, &["--name", "x"]));
    let kept = bird.kept();
    assert!(kept.pages.contains("http://one.test/walled"), "{:?} {:?}", kept.pages, kept.failures);
}

#[test]
fn a_page_behind_a_cookie_wall_that_was_written_and_not_finished_is_read_again_with_its_links() {
    let open = Arc::new(AtomicBool::new(false));
    let is_open = Arc::clone(&open);
    let slowly = |reply: Reply| reply.after(Duration::from_millis(1_500));
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/robots.txt" => Reply::status(404),
        "/" => Reply::html("<a href=/walled>a</a>"),
        "/walled" if is_open.load(Ordering::Relaxed) => Reply::html("<a href=/inside>b</a>"),
        "/walled" if asked.cookie.contains("yes") => slowly(Reply::html("<a href=/inside>b</a>")),
        "/walled" => Reply::redirect("/consent?to=walled"),
        "/consent?to=walled" => Reply::redirect("/walled").with("Set-Cookie", "consent=yes"),
        "/inside" => slowly(Reply::html("<p>inside")),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let crawl_until_killed = |path: &str, times: usize| {
        let mut running = bird.spawn(crawl(&site, &["--name", "x"]));
        wait_for(&site, path, times);
        running.signal(Signal::KILL);
        running.0.wait().unwrap();
    };
    // Killed while the page is asked for the second time, with the cookie: the queue has it.
    crawl_until_killed("/walled", 2);
    let (queue, before) = (bird.data().join("frontier"), bird.data().join("before"));
    assert!(Command::new("cp").arg("-a").args([&queue, &before]).status().unwrap().success());
    // It is read and written; then the queue is as it was: so it is after a kill between the two.
    open.store(true, Ordering::Relaxed);
    crawl_until_killed("/inside", 1);
    assert!(bird.kept().pages.contains("http://one.test/walled"));
    open.store(false, Ordering::Relaxed);
    std::fs::remove_dir_all(&queue).unwrap();
    std::fs::rename(&before, &queue).unwrap();
    let summary = bird.json(crawl(&site, &["--name", "x"]));
    assert_eq!(summary["stopped"], "empty", "{summary}");
    let kept = bird.kept();
    assert!(kept.pages.contains("http://one.test/inside"), "{:?} {:?}", kept.pages, site.log());
}

#[test]
fn a_cookie_wall_is_passed_by_every_page_that_led_to_it() {
    // Several pages are asked for before the slow wall sets its cookie, which is the same for each of them.
    let site = Site::start(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        (_, "/robots.txt") => Reply::status(404),
        ("wall.one.test", path) => {
            let back = Reply::redirect(&format!("http://one.test{}", path.trim_start_matches("/consent")));
            back.with("Set-Cookie", "consent=yes; Domain=one.test; Path=/").after(Duration::from_millis(300))
        }
        (_, "/") => Reply::html("<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/circle>d</a>"),
        (_, "/circle") => Reply::redirect("http://wall.one.test/consent/circle"),
        (_, page) if asked.cookie.contains("yes") => Reply::html(&format!("<p>inside {page}")),
        (_, page) => Reply::redirect(&format!("http://wall.one.test/consent{page}")),
    });
    let bird = Bird::new();
    let summary = bird.json(crawl(&site, &[]));
    assert_eq!((&summary["pages"], &summary["stopped"]), (&4.into(), &"empty".into()), "{summary}");
    assert_eq!(summary["errors"]["redirect"], 1, "a wall that stays shut is a circle: {summary}");
    // Those that are asked for late find it open at once.
    assert!(["/circle", "/a", "/b", "/c"].iter().all(|page| site.count(page) <= 2), "{:?}", site.log());
}

#[test]
fn a_library_that_cannot_be_written_ends_the_crawl_with_a_word() {
    let site = endless();
    let bird = Bird::new();
    let running = bird.spawn(crawl(&site, &["--max-pages", "100000"]));
    wait_for(&site, "/5", 1);
    let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
    // A lock that a patient writer outlives: nothing is lost and the crawl goes on.
    library.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::sleep(Duration::from_millis(700));
    library.execute_batch("ROLLBACK").unwrap();
    wait_for(&site, "/40", 1);
    // A table that has gone: it ends by itself and says so.
    library.execute_batch("DROP TABLE tally").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut running = running;
    while running.0.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "the crawl goes on without its library");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running.0.wait().unwrap().code(), Some(1));
}

#[test]
fn a_seed_that_redirects_takes_its_scope_along_and_one_that_failed_is_tried_again() {
    let site = Site::start({
        let asked_before = std::sync::atomic::AtomicBool::new(false);
        move |asked| match (asked.host.as_str(), asked.path.as_str()) {
            (_, "/robots.txt") => Reply::status(404),
            ("one.test", _) => Reply::redirect("http://www.one.test/"),
            ("late.test", _) if !asked_before.swap(true, std::sync::atomic::Ordering::Relaxed) => Reply::status(404),
            (_, "/") => Reply::html("<a href=/inside>a</a><a href=http://other.test/>b</a>"),
            _ => Reply::html("<p>fine"),
        }
    });
    let bird = Bird::new();
    let summary = bird.json(crawl(&site, &["--scope", "host"]));
    assert_eq!(summary["pages"], 2, "{summary}");
    assert!(site.log().iter().all(|asked| asked.host != "other.test"));

    let late: Vec<String> = ["crawl", "http://late.test/", "--delay", "20ms"]
        .map(String::from)
        .into_iter()
        .chain(site.resolve("*.test"))
        .collect();
    let first = bird.run(&late);
    assert_eq!(first.status.code(), Some(1));
    assert!(said(&first).1.contains("404"), "{}", said(&first).1);
    assert!(bird.json(&late)["pages"].as_u64() >= Some(1));
}

#[test]
fn limits_given_on_resume_are_the_limits() {
    let site = endless();
    let bird = Bird::new();
    let mut running = bird.spawn(crawl(&site, &["--max-pages", "100000", "--name", "x"]));
    wait_for(&site, "/5", 1);
    running.signal(Signal::INT);
    running.0.wait().unwrap();
    let before = bird.kept().pages.len() as u64;
    let most = (before + 3).to_string();
    let resume = ["crawl", "--resume", "x", "--max-pages", &most].map(String::from).into_iter();
    let summary = bird.json(resume.chain(site.resolve("*.test")));
    assert_eq!((&summary["pages"], &summary["stopped"]), (&(before + 3).into(), &"max-pages".into()), "{summary}");
}
