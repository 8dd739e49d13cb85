//! Statements about local files that are taken in.

use store::{Imported, ImportedFile, ItemFilter, Library, MediaFile, Refused, Sighting, StoreError};

use super::library::start;
use super::web::*;
use super::{Home, Stop};

async fn hosts(library: &dyn Library) -> Vec<(String, u64, u64)> {
    let figures = library.library_figures(9).await.unwrap();
    figures.hosts.into_iter().map(|host| (host.host, host.images, host.geotagged)).collect()
}

pub async fn imported_files_are_items_like_any_other(home: impl Home) {
    let files = vec![
        local("/pictures/a b.jpg", "one", taken_at(60.0, 25.0)),
        local("/pictures/c.jpg", "two", plain()),
        local("/pictures/copy of c.jpg", "two", plain()),
        ImportedFile { outcome: Err(Refused::unseen("format")), ..local("/pictures/notes.txt", "", plain()) },
    ];
    let imported = home.import(files).await.unwrap();
    assert_eq!(imported, Imported { new: 2, known: 1, refused: 1, forgotten: 0 });
    let library = home.library();
    let items = library.items(&ItemFilter::default(), 0, 9).await.unwrap();
    assert_eq!(
        items.iter().map(|item| item.path.as_str()).collect::<Vec<_>>(),
        ["/pictures/a b.jpg", "/pictures/c.jpg"]
    );
    let found = Sighting {
        page_keywords: Vec::new(),
        image: "file:///pictures/a%20b.jpg".into(),
        page: None,
        page_title: None,
        description: "the file /pictures/a b.jpg".into(),
        licence: None,
        author: None,
        gone: None,
    };
    assert_eq!(items[0].found, [found]);
    assert_eq!(items[1].found.len(), 2);
    assert_eq!(hosts(&*library).await, [("(imported)".to_owned(), 3, 1)]);
    let figures = library.library_figures(9).await.unwrap();
    assert_eq!((figures.images.total, figures.images.with_location_in_metadata), (2, 1));
    assert!(figures.tlds.is_empty());
    let filter = ItemFilter { host: Some("(imported)".into()), ..ItemFilter::default() };
    assert_eq!(library.items(&filter, 0, 9).await.unwrap(), items);
}

pub async fn importing_again_changes_nothing(mut home: impl Home) {
    let files = || vec![local("/a.jpg", "one", taken_at(60.0, 25.0)), local("/b.jpg", "two", plain())];
    home.import(files()).await.unwrap();
    let before = home.library().items(&ItemFilter::default(), 0, 9).await.unwrap();
    home.restart(Stop::Killed).await;
    assert_eq!(home.import(files()).await.unwrap(), Imported { known: 2, ..Imported::default() });
    let library = home.library();
    assert_eq!(library.items(&ItemFilter::default(), 0, 9).await.unwrap(), before);
    assert_eq!(hosts(&*library).await, [("(imported)".to_owned(), 2, 1)]);
}

pub async fn an_import_that_was_stopped_knows_what_it_has(mut home: impl Home) {
    let refused = ImportedFile { outcome: Err(Refused::unseen("small")), ..local("/b.jpg", "two", plain()) };
    home.import(vec![local("/a.jpg", "one", plain()), refused]).await.unwrap();
    home.restart(Stop::Killed).await;
    let paths = ["/b.jpg", "/none.jpg", "/a.jpg"].map(str::to_owned);
    let known = home.library().imported(&paths).await.unwrap();
    assert_eq!(known, [None, None, Some((3, 1_000))]);
}

pub async fn a_changed_file_takes_its_address_along(home: impl Home) {
    home.import(vec![local("/a.jpg", "before", taken_at(60.0, 25.0))]).await.unwrap();
    let changed = ImportedFile { modified: 2_000, ..local("/a.jpg", "after it", plain()) };
    assert_eq!(home.import(vec![changed]).await.unwrap(), Imported { new: 1, ..Imported::default() });
    let library = home.library();
    assert_eq!(library.item(id_of("before")).await.unwrap(), None);
    assert_eq!(library.item(id_of("after it")).await.unwrap().unwrap().path, "/a.jpg");
    assert_eq!(hosts(&*library).await, [("(imported)".to_owned(), 1, 0)]);
    assert_eq!(library.imported(&["/a.jpg".into()]).await.unwrap(), [Some((8, 2_000))]);
}

pub async fn a_file_that_is_refused_later_goes(home: impl Home) {
    home.import(vec![local("/a.jpg", "one", taken_at(60.0, 25.0))]).await.unwrap();
    let refused = ImportedFile { outcome: Err(Refused::unseen("broken")), ..local("/a.jpg", "", plain()) };
    home.import(vec![refused]).await.unwrap();
    let library = home.library();
    assert!(library.items(&ItemFilter::default(), 0, 9).await.unwrap().is_empty());
    assert!(hosts(&*library).await.is_empty());
    assert_eq!(home.import(vec![local("/a.jpg", "one", plain())]).await.unwrap().new, 1);
}

pub async fn of_two_copies_the_one_that_stays_is_named(home: impl Home) {
    home.import(vec![local("/a.jpg", "one", plain()), local("/b.jpg", "one", plain())]).await.unwrap();
    let path = async || home.library().item(id_of("one")).await.unwrap().unwrap().path;
    assert_eq!(path().await, "/a.jpg");
    home.import(vec![local("/a.jpg", "another", plain())]).await.unwrap();
    assert_eq!(path().await, "/b.jpg");
    home.import(vec![local("/c.jpg", "one", plain())]).await.unwrap();
    assert_eq!(path().await, "/b.jpg");
}

pub async fn a_crawled_copy_replaces_the_file_elsewhere(home: impl Home) {
    home.import(vec![local("/a.jpg", "one", taken_at(60.0, 25.0))]).await.unwrap();
    let library = home.library();
    let (_, run) = start(&*library).await;
    library.record(run.id, &[kept(image_claim("http://m.example/1.jpg"), "one")]).await.unwrap();
    home.import(vec![local("/a.jpg", "changed", plain())]).await.unwrap();
    let item = library.item(id_of("one")).await.unwrap().unwrap();
    assert_eq!(item.path, format!("m.example/{}.jpeg", id_of("one")));
    assert!(item.location.is_some() && item.found.len() == 1);
    assert_eq!(library.library_figures(9).await.unwrap().tlds, [("example".to_owned(), 1)]);
}

pub async fn paths_that_are_not_absolute_are_refused(home: impl Home) {
    let files = vec![local("/a.jpg", "one", plain()), local("b.jpg", "two", plain())];
    let error = home.import(files).await.expect_err("refused");
    assert!(matches!(&error, StoreError::NotAbsolute { path } if path.ends_with("b.jpg")), "{error}");
    assert!(home.library().item(id_of("one")).await.unwrap().is_none(), "all or nothing");
    let inside = MediaFile { path: format!("imported/{}.jpg", id_of("two")), ..file("", "two", plain()) };
    let copied = ImportedFile { outcome: Ok(inside), ..local("/b.jpg", "two", plain()) };
    assert_eq!(home.import(vec![copied]).await.unwrap().new, 1);
}
