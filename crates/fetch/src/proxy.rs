//! Going through a proxy, when the environment names one.

use hyper::header::HeaderValue;
use hyper_util::client::proxy::matcher::Matcher;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::dial::Wire;
use crate::settings::Proxy;

/// A proxy's answer to CONNECT is a status line and a few headers.
const LONGEST_ANSWER: usize = 16 * 1024;

/// Which requests go through which proxy.
pub(crate) struct Proxies(Option<Matcher>);

/// The proxy for one request.
#[derive(Clone)]
pub(crate) struct Via {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) authorization: Option<HeaderValue>,
    /// Whether it is spoken to in plain HTTP, the only way known here.
    pub(crate) spoken: bool,
}

impl Proxies {
    pub(crate) fn new(proxy: &Proxy) -> Self {
        Self(match proxy {
            Proxy::None => None,
            Proxy::FromEnvironment => Some(Matcher::from_env()),
            Proxy::Given { http, https, except } => {
                Some(Matcher::builder().http(http.as_str()).https(https.as_str()).no(except.as_str()).build())
            }
        })
    }

    /// The proxy for this address; nothing when it is to be reached directly.
    pub(crate) fn via(&self, url: &http::Uri) -> Option<Via> {
        let found = self.0.as_ref()?.intercept(url)?;
        let uri = found.uri();
        Some(Via {
            host: uri.host()?.to_owned(),
            port: uri.port_u16().unwrap_or(80),
            authorization: found.basic_auth().cloned(),
            spoken: uri.scheme_str().is_none_or(|scheme| scheme == "http"),
        })
    }
}

impl Via {
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Asks the proxy for a tunnel to `target` (`host:port`). The error says what it answered.
    pub(crate) async fn tunnel(&self, wire: &mut Box<dyn Wire>, target: &str, agent: &str) -> Result<(), String> {
        let mut question =
            format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nUser-Agent: {agent}\r\n").into_bytes();
        if let Some(authorization) = &self.authorization {
            question.extend_from_slice(b"Proxy-Authorization: ");
            question.extend_from_slice(authorization.as_bytes());
            question.extend_from_slice(b"\r\n");
        }
        question.extend_from_slice(b"\r\n");
        wire.write_all(&question).await.map_err(|error| error.to_string())?;
        wire.flush().await.map_err(|error| error.to_string())?;

        // Read byte by byte: what follows the empty line belongs to the tunnel.
        let mut answer = Vec::with_capacity(256);
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() >= LONGEST_ANSWER {
                return Err("its answer is too long".into());
            }
            let byte = wire.read_u8().await.map_err(|error| error.to_string())?;
            answer.push(byte);
        }
        let status =
            String::from_utf8_lossy(answer.split(|byte| *byte == b'\r').next().unwrap_or_default()).into_owned();
        let code = status.split(' ').nth(1).unwrap_or_default();
        if status.starts_with("HTTP/1.") && code.len() == 3 && code.starts_with('2') {
            Ok(())
        } else {
            Err(format!("it answered {:?}", status.chars().take(100).collect::<String>()))
        }
    }
}
