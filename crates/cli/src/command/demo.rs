//! `bowerbird demo`: the whole of it on a made web, with nothing but this machine.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use crawl::{Limits, Manners, Reach, Settings};
use facts::MediaKind;
use fetch::ResolveRule;
use serde_json::json;
use server::{Order, ServeError, Server};

use super::serve::interrupted;
use super::{Place, crawl as ordered};
use crate::arguments::{DATA, Demo};
use crate::output::{print_json, print_line};

/// Where the page is served, if nothing else is there.
const USUAL: ([u8; 4], u16) = ([127, 0, 0, 1], 7700);

/// Starts the lab web and a server, crawls the one for the other, and serves the page.
pub async fn demo(place: Place, demo: Demo) -> anyhow::Result<()> {
    let web = lab::Web::new(lab::Settings { number: demo.number, ..lab::Settings::default() });
    let (seeds, focus) = (web.seeds(), web.focus());
    let made = lab::Server::start(web, ([127, 0, 0, 1], 0).into()).await.context("cannot serve the lab web")?;
    // A library of its own, unless one is named: made pictures do not belong among others.
    let named = place.data != Path::new(DATA);
    let place = if named { place } else { Place { data: "./bowerbird-demo".into(), ..place } };
    let rule = ResolveRule::parse(&made.resolve().concat())?;
    let reach = Reach { resolve: vec![rule], ca: made.ca_pem().as_bytes().to_vec(), ..Reach::default() };
    let server = start(&place, demo.listen, &reach).await?;
    if place.json {
        print_json(&json!({ "listening": format!("http://{}", server.address()) }))?;
    } else {
        print_line(format!("the page is at http://{}", server.address()))?;
        print_line(format!("a made web of {} start pages is crawled for {}: watch it there", seeds.len(), focus.town))?;
    }
    let name = format!("demo-{}", demo.number);
    let settings = Settings {
        seeds,
        region: Some(format!("{},{},{}", focus.lat, focus.lon, focus.radius_km)),
        kind: vec![MediaKind::Image, MediaKind::Video, MediaKind::Audio],
        limits: Limits { max_pages: Some(demo.pages), ..Limits::default() },
        // A made web does not mind being asked quickly.
        manners: Manners { delay: Duration::from_millis(20), ..Manners::default() },
        ..Settings::default()
    };
    let ended = tokio::select! {
        result = shown(&place, &server, &name, settings, demo.once) => result,
        () = interrupted() => Ok(()),
    };
    server.stop().await?;
    made.stop().await;
    ended
}

/// At the usual address, or anywhere when that is taken and none was named.
async fn start(place: &Place, listen: Option<SocketAddr>, reach: &Reach) -> anyhow::Result<Server> {
    let order = |listen| Order {
        data: place.data.clone(),
        database: None,
        media: None,
        listen,
        token: None,
        read_token: None,
        host_names: Vec::new(),
        reach: reach.clone(),
    };
    match Server::start(order(listen.unwrap_or(USUAL.into()))).await {
        Err(ServeError::InUse(_)) if listen.is_none() => Ok(Server::start(order((USUAL.0, 0).into())).await?),
        other => Ok(other?),
    }
}

/// Crawls, says what came of it, and stays.
async fn shown(place: &Place, server: &Server, name: &str, settings: Settings, once: bool) -> anyhow::Result<()> {
    let summary = server.crawl(name, settings).await.map_err(|failure| anyhow!(failure))?;
    ordered::report(place, &summary)?;
    if once {
        return Ok(());
    }
    if !place.json {
        print_line(format!("all of it is at http://{}; ctrl-c ends the demo", server.address()))?;
    }
    std::future::pending().await
}
