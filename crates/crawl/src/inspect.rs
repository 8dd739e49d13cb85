//! What is in a media file, here or on the web.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use facts::{MediaId, MediaKind, Timestamp, Url};
use fetch::{Accept, Fetcher, Request};
use media::{Descriptor, Facts, Probe, Unreadable, Wants};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::describe::{Likeness, look_at, pixels_of};
use crate::settings::{Limits, Manners};

/// Files up to this size are read as a whole; of larger ones, which are films, the ends.
const READ_WHOLE: u64 = 64 << 20;
/// Bytes hashed at a time.
const PIECE: usize = 1 << 20;
/// Redirects that are followed.
const HOPS: usize = 10;

/// What is in a media file, in the shape scripts know.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Inspection {
    /// The file or address, as it was named.
    pub file: String,
    /// `image`, `video` or `audio`.
    pub kind: Option<&'static str>,
    /// `jpeg`, `png`, `mp4` …
    pub format: Option<&'static str>,
    /// Bytes.
    pub size: Option<u64>,
    /// Columns of pixels, as stored.
    pub width: Option<u32>,
    /// Rows of pixels, as stored.
    pub height: Option<u32>,
    /// Seconds.
    pub duration: Option<f64>,
    /// When it was made, as it says.
    pub taken: Option<String>,
    /// Who made the camera.
    pub make: Option<String>,
    /// The camera.
    pub model: Option<String>,
    /// How to hold the stored pixels, as EXIF counts.
    pub orientation: Option<u8>,
    /// Where it says it was made.
    pub location: Option<InspectedLocation>,
    /// Why the location it names is not believed.
    pub wrong_location: Option<&'static str>,
    /// Names of the place.
    pub place_names: Option<media::PlaceNames>,
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its key words.
    pub keywords: Vec<String>,
    /// Its licence, or the notice of copyright.
    pub licence: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// Its hashes.
    pub hashes: Hashes,
    /// How a picture looks, in numbers; when asked for.
    pub descriptors: Option<BTreeMap<String, Vec<f32>>>,
    /// Films and sounds: how many moments it is found by.
    pub fingerprint: Option<usize>,
    /// Why it could not be looked at or listened to.
    pub undescribed: Option<String>,
    /// Why nothing is known of it.
    pub error: Option<String>,
    /// Whether the file could be read at all.
    #[serde(skip)]
    pub readable: bool,
}

/// Where a file says it was made.
#[derive(Clone, Debug, Serialize)]
pub struct InspectedLocation {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// Metres above the sea.
    pub altitude: Option<f64>,
    /// Where the camera looked, in degrees from north, clockwise.
    pub direction: Option<f64>,
    /// Which part of the file says so.
    pub source: &'static str,
    /// What is there, in words.
    pub place: Option<String>,
    /// The town.
    pub town: Option<String>,
    /// The first-order area.
    pub admin1: Option<String>,
    /// The country, as a two-letter code.
    pub country: Option<String>,
}

impl From<media::Location> for InspectedLocation {
    fn from(location: media::Location) -> Self {
        let facts::Locality { place, town, admin1, country } = geo::locality(location.at);
        Self {
            lat: location.at.lat(),
            lon: location.at.lon(),
            altitude: location.altitude,
            direction: location.direction,
            source: location.source.as_str(),
            place: Some(place).filter(|place| !place.is_empty()),
            town,
            admin1,
            country,
        }
    }
}

/// Hashes of a file. `pixels` and `phash` are those of pictures that can be decoded.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Hashes {
    /// Of its bytes.
    pub sha256: Option<String>,
    /// SHA-256 of its size and decoded pixels, the right way up.
    pub pixels: Option<String>,
    /// 256 bits of how it looks, in hexadecimal digits.
    pub phash: Option<String>,
}

impl Inspection {
    fn failed(file: String, error: impl ToString) -> Self {
        Self { file, error: Some(error.to_string()), ..Self::default() }
    }

    fn new(file: String, size: u64, id: MediaId, facts: Result<Facts, Unreadable>) -> Self {
        let hashes = Hashes { sha256: Some(id.to_string()), ..Hashes::default() };
        let bare = Self { file, size: Some(size), hashes, readable: true, ..Self::default() };
        let facts = match facts {
            Ok(facts) => facts,
            Err(unreadable) => return Self { error: Some(unreadable.to_string()), ..bare },
        };
        Self {
            kind: Some(facts.format.kind.as_str()),
            format: Some(facts.format.name),
            width: facts.width,
            height: facts.height,
            duration: facts.duration.map(|duration| duration.as_secs_f64()),
            taken: facts.taken.map(|taken| taken.to_string()),
            make: facts.make,
            model: facts.model,
            orientation: Some(facts.orientation),
            location: facts.location.map(InspectedLocation::from),
            wrong_location: facts.wrong_location.map(media::WrongLocation::as_str),
            place_names: Some(facts.place_names).filter(|names| !names.is_empty()),
            title: facts.title,
            description: facts.description,
            keywords: facts.keywords,
            licence: facts.licence,
            author: facts.author,
            ..bare
        }
    }
}

/// Looks into a file; with its descriptors, when they are wanted. Blocking.
pub fn inspect_file(path: &Path, descriptors: bool, now: Timestamp) -> Inspection {
    let name = path.display().to_string();
    match examine_file(path, now) {
        Ok(Examined { size, id, facts, .. }) => {
            let kind = facts.as_ref().ok().map(|facts| facts.format.kind);
            let mut inspection = Inspection::new(name, size, id, facts);
            if let Some(kind) = kind {
                inspection.look(path, kind, descriptors);
            }
            inspection
        }
        Err(error) => Inspection::failed(name, error),
    }
}

impl Inspection {
    /// Adds what its pixels or samples say.
    fn look(&mut self, path: &Path, kind: MediaKind, descriptors: bool) {
        match look_at(path, kind) {
            Ok((Likeness::Picture(look), pixels)) => {
                let pixels = pixels.or_else(|| pixels_of(path).ok().flatten());
                self.hashes.pixels = pixels.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect());
                self.hashes.phash =
                    look.hashes().first().map(|hash| hash.bits.map(|part| format!("{part:016x}")).concat());
                let vectors = Descriptor::ALL.map(|one| (one.as_str().to_ascii_lowercase(), one.vector(&look)));
                self.descriptors = descriptors.then(|| vectors.into());
            }
            Ok((Likeness::Film(film), _)) => self.fingerprint = Some(film.hashes().count()),
            Ok((Likeness::Sound(sound), _)) => self.fingerprint = Some(sound.keys().count()),
            Err(why) => self.undescribed = Some(why.to_string()),
        }
    }
}

/// A file that was looked into.
pub(crate) struct Examined {
    pub size: u64,
    pub id: MediaId,
    pub facts: Result<Facts, Unreadable>,
    /// All of it, when it is small enough.
    pub bytes: Option<Vec<u8>>,
}

/// Hash and facts of a file, which is not held in memory when it is large.
pub(crate) fn examine_file(path: &Path, now: Timestamp) -> std::io::Result<Examined> {
    // Looked at before it is opened: opening a pipe waits for whoever writes to it.
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    let mut file = File::open(path)?;
    if about.len() <= READ_WHOLE {
        let mut bytes = Vec::with_capacity(about.len() as usize);
        // One that grows meanwhile is read as far as it was.
        file.take(READ_WHOLE).read_to_end(&mut bytes)?;
        let id = MediaId::from_sha256(Sha256::digest(&bytes).into());
        let facts = media::read_whole(&bytes, now);
        return Ok(Examined { size: bytes.len() as u64, id, facts, bytes: Some(bytes) });
    }
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut size = 0;
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            break;
        }
        size += read as u64;
        hash.update(&piece[..read]);
    }
    let facts = from_ends(&mut file, size, now)?;
    Ok(Examined { size, id: MediaId::from_sha256(hash.finalize().into()), facts, bytes: None })
}

/// The facts of a file that is too large to be read as a whole.
pub(crate) fn from_ends(
    file: &mut (impl Read + Seek),
    size: u64,
    now: Timestamp,
) -> std::io::Result<Result<Facts, Unreadable>> {
    let mut probe = Probe::new(Some(size));
    let mut part = |start: u64, most: u64| {
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes).map(|_| bytes)
    };
    loop {
        let have = probe.start().len();
        match probe.next() {
            Wants::Nothing => return Ok(probe.facts(now)),
            Wants::Head(end) => {
                let bytes = part(have as u64, (end - have) as u64)?;
                if bytes.is_empty() {
                    return Ok(probe.facts(now));
                }
                probe.head(&bytes);
            }
            Wants::Tail(last) => {
                let start = size.saturating_sub(last);
                probe.tail(start, &part(start, last)?);
            }
        }
    }
}

/// Looks into a file on the web, within the limits of a crawl.
pub async fn inspect_address(
    url: &Url,
    fetcher: &Fetcher,
    limits: &Limits,
    descriptors: bool,
    now: Timestamp,
) -> Inspection {
    let name = url.to_string();
    let bytes = match download(url.clone(), fetcher, limits).await {
        Ok(bytes) => bytes,
        Err(error) => return Inspection::failed(name, error),
    };
    let looked = tokio::task::spawn_blocking(move || {
        // Decoders of films want a file.
        let mut file = NamedTempFile::with_prefix("bowerbird-")?;
        file.write_all(&bytes)?;
        Ok(inspect_file(file.path(), descriptors, now))
    });
    match looked.await {
        Ok(Ok(inspection)) => Inspection { file: name, ..inspection },
        Ok(Err::<_, std::io::Error>(error)) => Inspection::failed(name, error),
        Err(broken) => Inspection::failed(name, broken),
    }
}

pub(crate) async fn download(mut url: Url, fetcher: &Fetcher, limits: &Limits) -> Result<bytes::Bytes, String> {
    for hop in 0..=HOPS {
        if hop > 0 {
            tokio::time::sleep(Manners::default().delay).await;
        }
        let request = Request { limit: limits.max_file, ..Request::new(url.clone(), Accept::Image) };
        let response = fetcher.send(request).await.map_err(|error| error.to_string())?;
        if let Some(target) = response.redirect() {
            url = target.map_err(|error| format!("redirects to a bad address: {error}"))?;
            continue;
        }
        if !(200..300).contains(&response.status) {
            return Err(format!("{} answered {}", url.host(), response.status));
        }
        return response.bytes().await.map_err(|error| error.to_string());
    }
    Err(format!("more than {HOPS} redirects in a row"))
}
