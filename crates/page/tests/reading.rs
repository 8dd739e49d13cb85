//! Single facts that are read from small pages.

use facts::{MediaKind, Url};
use page::{Limits, LinkOrigin, MediaOrigin, Page, Tags, read};

fn page(body: &str) -> Page {
    let url = Url::parse("http://a.example/dir/page.html").unwrap();
    read(body.as_bytes(), Some("text/html; charset=utf-8"), &url, &Limits::default())
}

#[test]
fn one_image_element_is_one_picture_at_its_best_address() {
    use MediaOrigin::{Img, Lazy, Picture, SrcSet};
    for (body, expected) in [
        ("<img src=a.jpg>", Some(("a.jpg", Img))),
        ("<img src=a.jpg srcset='a-400.jpg 400w, a-1600.jpg 1600w'>", Some(("a-1600.jpg", SrcSet))),
        ("<img src=a.jpg srcset='a.jpg, a@2x.jpg 2x'>", Some(("a@2x.jpg", SrcSet))),
        ("<img src='data:image/gif;base64,AA' data-src=real.jpg>", Some(("real.jpg", Lazy))),
        ("<img data-src=real.jpg src='data:image/gif;base64,AA'>", Some(("real.jpg", Lazy))),
        ("<img src=blank.gif data-lazy-src=real.jpg>", Some(("real.jpg", Lazy))),
        ("<img src=blank.gif data-srcset='s.jpg 100w, l.jpg 900w' data-src=m.jpg>", Some(("l.jpg", Lazy))),
        ("<img src=small.jpg data-original=large.jpg>", Some(("large.jpg", Lazy))),
        ("<img src=a.jpg data-image=17>", Some(("a.jpg", Img))),
        ("<img src=pixel.gif width=1 height=1>", Some(("pixel.gif", Img))),
        ("<picture><source srcset=a.webp type=image/webp><img src=a.jpg></picture>", Some(("a.jpg", Img))),
        ("<picture><source srcset=a.webp type=image/webp><img src='data:,'></picture>", Some(("a.webp", Picture))),
        ("<picture><source srcset=a.webp><img src=a.jpg></picture>", Some(("a.jpg", Img))),
        ("<picture><source srcset=full.jpg type=image/jpeg><img src=small.jpg></picture>", Some(("full.jpg", Picture))),
        ("<picture><source srcset=full.jpg><img src=small.jpg></picture>", Some(("full.jpg", Picture))),
        (
            "<picture><source media='(min-width: 900px)' srcset=wide.jpg><img src=a.jpg></picture>",
            Some(("wide.jpg", Picture)),
        ),
        (
            "<picture><source srcset='b.webp 2000w'><img srcset='a.jpg 800w' src=a.jpg></picture>",
            Some(("b.webp", Picture)),
        ),
        ("<img src='data:image/png;base64,AA'>", None),
        ("<img src=''>", None),
        ("<img src='javascript:x'>", None),
        ("<img>", None),
    ] {
        let page = page(body);
        let got: Vec<_> = page.media.iter().map(|m| (m.url.path().trim_start_matches("/dir/"), m.origin)).collect();
        assert_eq!(got, Vec::from_iter(expected), "{body}");
    }
}

#[test]
fn media_are_found_in_all_their_forms() {
    use MediaKind::{Audio, Image, Video};
    for (body, kind, origin) in [
        ("<div style=\"background:url('x.jpg')\"></div>", Image, MediaOrigin::CssBackground),
        ("<div data-bg=x.jpg></div>", Image, MediaOrigin::Lazy),
        ("<a href=x.jpg>large</a>", Image, MediaOrigin::Link),
        ("<a href=x.mp4>film</a>", Video, MediaOrigin::Link),
        ("<video src=x.mp4></video>", Video, MediaOrigin::Video),
        ("<video><source src=x.webm></video>", Video, MediaOrigin::Video),
        ("<audio><source src=x.mp3></audio>", Audio, MediaOrigin::Audio),
        ("<video poster=x.jpg></video>", Image, MediaOrigin::Poster),
        ("<embed src=x.mp4>", Video, MediaOrigin::Embed),
        ("<object data=x type=audio/mpeg></object>", Audio, MediaOrigin::Embed),
        ("<link rel=image_src href=x.jpg>", Image, MediaOrigin::ImageSrc),
        ("<meta name=twitter:image content=x.jpg>", Image, MediaOrigin::OpenGraph),
        ("<meta property=og:audio content=x.mp3>", Audio, MediaOrigin::OpenGraph),
        ("<noscript><img src=x.jpg></noscript>", Image, MediaOrigin::Img),
        (
            "<script type=application/ld+json>{\"@type\":\"Place\",\"image\":\"x.jpg\"}</script>",
            Image,
            MediaOrigin::JsonLd,
        ),
    ] {
        let page = page(body);
        let got: Vec<_> = page.media.iter().map(|m| (m.kind, m.origin)).collect();
        assert_eq!(got, [(kind, origin)], "{body}");
        assert!(page.links.is_empty(), "{body}");
    }
}

#[test]
fn pictures_on_several_places_are_one_with_the_best_said_of_them() {
    let page = page(
        "<meta property=og:image content=/dir/x.jpg><meta property=og:image:width content=800>
         <p>First</p><img src=x.jpg><div><a href=/big><img src=x.jpg alt='The mill'></a></div>",
    );
    let [mill] = &page.media[..] else { panic!("{:?}", page.media) };
    assert_eq!((mill.origin, mill.alt.as_str(), mill.caption.as_str()), (MediaOrigin::Img, "The mill", "First"));
    assert_eq!(mill.link_target.as_ref().map(Url::path), Some("/big"));
    assert_eq!(mill.declared_size, Some((800, 0)));
}

#[test]
fn captions_come_from_the_figure_or_else_the_nearest_text() {
    for (body, caption) in [
        ("<p>Far</p><figure><img src=x.jpg><figcaption>Own <b>words</b></figcaption></figure>", "Own words"),
        ("<figure><figcaption>Above</figcaption><a href=/p><img src=x.jpg></a></figure>", "Above"),
        ("<h2>Title</h2><div><div><img src=x.jpg></div><p>Below</p></div>", "Below"),
        ("<h1>One</h1><p>Two</p><img src=x.jpg><p>Three</p>", "Three"),
        ("<h3>One</h3><img src=x.jpg><h3>Two</h3><img src=y.jpg>", "One"),
        ("<h3>One</h3><img src=x.jpg><p>Two</p>", "One"),
        ("<p>One</p><img src=x.jpg><h3>Two</h3>", "One"),
        ("<p>One</p><img src=x.jpg><div>a</div><div>b</div><div>c</div><p>Two</p>", "One"),
        ("<p>Around <img src=x.jpg> it</p><h1>Title</h1>", "Around it"),
        ("<h6>No caption</h6><img src=x.jpg><div>Nor this</div>", ""),
        ("<p hidden>Hidden</p><img src=x.jpg>", ""),
    ] {
        assert_eq!(page(body).media[0].caption, caption, "{body}");
    }
}

#[test]
fn links_are_one_per_address_and_speak_with_the_first_words() {
    let page = page(
        "<a href=/x rel=nofollow><img src=i.png></a> <a href='/x#part'>Words</a> <a href=/x>Others</a>
         <a href=/y rel='nofollow ugc'>Y</a> <a href=ftp://a.example/>f</a> <a href='HTTPS://B.example'>b</a>
         <map><area href=/z alt=Zone></map><iframe src=/w title=Frame></iframe>",
    );
    let got: Vec<_> = page.links.iter().map(|l| (l.url.as_str(), l.text.as_str(), l.origin, l.rel.nofollow)).collect();
    assert_eq!(
        got,
        [
            ("http://a.example/x", "Words", LinkOrigin::Anchor, false),
            ("http://a.example/y", "Y", LinkOrigin::Anchor, true),
            ("https://b.example/", "b", LinkOrigin::Anchor, false),
            ("http://a.example/z", "Zone", LinkOrigin::Area, false),
            ("http://a.example/w", "Frame", LinkOrigin::Frame, false),
        ]
    );
}

#[test]
fn a_base_holds_for_the_whole_page() {
    let page = page("<a href=one>1</a><base href=/other/><base href=/third/><a href=two>2</a>");
    let got: Vec<_> = page.links.iter().map(|l| l.url.path()).collect();
    assert_eq!(got, ["/other/one", "/other/two"]);
}

#[test]
fn text_is_what_a_visitor_sees() {
    for (body, text) in [
        ("<title>T</title><p>a<b>b</b>c</p><p>d", "abc\nd"),
        ("<div>a<div>b</div>c</div>", "a\nb\nc"),
        ("a<br>b", "a\nb"),
        ("<body><script>x</script><style>y</style><template>z</template><noscript>n</noscript>v", "v"),
        ("<p hidden>h</p><p style='DISPLAY: none'>d</p><p>v", "v"),
        ("<select><option>o</select><textarea>t</textarea><svg><text>s</text></svg><video>f</video>v", "v"),
        ("<a href=/1>one</a><a href=/2>two</a>, boat<a href=/3>s</a>", "one two, boats"),
        ("<table><tr><td>a<td>b</table>", "a\nb"),
        ("<!-- c -->v &amp; w&nbsp;x", "v & w x"),
        ("", ""),
    ] {
        assert_eq!(page(body).text, text, "{body}");
    }
}

#[test]
fn words_know_their_tags_and_their_distance_to_a_picture() {
    let page = page("<body><h1>Mill</h1><div><p>old <b><em>mill</em></b></p><img src=x.jpg></div>");
    let run = |text: &str, tags: Tags| {
        let found = page
            .runs
            .iter()
            .find(|r| &page.text[r.range.start as usize..r.range.end as usize] == text && r.tags == tags);
        found.unwrap_or_else(|| panic!("{text} {:?}", page.runs)).node
    };
    let image = page.media[0].node;
    // Up from the image to the div, down through p, b and em to the text.
    assert_eq!(page.tree.distance(image, run("mill", Tags::B.with(Tags::EM))), 5);
    assert_eq!(page.tree.distance(image, run("old", Tags::NONE)), 3);
    assert_eq!(page.tree.distance(image, run("Mill", Tags::H1)), 4);
}

#[test]
fn plain_text_is_text_and_not_markup() {
    let url = Url::parse("http://a.example/x.txt").unwrap();
    let page = read(b"One <b>\n\nTwo & three", Some("text/plain"), &url, &Limits::default());
    assert_eq!(page.text, "One <b>\nTwo & three");
    assert!(page.links.is_empty());
}

#[test]
fn the_language_is_what_the_page_says_before_what_it_looks_like() {
    let german = "<p>Das alte Rathaus steht am Markt und wurde im vorigen Jahrhundert von der Stadt erbaut.</p>";
    for (start, language) in [
        ("<html lang=sv>", Some("sv")),
        ("<meta http-equiv=content-language content='it, en'>", Some("it")),
        ("<meta property=og:locale content=pt_BR>", Some("pt")),
        ("<html lang=''>", Some("de")),
        ("", Some("de")),
    ] {
        assert_eq!(page(&format!("{start}{german}")).language.as_deref(), language, "{start}");
    }
    assert_eq!(page("<p>12 34").language, None);
}

#[test]
fn wishes_to_robots_count_wherever_they_stand() {
    let page = page("<body><div><meta name=Robots content='noimageindex'><meta name=BOWERBIRD content=nofollow></div>");
    assert!(page.robots.noimageindex && page.robots.nofollow && !page.robots.noindex);
}

#[test]
fn what_links_say_behind_their_addresses_is_kept_where_it_is_a_parameter() {
    let page = page(
        "<a href='https://maps.example/#map=15/53.1/8.2'>Here</a> <a href='https://maps.example/#map=9/54.3/10.1'>There</a>
         <a href='/other#part'>Part</a> <a href='#top=1'>Top</a>",
    );
    assert_eq!(page.links.len(), 2);
    let fragments: Vec<(&str, &str)> =
        page.fragments.iter().map(|link| (link.url.as_str(), link.fragment.as_str())).collect();
    assert_eq!(fragments, [("https://maps.example/", "map=15/53.1/8.2"), ("https://maps.example/", "map=9/54.3/10.1")]);
}
