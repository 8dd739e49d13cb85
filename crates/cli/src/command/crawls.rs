//! `bowerbird crawls`.

use crawl::quantity::show_bytes;
use geo::{Gazetteer, Region};
use serde_json::json;
use store::{ChangeSeen, CrawlSummary, Harvest, Mishap, Units};

use super::schedule::written;
use super::stats::{print_harvest, print_units};
use super::{Place, WrongUse};
use crate::arguments::Crawls;
use crate::output::{print_counts, print_json, print_line, print_table};

/// Lists the crawls, or one with its log.
pub async fn crawls(place: Place, list: Crawls) -> anyhow::Result<()> {
    let reader = place.read()?;
    let library = reader.library();
    let crawls = library.crawls().await?;
    let Some(name) = list.name else { return print_crawls(&place, &crawls) };
    let Some(summary) = crawls.into_iter().find(|summary| summary.crawl.name == name) else {
        return Err(WrongUse(format!("there is no crawl '{name}': `bowerbird crawls` lists them")).into());
    };
    let mishaps = library.mishaps(summary.crawl.id, list.log).await?;
    let harvest = library.harvest(Some(summary.crawl.id)).await?;
    let changes = library.changes(summary.crawl.id, list.log).await?;
    print_crawl(&place, &summary, &harvest, &changes, &mishaps)
}

/// What the region of a crawl is called.
fn region(summary: &CrawlSummary) -> Option<String> {
    let given = summary.crawl.settings.get("region")?.as_str()?;
    let found = Region::find(Gazetteer::embedded(), given);
    Some(found.map_or_else(|_| given.chars().take(80).collect(), |region| region.name().to_owned()))
}

fn print_crawls(place: &Place, crawls: &[CrawlSummary]) -> anyhow::Result<()> {
    if place.json {
        return print_json(&json!({ "crawls": crawls }));
    }
    if crawls.is_empty() {
        return print_line("no crawls yet: `bowerbird crawl https://…` starts one");
    }
    let rows: Vec<Vec<String>> = crawls
        .iter()
        .map(|summary| {
            let last = summary.runs.last();
            vec![
                summary.crawl.name.clone(),
                summary.figures.pages.to_string(),
                summary.figures.media.get("image").map_or(0, |images| images.kept).to_string(),
                show_bytes(summary.figures.bytes),
                (summary.frontier.queued_pages + summary.frontier.queued_media).to_string(),
                summary.runs.len().to_string(),
                last.map_or("–".into(), state),
            ]
        })
        .collect();
    print_table(&["crawl", "pages", "images", "received", "waiting", "runs", "last run"], &rows)
}

/// How a run ended, in a word.
pub(super) fn state(run: &store::Run) -> String {
    match (&run.stopped, run.ended) {
        (Some(reason), _) => reason.clone(),
        (None, Some(_)) => "interrupted".into(),
        (None, None) => "unfinished".into(),
    }
}

fn print_crawl(
    place: &Place,
    summary: &CrawlSummary,
    harvest: &Harvest,
    changes: &[ChangeSeen],
    mishaps: &[Mishap],
) -> anyhow::Result<()> {
    let units = Units::of(&summary.figures, &summary.frontier);
    if place.json {
        let (region, harvest, units) = (region(summary), search::harvest(harvest), search::units(&units));
        return print_json(&json!({
            "crawl": summary, "region": region, "harvest": harvest, "units": units, "changes": changes, "log": mishaps,
        }));
    }
    print_crawls(place, std::slice::from_ref(summary))?;
    print_line("")?;
    print_line(format!("region: {}", region(summary).as_deref().unwrap_or("none")))?;
    let figures = &summary.figures;
    print_line(format!(
        "{} images say where they were taken, {} more are located by words",
        figures.geotagged, figures.located
    ))?;
    if harvest.relevant == 0 {
        print_line("no relevant pages yet")?;
    }
    print_harvest(harvest)?;
    for (kind, found) in &figures.revisits {
        print_counts(&format!("{kind}s visited again:"), found)?;
    }
    print_line("")?;
    print_units(&units)?;
    print_line("")?;
    if !changes.is_empty() {
        for seen in changes {
            print_line(format!("{:<16} {} ({})", seen.change, seen.url, written(seen.at)))?;
        }
        print_line("")?;
    }
    for overrun in &summary.frontier.overruns {
        print_line(format!("{:<16} {overrun}", "budget"))?;
    }
    if mishaps.is_empty() && summary.frontier.overruns.is_empty() {
        return print_line("nothing went wrong");
    }
    for mishap in mishaps {
        print_line(format!("{:<16} {}: {}", mishap.reason, mishap.url, mishap.detail))?;
    }
    Ok(())
}
