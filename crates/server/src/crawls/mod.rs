//! Crawls that run inside the server: started, watched, paused and ended.

mod keeper;

pub(crate) use self::keeper::{Crawls, Watched};
