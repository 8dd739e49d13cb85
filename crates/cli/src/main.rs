//! The `bowerbird` program.
fn main() {}
