//! A made web with known truth, for everyone's tests and experiments.
//!
//! A [`Web`] is made from a number and a few other [`Settings`]; the same settings are the same
//! web, byte for byte. Nothing is stored: every page, picture, film and sound is a function of its
//! address, so that a web of ten million pages costs no more than one of ten.
//!
//! - [`Web::answer`] gives what a server answers to a request ([`Asked`], [`Answer`]);
//!   [`Web::truth`] what there is to know about an address ([`Truth`]): the places a page gives
//!   the address of, where a photo was taken, what is a copy of what.
//! - [`Web::focus`] is the town the web is about. Pages with an address there are *relevant*;
//!   [`Web::outlinks`], [`Web::is_relevant`] and [`Web::walk`] let experiments run on the graph
//!   without a network.
//! - With [`Topics`], links and words tell of the twelve topics of pages, and mislead as on the real web;
//!   [`Web::is_on_topic`] says what a page is about.
//! - [`Server`] puts it on a loopback port, HTTP and HTTPS on the same one, and keeps a log of what
//!   it saw ([`LogSummary`]): overlaps, gaps and breaches of robots.txt, host by host. Under
//!   `/.lab/` (`truth?url=…`, `log`, `settings`, `seeds`, `ca.pem`) it answers on any host name.
//! - [`Mirror`] is a folder of HTML files as a web; a server takes it, and whatever else [`Answers`],
//!   in the place of a made one.
//! - [`Changing`] is one site whose pages change as simulated days go by.
//! - [`Scripted`] are sites that are little without their scripts, and one that means harm to browsers.
//! - [`Corner`] are servers that mean harm to crawlers.
//!
//! Sites are named by kind and number (`town3.lab.test`, `photos1.lab.test`); pictures may come
//! from `cdn2.lab.test`. The first eight sites, whose home pages are the seeds, have no odd habits.
//! All others may have a cookie wall, a crawl-delay, a failing robots.txt or a bad certificate.
//!
//! ```
//! use lab::{Asked, Settings, Web};
//! let web = Web::new(Settings { number: 7, hosts: 20, pages: 500, ..Settings::default() });
//! let seed = &web.seeds()[0];
//! assert_eq!(web.answer(&Asked::get(seed)).status, 200);
//! let (page, _) = web.walk().find(|(page, _)| web.is_relevant(*page)).unwrap();
//! let truth = web.truth(&web.url_of(page).unwrap()).unwrap().page.unwrap();
//! assert_eq!(truth.places[0].city, web.focus().town);
//! ```

mod answer;
mod answers;
mod changing;
mod corner;
mod dice;
mod escape;
mod graph;
mod host;
mod html;
mod media;
mod mirror;
mod page;
mod robots;
mod scripted;
mod server;
mod settings;
mod thing;
mod tongue;
mod topics;
mod town;
mod truth;
mod web;

pub use crate::answer::{Answer, Asked};
pub use crate::answers::Answers;
pub use crate::changing::{Changes, Changing, Seen, passed_on};
pub use crate::corner::{Corner, Named, Trap};
pub use crate::host::{Certificate, SiteKind};
pub use crate::media::Photo;
pub use crate::mirror::Mirror;
pub use crate::page::{PageId, Role};
pub use crate::scripted::{Scripted, StateTruth};
pub use crate::server::Server;
pub use crate::server::traffic::{HostLog, LogSummary};
pub use crate::settings::{Latency, Settings};
pub use crate::topics::Topics;
pub use crate::town::Address;
pub use crate::truth::{ClipTruth, PageTruth, PictureTruth, SiteTruth, Truth};
pub use crate::web::{Focus, Walk, Web};
