//! What any home of the two traits must do, whatever it is made of.
//!
//! A home says how it is opened, stopped and killed; [`suite!`](crate::suite) turns every
//! statement here into a test of that home.

pub mod again;
pub mod clusters;
pub mod copies;
pub mod counting;
pub mod forgetting;
pub mod frontier;
pub mod harvest;
pub mod imports;
pub mod items;
pub mod library;
pub mod likeness;
pub mod lists;
pub mod pages;
pub mod persons;
pub mod places;
pub mod timetable;
pub mod web;
pub mod words;

use std::sync::Arc;
use std::time::Duration;

use facts::MediaId;
use store::{
    Budgets, CrawlId, Forget, Forgotten, Frontier, Imported, ImportedFile, Library, RunId, StoreError, Visited,
};

/// The delay of hosts that ask for none, in all these tests.
pub const DELAY: Duration = Duration::from_millis(60);

/// No budget that binds.
pub const PLENTY: Budgets = Budgets { per_host: 1_000, per_template: 1_000 };

/// How a process came to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    Clean,
    Killed,
}

/// Something that keeps a queue and a library over restarts.
#[async_trait::async_trait]
pub trait Home: Sized + Send {
    /// A new one, empty.
    async fn new() -> Self;
    fn frontier(&self) -> Arc<dyn Frontier>;
    fn library(&self) -> Arc<dyn Library>;
    /// The process ends and another one opens the same home.
    async fn restart(&mut self, stop: Stop);
    /// `Store::commit`.
    async fn commit(&self, crawl: CrawlId, run: RunId, visits: Vec<Visited>) -> Result<(), StoreError>;
    /// `Store::import`.
    async fn import(&self, files: Vec<ImportedFile>) -> Result<Imported, StoreError>;
    /// `Store::forget`.
    async fn forget(&self, what: Forget) -> Result<Forgotten, StoreError>;
    /// `Store::remove`.
    async fn remove(&self, id: MediaId) -> Result<bool, StoreError>;
    /// Panics when figures are not what a count of the rows gives, or rows do not fit together.
    async fn audit(&self);
}

/// Makes a test of each statement for a home.
#[macro_export]
macro_rules! suite {
    ($home:ty: $($module:ident { $($statement:ident),* $(,)? })*) => {
        $($(
            #[tokio::test]
            async fn $statement() {
                $crate::suite::$module::$statement(<$home as $crate::suite::Home>::new().await).await;
            }
        )*)*
    };
}
