//! A library that is moved while somebody does not know of it.

use store::{Home, Move, Moved, Options, Store, StoreError, move_house};

use super::at_once::{Database, scratch};
use crate::suite::library::start;
use crate::suite::web::*;

/// Moves what is in a database to a directory; when the tables are there and the queue is not, something happens.
fn move_out(database: &Database, to: &std::path::Path, happens: &mut dyn FnMut()) -> Result<Moved, StoreError> {
    let from = Home::Database { url: database.url(), dir: to.join("files") };
    let order = Move { from, to: Home::Directory(to.join("data")), media: None };
    let mut once = false;
    move_house(&order, &mut |so_far| {
        if so_far.part == "batches of words" && !std::mem::replace(&mut once, true) {
            happens();
        }
    })
}

/// Something to move.
async fn fill(store: &Store, name: &str) {
    let (_, run) = start(&**store.library()).await;
    let visit = read(page_claim(&format!("http://m.example/{name}")), Vec::new());
    store.library().record(run.id, &[visit]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_starts_during_a_move_keeps_it_from_ending() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    fill(&store, "one").await;
    store.close().await.unwrap();
    // It came and went between two looks.
    let mut joins = || {
        let store = database.join(dir.path());
        tokio::runtime::Handle::current().block_on(store.close()).unwrap();
    };
    let moved = tokio::task::block_in_place(|| move_out(&database, dir.path(), &mut joins));
    assert!(matches!(moved, Err(StoreError::Disturbed { .. })), "{moved:?}");
    // Nobody takes what is there for all of it.
    let opened = tokio::task::block_in_place(|| Store::open(&dir.path().join("data"), Options::default()));
    assert!(matches!(opened, Err(StoreError::HalfMoved { .. })));
    // It changed nothing, so what is there is gone on with.
    tokio::task::block_in_place(|| move_out(&database, dir.path(), &mut || ())).unwrap();
    drop(tokio::task::block_in_place(|| Store::open(&dir.path().join("data"), Options::default())).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_that_changes_during_a_move_keeps_it_from_ending() {
    let (database, dir) = (Database::new(), scratch());
    let store = database.join(dir.path());
    fill(&store, "one").await;
    store.close().await.unwrap();
    let mut changes = || drop(database.ask("UPDATE writer SET revision = revision + 1 RETURNING revision"));
    let moved = tokio::task::block_in_place(|| move_out(&database, dir.path(), &mut changes));
    assert!(matches!(moved, Err(StoreError::Disturbed { .. })), "{moved:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_refused_a_half_moved_library_does_not_look_as_if_it_was_at_work() {
    let (database, dir) = (Database::new(), scratch());
    database.ask("INSERT INTO setting (name, value) VALUES ('moving', '{}')");
    let options = Options { database: Some(database.url()), ..Options::default() };
    let refused = tokio::task::block_in_place(|| Store::open(dir.path(), options));
    assert!(matches!(refused, Err(StoreError::HalfMoved { .. })));
    assert_eq!(database.ask("SELECT count(*) FROM worker"), "0");
}
