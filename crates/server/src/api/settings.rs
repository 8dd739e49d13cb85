//! What the server is told to do when nothing else is said.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use crawl::{FindSettings, Settings};
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
const FIND: &str = "find";
/// Stands for a key that is set: keys are written, and never shown.
const SET: &str = "set";
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
    /// What a find does when its order does not say, and the sources of start pages; keys are shown as `set`.
    #[schema(value_type = Object)]
    find: FindSettings,
    /// Words that mean the same, for `~word`: one group a line, with commas between.
    synonyms: String,
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
    /// In place of all settings of finds; a key that is `set` stays as it is.
    #[schema(value_type = Option<Object>)]
    find: Option<Value>,
    /// In place of the list of synonyms.
    #[schema(max_length = 1048576)]
    synonyms: Option<String>,
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

/// What a find does when its order does not say, with all that was not set.
pub(super) async fn find_settings(app: &App) -> Result<FindSettings, Problem> {
    let stored = app.library().setting(FIND).await?;
    let read = stored.and_then(|stored| serde_json::from_value::<FindSettings>(stored).ok());
    Ok(read.filter(|settings| settings.check().is_ok()).unwrap_or_default())
}

/// The sources that crawls without a start page ask.
pub(crate) async fn sources_of(library: &dyn store::Library) -> Vec<sources::SourceSettings> {
    let stored = library.setting(FIND).await.ok().flatten();
    let read = stored.and_then(|stored| serde_json::from_value::<FindSettings>(stored).ok());
    read.map(|settings| settings.sources).unwrap_or_default()
}

/// The settings of finds that were sent, with the keys that stay as they are.
async fn find_sent(app: &App, sent: &Value) -> Result<FindSettings, Vec<FieldProblem>> {
    let wrong = |field: String, detail: String| FieldProblem { field, detail };
    let read: Result<FindSettings, _> = match sent.is_object() {
        true => serde_json::from_value(sent.clone()),
        false => return Err(vec![wrong("find".into(), "must be an object".into())]),
    };
    let mut settings = read.map_err(|error| vec![wrong("find".into(), error.to_string())])?;
    let before = find_settings(app).await.unwrap_or_default();
    for (at, source) in settings.sources.iter_mut().enumerate() {
        if source.key.as_deref() == Some(SET) {
            let same = before.sources.get(at).filter(|known| known.kind == source.kind);
            let known = same.or_else(|| before.sources.iter().find(|known| known.kind == source.kind));
            source.key = known.and_then(|known| known.key.clone());
        }
    }
    let mut complaints: Vec<FieldProblem> =
        settings.complaints().into_iter().map(|(field, detail)| wrong(format!("find.{field}"), detail)).collect();
    for (at, source) in settings.sources.iter().enumerate() {
        // Who may change settings here may not be who may read files there.
        if source.file.is_some() {
            let detail = "a list must be given by its address here; files can be named on the command line";
            complaints.push(wrong(format!("find.sources.{at}"), detail.into()));
        }
    }
    if complaints.is_empty() { Ok(settings) } else { Err(complaints) }
}

/// Sets the policy of the page to what the map needs.
pub(crate) async fn apply_policy(app: &App) -> Result<(), Problem> {
    let map = map_settings(app).await?;
    app.set_policy(policy(&map.origins()));
    Ok(())
}

async fn all(app: &App) -> Result<AllSettings, Problem> {
    let stored = app.library().setting(search::SYNONYMS).await?;
    let synonyms = stored.and_then(|stored| stored.as_str().map(str::to_owned)).unwrap_or_default();
    let (crawl, map) = (crawl_settings(app).await?, map_settings(app).await?);
    let mut find = find_settings(app).await?;
    find.sources.iter_mut().filter(|source| source.key.is_some()).for_each(|source| source.key = Some(SET.into()));
    Ok(AllSettings { crawl, map, find, synonyms })
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
    let mut wrong = change.map.as_ref().map(MapSettings::complaints).unwrap_or_default();
    let find = match &change.find {
        Some(sent) => match find_sent(&app, sent).await {
            Ok(settings) => Some(settings),
            Err(complaints) => {
                wrong.extend(complaints);
                None
            }
        },
        None => None,
    };
    if let Some(Err(error)) = change.synonyms.as_deref().map(query::Synonyms::read) {
        wrong.push(FieldProblem { field: "synonyms".into(), detail: error.to_string() });
    }
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
    if let Some(find) = &find {
        app.library().save_setting(FIND, &json!(find)).await?;
    }
    if let Some(synonyms) = &change.synonyms {
        app.library().save_setting(search::SYNONYMS, &json!(synonyms)).await?;
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
