//! The statements of the suite, for the embedded home and for the shared one.

mod audit;
mod faults;
mod server;
mod shared;
mod suite;

use std::path::Path;
use std::sync::Arc;

use facts::MediaId;
use store::{
    CrawlId, Forget, Forgotten, Frontier, Imported, ImportedFile, Library, Options, RunId, Store, StoreError,
    Timetable, Visited,
};
use suite::{DELAY, Home, PLENTY, Stop};

struct Embedded {
    dir: tempfile::TempDir,
    store: Option<Store>,
}

impl Embedded {
    fn open(dir: &Path) -> Option<Store> {
        // Few active hosts, so that the others are parked in these small crawls too.
        let options = Options { what: "a test".into(), default_delay: DELAY, active_hosts: 2, ..Options::default() };
        Some(Store::open(dir, options).unwrap())
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }
}

#[async_trait::async_trait]
impl Home for Embedded {
    async fn new() -> Self {
        // In memory where there is such a place: making thousands of small files safe on disk says
        // nothing here and takes minutes.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let store = Self::open(dir.path());
        Self { dir, store }
    }

    fn frontier(&self) -> Arc<dyn Frontier> {
        Arc::clone(self.store().frontier())
    }

    fn library(&self) -> Arc<dyn Library> {
        Arc::clone(self.store().library())
    }

    async fn restart(&mut self, stop: Stop) {
        let store = self.store.take().unwrap();
        match stop {
            Stop::Clean => store.close().await.unwrap(),
            Stop::Killed => drop(store),
        }
        self.store = Self::open(self.dir.path());
    }

    async fn commit(&self, crawl: CrawlId, run: RunId, visits: Vec<Visited>) -> Result<(), StoreError> {
        self.store().commit(crawl, run, visits, PLENTY).await.map(drop)
    }

    async fn import(&self, files: Vec<ImportedFile>) -> Result<Imported, StoreError> {
        self.store().import(files).await
    }

    async fn forget(&self, what: Forget) -> Result<Forgotten, StoreError> {
        self.store().forget(&what).await
    }

    async fn remove(&self, id: MediaId) -> Result<bool, StoreError> {
        self.store().remove(id).await
    }

    async fn audit(&self) {
        audit::audit(self.store().dir());
    }
}

every_statement!(Embedded);

/// Another process changes the timetable while the library is written to.
#[tokio::test]
async fn schedules_can_be_changed_beside_a_writer() {
    let home = Embedded::new().await;
    let library = home.library();
    let timetable = Timetable::open(home.dir.path()).unwrap();
    let made = timetable.save_schedule(&suite::timetable::schedule("beside")).unwrap();
    assert_eq!(library.schedules().await.unwrap(), std::slice::from_ref(&made));
    let writing = tokio::spawn({
        let library = home.library();
        async move {
            for n in 0..100 {
                library.save_setting("n", &serde_json::json!(n)).await.unwrap();
            }
        }
    });
    for n in 0..20 {
        timetable.save_schedule(&suite::timetable::schedule(&format!("n{n}"))).unwrap();
        tokio::task::yield_now().await;
    }
    writing.await.unwrap();
    assert_eq!(library.schedules().await.unwrap().len(), 21);
    let run = library.start_scheduled(made.id, facts::Timestamp(1), facts::Timestamp(2)).await.unwrap().unwrap();
    assert_eq!(timetable.scheduled_runs(made.id, None, 9).unwrap()[0].id, run);
    assert!(timetable.remove_schedule(made.id).unwrap());
    assert_eq!(library.schedule(made.id).await.unwrap(), None);
    assert_eq!(timetable.schedule(made.id).unwrap(), None);
}

#[test]
fn a_timetable_makes_its_library() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let made = Timetable::open(&data).unwrap().save_schedule(&suite::timetable::schedule("first")).unwrap();
    assert_eq!(Timetable::open(&data).unwrap().schedules().unwrap(), [made]);
    let store = Embedded::open(&data).unwrap();
    drop(store);
    // Where there is no library and someone else is about to make it, who that is is said.
    let other = dir.path().join("other");
    let store = Embedded::open(&other).unwrap();
    std::fs::remove_file(other.join("library.db")).unwrap();
    assert!(matches!(Timetable::open(&other), Err(StoreError::InUse { .. })));
    drop(store);
    // Other people's directories are left alone.
    std::fs::write(dir.path().join("letter.txt"), "dear").unwrap();
    assert!(matches!(Timetable::open(dir.path()), Err(StoreError::Foreign { .. })));
}
