//! Sites in folders.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use watch::{Reset, StateError, WatchError, Way};

use crate::watcher::{Ground, PATIENCE, Running, json, shown};

fn site() -> Ground {
    Ground::new(&[
        ("index.html", "<a href=a.html>a</a> <a href=/d/>d</a> <a href=login.html>log in</a>"),
        ("a.html", "<a href=d/deep.html>deep</a>"),
        (
            "d/index.html",
            "<p id=more onclick=\"list.innerHTML = load()\"><p id=again ondblclick='list.innerHTML=load()'>",
        ),
        ("d/deep.html", "<a href=deeper.html>"),
        ("d/deeper.html", ""),
        ("login.html", "<form action=/welcome.php><input type=password></form>"),
        ("welcome.php", ""),
        ("picture.jpg", "no page"),
        (".git/index.html", "not for anyone"),
        ("private/.htaccess", "AuthType Basic\nRequire valid-user"),
        ("private/index.html", "not for crawlers"),
    ])
}

#[test]
fn a_site_is_told_whole_then_by_what_changes() {
    let ground = site();
    let watcher = Running::start(ground.order());
    let ranked = watcher.wait("", |report| report["ranked"] == true && report["pages"].as_array().unwrap().len() == 5);
    assert_eq!(shown(&ranked), ["/ new 0", "/a.html new 0", "/d/ new 0", "/d/deep.html new 0", "/d/deeper.html new 0"]);
    let levels: Vec<_> = ["/", "/a.html", "/d/deep.html", "/d/deeper.html"]
        .map(|path| {
            let pages = ranked["pages"].as_array().unwrap();
            pages.iter().find(|page| page["url"] == format!("http://site.test{path}")).unwrap()["level"]
                .as_f64()
                .unwrap()
        })
        .to_vec();
    assert_eq!(levels, [0.5, 0.5, 0.4, 0.3]);
    let dynamic = &watcher.wait("", |report| !report["dynamic"].as_array().unwrap().is_empty())["dynamic"][0];
    assert_eq!(
        (&dynamic["url"], &dynamic["target"], &dynamic["value"]),
        (&"http://site.test/d/".into(), &"list.innerHTML".into(), &"load()".into())
    );
    assert_eq!(
        (&dynamic["events"], &dynamic["sources"]),
        (&serde_json::json!(["onclick", "ondblclick"]), &serde_json::json!(["p#more", "p#again"]))
    );

    let token = ranked["token"].as_str().unwrap();
    let since = format!("?since={token}");
    ground.write("a.html", "another one");
    ground.write("new/b.html", "in a new folder");
    std::fs::remove_file(ground.root().join("d/deeper.html")).unwrap();
    std::fs::rename(ground.root().join("d/deep.html"), ground.root().join("moved.html")).unwrap();
    let expected = [
        "/a.html updated 1",
        "/d/deep.html removed 0",
        "/d/deeper.html removed 0",
        "/moved.html new 0",
        "/new/b.html new 0",
    ];
    let changed = watcher.wait(&since, |report| shown(report) == expected);
    assert_eq!(changed["since"], token);
    // The same content written again is no change; another one is.
    ground.write("a.html", "another one");
    ground.write("index.html", "<a href=new/b.html>");
    let later = format!("?since={}", changed["token"].as_str().unwrap());
    assert_eq!(shown(&watcher.wait(&later, |report| report["total"] == 1)), ["/ updated 1"]);
    // A whole folder goes, and comes back elsewhere.
    std::fs::rename(ground.root().join("new"), ground.root().join("newer")).unwrap();
    ground.write("newer/c.html", "");
    let expected = ["/ updated 1", "/new/b.html removed 0", "/newer/b.html new 0", "/newer/c.html new 0"];
    watcher.wait(&later, |report| shown(report) == expected);

    let sitemap = watcher.text("/sitemap.xml");
    assert!(sitemap.contains("<loc>http://site.test/newer/b.html</loc><lastmod>20"), "{sitemap}");
    assert!(!sitemap.contains("login") && !sitemap.contains("/new/"), "{sitemap}");
    assert!(watcher.text("/.well-known/bowerbird-watcher.atom").contains("Removed: http://site.test/new/b.html"));
    watcher.end();
}

#[test]
fn what_changed_while_nobody_watched_is_told() {
    let ground = site();
    let watcher = Running::start(ground.order());
    let first = watcher.wait("", |report| report["ranked"] == true && report["total"] == 5);
    watcher.end();
    ground.write("a.html", "changed meanwhile");
    std::fs::remove_file(ground.root().join("d/deeper.html")).unwrap();
    let watcher = Running::start(ground.order());
    let since = format!("?since={}", first["token"].as_str().unwrap());
    let changed = watcher.report(&since);
    assert_eq!(shown(&changed), ["/a.html updated 1", "/d/deeper.html removed 0"]);
    assert_eq!(changed["since"], first["token"]);
    // Two watchers of one site would count twice.
    let order = ground.order();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let second = runtime.block_on(watch::watch(order, |_| {}, std::future::pending()));
    assert!(matches!(second, Err(WatchError::State(StateError::InUse(_)))), "{second:?}");
    watcher.end();
}

#[test]
fn a_folder_that_is_put_in_the_place_of_another_is_looked_at() {
    let ground = Ground::new(&[("index.html", "old"), ("only-old.html", ""), ("d/a.html", "")]);
    let watcher = Running::start(ground.order());
    watcher.wait("", |report| report["ranked"] == true && report["total"] == 3);
    std::fs::create_dir_all(ground.beside("new/d")).unwrap();
    for (name, text) in [("index.html", "new"), ("only-new.html", ""), ("d/a.html", "")] {
        std::fs::write(ground.beside("new").join(name), text).unwrap();
    }
    std::fs::rename(ground.root(), ground.beside("old")).unwrap();
    std::fs::rename(ground.beside("new"), ground.root()).unwrap();
    watcher.wait("", |report| {
        let shown = shown(report);
        ["/ updated 1", "/only-new.html new 0", "/only-old.html removed 0"]
            .iter()
            .all(|line| shown.contains(&(*line).into()))
    });
    // From now on changes of the new one count, and those of the old do not.
    let token = watcher.report("")["token"].as_str().unwrap().to_owned();
    std::fs::write(ground.beside("old/d/b.html"), "elsewhere").unwrap();
    ground.write("d/c.html", "here");
    let told = watcher.wait(&format!("?since={token}"), |report| report["total"] != 0);
    assert_eq!(shown(&told), ["/d/c.html new 0"]);
    // The same after it was removed and made anew, perhaps with the same number.
    std::fs::remove_dir_all(ground.root()).unwrap();
    ground.write("again.html", "");
    watcher.wait("", |report| {
        let shown = shown(report);
        shown.contains(&"/again.html new 0".into()) && shown.contains(&"/d/c.html removed 0".into())
    });
    ground.write("again.html", "and again");
    watcher.wait("", |report| shown(report).contains(&"/again.html updated 1".into()));
    watcher.end();
}

#[test]
fn of_many_who_ask_one_has_the_claim_until_something_changes() {
    let ground = site();
    let watcher = Running::start(ground.order());
    watcher.wait("", |report| report["ranked"] == true);
    for round in 0..20 {
        let flags: Vec<u64> = std::thread::scope(|scope| {
            let askers: Vec<_> = (0..10)
                .map(|asker| {
                    let watcher = &watcher;
                    scope.spawn(move || match asker % 2 {
                        0 => watcher.report("?claim=1")["flag"].as_u64().unwrap(),
                        _ => {
                            let headers = "Host: site.test\r\nBowerbird-Claim: 1\r\n";
                            let (_, _, body) = watcher.ask("GET", report::WELL_KNOWN, headers);
                            serde_json::from_slice::<serde_json::Value>(&body).unwrap()["flag"].as_u64().unwrap()
                        }
                    })
                })
                .collect();
            askers.into_iter().map(|asker| asker.join().unwrap()).collect()
        });
        assert_eq!(flags.iter().filter(|flag| **flag == 0).count(), 1, "round {round}: {flags:?}");
        // Looking is no claim, and does not reset.
        assert_eq!(watcher.report("")["flag"], 1);
        assert_eq!(watcher.report("?claim=1")["pages"], serde_json::json!([]));
        ground.write("a.html", &format!("round {round}"));
        watcher.wait("", |report| report["flag"] == 0);
        watcher.ask("HEAD", &format!("{}?claim=1", report::WELL_KNOWN), "");
        assert_eq!(watcher.report("")["flag"], 0, "a HEAD claims nothing");
    }
    watcher.end();
}

#[test]
fn a_time_based_flag_waits_for_its_time() {
    let ground = site();
    let watcher = Running::start(watch::Order { reset: Reset::After(Duration::from_secs(2)), ..ground.order() });
    assert_eq!(watcher.wait("", |report| report["ranked"] == true && report["total"] == 5)["flag"], 0);
    let claimed = Instant::now();
    let token = watcher.report("?claim=1")["token"].as_str().unwrap().to_owned();
    // Who comes too late was told nothing, and has no other token than before.
    let late = watcher.report("?claim=1");
    assert_eq!((&late["flag"], &late["total"], &late["since"]), (&1.into(), &0.into(), &serde_json::Value::Null));
    assert_eq!(watcher.report(&format!("?since={}", late["token"].as_str().unwrap()))["total"], 5);
    assert_eq!(watcher.report(&format!("?claim=1&since={token}"))["token"], token.as_str());
    ground.write("a.html", "changed");
    watcher.wait(&format!("?since={token}"), |report| report["total"] == 1);
    if claimed.elapsed() < Duration::from_millis(1_900) {
        assert_eq!(watcher.report("")["flag"], 1);
    }
    watcher.wait("", |report| report["flag"] == 0);
    assert!(claimed.elapsed() >= Duration::from_secs(2));
    watcher.end();
}

#[test]
fn nothing_of_a_burst_is_lost() {
    let ground = site();
    let watcher = Running::start(ground.order());
    let token = watcher.wait("", |report| report["ranked"] == true)["token"].as_str().unwrap().to_owned();
    // More than the kernel remembers, with folders that are made while it goes on.
    for i in 0..20_000 {
        if i % 1_000 == 0 {
            std::fs::create_dir_all(ground.root().join(format!("b{}", i / 1_000))).unwrap();
        }
        std::fs::write(ground.root().join(format!("b{}/p{i}.html", i / 1_000)), "x").unwrap();
    }
    let told = watcher.wait(&format!("?since={token}"), |report| report["total"] == 20_000);
    std::fs::remove_dir_all(ground.root().join("b3")).unwrap();
    // Ranks put what was written twice before what is gone: only what came since is looked at.
    watcher.wait(&format!("?since={}", told["token"].as_str().unwrap()), |report| {
        let pages = report["pages"].as_array().unwrap();
        pages.iter().filter(|page| page["change"] == "removed").count() == 1_000
    });
    assert_eq!(watcher.report("")["total"], 20_005, "what is gone is told for a while");
    watcher.end();
}

#[test]
fn odd_files_are_neither_followed_nor_a_reason_to_stop() {
    let ground = site();
    let outside = ground.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.html"), "secret").unwrap();
    symlink(outside.join("secret.html"), ground.root().join("link.html")).unwrap();
    symlink(&outside, ground.root().join("folder")).unwrap();
    symlink(ground.root(), ground.root().join("loop")).unwrap();
    std::fs::write(ground.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9.html")), "latin").unwrap();
    let huge = std::fs::File::create(ground.root().join("huge.html")).unwrap();
    huge.set_len(1 << 30).unwrap();
    ground.write("a b&c.html", "<a href='caf%E9.html'>");
    let watcher = Running::start(ground.order());
    let report = watcher.wait("", |report| report["ranked"] == true && report["total"] == 8);
    let paths = shown(&report);
    for path in ["/caf%E9.html new 0", "/huge.html new 0", "/a%20b&c.html new 0"] {
        assert!(paths.iter().any(|line| line == path), "{path}: {paths:?}");
    }
    // What a reader makes of it.
    let from = facts::Url::parse("http://site.test/.well-known/bowerbird-watcher.json").unwrap();
    let read = report::read(report.to_string().as_bytes(), &from, facts::Timestamp(i64::MAX)).unwrap();
    assert_eq!(read.pages.len(), 8);
    watcher.end();
}

#[test]
fn a_locked_folder_stays_unknown_until_it_is_opened() {
    let ground = site();
    let watcher = Running::start(ground.order());
    let first = watcher.wait("", |report| report["ranked"] == true && report["total"] == 5);
    let since = format!("?since={}", first["token"].as_str().unwrap());
    ground.write("private/index.html", "changed");
    ground.write("private/sub/secret.html", "made");
    ground.write("z.html", "the last");
    assert_eq!(shown(&watcher.wait(&since, |report| report["total"].as_u64() > Some(0))), ["/z.html new 0"]);
    std::fs::remove_file(ground.root().join("private/.htaccess")).unwrap();
    let expected = ["/private/ new 0", "/private/sub/secret.html new 0", "/z.html new 0"];
    watcher.wait(&since, |report| shown(report) == expected);
    ground.write("d/.htaccess", "Require all denied");
    let opened = watcher.wait(&since, |report| shown(report).len() == 6);
    assert_eq!(shown(&opened)[..3], ["/d/ removed 0", "/d/deep.html removed 0", "/d/deeper.html removed 0"]);
    watcher.end();
}

#[test]
fn a_release_by_link_is_noticed() {
    let ground = site();
    std::fs::create_dir(ground.beside("v2")).unwrap();
    std::fs::write(ground.beside("v2").join("index.html"), "second").unwrap();
    let current = ground.beside("current");
    symlink(ground.root(), &current).unwrap();
    let watcher = Running::start(ground.order_of(&[&format!("http://site.test/={}", current.display())]));
    watcher.wait("", |report| report["ranked"] == true && report["total"] == 5);
    symlink(ground.beside("v2"), ground.beside("next")).unwrap();
    std::fs::rename(ground.beside("next"), &current).unwrap();
    watcher.wait("", |report| shown(report).starts_with(&["/ updated 1".into(), "/a.html removed 0".into()]));
    watcher.end();
}

#[test]
fn several_sites_are_told_apart_by_name() {
    let (one, two) = (site(), Ground::new(&[("only.html", "")]));
    let sites = [
        format!("http://site.test/={}", one.root().display()),
        format!("http://two.test/sub/={}", two.root().display()),
    ];
    let watcher = Running::start(one.order_of(&sites.each_ref().map(String::as_str)));
    watcher.wait("", |report| report["total"].as_u64() >= Some(5));
    let ask = |host: &str, path: &str| watcher.ask("GET", path, &format!("Host: {host}\r\n")).0;
    assert_eq!(ask("two.test:8080", "/sub/.well-known/bowerbird-watcher.json"), 200);
    assert_eq!(ask("TWO.test", "/sub/sitemap.xml"), 200);
    assert_eq!(ask("two.test", "/.well-known/bowerbird-watcher.json"), 404);
    assert_eq!(ask("three.test", "/sitemap.xml"), 404);
    assert_eq!(ask("site.test", "/index.html"), 404);
    assert_eq!(ask("site.test", "/sitemap-2.xml"), 404);
    assert_eq!(watcher.ask("POST", report::WELL_KNOWN, "Host: site.test\r\n").0, 405);
    assert_eq!(watcher.ask("GET", &format!("{}?after=7-7", report::WELL_KNOWN), "Host: site.test\r\n").0, 410);
    assert_eq!(watcher.ask("GET", &format!("{}?after=x", report::WELL_KNOWN), "Host: site.test\r\n").0, 400);
    let (_, head, body) = watcher.ask("GET", "/sitemap.xml", "Host: site.test\r\nAccept-Encoding: gzip\r\n");
    assert!(head.contains("content-encoding: gzip") && body.starts_with(&[0x1f, 0x8b]), "{head}");
    watcher.end();
}

#[test]
fn a_file_is_written_and_its_flag_follows_the_access_log() {
    let ground = site();
    let (file, log) = (ground.root().join(".well-known/bowerbird-watcher.json"), ground.beside("access.log"));
    std::fs::create_dir(ground.root().join(".well-known")).unwrap();
    std::fs::write(&log, "").unwrap();
    let way = Way::File { report: file.clone(), access_log: Some(log.clone()) };
    let watcher = Running::start(watch::Order { way, ..ground.order() });
    assert_eq!(watcher.address, None);
    assert_eq!(json(&file)["flag"], 0);
    let wait = |wish: &dyn Fn(&serde_json::Value) -> bool| {
        let deadline = Instant::now() + PATIENCE;
        while !wish(&json(&file)) {
            assert!(Instant::now() < deadline, "{:#}", json(&file));
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait(&|report| report["ranked"] == true && report["total"] == 5);
    let line =
        "203.0.113.9 - - [x] \"GET /.well-known/bowerbird-watcher.json HTTP/1.1\" 200 9 \"-\" \"Bowerbird/0.1\"\n";
    std::fs::write(&log, line).unwrap();
    wait(&|report| report["flag"] == 1);
    ground.write("a.html", "changed");
    wait(&|report| report["flag"] == 0 && shown(report).contains(&"/a.html updated 1".into()));
    let beside = |name: &str| std::fs::read_to_string(ground.root().join(".well-known").join(name)).unwrap();
    assert!(beside("bowerbird-watcher-sitemap.xml").contains("<loc>http://site.test/a.html</loc>"));
    assert!(beside("bowerbird-watcher.atom").contains("http://site.test/.well-known/bowerbird-watcher.atom"));
    watcher.end();
}

#[test]
fn one_look_is_enough_where_nothing_may_stay_running() {
    let ground = site();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let look = || runtime.block_on(watch::once(ground.order())).unwrap().remove(0);
    let first = look();
    assert_eq!((first.report.total, first.report.ranked), (5, true));
    ground.write("d/deep.html", "<a href=deeper.html>changed");
    let second = look();
    assert_eq!(second.changes, 1);
    assert_eq!(second.report.pages[0].url.path(), "/d/deep.html");
}
