//! A made library, the same for all who measure how it is searched.
//!
//! Pictures of 500 hosts around 2,000 made towns with made texts, one in 200 a film, two in three with the
//! time they were taken at, one page for every ten. Every picture has a description of 700 bytes and a point
//! near one of 1,024 leaders.

use facts::MediaKind;
use store::{ClusterId, Described, Description, Library, Placed, Traces};

use crate::home::write;
use crate::made::{self, Outcomes, scattered};
use crate::texts::{page, picture};

/// The crawl that brought everything.
pub const CRAWL: &str = "made";
/// Values of a point, leaders of clusters, and the formulas that descriptions are by.
const DIMENSIONS: u64 = 128;
const LEADERS: u64 = 1_024;
pub const VERSION: u16 = 1;
/// Points that are written at once.
const PLACED: usize = 1_024;

/// Brings what is not there yet.
pub async fn fill(library: &dyn Library, items: u64) -> Outcomes {
    let visits = |n: u64| {
        let page = n.is_multiple_of(10).then(|| page(n));
        page.into_iter().chain([picture(n, description(n))]).collect()
    };
    write(library, CRAWL, items, visits).await?;
    let known = library.leaders(MediaKind::Image, VERSION).await?.leaders;
    let clusters: Vec<ClusterId> = match known.is_empty() {
        true => {
            let leaders: Vec<Vec<i8>> = (0..LEADERS).map(leader).collect();
            library.found_clusters(MediaKind::Image, VERSION, None, &leaders).await?
        }
        false => known.into_iter().map(|leader| leader.cluster).collect(),
    };
    loop {
        let unplaced = library.unplaced(MediaKind::Image, VERSION, PLACED).await?;
        if unplaced.is_empty() {
            return Ok(());
        }
        let place = |id, n: u64| Placed { id, cluster: clusters[(n % LEADERS) as usize], point: point(n) };
        let numbers = unplaced.into_iter().filter_map(|one| Some((one.id, number_of(&one.bytes)?)));
        let placed: Vec<Placed> = numbers.map(|(id, n)| place(id, n)).collect();
        library.place(&placed).await?;
    }
}

/// How a picture looks: a film has no description here.
fn description(n: u64) -> Option<Described> {
    let mut bytes = n.to_be_bytes().to_vec();
    bytes.resize(700, n as u8);
    let is_picture = made::facts(n).format.kind == MediaKind::Image;
    is_picture.then_some(Described::As(Description { version: VERSION, bytes, traces: Traces::default() }))
}

/// The picture that a description is of.
fn number_of(description: &[u8]) -> Option<u64> {
    description.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// Where the pictures of a cluster are.
fn leader(cluster: u64) -> Vec<i8> {
    (0..DIMENSIONS).map(|axis| (scattered(cluster * DIMENSIONS + axis, 91) * 160.0 - 80.0) as i8).collect()
}

/// Where the `n`-th picture is among those that look like it.
pub fn point(n: u64) -> Vec<i8> {
    let noise = |axis: u64| (scattered(n * DIMENSIONS + axis, 92) * 80.0 - 40.0) as i8;
    leader(n % LEADERS).into_iter().zip(0..).map(|(value, axis)| value + noise(axis)).collect()
}
