//! Chance without state: every decision is a hash of the web's number and what is being decided.

/// A stream of numbers that depends on nothing but what it was made from.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Dice {
    /// The dice thrown for one decision: `what` names it, `about` says for which thing.
    pub fn new<const N: usize>(number: u64, what: &str, about: [u64; N]) -> Self {
        let mut state = mix(number ^ 0x9e37_79b9_7f4a_7c15);
        for byte in what.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        for part in about {
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ part);
        }
        Self(mix(state))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `limit`; 0 when `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// A number from `low` up to and with `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of a list that is never empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    /// An index, as likely as its weight; 0 when all weights are 0.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut rest = self.unit() * weights.iter().sum::<f64>();
        for (i, weight) in weights.iter().enumerate() {
            rest -= weight;
            if rest < 0.0 {
                return i;
            }
        }
        0
    }

    /// The bell curve around 0 with deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Log-normal with the given median; the mean is `median · exp(sigma² / 2)`.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * (sigma * self.normal()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn the_same_question_has_the_same_answer_and_others_differ() {
        let throw = |number, what, about| Dice::new(number, what, [about]).next();
        assert_eq!(throw(1, "size", 7), throw(1, "size", 7));
        assert_ne!(throw(1, "size", 7), throw(2, "size", 7));
        assert_ne!(throw(1, "size", 7), throw(1, "sizes", 7));
        assert_ne!(throw(1, "size", 7), throw(1, "size", 8));
    }

    #[test]
    fn log_normal_has_the_median_and_mean_it_promises() {
        let mut dice = Dice::new(1, "test", [0]);
        let mut sizes: Vec<f64> = (0..20_000).map(|_| dice.log_normal(150.0, 1.302)).collect();
        sizes.sort_by(f64::total_cmp);
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        assert!((140.0..160.0).contains(&sizes[10_000]), "{}", sizes[10_000]);
        assert!((310.0..400.0).contains(&mean), "{mean}");
    }
}
