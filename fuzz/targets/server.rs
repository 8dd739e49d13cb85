//! What a request to the web page's server says: its parameters, cursors and ranges, the name it calls the server
//! by, its token and its cookie.
#![no_main]

use std::sync::LazyLock;

use http::{HeaderName, HeaderValue, Request};
use server::tried::{self, Doorway};

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.expect("a folder for files")
});
static DOORWAY: LazyLock<Doorway> = LazyLock::new(|| Doorway::open(FOLDER.path()).expect("a key"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The parameters, and then a header a line.
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let asked = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let _ = tried::asked(&asked);
    let word = asked.strip_prefix("cursor=").unwrap_or(&asked);
    tried::is_cursor(word);
    // Few digits come by themselves.
    tried::is_cursor(&asked.bytes().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut request = Request::new(());
    if let Ok(uri) = asked.parse() {
        *request.uri_mut() = uri;
    }
    for line in lines.take(20) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let (name, value) = (HeaderName::from_bytes(&line[..colon]), HeaderValue::from_bytes(&line[colon + 1..]));
        if let (Ok(name), Ok(value)) = (name, value) {
            request.headers_mut().append(name, value);
        }
    }
    for size in [0, 1, 1000, u64::MAX] {
        if let (Some((start, end)), _) = tried::part(request.headers(), size) {
            assert!(start < end && end <= size);
        }
    }
    let (parts, ()) = request.into_parts();
    let (_, reads, changes) = DOORWAY.admits(&parts);
    // The tokens are secret-like words that can be guessed from comparisons; the key of the cookie is not.
    let shown = parts.headers.get("authorization").is_some();
    assert!(shown || !(reads || changes), "a cookie was forged");
});
