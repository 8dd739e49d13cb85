//! How much memory, time and disk a queue of millions takes.
//!
//! `cargo run --release -p bowerbird-store --example scale -- [known] [hosts] [bfs|dfs|best] [new] [filled]`
//!
//! A made stream of visits: each claim is answered at once by a page with 50 links, of which `new`
//! (5) are new and 20 the host's navigation; one in eight leads to another host. Prints memory at its
//! peak, addresses a second, the time of a claim, and the size on disk. With `filled`, so many addresses are
//! queued before the first visit, as lists bring them: only the queue is filled then, and the library stays small.

use std::path::Path;
use std::time::{Duration, Instant};

use facts::{Order, Priority, Timestamp, Url};
use store::{
    Budgets, Claim, ClaimLimit, CrawlId, Link, LinkContext, Options, Outcome, PageFacts, Rest, RunLimits, Store,
    Version, VisitKind, Visited,
};

const LINKS: u64 = 50;
const BATCH: usize = 64;
const BUDGETS: Budgets = Budgets { per_host: u64::MAX, per_template: u64::MAX };

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

struct Web {
    /// Pages known of each host: new ones are the next.
    known: Vec<u64>,
    order: String,
    new: u64,
    numbers: Numbers,
}

impl Web {
    fn url(&self, host: u64, page: u64) -> Url {
        let text = format!("https://www.host-{host}.example/section-{}/page-{page}.html", page % 7);
        Url::parse(&text).expect("a made address")
    }

    fn link(&mut self, host: u64, page: u64, parent: Option<&Claim>) -> Link {
        let order = match self.order.as_str() {
            "bfs" => Order::FirstIn,
            "dfs" => Order::LastIn,
            _ => Order::Best(Priority::new(self.numbers.below(1000) as f64 / 1000.0)),
        };
        Link {
            url: self.url(host, page),
            kind: VisitKind::Page,
            order,
            depth: parent.map_or(0, |claim| claim.link.depth + 1),
            parent: parent.map(|claim| claim.id),
            referer: parent.map(|claim| claim.link.url.clone()),
            context: LinkContext {
                anchor: "An anchor of usual length".into(),
                around: "Some text around the link, as a strategy would want to look at it later".into(),
            },
            branch: facts::Branch::default(),
            hops: Vec::new(),
            reopen: false,
        }
    }

    /// Navigation, pages known by then, new pages.
    fn page(&mut self, claim: &Claim) -> Vec<Link> {
        let name = claim.link.url.host_str();
        let own = name.trim_start_matches("www.host-").trim_end_matches(".example").parse().unwrap_or(0);
        (0..LINKS)
            .map(|i| {
                let host = if i % 8 == 7 { self.numbers.below(self.known.len() as u64) } else { own };
                let known = self.known[host as usize];
                let page = match i {
                    0..20 => i.min(known - 1),
                    20.. if i < LINKS - self.new => self.numbers.below(known),
                    _ => {
                        self.known[host as usize] += 1;
                        known
                    }
                };
                self.link(host, page, Some(claim))
            })
            .collect()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let known: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let hosts: u64 = arguments.next().map_or(Ok(2_000), |text| text.parse())?;
    let order = arguments.next().unwrap_or_else(|| "bfs".into());
    let new: u64 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let filled: u64 = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let dir = tempfile::tempdir_in(".")?;
    let options = || Options { what: "scale".into(), default_delay: Duration::ZERO, ..Options::default() };

    let store = Store::open(dir.path(), options())?;
    let crawl = store.library().save_crawl("scale", &serde_json::json!({})).await?.id;
    let run = store.library().start_run(crawl, RunLimits::default(), 1000).await?.id;
    let mut web =
        Web { known: vec![1; hosts as usize], order, new: new.min(30), numbers: Numbers(88_172_645_463_325_252) };
    seed(&store, crawl, &mut web).await?;
    fill(&store, crawl, &mut web, filled).await?;

    let (started, mut latencies, mut visits) = (Instant::now(), Vec::new(), 0u64);
    let before = store.frontier().figures(crawl).await?.known_pages;
    let steps = known.saturating_sub(before).div_ceil(5).max(1);
    let mut report = before + steps;
    loop {
        let figures = store.frontier().figures(crawl).await?;
        if figures.known_pages >= report {
            println!(
                "{:>9} known, {visits:>7} visits, {:>4} s, {} MB",
                figures.known_pages,
                started.elapsed().as_secs(),
                peak()
            );
            report += steps;
        }
        if figures.known_pages >= known {
            break;
        }
        let before = Instant::now();
        let claims = store
            .frontier()
            .claim(crawl, ClaimLimit { any: BATCH, pages: BATCH, run: None, delay: Duration::ZERO })
            .await?;
        latencies.push(before.elapsed());
        if claims.claims.is_empty() {
            break;
        }
        let at = store.frontier().now().await?;
        let mut batch = Vec::with_capacity(BATCH);
        for claim in claims.claims {
            store.frontier().release(&claim.link.url.host(), Rest { until: at, ..Rest::default() }).await?;
            let links = web.page(&claim);
            batch.push(visited(claim, at, links));
        }
        visits += batch.len() as u64;
        store.commit(crawl, run, batch, BUDGETS).await?;
    }
    let took = started.elapsed();
    let figures = store.frontier().figures(crawl).await?;
    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    println!("{figures:?}");
    println!("{} known of {hosts} hosts, order {}: {:.0} s", figures.known_pages, web.order, took.as_secs_f64());
    println!("  new addresses  {:>8.0} /s", (figures.known_pages - before) as f64 / took.as_secs_f64());
    println!("  links          {:>8.0} /s", (visits * LINKS) as f64 / took.as_secs_f64());
    println!("  visits         {:>8.0} /s", visits as f64 / took.as_secs_f64());
    println!(
        "  claim of {BATCH}    {:>8.2} ms median, {:.2} ms at 95 %, {:.2} ms worst",
        ms(at(0.5)),
        ms(at(0.95)),
        ms(at(1.0))
    );

    drop(store);
    let before = Instant::now();
    let store = Store::open(dir.path(), options())?;
    println!("  open after a kill  {:>5.1} s", before.elapsed().as_secs_f64());
    let before = Instant::now();
    store.close().await?;
    let store = Store::open(dir.path(), options())?;
    println!("  close and open     {:>5.1} s", before.elapsed().as_secs_f64());
    println!("  peak memory     {:>6} MB", peak());
    println!("  disk            {:>6} MB", size(dir.path())? >> 20);
    store.close().await?;
    Ok(())
}

/// One page of every host is known from the start.
async fn seed(store: &Store, crawl: CrawlId, web: &mut Web) -> Result<(), Box<dyn std::error::Error>> {
    let hosts = web.known.len() as u64;
    for from in (0..hosts).step_by(1_000) {
        let links = (from..hosts.min(from + 1_000)).map(|host| web.link(host, 0, None)).collect();
        store.frontier().add(crawl, links, BUDGETS).await?;
    }
    Ok(())
}

/// So many addresses wait from the start: 30 of a host at a time, of hosts in any order.
async fn fill(store: &Store, crawl: CrawlId, web: &mut Web, filled: u64) -> Result<(), Box<dyn std::error::Error>> {
    const EACH: u64 = 30;
    const AT_ONCE: u64 = 256;
    let (started, hosts, mut there) = (Instant::now(), web.known.len() as u64, web.known.len() as u64);
    let mut report = filled / 10;
    while there < filled {
        let mut links = Vec::with_capacity((EACH * AT_ONCE) as usize);
        for _ in 0..AT_ONCE {
            let host = web.numbers.below(hosts);
            let first = web.known[host as usize];
            web.known[host as usize] += EACH;
            links.extend((first..first + EACH).map(|page| web.link(host, page, None)));
        }
        there += links.len() as u64;
        store.frontier().add(crawl, links, BUDGETS).await?;
        if there >= report {
            println!("{there:>9} queued, {:>4} s, {} MB", started.elapsed().as_secs(), peak());
            report += filled / 10;
        }
    }
    if filled > 0 {
        let rate = (there - hosts) as f64 / started.elapsed().as_secs_f64();
        println!("{there} queued, {rate:.0} a second");
    }
    Ok(())
}

fn visited(claim: Claim, at: Timestamp, links: Vec<Link>) -> Visited {
    let facts = PageFacts { title: "A page".into(), size: 30_000, ..PageFacts::default() };
    Visited {
        claim,
        at,
        took_ms: 20,
        bytes: 8_000,
        status: Some(200),
        version: Version::default(),
        outcome: Outcome::Page(facts),
        links,
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The largest this process ever was, in MB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn size(dir: &Path) -> std::io::Result<u64> {
    std::fs::read_dir(dir)?
        .map(|entry| {
            let (path, meta) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if meta.is_dir() { size(&path) } else { Ok(meta.len()) }
        })
        .sum()
}
