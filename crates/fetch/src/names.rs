//! The cache of looked-up names: bounded, with lifetimes, and one look-up for many who wait.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lru::LruCache;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::dns::{Addresses, Resolve, ResolveError};
use crate::settings::NameLimits;

/// A failing name server is asked again soon: nothing is known about the name yet.
const FAILED_LIFE: Duration = Duration::from_secs(5);

pub(crate) struct Names {
    resolver: Arc<dyn Resolve>,
    limits: NameLimits,
    cache: Mutex<LruCache<Box<str>, Arc<Entry>>>,
}

/// Filled by the first who asks. When that one gives up waiting, the next in line asks instead.
#[derive(Default)]
struct Entry(OnceCell<Known>);

struct Known {
    answer: Result<Addresses, ResolveError>,
    until: Instant,
}

impl Names {
    pub(crate) fn new(resolver: Arc<dyn Resolve>, limits: NameLimits) -> Self {
        let capacity = NonZeroUsize::new(limits.names).unwrap_or(NonZeroUsize::MIN);
        Self { resolver, limits, cache: Mutex::new(LruCache::new(capacity)) }
    }

    pub(crate) async fn find(&self, host: &str) -> Result<Addresses, ResolveError> {
        let entry = self.entry(host);
        let known = entry.0.get_or_init(|| self.ask(host)).await;
        known.answer.clone()
    }

    fn entry(&self, host: &str) -> Arc<Entry> {
        let mut cache = self.cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(entry) = cache.get(host)
            && entry.0.get().is_none_or(|known| known.until > Instant::now())
        {
            return entry.clone();
        }
        let entry = Arc::new(Entry::default());
        cache.put(host.into(), entry.clone());
        entry
    }

    async fn ask(&self, host: &str) -> Known {
        let answer = self.resolver.resolve(host).await;
        let life = match &answer {
            Ok(found) => found.life.clamp(self.limits.shortest, self.limits.longest.max(self.limits.shortest)),
            Err(ResolveError::NoSuchName) => self.limits.absent,
            Err(ResolveError::Failed(_)) => FAILED_LIFE,
        };
        Known { answer, until: Instant::now() + life }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;

    use super::*;

    #[derive(Default)]
    struct Counting(AtomicUsize);

    #[async_trait]
    impl Resolve for Counting {
        async fn resolve(&self, host: &str) -> Result<Addresses, ResolveError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            match host {
                "absent.test" => Err(ResolveError::NoSuchName),
                "broken.test" => Err(ResolveError::Failed("no answer".into())),
                "fleeting.test" => {
                    Ok(Addresses { addresses: vec!["192.0.2.1".parse().unwrap()], life: Duration::ZERO })
                }
                _ => Ok(Addresses { addresses: vec!["192.0.2.1".parse().unwrap()], life: Duration::from_secs(1000) }),
            }
        }
    }

    fn names(limits: NameLimits) -> (Arc<Counting>, Names) {
        let resolver = Arc::new(Counting::default());
        (resolver.clone(), Names::new(resolver, limits))
    }

    #[tokio::test(start_paused = true)]
    async fn answers_are_remembered_for_their_life() {
        for (host, seconds, asked) in [
            ("good.test", 999, 1),
            ("good.test", 1001, 2),
            ("fleeting.test", 29, 1),
            ("fleeting.test", 31, 2),
            ("absent.test", 299, 1),
            ("absent.test", 301, 2),
            ("broken.test", 4, 1),
            ("broken.test", 6, 2),
        ] {
            let (resolver, names) = names(NameLimits::default());
            let _ = names.find(host).await;
            tokio::time::advance(Duration::from_secs(seconds)).await;
            let _ = names.find(host).await;
            assert_eq!(resolver.0.load(Ordering::SeqCst), asked, "{host} after {seconds} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_who_ask_for_one_name_ask_once() {
        let (resolver, names) = names(NameLimits::default());
        let (a, b, c) = tokio::join!(names.find("good.test"), names.find("good.test"), names.find("good.test"));
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
        assert_eq!(resolver.0.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_names_are_kept_than_allowed() {
        let (resolver, names) = names(NameLimits { names: 10, ..NameLimits::default() });
        for i in 0..100 {
            let _ = names.find(&format!("host{i}.test")).await;
        }
        assert_eq!(names.cache.lock().unwrap().len(), 10);
        let _ = names.find("host0.test").await;
        assert_eq!(resolver.0.load(Ordering::SeqCst), 101);
    }
}
