//! The names of elements and attributes the program knows, as small numbers.
//!
//! A page has thousands of names and nearly all are among these few: a number is found by one look
//! into a table made when the program is built, and compared in one step.

/// Names in a table by their bytes; probed one place further where two fall together.
const fn table<const N: usize>(names: &[&str; N]) -> [u8; PLACES] {
    assert!(N < 256, "a name is a byte");
    let mut places = [0; PLACES];
    let mut i = 1;
    while i < N {
        let mut at = place(pack(names[i].as_bytes()), names[i].len());
        while places[at] != 0 {
            at = (at + 1) % PLACES;
        }
        places[at] = i as u8;
        i += 1;
    }
    places
}

const fn packs<const N: usize>(names: &[&str; N]) -> [(u64, u8); N] {
    let mut packs = [(0, 0); N];
    let mut i = 0;
    while i < N {
        packs[i] = (pack(names[i].as_bytes()), names[i].len() as u8);
        i += 1;
    }
    packs
}

const PLACES: usize = 1024;

/// Up to this length a name is told by its [`pack`] and its length alone.
const PACKED: usize = 8;

/// The bytes of a name in one number; of a long one, its ends.
const fn pack(name: &[u8]) -> u64 {
    let len = name.len();
    if len >= 4 {
        four(name, 0) | four(name, len - 4) << 32
    } else if len > 0 {
        name[0] as u64 | (name[len / 2] as u64) << 8 | (name[len - 1] as u64) << 16
    } else {
        0
    }
}

const fn four(name: &[u8], at: usize) -> u64 {
    u32::from_le_bytes([name[at], name[at + 1], name[at + 2], name[at + 3]]) as u64
}

const fn place(pack: u64, len: usize) -> usize {
    (pack ^ len as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> (usize::BITS as usize - 10)
}

macro_rules! names {
    ($(#[$doc:meta])* $kind:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $kind {
            /// Any other name.
            Other,
            $($variant,)*
        }

        impl $kind {
            const ALL: &'static [Self] = &[Self::Other, $(Self::$variant,)*];
            const TEXTS: &'static [&'static str] = &["", $($text,)*];
            const PLACES: [u8; PLACES] = table(&["", $($text,)*]);
            const PACKS: [(u64, u8); Self::ALL.len()] = packs(&["", $($text,)*]);

            /// The number of a name in small letters.
            pub(crate) fn of(name: &[u8]) -> Self {
                static TABLE: [u8; PLACES] = $kind::PLACES;
                static PACKS: [(u64, u8); $kind::ALL.len()] = $kind::PACKS;
                let wanted = pack(name);
                let mut at = place(wanted, name.len());
                loop {
                    let found = TABLE[at] as usize;
                    if found == 0 {
                        return Self::Other;
                    }
                    let (pack, len) = PACKS[found];
                    if pack == wanted
                        && usize::from(len) == name.len()
                        && (name.len() <= PACKED || Self::TEXTS[found].as_bytes() == name)
                    {
                        return Self::ALL[found];
                    }
                    at = (at + 1) % PLACES;
                }
            }

            /// The name itself; nothing for other ones.
            pub(crate) fn text(self) -> &'static str {
                Self::TEXTS[self as usize]
            }
        }
    };
}

names! {
    /// An element's name.
    Tag {
        A = "a", Abbr = "abbr", Address = "address", AnnotationXml = "annotation-xml", Applet = "applet",
        Area = "area", Article = "article", Aside = "aside", Audio = "audio", B = "b", Base = "base",
        Basefont = "basefont", Bgsound = "bgsound", Big = "big", Blockquote = "blockquote", Body = "body",
        Br = "br", Button = "button", Canvas = "canvas", Caption = "caption", Center = "center", Code = "code",
        Col = "col", Colgroup = "colgroup", Data = "data", Datalist = "datalist", Dd = "dd", Desc = "desc",
        Details = "details", Dialog = "dialog", Dir = "dir", Div = "div", Dl = "dl", Dt = "dt", Em = "em",
        Embed = "embed", Fieldset = "fieldset", Figcaption = "figcaption", Figure = "figure", Font = "font",
        Footer = "footer", ForeignObject = "foreignobject", Form = "form", Frame = "frame",
        Frameset = "frameset", H1 = "h1", H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", Head = "head",
        Header = "header", Hgroup = "hgroup", Hr = "hr", Html = "html", I = "i", Iframe = "iframe",
        Image = "image", Img = "img", Input = "input", Ins = "ins", Isindex = "isindex", Keygen = "keygen",
        Legend = "legend", Li = "li", Link = "link", Listing = "listing", Main = "main",
        Malignmark = "malignmark", Marquee = "marquee", Math = "math", Menu = "menu", Meta = "meta",
        Meter = "meter", Mglyph = "mglyph", Mi = "mi", Mn = "mn", Mo = "mo", Ms = "ms", Mtext = "mtext",
        Nav = "nav", Nobr = "nobr", Noembed = "noembed", Noframes = "noframes", Noscript = "noscript",
        Object = "object", Ol = "ol", Optgroup = "optgroup", Option = "option", P = "p", Param = "param",
        Picture = "picture", Plaintext = "plaintext", Pre = "pre", Rb = "rb", Rp = "rp", Rt = "rt", Rtc = "rtc",
        Ruby = "ruby", S = "s", Script = "script", Search = "search", Section = "section", Select = "select",
        Small = "small", Source = "source", Span = "span", Strike = "strike", Strong = "strong",
        Style = "style", Sub = "sub", Summary = "summary", Sup = "sup", Svg = "svg", Table = "table",
        Tbody = "tbody", Td = "td", Template = "template", Textarea = "textarea", Tfoot = "tfoot", Th = "th",
        Thead = "thead", Time = "time", Title = "title", Tr = "tr", Track = "track", Tt = "tt", U = "u",
        Ul = "ul", Var = "var", Video = "video", Wbr = "wbr", Xmp = "xmp",
    }
}

names! {
    /// An attribute's name.
    Key {
        Alt = "alt", AriaLabel = "aria-label", Charset = "charset", Class = "class", Color = "color",
        Content = "content", Data = "data", Datetime = "datetime", Encoding = "encoding", Face = "face",
        Height = "height", Hidden = "hidden", Href = "href", HttpEquiv = "http-equiv", Id = "id",
        Itemprop = "itemprop", Itemscope = "itemscope", Itemtype = "itemtype", Lang = "lang", Media = "media",
        Name = "name", Poster = "poster", Property = "property", Rel = "rel", Size = "size", Src = "src",
        Srcset = "srcset", Style = "style", Target = "target", Title = "title", Type = "type",
        Value = "value", Width = "width",
        // What scripts copy to `src` when a picture scrolls into view, best first.
        DataOriginal = "data-original", DataFullUrl = "data-full-url", DataLargeFile = "data-large-file",
        DataOrigFile = "data-orig-file", DataSrc = "data-src", DataLazySrc = "data-lazy-src",
        DataLazy = "data-lazy", DataOriginalSrc = "data-original-src", DataHiResSrc = "data-hi-res-src",
        DataImage = "data-image", DataImageSrc = "data-image-src", DataImgSrc = "data-img-src",
        DataUrl = "data-url", DataEcho = "data-echo", DataDeferSrc = "data-defer-src",
        DataLlSrc = "data-ll-src",
        // The same for `srcset`.
        DataSrcset = "data-srcset", DataLazySrcset = "data-lazy-srcset",
        DataOriginalSet = "data-original-set", DataLazyloadSrcset = "data-lazyload-srcset",
        // The same for backgrounds.
        DataBg = "data-bg", DataBackground = "data-background",
        DataBackgroundImage = "data-background-image", DataBgSrc = "data-bg-src",
    }
}

impl Key {
    /// How good an address a lazy attribute gives, from 1.
    pub(crate) fn lazy(self) -> Option<usize> {
        let (first, last) = (Self::DataOriginal as usize, Self::DataLlSrc as usize);
        (first..=last).contains(&(self as usize)).then(|| last + 1 - self as usize)
    }

    /// Whether it is a lazy `srcset`.
    pub(crate) fn is_lazy_set(self) -> bool {
        (Self::DataSrcset as u8..=Self::DataLazyloadSrcset as u8).contains(&(self as u8))
    }

    /// Whether it is a lazy background.
    pub(crate) fn is_lazy_background(self) -> bool {
        (Self::DataBg as u8..=Self::DataBgSrc as u8).contains(&(self as u8))
    }
}

/// What the rules of tree construction say of a kind of element, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits(u16);

impl Traits {
    pub(crate) const NONE: Self = Self(0);
    /// "Special" in the standard: generic end tags do not reach past it.
    pub(crate) const SPECIAL: Self = Self(1);
    /// The border of a scope.
    pub(crate) const SCOPE: Self = Self(1 << 1);
    /// Its end tag may be implied.
    pub(crate) const IMPLIED: Self = Self(1 << 2);
    /// Its end tag is implied by that of a template.
    pub(crate) const THOROUGH: Self = Self(1 << 3);
    pub(crate) const HEADING: Self = Self(1 << 4);
    /// What stands in it without belonging there goes before the table.
    pub(crate) const FOSTERING: Self = Self(1 << 5);
    pub(crate) const TABLE_SCOPE: Self = Self(1 << 6);
    pub(crate) const BODY_CONTEXT: Self = Self(1 << 7);
    pub(crate) const ROW_CONTEXT: Self = Self(1 << 8);
    /// It stands on lines of its own.
    pub(crate) const BLOCK: Self = Self(1 << 9);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl Tag {
    /// What is known of HTML elements of this name.
    pub(crate) fn traits(self) -> Traits {
        static TRAITS: [Traits; Tag::ALL.len()] = traits();
        TRAITS[self as usize]
    }

    pub(crate) fn is(self, trait_: Traits) -> bool {
        self.traits().has(trait_)
    }
}

const fn traits() -> [Traits; Tag::ALL.len()] {
    use Tag::*;
    let sets: [(Traits, &[Tag]); 10] = [
        (
            Traits::SPECIAL,
            &[
                Address, Applet, Area, Article, Aside, Base, Basefont, Bgsound, Blockquote, Body, Br, Button, Caption,
                Center, Col, Colgroup, Dd, Details, Dir, Div, Dl, Dt, Embed, Fieldset, Figcaption, Figure, Footer,
                Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, Html, Iframe, Img, Input,
                Isindex, Li, Link, Listing, Main, Marquee, Menu, Meta, Nav, Noembed, Noframes, Noscript, Object, Ol, P,
                Param, Plaintext, Pre, Script, Section, Select, Source, Style, Summary, Table, Tbody, Td, Template,
                Textarea, Tfoot, Th, Thead, Title, Tr, Track, Ul, Wbr, Xmp,
            ],
        ),
        (Traits::SCOPE, &[Applet, Caption, Html, Table, Td, Th, Marquee, Object, Select, Template]),
        (Traits::IMPLIED, &[Dd, Dt, Li, Option, Optgroup, P, Rb, Rp, Rt, Rtc]),
        (
            Traits::THOROUGH,
            &[Dd, Dt, Li, Option, Optgroup, P, Rb, Rp, Rt, Rtc, Caption, Colgroup, Tbody, Td, Tfoot, Th, Thead, Tr],
        ),
        (Traits::HEADING, &[H1, H2, H3, H4, H5, H6]),
        (Traits::FOSTERING, &[Table, Tbody, Tfoot, Thead, Tr]),
        (Traits::TABLE_SCOPE, &[Html, Table, Template]),
        (Traits::BODY_CONTEXT, &[Tbody, Tfoot, Thead, Template, Html]),
        (Traits::ROW_CONTEXT, &[Tr, Template, Html]),
        (
            Traits::BLOCK,
            &[
                Address, Article, Aside, Blockquote, Body, Caption, Center, Dd, Details, Dialog, Div, Dl, Dt, Fieldset,
                Figcaption, Figure, Footer, Form, H1, H2, H3, H4, H5, H6, Header, Hgroup, Hr, Legend, Li, Main, Menu,
                Nav, Ol, Option, P, Pre, Search, Section, Summary, Table, Td, Th, Tr, Ul,
            ],
        ),
    ];
    let mut traits = [Traits::NONE; Tag::ALL.len()];
    let mut set = 0;
    while set < sets.len() {
        let mut i = 0;
        while i < sets[set].1.len() {
            traits[sets[set].1[i] as usize].0 |= sets[set].0.0;
            i += 1;
        }
        set += 1;
    }
    traits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_others_are_not() {
        for tag in Tag::ALL.iter().skip(1) {
            assert_eq!(Tag::of(tag.text().as_bytes()), *tag);
        }
        for key in Key::ALL.iter().skip(1) {
            assert_eq!(Key::of(key.text().as_bytes()), *key);
        }
        for other in ["", "x", "divv", "di", "data-", "h7", "ü"] {
            assert_eq!((Tag::of(other.as_bytes()), Key::of(other.as_bytes())), (Tag::Other, Key::Other), "{other}");
        }
    }

    #[test]
    fn lazy_addresses_have_an_order() {
        assert_eq!(Key::DataOriginal.lazy(), Some(16));
        assert_eq!(Key::DataLlSrc.lazy(), Some(1));
        assert_eq!((Key::DataSrcset.lazy(), Key::Src.lazy()), (None, None));
        assert!(Key::DataLazySrcset.is_lazy_set() && Key::DataBgSrc.is_lazy_background());
        assert!(!Key::DataBg.is_lazy_set() && !Key::Width.is_lazy_background());
    }
}
