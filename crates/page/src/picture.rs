//! Which of its addresses an `<img>` really shows.
//!
//! A picture may be named several times on one element: small in `src`, larger in `srcset`, real in
//! `data-src` with a placeholder in `src`. They are one picture, and the best address stands for it.

use crate::dom::Element;
use crate::media::MediaOrigin;
use crate::names::Key;
use crate::srcset::{self, Size};

/// The best address so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'d> {
    pub(crate) url: &'d str,
    pub(crate) origin: MediaOrigin,
    /// The width its descriptor says.
    pub(crate) width: Option<u32>,
    rank: Rank,
}

/// How sure it is that an address is the picture in full.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Rank {
    Placeholder,
    /// In a `<source>` that differs from the `<img>` only in format.
    Format,
    Plain,
    /// In a `<source>` that browsers show instead of the `<img>`.
    Source,
    Lazy(usize),
    Sized(Size),
}

/// Keeps the better of two; the first of equal ones.
pub(crate) fn better<'d>(a: Option<Choice<'d>>, b: Option<Choice<'d>>) -> Option<Choice<'d>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.rank > a.rank { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// What an `<img>` shows.
pub(crate) fn of_img(img: Element<'_>) -> Option<Choice<'_>> {
    let mut best = None;
    for (name, value) in img.attributes() {
        let value = value.trim();
        let choice = if name == Key::Src {
            let rank = if is_placeholder(img, value) { Rank::Placeholder } else { Rank::Plain };
            plain(value, MediaOrigin::Img, rank)
        } else if name == Key::Srcset {
            of_set(value, MediaOrigin::SrcSet, Rank::Plain)
        } else if let Some(rank) = name.lazy() {
            plain(value, MediaOrigin::Lazy, Rank::Lazy(rank)).filter(|c| looks_like_an_address(c.url))
        } else if name.is_lazy_set() {
            of_set(value, MediaOrigin::Lazy, Rank::Lazy(0))
        } else {
            None
        };
        best = better(best, choice);
    }
    best
}

/// What a `<source>` of a `<picture>` shows.
pub(crate) fn of_source(source: Element<'_>) -> Option<Choice<'_>> {
    let kind = source.attribute(Key::Type);
    let rank = |srcset: &str| if is_repacked(kind, srcset) { Rank::Format } else { Rank::Source };
    let mut best = None;
    for (name, value) in source.attributes() {
        if name == Key::Srcset || name.is_lazy_set() {
            best = better(best, of_set(value, MediaOrigin::Picture, rank(value)));
        }
    }
    let mut choice = best?;
    // A source for wide screens without sizes of its own is at least that wide.
    if matches!(choice.rank, Rank::Format | Rank::Source)
        && let Some(width) = source.attribute(Key::Media).and_then(min_width)
    {
        choice.rank = Rank::Sized(Size::Width(width));
    }
    Some(choice)
}

/// Whether a source is the same picture in a format that loses its metadata on the way.
fn is_repacked(kind: Option<&str>, srcset: &str) -> bool {
    let repacked = |text: &str| ["webp", "avif", "jxl"].iter().any(|format| text.to_ascii_lowercase().contains(format));
    match kind {
        Some(kind) => repacked(kind),
        None => srcset.split_ascii_whitespace().any(|word| {
            let path = word.split(['?', '#']).next().unwrap_or(word);
            path.trim_end_matches(',').rsplit('.').next().is_some_and(|ending| ending.len() <= 5 && repacked(ending))
        }),
    }
}

/// The background a script will set, when this attribute names one.
pub(crate) fn lazy_background(name: Key, value: &str) -> Option<&str> {
    let value = value.trim();
    (name.is_lazy_background() && looks_like_an_address(value)).then(|| real(value)).flatten()
}

/// Width and height attributes, 0 for one that is missing.
pub(crate) fn declared_size(element: Element<'_>) -> Option<(u32, u32)> {
    let pixels = |name: Key| {
        let value = element.attribute(name)?.trim();
        let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let unit = value[digits..].trim();
        (unit.is_empty() || unit == "px" || unit.starts_with('.')).then(|| value[..digits].parse().ok()).flatten()
    };
    match (pixels(Key::Width), pixels(Key::Height)) {
        (None, None) => None,
        (width, height) => Some((width.unwrap_or(0), height.unwrap_or(0))),
    }
}

fn plain<'d>(value: &'d str, origin: MediaOrigin, rank: Rank) -> Option<Choice<'d>> {
    real(value).map(|url| Choice { url, origin, width: None, rank })
}

fn of_set<'d>(value: &'d str, origin: MediaOrigin, unsized_rank: Rank) -> Option<Choice<'d>> {
    let largest = srcset::largest(value)?;
    let url = real(largest.url)?;
    Some(match largest.size {
        Size::Width(width) => Choice { url, origin, width: Some(width), rank: Rank::Sized(largest.size) },
        Size::Density(density) if density > 1.0 => Choice { url, origin, width: None, rank: Rank::Sized(largest.size) },
        Size::Density(_) => Choice { url, origin, width: None, rank: unsized_rank },
    })
}

/// An address of a file: neither the picture itself nor a command.
fn real(value: &str) -> Option<&str> {
    let scheme = |name: &str| value.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let unreal = value.is_empty()
        || value.starts_with('#')
        || ["data:", "about:", "javascript:", "blob:"].into_iter().any(scheme);
    (!unreal).then_some(value)
}

/// `data-image` and the like may hold a number or a name instead.
fn looks_like_an_address(value: &str) -> bool {
    (value.contains('/') || value.contains('.')) && !value.contains(['{', '<', ' '])
}

fn is_placeholder(img: Element<'_>, src: &str) -> bool {
    if matches!(declared_size(img), Some((0..=1, 0..=1))) {
        return true;
    }
    let name = src.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    matches!(
        stem.as_str(),
        "blank"
            | "spacer"
            | "pixel"
            | "placeholder"
            | "transparent"
            | "1x1"
            | "clear"
            | "lazy"
            | "loading"
            | "loader"
            | "grey"
            | "empty"
            | "trans"
    )
}

/// The N of `(min-width: Npx)`.
fn min_width(media: &str) -> Option<u32> {
    let (_, after) = media.split_once("min-width")?;
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let width: u32 = after[..digits].parse().ok()?;
    // An em is 16 pixels in media queries.
    Some(if after[digits..].trim_start_matches(['.', '0', '5']).starts_with("em") {
        width.saturating_mul(16)
    } else {
        width
    })
}
