//! `bowerbird lab`.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Context;
use experiments::{ExperimentError, Report};
use serde_json::json;
use tokio::sync::watch;

use super::{Place, WrongUse};
use crate::arguments::{Lab, LabCorner, LabExperiment, LabWeb};
use crate::output::{print_json, print_line, print_table};
use crate::{progress, region};

/// Runs what belongs to the lab.
pub async fn lab(place: Place, lab: Lab) -> anyhow::Result<()> {
    match lab {
        Lab::Web(web) => serve(web).await,
        Lab::Corner(corner) => serve_corner(corner).await,
        Lab::Experiment(order) => experiment(place, order).await,
    }
}

async fn experiment(place: Place, order: LabExperiment) -> anyhow::Result<()> {
    let LabExperiment { name, number, max_pages, corpus, from, query, region, granularity, out } = order;
    let program = std::env::current_exe().ok();
    let granularity = granularity.map(Into::into).unwrap_or_default();
    let region = region.as_deref().map(region::read).transpose()?.map(|asked| asked.stored);
    let told = experiments::Order { number, max_pages, corpus, from, query, region, granularity, program };
    let (sender, receiver) = watch::channel(String::new());
    let shown = progress::show_experiment(receiver);
    let made = experiments::run(&name, &told, &sender).await;
    drop(sender);
    shown.await?;
    let report = made.map_err(|error| match error {
        ExperimentError::Unknown(_) | ExperimentError::NoCorpus(_) | ExperimentError::From { .. } => {
            WrongUse(error.to_string()).into()
        }
        other => anyhow::Error::from(other),
    })?;
    let files = write(&report, &out).with_context(|| format!("cannot write to {}", out.display()))?;
    if place.json {
        return print_json(&report);
    }
    print_line(&report.title)?;
    for table in &report.tables {
        print_line("")?;
        print_table(&table.headings, &table.rows)?;
    }
    print_line("")?;
    report.bars.iter().try_for_each(|bar| print_line(bar.to_string()))?;
    report.notes.iter().try_for_each(print_line)?;
    print_line(format!("figures are in {}", files.join(", ")))
}

/// Writes the figures and each plot to a file of its own; gives their names.
fn write(report: &Report, folder: &Path) -> std::io::Result<Vec<String>> {
    std::fs::create_dir_all(folder)?;
    let mut files = vec![(folder.join(format!("{}.json", report.name)), serde_json::to_string_pretty(report)?)];
    for plot in &report.plots {
        files.push((folder.join(format!("{}-{}.svg", report.name, plot.name)), plot.svg()?));
    }
    files.iter().map(|(file, text)| std::fs::write(file, text).map(|()| file.display().to_string())).collect()
}

/// What is made for the lab is shown to nobody else.
fn loopback(listen: SocketAddr) -> Result<SocketAddr, WrongUse> {
    if listen.ip().is_loopback() {
        return Ok(listen);
    }
    Err(WrongUse(format!("{listen} is not a loopback address: the made web is for this machine alone")))
}

async fn serve_corner(order: LabCorner) -> anyhow::Result<()> {
    let listen = loopback(order.listen)?;
    let corner = lab::Corner::start(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    print_json(&json!({
        "listening": format!("http://{}", corner.address()),
        "seeds": [lab::Corner::seed().as_str()],
        "resolve": corner.resolve(),
    }))?;
    tokio::signal::ctrl_c().await?;
    corner.stop().await;
    Ok(())
}

async fn serve(order: LabWeb) -> anyhow::Result<()> {
    loopback(order.listen)?;
    let defaults = lab::Settings::default();
    let settings = lab::Settings {
        number: order.number,
        hosts: order.hosts.unwrap_or(defaults.hosts),
        pages: order.pages.unwrap_or(defaults.pages),
        own_domains: order.topics,
        topics: order.topics.then(lab::Topics::default),
        ..defaults
    };
    let web = lab::Web::new(settings);
    let seeds: Vec<String> = web.seeds().iter().map(ToString::to_string).collect();
    let server =
        lab::Server::start(web, order.listen).await.with_context(|| format!("cannot listen on {}", order.listen))?;
    if let Some(file) = &order.ca_out {
        std::fs::write(file, server.ca_pem()).with_context(|| format!("cannot write {}", file.display()))?;
    }
    print_json(&json!({
        "listening": format!("http://{}", server.http()),
        "seeds": seeds,
        "resolve": server.resolve().concat(),
        "ca": order.ca_out,
    }))?;
    tokio::signal::ctrl_c().await?;
    server.stop().await;
    Ok(())
}
