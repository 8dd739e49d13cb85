//! Files that come and go with their rows, also when the process ends in between.

use std::fs;
use std::path::Path;

use facts::Order;
use store::{CrawlId, Forget, ImportedFile, ItemFilter, MediaFile, Outcome, RunId, Store, StoreError, Visited};

use super::{SmallDisk, files_below, open, scratch, start};
use crate::suite::{PLENTY, web};

/// A picture with its thumbnail in their places, as a visit of this address brings them.
async fn placed(store: &Store, crawl: CrawlId, address: &str, content: &str) -> Visited {
    let link = web::image(address, Order::FirstIn);
    store.frontier().add(crawl, vec![link], PLENTY).await.unwrap();
    let claim = web::claim_one(&**store.frontier(), crawl).await;
    web::release(&**store.frontier(), &claim).await;
    let mut draft = store.files().draft(&claim.link.url.host()).unwrap();
    draft.write(content.as_bytes()).unwrap();
    let stored = store.keep(draft, "jpeg").unwrap().file;
    let thumbnail = store.files().place_thumbnail(&stored.path, stored.id, b"small").unwrap();
    let facts = web::taken_at(60.0, 25.0);
    let file = MediaFile {
        id: stored.id,
        size: stored.size,
        path: stored.path,
        thumbnail: Some(thumbnail),
        colour: None,
        facts,
        locality: None,
        said: Vec::new(),
        description: None,
    };
    web::visited(claim, Outcome::Media(file), Vec::new())
}

async fn keep(store: &Store, crawl: CrawlId, run: RunId, address: &str, content: &str) {
    let visit = placed(store, crawl, address, content).await;
    store.commit(crawl, run, vec![visit], PLENTY).await.unwrap();
}

/// Files of the media directory, but for its notes.
fn media(dir: &Path) -> Vec<String> {
    let root = dir.join("media");
    let names = files_below(&root).into_iter();
    let names = names.map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
    names.filter(|name| !name.starts_with('.')).collect()
}

/// Every file that rows name is there, and no other.
async fn files_and_rows_agree(store: &Store) {
    let items = store.library().items(&ItemFilter::default(), 0, 1_000).await.unwrap();
    let mut named: Vec<String> =
        items.into_iter().flat_map(|item| [Some(item.path), item.thumbnail]).flatten().collect();
    named.retain(|path| !path.starts_with('/'));
    named.sort();
    assert_eq!(media(store.dir()), named);
}

#[tokio::test]
async fn files_and_thumbnails_of_a_killed_visit_go_at_the_next_open() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    keep(&store, crawl, run, "http://a.example/1.jpg", "one").await;
    placed(&store, crawl, "http://b.example/2.jpg", "two").await;
    assert_eq!(media(dir.path()).len(), 4);
    drop(store);
    let store = open(dir.path()).unwrap();
    assert_eq!(media(dir.path()).len(), 2);
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn a_thumbnail_that_no_row_took_goes_at_once() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    let picture = dir.path().join("elsewhere.jpg");
    fs::write(&picture, "one").unwrap();
    let path = picture.to_str().unwrap();
    let mut file = web::local(path, "one", web::plain());
    if let Ok(kept) = &mut file.outcome {
        kept.thumbnail = Some(store.files().place_thumbnail(path, kept.id, b"small").unwrap());
    }
    store.import(vec![file]).await.unwrap();
    // The crawl brings a copy, which is kept as our own, and a second thumbnail, which is not.
    keep(&store, crawl, run, "http://a.example/1.jpg", "one").await;
    assert_eq!(media(dir.path()).len(), 2);
    store.close().await.unwrap();
    let store = open(dir.path()).unwrap();
    let names = media(dir.path());
    assert!(names.len() == 2 && names[0].starts_with("a.example/") && names[1].starts_with("imported/"), "{names:?}");
    files_and_rows_agree(&store).await;
    assert_eq!(fs::read(&picture).unwrap(), b"one");
}

#[tokio::test]
async fn what_is_forgotten_is_gone_from_the_disk() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    for (address, content) in [
        ("http://a.example/1.jpg", "one"),
        ("http://b.example/2.jpg", "two"),
        ("http://c.example/copy.jpg", "two"),
        ("http://c.example/3.jpg", "three"),
    ] {
        keep(&store, crawl, run, address, content).await;
    }
    assert_eq!(media(dir.path()).len(), 6);
    // Its file has a copy elsewhere: it stays where it is.
    let forgotten = store.forget(&Forget::Host(web::host("b.example"))).await.unwrap();
    assert_eq!((forgotten.files, forgotten.media, forgotten.addresses), (0, 0, 1));
    let forgotten = store.forget(&Forget::Address(web::url("http://c.example/3.jpg"))).await.unwrap();
    assert_eq!((forgotten.files, forgotten.media), (2, 1));
    let forgotten = store.forget(&Forget::Host(web::host("a.example"))).await.unwrap();
    assert_eq!((forgotten.files, forgotten.media), (2, 1));
    assert_eq!(media(dir.path()).len(), 2);
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn files_of_a_forgetting_that_was_killed_go_at_the_next_open() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    for n in 0..5 {
        keep(&store, crawl, run, &format!("http://a.example/{n}.jpg"), &n.to_string()).await;
    }
    keep(&store, crawl, run, "http://b.example/copy.jpg", "4").await;
    // Another process, which has no note of having placed them.
    drop(store);
    let store = open(dir.path()).unwrap();
    // The rows only, as if the process ended then.
    let forgotten = store.library().forget(&Forget::Host(web::host("a.example"))).await.unwrap();
    assert_eq!((forgotten.media, forgotten.files, forgotten.addresses), (4, 8, 5));
    assert_eq!(media(dir.path()).len(), 10);
    // One of them comes back before its file is removed: it is named again.
    let again = placed(&store, crawl, "http://b.example/again.jpg", "3").await;
    store.library().record(run, &[again]).await.unwrap();
    drop(store);
    let store = open(dir.path()).unwrap();
    assert_eq!(media(dir.path()).len(), 4);
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn a_visit_whose_file_was_forgotten_meanwhile_names_no_file() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    keep(&store, crawl, run, "http://a.example/1.jpg", "one").await;
    let copy = placed(&store, crawl, "http://b.example/copy.jpg", "one").await;
    store.forget(&Forget::Host(web::host("a.example"))).await.unwrap();
    store.commit(crawl, run, vec![copy], PLENTY).await.unwrap();
    files_and_rows_agree(&store).await;
    let figures = store.library().figures(crawl, None).await.unwrap();
    assert_eq!((figures.visits, figures.errors["removed"]), (2, 1));
    // The next to bring it places it anew.
    keep(&store, crawl, run, "http://c.example/copy.jpg", "one").await;
    assert_eq!(media(dir.path()).len(), 2);
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn content_that_was_forgotten_on_its_way_is_not_kept() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    keep(&store, crawl, run, "http://a.example/1.jpg", "one").await;
    store.forget(&Forget::Address(web::url("http://a.example/1.jpg"))).await.unwrap();
    let again = placed(&store, crawl, "http://b.example/again.jpg", "one").await;
    store.commit(crawl, run, vec![again], PLENTY).await.unwrap();
    assert_eq!(store.library().library_figures(0).await.unwrap().images.total, 0);
    drop(store);
    let store = open(dir.path()).unwrap();
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn the_file_of_what_an_address_no_longer_holds_goes() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    keep(&store, crawl, run, "http://a.example/today.jpg", "monday").await;
    let mut visit = placed(&store, crawl, "http://a.example/other.jpg", "tuesday").await;
    // The same address again, in a later round.
    let link = web::image("http://a.example/today.jpg", Order::FirstIn);
    visit.claim.id = link.url.id();
    visit.claim.link = link;
    visit.claim.round = 1;
    store.library().record(run, std::slice::from_ref(&visit)).await.unwrap();
    assert_eq!(media(dir.path()).len(), 4, "the process ends before the files go");
    drop(store);
    let store = open(dir.path()).unwrap();
    assert_eq!(media(dir.path()).len(), 2);
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn files_of_others_are_never_removed() {
    let dir = scratch();
    let elsewhere = scratch();
    let store = open(dir.path()).unwrap();
    let path = elsewhere.path().join("mine.jpg");
    fs::write(&path, "one").unwrap();
    let file = web::local(path.to_str().unwrap(), "one", web::plain());
    store.import(vec![file.clone()]).await.unwrap();
    let forgotten = store.forget(&Forget::File(file.source.clone())).await.unwrap();
    assert_eq!((forgotten.media, forgotten.files), (1, 0));
    drop(store);
    open(dir.path()).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
}

#[tokio::test]
async fn an_import_that_is_killed_leaves_nothing_behind() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let mut draft = store.files().draft(&web::host("imported")).unwrap();
    draft.write(b"one").unwrap();
    let stored = store.keep(draft, "jpeg").unwrap().file;
    let thumbnail = store.files().place_thumbnail(&stored.path, stored.id, b"small").unwrap();
    drop(store);
    let store = open(dir.path()).unwrap();
    assert!(media(dir.path()).is_empty());

    let mut draft = store.files().draft(&web::host("imported")).unwrap();
    draft.write(b"one").unwrap();
    store.keep(draft, "jpeg").unwrap();
    store.files().place_thumbnail(&stored.path, stored.id, b"small").unwrap();
    let kept = MediaFile { path: stored.path, thumbnail: Some(thumbnail), ..web::file("", "one", web::plain()) };
    let file = ImportedFile { outcome: Ok(kept), ..web::local("/a.jpg", "one", web::plain()) };
    store.import(vec![file]).await.unwrap();
    drop(store);
    let store = open(dir.path()).unwrap();
    assert_eq!(media(dir.path()).len(), 2);
    files_and_rows_agree(&store).await;
}

#[tokio::test]
async fn a_forgotten_file_that_cannot_be_removed_is_named() {
    let Some(disk) = SmallDisk::mount(64) else {
        eprintln!("skipped: mounting a small disk is not allowed here");
        return;
    };
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    keep(&store, crawl, run, "http://a.example/1.jpg", "one").await;
    // Its directory is on a disk that cannot be written any more.
    let directory = dir.path().join("media/a.example");
    let moved = disk.0.path().join("a.example");
    fs::create_dir_all(&moved).unwrap();
    for path in files_below(&directory) {
        let copy = moved.join(path.strip_prefix(&directory).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(&path, copy).unwrap();
    }
    fs::remove_dir_all(&directory).unwrap();
    std::os::unix::fs::symlink(&moved, &directory).unwrap();
    disk.remount("ro");
    let error = store.forget(&Forget::Host(web::host("a.example"))).await.expect_err("the file is still there");
    assert!(matches!(error, StoreError::NotRemoved { .. }), "{error}");
    assert!(error.to_string().contains("the next start removes it"), "{error}");
    assert!(store.library().items(&ItemFilter::default(), 0, 9).await.unwrap().is_empty());
    drop(store);
    drop(open(dir.path()).expect("everything else goes on"));
    disk.remount("rw");
    open(dir.path()).unwrap();
    assert!(files_below(&moved).is_empty());
}

#[tokio::test]
async fn a_removed_item_takes_its_files_along() {
    let dir = scratch();
    let store = open(dir.path()).unwrap();
    let (crawl, run) = start(&store).await;
    keep(&store, crawl, run, "http://a.example/1.jpg", "one").await;
    keep(&store, crawl, run, "http://b.example/2.jpg", "two").await;
    assert_eq!(media(dir.path()).len(), 4);
    assert!(store.remove(web::id_of("one")).await.unwrap());
    assert_eq!(media(dir.path()).len(), 2);
    files_and_rows_agree(&store).await;
    // It is not barred from coming again.
    keep(&store, crawl, run, "http://c.example/3.jpg", "one").await;
    assert_eq!(media(dir.path()).len(), 4);
    files_and_rows_agree(&store).await;
}
