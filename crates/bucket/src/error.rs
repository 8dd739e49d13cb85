//! What can go wrong with a bucket.

use std::path::{Path, PathBuf};

use object_store::Error;

/// What services call keys that they do not take.
const REFUSALS: [&str; 6] =
    ["SignatureDoesNotMatch", "InvalidAccessKeyId", "AccessDenied", "ExpiredToken", "InvalidToken", "NotSignedUp"];

/// An error with enough in it to act on.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// Not the name of a bucket.
    #[error("{given} names no bucket ({why}): write s3://BUCKET or s3://BUCKET/PREFIX")]
    Address {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The variables do not say how to ask for it.
    #[error("{bucket} cannot be asked for ({reason}): check the AWS_… variables")]
    Settings {
        /// The bucket.
        bucket: String,
        /// What is wrong with them.
        reason: String,
    },
    /// No variable names a key.
    #[error("there are no keys for {bucket}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")]
    NoKeys {
        /// The bucket.
        bucket: String,
    },
    /// Anybody on the way could read along.
    #[error(
        "{endpoint} is not encrypted: write https:// in AWS_ENDPOINT_URL, or set AWS_ALLOW_HTTP=true where nobody \
         can listen on the way"
    )]
    NotEncrypted {
        /// The service.
        endpoint: String,
    },
    /// There is no such bucket.
    #[error("there is no bucket for {bucket} at {endpoint}: make it there, or name another with --media")]
    NoBucket {
        /// The bucket.
        bucket: String,
        /// The service.
        endpoint: String,
    },
    /// The service does not let these keys do that.
    #[error(
        "{endpoint} refuses the keys for {bucket} ({reason}): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; \
         they must be allowed to list, read, write and delete there"
    )]
    Refused {
        /// The bucket.
        bucket: String,
        /// The service.
        endpoint: String,
        /// What it says.
        reason: String,
    },
    /// The service does not answer, or says that it cannot now.
    #[error("{bucket} cannot be reached at {endpoint} ({reason}): start the service, or check AWS_ENDPOINT_URL")]
    Away {
        /// The bucket.
        bucket: String,
        /// The service.
        endpoint: String,
        /// What happened.
        reason: String,
    },
    /// No such file in it.
    #[error("{name} is not in {bucket}")]
    Missing {
        /// The bucket.
        bucket: String,
        /// The file.
        name: String,
    },
    /// A file that is larger than what it is wanted for can take.
    #[error("{name} in {bucket} has more than {most} bytes")]
    TooLarge {
        /// The bucket.
        bucket: String,
        /// The file.
        name: String,
        /// The largest size.
        most: u64,
    },
    /// A file on this machine that is read or written on the way.
    #[error("{path}: {reason}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Anything else that the service said.
    #[error("{bucket}: {reason}")]
    Other {
        /// The bucket.
        bucket: String,
        /// What it said.
        reason: String,
    },
}

impl BucketError {
    /// Whether the same may go better in a while.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Away { .. })
    }

    /// Whether the file is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::File { path: path.to_owned(), reason: error.to_string() }
    }

    /// What the service said of a file.
    pub(crate) fn of(error: &Error, bucket: &str, endpoint: &str, name: &str) -> Self {
        let (bucket, endpoint) = (bucket.to_owned(), endpoint.to_owned());
        let whole = error.to_string();
        let reason = told(&whole);
        match error {
            Error::NotFound { .. } if whole.contains("NoSuchBucket") => Self::NoBucket { bucket, endpoint },
            Error::NotFound { .. } => Self::Missing { bucket, name: name.to_owned() },
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                Self::Refused { bucket, endpoint, reason }
            }
            // Not every service says so by its status.
            Error::Generic { .. } if REFUSALS.iter().any(|code| whole.contains(code)) => {
                Self::Refused { bucket, endpoint, reason }
            }
            Error::Generic { .. } if whole.contains("NoSuchBucket") => Self::NoBucket { bucket, endpoint },
            // Too many requests, and a clock that is being set, pass; what is asked wrongly does not.
            Error::Generic { .. }
                if whole.contains("status code: 4") && !whole.contains("code: 429") && !whole.contains("code: 408") =>
            {
                Self::Other { bucket, reason }
            }
            Error::Generic { .. } if whole.contains("configured region") => Self::Other { bucket, reason },
            Error::Generic { .. } | Error::JoinError { .. } => Self::Away { bucket, endpoint, reason },
            _ => Self::Other { bucket, reason },
        }
    }
}

/// The part of an error that people can use: the code and the message of the service, if it gave any.
fn told(whole: &str) -> String {
    let part = |tag: &str| {
        let (_, rest) = whole.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>")).map(|(part, _)| part.trim()).filter(|part| !part.is_empty())
    };
    let said = match (part("Code"), part("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code.to_owned(),
        // What was tried how often does not help; what happened last does.
        _ => whole.rsplit_once(" - ").map_or(whole, |(_, last)| last).trim().to_owned(),
    };
    said.chars().filter(|c| !c.is_control()).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_service_are_told_without_its_markup() {
        for (whole, expected) in [
            ("x <Error><Code>SlowDown</Code><Message>Less.</Message></Error>", "SlowDown: Less."),
            ("x <Code>AccessDenied</Code>", "AccessDenied"),
            ("Error performing GET http://x/ in 1s, after 3 retries - HTTP error: refused", "HTTP error: refused"),
            ("plain\nwords", "plainwords"),
        ] {
            assert_eq!(told(whole), expected);
        }
    }
}
