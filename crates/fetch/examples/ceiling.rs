//! What a crawl with this client and this parser can reach at best: fetches a list of addresses and
//! makes a tree of each page, and nothing else. No queue, no robots.txt, no text, no links, no store.
//!
//! ```text
//! cargo run --release -p bowerbird-fetch --example ceiling -- LIST REQUESTS-AT-ONCE [html5ever]
//! ```
//!
//! With `html5ever` the tree is made by the parser that most programs use, and not by ours.
//!
//! One request at a time goes to a host, as in a crawl. `bench/crawl/run` puts it beside crawlers.

use std::collections::HashMap;
use std::sync::Arc;

use facts::Url;
use fetch::{Accept, Fetcher, Proxy, Request, Settings};
use tokio::sync::Semaphore;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Which parser makes the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parser {
    Ours,
    Html5ever,
}

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
    let parser = if arguments.next().as_deref() == Some("html5ever") { Parser::Html5ever } else { Parser::Ours };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (pages, nodes) = runtime.block_on(all(Fetcher::new(settings)?, hosts, at_once.parse()?, parser))?;
    println!("{pages} pages, {nodes} nodes");
    Ok(())
}

async fn all(
    fetcher: Fetcher,
    hosts: HashMap<facts::HostName, Vec<Url>>,
    at_once: usize,
    parser: Parser,
) -> Result<(usize, usize), Failure> {
    let places = Arc::new(Semaphore::new(at_once));
    let one = |urls| tokio::spawn(host(fetcher.clone(), urls, Arc::clone(&places), parser));
    let each = hosts.into_values().map(one);
    let (mut pages, mut nodes) = (0, 0);
    for done in each.collect::<Vec<_>>() {
        let (some, of_them) = done.await??;
        (pages, nodes) = (pages + some, nodes + of_them);
    }
    Ok((pages, nodes))
}

/// All pages of one host, one after the other; how many, and the nodes of their trees.
async fn host(
    fetcher: Fetcher,
    urls: Vec<Url>,
    places: Arc<Semaphore>,
    parser: Parser,
) -> Result<(usize, usize), Failure> {
    let (pages, mut nodes) = (urls.len(), 0);
    for url in urls {
        let _place = places.acquire().await?;
        let mut response = fetcher.send(Request::new(url.clone(), Accept::Page)).await?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            body.extend_from_slice(&piece);
        }
        let text = String::from_utf8_lossy(&body);
        nodes += page::judge::plant(&text, &page::Limits::default(), parser == Parser::Ours);
    }
    Ok((pages, nodes))
}
