//! Which clustering, and how many clusters, on photos with classes.

use std::time::Instant;

use cluster::{
    Clustering, Points, ensemble, fuzzy, hierarchical, k_means, leaders, self_organising, spectral, subtractive,
    usual_distance,
};
use media::{Look, Mix};
use serde_json::json;
use tokio::sync::watch;

use super::{Part, Photos};
use crate::{Bar, Table, Wanted};

/// Answers whose relevance is measured, as [004 Table 7.20] does.
const FIRST: usize = 50;
/// Clusters are looked into, the nearest first, until they hold so many.
const LOOKED_AT: usize = 100;
/// Pairs that are nearer than what is one cluster.
const NEAR_PAIRS: f64 = 0.02;
const SEED: u64 = 1;
/// Fixed numbers of clusters.
const FIXED: [usize; 4] = [5, 20, 50, 100];

/// What a clustering came to.
struct Measured {
    name: String,
    clusters: usize,
    build_ms: f64,
    relevance: f64,
    /// The share of the first ten of a full scan that is found.
    recall: f64,
    query_us: f64,
}

/// Photos, sorted in many ways, and asked for one by one.
pub(super) fn measured(photos: &Photos, progress: &watch::Sender<String>) -> Part {
    let (classes, looks) = (&photos.classes, &photos.looks);
    let points = Points::of(looks.iter().map(|look| look.point().map(f32::from)));
    let reach = usual_distance(&points, NEAR_PAIRS, SEED);
    let found = leaders(&points, reach, looks.len()).len();
    let root = (looks.len() as f64).sqrt() as usize;
    type Method<'a> = Box<dyn Fn() -> Clustering + 'a>;
    let mut methods: Vec<(String, Method<'_>)> = vec![
        ("ensemble, automatic".into(), Box::new(|| ensemble(&points, reach, looks.len(), SEED).clustering)),
        (format!("k-means, {root} (the root)"), Box::new(|| k_means(&points, root, SEED))),
    ];
    let all = &points;
    for k in FIXED {
        methods.push((format!("k-means, {k}"), Box::new(move || k_means(all, k, SEED))));
    }
    methods.push((format!("k-means, {found} (as the leader method)"), Box::new(|| k_means(&points, found, SEED))));
    methods.push((format!("subtractive, {found}"), Box::new(|| subtractive(&points, reach, found))));
    methods.push((format!("spectral, {found}"), Box::new(|| spectral(&points, found, SEED))));
    methods.push((format!("hierarchical, {root}"), Box::new(|| hierarchical(&points, root))));
    methods.push((format!("self-organising map, {root}"), Box::new(|| self_organising(&points, root, SEED))));
    methods.push((format!("fuzzy c-means, {root}"), Box::new(|| fuzzy(&points, root, SEED).clustering)));
    methods.push(("none: a full scan".into(), Box::new(|| Clustering::told(&points, &vec![0; points.len()]))));
    let mut measured: Vec<Measured> = Vec::new();
    for (name, method) in methods {
        progress.send_replace(name.clone());
        let started = Instant::now();
        let sorted = method();
        let build_ms = started.elapsed().as_secs_f64() * 1e3;
        measured.push(asked(name, classes, looks, &points, &sorted, build_ms));
    }
    let of = |name: &str| measured.iter().find(|one| one.name.starts_with(name)).map(|one| one.relevance);
    let rows = measured.iter().map(|one| {
        vec![
            one.name.clone(),
            one.clusters.to_string(),
            format!("{:.3}", one.relevance),
            format!("{:.3}", one.recall),
            format!("{:.1}", one.build_ms),
            format!("{:.0}", one.query_us),
        ]
    });
    let table = Table {
        headings: vec!["sorted by", "clusters", "relevance of the first 50", "recall of 10", "build ms", "query µs"],
        rows: rows.collect(),
    };
    let figures: Vec<_> = measured
        .iter()
        .map(|one| {
            json!({
                "name": one.name, "clusters": one.clusters, "relevance_50": one.relevance, "recall_10": one.recall,
                "build_ms": one.build_ms, "query_us": one.query_us,
            })
        })
        .collect();
    Part {
        name: "clusterings",
        table,
        bars: vec![Bar {
            what: "relevance by the default less that by the ensemble",
            wanted: Wanted::AtLeast(0.0),
            got: of("k-means, ").zip(of("ensemble")).map(|(default, other)| default - other),
        }],
        notes: vec![
            format!("clusters are looked into, the nearest first, until they hold {LOOKED_AT} of {} pictures; these are ordered by the default mix", looks.len()),
            "document: [004 Tables 7.19, 7.20] prefers the ensemble with an automatic number; its files are not to be had".into(),
            "relevance is the share of the first 50 answers that are of the class asked for".into(),
        ],
        figures: json!({ "pictures": looks.len(), "sorted": figures }),
    }
}

/// Asks for each picture through its clusters.
fn asked(
    name: String,
    classes: &[usize],
    looks: &[Look],
    points: &Points,
    sorted: &Clustering,
    build_ms: f64,
) -> Measured {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); sorted.len()];
    for (place, cluster) in sorted.of.iter().enumerate() {
        if let Some(members) = members.get_mut(*cluster) {
            members.push(place);
        }
    }
    let (mut relevance, mut recall, mut took) = (0.0, 0.0, 0.0);
    for (query, look) in looks.iter().enumerate() {
        let started = Instant::now();
        let mut nearest: Vec<(f32, usize)> = sorted
            .centres
            .iter()
            .enumerate()
            .map(|(place, centre)| {
                let apart = centre.iter().zip(points.get(query)).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
                (apart, place)
            })
            .collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut looked_at: Vec<usize> = Vec::new();
        for (_, cluster) in nearest {
            if looked_at.len() >= LOOKED_AT {
                break;
            }
            looked_at.extend(members.get(cluster).into_iter().flatten().filter(|place| **place != query));
        }
        let answers = ranked(look, looks, looked_at.into_iter());
        took += started.elapsed().as_secs_f64();
        let class = classes.get(query);
        let relevant = answers.iter().take(FIRST).filter(|place| classes.get(**place) == class).count();
        relevance += relevant as f64 / FIRST as f64;
        let truth = ranked(look, looks, (0..looks.len()).filter(|place| *place != query));
        let known = answers.get(..10).unwrap_or(&answers);
        recall += truth.iter().take(10).filter(|place| known.contains(place)).count() as f64 / 10.0;
    }
    let count = looks.len().max(1) as f64;
    Measured {
        name,
        clusters: sorted.len(),
        build_ms,
        relevance: relevance / count,
        recall: recall / count,
        query_us: took * 1e6 / count,
    }
}

fn ranked(look: &Look, looks: &[Look], among: impl Iterator<Item = usize>) -> Vec<usize> {
    let apart = |place: usize| looks.get(place).map_or(1.0, |other| Mix::default().distance(look, other));
    let mut ranked: Vec<(f32, usize)> = among.map(|place| (apart(place), place)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(_, place)| place).collect()
}
