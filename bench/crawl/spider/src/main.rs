//! Crawls all hosts from one start page with the crate `spider`, and does nothing with the pages.
//!
//! `spider-peer START REQUESTS-AT-ONCE`

use spider::website::Website;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(start), Some(at_once)) = (arguments.next(), arguments.next()) else {
        return Err("name a start page and how many requests to have open".into());
    };
    let mut website = Website::new(&start);
    website
        .with_external_domains(Some(std::iter::once("*".to_owned())))
        .with_respect_robots_txt(true)
        // The only rule in the robots.txt of these hosts.
        .with_blacklist_url(Some(Vec::from(["/media/".into()])))
        .with_concurrency_limit(Some(at_once.parse()?))
        .with_no_control_thread(true)
        .with_delay(0);
    website.crawl().await;
    println!("{} pages", website.get_links().len());
    Ok(())
}
