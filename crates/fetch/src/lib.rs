//! Getting bytes, politely and safely.
//!
//! - [`Fetcher::send`] takes one [`Request`] and gives one [`Response`], or a [`FetchError`] with a
//!   word to count by. It follows no redirects: each hop is a request of its own, to be queued under
//!   its own host. Bodies are decompressed as they are read, within limits of size, ratio and time.
//! - The [`Guard`] passes or refuses every address before it is dialled; [`ResolveRule`]s and private
//!   hosts are its only exceptions. Names come from a [`Resolve`], sockets from a [`Dial`], and the
//!   address that was checked is the one that is dialled.
//! - [`Robots`], [`Tdm`] and [`facts::Directives`] say what a host allows; [`Manners`] says how long it is
//!   left alone. They are pure: answers and times go in, decisions come out. Waiting between the
//!   requests to a host, and asking it one thing at a time, is the caller's part.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use fetch::{Accept, Fetcher, Request, Settings};
//!
//! let fetcher = Fetcher::new(Settings { contact: Some("me@example.org".into()), ..Settings::default() })?;
//! let request = Request::new("https://example.org/".parse()?, Accept::Page);
//! let response = fetcher.send(request).await?;
//! if let Some(next) = response.redirect() {
//!     println!("moved to {}", next?);
//! } else if !response.directives().noindex {
//!     println!("{} bytes", response.bytes().await?.len());
//! }
//! # Ok(())
//! # }
//! ```

mod body;
mod coding;
mod connect;
mod connection;
mod cookies;
mod crowd;
mod dial;
mod directives;
mod dns;
mod error;
mod fetcher;
mod guard;
mod manners;
mod names;
mod proxy;
mod request;
mod response;
mod robots;
mod rule;
mod settings;
mod tdm;
mod tls;

pub use crate::cookies::CookieMark;
pub use crate::dial::{Dial, Tcp, Wire};
pub use crate::dns::{Addresses, Resolve, ResolveError, SystemResolver};
pub use crate::error::{FetchError, Wait};
pub use crate::fetcher::Fetcher;
pub use crate::guard::{Guard, Refused, Why};
pub use crate::manners::{Answer, Manners, RestAdvice};
pub use crate::request::{Accept, ByteRange, Request, Validators};
pub use crate::response::{ContentRange, Response};
pub use crate::robots::{ROBOTS_LIMIT, Robots};
pub use crate::rule::{ResolveRule, RuleError};
pub use crate::settings::{CookieLimits, NameLimits, Proxy, Settings, SettingsError};
pub use crate::tdm::{TDM_LIMIT, TDM_PATH, Tdm};
