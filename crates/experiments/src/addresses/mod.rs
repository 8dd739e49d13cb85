//! Postal addresses of 21 countries: how many are found with all four parts right, how many are found
//! where none is, and what a confidence is worth.

mod known;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facts::Url;
use geo::{Hints, MentionKind};
use page::Limits;
use serde_json::json;

use self::known::Known;
use self::settings::Setting;
use crate::{Bar, ExperimentError, Order, Plot, Report, Series, Shape, Table, Wanted};

/// Steps of confidence in the table of what it is worth.
const STEPS: usize = 10;
/// Most pages that are looked at for addresses that are none.
const PAGES: usize = 20_000;
/// False addresses that are shown.
const SHOWN: usize = 40;
/// Pages with these words carry the real address of who wrote their licence.
const LICENCES: [&str; 4] = ["Franklin St", "Temple Place", "Massachusetts Ave", "Milk Street"];

/// Right ones and all.
#[derive(Clone, Copy, Default)]
struct Share {
    right: usize,
    all: usize,
}

impl Share {
    fn count(&mut self, right: bool) {
        self.right += usize::from(right);
        self.all += 1;
    }

    fn value(self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }
}

/// What was counted.
#[derive(Default)]
struct Counts {
    by_country: BTreeMap<String, Share>,
    by_source: BTreeMap<(String, &'static str), Share>,
    steps: [Share; STEPS],
    missed: Vec<String>,
}

impl Counts {
    fn add(&mut self, known: &Known, setting: Setting) {
        let text = setting.text(known);
        let mentions = geo::parse(&text, &Hints::default());
        let mut found = false;
        for mention in mentions.iter().filter(|mention| mention.kind == MentionKind::Address) {
            let right = mention.address.as_ref().is_some_and(|address| known.is(address));
            self.steps[((mention.confidence * STEPS as f64) as usize).min(STEPS - 1)].count(right);
            found |= right;
        }
        self.by_country.entry(known.country.clone()).or_default().count(found);
        self.by_source.entry((known.source.to_owned(), setting.as_str())).or_default().count(found);
        if !found {
            let got: Vec<String> = mentions
                .iter()
                .filter_map(|mention| mention.address.as_ref())
                .map(|a| format!("{:?}|{:?}|{:?}|{:?}", a.street, a.number, a.postcode, a.city).replace("Some", ""))
                .collect();
            self.missed.push(format!("{} {}: {text:?} → {}", known.country, setting.as_str(), got.join(" ; ")));
        }
    }
}

/// Finds the addresses of our own list, of a corpus (`--corpus`), and on pages that have none (`--from`).
pub(crate) fn run(order: &Order) -> Result<Report, ExperimentError> {
    let mut all = known::own();
    if let Some(folder) = order.corpus.as_deref() {
        all.extend(known::opencage(&folder.join("opencage_formatted.jsonl"))?);
        all.extend(known::usaddress(&folder.join("usaddress_labeled.jsonl"))?);
    }
    let mut counts = Counts::default();
    for known in &all {
        Setting::of(known).iter().for_each(|setting| counts.add(known, *setting));
    }
    let pages = order.from.as_deref().map(|folder| Pages::look(folder, &mut counts)).transpose()?;
    Ok(report(&counts, pages.as_ref()))
}

fn report(counts: &Counts, pages: Option<&Pages>) -> Report {
    let percent = |share: Share| format!("{:.1}", share.value() * 100.0);
    let mut countries = Table { headings: vec!["country", "n", "all four parts right, %"], rows: Vec::new() };
    for (country, share) in &counts.by_country {
        countries.rows.push(vec![country.clone(), share.all.to_string(), percent(*share)]);
    }
    let mut sources = Table { headings: vec!["addresses", "set", "n", "right, %"], rows: Vec::new() };
    for ((source, setting), share) in &counts.by_source {
        sources.rows.push(vec![source.clone(), (*setting).to_owned(), share.all.to_string(), percent(*share)]);
    }
    let mut worth = Table { headings: vec!["confidence", "found", "right, %"], rows: Vec::new() };
    let step = |index: usize| index as f64 / STEPS as f64;
    let filled = || counts.steps.iter().enumerate().filter(|(_, share)| share.all > 0);
    for (index, share) in filled() {
        let label = format!("{:.1}–{:.1}", step(index), step(index + 1));
        worth.rows.push(vec![label, share.all.to_string(), percent(*share)]);
    }
    let mut tables = vec![countries, sources, worth];
    let worst = counts.by_country.values().map(|share| share.value()).min_by(f64::total_cmp);
    let mut bars = vec![Bar {
        what: "the country it does worst in: share with all four parts right",
        wanted: Wanted::AtLeast(0.9),
        got: worst,
    }];
    let mut figures = json!({
        "countries": counts.by_country.iter().map(|(country, share)| json!({
            "country": country, "n": share.all, "right": share.right, "share": share.value(),
        })).collect::<Vec<_>>(),
        "calibration": filled().map(|(index, share)| json!({
            "from": step(index), "to": step(index + 1), "found": share.all, "right": share.value(),
        })).collect::<Vec<_>>(),
        "missed": counts.missed,
    });
    if let Some(pages) = pages {
        tables.push(Table {
            headings: vec!["pages without an address", "with a false one", "%", "left out"],
            rows: vec![vec![
                pages.share.all.to_string(),
                pages.share.right.to_string(),
                format!("{:.2}", pages.share.value() * 100.0),
                pages.left_out.to_string(),
            ]],
        });
        bars.push(Bar {
            what: "share of pages without an address on which one is found",
            wanted: Wanted::AtMost(0.05),
            got: (pages.share.all > 0).then(|| pages.share.value()),
        });
        figures["pages"] = json!({
            "pages": pages.share.all, "with_false": pages.share.right, "left_out": pages.left_out, "false": pages.found,
        });
    }
    let plot = Plot {
        name: "countries",
        title: "share of addresses found with street, number, postcode and town right".into(),
        x: "country",
        y: "share",
        shape: Shape::Bars,
        labels: counts.by_country.keys().cloned().collect(),
        series: vec![Series::new(
            "all four parts right",
            counts.by_country.values().enumerate().map(|(index, share)| (index as f64, share.value())),
        )],
    };
    let calibration = Plot {
        name: "calibration",
        title: "what a confidence is worth: share of addresses that are right".into(),
        x: "confidence",
        y: "share right",
        shape: Shape::Lines,
        labels: Vec::new(),
        series: vec![
            Series::new("found", filled().map(|(index, share)| (step(index) + 0.5 / STEPS as f64, share.value()))),
            Series::new("as it should be", [(0.5, 0.5), (1.0, 1.0)]),
        ],
    };
    let notes = [
        "our own addresses are in crates/experiments/data/addresses.txt; each is set into a sentence, over several lines, into \
         a footer and into a table",
        "of a corpus the addresses that have street, number, postcode and town, all in the text; in a sentence and alone",
        "parts are compared without regard to case, accents, punctuation and the space inside a postcode",
        "a page that names the address of the Free Software Foundation is left out of the pages that have none",
        "every address found anywhere counts for the calibration, right or not",
    ];
    Report {
        name: "addresses",
        title: "postal addresses of 21 countries".into(),
        tables,
        plots: vec![plot, calibration],
        bars,
        notes: notes.map(str::to_owned).to_vec(),
        figures,
    }
}

/// Pages without addresses; those with a false one count as "right" in the share.
#[derive(Default)]
struct Pages {
    share: Share,
    left_out: usize,
    found: Vec<String>,
}

impl Pages {
    fn look(folder: &Path, counts: &mut Counts) -> Result<Self, ExperimentError> {
        let wrong = |path: &Path, why: String| ExperimentError::Corpus { path: path.to_owned(), why };
        let mut folders = vec![folder.to_owned()];
        let mut files: Vec<PathBuf> = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).map_err(|error| wrong(&folder, error.to_string()))?.flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                    Ok(kind) if kind.is_file() => files.push(entry.path()),
                    _ => {}
                }
            }
        }
        files.retain(|path| path.extension().is_some_and(|ending| ending == "html" || ending == "htm"));
        files.sort();
        files.truncate(PAGES);
        if files.is_empty() {
            return Err(wrong(folder, "it has no *.html file".into()));
        }
        let url = Url::parse("https://example.org/").map_err(|error| wrong(folder, error.to_string()))?;
        let mut pages = Self::default();
        for path in files {
            let html = std::fs::read(&path).map_err(|error| wrong(&path, error.to_string()))?;
            let page = page::read(&html, Some("text/html"), &url, &Limits::default());
            if LICENCES.iter().any(|words| page.text.contains(words)) {
                pages.left_out += 1;
                continue;
            }
            let mentions = geo::parse(&page.text, &Hints::default());
            let addresses = mentions.iter().filter(|mention| mention.kind == MentionKind::Address);
            let mut any = false;
            for mention in addresses {
                any = true;
                counts.steps[((mention.confidence * STEPS as f64) as usize).min(STEPS - 1)].count(false);
                if pages.found.len() < SHOWN {
                    let words = page.text.get(mention.span.clone()).unwrap_or_default();
                    pages.found.push(format!("{} ({:.2}): {words:?}", path.display(), mention.confidence));
                }
            }
            pages.share.count(any);
        }
        Ok(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_has_twenty_addresses_and_nine_in_ten_are_found() {
        let mut counts = Counts::default();
        for known in &known::own() {
            Setting::of(known).iter().for_each(|setting| counts.add(known, *setting));
        }
        assert_eq!(counts.by_country.len(), 21);
        for (country, share) in &counts.by_country {
            assert!(share.all >= 80 && share.value() >= 0.9, "{country}: {} of {}", share.right, share.all);
        }
    }

    #[test]
    fn pages_without_an_address_are_counted_by_what_is_found_on_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.html"), "<p>Version 5, 24103 lines of code").unwrap();
        std::fs::write(folder.path().join("b.html"), "<p>Hauptstraße 5, 24103 Kiel").unwrap();
        std::fs::write(folder.path().join("c.html"), "<p>51 Franklin Street, Boston, MA 02110").unwrap();
        let report = run(&Order { from: Some(folder.path().to_owned()), ..Order::default() }).unwrap();
        let pages = &report.figures["pages"];
        assert_eq!(
            (&pages["pages"], &pages["with_false"], &pages["left_out"]),
            (&json!(2), &json!(1), &json!(1)),
            "{pages}"
        );
        assert!(report.bars.iter().any(|bar| !bar.passed()));
    }
}
