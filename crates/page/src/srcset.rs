//! `srcset`: one picture in several sizes.

/// One size of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate<'a> {
    pub(crate) url: &'a str,
    pub(crate) size: Size,
}

/// What a candidate says of its size. Widths say more than densities.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Size {
    /// `2x`; 1 when nothing is said.
    Density(f32),
    /// `800w`.
    Width(u32),
}

/// The largest candidate; the first of equal ones. `data:` placeholders do not count.
pub(crate) fn largest(srcset: &str) -> Option<Candidate<'_>> {
    let real = candidates(srcset).filter(|c| !c.url.starts_with("data:"));
    real.reduce(|best, next| if next.size > best.size { next } else { best })
}

/// Splits as the HTML standard does: a comma inside an address is part of it, one at its end is not.
fn candidates(srcset: &str) -> impl Iterator<Item = Candidate<'_>> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (word, after) = rest.split_at(rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len()));
        let url = word.trim_end_matches(',');
        let (descriptors, after) =
            if url.len() < word.len() { ("", after) } else { after.split_at(after.find(',').unwrap_or(after.len())) };
        rest = after;
        Some(Candidate { url, size: size(descriptors) })
    })
}

fn size(descriptors: &str) -> Size {
    let mut size = Size::Density(1.0);
    for descriptor in descriptors.split_ascii_whitespace() {
        if let Some(width) = descriptor.strip_suffix('w').and_then(|w| w.parse().ok()) {
            size = Size::Width(width);
        } else if let Some(density) = descriptor.strip_suffix('x').and_then(|x| x.parse().ok()) {
            size = Size::Density(density);
        }
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_candidate_wins() {
        for (srcset, url) in [
            ("a.jpg", Some("a.jpg")),
            ("a.jpg 1x, b.jpg 2x, c.jpg 1.5x", Some("b.jpg")),
            ("a.jpg 320w, b.jpg 1280w,c.jpg 640w", Some("b.jpg")),
            ("a.jpg 320w, b.jpg 2x", Some("a.jpg")),
            ("a.jpg, b.jpg 2x", Some("b.jpg")),
            ("/w_300,h_200/a.jpg 300w, /w_900,h_600/a.jpg 900w", Some("/w_900,h_600/a.jpg")),
            ("data:image/gif;base64,R0lGOD 2000w, a.jpg 100w", Some("a.jpg")),
            ("data:image/gif;base64,R0lGOD", None),
            ("  , ,", None),
            ("", None),
            ("a.jpg 100w 50h,\n\tb.jpg  200w", Some("b.jpg")),
            ("a.jpg nonsense, b.jpg NaNx", Some("a.jpg")),
        ] {
            assert_eq!(largest(srcset).map(|c| c.url), url, "{srcset:?}");
        }
    }
}
