//! What a site asks not to be done with a page or file.

/// Wishes of a site, from `<meta name="robots">` or `X-Robots-Tag` and their kin. Everything is
/// allowed by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// Do not remember it.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
    /// Do not collect its images.
    pub noimageindex: bool,
    /// Not for training or analysis by machines.
    pub noai: bool,
    /// The same for its images.
    pub noimageai: bool,
    /// Rights of text and data mining are reserved (TDM Reservation Protocol).
    pub tdm_reservation: bool,
}

impl Directives {
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

    /// Adds one directive by its name, in any case; unknown ones say nothing.
    pub fn add(&mut self, name: &str) {
        match name.to_ascii_lowercase().as_str() {
            "none" => (self.noindex, self.nofollow) = (true, true),
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "noimageindex" => self.noimageindex = true,
            "noai" => self.noai = true,
            "noimageai" => self.noimageai = true,
            _ => {}
        }
    }

    /// Whether its media of this kind may not be collected.
    pub fn reserve_media(&self, kind: crate::MediaKind) -> bool {
        let images = kind == crate::MediaKind::Image && (self.noimageindex || self.noimageai);
        self.noai || self.tdm_reservation || images
    }
}
