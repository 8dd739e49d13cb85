//! Copies are found among what is imported, whatever was made of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Served;
use crate::harness::{Bird, said};

/// Makes a file with ffmpeg.
pub fn make(dir: &Path, from: &[&str], name: &str) {
    let made =
        Command::new("ffmpeg").current_dir(dir).args(["-v", "error", "-y"]).args(from).arg(name).output().unwrap();
    assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
}

/// Three pictures, two films and two sounds, and what others make of some of them.
pub fn collection(dir: &Path) {
    let drawn = |what: &str, name: &str| make(dir, &["-f", "lavfi", "-i", what, "-frames:v", "1"], name);
    drawn("mandelbrot=s=800x600:start_scale=0.4", "fractal.png");
    drawn("testsrc2=s=800x600", "chart.png");
    drawn("gradients=s=800x600:n=5:seed=7,noise=alls=30:all_seed=3", "clouds.png");
    std::fs::copy(dir.join("fractal.png"), dir.join("again.png")).unwrap();
    make(dir, &["-i", "fractal.png"], "fractal.bmp");
    make(dir, &["-i", "fractal.png", "-vf", "scale=400:-1", "-q:v", "12"], "small.jpg");
    make(dir, &["-i", "fractal.png", "-vf", "hflip", "-q:v", "4"], "mirrored.jpg");
    make(dir, &["-i", "fractal.png", "-vf", "transpose=1,hue=s=0", "-q:v", "4"], "turned-grey.jpg");
    let film = ["-f", "lavfi", "-i", "mandelbrot=s=320x240:r=12:start_scale=0.5", "-t", "8"];
    make(dir, &[&film[..], &["-c:v", "mpeg4", "-q:v", "4"]].concat(), "dive.avi");
    make(dir, &["-i", "dive.avi", "-vf", "scale=160:120,fps=8", "-c:v", "libvpx", "-b:v", "300k"], "dive.webm");
    make(dir, &["-f", "lavfi", "-i", "testsrc2=s=320x240:r=12", "-t", "8", "-c:v", "mpeg4"], "bars.avi");
    let tune = |a: u32, b: u32| {
        format!(
            "aevalsrc='0.4*sin(2*PI*t*({a}+200*floor(mod(t*3,7))))+0.3*sin(2*PI*t*({b}+150*floor(mod(t*2,5))))':d=20"
        )
    };
    make(dir, &["-f", "lavfi", "-i", &tune(300, 900)], "tune.flac");
    make(dir, &["-i", "tune.flac", "-af", "volume=0.5", "-ar", "22050", "-b:a", "64k"], "tune.mp3");
    make(dir, &["-f", "lavfi", "-i", &tune(410, 620)], "other.flac");
}

pub fn name(file: &Value) -> String {
    file.as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

#[test]
fn copies_are_grouped_with_the_best_one_kept_and_told_why() {
    let bird = Bird::new();
    let folder = tempfile::tempdir().unwrap();
    collection(folder.path());
    let path = folder.path().to_str().unwrap();
    let summary = bird.json(["import", path]);
    assert_eq!((&summary["imported"], &summary["undescribed"]), (&13.into(), &0.into()), "{summary}");

    let found = bird.json(["duplicates"]);
    let groups: BTreeMap<String, BTreeMap<String, String>> = found["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| {
            let copies = group["copies"].as_array().unwrap();
            let why = |copy: &Value| (name(&copy["file"]), copy["why"].as_str().unwrap().to_owned());
            (name(&group["kept"]["file"]), copies.iter().map(why).collect())
        })
        .collect();
    let named = |copies: &[(&str, &str)]| copies.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(groups.len(), 3, "{found:#}");
    assert_eq!(groups.get("dive.avi"), Some(&named(&[("dive.webm", "video")])), "{found:#}");
    assert_eq!(groups.get("tune.flac"), Some(&named(&[("tune.mp3", "audio")])), "{found:#}");
    // again.png came first by its name; fractal.png has its bytes, fractal.bmp its pixels.
    let expected = [
        ("fractal.png", "bytes"),
        ("fractal.bmp", "pixels"),
        ("small.jpg", "near"),
        ("mirrored.jpg", "near"),
        ("turned-grey.jpg", "near"),
    ];
    assert_eq!(groups.get("again.png"), Some(&named(&expected)), "{found:#}");

    // Told again, nothing changes; searches list originals.
    assert_eq!(bird.json(["duplicates"]), found);
    let listed = bird.json(["search", "--kind", "image"]);
    let mut originals: Vec<String> =
        listed["results"].as_array().unwrap().iter().map(|one| name(&one["file"])).collect();
    originals.sort();
    assert_eq!(originals, ["again.png", "chart.png", "clouds.png"]);
    let (out, _) = said(&bird.run(["duplicates"]));
    assert!(out.contains("mirrored.jpg") && out.ends_with("7 copies of 3 files\n"), "{out}");

    // A person knows better.
    let served = Served::start(&bird, None, &[]);
    let groups = served.get("/duplicates").expect(200);
    let group = groups["items"].as_array().unwrap().iter().find(|group| group["kept"]["kind"] == "image").unwrap();
    let id = group["copies"][0]["id"].as_str().unwrap().to_owned();
    let of_copy = served.get(&format!("/media/{id}/copies")).expect(200);
    assert_eq!(of_copy["group"]["kept"]["id"], group["kept"]["id"]);
    assert_eq!(served.send("PUT", &format!("/api/v1/media/{id}/apart"), &[], b"").status, 204);
    assert_eq!(served.get(&format!("/media/{id}/copies")).expect(200)["group"], Value::Null);
    served.end();
}

#[test]
fn what_was_left_undescribed_is_described_the_next_time() {
    let bird = Bird::new();
    let folder = tempfile::tempdir().unwrap();
    let drawn = ["-f", "lavfi", "-i", "mandelbrot=s=640x480", "-frames:v", "1"];
    make(folder.path(), &drawn, "a.png");
    make(folder.path(), &["-i", "a.png", "-q:v", "15"], "b.jpg");
    bird.json(["import", folder.path().to_str().unwrap()]);
    let as_an_older_version_left_it = || {
        let library = rusqlite::Connection::open(bird.data().join("library.db")).unwrap();
        library
            .execute_batch(
                "DELETE FROM copy_member; DELETE FROM copy_group; DELETE FROM description;
                 DELETE FROM alike; DELETE FROM alike_cluster;
                 UPDATE media SET description_version = 0, duplicate = 0",
            )
            .unwrap();
    };
    as_an_older_version_left_it();
    let found = bird.json(["duplicates"]);
    assert_eq!(found["groups"].as_array().unwrap().len(), 1, "{found}");

    // A server does it by itself, with what is sent up as well.
    as_an_older_version_left_it();
    make(folder.path(), &["-i", "a.png", "-vf", "hflip", "-q:v", "5"], "c.jpg");
    let served = Served::start(&bird, None, &[]);
    let mut body = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"c.jpg\"\r\n\r\n".to_vec();
    body.extend(std::fs::read(folder.path().join("c.jpg")).unwrap());
    body.extend(b"\r\n--b--\r\n");
    let kind = ("Content-Type", "multipart/form-data; boundary=b");
    served.send("POST", "/api/v1/import", &[kind], &body).expect(200);
    let started = Instant::now();
    loop {
        let groups = served.get("/duplicates").expect(200);
        if groups["items"][0]["copies"].as_array().is_some_and(|copies| copies.len() == 2) {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{groups}");
        std::thread::sleep(Duration::from_millis(50));
    }
    served.end();
}

#[test]
fn inspect_tells_hashes_and_descriptors() {
    let bird = Bird::new();
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    make(dir, &["-f", "lavfi", "-i", "mandelbrot=s=640x480", "-frames:v", "1"], "a.png");
    make(dir, &["-i", "a.png"], "b.bmp");
    make(dir, &["-f", "lavfi", "-i", "sine=d=3"], "c.wav");
    let files = ["a.png", "b.bmp", "c.wav"].map(|name| dir.join(name).to_str().unwrap().to_owned());
    let told = bird.json(["inspect", "--descriptors"].map(str::to_owned).into_iter().chain(files));
    let lengths = [("scd", 256), ("ehd", 80), ("cedd", 144), ("fcth", 192), ("jcd", 168)];
    for (name, length) in lengths {
        assert_eq!(told[0]["descriptors"][name].as_array().unwrap().len(), length, "{name}");
    }
    assert!(told[0]["descriptors"]["cld"].as_array().unwrap().len() >= 12);
    assert_eq!(told[0]["hashes"]["pixels"], told[1]["hashes"]["pixels"]);
    assert_eq!(told[0]["hashes"]["phash"].as_str().unwrap().len(), 64);
    assert_ne!(told[0]["hashes"]["sha256"], told[1]["hashes"]["sha256"]);
    assert!(told[2]["fingerprint"].as_u64().is_some() && told[2]["descriptors"].is_null(), "{told}");
}
