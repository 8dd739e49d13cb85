//! How many visits a second the queue of a shared database takes, and how long a claim does.
//!
//! `cargo run --release -p bowerbird-store --example shared -- DATABASE [rows] [hosts] [seconds] [workers]`
//!
//! The database is a PostgreSQL with nothing in it (`host=/tmp/pg user=postgres dbname=bench`). So many rows
//! are made to wait in it (10 million) of so many hosts (20,000); then some workers (2) claim, release and
//! finish visits of 50 links each, for some time (60 s). Five links are new, one in eight of them of another
//! host; the others are any of those that wait, so that every look-up is somewhere else, and are found with
//! less priority than they have. Prints visits a second, the time of claims, and sizes.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use facts::{Branch, Order, Priority, Timestamp, Url};
use sha2::{Digest, Sha256};
use store::{
    Budgets, Claim, ClaimLimit, CrawlId, Link, LinkContext, Options, Outcome, PageFacts, Rest, Store, StoreError,
    Version, VisitKind, Visited,
};
use tokio::task::JoinSet;
use tokio_postgres::NoTls;

const LINKS: u64 = 50;
const NEW: u64 = 5;
const BATCH: usize = 128;
const CRAWL: CrawlId = CrawlId(1);
const BUDGETS: Budgets = Budgets { per_host: u64::MAX, per_template: u64::MAX };
/// The band of priority 1; those from there to priority 0.5 are the 8,388,608 after it.
const BEST: i64 = 3_229_614_079;
/// Rows that one statement makes.
const MADE: u64 = 250_000;

fn name(host: u64) -> String {
    format!("www.host-{host:08}.example")
}

fn address(host: u64, page: u64) -> String {
    format!("https://{}/page-{page:08}.html", name(host))
}

fn link(url: Url, priority: f64) -> Link {
    Link {
        url,
        kind: VisitKind::Page,
        order: Order::Best(Priority::new(priority)),
        depth: 2,
        branch: Branch::default(),
        parent: None,
        referer: None,
        context: LinkContext { anchor: "An anchor of usual length".into(), around: "Some text around the link".into() },
        hops: Vec::new(),
        reopen: false,
    }
}

/// Makes rows that wait, in the words of the tables.
async fn make(database: &str, rows: u64, hosts: u64) -> Result<(), Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(database, NoTls).await?;
    tokio::spawn(connection);
    let there: i64 = client.query_one("SELECT count(*) FROM known LIMIT 1", &[]).await?.get(0);
    if there > 0 {
        println!("{there} rows are there already");
        return Ok(());
    }
    client.execute("CREATE TABLE made_host (number BIGINT PRIMARY KEY, name TEXT, host BIGINT)", &[]).await?;
    let (mut numbers, mut names, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for host in 0..hosts {
        let hash: [u8; 32] = Sha256::digest(name(host).as_bytes()).into();
        let mut key = [0; 8];
        key.copy_from_slice(&hash[..8]);
        numbers.push(host as i64);
        names.push(name(host));
        keys.push(i64::from_be_bytes(key));
    }
    client
        .execute(
            "INSERT INTO made_host SELECT * FROM unnest($1::BIGINT[], $2::TEXT[], $3::BIGINT[])",
            &[&numbers, &names, &keys],
        )
        .await?;
    // A link as it is kept, but for its address, which always has as many letters.
    let sample = address(0, 0);
    let bytes = postcard::to_stdvec(&link(Url::parse(&sample)?, 0.5))?;
    let at = bytes.windows(sample.len()).position(|part| part == sample.as_bytes()).ok_or("no address in a link")?;
    let (before, after) = (bytes[..at].to_vec(), bytes[at + sample.len()..].to_vec());
    let begun = Instant::now();
    let mut first = 0;
    while first < rows {
        let last = (first + MADE).min(rows);
        client
            .execute(
                "WITH made AS (
                     SELECT n, h.host, 'https://' || h.name || '/page-' || lpad((n / $3)::TEXT, 8, '0') || '.html' AS url,
                            $6 + (n * 2654435761) % 8388608 AS band
                     FROM generate_series($1::BIGINT, $2::BIGINT - 1) AS n JOIN made_host AS h ON h.number = n % $3
                 ), known_rows AS (
                     INSERT INTO known (host, crawl, id, lane, band, seq, round)
                     SELECT host, 1, substring(sha256(convert_to(url, 'UTF8')), 1, 16), 1,
                            band - 9223372036854775808, n, 0 FROM made
                 )
                 INSERT INTO waiting (host, crawl, lane, band, seq, id, link, tries, round)
                 SELECT host, 1, 1, band - 9223372036854775808, n, substring(sha256(convert_to(url, 'UTF8')), 1, 16),
                        $4 || convert_to(url, 'UTF8') || $5, 0, 0 FROM made",
                &[&(first as i64), &(last as i64), &(hosts as i64), &before, &after, &BEST],
            )
            .await?;
        first = last;
    }
    client
        .batch_execute(
            "INSERT INTO backlog (host, crawl, ever, lane, band, seq)
             SELECT DISTINCT ON (host) host, 1, 1000, lane, band, seq FROM waiting ORDER BY host, crawl, lane, band, seq;
             INSERT INTO queue_crawl (crawl, next) VALUES (1, 1000000);
             INSERT INTO queue_figure (crawl, slot, known_pages, queued_pages) SELECT 1, 0, count(*), count(*) FROM waiting;
             ANALYZE known; ANALYZE waiting; ANALYZE backlog",
        )
        .await?;
    println!("{rows} rows of {hosts} hosts were made in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Numbers that look random (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}

fn visited(claim: Claim, numbers: &mut Numbers, rows: u64, hosts: u64, next: &AtomicU64) -> Visited {
    let own = claim.link.url.host_str().trim_start_matches("www.host-").trim_end_matches(".example").parse();
    let own = own.unwrap_or(0);
    let links = (0..LINKS)
        .map(|n| {
            let new = n < NEW;
            let (host, page) = if new {
                let fresh = next.fetch_add(1, Ordering::Relaxed);
                (if fresh.is_multiple_of(8) { numbers.below(hosts) } else { own }, fresh)
            } else {
                let known = numbers.below(rows);
                (known % hosts, known / hosts)
            };
            let url = Url::parse(&address(host, page)).expect("a made address");
            let priority = if new { numbers.below(1_000) as f64 / 1_000.0 } else { 0.0 };
            Link { parent: Some(claim.id), ..link(url, priority) }
        })
        .collect();
    let outcome = Outcome::Page(PageFacts::default());
    let version = Version::default();
    Visited { claim, at: Timestamp(0), took_ms: 1, bytes: 1, status: Some(200), version, outcome, links }
}

fn percentile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share) as usize]
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let database = given.next().ok_or("name a database")?;
    let mut number = |otherwise: u64| given.next().map_or(Ok(otherwise), |text| text.parse::<u64>());
    let (rows, hosts, seconds, workers) = (number(10_000_000)?, number(20_000)?, number(60)?, number(2)?);
    let files = tempfile::tempdir()?;
    drop(Store::read_shared(&database, files.path())?);
    make(&database, rows, hosts).await?;

    let options = Options { what: "a measurement".into(), database: Some(database.clone()), ..Options::default() };
    // Pages of a host are numbered by what all hosts have; the new ones of each run come after those.
    let known: i64 = {
        let (client, connection) = tokio_postgres::connect(&database, NoTls).await?;
        tokio::spawn(connection);
        client.query_one("SELECT sum(known_pages)::BIGINT FROM queue_figure WHERE crawl = 1", &[]).await?.get(0)
    };
    let next = Arc::new(AtomicU64::new(known as u64));
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for worker in 0..workers {
        let store = Store::open(files.path(), options.clone())?;
        let next = Arc::clone(&next);
        tasks.push(tokio::spawn(async move {
            let frontier = Arc::clone(store.frontier());
            let (mut numbers, mut claims_took, mut visits) = (Numbers(worker), Vec::new(), 0u64);
            while begun.elapsed() < Duration::from_secs(seconds) {
                let asked = Instant::now();
                let claims = frontier.claim(CRAWL, ClaimLimit { any: BATCH, pages: BATCH }).await?.claims;
                claims_took.push(asked.elapsed());
                let now = frontier.now().await?;
                let (mut done, mut releases) = (Vec::with_capacity(claims.len()), JoinSet::new());
                for claim in claims {
                    let (frontier, host) = (Arc::clone(&frontier), claim.link.url.host());
                    // As a crawl does: each when its request has ended, whatever the others do.
                    releases
                        .spawn(async move { frontier.release(&host, Rest { until: now, ..Rest::default() }).await });
                    done.push(visited(claim, &mut numbers, rows, hosts, &next));
                }
                while let Some(released) = releases.join_next().await {
                    released
                        .map_err(|error| StoreError::Io { path: "release".into(), reason: error.to_string() })??;
                }
                visits += done.len() as u64;
                frontier.finish(CRAWL, &done, BUDGETS).await?;
            }
            drop(frontier);
            store.close().await?;
            Ok::<_, StoreError>((visits, claims_took))
        }));
    }
    let (mut visits, mut took) = (0, Vec::new());
    for task in tasks {
        let (made, claims) = task.await??;
        visits += made;
        took.extend(claims);
    }
    let spent = begun.elapsed().as_secs_f64();
    println!(
        "{visits} visits in {spent:.1} s: {:.0} a second, {:.0} links a second",
        visits as f64 / spent,
        visits as f64 * LINKS as f64 / spent
    );
    for share in [0.5, 0.95, 0.99] {
        println!(
            "a claim of {BATCH}: {:.1} ms at {:.0} %",
            percentile(&mut took, share).as_secs_f64() * 1e3,
            share * 100.0
        );
    }
    // One by one, as a crawl with few free slots claims.
    let store = Store::open(files.path(), options)?;
    let mut single = Vec::new();
    for _ in 0..500 {
        let asked = Instant::now();
        let claims = store.frontier().claim(CRAWL, ClaimLimit { any: 1, pages: 1 }).await?.claims;
        single.push(asked.elapsed());
        for claim in claims {
            let now = store.frontier().now().await?;
            store.frontier().release(&claim.link.url.host(), Rest { until: now, ..Rest::default() }).await?;
            store.frontier().put_back(CRAWL, claim, false).await?;
        }
    }
    let [half, most] = [0.5, 0.95].map(|share| percentile(&mut single, share).as_secs_f64() * 1e3);
    println!("a claim of one: {half:.1} ms at 50 %, {most:.1} ms at 95 %");
    store.close().await?;
    let (client, connection) = tokio_postgres::connect(&database, NoTls).await?;
    tokio::spawn(connection);
    for table in ["known", "waiting"] {
        let size = "SELECT sum(pg_total_relation_size(inhrelid))::BIGINT FROM pg_inherits WHERE inhparent = $1::TEXT::regclass";
        let bytes: i64 = client.query_one(size, &[&table]).await?.get(0);
        println!("{table}: {} MB", bytes >> 20);
    }
    Ok(())
}
