//! `bowerbird migrate`.

use std::path::PathBuf;

use anyhow::Context;
use store::{Home, Move, Moved};
use tokio::sync::watch;

use super::{Place, WrongUse};
use crate::arguments::Migrate;
use crate::output::{counted, print_json, print_line, print_table};
use crate::progress;

/// Moves a library with its queue, and if wanted its files, to another home.
pub async fn migrate(place: Place, order: Migrate) -> anyhow::Result<()> {
    let is_database = |text: &str| text.starts_with("postgres") && text.contains("://") || text.starts_with("host=");
    let home = |text: String| match is_database(&text) {
        true => Home::Database { url: text, dir: place.data.clone() },
        false => Home::Directory(PathBuf::from(text)),
    };
    if is_database(&order.from) == is_database(&order.to) {
        let wrong = "one of --from and --to is a directory, the other a database (postgres://…)";
        return Err(WrongUse(wrong.into()).into());
    }
    let order = Move { from: home(order.from), to: home(order.to), media: place.media.clone() };
    let (sender, receiver) = watch::channel(String::new());
    let shown = progress::show_experiment(receiver);
    let moved = tokio::task::spawn_blocking(move || {
        store::move_house(&order, &mut |so_far| {
            sender.send_replace(format!("{} · {}", so_far.part, so_far.count));
        })
    })
    .await
    .context("the move broke off")?;
    shown.await?;
    report(&place, &moved?)
}

fn report(place: &Place, moved: &Moved) -> anyhow::Result<()> {
    if place.json {
        return print_json(moved);
    }
    let row = |part: &store::MovedPart| {
        vec![part.name.clone(), part.count.to_string(), part.brought.to_string(), part.hash.clone()]
    };
    let rows: Vec<Vec<String>> = moved.parts.iter().filter(|part| part.count > 0).map(row).collect();
    print_table(&["part", "there", "brought", "hash, the same in both"], &rows)?;
    if moved.unplaced > 0 {
        print_line(format!(
            "{} of which nothing else is known any more may be visited again",
            counted(moved.unplaced, "visited address")
        ))?;
    }
    let named = if moved.files.contains("://") { "" } else { "; name the directory above it with --data" };
    print_line(format!("all of it is there; files are in {}{named}", moved.files))
}
