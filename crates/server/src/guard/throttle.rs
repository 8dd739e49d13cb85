//! Guessing a token takes for ever: ten failures a minute from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;

use crate::problem::Problem;

/// Failures of one address in one minute.
const MOST: u32 = 10;
/// Addresses that are remembered. When there are more, all wait for the minute to end.
const ADDRESSES: usize = 4_096;
const MINUTE: Duration = Duration::from_secs(60);

/// Failed log-ins of this minute.
#[derive(Debug)]
pub(crate) struct Throttle(Mutex<(Instant, HashMap<IpAddr, u32>)>);

impl Default for Throttle {
    fn default() -> Self {
        Self(Mutex::new((Instant::now(), HashMap::new())))
    }
}

impl Throttle {
    /// Refuses one that failed too often.
    pub fn check(&self, peer: IpAddr) -> Result<(), Problem> {
        self.check_at(peer, Instant::now())
    }

    /// Notes a failure.
    pub fn failed(&self, peer: IpAddr) {
        self.failed_at(peer, Instant::now());
    }

    fn check_at(&self, peer: IpAddr, now: Instant) -> Result<(), Problem> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let age = now.saturating_duration_since(failures.0);
        if age >= MINUTE {
            *failures = (now, HashMap::new());
            return Ok(());
        }
        let count = failures.1.get(&network(peer)).copied().unwrap_or(0);
        if count < MOST && failures.1.len() < ADDRESSES {
            return Ok(());
        }
        let seconds = (MINUTE - age).as_secs() + 1;
        let detail = format!("too many wrong tokens: wait {seconds} seconds");
        Err(Problem::later(StatusCode::TOO_MANY_REQUESTS, seconds, detail))
    }

    fn failed_at(&self, peer: IpAddr, now: Instant) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(failures.0) >= MINUTE {
            *failures = (now, HashMap::new());
        }
        *failures.1.entry(network(peer)).or_default() += 1;
    }
}

/// One who has one IPv6 address has 2⁶⁴ of them.
fn network(peer: IpAddr) -> IpAddr {
    match peer {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            IpAddr::from((u128::from(address) >> 64 << 64).to_be_bytes())
        }
        other => other.to_canonical(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_guess_of_a_minute_waits_and_others_do_not() {
        let throttle = Throttle::default();
        let start = Instant::now();
        let (guesser, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        for _ in 0..10 {
            assert!(throttle.check_at(guesser, start).is_ok());
            throttle.failed_at(guesser, start);
        }
        assert_eq!(throttle.check_at(guesser, start).unwrap_err().status(), StatusCode::TOO_MANY_REQUESTS);
        assert!(throttle.check_at(other, start).is_ok());
        assert!(throttle.check_at(guesser, start + MINUTE).is_ok());
    }

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(network(address("2001:db8::1")), network(address("2001:db8::ffff:1")));
        assert_ne!(network(address("2001:db8::1")), network(address("2001:db8:0:1::1")));
        assert_eq!(network(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }
}
