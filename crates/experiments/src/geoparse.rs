//! How well places are found in texts with gold places, and put where they are.

use std::ops::Range;
use std::path::{Path, PathBuf};

use facts::LatLon;
use geo::{Hints, Mention, kilometres};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Bar, ExperimentError, Order, Plot, Report, Series, Shape, Table, Wanted};

/// A place is right when it is less than 100 miles off.
const RIGHT_KM: f64 = 161.0;
/// Spans whose middles are less than so many code points apart are the same to the platform that the
/// usual peers were compared on (EUPEG).
const MIDDLES: f64 = 10.0;

/// Scores every corpus of a folder.
pub(crate) fn run(order: &Order) -> Result<Report, ExperimentError> {
    let folder = order.corpus.as_deref().ok_or(ExperimentError::NoCorpus(
        "a folder of *.jsonl files, one {\"text\",\"toponyms\":[{\"start\",\"end\",\"lat\",\"lon\"}]} a line with offsets in \
         code points, and perhaps a peers.tsv",
    ))?;
    let mut corpora: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| wrong(folder, error.to_string()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    corpora.sort();
    if corpora.is_empty() {
        return Err(wrong(folder, "it has no *.jsonl file".into()));
    }
    let peers = Peer::read(&folder.join("peers.tsv"))?;
    let mut table = Table {
        headings: vec!["corpus", "spans", "gold", "found", "P", "R", "F1", "within 161 km", "median km", "R × within"],
        rows: Vec::new(),
    };
    let mut figures = Vec::new();
    let (mut labels, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    let mut beside: Vec<f64> = Vec::new();
    for path in &corpora {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let documents = read(path)?;
        let mut scored = serde_json::Map::new();
        for same in Same::ALL {
            let score = Score::of(&documents, same);
            table.rows.push(score.row(&name, same.as_str()));
            if same == Same::Exact {
                ours.push((labels.len() as f64, score.recall() * score.accuracy()));
            }
            scored.insert(same.as_str().to_owned(), score.figures());
        }
        let best = peers.iter().filter(|peer| key(&peer.corpus) == key(&name)).max_by(|a, b| a.both.total_cmp(&b.both));
        table.rows.extend(best.map(|peer| peer.row(&name)));
        theirs.extend(best.map(|peer| (labels.len() as f64, peer.both)));
        beside.extend(best.zip(ours.last()).map(|(peer, (_, both))| both / peer.both));
        labels.push(name.clone());
        figures.push(json!({
            "corpus": name, "documents": documents.len(), "scores": scored,
            "best_peer": best.map(|peer| json!({ "system": peer.system, "recall_times_accuracy": peer.both })),
        }));
    }
    let plot = Plot {
        name: "places",
        title: "share of gold places that are found and less than 161 km off".into(),
        x: "corpus",
        y: "recall × accuracy",
        shape: Shape::Bars,
        labels,
        series: vec![Series::new("this parser, exact spans", ours), Series::new("best of others", theirs)],
    };
    let notes = [
        "development figures: the parser was made while such corpora were read, so another text may do worse",
        "the headline is exact spans: a place counts as found only when it begins and ends where the gold one does; \
         whichever way peers' spans were compared, that is not more lenient",
        "overlapping: one code point in common is enough; middles: less than 10 code points apart, as the EUPEG platform \
         compares",
        "gold places without coordinates are left out, and what is found there counts as wrong, as on EUPEG",
        "R × within: the share of gold places that are found and less than 161 km (100 miles) off",
    ];
    Ok(Report {
        name: "geoparse",
        title: format!("places found and placed in {} (development figures)", folder.display()),
        tables: vec![table],
        plots: vec![plot],
        bars: vec![Bar {
            what: "the corpus it does worst on: R × within ÷ the best of others",
            wanted: Wanted::AtLeast(1.0),
            got: beside.into_iter().min_by(f64::total_cmp),
        }],
        notes: notes.map(str::to_owned).to_vec(),
        figures: json!({ "headline": Same::Exact.as_str(), "kind": "development", "corpora": figures }),
    })
}

fn wrong(path: &Path, why: String) -> ExperimentError {
    ExperimentError::Corpus { path: path.to_owned(), why }
}

/// "TR-News" and "trnews" are one corpus.
fn key(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[derive(Deserialize)]
struct Document {
    text: String,
    toponyms: Vec<Gold>,
}

#[derive(Deserialize)]
struct Gold {
    /// Some corpora have a few that are off the text; those are never found.
    start: i64,
    end: i64,
    lat: Option<f64>,
    lon: Option<f64>,
}

fn read(path: &Path) -> Result<Vec<Document>, ExperimentError> {
    let lines = std::fs::read_to_string(path).map_err(|error| wrong(path, error.to_string()))?;
    let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| wrong(path, format!("line {}: {error}", number + 1)))
        })
        .collect()
}

/// When a place that was found is a gold one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    Exact,
    Overlapping,
    Middles,
}

impl Same {
    const ALL: [Self; 3] = [Self::Exact, Self::Overlapping, Self::Middles];

    fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Overlapping => "overlapping",
            Self::Middles => "middles",
        }
    }

    fn is(self, found: &Range<i64>, gold: &Gold) -> bool {
        match self {
            Self::Exact => *found == (gold.start..gold.end),
            Self::Overlapping => found.start < gold.end && gold.start < found.end,
            Self::Middles => {
                let middle = |start: i64, end: i64| (start + end) as f64 / 2.0;
                (middle(found.start, found.end) - middle(gold.start, gold.end)).abs() < MIDDLES
            }
        }
    }
}

/// What is found of the gold places, and how far off that is.
#[derive(Default)]
struct Score {
    gold: usize,
    false_places: usize,
    /// Kilometres off, for each gold place that is found; from the least.
    errors: Vec<f64>,
}

impl Score {
    fn of(documents: &[Document], same: Same) -> Self {
        let mut score = Self::default();
        documents.iter().for_each(|document| score.add(document, same));
        score.errors.sort_by(f64::total_cmp);
        score
    }

    fn add(&mut self, document: &Document, same: Same) {
        let mentions = geo::parse(&document.text, &Hints::default());
        let spans = geo::code_points(&document.text, &mentions);
        let spans = spans.into_iter().map(|span| span.start as i64..span.end as i64);
        let mut unused: Vec<(Range<i64>, &Mention)> = spans.zip(&mentions).collect();
        for gold in &document.toponyms {
            let Some(at) = gold.lat.zip(gold.lon).and_then(|(lat, lon)| LatLon::new(lat, lon)) else { continue };
            self.gold += 1;
            if let Some(index) = unused.iter().position(|(span, _)| same.is(span, gold)) {
                let (_, mention) = unused.remove(index);
                self.errors.push(kilometres(mention.at, at));
            }
        }
        self.false_places += unused.len();
    }

    fn precision(&self) -> f64 {
        share(self.errors.len(), self.errors.len() + self.false_places)
    }

    fn recall(&self) -> f64 {
        share(self.errors.len(), self.gold)
    }

    fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }

    fn accuracy(&self) -> f64 {
        share(self.errors.iter().filter(|km| **km < RIGHT_KM).count(), self.errors.len())
    }

    fn median(&self) -> f64 {
        let middle = self.errors.len() / 2;
        match self.errors.get(middle) {
            Some(km) if self.errors.len().is_multiple_of(2) => (km + self.errors[middle - 1]) / 2.0,
            Some(km) => *km,
            None => 0.0,
        }
    }

    fn row(&self, corpus: &str, spans: &str) -> Vec<String> {
        let two = |number: f64| format!("{number:.3}");
        vec![
            corpus.to_owned(),
            spans.to_owned(),
            self.gold.to_string(),
            self.errors.len().to_string(),
            two(self.precision()),
            two(self.recall()),
            two(self.f1()),
            two(self.accuracy()),
            format!("{:.1}", self.median()),
            two(self.recall() * self.accuracy()),
        ]
    }

    fn figures(&self) -> Value {
        json!({
            "gold": self.gold, "found": self.errors.len(), "false": self.false_places,
            "precision": self.precision(), "recall": self.recall(), "f1": self.f1(),
            "accuracy_161_km": self.accuracy(), "median_km": self.median(),
            "mean_km": self.errors.iter().sum::<f64>() / self.errors.len().max(1) as f64,
            "recall_times_accuracy": self.recall() * self.accuracy(),
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// What another system came to on a corpus.
struct Peer {
    corpus: String,
    system: String,
    /// Precision, recall, F1, accuracy and median error, as written.
    written: Vec<String>,
    /// Recall times accuracy.
    both: f64,
}

impl Peer {
    /// Reads `peers.tsv`: corpus, system, P, R, F1, acc161, median_km, …, R_x_acc161. No file, no peers.
    fn read(path: &Path) -> Result<Vec<Self>, ExperimentError> {
        let lines = match std::fs::read_to_string(path) {
            Ok(lines) => lines,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(wrong(path, error.to_string())),
        };
        let mut lines = lines.lines();
        let headings: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |name: &str| {
            let found = headings.iter().position(|heading| *heading == name);
            found.ok_or_else(|| wrong(path, format!("it has no column {name}")))
        };
        let (corpus, system, both) = (column("corpus")?, column("system")?, column("R_x_acc161")?);
        let shown = ["P", "R", "F1", "acc161", "median_km"].map(column).into_iter().collect::<Result<Vec<_>, _>>()?;
        let peer = |(number, line): (usize, &str)| {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |column: usize| cells.get(column).map(|cell| cell.trim().to_owned());
            let read = || {
                Some(Self {
                    corpus: cell(corpus)?,
                    system: cell(system)?,
                    written: shown.iter().map(|column| cell(*column)).collect::<Option<_>>()?,
                    both: cell(both)?.parse().ok()?,
                })
            };
            read().ok_or_else(|| wrong(path, format!("line {} is not like its first", number + 2)))
        };
        lines.enumerate().filter(|(_, line)| !line.trim().is_empty()).map(peer).collect()
    }

    fn row(&self, corpus: &str) -> Vec<String> {
        let mut row = vec![corpus.to_owned(), format!("best peer: {}", self.system), "–".into(), "–".into()];
        row.extend(self.written.iter().cloned());
        row.push(format!("{:.3}", self.both));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: &str = r#"{"text":"They left Kiel for Paris.","toponyms":[{"start":10,"end":14,"lat":54.32,"lon":10.12},{"start":19,"end":24,"lat":33.66,"lon":-95.55}]}
{"text":"In New York City it rained on Germans.","toponyms":[{"start":3,"end":11,"lat":40.7,"lon":-74.0},{"start":30,"end":37,"lat":null,"lon":null}]}
"#;

    #[test]
    fn scores_are_counted_by_exact_and_by_overlapping_spans() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tr-made.jsonl"), CORPUS).unwrap();
        let peers = "corpus\tsystem\tP\tR\tF1\tacc161\tmedian_km\tR_x_acc161\nTR-Made\tA\t1\t0.5\t0.667\t0.5\t9\t0.25\nTR-Made\tB\t0.9\t0.6\t0.72\t0.5\t9\t0.3\nOther\tC\t1\t1\t1\t1\t0\t1\n";
        std::fs::write(folder.path().join("peers.tsv"), peers).unwrap();
        let report = run(&Order { corpus: Some(folder.path().to_owned()), ..Order::default() }).unwrap();
        let figures = &report.figures["corpora"][0];
        // Paris is found, in France; New York City is more than was asked for.
        let exact = &figures["scores"]["exact"];
        assert_eq!((&exact["gold"], &exact["found"], &exact["false"]), (&json!(3), &json!(2), &json!(1)), "{figures}");
        assert_eq!(exact["accuracy_161_km"], 0.5);
        assert!((exact["recall_times_accuracy"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9);
        let overlapping = &figures["scores"]["overlapping"];
        assert_eq!((&overlapping["found"], &overlapping["false"]), (&json!(3), &json!(0)), "{figures}");
        assert_eq!(figures["best_peer"]["system"], "B");
        assert_eq!(report.tables[0].rows.len(), 4);
        assert!(report.title.contains("development") && report.notes[0].contains("development"));
    }

    #[test]
    fn a_corpus_that_cannot_be_read_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        assert!(run(&order).unwrap_err().to_string().contains("no *.jsonl"));
        std::fs::write(folder.path().join("a.jsonl"), "{\"text\":1}\n").unwrap();
        assert!(run(&order).unwrap_err().to_string().contains("line 1"));
        assert!(matches!(run(&Order::default()), Err(ExperimentError::NoCorpus(_))));
    }
}
