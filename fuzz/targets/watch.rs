//! What a watcher reads beside its folders: scripts of a site, by which it tells what changes a page, and the log
//! of a web server, by which it tells who took the report.
#![no_main]

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.expect("a folder for files")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    if first % 4 == 0 {
        return log(body);
    }
    let text = String::from_utf8_lossy(body);
    let url = facts::Url::parse("https://www.example.org/a/b").expect("a fixed address");
    let (page, script) = match first % 4 {
        1 => (String::new(), &*text),
        2 => (format!("<body onload=\"go()\"><script>{text}</script>"), "function go() { a.b = c }"),
        _ => (format!("<body><p onclick=\"{}\">x</p>", text.replace('"', "&quot;")), &*text),
    };
    for entry in watch::tried::scripted(&url, page.as_bytes(), &[script]) {
        assert!(entry.target.len() <= 200 && entry.value.len() <= 200 && entry.sources.len() <= 100);
    }
});

/// A log tells the same whether it is read at once or in two parts.
fn log(body: &[u8]) {
    let report = "/.well-known/bowerbird-watcher.json";
    let [whole, parts] = ["whole", "parts"].map(|name| FOLDER.path().join(name));
    let _ = (std::fs::remove_file(&whole), std::fs::remove_file(&parts));
    let mut at_once = watch::tried::Log::new(whole.clone(), report);
    std::fs::write(&whole, body).expect("room for a file");
    let mut in_two = watch::tried::Log::new(parts.clone(), report);
    let (one, other) = body.split_at(body.len() / 2);
    std::fs::write(&parts, one).expect("room for a file");
    let mut taken = in_two.taken();
    let added = OpenOptions::new().append(true).open(&parts).and_then(|mut file| file.write_all(other));
    added.expect("room for a file");
    taken |= in_two.taken();
    assert_eq!(at_once.taken(), taken);
}
