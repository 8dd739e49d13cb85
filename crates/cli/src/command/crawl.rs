//! `bowerbird crawl`.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use crawl::quantity::show_bytes;
use crawl::{CrawlError, Reach, Settings, Stop, Stopper, Summary};
use facts::Url;
use store::Store;
use tokio::sync::watch;

use super::{Place, WrongUse};
use crate::arguments::Crawl;
use crate::output::{plain, print_json, print_line};
use crate::{config, progress};

/// Crawls, and says what came of it.
pub async fn crawl(place: Place, config: Option<&Path>, mut order: Crawl) -> anyhow::Result<()> {
    let seeds = seeds(&order.seeds)?;
    let name = match (&order.resume, &order.name, seeds.first()) {
        (Some(name), ..) | (None, Some(name), _) => name.clone(),
        (None, None, Some(seed)) => seed.host().to_string(),
        (None, None, None) => return Err(WrongUse("give at least one SEED, or --resume NAME".into()).into()),
    };
    let reach = reach(&mut order)?;
    let start = config::read(config)?.crawl;
    let store = Arc::new(Store::open(&place.data, options(&name, &order, &start))?);
    let result = crawl_in(&store, &name, start, seeds, order, reach).await;
    let closed = match Arc::into_inner(store) {
        Some(store) => store.close().await,
        None => Ok(()),
    };
    let summary = result?;
    closed?;
    report(&place, &summary)?;
    say_how_to_go_on(&place, &summary)
}

/// Works on an open store; ctrl-c and SIGTERM stop it cleanly.
pub(super) async fn crawl_in(
    store: &Arc<Store>,
    name: &str,
    start: Settings,
    seeds: Vec<Url>,
    order: Crawl,
    reach: Reach,
) -> anyhow::Result<Summary> {
    let known = store.library().crawl(name).await?;
    let settings = match (known, order.resume.is_some()) {
        (Some(crawl), true) => serde_json::from_value(crawl.settings)
            .with_context(|| format!("the settings of crawl '{name}' were written by another version"))?,
        (None, true) => {
            return Err(WrongUse(format!("there is no crawl '{name}': `bowerbird crawls` lists them")).into());
        }
        (_, false) => start,
    };
    let settings = ordered(settings, seeds, order);
    let (stopper, stop) = crawl::stopper();
    let (sender, receiver) = watch::channel(crawl::Progress::default());
    let shown = progress::show(receiver);
    let listening = tokio::spawn(listen_for_signals(stopper));
    let result = run(Arc::clone(store), name, settings, reach, stop, sender).await;
    listening.abort();
    shown.await?;
    result
}

async fn run(
    store: Arc<Store>,
    name: &str,
    settings: Settings,
    reach: Reach,
    stop: Stop,
    progress: watch::Sender<crawl::Progress>,
) -> anyhow::Result<Summary> {
    crawl::run(store, name, settings, reach, stop, progress).await.map_err(|error| match error {
        CrawlError::NoSeeds | CrawlError::Strategy(_) | CrawlError::Filter(_) => WrongUse(error.to_string()).into(),
        other => other.into(),
    })
}

/// The first signal stops cleanly, the second at once.
async fn listen_for_signals(stopper: Stopper) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let mut again = false;
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
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
        // A bare host name is what people type into browsers.
        let url = if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("https://{text}")) };
        url.map_err(|error| WrongUse(format!("'{}' is not a start page: {error}", plain(text))))
    };
    texts.iter().map(read).collect()
}

fn reach(order: &mut Crawl) -> anyhow::Result<Reach> {
    let ca = match &order.ca {
        Some(file) => std::fs::read(file).with_context(|| format!("cannot read --ca {}", file.display()))?,
        None => Vec::new(),
    };
    Ok(Reach { resolve: std::mem::take(&mut order.resolve), allow_private: order.allow_private, ca })
}

fn options(name: &str, order: &Crawl, start: &Settings) -> store::Options {
    store::Options {
        what: format!("crawl {name}"),
        default_delay: order.delay.unwrap_or(start.manners.delay),
        ..store::Options::default()
    }
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
    set(&mut settings.scope, order.scope.map(Into::into));
    set_list(&mut settings.include, order.include);
    set_list(&mut settings.exclude, order.exclude);
    set_list(&mut settings.lang, order.lang);
    set_list(&mut settings.exclude_tld, order.exclude_tld);
    set_list(&mut settings.kind, order.kind);
    set(&mut settings.max_depth, order.max_depth.map(Some));
    set(&mut settings.until, order.until.map(Some));
    set(&mut settings.task_pages, order.task_pages);
    set(&mut settings.limits.max_pages, order.max_pages.map(Some));
    set(&mut settings.limits.max_time, order.max_time.map(Some));
    set(&mut settings.limits.max_bytes, order.max_bytes.map(Some));
    set(&mut settings.limits.min_free_disk, order.min_free_disk);
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
        "{} pages and {} in {:.1} s ({:.1} pages/s); stopped: {}",
        summary.pages,
        show_bytes(summary.bytes),
        summary.seconds,
        summary.pages_per_second,
        summary.stopped
    ))?;
    let films = summary.media.get("video").copied().unwrap_or(0);
    let sounds = summary.media.get("audio").copied().unwrap_or(0);
    print_line(format!(
        "{} images kept of {} seen, {} films, {} sounds; {} came again under another address",
        images.kept, images.seen, films, sounds, summary.duplicates
    ))?;
    print_counts("not kept:", &images.refused)?;
    print_counts("went wrong:", &summary.errors)?;
    print_line(format!("{} addresses wait; files are in {}", summary.queued, place.data.join("media").display()))?;
    Ok(())
}

/// Says how to go on with a run that was not the last there is to do.
fn say_how_to_go_on(place: &Place, summary: &Summary) -> anyhow::Result<()> {
    if place.json || summary.stopped == "empty" {
        return Ok(());
    }
    let data = match place.data.as_path() {
        path if path == Path::new(crate::arguments::DATA) => String::new(),
        path => format!(" --data {}", path.display()),
    };
    let from = if summary.stopped == "interrupted" { "where it stopped" } else { "from here" };
    print_line(format!("go on {from}:  bowerbird crawl --resume {}{data}", summary.name))
}

fn print_counts(title: &str, counts: &std::collections::BTreeMap<String, u64>) -> anyhow::Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let listed = sorted.iter().map(|(reason, count)| format!("{reason} {count}")).collect::<Vec<_>>();
    print_line(format!("{title} {}", listed.join(", ")))
}
