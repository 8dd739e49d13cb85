//! Figures against counts: whatever was recorded, imported and forgotten in whichever order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use facts::{Branch, LatLon, MediaId, MediaKind, Order, Url, Whereabouts};
use media::{Facts, Format, WrongLocation};
use store::{
    Area, Claim, Forget, ImportedFile, ItemFilter, Library, Link, MediaItem, Outcome, PageFilter, PageItem, Refused,
    Said, SaidLocation, SaidSource, Visited,
};

use super::Home;
use super::clusters::check_maps;
use super::lists::{ORDERS, whole};
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
            2 => Facts {
                width: Some(300),
                height: Some(200),
                taken: media::Taken::parse("2008-05-30T15:56:01"),
                ..plain()
            },
            3 => Facts { wrong_location: Some(WrongLocation::NullIsland), ..plain() },
            4 => Facts { format: Format::named("mp4").unwrap(), ..taken_at(4.0, 4.0) },
            5..8 => Facts { width: Some(100), height: Some(100), ..taken_at(n as f64, n as f64) },
            _ => Facts { width: Some(500), height: Some(400), ..plain() },
        };
        (n.to_string(), facts)
    }

    fn round(&mut self, claim: Claim) -> Claim {
        Claim { round: self.below(4) as u32, ..claim }
    }

    /// Often as sure and as exact as another.
    fn whereabouts(&mut self) -> Whereabouts {
        let exact = [10.0, 1_000.0, 400_000.0][self.below(3) as usize];
        let mut somewhere = at(self.below(60) as f64, self.below(4) as f64 / 4.0);
        somewhere.locality.country = [None, Some("DE"), Some("FI")][self.below(3) as usize].map(str::to_owned);
        Whereabouts { precision_m: exact, ..somewhere }
    }

    fn said(&mut self, sources: &[SaidSource]) -> Vec<SaidLocation> {
        let one = |source: &SaidSource| (self.below(3) == 0).then(|| said(*source, self.whereabouts()));
        sources.iter().filter_map(one).collect()
    }

    /// A page somewhere in the web, maybe linked from another.
    fn page_claim(&mut self) -> Claim {
        let branch = Branch { links: 1 + self.below(70) as u32, from_relevant: self.below(2) == 0 };
        let parent = (self.below(4) > 0).then(|| url(&self.page()).id());
        let depth = self.below(70) as u32;
        let link = Link { branch, parent, depth, ..page(&self.page(), Order::FirstIn) };
        self.round(claim_of(link))
    }

    fn visit(&mut self) -> Visited {
        let image = self.image();
        match self.below(11) {
            9 => {
                let claim = if self.below(2) == 0 { self.page_claim() } else { self.round(image_claim(&image)) };
                visited(claim, Outcome::Unchanged, Vec::new())
            }
            10 => {
                let claim = if self.below(2) == 0 { self.page_claim() } else { self.round(image_claim(&image)) };
                Visited { status: Some(404), ..failed(claim, "http-404") }
            }
            0..3 => {
                let images: Vec<String> = (0..self.below(4)).map(|_| self.image()).collect();
                let images: Vec<&str> = images.iter().map(String::as_str).collect();
                let mut visit = read_with_images(self.page_claim(), &images);
                let facts = facts_of(&mut visit);
                facts.relevant = self.below(2) == 0;
                facts.places = (0..self.below(4)).map(|_| place(self.whereabouts())).collect();
                facts.focus = Some(self.below(4) as usize).filter(|focus| *focus < facts.places.len());
                for reference in &mut facts.media {
                    reference.locations = self.said(&[SaidSource::Structured, SaidSource::Description]);
                    reference.refused =
                        [None, Some("robots"), Some("opt-out")][self.below(3) as usize].map(str::to_owned);
                }
                visit
            }
            3 => refused(self.round(image_claim(&image)), Refused::unseen("small")),
            4 => {
                let target = url(&self.image());
                visited(self.round(image_claim(&image)), Outcome::Redirect(target), Vec::new())
            }
            _ => {
                let (content, facts) = self.content();
                let hops = (0..self.below(2)).map(|_| url(&self.image()).id()).collect();
                let link = Link { hops, ..super::web::image(&image, Order::FirstIn) };
                let mut visit = kept_as(self.round(claim_of(link)), &content, facts);
                file_of(&mut visit).said = self.said(&[SaidSource::Iptc, SaidSource::Caption]);
                visit
            }
        }
    }

    fn import(&mut self) -> ImportedFile {
        let (path, (content, facts)) = (format!("/{}.jpg", self.below(4)), self.content());
        let mut file = local(&path, &content, facts);
        if let Ok(kept) = &mut file.outcome {
            kept.said = self.said(&[SaidSource::Iptc, SaidSource::Description]);
        }
        if self.below(4) == 0 { ImportedFile { outcome: Err(Refused::unseen("small")), ..file } } else { file }
    }

    fn word(&mut self) -> Said {
        let point = LatLon::new(self.below(9) as f64, 0.0).unwrap();
        match self.below(6) {
            0 => Said::Nothing,
            1 => Said::Confirm,
            2 | 3 => Said::Reject,
            _ => Said::Point(point, named("there")),
        }
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
    let (mut most, mut forgotten, mut removed, mut located, mut tails) = (0, 0, 0, 0, 0);
    let mut homes = vec![first];
    for story in 1..=if H::QUICK { 12 } else { 1 } {
        let home = match homes.pop() {
            Some(home) => home,
            None => H::new().await,
        };
        let library = home.library();
        let mut numbers = Numbers(88_172_645_463_325_252 ^ (story << 32));
        let mut told = BTreeMap::new();
        for step in 0..60 {
            match numbers.below(14) {
                0 | 1 if step > 20 => {
                    let before = ids(&*library).await;
                    forgotten += home.forget(numbers.forget()).await.unwrap().media;
                    let after = ids(&*library).await;
                    told.retain(|id, _| after.contains(id) || !before.contains(id));
                }
                12 => {
                    let id = id_of(&numbers.content().0);
                    let said = numbers.word();
                    let shown = library.item(id).await.unwrap().and_then(|item| item.location);
                    if library.set_location(id, said.clone()).await.unwrap() {
                        match said {
                            Said::Point(point, _) => drop(told.insert(id, Some(point))),
                            Said::Confirm => drop(told.insert(id, Some(shown.expect("something to confirm").at))),
                            Said::Reject => drop(told.insert(id, None)),
                            Said::Nothing => drop(told.remove(&id)),
                        }
                    }
                }
                13 => {
                    let id = id_of(&numbers.content().0);
                    let there = library.item(id).await.unwrap().is_some();
                    assert_eq!(home.remove(id).await.unwrap(), there);
                    assert!(library.item(id).await.unwrap().is_none());
                    removed += u64::from(there);
                }
                2..5 => drop(home.import((0..1 + numbers.below(3)).map(|_| numbers.import()).collect()).await.unwrap()),
                _ => {
                    let name = format!("crawl {}", step / 25);
                    let crawl = library.save_crawl(&name, &serde_json::json!({})).await.unwrap();
                    let run = library.start_run(crawl.id, Default::default(), 5).await.unwrap();
                    let visits: Vec<Visited> = (0..1 + numbers.below(4)).map(|_| numbers.visit()).collect();
                    library.record(run.id, &visits).await.unwrap();
                }
            }
            most = most.max(check(&*library, &told).await);
            check_pages(&*library).await;
            check_maps(&*library).await;
            home.audit().await;
        }
        let figures = library.library_figures(0).await.unwrap();
        located += figures.images.located_by_text;
        tails += figures.harvest.tail.iter().sum::<u64>();
    }
    if !H::QUICK {
        return;
    }
    assert!(most > 6 && forgotten > 12, "{most} items at once, {forgotten} forgotten: too few to say much");
    assert!(removed > 12, "{removed} removed: too few to say much");
    assert!(located > 12 && tails > 12, "{located} located by words, {tails} tails: too few to say much");
}

async fn ids(library: &dyn Library) -> BTreeSet<MediaId> {
    library.items(&ItemFilter::default(), 0, 1_000).await.unwrap().iter().map(|item| item.id).collect()
}

/// Whether one of the sources of an item is among these.
fn known_by(item: &MediaItem, sources: &[&str]) -> bool {
    item.location.iter().chain(&item.other_locations).any(|location| sources.contains(&location.source.as_str()))
}

/// Pages as they are listed against figures and against each other.
async fn check_pages(library: &dyn Library) {
    let all = library.pages(&PageFilter::default(), 0, 1_000).await.unwrap();
    let figures = library.library_figures(0).await.unwrap();
    assert_eq!(figures.pages_with_places, all.len() as u64);
    let north = |point: LatLon| point.lat() > 30.0;
    let area =
        || Some(Area { boxes: vec![[30.0, 0.0, 45.0, 20.0], [40.0, 9.0, 60.0, 11.0]], contains: Arc::new(north) });
    let host = || Some("p1.example".to_owned());
    type Test = fn(&PageItem) -> bool;
    let tests: [(PageFilter, Test); 4] = [
        (PageFilter { relevant: true, ..PageFilter::default() }, |page| page.relevant),
        (PageFilter { host: host(), ..PageFilter::default() }, |page| page.url.contains("p1.example")),
        (PageFilter { area: area(), ..PageFilter::default() }, |page| {
            page.places.iter().any(|place| place.whereabouts.at.lat() > 30.0)
        }),
        (PageFilter { area: area(), host: host(), relevant: true, ..PageFilter::default() }, |page| {
            let north = page.places.iter().any(|place| place.whereabouts.at.lat() > 30.0);
            north && page.relevant && page.url.contains("p1.example")
        }),
    ];
    for (filter, test) in tests {
        let expected: Vec<&PageItem> = all.iter().filter(|page| test(page)).collect();
        let listed = library.pages(&filter, 0, 1_000).await.unwrap();
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }
    let mut whole = (0, 0);
    for crawl in library.crawls().await.unwrap() {
        let harvest = library.harvest(Some(crawl.crawl.id)).await.unwrap();
        let expected = (crawl.figures.pages, crawl.figures.relevant);
        assert_eq!((harvest.pages, harvest.relevant), expected);
        assert_eq!(harvest.seed_distance.iter().sum::<u64>(), harvest.relevant);
        let curve = library.harvest_curve(crawl.crawl.id, 3).await.unwrap();
        assert_eq!(curve.last().copied().unwrap_or_default(), expected);
        whole = (whole.0 + expected.0, whole.1 + expected.1);
    }
    assert_eq!((figures.harvest.pages, figures.harvest.relevant), whole);
}

/// Gives how many items there are.
async fn check(library: &dyn Library, told: &BTreeMap<MediaId, Option<LatLon>>) -> usize {
    let items = library.items(&ItemFilter::default(), 0, 1_000).await.unwrap();
    let figures = library.library_figures(1_000).await.unwrap();
    let images: Vec<&MediaItem> = items.iter().filter(|item| item.kind == MediaKind::Image).collect();
    let geotagged = |item: &MediaItem| known_by(item, &["exif"]);
    let located = images.iter().filter(|item| geotagged(item)).count() as u64;
    let words = ["iptc", "structured", "caption", "description", "page"];
    let worded = |item: &MediaItem| !geotagged(item) && !item.rejected && known_by(item, &words);
    let by_words = images.iter().filter(|item| worded(item)).count() as u64;
    assert_eq!(figures.images.located_by_text, by_words);
    for item in &items {
        let word = item.location.as_ref().filter(|location| location.source == "person").map(|location| location.at);
        let word = (item.rejected || word.is_some()).then_some(word);
        assert_eq!(word, told.get(&item.id).copied(), "the word of a person");
        let known = item.location.iter().chain(&item.other_locations).next().is_some();
        assert_eq!(item.location.is_some(), known && !item.rejected);
    }
    let counted = |count: &dyn Fn(&MediaItem) -> Option<String>| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        images.iter().filter_map(|item| count(item)).for_each(|name| *counts.entry(name).or_default() += 1);
        counts
    };
    let country = |item: &MediaItem| item.location.as_ref()?.locality.country.clone();
    assert_eq!(figures.by_country.iter().cloned().collect::<BTreeMap<_, _>>(), counted(&country));
    let month = |item: &MediaItem| Some(item.taken.as_ref()?.chars().take(7).collect());
    assert_eq!(figures.by_month.iter().cloned().collect::<BTreeMap<_, _>>(), counted(&month));
    let ours = items.iter().filter(|item| !item.path.starts_with('/')).map(|item| item.size).sum::<u64>();
    assert_eq!(figures.disk.media, ours);
    assert!(figures.disk.library > 0);
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
                host.1 += u64::from(geotagged(item));
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
    for order in ORDERS {
        let listed = whole(library, &ItemFilter::default(), order, 5).await;
        let listed: BTreeSet<i64> = listed.iter().map(|item| item.number).collect();
        assert_eq!(listed, items.iter().map(|item| item.number).collect(), "{order:?}");
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
