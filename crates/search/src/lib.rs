//! Questions to the library, and answers in the shape that scripts and the web know.
//!
//! A [`Question`] says what is looked for: media of some kinds or pages, where, since when, from
//! which host. [`Question::ask`] puts it to a library and gives an [`Answer`] with its [`Hit`]s.
//! The names of the fields of an answer are a contract. [`Question::understand`] takes what a person typed:
//! words, and operators that are filters.
//!
//! [`Mentioned`] is a place that a text speaks of; [`statistics()`], [`harvest()`]
//! and [`units()`] are the figures of a library.
//!
//! [`duplicates()`] lists what is there more than once.
//!
//! [`Location`] and [`SpokenPlace`] are places as every answer and every export shows them.

mod answer;
mod asked;
mod copies;
mod matched;
mod mention;
mod place;
mod question;
mod statistics;

pub use crate::answer::{Answer, Hit, MediaHit, PageHit, file_of};
pub use crate::asked::{Instead, SYNONYMS, Understood, synonyms};
pub use crate::copies::{DuplicateCopy, DuplicateFile, DuplicateGroup, Duplicates, duplicates};
pub use crate::matched::{Marks, Matched};
pub use crate::mention::{Mentioned, MentionedPlace};
pub use crate::place::{Location, SpokenPlace};
pub use crate::question::{Looked, Near, Question};
pub use crate::statistics::{harvest, statistics, units};
