//! Who took the report, as the web server's log tells: for reports that are plain files.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Bytes of the log that are read at once.
const CHUNK: u64 = 1 << 20;
/// A line that is longer is passed over.
const LINE: usize = 64 << 10;

/// The end of a log.
pub(crate) struct AccessLog {
    path: PathBuf,
    /// The name of the report, as it is asked for.
    report: String,
    /// The file that is read: device and number, and how far.
    at: Option<(u64, u64, u64)>,
    rest: Vec<u8>,
}

impl AccessLog {
    /// Begins at the end of the log: who came before has not seen this report.
    pub(crate) fn new(path: PathBuf, report: String) -> Self {
        let at = std::fs::metadata(&path).ok().map(|meta| (meta.dev(), meta.ino(), meta.len()));
        Self { path, report, at, rest: Vec::new() }
    }

    /// Whether a Bowerbird crawler took the report since this was asked last.
    pub(crate) fn taken(&mut self) -> bool {
        let mut taken = false;
        // Bounded: a log that grows faster than it is read is read on at the next step.
        for _ in 0..16 {
            match self.read() {
                Ok((true, found)) => taken |= found,
                Ok((false, found)) => return taken | found,
                Err(error) => {
                    tracing::debug!("{} cannot be read: {error}", self.path.display());
                    return taken;
                }
            }
        }
        taken
    }

    /// Reads some lines; gives whether there is more, and whether one of them tells of a crawler.
    fn read(&mut self) -> std::io::Result<(bool, bool)> {
        let mut file = File::open(&self.path)?;
        let meta = file.metadata()?;
        let from = match self.at {
            Some((device, number, from)) if (device, number) == (meta.dev(), meta.ino()) && from <= meta.len() => from,
            // Another file, or cut: from its beginning.
            _ => {
                self.rest.clear();
                0
            }
        };
        file.seek(SeekFrom::Start(from))?;
        let read = file.take(CHUNK).read_to_end(&mut self.rest)? as u64;
        self.at = Some((meta.dev(), meta.ino(), from + read));
        let mut taken = false;
        let end = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        for line in self.rest[..end].split(|b| *b == b'\n').filter(|line| line.len() <= LINE) {
            taken |= self.tells(&String::from_utf8_lossy(line));
        }
        self.rest.drain(..end);
        if self.rest.len() > LINE {
            self.rest.clear();
        }
        Ok((read == CHUNK, taken))
    }

    /// `"GET /….json?claim=1 HTTP/1.1" 200`, or the same by a crawler that names itself.
    fn tells(&self, line: &str) -> bool {
        let Some((_, request)) = line.split_once("\"GET ") else { return false };
        let Some((address, rest)) = request.split_once(' ') else { return false };
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let answered =
            rest.split_once("\" ").is_some_and(|(_, after)| after.starts_with("200") || after.starts_with("206"));
        // Who reads on has claimed with the first part.
        let ours = path.ends_with(&self.report) && !query.contains("after=");
        let crawler = rest.to_ascii_lowercase().contains("bowerbird/");
        ours && answered && (crawler || query.split('&').any(|pair| pair == "claim=1"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const AGENT: &str = "Bowerbird/0.1 (+mail@example.org)";

    fn line(address: &str, status: u16, agent: &str) -> String {
        format!(
            "203.0.113.9 - - [01/Mar/2026:12:00:00 +0000] \"GET {address} HTTP/1.1\" {status} 99 \"-\" \"{agent}\"\n"
        )
    }

    #[test]
    fn a_crawler_that_takes_the_report_is_noticed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        let report = "/.well-known/bowerbird-watcher.json";
        std::fs::write(&path, line(report, 200, AGENT)).unwrap();
        let mut log = AccessLog::new(path.clone(), report.into());
        assert!(!log.taken(), "what was before does not count");
        let add = |text: &str| File::options().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
        add(&line(report, 200, "Mozilla/5.0"));
        add(&line(report, 404, AGENT));
        add(&line("/index.html", 200, AGENT));
        add("garbage \u{1}\n\n\"GET \n");
        assert!(!log.taken());
        let whole = line(&format!("{report}?claim=1"), 200, "curl/8");
        add(&whole[..40]);
        assert!(!log.taken(), "half a line");
        add(&whole[40..]);
        assert!(log.taken());
        assert!(!log.taken());
        // Logs are turned over.
        std::fs::rename(&path, folder.path().join("access.log.1")).unwrap();
        assert!(!log.taken());
        std::fs::write(&path, line(report, 200, AGENT)).unwrap();
        assert!(log.taken() && !log.taken());
        // A line without end costs no memory.
        add(&"x".repeat(3 << 20));
        assert!(!log.taken() && log.rest.len() <= LINE);
        add(&format!("\n{}", line(report, 200, AGENT)));
        assert!(log.taken());
    }
}
