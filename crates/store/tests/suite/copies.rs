//! Statements about what items look like, what may be copies, and groups of copies.

use std::collections::{BTreeMap, BTreeSet};

use facts::{LatLon, MediaId, MediaKind, Url};
use media::{Facts, Format};
use store::{
    Area, Candidate, Clue, ClusterFilter, Compared, CopyFound, CopyReason, Cursor, Described, Description, Exact,
    Example, Forget, ItemFilter, Library, Said, SaidSource, Traces, Visited, Want,
};

use super::library::start;
use super::lists::{ORDERS, whole};
use super::web::*;
use super::{Home, Stop};

const VERSION: u16 = 3;

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

fn address(content: &str) -> String {
    format!("http://m.example/{content}.jpg")
}

/// A picture with so many pixels on each side.
fn picture(content: &str, side: u32) -> Visited {
    let facts = Facts { width: Some(side), height: Some(side), ..plain() };
    kept_as(image_claim(&address(content)), content, facts)
}

/// Pictures of growing size.
async fn pictures(library: &dyn Library, contents: &[&str]) {
    let visits = contents.iter().zip(100..).map(|(content, side)| picture(content, side)).collect();
    record(library, visits).await;
}

fn description(version: u16, traces: Traces) -> Described {
    Described::As(Description { version, bytes: b"as media writes it".to_vec(), traces })
}

fn hashed(hashes: &[[u64; 4]]) -> Traces {
    Traces { hashes: hashes.to_vec(), ..Traces::default() }
}

fn example(traces: Traces) -> Example {
    Example { kind: MediaKind::Image, version: VERSION, traces, radius: 31, except: None, most: 10 }
}

async fn found(library: &dyn Library, example: &Example) -> Vec<MediaId> {
    library.candidates(example).await.unwrap().into_iter().map(|candidate| candidate.id).collect()
}

fn near(of: &str, detail: &str) -> CopyFound {
    CopyFound { of: id_of(of), why: CopyReason::Near, detail: detail.into() }
}

fn are_copies(one: &str, others: &[&str]) -> Compared {
    let detail = |of: &&str| near(of, &format!("{one} is like {of}"));
    Compared { id: id_of(one), copies: others.iter().map(detail).collect() }
}

/// The contents of groups, each with its original first.
async fn groups(library: &dyn Library, contents: &[&str]) -> Vec<Vec<String>> {
    let name = |id: MediaId| contents.iter().find(|content| id_of(content) == id).unwrap().to_string();
    let mut groups = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let listed = library.copy_groups(after.as_ref(), 2).await.unwrap();
        for group in listed.what {
            assert_eq!(group.total, group.copies.len() as u64);
            let copies = group.copies.iter().map(|copy| name(copy.file.id));
            groups.push([name(group.kept.id)].into_iter().chain(copies).collect());
        }
        match listed.next {
            Some(next) => after = Some(next),
            None => return groups,
        }
    }
}

async fn relation(library: &dyn Library, content: &str) -> (Option<MediaId>, u64) {
    let item = library.item(id_of(content)).await.unwrap().unwrap();
    (item.duplicate_of, item.copies)
}

pub async fn a_description_comes_with_its_item_or_later(mut home: impl Home) {
    let library = home.library();
    let traces = Traces { pixels: Some([7; 32]), hashes: vec![[1, 2, 3, u64::MAX]; 2], keys: vec![9, 4, 9] };
    let first = description(VERSION, traces);
    let mut visit = picture("one", 10);
    file_of(&mut visit).description = Some(first.clone());
    record(&*library, vec![visit, picture("two", 10)]).await;
    let kept = Traces { pixels: Some([7; 32]), hashes: vec![[1, 2, 3, u64::MAX]; 2], keys: vec![4, 9] };
    assert_eq!(library.description(id_of("one")).await.unwrap(), Some(description(VERSION, kept)));
    assert_eq!(library.description(id_of("two")).await.unwrap(), None);
    assert_eq!(library.description(id_of("three")).await.unwrap(), None);
    let not = Described::Not { version: VERSION, reason: "damaged".into() };
    let later = [(id_of("two"), not.clone()), (id_of("three"), first.clone())];
    assert_eq!(library.describe(&later).await.unwrap(), 1, "there is no third item");
    home.restart(Stop::Killed).await;
    let library = home.library();
    assert_eq!(library.description(id_of("two")).await.unwrap(), Some(not));
    // The same bytes elsewhere, described by older formulas and by newer ones.
    for (version, expected) in [(VERSION - 1, VERSION), (VERSION + 1, VERSION + 1)] {
        let mut copy = kept_as(image_claim(&format!("http://n.example/{version}")), "one", plain());
        file_of(&mut copy).description = Some(description(version, hashed(&[[8; 4]])));
        record(&*library, vec![copy]).await;
        assert_eq!(library.description(id_of("one")).await.unwrap().unwrap().version(), expected);
    }
    home.audit().await;
    let large = Description { version: 9, bytes: vec![0; (8 << 20) + 1], traces: hashed(&[[8; 4]]) };
    library.describe(&[(id_of("one"), Described::As(large))]).await.unwrap();
    let expected = Described::Not { version: 9, reason: "too-large".into() };
    assert_eq!(library.description(id_of("one")).await.unwrap(), Some(expected));
    home.audit().await;
    home.forget(Forget::Address(url(&address("one")))).await.unwrap();
    assert_eq!(library.description(id_of("one")).await.unwrap(), None);
    home.audit().await;
}

pub async fn what_is_to_be_described_is_listed_page_by_page(home: impl Home) {
    let library = home.library();
    let names: Vec<String> = (0..7).map(|n| n.to_string()).collect();
    let mut visits: Vec<Visited> = names.iter().map(|name| picture(name, 10)).collect();
    file_of(&mut visits[3]).facts.format = Format::named("mp4").unwrap();
    record(&*library, visits).await;
    let not = |version: u16| Described::Not { version, reason: "damaged".into() };
    let described = [
        (id_of("1"), description(1, Traces::default())),
        (id_of("2"), description(VERSION, Traces::default())),
        (id_of("4"), not(VERSION)),
        (id_of("5"), not(2)),
    ];
    library.describe(&described).await.unwrap();
    for most in [1, 2, 3, 9] {
        let (mut listed, mut after) = (Vec::new(), None);
        loop {
            let page = library.undescribed(MediaKind::Image, VERSION, after.as_ref(), most).await.unwrap();
            assert!(page.what.len() <= most);
            listed.extend(page.what.into_iter().map(|item| (item.id, item.format, item.path)));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        let expected: Vec<_> = ["0", "6", "1", "5"]
            .map(|name| (id_of(name), "jpeg".to_owned(), format!("m.example/{}.jpeg", id_of(name))))
            .into();
        assert_eq!(listed, expected, "by {most}");
    }
    let films = library.undescribed(MediaKind::Video, VERSION, None, 9).await.unwrap();
    assert_eq!(films.what.iter().map(|item| item.id).collect::<Vec<_>>(), [id_of("3")]);
    // What is tried in between is not listed any more, and what follows is.
    let first = library.undescribed(MediaKind::Image, VERSION, None, 1).await.unwrap();
    library.describe(&[(id_of("0"), not(VERSION)), (id_of("6"), not(VERSION))]).await.unwrap();
    let next = library.undescribed(MediaKind::Image, VERSION, first.next.as_ref(), 1).await.unwrap();
    assert_eq!(next.what[0].id, id_of("1"));
    let all = library.undescribed(MediaKind::Image, VERSION + 1, None, 99).await.unwrap();
    assert_eq!(all.what.len(), 6, "new formulas are tried on all");
    home.audit().await;
}

pub async fn what_was_not_compared_before_a_kill_is_listed_after_it(mut home: impl Home) {
    let library = home.library();
    pictures(&*library, &["a", "b", "c", "d"]).await;
    let described = ["a", "b", "c"].map(|name| (id_of(name), description(VERSION, hashed(&[[5; 4]]))));
    library.describe(&described).await.unwrap();
    let not = Described::Not { version: VERSION, reason: "damaged".into() };
    library.describe(&[(id_of("d"), not)]).await.unwrap();
    library.compared(&[are_copies("a", &["b"])]).await.unwrap();
    home.restart(Stop::Killed).await;
    let library = home.library();
    let listed = library.uncompared(None, 1).await.unwrap();
    assert_eq!(listed.what.len(), 1);
    let (id, kind, description) = &listed.what[0];
    assert_eq!((*id, *kind, &description.traces.hashes), (id_of("b"), MediaKind::Image, &vec![[5; 4]]));
    let rest = library.uncompared(listed.next.as_ref(), 9).await.unwrap();
    assert_eq!((rest.what.len(), rest.what[0].0, rest.next), (1, id_of("c"), None));
    assert_eq!(groups(&*library, &["a", "b"]).await, [["b", "a"]]);
    library.compared(&[are_copies("b", &[]), are_copies("c", &["a", "nothing"])]).await.unwrap();
    assert!(library.uncompared(None, 9).await.unwrap().what.is_empty());
    assert_eq!(groups(&*library, &["a", "b", "c"]).await, [["c", "b", "a"]]);
    // What is described anew is to be compared again, and stays what it is until then.
    library.describe(&described[..1]).await.unwrap();
    assert_eq!(library.uncompared(None, 9).await.unwrap().what.len(), 1);
    assert_eq!(relation(&*library, "a").await.0, Some(id_of("c")));
    home.audit().await;
}

pub async fn candidates_are_found_by_what_copies_share(mut home: impl Home) {
    let library = home.library();
    let names = ["far", "near", "exact", "twin", "older", "plain"];
    pictures(&*library, &names).await;
    let hash = [0x0123_4567_89ab_cdef; 4];
    let mut off = hash;
    off[3] ^= 0b1011;
    let mut farther = hash;
    (farther[0], farther[2]) = (farther[0] ^ 0xffff, farther[2] ^ 0xffff_ffff);
    let pixels = |hash: [u64; 4]| Traces { pixels: Some([9; 32]), ..hashed(&[hash]) };
    let described = [
        (id_of("far"), description(VERSION, hashed(&[farther]))),
        (id_of("near"), description(VERSION, hashed(&[[0; 4], off]))),
        (id_of("exact"), description(VERSION, hashed(&[hash]))),
        (id_of("twin"), description(VERSION, pixels([3; 4]))),
        (id_of("older"), description(VERSION - 1, hashed(&[hash]))),
    ];
    library.describe(&described).await.unwrap();
    let asked = example(pixels(hash));
    let candidates = library.candidates(&asked).await.unwrap();
    let bytes = Some(b"as media writes it".to_vec());
    let close = |distance| Clue::Hash { distance, asked: 0, close: 1 };
    let expected = [("twin", Clue::Pixels), ("exact", close(0)), ("near", close(3))].map(|(name, clue)| Candidate {
        id: id_of(name),
        clue,
        bytes: bytes.clone(),
    });
    assert_eq!(candidates, expected);
    let fewer = Example { radius: 2, except: Some(id_of("twin")), ..asked.clone() };
    assert_eq!(found(&*library, &fewer).await, [id_of("exact")]);
    assert_eq!(found(&*library, &Example { most: 1, ..asked.clone() }).await, [id_of("twin")]);
    let turned = Example { traces: hashed(&[[0xff; 4], hash]), ..asked.clone() };
    let found_turned = library.candidates(&turned).await.unwrap();
    assert_eq!(found_turned[0].clue, Clue::Hash { distance: 0, asked: 1, close: 1 });
    let old = Example { version: VERSION - 1, traces: hashed(&[hash]), ..asked.clone() };
    assert_eq!(found(&*library, &old).await, [id_of("older")], "versions are never mixed");
    let film = Example { kind: MediaKind::Video, ..asked.clone() };
    assert!(found(&*library, &film).await.is_empty(), "nor kinds");
    assert!(found(&*library, &example(Traces::default())).await.is_empty());
    // Described anew, by other hashes; and forgotten.
    library.describe(&[(id_of("exact"), description(VERSION, hashed(&[[!0; 4]])))]).await.unwrap();
    assert_eq!(found(&*library, &asked).await, [id_of("twin"), id_of("near")]);
    home.forget(Forget::Address(url(&address("near")))).await.unwrap();
    assert_eq!(found(&*library, &asked).await, [id_of("twin")]);
    home.restart(Stop::Killed).await;
    let library = home.library();
    assert_eq!(found(&*library, &asked).await, [id_of("twin")]);
    assert_eq!(found(&*library, &example(hashed(&[[!0; 4]]))).await, [id_of("exact")]);
    let exact =
        [Exact::Pixels([9; 32]), Exact::Bytes(id_of("far")), Exact::Bytes(id_of("near")), Exact::Pixels([8; 32])];
    assert_eq!(library.exact(&exact).await.unwrap(), [Some(id_of("twin")), Some(id_of("far")), None, None]);
    home.audit().await;
}

pub async fn of_a_group_the_closest_is_a_candidate(home: impl Home) {
    let library = home.library();
    pictures(&*library, &["a", "b", "c"]).await;
    let described = [("a", [1u64; 4]), ("b", [0; 4]), ("c", [3; 4])]
        .map(|(name, hash)| (id_of(name), description(VERSION, hashed(&[hash]))));
    library.describe(&described).await.unwrap();
    let asked = example(hashed(&[[0; 4]]));
    assert_eq!(found(&*library, &asked).await, [id_of("b"), id_of("a"), id_of("c")]);
    library.compared(&[are_copies("a", &["b"])]).await.unwrap();
    assert_eq!(found(&*library, &asked).await, [id_of("b"), id_of("c")]);
}

pub async fn sounds_are_found_by_keys_that_few_share(home: impl Home) {
    let library = home.library();
    let mp3 = || Facts { format: Format::named("mp3").unwrap(), ..plain() };
    let sounds = |range: std::ops::Range<usize>, keys: fn(usize) -> Vec<u32>| {
        let sound = |n: usize| {
            let mut visit = kept_as(image_claim(&format!("http://s.example/{n}")), &format!("sound {n}"), mp3());
            let traces = Traces { keys: keys(n), ..Traces::default() };
            file_of(&mut visit).description = Some(description(VERSION, traces));
            visit
        };
        range.map(sound).collect::<Vec<Visited>>()
    };
    record(&*library, sounds(0..1_100, |n| vec![n as u32 * 2 + 10, n as u32 * 2 + 11, 5])).await;
    let asked = |keys: Vec<u32>| Example { kind: MediaKind::Audio, ..example(Traces { keys, ..Traces::default() }) };
    let candidates = library.candidates(&asked(vec![10, 11, 12, 10])).await.unwrap();
    let clues: Vec<_> = candidates.iter().map(|candidate| (candidate.id, candidate.clue)).collect();
    let expected = [(id_of("sound 0"), Clue::Keys { shared: 2 }), (id_of("sound 1"), Clue::Keys { shared: 1 })];
    assert_eq!(clues, expected);
    assert!(found(&*library, &asked(vec![5])).await.is_empty(), "all have it");
    home.forget(Forget::Address(url("http://s.example/0"))).await.unwrap();
    assert_eq!(found(&*library, &asked(vec![10, 11, 12])).await, [id_of("sound 1")]);
    home.audit().await;
}

pub async fn the_best_of_a_group_is_its_original(home: impl Home) {
    let library = home.library();
    let names = ["small", "large", "larger", "titled", "film"];
    let titled = Facts { title: Some("A title".into()), ..file_of(&mut picture("titled", 30)).facts.clone() };
    let visits = vec![picture("small", 10), picture("large", 20), picture("larger", 30)];
    record(&*library, visits).await;
    record(&*library, vec![kept_as(image_claim(&address("titled")), "titled", titled)]).await;
    library.compared(&[are_copies("small", &["large"])]).await.unwrap();
    assert_eq!(relation(&*library, "small").await, (Some(id_of("large")), 0));
    assert_eq!(relation(&*library, "large").await, (None, 1));
    let group = library.copy_group(id_of("small")).await.unwrap().unwrap();
    assert_eq!(library.copy_group(id_of("large")).await.unwrap().as_ref(), Some(&group));
    assert_eq!(group.kept.path, format!("m.example/{}.jpeg", id_of("large")));
    let copy = &group.copies[0];
    assert_eq!(
        (copy.why, copy.detail.as_str(), copy.like),
        (CopyReason::Near, "small is like large", Some(id_of("large")))
    );
    // A better one arrives, twice: the second is as large and says more of itself.
    library.compared(&[are_copies("larger", &["small"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["larger", "large", "small"]]);
    assert_eq!(relation(&*library, "small").await, (Some(id_of("larger")), 0), "no chains");
    let group = library.copy_group(id_of("small")).await.unwrap().unwrap();
    assert_eq!(group.copies[1].detail, "larger is like small", "how it is like the original");
    library.compared(&[are_copies("titled", &["large", "titled"])]).await.unwrap();
    library.compared(&[are_copies("titled", &["large"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["titled", "larger", "large", "small"]]);
    assert_eq!(relation(&*library, "titled").await, (None, 3));
    assert_eq!(library.copy_group(id_of("film")).await.unwrap(), None);
    home.audit().await;
    // The original is forgotten, then all but one.
    for (forgotten, left) in
        [("titled", &["larger", "large", "small"][..]), ("larger", &["large", "small"]), ("small", &[])]
    {
        home.forget(Forget::Address(url(&address(forgotten)))).await.unwrap();
        let expected: Vec<Vec<String>> = Some(left)
            .filter(|left| !left.is_empty())
            .into_iter()
            .map(|left| left.iter().map(|name| name.to_string()).collect())
            .collect();
        assert_eq!(groups(&*library, &names).await, expected);
        home.audit().await;
    }
    assert_eq!(relation(&*library, "large").await, (None, 0));
}

pub async fn films_are_better_when_they_are_larger_longer_or_of_a_higher_rate(home: impl Home) {
    let library = home.library();
    let names = ["a", "b", "c", "d"];
    let film = |name: &str, side: u32, seconds: f64, size: u64| {
        let facts = Facts {
            format: Format::named("mp4").unwrap(),
            width: Some(side),
            height: Some(side),
            duration: Some(std::time::Duration::from_secs_f64(seconds)),
            ..plain()
        };
        let mut visit = kept_as(image_claim(&address(name)), name, facts);
        file_of(&mut visit).size = size;
        visit
    };
    let films =
        [film("a", 10, 60.0, 900), film("b", 20, 60.1, 600), film("c", 20, 60.0, 700), film("d", 20, 70.0, 700)];
    record(&*library, films.into()).await;
    library.compared(&[are_copies("a", &["b", "c", "d"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["d", "c", "b", "a"]]);
    home.audit().await;
}

pub async fn groups_that_share_a_copy_become_one(home: impl Home) {
    let library = home.library();
    let names = ["a", "b", "c", "d", "e", "f"];
    pictures(&*library, &names).await;
    library.compared(&[are_copies("a", &["b"]), are_copies("c", &["d", "e"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [vec!["e", "d", "c"], vec!["b", "a"]]);
    library.compared(&[are_copies("f", &[])]).await.unwrap();
    library.compared(&[are_copies("b", &["c"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["e", "d", "c", "b", "a"]]);
    assert_eq!(relation(&*library, "e").await, (None, 4));
    assert_eq!(relation(&*library, "b").await, (Some(id_of("e")), 0));
    home.audit().await;
}

pub async fn what_a_person_sets_apart_stays_apart(mut home: impl Home) {
    let library = home.library();
    let names = ["a", "b", "c", "d"];
    pictures(&*library, &names).await;
    let described = names.map(|name| (id_of(name), description(VERSION, hashed(&[[5; 4]]))));
    library.describe(&described).await.unwrap();
    library.compared(&[are_copies("a", &["b", "c"])]).await.unwrap();
    assert!(!library.set_apart(id_of("d")).await.unwrap(), "it is a copy of nothing");
    assert!(!library.set_apart(id_of("nothing")).await.unwrap());
    assert!(library.set_apart(id_of("b")).await.unwrap());
    assert_eq!(groups(&*library, &names).await, [["c", "a"]]);
    assert_eq!(relation(&*library, "b").await, (None, 0));
    home.restart(Stop::Killed).await;
    let library = home.library();
    library.compared(&[are_copies("b", &["a"]), are_copies("c", &["b"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["c", "a"]]);
    // One that is like both joins one of them.
    library.compared(&[are_copies("d", &["a", "b"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["d", "c", "a"]]);
    home.audit().await;
    // The content goes and comes again.
    home.remove(id_of("b")).await.unwrap();
    let again = store::Claim { round: 1, ..image_claim(&address("b")) };
    record(&*library, vec![kept(again, "b")]).await;
    library.compared(&[are_copies("b", &["a"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["d", "c", "a"]]);
    // An original can be set apart as well, and all of it taken back.
    assert!(library.set_apart(id_of("d")).await.unwrap());
    assert_eq!(groups(&*library, &names).await, [["c", "a"]]);
    assert!(library.unset_apart(id_of("b")).await.unwrap());
    assert!(!library.unset_apart(id_of("b")).await.unwrap());
    home.audit().await;
    library.compared(&[are_copies("b", &["a"]), are_copies("d", &["a"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["c", "a", "b"]]);
    assert!(library.unset_apart(id_of("d")).await.unwrap());
    let waiting = library.uncompared(None, 9).await.unwrap();
    assert_eq!(waiting.what.iter().map(|(id, ..)| *id).collect::<Vec<_>>(), [id_of("d")], "it is compared again");
    // What was said of one is not taken back with what was said of another.
    assert!(library.set_apart(id_of("b")).await.unwrap());
    assert!(!library.unset_apart(id_of("a")).await.unwrap());
    library.compared(&[are_copies("b", &["a"])]).await.unwrap();
    assert_eq!(groups(&*library, &names).await, [["c", "a"]]);
    assert!(library.unset_apart(id_of("b")).await.unwrap());
    // What is forgotten leaves nothing behind.
    assert!(library.set_apart(id_of("a")).await.unwrap());
    home.forget(Forget::Address(url(&address("a")))).await.unwrap();
    home.audit().await;
    assert!(!library.unset_apart(id_of("c")).await.unwrap());
}

pub async fn originals_can_be_listed_alone(home: impl Home) {
    let library = home.library();
    let names = ["a", "b", "c", "d"];
    let visits = names.iter().zip(100..).map(|(name, side)| {
        let mut visit = picture(name, side);
        file_of(&mut visit).said = vec![said(SaidSource::Caption, at(5.0, 0.5))];
        file_of(&mut visit).facts.title = Some("bridge".into());
        visit
    });
    record(&*library, visits.collect()).await;
    library.compared(&[are_copies("a", &["c"])]).await.unwrap();
    let originals = ItemFilter::default();
    let expected: BTreeSet<MediaId> = ["b", "c", "d"].map(id_of).into();
    let located = ItemFilter { located: Some(true), ..originals.clone() };
    let worded = ItemFilter { words: Want::parse("bridge"), ..originals.clone() };
    let images = ItemFilter { kinds: vec![MediaKind::Image], ..originals.clone() };
    let of_host = ItemFilter { host: Some("m.example".into()), ..originals.clone() };
    for filter in [originals.clone(), located, worded, images, of_host] {
        for order in ORDERS {
            let listed = whole(&*library, &filter, order, 2).await;
            assert_eq!(listed.len(), 3, "{filter:?} by {order:?}");
            assert_eq!(listed.iter().map(|item| item.id).collect::<BTreeSet<_>>(), expected);
        }
        assert_eq!(library.items(&filter, 0, 9).await.unwrap().len(), 3);
        assert_eq!(library.search_items(&filter, None, 0, 9).await.unwrap().total, 3);
        let around = library.search_items(&filter, LatLon::new(5.0, 10.0), 0, 9).await.unwrap();
        assert_eq!(around.found.len(), 3);
    }
    let clusters = async |filter| {
        let map = library.clusters(&ClusterFilter::Media(filter), [-80.0, -179.0, 80.0, 179.0], 0).await.unwrap();
        map.clusters.iter().map(|cluster| cluster.count).sum::<u64>()
    };
    let everything = ItemFilter { copies: true, ..originals.clone() };
    assert_eq!(whole(&*library, &everything, ORDERS[0], 2).await.len(), 4);
    assert_eq!((clusters(everything).await, clusters(originals).await), (4, 3));
}

pub async fn an_original_is_found_by_the_words_of_its_copies(home: impl Home) {
    let library = home.library();
    let mut titled = picture("small", 50);
    file_of(&mut titled).facts.title = Some("The weir".into());
    let mut page = read_with_images(page_claim("http://a.example/"), &[&address("small")]);
    facts_of(&mut page).media[0].description = "a heron in the morning".into();
    record(&*library, vec![picture("large", 100), page, titled, picture("other", 70)]).await;
    let found = async |words| {
        let filter = ItemFilter { words: Want::parse(words), ..ItemFilter::default() };
        let found = library.search_items(&filter, None, 0, 9).await.unwrap().found;
        found.into_iter().map(|found| found.what.id).collect::<Vec<_>>()
    };
    assert_eq!(found("heron").await, [id_of("small")]);
    library.compared(&[are_copies("large", &["small"])]).await.unwrap();
    for words in ["heron", "weir", "morning heron"] {
        assert_eq!(found(words).await, [id_of("large")], "{words}");
    }
    // So it is with what is said of the copy later,
    library.set_text(id_of("small"), Some(Some("The sluice".into())), None).await.unwrap();
    assert_eq!((found("sluice").await, found("weir").await), (vec![id_of("large")], vec![]));
    // and not when it is none any more.
    library.set_apart(id_of("small")).await.unwrap();
    for words in ["heron", "sluice"] {
        assert_eq!(found(words).await, [id_of("small")], "{words}");
    }
}

pub async fn what_copies_know_is_offered_to_their_original(home: impl Home) {
    let library = home.library();
    let mut original = picture("original", 100);
    file_of(&mut original).facts.author = Some("Ada".into());
    file_of(&mut original).facts.keywords = vec!["bridge".into()];
    let mut titled = picture("titled", 50);
    let facts = &mut file_of(&mut titled).facts;
    (facts.title, facts.author) = (Some("The bridge".into()), Some("Bob".into()));
    facts.keywords = vec!["bridge".into(), "river".into()];
    let mut located = picture("located", 40);
    file_of(&mut located).facts = Facts { title: Some("Another title".into()), ..taken_at(60.0, 25.0) };
    let page = read_with_images(page_claim("http://a.example/"), &[&address("located")]);
    let mut told = picture("told", 30);
    file_of(&mut told).said = vec![said(SaidSource::Caption, at(5.0, 0.5))];
    record(&*library, vec![original, titled, page, located, told]).await;
    assert_eq!(library.known_by_copies(id_of("original")).await.unwrap(), Default::default());
    library.compared(&[are_copies("original", &["titled", "located", "told"])]).await.unwrap();
    let known = library.known_by_copies(id_of("original")).await.unwrap();
    // Coordinates of a copy are those of the original, so it is found there; other places are offered
    // when they are believed more.
    let shown = async || library.item(id_of("original")).await.unwrap().unwrap().location;
    let learnt = shown().await.unwrap();
    assert_eq!((learnt.source.as_str(), learnt.at), ("copy", LatLon::new(60.0, 25.0).unwrap()));
    let there = ItemFilter { area: Some(Area::circle(learnt.at, 1_000.0)), ..ItemFilter::default() };
    assert_eq!(library.items(&there, 0, 9).await.unwrap().len(), 1);
    assert!(known.locations.is_empty(), "{:?}", known.locations);
    library.set_apart(id_of("located")).await.unwrap();
    assert_eq!(shown().await, None);
    let known_now = library.known_by_copies(id_of("original")).await.unwrap();
    let sources: Vec<_> = known_now.locations.iter().map(|(from, one)| (*from, one.source.as_str())).collect();
    assert_eq!(sources, [(id_of("told"), "caption")]);
    library.unset_apart(id_of("located")).await.unwrap();
    library.compared(&[are_copies("original", &["located"])]).await.unwrap();
    // A better copy takes it over, and when that goes the original has it again.
    record(&*library, vec![picture("better", 200)]).await;
    library.compared(&[are_copies("better", &["original"])]).await.unwrap();
    assert_eq!(shown().await, None);
    assert_eq!(library.item(id_of("better")).await.unwrap().unwrap().location.unwrap().source, "copy");
    library.forget(&Forget::Address(Url::parse(&address("better")).unwrap())).await.unwrap();
    assert_eq!(shown().await.unwrap().at, learnt.at);
    let texts: Vec<_> = known.texts.iter().map(|text| (text.from, text.field, text.text.as_str())).collect();
    let caption = format!("a picture at {}", address("located"));
    let expected = [
        (id_of("titled"), "title", "The bridge"),
        (id_of("titled"), "keyword", "river"),
        (id_of("located"), "caption", caption.as_str()),
    ];
    assert_eq!(texts, expected);
    assert_eq!(library.known_by_copies(id_of("titled")).await.unwrap(), Default::default(), "it is a copy");
    // What is known as well by the original is not offered.
    library.set_location(id_of("original"), Said::Point(LatLon::new(1.0, 1.0).unwrap(), named("here"))).await.unwrap();
    library.set_text(id_of("original"), Some(Some("My title".into())), None).await.unwrap();
    let known = library.known_by_copies(id_of("original")).await.unwrap();
    assert!(known.locations.is_empty());
    assert!(known.texts.iter().all(|text| text.field != "title"));
    library.set_location(id_of("original"), Said::Reject).await.unwrap();
    assert!(library.known_by_copies(id_of("original")).await.unwrap().locations.is_empty());
}

/// Numbers that look random and are the same every time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// What is in which group, and what a person set apart, as a list of lists.
#[derive(Default)]
struct Model {
    /// Contents in the order they came, with their sides.
    items: Vec<(u64, u64)>,
    groups: Vec<BTreeSet<u64>>,
    /// Pairs, both ways round, with the one of them that was set apart.
    apart: BTreeSet<(u64, u64, u64)>,
}

impl Model {
    fn group(&self, n: u64) -> BTreeSet<u64> {
        self.groups.iter().find(|group| group.contains(&n)).cloned().unwrap_or_else(|| [n].into())
    }

    fn has(&self, n: u64) -> bool {
        self.items.iter().any(|(item, _)| *item == n)
    }

    fn join(&mut self, one: u64, other: u64) {
        let (a, b) = (self.group(one), self.group(other));
        let apart = self.apart.iter().any(|(one, other, _)| a.contains(one) && b.contains(other));
        if one == other || a == b || apart || !self.has(one) || !self.has(other) {
            return;
        }
        self.groups.retain(|group| *group != a && *group != b);
        self.groups.push(a.union(&b).copied().collect());
    }

    fn leave(&mut self, n: u64) {
        self.groups.iter_mut().for_each(|group| group.retain(|member| *member != n));
        self.groups.retain(|group| group.len() > 1);
    }

    /// Each group with the largest first; of equally large ones the first that came.
    fn sorted(&self) -> BTreeSet<Vec<u64>> {
        let place = |n: &u64| self.items.iter().position(|(item, _)| item == n).unwrap();
        let sort = |group: &BTreeSet<u64>| {
            let mut sorted: Vec<u64> = group.iter().copied().collect();
            sorted.sort_by_key(|n| (std::cmp::Reverse(self.items[place(n)].1), place(n)));
            sorted
        };
        self.groups.iter().map(sort).collect()
    }
}

/// Adds, finds, forgets and words of people in any order: groups are those of a list of lists.
pub async fn groups_are_those_of_a_model<H: Home>(first: H) {
    let (mut homes, mut largest, mut left) = (vec![first], 0, 0);
    for story in 1..=if H::QUICK { 8u64 } else { 1 } {
        let mut home = match homes.pop() {
            Some(home) => home,
            None => H::new().await,
        };
        let mut numbers = Numbers(88_172_645_463_325_252 ^ (story << 32));
        let (mut model, mut next, mut rounds) = (Model::default(), 0u64, BTreeMap::<u64, u32>::new());
        let name = |n: u64| format!("content {n:03}");
        let addressed = |n: u64| format!("http://m.example/{n}.jpg");
        for _ in 0..120 {
            let library = home.library();
            let any = |numbers: &mut Numbers| numbers.below(next);
            // What is forgotten before it came would not come.
            match if next == 0 { 0 } else { numbers.below(20) } {
                0..7 => {
                    // A new content, or one that was removed and comes again.
                    let gone = (0..next).find(|n| !model.has(*n) && rounds.contains_key(n) && numbers.below(3) == 0);
                    let n = gone.unwrap_or(next);
                    next += u64::from(gone.is_none());
                    let (side, round) = (10 + n * 7 % 5, rounds.entry(n).or_default());
                    *round += 1;
                    let claim = store::Claim { round: *round, ..image_claim(&addressed(n)) };
                    let facts = Facts { width: Some(side as u32), height: Some(side as u32), ..plain() };
                    record(&*library, vec![kept_as(claim, &name(n), facts)]).await;
                    model.items.push((n, side));
                }
                7..14 => {
                    let one = any(&mut numbers);
                    let others: Vec<u64> = (0..1 + numbers.below(2)).map(|_| any(&mut numbers)).collect();
                    let copies = others.iter().map(|n| near(&name(*n), "")).collect();
                    library.compared(&[Compared { id: id_of(&name(one)), copies }]).await.unwrap();
                    others.iter().for_each(|other| model.join(one, *other));
                }
                14 | 15 => {
                    let n = any(&mut numbers);
                    let group = model.group(n);
                    let set = library.set_apart(id_of(&name(n))).await.unwrap();
                    assert_eq!(set, group.len() > 1);
                    if set {
                        group.iter().filter(|other| **other != n).for_each(|other| {
                            model.apart.extend([(n, *other, n), (*other, n, n)]);
                        });
                        model.leave(n);
                    }
                }
                16 => {
                    let n = any(&mut numbers);
                    library.unset_apart(id_of(&name(n))).await.unwrap();
                    model.apart.retain(|(_, _, said)| *said != n);
                }
                17 => {
                    let n = any(&mut numbers);
                    assert_eq!(home.remove(id_of(&name(n))).await.unwrap(), model.has(n));
                    left += u64::from(model.group(n).len() > 1);
                    model.leave(n);
                    model.items.retain(|(item, _)| *item != n);
                }
                18 => {
                    let n = any(&mut numbers);
                    home.forget(Forget::Address(url(&addressed(n)))).await.unwrap();
                    left += u64::from(model.group(n).len() > 1);
                    // What a person said of it is forgotten, if it was there.
                    if model.has(n) {
                        model.apart.retain(|(one, other, _)| *one != n && *other != n);
                    }
                    rounds.remove(&n);
                    model.leave(n);
                    model.items.retain(|(item, _)| *item != n);
                }
                _ => home.restart(Stop::Killed).await,
            }
            let library = home.library();
            let names: Vec<String> = (0..next).map(name).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let number = |name: &String| name.trim_start_matches("content ").parse::<u64>().unwrap();
            let listed = groups(&*library, &names).await;
            let listed: BTreeSet<Vec<u64>> = listed.iter().map(|group| group.iter().map(number).collect()).collect();
            assert_eq!(listed, model.sorted());
            largest = largest.max(listed.iter().map(Vec::len).max().unwrap_or(0));
            let everything = ItemFilter { copies: true, ..ItemFilter::default() };
            let items = library.items(&everything, 0, 1_000).await.unwrap();
            assert_eq!(items.len(), model.items.len(), "none is lost");
            for item in &items {
                let original = item.duplicate_of.map(|id| items.iter().find(|other| other.id == id).unwrap());
                assert!(original.is_none_or(|original| original.duplicate_of.is_none() && original.copies > 0));
            }
            home.audit().await;
        }
    }
    assert!(!H::QUICK || (largest > 4 && left > 8), "groups of {largest}, {left} left one: too few to say much");
}
