//! Landscapes drawn by number: sky, sun or moon, clouds, hills, water, houses, trees.

use std::f32::consts::{PI, TAU};

use crate::dice::Dice;

/// Pixels, three bytes each.
pub(crate) struct Canvas {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

type Colour = [f32; 3];

/// Sky above, sky at the horizon, land, water: one line a mood.
const MOODS: [[Colour; 4]; 8] = [
    [[62.0, 124.0, 201.0], [186.0, 217.0, 240.0], [70.0, 120.0, 62.0], [52.0, 110.0, 150.0]],
    [[245.0, 150.0, 90.0], [255.0, 220.0, 160.0], [88.0, 66.0, 74.0], [196.0, 120.0, 96.0]],
    [[20.0, 26.0, 58.0], [60.0, 66.0, 110.0], [22.0, 32.0, 44.0], [26.0, 40.0, 70.0]],
    [[150.0, 165.0, 178.0], [214.0, 220.0, 222.0], [104.0, 116.0, 96.0], [120.0, 138.0, 146.0]],
    [[98.0, 170.0, 220.0], [240.0, 240.0, 220.0], [196.0, 170.0, 98.0], [70.0, 160.0, 170.0]],
    [[120.0, 90.0, 150.0], [250.0, 180.0, 170.0], [64.0, 58.0, 92.0], [150.0, 110.0, 150.0]],
    [[190.0, 208.0, 226.0], [240.0, 244.0, 250.0], [214.0, 222.0, 232.0], [150.0, 176.0, 200.0]],
    [[70.0, 150.0, 190.0], [200.0, 230.0, 220.0], [40.0, 98.0, 70.0], [38.0, 104.0, 110.0]],
];
const NIGHT: usize = 2;

fn blend(a: Colour, b: Colour, t: f32) -> Colour {
    let t = t.clamp(0.0, 1.0);
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}

/// Everything a landscape is made of, in pixels of the drawing.
struct View {
    night: bool,
    zenith: Colour,
    haze: Colour,
    land: Colour,
    water: Colour,
    light: Colour,
    width: f32,
    height: f32,
    horizon: f32,
    /// Where the water begins; below the picture when there is none.
    shore: f32,
    /// Across, down and radius.
    sun: [f32; 3],
    shine: f32,
    /// Two phases and a scale.
    clouds: [f32; 3],
    cloudy: f32,
    hills: Vec<Hill>,
}

struct Hill {
    high: f32,
    /// 1 at the horizon, less the nearer.
    far: f32,
    /// The top of each column.
    tops: Vec<f32>,
}

impl View {
    fn new(dice: &mut Dice, columns: usize, rows: usize) -> Self {
        let mood = dice.below(MOODS.len() as u64) as usize;
        let tint = [0; 3].map(|_: i32| unit(dice) * 36.0 - 18.0);
        let [zenith, haze, land, water] = MOODS[mood].map(|c| [c[0] + tint[0], c[1] + tint[1], c[2] + tint[2]]);
        let (width, height) = (columns as f32, rows as f32);
        let horizon = height * (0.42 + 0.25 * unit(dice));
        let night = mood == NIGHT;
        let sun = [width * unit(dice), horizon * (0.15 + 0.7 * unit(dice)), height * (0.03 + 0.05 * unit(dice))];
        let clouds = [unit(dice) * 9.0, unit(dice) * 9.0, 2.0 + 4.0 * unit(dice)];
        let cloudy = unit(dice);
        let hills =
            (0..dice.between(1, 3)).map(|i| Hill::new(dice, columns, horizon, height, 1.0 - i as f32 / 3.0)).collect();
        let lake = dice.chance(0.6);
        let beach = horizon + (height - horizon) * (0.1 + 0.2 * unit(dice));
        Self {
            night,
            zenith,
            haze,
            land,
            water,
            light: if night { [235.0, 235.0, 225.0] } else { [255.0, 244.0, 214.0] },
            width,
            height,
            horizon,
            shore: if lake { beach } else { height },
            sun,
            shine: 0.3 + 0.9 * unit(dice),
            clouds,
            cloudy,
            hills,
        }
    }

    /// The colour of a point; `sky` is that of its row.
    fn colour(&self, x: usize, y: usize, sky: Colour) -> Colour {
        let (fx, fy) = (x as f32, y as f32);
        if fy >= self.horizon {
            return if fy > self.shore { self.water_at(fx, fy) } else { self.ground_at(fx, fy) };
        }
        let hill = self.hills.iter().rev().find(|hill| fy >= hill.tops[x]);
        let Some(hill) = hill else { return self.sky_at(fx, fy, sky) };
        let shade = blend(self.land, self.haze, 0.65 * hill.far);
        blend(shade, [shade[0] * 0.7, shade[1] * 0.7, shade[2] * 0.75], (fy - hill.tops[x]) / (hill.high + 1.0))
    }

    fn sky_at(&self, x: f32, y: f32, sky: Colour) -> Colour {
        let [sun_x, sun_y, radius] = self.sun;
        let away = ((x - sun_x).powi(2) + (y - sun_y).powi(2)).sqrt() / radius;
        let glow = if away < 1.0 { 1.0 } else { (0.55 / (away * away)).min(0.6) };
        let [across, down, scale] = self.clouds;
        let (u, v) = (x / self.width * scale, y / self.height * scale * 3.0);
        let cloud = (u * 3.1 + across).sin() * (v * 2.3 + down + u).sin()
            + 0.5 * (u * 7.3 - v * 1.7).sin() * (v * 5.1 + u * 2.0).sin();
        let cover = ((cloud - 0.9 + self.cloudy) * 0.9).clamp(0.0, 0.75);
        blend(blend(sky, self.light, glow), blend(self.haze, self.light, 0.5), cover)
    }

    fn water_at(&self, x: f32, y: f32) -> Colour {
        let out = y - self.shore;
        let ripple = (out.powf(0.8) * 1.9 + (x * 0.05).sin() * 2.0).sin() * 0.5 + 0.5;
        let path = (1.0 - ((x - self.sun[0]) / (self.width * 0.12)).abs()).max(0.0) * self.shine;
        let deep = blend(self.haze, self.water, 0.35 + 0.65 * out / (self.height - self.shore).max(1.0));
        blend(deep, self.light, ripple * (0.12 + 0.5 * path))
    }

    fn ground_at(&self, x: f32, y: f32) -> Colour {
        let near = (y - self.horizon) / (self.height - self.horizon).max(1.0);
        let furrow = ((x * 0.11 + y * 0.7).sin() * (x * 0.037 - y * 0.21).sin()) * 0.09;
        let [r, g, b] = self.land;
        blend(self.land, [r * 0.55, g * 0.6, b * 0.5], near + furrow)
    }
}

impl Hill {
    fn new(dice: &mut Dice, columns: usize, horizon: f32, height: f32, far: f32) -> Self {
        let high = height * (0.04 + 0.16 * unit(dice)) * far;
        let (slow, phase, quick) = (1.0 + 3.0 * unit(dice), TAU * unit(dice), 5.0 + 9.0 * unit(dice));
        let top = |x: usize| {
            let t = x as f32 / columns as f32 * TAU;
            let wave = (t * slow + phase).sin() + 0.35 * (t * quick + phase * 2.0).sin();
            horizon - high * (0.6 + 0.4 * wave)
        };
        Self { high, far, tops: (0..columns).map(top).collect() }
    }
}

fn unit(dice: &mut Dice) -> f32 {
    dice.unit() as f32
}

/// Draws the scene of this number small; [`enlarged`] or the JPEG writer brings it to size.
pub(crate) fn draw(number: u64, width: usize, height: usize) -> Canvas {
    let mut dice = Dice::new(number, "scene", []);
    let view = View::new(&mut dice, width, height);
    let mut canvas = Canvas { width, height, rgb: vec![0; width * height * 3] };
    for y in 0..height {
        let sky = blend(view.zenith, view.haze, (y as f32 / view.horizon).powf(1.4));
        for x in 0..width {
            put(&mut canvas.rgb, width, x, y, view.colour(x, y, sky));
        }
    }
    if view.night {
        for _ in 0..width / 3 {
            let (x, y) = (dice.below(width as u64) as usize, dice.below((view.horizon * 0.6) as u64 + 1) as usize);
            put(&mut canvas.rgb, width, x, y.min(height - 1), [230.0, 232.0, 240.0]);
        }
    }
    if dice.chance(0.6) {
        houses(&mut canvas, &mut dice, view.horizon, view.night);
    }
    if dice.chance(0.55) {
        let ground = view.shore.min(view.height * 0.9);
        trees(&mut canvas, &mut dice, view.horizon, ground, view.land);
    }
    canvas
}

fn put(rgb: &mut [u8], width: usize, x: usize, y: usize, colour: Colour) {
    let at = (y * width + x) * 3;
    for (byte, value) in rgb[at..at + 3].iter_mut().zip(colour) {
        *byte = value.clamp(0.0, 255.0) as u8;
    }
}

fn fill(canvas: &mut Canvas, x: f32, y: f32, w: f32, h: f32, colour: Colour) {
    let clip = |v: f32, most: usize| v.max(0.0).min(most as f32) as usize;
    for py in clip(y, canvas.height)..clip(y + h, canvas.height) {
        for px in clip(x, canvas.width)..clip(x + w, canvas.width) {
            put(&mut canvas.rgb, canvas.width, px, py, colour);
        }
    }
}

fn houses(canvas: &mut Canvas, dice: &mut Dice, horizon: f32, night: bool) {
    let (w, h) = (canvas.width as f32, canvas.height as f32);
    let tall = dice.chance(0.3);
    let mut x = w * unit(dice) * 0.3;
    let end = w * (0.6 + 0.4 * unit(dice));
    while x < end {
        let wide = w * (0.03 + 0.06 * unit(dice));
        let high = h * if tall { 0.12 + 0.3 * unit(dice) } else { 0.06 + 0.12 * unit(dice) };
        let dim = if night { 0.35 } else { 1.0 };
        let wall =
            [(150.0 + 90.0 * unit(dice)) * dim, (110.0 + 90.0 * unit(dice)) * dim, (90.0 + 90.0 * unit(dice)) * dim];
        let foot = horizon + h * 0.03;
        fill(canvas, x, foot - high, wide, high, wall);
        if !tall {
            // A pitched roof, line by line.
            let roof = wide * 0.45;
            let mut up = 0.0;
            while up < roof {
                let inset = wide * 0.5 * up / roof;
                let tile = [150.0 * dim, 62.0 * dim, 48.0 * dim];
                fill(canvas, x - 1.0 + inset, foot - high - up, wide + 2.0 - 2.0 * inset, 1.0, tile);
                up += 1.0;
            }
        }
        let pane = (wide * 0.16).max(1.5);
        let lit = [250.0, 214.0, 120.0];
        let dark = [60.0 * dim, 70.0 * dim, 84.0 * dim];
        let mut wy = foot - high + pane;
        while wy + pane < foot - pane {
            for column in 0..3 {
                let colour = if dice.chance(if night { 0.6 } else { 0.1 }) { lit } else { dark };
                fill(canvas, x + wide * (0.14 + 0.28 * column as f32), wy, pane, pane * 1.3, colour);
            }
            wy += pane * 2.4;
        }
        x += wide + w * 0.05 * unit(dice) * unit(dice);
    }
}

fn trees(canvas: &mut Canvas, dice: &mut Dice, horizon: f32, ground: f32, land: Colour) {
    let (w, h) = (canvas.width as f32, canvas.height as f32);
    for _ in 0..dice.between(2, 9) {
        let (x, near) = (w * unit(dice), unit(dice));
        let foot = horizon + (ground - horizon) * near;
        let high = h * (0.06 + 0.16 * near);
        let leaf = [land[0] * 0.6, land[1] * (0.62 + 0.2 * near), land[2] * 0.6];
        let fir = dice.chance(0.5);
        fill(canvas, x - high * 0.03, foot - high * 0.4, high * 0.06, high * 0.4, [74.0, 56.0, 44.0]);
        let mut up = 0.0;
        while up < high * 0.8 {
            let t = up / (high * 0.8);
            let half = if fir { high * 0.24 * (1.0 - t) } else { high * 0.3 * (PI * (0.12 + 0.88 * t)).sin() };
            fill(canvas, x - half, foot - high * 0.25 - up, half * 2.0, 1.0, blend(leaf, land, t * 0.4));
            up += 1.0;
        }
    }
}

/// The drawing at its full size, with the grain of a camera.
pub(crate) fn enlarged(small: &Canvas, width: usize, height: usize, grain: u8, number: u64) -> Canvas {
    let columns = steps(small.width, width);
    let noise = grain_tile(number, grain);
    let mut rgb = Vec::with_capacity(width * height * 3);
    let mut row = vec![0i32; small.width * 3];
    for (y, (y0, y1, ty)) in steps(small.height, height).into_iter().enumerate() {
        let (top, bottom) = (&small.rgb[y0 * small.width * 3..], &small.rgb[y1 * small.width * 3..]);
        for (value, (a, b)) in row.iter_mut().zip(top.iter().zip(bottom)) {
            *value = i32::from(*a) * (256 - ty) + i32::from(*b) * ty;
        }
        let speckle = &noise[(y * 7919) % (TILE - 4096)..];
        for (x, (x0, x1, tx)) in columns.iter().enumerate() {
            let speck = i32::from(speckle[x & 4095]);
            for c in 0..3 {
                let value = (row[x0 * 3 + c] * (256 - tx) + row[x1 * 3 + c] * tx) >> 16;
                rgb.push((value + speck).clamp(0, 255) as u8);
            }
        }
    }
    Canvas { width, height, rgb }
}

/// For each pixel of the large row the two of the small one it lies between, and how far along.
fn steps(small: usize, large: usize) -> Vec<(usize, usize, i32)> {
    (0..large)
        .map(|i| {
            let at = (i * 256 * (small - 1)) / (large - 1).max(1);
            (at / 256, (at / 256 + 1).min(small - 1), (at % 256) as i32)
        })
        .collect()
}

const TILE: usize = 1 << 15;

fn grain_tile(number: u64, grain: u8) -> Vec<i8> {
    let mut dice = Dice::new(number, "grain", []);
    let mut tile = Vec::with_capacity(TILE);
    while tile.len() < TILE {
        for byte in dice.next().to_le_bytes() {
            tile.push(((i32::from(byte) - 128) * i32::from(grain) / 128) as i8);
        }
    }
    tile
}
