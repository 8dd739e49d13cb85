//! Small made pictures, and what must be said of them.

use proptest::prelude::*;

use super::colour::COLOURS;
use super::*;

/// A made picture.
struct Made {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

fn made(width: usize, height: usize, pixel: impl Fn(usize, usize) -> [u8; 3]) -> Made {
    Made { width, height, rgb: (0..width * height).flat_map(|i| pixel(i % width, i / width)).collect() }
}

impl Made {
    fn look(&self) -> Look {
        let pixels = Pixels { width: self.width as u32, height: self.height as u32, rgb: &self.rgb };
        Look::of(&pixels).unwrap()
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let from = 3 * (y * self.width + x);
        [self.rgb[from], self.rgb[from + 1], self.rgb[from + 2]]
    }
}

/// Discs of many sizes and colours: something to see, and no two numbers the same.
fn scene(number: u32, width: usize, height: usize) -> Made {
    let mut state = number.wrapping_mul(2_654_435_761).wrapping_add(12_345);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let discs: Vec<[f32; 6]> = (0..40)
        .map(|_| [next(), next(), 0.03 + 0.2 * next(), 255.0 * next(), 255.0 * next(), 255.0 * next()])
        .collect();
    made(width, height, |x, y| {
        let (x, y) = (x as f32 / width as f32, y as f32 / height as f32);
        let on = discs.iter().rev().find(|[cx, cy, r, ..]| (x - cx).powi(2) + (y - cy).powi(2) < r * r);
        on.map_or([90, 120, (200.0 * y) as u8], |[_, _, _, r, g, b]| [*r as u8, *g as u8, *b as u8])
    })
}

#[test]
fn one_colour_fills_its_bins_and_no_others() {
    let red = made(64, 48, |_, _| [255, 0, 0]).look();
    let filled = |values: &[f32]| -> Vec<usize> { (0..values.len()).filter(|i| values[*i] != 0.0).collect() };
    // Plain red, without edges and without texture.
    assert_eq!(filled(&Descriptor::Cedd.vector(&red)), [4]);
    assert_eq!(filled(&Descriptor::Fcth.vector(&red)), [4]);
    assert_eq!(Descriptor::Jcd.vector(&red)[4], 7.0);
    assert!(Descriptor::Ehd.vector(&red).iter().all(|level| *level == 0.0));
    // Red, saturated, bright: one of the 256 colours.
    assert_eq!((0..256).filter(|i| red.scd[*i] != 0).collect::<Vec<_>>(), [3 << 6 | 3 << 4]);
    // No frequency but the mean.
    assert_eq!(filled(&Descriptor::Cld.vector(&red)), [0, cld::BRIGHT, cld::BRIGHT + cld::COLOURED]);
}

#[test]
fn stripes_are_edges_of_their_direction() {
    let shade = |light: bool| if light { [230; 3] } else { [20; 3] };
    // Edges fall into the middle of squares.
    for (kind, picture) in [
        (0, made(160, 160, |x, _| shade((x + 2) / 4 % 2 == 0))),
        (1, made(160, 160, |_, y| shade((y + 2) / 4 % 2 == 0))),
    ] {
        let edges = Descriptor::Ehd.vector(&picture.look());
        for part in edges.chunks_exact(5) {
            assert_eq!(part[kind], 7.0, "{part:?}");
            assert!(part.iter().enumerate().all(|(i, level)| i == kind || *level == 0.0), "{part:?}");
        }
    }
    // CEDD: horizontal edges are its third texture, vertical ones its fourth.
    for (texture, picture) in [
        (2, made(160, 160, |_, y| shade((y + 2) / 4 % 2 == 0))),
        (3, made(160, 160, |x, _| shade((x + 2) / 4 % 2 == 0))),
    ] {
        let cedd = Descriptor::Cedd.vector(&picture.look());
        let sums: Vec<f32> = cedd.chunks_exact(COLOURS).map(|colours| colours.iter().sum()).collect();
        assert!(sums.iter().enumerate().all(|(i, sum)| (*sum > 0.0) == (i == texture)), "{sums:?}");
    }
}

#[test]
fn turned_and_mirrored_pictures_are_asked_for_with_the_same_hashes() {
    let picture = scene(1, 240, 160);
    let stored = picture.look();
    let (width, height) = (picture.width, picture.height);
    for (turn, held) in [
        (Turn::new(false, true, false), made(width, height, |x, y| picture.at(width - 1 - x, y))),
        (Turn::new(false, true, true), made(width, height, |x, y| picture.at(width - 1 - x, height - 1 - y))),
        // Turned to the right, so that it has to be turned to the left.
        (Turn::numbered(6), made(height, width, |x, y| picture.at(y, height - 1 - x))),
    ] {
        let copy = held.look();
        let nearest = copy.asked().iter().flat_map(|a| stored.hashes().iter().map(|b| a.distance(b))).min();
        assert!(nearest.unwrap() <= 2, "{turn}: {nearest:?}");
        let found = near_copy(&stored, &copy).unwrap();
        assert_eq!((found.turn, found.extent), (turn, Extent::Same), "{found}");
    }
}

#[test]
fn copies_are_told_from_other_pictures() {
    let pictures: Vec<Made> = (0..12).map(|number| scene(number, 300, 200)).collect();
    let looks: Vec<Look> = pictures.iter().map(Made::look).collect();
    for (number, (picture, look)) in pictures.iter().zip(&looks).enumerate() {
        let (width, height) = (picture.width, picture.height);
        let bar = |x: usize, y: usize| if y % 12 == 6 && x % 3 == 1 { [255; 3] } else { [0; 3] };
        let grey = |[r, g, b]: [u8; 3]| [((3 * u32::from(r) + 6 * u32::from(g) + u32::from(b)) / 10) as u8; 3];
        let copies = [
            (Extent::Part, made(width - 30, height - 20, |x, y| picture.at(x + 15, y + 10))),
            (Extent::Covered, made(width, height, |x, y| if y < 176 { picture.at(x, y) } else { bar(x, y) })),
            (Extent::More, made(width, height + 30, |x, y| if y < height { picture.at(x, y) } else { bar(x, y) })),
            (Extent::Same, made(width / 2, height / 2, |x, y| picture.at(2 * x, 2 * y))),
            (Extent::Same, made(width, height, |x, y| grey(picture.at(x, y)))),
        ];
        for (extent, copy) in copies {
            let copy = copy.look();
            let found = near_copy(look, &copy);
            // What a bar leaves is a part as well.
            let told = found.map(|found| found.extent);
            let fits = told == Some(extent) || (extent, told) == (Extent::Covered, Some(Extent::Part));
            assert!(fits, "{number}: {extent:?}, {found:?}");
            let others = looks.iter().enumerate().filter(|(other, _)| *other != number);
            assert!(others.clone().all(|(_, other)| near_copy(other, &copy).is_none()));
        }
    }
}

#[test]
fn flat_pictures_are_copies_of_nothing() {
    let grey = made(120, 80, |_, _| [128; 3]).look();
    let noisy = made(120, 80, |x, y| [127 + ((x * 7 + y * 13) % 3) as u8; 3]).look();
    for look in [&grey, &noisy] {
        assert!(look.quality() < PictureHash::LEAST_QUALITY && look.hashes().is_empty() && look.asked().is_empty());
        assert_eq!(near_copy(look, look), None);
    }
}

#[test]
fn ranks_are_spread_over_the_answer() {
    let [a, b, c] = [scene(1, 90, 60).look(), scene(2, 90, 60).look(), scene(3, 90, 60).look()];
    for mix in [Mix::Balanced, Mix::Equal, Mix::Dynamic] {
        let ranks = mix.ranks(&a, [&a, &b, &c]);
        assert_eq!(ranks[0], 0.0);
        assert_eq!(ranks.iter().copied().fold(0.0, f32::max), 1.0);
        assert_eq!(mix.ranks(&a, [&b, &b]), [0.0, 0.0]);
        assert_eq!(mix.ranks(&a, [&a]), [0.0]);
        assert!(mix.ranks(&a, []).is_empty());
    }
    // Σ weight·D with weight = D/T.
    assert!((Mix::Dynamic.mixed([0.2, 0.4, 0.4]) - (0.04 + 0.16 + 0.16)).abs() < 1e-6);
    assert_eq!(Mix::Dynamic.mixed([0.0; 3]), 0.0);
}

#[test]
fn a_look_is_read_as_it_was_written() {
    let look = scene(7, 130, 170).look();
    let framed = made(130, 170, |x, y| if y < 20 { [0; 3] } else { [(x * y) as u8; 3] }).look();
    assert_eq!(Look::from_bytes(&framed.to_bytes()), Some(framed));
    let bytes = look.to_bytes();
    assert_eq!(Look::from_bytes(&bytes), Some(look));
    for length in 0..bytes.len() {
        assert_eq!(Look::from_bytes(&bytes[..length]), None);
    }
    assert_eq!(Look::from_bytes(&[bytes.clone(), vec![0]].concat()), None);
    let mut other = bytes;
    other[0] ^= 1;
    assert_eq!(Look::from_bytes(&other), None, "another version");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_picture_has_a_look(width in 1usize..90, height in 1usize..90, seed in any::<u32>(), flat in any::<bool>()) {
        let noise = |x: usize, y: usize| {
            let mixed = (x as u32 ^ (y as u32).rotate_left(16) ^ seed).wrapping_mul(2_654_435_761);
            [mixed >> 24, mixed >> 16 & 255, mixed >> 8 & 255].map(|value| if flat { 200 } else { value as u8 })
        };
        let look = made(width, height, noise).look();
        let other = scene(seed, height, width).look();
        prop_assert_eq!(Look::from_bytes(&look.to_bytes()), Some(look.clone()));
        for descriptor in Descriptor::ALL {
            prop_assert_eq!(descriptor.distance(&look, &look), 0.0);
            let (there, back) = (descriptor.distance(&look, &other), descriptor.distance(&other, &look));
            prop_assert!((there - back).abs() < 1e-5 && (0.0..=1.0).contains(&there));
        }
        prop_assert_eq!(similarity(&look, &look), 100.0);
        prop_assert_eq!(similarity(&look, &other), similarity(&other, &look));
        prop_assert!(look.hashes().len() <= 5 && look.asked().len() <= 40);
        let _ = near_copy(&look, &other);
    }

    #[test]
    fn any_bytes_are_a_look_or_none(mut bytes in proptest::collection::vec(any::<u8>(), 745)) {
        bytes[..2].copy_from_slice(&Look::VERSION.to_le_bytes());
        if let Some(look) = Look::from_bytes(&bytes) {
            let _ = (near_copy(&look, &look), look.asked(), Mix::Dynamic.distance(&look, &look));
            prop_assert!(Look::from_bytes(&look.to_bytes()).is_some());
        }
    }
}

#[test]
fn points_are_near_where_looks_are() {
    let looks: Vec<Look> = (0..40).map(|number| scene(number / 2, 96 + 8 * (number as usize % 2), 72).look()).collect();
    let apart = |a: &Look, b: &Look| -> i32 {
        a.point().iter().zip(b.point()).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum()
    };
    for (place, look) in looks.iter().enumerate() {
        let others = || looks.iter().enumerate().filter(|(other, _)| *other != place);
        let nearest = others().min_by_key(|(_, other)| apart(look, other)).unwrap().0;
        assert_eq!(nearest, place ^ 1, "the same scene at another size");
        assert_eq!(apart(look, look), 0);
    }
}

#[test]
fn a_part_is_seen_where_it_was_cut_out() {
    let whole = scene(3, 200, 150);
    let (left, top, width, height) = (24, 9, 164, 128);
    let cut = made(width, height, |x, y| whole.at(left + x, top + y)).look();
    let found = picture_part(&cut, &whole.look()).expect("it is a part");
    let expected = [24.0 / 200.0, 9.0 / 150.0, 188.0 / 200.0, 137.0 / 150.0];
    for (side, expected) in found.sides.iter().zip(expected) {
        assert!((side - expected).abs() < 0.03, "{found:?}, not {expected}");
    }
    assert_eq!(picture_part(&cut, &scene(4, 200, 150).look()), None);
    let flat = made(40, 30, |_, _| [9, 9, 9]).look();
    assert_eq!(picture_part(&flat, &whole.look()), None, "nothing to see");
}
