//! `bowerbird demo`: the whole of it on a made web, with nothing but this machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use crawl::{Limits, Manners, Reach, Settings};
use facts::MediaKind;
use fetch::ResolveRule;
use store::Store;

use super::{Place, crawl as ordered};
use crate::arguments::{DATA, Demo};
use crate::output::print_line;

/// Starts the lab web, crawls it, says what was found and where it is.
pub async fn demo(place: Place, demo: Demo) -> anyhow::Result<()> {
    let web = lab::Web::new(lab::Settings { number: demo.number, ..lab::Settings::default() });
    let (seeds, focus) = (web.seeds(), web.focus());
    let server = lab::Server::start(web, ([127, 0, 0, 1], 0).into()).await.context("cannot serve the lab web")?;
    if !place.json {
        let served = format!("a made web of {} start pages is served on {}", seeds.len(), server.http());
        print_line(format!("{served}; it is crawled for {}", focus.town))?;
    }
    // A library of its own, unless one is named: made pictures do not belong among others.
    let named = place.data != Path::new(DATA);
    let place = if named { place } else { Place { data: "./bowerbird-demo".into(), ..place } };
    let name = format!("demo-{}", demo.number);
    // A made web does not mind being asked quickly.
    let delay = Duration::from_millis(20);
    let settings = Settings {
        seeds,
        region: Some(format!("{},{},{}", focus.lat, focus.lon, focus.radius_km)),
        kind: vec![MediaKind::Image, MediaKind::Video, MediaKind::Audio],
        limits: Limits { max_pages: Some(demo.pages), ..Limits::default() },
        manners: Manners { delay, ..Manners::default() },
        ..Settings::default()
    };
    let rule = ResolveRule::parse(&server.resolve().concat())?;
    let reach = Reach { resolve: vec![rule], ca: server.ca_pem().as_bytes().to_vec(), allow_private: false };
    let options = store::Options { what: "demo".into(), default_delay: delay, ..Default::default() };
    let store = Arc::new(Store::open(&place.data, options)?);
    let result = ordered::crawl_in(&store, &name, settings, reach).await;
    if let Some(store) = Arc::into_inner(store) {
        store.close().await?;
    }
    server.stop().await;
    ordered::report(&place, &result?)
}
