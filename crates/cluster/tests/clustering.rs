//! Small cases worked out by hand, and any points at all.

use cluster::{
    Clustering, Points, ensemble, fuzzy, hierarchical, k_means, leaders, self_organising, spectral, subtractive,
    usual_distance, voted,
};
use proptest::prelude::*;

/// Three far groups on a line: 0, 1, 2 · 100, 101 · 1000.
fn line() -> Points {
    Points::of([[0.0], [1.0], [2.0], [100.0], [101.0], [1000.0]])
}

/// Four blobs of ten points at the corners of a square with sides of 100.
fn corners() -> Points {
    let at = |n: usize| [(n / 10 % 2) as f32 * 100.0 + (n % 5) as f32, (n / 20) as f32 * 100.0 + (n % 3) as f32];
    Points::of((0..40).map(at))
}

fn is_corners(sorted: &Clustering) -> bool {
    sorted.of.chunks(10).all(|blob| blob.iter().all(|of| *of == blob[0])) && sorted.len() == 4
}

#[test]
fn leaders_found_clusters_where_nobody_is_near() {
    let sorted = leaders(&line(), 10.0, 100);
    assert_eq!(sorted.of, [0, 0, 0, 1, 1, 2]);
    assert_eq!(sorted.centres, Points::of([[0.0], [100.0], [1000.0]]), "the first of each leads");
    // The second reach is exactly the distance of 0 and 100.
    assert_eq!(leaders(&line(), 100.0, 100).of, [0, 0, 0, 0, 1, 2]);
    assert_eq!(leaders(&line(), 10.0, 2).of, [0, 0, 0, 1, 1, 1], "no more than two: to the nearest");
    assert_eq!(leaders(&line(), f32::NAN, 100).len(), 6);
}

#[test]
fn means_are_means() {
    let sorted = k_means(&line(), 3, 1);
    assert_eq!(sorted.of, [0, 0, 0, 1, 1, 2]);
    assert_eq!(sorted.centres, Points::of([[1.0], [100.5], [1000.0]]));
    assert_eq!(sorted.sizes(), [3, 2, 1]);
    // (1 + 0 + 1 + ½ + ½ + 0) / 6
    assert!((sorted.spread(&line()) - 0.5).abs() < 1e-6);
    assert_eq!(k_means(&line(), 100, 1).len(), 6);
    assert_eq!(k_means(&Points::of([[3.0], [3.0]]), 2, 1).len(), 1, "equal points are one cluster");
}

#[test]
fn far_corners_are_clusters_by_every_method() {
    let points = corners();
    for (name, sorted) in [
        ("k-means", k_means(&points, 4, 3)),
        ("subtractive", subtractive(&points, 30.0, 4)),
        ("spectral", spectral(&points, 4, 3)),
        ("hierarchical", hierarchical(&points, 4)),
        ("fuzzy", fuzzy(&points, 4, 3).clustering),
        ("ensemble", ensemble(&points, 30.0, 50, 3).clustering),
    ] {
        assert!(is_corners(&sorted), "{name}: {:?}", sorted.of);
    }
    assert!(fuzzy(&points, 4, 3).belonging > 0.99);
    // A map may give a corner two cells, never a cell two corners.
    let cells = self_organising(&points, 9, 3);
    for (a, one) in cells.of.iter().enumerate() {
        for (b, other) in cells.of.iter().enumerate() {
            assert!(one != other || a / 10 == b / 10, "{:?}", cells.of);
        }
    }
}

#[test]
fn the_densest_is_the_first_centre() {
    // Two near 0, three near 50.
    let points = Points::of([[0.0], [1.0], [50.0], [51.0], [52.0]]);
    assert_eq!(subtractive(&points, 10.0, 1).len(), 1);
    let two = subtractive(&points, 10.0, 2);
    assert_eq!((two.of[0], two.of[1], two.of[2] == two.of[0]), (0, 0, false));
}

#[test]
fn rings_are_told_by_what_hangs_together() {
    // A ring around a blob: no mean tells them apart, neighbourhood does.
    let ring = (0..60).map(|n| {
        let angle = n as f32 / 60.0 * std::f32::consts::TAU;
        [10.0 * angle.cos(), 10.0 * angle.sin()]
    });
    let blob = (0..40).map(|n| [(n % 7) as f32 * 0.1, (n / 7) as f32 * 0.1]);
    let points = Points::of(ring.chain(blob));
    let sorted = spectral(&points, 2, 5);
    assert!(sorted.of[..60].iter().all(|of| *of == sorted.of[0]), "{:?}", sorted.of);
    assert!(sorted.of[60..].iter().all(|of| *of != sorted.of[0]), "{:?}", sorted.of);
}

#[test]
fn the_majority_decides_whatever_clusters_are_called() {
    let points = Points::of([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]]);
    let told = |of: [usize; 6]| Clustering { centres: Points::of([[0.0], [10.0], [20.0]]), of: of.to_vec() };
    // The second calls everything otherwise; the third has one point elsewhere.
    let three = [told([0, 0, 1, 1, 2, 2]), told([2, 2, 0, 0, 1, 1]), told([0, 0, 1, 2, 2, 2])];
    let outcome = voted(&points, &three, 5.0);
    assert_eq!((outcome.clustering.of, outcome.agreed, outcome.disputed), (vec![0, 0, 1, 1, 2, 2], 5, 0));
    // All three differ on the fourth: it founds a cluster.
    let three = [told([0, 0, 1, 1, 2, 2]), told([0, 0, 1, 2, 2, 2]), told([0, 0, 1, 0, 2, 2])];
    let outcome = voted(&points, &three, 5.0);
    assert_eq!((outcome.clustering.of, outcome.disputed), (vec![0, 0, 1, 2, 3, 3], 1));
}

#[test]
fn disputed_points_that_are_near_found_one_cluster() {
    let points = Points::of([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [20.0], [21.0], [22.0]]);
    let told = |of: [usize; 9]| Clustering { centres: Points::of([[0.0], [10.0], [20.0]]), of: of.to_vec() };
    let first = told([0, 0, 0, 1, 1, 1, 2, 2, 2]);
    let three = [first, told([0, 0, 0, 1, 2, 2, 2, 2, 2]), told([0, 0, 0, 1, 0, 0, 2, 2, 2])];
    let outcome = voted(&points, &three, 5.0);
    assert_eq!((outcome.clustering.of, outcome.disputed), (vec![0, 0, 0, 1, 2, 2, 3, 3, 3], 2));
}

#[test]
fn pairs_say_how_far_apart_points_usually_are() {
    assert_eq!(usual_distance(&Points::of([[0.0], [3.0]]), 0.5, 1), 3.0);
    assert_eq!(usual_distance(&Points::of([[0.0]]), 0.5, 1), 0.0);
    let points = corners();
    assert!(usual_distance(&points, 0.05, 1) < 10.0 && usual_distance(&points, 0.5, 1) > 90.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_points_are_sorted_the_same_every_time(
        values in prop::collection::vec(prop::num::f32::ANY, 0..160),
        dimensions in 1usize..5,
        k in 0usize..12,
        reach in prop::num::f32::ANY,
    ) {
        let points = Points::of(values.chunks_exact(dimensions));
        type Method<'a> = &'a dyn Fn(&Points) -> Clustering;
        let methods: [Method<'_>; 8] = [
            &|p| leaders(p, reach, k),
            &|p| k_means(p, k, 1),
            &|p| subtractive(p, reach, k),
            &|p| spectral(p, k, 1),
            &|p| hierarchical(p, k),
            &|p| self_organising(p, k, 1),
            &|p| fuzzy(p, k, 1).clustering,
            &|p| ensemble(p, reach, k, 1).clustering,
        ];
        for (nth, method) in methods.iter().enumerate() {
            let sorted = method(&points);
            prop_assert_eq!(sorted.of.len(), points.len());
            prop_assert!(sorted.of.iter().all(|of| *of < sorted.len()), "{} {:?}", nth, sorted);
            prop_assert!(sorted.centres.iter().flatten().all(|value| value.is_finite()), "{} {:?}", nth, sorted);
            prop_assert_eq!(&method(&points).of, &sorted.of);
        }
    }
}
