//! `bowerbird export`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use export::Subject;
use search::{Looked, Question};
use store::Reader;

use super::search::{question, understand};
use super::{Place, WrongUse};
use crate::arguments::{Export, ExportFormat};
use crate::output::counted;

/// Items or pages read at a time.
const BATCH: usize = 500;

/// Writes the library to a file or to stdout.
pub async fn export(place: Place, order: Export) -> anyhow::Result<()> {
    // What is written for others is all there is.
    let mut question = Question { copies: true, ..question(order.filter)? };
    let reader = place.read()?;
    understand(&mut question, &order.words, &search::synonyms(&**reader.library()).await?)?;
    if order.format == ExportFormat::Webdataset && matches!(question.looked, Looked::Pages { .. }) {
        return Err(WrongUse("a webdataset holds media: leave --kind page out".into()).into());
    }
    let format = order.format.into();
    let out = order.out.filter(|out| out.as_os_str() != "-");
    let out = out.map(|out| std::fs::canonicalize(&out).unwrap_or(out));
    match &out {
        None => write(&reader, &question, format, BufWriter::new(std::io::stdout().lock())).await.map(|_| ()),
        // A pipe or a device is written to, not replaced.
        Some(file) if std::fs::metadata(file).is_ok_and(|about| !about.is_file()) => {
            let out = File::options().write(true).open(file);
            let out = out.with_context(|| format!("cannot write {}", file.display()))?;
            write(&reader, &question, format, BufWriter::new(out)).await.map(|_| ())
        }
        Some(file) => {
            let draft = draft_of(file);
            let out = File::create_new(&draft).with_context(|| format!("cannot write {}", file.display()))?;
            let written = write(&reader, &question, format, BufWriter::new(out)).await;
            let placed = written.and_then(|written| {
                std::fs::rename(&draft, file).with_context(|| format!("cannot write {}", file.display()))?;
                Ok(written)
            });
            if placed.is_err() {
                let _ = std::fs::remove_file(&draft);
            }
            let noun = match (&question.looked, order.format) {
                (Looked::Media(_), _) => "item",
                (Looked::Pages { .. }, ExportFormat::Jsonl) => "page",
                (Looked::Pages { .. }, _) => "place",
            };
            eprintln!("{} written to {}", counted(placed?, noun), file.display());
            Ok(())
        }
    }
}

async fn write(reader: &Reader, question: &Question, format: export::Format, out: impl Write) -> anyhow::Result<u64> {
    // Whoever reads the document may be elsewhere: files are named in full.
    let media = reader.shelf().base();
    let library = reader.library();
    let mut after = 0;
    match &question.looked {
        Looked::Media(_) => {
            let mut export =
                export::Export::begin(out, format, Subject::Media(media))?.with_files(reader.shelf().clone());
            let filter = question.item_filter();
            loop {
                let items = library.items(&filter, after, BATCH).await?;
                let Some(last) = items.last() else { return Ok(export.finish()?) };
                after = last.number;
                items.iter().try_for_each(|item| export.item(item))?;
            }
        }
        Looked::Pages { .. } => {
            let mut export = export::Export::begin(out, format, Subject::Pages)?;
            let filter = question.page_filter();
            loop {
                let pages = library.pages(&filter, after, BATCH).await?;
                let Some(last) = pages.last() else { return Ok(export.finish()?) };
                after = last.number;
                pages.iter().try_for_each(|page| export.page(page))?;
            }
        }
    }
}

/// Beside the file itself, so that it can be renamed.
fn draft_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part{}", std::process::id()));
    file.with_file_name(name)
}
