//! Everything the harvest experiment measured, and what follows from it.

use std::collections::HashSet;

use lab::PageId;
use serde_json::{Map, Value, json};
use store::Harvest;

use super::found::Found;
use super::{BFS, DISTANCE, WAYS};
use crate::ground::Ground;
use crate::spread::{Spread, ratio};

/// Everything that was measured.
pub(super) struct Results {
    /// Pages of each crawl.
    pub pages: u64,
    pub grounds: Vec<Ground>,
    /// By web, then by way.
    pub crawls: Vec<Vec<Found>>,
    /// `bfs` and `geo` on webs whose links lead nowhere in particular, by web.
    pub aimless: Vec<[Found; 2]>,
    /// By number of pages learnt from on another web: each web's crawl.
    pub taught: Vec<(u64, Vec<Found>)>,
}

/// What the geoparser makes of the pages that all crawls of a web visited.
pub(super) struct Recognition {
    pub visited: usize,
    pub relevant: usize,
    pub recognised: usize,
    pub wrongly: usize,
}

impl Results {
    /// The crawls of one way, web by web.
    pub fn of(&self, way: usize) -> impl Iterator<Item = &Found> + Clone {
        self.crawls.iter().filter_map(move |ways| ways.get(way))
    }

    pub fn relevant(&self, way: usize) -> Spread {
        Spread::of(self.of(way).map(Found::relevant))
    }

    pub fn rate(&self, way: usize) -> Spread {
        Spread::of(self.of(way).map(Found::rate))
    }

    /// How often as many relevant pages as another way finds, over all webs.
    pub fn times(&self, way: usize, other: usize) -> Option<f64> {
        ratio(self.relevant(way).mean, self.relevant(other).mean)
    }

    /// `bfs` and `geo` on webs without cohesion.
    pub fn without_cohesion(&self) -> [Spread; 2] {
        [0, 1].map(|which| Spread::of(self.aimless.iter().map(|pair| pair[which].relevant())))
    }

    /// The crawls with what was learnt from as many pages on another web as they read themselves.
    pub fn transfer(&self) -> Spread {
        let taught = self.taught.iter().find(|(lesson, _)| *lesson == self.pages);
        Spread::of(taught.iter().flat_map(|(_, crawls)| crawls).map(Found::relevant))
    }

    /// Bridges, tails and seed distances of one way over all webs.
    pub fn lengths(&self, way: usize) -> Harvest {
        let add = |sum: &mut Vec<u64>, more: &[u64]| {
            sum.resize(sum.len().max(more.len()), 0);
            sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        self.of(way).fold(Harvest::default(), |mut sum, found| {
            sum.pages += found.harvest.pages;
            sum.relevant += found.harvest.relevant;
            add(&mut sum.bridge, &found.harvest.bridge);
            add(&mut sum.tail, &found.harvest.tail);
            add(&mut sum.seed_distance, &found.harvest.seed_distance);
            sum
        })
    }

    /// The mean of a way's curves, at each page where any of them has a point.
    pub fn curve(&self, way: usize) -> Vec<(f64, f64)> {
        let curves: Vec<&Vec<(u64, u64)>> = self.of(way).map(|found| &found.curve).collect();
        let mut at: Vec<u64> = curves.iter().flat_map(|curve| curve.iter()).map(|(pages, _)| *pages).collect();
        at.sort_unstable();
        at.dedup();
        let last = |curve: &[(u64, u64)], pages| {
            let before = curve.partition_point(|(at, _)| *at <= pages);
            before.checked_sub(1).and_then(|place| curve.get(place)).map_or(0, |(_, relevant)| *relevant)
        };
        let mean = |pages| curves.iter().map(|curve| last(curve, pages)).sum::<u64>() as f64 / curves.len() as f64;
        at.into_iter().map(|pages| (pages as f64, mean(pages))).collect()
    }

    /// All figures.
    pub fn figures(&self) -> Value {
        let crawls = |crawls: &[Found]| crawls.iter().map(told).collect::<Vec<_>>();
        let web = |(ground, crawls): (&Ground, &Vec<Found>)| {
            let ways: Map<_, _> =
                WAYS.iter().zip(crawls).map(|(way, crawl)| (way.name.to_owned(), told(crawl))).collect();
            let seen = recognition(crawls).map(|seen| {
                json!({
                    "visited": seen.visited, "relevant": seen.relevant,
                    "recognised": seen.recognised, "wrongly": seen.wrongly,
                })
            });
            json!({ "web": ground.name(), "region": ground.focus(), "ways": ways, "recognition": seen })
        };
        let mean = |(place, way): (usize, &super::Way)| {
            let figures = json!({
                "relevant": self.relevant(place), "rate": self.rate(place),
                "to_bfs": self.times(place, BFS), "to_geo_distance": self.times(place, DISTANCE),
                "document": way.document,
            });
            (way.name.to_owned(), figures)
        };
        json!({
            "pages": self.pages,
            "means": WAYS.iter().enumerate().map(mean).collect::<Map<_, _>>(),
            "webs": self.grounds.iter().zip(&self.crawls).map(web).collect::<Vec<_>>(),
            "without_cohesion":
                self.aimless.iter().map(|[bfs, geo]| json!({ "bfs": told(bfs), "geo": told(geo) })).collect::<Vec<_>>(),
            "learnt_before": self.taught.iter()
                .map(|(pages, taught)| json!({ "pages": pages, "crawls": crawls(taught) })).collect::<Vec<_>>(),
        })
    }
}

fn told(found: &Found) -> Value {
    json!({
        "pages": found.pages, "relevant": found.relevant, "seconds": found.seconds,
        "truly_relevant": found.truth.as_ref().map(|truth| truth.relevant.len()),
        "curve": found.curve, "harvest": found.harvest,
    })
}

/// Where it is known what is true.
pub(super) fn recognition(crawls: &[Found]) -> Option<Recognition> {
    let (mut visited, mut relevant, mut called) =
        (HashSet::<PageId>::new(), HashSet::<PageId>::new(), HashSet::<PageId>::new());
    for truth in crawls.iter().map(|found| found.truth.as_ref()) {
        let truth = truth?;
        visited.extend(&truth.visited);
        relevant.extend(&truth.relevant);
        called.extend(&truth.called);
    }
    Some(Recognition {
        visited: visited.len(),
        relevant: relevant.len(),
        recognised: relevant.intersection(&called).count(),
        wrongly: called.difference(&relevant).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(curves: Vec<Vec<(u64, u64)>>) -> Results {
        let found = |curve: Vec<(u64, u64)>| vec![Found { curve, ..Found::default() }];
        let crawls = curves.into_iter().map(found).collect();
        Results { pages: 10, grounds: Vec::new(), crawls, aimless: Vec::new(), taught: Vec::new() }
    }

    #[test]
    fn curves_are_averaged_where_they_are_and_hold_their_last_value() {
        let results = results(vec![vec![(1, 0), (5, 4), (10, 6)], vec![(2, 2), (10, 4)]]);
        assert_eq!(results.curve(0), [(1.0, 0.0), (2.0, 1.0), (5.0, 3.0), (10.0, 5.0)]);
        assert!(results.curve(1).is_empty());
    }

    #[test]
    fn lengths_of_all_webs_are_added() {
        let mut results = results(vec![Vec::new(), Vec::new()]);
        results.crawls[0][0].harvest.bridge = vec![1, 2];
        results.crawls[1][0].harvest.bridge = vec![3, 0, 5];
        assert_eq!(results.lengths(0).bridge, [4, 2, 5]);
    }
}
