//! `bowerbird serve`.

use std::path::Path;

use anyhow::Context;
use serde_json::json;
use server::{Order, ServeError, Token};
use tokio::signal::unix::{SignalKind, signal};

use super::{Place, WrongUse};
use crate::arguments::Serve;
use crate::output::{print_json, print_line};

/// Longest file a token is read from, in bytes.
const LARGEST_FILE: u64 = 4096;

/// Serves the web page and its API until it is interrupted.
pub async fn serve(place: Place, order: Serve) -> anyhow::Result<()> {
    let Serve { listen, token, token_file, read_token, read_token_file, host_name, reach } = order;
    let order = Order {
        data: place.data,
        database: place.database,
        media: place.media,
        listen,
        token: read("--token", token, token_file.as_deref())?,
        read_token: read("--read-token", read_token, read_token_file.as_deref())?,
        host_names: host_name,
        reach: reach.read()?,
    };
    let ready = |address| {
        let shown = match place.json {
            true => print_json(&json!({ "listening": format!("http://{address}") })),
            false => print_line(format!("the page is at http://{address}")),
        };
        if let Err(error) = shown {
            tracing::warn!("{error:#}");
        }
    };
    server::serve(order, ready, interrupted()).await.map_err(|error| match error {
        ServeError::NoToken(_) => WrongUse(error.to_string()).into(),
        other => other.into(),
    })
}

/// Waits for ctrl-c or SIGTERM; a second one ends the program at once.
pub(super) async fn interrupted() {
    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = signals else { return std::future::pending().await };
    let mut next = async move || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    };
    next().await;
    eprintln!("bowerbird: stopping; once more to stop at once (nothing that was written is lost)");
    tokio::spawn(async move {
        next().await;
        std::process::exit(1);
    });
}

/// A token as it was given, or from its file.
fn read(option: &str, given: Option<String>, file: Option<&Path>) -> anyhow::Result<Option<Token>> {
    let text = match (given, file) {
        (_, Some(file)) => {
            let about = || format!("cannot read {option}-file {}", file.display());
            if std::fs::metadata(file).with_context(about)?.len() > LARGEST_FILE {
                return Err(WrongUse(format!("{} is too long for a token", file.display())).into());
            }
            Some(std::fs::read_to_string(file).with_context(about)?)
        }
        (given, None) => given,
    };
    let Some(text) = text else { return Ok(None) };
    let token = Token::new(&text).ok_or_else(|| {
        let least = Token::SHORTEST;
        WrongUse(format!("{option} must have at least {least} characters, letters, digits and signs without spaces"))
    })?;
    Ok(Some(token))
}
