//! A program that is run and measured from outside: what it cost this machine is counted by the
//! kernel, and nothing of the web it crawls is counted with it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    /// From start to end.
    pub seconds: f64,
    /// Of user and system together, over all threads.
    pub cpu_seconds: f64,
    /// The most memory it had at once, in bytes.
    pub peak: u64,
}

/// How often the peak of memory is looked at: it only grows.
const LOOK: Duration = Duration::from_millis(10);

/// Runs a command to its end; gives what it printed, and what it cost. `scratch` is a folder for
/// what it complains of.
pub(crate) fn run(command: &mut Command, scratch: &Path) -> io::Result<(Vec<u8>, Cost)> {
    let complaints = scratch.join("stderr");
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&complaints)?).spawn()?;
    let printed = child.stdout.take().map(|mut stdout| {
        thread::spawn(move || {
            let mut text = Vec::new();
            stdout.read_to_end(&mut text).map(|_| text)
        })
    });
    let cost = watched(&child, started);
    // Whatever could not be measured, no process is left behind.
    if cost.is_err() {
        let _ = child.kill();
    }
    let status = child.wait()?;
    let printed = match printed.map(|reader| reader.join()) {
        Some(Ok(text)) => text?,
        _ => Vec::new(),
    };
    if !status.success() {
        let said = fs::read_to_string(&complaints).unwrap_or_default();
        return Err(io::Error::other(format!("the crawl ended with {status}: {}", said.trim())));
    }
    Ok((printed, cost?))
}

/// Waits until it has ended, without taking it from the list of processes: there the kernel keeps
/// what it used.
fn watched(child: &Child, started: Instant) -> io::Result<Cost> {
    let pid = Pid::from_child(child);
    let folder = Path::new("/proc").join(child.id().to_string());
    let mut peak = 0;
    loop {
        // Gone as soon as it ends: what was seen last counts.
        peak = fs::read_to_string(folder.join("status")).ok().and_then(|text| peak_of(&text)).unwrap_or(peak);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(pid), options)?.is_some() {
            break;
        }
        thread::sleep(LOOK);
    }
    let seconds = started.elapsed().as_secs_f64();
    let ticks = ticks_of(&fs::read_to_string(folder.join("stat"))?)
        .ok_or_else(|| io::Error::other("/proc/PID/stat does not say what a process used"))?;
    Ok(Cost { seconds, cpu_seconds: ticks as f64 / rustix::param::clock_ticks_per_second() as f64, peak })
}

/// `VmHWM` of `/proc/PID/status`, in bytes.
fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `VmRSS` of `/proc/PID/status`, in bytes.
pub(crate) fn resident_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// `utime` and `stime` of `/proc/PID/stat`: the 14th and 15th field. The second is the program's
/// name in parentheses and may hold anything.
pub(crate) fn ticks_of(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
    Some(fields.next()?? + fields.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_is_read() {
        assert_eq!(peak_of("Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t   1234 kB\n"), Some(1234 * 1024));
        assert_eq!(peak_of("Name:\tx\nState:\tZ (zombie)\n"), None);
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 9 9 20 0 4 0 100 1 2 3";
        assert_eq!(ticks_of(stat), Some(300));
        assert_eq!(ticks_of("7 (a) S 1"), None);
    }

    #[test]
    fn work_costs_time_and_memory() {
        let scratch = tempfile::tempdir().unwrap();
        let mut busy = Command::new("sh");
        busy.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done"]);
        let (printed, cost) = run(&mut busy, scratch.path()).unwrap();
        assert_eq!(printed, b"done\n");
        assert!(cost.cpu_seconds > 0.0 && cost.cpu_seconds <= cost.seconds + 0.1, "{cost:?}");
        assert!(cost.peak > 100_000, "{cost:?}");
    }

    #[test]
    fn a_run_that_fails_says_why() {
        let scratch = tempfile::tempdir().unwrap();
        let error = run(Command::new("sh").args(["-c", "echo no luck >&2; exit 3"]), scratch.path()).unwrap_err();
        assert!(error.to_string().contains("no luck"), "{error}");
    }
}
