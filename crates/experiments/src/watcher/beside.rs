//! A watcher beside the made site, over files on disk.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lab::Changing;
use report::WELL_KNOWN;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use watch::{Reset, Rush, Site, WatchError, Way};

use crate::ExperimentError;

/// How long a watcher may take to tell of a change.
const PATIENCE: Duration = Duration::from_secs(120);

/// A watcher that runs, over a folder with the pages of a site.
pub(super) struct Beside {
    folder: TempDir,
    pub address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), WatchError>>,
}

impl Beside {
    /// Writes the pages and starts the watcher; done when it has looked at all of them.
    pub async fn start(site: &Arc<Changing>, pages: usize) -> Result<Self, ExperimentError> {
        let folder = tempfile::tempdir()?;
        let www = folder.path().join("www");
        write(site, (0..pages).collect(), &www).await?;
        let name = format!("http://{}/={}", Changing::host(), www.display());
        let order = watch::Order {
            sites: vec![Site::parse(&name).map_err(std::io::Error::other)?],
            state: folder.path().join("state"),
            way: Way::Listen(([127, 0, 0, 1], 0).into()),
            reset: Reset::Event,
            rush: Rush::default(),
            rescan: Duration::from_secs(6 * 3600),
            poll: Duration::from_secs(600),
            fetch: fetch::Settings::default(),
        };
        let (ready, told) = oneshot::channel();
        let (end, ended) = oneshot::channel::<()>();
        let task = tokio::spawn(watch::watch(
            order,
            move |address| {
                let _ = ready.send(address);
            },
            async move { drop(ended.await) },
        ));
        match told.await {
            Ok(Some(address)) => Ok(Self { folder, address, end: Some(end), task }),
            _ => match task.await {
                Ok(Err(error)) => Err(std::io::Error::other(error).into()),
                _ => Err(std::io::Error::other("the watcher did not start").into()),
            },
        }
    }

    /// Writes pages that changed and waits until the report lists them, after this token; gives how many
    /// it lists and the next token.
    pub async fn tell(
        &self,
        site: &Arc<Changing>,
        changed: Vec<usize>,
        since: &str,
    ) -> Result<(u64, String), ExperimentError> {
        let wanted = changed.len() as u64;
        write(site, changed, &self.folder.path().join("www")).await?;
        let begun = Instant::now();
        loop {
            let (listed, token) = self.look(Some(since)).await?;
            if listed >= wanted {
                return Ok((listed, token));
            }
            if begun.elapsed() > PATIENCE {
                let missed = format!("the watcher tells of {listed} changes of {wanted}");
                return Err(std::io::Error::other(missed).into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// How many changes the report lists, and its token. Looking claims nothing.
    pub async fn look(&self, since: Option<&str>) -> Result<(u64, String), ExperimentError> {
        let query = since.map(|since| format!("?since={since}")).unwrap_or_default();
        let (address, target) = (self.address, format!("{WELL_KNOWN}{query}"));
        let read = tokio::task::spawn_blocking(move || lab::passed_on(address, &target));
        let answer = read.await.map_err(std::io::Error::other)??;
        let report: serde_json::Value = serde_json::from_slice(&answer.body).map_err(std::io::Error::other)?;
        let listed = report["total"].as_u64().unwrap_or(0);
        Ok((listed, report["token"].as_str().unwrap_or_default().to_owned()))
    }

    /// Ends the watcher and removes its files.
    pub async fn end(mut self) -> Result<(), ExperimentError> {
        drop(self.end.take());
        self.task.await.map_err(std::io::Error::other)?.map_err(std::io::Error::other)?;
        Ok(self.folder.close()?)
    }
}

async fn write(site: &Arc<Changing>, pages: Vec<usize>, www: &Path) -> Result<(), ExperimentError> {
    let (site, www) = (Arc::clone(site), www.to_owned());
    let write = move || pages.into_iter().try_for_each(|page| site.write(page, &www));
    Ok(tokio::task::spawn_blocking(write).await.map_err(std::io::Error::other)??)
}
