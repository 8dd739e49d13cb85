//! What a child process can reach: Landlock, where the kernel has it.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    Scope, path_beneath_rules,
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
    /// Closes it around this thread, and all that it starts from now on, for good.
    pub fn close(&self) -> Result<(), RulesetError> {
        let (look, change) = (AccessFs::from_read(RULES), AccessFs::from_all(RULES));
        Ruleset::default()
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
        Ok(())
    }
}
