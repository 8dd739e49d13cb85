//! What a [`Server`](crate::Server) can put on the network: the made web, or anything else that has
//! an answer to every request.

use std::time::Duration;

use facts::Url;
use serde_json::Value;

use crate::answer::{Answer, Asked};
use crate::host::{Certificate, DOMAIN};

/// Something that answers requests. Answers may take work: a server makes them beside its own.
pub trait Answers: Send + Sync + 'static {
    /// Pages to start from.
    fn seeds(&self) -> Vec<Url>;

    /// What is answered to a request.
    fn answer(&self, asked: &Asked) -> Answer;

    /// The hosts it speaks for, as `--resolve` names them.
    fn hosts(&self) -> String {
        format!("*.{DOMAIN}")
    }

    /// The certificate a host shows; none for a host that is not here.
    fn certificate(&self, host: &str) -> Option<Certificate>;

    /// Whether a crawler may ask for this; `target` is path and query.
    fn allows(&self, _https: bool, _host: &str, _target: &str) -> bool {
        true
    }

    /// How long the answer is kept back, and how long it stalls in the middle, if it does.
    fn wait(&self, _asked: &Asked) -> (Duration, Option<Duration>) {
        (Duration::ZERO, None)
    }

    /// What is true of an address, for who wants to compare.
    fn truth(&self, _url: &Url) -> Option<Value> {
        None
    }

    /// What it was made with.
    fn settings(&self) -> Value;
}
