//! Starting Chromium so that it can do little: another user, its own sandbox, no network.

use std::env;
use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpSocket;

use crate::error::RenderError;
use crate::protocol::{Fault, Line};
use crate::settings::Settings;

/// What it is called on `PATH`.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Debian's `chromium` is a shell script that adds what others may have written into /etc; this is what it runs.
const DEBIAN: &str = "/usr/lib/chromium/chromium";

/// Chromium speaks the protocol on descriptors 3 and 4. A shell makes them of its input and output, and sets
/// the limits that all processes of the browser inherit: so no descriptor has to be moved here. The limit is
/// on written memory that is not shared, not on address space, of which Chromium reserves terabytes.
const START: &str = r#"exec 3<&0 4>&1 </dev/null >/dev/null; ulimit -c 0; ulimit -d "$1"; shift; exec "$@""#;

/// What keeps the browser to itself and to the page it shows.
const FLAGS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,BackForwardCache,Prerender2,\
     AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,\
     SpareRendererForSitePerProcess,PreloadTopChromeWebUI",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    // The browser has no way out of its own: no names, no proxy that answers, no UDP.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
];

/// How long the browser may take to say that it is there.
const HELLO: Duration = Duration::from_secs(20);
/// The end of what it complains about.
const COMPLAINTS: usize = 4096;

/// A running browser; it ends with this.
pub(crate) struct Chromium {
    pub line: Arc<Line>,
    process: Mutex<Child>,
    group: Option<Pid>,
    /// A port that is taken and does not listen: what the browser takes for its proxy.
    _wall: TcpSocket,
    _profile: TempDir,
}

/// Who the browser runs as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct User {
    uid: u32,
    gid: u32,
}

impl Chromium {
    /// Starts it and waits until it answers.
    pub async fn start(settings: &Settings) -> Result<Self, RenderError> {
        let settings = settings.clone();
        let spawned = tokio::task::spawn_blocking(move || spawn(&settings)).await;
        let (browser, complaints) = spawned.map_err(|error| RenderError::Start(error.to_string()))??;
        match browser.line.call(None, "Browser.getVersion", json!({}), HELLO).await {
            Ok(_) => Ok(browser),
            Err(fault) => {
                browser.kill();
                Err(why(&fault, &said(&complaints)))
            }
        }
    }

    /// Ends all its processes at once.
    pub fn kill(&self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.kill();
        // Waited for, so that its number is not another's before it is let go.
        let _ = self.process.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }
}

/// Where Chromium is.
pub(crate) fn program(settings: &Settings) -> Result<PathBuf, RenderError> {
    if let Some(named) = &settings.program {
        return if runs(named) { Ok(named.clone()) } else { Err(RenderError::NoProgram(named.clone())) };
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let on_path = |name: &&str| env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| runs(path));
    let found = NAMES.iter().find_map(on_path).ok_or(RenderError::Missing)?;
    let debian = Path::new(DEBIAN);
    Ok(if found == Path::new("/usr/bin/chromium") && runs(debian) { debian.to_owned() } else { found })
}

fn runs(path: &Path) -> bool {
    path.is_absolute() && path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The user to become; nobody when this program is not root.
fn user(name: &str) -> Result<Option<User>, RenderError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = user_in(&known, name).or_else(|| (name == "nobody").then_some(User { uid: 65_534, gid: 65_534 }));
    found.filter(|user| user.uid != 0).map(Some).ok_or_else(|| RenderError::NoUser(name.to_owned()))
}

fn user_in(known: &str, name: &str) -> Option<User> {
    let line = known.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(|number| number.parse().ok());
    Some(User { uid: numbers.next()??, gid: numbers.next()?? })
}

type Complaints = Arc<Mutex<Vec<u8>>>;

fn spawn(settings: &Settings) -> Result<(Chromium, Complaints), RenderError> {
    let program = program(settings)?;
    let user = user(&settings.user)?;
    let start = |error: std::io::Error| RenderError::Start(error.to_string());
    let profile = tempfile::Builder::new().prefix("bowerbird-render-").tempdir().map_err(start)?;
    if let Some(User { uid, gid }) = user {
        chown(profile.path(), Some(uid), Some(gid)).map_err(start)?;
    }
    let (wall, port) = wall().map_err(start)?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", START, "chromium"]).arg((settings.memory >> 10).to_string());
    if has_namespaces(user) {
        command.args(OWN_NETWORK);
    }
    command
        .arg(&program)
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--proxy-server=http://127.0.0.1:{port}"))
        .arg(format!("--js-flags=--max-old-space-size={}", (settings.memory >> 21).max(64)));
    if !settings.sandbox {
        command.arg("--no-sandbox");
    }
    command.arg("about:blank");
    plain(&mut command, user, profile.path());
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(start)?;
    let group = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    let (Some(to), Some(from), Some(complaints)) = (process.stdin.take(), process.stdout.take(), process.stderr.take())
    else {
        return Err(RenderError::Start("it has no pipes".into()));
    };
    let said = Complaints::default();
    let ear = Arc::clone(&said);
    thread::spawn(move || listen(complaints, &ear));
    let line = Line::open(to, from);
    Ok((Chromium { line, process: Mutex::new(process), group, _wall: wall, _profile: profile }, said))
}

/// No environment of ours, no folder of ours, and no rights of ours.
fn plain(command: &mut Command, user: Option<User>, home: &Path) {
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
    command.env("HOME", home).env("TMPDIR", home).env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/dev/null");
    command.current_dir("/");
    if let Some(User { uid, gid }) = user {
        command.uid(uid).gid(gid);
    }
}

/// A network of its own, in which there is nothing, not even this machine.
const OWN_NETWORK: [&str; 5] = ["unshare", "--user", "--map-current-user", "--net", "--"];

/// Whether this machine lets the user make a network of its own. Where it does not, the walls that the flags
/// make are what is left.
fn has_namespaces(user: Option<User>) -> bool {
    let mut command = Command::new("/usr/bin/env");
    command.args(OWN_NETWORK).arg("true").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    plain(&mut command, user, Path::new("/"));
    command.status().is_ok_and(|status| status.success())
}

/// A port of this machine that nobody answers at, and nobody else can take.
fn wall() -> std::io::Result<(TcpSocket, u16)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    let port = socket.local_addr()?.port();
    Ok((socket, port))
}

fn listen(mut from: impl Read, said: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(read @ 1..) = from.read(&mut piece) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(piece.get(..read).unwrap_or_default());
        let over = said.len().saturating_sub(COMPLAINTS);
        said.drain(..over);
    }
}

fn said(complaints: &Complaints) -> String {
    String::from_utf8_lossy(&complaints.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

/// What a browser that did not start complained about, in our words.
fn why(fault: &Fault, said: &str) -> RenderError {
    let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let last: String = last.chars().take(300).collect();
    if said.contains("sandbox") || said.contains("unshare") || said.contains("Operation not permitted") {
        return RenderError::Sandbox(last);
    }
    RenderError::Start(if last.is_empty() { fault.to_string() } else { last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_root_is_none() {
        let known = "root:x:0:0:root:/root:/bin/sh\nbird:x:1001:1002::/:/bin/false\nodd:x:y:z\n";
        assert_eq!(user_in(known, "bird"), Some(User { uid: 1001, gid: 1002 }));
        assert_eq!((user_in(known, "odd"), user_in(known, "bir")), (None, None));
        if rustix::process::geteuid().is_root() {
            assert_eq!(user("root"), Err(RenderError::NoUser("root".into())));
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_told_by_name() {
        let settings = Settings { program: Some("/nowhere/chromium".into()), ..Settings::default() };
        let said = program(&settings).unwrap_err().to_string();
        assert!(said.contains("/nowhere/chromium") && said.contains("--chromium"), "{said}");
    }

    #[test]
    fn nobody_answers_at_the_wall() {
        let (_wall, port) = wall().unwrap();
        let refused = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}
