//! Descriptions beside those that another program made of the same pixels.

use std::path::Path;

use media::{Descriptor, Look, Smoothing};
use serde::Deserialize;
use serde_json::json;

use crate::{Bar, ExperimentError, Report, Table, Wanted, pictures};

/// What another program made: pictures, a line each, with their vectors.
pub(super) const VECTORS: &str = "vectors.jsonl";

/// How alike ours and theirs should be.
const ALIKE: f64 = 0.95;

#[derive(Deserialize)]
struct Described {
    file: String,
    #[serde(rename = "CEDD")]
    cedd: Components,
    #[serde(rename = "FCTH")]
    fcth: Components,
    #[serde(rename = "JCD")]
    jcd: Components,
    #[serde(rename = "EdgeHistogram")]
    ehd: Components,
}

#[derive(Deserialize)]
struct Components {
    vector: Vec<f32>,
}

/// How alike the vectors of each descriptor are.
struct Agreement {
    descriptor: Descriptor,
    what: &'static str,
    /// The correlation of each picture's two vectors; of those that are not constant.
    correlations: Vec<f64>,
    /// Components that are equal, of all.
    equal: usize,
    all: usize,
}

/// Describes the pictures of a folder's [`VECTORS`] and compares.
pub(super) fn report(folder: &Path) -> Result<Report, ExperimentError> {
    let wrong = |why: String| ExperimentError::Corpus { path: folder.join(VECTORS), why };
    let text = std::fs::read_to_string(folder.join(VECTORS)).map_err(|error| wrong(error.to_string()))?;
    let agreement = |descriptor, what| Agreement { descriptor, what, correlations: Vec::new(), equal: 0, all: 0 };
    let mut agreements = [
        agreement(Descriptor::Cedd, "CEDD, mean correlation"),
        agreement(Descriptor::Fcth, "FCTH, mean correlation"),
        agreement(Descriptor::Jcd, "JCD, mean correlation"),
        agreement(Descriptor::Ehd, "EHD, mean correlation"),
    ];
    let mut read = 0;
    for line in text.lines() {
        let theirs: Described = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let picture = pictures::read(&folder.join(&theirs.file));
        let look = picture.as_ref().and_then(|picture| Look::smoothed(&pictures::pixels(picture), Smoothing::None));
        let look = look.ok_or_else(|| wrong(format!("{} cannot be decoded", theirs.file)))?;
        let vectors = [theirs.cedd, theirs.fcth, theirs.jcd, theirs.ehd];
        for (agreement, theirs) in agreements.iter_mut().zip(vectors) {
            agreement.add(&agreement.descriptor.vector(&look), &theirs.vector);
        }
        read += 1;
    }
    Ok(told(folder, read, &agreements))
}

impl Agreement {
    fn add(&mut self, ours: &[f32], theirs: &[f32]) {
        self.correlations.extend(correlation(ours, theirs));
        self.all += ours.len().max(theirs.len());
        self.equal += ours.iter().zip(theirs).filter(|(ours, theirs)| ours == theirs).count();
    }

    fn mean(&self) -> Option<f64> {
        let count = self.correlations.len();
        (count > 0).then(|| self.correlations.iter().sum::<f64>() / count as f64)
    }
}

/// Pearson's; none where one is constant.
fn correlation(a: &[f32], b: &[f32]) -> Option<f64> {
    let mean = |values: &[f32]| values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (f64::from(*a) - mean_a, f64::from(*b) - mean_b);
        both += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    (of_a > 0.0 && of_b > 0.0).then(|| both / (of_a * of_b).sqrt())
}

fn told(folder: &Path, read: usize, agreements: &[Agreement]) -> Report {
    let rows = agreements.iter().map(|agreement| {
        let least = agreement.correlations.iter().copied().fold(f64::INFINITY, f64::min);
        vec![
            agreement.descriptor.as_str().to_owned(),
            agreement.correlations.len().to_string(),
            format!("{:.4}", agreement.mean().unwrap_or_default()),
            format!("{least:.4}"),
            format!("{:.1} %", 100.0 * agreement.equal as f64 / agreement.all.max(1) as f64),
        ]
    });
    let bar =
        |agreement: &Agreement| Bar { what: agreement.what, wanted: Wanted::AtLeast(ALIKE), got: agreement.mean() };
    let figures = agreements.iter().map(|one| {
        let figures =
            json!({ "pictures": one.correlations.len(), "mean": one.mean(), "equal": one.equal, "of": one.all });
        (one.descriptor.as_str().to_owned(), figures)
    });
    Report {
        name: "rerank",
        title: format!("descriptions beside another program's, in {}", folder.display()),
        tables: vec![Table {
            headings: vec!["descriptor", "pictures", "mean correlation", "least", "components equal"],
            rows: rows.collect(),
        }],
        plots: Vec::new(),
        bars: agreements.iter().map(bar).collect(),
        notes: vec![format!("{read} pictures without median filter; constant vectors have no correlation")],
        figures: figures.collect::<serde_json::Map<_, _>>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_together_is_alike() {
        assert_eq!(correlation(&[0.0, 1.0, 2.0], &[1.0, 3.0, 5.0]), Some(1.0));
        assert_eq!(correlation(&[0.0, 1.0], &[1.0, 0.0]), Some(-1.0));
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 0.0]), None);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(VECTORS), "{}\n").unwrap();
        assert!(report(folder.path()).unwrap_err().to_string().contains(VECTORS));
    }
}
