//! What a page asks of robots.

/// Wishes of a page, from `<meta name="robots">` and its kin. Several add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsMeta {
    /// Do not list the page.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
    /// Do not collect its images.
    pub noimageindex: bool,
    /// Do not learn from the page.
    pub noai: bool,
    /// Do not learn from its images.
    pub noimageai: bool,
    /// Rights of text and data mining are reserved (TDM Reservation Protocol).
    pub tdm_reservation: bool,
}

impl RobotsMeta {
    /// Both sets of wishes together.
    pub fn and(self, other: Self) -> Self {
        Self {
            noindex: self.noindex || other.noindex,
            nofollow: self.nofollow || other.nofollow,
            noimageindex: self.noimageindex || other.noimageindex,
            noai: self.noai || other.noai,
            noimageai: self.noimageai || other.noimageai,
            tdm_reservation: self.tdm_reservation || other.tdm_reservation,
        }
    }

    /// Reads one `<meta name content>`; other names say nothing about robots.
    pub(crate) fn from_meta(name: &str, content: &str) -> Self {
        match name {
            "robots" | "bowerbird" => parse_robots_directives(content),
            "tdm-reservation" => Self { tdm_reservation: content.trim() == "1", ..Self::default() },
            _ => Self::default(),
        }
    }
}

/// Reads a comma-separated list of directives, such as `noindex, nofollow`, in any case.
/// Unknown ones are passed over.
pub fn parse_robots_directives(text: &str) -> RobotsMeta {
    let mut wishes = RobotsMeta::default();
    for directive in text.split([',', ';']).flat_map(str::split_whitespace) {
        match directive.to_ascii_lowercase().as_str() {
            "none" => (wishes.noindex, wishes.nofollow) = (true, true),
            "noindex" => wishes.noindex = true,
            "nofollow" => wishes.nofollow = true,
            "noimageindex" => wishes.noimageindex = true,
            "noai" => wishes.noai = true,
            "noimageai" => wishes.noimageai = true,
            _ => {}
        }
    }
    wishes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_in_any_case_and_order() {
        let all = RobotsMeta {
            noindex: true,
            nofollow: true,
            noimageindex: true,
            noai: true,
            noimageai: true,
            tdm_reservation: false,
        };
        let none = RobotsMeta::default();
        for (text, expected) in [
            ("", none),
            ("index, follow, max-image-preview:large", none),
            ("NoIndex", RobotsMeta { noindex: true, ..none }),
            ("none", RobotsMeta { noindex: true, nofollow: true, ..none }),
            ("noai , noimageai", RobotsMeta { noai: true, noimageai: true, ..none }),
            ("noindex nofollow noimageindex noai noimageai", all),
            ("nofollowing", none),
        ] {
            assert_eq!(parse_robots_directives(text), expected, "{text}");
        }
    }

    #[test]
    fn only_metas_for_everyone_or_for_us_count() {
        assert!(RobotsMeta::from_meta("bowerbird", "nofollow").nofollow);
        assert!(!RobotsMeta::from_meta("otherbot", "nofollow").nofollow);
        assert!(RobotsMeta::from_meta("tdm-reservation", "1").tdm_reservation);
        assert!(!RobotsMeta::from_meta("tdm-reservation", "0").tdm_reservation);
    }
}
