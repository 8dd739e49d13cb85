//! The 24 colours of CEDD and FCTH, and how much a colour is each of them.
//!
//! Two fuzzy systems (Chatzichristofis and Boutalis 2008): the first tells white, grey, black and
//! seven hues apart, the second light, plain and dark hues. Borders are soft: a colour near one is
//! partly either.

/// White, grey, black; then light, plain and dark red, orange, yellow, green, cyan, blue, magenta.
pub(super) const COLOURS: usize = 24;

/// How much each of the 24 colours. They add up to 1 away from all borders; near several at once,
/// where more rules hold in part, to more.
pub(super) type Shares = [f32; COLOURS];

/// A soft step from 0 to 1 between two values.
fn step(value: f32, from: f32, to: f32) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// Degrees between which one hue gives way to the next: red, orange, yellow, green, cyan, blue,
/// magenta and red again.
const BORDERS: [(f32, f32); 7] =
    [(5.0, 10.0), (35.0, 50.0), (70.0, 85.0), (150.0, 165.0), (195.0, 205.0), (265.0, 280.0), (315.0, 330.0)];

/// Hue in degrees, saturation and value to 255.
pub(super) fn hsv([red, green, blue]: [f32; 3]) -> [f32; 3] {
    let most = red.max(green).max(blue);
    let range = most - red.min(green).min(blue);
    if range <= 0.0 {
        return [0.0, 0.0, most];
    }
    let hue = if most == red {
        60.0 * (green - blue) / range
    } else if most == green {
        120.0 + 60.0 * (blue - red) / range
    } else {
        240.0 + 60.0 * (red - green) / range
    };
    [if hue < 0.0 { hue + 360.0 } else { hue }, 255.0 * range / most, most]
}

/// How much each of the 24 colours a colour is.
pub(super) fn shares(rgb: [f32; 3]) -> Shares {
    let [hue, saturation, value] = hsv(rgb);
    let mut shares = [0.0; COLOURS];
    let colourful = step(saturation, 10.0, 75.0);
    let (lit, bright) = (step(value, 10.0, 75.0), step(value, 180.0, 220.0));
    let (dim, grey_lit) = (1.0 - lit, lit.min(1.0 - bright));
    let pale = 1.0 - colourful;
    let passed = BORDERS.map(|(from, to)| step(hue, from, to));
    // What has passed the border before a hue, and not the one after it.
    let is = |hue: usize| {
        let before = hue.checked_sub(1).map_or(1.0, |i| passed[i]);
        let after = passed.get(hue).copied().unwrap_or(0.0);
        before.min(1.0 - after)
    };
    let hues: [f32; 8] = std::array::from_fn(is);
    // A rule holds as much as the least of its conditions; rules with one outcome add up.
    for share in hues.map(|share| share.min(pale)) {
        shares[0] += share.min(bright);
        shares[1] += share.min(grey_lit);
    }
    shares[2] = hues.iter().map(|share| share.min(pale).min(dim) + share.min(colourful).min(dim)).sum();
    let (strong, light) = (step(saturation, 68.0, 188.0), step(value, 68.0, 188.0));
    let shades =
        [(1.0 - strong).min(light), strong.min(light), strong.min(1.0 - light) + (1.0 - strong).min(1.0 - light)];
    for (place, share) in hues.into_iter().enumerate() {
        let share = share.min(colourful);
        let share = share.min(grey_lit) + share.min(bright);
        // The last is red again.
        let colour = place % 7;
        for (shade, part) in shades.into_iter().enumerate() {
            shares[3 + 3 * colour + shade] += share * part;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_colours_are_themselves() {
        for (rgb, colour) in [
            ([255.0, 255.0, 255.0], 0),
            ([128.0, 128.0, 128.0], 1),
            ([0.0, 0.0, 0.0], 2),
            ([255.0, 0.0, 0.0], 4),
            ([255.0, 0.0, 60.0], 4),
            ([255.0, 128.0, 0.0], 7),
            ([255.0, 255.0, 0.0], 10),
            ([0.0, 255.0, 0.0], 13),
            ([0.0, 255.0, 255.0], 16),
            ([0.0, 0.0, 255.0], 19),
            ([255.0, 0.0, 255.0], 22),
            ([255.0, 190.0, 190.0], 3),
            ([68.0, 0.0, 0.0], 5),
        ] {
            let shares = shares(rgb);
            let most = (0..COLOURS).max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap();
            assert_eq!(most, colour, "{rgb:?}: {shares:?}");
        }
    }

    #[test]
    fn every_colour_is_something() {
        for step in 0..4096u32 {
            let rgb = [step >> 8, step >> 4 & 15, step & 15].map(|value| value as f32 * 17.0);
            let all: f32 = shares(rgb).iter().sum();
            assert!((0.8..=4.0).contains(&all), "{rgb:?}: {all}");
        }
    }
}
