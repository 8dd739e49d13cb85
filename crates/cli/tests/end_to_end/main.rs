//! The program as its users run it: real processes, a served lab web, a data directory.

mod bad_input;
mod client;
mod copies;
mod crash;
mod example;
mod experiments;
mod find;
mod geoparse;
mod harness;
mod keep;
mod library;
mod manners;
mod order;
mod output;
mod reach;
mod region;
mod revisit;
mod schedule;
mod search;
mod serve;
mod site;
mod trouble;
mod watch;
mod workers;

#[path = "../../../store/tests/server/mod.rs"]
mod server;
