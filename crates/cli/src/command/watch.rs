//! `bowerbird watch`.

use std::collections::HashSet;
use std::net::SocketAddr;

use serde_json::json;
use watch::{Looked, Order, Rush, WatchError, Way};

use super::serve::interrupted;
use super::{Place, WrongUse};
use crate::arguments::Watch;
use crate::output::{print_json, print_line};

/// Watches sites until it is interrupted, or looks once.
pub async fn watch(place: Place, order: Watch) -> anyhow::Result<()> {
    let Watch { site, listen, report, access_log, reset, rush, rush_load, rescan, poll, state, once, reach } = order;
    let way = match report {
        Some(report) => Way::File { report, access_log },
        None => Way::Listen(listen),
    };
    let hosts: HashSet<_> = site.iter().map(|site| site.url.host()).collect();
    let order = Order {
        fetch: ::crawl::fetch_settings(&reach.read()?, hosts, None),
        sites: site,
        state: state.unwrap_or_else(|| place.data.join("watch")),
        way,
        reset,
        rush: Rush { hours: rush, load: rush_load },
        rescan,
        poll,
    };
    if once {
        return show(place.json, ::watch::once(order).await.map_err(wrong_use)?);
    }
    let ready = |address: Option<SocketAddr>| {
        let shown = match (place.json, address) {
            (true, Some(address)) => print_json(&json!({ "listening": format!("http://{address}") })),
            (true, None) => print_json(&json!({ "ready": true })),
            (false, Some(address)) => print_line(format!("crawlers can ask at http://{address}")),
            (false, None) => print_line("the report is written, and again with every change"),
        };
        if let Err(error) = shown {
            tracing::warn!("{error:#}");
        }
    };
    ::watch::watch(order, ready, interrupted()).await.map_err(wrong_use)
}

/// What one look brought.
fn show(json: bool, sites: Vec<Looked>) -> anyhow::Result<()> {
    for Looked { report, changes } in sites {
        match json {
            true => print_json(&report)?,
            false => {
                let site = report.site;
                print_line(format!(
                    "{site}: {} pages in the report, {changes} changes since the last look",
                    report.total
                ))?;
            }
        }
    }
    Ok(())
}

fn wrong_use(error: WatchError) -> anyhow::Error {
    match error {
        WatchError::Site(_) | WatchError::OneFile | WatchError::OneLog => WrongUse(error.to_string()).into(),
        other => other.into(),
    }
}
