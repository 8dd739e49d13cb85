//! The routes of `/api/v1`, one file for each thing they are about.

mod about;
mod copies;
mod crawls;
mod events;
mod example;
mod export;
pub(crate) mod file;
mod finds;
mod forget;
mod health;
mod import;
mod map;
mod media;
mod places;
mod schedules;
pub(crate) mod search;
mod session;
mod settings;
mod statistics;
mod workers;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

pub(crate) use self::settings::{apply_policy, sources_of};
pub(crate) use self::workers::WouldPay;
use crate::app::App;

/// All routes, below `/api/v1`.
pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(session::show, session::log_in, session::log_out))
        .routes(routes!(media::list))
        .routes(routes!(media::verify))
        .routes(routes!(media::one, media::change, media::remove))
        .routes(routes!(file::file))
        .routes(routes!(file::thumbnail))
        .routes(routes!(copies::list))
        .routes(routes!(copies::of_item))
        .routes(routes!(copies::set_apart, copies::unset_apart))
        .routes(routes!(crawls::list, crawls::create))
        .routes(routes!(crawls::defaults))
        .routes(routes!(crawls::one))
        .routes(routes!(crawls::pause))
        .routes(routes!(crawls::resume))
        .routes(routes!(crawls::stop))
        .routes(routes!(crawls::log))
        .routes(routes!(crawls::changes))
        .routes(routes!(events::of_crawl))
        .routes(routes!(events::of_all))
        .routes(routes!(workers::list))
        .routes(routes!(finds::list, finds::create))
        .routes(routes!(finds::one, finds::remove))
        .routes(routes!(finds::results))
        .routes(routes!(finds::thumbnail))
        .routes(routes!(finds::stop))
        .routes(routes!(finds::keep))
        .routes(routes!(finds::events))
        .routes(routes!(schedules::list, schedules::create))
        .routes(routes!(schedules::preview))
        .routes(routes!(schedules::change, schedules::remove))
        .routes(routes!(schedules::run))
        .routes(routes!(schedules::runs))
        .routes(routes!(forget::forget, forget::list))
        .routes(routes!(import::import).layer(DefaultBodyLimit::max(import::LARGEST_REQUEST)))
        .routes(routes!(search::search))
        .routes(routes!(example::by_example).layer(DefaultBodyLimit::max(example::LARGEST_REQUEST)))
        .routes(routes!(example::of_item))
        .routes(routes!(example::rerank))
        .routes(routes!(search::pages))
        .routes(routes!(map::clusters))
        .routes(routes!(places::suggest))
        .routes(routes!(places::at_point))
        .routes(routes!(places::labels))
        .routes(routes!(places::geoparse))
        .routes(routes!(settings::show, settings::change))
        .routes(routes!(settings::style))
        .routes(routes!(export::export))
        .routes(routes!(about::about))
        .routes(routes!(statistics::statistics))
        .routes(routes!(health::health))
        .routes(routes!(health::metrics))
}
