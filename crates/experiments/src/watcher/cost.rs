//! What a watcher costs its server [004 exp. 3, Table 7.3], as the kernel counts it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::measured::{resident_of, ticks_of};
use crate::{ExperimentError, Order};

/// Pages of one folder, and the words of a page: about 2 KB.
const FOLDER: u64 = 100;
const WORDS: &str = "The harbour at evening, seen from the quay with boats and gulls. ";
const TIMES: usize = 28;
/// How long it is watched while nothing happens.
const IDLE: Duration = Duration::from_secs(20);
/// What is left free on the disk.
const SPARE: u64 = 2 << 30;

/// A watcher of so many pages.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Cost {
    pub pages: u64,
    /// Until all names and times were read.
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Bytes in memory, when nothing happens.
    pub memory: u64,
    /// Of a core, while nothing happens.
    pub idle: f64,
}

/// Makes the pages, watches them with the program, and removes them. Nothing without the program, or
/// without room for the pages.
pub(super) fn run(pages: u64, order: &Order) -> Result<Option<Cost>, ExperimentError> {
    let Some(program) = &order.program else { return Ok(None) };
    let folder = tempfile::tempdir()?;
    let disk = rustix::fs::statvfs(folder.path()).map_err(std::io::Error::from)?;
    if disk.f_bavail.saturating_mul(disk.f_frsize) < pages.saturating_mul(4_600) + SPARE {
        return Ok(None);
    }
    let www = folder.path().join("www");
    make(&www, pages)?;
    let begun = Instant::now();
    let site = format!("http://cost.test/={}", www.display());
    let state = folder.path().join("state");
    let mut child = Command::new(program)
        .args(["watch", "--json", "--listen", "127.0.0.1:0", "--site", &site, "--state"])
        .arg(&state)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let measured = measure(&mut child, begun, pages);
    let _ = child.kill();
    child.wait()?;
    folder.close()?;
    Ok(Some(measured?))
}

fn measure(child: &mut Child, begun: Instant, pages: u64) -> std::io::Result<Cost> {
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    if !line.contains("listening") {
        return Err(std::io::Error::other(format!("the watcher did not start: {line}")));
    }
    let folder = Path::new("/proc").join(child.id().to_string());
    let cpu = || -> std::io::Result<f64> {
        let ticks = ticks_of(&fs::read_to_string(folder.join("stat"))?).unwrap_or(0);
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    };
    let (seconds, cpu_seconds) = (begun.elapsed().as_secs_f64(), cpu()?);
    // Links are read beside other work; idle is what comes after that.
    let watch = IDLE.min(Duration::from_millis(200 + pages));
    let mut before = cpu()?;
    for _ in 0..60 {
        thread::sleep(watch / 2);
        let now = cpu()?;
        if now - before < 0.05 * watch.as_secs_f64() / 2.0 {
            break;
        }
        before = now;
    }
    let (before, since) = (cpu()?, Instant::now());
    thread::sleep(watch);
    let idle = (cpu()? - before) / since.elapsed().as_secs_f64();
    let memory = resident_of(&fs::read_to_string(folder.join("status"))?).unwrap_or(0);
    Ok(Cost { pages, seconds, cpu_seconds, memory, idle })
}

fn make(www: &Path, pages: u64) -> std::io::Result<()> {
    let words = WORDS.repeat(TIMES);
    let name = |page: u64| format!("{:03}/{:03}/page-{page}.html", page / FOLDER / 100, page / FOLDER % 100);
    for page in 0..pages {
        let file = www.join(name(page));
        if let Some(folder) = file.parent().filter(|_| page % FOLDER == 0) {
            fs::create_dir_all(folder)?;
        }
        let children = (1..=10).map(|child| page * 10 + child).filter(|child| *child < pages);
        let links: String = children.map(|child| format!("<a href=\"/{}\">{child}</a>\n", name(child))).collect();
        fs::write(file, format!("<title>{page}</title><p>{words}</p>{links}"))?;
    }
    fs::write(www.join("index.html"), format!("<a href=\"/{}\">in</a>", name(0)))
}
