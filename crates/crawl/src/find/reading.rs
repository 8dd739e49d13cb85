//! A page as a find reads it: pictures with what words near them are worth, and links that are followed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use facts::{Directives, MediaKind, Site, Url, UrlId};
use media::{Preset, Rules};
use page::{Media, MediaOrigin, NodeId, Page, Tags, nearness};
use query::{Language, Looking, Sought, Spot};
use sources::StartMedia;

use super::asked::{Asked, Likeness};
use crate::links::Linked;

/// Links of one page that are followed.
const LINKS: usize = 500;

/// What a find looks for, and how.
pub(super) struct Looked {
    pub asked: Asked,
    pub sought: Sought,
    pub like: Option<Likeness>,
    pub anchor_rule: bool,
    pub picture_words: bool,
    pub rules: Rules,
}

impl Looked {
    pub fn new(asked: Asked, sought: Sought, like: Option<Likeness>, anchor_rule: bool, picture_words: bool) -> Self {
        Self { asked, sought, like, anchor_rule, picture_words, rules: Preset::Query.rules() }
    }
}

/// A page as it came.
pub(super) struct Unread {
    pub url: Url,
    pub body: Bytes,
    pub content_type: Option<String>,
    pub directives: Directives,
    /// What the link that led here is worth, by term; zero for a start page.
    pub base: Arc<[f32]>,
    /// The site of the start page: links stay on it.
    pub site: Site,
    /// What a sitemap or feed says is on it.
    pub named: Vec<StartMedia>,
}

/// What a page gives.
pub(super) struct Reading {
    pub url: Url,
    pub title: String,
    /// Whether it has a word of the query outside of link texts.
    pub relevant: bool,
    pub base: Arc<[f32]>,
    pub pictures: Vec<Picture>,
    /// Pictures that are judged by what the page says of them, with the reason.
    pub refused: Vec<(UrlId, &'static str)>,
    pub links: Vec<Onward>,
    /// What has to be known to keep a picture of it.
    pub source: PageSource,
}

/// A page, packed away.
pub(super) struct PageSource {
    pub packed: Vec<u8>,
    pub content_type: Option<String>,
    pub directives: Directives,
}

/// A picture that is worth a look.
pub(super) struct Picture {
    pub url: Url,
    pub description: String,
    pub alt: String,
    /// A smaller picture of it that the page shows.
    pub preview: Option<Url>,
    /// What the words of its page are worth for it, by term.
    pub own: Vec<f32>,
}

/// A link that is followed.
pub(super) struct Onward {
    pub url: Url,
    /// What a picture at its place would be worth, by term.
    pub base: Arc<[f32]>,
}

/// What each weighted tag adds to a word inside it [002 Table 1].
fn tag_weight(tags: Tags) -> f32 {
    let weight = |tag: Tags| match tag {
        Tags::TITLE => 5.0,
        Tags::H1 => 4.0,
        Tags::H2 => 3.6,
        Tags::H3 => 3.35,
        Tags::H4 => 2.4,
        Tags::H5 => 2.3,
        Tags::H6 => 2.2,
        Tags::LINK => 0.0,
        _ => 3.0,
    };
    1.0 + tags.iter().map(weight).sum::<f32>()
}

/// The words of the query on a page, by term: where they stand and what they weigh.
pub(super) struct Words {
    pub terms: Vec<Vec<(NodeId, f32)>>,
    /// Whether one of them stands outside of link texts.
    pub outside: bool,
}

impl Words {
    pub fn of(page: &Page, looking: &mut Looking<'_>, terms: usize) -> Self {
        let mut words = Self { terms: vec![Vec::new(); terms], outside: false };
        if let Some(node) = page.title_node {
            for Spot { term, .. } in looking.spot(&page.title) {
                words.terms[term].push((node, tag_weight(Tags::TITLE)));
                words.outside = true;
            }
        }
        let mut runs = page.runs.iter().peekable();
        for Spot { term, range } in looking.spot(&page.text) {
            // Spots and runs are both in the order of the text, but a phrase may begin before the last word.
            while runs.peek().is_some_and(|run| run.range.end as usize <= range.start) {
                runs.next();
            }
            let Some(run) = runs.peek() else { break };
            words.terms[term].push((run.node, tag_weight(run.tags)));
            words.outside |= !run.tags.contains(Tags::LINK);
        }
        words
    }

    /// What all words of each term are worth at these places: by term, then by place.
    pub fn worth(&self, page: &Page, places: &[NodeId]) -> Vec<Vec<f32>> {
        self.terms.iter().map(|words| nearness(&page.tree, places, words)).collect()
    }
}

/// Reads a page. Work for a thread of its own.
pub(super) fn read(unread: Unread, looked: &Looked) -> Reading {
    let Unread { url, body, content_type, directives, base, site, named } = unread;
    let page = page::read(&body, content_type.as_deref(), &url, &page::Limits::default());
    let Scored { title, relevant, pictures, refused, links } = score(page, looked, &directives, &base, &site, named);
    let packed = if pictures.is_empty() { Vec::new() } else { pack(&body) };
    let source = PageSource { packed, content_type, directives };
    Reading { url, title, relevant, base, pictures, refused, links, source }
}

/// What a page that was read gives.
struct Scored {
    title: String,
    relevant: bool,
    pictures: Vec<Picture>,
    refused: Vec<(UrlId, &'static str)>,
    links: Vec<Onward>,
}

fn score(
    page: Page,
    looked: &Looked,
    directives: &Directives,
    base: &[f32],
    site: &Site,
    named: Vec<StartMedia>,
) -> Scored {
    let wishes = page.robots.and(*directives);
    let language = page.language.as_deref().and_then(Language::of_code);
    let mut looking = looked.sought.look(language, "");
    let words = Words::of(&page, &mut looking, looked.sought.terms().len());
    let found = looking.so_far().clone();
    let ruled_out = looked.sought.rules_out(&found) || !looked.asked.admits_address(&page.url);
    let answers = looked.sought.admits(&found) && !ruled_out && looked.asked.admits_page(&page, looked.like.as_ref());

    let mut gallery = gallery(&page, looked, &wishes, answers);
    let follows = (words.outside || !looked.anchor_rule) && !ruled_out && !wishes.nofollow;
    let links: Vec<(&Url, NodeId)> = if follows {
        let may = |url: &Url| url.site() == *site && looked.asked.admits_address(url);
        let links = page.links.iter().filter(|link| !link.rel.nofollow && may(&link.url));
        links.take(LINKS).map(|link| (&link.url, link.node)).collect()
    } else {
        Vec::new()
    };
    let places: Vec<NodeId> =
        gallery.shown.iter().map(|shown| shown.media.node).chain(links.iter().map(|(_, node)| *node)).collect();
    let worth = words.worth(&page, &places);
    let at = |place: usize| worth.iter().map(|term| term[place]).collect::<Vec<f32>>();

    let mut pictures = Vec::with_capacity(gallery.shown.len());
    for (place, shown) in gallery.shown.iter().enumerate() {
        let mut own = at(place);
        if looked.picture_words {
            // At no distance from the picture.
            for Spot { term, .. } in looking.spot(&format!("{} {}", shown.media.alt, shown.media.name_words)) {
                own[term] += 2.0;
            }
        }
        pictures.push(Picture {
            url: shown.media.url.clone(),
            description: shown.media.description(),
            alt: shown.media.alt.clone(),
            preview: shown.preview.clone(),
            own,
        });
    }
    if answers && !wishes.noindex && !wishes.reserve_media(MediaKind::Image) {
        add_named(&mut pictures, named, &page, &words, &mut looking);
    }
    // What has nothing to do with the words is not worth a request.
    let nothing = |own: &[f32]| own.iter().chain(base).all(|worth| *worth <= 0.0);
    let (pictures, idle): (Vec<_>, Vec<_>) = pictures.into_iter().partition(|picture| !nothing(&picture.own));
    gallery.refused.extend(idle.iter().map(|picture| (picture.url.id(), "no-word")));
    let share = pictures.len().max(1) as f32;
    let onward = |(place, (url, _)): (usize, &(&Url, NodeId))| {
        let own = at(gallery.shown.len() + place);
        let inherited = |term: usize| base.get(term).copied().unwrap_or(0.0) / share;
        let base: Arc<[f32]> = own.iter().enumerate().map(|(term, worth)| worth + inherited(term)).collect();
        Onward { url: (*url).clone(), base }
    };
    let links = links.iter().enumerate().map(onward).collect();
    Scored { title: page.title.clone(), relevant: words.outside, pictures, refused: gallery.refused, links }
}

/// Pictures of a page.
struct Gallery<'p> {
    shown: Vec<Shown<'p>>,
    refused: Vec<(UrlId, &'static str)>,
}

struct Shown<'p> {
    media: &'p Media,
    preview: Option<Url>,
}

/// Tells pictures that are worth a look from those that the page alone says enough of.
fn gallery<'p>(page: &'p Page, looked: &Looked, wishes: &Directives, answers: bool) -> Gallery<'p> {
    let linked = Linked::of(page, &looked.rules);
    let images = || page.media.iter().filter(|media| media.kind == MediaKind::Image);
    // Thumbnails give way to what they lead to, and stand for it until it is here.
    let mut previews: HashMap<UrlId, &Url> = HashMap::new();
    for media in images().filter(|media| media.origin != MediaOrigin::Link) {
        if let Some(target) = &media.link_target {
            previews.entry(target.id()).or_insert(&media.url);
        }
    }
    let mut gallery = Gallery { shown: Vec::new(), refused: Vec::new() };
    for media in images() {
        if linked.leads_away(media) {
            continue;
        }
        let reason = if let Err(refusal) = linked.judge(media) {
            Some(refusal.as_str())
        } else if wishes.noindex {
            Some("robots")
        } else if wishes.reserve_media(MediaKind::Image) {
            Some("opt-out")
        } else if !answers {
            Some("ruled-out")
        } else {
            declared(media, &looked.rules)
        };
        match reason {
            Some(reason) => gallery.refused.push((media.url.id(), reason)),
            None => {
                let preview = previews.get(&media.url.id()).filter(|_| media.origin == MediaOrigin::Link);
                gallery.shown.push(Shown { media, preview: preview.map(|url| (*url).clone()) });
            }
        }
    }
    gallery
}

/// What the size that a page gives a picture says of it.
fn declared(media: &Media, rules: &Rules) -> Option<&'static str> {
    let (width, height) = media.declared_size.filter(|(width, height)| *width > 0 && *height > 0)?;
    if width < rules.min_width && height < rules.min_height {
        return Some("small");
    }
    let aspect = f64::from(width) / f64::from(height);
    // A picture is often drawn a little out of shape; one that is drawn as a line is one.
    (!(1.0 / 6.0..=6.0).contains(&aspect)).then_some("aspect")
}

/// Pictures that only a sitemap or feed names: they stand nowhere, so they are as near to words as the page is.
fn add_named(
    pictures: &mut Vec<Picture>,
    named: Vec<StartMedia>,
    page: &Page,
    words: &Words,
    looking: &mut Looking<'_>,
) {
    let Some(root) = page.tree.nodes().next() else { return };
    let known: HashSet<UrlId> = pictures.iter().map(|picture| picture.url.id()).collect();
    let new = named.into_iter().filter(|media| media.kind == MediaKind::Image && !known.contains(&media.url.id()));
    let worth: Vec<f32> = words.worth(page, &[root]).into_iter().map(|term| term[0]).collect();
    for media in new {
        let mut own = worth.clone();
        for Spot { term, .. } in looking.spot(&format!("{} {}", media.words, page::name_words(&media.url.file_name())))
        {
            own[term] += 2.0;
        }
        pictures.push(Picture {
            description: media.words.clone(),
            alt: media.words,
            url: media.url,
            preview: None,
            own,
        });
    }
}

/// How long it takes to read a page and score its pictures, in milliseconds, and how many pictures those are;
/// nothing for a query that asks for nothing. For measuring.
pub fn score_page(body: &[u8], query: &str) -> Option<(f64, usize)> {
    let asked = Asked::parse(query, &query::Synonyms::default()).ok()?;
    let sought = asked.sought(None)?;
    let url = Url::parse("https://example.org/").ok()?;
    let base: Arc<[f32]> = vec![0.0; sought.terms().len()].into();
    let looked = Looked::new(asked, sought, None, true, true);
    let mut best = f64::MAX;
    let mut pictures = 0;
    for _ in 0..3 {
        let page = page::read(body, Some("text/html; charset=utf-8"), &url, &page::Limits::default());
        let started = std::time::Instant::now();
        let reading = score(page, &looked, &Directives::default(), &base, &url.site(), Vec::new());
        best = best.min(started.elapsed().as_secs_f64() * 1_000.0);
        pictures = reading.pictures.len();
    }
    Some((best, pictures))
}

fn pack(body: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    let written = packer.write_all(body).and_then(|()| packer.finish());
    written.unwrap_or_default()
}

/// The body of a page that was packed away.
pub(super) fn unpack(packed: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut body = Vec::new();
    let _ = flate2::read::DeflateDecoder::new(packed).take(64 << 20).read_to_end(&mut body);
    body
}

#[cfg(test)]
mod tests {
    use query::Synonyms;

    use super::*;

    fn looked(query: &str) -> Looked {
        let asked = Asked::parse(query, &Synonyms::default()).unwrap();
        let sought = asked.sought(None).unwrap();
        Looked::new(asked, sought, None, true, true)
    }

    fn reading(query: &str, body: &str) -> Reading {
        let url = Url::parse("https://a.example/page").unwrap();
        let looked = looked(query);
        let terms = looked.sought.terms().len();
        let unread = Unread {
            site: url.site(),
            url,
            body: Bytes::copy_from_slice(body.as_bytes()),
            content_type: Some("text/html; charset=utf-8".into()),
            directives: Directives::default(),
            base: vec![0.0; terms].into(),
            named: Vec::new(),
        };
        read(unread, &looked)
    }

    fn paths(reading: &Reading) -> Vec<&str> {
        reading.links.iter().map(|link| link.url.path()).collect()
    }

    #[test]
    fn words_only_in_link_texts_do_not_open_the_way() {
        let inside = reading("castle", "<p>News of today <a href=/castle>The castle</a> <img src=a.jpg>");
        assert!(!inside.relevant && paths(&inside).is_empty());
        // The page itself is collected.
        assert_eq!(inside.pictures.len(), 1);
        let outside = reading(
            "castle",
            "<p>Our castle <a href=/more>more</a> <a href=https://b.example/x>elsewhere</a> <a href=/no rel=nofollow>no</a>",
        );
        assert!(outside.relevant);
        assert_eq!(paths(&outside), ["/more"]);
        let title = reading("castle", "<title>A castle</title><a href=/more>more</a>");
        assert_eq!(paths(&title), ["/more"]);
    }

    #[test]
    fn pictures_are_judged_by_what_the_page_says() {
        let page = reading(
            "castle",
            "<h1>Castle</h1><a href=big.jpg><img src=small.jpg alt='The castle'></a>
             <a href=https://b.example/x.jpg><img src=ad.jpg></a>
             <img src=icon.png width=16 height=16><img src=line.png width=700 height=20>
             <img src=https://cdn.example/photo.jpg width=600 height=400>",
        );
        let kept: Vec<&str> = page.pictures.iter().map(|picture| picture.url.path()).collect();
        assert_eq!(kept, ["/big.jpg", "/photo.jpg"]);
        assert_eq!(page.pictures[0].preview.as_ref().map(Url::path), Some("/small.jpg"));
        let mut reasons: Vec<&str> = page.refused.iter().map(|(_, reason)| *reason).collect();
        reasons.sort_unstable();
        assert_eq!(reasons, ["aspect", "external", "small", "thumbnail"]);
    }

    #[test]
    fn a_picture_next_to_the_word_is_worth_more() {
        let page = reading(
            "castle",
            "<div><p>Something else <img src=far.jpg></p></div>
             <div><p>Nothing here</p></div><div><p>The <b>castle</b> <img src=near.jpg></p></div>",
        );
        assert!(page.pictures[1].own[0] > page.pictures[0].own[0] && page.pictures[0].own[0] > 0.0);
        // By hand: text → b → p ← img: three edges, and b weighs 3 + 1.
        assert!((page.pictures[1].own[0] - 4.0 * 2.0 / 4.0).abs() < 1e-5, "{}", page.pictures[1].own[0]);
    }

    #[test]
    fn what_is_ruled_out_gives_nothing_and_leads_nowhere() {
        let page = reading("castle -toy", "<p>A castle, a toy <img src=a.jpg><a href=/b>b</a>");
        assert!(page.pictures.is_empty() && page.links.is_empty());
        assert_eq!(page.refused[0].1, "ruled-out");
        let exact = reading("+castle", "<p>All castles <img src=a.jpg><a href=/b>b</a>");
        assert!(exact.pictures.is_empty());
        let none = reading("castle", "<p>Something <img src=a.jpg>");
        assert_eq!((none.pictures.len(), none.refused[0].1), (0, "no-word"));
    }

    #[test]
    fn a_page_can_be_had_again() {
        let body = "<p>castle <img src=a.jpg>";
        assert_eq!(unpack(&reading("castle", body).source.packed), body.as_bytes());
        assert!(unpack(b"\x07broken").is_empty());
    }
}
