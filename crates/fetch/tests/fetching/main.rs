//! The real client against servers on loopback, honest and otherwise. Nothing here dials anywhere else.

mod bodies;
mod connections;
mod exchanges;
mod guarded;
mod proxied;
mod secure;
mod server;
mod wires;
