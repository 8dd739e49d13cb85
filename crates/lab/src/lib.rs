//! A made web with known truth.

mod answer;
mod dice;
mod graph;
mod host;
mod html;
mod media;
mod page;
mod robots;
mod server;
mod settings;
mod thing;
mod tongue;
mod town;
mod truth;
mod web;

pub use crate::answer::{Answer, Asked};
pub use crate::host::SiteKind;
pub use crate::page::{PageId, Role};
pub use crate::server::Server;
pub use crate::server::traffic::{HostLog, LogSummary};
pub use crate::settings::{Latency, Settings};
pub use crate::town::Address;
pub use crate::truth::{ClipTruth, PageTruth, PictureTruth, SiteTruth, Truth};
pub use crate::web::{Focus, Walk, Web};
