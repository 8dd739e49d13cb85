//! Other programs, kept on a short lead: ffmpeg and its like decode what no library here does.
//!
//! What they read came from the web, and they are written in C. So each runs without a shell, in a
//! group of its own, with limits on time and memory, and behind a [`fence`]: it sees its
//! libraries and the one file it is to read, and no network.

mod fence;

use std::env;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, prlimit, waitid};

use self::fence::Fence;
use crate::DecodeError;
use crate::room::Room;

/// As much of what a program complains about as is kept: the end of it.
const COMPLAINTS: usize = 4096;

/// Programs that run at once, at most: each may take as much memory as its [`Lead`] allows.
const MOST_AT_ONCE: usize = 4;
static PROGRAMS: LazyLock<Room> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(2, usize::from);
    Room::new((cores / 2).clamp(2, MOST_AT_ONCE) as u64)
});

/// How much is read from a program at once.
const PIECE: usize = 64 << 10;

/// A program that decodes for us.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    /// What it is called.
    pub name: &'static str,
    /// The Debian package that brings it.
    pub package: &'static str,
}

impl Program {
    /// Where it is.
    pub fn found(self) -> Result<PathBuf, DecodeError> {
        let runs = |path: &PathBuf| {
            path.is_absolute()
                && path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
        };
        let folders = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&folders).map(|folder| folder.join(self.name)).find(runs);
        found.ok_or(DecodeError::Missing { program: self.name, package: self.package })
    }
}

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lead {
    /// Time of processors, of all its threads together.
    pub cpu: Duration,
    /// Time that passes.
    pub wall: Duration,
    /// Address space, in bytes; the libraries of ffmpeg take 300 MB of it before anything is read.
    pub memory: u64,
    /// Bytes of a file it writes.
    pub written: u64,
}

/// Something for a program to do.
pub(crate) struct Errand<'a> {
    pub program: Program,
    pub arguments: Vec<OsString>,
    /// The one file it may read.
    pub reads: &'a Path,
    /// A folder it may write into.
    pub writes: Option<&'a Path>,
    pub lead: Lead,
}

/// How an errand ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What went wrong; nothing when the program ended well, or was told to stop.
    pub fault: Option<DecodeError>,
}

impl Errand<'_> {
    /// Runs the program to its end and hands on what it writes, piece by piece, until it is told to
    /// stop. An error means that it did not run; what becomes of one that did is in [`Ended`].
    pub fn run(self, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<Ended, DecodeError> {
        let lead = self.lead;
        // Nobody who has one waits for another: it ends by itself, at the latest when its time is up.
        let _one_of_few = PROGRAMS.take(1);
        let mut child = self.start()?;
        let Some(pid) = Pid::from_raw(child.id() as i32) else { return Err(cannot_run(self.program, &"no process")) };
        hold(pid, &lead);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let overran = AtomicBool::new(false);
        let (stopped, complaints) = thread::scope(|scope| {
            let complaints = scope.spawn(move || stderr.map(|stderr| last_of(stderr, COMPLAINTS)).unwrap_or_default());
            let (over, is_over) = mpsc::channel::<()>();
            let overran = &overran;
            let dog = scope.spawn(move || {
                if is_over.recv_timeout(lead.wall) == Err(RecvTimeoutError::Timeout) {
                    overran.store(true, Ordering::Relaxed);
                    let _ = kill_process_group(pid, Signal::KILL);
                }
            });
            let stopped = stdout.is_some_and(|stdout| hand_on(stdout, each));
            if stopped {
                let _ = kill_process_group(pid, Signal::KILL);
            }
            // Its number stays taken until it is waited for below, so nobody else is killed.
            let ended = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            while matches!(ended(), Err(Errno::INTR)) {}
            drop(over);
            let _ = dog.join();
            let _ = kill_process_group(pid, Signal::KILL);
            (stopped, complaints.join().unwrap_or_default())
        });
        let status = child.wait().map_err(|error| cannot_run(self.program, &error))?;
        let fault = match stopped {
            true => None,
            false => fault(status, overran.into_inner(), &complaints, &lead),
        };
        Ok(Ended { fault })
    }

    /// Everything the program writes, up to `most` bytes; more is an error.
    pub fn output(self, most: usize) -> Result<(Vec<u8>, Ended), DecodeError> {
        let mut all = Vec::new();
        let ended = self.run(&mut |piece| {
            all.extend_from_slice(piece);
            all.len() <= most
        })?;
        if all.len() > most {
            return Err(DecodeError::TooMuchMemory { most: most as u64 });
        }
        Ok((all, ended))
    }

    /// Starts the program behind its fence. The fence goes around the thread that starts it, and is
    /// inherited: this thread does nothing else.
    fn start(&self) -> Result<Child, DecodeError> {
        let path = self.program.found()?;
        let mut command = Command::new(&path);
        command
            .args(&self.arguments)
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .env("AV_LOG_FORCE_NOCOLOR", "1")
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let fence = Fence { program: &path, reads: self.reads, writes: self.writes };
        let started = thread::scope(|scope| {
            scope.spawn(|| fence.close().map_err(io::Error::other).and_then(|_| command.spawn())).join()
        });
        match started {
            Ok(started) => started.map_err(|error| cannot_run(self.program, &error)),
            Err(_) => Err(cannot_run(self.program, &"its thread broke")),
        }
    }
}

fn cannot_run(program: Program, why: &dyn std::fmt::Display) -> DecodeError {
    DecodeError::CannotRun { program: program.name, why: why.to_string() }
}

/// Sets the limits of a process that has just begun. One that is gone already needs none.
fn hold(pid: Pid, lead: &Lead) {
    let limit = |resource, most: u64| {
        let _ = prlimit(Some(pid), resource, Rlimit { current: Some(most), maximum: Some(most) });
    };
    limit(Resource::Cpu, lead.cpu.as_secs().max(1));
    limit(Resource::As, lead.memory);
    limit(Resource::Fsize, lead.written);
    limit(Resource::Core, 0);
}

/// Reads to the end, or until it is enough; says whether it was told to stop.
fn hand_on(mut from: impl Read, each: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return false,
            Ok(read) => {
                if !each(piece.get(..read).unwrap_or_default()) {
                    return true;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

/// The last bytes of a stream, however long it is.
fn last_of(from: impl Read, most: usize) -> String {
    let mut kept = Vec::new();
    hand_on(from, &mut |piece| {
        kept.extend_from_slice(piece);
        kept.drain(..kept.len().saturating_sub(most));
        true
    });
    String::from_utf8_lossy(&kept).into_owned()
}

/// Why a program that has ended did not end well.
fn fault(status: ExitStatus, overran: bool, complaints: &str, lead: &Lead) -> Option<DecodeError> {
    if overran {
        return Some(DecodeError::TooLong { seconds: lead.wall.as_secs() });
    }
    if status.success() {
        return None;
    }
    let signal = status.signal().and_then(Signal::from_named_raw);
    // Out of processor time the kernel sends one or the other; we sent none of them.
    if signal == Some(Signal::XCPU) || signal == Some(Signal::KILL) {
        return Some(DecodeError::TooLong { seconds: lead.cpu.as_secs() });
    }
    if complaints.contains("Cannot allocate memory") || complaints.contains("Error allocating") {
        return Some(DecodeError::TooMuchMemory { most: lead.memory });
    }
    // The last line tells the outcome; where it is a general one, the line before tells the cause.
    let lines: Vec<&str> = complaints.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let said = lines.get(lines.len().saturating_sub(2)..).unwrap_or_default().join("; ");
    Some(DecodeError::Broken(match (said.is_empty(), status.signal()) {
        (_, Some(signal)) => format!("its decoder was ended by signal {signal}"),
        (true, None) => "its decoder gave up".to_owned(),
        (false, None) => said.chars().take(300).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LEAD: Lead =
        Lead { cpu: Duration::from_secs(20), wall: Duration::from_secs(20), memory: 200 << 20, written: 0 };

    fn errand(name: &'static str, arguments: &[&str], lead: Lead) -> Errand<'static> {
        let program = Program { name, package: "coreutils" };
        let arguments = arguments.iter().map(OsString::from).collect();
        Errand { program, arguments, reads: Path::new("/dev/null"), writes: None, lead }
    }

    #[test]
    fn what_a_program_writes_is_handed_on() {
        let (said, ended) = errand("echo", &["a", "b"], LEAD).output(100).unwrap();
        assert_eq!((&said[..], ended.fault), (&b"a b\n"[..], None));
    }

    #[test]
    fn no_more_programs_run_at_once_than_may() {
        // Each leaves a mark as long as it runs, and says how many there are.
        let marks = tempfile::tempdir().unwrap();
        let script = format!("m=$(mktemp -p {0}); ls {0} | wc -l; sleep 0.05; rm $m", marks.path().display());
        let most = thread::scope(|scope| {
            let runs: Vec<_> = (0..12)
                .map(|_| {
                    scope.spawn(|| {
                        let errand = Errand { writes: Some(marks.path()), ..errand("sh", &["-c", &script], LEAD) };
                        String::from_utf8(errand.output(100).unwrap().0).unwrap().trim().parse::<usize>().unwrap()
                    })
                })
                .collect();
            runs.into_iter().map(|run| run.join().unwrap()).max()
        });
        assert!(most.is_some_and(|most| most <= MOST_AT_ONCE), "{most:?}");
    }

    #[test]
    fn a_program_that_overruns_is_ended() {
        let began = Instant::now();
        let lead = Lead { wall: Duration::from_millis(100), ..LEAD };
        let (_, ended) = errand("sleep", &["60"], lead).output(100).unwrap();
        assert_eq!(ended.fault, Some(DecodeError::TooLong { seconds: 0 }));
        assert!(began.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_goes_on_for_ever_is_told_to_stop() {
        assert_eq!(errand("yes", &[], LEAD).output(1 << 20).unwrap_err(), DecodeError::TooMuchMemory { most: 1 << 20 });
        let mut pieces = 0;
        let ended = errand("yes", &[], LEAD).run(&mut |_| {
            pieces += 1;
            pieces < 3
        });
        assert_eq!((ended.unwrap().fault, pieces), (None, 3));
    }

    #[test]
    fn a_program_that_works_too_much_is_ended() {
        // It reads for ever, and keeps nothing.
        let lead = Lead { cpu: Duration::from_secs(1), ..LEAD };
        let (_, ended) = errand("wc", &["-w", "/dev/zero"], lead).output(100).unwrap();
        assert_eq!(ended.fault, Some(DecodeError::TooLong { seconds: 1 }));
    }

    #[test]
    fn a_program_gets_no_more_memory_than_it_may_have() {
        let (_, ended) = errand("sort", &["/dev/zero"], LEAD).output(100).unwrap();
        assert!(matches!(ended.fault, Some(DecodeError::Broken(_) | DecodeError::TooMuchMemory { .. })), "{ended:?}");
    }

    #[test]
    fn why_a_program_failed_is_told_in_its_words() {
        let (_, ended) = errand("cat", &["/dev/no such file"], LEAD).output(100).unwrap();
        let Some(DecodeError::Broken(why)) = ended.fault else { panic!("{ended:?}") };
        assert!(why.contains("no such file"), "{why}");
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let program = Program { name: "no-such-program", package: "its-package" };
        let error = Errand { program, ..errand("true", &[], LEAD) }.output(1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no-such-program is missing: install the package its-package (as root: apt-get install its-package) and \
             try again"
        );
    }
}
