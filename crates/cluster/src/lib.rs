//! Points that are close together.
//!
//! [`Points`] are sorted into a [`Clustering`]: a centre for each cluster, and the cluster of each
//! point. [`leaders()`] finds how many there are; [`k_means`], [`subtractive()`] and [`spectral()`] sort
//! points in their own ways, and [`ensemble()`] by the majority of these three [004 §6.3].
//! [`hierarchical()`], [`self_organising()`] and [`fuzzy()`] are there to be compared with.
//!
//! Everything is repeatable: where chance is needed it comes from a seed. Nothing takes more than a
//! bounded time for each point: methods that compare all with all do so on [`LANDMARKS`], points
//! taken evenly from all, and give the others to the nearest centre.
//!
//! ```
//! use cluster::{Points, k_means};
//!
//! let points = Points::of([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]]);
//! let sorted = k_means(&points, 2, 7);
//! assert_eq!(sorted.of[0], sorted.of[1]);
//! assert_ne!(sorted.of[0], sorted.of[2]);
//! ```

mod chance;
mod clustering;
mod ensemble;
mod fuzzy;
mod hierarchical;
mod leaders;
mod means;
mod points;
mod self_organising;
mod spectral;
mod subtractive;

pub use crate::clustering::Clustering;
pub use crate::ensemble::{Voted, ensemble, voted};
pub use crate::fuzzy::{Fuzzy, fuzzy};
pub use crate::hierarchical::hierarchical;
pub use crate::leaders::{leaders, usual_distance};
pub use crate::means::{k_means, refined};
pub use crate::points::Points;
pub use crate::self_organising::self_organising;
pub use crate::spectral::spectral;
pub use crate::subtractive::subtractive;

/// Points that are compared all with all, at most.
pub const LANDMARKS: usize = 512;
