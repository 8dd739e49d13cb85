//! How a bucket is named.

use std::fmt;
use std::str::FromStr;

use crate::BucketError;

/// Letters that may stand in a part of a prefix, beside letters and digits: those that need no quoting
/// anywhere.
const PLAIN: &str = "-_.=";

/// `s3://BUCKET/PREFIX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub(crate) bucket: String,
    /// Without slashes at its ends; may be empty.
    pub(crate) prefix: String,
}

impl Address {
    /// Whether a text is meant to name a bucket.
    pub fn is_meant(text: &str) -> bool {
        text.contains("://")
    }

    /// The key of what is named within the prefix.
    pub(crate) fn key(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}/{name}", self.prefix) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}", self.key_of_bucket())
    }
}

impl Address {
    fn key_of_bucket(&self) -> String {
        if self.prefix.is_empty() { self.bucket.clone() } else { format!("{}/{}", self.bucket, self.prefix) }
    }
}

impl FromStr for Address {
    type Err = BucketError;

    fn from_str(text: &str) -> Result<Self, BucketError> {
        let wrong = |why| BucketError::Address { given: text.chars().take(200).collect(), why };
        let rest = text.strip_prefix("s3://").ok_or_else(|| wrong("it does not begin with s3://"))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let of_bucket = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        if !(3..=63).contains(&bucket.len()) || !bucket.chars().all(of_bucket) {
            return Err(wrong("a bucket has 3 to 63 small letters, digits, dots and dashes"));
        }
        let prefix = prefix.trim_matches('/');
        let is_plain = |part: &str| {
            !matches!(part, "" | "." | "..") && part.chars().all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c))
        };
        if !prefix.is_empty() && (prefix.len() > 200 || !prefix.split('/').all(is_plain)) {
            return Err(wrong("a prefix has letters, digits and -_.= between slashes"));
        }
        Ok(Self { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (given, written, key) in [
            ("s3://birds", "s3://birds", "a/b.jpg"),
            ("s3://birds/", "s3://birds", "a/b.jpg"),
            ("s3://birds/of/paradise/", "s3://birds/of/paradise", "of/paradise/a/b.jpg"),
        ] {
            let address: Address = given.parse().unwrap();
            assert_eq!((address.to_string().as_str(), address.key("a/b.jpg").as_str()), (written, key));
        }
    }

    #[test]
    fn what_names_no_bucket_is_told_so() {
        for given in [
            "",
            "/data",
            "s3:/birds",
            "s3://",
            "s3://B",
            "s3://birds/a//b",
            "s3://birds/../b",
            "s3://birds/a?b",
            "http://x/",
        ] {
            let error = given.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains("s3://BUCKET"), "{given}: {error}");
        }
    }
}
