//! I3: what must not be reached is not even dialled.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use facts::{HostName, Url};
use fetch::{FetchError, Fetcher, Proxy, Settings, SystemResolver, Why};

use crate::server::{Server, answer};
use crate::wires::{Recorder, Table, page, settings};

/// Hosts of URLs in all their disguises.
const LITERALS: &[(&str, Why)] = &[
    ("127.0.0.1", Why::Loopback),
    ("127.255.255.254", Why::Loopback),
    ("2130706433", Why::Loopback),
    ("0x7f000001", Why::Loopback),
    ("0x7f.1", Why::Loopback),
    ("0177.0.0.1", Why::Loopback),
    ("017700000001", Why::Loopback),
    ("127.1", Why::Loopback),
    ("127.0.0.1.", Why::Loopback),
    ("１２７.0.0.1", Why::Loopback),
    ("0", Why::Unspecified),
    ("0.0.0.0", Why::Unspecified),
    ("0.1.2.3", Why::Unspecified),
    ("10.0.0.1", Why::Private),
    ("172.16.0.1", Why::Private),
    ("172.31.255.255", Why::Private),
    ("192.168.1.1", Why::Private),
    ("3232235777", Why::Private),
    ("169.254.0.1", Why::LinkLocal),
    ("169.254.169.254", Why::Metadata),
    ("0xA9FEA9FE", Why::Metadata),
    ("2852039166", Why::Metadata),
    ("0251.0376.0251.0376", Why::Metadata),
    ("169.254.170.2", Why::Metadata),
    ("100.100.100.200", Why::Metadata),
    ("168.63.129.16", Why::Metadata),
    ("192.0.0.192", Why::Metadata),
    ("100.64.0.1", Why::SharedNat),
    ("100.127.255.255", Why::SharedNat),
    ("192.0.0.1", Why::Reserved),
    ("192.0.2.1", Why::Documentation),
    ("198.51.100.7", Why::Documentation),
    ("203.0.113.9", Why::Documentation),
    ("198.18.0.1", Why::Benchmark),
    ("198.19.255.255", Why::Benchmark),
    ("192.88.99.1", Why::Reserved),
    ("224.0.0.1", Why::Multicast),
    ("239.255.255.250", Why::Multicast),
    ("240.0.0.1", Why::Reserved),
    ("255.255.255.255", Why::Broadcast),
    ("[::]", Why::Unspecified),
    ("[::1]", Why::Loopback),
    ("[0:0:0:0:0:0:0:1]", Why::Loopback),
    ("[::ffff:127.0.0.1]", Why::Loopback),
    ("[::ffff:7f00:1]", Why::Loopback),
    ("[::ffff:10.1.2.3]", Why::Private),
    ("[::ffff:169.254.169.254]", Why::Metadata),
    ("[::127.0.0.1]", Why::Loopback),
    ("[::ffff:0:127.0.0.1]", Why::Loopback),
    ("[64:ff9b::127.0.0.1]", Why::Loopback),
    ("[64:ff9b::a9fe:a9fe]", Why::Metadata),
    ("[64:ff9b:1::1]", Why::Reserved),
    ("[2002:7f00:1::]", Why::Loopback),
    ("[2002:c0a8:101::1]", Why::Private),
    ("[fe80::1]", Why::LinkLocal),
    ("[febf::1]", Why::LinkLocal),
    ("[fec0::1]", Why::Private),
    ("[fc00::1]", Why::Private),
    ("[fd12:3456:789a::1]", Why::Private),
    ("[fd00:ec2::254]", Why::Metadata),
    ("[fd20:ce::254]", Why::Metadata),
    ("[ff02::1]", Why::Multicast),
    ("[2001:db8::1]", Why::Documentation),
    ("[3fff::1]", Why::Documentation),
    ("[2001::1]", Why::Reserved),
    ("[100::1]", Why::Reserved),
    ("[4000::1]", Why::Reserved),
];

/// Addresses of the public internet, some of them next door to those above.
const PUBLIC: &[&str] = &[
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "198.17.255.255",
    "223.255.255.255",
    "[2606:4700::1111]",
    "[2002:101:101::1]",
    "[64:ff9b::1.1.1.1]",
    "[::ffff:1.1.1.1]",
];

fn host(text: &str) -> HostName {
    HostName::parse(text).unwrap_or_else(|| panic!("{text}"))
}

/// Sends one request with a dialler that never dials; what it was asked, and what was refused.
async fn attempt(settings: Settings, names: &[(&str, &[&[&str]])], url: &str) -> (Vec<String>, Option<Why>) {
    let recorder = Recorder::new(&[]);
    let fetcher = Fetcher::with(settings, Table::new(names), recorder.clone()).unwrap();
    let refused = match fetcher.send(page(url)).await {
        Err(FetchError::RefusedAddress(refused)) => Some(refused.why),
        Err(FetchError::Connect { .. }) => None,
        other => panic!("{url}: {other:?}"),
    };
    (recorder.dialled(), refused)
}

#[test]
fn the_guard_refuses_what_is_not_public_and_says_why() {
    let guard = settings().guard();
    for (literal, why) in LITERALS {
        let host = host(literal);
        let refused = guard.check(&host, host.as_ip().unwrap(), 80).expect_err(literal);
        assert_eq!(refused.why, *why, "{literal}");
        assert!(refused.to_string().contains("not dialled"), "{refused}");
    }
    for literal in PUBLIC {
        let host = host(literal);
        assert_eq!(guard.check(&host, host.as_ip().unwrap(), 80), Ok(()), "{literal}");
    }
}

#[tokio::test]
async fn a_refused_address_in_a_url_is_never_dialled() {
    for (literal, why) in LITERALS {
        for url in [format!("http://{literal}/"), format!("https://user@{literal}:8443/x")] {
            assert_eq!(attempt(settings(), &[], &url).await, (vec![], Some(*why)), "{url}");
        }
    }
    for literal in PUBLIC {
        let ip = host(literal).as_ip().unwrap();
        let dialled = SocketAddr::new(ip, 80).to_string();
        assert_eq!(attempt(settings(), &[], &format!("http://{literal}/")).await, (vec![dialled], None));
    }
}

#[tokio::test]
async fn a_refused_address_behind_a_name_is_never_dialled() {
    for (literal, why) in LITERALS {
        let ip = host(literal).as_ip().unwrap().to_string();
        let names: &[(&str, &[&[&str]])] = &[("rebound.example", &[&[&ip]])];
        assert_eq!(attempt(settings(), names, "http://rebound.example/").await, (vec![], Some(*why)), "{literal}");
    }
}

#[tokio::test]
async fn of_many_addresses_only_the_public_ones_are_dialled() {
    let names: &[(&str, &[&[&str]])] = &[("mixed.example", &[&["127.0.0.1", "1.1.1.1", "10.0.0.1", "::1", "1.0.0.1"]])];
    let (dialled, refused) = attempt(settings(), names, "http://mixed.example:8080/").await;
    assert_eq!(dialled, ["1.1.1.1:8080", "1.0.0.1:8080"]);
    assert_eq!(refused, None);
}

#[tokio::test]
async fn a_name_that_is_rebound_gains_nothing() {
    // Public when first asked, private ever after: each answer is judged, and what was judged is dialled.
    let names: &[(&str, &[&[&str]])] = &[("rebound.example", &[&["1.1.1.1"], &["127.0.0.1"], &["169.254.169.254"]])];
    let recorder = Recorder::new(&[]);
    let fetcher = Fetcher::with(settings(), Table::new(names), recorder.clone()).unwrap();
    assert!(matches!(fetcher.send(page("http://rebound.example/")).await, Err(FetchError::Connect { .. })));
    for _ in 0..3 {
        let again = fetcher.send(page("http://rebound.example/")).await;
        assert!(matches!(again, Err(FetchError::RefusedAddress(_))), "{again:?}");
    }
    assert_eq!(recorder.dialled(), ["1.1.1.1:80"]);
}

#[tokio::test]
async fn a_redirect_to_a_private_address_leads_nowhere() {
    let server = Server::start(|seen| {
        let target = seen.path().trim_start_matches("/to?").to_owned();
        answer(&format!("302 Found\r\nLocation: {target}"), "")
    })
    .await;
    let recorder = Recorder::new(&[server.address]);
    let rules = vec![format!("*.lab.test={}", server.address).parse().unwrap()];
    let names: &[(&str, &[&[&str]])] = &[("inside.example", &[&["192.168.0.10"]])];
    let fetcher =
        Fetcher::with(Settings { resolve: rules, ..settings() }, Table::new(names), recorder.clone()).unwrap();
    for target in [
        "http://127.0.0.1/",
        "//127.0.0.1:22/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "https://0/",
        "http://inside.example/",
        &format!("http://{}/", server.address),
    ] {
        let response = fetcher.send(page(&format!("http://a.lab.test/to?{target}"))).await.unwrap();
        let next = response.redirect().unwrap().unwrap();
        response.discard().await;
        let hop = fetcher.send(page(next.as_str())).await;
        assert!(matches!(hop, Err(FetchError::RefusedAddress(_))), "{target}: {hop:?}");
    }
    assert_eq!(recorder.dialled(), [server.address.to_string()]);
}

#[tokio::test]
async fn a_rule_admits_its_own_address_and_port_and_no_other() {
    let rules = |text: &str| Settings { resolve: vec![text.parse().unwrap()], ..settings() };
    let local: &[(&str, &[&[&str]])] = &[("other.example", &[&["127.0.0.1"]]), ("lab.test", &[&["127.0.0.1"]])];
    for (rule, url, dialled) in [
        ("*.lab.test=127.0.0.1:8080", "http://a.lab.test/", Some("127.0.0.1:8080")),
        ("*.lab.test=127.0.0.1:8080", "https://b.a.lab.test:999/", Some("127.0.0.1:8080")),
        ("*.lab.test=127.0.0.1:8080", "http://lab.test/", None),
        ("*.lab.test=127.0.0.1:8080", "http://other.example:8080/", None),
        ("*.lab.test=127.0.0.1:8080", "http://127.0.0.1:8080/", None),
        ("https:lab.test=127.0.0.1:8443", "https://lab.test/", Some("127.0.0.1:8443")),
        ("https:lab.test=127.0.0.1:8443", "http://lab.test/", None),
        ("lab.test:443=[::1]:8443", "https://lab.test/", Some("[::1]:8443")),
        ("lab.test:443=[::1]:8443", "http://lab.test/", None),
        ("127.0.0.1=127.0.0.1:8080", "http://127.0.0.1:22/", Some("127.0.0.1:8080")),
        ("meta.test=169.254.169.254:80", "http://meta.test/", None),
        ("meta.test=[::ffff:169.254.169.254]:80", "http://meta.test/", None),
    ] {
        let (found, refused) = attempt(rules(rule), local, url).await;
        assert_eq!(found, dialled.into_iter().collect::<Vec<_>>(), "{rule} {url}");
        assert_eq!(refused.is_some(), dialled.is_none(), "{rule} {url}");
    }
    let guard = rules("*.lab.test=127.0.0.1:8080").guard();
    assert!(guard.check(&host("a.lab.test"), "127.0.0.1".parse().unwrap(), 8080).is_ok());
    assert!(guard.check(&host("a.lab.test"), "127.0.0.1".parse().unwrap(), 8081).is_err());
    assert!(guard.check(&host("a.lab.test"), "127.0.0.2".parse().unwrap(), 8080).is_err());
    assert!(guard.check(&host("b.example"), "127.0.0.1".parse().unwrap(), 8080).is_err());
}

#[tokio::test]
async fn private_addresses_are_admitted_for_the_named_hosts_only() {
    let names: &[(&str, &[&[&str]])] = &[
        ("seed.example", &[&["192.168.1.5"]]),
        ("sub.seed.example", &[&["192.168.1.5"]]),
        ("moved.example", &[&["169.254.169.254"]]),
        ("odd.example", &[&["0.0.0.0", "224.0.0.1", "192.0.2.1"]]),
    ];
    let seeds = ["seed.example", "moved.example", "odd.example", "127.0.0.1", "[::1]", "169.254.169.254"];
    for (url, dialled) in [
        ("http://seed.example/", Some("192.168.1.5:80")),
        ("http://127.0.0.1:3000/", Some("127.0.0.1:3000")),
        ("http://[::1]/", Some("[::1]:80")),
        ("http://sub.seed.example/", None),
        ("http://192.168.1.5/", None),
        ("http://127.0.0.2/", None),
        ("http://moved.example/", None),
        ("http://169.254.169.254/", None),
        ("http://odd.example/", None),
    ] {
        let private_hosts: HashSet<HostName> = seeds.iter().map(|seed| host(seed)).collect();
        let (found, refused) = attempt(Settings { private_hosts, ..settings() }, names, url).await;
        assert_eq!(found, dialled.into_iter().collect::<Vec<_>>(), "{url}");
        assert_eq!(refused.is_some(), dialled.is_none(), "{url}");
    }
}

#[tokio::test]
async fn our_own_listeners_are_never_reached() {
    let own = |listeners: &[&str]| Settings {
        own_listeners: listeners.iter().map(|listener| listener.parse().unwrap()).collect(),
        private_hosts: [host("127.0.0.1"), host("127.0.0.2"), host("[::ffff:127.0.0.1]")].into(),
        resolve: vec!["*.lab.test=127.0.0.1:8080".parse().unwrap()],
        ..settings()
    };
    for (listener, url, is_reached) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080/", false),
        ("127.0.0.1:8080", "http://[::ffff:127.0.0.1]:8080/", false),
        ("127.0.0.1:8080", "http://127.0.0.1:8081/", true),
        ("127.0.0.1:8080", "http://a.lab.test/", false),
        ("127.0.0.1:9", "http://a.lab.test/", true),
        ("0.0.0.0:8080", "http://127.0.0.2:8080/", false),
        ("[::]:8080", "http://127.0.0.1:8080/", false),
        ("1.1.1.1:8080", "http://1.1.1.1:8080/", false),
        ("1.1.1.1:8080", "http://1.1.1.1/", true),
    ] {
        let (dialled, refused) = attempt(own(&[listener]), &[], url).await;
        assert_eq!(dialled.len(), usize::from(is_reached), "{url} with a listener at {listener}");
        assert_eq!(refused, (!is_reached).then_some(Why::OwnListener), "{url} with a listener at {listener}");
    }
}

#[tokio::test]
async fn a_proxy_is_no_way_around_the_guard() {
    let proxy =
        Proxy::Given { http: "http://9.9.9.9:3128".into(), https: "http://9.9.9.9:3128".into(), except: "".into() };
    let names: &[(&str, &[&[&str]])] =
        &[("inside.example", &[&["10.0.0.1"]]), ("mixed.example", &[&["1.1.1.1", "10.0.0.1"]])];
    for url in [
        "http://127.0.0.1/",
        "https://[::1]/",
        "http://169.254.169.254/",
        "http://inside.example/",
        "https://mixed.example/",
    ] {
        let (dialled, refused) = attempt(Settings { proxy: proxy.clone(), ..settings() }, names, url).await;
        assert!(dialled.is_empty() && refused.is_some(), "{url}: {dialled:?} {refused:?}");
    }
}

#[tokio::test]
async fn the_systems_own_names_for_this_machine_are_refused() {
    let recorder = Recorder::new(&[]);
    let fetcher = Fetcher::with(settings(), Arc::new(SystemResolver::new()), recorder.clone()).unwrap();
    for url in ["http://localhost/", "https://LOCALHOST:8443/", "http://localhost./"] {
        let error = fetcher.send(page(url)).await.unwrap_err();
        assert_eq!(error.reason(), "refused-address", "{url}: {error}");
    }
    assert!(recorder.dialled().is_empty());
}

#[test]
fn urls_say_their_addresses_in_one_form_only() {
    // What the guard is asked about is what the URL parser made of the disguise.
    for (literal, _) in LITERALS {
        assert!(Url::parse(&format!("http://{literal}/")).unwrap().host().as_ip().is_some(), "{literal}");
    }
}
