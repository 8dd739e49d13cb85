//! Visits of reports and sitemaps.

use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::Timestamp;
use fetch::{Accept, Answer, FetchError, Request, Response, Robots};
use report::Sitemap;
use store::{ABSENT, Budgets, Claim, Earlier, FLAGGED, ReportFacts, StoreError};

use crate::content::{Content, Trouble};
use crate::gathering::on_disk;
use crate::origin::{Rules, no_sooner};
use crate::reading::{Read, Reading};
use crate::sites::sitemap_links;
use crate::steps::Work;
use crate::visit::{Found, NOT_MODIFIED, Visitor, lost, validators};

/// Requests that one report is worth, and how long it may take: its host is asked for nothing else.
const MOST_REQUESTS: usize = 2_000;
const LONGEST: Duration = Duration::from_secs(3_600);
/// Bytes of a sitemap.
const LARGEST_MAP: u64 = 16 << 20;

impl Visitor {
    /// The report of a site, in as many requests as it has pages, each after the delay its host asks
    /// for. A site without one is asked for its sitemap.
    pub(crate) async fn get_report(
        &self,
        claim: &Claim,
        earlier: Option<&Earlier>,
        rules: &Arc<Rules<Robots>>,
        delay: Option<Duration>,
    ) -> Result<Found, StoreError> {
        let frontier = self.store.frontier();
        let begun = Instant::now();
        let token = earlier.and_then(|earlier| earlier.version.etag.clone());
        let mut reading = Reading::new(claim.link.url.clone(), token.clone());
        let mut received = 0;
        for _ in 0..MOST_REQUESTS {
            if begun.elapsed() > LONGEST {
                break;
            }
            let desk = self.sites.desks.acquire().await;
            let line = self.lines.acquire().await;
            let asked = self.ask_for_report(claim, rules, &mut reading, token.clone(), &mut received);
            match self.holds.asking(&claim.link.url.host(), claim.taking, asked).await {
                Some(Ok(None)) => {}
                Some(Ok(Some(found))) => return Ok(found),
                Some(Err(error)) => return Err(error),
                None => return Ok(lost(claim, received)),
            }
            let now = frontier.now().await?;
            let until = no_sooner(now, self.manners.rest(now, delay, 0, &Answer::Fine).until);
            // While it waits, others may read theirs.
            drop((line, desk));
            let _timed = self.guide.steps.time(Work::Waiting);
            let _resting = self.rests.begin();
            tokio::time::sleep(until.since(now)).await;
        }
        let minutes = LONGEST.as_secs() / 60;
        let detail = format!("the report is too large: more than {MOST_REQUESTS} pages, or {minutes} minutes");
        Ok(Found::refused(Trouble::lasting("report-too-large", detail), received))
    }

    /// One request for a report; nothing when there is another to make.
    async fn ask_for_report(
        &self,
        claim: &Claim,
        rules: &Arc<Rules<Robots>>,
        reading: &mut Reading,
        token: Option<String>,
        received: &mut u64,
    ) -> Result<Option<Found>, StoreError> {
        let _timed = self.guide.steps.time(Work::FetchingPages);
        let limit = report::LONGEST as u64 + 1;
        let request = Request { limit, ..Request::new(reading.address().clone(), Accept::Text) };
        let mut response = match self.fetcher.send(request).await {
            Ok(response) => response,
            Err(FetchError::TooLarge { .. }) => return Ok(Some(Found::refused(too_large(), *received))),
            Err(error) => return Found::failed(error, *received).map(Some),
        };
        let now = self.store.frontier().now().await?;
        let status = response.status;
        let result = match self.not_content(claim, &response) {
            Some(_) if matches!(status, 404 | 410) && reading.has_begun() => match reading.again() {
                true => None,
                false => Some(Err(expired())),
            },
            // There is none, or not for us.
            Some(Err(trouble)) if !trouble.passing => {
                let detail = format!("{} answered {status}", claim.link.url.host());
                let facts = ReportFacts { token: None, reason: Some(ABSENT), detail };
                Some(Ok(Content::Report(facts, sitemap_links(claim, &rules.says))))
            }
            Some(result) => Some(result),
            None => match body(&mut response).await {
                Ok(body) => self.take_report(claim, rules, reading, body, (now, token)).await?,
                Err(FetchError::TooLarge { .. }) => Some(Err(too_large())),
                Err(error) => Some(Err(error.into())),
            },
        };
        *received += response.received();
        match result {
            Some(result) => Ok(Some(self.found(response, *received, result, now).await)),
            None => {
                response.discard().await;
                Ok(None)
            }
        }
    }

    /// Takes one page of a report in; nothing when there is another to ask for.
    async fn take_report(
        &self,
        claim: &Claim,
        rules: &Arc<Rules<Robots>>,
        reading: &mut Reading,
        body: Vec<u8>,
        (now, token): (Timestamp, Option<String>),
    ) -> Result<Option<Result<Content, Trouble>>, StoreError> {
        // A list that the site made is no trap, however alike its addresses are.
        let budgets = Budgets { per_template: u64::MAX, ..self.settings.budgets.into() };
        let at = reading.address().clone();
        let page = on_disk(move || Ok(report::read(&body, &at, now))).await?;
        Ok(match page.and_then(|page| reading.take(page, self.sites.may_be_ours(claim))) {
            Ok(Read::Again) => None,
            Ok(Read::More(page)) => {
                let links = self.sites.listed(claim, page, rules, &self.guide, now).await?;
                reading.to_visit += links.len() as u64;
                self.sites.queue(links, budgets).await?;
                None
            }
            Ok(Read::Last(page)) => {
                let token = Some(page.token.clone());
                let links = self.sites.listed(claim, page, rules, &self.guide, now).await?;
                reading.to_visit += links.len() as u64;
                self.sites.queue(links, budgets).await?;
                // All of it is queued: from now on what changed later is enough.
                let detail = format!("{} listed, {} to visit", reading.came(), reading.to_visit);
                Some(Ok(Content::Report(ReportFacts { token, reason: None, detail }, Vec::new())))
            }
            Ok(Read::Taken) => {
                let detail = "another crawler has taken it: nothing is visited until something changes".into();
                Some(Ok(Content::Report(ReportFacts { token, reason: Some(FLAGGED), detail }, Vec::new())))
            }
            Err(refused) => {
                let reason = format!("report-{}", refused.reason());
                Some(Err(Trouble { reason, detail: refused.to_string(), passing: false }))
            }
        })
    }

    /// A sitemap in one request.
    pub(crate) async fn get_sitemap(
        &self,
        claim: &Claim,
        earlier: Option<&Earlier>,
        rules: &Arc<Rules<Robots>>,
    ) -> Result<Found, StoreError> {
        let _desk = self.sites.desks.acquire().await;
        let _line = self.lines.acquire().await;
        let asked = self.ask_for_sitemap(claim, earlier, rules);
        self.holds.asking(&claim.link.url.host(), claim.taking, asked).await.unwrap_or_else(|| Ok(lost(claim, 0)))
    }

    async fn ask_for_sitemap(
        &self,
        claim: &Claim,
        earlier: Option<&Earlier>,
        rules: &Arc<Rules<Robots>>,
    ) -> Result<Found, StoreError> {
        let _timed = self.guide.steps.time(Work::FetchingPages);
        let validators = earlier.and_then(validators);
        let asks_for_change = validators.is_some();
        let url = claim.link.url.clone();
        let request = Request { validators, limit: LARGEST_MAP, ..Request::new(url.clone(), Accept::Text) };
        let mut response = match self.fetcher.send(request).await {
            Ok(response) => response,
            Err(error) => return Found::failed(error, 0),
        };
        let now = self.store.frontier().now().await?;
        let absent =
            |detail: String| Ok(Content::Report(ReportFacts { token: None, reason: Some(ABSENT), detail }, Vec::new()));
        let result = match self.not_content(claim, &response) {
            _ if asks_for_change && response.status == NOT_MODIFIED => Ok(Content::Unchanged),
            Some(Err(trouble)) if !trouble.passing => absent(trouble.detail),
            Some(result) => result,
            None => match body(&mut response).await {
                Ok(body) => match on_disk(move || Ok(Sitemap::read(&body, &url))).await? {
                    Some(sitemap) => {
                        let (facts, links) = self.sites.mapped(claim, sitemap, rules, &self.guide).await?;
                        Ok(Content::Report(facts, links))
                    }
                    None => absent("what is there is no sitemap".into()),
                },
                Err(error) => Err(error.into()),
            },
        };
        let bytes = response.received();
        Ok(self.found(response, bytes, result, now).await)
    }
}

fn too_large() -> Trouble {
    let detail = format!("the report is too large: more than {} bytes", report::LONGEST);
    Trouble::lasting("report-too-large", detail)
}

/// The site changes faster than its list is read: it may go better next time.
fn expired() -> Trouble {
    let detail = "the list of the report was not kept until it was read".into();
    Trouble { reason: "report-expired".into(), detail, passing: true }
}

async fn body(response: &mut Response) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
