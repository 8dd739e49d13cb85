//! Files in a bucket of an S3-speaking service.
//!
//! A [`Bucket`] is named `s3://BUCKET/PREFIX`; where the service is and with which keys it is asked say
//! the usual variables (`AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, …). Large files go there
//! in parts, and come from there piece by piece, so that memory does not grow with them. A service that
//! is away is waited for by those who write: what is on its way is not lost.

mod address;
mod bucket;
mod client;
mod error;

pub use crate::address::Address;
pub use crate::bucket::{Bucket, Pieces};
pub use crate::error::BucketError;
