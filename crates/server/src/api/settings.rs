//! What the server is told to do when nothing else is said.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use crawl::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::crawls::settings_problem;
use crate::answer::{Document, Known, no_list};
use crate::app::App;
use crate::guard::policy;
use crate::problem::{FieldProblem, Problem};
use crate::query::Query;

/// The names they are stored under.
const CRAWL: &str = "crawl";
const MAP: &str = "map";
/// Characters of an address.
const LONGEST: usize = 2_000;
/// Further hosts a map may ask.
const HOSTS: usize = 20;

/// All settings.
#[derive(Serialize, ToSchema)]
struct AllSettings {
    /// What a crawl does when its order does not say, as `/crawls/defaults` describes it.
    #[schema(value_type = Object)]
    crawl: Settings,
    map: MapSettings,
}

/// Settings to change; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingsChange {
    /// In place of all settings for crawls.
    #[schema(value_type = Option<Object>)]
    crawl: Option<Value>,
    /// In place of all settings of the map.
    #[serde(default, deserialize_with = "no_list")]
    map: Option<MapSettings>,
}

/// Where the map comes from; without any of it, from the page's own bundle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MapSettings {
    /// The address of a MapLibre style.
    #[schema(max_length = 2000)]
    style_url: Option<String>,
    /// The address of a PMTiles file.
    #[schema(max_length = 2000)]
    pmtiles_url: Option<String>,
    /// Whom to thank for it.
    #[schema(max_length = 2000)]
    attribution: Option<String>,
    /// Further hosts the style asks for tiles, fonts and pictures, as `https://tiles.example`.
    #[schema(max_items = 20)]
    hosts: Vec<String>,
}

impl MapSettings {
    /// The hosts that the page may ask for the map.
    fn origins(&self) -> Vec<String> {
        let named = [&self.style_url, &self.pmtiles_url].into_iter().flatten().chain(&self.hosts);
        let mut origins: Vec<String> = named.filter_map(|address| origin(address)).collect();
        origins.sort();
        origins.dedup();
        origins
    }

    fn complaints(&self) -> Vec<FieldProblem> {
        let mut wrong = Vec::new();
        let mut complain = |field: &str, detail: &str| {
            wrong.push(FieldProblem { field: field.into(), detail: detail.into() });
        };
        for (field, value) in [("map.style_url", &self.style_url), ("map.pmtiles_url", &self.pmtiles_url)] {
            if value.as_ref().is_some_and(|address| origin(address).is_none() || address.len() > LONGEST) {
                complain(field, "must be an address that begins with https:// or http://");
            }
        }
        if self.attribution.as_ref().is_some_and(|text| text.chars().count() > LONGEST) {
            complain("map.attribution", "is longer than 2000 characters");
        }
        if self.hosts.len() > HOSTS || self.hosts.iter().any(|host| origin(host).is_none() || host.len() > LONGEST) {
            complain("map.hosts", "must be at most 20 addresses such as https://tiles.example");
        }
        wrong
    }
}

/// `https://host:port` of an address, in letters that a header takes.
fn origin(address: &str) -> Option<String> {
    let uri: http::Uri = address.parse().ok()?;
    let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
    let host = uri.host().filter(|host| !host.is_empty())?;
    let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:[]".contains(&byte));
    let port = uri.port_u16().map_or(String::new(), |port| format!(":{port}"));
    plain.then(|| format!("{scheme}://{host}{port}"))
}

/// What the library remembers of the map.
pub(crate) async fn map_settings(app: &App) -> Result<MapSettings, Problem> {
    let stored = app.library().setting(MAP).await?;
    Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()).unwrap_or_default())
}

/// What a crawl does when its order does not say, as it was set.
pub(super) async fn crawl_form(app: &App) -> Result<Value, Problem> {
    Ok(app.library().setting(CRAWL).await?.filter(|form| crawl::from_form(form).is_ok()).unwrap_or_else(|| json!({})))
}

/// The same, with all that was not set.
pub(super) async fn crawl_settings(app: &App) -> Result<Settings, Problem> {
    Ok(crawl::from_form(&crawl_form(app).await?).unwrap_or_default())
}

/// Sets the policy of the page to what the map needs.
pub(crate) async fn apply_policy(app: &App) -> Result<(), Problem> {
    let map = map_settings(app).await?;
    app.set_policy(policy(&map.origins()));
    Ok(())
}

async fn all(app: &App) -> Result<AllSettings, Problem> {
    Ok(AllSettings { crawl: crawl_settings(app).await?, map: map_settings(app).await? })
}

/// All settings
#[utoipa::path(get, path = "/settings", tag = "Settings", responses((status = 200, body = AllSettings)))]
pub(crate) async fn show(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    known.answer(&all(&app).await?)
}

/// Change settings
///
/// Each part that is given takes the place of what was there.
#[utoipa::path(put, path = "/settings", tag = "Settings", request_body = SettingsChange, responses((status = 200, body = AllSettings)))]
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Document(change): Document<SettingsChange>,
) -> Result<Response, Problem> {
    if let Some(form) = &change.crawl {
        let named =
            |(field, detail): (String, String)| (format!("crawl.{field}").trim_end_matches('.').to_owned(), detail);
        crawl::from_form(form).map_err(|wrong| settings_problem(&wrong.into_iter().map(named).collect::<Vec<_>>()))?;
    }
    let wrong = change.map.as_ref().map(MapSettings::complaints).unwrap_or_default();
    if !wrong.is_empty() {
        return Err(Problem::fields(wrong));
    }
    if let Some(form) = &change.crawl {
        app.library().save_setting(CRAWL, form).await?;
    }
    if let Some(map) = &change.map {
        app.library().save_setting(MAP, &json!(map)).await?;
        apply_policy(&app).await?;
    }
    Known::default().answer(&all(&app).await?)
}

/// The style of the map
///
/// Leads to the style that is set; there is none when the page uses its own.
#[utoipa::path(get, path = "/map/style.json", tag = "Map", responses(
    (status = 307, description = "The style is there"),
    (status = 404, body = Problem, content_type = "application/problem+json", description = "The page uses its own"),
))]
pub(crate) async fn style(State(app): State<Arc<App>>, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let map = map_settings(&app).await?;
    let style = map.style_url.ok_or_else(|| Problem::missing("no style is set: the page uses its own"))?;
    Ok(Redirect::temporary(&style).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_origins_get_into_the_policy() {
        for (address, expected) in [
            ("https://tiles.example/style.json?key=1", Some("https://tiles.example")),
            ("http://localhost:8080/x", Some("http://localhost:8080")),
            ("ftp://a.example/", None),
            ("javascript:alert(1)", None),
            ("https://a.example; script-src *", None),
            ("/style.json", None),
            ("", None),
        ] {
            assert_eq!(origin(address).as_deref(), expected, "{address}");
        }
        let map = MapSettings { hosts: vec!["nonsense".into()], style_url: Some("x".into()), ..MapSettings::default() };
        assert_eq!(map.complaints().len(), 2);
    }
}
