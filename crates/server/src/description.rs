//! The OpenAPI description, made from the code.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;

/// What the description begins with.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Bowerbird",
        description = "Pictures, sounds and films of places, with where each was made. Errors are problem documents \
                       (RFC 9457). Lists are paged: `next` of one page is `cursor` of the next.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    components(schemas(crate::problem::Problem)),
    tags(
        (name = "Session", description = "Who is there"),
        (name = "Media", description = "Pictures, films and sounds"),
        (name = "Crawls", description = "Collecting them"),
        (name = "Find", description = "Pictures for a question, now"),
        (name = "Map", description = "Where they are"),
        (name = "Search", description = "Questions"),
        (name = "Places", description = "Names and points"),
        (name = "Settings", description = "What the server does when nothing else is said"),
        (name = "Figures", description = "What there is"),
        (name = "Health", description = "For whoever watches over the server"),
    )
)]
pub(crate) struct Beginning;

/// The whole description: what every operation has in common is added here once.
pub(crate) fn whole(document: &Document) -> Value {
    let mut whole = serde_json::to_value(document).unwrap_or_default();
    // What else is in a form is no file.
    for files in ["Upload", "ExampleFile"] {
        whole["components"]["schemas"][files]["additionalProperties"] = json!(false);
    }
    whole["servers"] = json!([{ "url": "/" }]);
    whole["components"]["securitySchemes"] = json!({
        "token": { "type": "http", "scheme": "bearer", "description": "The admin or the reader token" },
        "cookie": { "type": "apiKey", "in": "cookie", "name": crate::guard::COOKIE },
    });
    whole["security"] = json!([{}, { "token": [] }, { "cookie": [] }]);
    let problem = |description: &str| {
        json!({
            "description": description,
            "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
        })
    };
    let paths = whole["paths"].as_object_mut().into_iter().flat_map(|paths| paths.iter_mut());
    for (path, item) in paths {
        for (method, operation) in item.as_object_mut().into_iter().flat_map(|item| item.iter_mut()) {
            let has_body = operation.get("requestBody").is_some();
            let takes_query = method == "get" || has_body;
            // What an operation says of a parameter goes over what filters say of it.
            if let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) {
                let mut seen = BTreeSet::new();
                parameters
                    .retain(|parameter| seen.insert((parameter["name"].to_string(), parameter["in"].to_string())));
            }
            // One that no two share.
            let words = path.trim_start_matches("/api/v1/").replace(['{', '}'], "").replace(['/', '.'], "_");
            operation["operationId"] = json!(format!("{method}_{words}"));
            let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { continue };
            // Events come one by one: no schema holds for the stream of them.
            if let Some(stream) = responses.get_mut("200").and_then(|ok| ok["content"].get_mut("text/event-stream")) {
                *stream = json!({});
            }
            let mut add = |status: &str, description: &str| {
                responses.entry(status).or_insert_with(|| problem(description));
            };
            add("401", "A token is needed");
            add("403", "This token, or another site's page, may not do this");
            if path.contains('{') {
                add("404", "There is no such thing");
            }
            if takes_query {
                add("422", "Something that was sent makes no sense; `fields` says what");
            }
            if has_body {
                add("400", "The document cannot be read");
                add("413", "The document is too large");
                add("415", "The document is of another type");
            }
            add("default", "Something else went wrong");
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    /// Where it is kept, for whoever reads the repository.
    const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

    #[test]
    fn the_description_that_is_kept_is_that_of_the_code() {
        let made = crate::description() + "\n";
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).unwrap();
            std::fs::write(KEPT, &made).unwrap();
        }
        let kept = std::fs::read_to_string(KEPT).unwrap_or_default();
        assert!(
            kept == made,
            "docs/openapi.json is old: `UPDATE_OPENAPI=1 cargo test -p bowerbird-server description` writes it anew"
        );
    }

    #[test]
    fn every_operation_says_what_it_does_and_what_can_go_wrong() {
        let description: serde_json::Value = serde_json::from_str(&crate::description()).unwrap();
        let mut names = std::collections::BTreeSet::new();
        for (path, item) in description["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let summary = operation["summary"].as_str().unwrap_or_default();
                assert!(!summary.is_empty() && operation["tags"][0].is_string(), "{method} {path}");
                assert!(operation["responses"]["default"].is_object(), "{method} {path}");
                assert!(names.insert(operation["operationId"].to_string()), "{method} {path} shares its operationId");
            }
        }
        assert!(names.len() > 30);
    }
}
