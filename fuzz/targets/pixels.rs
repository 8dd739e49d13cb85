//! Pictures that are decoded in this process, within small limits, and what they look like; what AVIF and HEIC
//! files are made to be before a child process decodes them; what ffprobe says of films.
#![no_main]

use std::time::Duration;

use media::{Look, Pixels, Viewer};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if bytes.first() == Some(&b'{') {
        return probed(bytes);
    }
    let Some(format) = media::sniff(bytes) else { return };
    // Child processes have limits of their own, and are too slow to fuzz through.
    if matches!(format.name, "avif" | "heic") {
        return stored(bytes);
    }
    if format.kind != facts::MediaKind::Image {
        return;
    }
    let time = Duration::from_secs(5);
    let limits = decode::Limits { pixels: 1 << 20, memory: 64 << 20, time, listen: Duration::from_secs(10) };
    if let Ok(picture) = decode::picture(bytes, format, 6, 64, &limits) {
        assert_eq!(picture.rgb.len(), 3 * picture.width as usize * picture.height as usize);
        let _ = decode::thumbnail(&picture, 64);
        if let Some(look) = Look::of(&picture.pixels()) {
            assert_eq!(Look::from_bytes(&look.to_bytes()).as_ref(), Some(&look));
            let _ = (look.point(), look.asked(), look.quality(), media::near_copy(&look, &look));
        }
    }
});

/// The same file, but for its turns.
fn stored(bytes: &[u8]) {
    let stored = decode::tried::as_stored(bytes);
    assert_eq!(stored.len(), bytes.len());
    assert_eq!(decode::tried::as_stored(&stored), stored, "there is nothing left to undo");
}

fn probed(said: &[u8]) {
    let Some((duration, (width, height))) = decode::tried::probed(said) else { return };
    assert!((1..=320).contains(&width) && (1..=320).contains(&height), "{width} × {height}");
    let mut viewer = Viewer::default();
    let rgb = vec![0x77; 3 * width as usize * height as usize];
    viewer.see(Duration::ZERO, &Pixels { width, height, rgb: &rgb });
    let _ = viewer.finish(duration, None).map(|film| film.duration());
}
