//! A private PostgreSQL: its own directory and socket, one for all tests of this process, gone with it. Tests
//! that let it crash have one of their own.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The database that all others are made like: with tables, and nothing in them.
const PATTERN: &str = "pattern";

/// How long a server may take to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Server {
    dir: PathBuf,
    databases: AtomicUsize,
    /// Its input is what the server lives by.
    guard: Child,
}

/// The server of this process.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start(&["-c", "synchronous_commit=off"]))
}

/// What runs beside the server: begins it again when it has ended, keeps it away while a file says so, and
/// lives as long as the pipe from this process, so that also a killed test leaves nothing behind.
const GUARD: &str = r#"
(while [ ! -e ended ]; do
    if [ -e away ]; then sleep 0.05; else "$@" >>log 2>&1; sleep 0.2; fi
done) &
cat >/dev/null
touch ended
rm -f away
while kill -0 $! 2>/dev/null; do
    kill -QUIT "$(head -n 1 data/postmaster.pid 2>/dev/null)" 2>/dev/null
    sleep 0.1
done
rm -rf "$0"
"#;

impl Server {
    /// One that keeps what it said it has written, for a test that lets it crash.
    #[allow(dead_code, reason = "not every binary of tests does")]
    pub fn own() -> Self {
        Self::start(&[])
    }

    fn start(settings: &[&str]) -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap().keep();
        // PostgreSQL does not run as root.
        let account = (fs::metadata("/proc/self").unwrap().uid() == 0).then(unprivileged);
        if let Some((user, group)) = account {
            std::os::unix::fs::chown(&dir, Some(user), Some(group)).unwrap();
        }
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
        let run = |command: &mut Command| {
            command.current_dir(&dir);
            if let Some((user, group)) = account {
                command.gid(group).uid(user);
            }
        };
        let data = dir.join("data");
        let mut made = Command::new(program("initdb"));
        made.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"]).arg(&data);
        run(&mut made);
        let made = made.output().unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let mut guard = Command::new("sh");
        guard
            .args(["-c", GUARD])
            .arg(&dir)
            .arg(program("postgres"))
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&dir)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off"])
            .args(["-c", "shared_buffers=32MB", "-c", "max_connections=300"])
            .args(["-c", "autovacuum=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0"])
            .args(settings)
            .stdin(Stdio::piped());
        run(&mut guard);
        // Its own group: an interrupt from the keyboard is for the tests.
        guard.process_group(0);
        let guard = guard.spawn().unwrap();
        let server = Self { dir, databases: AtomicUsize::new(0), guard };
        server.wait();
        server.ask("postgres", &format!("CREATE DATABASE {PATTERN}"));
        let files = tempfile::tempdir().unwrap();
        drop(store::Store::read_shared(&server.url(PATTERN), files.path(), PATIENCE).unwrap());
        server
    }

    /// Waits until it answers.
    pub fn wait(&self) {
        let began = Instant::now();
        while !self.psql("postgres", "SELECT 1").status.success() {
            let log = || fs::read_to_string(self.dir.join("log")).unwrap_or_default();
            assert!(began.elapsed() < PATIENCE, "the server does not start: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Lets it end by a signal (`INT`: whoever is connected is sent away; `KILL`), stays without it for a while,
    /// and waits until it is back.
    #[allow(dead_code, reason = "not every binary of tests does")]
    pub fn go_away(&self, signal: &str, away: Duration) {
        self.leave(signal);
        std::thread::sleep(away);
        self.come_back();
    }

    /// Lets it end by a signal.
    #[allow(dead_code, reason = "not every binary of tests does")]
    pub fn leave(&self, signal: &str) {
        let process = fs::read_to_string(self.dir.join("data/postmaster.pid")).unwrap();
        let process = process.lines().next().unwrap().to_owned();
        fs::write(self.dir.join("away"), "").unwrap();
        let told = Command::new("kill").args(["-s", signal, &process]).status().unwrap();
        assert!(told.success());
    }

    /// Waits until one that ended is back.
    #[allow(dead_code, reason = "not every binary of tests does")]
    pub fn come_back(&self) {
        fs::remove_file(self.dir.join("away")).unwrap();
        self.wait();
    }

    /// Waits until it does not answer any more.
    #[allow(dead_code, reason = "not every binary of tests does")]
    pub fn wait_until_gone(&self) {
        let began = Instant::now();
        while self.psql("postgres", "SELECT 1").status.success() {
            assert!(began.elapsed() < PATIENCE, "the server does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A new database with the tables of a store; gives its name.
    pub fn database(&self) -> String {
        let name = format!("home{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let began = Instant::now();
        loop {
            let made = self.psql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {PATTERN}"));
            if made.status.success() {
                return name;
            }
            // Whoever made its tables is leaving just now, or another test is copying it.
            let said = String::from_utf8_lossy(&made.stderr).into_owned();
            assert!(said.contains("being accessed") && began.elapsed() < PATIENCE, "{said}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Removes a database, whoever uses it.
    pub fn remove(&self, database: &str) {
        self.psql("postgres", &format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)"));
    }

    pub fn url(&self, database: &str) -> String {
        format!("host={} user=postgres dbname={database}", self.dir.display())
    }

    /// What a statement gives, a line for each row.
    pub fn ask(&self, database: &str, sql: &str) -> String {
        let output = self.psql(database, sql);
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Does something in a transaction that is left open.
    #[allow(dead_code, reason = "not every binary of tests does")]
    pub fn hold(&self, database: &str, sql: &str) -> Transaction {
        let mut psql = self.connect(database);
        let mut input = psql.stdin.take().unwrap();
        writeln!(input, "BEGIN;\n{sql};").unwrap();
        let began = Instant::now();
        let held = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = 'psql' AND state = 'idle in transaction' AND query <> 'BEGIN;'";
        while self.ask(database, held).trim() == "0" {
            assert!(began.elapsed() < PATIENCE, "{sql}");
            std::thread::sleep(Duration::from_millis(10));
        }
        Transaction { psql, input }
    }

    fn psql(&self, database: &str, sql: &str) -> Output {
        let mut asked = self.connect(database);
        // It ends before it reads when the server is not there: its status says so.
        let _ = asked.stdin.take().unwrap().write_all(sql.as_bytes());
        asked.wait_with_output().unwrap()
    }

    fn connect(&self, database: &str) -> Child {
        let mut psql = Command::new(program("psql"));
        psql.args(["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database, "-h"]).arg(&self.dir);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        psql.spawn().unwrap()
    }
}

/// What was done and not committed yet.
#[allow(dead_code, reason = "not every binary of tests does")]
pub struct Transaction {
    psql: Child,
    input: ChildStdin,
}

#[allow(dead_code, reason = "not every binary of tests does")]
impl Transaction {
    pub fn commit(mut self) {
        writeln!(self.input, "COMMIT;").unwrap();
        drop(self.input);
        assert!(self.psql.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// User and group that the server runs as when the tests run as root.
fn unprivileged() -> (u32, u32) {
    let accounts = fs::read_to_string("/etc/passwd").unwrap();
    let account = |name: &str| {
        let mut parts = accounts.lines().find(|line| line.starts_with(&format!("{name}:")))?.split(':').skip(2);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    account("postgres").or_else(|| account("nobody")).expect("an account that is not root's")
}

/// A program of PostgreSQL: Debian keeps them apart by version.
fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.map(|version| version.path().join("bin").join(name)).collect();
    found.retain(|path| path.exists());
    found.sort();
    found.pop().unwrap_or_else(|| Path::new(name).to_owned())
}
