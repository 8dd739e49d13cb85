//! HTTPS, bad certificates, cookie walls, images that need a Referer or live on other hosts.

use std::collections::BTreeSet;

use crate::harness::{Bird, Lab, small_web};

#[test]
fn a_crawl_over_https_works_and_bad_certificates_are_refused_with_a_reason() {
    let lab = Lab::start(lab::Settings { https_share: 1.0, bad_certificates: true, ..small_web(51) });
    let bird = Bird::new();
    let mut arguments = vec!["crawl".to_owned(), "--delay".into(), "5ms".into(), "--max-pages".into(), "60".into()];
    arguments.extend(["--name".into(), "secure".into()]);
    arguments.extend(lab.seeds.clone());
    arguments.extend(["https://expired.lab.test/", "https://wrong.lab.test/"].map(String::from));
    arguments.extend(lab.reach());
    let summary = bird.json(&arguments);
    assert_eq!(summary["pages"], 60);
    let kept = bird.kept();
    assert!(kept.pages.iter().filter(|page| page.starts_with("https://")).count() >= 50, "{:?}", kept.pages);
    assert!(kept.files.len() > 20);
    for host in ["expired", "wrong"] {
        assert_eq!(kept.failures.get(&format!("https://{host}.lab.test/")).map(String::as_str), Some("tls"));
    }
    let log = bird.json(["crawls", "secure", "--log", "500"]);
    let details: Vec<_> = log["log"].as_array().unwrap().iter().filter(|line| line["reason"] == "tls").collect();
    assert!(details.iter().any(|line| line["detail"].as_str().unwrap().contains("expired")), "{details:?}");
    assert!(details.iter().any(|line| line["detail"].as_str().unwrap().contains("another name")), "{details:?}");
}

#[test]
fn without_the_labs_authority_nothing_is_trusted() {
    let lab = Lab::start(lab::Settings { https_share: 1.0, ..small_web(52) });
    let bird = Bird::new();
    let seed = lab.seeds.iter().find(|seed| seed.starts_with("https://")).unwrap();
    let output = bird.run(["crawl", seed, "--resolve", &lab.rule(), "--delay", "5ms"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("certificate"), "{errors}");
}

#[test]
fn everything_the_web_offers_arrives() {
    let lab = Lab::small(53);
    let bird = Bird::new();
    let mut arguments =
        vec!["crawl".to_owned(), "--delay".into(), "5ms".into(), "--max-pages".into(), "1000000".into()];
    arguments.extend(["--kind".into(), "image,video,audio".into(), "--keep".into(), "all".into()]);
    arguments.extend(lab.seeds.clone());
    arguments.extend(lab.reach());
    let summary = bird.json(&arguments);
    assert_eq!(summary["stopped"], "empty", "{summary}");
    let kept = bird.kept();
    let web = lab.server().web();
    let (mut pages, mut media) = (Vec::new(), BTreeSet::new());
    for (page, _) in web.walk() {
        pages.extend(web.url_of(page).map(|url| url.to_string()));
        media.extend(web.media_of(page).into_iter().map(|url| url.to_string()));
    }
    let missing: Vec<_> = pages.iter().filter(|page| !kept.pages.contains(*page)).collect();
    assert!(missing.is_empty(), "pages missing: {missing:?}");
    // What is not kept was asked not to be.
    let opted_out = |url: &String| matches!(kept.refused.get(url).map(String::as_str), Some("opt-out" | "robots"));
    let missing: Vec<_> = media.iter().filter(|url| !kept.media.contains_key(*url) && !opted_out(url)).collect();
    let why = |url: &&String| kept.refused.get(*url).or_else(|| kept.failures.get(*url)).cloned();
    let missing: Vec<_> = missing.iter().map(|url| (*url, why(url))).collect();
    assert!(missing.is_empty(), "media missing: {missing:#?}");
    let arrived = media.iter().filter(|url| kept.media.contains_key(*url)).count();
    assert!(arrived * 10 >= media.len() * 7, "{arrived} of {}", media.len());
    assert!(kept.media.keys().any(|url| url.contains("://cdn")), "some images live on other hosts");
    assert!(kept.media.keys().any(|url| url.contains("sig=")), "some addresses are signed");
}
