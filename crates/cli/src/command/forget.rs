//! `bowerbird forget`.

use std::path::Path;

use serde_json::json;
use store::Forget;

use super::{Place, WrongUse};
use crate::arguments;
use crate::output::{counted, plain, print_json, print_line};

/// Removes what is named, and blocks it.
pub async fn forget(place: Place, order: arguments::Forget) -> anyhow::Result<()> {
    let what = read(&order.what)?;
    let options = store::Options { what: format!("forget {}", order.what), ..store::Options::default() };
    let store = place.open(options)?;
    let forgotten = store.forget(&what).await?;
    store.close().await?;
    if place.json {
        return print_json(&json!({
            "forgotten": order.what, "pages": forgotten.pages, "media": forgotten.media, "files": forgotten.files,
            "addresses": forgotten.addresses,
        }));
    }
    if forgotten == store::Forgotten::default() {
        print_line(format!("nothing of {} was in the library", plain(&order.what)))?;
    } else {
        print_line(format!(
            "removed {}, {} with {} and {}",
            counted(forgotten.pages, "page"),
            counted(forgotten.media, "media file"),
            counted(forgotten.addresses, "address"),
            counted(forgotten.files, "file on disk"),
        ))?;
    }
    print_line("it will not be fetched or imported again")
}

fn read(text: &str) -> Result<Forget, WrongUse> {
    let text = text.trim();
    let wrong = |why: &str| WrongUse(format!("'{}' {why}", plain(text)));
    if let Some(path) = text.strip_prefix("file://") {
        return Ok(Forget::File(undo_escapes(path)));
    }
    let path = Path::new(text);
    let is_path = !text.contains("://");
    if is_path && path.is_dir() {
        return Err(wrong("is a folder: name its files one by one"));
    }
    if is_path && (path.is_file() || path.is_absolute()) {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        return path.to_str().map(|path| Forget::File(path.to_owned())).ok_or_else(|| wrong("is no name in UTF-8"));
    }
    Forget::read(text).map_err(|why| wrong(&format!("{why}, and no file that is there")))
}

/// The path that a `file:` address escapes.
fn undo_escapes(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = after.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use facts::{HostName, Url};

    use super::*;

    #[test]
    fn what_is_meant_is_told_by_how_it_is_written() {
        let url = |text: &str| Forget::Address(Url::parse(text).unwrap());
        for (text, expected) in [
            ("http://a.example/p.jpg", Some(url("http://a.example/p.jpg"))),
            ("a.example/p.jpg", Some(url("https://a.example/p.jpg"))),
            ("a.example", HostName::parse("a.example").map(Forget::Host)),
            ("file:///home/me/a%20b.jpg", Some(Forget::File("/home/me/a b.jpg".into()))),
            ("/nowhere/a.jpg", Some(Forget::File("/nowhere/a.jpg".into()))),
            ("ftp://a.example/", None),
            ("(imported)", None),
            ("*", None),
            ("nofolder/nofile", None),
            ("/tmp", None),
        ] {
            assert_eq!(read(text).ok(), expected, "{text}");
        }
    }
}
