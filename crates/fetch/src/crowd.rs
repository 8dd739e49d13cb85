//! How many requests are open to one IP address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Counts open requests by address, and lets only so many be open at once. Addresses nobody uses
/// take no memory.
#[derive(Clone)]
pub(crate) struct Crowds {
    places: usize,
    addresses: Arc<Mutex<HashMap<IpAddr, Crowd>>>,
}

struct Crowd {
    semaphore: Arc<Semaphore>,
    /// Those inside and those waiting.
    present: usize,
}

/// The right to have one request open to an address, given back on drop.
pub(crate) struct Place {
    permit: Option<OwnedSemaphorePermit>,
    _presence: Presence,
}

/// Keeps the crowd of an address alive; also while waiting, so that a wait given up leaves nothing behind.
struct Presence {
    crowds: Crowds,
    address: IpAddr,
}

impl Crowds {
    pub(crate) fn new(places: usize) -> Self {
        Self { places: places.clamp(1, Semaphore::MAX_PERMITS), addresses: Arc::default() }
    }

    pub(crate) async fn enter(&self, address: IpAddr) -> Place {
        let address = address.to_canonical();
        let semaphore = {
            let mut addresses = self.addresses.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let crowd = addresses
                .entry(address)
                .or_insert_with(|| Crowd { semaphore: Arc::new(Semaphore::new(self.places)), present: 0 });
            crowd.present += 1;
            crowd.semaphore.clone()
        };
        let presence = Presence { crowds: self.clone(), address };
        // The semaphore is never closed, so this only fails to wait, never to let in.
        let permit = semaphore.acquire_owned().await.ok();
        Place { permit, _presence: presence }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.addresses.lock().unwrap().len()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.permit.take();
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut addresses = self.crowds.addresses.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(crowd) = addresses.get_mut(&self.address) {
            crowd.present -= 1;
            if crowd.present == 0 {
                addresses.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_ninth_waits_until_one_leaves_and_an_empty_crowd_is_forgotten() {
        let crowds = Crowds::new(8);
        let address: IpAddr = "192.0.2.7".parse().unwrap();
        let mut inside = Vec::new();
        for _ in 0..8 {
            inside.push(crowds.enter(address).await);
        }
        let ninth = tokio::time::timeout(Duration::from_secs(1), crowds.enter(address));
        assert!(ninth.await.is_err());
        // The same address in another form is no way around.
        let mapped = tokio::time::timeout(Duration::from_secs(1), crowds.enter("::ffff:192.0.2.7".parse().unwrap()));
        assert!(mapped.await.is_err());
        // Another address is free.
        drop(crowds.enter("192.0.2.8".parse().unwrap()).await);
        inside.pop();
        inside.push(crowds.enter(address).await);
        assert_eq!(crowds.len(), 1);
        inside.clear();
        assert_eq!(crowds.len(), 0);
    }
}
