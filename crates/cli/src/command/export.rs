//! `bowerbird export`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use store::{ItemFilter, Reader, Store};

use super::Place;
use crate::arguments::{Export, Filter};
use crate::output::counted;

/// Items read at a time.
const BATCH: usize = 500;

/// Writes the library to a file or to stdout.
pub async fn export(place: Place, order: Export) -> anyhow::Result<()> {
    let reader = Store::read(&place.data)?;
    let filter = item_filter(order.filter);
    let format = order.format.into();
    let out = order.out.filter(|out| out.as_os_str() != "-");
    let out = out.map(|out| std::fs::canonicalize(&out).unwrap_or(out));
    match &out {
        None => {
            write(&reader, &filter, format, BufWriter::new(std::io::stdout().lock()), &place.data).await.map(|_| ())
        }
        // A pipe or a device is written to, not replaced.
        Some(file) if std::fs::metadata(file).is_ok_and(|about| !about.is_file()) => {
            let out = File::options().write(true).open(file);
            let out = out.with_context(|| format!("cannot write {}", file.display()))?;
            write(&reader, &filter, format, BufWriter::new(out), &place.data).await.map(|_| ())
        }
        Some(file) => {
            let draft = draft_of(file);
            let out = File::create_new(&draft).with_context(|| format!("cannot write {}", file.display()))?;
            let written = write(&reader, &filter, format, BufWriter::new(out), &place.data).await;
            let placed = written.and_then(|written| {
                std::fs::rename(&draft, file).with_context(|| format!("cannot write {}", file.display()))?;
                Ok(written)
            });
            if placed.is_err() {
                let _ = std::fs::remove_file(&draft);
            }
            eprintln!("{} written to {}", counted(placed?, "item"), file.display());
            Ok(())
        }
    }
}

async fn write(
    reader: &Reader,
    filter: &ItemFilter,
    format: export::Format,
    out: impl Write,
    data: &Path,
) -> anyhow::Result<u64> {
    // Whoever reads the document may be elsewhere: files are named in full.
    let media = std::path::absolute(reader.media()).unwrap_or_else(|_| data.join("media"));
    let mut export = export::Export::begin(out, format, media)?;
    let mut after = 0;
    loop {
        let items = reader.library().items(filter, after, BATCH).await?;
        let Some(last) = items.last() else { break };
        after = last.number;
        items.iter().try_for_each(|item| export.item(item))?;
    }
    Ok(export.finish()?)
}

/// Beside the file itself, so that it can be renamed.
fn draft_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part{}", std::process::id()));
    file.with_file_name(name)
}

fn item_filter(filter: Filter) -> ItemFilter {
    ItemFilter {
        kinds: filter.kind,
        located: filter.located,
        since: filter.since,
        near: filter.near.zip(filter.within),
        host: filter.host.map(|host| host.to_ascii_lowercase()),
    }
}
