//! The routes of `/api/v1`, one file for each thing they are about.

mod crawls;
mod events;
mod file;
mod health;
mod media;
mod session;
mod statistics;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;

/// All routes, below `/api/v1`.
pub(crate) fn routes() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(session::show, session::log_in, session::log_out))
        .routes(routes!(media::list))
        .routes(routes!(media::one))
        .routes(routes!(file::file))
        .routes(routes!(file::thumbnail))
        .routes(routes!(crawls::list, crawls::create))
        .routes(routes!(crawls::defaults))
        .routes(routes!(crawls::one))
        .routes(routes!(crawls::pause))
        .routes(routes!(crawls::resume))
        .routes(routes!(crawls::stop))
        .routes(routes!(crawls::log))
        .routes(routes!(events::of_crawl))
        .routes(routes!(events::of_all))
        .routes(routes!(statistics::statistics))
        .routes(routes!(health::health))
        .routes(routes!(health::metrics))
}
