//! Questions that are pictures, films or sounds.

use serde_json::{Value, json};

use crate::client::Served;
use crate::copies::{collection, make, name};
use crate::harness::{Bird, said};

fn names(answer: &Value) -> Vec<String> {
    answer["results"].as_array().unwrap().iter().map(|one| name(&one["file"])).collect()
}

#[test]
fn an_example_finds_its_like_its_copies_its_whole_and_the_best_of_it() {
    let (bird, folder) = (Bird::new(), tempfile::tempdir().unwrap());
    let dir = folder.path();
    collection(dir);
    bird.json(["import", dir.to_str().unwrap()]);
    let asked = tempfile::tempdir().unwrap();
    let file = |name: &str| asked.path().join(name).to_str().unwrap().to_owned();
    let of = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let made = |from: &[&str], name: &str| make(asked.path(), from, name);
    made(&["-i", &of("fractal.png"), "-vf", "scale=300:-1", "-q:v", "8"], "again.jpg");
    made(&["-i", &of("fractal.png"), "-vf", "crop=iw*0.84:ih*0.84:20:60", "-q:v", "5"], "crop.jpg");
    made(&["-ss", "5", "-t", "9", "-i", &of("tune.flac"), "-b:a", "96k"], "part.mp3");
    let similar = |file: &str, more: &[&str]| bird.json(["similar", file].into_iter().chain(more.iter().copied()));

    let answer = similar(&file("again.jpg"), &[]);
    assert_eq!(names(&answer)[0], "again.png", "originals only: {answer:#}");
    assert!(answer["results"][0]["similarity"].as_f64() > Some(80.0), "{answer:#}");
    assert_eq!(names(&similar(&file("again.jpg"), &["--at-least", "80%"])), ["again.png"]);

    let mut copies = names(&similar(&file("again.jpg"), &["--mode", "exact"]));
    copies.sort();
    assert_eq!(copies, ["again.png", "fractal.bmp", "mirrored.jpg", "small.jpg", "turned-grey.jpg"]);
    let same = similar(&of("small.jpg"), &["--mode", "exact", "--top", "1"]);
    assert_eq!((names(&same), &same["results"][0]["why"]), (vec!["small.jpg".into()], &json!("the same bytes")));
    let best = names(&similar(&file("again.jpg"), &["--mode", "better"]));
    assert!(["again.png", "fractal.bmp"].contains(&best[0].as_str()) && best[4] == "small.jpg", "{best:?}");

    assert_eq!(names(&similar(&file("crop.jpg"), &["--mode", "whole"]))[0], "again.png");
    let whole = similar(&file("part.mp3"), &["--mode", "whole"]);
    assert!(names(&whole)[0].starts_with("tune."), "{whole:#}");
    assert!(whole["results"][0]["why"].as_str().unwrap().contains("from 5.0 s on"), "{whole:#}");
    assert_eq!(names(&similar(&of("tune.mp3"), &["--mode", "better"]))[0], "tune.flac");
    // An item is no answer to itself.
    let id = answer["results"][0]["id"].as_str().unwrap();
    assert!(!names(&similar(id, &[])).contains(&"again.png".to_owned()));
    over_the_web(&bird, id, &file("again.jpg"));
}

fn over_the_web(bird: &Bird, id: &str, file: &str) {
    let served = Served::start(bird, None, &[]);
    let of_item = served.get(&format!("/media/{id}/similar?mode=exact")).expect(200);
    assert_eq!(of_item["total"], 4, "{of_item:#}");
    let send = |bytes: &[u8]| {
        let kind = ("content-type", "multipart/form-data; boundary=xx");
        let head = b"--xx\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
        let body = [&head[..], bytes, b"\r\n--xx--\r\n"].concat();
        served.send("POST", "/api/v1/search/example?limit=5", &[kind], &body)
    };
    let found = send(&std::fs::read(file).unwrap()).expect(200);
    assert_eq!(found["results"][0]["id"], id, "{found:#}");
    let refused = send(b"these are words").problem(422);
    assert!(refused["detail"].as_str().unwrap().contains("no picture"), "{refused}");
    served.get(&format!("/media/{id}/similar?mode=magic")).problem(422);
    // The most similar of two comes first, after the one that was downloaded.
    let all = served.get("/search?kind=image").expect(200);
    let ids: Vec<&str> = all["results"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    let target = json!([{ "id": ids[1], "deed": "download" }]);
    let order = served.tell("POST", "/search/rerank", json!({ "answers": ids, "targets": target })).expect(200);
    assert_eq!(order["order"][0], ids[1]);
    assert_eq!(order["order"].as_array().unwrap().len(), ids.len());
    assert_eq!(order["why"], "more like the one you downloaded");
    served.tell("POST", "/search/rerank", json!({ "answers": ids, "targets": [] })).problem(422);
    served.end();
}

#[test]
fn what_is_no_example_gets_a_reason() {
    let (bird, folder) = (Bird::new(), tempfile::tempdir().unwrap());
    make(folder.path(), &["-f", "lavfi", "-i", "testsrc2=s=320x240", "-frames:v", "1"], "a.png");
    bird.json(["import", folder.path().to_str().unwrap()]);
    let words = bird.file("words.jpg", "these are words");
    let broken = folder.path().join("broken.png");
    std::fs::write(&broken, b"\x89PNG\r\n\x1a\n and then nothing").unwrap();
    for (example, code, reason) in [
        (words.as_str(), 1, "no picture, film or sound"),
        (broken.to_str().unwrap(), 1, "cannot be decoded"),
        ("/nowhere/at.all", 1, "cannot be read"),
        (folder.path().to_str().unwrap(), 1, "not a file"),
        (&"0".repeat(64), 1, "no such item"),
    ] {
        let output = bird.run(["similar", example]);
        let (_, errors) = said(&output);
        assert_eq!(output.status.code(), Some(code), "{example}: {errors}");
        assert!(errors.contains(reason), "{example}: {errors}");
    }
    for (option, value) in [("--at-least", "101%"), ("--mode", "magic"), ("--top", "0")] {
        assert_eq!(bird.run(["similar", &words, option, value]).status.code(), Some(2), "{option}");
    }
}
