//! Writing visits. A visit that is there already changes nothing, also no figure.

pub(super) mod again;
mod media;
mod pages;

use std::collections::{BTreeMap, HashSet};

use crate::sql::{self, OptionalExtension, Transaction, params};
use facts::Timestamp;

use super::catalogue::{Catalogue, names};
use super::signed;
use super::tasks::Filling;
use super::text::{DETAIL, REASON, cut};
use crate::visit::{CUT, FORGOTTEN};
use crate::{Link, MediaFile, Outcome, Recorded, RunId, VisitKind, Visited};
use again::Before;

/// What is said of a page that is [`CUT`].
const CUT_DETAIL: &str =
    "only a part of it was read: it has more elements, attributes, links or text than any page needs";

/// Visits of one run being written in one transaction.
pub(super) struct Records<'a> {
    db: &'a Transaction<'a>,
    crawl: u32,
    run: i64,
    /// Below zero for what is taken back.
    tallies: BTreeMap<String, i64>,
    catalogue: Catalogue<'a>,
    /// Files of these visits that no row names.
    unnamed: HashSet<String>,
    task: Filling<'a>,
}

/// What came of writing visits or imports.
#[derive(Debug, Default)]
pub(crate) struct Written<T> {
    pub what: T,
    /// Files that were placed and that no row names.
    pub unnamed: HashSet<String>,
    /// Whether files wait to be removed.
    pub doomed: bool,
}

impl<'a> Records<'a> {
    /// `None` when there is no such run.
    pub fn of_run(db: &'a Transaction<'a>, run: RunId) -> sql::Result<Option<Self>> {
        let found = db
            .prepare_cached("SELECT crawl, task_pages, started FROM run WHERE id = ?1")?
            .query_row([run.0], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
            .optional()?;
        let Some((crawl, full, started)) = found else { return Ok(None) };
        let task = Filling::of_run(db, run.0, full, Timestamp(started))?;
        let (catalogue, tallies, unnamed) = (Catalogue::new(db)?, BTreeMap::new(), HashSet::new());
        Ok(Some(Self { db, crawl, run: run.0, tallies, catalogue, unnamed, task }))
    }

    pub fn write(&mut self, visit: &Visited) -> sql::Result<()> {
        let there = self
            .db
            .prepare_cached("SELECT 1 FROM visit WHERE crawl = ?1 AND url_id = ?2 AND round = ?3")?
            .exists(params![self.crawl, visit.claim.id.short(), visit.claim.round])?;
        if !there {
            if self.is_forgotten(visit)? {
                self.forgotten(visit)?;
            } else {
                let before = self.before(visit)?;
                if !self.same(visit, before.as_ref())? {
                    self.add(visit, before.as_ref())?;
                }
            }
        }
        if let Outcome::Media(file) = &visit.outcome {
            note_unnamed(self.db, file, &mut self.unnamed)?;
        }
        Ok(())
    }

    fn add(&mut self, visit: &Visited, before: Option<&Before>) -> sql::Result<()> {
        let (outcome, reason, detail) = match &visit.outcome {
            Outcome::Page(facts) if facts.cut => ("page", Some(CUT), Some(CUT_DETAIL)),
            Outcome::Page(_) => ("page", None, None),
            Outcome::Media(_) => ("media", None, None),
            Outcome::Report(facts) => ("report", facts.reason, Some(cut(&facts.detail, DETAIL))),
            // Of nothing that is known.
            Outcome::Unchanged => return Ok(()),
            Outcome::Redirect(target) if self.catalogue.bars(target)? => ("redirect", None, None),
            Outcome::Redirect(target) => ("redirect", None, Some(target.as_str())),
            Outcome::Refused(refused) => ("refused", Some(cut(&refused.reason, REASON)), None),
            Outcome::Failed { reason, detail } => ("failed", Some(cut(reason, REASON)), Some(cut(detail, DETAIL))),
        };
        let number = self.row(visit, visit.claim.link.url.as_str(), outcome, reason, detail)?;
        self.go_on(number, visit, before)?;
        match &visit.outcome {
            Outcome::Page(page) => {
                self.count("pages", 1);
                for (name, amount) in [
                    ("malformed", page.malformed),
                    ("links", visit.links.len() as u64),
                    ("dynamic", page.dynamic),
                    ("rendered", u64::from(page.states > 0)),
                    ("states", page.states),
                ] {
                    if amount > 0 {
                        self.count(name, signed(amount));
                    }
                }
                self.task.page(visit.at, page.relevant)?;
                self.harvest(number, visit, page.relevant)?;
                self.page(visit, page)
            }
            Outcome::Media(file) => self.media(visit, file),
            Outcome::Report(_) | Outcome::Unchanged => Ok(()),
            Outcome::Redirect(target) => self.redirect(visit, target),
            Outcome::Refused(refused) => self.refused(visit, refused),
            Outcome::Failed { reason, .. } => {
                self.count(&format!("error/{}", cut(reason, REASON)), 1);
                Ok(())
            }
        }
    }

    /// Writes the row of a visit and gives its number.
    fn row(
        &mut self,
        visit: &Visited,
        url: &str,
        outcome: &str,
        reason: Option<&str>,
        detail: Option<&str>,
    ) -> sql::Result<i64> {
        let task = self.task.at(visit.at)?;
        let link = &visit.claim.link;
        let page = match &visit.outcome {
            Outcome::Page(facts) if outcome == "page" => Some(facts),
            _ => None,
        };
        let number = self.db.insert(
            "INSERT INTO visit (crawl, url_id, round, url, run, task, kind, depth, parent, at, took_ms, bytes,
                                status, outcome, reason, detail, relevant, branch, followed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            params![
                self.crawl,
                visit.claim.id.short(),
                visit.claim.round,
                url,
                self.run,
                task,
                kind_name(link.kind),
                link.depth,
                link.parent.map(|id| id.short()),
                visit.at.0,
                visit.took_ms,
                signed(visit.bytes),
                visit.status,
                outcome,
                reason,
                detail,
                page.map(|facts| facts.relevant),
                page.and_then(|_| branch(link)),
                page.map(|_| false),
            ],
        )?;
        self.count("visits", 1);
        if visit.status.is_some() {
            self.count("fetched", 1);
        }
        self.count("bytes", signed(visit.bytes));
        Ok(number)
    }

    /// Also when the visit was on its way while its address or its content was forgotten.
    fn is_forgotten(&self, visit: &Visited) -> sql::Result<bool> {
        let refused = matches!(&visit.outcome, Outcome::Refused(refused) if refused.reason == FORGOTTEN);
        let content = match &visit.outcome {
            Outcome::Media(file) => self.catalogue.bars_content(&file.id)?,
            _ => false,
        };
        Ok(refused || content || self.catalogue.bars(&visit.claim.link.url)?)
    }

    /// Counted, and its address is written nowhere.
    fn forgotten(&mut self, visit: &Visited) -> sql::Result<()> {
        self.row(visit, "", "refused", Some(FORGOTTEN), None)?;
        match visit.claim.link.kind {
            VisitKind::Media(kind) => self.count(&format!("refused/{kind}/{FORGOTTEN}"), 1),
            _ => self.count(&format!("error/{FORGOTTEN}"), 1),
        }
        if let Outcome::Refused(refused) = &visit.outcome {
            self.count("saved", signed(refused.saved));
        }
        Ok(())
    }

    /// Adds what was counted; the last thing in the transaction.
    pub fn finish(self) -> sql::Result<Written<Recorded>> {
        let mut add = self.db.prepare_cached(
            "INSERT INTO tally (crawl, run, name, count) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (crawl, run, name) DO UPDATE SET count = tally.count + excluded.count",
        )?;
        for (name, count) in self.tallies.iter().filter(|(_, count)| **count != 0) {
            add.run(params![self.crawl, self.run, name, count])?;
        }
        let counted = |name: &str| self.tallies.get(name).map_or(0, |&count| count.max(0) as u64);
        let pages = counted("pages") + counted(again::UNCHANGED_PAGES);
        let what = Recorded { pages, bytes: counted("bytes") };
        Ok(Written { what, unnamed: self.unnamed, doomed: self.catalogue.doomed > 0 })
    }

    fn count(&mut self, name: &str, by: i64) {
        *self.tallies.entry(name.to_owned()).or_default() += by;
    }
}

/// Links since the last relevant page, if there was one.
fn branch(link: &Link) -> Option<u32> {
    link.branch.from_relevant.then_some(link.branch.links)
}

fn kind_name(kind: VisitKind) -> &'static str {
    match kind {
        VisitKind::Page => "page",
        VisitKind::Media(kind) => kind.as_str(),
        VisitKind::Report => "report",
        VisitKind::Sitemap => "sitemap",
    }
}

/// Adds the files that came with a content whose row names others, or which has no row.
pub(super) fn note_unnamed(db: &Transaction<'_>, file: &MediaFile, unnamed: &mut HashSet<String>) -> sql::Result<()> {
    let named = names(db, file.id)?;
    let is_named = |path: &String| named.as_ref().is_some_and(|names| names.name(path));
    unnamed.extend(
        [Some(&file.path), file.thumbnail.as_ref()].into_iter().flatten().filter(|path| !is_named(path)).cloned(),
    );
    Ok(())
}
