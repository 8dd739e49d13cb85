//! ffmpeg and ffprobe: what they are told, and what they tell of a file.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use media::Format;
use serde::Deserialize;

use crate::child::{Errand, Lead, Program};
use crate::{DecodeError, Limits};

pub(crate) const FFMPEG: Program = Program { name: "ffmpeg", package: "ffmpeg" };
const FFPROBE: Program = Program { name: "ffprobe", package: "ffmpeg" };

/// As much as ffprobe may say of a file.
const MOST_SAID: usize = 1 << 20;

/// Address space beside what is decoded: the libraries of ffmpeg, and its threads.
const OWN_MEMORY: u64 = 768 << 20;

/// A file as ffmpeg is given it.
pub(crate) struct Input {
    pub path: PathBuf,
    demuxer: &'static str,
}

impl Input {
    /// The file of this path, to be read as this format and no other: what a file says of itself
    /// to ffmpeg does not count, so that nothing is taken for a playlist that opens further files.
    pub fn new(path: &Path, format: Format) -> Result<Self, DecodeError> {
        let unreadable = |error: std::io::Error| DecodeError::Unreadable(error.to_string());
        let path = path.canonicalize().map_err(unreadable)?;
        let mut head = Vec::new();
        File::open(&path).and_then(|file| file.take(4).read_to_end(&mut head)).map_err(unreadable)?;
        let demuxer = match format.name {
            "mp4" | "mov" | "3gp" | "m4a" | "avif" | "heic" => "mov",
            "mkv" | "webm" | "mka" | "weba" => "matroska",
            // Pictures alone, without the packets of a programme around them.
            "mpeg" if head == b"\0\0\x01\xb3" => "mpegvideo",
            "mpeg" => "mpeg",
            "ts" => "mpegts",
            "wmv" => "asf",
            "ogv" | "ogg" | "opus" => "ogg",
            "avi" | "flv" | "mp3" | "aac" | "flac" | "wav" | "aiff" | "amr" => format.name,
            _ => return Err(DecodeError::Unsupported { format: format.name }),
        };
        Ok(Self { path, demuxer })
    }

    /// How both programs are told what to read, and how. `before` are options of the input.
    fn arguments(&self, before: &[&str]) -> Vec<OsString> {
        let guard = ["-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file,pipe,fd", "-f", self.demuxer];
        let mut arguments: Vec<OsString> = guard.iter().chain(before).map(OsString::from).collect();
        // With its protocol in front no path is taken for an option or an address.
        let mut name = OsString::from("file:");
        name.push(&self.path);
        arguments.extend([OsString::from("-i"), name]);
        arguments
    }

    /// Runs ffmpeg over it and hands on what it writes.
    pub fn decoded(
        &self,
        before: &[&str],
        after: &[&str],
        lead: Lead,
        each: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Option<DecodeError>, DecodeError> {
        let mut arguments = vec![OsString::from("-nostdin")];
        arguments.extend(self.arguments(before));
        arguments.extend(after.iter().map(OsString::from));
        arguments.push("pipe:1".into());
        let errand = Errand { program: FFMPEG, arguments, reads: &self.path, writes: None, lead };
        Ok(errand.run(each)?.fault)
    }

    /// The tracks of the file.
    pub fn tracks(&self, lead: Lead) -> Result<Tracks, DecodeError> {
        let mut arguments = self.arguments(&[]);
        let entries = "format=duration:stream=codec_type,codec_name,width,height,duration,avg_frame_rate\
                       :stream_disposition=attached_pic:stream_side_data=rotation";
        arguments.extend(["-show_entries", entries, "-of", "json"].map(OsString::from));
        let errand = Errand { program: FFPROBE, arguments, reads: &self.path, writes: None, lead };
        let (said, ended) = errand.output(MOST_SAID)?;
        if let Some(fault) = ended.fault {
            return Err(fault);
        }
        let said: Said = serde_json::from_slice(&said).map_err(|error| DecodeError::Broken(error.to_string()))?;
        Ok(Tracks::of(said))
    }
}

/// What may be used to decode one file within these limits and this time.
pub(crate) fn lead(limits: &Limits, time: Duration) -> Lead {
    Lead { cpu: time, wall: time * 2, memory: limits.memory.saturating_add(OWN_MEMORY), written: 0 }
}

/// What there is in a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Tracks {
    pub film: Option<FilmTrack>,
    pub has_sound: bool,
    /// How long it says it lasts.
    pub duration: Option<Duration>,
}

/// Moving pictures, as they are shown.
#[derive(Debug, PartialEq)]
pub(crate) struct FilmTrack {
    pub width: u32,
    pub height: u32,
    /// Pictures a second, as far as known.
    pub rate: f64,
}

impl Tracks {
    pub(crate) fn of(said: Said) -> Self {
        let is_film = |stream: &&Stream| {
            stream.codec_type.as_deref() == Some("video")
                && stream.disposition.as_ref().is_none_or(|d| d.attached_pic == 0)
        };
        let film = said.streams.iter().find(is_film);
        let seconds = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
        let duration = said
            .format
            .and_then(|format| seconds(&format.duration))
            .or_else(|| film.and_then(|film| seconds(&film.duration)))
            .filter(|seconds| *seconds > 0.0)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Self {
            film: film.and_then(FilmTrack::of),
            has_sound: said.streams.iter().any(|stream| stream.codec_type.as_deref() == Some("audio")),
            duration,
        }
    }
}

impl FilmTrack {
    fn of(stream: &Stream) -> Option<Self> {
        let (width, height) = (stream.width.filter(|side| *side > 0)?, stream.height.filter(|side| *side > 0)?);
        let turned = stream.side_data_list.iter().any(|data| (data.rotation.unwrap_or(0.0).abs() % 180.0) > 45.0);
        let (width, height) = if turned { (height, width) } else { (width, height) };
        let rate = stream.avg_frame_rate.as_deref().and_then(|rate| {
            let (frames, seconds) = rate.split_once('/')?;
            let rate = frames.parse::<f64>().ok()? / seconds.parse::<f64>().ok()?;
            (rate.is_finite() && rate > 0.0).then_some(rate)
        });
        Some(Self { width, height, rate: rate.unwrap_or(30.0) })
    }
}

/// The words of ffprobe.
#[derive(Deserialize)]
pub(crate) struct Said {
    #[serde(default)]
    streams: Vec<Stream>,
    format: Option<Whole>,
}

#[derive(Deserialize)]
struct Whole {
    duration: Option<String>,
}

#[derive(Deserialize)]
struct Stream {
    codec_type: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
    duration: Option<String>,
    avg_frame_rate: Option<String>,
    disposition: Option<Disposition>,
    #[serde(default)]
    side_data_list: Vec<SideData>,
}

#[derive(Deserialize)]
struct Disposition {
    #[serde(default)]
    attached_pic: u8,
}

#[derive(Deserialize)]
struct SideData {
    rotation: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracks(said: &str) -> Tracks {
        Tracks::of(serde_json::from_str(said).unwrap())
    }

    #[test]
    fn turned_films_are_as_wide_as_they_are_shown() {
        let told = tracks(
            r#"{"streams": [{"codec_type": "video", "width": 1920, "height": 1080, "avg_frame_rate": "30000/1001",
                "side_data_list": [{}, {"rotation": -90}]}, {"codec_type": "audio"}], "format": {"duration": "12.5"}}"#,
        );
        let film = told.film.unwrap();
        assert_eq!((film.width, film.height, film.rate.round()), (1080, 1920, 30.0));
        assert_eq!((told.has_sound, told.duration), (true, Some(Duration::from_millis(12_500))));
    }

    #[test]
    fn a_cover_is_no_film_and_nonsense_is_nothing() {
        let cover =
            r#"{"streams": [{"codec_type": "video", "width": 9, "height": 9, "disposition": {"attached_pic": 1}}]}"#;
        assert_eq!(tracks(cover), Tracks { film: None, has_sound: false, duration: None });
        let odd =
            r#"{"streams": [{"codec_type": "video", "width": 0, "height": 9}], "format": {"duration": "-1e999"}}"#;
        assert_eq!(tracks(odd), Tracks { film: None, has_sound: false, duration: None });
    }
}
