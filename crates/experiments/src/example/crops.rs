//! Parts of photos that keep 70 % of their area, and whether the whole is found.

use decode::Picture;
use media::{Look, picture_part};
use serde_json::json;
use tokio::sync::watch;

use super::Part;
use crate::{Bar, Table, Wanted, pictures};

/// Where the part is: shares of what is cut off that are cut off left and above, and how many times as
/// much of the width as of the height is kept.
const CUTS: [(&str, f64, f64, f64); 4] = [
    ("the middle", 0.5, 0.5, 1.0),
    ("the upper left", 0.0, 0.0, 1.0),
    ("right of the middle", 0.9, 0.4, 1.0),
    ("all of the width", 0.0, 0.7, 1.0 / 0.7),
];
const AREA: f64 = 0.7;
/// Photos that are cut, evenly taken.
const PHOTOS: usize = 100;

/// What was found.
struct Crops {
    asked: usize,
    first: usize,
    within_10: usize,
    by_cut: Vec<(&'static str, usize, usize, usize)>,
}

/// Cuts photos, and looks for each part among all as `whole` does.
pub(super) fn measured(looks: &[Look], photos: &[Picture], progress: &watch::Sender<String>) -> Part {
    let mut crops = Crops { asked: 0, first: 0, within_10: 0, by_cut: Vec::new() };
    let step = photos.len().div_ceil(PHOTOS).max(1);
    for (name, left, above, wider) in CUTS {
        progress.send_replace(format!("crops: {name}"));
        let mut row = (name, 0, 0, 0);
        for (source, photo) in photos.iter().enumerate().step_by(step) {
            let Some(part) = cut(photo, left, above, wider) else { continue };
            let Some(part) = Look::of(&pictures::pixels(&part)) else { continue };
            let alike = |look: &Look| picture_part(&part, look).map_or(-1.0, |found| found.alike);
            let own = looks.get(source).map_or(-1.0, alike);
            let before =
                looks.iter().enumerate().filter(|(place, look)| *place != source && alike(look) >= own).count();
            row.1 += 1;
            row.2 += usize::from(own > 0.0 && before == 0);
            row.3 += usize::from(own > 0.0 && before < 10);
        }
        crops.asked += row.1;
        crops.first += row.2;
        crops.within_10 += row.3;
        crops.by_cut.push(row);
    }
    Part {
        name: "crops",
        table: crops.table(),
        bars: vec![Bar {
            what: "crops of 70 % of the area that find their source within ten",
            wanted: Wanted::AtLeast(0.8),
            got: (crops.asked > 0).then(|| crops.within_10 as f64 / crops.asked as f64),
        }],
        notes: Vec::new(),
        figures: json!({ "asked": crops.asked, "first": crops.first, "within_10": crops.within_10 }),
    }
}

impl Crops {
    fn table(&self) -> Table {
        let row = |(name, asked, first, within): &(&str, usize, usize, usize)| {
            let share = |found: usize| format!("{:.3}", found as f64 / (*asked).max(1) as f64);
            vec![(*name).to_owned(), asked.to_string(), share(*first), share(*within)]
        };
        Table {
            headings: vec!["crop that keeps 70 %", "asked", "source first", "within ten"],
            rows: self.by_cut.iter().map(row).collect(),
        }
    }
}

fn cut(photo: &Picture, left: f64, above: f64, wider: f64) -> Option<Picture> {
    let wide = (AREA * wider).sqrt().min(1.0);
    let side = |of: u32, share: f64| ((f64::from(of) * share).round() as u32).clamp(1, of);
    let (width, height) = (side(photo.width, wide), side(photo.height, AREA / wide));
    let from = |of: u32, kept: u32, share: f64| (f64::from(of - kept) * share) as usize;
    let (x, y) = (from(photo.width, width, left), from(photo.height, height, above));
    let mut rgb = Vec::with_capacity(3 * width as usize * height as usize);
    for row in y..y + height as usize {
        let start = 3 * (row * photo.width as usize + x);
        rgb.extend(photo.rgb.get(start..start + 3 * width as usize)?);
    }
    Some(Picture { width, height, rgb, exact: true })
}
