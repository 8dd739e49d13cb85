//! Statements about clusters of what is alike.

use facts::{MediaId, MediaKind};
use store::{Alike, ClusterId, Described, Description, Library, Placed, Sorted, Traces};

use super::library::start;
use super::web::*;
use super::{Home, Stop};

const VERSION: u16 = 3;
const IMAGE: MediaKind = MediaKind::Image;

fn name(n: usize) -> String {
    format!("p{n}")
}

/// Described pictures, in no cluster yet.
async fn pictures(library: &dyn Library, numbers: std::ops::Range<usize>) {
    let (_, run) = start(library).await;
    let visit = |n: usize| {
        let mut visit = kept_as(image_claim(&format!("http://m.example/{}.jpg", name(n))), &name(n), plain());
        let description = Description { version: VERSION, bytes: vec![n as u8], traces: Traces::default() };
        file_of(&mut visit).description = Some(Described::As(description));
        visit
    };
    library.record(run.id, &numbers.map(visit).collect::<Vec<_>>()).await.unwrap();
}

/// A picture's place on a line.
fn point(n: usize) -> Vec<i8> {
    vec![n as i8, -(n as i8)]
}

async fn place(library: &dyn Library, numbers: impl IntoIterator<Item = usize>, cluster: ClusterId) {
    let placed = |n| Placed { id: id_of(&name(n)), cluster, point: point(n) };
    library.place(&numbers.into_iter().map(placed).collect::<Vec<_>>()).await.unwrap();
}

fn asked(n: usize, compared: usize, most: usize) -> Alike {
    Alike { kind: IMAGE, version: VERSION, point: point(n), compared, most, copies: false, except: None }
}

async fn found(library: &dyn Library, asked: &Alike) -> Vec<u8> {
    library.alike(asked).await.unwrap().iter().map(|item| item.bytes[0]).collect()
}

async fn members(library: &dyn Library) -> Vec<(u32, u64)> {
    let leaders = library.leaders(IMAGE, VERSION).await.unwrap().leaders;
    leaders.iter().map(|leader| (leader.generation, leader.members)).collect()
}

pub async fn what_is_near_is_found_in_the_nearest_clusters(mut home: impl Home) {
    let library = home.library();
    assert!(found(&*library, &asked(1, 100, 10)).await.is_empty(), "nothing is there");
    pictures(&*library, 0..100).await;
    assert_eq!(library.unplaced(IMAGE, VERSION, 1_000).await.unwrap().len(), 100);
    assert!(library.unplaced(IMAGE, VERSION + 1, 1_000).await.unwrap().is_empty());
    let clusters = library.found_clusters(IMAGE, VERSION, None, &[point(24), point(75)]).await.unwrap();
    place(&*library, 0..50, clusters[0]).await;
    place(&*library, 50..100, clusters[1]).await;
    assert!(library.unplaced(IMAGE, VERSION, 1_000).await.unwrap().is_empty());
    // The nearest cluster alone has no more than its own.
    assert_eq!(found(&*library, &asked(48, 1, 4)).await[..3], [48, 47, 49]);
    assert!(found(&*library, &asked(48, 1, 100)).await.iter().all(|n| *n < 50));
    assert_eq!(found(&*library, &asked(48, 51, 100)).await.len(), 100);
    let except = Alike { except: Some(id_of(&name(48))), ..asked(48, 1, 2) };
    assert_eq!(found(&*library, &except).await, [47, 49]);
    // What comes later is found, and what goes is not, also by who has read the cluster before.
    pictures(&*library, 100..101).await;
    let moved = Placed { id: id_of(&name(100)), cluster: clusters[0], point: point(48) };
    library.place(&[moved]).await.unwrap();
    home.remove(id_of(&name(48))).await.unwrap();
    assert_eq!(found(&*library, &asked(48, 1, 3)).await, [100, 47, 49]);
    home.restart(Stop::Killed).await;
    assert_eq!(found(&*home.library(), &asked(48, 1, 3)).await, [100, 47, 49]);
    assert_eq!(members(&*home.library()).await, [(0, 50), (0, 50)]);
    home.audit().await;
}

pub async fn a_new_clustering_takes_over_item_by_item(mut home: impl Home) {
    let library = home.library();
    pictures(&*library, 0..60).await;
    let old = library.found_clusters(IMAGE, VERSION, None, &[point(10), point(40)]).await.unwrap();
    place(&*library, 0..30, old[0]).await;
    place(&*library, 30..60, old[1]).await;
    assert!(library.misplaced(IMAGE, VERSION, 100).await.unwrap().is_empty());
    assert_eq!(library.points(IMAGE, VERSION, 20).await.unwrap().len(), 20);
    let sorted = Sorted { generation: 1, items: 60, spread: 2.5 };
    let new = library.found_clusters(IMAGE, VERSION, Some(sorted), &[point(30)]).await.unwrap();
    assert_eq!(library.leaders(IMAGE, VERSION).await.unwrap().sorted, sorted);
    let mut moved = 0;
    loop {
        // Half moved or not, everything is found; a kill in between costs nothing.
        assert_eq!(found(&*home.library(), &asked(33, 1_000, 100)).await.len(), 60);
        home.restart(Stop::Killed).await;
        let library = home.library();
        let misplaced = library.misplaced(IMAGE, VERSION, 25).await.unwrap();
        if misplaced.is_empty() {
            break;
        }
        moved += misplaced.len();
        let placed = |(id, point): (MediaId, Vec<i8>)| Placed { id, cluster: new[0], point };
        library.place(&misplaced.into_iter().map(placed).collect::<Vec<_>>()).await.unwrap();
    }
    assert_eq!(moved, 60);
    assert_eq!(members(&*home.library()).await, [(1, 60)], "clusters of the older one are gone");
    home.audit().await;
}

pub async fn what_is_described_anew_is_placed_anew(home: impl Home) {
    let library = home.library();
    pictures(&*library, 0..4).await;
    let clusters = library.found_clusters(IMAGE, VERSION, None, &[point(0)]).await.unwrap();
    place(&*library, 0..4, clusters[0]).await;
    let newer = Description { version: VERSION + 1, bytes: vec![9], traces: Traces::default() };
    let not = Described::Not { version: VERSION + 1, reason: "damaged".into() };
    library.describe(&[(id_of("p1"), Described::As(newer)), (id_of("p2"), not)]).await.unwrap();
    assert_eq!(found(&*library, &asked(1, 100, 10)).await, [0, 3]);
    let unplaced = library.unplaced(IMAGE, VERSION + 1, 10).await.unwrap();
    assert_eq!(unplaced.iter().map(|one| one.id).collect::<Vec<_>>(), [id_of("p1")]);
    // Neither an item that cannot be described, nor one or a cluster that is not there.
    place(&*library, [2, 77], clusters[0]).await;
    place(&*library, [1], ClusterId(99)).await;
    assert_eq!(members(&*library).await, [(0, 2)]);
    home.audit().await;
}
