//! Who looks at the timetable, and does what is due.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crawl::Settings;
use facts::Timestamp;
use http::StatusCode;
use store::{CatchUp, Library, Schedule, ScheduleId, ScheduledOutcome, ScheduledRun, ScheduledRunId, StoreError};
use timetable::{Due, Timing};
use tokio::sync::watch;

use super::hands::{Clock, Hands, Started};
use crate::moment::Moment;
use crate::problem::Problem;

/// How often the timetable is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How often it is written down how a run is doing.
const BEAT: Duration = Duration::from_secs(10);
/// After how long without that nobody follows it any more.
const SILENCE: Duration = Duration::from_secs(30);
/// How often it is looked for runs that nobody follows.
const LOOK_FOR_SILENT: Duration = Duration::from_secs(5);

/// The clock of this machine.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Moment::now().0
    }
}

/// Starts what a schedule says.
pub(crate) struct Timetable {
    library: Arc<dyn Library>,
    hands: Arc<dyn Hands>,
    clock: Arc<dyn Clock>,
}

impl Timetable {
    /// With these hands and by this clock.
    pub fn new(library: Arc<dyn Library>, hands: Arc<dyn Hands>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { library, hands, clock })
    }

    /// Starts it now, whenever it is due.
    pub async fn now(&self, schedule: &Schedule) -> Result<(), Problem> {
        if self.hands.is_running(&schedule.crawl).await? {
            let detail = format!("a crawl named '{}' runs: stop it first", schedule.crawl);
            return Err(Problem::new(StatusCode::CONFLICT, detail));
        }
        let settings: Settings = serde_json::from_value(schedule.settings.clone())
            .map_err(|error| Problem::new(StatusCode::CONFLICT, format!("its settings cannot be read: {error}")))?;
        let now = self.clock.now();
        match self.start(schedule, settings, now, now).await? {
            None => Ok(()),
            Some(why) => Err(Problem::new(StatusCode::CONFLICT, why)),
        }
    }

    /// Starts what was due, and writes down what comes of it; gives why that cannot be.
    async fn start(
        &self,
        schedule: &Schedule,
        settings: Settings,
        due: Timestamp,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let Some(run) = self.library.start_scheduled(schedule.id, due, now).await? else {
            return Ok(Some("another server has started it".into()));
        };
        let (library, clock) = (Arc::clone(&self.library), Arc::clone(&self.clock));
        match self.hands.start(&schedule.crawl, settings).await {
            Ok(started) => {
                tokio::spawn(follow(library, clock, run, started));
                Ok(None)
            }
            Err(why) => {
                library.end_scheduled(run, ScheduledOutcome::Failed, &why, clock.now()).await?;
                Ok(Some(why))
            }
        }
    }

    /// Writes down the end of a run whose server is gone, unless its crawl is still worked on. Others may have worked on
    /// it to its end: so it goes by what the crawl says.
    async fn close_unless_it_runs(&self, run: &ScheduledRun) -> Result<(), StoreError> {
        let Self { library, hands, clock } = self;
        let mut last = None;
        if let Some(schedule) = library.schedule(run.schedule).await? {
            if hands.is_running(&schedule.crawl).await? {
                return Ok(());
            }
            let crawl = library.crawls().await?.into_iter().find(|known| known.crawl.name == schedule.crawl);
            last = crawl.and_then(|crawl| crawl.runs.last().cloned());
        }
        let last = last.filter(|last| last.ended.is_some() && last.ended >= run.started);
        let Some((crawl, number, stopped)) = last.and_then(|last| Some((last.crawl, last.id, last.stopped?))) else {
            let detail = "the server ended while it ran; resuming the crawl goes on with it";
            return library.end_scheduled(run.id, ScheduledOutcome::Died, detail, clock.now()).await.map(drop);
        };
        let figures = library.figures(crawl, Some(number)).await?;
        let images = figures.media.get("image").map_or(0, |images| images.kept);
        library.beat_scheduled(run.id, figures.pages, images, clock.now()).await?;
        let detail = format!("stopped: {stopped}");
        library.end_scheduled(run.id, ScheduledOutcome::Done, &detail, clock.now()).await.map(drop)
    }
}

/// Keeps the timetable of a library.
pub(crate) struct Keeper {
    timetable: Arc<Timetable>,
    /// What was due and could not be started yet.
    put_off: HashMap<ScheduleId, Timestamp>,
    /// What was last heard of runs at work, and since when nothing else was, by the clock of this server.
    heard: HashMap<ScheduledRunId, (Option<Timestamp>, Timestamp)>,
    looked_for_silent: Option<Timestamp>,
}

impl Keeper {
    /// Runs that are marked as running and are not died with the process that made them, and what was put off
    /// still waits.
    pub async fn open(timetable: Arc<Timetable>) -> Result<Self, StoreError> {
        let library = &timetable.library;
        for run in library.broken_scheduled().await? {
            // A server that lost the duty with its connection goes on with what it started; and one that died counts
            // as alive until its lease has run out.
            timetable.close_unless_it_runs(&run).await?;
        }
        let mut put_off = HashMap::new();
        for schedule in library.schedules().await? {
            let last = library.scheduled_runs(schedule.id, None, 1).await?;
            let waits = last.into_iter().find(|run| run.outcome == ScheduledOutcome::PutOff);
            put_off.extend(waits.map(|run| (schedule.id, run.due)));
        }
        Ok(Self { timetable, put_off, heard: HashMap::new(), looked_for_silent: None })
    }

    /// Looks until told to end. What cannot be read now is read the next time.
    pub async fn keep(mut self, mut ending: watch::Receiver<bool>) {
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut troubled = false;
        loop {
            tokio::select! {
                _ = ending.wait_for(|ending| *ending) => return,
                _ = looks.tick() => {}
            }
            match self.look().await {
                Ok(()) => troubled = false,
                Err(error) if !troubled => {
                    tracing::warn!("the timetable cannot be kept: {error}");
                    troubled = true;
                }
                Err(_) => {}
            }
        }
    }

    /// Does what is due now.
    pub async fn look(&mut self) -> Result<(), StoreError> {
        self.look_for_silent().await?;
        let schedules = self.timetable.library.schedules().await?;
        self.put_off.retain(|id, _| schedules.iter().any(|schedule| schedule.id == *id && schedule.enabled));
        for schedule in schedules.iter().filter(|schedule| schedule.enabled) {
            // What cannot be read was written by a newer version; the list says so.
            let Ok(timing) = Timing::read(&schedule.cron, &schedule.zone) else { continue };
            let now = self.timetable.clock.now();
            let due = timing.due(schedule.last_due.unwrap_or(schedule.created), now);
            match (due.last, self.put_off.remove(&schedule.id)) {
                (Some(last), _) => self.due(schedule, due, last, now).await?,
                (None, Some(last)) => self.begin(schedule, last, true, now).await?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Closes runs of which nobody writes down any more how they are doing, and that do not run.
    async fn look_for_silent(&mut self) -> Result<(), StoreError> {
        let now = self.timetable.clock.now();
        if self.looked_for_silent.is_some_and(|last| last <= now && now.since(last) < LOOK_FOR_SILENT) {
            return Ok(());
        }
        self.looked_for_silent = Some(now);
        let running = self.timetable.library.broken_scheduled().await?;
        self.heard.retain(|id, _| running.iter().any(|run| run.id == *id));
        for run in &running {
            let (seen, since) = self.heard.entry(run.id).or_insert((run.seen, now));
            if *seen != run.seen {
                (*seen, *since) = (run.seen, now);
            }
            if now.since(*since) >= SILENCE {
                self.timetable.close_unless_it_runs(run).await?;
            }
        }
        Ok(())
    }

    async fn due(&mut self, schedule: &Schedule, due: Due, last: Timestamp, now: Timestamp) -> Result<(), StoreError> {
        if due.missed > 0 {
            let times = if due.missed == 1 { "one time".to_owned() } else { format!("{} times", due.missed) };
            let (made_up, detail) = match (due.is_now, schedule.catch_up) {
                (false, CatchUp::Once) => (true, format!("{times} passed while no server ran; made up for once")),
                _ => (false, format!("{times} passed while no server ran")),
            };
            self.note(schedule, last, ScheduledOutcome::Missed, &detail, now).await?;
            if !due.is_now && !made_up {
                return Ok(());
            }
        }
        self.begin(schedule, last, false, now).await
    }

    /// Starts what was due at `due`; `again` when it was put off before.
    async fn begin(
        &mut self,
        schedule: &Schedule,
        due: Timestamp,
        again: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if self.timetable.hands.is_running(&schedule.crawl).await? {
            let detail = format!("crawl '{}' was still running", schedule.crawl);
            return self.note(schedule, due, ScheduledOutcome::Skipped, &detail, now).await;
        }
        let settings = match serde_json::from_value::<Settings>(schedule.settings.clone()) {
            Ok(settings) => settings,
            Err(error) => {
                let detail = format!("its settings cannot be read: {error}");
                return self.note(schedule, due, ScheduledOutcome::Failed, &detail, now).await;
            }
        };
        if let Some(why) = self.timetable.hands.short_of(&settings) {
            self.put_off.insert(schedule.id, due);
            return match again {
                true => Ok(()),
                false => self.note(schedule, due, ScheduledOutcome::PutOff, &why, now).await,
            };
        }
        self.timetable.start(schedule, settings, due, now).await.map(drop)
    }

    async fn note(
        &self,
        schedule: &Schedule,
        due: Timestamp,
        outcome: ScheduledOutcome,
        detail: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.timetable.library.note_scheduled(schedule.id, due, outcome, detail, now).await.map(drop)
    }
}

/// Writes down how a run is doing, and how it ended.
async fn follow(library: Arc<dyn Library>, clock: Arc<dyn Clock>, run: ScheduledRunId, started: Started) {
    let Started { figures, mut ending } = started;
    let mut beats = tokio::time::interval(BEAT);
    let ended = loop {
        tokio::select! {
            ended = &mut ending => break ended,
            _ = beats.tick() => {
                let (pages, images) = figures();
                // One that could not be written is followed by the next.
                let _ = library.beat_scheduled(run, pages, images, clock.now()).await;
            }
        }
    };
    let (pages, images) = figures();
    let (outcome, detail) = match ended {
        Ok(stopped) if stopped == "interrupted" => {
            (ScheduledOutcome::Done, "it was interrupted; resuming the crawl goes on with it".to_owned())
        }
        Ok(stopped) => (ScheduledOutcome::Done, format!("stopped: {stopped}")),
        Err(why) => (ScheduledOutcome::Failed, why),
    };
    let written = async {
        library.beat_scheduled(run, pages, images, clock.now()).await?;
        library.end_scheduled(run, outcome, &detail, clock.now()).await
    };
    if let Err(error) = written.await {
        tracing::warn!("the end of a scheduled crawl could not be written: {error}");
    }
}
