//! The `bowerbird` program: arguments in, text or JSON out, nothing else.

mod arguments;
mod command;
mod config;
mod output;
mod progress;
mod region;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::arguments::{Arguments, Command};

/// Many threads read pages at once, and each leaves holes of other sizes: this one gives them back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // clap prints help and usage errors itself and exits with 0 or 2.
    let arguments = Arguments::parse();
    output::start_logging(arguments.verbose);
    store::allow_open_files();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            if error.is::<command::WrongUse>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { data, database, media, json, config, command, .. } = arguments;
    // Finer data that cannot be used must not keep anybody from the rest.
    if !matches!(command, Command::Gazetteer { .. } | Command::Completions { .. } | Command::Watch(_))
        && let Err(error) = gazetteer::open(&data)
    {
        tracing::warn!("{error}");
    }
    // Who has to be started first should not matter to what runs for long.
    let patience = match &command {
        Command::Worker(_) => Duration::MAX,
        Command::Crawl(_) => store::PATIENCE,
        _ => Duration::ZERO,
    };
    let place = command::Place { data, database, patience, media, json };
    // Half of the cores wait for the network; reading, hashing and decoding have threads of their own.
    let waiting = std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(waiting).enable_all().build()?;
    let done = runtime.block_on(async move {
        match command {
            Command::Demo(demo) => command::demo(place, demo).await,
            Command::Crawl(order) => command::crawl(place, config.as_deref(), *order).await,
            Command::Find(order) => command::find(place, config.as_deref(), *order).await,
            Command::Crawls(list) => command::crawls(place, list).await,
            Command::Stats(stats) => command::stats(place, stats).await,
            Command::Gazetteer { gazetteer } => command::gazetteer(place, gazetteer),
            Command::Geoparse(order) => command::geoparse(place, order),
            Command::Inspect(order) => command::inspect(place, config.as_deref(), order).await,
            Command::Import(order) => command::import(place, config.as_deref(), order).await,
            Command::Search(order) => command::search(place, order).await,
            Command::Similar(order) => command::similar(place, config.as_deref(), order).await,
            Command::Duplicates(order) => command::duplicates(place, order).await,
            Command::Export(order) => command::export(place, order).await,
            Command::Forget(order) => command::forget(place, order).await,
            Command::Serve(order) => command::serve(place, order).await,
            Command::Worker(order) => command::worker(place, order).await,
            Command::Migrate(order) => command::migrate(place, order).await,
            Command::Watch(order) => command::watch(place, *order).await,
            Command::Schedule { schedule } => command::schedule(place, config.as_deref(), schedule).await,
            Command::Lab { lab } => command::lab(place, lab).await,
            Command::Completions { shell } => command::completions(shell),
        }
    });
    // Whatever matters is written; decoding that nobody waits for any more ends with the program.
    runtime.shutdown_background();
    done
}
