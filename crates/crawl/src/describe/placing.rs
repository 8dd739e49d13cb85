//! Described items go to the cluster of the nearest leader, and are sorted anew when there are many
//! more of them.

use cluster::{Points, ensemble, k_means, usual_distance};
use facts::{MediaId, MediaKind};
use serde::{Deserialize, Serialize};
use store::{ClusterId, Library, Placed, Sorted, StoreError};

use super::likeness::Likeness;
use super::seen::version;
use crate::gathering::on_disk;
use crate::stop::Stop;

/// Items placed in one transaction.
const BATCH: usize = 512;
/// Items of a kind that there are before they are sorted.
const FEW: u64 = 500;
/// Clusters of a kind, at least and at most: else the root of the number of items.
const LEAST: usize = 8;
const MOST: usize = 1_024;
/// Points that leaders are found by, for each cluster.
const SAMPLE: usize = 20;
/// The share of pairs that are nearer than what is one cluster to the ensemble.
const NEAR_PAIRS: f64 = 0.02;
/// What is new is so much farther from its leaders than what was sorted: leaders do not fit any more.
const DRIFTED: f64 = 1.3;

/// How leaders are found; a setting of the library under this name.
pub const CLUSTERING: &str = "clustering";

/// Ways to find leaders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clustering {
    /// Means, as many as the root of the number of items.
    #[default]
    KMeans,
    /// The vote of k-means, subtractive and spectral clustering [004 §6.3], as many as the leader
    /// method finds.
    Ensemble,
}

/// What placing came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placing {
    /// Items that have a cluster now and had none.
    pub placed: u64,
    /// Items that were moved to a cluster of a new clustering.
    pub moved: u64,
}

/// Gives every described item its cluster, and sorts anew where that is due, until nothing is left or
/// it is stopped. It goes on where it was stopped.
pub async fn place(library: &dyn Library, stop: &Stop) -> Result<Placing, StoreError> {
    let mut all = Placing::default();
    for kind in [MediaKind::Image, MediaKind::Video, MediaKind::Audio] {
        Placer { library, stop, kind, version: version(kind), so_far: &mut all }.run().await?;
    }
    Ok(all)
}

struct Placer<'a> {
    library: &'a dyn Library,
    stop: &'a Stop,
    kind: MediaKind,
    version: u16,
    so_far: &'a mut Placing,
}

impl Placer<'_> {
    async fn run(mut self) -> Result<(), StoreError> {
        self.move_on().await?;
        let (mut far, mut new, mut before) = (0.0, 0u64, None);
        while !self.stop.asked() {
            let unplaced = self.library.unplaced(self.kind, self.version, BATCH).await?;
            // Whatever cannot be placed would come again and again.
            let first = unplaced.first().map(|one| one.id);
            if first.is_none() || first == before {
                break;
            }
            before = first;
            let kind = self.kind;
            let points = on_disk(move || {
                // What cannot be read any more is nowhere near anything, and out of the way.
                let point = |bytes: &[u8]| Likeness::from_bytes(kind, bytes).map_or_else(Vec::new, |one| one.point());
                Ok(unplaced.iter().map(|one| (one.id, point(&one.bytes))).collect::<Vec<_>>())
            })
            .await?;
            new += points.len() as u64;
            self.so_far.placed += points.len() as u64;
            far += self.put(points, true).await?;
            let leaders = self.library.leaders(self.kind, self.version).await?;
            let items: u64 = leaders.leaders.iter().map(|leader| leader.members).sum();
            let drifted = 4 * new >= items && far / new.max(1) as f64 > DRIFTED * f64::from(leaders.sorted.spread);
            if items >= FEW && (items >= 2 * leaders.sorted.items || leaders.sorted.items > 0 && drifted) {
                self.sort(leaders.sorted.generation + 1, items).await?;
                (far, new) = (0.0, 0);
            }
        }
        Ok(())
    }

    /// Puts items into the clusters of the nearest leaders; gives the sum of how far they are. With
    /// `found`, what is far from all leads a cluster of its own, while there are few.
    async fn put(&self, points: Vec<(MediaId, Vec<i8>)>, found: bool) -> Result<f64, StoreError> {
        let known = self.library.leaders(self.kind, self.version).await?;
        let newest = known.sorted.generation;
        let current = known.leaders.into_iter().filter(|leader| leader.generation == newest);
        let (mut ids, mut leaders): (Vec<Option<ClusterId>>, Vec<Vec<i8>>) =
            current.map(|leader| (Some(leader.cluster), leader.point)).unzip();
        let (reach, room) = (reach(self.kind), found && known.sorted.items == 0);
        let (placed, ids, new, far) = on_disk(move || {
            let (mut placed, mut new, mut far) = (Vec::with_capacity(points.len()), Vec::new(), 0.0);
            for (id, point) in points {
                let nearest = leaders.iter().enumerate().map(|(place, leader)| (square(leader, &point), place)).min();
                let own = match nearest {
                    Some((apart, place)) if !(room && leaders.len() < MOST / 4 && f64::from(apart) > reach * reach) => {
                        far += f64::from(apart).sqrt();
                        place
                    }
                    _ => {
                        leaders.push(point.clone());
                        ids.push(None);
                        new.push(point.clone());
                        leaders.len() - 1
                    }
                };
                placed.push((id, own, point));
            }
            Ok((placed, ids, new, far))
        })
        .await?;
        let mut founded = match new.is_empty() {
            true => Vec::new(),
            false => self.library.found_clusters(self.kind, self.version, None, &new).await?,
        }
        .into_iter();
        let ids: Vec<Option<ClusterId>> = ids.into_iter().map(|id| id.or_else(|| founded.next())).collect();
        let placed: Vec<Placed> = placed
            .into_iter()
            .filter_map(|(id, own, point)| Some(Placed { id, cluster: (*ids.get(own)?)?, point }))
            .collect();
        self.library.place(&placed).await?;
        Ok(far)
    }

    /// Finds leaders anew, and moves all items to them.
    async fn sort(&mut self, generation: u32, items: u64) -> Result<(), StoreError> {
        let setting = self.library.setting(CLUSTERING).await?;
        let how: Clustering = setting.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        let wanted = ((items as f64).sqrt() as usize).clamp(LEAST, MOST);
        let sample = self.library.points(self.kind, self.version, SAMPLE * wanted).await?;
        let (leaders, spread) = on_disk(move || {
            let points = Points::of(sample.iter().map(|point| point.iter().map(|v| f32::from(*v)).collect::<Vec<_>>()));
            let sorted = leaders(&points, how, wanted, generation.into());
            let round = |centre: &[f32]| centre.iter().map(|v| v.round().clamp(-127.0, 127.0) as i8).collect();
            Ok((sorted.centres.iter().map(round).collect::<Vec<Vec<i8>>>(), sorted.spread(&points)))
        })
        .await?;
        let sorted = Sorted { generation, items, spread };
        self.library.found_clusters(self.kind, self.version, Some(sorted), &leaders).await?;
        self.move_on().await
    }

    /// Moves items of older clusterings, as far as they are not yet.
    async fn move_on(&mut self) -> Result<(), StoreError> {
        while !self.stop.asked() {
            let misplaced = self.library.misplaced(self.kind, self.version, 4 * BATCH).await?;
            if misplaced.is_empty() {
                break;
            }
            self.so_far.moved += misplaced.len() as u64;
            self.put(misplaced, false).await?;
        }
        Ok(())
    }
}

/// Leaders of points, by one of the two ways.
pub fn leaders(points: &Points, how: Clustering, wanted: usize, seed: u64) -> cluster::Clustering {
    match how {
        Clustering::KMeans => k_means(points, wanted, seed),
        Clustering::Ensemble => ensemble(points, usual_distance(points, NEAR_PAIRS, seed), wanted, seed).clustering,
    }
}

/// What is farther from all leaders leads a cluster of its own, before anything was sorted.
fn reach(kind: MediaKind) -> f64 {
    match kind {
        MediaKind::Image | MediaKind::Video => 45.0,
        MediaKind::Audio => 150.0,
    }
}

fn square(a: &[i8], b: &[i8]) -> u32 {
    let squares = a.iter().zip(b).map(|(a, b)| {
        let by = i16::from(*a) - i16::from(*b);
        i32::from(by) * i32::from(by)
    });
    squares.sum::<i32>() as u32
}
