//! `bowerbird forget`.

use facts::{HostName, Url};
use serde_json::json;
use store::{Forget, Store};

use super::{Place, WrongUse};
use crate::arguments;
use crate::output::{counted, plain, print_json, print_line};

/// Removes what is named, and blocks it.
pub async fn forget(place: Place, order: arguments::Forget) -> anyhow::Result<()> {
    let what = read(&order.what)?;
    let options = store::Options { what: format!("forget {}", order.what), ..store::Options::default() };
    let store = Store::open(&place.data, options)?;
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
    if text.starts_with("http://") || text.starts_with("https://") {
        let url = Url::parse(text).map_err(|error| WrongUse(format!("'{}' is no address: {error}", plain(text))))?;
        return Ok(Forget::Address(url));
    }
    if text.contains('/') || std::path::Path::new(text).is_file() {
        let path = std::path::absolute(text).ok().and_then(|path| path.to_str().map(str::to_owned));
        let path = std::fs::canonicalize(text).ok().and_then(|path| path.to_str().map(str::to_owned)).or(path);
        return path.map(Forget::File).ok_or_else(|| WrongUse(format!("'{}' is no file", plain(text))));
    }
    HostName::parse(text)
        .map(Forget::Host)
        .ok_or_else(|| WrongUse(format!("'{}' is neither a host nor an address nor a file", plain(text))))
}
