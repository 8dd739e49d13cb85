//! What tests and the fuzz targets try that is private elsewhere.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::explore::Explorer;
use crate::protocol::Line;
use crate::tab::Tab;
use crate::{Document, Listed, RenderError, Rendered, Settings, Supplier};

/// Explores a page whose script gives these answers, one a line, whatever it is asked; the browser ends after the
/// last of them. Meant for a clock that is paused.
pub async fn explored(
    answers: &[u8],
    document: Document,
    listed: &[Listed],
    settings: &Settings,
    supplier: Arc<dyn Supplier>,
) -> Result<Rendered, RenderError> {
    let (line, said) = Line::new();
    let browser = Arc::clone(&line);
    let mut lines = answers.split(|byte| *byte == b'\n');
    let speaking = async move {
        loop {
            while let Ok(message) = said.try_recv() {
                let message: Value =
                    serde_json::from_slice(message.strip_suffix(b"\0").unwrap_or(&message)).unwrap_or_default();
                let of = |path: &str| message.pointer(path).and_then(Value::as_str).unwrap_or_default();
                let result = match of("/method") {
                    "Runtime.evaluate" if of("/params/expression").starts_with("typeof") => {
                        json!({ "result": { "value": "object" } })
                    }
                    "Runtime.evaluate" if of("/params/expression").starts_with("delete") => json!({}),
                    "Runtime.evaluate" => {
                        let Some(answer) = lines.next() else {
                            browser.end();
                            return;
                        };
                        let value = match serde_json::from_slice(answer) {
                            Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => value,
                            _ => String::from_utf8_lossy(answer).into(),
                        };
                        json!({ "result": { "value": value } })
                    }
                    _ => json!({ "browserContextId": "context", "targetId": "frame", "sessionId": "session" }),
                };
                browser.take(json!({ "id": message["id"], "result": result }).to_string().as_bytes());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let exploring = async {
        let tab = Tab::open(&line, document, "", settings.requests, supplier).await?;
        tab.load("name").await?;
        let deadline = Instant::now() + settings.page_time;
        let found = Explorer::new(&tab, "name", settings, deadline).explore(listed).await;
        tab.close().await;
        found
    };
    let speaking = async {
        speaking.await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        found = exploring => found,
        () = speaking => Err(RenderError::Gone),
    }
}
