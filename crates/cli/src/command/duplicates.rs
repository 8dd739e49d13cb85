//! `bowerbird duplicates`.

use std::sync::Arc;

use crawl::Describing;
use search::{DuplicateGroup, Duplicates};
use store::StoreError;
use tokio::sync::watch;

use super::{Place, crawl::listen_for_signals};
use crate::arguments::DuplicatesOrder;
use crate::output::{counted, plain, print_json, print_line};
use crate::progress;

/// Lists groups of copies, after what was left to compare has been.
pub async fn duplicates(place: Place, order: DuplicatesOrder) -> anyhow::Result<()> {
    if !place.data.join("library.db").exists() && place.data.is_dir() {
        return if place.json { print_json(&Duplicates::default()) } else { print_line("no copies") };
    }
    // Where there is no library, none is made.
    drop(place.read()?);
    // A crawl or server that is at work there compares by itself.
    if let Err(error) = compare(&place).await
        && !error.downcast_ref::<StoreError>().is_some_and(|error| matches!(error, StoreError::InUse { .. }))
    {
        return Err(error);
    }
    let reader = place.read()?;
    let media = reader.shelf().base();
    let found = search::duplicates(&**reader.library(), &media, order.top).await?;
    if place.json { print_json(&found) } else { print(&found) }
}

async fn compare(place: &Place) -> anyhow::Result<()> {
    let options = store::Options { what: "duplicates".into(), ..store::Options::default() };
    let store = Arc::new(place.open(options)?);
    let (stopper, stop) = crawl::stopper();
    let listening = tokio::spawn(listen_for_signals(stopper));
    let (sender, receiver) = watch::channel(Describing::default());
    let shown = progress::show_describing(receiver);
    let described = crawl::describe(&store, &stop, &sender).await;
    drop(sender);
    listening.abort();
    shown.await?;
    if let Some(store) = Arc::into_inner(store) {
        store.close().await?;
    }
    described?;
    anyhow::ensure!(!stop.asked(), "stopped before all was compared: the same command goes on");
    Ok(())
}

fn print(found: &Duplicates) -> anyhow::Result<()> {
    if found.groups.is_empty() {
        return print_line("no copies");
    }
    for (number, DuplicateGroup { kept, copies }) in found.groups.iter().enumerate() {
        if number > 0 {
            print_line("")?;
        }
        print_line(plain(&kept.file))?;
        for copy in copies {
            print_line(format!("  {:<7} {}  ({})", copy.why, plain(&copy.file), copy.detail))?;
        }
    }
    let copies = found.groups.iter().map(|group| group.copies.len() as u64).sum();
    print_line("")?;
    print_line(format!("{} of {}", counted(copies, "copy"), counted(found.groups.len() as u64, "file")))
}
