//! What can be asked of the program. A contract: scripts depend on it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use crawl::Mode;
use crawl::quantity::{parse_bytes, parse_duration};
use facts::{LatLon, MediaKind, Timestamp, Url};
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
    /// A PostgreSQL database that library and queue are in, shared with other machines: postgres://USER@HOST/NAME.
    #[arg(
        long,
        global = true,
        help_heading = "Everywhere",
        value_name = "URL",
        env = "BOWERBIRD_DATABASE",
        hide_env_values = true
    )]
    pub database: Option<String>,
    /// A bucket that files go to instead of the data directory: s3://BUCKET/PREFIX. The library remembers it;
    /// service and keys are named by AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, global = true, help_heading = "Everywhere", value_name = "URL", env = "BOWERBIRD_MEDIA")]
    pub media: Option<String>,
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
    /// Pictures for a question, now: collected from the web within a time.
    Find(Box<Find>),
    /// List the crawls of the library, or what went wrong in one of them.
    Crawls(Crawls),
    /// Figures of the library.
    Stats(Stats),
    /// Find the places that a text mentions.
    Geoparse(Geoparse),
    /// Bring finer data of your own: more places, postcodes, streets, houses.
    Gazetteer {
        #[command(subcommand)]
        gazetteer: GazetteerTask,
    },
    /// Say what is in media files: format, size, metadata, location.
    Inspect(Inspect),
    /// Add local media to the library as if they had been crawled.
    Import(Import),
    /// Look in the library: by words, place, kind, date and host.
    Search(Search),
    /// Find by example: what looks or sounds alike, copies, the whole of a part, the best copy.
    Similar(Similar),
    /// List what is in the library more than once: the same file, or what looks or sounds the same.
    Duplicates(DuplicatesOrder),
    /// Write the library in a format that other programs read.
    Export(Export),
    /// Remove a host, a page or a media file from the library, and never fetch it again.
    Forget(Forget),
    /// Serve the web page and its API, and run the crawls that are started there.
    Serve(Serve),
    /// Work on the crawls of a shared database, beside other machines.
    Worker(Worker),
    /// Move a library from a data directory to a shared database, or back.
    Migrate(Migrate),
    /// Watch sites on this machine, and tell crawlers what changed.
    Watch(Box<Watch>),
    /// Crawls that begin by themselves, while `serve` runs.
    Schedule {
        #[command(subcommand)]
        schedule: Schedule,
    },
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

/// How exactly a place must be named.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Granularity {
    /// By an address or coordinates.
    #[default]
    Address,
    /// By its name.
    Place,
}

impl From<Granularity> for geo::Granularity {
    fn from(granularity: Granularity) -> Self {
        match granularity {
            Granularity::Address => Self::Address,
            Granularity::Place => Self::Place,
        }
    }
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

impl Switch {
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

/// How the strategy weighted weighs links.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "For --strategy weighted")]
pub struct Weighing {
    /// Read a site before the next is begun [default: off].
    #[arg(long, value_enum)]
    pub same_site_first: Option<Switch>,
    /// Words that many links have count less, also those that are looked for [default: off].
    #[arg(long, value_enum)]
    pub idf: Option<Switch>,
    /// Words of a page's title and headings count more [default: on].
    #[arg(long, value_enum)]
    pub headings: Option<Switch>,
    /// Forms of a word are one, in the language of the page [default: on].
    #[arg(long, value_enum)]
    pub stemming: Option<Switch>,
    /// What an address weighs that several links lead to: as much as the best, more with each, or the mean
    /// of both [default: own].
    #[arg(long, value_name = "own|inlinks|both", value_parser = vertex)]
    pub vertex: Option<strategy::VertexWeight>,
    /// What describes a link, after its title: what stands around it, its own text, or all of it [default:
    /// around].
    #[arg(long, value_name = "around|text|all", value_parser = link_words)]
    pub link_words: Option<strategy::LinkWords>,
}

impl Weighing {
    /// What the command line says goes over what the settings say.
    pub fn over(self, settings: &mut strategy::Weighting) {
        let switched = |setting: &mut bool, given: Option<Switch>| *setting = given.map_or(*setting, Switch::is_on);
        switched(&mut settings.same_site_first, self.same_site_first);
        switched(&mut settings.idf, self.idf);
        switched(&mut settings.headings, self.headings);
        switched(&mut settings.stemming, self.stemming);
        settings.vertex = self.vertex.unwrap_or(settings.vertex);
        settings.link_words = self.link_words.unwrap_or(settings.link_words);
    }
}

fn vertex(text: &str) -> Result<strategy::VertexWeight, String> {
    let found = strategy::VertexWeight::ALL.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, vertex)| vertex).ok_or_else(|| "give own, inlinks or both".into())
}

fn link_words(text: &str) -> Result<strategy::LinkWords, String> {
    let found = strategy::LinkWords::ALL.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, words)| words).ok_or_else(|| "give around, text or all".into())
}

/// Which files are kept, and with what.
#[derive(Args, Clone, Default)]
pub struct Keeping {
    /// Which images are kept: photographs by their sides, all but icons and banners, JPEG and PNG for
    /// a database, or all [default: photo when crawling, all when importing].
    #[arg(long, value_enum)]
    pub keep: Option<Keep>,
    /// Keep only what says where it was made.
    #[arg(long)]
    pub only_located: bool,
    /// Make no thumbnails.
    #[arg(long)]
    pub no_thumbnails: bool,
}

impl Keeping {
    /// What the command line says goes over what the settings say.
    pub fn over(self, settings: &mut crawl::Keep) {
        if let Some(preset) = self.keep {
            settings.preset = preset.into();
        }
        settings.only_located |= self.only_located;
        if self.no_thumbnails {
            settings.thumbnail_size = 0;
        }
    }
}

/// A set of keep rules.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Keep {
    /// At least 400 × 400, with the sides of a photograph, no logos or banners by name.
    Photo,
    /// At least 70 × 70, neither long nor narrow; thumbnails give way to what they link to.
    Query,
    /// JPEG and PNG wider than 350, neither long nor narrow.
    Database,
    /// Every picture that can be read.
    All,
}

impl From<Keep> for media::Preset {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Photo => Self::Photo,
            Keep::Query => Self::Query,
            Keep::Database => Self::Database,
            Keep::All => Self::All,
        }
    }
}

#[derive(Args, Default)]
#[command(after_help = "Examples:
  bowerbird crawl https://www.oldenburg.de/ --region Oldenburg
  bowerbird crawl https://example.org/ --region 53.14,8.21,15 --max-pages 200
  bowerbird crawl https://example.org/ --scope domain --name example --max-time 30m
  bowerbird crawl https://example.org/ --strategy weighted --query 'airplane museum'
  bowerbird crawl --region Rauma --via searxng=https://search.example.org
  bowerbird crawl --resume example
  bowerbird crawl --resume example --revisit uniform
  bowerbird crawl https://example.org/ --include '*/gallery/*' --exclude '*print=1*' --lang de,en

Without a SEED, start pages are asked for at the sources of `bowerbird find`: pages about --query, or else about
--region.

Ctrl-c stops cleanly. The same command with the same --name goes on where it stopped; after a run
that came to its end it starts a new one from the best link that waits. Without any limit a run is
one task of --task-pages pages.

A run also visits again what has probably changed since; --revisit says what. What did not change
costs one short request, and what is not there any more is marked as gone.

Patterns are matched against the whole address; * stands for anything.")]
pub struct Crawl {
    /// Start pages; without any, pages about the query or the region.
    #[arg(value_name = "SEED")]
    pub seeds: Vec<String>,
    /// The crawl's name; without it, the host of the first seed.
    #[arg(long)]
    pub name: Option<String>,
    /// Go on with the crawl of that name, with the settings it has.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["name", "seeds"])]
    pub resume: Option<String>,
    /// The region of interest: pages with an address there are relevant.
    #[arg(long, value_name = "NAME|LAT,LON,KM|FILE.geojson", allow_hyphen_values = true)]
    pub region: Option<String>,
    /// How exactly a page must name a place to be relevant [default: address].
    #[arg(long, value_enum)]
    pub granularity: Option<Granularity>,
    /// The order of visits [default: geo].
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(strategy::NAMES))]
    pub strategy: Option<String>,
    /// What is looked for, in words: --strategy weighted goes by it.
    #[arg(long, value_name = "WORDS")]
    pub query: Option<String>,
    /// Without a SEED, what names pages to start from, as for `bowerbird find` [default: index,wikimedia].
    #[arg(long, value_delimiter = ',', value_name = "SOURCE,…", value_parser = sources::parse_via)]
    pub via: Vec<sources::SourceSettings>,
    /// Start with what the crawl of that name has learnt of links.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Whether geo and weighted prefer where photographs were found before [default: on].
    #[arg(long, value_enum)]
    pub prior: Option<Switch>,
    /// Do not look for places in words.
    #[arg(long)]
    pub no_places: bool,
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
    #[command(flatten)]
    pub keeping: Keeping,
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
    /// Which known pages are visited again: never, uniform (all), proportional (those that have
    /// probably changed), top-levels:N (those near the start pages), watcher (those that the site
    /// reports) [default: proportional].
    #[arg(long, value_name = "POLICY", value_parser = str::parse::<crawl::Revisit>)]
    pub revisit: Option<crawl::Revisit>,
    /// Whether pages are shown in a browser (Chromium) and what their scripts bring is read too: never, auto
    /// (pages that say little without them, and what a site's watcher reports), always [default: auto].
    #[arg(long, value_name = "never|auto|always", value_parser = render_mode)]
    pub render: Option<crawl::Render>,
    /// Between two requests to one host [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub delay: Option<Duration>,
    /// Requests in flight over all hosts; 1 makes the order exact [default: 64].
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub concurrency: Option<usize>,
    /// Where site owners reach you; sent with every request.
    #[arg(long, value_name = "MAIL|URL")]
    pub contact: Option<String>,
    #[command(flatten)]
    pub reach: Reach,
    #[command(flatten)]
    pub weighing: Weighing,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird find 'Neuschwanstein Castle -toy'
  bowerbird find '\"old town\" Rauma' --time 1m --keep 20
  bowerbird find harbour --via searxng=https://search.example.org,index --json
  bowerbird find castle --via urls=https://example.org/sitemap.xml

Words and operators: castle (also castles), +castle (exactly this form), -toy (no page with it), \"old town\"
(in a row), ~castle (also what means the same), castle OR palace, site:example.org, link:URL (pages that link
to it), related:URL (pages whose words are like those of that page). What was understood is said back.

Sources name the pages to start from: index (the own library), wikimedia, wikimedia=WIKI, searxng=URL,
opensearch=URL (of a description), brave (with BOWERBIRD_BRAVE_KEY), urls=FILE or urls=URL (addresses, a
sitemap or a feed). Several are mixed by rank; one that fails is told, and the others go on. They can be kept
in --config under [find]. A service on a private network, or on this machine, needs --allow-private.

Nothing is kept but what --keep puts into the library. With --json one object a result is printed, the best
first, and then the summary; --live also prints results as they are found, marked with \"final\": false.")]
pub struct Find {
    /// What the pictures should show.
    #[arg(value_name = "QUERY", required = true)]
    pub query: Vec<String>,
    /// How long to collect [default: 30s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time: Option<Duration>,
    /// Between two requests to one host [default: 200ms].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub delay: Option<Duration>,
    /// Requests in flight over all hosts [default: 80].
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=512))]
    pub concurrency: Option<usize>,
    /// How long a host may take to answer [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// What names pages to start from [default: index,wikimedia].
    #[arg(long, value_delimiter = ',', value_name = "SOURCE,…", value_parser = sources::parse_via)]
    pub via: Vec<sources::SourceSettings>,
    /// How many results to print.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub top: usize,
    /// Put so many of the best into the library.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=1_000))]
    pub keep: usize,
    /// With --json, also print results as they are found.
    #[arg(long)]
    pub live: bool,
    /// Follow the links of every page, also where the words stand only in link texts.
    #[arg(long)]
    pub all_links: bool,
    /// Words that mean the same, for ~word: a file with one group a line, commas between.
    #[arg(long, value_name = "FILE")]
    pub synonyms: Option<PathBuf>,
    /// Where site owners reach you; sent with every request.
    #[arg(long, value_name = "MAIL|URL")]
    pub contact: Option<String>,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird crawls
  bowerbird crawls example --log 50")]
pub struct Crawls {
    /// Only this crawl, with what changed when it came again and what went wrong.
    pub name: Option<String>,
    /// How many lines of each.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub log: usize,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird geoparse article.txt
  echo 'They met in Paris, Texas.' | bowerbird geoparse --json
  curl -s https://example.org/contact | bowerbird geoparse --html --region Oldenburg
  bowerbird geoparse --lines --region 53.14,8.21,15 < corpus.jsonl

Places in the text are counted in code points from its beginning. A region is a name (\"Springfield,
Illinois\"), LAT,LON,KM, SOUTH,WEST,NORTH,EAST, or a GeoJSON file. With --lines each line is an object
with id and text, perhaps language and country, and so is each answer.")]
pub struct Geoparse {
    /// The text; - or nothing reads from stdin.
    #[arg(value_name = "FILE|-")]
    pub file: Option<String>,
    /// The text is HTML: read what it shows and its structured data.
    #[arg(long)]
    pub html: bool,
    /// With --html, also give the text that the page shows.
    #[arg(long, requires = "html")]
    pub with_text: bool,
    /// Whether the text is about this region; also decides between places of one name.
    #[arg(long, value_name = "NAME|LAT,LON,KM|FILE.geojson", allow_hyphen_values = true)]
    pub region: Option<String>,
    /// How exactly a place must be said to make the text relevant.
    #[arg(long, value_enum, default_value_t)]
    pub granularity: Granularity,
    /// The language of the text, such as de [default: guessed].
    #[arg(long, value_name = "LANG")]
    pub lang: Option<String>,
    /// The country it probably speaks of, such as DE.
    #[arg(long, value_name = "COUNTRY")]
    pub country: Option<String>,
    /// Read one JSON object a line and answer one a line.
    #[arg(long, conflicts_with = "html")]
    pub lines: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird inspect photo.jpg
  bowerbird inspect --json *.heic | jq '.[].location'
  bowerbird inspect https://example.org/photo.jpg")]
pub struct Inspect {
    /// Files or addresses.
    #[arg(value_name = "FILE|URL", required = true)]
    pub files: Vec<String>,
    /// Say how it looks, in numbers.
    #[arg(long)]
    pub descriptors: bool,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird import ~/Pictures
  bowerbird import holiday.jpg film.mp4 --only-located

Files stay where they are. The same command goes on where an import was stopped, and passes over
what has not changed since.")]
pub struct Import {
    /// Files and folders.
    #[arg(value_name = "DIR|FILE", required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub keeping: Keeping,
    /// Kinds of media to take.
    #[arg(long, value_delimiter = ',', value_name = "image,video,audio", value_parser = media_kind)]
    pub kind: Vec<MediaKind>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird duplicates
  bowerbird duplicates --json | jq -r '.groups[].copies[] | select(.why == \"near\").file'

First comes the original of a group: the largest, then the one that says most of itself. Nothing is
deleted. Reasons: bytes, pixels (the same picture in another file), near (made from it), video, audio.")]
pub struct DuplicatesOrder {
    /// Groups to list at most.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub top: usize,
}

/// A format other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One FeatureCollection, for map programs.
    Geojson,
    /// A table, for spreadsheets.
    Csv,
    /// One JSON object a line, with every page each file was found on.
    Jsonl,
    /// Placemarks, for Google Earth and the like.
    Kml,
    /// Waypoints, for navigation devices.
    Gpx,
    /// A tar archive with the files, their records and captions, for programs that train on them.
    Webdataset,
}

impl From<ExportFormat> for export::Format {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Geojson => Self::GeoJson,
            ExportFormat::Csv => Self::Csv,
            ExportFormat::Jsonl => Self::Jsonl,
            ExportFormat::Kml => Self::Kml,
            ExportFormat::Gpx => Self::Gpx,
            ExportFormat::Webdataset => Self::WebDataset,
        }
    }
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird export --format geojson --located --out places.geojson
  bowerbird export --format csv --near 60.17,24.94 --within 10km
  bowerbird export --format kml --place 'Oldenburg, Lower Saxony' --out oldenburg.kml
  bowerbird export --format jsonl --kind image --since 2026-01-01 | jq .licence
  bowerbird export --format geojson --kind page --out addresses.geojson
  bowerbird export --format webdataset --out bridges.tar 'bridge license:open'

KML and GPX have only what has a place. Pages are written with all their places: one line a page in
jsonl, one entry a place in csv and geojson, and in kml and gpx one for each place that is given by
an address or coordinates, or lies in the region of a crawl. Cells of a table that a spreadsheet
would take for a formula begin with an apostrophe.")]
pub struct Export {
    /// Only what has these words; operators as `bowerbird search --help` explains them.
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// The format.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Write to this file instead of stdout; it appears when it is complete.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub filter: Filter,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird search harbour
  bowerbird search 'old bridge -night' --place Oldenburg
  bowerbird search --near 60.17,24.94 --within 10km --kind image
  bowerbird search --kind page --place 'Springfield, Illinois' --json | jq '.results[].places'
  bowerbird search --since 2026-01-31 --located --top 10

Words and operators:
  bridge             also bridges, whatever the case and accents; a word that nobody has stands for one
                     that is nearly spelt so; the last one may be the start of a word
  +bridge            exactly this form
  -night             not this word
  ~bridge            also words that mean the same, as --synonyms or the settings of the server list them
  \"old town\"         these words in a row
  bridge OR ferry    one of both; brackets put words together: (a b) OR c
  site:example.org   from this host, or found on its pages
  kind:image         or video, audio, page
  place:Kiel         in this place; place:\"Bad Ischl\"
  near:60.17,24.94,5 within 5 km of this point; near:Kiel,5 of this place
  after:2020-06-30   came in that day or later; before:2021 before that year
  license:open       Creative Commons or public domain

All words must be there. Near a point, the nearest comes first, with words what fits best, otherwise what
came in first. What was understood is said back. Pages are those relevant to the region of a crawl, with
all their places; --all lists every page that speaks of a place.")]
pub struct Search {
    /// Words that are looked for in titles, descriptions, captions, key words, places, hosts, and what pages
    /// say of themselves; with operators, as below.
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// Words that mean the same, for ~word: a file with one group a line, commas between.
    #[arg(long, value_name = "FILE")]
    pub synonyms: Option<PathBuf>,
    #[command(flatten)]
    pub filter: Filter,
    /// How many results.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    pub top: usize,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird similar photo.jpg --at-least 60%
  bowerbird similar https://example.org/photo.jpg --mode better
  bowerbird similar clip.mp4 --mode whole --json | jq '.results[0].file'

`similar` lists what is most alike, `exact` all copies, `whole` the complete film or sound of a part, or
the picture of a crop that keeps 70 % of its area, `better` the copies with the best first: more pixels,
lossless, a higher bit rate, longer.")]
pub struct Similar {
    /// A file, an address, or the id of an item.
    #[arg(value_name = "FILE|URL|ID")]
    pub example: String,
    /// What is looked for.
    #[arg(long, value_name = "similar|exact|whole|better", default_value = "similar", value_parser = mode)]
    pub mode: Mode,
    /// Only what is at least so similar in itself, such as 50%.
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    pub at_least: f64,
    /// How many results.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000))]
    pub top: usize,
    #[command(flatten)]
    pub reach: Reach,
}

fn mode(text: &str) -> Result<Mode, String> {
    let found = Mode::ALL.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, mode)| mode).ok_or_else(|| "give similar, exact, whole or better".into())
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    number.filter(|number| (0.0..=100.0).contains(number)).ok_or_else(|| "give a share from 0% to 100%".into())
}

/// What can be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pictures, films or sounds.
    Media(MediaKind),
    /// Pages with their places.
    Page,
}

/// Which part of the library.
#[derive(Args)]
pub struct Filter {
    /// Also copies of others: searches find originals, exports write everything.
    #[arg(long)]
    pub copies: bool,
    /// Only what was made near this point, such as 60.17,24.94.
    #[arg(long, value_name = "LAT,LON", value_parser = point, requires = "within", allow_hyphen_values = true)]
    pub near: Option<LatLon>,
    /// How near, such as 10km.
    #[arg(long, value_name = "DISTANCE", value_parser = distance, requires = "near", allow_hyphen_values = true)]
    pub within: Option<f64>,
    /// Only what was made in this place, or speaks of it.
    #[arg(long, value_name = "NAME|LAT,LON,KM|FILE.geojson", allow_hyphen_values = true)]
    pub place: Option<String>,
    /// Only these kinds of media, or pages with their places [default: all media].
    #[arg(long, value_delimiter = ',', value_name = "image,video,audio|page", value_parser = kind)]
    pub kind: Vec<Kind>,
    /// With --kind page: every page that speaks of a place, relevant to a crawl's region or not.
    #[arg(long)]
    pub all: bool,
    /// Only what came in on this day or later, such as 2026-01-31.
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub since: Option<Timestamp>,
    /// Only what came in on this day or earlier.
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub until: Option<Timestamp>,
    /// Only what names a Creative Commons licence or the public domain.
    #[arg(long)]
    pub open_licence: bool,
    /// Only what this crawl found.
    #[arg(long, value_name = "NAME")]
    pub crawl: Option<String>,
    /// Only what has a place.
    #[arg(long)]
    pub located: bool,
    /// Only what came from this host, or was found on its pages.
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird forget example.org
  bowerbird forget https://example.org/photo.jpg

A media file goes with all its copies, wherever they were found. A page goes with the media that no
other page shows. A local file that was imported is named by its path; the file itself stays.")]
pub struct Forget {
    /// A host, the address of a page or media file, or an imported file.
    #[arg(value_name = "URL|HOST|FILE")]
    pub what: String,
}

/// How this machine reaches hosts.
#[derive(Args, Clone, Default)]
pub struct Reach {
    /// Ask this address for hosts that match, such as '*.lab.test=127.0.0.1:8080'.
    #[arg(long, value_name = "PATTERN=ADDR:PORT", value_parser = resolve_rule)]
    pub resolve: Vec<ResolveRule>,
    /// Admit private addresses for the hosts that are named.
    #[arg(long)]
    pub allow_private: bool,
    /// Trust the certificates in this PEM file too.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    #[command(flatten)]
    pub browser: Browser,
}

/// Which browser renders pages.
#[derive(Args, Clone, Debug, Default)]
pub struct Browser {
    /// Chromium, which renders pages [default: the one on PATH].
    #[arg(long, value_name = "FILE", env = "BOWERBIRD_CHROMIUM")]
    pub chromium: Option<PathBuf>,
    /// The user that Chromium runs as when this program runs as root [default: nobody].
    #[arg(long, value_name = "USER")]
    pub chromium_user: Option<String>,
    /// Chromium's own sandbox; off only where it cannot be had, for pages that can be trusted [default: on].
    #[arg(long, value_enum)]
    pub chromium_sandbox: Option<Switch>,
}

impl Browser {
    /// As it is run.
    pub fn settings(self) -> crawl::Browser {
        let usual = crawl::Browser::default();
        crawl::Browser {
            program: self.chromium,
            user: self.chromium_user.unwrap_or(usual.user),
            sandbox: self.chromium_sandbox.is_none_or(Switch::is_on),
            ..usual
        }
    }
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird serve
  bowerbird serve --listen 0.0.0.0:7700 --token-file token.txt --host-name birds.example.org
  BOWERBIRD_TOKEN=… bowerbird serve --listen 192.168.1.5:7700

On loopback nobody has to log in. Any other address needs a token: send it as
`Authorization: Bearer TOKEN`, or log in with it on the page. It travels as it is: put a proxy with
HTTPS in front where others can listen. A token on the command line is seen by everyone who can list
processes; a file or the environment is not. Ctrl-c stops crawls cleanly; the page resumes them.")]
pub struct Serve {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7700")]
    pub listen: SocketAddr,
    /// The token that allows everything.
    #[arg(long, value_name = "TOKEN", env = "BOWERBIRD_TOKEN", hide_env_values = true, conflicts_with = "token_file")]
    pub token: Option<String>,
    /// A file with the token that allows everything.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The token that allows to look.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BOWERBIRD_READ_TOKEN",
        hide_env_values = true,
        conflicts_with = "read_token_file"
    )]
    pub read_token: Option<String>,
    /// A file with the token that allows to look.
    #[arg(long, value_name = "FILE")]
    pub read_token_file: Option<PathBuf>,
    /// A further name the server goes by, such as that of a proxy; may be given more than once.
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
    #[command(flatten)]
    pub reach: Reach,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird migrate --from ./bowerbird-data --to postgres://birds@db/birds
  bowerbird migrate --from ./bowerbird-data --to postgres://birds@db/birds --media s3://birds/media
  bowerbird migrate --from postgres://birds@db/birds --to ./here --media ./here/media

Nobody may work in either home meanwhile. What is there is compared by counts and hashes. The same command
goes on where one was stopped. The old home stays as it is. Files go where --media says; without it they
stay where they are, but for those that go from one directory to another.")]
pub struct Migrate {
    /// A data directory, or postgres://USER@HOST/NAME.
    #[arg(long, value_name = "HOME")]
    pub from: String,
    /// Likewise; a new or empty one.
    #[arg(long, value_name = "HOME")]
    pub to: String,
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird crawl https://example.org/ --database postgres://birds@db/birds
  bowerbird worker --database postgres://birds@db/birds
  BOWERBIRD_DATABASE=postgres://birds@db/birds bowerbird worker --role media

Any number of workers, on any machines, join every crawl that runs in the database. A host has one
request at a time over all of them. Ctrl-c or SIGTERM lets what is under way land and leaves; what a
worker that died was at is taken over when its lease has run out. Files go to --media, a bucket, or to
--data: then let the workers share that directory.")]
pub struct Worker {
    /// What to do: everything, or only describe what was kept and find copies.
    #[arg(long, value_enum, default_value = "all")]
    pub role: Role,
    /// After how long without a sign of life others take over.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = lease)]
    pub lease: Duration,
    #[command(flatten)]
    pub reach: Reach,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Crawl, and describe what comes in.
    All,
    /// Describe what was kept, and find copies.
    Media,
}

/// A lease that signs of life can keep.
fn lease(text: &str) -> Result<Duration, String> {
    let lease = parse_duration(text)?;
    match (Duration::from_secs(1)..=Duration::from_secs(3600)).contains(&lease) {
        true => Ok(lease),
        false => Err("a lease is at least a second and at most an hour".into()),
    }
}

#[derive(Args)]
#[command(after_help = "Examples:
  bowerbird watch --site https://example.org/=/var/www/html --listen 127.0.0.1:7710
  bowerbird watch --site https://a.org/=/srv/a --site https://b.org/=/srv/b --rush 8-18 --reset 6h
  bowerbird watch --site https://example.org/=https://example.org/sitemap.xml
  bowerbird watch --site https://example.org/=/var/www/html \\
    --report /var/www/html/.well-known/bowerbird-watcher.json --access-log /var/log/nginx/access.log

Crawlers find the report at /.well-known/bowerbird-watcher.json of the site: let the web server pass
that address on to --listen, or serve the file that --report names. docs/watcher.md says how, and what
is in it. Pages that ask for a password, and folders that .htaccess locks, are not reported; links
inside the folder are not followed. What was seen is kept in --state and survives any kind of end.")]
pub struct Watch {
    /// A site: its main address, and its folder or its sitemap; may be given more than once.
    #[arg(long, value_name = "URL=DIR|URL=SITEMAP", required = true, value_parser = site)]
    pub site: Vec<::watch::Site>,
    /// Where crawlers, or a web server on their behalf, ask; port 0 takes a free one.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7710")]
    pub listen: SocketAddr,
    /// Write the report to this file instead of listening; {host} stands for the host of the site.
    #[arg(long, value_name = "FILE", conflicts_with = "listen")]
    pub report: Option<PathBuf>,
    /// The web server's log: a crawler that took the report sets the flag.
    #[arg(long, value_name = "FILE", requires = "report")]
    pub access_log: Option<PathBuf>,
    /// When the next crawler may come: on any change, or after a time in which something changed.
    #[arg(long, value_name = "event|TIME", default_value = "event", value_parser = reset)]
    pub reset: ::watch::Reset,
    /// Hours of the day, local time, in which links are not read and pages not ranked.
    #[arg(long, value_name = "FROM-TO", value_parser = ::watch::Rush::parse_hours)]
    pub rush: Option<(u8, u8)>,
    /// The same while the load average is higher.
    #[arg(long, value_name = "LOAD", value_parser = load)]
    pub rush_load: Option<f64>,
    /// How often folders are looked through, in case the system did not tell of a change.
    #[arg(long, value_name = "TIME", default_value = "6h", value_parser = parse_duration)]
    pub rescan: Duration,
    /// How often sitemaps are asked for.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    pub poll: Duration,
    /// The folder of what was seen [default: watch in the data directory].
    #[arg(long, value_name = "DIR")]
    pub state: Option<PathBuf>,
    /// Look once, write or print the report, and end.
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub reach: Reach,
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
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    pub pages: u64,
    /// Where to serve the page [default: 127.0.0.1:7700, or a free port when that is taken]
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<SocketAddr>,
    /// End when the crawl has ended, instead of serving the page until interrupted.
    #[arg(long)]
    pub once: bool,
    /// The number the web is made from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub number: u64,
}

#[derive(Subcommand)]
pub enum Schedule {
    /// Add a crawl to the timetable.
    #[command(after_help = "Examples:
  bowerbird schedule add '0 */6 * * *' -- crawl https://www.oldenburg.de/ --region Oldenburg
  bowerbird schedule add '30 3 * * 1' --zone Europe/Berlin -- crawl --resume oldenburg

The five fields are minute, hour, day of the month, month and weekday, as cron has them: * is any,
1-5 a range, 1,15 a list, */6 every sixth; a day counts when day of the month or weekday fits, if
both are given. @hourly, @daily, @weekly, @monthly and @yearly are understood too. The crawls begin while
`bowerbird serve` runs with the same --data; one that is still running is not started again.")]
    Add(ScheduleAdd),
    /// List the timetable, with when each is due next and what came of it last.
    List,
    /// Take a crawl out of the timetable; the crawl and what it found stay.
    Remove {
        /// Its number in the list, or its name.
        #[arg(value_name = "NUMBER|NAME")]
        which: String,
    },
}

#[derive(Args)]
pub struct ScheduleAdd {
    /// When: minute, hour, day of the month, month, weekday.
    #[arg(value_name = "CRON")]
    pub cron: String,
    /// The time zone that is meant, such as Europe/Helsinki.
    #[arg(long, default_value = "UTC")]
    pub zone: String,
    /// What happens with what was due while no server ran: noted as missed, or made up for once.
    #[arg(long, value_enum, default_value_t = CatchUp::Skip)]
    pub catch_up: CatchUp,
    /// What to call it; without it, the name of the crawl.
    #[arg(long)]
    pub name: Option<String>,
    /// The crawl, as on the command line.
    #[arg(last = true, required = true, value_name = "crawl …")]
    pub crawl: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum CatchUp {
    /// Noted as missed.
    Skip,
    /// One run makes up for all of it.
    Once,
}

#[derive(Subcommand)]
pub enum Lab {
    /// Serve a made web with known truth on one loopback port, until interrupted.
    #[command(after_help = "Prints one line of JSON when it listens. Then, for example:
  bowerbird crawl SEED --resolve '*.lab.test=127.0.0.1:PORT' --ca lab-ca.pem
  curl 'http://127.0.0.1:PORT/.lab/truth?url=SEED'
  curl http://127.0.0.1:PORT/.lab/log")]
    Web(LabWeb),
    /// Serve the hostile corner on a loopback port, until interrupted: hosts that mean harm to crawlers.
    #[command(after_help = "Prints one line of JSON when it listens. Then, for example:
  bowerbird crawl http://start.corner.lab.test/ --resolve '*.corner.lab.test=127.0.0.1:PORT'
  bowerbird crawls NAME")]
    Corner(LabCorner),
    /// Make an experiment and print its tables.
    #[command(after_help = experiments())]
    Experiment(LabExperiment),
}

fn experiments() -> String {
    let list = experiments::NAMES.iter().map(|(name, what)| format!("  {name:<12} {what}\n")).collect::<String>();
    format!(
        "Experiments:\n{list}
A number in brackets is the document whose figures stand beside ours.

--from DIR: a folder with HTML at its top is one site; otherwise each of its sub-folders is one. A
sub-folder named like a host is that host. Crawls start at the index.html nearest to the top. Nothing
outside of the folder is served, and nobody else is asked.

Examples:
  bowerbird lab experiment harvest --number 7 --max-pages 500
  bowerbird lab experiment harvest --from /usr/share/doc/debian-handbook/html --granularity place"
    )
}

#[derive(Args)]
pub struct LabExperiment {
    /// Which one.
    pub name: String,
    /// The number of the first made web.
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
    /// Pages of each crawl.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_pages: Option<u64>,
    /// A folder of files and what is true of them.
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// A folder of HTML files to crawl in the place of made webs.
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// What find looks for in that folder [default: the word that its first pages have most of].
    #[arg(long, value_name = "WORDS", requires = "from")]
    pub query: Option<String>,
    /// The region of interest: a name, LAT,LON,KM or SOUTH,WEST,NORTH,EAST [default: the town a made
    /// web is about, or every address].
    #[arg(long, value_name = "REGION", allow_hyphen_values = true)]
    pub region: Option<String>,
    /// How exactly a page must name a place to be relevant [default: address].
    #[arg(long, value_enum)]
    pub granularity: Option<Granularity>,
    /// Write the figures as JSON, and plots as SVG, to this folder.
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    pub out: PathBuf,
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
    /// Links and words tell of the topics of pages, and mislead as on the real web; each site has a domain of
    /// its own.
    #[arg(long)]
    pub topics: bool,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Write the certificate of the web's own authority here, for `crawl --ca`.
    #[arg(long, value_name = "FILE")]
    pub ca_out: Option<PathBuf>,
}

#[derive(Args)]
pub struct LabCorner {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
}

fn site(text: &str) -> Result<::watch::Site, String> {
    ::watch::Site::parse(text).map_err(|error| error.to_string())
}

fn reset(text: &str) -> Result<::watch::Reset, String> {
    match text {
        "event" => Ok(::watch::Reset::Event),
        time => {
            let after =
                parse_duration(time).map_err(|_| format!("'{text}' is neither 'event' nor a time such as 6h"))?;
            Ok(::watch::Reset::After(after))
        }
    }
}

fn load(text: &str) -> Result<f64, String> {
    let load = text.parse::<f64>().ok().filter(|load| load.is_finite() && *load >= 0.0);
    load.ok_or_else(|| format!("'{text}' is not a load: write it like 1.5"))
}

fn point(text: &str) -> Result<LatLon, String> {
    let wrong = || format!("'{text}' is not a point: write it like 60.17,24.94 (latitude, longitude)");
    let (lat, lon) = text.split_once(',').ok_or_else(wrong)?;
    let (lat, lon) = (lat.trim().parse().map_err(|_| wrong())?, lon.trim().parse().map_err(|_| wrong())?);
    LatLon::new(lat, lon).ok_or_else(wrong)
}

/// Metres.
fn distance(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is not a distance: write it like 500m or 10km");
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("km") {
        Some(number) => (number, 1000.0),
        None => (text.strip_suffix('m').ok_or_else(wrong)?, 1.0),
    };
    let metres = number.trim().parse::<f64>().map_err(|_| wrong())? * unit;
    if metres.is_finite() && metres > 0.0 { Ok(metres) } else { Err(wrong()) }
}

fn date(text: &str) -> Result<Timestamp, String> {
    let date = media::Taken::parse(text).ok_or_else(|| format!("'{text}' is not a date: write it like 2026-01-31"))?;
    Ok(date.timestamp())
}

fn kind(text: &str) -> Result<Kind, String> {
    match text {
        "page" => Ok(Kind::Page),
        _ => MediaKind::parse(text)
            .map(Kind::Media)
            .ok_or_else(|| format!("'{text}' is not one of image, video, audio, page")),
    }
}

fn render_mode(text: &str) -> Result<crawl::Render, String> {
    let named = crawl::Render::NAMES.iter().find(|(name, _)| *name == text);
    named.map(|(_, mode)| *mode).ok_or_else(|| "it is never, auto or always".to_owned())
}

fn media_kind(text: &str) -> Result<MediaKind, String> {
    MediaKind::parse(text).ok_or_else(|| format!("'{text}' is not one of image, video, audio"))
}

fn resolve_rule(text: &str) -> Result<ResolveRule, String> {
    ResolveRule::parse(text).map_err(|error| error.to_string())
}

/// What is done with finer data.
#[derive(Debug, clap::Subcommand)]
pub enum GazetteerTask {
    /// Import dumps of GeoNames (allCountries.txt, alternateNamesV2.txt, postal codes) and extracts of
    /// OpenStreetMap (.osm.pbf). What was imported before is replaced: give all files together.
    Import(ImportGazetteer),
    /// Say what was imported.
    Show,
}

/// What is imported.
#[derive(Debug, clap::Args)]
pub struct ImportGazetteer {
    /// The files; a damaged one changes nothing.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}
