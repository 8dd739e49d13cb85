//! What a map shows: items and pages that are near each other, together.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use search::Looked;
use serde::Serialize;
use store::{Cluster, ClusterFilter, Representative};
use utoipa::ToSchema;

use crate::answer::Known;
use crate::app::App;
use crate::filters::{self, FilterParams};
use crate::problem::Problem;
use crate::query::Query;

/// What is in a view of a map.
#[derive(Serialize, ToSchema)]
struct ClusterList {
    /// At most 400.
    clusters: Vec<ClusterShape>,
    /// How many items or pages they hold together.
    total: u64,
    /// Whether there are more than were looked at.
    total_is_at_least: bool,
}

/// Some items or pages near each other, or one.
#[derive(Serialize, ToSchema)]
struct ClusterShape {
    lat: f64,
    lon: f64,
    /// How many; 1 is the item or page itself.
    count: u64,
    /// South, west, north and east of where they are.
    #[schema(value_type = [f64; 4])]
    r#box: [f64; 4],
    /// The newest of them: an item's identity or a page's address.
    id: String,
    /// Its kind: `image`, `video`, `audio` or `page`.
    #[schema(value_type = String)]
    kind: &'static str,
}

impl From<Cluster> for ClusterShape {
    fn from(cluster: Cluster) -> Self {
        let (id, kind) = match cluster.representative {
            Representative::Media(id, kind) => (id.to_string(), kind.as_str()),
            Representative::Page(url) => (url, "page"),
        };
        let (lat, lon) = (cluster.at.lat(), cluster.at.lon());
        Self { lat, lon, count: cluster.count, r#box: cluster.bounds, id, kind }
    }
}

/// What a map shows
///
/// Clusters that fit the zoom. `kind=page` gives pages, at the place each is about.
#[utoipa::path(get, path = "/map/clusters", tag = "Map", params(
    ("box" = String, Query, description = "The view: south, west, north, east; west may be larger than east", example = "53.0,8.0,53.3,8.4", max_length = 200),
    ("zoom" = u8, Query, description = "The zoom of the map", minimum = 0, maximum = 24),
    ("kind" = Option<String>, Query, description = "`page`, or kinds of media with commas between", pattern = "^(page|(image|video|audio)(,(image|video|audio))*)$"),
    FilterParams,
), responses((status = 200, body = ClusterList)))]
pub(crate) async fn clusters(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let mut question = filters::read_any(&app, &mut query).await?;
    let view = question.view.take();
    let view = query.needed("box", view);
    let zoom = query.number("zoom", 0..=24);
    let zoom = query.needed("zoom", zoom);
    query.finish()?;
    let what = match question.looked {
        Looked::Pages { .. } => ClusterFilter::Pages(question.page_filter()),
        Looked::Media(_) => ClusterFilter::Media(question.item_filter()),
    };
    let (view, zoom) = (view.unwrap_or_default(), zoom.unwrap_or_default());
    let clusters = app.library().clusters(&what, view, u8::try_from(zoom).unwrap_or(24)).await?;
    known.answer(&ClusterList {
        clusters: clusters.clusters.into_iter().map(ClusterShape::from).collect(),
        total: clusters.total,
        total_is_at_least: clusters.more,
    })
}
