//! Names and sockets for tests: answers by a table, and diallers that write down what they are asked.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use facts::Url;
use fetch::{Accept, Addresses, Dial, Fetcher, NameLimits, Proxy, Request, Resolve, ResolveError, Settings, Tcp, Wire};

/// Answers from a table. A name with several answers gives them in turn, the last one for ever.
#[derive(Default)]
pub struct Table(Mutex<HashMap<String, Vec<Vec<IpAddr>>>>);

impl Table {
    pub fn new(names: &[(&str, &[&[&str]])]) -> Arc<Self> {
        let read = |answer: &&[&str]| answer.iter().map(|ip| ip.parse().unwrap()).collect();
        let rows = names.iter().map(|(name, answers)| (name.to_string(), answers.iter().map(read).collect()));
        Arc::new(Self(Mutex::new(rows.collect())))
    }
}

#[async_trait]
impl Resolve for Table {
    async fn resolve(&self, host: &str) -> Result<Addresses, ResolveError> {
        let mut table = self.0.lock().unwrap();
        let answers = table.get_mut(host).ok_or(ResolveError::NoSuchName)?;
        let addresses = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        Ok(Addresses { addresses, life: Duration::ZERO })
    }
}

/// Writes down every address it is asked to dial, and dials none but those of loopback servers it was told of.
#[derive(Default)]
pub struct Recorder {
    dialled: Mutex<Vec<SocketAddr>>,
    servers: Vec<SocketAddr>,
}

impl Recorder {
    pub fn new(servers: &[SocketAddr]) -> Arc<Self> {
        assert!(servers.iter().all(|server| server.ip().is_loopback()));
        Arc::new(Self { dialled: Mutex::default(), servers: servers.to_vec() })
    }

    pub fn dialled(&self) -> Vec<String> {
        self.dialled.lock().unwrap().iter().map(SocketAddr::to_string).collect()
    }
}

#[async_trait]
impl Dial for Recorder {
    async fn dial(&self, address: SocketAddr) -> io::Result<Box<dyn Wire>> {
        self.dialled.lock().unwrap().push(address);
        if self.servers.contains(&address) {
            return Tcp.dial(address).await;
        }
        Err(io::Error::new(io::ErrorKind::ConnectionRefused, "recorded, not dialled"))
    }
}

/// Settings that read nothing from the environment, and ask for every name anew.
pub fn settings() -> Settings {
    Settings {
        proxy: Proxy::None,
        names: NameLimits { shortest: Duration::ZERO, longest: Duration::ZERO, ..NameLimits::default() },
        ..Settings::default()
    }
}

/// A client for one loopback server, which has every name.
pub fn client_of(server: SocketAddr, settings: Settings) -> Fetcher {
    let rule = format!("*={server}").parse().unwrap();
    let settings = Settings { resolve: vec![rule], ..settings };
    Fetcher::with(settings, Table::new(&[]), Recorder::new(&[server])).unwrap()
}

pub fn page(url: &str) -> Request {
    Request::new(Url::parse(url).unwrap(), Accept::Page)
}
