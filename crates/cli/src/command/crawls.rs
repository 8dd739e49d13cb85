//! `bowerbird crawls`.

use crawl::quantity::show_bytes;
use serde_json::json;
use store::{CrawlSummary, Mishap, Store};

use super::{Place, WrongUse};
use crate::arguments::Crawls;
use crate::output::{print_json, print_line, print_table};

/// Lists the crawls, or one with its log.
pub async fn crawls(place: Place, list: Crawls) -> anyhow::Result<()> {
    let reader = Store::read(&place.data)?;
    let library = reader.library();
    let crawls = library.crawls().await?;
    let Some(name) = list.name else { return print_crawls(&place, &crawls) };
    let Some(summary) = crawls.into_iter().find(|summary| summary.crawl.name == name) else {
        return Err(WrongUse(format!("there is no crawl '{name}': `bowerbird crawls` lists them")).into());
    };
    let mishaps = library.mishaps(summary.crawl.id, list.log).await?;
    print_crawl(&place, &summary, &mishaps)
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

fn print_crawl(place: &Place, summary: &CrawlSummary, mishaps: &[Mishap]) -> anyhow::Result<()> {
    if place.json {
        return print_json(&json!({ "crawl": summary, "log": mishaps }));
    }
    print_crawls(place, std::slice::from_ref(summary))?;
    print_line("")?;
    if mishaps.is_empty() {
        return print_line("nothing went wrong");
    }
    for mishap in mishaps {
        print_line(format!("{:<16} {}: {}", mishap.reason, mishap.url, mishap.detail))?;
    }
    Ok(())
}
