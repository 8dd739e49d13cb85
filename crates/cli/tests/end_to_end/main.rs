//! The program as its users run it: real processes, a served lab web, a data directory.

mod bad_input;
mod buckets;
mod client;
mod copies;
mod corner;
mod crash;
mod example;
mod experiments;
mod faults;
mod find;
mod geoparse;
mod harness;
mod keep;
mod library;
mod manners;
mod migrate;
mod order;
mod output;
mod reach;
mod region;
mod render;
mod revisit;
mod schedule;
mod search;
mod serve;
mod site;
mod trouble;
mod watch;
mod workers;

#[path = "../../../bucket/tests/server/mod.rs"]
mod s3;
#[path = "../../../store/tests/server/mod.rs"]
mod server;
