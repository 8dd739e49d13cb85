//! The report as files, for a web server to serve as they are.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use report::Report;

use crate::access_log::AccessLog;
use crate::listing::Question;
use crate::parts::{Parts, beside, write};
use crate::watched::Watched;

/// Files are written at most this often.
const PAUSE: Duration = Duration::from_millis(700);
/// The same for each further part: all of them are written anew, and stay for those who read them.
const PAUSE_OF_EACH: Duration = Duration::from_millis(500);
/// And at most this part of the time.
const SHARE: u32 = 10;

/// Writes the report of a site whenever it changed.
pub(crate) struct Files {
    report: PathBuf,
    /// Where the web server says who took it.
    log: Option<AccessLog>,
    /// The last change that the report on disk tells of.
    last: Option<u64>,
    /// The same when the log was last read: who is in it since was told that much at least.
    told: Option<u64>,
    /// What was written last: the version of the book, and the flag.
    written: Option<(u64, bool)>,
    at: Option<Instant>,
    took: Duration,
    /// The report itself, as it is on disk: where only the flag changes, it is all there is to write.
    first: Option<Report>,
    parts: Parts,
    /// Sitemaps that were written, to remove those that are too many.
    sitemaps: usize,
}

impl Files {
    pub(crate) fn new(report: PathBuf, log: Option<PathBuf>) -> Self {
        let log = log.map(|log| AccessLog::new(log, format!("/{}", name(&report))));
        let parts = Parts::new(report.clone());
        let (last, told, written, at, first) = (None, None, None, None, None);
        Self { report, log, last, told, written, at, took: Duration::ZERO, first, parts, sitemaps: 1 }
    }

    /// Where the report is.
    pub(crate) fn report(&self) -> &Path {
        &self.report
    }

    /// Sets the flag when a crawler took the report, and writes what changed, when it is time.
    pub(crate) fn step(&mut self, watched: &Watched) -> std::io::Result<()> {
        self.follow_log(watched);
        let state = state(watched);
        if self.written == Some(state) {
            return Ok(());
        }
        // The flag keeps crawlers from coming twice: it does not wait. Where a change resets it, the list
        // that tells of it comes with it.
        if self.written.is_some_and(|(version, flag)| flag != state.1 && (state.1 || version == state.0)) {
            self.write_flag(state.1)?;
        }
        let pause = PAUSE.max(self.took * SHARE).max(PAUSE_OF_EACH * self.parts.count() as u32);
        if self.written == Some(state) || self.at.is_some_and(|at| at.elapsed() < pause) {
            return Ok(());
        }
        self.write(watched, state)
    }

    fn write_flag(&mut self, flag: bool) -> std::io::Result<()> {
        let (Some(first), Some(written)) = (&mut self.first, &mut self.written) else { return Ok(()) };
        first.flag = u8::from(flag);
        write(&self.report, &serde_json::to_vec(first)?)?;
        written.1 = flag;
        Ok(())
    }

    /// Writes everything, for the first time: who came before has not seen this report.
    pub(crate) fn write_all(&mut self, watched: &Watched) -> std::io::Result<()> {
        if let Some(log) = &mut self.log {
            log.taken();
        }
        self.write(watched, state(watched))?;
        self.told = self.last;
        Ok(())
    }

    /// Claims the site for a crawler that took the report: what that one told, and no later change. Of the
    /// report and the one written just after the log was read, it may have been the older.
    fn follow_log(&mut self, watched: &Watched) {
        let taken = self.log.as_mut().is_some_and(AccessLog::taken);
        if let Some(told) = self.told.filter(|_| taken)
            && let Err(error) = watched.claim_told(told)
        {
            tracing::error!("{error}");
        }
        self.told = self.last;
    }

    fn write(&mut self, watched: &Watched, state: (u64, bool)) -> std::io::Result<()> {
        let begun = Instant::now();
        let mut question = Question::default();
        let mut first = None;
        self.parts.begin();
        for part in 1.. {
            let Ok(mut report) = watched.report(&question, u8::from(state.1)) else { break };
            question.after = report.next.take().and_then(|next| {
                let (number, from) = next.strip_prefix("?after=")?.split_once('-')?;
                Some((number.parse().ok()?, from.parse().ok()?))
            });
            let more = question.after.is_some();
            report.next = more.then(|| name(&self.parts.name(part + 1)));
            // The first is what everybody begins with: it comes last, so that all it leads to is there.
            match &first {
                None => first = Some(report),
                Some(_) => self.parts.write(part, &serde_json::to_vec(&report)?)?,
            }
            if !more {
                break;
            }
        }
        if let Some(first) = &first {
            write(&self.report, &serde_json::to_vec(first)?)?;
            self.last = watched.change(&first.token);
            self.parts.replace(Instant::now());
        }
        self.first = first;
        self.feeds(watched)?;
        self.written = Some(state);
        self.at = Some(Instant::now());
        self.took = begun.elapsed();
        Ok(())
    }

    /// Sitemaps and the feed, beside the report under names that no site has by itself.
    fn feeds(&mut self, watched: &Watched) -> std::io::Result<()> {
        let count = watched.sitemaps();
        let sitemap = |number: usize| self.beside(&format!("-sitemap-{number}.xml"));
        // They are served from where the report is.
        let folder = crate::desk::FEED.rsplit_once('/').map_or("", |(folder, _)| folder);
        if count > 1 {
            for number in 1..=count {
                write(&sitemap(number), watched.sitemap(number).unwrap_or_default().as_bytes())?;
            }
            let index = watched.sitemap_index(|number| format!("{folder}/{}", name(&sitemap(number))));
            write(&self.beside("-sitemap.xml"), index.as_bytes())?;
        } else {
            write(&self.beside("-sitemap.xml"), watched.sitemap(1).unwrap_or_default().as_bytes())?;
        }
        remove(((count.max(2) + 1)..=self.sitemaps).map(sitemap));
        let feed = self.beside(".atom");
        write(&feed, watched.feed(&format!("{folder}/{}", name(&feed))).as_bytes())?;
        self.sitemaps = count;
        Ok(())
    }

    fn beside(&self, ending: &str) -> PathBuf {
        beside(&self.report, ending)
    }
}

/// What is written: the version of the book, and the flag.
fn state(watched: &Watched) -> (u64, bool) {
    let version = watched.book().version;
    (version, watched.is_claimed())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn remove(files: impl Iterator<Item = PathBuf>) {
    for file in files {
        let _ = std::fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use facts::Timestamp;

    use super::*;
    use crate::book::Look;
    use crate::flag::Reset;
    use crate::names::ROOT;
    use crate::site::Site;

    fn watched(folder: &Path) -> Watched {
        let site = Site::parse("https://example.org/=/srv/www").unwrap();
        Watched::open(site, folder, Reset::Event).unwrap()
    }

    fn change(watched: &Watched, name: &str, mark: u64) {
        let mut book = watched.book();
        let id = book.intern(ROOT, name.as_bytes()).unwrap();
        book.note(id, Look { mark, modified: Timestamp(0) }, crate::watched::now(), false);
    }

    #[test]
    fn a_claim_by_the_log_is_of_what_the_report_on_disk_told() {
        let folder = tempfile::tempdir().unwrap();
        let (report, log) = (folder.path().join("r.json"), folder.path().join("access.log"));
        let take = || {
            let mut log = std::fs::File::options().append(true).create(true).open(&log).unwrap();
            log.write_all(b"x - - [x] \"GET /r.json?claim=1 HTTP/1.1\" 200 9\n").unwrap();
        };
        let watched = watched(&folder.path().join("state"));
        change(&watched, "a.html", 1);
        std::fs::write(&log, "").unwrap();
        let mut files = Files::new(report, Some(log.clone()));
        take();
        files.write_all(&watched).unwrap();
        files.step(&watched).unwrap();
        assert!(!watched.is_claimed(), "that was before the report was there");
        take();
        files.step(&watched).unwrap();
        assert!(watched.is_claimed());
        // A change that comes after the report was taken, and before the log was read, is nobody's.
        change(&watched, "b.html", 1);
        files.write_all(&watched).unwrap();
        take();
        change(&watched, "c.html", 1);
        files.step(&watched).unwrap();
        assert!(!watched.is_claimed(), "nobody was told of c.html");
        // The report may be written between the line and its reading: it is the older that counts.
        files.write_all(&watched).unwrap();
        change(&watched, "d.html", 1);
        files.at = None;
        files.step(&watched).unwrap();
        take();
        files.step(&watched).unwrap();
        assert!(!watched.is_claimed(), "nobody is sure to have been told of d.html");
        take();
        files.step(&watched).unwrap();
        assert!(watched.is_claimed());
    }

    #[test]
    fn who_reads_the_parts_of_a_report_comes_to_the_end_of_the_list_it_began() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("r.json");
        let watched = watched(&folder.path().join("state"));
        for number in 0..2 * crate::listing::ENTRIES + 7 {
            change(&watched, &format!("{number}.html"), 1);
        }
        let read = |path: &Path| serde_json::from_slice::<serde_json::Value>(&std::fs::read(path).unwrap()).unwrap();
        let mut files = Files::new(report.clone(), None);
        files.write_all(&watched).unwrap();
        let (mut at, mut seen, mut tokens) = (report.clone(), 0, std::collections::BTreeSet::new());
        loop {
            let part = read(&at);
            seen += part["pages"].as_array().unwrap().len();
            tokens.insert(part["token"].as_str().unwrap().to_owned());
            let Some(next) = part["next"].as_str() else { break };
            at = report.with_file_name(next);
            // The site changes all the while, and the report with it.
            change(&watched, &format!("{seen}.html"), 2);
            files.write_all(&watched).unwrap();
        }
        assert_eq!((seen, tokens.len()), (2 * crate::listing::ENTRIES + 7, 1));
        assert_ne!(read(&report)["token"].as_str(), tokens.first().map(String::as_str));
        // The flag alone is quickly written.
        let next = read(&report)["next"].clone();
        assert!(watched.claim().unwrap());
        files.step(&watched).unwrap();
        assert_eq!((&read(&report)["flag"], &read(&report)["next"]), (&1.into(), &next));
    }
}
