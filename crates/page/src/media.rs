//! Pictures, films and sounds as a page shows them.

use facts::{MediaKind, Url};

use crate::known::Known;
use crate::rights::Rights;
use crate::tree::NodeId;

/// A picture, film or sound on a page.
#[derive(Clone, Debug)]
pub struct Media {
    /// Where the file is.
    pub url: Url,
    /// What the page takes it for.
    pub kind: MediaKind,
    /// Its alternative text, or the words of the link that leads to it.
    pub alt: String,
    /// Words of its file name; empty for names a camera gives.
    pub name_words: String,
    /// The text of its caption: of the figure around it, or else of the nearest heading, paragraph
    /// or link.
    pub caption: String,
    /// How the page brings it in.
    pub origin: MediaOrigin,
    /// Where it leads when clicked; a thumbnail leads to the full picture.
    pub link_target: Option<Url>,
    /// Width and height the page says it has; 0 for one that is not said.
    pub declared_size: Option<(u32, u32)>,
    /// Who made it and under which licence, as far as the page says.
    pub rights: Rights,
    /// Where it stands.
    pub node: NodeId,
}

impl Media {
    /// Alternative text, file name and caption, joined by spaces [000 §5.1].
    pub fn description(&self) -> String {
        let mut parts: Vec<&str> = Vec::with_capacity(3);
        for part in [&*self.alt, &*self.name_words, &*self.caption] {
            if !part.is_empty() && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(" ")
    }
}

/// How a page brings a media file in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaOrigin {
    /// `<img src>`.
    Img,
    /// `<img srcset>`.
    SrcSet,
    /// `<picture>`'s `<source srcset>`.
    Picture,
    /// An attribute that a script copies to `src`, such as `data-src`.
    Lazy,
    /// An inline style.
    CssBackground,
    /// `<a href>` to a media file.
    Link,
    /// `<video src>` or a `<source>` in it.
    Video,
    /// `<audio src>` or a `<source>` in it.
    Audio,
    /// `<video poster>`.
    Poster,
    /// `<embed>` or `<object>`.
    Embed,
    /// `og:image`, `og:video`, `og:audio`, `twitter:image`.
    OpenGraph,
    /// JSON-LD.
    JsonLd,
    /// `<link rel="image_src">`.
    ImageSrc,
}

/// A media file before its caption is known.
pub(crate) struct Found {
    pub(crate) media: Media,
    /// The figure it stands in, by number.
    pub(crate) figure: Option<u32>,
    /// Whether it stands in the body, where captions are.
    pub(crate) placed: bool,
}

/// Gathers media, one per address.
pub(crate) struct Gallery {
    found: Vec<Found>,
    known: Known,
    limit: usize,
    pub(crate) truncated: bool,
}

impl Gallery {
    pub(crate) fn new(limit: usize) -> Self {
        Self { found: Vec::new(), known: Known::default(), limit, truncated: false }
    }

    /// Adds one; of several at one address the first position stays, and what the others say
    /// fills its gaps.
    pub(crate) fn add(&mut self, new: Found) {
        if let Some(place) = self.known.place(&new.media.url, |place| &self.found[place].media.url) {
            let first = &mut self.found[place];
            if first.media.alt.len() < new.media.alt.len() {
                first.media.alt = new.media.alt;
            }
            first.media.link_target = first.media.link_target.take().or(new.media.link_target);
            first.media.declared_size = first.media.declared_size.or(new.media.declared_size);
            first.media.rights.fill(new.media.rights);
            first.figure = first.figure.or(new.figure);
        } else if self.found.len() >= self.limit {
            self.truncated = true;
        } else {
            self.known.insert(&new.media.url, self.found.len());
            self.found.push(new);
        }
    }

    /// Where those that stand in the body are.
    pub(crate) fn places(&self) -> Vec<NodeId> {
        self.found.iter().filter(|found| found.placed).map(|found| found.media.node).collect()
    }

    /// Gives each its caption.
    pub(crate) fn finish(self, caption: impl Fn(&Found) -> String) -> Vec<Media> {
        let captioned = self.found.into_iter().map(|found| {
            let caption = caption(&found);
            Media { caption, ..found.media }
        });
        captioned.collect()
    }
}

/// What an address looks like it leads to, by the ending of its path.
pub(crate) fn kind_of(url: &Url) -> Option<MediaKind> {
    let name = url.path().rsplit('/').next().unwrap_or_default();
    // `File:Church.jpg` and its translations are wiki pages about a picture.
    if name.contains(':') || name.contains("%3A") || name.contains("%3a") {
        return None;
    }
    let (_, ending) = name.rsplit_once('.')?;
    let mut small = [0; 5];
    let small = small.get_mut(..ending.len())?;
    small.copy_from_slice(ending.as_bytes());
    small.make_ascii_lowercase();
    Some(match std::str::from_utf8(small).ok()? {
        "jpg" | "jpeg" | "jpe" | "jfif" | "png" | "gif" | "webp" | "avif" | "heic" | "heif" | "tif" | "tiff"
        | "bmp" | "jxl" | "jp2" => MediaKind::Image,
        "mp4" | "m4v" | "mov" | "webm" | "ogv" | "avi" | "mkv" | "mpg" | "mpeg" | "wmv" | "3gp" | "flv" => {
            MediaKind::Video
        }
        "mp3" | "m4a" | "ogg" | "oga" | "opus" | "wav" | "flac" | "aac" | "aif" | "aiff" | "wma" => MediaKind::Audio,
        _ => return None,
    })
}

/// What a MIME type such as `video/mp4` names.
pub(crate) fn kind_of_type(kind: &str) -> Option<MediaKind> {
    MediaKind::parse(kind.split('/').next().unwrap_or_default().trim().to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_media_from_pages() {
        for (url, kind) in [
            ("http://a.example/x.JPG?w=1", Some(MediaKind::Image)),
            ("http://a.example/x.jpeg", Some(MediaKind::Image)),
            ("http://a.example/film.webm", Some(MediaKind::Video)),
            ("http://a.example/sound.ogg", Some(MediaKind::Audio)),
            ("http://a.example/wiki/File:Church.jpg", None),
            ("http://a.example/wiki/Datei%3AKirche.jpg", None),
            ("http://a.example/jpg", None),
            ("http://a.example/x.html?y=a.jpg", None),
            ("http://a.example/", None),
        ] {
            assert_eq!(kind_of(&Url::parse(url).unwrap()), kind, "{url}");
        }
        assert_eq!(kind_of_type("Video/mp4; codecs=x"), Some(MediaKind::Video));
        assert_eq!(kind_of_type("text/html"), None);
    }
}
