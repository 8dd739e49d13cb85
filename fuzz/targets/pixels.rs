//! Pictures and sounds that are decoded in this process, within small limits.
#![no_main]

use std::time::Duration;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(format) = media::sniff(bytes) else { return };
    // Child processes have limits of their own, and are too slow to fuzz through.
    if matches!(format.name, "avif" | "heic") || format.kind != facts::MediaKind::Image {
        return;
    }
    let time = Duration::from_secs(5);
    let limits = decode::Limits { pixels: 1 << 20, memory: 64 << 20, time, listen: Duration::from_secs(10) };
    if let Ok(picture) = decode::picture(bytes, format, 6, 64, &limits) {
        assert_eq!(picture.rgb.len(), 3 * picture.width as usize * picture.height as usize);
        let _ = decode::thumbnail(&picture, 64);
    }
});
