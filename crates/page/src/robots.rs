//! What a page asks of robots.

use facts::Directives;

/// Reads one `<meta name content>`; other names say nothing about robots.
pub(crate) fn from_meta(name: &str, content: &str) -> Directives {
    let mut wishes = Directives::default();
    match name {
        "robots" | "bowerbird" => {
            content.split([',', ';']).flat_map(str::split_whitespace).for_each(|directive| wishes.add(directive));
        }
        "tdm-reservation" => wishes.tdm_reservation = content.trim() == "1",
        _ => {}
    }
    wishes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_in_any_case_and_order() {
        let all = Directives {
            noindex: true,
            nofollow: true,
            noimageindex: true,
            noai: true,
            noimageai: true,
            tdm_reservation: false,
        };
        let none = Directives::default();
        for (text, expected) in [
            ("", none),
            ("index, follow, max-image-preview:large", none),
            ("NoIndex", Directives { noindex: true, ..none }),
            ("none", Directives { noindex: true, nofollow: true, ..none }),
            ("noai , noimageai", Directives { noai: true, noimageai: true, ..none }),
            ("noindex nofollow noimageindex noai noimageai", all),
            ("nofollowing", none),
        ] {
            assert_eq!(from_meta("robots", text), expected, "{text}");
        }
    }

    #[test]
    fn only_metas_for_everyone_or_for_us_count() {
        assert!(from_meta("bowerbird", "nofollow").nofollow);
        assert!(!from_meta("otherbot", "nofollow").nofollow);
        assert!(from_meta("tdm-reservation", "1").tdm_reservation);
        assert!(!from_meta("tdm-reservation", "0").tdm_reservation);
    }
}
