//! A media file that is asked for piece by piece: its first bytes, what else decides, and the rest
//! of it only when it is kept.

use bytes::BytesMut;
use facts::Timestamp;
use fetch::{ByteRange, Request, Response};
use media::{Probe, Wants};
use store::{Claim, Refused, StoreError};

use crate::content::{Content, Contents, Trouble};
use crate::gathering::Gathering;
use crate::keep::{Called, Probing, Verdict, verdict};

/// Requests for parts that one file is worth, before all of it is asked for; honest servers need four.
const MOST_REQUESTS: u32 = 6;
/// A server that sends more than a part it was asked for is read no further than this.
const MOST_OF_A_PART: u64 = 1 << 20;

/// What is known of a file so far, and what to ask for next.
pub(crate) struct Inquiry<'c> {
    claim: &'c Claim,
    called: Called,
    probe: Probe,
    /// The length of the file, where its server says it.
    total: Option<u64>,
    /// Which version the parts are of.
    version: Option<String>,
    asks: Asks,
    /// Whether an answer is broken off when the file is not kept.
    break_off: bool,
    requests: u32,
    received: u64,
}

/// What is asked for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// The start, from what is here to this byte (excluded).
    Head(u64),
    /// So many last bytes.
    Tail(u64),
    /// Everything from what is here on.
    Rest,
    /// All of it, in one go.
    All,
}

/// Where an inquiry stands after an answer.
pub(crate) enum Step {
    /// There is more to ask for.
    Ask,
    /// It is over.
    Done(Result<Content, Trouble>),
}

impl Step {
    pub fn refuse(refused: Refused) -> Self {
        Self::Done(Ok(Content::Refused(refused)))
    }
}

impl<'c> Inquiry<'c> {
    pub fn new(claim: &'c Claim, probing: Probing) -> Self {
        let asks = if probing == Probing::Parts { Asks::Head(Probe::FIRST as u64) } else { Asks::All };
        Self {
            claim,
            called: Called::of(claim),
            probe: Probe::new(None),
            total: None,
            version: None,
            asks,
            break_off: probing != Probing::Whole,
            requests: 0,
            received: 0,
        }
    }

    /// Bytes received so far, over all requests.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The next request.
    pub fn request(&mut self, whole: Request) -> Request {
        self.requests += 1;
        let have = self.have();
        let range = match (self.asks, self.total) {
            (Asks::All, _) => return whole,
            (Asks::Head(end), _) => ByteRange::From { start: have, end: Some(end.saturating_sub(1)) },
            // Where the end is known, more servers understand it this way.
            (Asks::Tail(last), Some(total)) => {
                ByteRange::From { start: total.saturating_sub(last), end: Some(total.saturating_sub(1)) }
            }
            (Asks::Tail(last), None) => ByteRange::Last(last),
            (Asks::Rest, _) => ByteRange::From { start: have, end: None },
        };
        Request { range: Some(range), if_range: self.version.clone(), ..whole }
    }

    /// Takes an answer in, up to the last byte that is of use.
    pub async fn take(
        &mut self,
        response: &mut Response,
        contents: &Contents,
        now: Timestamp,
    ) -> Result<Step, StoreError> {
        let step = match response.status {
            206 => self.part(response, contents, now).await,
            status if self.is_of_range(status) => self.anew(),
            _ => {
                self.forget();
                self.whole(BytesMut::new(), response, contents, now).await
            }
        };
        self.received += response.received();
        match step? {
            Step::Done(Ok(Content::Refused(mut refused))) => {
                let known = self.total.or(response.body_length().filter(|_| response.status == 200));
                refused.saved = known.unwrap_or(0).saturating_sub(self.received);
                Ok(Step::Done(Ok(Content::Refused(refused))))
            }
            step => Ok(step),
        }
    }

    /// Whether an answer of this status may be about the range that was asked for, not about the file.
    pub fn is_of_range(&self, status: u16) -> bool {
        self.asks != Asks::All && matches!(status, 400 | 416 | 501)
    }

    /// The start of the file, as far as it is here.
    fn have(&self) -> u64 {
        self.probe.start().len() as u64
    }

    fn forget(&mut self) {
        self.probe = Probe::new(None);
        self.total = None;
        self.version = None;
    }

    /// Parts that do not fit together, or a server that does not give any: asked for in one go.
    fn anew(&mut self) -> Result<Step, StoreError> {
        if self.asks == Asks::All {
            let host = self.claim.link.url.host();
            let detail = format!("{host} answers with parts of a file that do not fit together");
            return Ok(Step::Done(Err(Trouble::lasting("range", detail))));
        }
        self.forget();
        self.asks = Asks::All;
        Ok(Step::Ask)
    }

    async fn part(&mut self, response: &mut Response, contents: &Contents, now: Timestamp) -> Result<Step, StoreError> {
        let Some(range) = response.content_range() else { return self.anew() };
        let changed = range.total.is_some() && self.total.is_some() && range.total != self.total;
        let fits = match (self.asks, range.total.or(self.total)) {
            (Asks::Tail(last), Some(total)) => range.start == total.saturating_sub(last) && range.ends(total),
            (Asks::Head(_) | Asks::Rest, _) => range.start == self.have(),
            (Asks::Tail(_), None) | (Asks::All, _) => false,
        };
        if changed || !fits {
            return self.anew();
        }
        self.total = range.total.or(self.total);
        if self.version.is_none() {
            self.version = response.version().map(str::to_owned);
        }
        if let Some(refused) = contents.too_large(self.total) {
            return Ok(refused);
        }
        if self.asks == Asks::Rest {
            // Whoever gives less than the rest, or does not say how much there is, is asked for all of it.
            return match self.total {
                Some(total) if range.ends(total) => self.rest(response, contents, now).await,
                _ => self.anew(),
            };
        }
        let part = match read_part(response).await {
            Ok(part) => part,
            Err(trouble) => return Ok(Step::Done(Err(trouble))),
        };
        let grown = self.take_part(range.start, &part);
        if let Some(unwanted) = contents.unwanted(self.claim, self.probe.start(), response) {
            return Ok(unwanted);
        }
        // Too little to tell what it is, though there is more.
        let unclear = self.have() < Probe::FIRST as u64 && self.total != Some(self.have());
        match verdict(&contents.rules, &self.probe, &self.called, now) {
            Verdict::Refuse(_) if unclear && grown => self.asks = Asks::Head(Probe::FIRST as u64),
            Verdict::Refuse(refused) => return Ok(Step::refuse(refused)),
            Verdict::Ask(Wants::Head(end)) if grown => self.asks = Asks::Head(end as u64),
            Verdict::Ask(Wants::Tail(last)) if grown => self.asks = Asks::Tail(last),
            // Also when a server gives less than asked for, again and again.
            _ => self.asks = Asks::Rest,
        }
        if self.requests + 1 >= MOST_REQUESTS {
            self.asks = Asks::Rest;
        }
        if self.total == Some(self.have()) {
            return self.complete(contents, now).await;
        }
        Ok(Step::Ask)
    }

    /// Adds a part; whether anything was new.
    fn take_part(&mut self, start: u64, part: &[u8]) -> bool {
        let before = self.have();
        if let Asks::Tail(_) = self.asks {
            self.probe.tail(start, part);
            return !part.is_empty();
        }
        if before == 0 {
            self.probe = Probe::new(self.total);
        }
        self.probe.head(part);
        self.have() > before
    }

    /// The file was so short that its first bytes are all of it.
    async fn complete(&mut self, contents: &Contents, now: Timestamp) -> Result<Step, StoreError> {
        let mut gathering = contents.gathering(self.claim, self.total);
        gathering.push(self.probe.start()).await?;
        self.settle(gathering, contents, now).await
    }

    /// The rest of a file that is kept, after what is here of it.
    async fn rest(&mut self, response: &mut Response, contents: &Contents, now: Timestamp) -> Result<Step, StoreError> {
        let mut gathering = contents.gathering(self.claim, self.total);
        gathering.push(self.probe.start()).await?;
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => gathering.push(&chunk).await?,
                Ok(None) => break,
                Err(error) => return Ok(Step::Done(Err(error.into()))),
            }
            if let Some(refused) = contents.too_large(Some(gathering.size())) {
                return Ok(refused);
            }
        }
        if self.total.is_some_and(|total| total != gathering.size()) {
            let detail = format!("{} sent less than it announced", self.claim.link.url.host());
            let passing = Trouble { reason: "cut-short".into(), detail, passing: true };
            return Ok(Step::Done(Err(passing)));
        }
        self.settle(gathering, contents, now).await
    }

    /// A file that comes in one go, judged as soon as there is enough of it.
    pub async fn whole(
        &mut self,
        head: BytesMut,
        response: &mut Response,
        contents: &Contents,
        now: Timestamp,
    ) -> Result<Step, StoreError> {
        self.total = response.body_length();
        if let Some(refused) = contents.too_large(self.total) {
            return Ok(refused);
        }
        self.probe = Probe::new(self.total);
        let mut gathering = contents.gathering(self.claim, self.total);
        // From which length on the file can be judged; nothing once that is done, or must wait for the end.
        let mut judge_at = Some(if self.break_off { Probe::FIRST } else { usize::MAX });
        let mut chunk = head.freeze();
        loop {
            self.probe.head(&chunk);
            gathering.push(&chunk).await?;
            if judge_at.is_some_and(|enough| self.probe.start().len() >= enough) {
                if let Some(unwanted) = contents.unwanted(self.claim, self.probe.start(), response) {
                    return Ok(unwanted);
                }
                judge_at = match verdict(&contents.rules, &self.probe, &self.called, now) {
                    Verdict::Refuse(refused) => return Ok(Step::refuse(refused)),
                    Verdict::Ask(Wants::Head(end)) => Some(end),
                    _ => None,
                };
            }
            if let Some(refused) = contents.too_large(Some(gathering.size())) {
                return Ok(refused);
            }
            chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(error) => return Ok(Step::Done(Err(error.into()))),
            };
        }
        if judge_at.is_some()
            && let Some(unwanted) = contents.unwanted(self.claim, self.probe.start(), response)
        {
            return Ok(unwanted);
        }
        self.total = Some(gathering.size());
        self.settle(gathering, contents, now).await
    }

    async fn settle(&self, gathering: Gathering, contents: &Contents, now: Timestamp) -> Result<Step, StoreError> {
        let content = contents.settle(self.claim, &self.called, gathering.finish().await?, now).await?;
        Ok(Step::Done(Ok(content)))
    }
}

async fn read_part(response: &mut Response) -> Result<BytesMut, Trouble> {
    let mut part = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        part.extend_from_slice(&chunk);
        if part.len() as u64 > MOST_OF_A_PART {
            break;
        }
    }
    Ok(part)
}
