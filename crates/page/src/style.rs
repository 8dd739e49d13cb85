//! Inline styles: what hides an element, and pictures behind it.

/// Most addresses of one style.
const URLS: usize = 16;

/// Whether an inline style takes the element off the page.
pub(crate) fn hides(style: &str) -> bool {
    declarations(style).any(|(name, value)| {
        (name.eq_ignore_ascii_case("display") && starts_with(value, "none"))
            || (name.eq_ignore_ascii_case("visibility") && starts_with(value, "hidden"))
    })
}

/// Addresses of background images.
pub(crate) fn backgrounds(style: &str) -> impl Iterator<Item = &str> {
    declarations(style)
        .filter(|(name, _)| {
            name.eq_ignore_ascii_case("background")
                || name.eq_ignore_ascii_case("background-image")
                || name.starts_with("--")
        })
        .flat_map(|(_, value)| urls(value))
        .take(URLS)
}

/// Splits at semicolons outside quotes and brackets, since addresses have some.
fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let (mut quote, mut brackets) = (None, 0u32);
    style
        .split(move |c: char| {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '(') => brackets += 1,
                (None, ')') => brackets = brackets.saturating_sub(1),
                (None, ';') => return brackets == 0,
                _ => {}
            }
            false
        })
        .filter_map(|declaration| declaration.split_once(':'))
        .map(|(name, value)| (name.trim(), value.trim()))
}

fn urls(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = after_url(rest)?.trim_start();
        let end = match rest.chars().next()? {
            quote @ ('"' | '\'') => {
                rest = &rest[1..];
                rest.find(quote)
            }
            _ => rest.find(')'),
        };
        let (url, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(url.trim())
    })
    .filter(|url| !url.is_empty() && !starts_with(url, "data:") && !url.starts_with('#'))
}

/// What comes after the next `url(`, in small letters or large.
fn after_url(value: &str) -> Option<&str> {
    let named =
        |at: &usize| at.checked_sub(3).is_some_and(|start| value.as_bytes()[start..*at].eq_ignore_ascii_case(b"url"));
    let open = memchr::memchr_iter(b'(', value.as_bytes()).find(named)?;
    Some(&value[open + 1..])
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_is_what_the_style_says() {
        for (style, hidden) in [
            ("display:none", true),
            ("color:red; DISPLAY : None !important", true),
            ("visibility: hidden", true),
            ("display:block", false),
            ("background:url('display:none')", false),
            ("", false),
        ] {
            assert_eq!(hides(style), hidden, "{style}");
        }
    }

    #[test]
    fn backgrounds_are_found_in_all_spellings() {
        for (style, expected) in [
            ("background-image:url(a.jpg)", vec!["a.jpg"]),
            ("background: #fff url( 'b;c.jpg' ) no-repeat", vec!["b;c.jpg"]),
            ("background-image: url(\"x.png\"), url(y.png)", vec!["x.png", "y.png"]),
            ("--hero: url(/h.webp)", vec!["/h.webp"]),
            ("background:url(data:image/png;base64,AA)", vec![]),
            ("list-style: url(dot.gif)", vec![]),
            ("background:url(", vec![]),
            ("background:url('open", vec!["open"]),
            ("background:Url(a) , URL(b), curl(c) hurl (d) (e)", vec!["a", "b", "c"]),
            ("background:(", vec![]),
        ] {
            assert_eq!(backgrounds(style).collect::<Vec<_>>(), expected, "{style}");
        }
    }
    #[test]
    fn megabytes_of_addresses_in_one_style_are_not_all_read() {
        for piece in ["URL(a)", "url(data:)", "url(#)", "url()", "uRL(a", "((", "URL(''"] {
            let style = format!("--x:{}", piece.repeat(500_000));
            assert!(backgrounds(&style).count() <= URLS, "{piece}");
        }
    }
}
