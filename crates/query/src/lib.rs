//! The language that people ask in, and what a word is when it is looked for.
//!
//! [`Query::parse`] understands what is typed, for `search` and `find` alike: words, phrases, `+exactly`,
//! `-without`, `~widely`, `OR`, brackets, and operators such as `site:` and `near:`. Whatever is typed means
//! something: what is not understood is looked for as words, and [`Query::notes`] say so. [`Query::said`]
//! says back in words what was understood.
//!
//! ```
//! let query = query::Query::parse("old bridge -night after:2020").unwrap();
//! assert_eq!(query.said(), "with *old* and *bridge*, not *night*, since 2020-01-01");
//! ```
//!
//! A [`Want`] is the part of it that words answer. [`tokens()`] are the words of a text as they are looked
//! for: [folded](fold()), so that case and accents do not matter. [`Language::stem`] brings the forms of a
//! word together, [`distance`] tells a slip from another word, and [`marks()`] says where in a text the words
//! stand that were found. [`Sought`] does the same for pages that were never indexed, with phrases and forms of
//! words.

mod calendar;
mod fold;
mod language;
mod marks;
mod operator;
mod parse;
mod quiet;
mod said;
mod slip;
mod sought;
mod synonyms;
mod tokens;
mod want;

pub use crate::fold::{fold, fold_char, is_word_char};
pub use crate::language::Language;
pub use crate::marks::marks;
pub use crate::operator::{Kind, Near, Operator, Where};
pub use crate::parse::{LONGEST, Note, Query, QueryError};
pub use crate::slip::{distance, slips};
pub use crate::sought::{Looking, Sought, Spot, Spotted, Term};
pub use crate::synonyms::{Synonyms, SynonymsError};
pub use crate::tokens::{LONGEST_TOKEN, Token, tokens};
pub use crate::want::{Form, Want, Word};
