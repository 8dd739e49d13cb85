//! The page that others are to be like (`related:`), read before anything else is asked, as politely as the rest.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use facts::{HostName, Origin, Url};
use fetch::Robots;
use page::Page;
use store::OriginFile;

use super::asked::Likeness;
use super::flight::{Done, Flights, HOPS, PageTask, Said, Task, Trouble};
use super::hosts::{Line, Manner};

/// A page that others are to be like.
pub(super) struct Model {
    pub page: Page,
    pub like: Likeness,
    /// What its sites allow, and until when they rest.
    pub robots: HashMap<Origin, Robots>,
    pub rests: HashMap<HostName, Instant>,
}

/// What is known on the way to the page.
struct Way<'f> {
    flights: &'f Flights,
    robots: HashMap<Origin, Robots>,
    rests: HashMap<HostName, Instant>,
}

impl Model {
    /// Reads the page at this address, wherever it leads to.
    pub async fn read(flights: &Flights, url: &Url) -> Result<Self, String> {
        let mut way = Way { flights, robots: HashMap::new(), rests: HashMap::new() };
        let mut at = url.clone();
        for _ in 0..=HOPS {
            if !way.robots_of(&at.origin()).await?.allows(&at) {
                return Err(format!("the robots.txt of {} does not allow it", at.host()));
            }
            let base: Arc<[f32]> = Arc::new([]);
            let task = PageTask { url: at.clone(), referer: None, base, site: None, named: Vec::new(), hops: 0 };
            match way.ask(Task::Page(task)).await {
                Done::Moved(_, target) => at = target,
                Done::Page(task, Ok(body)) => {
                    let kind = body.content_type.as_deref();
                    let page = page::read(&body.bytes, kind, &task.url, &page::Limits::default());
                    let like = Likeness::of(page.words());
                    return Ok(Self { page, like, robots: way.robots, rests: way.rests });
                }
                Done::Page(task, Err(Trouble(reason))) => return Err(format!("{}: {reason}", task.url.host())),
                _ => return Err(format!("{} gave no page", at.host())),
            }
        }
        Err(format!("{} leads in circles", url.host()))
    }
}

impl Way<'_> {
    async fn robots_of(&mut self, origin: &Origin) -> Result<Robots, String> {
        if let Some(known) = self.robots.get(origin) {
            return Ok(known.clone());
        }
        let mut at = origin.at("/robots.txt");
        for hops in 0..=HOPS {
            let task = Task::File { origin: origin.clone(), file: OriginFile::Robots, at: at.clone(), hops };
            match self.ask(task).await {
                Done::File { said: Said::Robots(robots) | Said::Failed(robots, _), .. } => {
                    self.robots.insert(origin.clone(), robots.clone());
                    return Ok(robots);
                }
                Done::File { said: Said::Moved(target), .. } => at = target,
                _ => break,
            }
        }
        // A chain that does not end is "unavailable", which allows everything (RFC 9309 §2.3.1.2).
        Ok(Robots::from_answer(Some(404), &[], ""))
    }

    /// Makes a request when its host may be asked.
    async fn ask(&mut self, mut task: Task) -> Done {
        let host = task.url().host();
        let delay = self.robots.iter().filter(|(origin, _)| *origin.host() == host);
        let manner = Manner { delay: delay.filter_map(|(_, robots)| robots.crawl_delay()).max(), failures: 0 };
        loop {
            if let Some(until) = self.rests.get(&host) {
                tokio::time::sleep_until((*until).into()).await;
            }
            let landed = self.flights.fly(host.clone(), manner, Line::First, task).await;
            match landed.done {
                Done::Later(_, again, wait) => {
                    self.rests.insert(host.clone(), Instant::now() + wait);
                    task = again;
                }
                done => {
                    if landed.answer.is_some() {
                        let delay = manner.delay.unwrap_or_default().max(self.flights.manners.delay);
                        self.rests.insert(host, Instant::now() + delay);
                    }
                    return done;
                }
            }
        }
    }
}
