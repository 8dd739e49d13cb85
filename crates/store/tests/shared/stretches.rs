//! Numbers in stretches, as the index of words knows them.

use std::sync::Arc;

use facts::LatLon;
use media::Facts;
use store::{Area, ItemFilter, ItemOrder, Library, Want};

use super::at_once::{Database, scratch};
use crate::suite::library::start;
use crate::suite::lists::whole;
use crate::suite::web::*;

/// Numbers that items are given after each jump.
const EACH: i64 = 7;

/// Writes pictures whose numbers are spread over several stretches of each level.
async fn spread(database: &Database, library: &dyn Library) -> Vec<i64> {
    let (_, run) = start(library).await;
    let mut numbers = Vec::new();
    for from in [1i64, 4_090, 65_530, 70_000, 1_048_570, 16_777_210, 16_777_300] {
        database.ask(&format!("SELECT setval(pg_get_serial_sequence('media', 'id'), {from}, false)"));
        let visits = (from..from + EACH).map(|number| {
            let name = format!("n{number}");
            let title = if number % 2 == 0 { "old lantern" } else { "lantern, an old one" };
            let facts = Facts { title: Some(title.into()), ..taken_at(53.0, number as f64 / 1e6) };
            kept_as(image_claim(&format!("http://m.example/{name}.jpg")), &name, facts)
        });
        library.record(run.id, &visits.collect::<Vec<_>>()).await.unwrap();
        numbers.extend(from..from + EACH);
    }
    let given = numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    assert_eq!(database.ask("SELECT string_agg(id::TEXT, ',' ORDER BY id) FROM media"), given);
    numbers
}

fn words(text: &str) -> ItemFilter {
    ItemFilter { words: Want::parse(text), ..ItemFilter::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_found_in_all_stretches_however_many_are_said_to_have_them() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let library = Arc::clone(store.library());
    let all = spread(&database, &*library).await;
    let even: Vec<i64> = all.iter().copied().filter(|number| number % 2 == 0).collect();
    let nearby: Vec<i64> = all.iter().copied().filter(|number| *number < 80_000).collect();
    let there = Some(Area::circle(LatLon::new(53.0, 0.0).unwrap(), 6_000.0));
    // As many as there are, and so many that a few numbers are thought to be enough.
    for said in [49, 3_000, 200_000, 40_000_000] {
        database.ask(&format!("UPDATE word SET items = {said} WHERE text IN ('old', 'lantern')"));
        for (text, area, expected) in [
            ("lantern", None, &all),
            ("\"old lantern\"", None, &even),
            ("lantern -nothing", None, &all),
            ("old OR lantern", None, &all),
            ("lantern", there.clone(), &nearby),
            ("\"old lantern\" lantern", None, &even),
        ] {
            let filter = ItemFilter { area, ..words(text) };
            let found = library.search_items(&filter, None, 0, 99).await.unwrap();
            let mut numbers: Vec<i64> = found.found.iter().map(|found| found.what.number).collect();
            numbers.sort_unstable();
            assert_eq!(
                (&numbers, found.total, found.more),
                (expected, expected.len() as u64, false),
                "{text} of {said}"
            );
            let listed = whole(&*library, &filter, ItemOrder::Newest, 10).await;
            let newest: Vec<i64> = listed.iter().rev().map(|item| item.number).collect();
            assert_eq!(&newest, expected, "{text} of {said}, newest first");
            let (mut rising, mut after) = (Vec::new(), 0);
            loop {
                let items = library.items(&filter, after, 10).await.unwrap();
                let Some(last) = items.last() else { break };
                after = last.number;
                rising.extend(items.iter().map(|item| item.number));
            }
            assert_eq!(&rising, expected, "{text} of {said}, in order");
        }
    }
}

/// A function as the first step made it.
fn at_first(name: &str) -> &'static str {
    let tables = include_str!("../../src/postgres/frontier.sql");
    let from = tables.find(&format!("CREATE FUNCTION {name}(")).unwrap();
    let end = "END $$;";
    &tables[from..from + tables[from..].find(end).unwrap() + end.len()]
}

/// Takes back what the steps of the tables made after the first, the last of them first.
fn taken_back() -> [String; 4] {
    [
        format!(
            "DROP FUNCTION take_best(BIGINT, BIGINT, INTEGER, INTEGER, BIGINT, BIGINT, BIGINT, BIGINT); {};
             DROP FUNCTION give_back(BIGINT, BIGINT, BIGINT); {};
             ALTER TABLE host_clock DROP COLUMN rest_ms",
            at_first("take_best"),
            at_first("give_back")
        ),
        "DROP FUNCTION take_out(BIGINT, BIGINT[], SMALLINT[], BIGINT[], BIGINT[]);
         DROP INDEX claimed_by; CREATE INDEX claimed_by ON claimed (crawl, lane, worker)"
            .into(),
        "UPDATE item_words SET words = ts_delete(words, ARRAY(
             SELECT lexeme FROM unnest(words) WHERE lexeme LIKE U&'\\E003%'));
         ALTER TABLE location DROP COLUMN duplicate"
            .into(),
        "UPDATE bowerbird SET version = 1".into(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_an_older_version_is_brought_up_to_date() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    let all = spread(&database, &**store.library()).await;
    database.ask("UPDATE media SET duplicate = 1 WHERE id % 3 = 0");
    database.ask("UPDATE location SET duplicate = 1 WHERE media % 3 = 0");
    store.close().await.unwrap();
    let words_of = "SELECT string_agg(rowid || ' ' || words::TEXT, E'\n' ORDER BY rowid) FROM item_words";
    let copies = "SELECT string_agg(media::TEXT, ' ' ORDER BY media) FROM location WHERE duplicate = 1";
    let before = [database.ask(words_of), database.ask(copies)];
    let newest: usize = database.ask("SELECT version FROM bowerbird").parse().unwrap();
    let steps = taken_back();
    assert_eq!(newest, steps.len(), "a step was added that is not taken back here");
    for step in steps {
        database.ask(&step);
    }
    assert_ne!(database.ask(words_of), before[0]);
    let store = database.join(dir.path());
    assert_eq!([database.ask(words_of), database.ask(copies)], before);
    let copies = before[1].split(' ').count();
    let located = ItemFilter { located: Some(true), ..ItemFilter::default() };
    let found = store.library().search_items(&located, None, 0, 99).await.unwrap();
    assert_eq!(found.total as usize, all.len() - copies);
}
