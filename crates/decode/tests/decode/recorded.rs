//! Sounds and films for the other tests: notes and scenes made here, put into files by ffmpeg.

use std::path::{Path, PathBuf};
use std::process::Command;

use media::Format;

/// Runs ffmpeg, which must be there.
pub fn ffmpeg(arguments: &[&str], to: &Path) {
    let run = Command::new("ffmpeg").args(["-nostdin", "-y", "-loglevel", "error"]).args(arguments).arg(to).output();
    let run = run.expect("ffmpeg is there: install the package ffmpeg");
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
}

/// The format of a file by its content, as everywhere.
pub fn format(file: &Path) -> Format {
    media::sniff(&std::fs::read(file).unwrap()).expect("a known format")
}

/// A melody of its number: notes with overtones, so many seconds of them.
pub fn melody(number: u64, seconds: usize) -> Vec<f32> {
    let rate = 22_050;
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut samples = Vec::new();
    while samples.len() < seconds * rate {
        let (low, high) = (80.0 * 1.06f32.powi(next(24) as i32), 300.0 * 1.06f32.powi(next(28) as i32));
        let length = rate / 8 * (1 + next(3) as usize);
        for n in 0..length {
            let time = n as f32 / rate as f32;
            let fades = (-3.0 * time).exp();
            let tone = |hertz: f32| (time * hertz * std::f32::consts::TAU).sin();
            samples.push(0.3 * fades * (tone(low) + 0.5 * tone(2.0 * low) + 0.8 * tone(high) + 0.3 * tone(2.0 * high)));
        }
    }
    samples.truncate(seconds * rate);
    samples
}

/// Samples as a WAV file of 22,050 a second.
pub fn wav(samples: &[f32], to: &Path) {
    let data: Vec<u8> = samples.iter().flat_map(|sample| ((sample * 32_000.0) as i16).to_le_bytes()).collect();
    let mut file = b"RIFF".to_vec();
    file.extend((data.len() as u32 + 36).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(22_050u32.to_le_bytes());
    file.extend(44_100u32.to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    std::fs::write(to, file).unwrap();
}

/// A film of scenes of two seconds each, with a melody.
pub fn film(folder: &Path, name: &str, scenes: &[&str], number: u64) -> PathBuf {
    let (sound, film) = (folder.join(format!("{name}.wav")), folder.join(format!("{name}.mp4")));
    wav(&melody(number, 2 * scenes.len()), &sound);
    let mut arguments = vec!["-i", sound.to_str().unwrap()];
    let sources: Vec<String> = scenes.iter().map(|scene| format!("{scene},trim=duration=2,setsar=1")).collect();
    let labels: String = (0..scenes.len()).map(|nth| format!("[s{nth}]")).collect();
    let joined: Vec<String> = sources.iter().enumerate().map(|(nth, source)| format!("{source}[s{nth}]")).collect();
    let graph = format!("{};{labels}concat=n={}[v]", joined.join(";"), scenes.len());
    arguments.extend(["-filter_complex", &graph, "-map", "[v]", "-map", "0:a", "-shortest"]);
    arguments.extend(["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "64k"]);
    ffmpeg(&arguments, &film);
    film
}

/// Scenes that ffmpeg draws: patterns that move.
pub const SCENES: &[&str] = &[
    "testsrc=s=192x144:r=20",
    "mandelbrot=s=192x144:r=20:start_scale=2",
    "cellauto=s=192x144:r=20:rule=30:seed=7:scroll=0",
    "smptebars=s=192x144:r=20",
    "testsrc2=s=192x144:r=20",
    "gradients=s=192x144:r=20:seed=3:c0=black:c1=white:x0=20:y0=30:x1=160:y1=90:speed=0.001",
];
