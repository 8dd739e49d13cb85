//! What a child process can reach: Landlock, where the kernel has it.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

/// The newest set of rules we know. An older kernel keeps to those it knows; one without Landlock to
/// none, and the limits and the whitelist of protocols are what is left.
const RULES: ABI = ABI::V6;

/// Where programs and their libraries are.
const PROGRAMS: &[&str] = &["/usr", "/lib", "/lib64", "/bin", "/opt", "/nix/store", "/etc/ld.so.cache"];

/// What else any program opens.
const DEVICES: &[&str] = &["/dev/null", "/dev/urandom", "/dev/random", "/dev/zero"];

/// The bounds of one child.
pub(super) struct Fence<'a> {
    pub program: &'a Path,
    pub reads: &'a Path,
    pub writes: Option<&'a Path>,
}

impl Fence<'_> {
    /// Closes it around this thread, and all that it starts from now on, for good. Says whether the
    /// kernel has fences.
    pub fn close(&self) -> Result<bool, RulesetError> {
        let (look, change) = (AccessFs::from_read(RULES), AccessFs::from_all(RULES));
        let closed = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(RULES))?
            .handle_access(AccessNet::from_all(RULES))?
            .scope(Scope::from_all(RULES))?
            .create()?
            .add_rules(path_beneath_rules(PROGRAMS, look))?
            .add_rules(path_beneath_rules(self.program.parent(), look))?
            .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
            .add_rules(path_beneath_rules([self.reads], AccessFs::ReadFile))?
            .add_rules(path_beneath_rules(self.writes, change))?
            .restrict_self()?;
        Ok(closed.ruleset != RulesetStatus::NotEnforced)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::*;

    #[test]
    fn only_what_is_named_is_in_reach() {
        let folder = tempfile::tempdir().unwrap();
        let (named, other) = (folder.path().join("named"), folder.path().join("other"));
        fs::write(&named, "1").unwrap();
        fs::write(&other, "2").unwrap();
        let made = tempfile::tempdir().unwrap();
        let door = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = door.local_addr().unwrap();
        // Kernels from before 6.7 have fences, and none for the network.
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let numbers: Vec<u32> = release.split(['.', '-']).take(2).filter_map(|part| part.parse().ok()).collect();
        let network_is_fenced = numbers >= vec![6, 7];
        let inside = || {
            let fence = Fence { program: Path::new("/usr/bin/true"), reads: &named, writes: Some(made.path()) };
            if !fence.close().unwrap() {
                return;
            }
            assert_eq!(fs::read(&named).unwrap(), b"1");
            fs::write(made.path().join("new"), "3").unwrap();
            assert!(fs::read(&other).is_err(), "beside it");
            assert!(fs::write(&named, "").is_err(), "written over");
            assert!(fs::read("/etc/passwd").is_err(), "elsewhere");
            assert!(fs::read_dir(folder.path()).is_err(), "listed");
            if network_is_fenced {
                assert!(TcpStream::connect(at).is_err(), "connected");
            }
        };
        thread::scope(|scope| scope.spawn(inside).join()).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"2", "and others are not held by it");
    }
}
