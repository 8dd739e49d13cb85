//! What is read from media files, beside what exiftool read from the same ones.

use std::collections::BTreeMap;
use std::path::Path;

use facts::Timestamp;
use media::{Facts, Probe, Unreadable, Wants, read_whole};
use serde_json::{Value, json};

use crate::{ExperimentError, Order, Report, Table};

/// Later than any date of a corpus.
const NOW: Timestamp = Timestamp(4_000_000_000_000);

/// Compares every file of a corpus: read as a whole, and from its ends as a crawl does.
pub(crate) fn run(order: &Order) -> Result<Report, ExperimentError> {
    let folder = order.corpus.as_deref().ok_or(ExperimentError::NoCorpus(
        "a folder of media files with a truth.jsonl of what exiftool -n found in each (file, width, height, \
         orientation, make, model, date_time_original, lat, lon, alt, img_direction)",
    ))?;
    let list = folder.join("truth.jsonl");
    let corpus = |path: &Path, why: String| ExperimentError::Corpus { path: path.to_owned(), why };
    let truth = std::fs::read_to_string(&list).map_err(|error| corpus(&list, error.to_string()))?;
    let (mut whole, mut ends) = (Tally::default(), Tally::default());
    let mut skipped = Vec::new();
    for (number, line) in truth.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let truth: Value =
            serde_json::from_str(line).map_err(|error| corpus(&list, format!("line {}: {error}", number + 1)))?;
        let name = truth["file"].as_str().ok_or_else(|| corpus(&list, format!("line {} has no file", number + 1)))?;
        let path = folder.join(name);
        let bytes = std::fs::read(&path).map_err(|error| corpus(&path, error.to_string()))?;
        // Side-car files and the like are no media.
        if media::sniff(&bytes).is_none() && truth["width"].is_null() {
            skipped.push(name.to_owned());
            continue;
        }
        whole.compare(name, &truth, read_whole(&bytes, NOW), bytes.len() as u64);
        let (facts, read) = probed(&bytes);
        ends.compare(name, &truth, facts, read);
    }
    Ok(report(folder, &whole, &ends, &skipped))
}

/// Reads a file as a crawl does, and says how many bytes that took.
fn probed(bytes: &[u8]) -> (Result<Facts, Unreadable>, u64) {
    let mut probe = Probe::new(Some(bytes.len() as u64));
    let (mut head, mut read) = (0, 0);
    loop {
        match probe.next() {
            Wants::Nothing => return (probe.facts(NOW), read),
            Wants::Head(end) => {
                probe.head(&bytes[head..end]);
                read += (end - head) as u64;
                head = end;
            }
            Wants::Tail(last) => {
                let start = bytes.len() - last as usize;
                probe.tail(start as u64, &bytes[start..]);
                read += last;
            }
        }
    }
}

/// Equal and different fields of all files, read in one way.
#[derive(Default)]
struct Tally {
    /// Fields that are equal, and those that are compared, by name.
    fields: BTreeMap<&'static str, (usize, usize)>,
    differences: Vec<String>,
    /// Locations we give and exiftool does not.
    false_locations: Vec<String>,
    wrong_locations: BTreeMap<&'static str, usize>,
    partial: usize,
    files: usize,
    bytes: u64,
}

impl Tally {
    fn compare(&mut self, name: &str, truth: &Value, facts: Result<Facts, Unreadable>, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
        let facts = match facts {
            Ok(facts) => facts,
            Err(error) => return self.differences.push(format!("{name}: {error}")),
        };
        self.partial += usize::from(facts.partial);
        if let Some(wrong) = facts.wrong_location {
            *self.wrong_locations.entry(wrong.as_str()).or_default() += 1;
        }
        let number = |key: &str| truth[key].as_f64();
        let text = |key: &str| match &truth[key] {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let rounded = |number: Option<f64>| number.map(|number| format!("{number:.6}"));
        let whole = |number: Option<f64>| number.map(|number| format!("{number:.0}"));
        let mut fields = vec![
            ("width", facts.width.map(|n| n.to_string()), whole(number("width"))),
            ("height", facts.height.map(|n| n.to_string()), whole(number("height"))),
            ("orientation", Some(facts.orientation.to_string()), Some(text("orientation").unwrap_or("1".into()))),
            ("make", facts.make.clone(), text("make")),
            ("model", facts.model.clone(), text("model")),
        ];
        if let Some(date) = text("date_time_original") {
            // exiftool names the offset only where the date's own tag does.
            let ours = facts.taken.map(|taken| taken.to_string().replacen('-', ":", 2).replacen('T', " ", 1));
            let ours = ours.map(|ours| if date.len() == 19 { ours[..19].to_owned() } else { ours });
            fields.push(("date", ours, Some(date)));
        }
        let at = facts.location.map(|location| location.at);
        let theirs = (number("lat").or(number("xmp_lat")), number("lon").or(number("xmp_lon")));
        fields.push(("lat", rounded(at.map(|at| at.lat())), rounded(theirs.0)));
        fields.push(("lon", rounded(at.map(|at| at.lon())), rounded(theirs.1)));
        if let Some(location) = facts.location {
            fields.push(("altitude", rounded(location.altitude), rounded(number("alt"))));
            fields.push(("direction", rounded(location.direction), rounded(number("img_direction"))));
            if theirs == (None, None) {
                self.false_locations.push(name.to_owned());
            }
        }
        for (field, ours, theirs) in fields {
            self.same(name, field, ours, theirs);
        }
    }

    fn same(&mut self, name: &str, field: &'static str, ours: Option<String>, theirs: Option<String>) {
        let (equal, compared) = self.fields.entry(field).or_default();
        *compared += 1;
        if ours == theirs {
            *equal += 1;
            return;
        }
        let shown = |value: Option<String>| value.unwrap_or_else(|| "nothing".into());
        self.differences.push(format!("{name}: {field} is {}, exiftool says {}", shown(ours), shown(theirs)));
    }

    fn figures(&self) -> Value {
        json!({
            "files": self.files, "bytes": self.bytes, "partial": self.partial, "fields": self.fields,
            "differences": self.differences, "false_locations": self.false_locations,
            "wrong_locations": self.wrong_locations,
        })
    }
}

fn report(folder: &Path, whole: &Tally, ends: &Tally, skipped: &[String]) -> Report {
    let of = |(equal, compared): (usize, usize)| format!("{equal} of {compared}");
    let field = |(name, counts): (&&'static str, &(usize, usize))| {
        let from_ends = ends.fields.get(*name).copied().unwrap_or_default();
        vec![(*name).to_owned(), of(*counts), of(from_ends)]
    };
    let mut rows: Vec<Vec<String>> = whole.fields.iter().map(field).collect();
    rows.push(vec!["bytes read".into(), whole.bytes.to_string(), ends.bytes.to_string()]);
    let mut notes = vec![
        format!("{} files compared, {} are no media", whole.files, skipped.len()),
        format!(
            "locations refused: {:?}; locations exiftool does not give: {}",
            whole.wrong_locations,
            whole.false_locations.len()
        ),
    ];
    notes.extend(whole.differences.iter().map(|difference| format!("whole: {difference}")));
    let only_ends = ends.differences.iter().filter(|difference| !whole.differences.contains(difference));
    notes.extend(only_ends.map(|difference| format!("from the ends: {difference}")));
    Report {
        name: "metadata",
        title: format!("equal to exiftool in {}", folder.display()),
        tables: vec![Table { headings: vec!["field", "whole files", "from their ends"], rows }],
        plots: Vec::new(),
        bars: Vec::new(),
        notes,
        figures: json!({ "whole": whole.figures(), "ends": ends.figures(), "skipped": skipped }),
    }
}
