//! `bowerbird lab`.

use anyhow::Context;
use serde_json::json;

use super::WrongUse;
use crate::arguments::{Lab, LabWeb};
use crate::output::print_json;

/// Runs what belongs to the lab.
pub async fn lab(lab: Lab) -> anyhow::Result<()> {
    match lab {
        Lab::Web(web) => serve(web).await,
    }
}

async fn serve(order: LabWeb) -> anyhow::Result<()> {
    if !order.listen.ip().is_loopback() {
        let refused = format!("{} is not a loopback address: the made web is for this machine alone", order.listen);
        return Err(WrongUse(refused).into());
    }
    let defaults = lab::Settings::default();
    let settings = lab::Settings {
        number: order.number,
        hosts: order.hosts.unwrap_or(defaults.hosts),
        pages: order.pages.unwrap_or(defaults.pages),
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
