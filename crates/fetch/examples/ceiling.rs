//! What a crawl with this client and this parser can reach at best: fetches a list of addresses and
//! makes a tree of each page, and nothing else. No queue, no robots.txt, no text, no links, no store.
//!
//! ```text
//! cargo run --release -p bowerbird-fetch --example ceiling -- LIST REQUESTS-AT-ONCE
//! ```
//!
//! One request at a time goes to a host, as in a crawl. `bench/crawl/run` puts it beside crawlers.

use std::collections::HashMap;
use std::sync::Arc;

use facts::Url;
use fetch::{Accept, Fetcher, Proxy, Request, Settings};
use tokio::sync::Semaphore;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A tree is made whatever these say; nothing is taken from it.
const TREE_ONLY: page::Limits =
    page::Limits { bytes: 16 << 20, links: 0, media: 0, text: 0, depth: 512, nodes: 400_000, structured: 0 };

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (Some(list), Some(at_once)) = (arguments.next(), arguments.next()) else {
        return Err("name a file of addresses and how many requests to have open".into());
    };
    let mut hosts: HashMap<_, Vec<Url>> = HashMap::new();
    for line in std::fs::read_to_string(list)?.lines() {
        let url = Url::parse(line)?;
        hosts.entry(url.host()).or_default().push(url);
    }
    let settings =
        Settings { private_hosts: hosts.keys().cloned().collect(), proxy: Proxy::None, ..Settings::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (pages, nodes) = runtime.block_on(all(Fetcher::new(settings)?, hosts, at_once.parse()?))?;
    println!("{pages} pages, {nodes} nodes");
    Ok(())
}

async fn all(
    fetcher: Fetcher,
    hosts: HashMap<facts::HostName, Vec<Url>>,
    at_once: usize,
) -> Result<(usize, usize), Failure> {
    let places = Arc::new(Semaphore::new(at_once));
    let each = hosts.into_values().map(|urls| tokio::spawn(host(fetcher.clone(), urls, Arc::clone(&places))));
    let (mut pages, mut nodes) = (0, 0);
    for done in each.collect::<Vec<_>>() {
        let (some, of_them) = done.await??;
        (pages, nodes) = (pages + some, nodes + of_them);
    }
    Ok((pages, nodes))
}

/// All pages of one host, one after the other; how many, and the nodes of their trees.
async fn host(fetcher: Fetcher, urls: Vec<Url>, places: Arc<Semaphore>) -> Result<(usize, usize), Failure> {
    let (pages, mut nodes) = (urls.len(), 0);
    for url in urls {
        let _place = places.acquire().await?;
        let mut response = fetcher.send(Request::new(url.clone(), Accept::Page)).await?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            body.extend_from_slice(&piece);
        }
        nodes += page::read(&body, Some("text/html; charset=utf-8"), &url, &TREE_ONLY).tree.len();
    }
    Ok((pages, nodes))
}
