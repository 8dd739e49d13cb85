//! How many visits a second the queue of a shared database takes, and how long a claim does.
//!
//! `cargo run --release -p bowerbird-store --example shared -- DATABASE [rows] [hosts] [seconds] [workers] [raise] [elsewhere]`
//!
//! The database is a PostgreSQL with nothing in it (`host=/tmp/pg user=postgres dbname=bench`). So many rows
//! are made to wait in it (10 million) of so many hosts (20,000); then some workers (2) claim, release and
//! finish visits of 50 links each, for some time (60 s). Five links are new, some (`elsewhere`, 12 of 100) of
//! another host. The others are any of those that wait, so that every look-up is somewhere else; some of them
//! (`raise`, 5 of 100) are found with a priority half way from what they had to the best, and move forward, the
//! others with less than they have. Meanwhile someone claims one address at a time, as a crawl with few free
//! slots does. Prints visits a second, the time of claims, and sizes.

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

/// What workers find.
#[derive(Clone)]
struct Web {
    rows: u64,
    hosts: u64,
    /// Of 100 known links, those that raise what waits; of 100 new ones, those to another host.
    raise: u64,
    elsewhere: u64,
    /// Pages of a host are numbered by what all hosts have.
    next: Arc<AtomicU64>,
}

/// The priority of a made row, half way to the best.
fn raised(row: u64) -> f64 {
    let below_best = (row as u32).wrapping_mul(2_654_435_761) % 8_388_608;
    f64::from(f32::from_bits(1f32.to_bits() - below_best / 2))
}

fn visited(claim: Claim, numbers: &mut Numbers, web: &Web) -> Visited {
    let own = claim.link.url.host_str().trim_start_matches("www.host-").trim_end_matches(".example").parse();
    let own = own.unwrap_or(0);
    let links = (0..LINKS)
        .map(|n| {
            let (host, page, priority) = if n < NEW {
                let fresh = web.next.fetch_add(1, Ordering::Relaxed);
                let leaves = numbers.below(100) < web.elsewhere;
                let host = if leaves { numbers.below(web.hosts) } else { own };
                (host, fresh, numbers.below(1_000) as f64 / 1_000.0)
            } else {
                let known = numbers.below(web.rows);
                let raises = numbers.below(100) < web.raise;
                (known % web.hosts, known / web.hosts, if raises { raised(known) } else { 0.0 })
            };
            let url = Url::parse(&address(host, page)).expect("a made address");
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

/// Claims one address after the other, and puts it back; gives how long the claims took.
async fn one_by_one(
    store: &Store,
    pause: Duration,
    goes_on: impl Fn(usize) -> bool,
) -> Result<Vec<Duration>, StoreError> {
    let (frontier, mut took) = (store.frontier(), Vec::new());
    while goes_on(took.len()) {
        let asked = Instant::now();
        let claims =
            frontier.claim(CRAWL, ClaimLimit { any: 1, pages: 1, run: None, delay: Duration::ZERO }).await?.claims;
        took.push(asked.elapsed());
        for claim in claims {
            let now = frontier.now().await?;
            frontier.release(&claim.link.url.host(), Rest { until: now, ..Rest::default() }).await?;
            frontier.put_back(CRAWL, claim, false).await?;
        }
        tokio::time::sleep(pause).await;
    }
    Ok(took)
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let database = given.next().ok_or("name a database")?;
    let mut number = |otherwise: u64| given.next().map_or(Ok(otherwise), |text| text.parse::<u64>());
    let (rows, hosts, seconds, workers) = (number(10_000_000)?, number(20_000)?, number(60)?, number(2)?);
    let (raise, elsewhere) = (number(5)?, number(12)?);
    let files = tempfile::tempdir()?;
    drop(Store::read_shared(&database, files.path(), Duration::ZERO)?);
    make(&database, rows, hosts).await?;

    let options = Options { what: "a measurement".into(), database: Some(database.clone()), ..Options::default() };
    // The new ones of each run come after those that are there.
    let known: i64 = {
        let (client, connection) = tokio_postgres::connect(&database, NoTls).await?;
        tokio::spawn(connection);
        client.query_one("SELECT sum(known_pages)::BIGINT FROM queue_figure WHERE crawl = 1", &[]).await?.get(0)
    };
    let web = Web { rows, hosts, raise, elsewhere, next: Arc::new(AtomicU64::new(known as u64)) };
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for worker in 0..workers {
        let store = Store::open(files.path(), options.clone())?;
        let web = web.clone();
        tasks.push(tokio::spawn(async move {
            let frontier = Arc::clone(store.frontier());
            let (mut numbers, mut claims_took, mut visits) = (Numbers(known as u64 + worker), Vec::new(), 0u64);
            while begun.elapsed() < Duration::from_secs(seconds) {
                let asked = Instant::now();
                let claims = frontier
                    .claim(CRAWL, ClaimLimit { any: BATCH, pages: BATCH, run: None, delay: Duration::ZERO })
                    .await?
                    .claims;
                claims_took.push(asked.elapsed());
                let now = frontier.now().await?;
                let (mut done, mut releases) = (Vec::with_capacity(claims.len()), JoinSet::new());
                for claim in claims {
                    let (frontier, host) = (Arc::clone(&frontier), claim.link.url.host());
                    // As a crawl does: each when its request has ended, whatever the others do.
                    releases
                        .spawn(async move { frontier.release(&host, Rest { until: now, ..Rest::default() }).await });
                    done.push(visited(claim, &mut numbers, &web));
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
    let store = Store::open(files.path(), options)?;
    let mut beside = one_by_one(&store, Duration::from_millis(50), |_| begun.elapsed().as_secs() < seconds).await?;
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
    let mut alone = one_by_one(&store, Duration::ZERO, |claims| claims < 500).await?;
    for (what, took) in [
        (&*format!("a claim of {BATCH}"), &mut took),
        ("a claim of one beside them", &mut beside),
        ("a claim of one, alone", &mut alone),
    ] {
        let [half, most, nearly_all] = [0.5, 0.95, 0.99].map(|share| percentile(took, share).as_secs_f64() * 1e3);
        println!("{what}: {half:.1} ms at 50 %, {most:.1} ms at 95 %, {nearly_all:.1} ms at 99 %");
    }
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
