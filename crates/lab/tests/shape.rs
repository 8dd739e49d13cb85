//! The shape of the made web: what crawling strategies can find out on it.

use std::collections::{HashMap, HashSet, VecDeque};

use lab::{Asked, PageId, Settings, Topics, Web};

const NUMBERS: std::ops::RangeInclusive<u64> = 1..=5;

fn web(number: u64) -> Web {
    Web::new(Settings { number, photo_bytes_scale: 0.02, ..Settings::default() })
}

fn walked(web: &Web) -> Vec<PageId> {
    web.walk().take(3_000).map(|(page, _)| page).collect()
}

fn relevant(web: &Web) -> Vec<PageId> {
    walked(web).into_iter().filter(|page| web.is_relevant(*page)).collect()
}

/// Pages that are not relevant between this one and the nearest other relevant one.
fn bridge(web: &Web, from: PageId) -> Option<usize> {
    let mut known = HashSet::from([from]);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((page, between)) = queue.pop_front() {
        for link in web.outlinks(page).into_iter().filter(|link| *link != from) {
            if known.insert(link) {
                if web.is_relevant(link) {
                    return Some(between);
                }
                if between < 4 {
                    queue.push_back((link, between + 1));
                }
            }
        }
    }
    None
}

#[test]
fn breadth_first_harvests_three_to_six_percent() {
    for number in NUMBERS {
        let harvest = relevant(&web(number)).len() as f64 / 3_000.0;
        println!("number {number}: {:.1} %", 100.0 * harvest);
        assert!((0.03..=0.06).contains(&harvest), "number {number}: {harvest}");
    }
}

#[test]
fn fewer_than_half_of_the_relevant_pages_link_directly_to_another() {
    for number in NUMBERS {
        let web = web(number);
        let pages = relevant(&web);
        let direct = pages.iter().filter(|page| web.outlinks(**page).iter().any(|l| l != *page && web.is_relevant(*l)));
        let share = direct.count() as f64 / pages.len() as f64;
        println!("number {number}: {:.0} %", 100.0 * share);
        assert!((0.1..0.5).contains(&share), "number {number}: {share}");
    }
}

#[test]
fn most_relevant_pages_are_joined_by_bridges_of_one_to_four_pages() {
    for number in NUMBERS {
        let web = web(number);
        let mut lengths = [0; 5];
        for page in relevant(&web).into_iter().take(30) {
            lengths[bridge(&web, page).expect("every relevant page leads to another")] += 1;
        }
        println!("number {number}: {lengths:?}");
        assert!(lengths[1..].iter().sum::<i32>() > lengths[0], "number {number}: {lengths:?}");
    }
}

#[test]
fn on_an_aimless_web_relevant_pages_lead_to_relevant_ones_no_more_often_than_others_do() {
    // Links of a site's frame are about the site; those of texts are many more.
    let web = Web::new(Settings { cohesion: 0.0, noise: 1.0, aimless: 1.0, ..Settings::default() });
    let (mut near, mut far) = ((0, 0), (0, 0));
    for page in walked(&web) {
        let count = if web.is_relevant(page) { &mut near } else { &mut far };
        let links = web.outlinks(page);
        count.0 += links.iter().filter(|link| web.is_relevant(**link)).count();
        count.1 += links.len();
    }
    let share = |(relevant, links): (usize, usize)| relevant as f64 / links as f64;
    let ratio = share(near) / share(far);
    println!("relevant links of relevant pages, beside others: {ratio:.2}");
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn cohesion_and_bridges_are_what_the_settings_say() {
    let direct = |cohesion: f64| {
        let web = Web::new(Settings { cohesion, ..Settings::default() });
        let pages = relevant(&web);
        pages.iter().filter(|page| bridge(&web, **page) == Some(0)).count() as f64 / pages.len() as f64
    };
    assert!(direct(0.0) < 0.1);
    assert!(direct(1.0) > 0.7);
    let near = |bridge_weights: [f64; 4]| {
        let web = Web::new(Settings { cohesion: 0.0, bridge: bridge_weights, ..Settings::default() });
        let pages: Vec<PageId> = relevant(&web).into_iter().take(40).collect();
        pages.iter().filter(|page| bridge(&web, **page) == Some(1)).count()
    };
    assert!(near([1.0, 0.0, 0.0, 0.0]) > near([0.0, 0.0, 0.5, 0.5]));
}

#[test]
fn half_of_the_links_on_the_way_name_no_place() {
    let web = web(1);
    let (mut plain, mut all) = (0, 0);
    for page in walked(&web).into_iter().take(400) {
        let url = web.url_of(page).unwrap();
        let body = web.answer(&Asked { times_before: 1, ..Asked::get(&url) }).body;
        let text = String::from_utf8_lossy(&body);
        for link in text.split("<a href=\"").skip(1) {
            let Some((href, rest)) = link.split_once('"') else { continue };
            let anchor =
                rest.split_once('>').and_then(|(_, rest)| rest.split_once("</a>")).map_or("", |(text, _)| text);
            let Some(target) = url.join(&href.replace("&amp;", "&")).ok().and_then(|url| web.page_at(&url)) else {
                continue;
            };
            let truth = web.truth(&web.url_of(target).unwrap()).unwrap().page.unwrap();
            let role = serde_json::to_value(truth.role).unwrap();
            if !["place", "directory", "guide", "story"].contains(&role.as_str().unwrap()) {
                continue;
            }
            all += 1;
            let first = truth.about.split(' ').next().unwrap().to_lowercase();
            let ascii: String = first.chars().filter(char::is_ascii).take(3).collect();
            let named = anchor.to_lowercase().contains(&first)
                || (!ascii.is_empty() && href.contains(&ascii) && first.is_ascii());
            plain += usize::from(!named);
        }
    }
    let share = plain as f64 / all as f64;
    println!("{:.0} % of {all} links", 100.0 * share);
    assert!((0.4..0.7).contains(&share), "{share}");
}

#[test]
fn certain_roles_and_site_kinds_lead_to_relevant_pages_and_others_never() {
    let web = web(2);
    let mut leads: HashMap<String, (usize, usize)> = HashMap::new();
    for page in walked(&web) {
        let truth = web.truth(&web.url_of(page).unwrap()).unwrap().page.unwrap();
        let role = serde_json::to_value(truth.role).unwrap().as_str().unwrap().to_owned();
        let count = leads.entry(role).or_default();
        count.0 += usize::from(web.outlinks(page).iter().any(|link| web.is_relevant(*link)));
        count.1 += 1;
    }
    let share = |role: &str| leads[role].0 as f64 / leads[role].1.max(1) as f64;
    assert!(share("directory") > 0.2, "{leads:?}");
    assert!(share("directory") > 3.0 * share("tag"), "{leads:?}");
    assert!(share("directory") > 3.0 * share("article"), "{leads:?}");
}

#[test]
fn a_web_of_a_million_pages_is_as_quick_as_a_small_one() {
    let web = Web::new(Settings { hosts: 100_000, pages: 10_000_000, photo_bytes_scale: 0.02, ..Settings::default() });
    let (last, _) = web.walk().take(200).last().unwrap();
    let url = web.url_of(last).unwrap();
    let answer = web.answer(&Asked { times_before: 1, cookie: Some("seen=1; consent=yes".into()), ..Asked::get(&url) });
    assert_eq!(answer.status, 200);
}

#[test]
fn pages_have_the_sizes_and_links_of_the_real_web() {
    let web = web(3);
    let (mut bytes, mut links) = (Vec::new(), Vec::new());
    for page in walked(&web).into_iter().take(600) {
        let asked = Asked { times_before: 1, ..Asked::get(&web.url_of(page).unwrap()) };
        let answer = web.answer(&Asked { cookie: Some("seen=1; consent=yes".into()), ..asked });
        assert_eq!(answer.status, 200);
        bytes.push(answer.body.len());
        links.push(String::from_utf8_lossy(&answer.body).matches("<a href=").count());
    }
    bytes.sort_unstable();
    links.sort_unstable();
    let (median, large) = (bytes[300], bytes[570]);
    println!("bytes: median {median}, 95 % {large}; links: {} to {}, median {}", links[30], links[570], links[300]);
    assert!((25_000..36_000).contains(&median), "{median}");
    assert!(large > 70_000, "{large}");
    assert!(links[30] >= 40 && links[570] <= 80, "{} to {}", links[30], links[570]);
}

#[test]
fn with_topics_links_lead_to_pages_alike_and_words_mislead() {
    let plain = web(3);
    let topical = Web::new(Settings { topics: Some(Topics::default()), ..plain.settings().clone() });
    let topics = |web: &Web, page| web.truth(&web.url_of(page).unwrap()).unwrap().page.unwrap();
    // The share of links that stay with a topic of their page, in its language.
    let share = |web: &Web| {
        let (mut alike, mut all) = (0.0, 0.0);
        for page in web.walk().take(200).map(|(page, _)| page) {
            let own = topics(web, page).topics;
            for link in web.outlinks(page) {
                alike += f64::from(own.iter().any(|topic| web.is_on_topic(link, topic)));
                all += 1.0;
            }
        }
        alike / all
    };
    let (without, with) = (share(&plain), share(&topical));
    // Most links of a page stay on its site, whose pages share a topic anyway.
    assert!(with > without + 0.05, "{without} {with}");

    let (mut passing, mut listed) = (0, 0);
    for page in topical.walk().map(|(page, _)| page) {
        let (url, truth) = (topical.url_of(page).unwrap(), topics(&topical, page));
        let html = String::from_utf8(topical.answer(&Asked::get(&url)).body.to_vec()).unwrap();
        // Some sites show nothing without a cookie.
        if !html.contains("<h1>") {
            continue;
        }
        if let Some(word) = truth.passing {
            assert!(html.contains(&format!("<b>{word}</b>")) && !topical.is_on_topic(page, word), "{url}");
            passing += 1;
        }
        // Languages that bend their words, or write without spaces, are left out.
        if let Some(word) = truth.anchors_only.filter(|_| truth.language == "en") {
            let outside: String = html.split("<a ").map(|part| part.split("</a>").last().unwrap_or("")).collect();
            let body = outside.split("</head>").last().unwrap_or("").to_lowercase();
            assert!(html.to_lowercase().contains(word) && !body.contains(&format!(" {word}")), "{url} {word}");
            listed += 1;
        }
    }
    assert!(passing > 60 && listed > 0, "{passing} {listed}");
}
