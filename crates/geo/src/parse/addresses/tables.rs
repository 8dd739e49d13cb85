//! Tables of the words that tell an address. Each postcode asks them some thousand times, and nobody but this
//! program fills them: so the hash is a quick one, which need not resist chosen keys.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

/// What words stand for.
pub(super) type Table<K, V> = HashMap<K, V, FixedState>;
/// Words.
pub(super) type Words = HashSet<&'static str, FixedState>;
