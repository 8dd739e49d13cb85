//! What scripts make of a page: its states, as a headless Chromium shows them.
//!
//! - [`Renderer::render`] takes a page as its server sent it ([`Document`]), lets Chromium run its scripts,
//!   touches what can be touched, and gives every [`State`] once ([`Rendered`]).
//! - The browser has **no network**. Every request that a page makes is handed to a [`Supplier`], which asks
//!   as this program asks for anything, or does not. Behind that the browser runs in a network namespace of
//!   its own, where the machine has them, with no names, and with a proxy that nobody answers at: so sockets,
//!   prefetches, workers and the browser's own wishes end there too.
//! - [`signs()`] tells by a page's bytes whether rendering it is likely to bring something.
//!
//! Chromium is spoken to over a pair of pipes (`protocol`); it runs as another user when this program is
//! root, with its own sandbox on (`chromium`). A page has a profile of its own (`tab`), so it finds nothing
//! that another left behind, and its crash costs nobody else anything. `page.js` runs in the page before its
//! own scripts: it notes who listens to what, waits for timers, says what a state is told apart by, and keeps
//! dialogs, forms and windows from opening. What it tells is taken for what the page says: with limits, and
//! no trust.

mod chromium;
mod error;
mod explore;
mod protocol;
mod renderer;
mod settings;
mod signs;
mod supply;
mod tab;
#[cfg(test)]
mod tests;
#[cfg(any(test, fuzzing))]
pub mod tried;

pub use crate::error::RenderError;
pub use crate::explore::{Listed, Rendered, State, Touch};
pub use crate::renderer::Renderer;
pub use crate::settings::Settings;
pub use crate::signs::{Sign, signs};
pub use crate::supply::{Supplied, Supplier, Wanted, WantedKind};
pub use crate::tab::{Document, overhear};
