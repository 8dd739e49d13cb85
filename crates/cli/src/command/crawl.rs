//! `bowerbird crawl`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use crawl::quantity::show_bytes;
use crawl::{CrawlError, Reach, Settings, Stopper, Summary};
use facts::Url;
use store::Store;
use tokio::sync::watch;

use super::{Place, WrongUse};
use crate::arguments::{Crawl, Switch};
use crate::output::{counted, plain, print_counts, print_json, print_line};
use crate::{config, progress, region};

/// Crawls, and says what came of it.
pub async fn crawl(place: Place, config: Option<&Path>, mut order: Crawl) -> anyhow::Result<()> {
    let reached = std::mem::take(&mut order.reach);
    let mut reach = reached.clone().read()?;
    reach.sources = super::find::sources(std::mem::take(&mut order.via), config::read(config)?.find.sources)?;
    let (name, settings) = read(&place, config, order).await?;
    let again = how_to_go_on(&place, &name, &reached);
    let options = store::Options {
        what: format!("crawl {name}"),
        default_delay: settings.manners.delay,
        ..store::Options::default()
    };
    let store = Arc::new(place.open_when_there(options).await?);
    let min_free_disk = settings.limits.min_free_disk;
    let result = crawl_in(&store, &name, settings, reach).await;
    let closed = match Arc::into_inner(store) {
        Some(store) => store.close().await,
        None => Ok(()),
    };
    let summary = result?;
    closed?;
    report(&place, &summary)?;
    if place.json {
        return Ok(());
    }
    match summary.stopped.as_str() {
        "disk" => print_line(format!(
            "less than {} is free on the disk of {}: free some, or lower --min-free-disk",
            show_bytes(min_free_disk),
            place.data.display()
        ))?,
        "resting" => print_line("what waits is of hosts that asked to be left alone, or fail, for a while")?,
        "empty" if summary.pages == 0 => {
            print_line(
                "nothing new: all that is known was visited; --revisit uniform visits it again, another --name starts anew",
            )?;
        }
        _ => {}
    }
    if summary.queued > 0 { print_line(format!("go on:  {again}")) } else { Ok(()) }
}

/// The name and the settings of the crawl that is ordered.
pub(super) async fn read(place: &Place, config: Option<&Path>, order: Crawl) -> anyhow::Result<(String, Settings)> {
    let seeds = seeds(&order.seeds)?;
    let name = match (&order.resume, &order.name, seeds.first()) {
        (Some(name), ..) | (None, Some(name), _) => name.clone(),
        (None, None, Some(seed)) => seed.host().to_string(),
        (None, None, None) => match order.query.as_ref().or(order.region.as_ref()) {
            Some(asked) => asked.trim().chars().filter(|c| !c.is_control()).take(80).collect(),
            None => {
                let wrong = "give at least one SEED, a --region or a --query, or --resume NAME";
                return Err(WrongUse(wrong.into()).into());
            }
        },
    };
    if name.trim().is_empty() || name.starts_with('-') {
        return Err(WrongUse("a crawl's name must not be empty or start with a dash".into()).into());
    }
    let start = match order.resume.is_some() {
        true => Settings { until: None, ..stored_settings(place, &name).await? },
        false => config::read(config)?.crawl,
    };
    let region = order.region.as_deref().map(region::read).transpose()?.map(|asked| asked.stored);
    let settings = Settings { region: region.or(start.region.clone()), ..ordered(start, seeds, order) };
    settings.check().map_err(WrongUse)?;
    Ok((name, settings))
}

/// The settings a crawl has, without making anything.
async fn stored_settings(place: &Place, name: &str) -> anyhow::Result<Settings> {
    let unknown = || WrongUse(format!("there is no crawl '{}': `bowerbird crawls` lists them", plain(name)));
    let reader = match place.read() {
        Err(store::StoreError::Missing { .. }) => return Err(unknown().into()),
        reader => reader?,
    };
    let crawl = reader.library().crawl(name).await?.ok_or_else(unknown)?;
    serde_json::from_value(crawl.settings)
        .with_context(|| format!("the settings of crawl '{name}' were written by another version"))
}

/// The command that goes on with a crawl, as a shell reads it: how hosts are reached is not kept
/// with the crawl.
fn how_to_go_on(place: &Place, name: &str, reach: &crate::arguments::Reach) -> String {
    let mut words = vec!["bowerbird".to_owned(), "crawl".into(), "--resume".into(), name.into()];
    if place.data != Path::new(crate::arguments::DATA) {
        words.extend(["--data".into(), place.data.display().to_string()]);
    }
    for rule in &reach.resolve {
        words.extend(["--resolve".into(), rule.to_string()]);
    }
    if let Some(ca) = &reach.ca {
        words.extend(["--ca".into(), ca.display().to_string()]);
    }
    if reach.allow_private {
        words.push("--allow-private".into());
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Works on an open store; ctrl-c and SIGTERM stop it cleanly.
pub(super) async fn crawl_in(
    store: &Arc<Store>,
    name: &str,
    settings: Settings,
    reach: Reach,
) -> anyhow::Result<Summary> {
    let known = store.library().crawl(name).await?;
    if let Some(known) = &known {
        let pages = store.library().figures(known.id, None).await?.pages;
        eprintln!("going on with crawl '{}' ({} so far)", plain(name), counted(pages, "page"));
    }
    let (stopper, stop) = crawl::stopper();
    let (sender, receiver) = watch::channel(crawl::Progress::default());
    let shown = progress::show(receiver);
    let listening = tokio::spawn(listen_for_signals(stopper));
    let strategy = settings.strategy.clone();
    let result = crawl::run(Arc::clone(store), name, settings, reach, stop, sender).await;
    listening.abort();
    shown.await?;
    if let Err(CrawlError::Stopped) = result {
        // As any other that is told to end: it did, and nothing is lost.
        let waits = match known {
            Some(known) => store.frontier().figures(known.id).await?,
            None => store::FrontierFigures::default(),
        };
        return Ok(Summary::unbegun(name, &strategy, &waits));
    }
    result.map_err(wrong_use)
}

/// What was ordered wrongly is told as that.
fn wrong_use(error: CrawlError) -> anyhow::Error {
    match error {
        CrawlError::NoSeeds
        | CrawlError::Sources(_)
        | CrawlError::Find(_)
        | CrawlError::Strategy(_)
        | CrawlError::Criteria(_)
        | CrawlError::Region(_)
        | CrawlError::NoModel(_)
        | CrawlError::Filter(_) => WrongUse(error.to_string()).into(),
        other => other.into(),
    }
}

/// The first signal stops cleanly, the second at once.
pub(super) async fn listen_for_signals(stopper: Stopper) {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = signals else { return };
    let mut again = false;
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        if again {
            std::process::exit(1);
        }
        again = true;
        eprintln!("bowerbird: stopping; once more to stop at once (nothing that was written is lost)");
        stopper.stop();
    }
}

fn seeds(texts: &[String]) -> Result<Vec<Url>, WrongUse> {
    let read = |text: &String| {
        let text = text.trim();
        let url = if is_bare_host(text) { Url::parse(&format!("https://{text}")) } else { Url::parse(text) };
        url.map_err(|error| WrongUse(format!("'{}' is not a start page: {error}", plain(text))))
    };
    texts.iter().map(read).collect()
}

/// What people type into browsers: `example.org/page`, `localhost:8080`.
fn is_bare_host(text: &str) -> bool {
    let scheme = text.split_once(':').filter(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()));
    !text.is_empty() && !text.starts_with(['/', '.', '-', '?', '#']) && (scheme.is_none() || text.starts_with('['))
}

/// What the command line says goes over what the settings say.
fn ordered(mut settings: Settings, seeds: Vec<Url>, order: Crawl) -> Settings {
    fn set<T>(setting: &mut T, given: Option<T>) {
        if let Some(given) = given {
            *setting = given;
        }
    }
    fn set_list<T>(setting: &mut Vec<T>, given: Vec<T>) {
        if !given.is_empty() {
            *setting = given;
        }
    }
    set_list(&mut settings.seeds, seeds);
    set(&mut settings.strategy, order.strategy);
    set(&mut settings.granularity, order.granularity.map(Into::into));
    set(&mut settings.query, order.query.map(Some));
    set(&mut settings.prior, order.prior.map(Switch::is_on));
    order.weighing.over(&mut settings.weighted);
    settings.model = order.model.or(settings.model);
    settings.places &= !order.no_places;
    set(&mut settings.scope, order.scope.map(Into::into));
    set_list(&mut settings.include, order.include);
    set_list(&mut settings.exclude, order.exclude);
    set_list(&mut settings.lang, order.lang);
    set_list(&mut settings.exclude_tld, order.exclude_tld);
    set_list(&mut settings.kind, order.kind);
    order.keeping.over(&mut settings.keep);
    set(&mut settings.max_depth, order.max_depth.map(Some));
    set(&mut settings.until, order.until.map(Some));
    set(&mut settings.task_pages, order.task_pages);
    set(&mut settings.limits.max_pages, order.max_pages.map(Some));
    set(&mut settings.limits.max_time, order.max_time.map(Some));
    set(&mut settings.limits.max_bytes, order.max_bytes.map(Some));
    set(&mut settings.limits.min_free_disk, order.min_free_disk);
    if let Some(revisit) = order.revisit {
        // The chance is a matter of the settings.
        settings.revisit = crawl::Revisit { chance: settings.revisit.chance, ..revisit };
    }
    set(&mut settings.render, order.render);
    set(&mut settings.manners.delay, order.delay);
    set(&mut settings.manners.contact, order.contact.map(Some));
    set(&mut settings.concurrency, order.concurrency);
    settings
}

/// Prints the summary.
pub(super) fn report(place: &Place, summary: &Summary) -> anyhow::Result<()> {
    if place.json {
        return print_json(summary);
    }
    let images = &summary.images;
    print_line(format!(
        "{} and {} in {:.1} s ({:.1} pages/s); stopped: {}",
        counted(summary.pages, "page"),
        show_bytes(summary.bytes),
        summary.seconds,
        summary.pages_per_second,
        summary.stopped
    ))?;
    let kept = |kind: &str| summary.media.get(kind).copied().unwrap_or(0);
    print_line(format!(
        "{} kept of {} seen, {}, {}; {} came again as a copy",
        counted(images.kept, "image"),
        images.seen,
        counted(kept("video"), "film"),
        counted(kept("audio"), "sound"),
        summary.duplicates
    ))?;
    print_line(format!(
        "{} taken, {} more are located by words; {} were not fetched of what was not kept",
        match summary.geotagged {
            1 => "1 image says where it was".to_owned(),
            geotagged => format!("{geotagged} images say where they were"),
        },
        summary.located,
        show_bytes(summary.bytes_saved)
    ))?;
    if summary.malformed > 0 {
        print_line(format!("{} of structured data could not be read", counted(summary.malformed, "block")))?;
    }
    if summary.rendered > 0 {
        print_line(format!("{} in {}", counted(summary.states, "state"), counted(summary.rendered, "rendered page")))?;
    }
    if summary.relevant > 0 {
        let share = 100.0 * summary.harvest_rate;
        print_line(format!("{} relevant ({share:.1} % of the pages)", counted(summary.relevant, "page")))?;
    }
    print_counts("not kept:", &images.refused)?;
    print_counts("wrong coordinates:", &summary.wrong_coordinates)?;
    for (kind, found) in &summary.revisits {
        print_counts(&format!("{kind}s visited again:"), found)?;
    }
    print_counts("went wrong:", &summary.errors)?;
    let files = match place.read() {
        Ok(reader) if reader.shelf().is_bucket() => reader.shelf().base(),
        _ => place.data.join("media"),
    };
    print_line(format!("{} waiting; files are in {}", counted(summary.queued, "address"), files.display()))
}
