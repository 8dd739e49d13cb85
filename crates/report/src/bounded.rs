//! Lists that anyone may have written, of any length.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

/// A list of which no more than the first `MOST` are kept: one of millions is refused by its length, and
/// takes no memory until then.
#[derive(Debug)]
pub(crate) struct Bounded<T, const MOST: usize> {
    pub(crate) kept: Vec<T>,
    /// How many there were.
    pub(crate) count: u64,
}

impl<T, const MOST: usize> Default for Bounded<T, MOST> {
    fn default() -> Self {
        Self { kept: Vec::new(), count: 0 }
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Bounded<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Reader(PhantomData))
    }
}

struct Reader<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Reader<T, MOST> {
    type Value = Bounded<T, MOST>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut read = Bounded::default();
        while read.kept.len() < MOST {
            match list.next_element()? {
                Some(one) => read.kept.push(one),
                None => break,
            }
        }
        read.count = read.kept.len() as u64;
        while list.next_element::<IgnoredAny>()?.is_some() {
            read.count += 1;
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Result<Bounded<u8, 3>, serde_json::Error> {
        serde_json::from_str(list)
    }

    #[test]
    fn a_list_is_counted_to_its_end_and_kept_to_its_bound() {
        for (list, kept, count) in
            [("[]", &[][..], 0), ("[1]", &[1], 1), ("[1,2,3]", &[1, 2, 3], 3), ("[1,2,3,4,{}]", &[1, 2, 3], 5)]
        {
            let read = read(list).unwrap();
            assert_eq!((read.kept.as_slice(), read.count), (kept, count), "{list}");
        }
        let long = read(&format!("[{}0]", "0,".repeat(1_000_000))).unwrap();
        assert!(long.count == 1_000_001 && long.kept.capacity() < 10);
        for wrong in ["{}", "1", "[1", "[300]", "[1,2,3,4"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
