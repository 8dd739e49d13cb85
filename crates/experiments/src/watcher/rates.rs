//! How much of sites changes, as their watchers tell [004 exp. 1, Table 7.1].

use std::sync::Arc;

use lab::{Changes, Changing};
use serde::Serialize;
use tokio::sync::watch;

use super::beside::Beside;
use super::days::now;
use crate::ExperimentError;

/// The sites of the document: pages, and the mean share of them that changed in a day.
const SITES: [(&str, usize, f64); 7] = [
    ("cmpe.emu.edu.tr", 591, 0.115),
    ("ahu.edu.jo", 400, 0.10),
    ("global.nytimes.com", 15_090, 0.09),
    ("garanti.com.tr", 153, 0.06),
    ("picosoftengineering.com", 35, 0.05),
    ("sarayanews.com", 3_377, 0.03),
    ("kooora.com", 9_320, 0.02),
];

/// A made site of the same size that changes as much, as its watcher told.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Watched {
    pub like: &'static str,
    pub pages: usize,
    pub document: f64,
    /// Changes that the watcher told, day by day, and those that there were.
    pub told: Vec<u64>,
    pub made: Vec<u64>,
}

impl Watched {
    /// The mean share of pages that changed in a day [004 Eq. 7.1].
    pub fn mean(&self) -> f64 {
        self.told.iter().sum::<u64>() as f64 / self.told.len().max(1) as f64 / self.pages as f64
    }

    /// Changes that were not told, or told and not made.
    pub fn wrong(&self) -> u64 {
        self.told.iter().zip(&self.made).map(|(told, made)| told.abs_diff(*made)).sum()
    }
}

/// Watches a made site for each of the document's.
pub(super) async fn run(
    changes: &Changes,
    days: u32,
    progress: &watch::Sender<String>,
) -> Result<Vec<Watched>, ExperimentError> {
    let mut watched = Vec::new();
    for (like, pages, document) in SITES {
        // A small experiment has small sites.
        let pages = pages.min(changes.pages * 2);
        progress.send_replace(format!("a watcher of a site like {like}: {days} days"));
        let site = Arc::new(Changing::new(Changes { pages, daily: document, ..changes.clone() }, now()));
        let beside = Beside::start(&site, pages).await?;
        let (_, mut token) = beside.look(None).await?;
        let (mut told, mut made) = (Vec::new(), Vec::new());
        for _ in 0..days {
            let changed = site.next_day();
            made.push(changed.len() as u64);
            let (listed, next) = beside.tell(&site, changed, &token).await?;
            told.push(listed);
            token = next;
        }
        beside.end().await?;
        watched.push(Watched { like, pages, document, told, made });
    }
    Ok(watched)
}
