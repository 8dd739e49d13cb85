//! Pictures ordered by how similar they are to one of them: which descriptors, and which mix of them,
//! bring the others of its class to the top.

mod agreement;
pub(crate) mod corpus;
mod gain;
mod score;

use std::collections::BTreeMap;

use media::{Descriptor, Look, Mix, Smoothing};
use serde_json::{Value, json};
use tokio::sync::watch;

use self::corpus::Peer;
use self::gain::Gain;
use self::score::Score;
use crate::{Bar, ExperimentError, Order, Plot, Report, Series, Shape, Table, Wanted, pictures};

/// Precision at 10 of [004 Table 7.7], the mean of its nine image queries: SCD, EHD, JCD, equal and
/// dynamic weights.
const TOLD: [f64; 5] = [0.44, 0.50, 0.57, 0.66, 0.76];
/// [004 Table 7.10], the mean of its five image queries: without and with pre-processing.
const TOLD_SMOOTHED: [f64; 2] = [0.68, 0.90];
/// Places of the fifth and the tenth relevant file of [004 Table 7.9], the mean of the seven image
/// queries that can be read: by JCD, and re-ranked with dynamic weights.
const TOLD_PLACES: [[f64; 2]; 2] = [[13.3, 26.7], [6.1, 14.7]];

/// How far below its counterpart a descriptor may be.
const SLACK: f64 = 0.01;

const MIXES: [(Mix, &str); 3] =
    [(Mix::Equal, "equal weights"), (Mix::Dynamic, "dynamic weights"), (Mix::Balanced, "default mix")];

/// Scores of all descriptors and mixes.
struct Scores {
    descriptors: Vec<(Descriptor, Score)>,
    mixes: Vec<(&'static str, Score)>,
}

impl Scores {
    fn of(classes: &[usize], looks: &[Look]) -> Self {
        let table = |descriptor: Descriptor| -> Vec<Vec<f32>> {
            looks.iter().map(|a| looks.iter().map(|b| descriptor.distance(a, b)).collect()).collect()
        };
        let tables: Vec<(Descriptor, Vec<Vec<f32>>)> = Descriptor::ALL.map(|one| (one, table(one))).into();
        let score = |table: &Vec<Vec<f32>>| Score::of(classes, |a, b| table[a][b]);
        let descriptors = tables.iter().map(|(descriptor, table)| (*descriptor, score(table))).collect();
        let mixed: Vec<&Vec<Vec<f32>>> = Mix::OF
            .iter()
            .filter_map(|one| tables.iter().find(|(descriptor, _)| descriptor == one))
            .map(|(_, table)| table)
            .collect();
        let mixes = MIXES.map(|(mix, name)| {
            let apart = |a: usize, b: usize| mix.mixed(std::array::from_fn(|i| mixed[i][a][b]));
            (name, Score::of(classes, apart))
        });
        Self { descriptors, mixes: mixes.into() }
    }

    fn descriptor(&self, wanted: Descriptor) -> Score {
        self.descriptors
            .iter()
            .find(|(descriptor, _)| *descriptor == wanted)
            .map(|(_, score)| *score)
            .unwrap_or_default()
    }

    fn mix(&self, wanted: Mix) -> Score {
        let place = MIXES.iter().position(|(mix, _)| *mix == wanted);
        place.and_then(|place| self.mixes.get(place)).map(|(_, score)| *score).unwrap_or_default()
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, Score)> {
        let descriptors = self.descriptors.iter().map(|(descriptor, score)| (descriptor.as_str(), *score));
        descriptors.chain(self.mixes.iter().copied())
    }

    fn figures(&self) -> Value {
        self.rows().map(|(name, score)| (name.to_owned(), json!(score))).collect::<serde_json::Map<_, _>>().into()
    }
}

/// Describes all pictures of a folder, with and without the median filter, and asks for each of them.
pub(crate) fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let folder = order.corpus.as_deref().ok_or(ExperimentError::NoCorpus(
        "a folder of pictures with a labels.tsv (file, number of its class, class), or with a sub-folder for each \
         class, and perhaps a peers.tsv (descriptor, MAP, P@10); or with a vectors.jsonl of another program",
    ))?;
    if folder.join(agreement::VECTORS).is_file() {
        return agreement::report(folder);
    }
    let labelled = corpus::labelled(folder)?;
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut classes, mut rough, mut smooth, mut left_out) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (done, one) in labelled.iter().enumerate() {
        progress.send_replace(format!("{done} of {} pictures", labelled.len()));
        let picture = pictures::read(&one.path);
        let look = |smoothing| Look::smoothed(&pictures::pixels(picture.as_ref()?), smoothing);
        let (Some(plain), Some(filtered)) = (look(Smoothing::None), look(Smoothing::Median)) else {
            left_out += 1;
            continue;
        };
        let next = numbers.len();
        classes.push(*numbers.entry(&one.class).or_insert(next));
        rough.push(plain);
        smooth.push(filtered);
    }
    progress.send_replace("asking".to_owned());
    let (without, with) = (Scores::of(&classes, &rough), Scores::of(&classes, &smooth));
    let counts = (classes.len(), numbers.len(), left_out);
    let mut report = report(folder.display().to_string(), counts, [&without, &with], &corpus::peers(folder));
    let gains: Vec<(&str, Gain)> =
        MIXES.iter().filter_map(|(mix, name)| Some((*name, Gain::of(&classes, &smooth, *mix)?))).collect();
    if let Some((_, default)) = gains.last() {
        report.bars.push(Bar {
            what: "gain in P@10 by re-ranking, default mix",
            wanted: Wanted::AtLeast(0.0),
            got: Some(default.all.mean),
        });
        let figures: serde_json::Map<String, Value> =
            gains.iter().map(|(name, gain)| ((*name).to_owned(), gain.figures())).collect();
        report.figures["gain"] = figures.into();
        report.tables.push(Gain::table(&gains));
    }
    Ok(report)
}

fn report(
    folder: String,
    (files, classes, left_out): (usize, usize, usize),
    [without, with]: [&Scores; 2],
    peers: &[Peer],
) -> Report {
    let best =
        with.descriptors.iter().map(|(_, score)| *score).max_by(|a, b| a.map.total_cmp(&b.map)).unwrap_or_default();
    let default = with.mix(Mix::Balanced);
    let mut bars: Vec<Bar> = with
        .descriptors
        .iter()
        .filter_map(|(descriptor, score)| {
            let peer = peers.iter().find(|peer| peer.descriptor == descriptor.as_str())?;
            let got = (score.map - peer.map).min(score.at[0] - peer.at_10);
            Some(Bar { what: beside(*descriptor), wanted: Wanted::AtLeast(-SLACK), got: Some(got) })
        })
        .collect();
    bars.push(Bar {
        what: "the default mix less the best descriptor alone, MAP",
        wanted: Wanted::AtLeast(0.0),
        got: Some(default.map - best.map),
    });
    let series = |name: &str, values: Vec<f64>| {
        Series::new(name, values.into_iter().enumerate().map(|(place, value)| (place as f64, value)))
    };
    let of_peers = |(descriptor, _): &(Descriptor, Score)| {
        peers.iter().find(|peer| peer.descriptor == descriptor.as_str()).map_or(0.0, |peer| peer.at_10)
    };
    let mut shown = vec![series("with median filter", with.rows().map(|(_, score)| score.at[0]).collect())];
    if !peers.is_empty() {
        shown.push(series("another program", with.descriptors.iter().map(of_peers).collect()));
    }
    let plot = Plot {
        name: "precision",
        title: "share of the first ten answers that are of the class asked for".into(),
        x: "ordered by",
        y: "precision at 10",
        shape: Shape::Bars,
        labels: with.rows().map(|(name, _)| name.to_owned()).collect(),
        series: shown,
    };
    let notes = vec![
        format!("{files} pictures of {classes} classes, each asked for once; {left_out} could not be decoded"),
        "beside: what another program reaches with its own distances on the same pictures (peers.tsv)".into(),
        "document: [004 Tables 7.7, 7.9, 7.10], means of its image queries over 50 or 100 results of a search engine, \
         of which two people said what is relevant; those answers are not to be had, so only the direction can be \
         compared. Table 7.11 is of sounds"
            .into(),
        "the document's dynamic weights give most to the descriptor by which two pictures differ most".into(),
    ];
    Report {
        name: "rerank",
        title: format!("pictures of the same class found by one of them, in {folder}"),
        tables: vec![scores(without, with, peers), told(without, with)],
        plots: vec![plot],
        bars,
        notes,
        figures: json!({
            "pictures": files, "classes": classes, "left_out": left_out,
            "without_median": without.figures(), "with_median": with.figures(),
        }),
    }
}

fn beside(descriptor: Descriptor) -> &'static str {
    match descriptor {
        Descriptor::Scd => "SCD less its peer, the lesser of MAP and P@10",
        Descriptor::Ehd => "EHD less its peer, the lesser of MAP and P@10",
        Descriptor::Cedd => "CEDD less its peer, the lesser of MAP and P@10",
        Descriptor::Fcth => "FCTH less its peer, the lesser of MAP and P@10",
        Descriptor::Jcd => "JCD less its peer, the lesser of MAP and P@10",
        Descriptor::Cld => "CLD less its peer, the lesser of MAP and P@10",
    }
}

fn scores(without: &Scores, with: &Scores, peers: &[Peer]) -> Table {
    let number = |value: f64| format!("{value:.4}");
    let rows = without.rows().zip(with.rows()).map(|((name, rough), (_, smooth))| {
        let peer = peers.iter().find(|peer| peer.descriptor == name);
        let beside = |of: fn(&Peer) -> f64| peer.map_or_else(String::new, |peer| number(of(peer)));
        let [ten, twenty, thirty] = smooth.at.map(number);
        let (map, beside_map, beside_10) = (number(smooth.map), beside(|peer| peer.map), beside(|peer| peer.at_10));
        vec![name.to_owned(), number(rough.map), number(rough.at[0]), map, ten, twenty, thirty, beside_map, beside_10]
    });
    Table {
        headings: vec![
            "ordered by",
            "unfiltered MAP",
            "P@10",
            "filtered MAP",
            "P@10",
            "P@20",
            "P@30",
            "beside MAP",
            "P@10",
        ],
        rows: rows.collect(),
    }
}

fn told(without: &Scores, with: &Scores) -> Table {
    let at_10 = |score: Score| score.at[0];
    let place = |score: Score, which: usize| score.place[which];
    let (jcd, dynamic, default) = (with.descriptor(Descriptor::Jcd), with.mix(Mix::Dynamic), with.mix(Mix::Balanced));
    let mut rows: Vec<(String, f64, Option<f64>)> = Vec::new();
    let alone = Mix::OF.map(|one| (one.as_str(), at_10(with.descriptor(one))));
    let mixed = MIXES.map(|(mix, name)| (name, at_10(with.mix(mix))));
    for (place, (name, ours)) in alone.into_iter().chain(mixed).enumerate() {
        rows.push((format!("7.7: P@10, {name}"), ours, TOLD.get(place).copied()));
    }
    for (which, nth) in ["fifth", "tenth"].into_iter().enumerate() {
        let line = |name: &str| format!("7.9: place of the {nth} relevant, {name}");
        rows.push((line("JCD"), place(jcd, which), Some(TOLD_PLACES[0][which])));
        rows.push((line("dynamic weights"), place(dynamic, which), Some(TOLD_PLACES[1][which])));
        rows.push((line("default mix"), place(default, which), None));
    }
    for (scores, name, told) in
        [(without, "without pre-processing", TOLD_SMOOTHED[0]), (with, "with pre-processing", TOLD_SMOOTHED[1])]
    {
        rows.push((format!("7.10: P@10, dynamic weights, {name}"), at_10(scores.mix(Mix::Dynamic)), Some(told)));
    }
    let shown = |(name, ours, told): (String, f64, Option<f64>)| {
        vec![name, format!("{ours:.2}"), told.map_or_else(String::new, |told| format!("{told:.2}"))]
    };
    Table { headings: vec!["[004] table", "here", "document"], rows: rows.into_iter().map(shown).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes of made pictures: red ones with stripes across, blue ones with stripes down.
    fn corpus() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut labels = "file\tclass_id\tclass\n".to_owned();
        for number in 0..24usize {
            let red = number % 2 == 0;
            let pixel = |x: usize, y: usize| {
                let dark = (if red { y } else { x } + number) / 6 % 2 == 0;
                let bright = if dark { 90 } else { 200 + number as u8 };
                if red { [bright, 20, 20] } else { [20, 20, bright] }
            };
            let rgb: Vec<u8> = (0..96 * 64).flat_map(|i| pixel(i % 96, i / 96)).collect();
            let mut file = Vec::new();
            jpeg_encoder::Encoder::new(&mut file, 95).encode(&rgb, 96, 64, jpeg_encoder::ColorType::Rgb).unwrap();
            std::fs::write(folder.path().join(format!("{number}.jpg")), file).unwrap();
            labels += &format!("{number}.jpg\t{}\tx\n", number % 2);
        }
        std::fs::write(folder.path().join("labels.tsv"), labels).unwrap();
        folder
    }

    #[test]
    fn classes_that_differ_in_all_are_told_apart() {
        let folder = corpus();
        std::fs::write(folder.path().join("peers.tsv"), "descriptor\tMAP\tP@10\nJCD\t0.5\t0.6\n").unwrap();
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        let report = run(&order, &watch::channel(String::new()).0).unwrap();
        assert_eq!((&report.figures["pictures"], &report.figures["classes"]), (&json!(24), &json!(2)));
        for name in ["SCD", "JCD", "default mix", "dynamic weights"] {
            assert_eq!(report.figures["with_median"][name]["map"], 1.0, "{name}: {}", report.figures);
        }
        // One for the peer there is, one for the mix, one for re-ranking.
        assert_eq!(report.bars.len(), 3);
        assert!(report.bars.iter().all(Bar::passed), "{:?}", report.bars);
        assert_eq!(report.tables[0].rows.len(), 9);
    }

    #[test]
    fn a_folder_without_classes_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        let progress = watch::channel(String::new()).0;
        assert!(run(&order, &progress).unwrap_err().to_string().contains("labels.tsv"));
        assert!(matches!(run(&Order::default(), &progress), Err(ExperimentError::NoCorpus(_))));
    }
}
