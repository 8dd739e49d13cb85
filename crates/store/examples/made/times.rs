//! How long questions of a kind took.

use std::time::{Duration, Instant};

use crate::made::ms;

/// Those that are not counted: the first of a kind read what later ones find in memory.
pub const BEFORE: u64 = 10;

/// Times that whoever asks waits, one question after the other.
#[derive(Default)]
pub struct Times {
    asked: u64,
    took: Vec<Duration>,
    found: usize,
    most: u64,
}

impl Times {
    /// Asks, and notes how long that takes; `count` tells how much was found.
    pub async fn of<T, E>(
        &mut self,
        asked: impl Future<Output = Result<T, E>>,
        count: impl FnOnce(&T) -> u64,
    ) -> Result<T, E> {
        let before = Instant::now();
        let answer = asked.await?;
        let took = before.elapsed();
        self.asked += 1;
        if self.asked > BEFORE {
            let count = count(&answer);
            self.took.push(took);
            self.found += usize::from(count > 0);
            self.most = self.most.max(count);
        }
        Ok(answer)
    }

    pub fn report(mut self, name: &str) {
        self.took.sort_unstable();
        let Some(last) = self.took.len().checked_sub(1) else { return };
        let at = |share: f64| ms(self.took[(last as f64 * share) as usize]);
        println!(
            "{name:<46} {:>6.1} ms median, {:>6.1} ms p95, {:>6.1} ms worst; {} of {} find something, {} at most",
            at(0.5),
            at(0.95),
            at(1.0),
            self.found,
            self.took.len(),
            self.most
        );
    }
}
