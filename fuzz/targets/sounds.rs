//! Sounds that are decoded in this process, within small limits. A decoder that gives up is no fault; one that
//! takes more time or memory than it may is.
#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    // The hook of the fuzzer ends it at a panic that is caught.
    std::panic::set_hook(Box::new(|_| {}));
    // Child processes have limits of their own, and are too slow to fuzz through: none is found.
    // SAFETY: this is the only thread.
    unsafe { std::env::set_var("PATH", "") };
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.expect("a folder for files")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(format) = media::sniff(bytes).filter(|format| format.kind == facts::MediaKind::Audio) else { return };
    let file = FOLDER.path().join("sound");
    std::fs::write(&file, bytes).expect("room for a file");
    let time = Duration::from_secs(5);
    let limits = decode::Limits { pixels: 1 << 20, memory: 64 << 20, time, listen: Duration::from_secs(10) };
    let mut heard = 0;
    let _ = decode::samples(&file, format, &limits, &mut |samples| heard += samples.len());
    assert!(heard <= 10 * media::SAMPLE_RATE as usize, "{heard} samples");
    let _ = decode::sound(&file, format, &limits);
});
