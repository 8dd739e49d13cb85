//! Figures against counts: whatever was recorded, imported and forgotten in whichever order.

use std::collections::{BTreeMap, BTreeSet};

use facts::{MediaKind, Url};
use media::{Facts, Format, WrongLocation};
use store::{Claim, Forget, ImportedFile, ItemFilter, Library, MediaItem, Refused, Visited};

use super::Home;
use super::web::*;

/// Numbers that look random and are the same every time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn page(&mut self) -> String {
        format!("http://p{}.example/{}", self.below(3), self.below(3))
    }

    fn image(&mut self) -> String {
        format!("http://{}.test/{}.jpg", ["m", "n", "p0.example"][self.below(3) as usize], self.below(4))
    }

    /// A content, and what it says: the same bytes say the same.
    fn content(&mut self) -> (String, Facts) {
        let n = self.below(12);
        let facts = match n {
            0 | 1 => taken_at(n as f64, 1.0),
            2 => Facts { width: Some(300), height: Some(200), ..plain() },
            3 => Facts { wrong_location: Some(WrongLocation::NullIsland), ..plain() },
            4 => Facts { format: Format::named("mp4").unwrap(), ..taken_at(4.0, 4.0) },
            _ => Facts { width: Some(100), height: Some(100), ..taken_at(n as f64, n as f64) },
        };
        (n.to_string(), facts)
    }

    fn round(&mut self, claim: Claim) -> Claim {
        Claim { round: self.below(3) as u32, ..claim }
    }

    fn visit(&mut self) -> Visited {
        let (page, image) = (self.page(), self.image());
        match self.below(4) {
            0 => {
                let images: Vec<String> = (0..self.below(4)).map(|_| self.image()).collect();
                let images: Vec<&str> = images.iter().map(String::as_str).collect();
                read_with_images(self.round(page_claim(&page)), &images)
            }
            1 => refused(self.round(image_claim(&image)), Refused::unseen("small")),
            _ => {
                let (content, facts) = self.content();
                kept_as(self.round(image_claim(&image)), &content, facts)
            }
        }
    }

    fn import(&mut self) -> ImportedFile {
        let (path, (content, facts)) = (format!("/{}.jpg", self.below(4)), self.content());
        let file = local(&path, &content, facts);
        if self.below(4) == 0 { ImportedFile { outcome: Err(Refused::unseen("small")), ..file } } else { file }
    }

    fn forget(&mut self) -> Forget {
        match self.below(7) {
            0 => Forget::Host(host(["m.test", "n.test", "p0.example", "p0.example.test"][self.below(4) as usize])),
            1 => Forget::File(format!("/{}.jpg", self.below(4))),
            2 | 3 => Forget::Address(url(&self.page())),
            _ => Forget::Address(url(&self.image())),
        }
    }
}

/// What is forgotten stays away, so each of these stories begins with nothing.
pub async fn figures_are_what_a_count_of_the_items_gives<H: Home>(first: H) {
    let (mut most, mut forgotten) = (0, 0);
    let mut homes = vec![first];
    for story in 1..=12 {
        let home = match homes.pop() {
            Some(home) => home,
            None => H::new().await,
        };
        let library = home.library();
        let mut numbers = Numbers(88_172_645_463_325_252 ^ (story << 32));
        for step in 0..60 {
            match numbers.below(12) {
                0 | 1 if step > 20 => forgotten += home.forget(numbers.forget()).await.unwrap().media,
                2..5 => drop(home.import((0..1 + numbers.below(3)).map(|_| numbers.import()).collect()).await.unwrap()),
                _ => {
                    let name = format!("crawl {}", step / 25);
                    let crawl = library.save_crawl(&name, &serde_json::json!({})).await.unwrap();
                    let run = library.start_run(crawl.id, Default::default(), 5).await.unwrap();
                    let visits: Vec<Visited> = (0..1 + numbers.below(4)).map(|_| numbers.visit()).collect();
                    library.record(run.id, &visits).await.unwrap();
                }
            }
            most = most.max(check(&*library).await);
            home.audit().await;
        }
    }
    assert!(most > 6 && forgotten > 12, "{most} items at once, {forgotten} forgotten: too few to say much");
}

/// Gives how many items there are.
async fn check(library: &dyn Library) -> usize {
    let items = library.items(&ItemFilter::default(), 0, 1_000).await.unwrap();
    let figures = library.library_figures(1_000).await.unwrap();
    let images: Vec<&MediaItem> = items.iter().filter(|item| item.kind == MediaKind::Image).collect();
    let located = images.iter().filter(|item| item.location.is_some()).count() as u64;
    assert_eq!(figures.images.total, images.len() as u64);
    assert_eq!(figures.images.with_location_in_metadata, located);
    assert_eq!(figures.images.without, images.len() as u64 - located);
    let wrong = images.iter().filter(|item| item.wrong_location.is_some()).count() as u64;
    assert_eq!(figures.images.wrong_coordinates, wrong);
    let widths: Vec<u32> = images.iter().filter_map(|item| item.width).collect();
    let average = (!widths.is_empty()).then(|| f64::from(widths.iter().sum::<u32>()) / widths.len() as f64);
    assert_eq!(figures.images.average_width, average);

    let host_of = |address: &str| match Url::parse(address) {
        Ok(url) => url.host_str().to_owned(),
        Err(_) => "(imported)".to_owned(),
    };
    let mut counted: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut found_on: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for item in &items {
        assert!(!item.found.is_empty(), "an item that no address leads to");
        let addresses: BTreeSet<&str> = item.found.iter().map(|sighting| sighting.image.as_str()).collect();
        for address in addresses {
            let host = counted.entry(host_of(address)).or_default();
            if item.kind == MediaKind::Image {
                host.0 += 1;
                host.1 += u64::from(item.location.is_some());
            }
        }
        for sighting in &item.found {
            for address in [Some(&sighting.image), sighting.page.as_ref()].into_iter().flatten() {
                found_on.entry(host_of(address)).or_default().insert(item.number);
            }
        }
        if let Some(path) = item.path.strip_prefix('/') {
            assert!(item.found.iter().all(|sighting| sighting.image.starts_with("file:")), "{path} is not ours");
            assert!(
                item.found.iter().any(|sighting| sighting.image == format!("file:///{path}")),
                "{path} has changed"
            );
        }
    }
    for host in &figures.hosts {
        let expected = counted.remove(&host.host).unwrap_or_default();
        assert_eq!((host.images, host.geotagged), expected, "{}", host.host);
    }
    assert!(counted.values().all(|(images, _)| *images == 0), "{counted:?}");
    let tlds: BTreeMap<_, _> = figures.tlds.iter().cloned().collect();
    assert!(tlds.values().sum::<u64>() <= located);
    for host in ["m.test", "n.test", "p0.example", "p1.example", "p2.example", "p0.example.test", "(imported)"] {
        let filter = ItemFilter { host: Some(host.into()), ..ItemFilter::default() };
        let listed: BTreeSet<i64> =
            library.items(&filter, 0, 1_000).await.unwrap().iter().map(|item| item.number).collect();
        assert_eq!(listed, found_on.remove(host).unwrap_or_default(), "{host}");
    }
    assert!(found_on.is_empty(), "{found_on:?}");
    items.len()
}
