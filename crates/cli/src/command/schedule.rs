//! `bowerbird schedule`.

use std::path::Path;

use clap::Parser;
use facts::Timestamp;
use serde_json::json;
use store::{CatchUp, Schedule, ScheduleId};
use timetable::Timing;

use super::{Place, WrongUse, crawl, now};
use crate::arguments::{self, Arguments, Command, ScheduleAdd};
use crate::output::{plain, print_json, print_line, print_table};

/// Changes or lists the timetable, also beside a server that is at work.
pub async fn schedule(place: Place, config: Option<&Path>, schedule: arguments::Schedule) -> anyhow::Result<()> {
    match schedule {
        arguments::Schedule::Add(order) => add(&place, config, order).await,
        arguments::Schedule::List => list(&place),
        arguments::Schedule::Remove { which } => remove(&place, &which),
    }
}

async fn add(place: &Place, config: Option<&Path>, order: ScheduleAdd) -> anyhow::Result<()> {
    let timing = Timing::read(&order.cron, &order.zone).map_err(|error| WrongUse(error.to_string()))?;
    let (crawl, settings) = ordered(place, config, &order.crawl).await?;
    let schedule = Schedule {
        id: ScheduleId(0),
        name: order.name.unwrap_or_else(|| crawl.clone()),
        cron: order.cron.trim().to_owned(),
        zone: order.zone.trim().to_owned(),
        enabled: true,
        catch_up: match order.catch_up {
            arguments::CatchUp::Skip => CatchUp::Skip,
            arguments::CatchUp::Once => CatchUp::Once,
        },
        crawl,
        settings: serde_json::to_value(settings)?,
        created: now(),
        last_due: None,
    };
    let saved = place.timetable()?.save_schedule(&schedule)?;
    if place.json {
        return print_json(&document(&saved, None));
    }
    let next = timing.next(now(), 3).into_iter().map(written).collect::<Vec<_>>().join(", ");
    print_line(format!("schedule {}: {} ({})", saved.id.0, timing.in_words(), saved.zone))?;
    print_line(format!("next: {next}"))?;
    print_line("it begins while `bowerbird serve` runs with this --data")
}

/// The crawl that the words after `--` order.
async fn ordered(
    place: &Place,
    config: Option<&Path>,
    words: &[String],
) -> anyhow::Result<(String, ::crawl::Settings)> {
    let whole = std::iter::once("bowerbird").chain(words.iter().map(String::as_str));
    let parsed = Arguments::try_parse_from(whole).map_err(|error| {
        let said = error.to_string();
        let said = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
        WrongUse(format!("after --: {said}; write it as in `-- crawl https://example.org/ --max-pages 200`"))
    })?;
    let Command::Crawl(order) = parsed.command else {
        return Err(WrongUse("only crawls can be scheduled: `-- crawl https://example.org/`".into()).into());
    };
    if !order.reach.resolve.is_empty() || order.reach.allow_private || order.reach.ca.is_some() {
        let told = "--resolve, --allow-private and --ca are told to `bowerbird serve`, which runs the crawl";
        return Err(WrongUse(told.into()).into());
    }
    let config = parsed.config.as_deref().or(config);
    crawl::read(place, config, *order).await
}

fn list(place: &Place) -> anyhow::Result<()> {
    let timetable = place.timetable()?;
    let mut rows = Vec::new();
    let mut documents = Vec::new();
    for schedule in timetable.schedules()? {
        let last = timetable.scheduled_runs(schedule.id, None, 1)?.pop();
        let next = next(&schedule);
        rows.push(vec![
            schedule.id.0.to_string(),
            plain(&schedule.name).into_owned(),
            schedule.cron.clone(),
            schedule.zone.clone(),
            next.first().map_or_else(|| "–".into(), |next| written(*next)),
            last.as_ref().map_or_else(|| "–".into(), |run| format!("{}: {}", run.outcome.as_str(), written(run.due))),
        ]);
        documents.push(document(&schedule, last.as_ref()));
    }
    if place.json {
        return print_json(&json!({ "schedules": documents }));
    }
    if rows.is_empty() {
        return print_line("no schedules yet: `bowerbird schedule add '0 */6 * * *' -- crawl https://…` makes one");
    }
    print_table(&["number", "name", "when", "zone", "next", "last"], &rows)
}

fn remove(place: &Place, which: &str) -> anyhow::Result<()> {
    let timetable = place.timetable()?;
    let schedules = timetable.schedules()?;
    let number: Option<i64> = which.parse().ok();
    let named: Vec<&Schedule> =
        schedules.iter().filter(|schedule| Some(schedule.id.0) == number || schedule.name == which).collect();
    match named[..] {
        [one] => {
            timetable.remove_schedule(one.id)?;
            let name = plain(&one.name);
            if place.json {
                print_json(&json!({ "removed": one.id.0 }))
            } else {
                print_line(format!("'{name}' is out of the timetable"))
            }
        }
        [] => {
            Err(WrongUse(format!("there is no schedule '{}': `bowerbird schedule list` lists them", plain(which)))
                .into())
        }
        _ => Err(WrongUse(format!("several schedules are called '{}': give the number", plain(which))).into()),
    }
}

fn next(schedule: &Schedule) -> Vec<Timestamp> {
    let timing = Timing::read(&schedule.cron, &schedule.zone).ok().filter(|_| schedule.enabled);
    timing.map(|timing| timing.next(now(), 3)).unwrap_or_default()
}

fn document(schedule: &Schedule, last: Option<&store::ScheduledRun>) -> serde_json::Value {
    let last = last.map(|run| {
        json!({
            "due": written(run.due), "started": run.started.map(written), "ended": run.ended.map(written),
            "outcome": run.outcome.as_str(), "detail": run.detail, "pages": run.pages, "images": run.images,
        })
    });
    json!({
        "id": schedule.id.0, "name": schedule.name, "cron": schedule.cron, "zone": schedule.zone,
        "enabled": schedule.enabled, "catch_up": schedule.catch_up.as_str(), "crawl": schedule.crawl,
        "settings": schedule.settings, "next": next(schedule).into_iter().map(written).collect::<Vec<_>>(), "last": last,
    })
}

/// `2026-01-31T12:00:00Z`.
pub(super) fn written(moment: Timestamp) -> String {
    media::Taken::from_timestamp(moment).map_or_else(|| "–".into(), |date| date.to_string())
}
