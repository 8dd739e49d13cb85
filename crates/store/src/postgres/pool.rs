//! Connections to a shared database, and patience with it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::Config;
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;

use super::schema;
use crate::sql::{self, Connection, Session};
use crate::{PoolFigures, StoreError};

/// Connections that a process uses at once, and keeps open between questions. Servers have few to give, and many
/// processes share them. No bound: whoever has one may need another to go on, as who removes a file asks whether a
/// row names it, and would wait for itself.
const MOST: usize = 12;

/// How long one of them is waited for before there is one more: whoever has one may want another to go on.
const TURN: Duration = Duration::from_secs(2);

/// Where the server of this machine is, when no host is named.
const SOCKETS: &str = "/var/run/postgresql";

/// How long a server that went away is waited for.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// How often it is looked for, at first and later.
const LOOKS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// How often what two did at once, and could not both do, is tried again.
const TRIES: usize = 8;

/// When either side of a silent connection asks whether the other is still there, how often then, and how often in
/// vain. A machine that vanished says no farewell, and the system alone would wait two hours for one.
const SILENCE: Duration = Duration::from_secs(15);
const ASKS_EVERY: Duration = Duration::from_secs(5);
const ASKS: u32 = 3;

/// How long what was sent may stay without a sign that it came.
const UNHEARD: Duration = Duration::from_secs(30);

/// How long one who changes something may say nothing in the middle of it, at least: it holds what others wait for.
/// Between two statements lie moments of work, seconds on a machine that is short of everything.
const PAUSE: Duration = Duration::from_secs(10);

/// Connections to one database.
pub(crate) struct Pool {
    config: Config,
    label: PathBuf,
    /// How long one who changes something may say nothing.
    pause: Duration,
    open: Mutex<Open>,
    returned: Condvar,
}

/// Connections that are open.
#[derive(Default)]
struct Open {
    idle: Vec<Connection>,
    used: usize,
    /// Those who wait for one.
    waiting: usize,
}

/// A connection in use.
struct Lent<'p> {
    pool: &'p Pool,
    db: Option<Connection>,
}

impl Pool {
    /// Connects, and makes the tables or brings them up to date. A server that is away is waited for, for so
    /// long. Who is taken for dead after `lease` may stop in the middle of a change for twice as long, then the
    /// change is undone. Blocking.
    pub fn open(url: &str, patience: Duration, lease: Duration) -> Result<Self, StoreError> {
        let mut pool = Self::to(url)?;
        pool.pause = PAUSE.max(2 * lease);
        let session = pool.until_it_is_there(patience, || pool.connect())?;
        schema::migrate(&session, &pool.label)?;
        pool.connections().idle.push(Connection::Postgres(Box::new(session)));
        Ok(pool)
    }

    fn to(url: &str) -> Result<Self, StoreError> {
        let named = |config: &Config| label(config);
        let mut config = Config::from_str(url).map_err(|error| StoreError::NoDatabase {
            // What cannot be read may hold a password anywhere.
            database: url.split_once('@').map_or("the database", |_| "the database with a password").into(),
            reason: error.to_string(),
        })?;
        if config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(name) if name.contains('@'))) {
            // What follows an @ in a password is read as a host, and hosts are shown.
            let reason = "a password with an @ in it: write it as %40".into();
            return Err(StoreError::NoDatabase { database: "the database with a password".into(), reason });
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            let own = if Path::new(SOCKETS).is_dir() { SOCKETS } else { "localhost" };
            config.host(own);
        }
        config.application_name("bowerbird").connect_timeout(Duration::from_secs(10));
        config.keepalives_idle(SILENCE).keepalives_interval(ASKS_EVERY).keepalives_retries(ASKS);
        config.tcp_user_timeout(UNHEARD);
        let label = named(&config);
        Ok(Self { config, label, pause: PAUSE, open: Mutex::default(), returned: Condvar::new() })
    }

    /// The database, without its password.
    pub fn label(&self) -> &Path {
        &self.label
    }

    /// Does some work on a connection. When the server is away it is waited for, and the work is done
    /// again. For a thread that may wait.
    pub fn with<T>(&self, work: impl Fn(&Connection) -> sql::Result<T>) -> Result<T, StoreError> {
        self.until_it_is_there(PATIENCE, || {
            self.take().and_then(|lent| lent.db.as_ref().map_or_else(|| Err(nothing_lent()), &work))
        })
    }

    /// Does something again and again while the server is away, with growing pauses.
    fn until_it_is_there<T>(&self, patience: Duration, work: impl Fn() -> sql::Result<T>) -> Result<T, StoreError> {
        let (mut away_since, mut look, mut tries) = (None, LOOKS[0], 0);
        loop {
            let error = match work() {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            tries += 1;
            match trouble(&error) {
                // However long it worked before, patience begins now.
                Trouble::Away if away_since.get_or_insert_with(Instant::now).elapsed() < patience => {
                    if look == LOOKS[0] {
                        tracing::warn!("{} is away ({error}): waiting for it", self.label.display());
                    }
                    let idle = std::mem::take(&mut self.connections().idle);
                    drop(idle);
                    thread::sleep(look);
                    look = (look * 2).min(LOOKS[1]);
                }
                Trouble::AtOnce if tries < TRIES => thread::sleep(LOOKS[0] * tries as u32 / 4),
                _ => return Err(StoreError::sql(&self.label, &error)),
            }
        }
    }

    /// Takes a duty that one process has at a time; nothing when another has it, or while the server is away.
    /// It ends when it is dropped, or with the process.
    pub fn duty(&self, name: &str) -> Result<Option<Duty>, StoreError> {
        let mut hash = DefaultHasher::new();
        name.hash(&mut hash);
        let key = hash.finish() as i64;
        let failed = |error: sql::Error| StoreError::sql(&self.label, &error);
        let mut lent = match self.take() {
            Ok(lent) => lent,
            // Whoever wants it asks again.
            Err(error) if matches!(trouble(&error), Trouble::Away) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let Some(db) = &lent.db else { return Ok(None) };
        let taken = db.query_row("SELECT pg_try_advisory_lock(?1)", [key], |row| row.get::<_, bool>(0));
        match taken {
            Ok(true) => Ok(Some(Duty(Mutex::new(lent.db.take())))),
            Ok(false) => Ok(None),
            Err(error) => match trouble(&error) {
                Trouble::Away => Ok(None),
                _ => Err(failed(error)),
            },
        }
    }

    fn connect(&self) -> sql::Result<Session> {
        let session = Session::connect(&self.config)?;
        // Statements are planned once; the values they are asked with do not make them better ones.
        let (silence, every, unheard) = (SILENCE.as_secs(), ASKS_EVERY.as_secs(), UNHEARD.as_millis());
        // What is said of TCP goes for nothing on a socket of this machine. A connection that is lost in the middle
        // of a change must not hold what others wait for.
        session.batch(&format!(
            "SET statement_timeout = 0; SET jit = off; SET client_min_messages = warning;
             SET tcp_keepalives_idle = {silence}; SET tcp_keepalives_interval = {every}; SET tcp_keepalives_count = {ASKS};
             SET tcp_user_timeout = {unheard}; SET idle_in_transaction_session_timeout = {}",
            self.pause.as_millis()
        ))?;
        Ok(session)
    }

    fn take(&self) -> sql::Result<Lent<'_>> {
        let until = Instant::now() + TURN;
        let mut open = self.connections();
        while open.idle.is_empty() && open.used >= MOST {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            open.waiting += 1;
            open = self.returned.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
            open.waiting -= 1;
        }
        open.used += 1;
        let mut lent = Lent { pool: self, db: open.idle.pop() };
        drop(open);
        if lent.db.is_none() {
            lent.db = Some(Connection::Postgres(Box::new(self.connect()?)));
        }
        Ok(lent)
    }

    /// How many connections there are.
    pub fn figures(&self) -> PoolFigures {
        let open = self.connections();
        PoolFigures { used: open.used, idle: open.idle.len(), waiting: open.waiting }
    }

    fn connections(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lent<'_> {
    /// Back to the others, unless it is lost or was taken away for good.
    fn drop(&mut self) {
        let is_open = |db: &Connection| matches!(db, Connection::Postgres(session) if session.is_open());
        let (kept, lost) = match self.db.take() {
            Some(db) if is_open(&db) => (Some(db), None),
            lost => (None, lost),
        };
        let mut open = self.pool.connections();
        open.used -= 1;
        let surplus = if open.idle.len() < MOST {
            open.idle.extend(kept);
            None
        } else {
            kept
        };
        drop(open);
        self.pool.returned.notify_one();
        // Their ends are waited for, which nobody else need.
        drop((lost, surplus));
    }
}

fn nothing_lent() -> sql::Error {
    sql::Error::Strange("a connection was not lent".into())
}

/// A duty that one process has at a time: a connection that holds its lock.
pub struct Duty(Mutex<Option<Connection>>);

impl Duty {
    /// Whether its connection is there still. Blocking.
    pub fn holds(&self) -> bool {
        let db = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = db.as_ref().map(|db| db.query_row("SELECT 1", [], |row| row.get::<_, i64>(0)));
        matches!(asked, Some(Ok(_)))
    }
}

impl Drop for Duty {
    /// A connection waits for its end, which nobody may who waits for the network.
    fn drop(&mut self) {
        let db = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = thread::Builder::new().name("database".into()).spawn(move || drop(db));
    }
}

impl Drop for Pool {
    /// A connection waits for its end, which nobody may who waits for the network.
    fn drop(&mut self) {
        let idle = std::mem::take(&mut self.connections().idle);
        let _ = thread::Builder::new().name("database".into()).spawn(move || drop(idle));
    }
}

/// What can be done about an error.
enum Trouble {
    /// The server is away, or goes.
    Away,
    /// Others did something that does not go together with it.
    AtOnce,
    Other,
}

fn trouble(error: &sql::Error) -> Trouble {
    let sql::Error::Postgres(error) = error else { return Trouble::Other };
    match error.code() {
        Some(code) if is_away(code) => Trouble::Away,
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => Trouble::AtOnce,
        Some(_) => Trouble::Other,
        // The server said nothing: the connection is lost, or there is none.
        None if error.is_closed() || lost(error) => Trouble::Away,
        None => Trouble::Other,
    }
}

fn is_away(code: &SqlState) -> bool {
    [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::CONNECTION_EXCEPTION,
        SqlState::CONNECTION_FAILURE,
        SqlState::CONNECTION_DOES_NOT_EXIST,
        // It took this process for gone.
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::IDLE_SESSION_TIMEOUT,
        // It is to take over from another, and does not yet.
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ]
    .contains(code)
}

/// Whether there is no connection, or none any more. One that this process may not make is another matter.
fn lost(error: &tokio_postgres::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return error.kind() != std::io::ErrorKind::PermissionDenied;
        }
        cause = error.source();
    }
    false
}

fn label(config: &Config) -> PathBuf {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".into(),
    };
    let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
    format!("postgres://{host}{port}/{}", config.get_dbname().unwrap_or_default()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_without_its_password_and_on_this_machine_without_a_host() {
        let own = if Path::new(SOCKETS).is_dir() { SOCKETS } else { "localhost" };
        for (url, label) in [
            ("postgres://birds:secret@db.example.org:5433/birds", "postgres://db.example.org:5433/birds"),
            ("postgres://birds:s%40cret@db/birds", "postgres://db:5432/birds"),
            ("postgres:///again", &format!("postgres://{own}/again")),
            ("dbname=again user=birds", &format!("postgres://{own}/again")),
        ] {
            assert_eq!(Pool::to(url).unwrap().label(), Path::new(label), "{url}");
        }
    }

    #[test]
    fn a_password_that_is_read_as_a_host_is_not_told() {
        let error = Pool::to("postgres://birds:pa@se@db.example.org/birds").err().unwrap().to_string();
        assert!(error.contains("%40") && !error.contains("se@"), "{error}");
    }

    #[test]
    fn patience_begins_when_the_server_is_away() {
        let pool = Pool::to("postgres://nobody@127.0.0.1:1/nowhere").unwrap();
        let tries = std::cell::Cell::new(0);
        let patience = Duration::from_millis(300);
        let done = pool.until_it_is_there(patience, || {
            tries.set(tries.get() + 1);
            if tries.get() == 1 {
                // Longer at work than whoever waits has patience.
                thread::sleep(patience);
            }
            if tries.get() < 3 { pool.connect().map(|_| 0) } else { Ok(tries.get()) }
        });
        assert_eq!(done.unwrap(), 3);
    }
}
