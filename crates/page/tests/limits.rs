//! Hostile and broken pages cost no more than their length deserves, and never panic.

use std::time::{Duration, Instant};

use facts::Url;
use page::{Limits, Page, read};
use proptest::prelude::*;

fn url() -> Url {
    Url::parse("http://a.example/dir/page.html").unwrap()
}

/// Reads, and fails when it takes longer than any machine should need for work that grows with
/// the page's length; the same work done per pair of things would take minutes.
fn read_in_time(body: &str) -> Page {
    let start = Instant::now();
    let page = read(body.as_bytes(), Some("text/html; charset=utf-8"), &url(), &Limits::default());
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{} bytes took {took:?}", body.len());
    page
}

#[test]
fn deep_nesting_is_flattened_and_its_text_and_images_stay() {
    for tag in ["div", "b", "span", "table><tr><td", "ul><li", "template", "svg", "font size=1", "a href=x"] {
        let name = tag.split([' ', '>']).next().unwrap_or_default();
        let open = format!("<{tag}>").repeat(10_000);
        let close = format!("</{name}>").repeat(10_000);
        let page =
            read_in_time(&format!("<p>before</p>{open}deep <img src=deep.jpg>{close}<p>after <a href=/next>next</a>"));
        assert!(page.text.contains("before"), "{tag}");
        let deepest = page.tree.nodes().map(|node| page.tree.depth(node)).max().unwrap_or_default();
        assert!(deepest <= 1100, "{tag}: {deepest}");
        if matches!(name, "div" | "span") {
            assert!(page.truncated, "{tag}");
            assert!(page.text.contains("deep") && page.text.contains("after"), "{tag}");
            assert_eq!(page.media.len(), 1, "{tag}");
            assert!(page.links.iter().any(|link| link.text == "next"), "{tag}");
        }
    }
}

#[test]
fn a_hundred_thousand_attributes_are_cut() {
    let attributes: String = (0..100_000).map(|i| format!(" a{i}=x")).collect();
    let page = read_in_time(&format!("<p{attributes}>text</p><a href=/x{attributes}>link</a><p>after"));
    assert!(page.truncated);
    assert_eq!(page.text, "text\nlink\nafter");
    assert_eq!(page.links.len(), 1);
}

#[test]
fn formatting_that_is_opened_again_and_again_stops_at_the_limit_of_nodes() {
    let fonts: String = (0..400).map(|i| format!("<font size={i}>")).collect();
    let page = read_in_time(&format!("<p>{fonts}{}", "<p>x".repeat(50_000)));
    assert!(page.truncated);
    assert!(page.tree.len() <= 800_000);
}

#[test]
fn unclosed_and_unopened_tags_take_linear_time() {
    for piece in [
        "<p",
        "<p>",
        "</p>",
        "<a href=x>",
        "</a>",
        "<table>",
        "<select><option>",
        "<!--",
        "<![CDATA[",
        "&amp",
        "<td>",
        "<form>",
        "<button>",
        "<nobr>",
    ] {
        read_in_time(&piece.repeat(200_000 / piece.len()));
    }
}

#[test]
fn lists_stop_at_their_limits() {
    let limits = Limits { links: 10, media: 5, text: 100, ..Limits::default() };
    let body: String = (0..100).map(|i| format!("<a href=/{i}>word{i}</a> <img src=/{i}.png>")).collect();
    let page = read(body.as_bytes(), None, &url(), &limits);
    assert_eq!((page.links.len(), page.media.len()), (10, 5));
    assert!(page.text.len() <= 100);
    assert!(page.truncated);
    let whole = read(body.as_bytes(), None, &url(), &Limits::default());
    assert_eq!((whole.links.len(), whole.media.len(), whole.truncated), (100, 100, false));
    assert!(read(&body.as_bytes()[..50], None, &url(), &Limits { bytes: 20, ..limits }).truncated);
}

#[test]
fn two_thousand_images_among_twenty_thousand_nodes_are_captioned_quickly() {
    let mut body = String::new();
    for i in 0..2000 {
        body.push_str(&format!("<div><img src=/{i}.jpg><span>a<i>b</i></span><span>c<i>d</i></span></div>"));
        if i % 50 == 0 {
            body.push_str("<p>A caption</p>");
        }
    }
    let page = read_in_time(&body);
    assert_eq!(page.media.len(), 2000);
    assert!(page.tree.len() > 15_000);
    assert!(page.media.iter().all(|media| media.caption == "A caption"));
}

#[test]
fn structured_data_are_bounded() {
    let items = "<div itemscope itemtype=T><span itemprop='a b c d e f g h i j k'>v".repeat(3000);
    let page = read_in_time(&items);
    assert!(page.structured.len() <= Limits::default().structured);
    let nested = format!("<script type=application/ld+json>{}1{}</script>", "{\"a\":".repeat(5000), "}".repeat(5000));
    assert_eq!(read_in_time(&nested).malformed_structured, 1);
    // Names multiply with each level.
    let named = format!("{}<b itemprop=x>v", "<div itemscope itemprop='a b c d e f g h'>".repeat(16));
    let written: usize = read_in_time(&named).structured.iter().map(|found| found.value.to_string().len()).sum();
    assert!((1..1 << 20).contains(&written), "{written}");
    let objects = format!("<script type=application/ld+json>[{}{{}}]</script>", "{\"\":{}},".repeat(6_000));
    let page = read_in_time(&objects.repeat(50));
    assert_eq!((page.structured.len(), page.malformed_structured), (2, 48));
}

#[test]
fn a_long_list_of_formatting_elements_is_not_looked_through_for_each_tag() {
    let page =
        read_in_time(&format!("<p>before<table>{}{}", "<td><object></td>".repeat(20_000), "<b></b>".repeat(90_000)));
    assert!(page.truncated && page.text.contains("before"));
}

#[test]
fn a_style_of_megabytes_names_some_pictures() {
    let page = read_in_time(&format!("<p style='--x:{}'>text", "URL(a)".repeat(500_000)));
    assert_eq!((page.media.len(), page.text.as_str()), (1, "text"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_page(body in prop::collection::vec(any::<u8>(), 0..2000), header in prop::option::of(".{0,40}")) {
        let page = read(&body, header.as_deref(), &url(), &Limits::default());
        check(&page)?;
    }

    #[test]
    fn any_markup_is_a_page(pieces in prop::collection::vec(piece(), 0..60)) {
        let page = read(pieces.concat().as_bytes(), Some("text/html; charset=utf-8"), &url(), &Limits::default());
        check(&page)?;
    }

    #[test]
    fn tiny_limits_hold(pieces in prop::collection::vec(piece(), 0..60), limit in 0usize..20) {
        let limits = Limits { bytes: 10_000, links: limit, media: limit, text: limit, depth: limit, nodes: limit * 10, structured: limit };
        let page = read(pieces.concat().as_bytes(), None, &url(), &limits);
        prop_assert!(page.links.len() <= limit && page.media.len() <= limit && page.text.len() <= limit);
        check(&page)?;
    }
}

/// What holds for every page.
fn check(page: &Page) -> Result<(), TestCaseError> {
    let mut last = 0;
    for run in &page.runs {
        let (start, end) = (run.range.start as usize, run.range.end as usize);
        prop_assert!(last <= start && page.text.get(start..end).is_some_and(|text| !text.is_empty()));
        prop_assert!(run.node.index() < page.tree.len());
        last = end;
    }
    prop_assert!(!page.text.contains("  ") && page.text.trim() == page.text);
    prop_assert_eq!(page.words().total(), page::words(&page.text).count());
    for media in &page.media {
        prop_assert!(media.node.index() < page.tree.len());
        prop_assert!(!media.caption.contains('\n'));
    }
    for node in page.tree.nodes() {
        prop_assert!(page.tree.parent(node).is_none_or(|parent| parent < node));
    }
    Ok(())
}

fn piece() -> impl Strategy<Value = String> {
    const TAGS: &[&str] = &[
        "a",
        "p",
        "div",
        "b",
        "i",
        "table",
        "tr",
        "td",
        "svg",
        "math",
        "template",
        "noscript",
        "select",
        "option",
        "video",
        "picture",
        "figure",
        "figcaption",
        "form",
        "h1",
        "li",
        "ul",
        "object",
        "iframe",
        "frameset",
        "html",
        "body",
        "head",
        "title",
        "textarea",
        "script",
        "style",
        "base",
        "meta",
        "link",
        "img",
        "source",
        "span",
        "font",
    ];
    const ATTRIBUTES: &[&str] = &[
        "",
        " href=x.html",
        " href='//b.example/y.jpg'",
        " href='geo:1,2'",
        " src=i.jpg",
        " srcset='a 1x, b 2x'",
        " itemscope",
        " itemprop=name",
        " class='geo h-adr p-locality'",
        " hidden",
        " style='background:url(z.png);display:none'",
        " content='0;url=q'",
        " http-equiv=refresh",
        " name=robots",
        " property=og:image",
        " type=application/ld+json",
        " data-src=l.jpg",
        " width=1 height=1",
        " alt='ä ö'",
        " rel=nofollow",
    ];
    prop_oneof![
        (prop::sample::select(TAGS), prop::sample::select(ATTRIBUTES), prop::sample::select(ATTRIBUTES))
            .prop_map(|(tag, a, b)| format!("<{tag}{a}{b}>")),
        prop::sample::select(TAGS).prop_map(|tag| format!("</{tag}>")),
        "[a-zäö \u{ad}\u{a0}&<>\"'\n]{0,12}",
    ]
}
