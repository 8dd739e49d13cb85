//! The timetable against a clock that is moved by hand.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use crawl::Settings;
use facts::Timestamp;
use store::{CatchUp, RunLimits, Schedule, ScheduleId, ScheduledOutcome, ScheduledRun, Store, StoreError};
use tokio::sync::oneshot;

use super::hands::{Clock, Hands, Started};
use super::keeper::{Keeper, Timetable};

const MINUTE: i64 = 60_000;
/// 2026-11-16, a Monday, at midnight.
const MIDNIGHT: i64 = 1_794_787_200_000;

#[derive(Default)]
struct Hand {
    now: AtomicI64,
    running: Mutex<BTreeMap<String, oneshot::Sender<Result<String, String>>>>,
    started: Mutex<Vec<(String, i64)>>,
    short: Mutex<Option<String>>,
    refuse: Mutex<Option<String>>,
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }
}

#[async_trait]
impl Hands for Hand {
    async fn is_running(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.running.lock().unwrap().contains_key(name))
    }

    fn short_of(&self, _: &Settings) -> Option<String> {
        self.short.lock().unwrap().clone()
    }

    async fn start(&self, name: &str, _: Settings) -> Result<Started, String> {
        if let Some(why) = self.refuse.lock().unwrap().clone() {
            return Err(why);
        }
        let (end, ended) = oneshot::channel();
        self.running.lock().unwrap().insert(name.into(), end);
        self.started.lock().unwrap().push((name.into(), self.now().0));
        let ending = Box::pin(async { ended.await.unwrap_or_else(|_| Err("lost".into())) });
        Ok(Started { figures: Box::new(|| (12, 3)), ending })
    }
}

fn timetable(store: &Store, hand: &Arc<Hand>) -> Arc<Timetable> {
    Timetable::new(Arc::clone(store.library()), Arc::clone(hand) as _, Arc::clone(hand) as _)
}

struct Bench {
    dir: tempfile::TempDir,
    store: Store,
    hand: Arc<Hand>,
    keeper: Keeper,
}

impl Bench {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let hand = Arc::new(Hand { now: AtomicI64::new(MIDNIGHT), ..Hand::default() });
        let (store, keeper) = Self::open(dir.path(), &hand).await;
        Self { dir, store, hand, keeper }
    }

    async fn open(dir: &std::path::Path, hand: &Arc<Hand>) -> (Store, Keeper) {
        let store = Store::open(dir, store::Options::default()).unwrap();
        let keeper = Keeper::open(timetable(&store, hand)).await.unwrap();
        (store, keeper)
    }

    /// As if the server had been killed and started again.
    async fn restart(self) -> Self {
        let Self { dir, store, hand, keeper } = self;
        drop(keeper);
        // What follows a run holds the library until the run ends; with the process it is gone.
        hand.running.lock().unwrap().clear();
        tokio::task::yield_now().await;
        drop(store);
        let (store, keeper) = Self::open(dir.path(), &hand).await;
        Self { dir, store, hand, keeper }
    }

    async fn schedule(&self, cron: &str, catch_up: CatchUp) -> ScheduleId {
        let schedule = Schedule {
            id: ScheduleId(0),
            name: "town".into(),
            cron: cron.into(),
            zone: "UTC".into(),
            enabled: true,
            catch_up,
            crawl: "town".into(),
            settings: serde_json::to_value(Settings::default()).unwrap(),
            created: Timestamp(self.hand.now.load(Ordering::SeqCst)),
            last_due: None,
        };
        self.store.library().save_schedule(&schedule).await.unwrap().id
    }

    /// Moves the clock and looks.
    async fn at(&mut self, since_midnight: i64) {
        self.hand.now.store(MIDNIGHT + since_midnight, Ordering::SeqCst);
        self.keeper.look().await.unwrap();
    }

    fn starts(&self) -> Vec<i64> {
        self.hand.started.lock().unwrap().iter().map(|(_, at)| at - MIDNIGHT).collect()
    }

    /// Ends what runs, and waits until that is written down.
    async fn end(&self, id: ScheduleId, result: Result<String, String>) {
        let end = self.hand.running.lock().unwrap().remove("town").unwrap();
        end.send(result).unwrap();
        while self.runs(id).await.iter().any(|run| run.outcome == ScheduledOutcome::Running) {
            tokio::task::yield_now().await;
        }
    }

    async fn runs(&self, id: ScheduleId) -> Vec<ScheduledRun> {
        self.store.library().scheduled_runs(id, None, 100).await.unwrap()
    }

    async fn outcomes(&self, id: ScheduleId) -> Vec<&'static str> {
        let mut runs = self.runs(id).await;
        runs.reverse();
        runs.iter().map(|run| run.outcome.as_str()).collect()
    }
}

#[tokio::test]
async fn it_fires_within_a_second_of_its_minute_and_once() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("*/5 * * * *", CatchUp::Skip).await;
    // A look every half second, as the server does.
    for half_second in 0..(11 * 120) {
        bench.at(half_second * 500).await;
        if bench.hand.is_running("town").await.unwrap() {
            bench.end(id, Ok("max-pages".into())).await;
        }
    }
    let starts = bench.starts();
    assert_eq!(starts.len(), 2, "{starts:?}");
    for (start, due) in starts.iter().zip([5 * MINUTE, 10 * MINUTE]) {
        assert!((0..1000).contains(&(start - due)), "started at {start}, due at {due}");
    }
    let runs = bench.runs(id).await;
    assert_eq!(bench.outcomes(id).await, ["done", "done"]);
    assert_eq!((runs[0].due.0 - MIDNIGHT, runs[0].pages, runs[0].images), (10 * MINUTE, 12, 3));
    assert_eq!(runs[0].detail, "stopped: max-pages");
}

#[tokio::test]
async fn of_two_who_keep_it_one_starts_what_is_due_and_what_that_one_runs_is_not_dead() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("* * * * *", CatchUp::Skip).await;
    let schedule = bench.store.library().schedule(id).await.unwrap().unwrap();
    // Both looked at the timetable before either wrote to it.
    bench.at(MINUTE).await;
    let other = Arc::new(Hand { now: AtomicI64::new(MIDNIGHT + MINUTE), ..Hand::default() });
    let started = timetable(&bench.store, &other).now(&schedule).await;
    assert!(started.is_err() && other.started.lock().unwrap().is_empty());
    assert_eq!((bench.starts(), bench.outcomes(id).await), (vec![MINUTE], vec!["running"]));
    // Another takes the duty over while the first goes on.
    Keeper::open(timetable(&bench.store, &bench.hand)).await.unwrap();
    assert_eq!(bench.outcomes(id).await, ["running"]);
}

#[tokio::test]
async fn a_crawl_that_still_runs_is_not_started_again() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("* * * * *", CatchUp::Skip).await;
    for minute in 1..=3 {
        bench.at(minute * MINUTE).await;
    }
    assert_eq!(bench.outcomes(id).await, ["running", "skipped", "skipped"]);
    bench.end(id, Err("the disk went away".into())).await;
    bench.at(4 * MINUTE).await;
    assert_eq!(bench.outcomes(id).await, ["failed", "skipped", "skipped", "running"]);
    assert_eq!(bench.starts(), [MINUTE, 4 * MINUTE]);
}

#[tokio::test]
async fn a_run_that_the_server_died_in_is_not_running_for_ever() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("* * * * *", CatchUp::Skip).await;
    bench.at(MINUTE).await;
    assert_eq!(bench.outcomes(id).await, ["running"]);
    // Nobody is told of its end: who would be is dead too.
    let _unheard = std::mem::take(&mut *bench.hand.running.lock().unwrap());
    let another = Keeper::open(timetable(&bench.store, &bench.hand)).await.unwrap();
    assert_eq!(bench.outcomes(id).await, ["died"]);
    assert!(bench.runs(id).await[0].detail.contains("resuming"));
    bench.keeper = another;
    bench.at(2 * MINUTE).await;
    assert_eq!(bench.starts(), [MINUTE, 2 * MINUTE]);
}

#[tokio::test]
async fn a_run_whose_dead_server_counted_as_alive_at_first_is_closed_by_what_its_crawl_says() {
    // Long ago by the clock of the library.
    const THEN: i64 = -20 * 365 * 24 * 60 * MINUTE;
    for (stopped, outcome, detail) in [(None, "died", "resuming"), (Some("max-pages"), "done", "stopped: max-pages")] {
        let mut bench = Bench::new().await;
        bench.hand.now.store(MIDNIGHT + THEN, Ordering::SeqCst);
        let id = bench.schedule("0 * * * *", CatchUp::Skip).await;
        bench.at(THEN + 60 * MINUTE).await;
        // Whoever follows it was heard of once.
        while bench.runs(id).await[0].pages == 0 {
            tokio::task::yield_now().await;
        }
        let library = Arc::clone(bench.store.library());
        let crawl = library.save_crawl("town", &serde_json::json!({})).await.unwrap().id;
        let run = library.start_run(crawl, RunLimits::default(), 1_000).await.unwrap().id;
        // It takes a while until a server that is gone is taken for dead.
        bench.keeper = Keeper::open(timetable(&bench.store, &bench.hand)).await.unwrap();
        bench.at(THEN + 60 * MINUTE + 2_000).await;
        assert_eq!(bench.outcomes(id).await, ["running"]);
        let _unheard = std::mem::take(&mut *bench.hand.running.lock().unwrap());
        if stopped.is_some() {
            library.end_run(run, 5.0, stopped).await.unwrap();
        }
        // Whoever follows it may be a moment late.
        bench.at(THEN + 60 * MINUTE + 12_000).await;
        assert_eq!(bench.outcomes(id).await, ["running"]);
        bench.at(THEN + 60 * MINUTE + 40_000).await;
        assert_eq!(bench.outcomes(id).await, [outcome]);
        let closed = &bench.runs(id).await[0];
        assert!(closed.detail.contains(detail), "{closed:?}");
        bench.at(THEN + 120 * MINUTE).await;
        assert_eq!(bench.starts(), [THEN + 60 * MINUTE, THEN + 120 * MINUTE]);
    }
}

#[tokio::test]
async fn what_passed_while_nobody_looked_is_missed_or_made_up_for_once() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("0 * * * *", CatchUp::Skip).await;
    bench.at(3 * 60 * MINUTE + 10 * MINUTE).await;
    assert_eq!((bench.outcomes(id).await, bench.starts()), (vec!["missed"], vec![]));
    assert_eq!(bench.runs(id).await[0].detail, "3 times passed while no server ran");
    bench.at(4 * 60 * MINUTE).await;
    assert_eq!(bench.starts(), [4 * 60 * MINUTE]);

    let mut bench = Bench::new().await;
    let id = bench.schedule("0 * * * *", CatchUp::Once).await;
    bench.at(3 * 60 * MINUTE + 10 * MINUTE).await;
    bench.at(3 * 60 * MINUTE + 11 * MINUTE).await;
    assert_eq!(bench.outcomes(id).await, ["missed", "running"]);
    assert_eq!(bench.starts(), [3 * 60 * MINUTE + 10 * MINUTE]);
}

#[tokio::test]
async fn while_disk_or_memory_is_short_it_waits() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("0 * * * *", CatchUp::Skip).await;
    *bench.hand.short.lock().unwrap() = Some("the disk has 1 MB free".into());
    bench.at(60 * MINUTE).await;
    bench.at(60 * MINUTE + 500).await;
    assert_eq!((bench.outcomes(id).await, bench.starts()), (vec!["put-off"], vec![]));
    assert_eq!(bench.runs(id).await[0].detail, "the disk has 1 MB free");
    // It waits over a restart too, and starts as soon as there is room.
    bench = bench.restart().await;
    bench.at(70 * MINUTE).await;
    assert_eq!(bench.starts(), [0; 0]);
    *bench.hand.short.lock().unwrap() = None;
    bench.at(71 * MINUTE).await;
    assert_eq!((bench.outcomes(id).await, bench.starts()), (vec!["put-off", "running"], vec![71 * MINUTE]));
    bench.at(72 * MINUTE).await;
    assert_eq!(bench.starts().len(), 1);
}

#[tokio::test]
async fn one_that_is_switched_off_or_cannot_be_started_does_no_harm() {
    let mut bench = Bench::new().await;
    let id = bench.schedule("* * * * *", CatchUp::Skip).await;
    *bench.hand.refuse.lock().unwrap() = Some("no start page can be reached".into());
    bench.at(MINUTE).await;
    assert_eq!(bench.runs(id).await[0].detail, "no start page can be reached");
    assert_eq!(bench.outcomes(id).await, ["failed"]);
    let library = bench.store.library();
    let off = Schedule { enabled: false, ..library.schedule(id).await.unwrap().unwrap() };
    library.save_schedule(&off).await.unwrap();
    bench.at(2 * MINUTE).await;
    assert_eq!(bench.runs(id).await.len(), 1);
}

#[tokio::test]
async fn one_can_be_started_by_hand_but_not_twice() {
    let bench = Bench::new().await;
    let id = bench.schedule("0 0 1 1 *", CatchUp::Skip).await;
    let schedule = bench.store.library().schedule(id).await.unwrap().unwrap();
    let timetable = timetable(&bench.store, &bench.hand);
    timetable.now(&schedule).await.unwrap();
    assert!(timetable.now(&schedule).await.unwrap_err().detail().contains("runs: stop it first"));
    bench.end(id, Ok("empty".into())).await;
    assert_eq!(bench.outcomes(id).await, ["done"]);
}
