//! Files that are sent up.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::response::Response;
use crawl::{ImportOrder, ImportSummary, Keep, UPLOADS};
use facts::{MediaId, MediaKind};
use http::StatusCode;
use media::Preset;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::fs;
use tokio::io::AsyncWriteExt;
use utoipa::ToSchema;

use crate::answer::Known;
use crate::app::App;
use crate::problem::Problem;

/// Bytes of one file.
const LARGEST: u64 = 100_000_000;
/// Files of one request.
const MOST: usize = 100;
/// Bytes of one request.
pub(crate) const LARGEST_REQUEST: usize = 2_000_000_000;

/// Files to import.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct Upload {
    /// Pictures, films and sounds: at most 100 MB each.
    #[schema(format = Binary, content_media_type = "application/octet-stream", value_type = Vec<String>)]
    file: Vec<Vec<u8>>,
}

/// What became of files that were sent.
#[derive(Default, Serialize, ToSchema)]
struct Imported {
    /// The items they are now.
    imported: Vec<String>,
    /// Those that were not taken.
    refused: Vec<NotTaken>,
}

/// A file that was not taken.
#[derive(Serialize, ToSchema)]
struct NotTaken {
    name: String,
    /// Why.
    reason: String,
}

/// Import files
#[utoipa::path(post, path = "/import", tag = "Media", request_body(content = Upload, content_type = "multipart/form-data"), responses(
    (status = 200, body = Imported),
))]
pub(crate) async fn import(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| {
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send the files as `multipart/form-data`, each as `file`")
    })?;
    let folder = uploads(&app);
    fs::create_dir_all(&folder).await.map_err(|error| Problem::internal(&error))?;
    let mut answer = Imported::default();
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        if part.name() != Some("file") {
            return Err(Problem::field("file", "every part must be named `file`"));
        }
        count += 1;
        if count > MOST {
            return Err(Problem::field("file", format!("more than {MOST} files: send them in several requests")));
        }
        let name = plain_name(part.file_name().unwrap_or_default());
        match take(&app, &folder, &name, part).await? {
            Ok(id) => answer.imported.push(id.to_string()),
            Err(reason) => answer.refused.push(NotTaken { name, reason }),
        }
    }
    if count == 0 {
        return Err(Problem::field("file", "is needed"));
    }
    Known::default().answer(&answer)
}

pub(super) fn broken(error: MultipartError) -> Problem {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is larger than 2 GB"),
        _ => Problem::new(StatusCode::BAD_REQUEST, format!("the files cannot be read: {}", error.body_text())),
    }
}

/// Writes a file to the disk and takes it in; what is not taken is removed again.
async fn take(app: &Arc<App>, folder: &Path, name: &str, part: Field<'_>) -> Result<Result<MediaId, String>, Problem> {
    let draft = Draft::new(folder);
    let Some(id) = draft.fill(part).await? else {
        return Ok(Err("it is larger than 100 MB".into()));
    };
    let home = folder.join(id.to_string().get(..16).unwrap_or_default());
    // Whoever sends it may be gone by now. From here on it is seen to the end all the same: what is neither
    // taken in nor removed would lie there for good.
    let (app, path) = (Arc::clone(app), home.join(name));
    let settled = tokio::spawn(async move { settle(&app, draft, id, &home, path).await }).await;
    settled.unwrap_or_else(|broken| Err(Problem::internal(&broken)))
}

/// Puts a file that came whole in its place and takes it in, or removes it.
async fn settle(
    app: &App,
    draft: Draft,
    id: MediaId,
    home: &Path,
    path: PathBuf,
) -> Result<Result<MediaId, String>, Problem> {
    let known = app.library().item(id).await?.is_some();
    let put = async {
        fs::create_dir_all(home).await?;
        fs::rename(&draft.0, &path).await
    };
    put.await.map_err(|error| Problem::internal(&error))?;
    let imported = import_one(app, path.clone()).await;
    let taken = app.library().item(id).await?.is_some();
    if !taken {
        let _ = fs::remove_file(&path).await;
        let _ = fs::remove_dir(home).await;
    }
    let reason = imported?.refused.keys().next().cloned().unwrap_or_else(|| "it cannot be read".into());
    Ok(if taken || known { Ok(id) } else { Err(reason) })
}

async fn import_one(app: &App, path: PathBuf) -> Result<ImportSummary, Problem> {
    let (_stopper, stop) = crawl::stopper();
    let (progress, _) = tokio::sync::watch::channel(ImportSummary::default());
    let keep = Keep { preset: Preset::All, ..Keep::default() };
    let kinds = vec![MediaKind::Image, MediaKind::Video, MediaKind::Audio];
    let order = ImportOrder { paths: vec![path], keep, kinds, describe: false };
    let summary = crawl::import(Arc::clone(&app.store), order, stop, progress).await?;
    app.arrived.notify_one();
    Ok(summary)
}

/// Where files that are sent up are kept, as the library names them.
pub(super) fn uploads(app: &App) -> PathBuf {
    let dir = app.store.dir();
    std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned()).join(UPLOADS)
}

/// Removes the file of an item that was sent up, once the item is gone.
pub(crate) async fn remove_upload(app: &App, path: &str) {
    let folder = uploads(app);
    let path = Path::new(path);
    let is_ours = path.parent().and_then(Path::parent) == Some(&folder);
    if is_ours {
        let _ = fs::remove_file(path).await;
        if let Some(home) = path.parent() {
            // Another name of the same content may be there.
            let _ = fs::remove_dir(home).await;
        }
    }
}

/// A file on its way in, removed when it does not get there.
pub(super) struct Draft(PathBuf);

impl Draft {
    pub fn new(folder: &Path) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(folder.join(format!(".part-{}-{number}", std::process::id())))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The identity of what was written; nothing when it is too large.
    pub async fn fill(&self, mut part: Field<'_>) -> Result<Option<MediaId>, Problem> {
        let unwritten = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::StorageFull => Problem::new(StatusCode::INSUFFICIENT_STORAGE, "the disk is full"),
            _ => Problem::internal(&error),
        };
        let mut file = fs::File::create(&self.0).await.map_err(unwritten)?;
        let (mut hash, mut size) = (Sha256::new(), 0u64);
        while let Some(piece) = part.chunk().await.map_err(broken)? {
            size += piece.len() as u64;
            if size <= LARGEST {
                hash.update(&piece);
                file.write_all(&piece).await.map_err(unwritten)?;
            }
        }
        file.flush().await.map_err(unwritten)?;
        file.sync_all().await.map_err(unwritten)?;
        Ok((size <= LARGEST).then(|| MediaId::from_sha256(hash.finalize().into())))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A file's name without anything that could lead elsewhere.
fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| c.is_alphanumeric() || " -_.,()+".contains(*c)).collect();
    let plain = plain.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let start = plain.chars().count().saturating_sub(60);
    let short: String = plain.chars().skip(start).collect();
    let short = short.trim_start_matches('.');
    if short.is_empty() { "file".into() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere() {
        for (name, plain) in [
            ("a b.jpg", "a b.jpg"),
            ("../../etc/passwd", "passwd"),
            ("C:\\photos\\x.png", "x.png"),
            ("..", "file"),
            (".hidden", "hidden"),
            ("", "file"),
            ("nul\0l.jpg", "null.jpg"),
            ("<script>.jpg", "script.jpg"),
            ("Käse.jpg", "Käse.jpg"),
        ] {
            assert_eq!(plain_name(name), plain, "{name}");
        }
        assert!(plain_name(&"x".repeat(1000)).len() <= 60);
    }
}
