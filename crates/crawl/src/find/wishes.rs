//! What those who look at a find want of it: thumbnails, and pictures to keep; while it runs and after.

use std::sync::Arc;
use std::time::{Duration, Instant};

use facts::Url;
use tokio::sync::oneshot;

use super::Order;
use super::board::Thumbnail;
use super::engine::Engine;
use super::flight::{FetchTask, Kept, Task, Why};
use super::hosts::Line;
use super::keep::{Fetched, PageToKeep};

/// How long keeping pictures may take: each of one host waits for those before it.
const KEEPING: Duration = Duration::from_secs(50);

impl Engine {
    pub(super) fn fetch_small(&mut self, id: u32) {
        let Some(picture) = self.board().picture_of(id) else {
            if let Some(thumbnail) = self.board().thumbnail(id) {
                *thumbnail = Thumbnail::Unasked;
            }
            for waiting in self.waiting.remove(&id).unwrap_or_default() {
                let _ = waiting.send(None);
            }
            return;
        };
        let (url, instead) = match picture.preview {
            Some(preview) => (preview, Some(picture.url)),
            None => (picture.url, None),
        };
        self.small += 1;
        let task = FetchTask { id, url, page: picture.page, why: Why::Thumbnail { instead }, hops: 0 };
        self.wait(Task::Fetch(task), Line::First);
    }

    /// A thumbnail is here, or cannot be had.
    pub(super) fn shown(&mut self, task: FetchTask, small: Option<Arc<[u8]>>) {
        let FetchTask { id, page, why, .. } = task;
        self.small = self.small.saturating_sub(1);
        if small.is_none()
            && let Why::Thumbnail { instead: Some(url) } = why
        {
            self.small += 1;
            let task = FetchTask { id, url, page, why: Why::Thumbnail { instead: None }, hops: 0 };
            self.wait(Task::Fetch(task), Line::First);
            return;
        }
        self.seen += usize::from(small.is_some());
        {
            let mut board = self.shared.board();
            if small.is_some() && board.progress.first_thumbnail.is_none() {
                board.progress.first_thumbnail = Some(self.started.elapsed().as_secs_f64());
            }
            if let Some(thumbnail) = board.thumbnail(id) {
                *thumbnail = match &small {
                    Some(small) => Thumbnail::Here(Arc::clone(small)),
                    None => Thumbnail::Never,
                };
            }
        }
        for waiting in self.waiting.remove(&id).unwrap_or_default() {
            let _ = waiting.send(small.clone());
        }
    }

    /// Someone who looks at what was found wants something.
    pub(super) fn order(&mut self, order: Order) {
        match order {
            Order::Thumbnail(id, waiting) => {
                let asks = {
                    let mut board = self.shared.board();
                    match board.thumbnail(id) {
                        Some(Thumbnail::Here(small)) => {
                            let _ = waiting.send(Some(Arc::clone(small)));
                            return;
                        }
                        None | Some(Thumbnail::Never) => {
                            let _ = waiting.send(None);
                            return;
                        }
                        Some(thumbnail @ Thumbnail::Unasked) => {
                            *thumbnail = Thumbnail::Asked;
                            true
                        }
                        Some(Thumbnail::Asked) => false,
                    }
                };
                self.waiting.entry(id).or_default().push(waiting);
                if asks {
                    self.fetch_small(id);
                }
            }
            Order::Keep(ids, reply) => self.keep(ids, reply),
        }
    }

    /// Fetches pictures in full and writes them to the library.
    fn keep(&mut self, ids: Vec<u32>, reply: oneshot::Sender<Vec<(u32, Result<facts::MediaId, String>)>>) {
        let mut waiting: Vec<(u32, Url, oneshot::Receiver<Kept>)> = Vec::new();
        let mut done = Vec::new();
        for id in ids {
            let Some(picture) = self.board().picture_of(id) else {
                done.push((id, Err("there is no picture of this number".to_owned())));
                continue;
            };
            if let Some(item) = picture.kept {
                done.push((id, Ok(item)));
                continue;
            }
            let (sender, receiver) = oneshot::channel();
            let why = Why::Keep { alt: picture.alt, waiting: sender };
            let task = FetchTask { id, url: picture.url.clone(), page: picture.page, why, hops: 0 };
            waiting.push((id, picture.url, receiver));
            self.wait(Task::Fetch(task), Line::First);
        }
        let (shared, keeper) = (Arc::clone(&self.shared), self.keeper.clone());
        tokio::spawn(async move {
            let mut fetched = Vec::new();
            let until = tokio::time::Instant::now() + KEEPING;
            for (id, url, receiver) in waiting {
                match tokio::time::timeout_at(until, receiver).await {
                    Ok(Ok(Ok(file))) => {
                        let page = shared.board().shower_of(id).map(|shower| PageToKeep::of(shower));
                        fetched.extend(page.map(|page| Fetched { id, url, file: *file, page }));
                    }
                    Ok(Ok(Err(why))) => done.push((id, Err(why))),
                    Ok(Err(_)) => done.push((id, Err("the find was ended before it was there".to_owned()))),
                    Err(_) => done.push((id, Err(format!("it was not there within {} s", KEEPING.as_secs())))),
                }
            }
            let items: Vec<(u32, Url, facts::MediaId)> =
                fetched.iter().map(|one| (one.id, one.url.clone(), one.file.id)).collect();
            let written = match (&keeper, fetched.is_empty()) {
                (_, true) => Ok(()),
                (Some(keeper), false) => keeper.write(fetched).await.map_err(|error| error.to_string()),
                (None, false) => Err("there is no library to keep it in".to_owned()),
            };
            for (id, url, item) in items {
                if written.is_ok() {
                    let mut board = shared.board();
                    board.kept(id, item);
                    if let Some(shower) = board.shower_of(id) {
                        shower.kept.push(url.id());
                    }
                }
                done.push((id, written.clone().map(|()| item)));
            }
            shared.changed();
            let _ = reply.send(done);
        });
    }

    /// After the end: thumbnails and pictures that are kept, as politely as before.
    pub(super) async fn linger(mut self) {
        loop {
            while self.air.len() < self.shared.settings.concurrency
                && let Some((host, line, task)) = self.hosts.take(Instant::now())
            {
                // Only what someone waits for is still asked for.
                match task {
                    Task::Fetch(_) | Task::File { .. } => self.start(host, line, task),
                    Task::Page(_) | Task::Look(_) => self.hosts.release(&host, Instant::now()),
                }
            }
            let next = self.hosts.next();
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => self.order(order),
                    None => return,
                },
                Some(landed) = self.air.join_next(), if !self.air.is_empty() => {
                    if let Ok(landed) = landed {
                        self.landed(landed);
                    }
                }
                () = tokio::time::sleep_until(next.unwrap_or_else(Instant::now).into()), if next.is_some() => {}
            }
        }
    }
}
