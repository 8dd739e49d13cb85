//! The orders in which strategies visit small webs.

use std::collections::{BTreeMap, HashSet};

use facts::{Branch, Order, Priority, Url};
use page::{Limits, read};
use strategy::{
    Arrival, Criteria, LinkWords, Strategy, Told, VertexWeight, Vocabulary, Weighted, Weighting, by_name, relevance,
};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// A web of pages by name, each on a host of its own.
struct Web(BTreeMap<&'static str, &'static str>);

impl Web {
    /// Visits everything reachable from `seed`, one page at a time, as the frontier does.
    fn crawl(&self, strategy: &dyn Strategy, seed: &str) -> String {
        let mut queue: Vec<(Order, usize, Url)> = vec![(strategy.seed(), 0, url(seed))];
        let (mut known, mut visited, mut sequence) = (HashSet::from([url(seed)]), String::new(), 0);
        while let Some(next) = (0..queue.len()).min_by_key(|&i| key(&queue[i])) {
            let (_, _, at) = queue.remove(next);
            visited.push_str(at.path().trim_start_matches('/'));
            let body = self.0.get(at.path().trim_start_matches('/')).copied().unwrap_or_default();
            let page = read(body.as_bytes(), None, &at, &Limits::default());
            let orders = strategy.links(&Arrival::at(&page));
            assert_eq!(orders.len(), page.links.len());
            // Children of one visit share a generation, so that depth first keeps document order.
            let generation = sequence + 1000;
            for (i, (link, order)) in page.links.iter().zip(orders).enumerate() {
                sequence += 1;
                if known.insert(link.url.clone()) {
                    let at = if order == Order::LastIn { generation * 1000 - i } else { sequence };
                    queue.push((order, at, link.url.clone()));
                } else if let Order::Best(new) = order
                    && let Some((Order::Best(old), _, _)) = queue.iter_mut().find(|(_, _, u)| *u == link.url)
                {
                    *old = new.max(*old);
                }
            }
        }
        visited
    }
}

/// Smallest first.
fn key((order, sequence, _): &(Order, usize, Url)) -> (u32, usize) {
    match order {
        Order::FirstIn => (0, *sequence),
        Order::LastIn => (0, usize::MAX - *sequence),
        Order::Best(priority) => (priority.descending_key(), *sequence),
    }
}

fn tree() -> Web {
    Web(BTreeMap::from([
        ("a", "<a href=b>1</a><a href=c>2</a><a href=d>3</a>"),
        ("b", "<a href=e>1</a><a href=f>2</a><a href=a>up</a>"),
        ("c", "<a href=g>1</a>"),
        ("e", "<a href=h>1</a>"),
    ]))
}

#[test]
fn breadth_first_visits_in_order_of_discovery() {
    assert_eq!(tree().crawl(&*by_name("bfs").unwrap(), "http://x.example/a"), "abcdefgh");
}

#[test]
fn depth_first_visits_children_before_everything_older() {
    assert_eq!(tree().crawl(&*by_name("dfs").unwrap(), "http://x.example/a"), "abehfcgd");
}

#[test]
fn best_first_visits_the_most_relevant_first_and_ties_in_order_of_discovery() {
    let web = Web(BTreeMap::from([
        (
            "a",
            "<p>Boats and harbours; boats again, a harbour.</p>
             <a href=b>weather</a><a href=c>boats</a><a href=d>sport</a><a href=e>harbour walks</a>",
        ),
        ("b", "<p>mill</p><a href=f>mill</a>"),
    ]));
    // c: (1+1)/2; e: (1+1)/3, b and d: 1/2 in the order found, and then f: (1+1)/2 from b before d.
    assert_eq!(web.crawl(&*by_name("best-first").unwrap(), "http://x.example/a"), "acebfd");
}

#[test]
fn with_nothing_to_tell_links_apart_best_first_is_breadth_first() {
    assert_eq!(tree().crawl(&*by_name("best-first").unwrap(), "http://x.example/a"), "abcdefgh");
}

/// \[000\] Figure 20 and Table 1, as a page.
const CERN: &str = r#"<!doctype html><html lang="en"><head><title>The birth of the web</title></head><body>
<header>CERN <span>Accelerating science</span> <a href="/signin">Sign in</a> <a href="/directory">Directory</a></header>
<nav>CERN Main menu <ul>
  <li><a href="/about">About CERN</a></li>
  <li><a href="http://home.cern/students-educators">Students &amp; Educators</a></li>
  <li><a href="/scientists">Scientists</a></li>
  <li><a href="/cern-community">CERN community</a></li></ul> English Français</nav>
<main><p>Topic</p><h1>The birth of the web</h1>
<p>This content is archived on the CERN Document Server</p>
<p>Tim Berners-Lee, a British scientist at CERN, invented the World Wide Web (WWW) in 1989. The web was originally
conceived and developed to meet the demand for automatic information-sharing between scientists in universities and
institutes around the world.</p>
<p>The first website at CERN - and in the world - was dedicated to the World Wide Web project itself and was hosted on
Berners-Lee's NeXT computer. The website described the basic features of the web; how to access other people's documents
and how to set up your own server. The NeXT machine - the original web server - is still at CERN. As part of the
<a href="http://first-website.web.cern.ch/">project to restore the first website</a>, in 2013 CERN reinstated the world's
first website to its original address.</p>
<p>On 30 April 1993 CERN put the World Wide Web software in the public domain. CERN made the next release available with
an open licence, as a more sure way to maximise its dissemination. Through these actions, making the software required to
run a web server freely available, along with a <a href="http://line-mode.cern.ch/">basic browser</a> and a library of
code, the web was allowed to flourish.</p></main></body></html>"#;

#[test]
fn the_first_document_s_example_gets_its_scores() {
    let page = read(CERN.as_bytes(), Some("text/html"), &url("http://home.cern/topics/birth-web"), &Limits::default());
    for (word, count) in [("project", 2), ("restore", 1), ("first", 3), ("website", 4), ("basic", 2), ("browser", 1)] {
        assert_eq!(page.words().count(word), count, "Table 2: {word}");
    }
    let orders = by_name("best-first").unwrap().links(&Arrival::at(&page));
    for (address, title, expected) in [
        ("http://first-website.web.cern.ch/", "project to restore the first website", 0.6),
        ("http://line-mode.cern.ch/", "basic browser", 1.0 / 3.0),
        ("http://home.cern/students-educators", "Students & Educators", 1.0 / 3.0),
    ] {
        let at = page.links.iter().position(|link| link.url == url(address)).expect(address);
        assert_eq!(page.links[at].text, title);
        assert_eq!(relevance(&page.links[at], &page), expected, "{title}");
        assert_eq!(orders[at], Order::Best(Priority::new(expected)), "{title}");
    }
}

#[test]
fn a_link_s_title_is_its_text_or_the_alt_of_its_image_or_its_title() {
    let body = "<p>mill mill</p><a href=1>mill</a><a href=2><img alt=mill src=x.png></a><a href=3 title=mill></a><a href=4></a>";
    let page = read(body.as_bytes(), None, &url("http://x.example/"), &Limits::default());
    let scores: Vec<f64> = page.links.iter().map(|link| relevance(link, &page)).collect();
    // Without keywords the host alone decides.
    assert_eq!(scores, [1.0, 1.0, 1.0, 1.0]);
    let titles: Vec<&str> = page.links.iter().map(|link| link.text.as_str()).collect();
    assert_eq!(titles, ["mill", "mill", "mill", ""]);
}

/// How a page was come to: over so many links from a seed, none relevant.
fn arrival<'a>(page: &'a page::Page, links: u32, relevant: bool) -> Arrival<'a> {
    Arrival { relevant, branch: Branch { links, from_relevant: false }, ..Arrival::at(page) }
}

fn page_of(at: &str, body: &str) -> page::Page {
    read(body.as_bytes(), Some("text/html"), &url(at), &Limits::default())
}

fn priorities(orders: &[Order]) -> Vec<f32> {
    let priority = |order: &Order| match order {
        Order::Best(priority) => priority.value(),
        other => panic!("{other:?} has no priority"),
    };
    orders.iter().map(priority).collect()
}

/// \[001\] Figure 3.
#[test]
fn geo_distance_halves_with_each_link_and_starts_anew_at_a_relevant_page() {
    let page = page_of("http://a.example/", "<a href=/1>1</a><a href=/2>2</a>");
    let strategy = by_name("geo-distance").unwrap();
    assert_eq!(strategy.seed(), Order::Best(Priority::HIGHEST));
    assert_eq!(priorities(&strategy.links(&arrival(&page, 0, false))), [0.5, 0.5]);
    assert_eq!(priorities(&strategy.links(&arrival(&page, 1, false))), [0.25, 0.25]);
    assert_eq!(priorities(&strategy.links(&arrival(&page, 2, true))), [0.5, 0.5]);
}

fn geo(told: Told) -> Box<dyn Strategy> {
    strategy::told("geo", Told { prior: false, ..told }).unwrap().unwrap()
}

/// A page reached by a link from another, with the words of that link.
fn teach(strategy: &dyn Strategy, n: usize, anchor: &str, relevant: bool) {
    let from = url("http://a.example/");
    let page = page_of(&format!("http://b{}.example/{anchor}/{n}", n % 7), "");
    let parent = Some(url(&format!("http://a.example/{n}")).id());
    strategy.links(&Arrival { relevant, parent, referer: Some(&from), anchor, ..Arrival::at(&page) });
}

#[test]
fn geo_is_geo_distance_until_it_has_learnt() {
    let page = page_of("http://a.example/", "<a href=/1>Contact</a><a href=http://b.example/2>News</a>");
    let untaught = geo(Told::default());
    for (links, relevant) in [(0, false), (3, false), (3, true)] {
        let arrival = arrival(&page, links, relevant);
        assert_eq!(untaught.links(&arrival), by_name("geo-distance").unwrap().links(&arrival));
    }
}

#[test]
fn geo_follows_links_like_those_that_led_to_relevant_pages() {
    let strategy = geo(Told::default());
    for n in 0..60 {
        teach(&*strategy, n, "contact", true);
        (0..5).for_each(|m| teach(&*strategy, 100 + 5 * n + m, "news", false));
    }
    let page =
        page_of("http://a.example/x", "<a href=/news/9>news</a><a href=/contact/9>contact</a><a href=/shop>shop</a>");
    let [news, contact, shop] = priorities(&strategy.links(&arrival(&page, 1, false)))[..] else { panic!() };
    assert!(contact > 0.8 && news < 0.35 && (0.25..contact).contains(&shop), "{news} {contact} {shop}");
    // A prediction only raises a priority.
    assert!(news >= 0.25);
}

#[test]
fn what_geo_has_learnt_is_taken_up_again_and_teaches_other_crawls() {
    let first = geo(Told { region: Vocabulary::of(["Kiel"]), ..Told::default() });
    for n in 0..60 {
        teach(&*first, n, "kiel", true);
        (0..5).for_each(|m| teach(&*first, 100 + 5 * n + m, "news", false));
    }
    let page =
        page_of("http://a.example/x", "<a href=/kiel/9>kiel</a><a href=/news/9>news</a><a href=/bonn/9>bonn</a>");
    let ask = |strategy: &dyn Strategy| priorities(&strategy.links(&arrival(&page, 1, false)));
    let learnt = first.learnt().unwrap();
    let again = geo(Told { region: Vocabulary::of(["Kiel"]), resumed: Some(learnt.clone()), ..Told::default() });
    assert_eq!(ask(&*again), ask(&*first));
    // For a crawl about Bonn, "Bonn" is what "Kiel" was.
    let other = geo(Told { region: Vocabulary::of(["Bonn"]), taught: Some(learnt), ..Told::default() });
    let [kiel, news, bonn] = ask(&*other)[..] else { panic!() };
    assert!(bonn > kiel && bonn > news, "{kiel} {news} {bonn}");
    for damaged in [vec![], vec![1, 2, 3], vec![9; 100]] {
        let told = Told { resumed: Some(damaged), ..Told::default() };
        assert!(strategy::told("geo", told).is_err());
    }
    assert!(by_name("bfs").unwrap().learnt().is_none());
}

#[test]
fn geo_prefers_where_photographs_were_kept() {
    let strategy = by_name("geo").unwrap();
    for n in 0..20 {
        let (rich, poor) = (format!("http://rich.example/{n}"), format!("http://poor.example/{n}"));
        strategy.links(&Arrival::at(&page_of(&rich, "")));
        strategy.links(&Arrival::at(&page_of(&poor, "")));
        (0..3).for_each(|_| strategy.kept(&url(&rich), false));
    }
    let page = page_of("http://a.example/", "<a href=http://poor.example/99>a</a><a href=http://rich.example/99>b</a>");
    let [poor, rich] = priorities(&strategy.links(&arrival(&page, 0, false)))[..] else { panic!() };
    assert!(rich > poor, "{rich} {poor}");
}

/// `weighted` for these words, without the prior.
fn weighted(query: &str, weighting: Weighting) -> Weighted {
    let criteria = Criteria::of(Some(query)).unwrap();
    Weighted::new(Told { criteria, weighting, prior: false, ..Told::default() }).unwrap()
}

/// The check of algorithms 1.3.
#[test]
fn descriptions_are_as_similar_as_their_terms() {
    let strategy = weighted("airplane museum", Weighting::default());
    assert!((strategy.similarity("airplane museum", None) - 1.0).abs() < 1e-9);
    assert!((strategy.similarity("the airplanes of a museum", Some("en")) - 1.0).abs() < 1e-9);
    assert_eq!(strategy.similarity("cooking", Some("en")), 0.0);
    assert_eq!(strategy.similarity("", None), 0.0);
    // One of two words is 1/√2, and again with a word that was not asked for.
    assert!((strategy.similarity("museum", None) - 0.5f64.sqrt()).abs() < 1e-9);
    assert!((strategy.similarity("museum shop", None) - 0.5).abs() < 1e-9);
    let plain = weighted("airplane museum", Weighting { stemming: false, ..Weighting::default() });
    assert!((plain.similarity("the airplanes of a museum", None) - 0.5).abs() < 1e-9);
    let german = weighted("Brücke", Weighting::default());
    assert!((german.similarity("Die BRUCKEN", Some("de")) - 1.0).abs() < 1e-9);
}

#[test]
fn links_of_pages_that_say_what_is_looked_for_go_first() {
    let strategy = weighted("airplane", Weighting::default());
    let ask = |body: &str| priorities(&strategy.links(&Arrival::at(&page_of("http://a.example/", body))));
    let [about] = ask("<p>An airplane stands in the hall.</p><ul><li><a href=/1>more</a></ul>")[..] else { panic!() };
    let [not] = ask("<p>A kettle stands in the hall.</p><ul><li><a href=/1>more</a></ul>")[..] else { panic!() };
    let [headed] = ask("<h1>The airplane</h1><p>It stands in the hall.</p><ul><li><a href=/1>more</a></ul>")[..] else {
        panic!()
    };
    assert!(not == 0.0 && about > 0.0 && headed > about, "{not} {about} {headed}");
    let flat = weighted("airplane", Weighting { headings: false, ..Weighting::default() });
    let page = page_of("http://a.example/", "<h1>The airplane</h1><p>It stands in the hall.</p><p><a href=/1>more</a>");
    assert!(priorities(&flat.links(&Arrival::at(&page)))[0] < headed);
}

#[test]
fn a_link_is_described_by_its_title_then_what_stands_around_it_then_its_text() {
    let body = "<p><a href=/1 title='airplane'>x</a></p><p>airplane <a href=/2>y</a></p><p><a href=/3>airplane</a></p>\
                <p>kettle <a href=/4>airplane</a></p><p><a href=/5 title=kettle>airplane</a></p>";
    let page = page_of("http://a.example/", body);
    let said = |link_words| {
        let found = priorities(
            &weighted("airplane", Weighting { link_words, ..Weighting::default() }).links(&Arrival::at(&page)),
        );
        let least = found.iter().copied().fold(1.0, f32::min);
        found.iter().map(|weight| *weight > least).collect::<Vec<_>>()
    };
    assert_eq!(said(LinkWords::Around), [true, true, true, false, false]);
    assert_eq!(said(LinkWords::Text), [true, false, true, true, false]);
}

#[test]
fn a_site_may_be_read_before_the_next() {
    let body = "<ul><li><a href=http://b.example/>airplane</a><li><a href=http://www.a.example/>kettle</a></ul>";
    let page = page_of("http://a.example/", body);
    for (same_site_first, order) in [(false, true), (true, false)] {
        let weighting = Weighting { same_site_first, ..Weighting::default() };
        let [away, here] = priorities(&weighted("airplane", weighting).links(&Arrival::at(&page)))[..] else {
            panic!()
        };
        assert_eq!(away > here, order, "{away} {here}");
    }
}

#[test]
fn with_idf_common_terms_of_links_count_less() {
    let weighting = Weighting { idf: true, ..Weighting::default() };
    let strategy = weighted("airplane museum", weighting);
    for n in 0..30 {
        let body = format!("<ul><li><a href=/{n}>museum of kettles</a><li><a href=/b{n}>the museum {n}</a></ul>");
        strategy.links(&Arrival::at(&page_of(&format!("http://a.example/{n}"), &body)));
    }
    let body = "<ul><li><a href=/x>airplane kettles</a><li><a href=/y>museum kettles</a></ul>";
    let page = page_of("http://a.example/z", body);
    let [rare, common] = priorities(&strategy.links(&Arrival::at(&page)))[..] else { panic!() };
    assert!(rare > common, "{rare} {common}");
    // What was counted is taken up again.
    let told = Told { resumed: strategy.learnt(), prior: false, weighting, ..Told::default() };
    let again = Weighted::new(Told { criteria: strategy.criteria().clone(), ..told }).unwrap();
    assert_eq!(priorities(&again.links(&Arrival::at(&page)))[0], rare);
}

#[test]
fn an_address_weighs_more_with_every_link_to_it() {
    let body = "<ul><li><a href=http://b.example/>airplane</a></ul>";
    for (vertex, grows) in [(VertexWeight::Own, false), (VertexWeight::Inlinks, true), (VertexWeight::Both, true)] {
        let strategy = weighted("airplane", Weighting { vertex, ..Weighting::default() });
        let ask = |n: u32| {
            let page = page_of(&format!("http://a.example/{n}"), body);
            priorities(&strategy.links(&Arrival::at(&page)))[0]
        };
        let (first, second) = (ask(1), ask(2));
        assert_eq!(second > first, grows, "{vertex:?} {first} {second}");
        // A page that is read again is no further link.
        assert_eq!(ask(2), second);
        assert!((3..60).map(ask).all(|weight| weight <= 1.0));
    }
}

#[test]
fn backlink_visits_what_most_pages_link_to() {
    // a links to b, c and d; d is linked to by b, so it overtakes c.
    let web = Web(BTreeMap::from([
        ("a", "<a href=b>1</a><a href=c>2</a><a href=d>3</a>"),
        ("b", "<a href=e>1</a><a href=d>2</a><a href=f>3</a>"),
        ("d", "<a href=f>1</a>"),
        ("f", "<a href=g>1</a>"),
    ]));
    assert_eq!(web.crawl(&*by_name("backlink").unwrap(), "http://x.example/a"), "abdfceg");
}

#[test]
fn backlink_counts_a_page_once_also_after_a_restart() {
    let page = page_of("http://a.example/", "<a href=http://b.example/>b</a>");
    let other = page_of("http://c.example/", "<a href=http://b.example/>b</a>");
    let strategy = by_name("backlink").unwrap();
    let [first] = priorities(&strategy.links(&Arrival::at(&page)))[..] else { panic!() };
    assert_eq!(priorities(&strategy.links(&Arrival::at(&page))), [first]);
    let told = Told { resumed: strategy.learnt(), ..Told::default() };
    let again = strategy::told("backlink", told.clone()).unwrap().unwrap();
    assert_eq!(priorities(&again.links(&Arrival::at(&page))), [first]);
    assert!(priorities(&again.links(&Arrival::at(&other)))[0] > first);
    // A crawl that goes on with another strategy begins to learn anew; a teacher must be of the same.
    assert!(strategy::told("weighted", told.clone()).is_ok() && strategy::told("geo", told.clone()).is_ok());
    let taught = Told { taught: told.resumed, ..Told::default() };
    assert!(strategy::told("weighted", taught.clone()).is_err() && strategy::told("geo", taught).is_err());
}
