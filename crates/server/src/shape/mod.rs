//! What the API shows, field by field.

mod card;
mod crawl;
mod cursor;

pub(crate) use self::card::{Card, Item};
pub(crate) use self::crawl::{CrawlEntry, CrawlProgress, CrawlShape, CrawlState, Tally};
pub(crate) use self::cursor::{from_cursor, to_cursor};
