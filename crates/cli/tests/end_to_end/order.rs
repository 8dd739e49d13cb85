//! Orders of visits, limits and readers.

use std::time::{Duration, Instant};

use crate::harness::{Bird, Lab, said, small_web};

/// Addresses and depths up to the first host that failed and had to be left alone.
fn visits_in_order(bird: &Bird) -> Vec<(String, u32)> {
    let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
    let mut statement =
        library.prepare("SELECT url, depth, status FROM visit WHERE kind = 'page' ORDER BY id").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let visits = rows.map(Result::unwrap).take_while(|(.., status): &(_, _, Option<u16>)| status.unwrap_or(200) < 500);
    visits.map(|(url, depth, _)| (url, depth)).collect()
}

fn crawl(lab: &Lab, strategy: &str, pages: &str) -> Bird {
    let bird = Bird::new();
    let once = bird.file("once.toml", "[crawl]\ntries = 1\n");
    let mut arguments = vec!["--config".to_owned(), once, "crawl".into(), lab.seeds[0].clone()];
    arguments.extend(lab.reach());
    for argument in ["--strategy", strategy, "--concurrency", "1", "--delay", "0", "--max-pages", pages] {
        arguments.push(argument.into());
    }
    bird.json(arguments);
    bird
}

/// A web whose hosts are always ready, so that politeness does not change the order.
fn ready_web(number: u64) -> Lab {
    Lab::start(lab::Settings { flaky_share: 0.0, crawl_delay: 0.0, ..small_web(number) })
}

#[test]
fn breadth_first_visits_level_by_level() {
    let lab = ready_web(31);
    let depths: Vec<u32> = visits_in_order(&crawl(&lab, "bfs", "40")).into_iter().map(|(_, depth)| depth).collect();
    assert!(depths.is_sorted(), "{depths:?}");
    assert_eq!(depths[0], 0);
    assert!(depths.contains(&1));
}

#[test]
fn depth_first_goes_down_before_it_goes_on() {
    let lab = ready_web(31);
    let depths: Vec<u32> = visits_in_order(&crawl(&lab, "dfs", "12")).into_iter().map(|(_, depth)| depth).collect();
    assert!(*depths.iter().max().unwrap() >= 6, "{depths:?}");
}

#[test]
fn the_same_crawl_twice_visits_in_the_same_order() {
    let lab = ready_web(32);
    for strategy in ["bfs", "dfs", "best-first", "backlink"] {
        let (one, two) = (crawl(&lab, strategy, "25"), crawl(&lab, strategy, "25"));
        let (one, two) = (visits_in_order(&one), visits_in_order(&two));
        assert!(one.len() >= 10, "{strategy}: {one:?}");
        assert_eq!(one, two, "{strategy}");
    }
}

/// A crawl by words goes on after a stop with what it counted, and its pictures are found by the words that
/// tell their pages from others.
#[test]
fn words_guide_a_crawl_and_tell_its_pages_apart() {
    let topics = Some(lab::Topics::default());
    let lab = Lab::start(lab::Settings { topics, flaky_share: 0.0, crawl_delay: 0.0, pages: 400, ..small_web(34) });
    let bird = Bird::new();
    let mut arguments = vec!["crawl".to_owned(), lab.seeds[0].clone(), "--name".into(), "words".into()];
    arguments.extend(lab.reach());
    let more = ["--strategy", "weighted", "--query", "harbour", "--idf", "on", "--vertex", "both", "--keep", "all"];
    arguments.extend(more.iter().chain(&["--delay", "0", "--max-pages", "25"]).map(|argument| argument.to_string()));
    let counted = |table: &str| {
        let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
        library.query_row(&format!("SELECT length(bytes) FROM {table}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(bird.json(&arguments)["pages"], 25);
    let (lexicon, model) = (counted("lexicon"), counted("model"));
    assert_eq!(bird.json(&arguments)["pages"], 25);
    assert!(counted("lexicon") > lexicon && counted("model") > model, "what was counted is counted on");

    let crawl = bird.json(["crawls", "words"]);
    let (units, figures) = (&crawl["units"], &crawl["crawl"]["figures"]);
    let of = |unit: &str| units[unit].as_u64().unwrap();
    assert_eq!(units["assigned"], figures["visits"]);
    assert!(of("fetched") <= of("assigned") && of("fetched") > 50, "{units}");
    assert!(of("found") > of("ranked") && of("ranked") > of("assigned") && of("dynamic") == 0, "{units}");
    assert_eq!(bird.json(["stats"])["units"], *units);
    let (said, _) = said(&bird.run(["crawls", "words"]));
    for unit in ["controller", "crawler", "link extractor", "dynamic unit", "sorter"] {
        assert!(said.contains(unit), "{said}");
    }

    let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
    let telling: String = library
        .query_row(
            "SELECT telling FROM page JOIN reference ON reference.page = page.id
             JOIN media_address ON media_address.id = media_address WHERE media IS NOT NULL AND telling <> ''
             ORDER BY page.id LIMIT 1",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let word = telling.split(", ").next().unwrap();
    let found = bird.json(["search", &format!("+{word}")]);
    assert!(found["total"].as_u64().unwrap() > 0, "{word} of {telling}: {found}");
    let written = said_by(&bird, word);
    assert!(written.contains(&format!("\"{word}\"")), "{word}: {written}");
}

/// What an export says of pictures with a word.
fn said_by(bird: &Bird, word: &str) -> String {
    said(&bird.run(["export", "--format", "jsonl", &format!("+{word}")])).0
}

#[test]
fn limits_end_a_run_and_say_so() {
    let lab = Lab::small(33);
    let run = |more: &[&str]| {
        let bird = Bird::new();
        let mut arguments = vec!["crawl".to_owned(), lab.seeds[0].clone(), "--delay".into(), "10ms".into()];
        arguments.extend(lab.reach());
        arguments.extend(more.iter().map(|argument| argument.to_string()));
        bird.json(arguments)
    };
    assert_eq!(run(&["--max-pages", "7"])["pages"], 7);
    assert_eq!(run(&["--max-bytes", "200kB"])["stopped"], "max-bytes");
    let started = Instant::now();
    assert_eq!(run(&["--max-time", "1s"])["stopped"], "max-time");
    assert!(started.elapsed() < Duration::from_secs(10));
    let until = run(&["--until", &lab.seeds[0]]);
    assert_eq!((&until["stopped"], &until["pages"]), (&"until".into(), &1.into()));
    assert_eq!(run(&["--min-free-disk", "900000TB", "--max-pages", "1000000"])["stopped"], "disk");
    assert_eq!(run(&["--max-depth", "0"])["pages"], 1);
}

#[test]
fn readers_work_while_a_crawl_writes_and_a_second_writer_is_refused() {
    let lab = Lab::small(34);
    let bird = Bird::new();
    let mut arguments = vec!["crawl".to_owned(), "--name".into(), "busy".into(), "--delay".into(), "200ms".into()];
    arguments.extend(lab.seeds.clone());
    arguments.extend(lab.reach());
    let running = bird.spawn(&arguments);
    crate::crash::wait_for_requests(&lab, 20);

    assert!(bird.json(["stats"])["links"]["discovered"].as_u64().is_some());
    assert_eq!(bird.json(["crawls"])["crawls"][0]["crawl"]["name"], "busy");
    let second = bird.run(&arguments);
    let (_, errors) = said(&second);
    assert_eq!(second.status.code(), Some(1), "{errors}");
    assert!(errors.contains(&running.0.id().to_string()) && errors.contains("busy"), "{errors}");
}
