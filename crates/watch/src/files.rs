//! The report as files, for a web server to serve as they are.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::listing::Question;
use crate::watched::Watched;

/// Files are written at most this often.
const PAUSE: Duration = Duration::from_millis(700);
/// And at most this part of the time.
const SHARE: u32 = 10;

/// Writes the report of a site whenever it changed.
pub(crate) struct Files {
    report: PathBuf,
    /// What was written last: the version of the book, and the flag.
    written: Option<(u64, bool)>,
    at: Option<Instant>,
    took: Duration,
    /// Parts that were written, to remove those that are too many.
    parts: usize,
    sitemaps: usize,
}

impl Files {
    pub(crate) fn new(report: PathBuf) -> Self {
        Self { report, written: None, at: None, took: Duration::ZERO, parts: 1, sitemaps: 1 }
    }

    /// Writes what changed, when it is time.
    pub(crate) fn step(&mut self, watched: &Watched) -> std::io::Result<()> {
        let state = state(watched);
        // The flag keeps crawlers from coming twice: it does not wait.
        let flag_only = self.written.is_some_and(|(_, flag)| flag != state.1);
        let early = self.at.is_some_and(|at| at.elapsed() < PAUSE.max(self.took * SHARE));
        if self.written == Some(state) || early && !flag_only {
            return Ok(());
        }
        self.write(watched, state)
    }

    /// Writes everything.
    pub(crate) fn write_all(&mut self, watched: &Watched) -> std::io::Result<()> {
        self.write(watched, state(watched))
    }

    fn write(&mut self, watched: &Watched, state: (u64, bool)) -> std::io::Result<()> {
        let begun = Instant::now();
        let mut question = Question::default();
        let mut part = 1;
        let mut reports = Vec::new();
        while let Ok(mut report) = watched.report(&question, u8::from(state.1)) {
            question.after = report.next.take().and_then(|next| {
                let (number, from) = next.strip_prefix("?after=")?.split_once('-')?;
                Some((number.parse().ok()?, from.parse().ok()?))
            });
            let more = question.after.is_some();
            report.next = more.then(|| name(&self.part(part + 1)));
            let text = serde_json::to_vec(&report)?;
            // The first is what everybody begins with: it comes last, so that all it leads to is there.
            if part == 1 {
                reports.push(text)
            } else {
                write(&self.part(part), &text)?
            }
            if !more {
                break;
            }
            part += 1;
        }
        for first in reports {
            write(&self.report, &first)?;
        }
        remove(((part + 1)..=self.parts).map(|part| self.part(part)));
        self.parts = part;
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

    /// The file of a part of the report.
    fn part(&self, number: usize) -> PathBuf {
        if number == 1 { self.report.clone() } else { self.beside(&format!("-{number}.json")) }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let stem = self.report.file_stem().unwrap_or_default().to_string_lossy();
        self.report.with_file_name(format!("{stem}{ending}"))
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

/// Readers see the old file or the new one, never a part.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let draft = path.with_file_name(format!(".{}.draft", name(path)));
    std::fs::write(&draft, bytes)?;
    std::fs::rename(&draft, path)
}
