//! Statements about crawls that start by themselves.

use facts::Timestamp;
use serde_json::json;
use store::{CatchUp, Schedule, ScheduleId, ScheduledOutcome, ScheduledRunId, StoreError};

use super::{Home, Stop};

pub fn schedule(name: &str) -> Schedule {
    Schedule {
        id: ScheduleId(0),
        name: name.into(),
        cron: "0 */6 * * *".into(),
        zone: "Europe/Berlin".into(),
        enabled: true,
        catch_up: CatchUp::Once,
        crawl: "news".into(),
        settings: json!({"limits": {"max-pages": 100}}),
        created: Timestamp(1_000),
        last_due: None,
    }
}

pub async fn schedules_are_made_changed_and_removed(mut home: impl Home) {
    let library = home.library();
    assert_eq!(library.schedules().await.unwrap(), []);
    let second = library.save_schedule(&schedule("second")).await.unwrap();
    let first = library.save_schedule(&schedule("first")).await.unwrap();
    assert_ne!(first.id, second.id);
    assert_eq!(Schedule { id: ScheduleId(0), ..first.clone() }, schedule("first"));
    library.start_scheduled(first.id, Timestamp(7_000), Timestamp(7_001)).await.unwrap();
    // Whoever changes it has not heard of the run.
    let changed = Schedule { cron: "5 4 * * *".into(), enabled: false, catch_up: CatchUp::Skip, ..first.clone() };
    let saved = library.save_schedule(&changed).await.unwrap();
    assert_eq!(saved, Schedule { last_due: Some(Timestamp(7_000)), ..changed });
    drop(library);
    home.restart(Stop::Killed).await;
    let library = home.library();
    assert_eq!(library.schedules().await.unwrap(), [saved.clone(), second.clone()]);
    assert_eq!(library.schedule(second.id).await.unwrap(), Some(second.clone()));
    assert!(library.remove_schedule(first.id).await.unwrap());
    assert!(!library.remove_schedule(first.id).await.unwrap());
    assert_eq!(library.scheduled_runs(first.id, None, 9).await.unwrap(), []);
    let gone = library.save_schedule(&saved).await;
    assert!(matches!(gone, Err(StoreError::Unknown { what: "schedule", .. })), "{gone:?}");
    let gone = library.start_scheduled(first.id, Timestamp(1), Timestamp(1)).await;
    assert!(matches!(gone, Err(StoreError::Unknown { .. })), "{gone:?}");
    let large = Schedule { settings: json!("x".repeat(1 << 20)), ..schedule("large") };
    assert!(matches!(library.save_schedule(&large).await, Err(StoreError::TooLarge { .. })));
    home.audit().await;
}

pub async fn what_came_of_runs_is_remembered(mut home: impl Home) {
    let library = home.library();
    let id = library.save_schedule(&schedule("daily")).await.unwrap().id;
    let done = library.start_scheduled(id, Timestamp(10), Timestamp(11)).await.unwrap().unwrap();
    let again = library.start_scheduled(id, Timestamp(10), Timestamp(12)).await.unwrap();
    assert_eq!(again, None, "another who keeps the timetable");
    assert!(library.beat_scheduled(done, 5, 3, Timestamp(15)).await.unwrap());
    assert!(library.end_scheduled(done, ScheduledOutcome::Done, "all read", Timestamp(20)).await.unwrap());
    assert!(!library.beat_scheduled(done, 9, 9, Timestamp(25)).await.unwrap(), "it is over");
    let outcomes = [ScheduledOutcome::Skipped, ScheduledOutcome::PutOff, ScheduledOutcome::Missed];
    for (outcome, due) in outcomes.into_iter().zip(30..) {
        library.note_scheduled(id, Timestamp(due), outcome, &"é".repeat(600), Timestamp(99)).await.unwrap();
    }
    let broken = library.start_scheduled(id, Timestamp(40), Timestamp(41)).await.unwrap().unwrap();
    // What is noted late does not make it due again.
    library.note_scheduled(id, Timestamp(35), ScheduledOutcome::Missed, "", Timestamp(99)).await.unwrap();
    assert_eq!(library.schedule(id).await.unwrap().unwrap().last_due, Some(Timestamp(40)));
    drop(library);
    home.restart(Stop::Killed).await;
    let library = home.library();
    let at_work = library.broken_scheduled().await.unwrap();
    assert_eq!(at_work.iter().map(|run| run.id).collect::<Vec<_>>(), [broken]);
    for run in at_work {
        assert!(library.end_scheduled(run.id, ScheduledOutcome::Died, "the server went", Timestamp(50)).await.unwrap());
    }
    assert_eq!(library.broken_scheduled().await.unwrap(), []);
    let (mut runs, mut after) = (Vec::new(), None);
    loop {
        let some = library.scheduled_runs(id, after, 2).await.unwrap();
        after = some.last().map(|run| run.id);
        if some.is_empty() {
            break;
        }
        runs.extend(some);
    }
    let told: Vec<(&str, i64)> = runs.iter().map(|run| (run.outcome.as_str(), run.due.0)).collect();
    let expected = [("missed", 35), ("died", 40), ("missed", 32), ("put-off", 31), ("skipped", 30), ("done", 10)];
    assert_eq!(told, expected);
    let last = runs.last().unwrap();
    assert_eq!((last.started, last.seen, last.ended), (Some(Timestamp(11)), Some(Timestamp(15)), Some(Timestamp(20))));
    assert_eq!((last.pages, last.images, last.detail.as_str()), (5, 3, "all read"));
    assert_eq!(runs[2].detail.chars().count(), 500);
    assert!(!library.end_scheduled(ScheduledRunId(999), ScheduledOutcome::Done, "", Timestamp(1)).await.unwrap());
    home.audit().await;
}

pub async fn the_last_thousand_runs_are_kept(home: impl Home) {
    let library = home.library();
    let id = library.save_schedule(&schedule("often")).await.unwrap().id;
    let running = library.start_scheduled(id, Timestamp(0), Timestamp(0)).await.unwrap().unwrap();
    for due in 1..=1_010 {
        library.note_scheduled(id, Timestamp(due), ScheduledOutcome::Skipped, "", Timestamp(due)).await.unwrap();
    }
    let runs = library.scheduled_runs(id, None, 9_999).await.unwrap();
    assert_eq!((runs.len(), runs[0].due.0, runs.last().unwrap().id), (1_001, 1_010, running));
}
