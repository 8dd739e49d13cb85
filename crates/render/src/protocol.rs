//! The DevTools protocol over a pair of pipes: JSON, a NUL after each message.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::mpsc as threads;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// Bytes of one message from the browser.
const LONGEST: usize = 64 << 20;
/// Events of one tab that wait to be looked at; a page that makes more at once is given up.
const EVENTS: usize = 2_048;

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The browser is gone.
    #[error("the browser has ended")]
    Gone,
    /// No answer within the time.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// The browser says no.
    #[error("{0}")]
    Refused(String),
}

/// Something that happened in a tab, or in the browser itself.
#[derive(Debug)]
pub(crate) struct Event {
    pub method: String,
    pub params: Value,
}

/// Both directions of a conversation with one browser.
pub(crate) struct Line {
    out: threads::Sender<Vec<u8>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Value, Fault>>>,
    /// Who listens, by session; the browser itself has none.
    ears: HashMap<String, mpsc::Sender<Event>>,
    over: bool,
}

#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
    #[serde(default, rename = "sessionId")]
    session: String,
    result: Option<Value>,
    error: Option<Complaint>,
}

#[derive(Deserialize)]
struct Complaint {
    #[serde(default)]
    message: String,
}

impl Line {
    /// Speaks through these pipes, each on a thread of its own, until one of them ends.
    pub fn open(mut to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Arc<Self> {
        let (line, waiting) = Self::new();
        thread::spawn(move || {
            for message in waiting {
                if to.write_all(&message).and_then(|()| to.flush()).is_err() {
                    return;
                }
            }
        });
        let ear = Arc::clone(&line);
        thread::spawn(move || {
            listen(from, |message| ear.take(message));
            ear.end();
        });
        line
    }

    /// With what is said through it.
    pub fn new() -> (Arc<Self>, threads::Receiver<Vec<u8>>) {
        let (out, said) = threads::channel();
        (Arc::new(Self { out, state: Mutex::default() }), said)
    }

    /// One that nobody listens to at the other end.
    pub fn unheard() -> Arc<Self> {
        Self::new().0
    }

    /// Takes what a browser said from its first word to its last.
    pub fn replay(&self, said: &[u8]) {
        listen(said, |message| self.take(message));
        self.end();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the browser can still be spoken to.
    pub fn is_open(&self) -> bool {
        !self.state().over
    }

    /// Calls a method and waits for its result.
    pub async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Result<Value, Fault> {
        let (sender, answer) = oneshot::channel();
        let id = self.say(session, method, params, Some(sender))?;
        match tokio::time::timeout(patience, answer).await {
            Ok(answer) => answer.unwrap_or(Err(Fault::Gone)),
            Err(_) => {
                self.state().waiting.remove(&id);
                Err(Fault::Late(patience))
            }
        }
    }

    /// Calls a method whose result does not matter.
    pub fn tell(&self, session: Option<&str>, method: &str, params: Value) {
        let _ = self.say(session, method, params, None);
    }

    fn say(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        answer: Option<oneshot::Sender<Result<Value, Fault>>>,
    ) -> Result<u64, Fault> {
        let mut state = self.state();
        if state.over {
            return Err(Fault::Gone);
        }
        state.next += 1;
        let id = state.next;
        if let Some(answer) = answer {
            state.waiting.insert(id, answer);
        }
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let (Some(session), Value::Object(message)) = (session, &mut message) {
            message.insert("sessionId".into(), session.into());
        }
        let mut bytes = serde_json::to_vec(&message).unwrap_or_default();
        bytes.push(0);
        self.out.send(bytes).map_err(|_| Fault::Gone)?;
        Ok(id)
    }

    /// Events of a session from now on; of the browser itself without one.
    pub fn listen(&self, session: &str) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(EVENTS);
        let mut state = self.state();
        if !state.over {
            state.ears.insert(session.to_owned(), sender);
        }
        receiver
    }

    /// Nobody listens to this session any more.
    pub fn forget(&self, session: &str) {
        self.state().ears.remove(session);
    }

    /// Takes a message of the browser.
    pub fn take(&self, message: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Message>(message) else { return };
        let mut state = self.state();
        let Some(id) = message.id else {
            let Some(ear) = state.ears.get(&message.session) else { return };
            // A page that makes more events than can be looked at is not listened to any more.
            if ear.try_send(Event { method: message.method, params: message.params }).is_err() {
                state.ears.remove(&message.session);
            }
            return;
        };
        if let Some(waiting) = state.waiting.remove(&id) {
            let _ = waiting.send(match message.error {
                Some(complaint) => Err(Fault::Refused(complaint.message)),
                None => Ok(message.result.unwrap_or_default()),
            });
        }
    }

    /// The browser says no more.
    pub fn end(&self) {
        let mut state = self.state();
        state.over = true;
        state.ears.clear();
        state.waiting.clear();
    }
}

/// Hands on each message, until the pipe ends or something longer than a message comes.
fn listen(mut from: impl Read, mut each: impl FnMut(&[u8])) {
    let mut buffer = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut rest = piece.get(..read).unwrap_or_default();
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (message, after) = rest.split_at(end);
            if buffer.is_empty() {
                each(message);
            } else {
                buffer.extend_from_slice(message);
                each(&buffer);
                buffer.clear();
            }
            rest = after.get(1..).unwrap_or_default();
        }
        buffer.extend_from_slice(rest);
        if buffer.len() > LONGEST {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_however_they_are_cut() {
        struct Cut(Vec<u8>, usize);
        impl Read for Cut {
            fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
                let n = self.1.min(self.0.len()).min(into.len());
                into[..n].copy_from_slice(&self.0[..n]);
                self.0.drain(..n);
                Ok(n)
            }
        }
        for size in 1..12 {
            let mut got = Vec::new();
            listen(Cut(b"one\0two\0\0three\0cut".to_vec(), size), |m| {
                got.push(String::from_utf8_lossy(m).into_owned())
            });
            assert_eq!(got, ["one", "two", "", "three"], "in pieces of {size}");
        }
    }

    #[tokio::test]
    async fn calls_end_when_the_browser_does() {
        let (reader, writer) = std::io::pipe().unwrap();
        let line = Line::open(std::io::sink(), reader);
        let call = line.call(None, "Browser.getVersion", json!({}), Duration::from_secs(10));
        drop(writer);
        assert_eq!(call.await, Err(Fault::Gone));
        assert_eq!(line.call(None, "x", json!({}), Duration::from_secs(10)).await, Err(Fault::Gone));
        assert!(!line.is_open());
    }
}
