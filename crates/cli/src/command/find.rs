//! `bowerbird find`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use crawl::quantity::show_bytes;
use crawl::{Asked, FindError, FindMeans, FindResult, FindSettings, FindSummary, Finding};
use query::Synonyms;
use serde_json::{Value, json};
use sources::{SourceKind, SourceSettings, Standing};
use store::{Store, StoreError};
use tokio::sync::watch;

use super::crawl::listen_for_signals;
use super::{Place, WrongUse};
use crate::arguments::Find;
use crate::output::{counted, plain, print_counts, print_json, print_line};
use crate::{config, progress};

/// Pictures that are put into the library at once.
const AT_ONCE: usize = 50;

/// Finds pictures, and prints them, the best first.
pub async fn find(place: Place, config: Option<&Path>, order: Find) -> anyhow::Result<()> {
    let settings = settings(config, &order)?;
    let asked = Asked::parse(&order.query.join(" "), &synonyms(&order)?).map_err(wrong)?;
    let (store, library) = library(&place, &order)?;
    let means = FindMeans { store: store.clone(), library, reach: order.reach.clone().read()? };
    if !place.json {
        print_line(&asked.said)?;
        asked.notes.iter().try_for_each(|note| print_line(format!("note: {note}")))?;
    }
    let (stopper, stop) = crawl::stopper();
    let listening = tokio::spawn(listen_for_signals(stopper));
    let finding = crawl::find(asked, settings, means, stop).await.map_err(wrong)?;
    let ended = follow(&finding, &order, place.json).await;
    listening.abort();
    ended?;
    let kept = keep(&finding, order.keep).await?;
    let (results, summary) = (finding.results(0, order.top), finding.summary());
    drop(finding);
    if let Some(store) = store {
        close(store).await?;
    }
    match place.json {
        true => print_objects(&results, &summary, &kept)?,
        false => print_text(&results, &summary, &kept)?,
    }
    match summary.error {
        // Whoever stopped it knows that there is nothing.
        Some(error) if summary.stopped != "interrupted" => Err(anyhow::anyhow!(error)),
        _ => Ok(()),
    }
}

/// Closes the store once nobody holds it any more: a find lets go of it a moment after its last handle.
async fn close(mut store: Arc<Store>) -> anyhow::Result<()> {
    for _ in 0..200 {
        match Arc::try_unwrap(store) {
            Ok(store) => return Ok(store.close().await?),
            Err(held) => store = held,
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    Ok(())
}

fn wrong(error: FindError) -> anyhow::Error {
    match error {
        FindError::Query(_) | FindError::Settings(_) => WrongUse(error.to_string()).into(),
        other => other.into(),
    }
}

fn settings(config: Option<&Path>, order: &Find) -> anyhow::Result<FindSettings> {
    let mut settings = config::read(config)?.find;
    settings.time = order.time.unwrap_or(settings.time);
    settings.delay = order.delay.unwrap_or(settings.delay);
    settings.concurrency = order.concurrency.unwrap_or(settings.concurrency);
    settings.timeout = order.timeout.unwrap_or(settings.timeout);
    settings.contact = order.contact.clone().or(settings.contact);
    settings.anchor_rule &= !order.all_links;
    settings.sources = sources(order.via.clone(), settings.sources)?;
    // Nobody looks at pictures here.
    settings.shown = 0;
    settings.check().map_err(WrongUse)?;
    Ok(settings)
}

/// The sources of the command line, or else those of the settings; keys may come from the environment.
pub(super) fn sources(given: Vec<SourceSettings>, set: Vec<SourceSettings>) -> anyhow::Result<Vec<SourceSettings>> {
    let key = std::env::var("BOWERBIRD_BRAVE_KEY").ok();
    let known = set.iter().find_map(|source| source.key.clone().filter(|_| source.kind == SourceKind::Brave));
    let mut sources = if given.is_empty() { set } else { given };
    for source in sources.iter_mut().filter(|source| source.kind == SourceKind::Brave && source.key.is_none()) {
        source.key = key.clone().or_else(|| known.clone());
    }
    for source in &sources {
        source.check().map_err(|error| WrongUse(format!("{}: {error}", source.called())))?;
    }
    Ok(sources)
}

fn synonyms(order: &Find) -> anyhow::Result<Synonyms> {
    let Some(file) = &order.synonyms else { return Ok(Synonyms::default()) };
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Synonyms::read(&text).map_err(|error| WrongUse(format!("{}: {error}", file.display())))?)
}

type Opened = (Option<Arc<Store>>, Option<Arc<dyn store::Library>>);

/// What is written to only when something is kept, and read when it is there.
fn library(place: &Place, order: &Find) -> anyhow::Result<Opened> {
    if order.keep > 0 {
        let options = store::Options { what: "find".into(), ..store::Options::default() };
        return Ok((Some(Arc::new(place.open(options)?)), None));
    }
    match place.read() {
        Ok(reader) => Ok((None, Some(Arc::clone(reader.library())))),
        Err(StoreError::Missing { .. }) => Ok((None, None)),
        Err(error) => Err(error.into()),
    }
}

/// Waits for the end; prints what is found meanwhile, if that is wanted.
async fn follow(finding: &Finding, order: &Find, json: bool) -> anyhow::Result<()> {
    let mut changes = finding.changes();
    let mut printed: HashSet<u32> = HashSet::new();
    let (sender, receiver) = watch::channel(finding.progress());
    let shown = progress::show_find(receiver);
    while !finding.is_over() {
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { break },
            () = finding.over() => {}
        }
        sender.send_replace(finding.progress());
        if order.live && json {
            for result in finding.results(0, order.top) {
                if printed.insert(result.id) {
                    print_json(&object(&result, false, None))?;
                }
            }
        }
    }
    drop(sender);
    shown.await?;
    Ok(())
}

/// Puts the best into the library; gives what became of each.
async fn keep(finding: &Finding, most: usize) -> anyhow::Result<Vec<(u32, Result<String, String>)>> {
    let best: Vec<u32> = finding.order(most).into_iter().map(|(id, _)| id).collect();
    let mut kept = Vec::new();
    for some in best.chunks(AT_ONCE) {
        let done = finding.keep(some.to_vec()).await?;
        kept.extend(done.into_iter().map(|(id, item)| (id, item.map(|item| item.to_string()))));
    }
    Ok(kept)
}

/// A result as scripts know it.
fn object(result: &FindResult, is_final: bool, item: Option<&str>) -> Value {
    let mut object = json!({
        "rank": result.rank,
        "score": result.score,
        "image": result.image,
        "page": result.page,
        "width": result.width,
        "height": result.height,
        "description": result.description,
        "title": result.title,
        "format": result.format,
    });
    if !is_final {
        object["final"] = false.into();
    }
    if let Some(item) = item {
        object["item"] = item.into();
    }
    object
}

fn print_objects(
    results: &[FindResult],
    summary: &FindSummary,
    kept: &[(u32, Result<String, String>)],
) -> anyhow::Result<()> {
    for result in results {
        let item = kept.iter().find(|(id, _)| *id == result.id).and_then(|(_, item)| item.as_deref().ok());
        print_json(&object(result, true, item))?;
    }
    let mut whole = serde_json::to_value(summary)?;
    whole["in_library"] = kept.iter().filter(|(_, item)| item.is_ok()).count().into();
    print_json(&whole)
}

fn print_text(
    results: &[FindResult],
    summary: &FindSummary,
    kept: &[(u32, Result<String, String>)],
) -> anyhow::Result<()> {
    for result in results {
        let words = if result.description.is_empty() { &result.title } else { &result.description };
        let words: String = plain(words).chars().take(100).collect();
        print_line(format!("{:>3}  {:.3}  {} × {}  {words}", result.rank, result.score, result.width, result.height))?;
        print_line(format!("     {}", result.image))?;
        print_line(format!("     on {}", result.page))?;
    }
    let images = &summary.images;
    print_line(format!(
        "{} and {} in {:.1} s over {}; stopped: {}",
        counted(summary.pages, "page"),
        show_bytes(summary.bytes),
        summary.seconds,
        counted(summary.hosts, "host"),
        summary.stopped
    ))?;
    print_line(format!(
        "{} of {} seen: {} looked at ({} each), {} judged by their pages",
        counted(images.kept, "picture"),
        images.seen,
        images.probed,
        show_bytes(summary.bytes_per_probe as u64),
        images.markup
    ))?;
    print_counts("left out:", &images.refused)?;
    print_counts("went wrong:", &summary.errors)?;
    for source in &summary.sources {
        match (source.state, &source.detail) {
            (Standing::Failed, Some(detail)) => print_line(format!("{}: {detail}", source.name))?,
            (Standing::Answered, _) => print_line(format!("{}: {}", source.name, counted(source.pages, "page")))?,
            _ => print_line(format!("{}: no answer", source.name))?,
        }
    }
    for (_, item) in kept {
        if let Err(why) = item {
            print_line(format!("not kept: {why}"))?;
        }
    }
    let in_library = kept.iter().filter(|(_, item)| item.is_ok()).count() as u64;
    if in_library > 0 {
        print_line(format!("{} put into the library, as '{}'", counted(in_library, "picture"), summary.name))?;
    }
    Ok(())
}
