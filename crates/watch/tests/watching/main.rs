//! Watchers at work: real folders, real sockets of loopback.

mod folders;
mod running;
mod watcher;
