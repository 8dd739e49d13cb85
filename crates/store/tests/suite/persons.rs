//! Statements about what people say and do.

use facts::{Address, LatLon};
use serde_json::json;
use store::{Claim, Edited, Forget, ItemFilter, Library, MediaFile, Said, SaidSource, StoreError, Visited};

use super::library::start;
use super::web::*;
use super::{Home, Stop};

const PICTURE: &str = "http://m.example/1.jpg";
const PAGE: &str = "http://a.example/";

async fn record(library: &dyn Library, visits: Vec<Visited>) {
    let (_, run) = start(library).await;
    library.record(run.id, &visits).await.unwrap();
}

fn again(visit: Visited, round: u32) -> Visited {
    Visited { claim: Claim { round, ..visit.claim }, ..visit }
}

/// A page that says where the picture on it was made.
fn described(lat: f64, confidence: f64) -> Visited {
    let mut visit = read_with_images(page_claim(PAGE), &[PICTURE]);
    let mut whereabouts = at(lat, confidence);
    whereabouts.address = Some(Address { street: Some("Am Markt".into()), ..Address::default() });
    facts_of(&mut visit).media[0].locations = vec![said(SaidSource::Description, whereabouts)];
    visit
}

async fn located(library: &dyn Library) -> usize {
    let filter = ItemFilter { located: Some(true), ..ItemFilter::default() };
    library.items(&filter, 0, 9).await.unwrap().len()
}

pub async fn a_confirmed_location_is_the_word_of_a_person_as_it_was(mut home: impl Home) {
    let library = home.library();
    assert!(!library.set_location(id_of("one"), Said::Confirm).await.unwrap(), "nothing of that content is kept");
    record(&*library, vec![kept(image_claim(PICTURE), "one")]).await;
    assert!(!library.set_location(id_of("one"), Said::Confirm).await.unwrap(), "there is nothing to confirm");
    record(&*library, vec![described(2.0, 0.4)]).await;
    let shown = library.item(id_of("one")).await.unwrap().unwrap().location.unwrap();
    assert!(library.set_location(id_of("one"), Said::Confirm).await.unwrap());
    home.restart(Stop::Killed).await;
    let library = home.library();
    // The page says otherwise, and more surely.
    record(&*library, vec![again(described(3.0, 0.9), 1)]).await;
    let item = library.item(id_of("one")).await.unwrap().unwrap();
    let confirmed = item.location.unwrap();
    assert_eq!((confirmed.source.as_str(), confirmed.verified, confirmed.confidence), ("person", true, 1.0));
    assert_eq!((confirmed.at, confirmed.precision_m, &confirmed.address), (shown.at, Some(1_000.0), &shown.address));
    assert_eq!((&confirmed.evidence, &confirmed.locality), (&shown.evidence, &shown.locality));
    assert_eq!(item.other_locations.iter().map(|other| other.at.lat()).collect::<Vec<_>>(), [3.0]);
    assert!(library.set_location(id_of("one"), Said::Confirm).await.unwrap(), "twice is as good as once");
    home.audit().await;
    library.set_location(id_of("one"), Said::Nothing).await.unwrap();
    assert_eq!(library.item(id_of("one")).await.unwrap().unwrap().location.unwrap().at.lat(), 3.0);
    home.audit().await;
}

pub async fn a_rejected_location_is_not_shown_whatever_is_said_later(home: impl Home) {
    let library = home.library();
    let words = async || library.library_figures(0).await.unwrap().images.located_by_text;
    record(&*library, vec![described(2.0, 0.4), kept(image_claim(PICTURE), "one")]).await;
    assert_eq!((words().await, located(&*library).await), (1, 1));
    assert!(library.set_location(id_of("one"), Said::Reject).await.unwrap());
    assert_eq!((words().await, located(&*library).await), (0, 0));
    record(&*library, vec![again(described(3.0, 1.0), 1)]).await;
    home.import(vec![local("/one.jpg", "one", taken_at(1.0, 1.0))]).await.unwrap();
    let item = library.item(id_of("one")).await.unwrap().unwrap();
    assert!(item.location.is_none() && item.rejected);
    assert_eq!(item.other_locations.iter().map(|other| other.at.lat()).collect::<Vec<_>>(), [3.0]);
    assert!(!library.set_location(id_of("one"), Said::Confirm).await.unwrap(), "nothing is shown to confirm");
    // The content goes and comes again.
    home.remove(id_of("one")).await.unwrap();
    record(&*library, vec![again(kept(image_claim(PICTURE), "one"), 2)]).await;
    assert!(library.item(id_of("one")).await.unwrap().unwrap().rejected);
    assert_eq!((words().await, located(&*library).await), (0, 0));
    home.audit().await;
    library.set_location(id_of("one"), Said::Point(LatLon::new(9.0, 9.0).unwrap(), named("there"))).await.unwrap();
    let item = library.item(id_of("one")).await.unwrap().unwrap();
    assert_eq!((item.location.unwrap().at.lat(), item.rejected), (9.0, false));
    assert!(library.set_location(id_of("one"), Said::Reject).await.unwrap());
    library.set_location(id_of("one"), Said::Nothing).await.unwrap();
    assert_eq!((words().await, located(&*library).await), (1, 1));
    home.audit().await;
}

pub async fn a_text_of_a_person_comes_again_with_its_content(home: impl Home) {
    let library = home.library();
    let text = |text: &str| Some(Some(text.to_owned()));
    assert!(!library.set_text(id_of("one"), text("title"), None).await.unwrap());
    let edited = async || library.item(id_of("one")).await.unwrap().unwrap().edited;
    record(&*library, vec![described(2.0, 0.4), kept(image_claim(PICTURE), "one")]).await;
    assert_eq!(edited().await, None);
    assert!(library.set_text(id_of("one"), text("A bridge"), None).await.unwrap());
    assert!(library.set_text(id_of("one"), None, text(&"é".repeat(6_000))).await.unwrap());
    assert!(library.set_text(id_of("one"), None, None).await.unwrap());
    let written = Edited { title: Some("A bridge".into()), description: Some("é".repeat(5_000)) };
    assert_eq!(edited().await, Some(written.clone()));
    home.remove(id_of("one")).await.unwrap();
    record(&*library, vec![again(kept(image_claim(PICTURE), "one"), 1)]).await;
    assert_eq!(edited().await, Some(written));
    assert!(library.set_text(id_of("one"), None, Some(None)).await.unwrap());
    assert_eq!(edited().await, Some(Edited { title: Some("A bridge".into()), description: None }));
    home.audit().await;
    // What is forgotten leaves nothing behind.
    home.forget(Forget::Address(url(PAGE))).await.unwrap();
    record(&*library, vec![again(described(2.0, 0.4), 9)]).await;
    home.import(vec![local("/one.jpg", "one", plain())]).await.unwrap();
    assert_eq!(edited().await, None);
    library.set_text(id_of("one"), text("A bridge"), None).await.unwrap();
    library.set_text(id_of("one"), Some(None), None).await.unwrap();
    assert_eq!(edited().await, None);
    home.audit().await;
}

pub async fn a_removed_item_goes_with_its_files_and_may_come_again(home: impl Home) {
    let library = home.library();
    let (crawl, _) = start(&*library).await;
    record(&*library, vec![described(2.0, 0.4), kept(image_claim(PICTURE), "one")]).await;
    let before = library.figures(crawl, None).await.unwrap();
    assert!(home.remove(id_of("one")).await.unwrap());
    assert!(!home.remove(id_of("one")).await.unwrap(), "it is gone already");
    assert_eq!(library.item(id_of("one")).await.unwrap(), None);
    assert_eq!(library.library_figures(9).await.unwrap().images.total, 0);
    assert_eq!(library.figures(crawl, None).await.unwrap(), before, "what a crawl counted stays counted");
    home.audit().await;
    record(&*library, vec![again(kept(image_claim(PICTURE), "one"), 1)]).await;
    let item = library.item(id_of("one")).await.unwrap().unwrap();
    assert_eq!((item.found[0].page.as_deref(), item.location.unwrap().at.lat()), (Some(PAGE), 2.0));
    home.audit().await;
}

pub async fn a_removed_import_can_be_imported_again(home: impl Home) {
    let library = home.library();
    let files = || vec![local("/one.jpg", "one", taken_at(1.0, 1.0)), local("/copy.jpg", "one", taken_at(1.0, 1.0))];
    home.import(files()).await.unwrap();
    assert!(home.remove(id_of("one")).await.unwrap());
    assert_eq!(library.imported(&["/one.jpg".into(), "/copy.jpg".into()]).await.unwrap(), [None, None]);
    home.audit().await;
    assert_eq!(home.import(files()).await.unwrap().new, 1);
    let MediaFile { id, .. } = file("", "one", plain());
    assert_eq!(library.item(id).await.unwrap().unwrap().addresses, 2);
    home.audit().await;
}

pub async fn settings_are_kept_by_name(mut home: impl Home) {
    let library = home.library();
    assert_eq!(library.setting("map").await.unwrap(), None);
    library.save_setting("map", &json!({"style": "x"})).await.unwrap();
    library.save_setting("map", &json!({"style": ["y", 1.5, true]})).await.unwrap();
    library.save_setting("other", &json!(7)).await.unwrap();
    let large = library.save_setting("map", &json!("x".repeat(1 << 20))).await;
    assert!(matches!(large, Err(StoreError::TooLarge { .. })), "{large:?}");
    home.restart(Stop::Killed).await;
    let library = home.library();
    assert_eq!(library.setting("map").await.unwrap(), Some(json!({"style": ["y", 1.5, true]})));
    library.save_setting("map", &json!(null)).await.unwrap();
    assert_eq!(library.setting("map").await.unwrap(), None);
    assert_eq!(library.setting("other").await.unwrap(), Some(json!(7)));
}
