//! Reading a report page by page. Only one page is in memory at a time, however long the list is.

use facts::Url;
use report::{Refused, Report};

/// A report that is asked for page by page.
pub(crate) struct Reading {
    base: Url,
    at: Url,
    since: Option<String>,
    /// Whether the next request takes the report.
    claims: bool,
    anew: bool,
    list: Option<List>,
    /// Pages that it is worth visiting, so far.
    pub to_visit: u64,
}

/// The list that is read.
struct List {
    token: String,
    total: u64,
    came: u64,
}

/// Where the reading of a report stands.
#[derive(Debug, PartialEq)]
pub(crate) enum Read {
    /// A page of it; there is another to ask for.
    More(Box<Report>),
    /// Its last page.
    Last(Box<Report>),
    /// It begins again: what came so far is of a list that is not kept any more.
    Again,
    /// Another crawler has it.
    Taken,
}

impl Reading {
    pub fn new(base: Url, since: Option<String>) -> Self {
        let at = base.clone();
        let mut reading = Self { at, base, since, claims: true, anew: false, list: None, to_visit: 0 };
        reading.begin();
        reading
    }

    fn begin(&mut self) {
        let mut address = self.base.as_str().to_owned();
        let ask = |address: &mut String, pair: &str| {
            address.push(if address.contains('?') { '&' } else { '?' });
            address.push_str(pair);
        };
        if self.claims {
            ask(&mut address, "claim=1");
        }
        if let Some(since) = &self.since {
            ask(&mut address, &format!("since={since}"));
        }
        self.at = Url::parse(&address).unwrap_or_else(|_| self.base.clone());
        (self.list, self.to_visit) = (None, 0);
    }

    /// What to ask for next.
    pub fn address(&self) -> &Url {
        &self.at
    }

    /// Begins again, without taking the report a second time; `false` when that was done before.
    pub fn again(&mut self) -> bool {
        if self.anew {
            return false;
        }
        (self.anew, self.claims) = (true, false);
        self.begin();
        true
    }

    /// Whether some of it came: then a page that is missing is of a list that is not kept any more.
    pub fn has_begun(&self) -> bool {
        self.anew || self.list.is_some()
    }

    /// Entries that came so far.
    pub fn came(&self) -> u64 {
        self.list.as_ref().map_or(0, |list| list.came)
    }

    /// Takes one page of it in.
    pub fn take(&mut self, page: Report, may_be_ours: bool) -> Result<Read, Refused> {
        if self.list.is_none() && self.claims && page.flag == 1 {
            // Our own claim may have been answered to nobody; looking without a claim is open to all.
            return Ok(if may_be_ours && self.again() { Read::Again } else { Read::Taken });
        }
        let list = self.list.get_or_insert_with(|| List { token: page.token.clone(), total: page.total, came: 0 });
        if page.token != list.token || page.total != list.total {
            // A report that is a file may be written while it is read.
            return match self.again() {
                true => Ok(Read::Again),
                false => Err(Refused::Lie("its pages are of different lists".into())),
            };
        }
        list.came += page.pages.len() as u64;
        if list.came > list.total {
            return Err(Refused::Lie(format!("{} entries, and {} in all", list.came, list.total)));
        }
        match page.next.as_ref().and_then(|next| self.at.join(next).ok()) {
            Some(_) if page.pages.is_empty() => Err(Refused::Lie("a page without entries leads to another".into())),
            Some(next) => {
                self.at = next;
                Ok(Read::More(Box::new(page)))
            }
            None => Ok(Read::Last(Box::new(page))),
        }
    }
}

#[cfg(test)]
mod tests {
    use facts::Timestamp;
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_772_370_000_000);

    fn base() -> Url {
        Url::parse("https://example.org/.well-known/bowerbird-watcher.json").unwrap()
    }

    /// A page of a report with these entries, and perhaps a next one.
    fn page(token: &str, total: u64, entries: std::ops::Range<u64>, next: Option<&str>) -> Report {
        let entry = |number: u64| {
            json!({ "url": format!("https://example.org/{number}"), "change": "new", "at": "2026-03-01T11:00:00Z",
                    "updates": 0, "level": 0.5, "rank": 0.5 })
        };
        let page = json!({ "version": 1, "site": "https://example.org/", "flag": 0, "made": "2026-03-01T12:00:00Z",
            "token": token, "total": total, "next": next, "pages": entries.map(entry).collect::<Vec<_>>() });
        report::read(&serde_json::to_vec(&page).unwrap(), &base(), NOW).unwrap()
    }

    #[test]
    fn a_list_of_any_length_is_read_to_its_end_page_by_page() {
        let mut reading = Reading::new(base(), None);
        let (total, each) = (300_000, 10_000);
        for from in (0..total).step_by(each as usize) {
            let next = format!("?after=1-{}", from + each);
            let last = from + each == total;
            let read = reading.take(page("a.1", total, from..from + each, (!last).then_some(&next)), false);
            match read.unwrap() {
                Read::More(page) => assert!(!last && page.pages.len() == each as usize),
                Read::Last(page) => assert!(last && page.token == "a.1"),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(reading.came(), total);
    }

    #[test]
    fn a_report_that_is_written_anew_while_it_is_read_is_begun_again_once() {
        let mut reading = Reading::new(base(), Some("a.0".into()));
        assert!(reading.address().as_str().ends_with("?claim=1&since=a.0"));
        assert!(matches!(reading.take(page("a.1", 2, 0..1, Some("?p=2")), false), Ok(Read::More(_))));
        assert_eq!(reading.take(page("a.2", 2, 1..2, None), false), Ok(Read::Again));
        // Who has taken it needs not do so again.
        assert!(reading.address().as_str().ends_with(".json?since=a.0"));
        assert!(matches!(reading.take(page("a.2", 2, 0..1, Some("?p=2")), false), Ok(Read::More(_))));
        let refused = reading.take(page("a.3", 2, 1..2, None), false).unwrap_err();
        assert_eq!(refused.reason(), "lie");
    }

    #[test]
    fn pages_without_entries_lead_nowhere() {
        let mut reading = Reading::new(base(), None);
        assert!(matches!(reading.take(page("a.1", 0, 0..0, None), false), Ok(Read::Last(_))));
        let mut reading = Reading::new(base(), None);
        let refused = reading.take(page("a.1", 9, 0..0, Some("?p=2")), false).unwrap_err();
        assert_eq!(refused.reason(), "lie");
        // Nor do more entries come than were said.
        let mut reading = Reading::new(base(), None);
        assert!(matches!(reading.take(page("a.1", 2, 0..2, Some("?p=2")), false), Ok(Read::More(_))));
        assert_eq!(reading.take(page("a.1", 2, 2..3, None), false).unwrap_err().reason(), "lie");
    }
}
