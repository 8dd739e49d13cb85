//! `bowerbird similar`.

use std::path::Path;
use std::time::Instant;

use anyhow::anyhow;
use crawl::{ByExample, Limits};
use facts::{MediaId, Url};
use fetch::Fetcher;
use search::{Answer, Hit, MediaHit};
use store::{Library, StoreError};

use super::search::print;
use super::{Place, WrongUse};
use crate::arguments::Similar;
use crate::config;
use crate::output::{plain, print_json};

/// Prints what is found by an example.
pub async fn similar(place: Place, config: Option<&Path>, order: Similar) -> anyhow::Result<()> {
    let reader = match place.read() {
        // Nothing was written there yet: nothing is like it, if it can be read at all.
        Err(StoreError::Missing { .. }) if place.data.is_dir() => None,
        reader => Some(reader?),
    };
    let library = reader.as_ref().map(|reader| &**reader.library());
    let named = plain(&order.example);
    let example = read(&order, config, library).await?.map_err(|why| anyhow!("{named}: {why}"))?;
    let started = Instant::now();
    let mut answer = Answer::default();
    if let Some((reader, library)) = reader.as_ref().zip(library) {
        let media = reader.shelf().base();
        let (total, found) = example.ask(library, order.mode, order.at_least, order.top).await?;
        answer.total = total;
        for found in found {
            if let Some(item) = library.item(found.id).await? {
                let similarity = Some(found.similarity);
                let hit = MediaHit { similarity, why: found.why, ..MediaHit::of(&item, None, &media) };
                answer.results.push(Hit::Media(Box::new(hit)));
            }
        }
    }
    answer.milliseconds = started.elapsed().as_millis() as u64;
    if place.json { print_json(&answer) } else { print(&answer) }
}

/// Reads the example: the id of an item, an address or a file.
async fn read(
    order: &Similar,
    config: Option<&Path>,
    library: Option<&dyn Library>,
) -> anyhow::Result<Result<ByExample, String>> {
    let text = order.example.clone();
    if let Some((id, library)) = id(&text).filter(|_| !Path::new(&text).exists()).zip(library) {
        let why =
            "there is no such item, or it is not described: `bowerbird import` and crawls describe what they keep";
        return Ok(ByExample::of_item(library, id).await?.ok_or_else(|| why.to_owned()));
    }
    if text.starts_with("http://") || text.starts_with("https://") {
        let url = Url::parse(&text).map_err(|error| WrongUse(format!("{}: {error}", plain(&text))))?;
        let (reach, contact) = (order.reach.clone().read()?, config::read(config)?.crawl.manners.contact);
        let fetcher = Fetcher::new(crawl::fetch_settings(&reach, [url.host()].into_iter().collect(), contact))?;
        return Ok(ByExample::of_address(&url, &fetcher, &Limits::default()).await);
    }
    Ok(tokio::task::spawn_blocking(move || ByExample::of_file(Path::new(&text))).await?)
}

/// The identity that 64 hex digits say.
fn id(text: &str) -> Option<MediaId> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(MediaId::from_sha256(hash))
}
