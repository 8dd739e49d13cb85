//! Points of equally many dimensions.

/// Points, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    dimensions: usize,
    values: Vec<f32>,
}

impl Points {
    /// None yet, of so many dimensions: one at least.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions: dimensions.max(1), values: Vec::new() }
    }

    /// These points. The first says how many dimensions there are.
    pub fn of<P: AsRef<[f32]>>(all: impl IntoIterator<Item = P>) -> Self {
        let mut points: Option<Self> = None;
        for point in all {
            let point = point.as_ref();
            points.get_or_insert_with(|| Self::new(point.len())).push(point);
        }
        points.unwrap_or_else(|| Self::new(1))
    }

    /// One more. What it has too many of is left out, what it lacks or is no number is 0.
    pub fn push(&mut self, point: &[f32]) {
        let values = point.iter().copied().chain(std::iter::repeat(0.0)).take(self.dimensions);
        self.values.extend(values.map(|value| if value.is_finite() { value } else { 0.0 }));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimensions.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Values of each.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// One of them; nothing but zeros where there is none.
    pub fn get(&self, nth: usize) -> &[f32] {
        let from = nth.saturating_mul(self.dimensions);
        self.values.get(from..from.saturating_add(self.dimensions)).unwrap_or_default()
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimensions.max(1))
    }

    /// At most so many of them, taken evenly, and their places.
    pub fn some(&self, most: usize) -> (Self, Vec<usize>) {
        let step = self.len().div_ceil(most.max(1)).max(1);
        let places: Vec<usize> = (0..self.len()).step_by(step).collect();
        let mut some = Self::new(self.dimensions);
        places.iter().for_each(|place| some.push(self.get(*place)));
        (some, places)
    }

    /// The nearest of these to a point, and the square of how far it is; nothing when there is none.
    pub fn nearest(&self, point: &[f32]) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for (place, centre) in self.iter().enumerate() {
            let apart = square(point, centre);
            if best.is_none_or(|(_, least)| apart < least) {
                best = Some((place, apart));
            }
        }
        best
    }
}

/// The square of the distance of two points.
pub(crate) fn square(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums at a time: a processor adds them at once.
    let (mut sums, (a8, a_rest), (b8, b_rest)) = ([0.0f32; 8], a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a8.iter().zip(b8) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += (a - b) * (a - b);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f32>() + rest
}
