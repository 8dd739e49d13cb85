//! What can be asked of the program. A contract: scripts depend on it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use crawl::quantity::{parse_bytes, parse_duration};
use facts::{MediaKind, Url};
use fetch::ResolveRule;

/// The data directory when none is named.
pub const DATA: &str = "./bowerbird-data";

/// Finds pictures, sounds and films of places on the web.
#[derive(Parser)]
#[command(name = "bowerbird", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Try it without any network:  bowerbird demo")]
pub struct Arguments {
    /// The data directory: the library, the queue and the files.
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "DIR", env = "BOWERBIRD_DATA", default_value = DATA)]
    pub data: PathBuf,
    /// Settings to start from; the command line wins.
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON document (or one object a line) instead of text.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// Say more on stderr; twice for everything.
    #[arg(short, long, global = true, help_heading = "Everywhere", action = clap::ArgAction::Count)]
    pub verbose: u8,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Crawl a made web on this machine and show what was found; needs no network.
    Demo(Demo),
    /// Crawl the web from one or more start pages.
    Crawl(Box<Crawl>),
    /// List the crawls of the library, or what went wrong in one of them.
    Crawls(Crawls),
    /// Figures of the library.
    Stats(Stats),
    /// The made web that tests and experiments run on.
    Lab {
        #[command(subcommand)]
        lab: Lab,
    },
    /// Print a completion script for a shell.
    #[command(after_help = "Example:  bowerbird completions bash > /etc/bash_completion.d/bowerbird")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How far links may lead.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Scope {
    /// Only the hosts of the seeds.
    Host,
    /// Only their registrable domains.
    Domain,
    /// Anywhere.
    Any,
}

impl From<Scope> for strategy::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Host => Self::Host,
            Scope::Domain => Self::Domain,
            Scope::Any => Self::Any,
        }
    }
}

#[derive(Args, Default)]
#[command(after_help = "Examples:
  bowerbird crawl https://example.org/ --max-pages 200
  bowerbird crawl https://example.org/ --scope domain --name example --max-time 30m
  bowerbird crawl --resume example
  bowerbird crawl https://example.org/ --include '*/gallery/*' --exclude '*print=1*' --lang de,en

Ctrl-c stops cleanly. The same command with the same --name goes on where it stopped; after a run
that came to its end it starts a new one from the best link that waits. Without any limit a run is
one task of --task-pages pages.

Patterns are matched against the whole address; * stands for anything.")]
pub struct Crawl {
    /// Start pages.
    #[arg(value_name = "SEED")]
    pub seeds: Vec<String>,
    /// The crawl's name; without it, the host of the first seed.
    #[arg(long)]
    pub name: Option<String>,
    /// Go on with the crawl of that name, with the settings it has.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["name", "seeds"])]
    pub resume: Option<String>,
    /// The order of visits.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(strategy::NAMES))]
    pub strategy: Option<String>,
    /// How far links may lead [default: any].
    #[arg(long, value_enum)]
    pub scope: Option<Scope>,
    /// Visit only addresses that match; may be given more than once.
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Do not visit addresses that match; may be given more than once.
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Follow only pages in these languages, such as de,en.
    #[arg(long, value_delimiter = ',', value_name = "LANG,…")]
    pub lang: Vec<String>,
    /// Do not visit hosts under these top-level domains.
    #[arg(long, value_delimiter = ',', value_name = "TLD,…")]
    pub exclude_tld: Vec<String>,
    /// Kinds of media to collect [default: image].
    #[arg(long, value_delimiter = ',', value_name = "image,video,audio", value_parser = media_kind)]
    pub kind: Vec<MediaKind>,
    /// Links from a seed at most.
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,
    /// Stop after this page was visited.
    #[arg(long, value_name = "URL")]
    pub until: Option<Url>,
    /// Pages of one task [default: 1000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub task_pages: Option<u64>,
    /// Stop after this many pages; their media are still collected.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_pages: Option<u64>,
    /// Stop after this time, such as 30m.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub max_time: Option<Duration>,
    /// Stop after this many bytes, such as 2GB.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub max_bytes: Option<u64>,
    /// Stop when less is free on the disk [default: 500MB].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub min_free_disk: Option<u64>,
    /// Between two requests to one host [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub delay: Option<Duration>,
    /// Requests in flight over all hosts; 1 makes the order exact [default: 64].
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub concurrency: Option<usize>,
    /// Where site owners reach you; sent with every request.
    #[arg(long, value_name = "MAIL|URL")]
    pub contact: Option<String>,
    /// Ask this address for hosts that match, such as '*.lab.test=127.0.0.1:8080'.
    #[arg(long, value_name = "PATTERN=ADDR:PORT", value_parser = resolve_rule)]
    pub resolve: Vec<ResolveRule>,
    /// Admit private addresses for the hosts of the seeds.
    #[arg(long)]
    pub allow_private: bool,
    /// Trust the certificates in this PEM file too.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird crawls
  bowerbird crawls example --log 50")]
pub struct Crawls {
    /// Only this crawl, with what went wrong in it.
    pub name: Option<String>,
    /// How many lines of its log.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub log: usize,
}

#[derive(Args)]
pub struct Stats {
    /// How many hosts to list.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub hosts: usize,
}

#[derive(Args)]
pub struct Demo {
    /// Pages to crawl.
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u64).range(1..))]
    pub pages: u64,
    /// The number the web is made from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub number: u64,
}

#[derive(Subcommand)]
pub enum Lab {
    /// Serve a made web with known truth on one loopback port, until interrupted.
    #[command(after_help = "Prints one line of JSON when it listens. Then, for example:
  bowerbird crawl SEED --resolve '*.lab.test=127.0.0.1:PORT' --ca lab-ca.pem
  curl 'http://127.0.0.1:PORT/.lab/truth?url=SEED'
  curl http://127.0.0.1:PORT/.lab/log")]
    Web(LabWeb),
}

#[derive(Args)]
pub struct LabWeb {
    /// The number the web is made from: the same number, the same web.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub number: u64,
    /// Hosts with pages.
    #[arg(long, value_name = "N")]
    pub hosts: Option<u32>,
    /// Pages over all hosts.
    #[arg(long, value_name = "N")]
    pub pages: Option<u64>,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Write the certificate of the web's own authority here, for `crawl --ca`.
    #[arg(long, value_name = "FILE")]
    pub ca_out: Option<PathBuf>,
}

fn media_kind(text: &str) -> Result<MediaKind, String> {
    MediaKind::parse(text).ok_or_else(|| format!("'{text}' is not one of image, video, audio"))
}

fn resolve_rule(text: &str) -> Result<ResolveRule, String> {
    ResolveRule::parse(text).map_err(|error| error.to_string())
}
