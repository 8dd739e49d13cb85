//! Crawls in processes of their own.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use lab::Server;
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::ground::{Ground, Watched};
use crate::measured::{self, Cost};
use crate::{ExperimentError, Order};

/// A web that is served, and a data directory for the crawls of it.
pub(super) struct Bench {
    server: Server<Watched>,
    directory: TempDir,
    program: PathBuf,
    /// Where the crawl starts.
    seeds: Vec<String>,
    strategy: &'static str,
    /// What is looked for, as settings.
    aim: String,
}

/// A task, and what it cost.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub cost: Cost,
    pub figures: Figures,
}

/// What a crawl says of itself at its end.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Figures {
    pub pages: u64,
    pub bytes: u64,
    pub images: Images,
    #[serde(default)]
    pub geotagged: Option<u64>,
    #[serde(default)]
    pub relevant: Option<u64>,
    pub stopped: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Images {
    pub kept: u64,
}

impl Bench {
    /// Serves the web for crawls with this strategy, from the seeds the document's crawls started
    /// from: a site of photos.
    pub async fn open(ground: &Ground, order: &Order, strategy: &'static str) -> Result<Self, ExperimentError> {
        let program = order.program.clone().ok_or(ExperimentError::NoProgram)?;
        let server = Server::start(Watched::new(ground.clone()), ([127, 0, 0, 1], 0).into()).await?;
        let directory = tempfile::tempdir()?;
        std::fs::write(directory.path().join("ca.pem"), server.ca_pem())?;
        let mut aim = String::new();
        if let Some(region) = order.region.clone().or_else(|| ground.focus()) {
            let _ = writeln!(aim, "region = {}", Value::from(region));
        }
        let _ = writeln!(aim, "granularity = {}", serde_json::to_value(order.granularity).unwrap_or_default());
        Ok(Self { server, directory, program, seeds: ground.photo_seeds(), strategy, aim })
    }

    /// Crawls so many pages more, one request at a time and as quickly as they come, with photos
    /// or without.
    pub async fn task(&self, pages: u64, photos: bool) -> Result<Task, ExperimentError> {
        let folder = self.directory.path();
        let kind = if photos { "[\"image\"]" } else { "[]" };
        let settings = format!(
            "[crawl]\nkind = {kind}\nscope = \"domain\"\nconcurrency = 1\ntries = 1\n{}\
             [crawl.manners]\ndelay = \"0s\"\nlongest-delay = \"0s\"\n",
            self.aim
        );
        let config = folder.join("bowerbird.toml");
        std::fs::write(&config, settings)?;
        let mut command = Command::new(&self.program);
        // A proxy would only be asked for what this machine serves itself.
        for variable in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "RUST_LOG"]
        {
            command.env_remove(variable);
        }
        command.arg("crawl").args(&self.seeds).arg("--data").arg(folder.join("data")).arg("--config").arg(config);
        command.args(["--name", "task", "--json", "--strategy", self.strategy, "--max-pages", &pages.to_string()]);
        command.args(["--resolve", &self.server.resolve().concat(), "--ca"]).arg(folder.join("ca.pem"));
        let scratch = folder.to_owned();
        let ran = tokio::task::spawn_blocking(move || measured::run(&mut command, &scratch)).await;
        let (printed, cost) = ran.map_err(std::io::Error::other)??;
        let figures = serde_json::from_slice(&printed).map_err(std::io::Error::other)?;
        Ok(Task { cost, figures })
    }

    /// Stops serving, and removes what was crawled.
    pub async fn close(self) {
        self.server.stop().await;
    }
}
