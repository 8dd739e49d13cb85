//! How many requests one CPU-second of the client is good for, against a server on loopback that is
//! a process of its own. Linux only: CPU time is read from /proc.
//!
//! ```text
//! cargo run --release -p bowerbird-fetch --example requests_per_cpu_second [requests] [hosts]
//! ```

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use facts::Url;
use fetch::{Accept, Fetcher, Proxy, Request, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const BODY: usize = 20 * 1024;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if arguments.first().is_some_and(|argument| argument == "serve") {
        return runtime.block_on(serve());
    }
    let number = |index: usize, default| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (requests, hosts) = (number(0, 200_000usize), number(1, 64usize).max(1));

    let mut server = Command::new(std::env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
    let mut address = String::new();
    BufReader::new(server.stdout.take().ok_or("the server has no output")?).read_line(&mut address)?;
    let outcome = runtime.block_on(measure(address.trim(), requests, hosts));
    server.kill()?;
    server.wait()?;
    outcome
}

async fn measure(server: &str, requests: usize, hosts: usize) -> Result<(), Failure> {
    let rule = format!("*.lab.test={server}").parse()?;
    let fetcher = Fetcher::new(Settings { resolve: vec![rule], proxy: Proxy::None, ..Settings::default() })?;
    let (started, used) = (Instant::now(), cpu_seconds()?);
    let tasks: Vec<_> = (0..hosts)
        .map(|host| {
            let fetcher = fetcher.clone();
            tokio::spawn(async move {
                let url = Url::parse(&format!("http://h{host}.lab.test/page"))?;
                for _ in 0..requests / hosts {
                    let mut response = fetcher.send(Request::new(url.clone(), Accept::Page)).await?;
                    let mut length = 0;
                    while let Some(piece) = response.chunk().await? {
                        length += piece.len();
                    }
                    if length != BODY {
                        return Err("a body of another length".into());
                    }
                }
                Ok::<_, Failure>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    let (wall, used) = (started.elapsed().as_secs_f64(), cpu_seconds()? - used);
    let done = requests / hosts * hosts;
    println!("{done} requests of {BODY} bytes over {hosts} hosts: {wall:.2} s, {used:.2} CPU-s in the client");
    println!("{:.0} requests per CPU-second", done as f64 / used);
    Ok(())
}

/// User and system time of this process, in the kernel's ticks of 10 ms.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).ok_or("no CPU time");
    Ok((ticks(11)? + ticks(12)?) / 100.0)
}

async fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {BODY}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + BODY, b'x');
    let answer: std::sync::Arc<[u8]> = answer.into();
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(talk(stream, answer.clone()));
    }
}

/// Requests come one at a time and whole, so a read that ends with an empty line is one.
async fn talk(mut stream: TcpStream, answer: std::sync::Arc<[u8]>) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        if buffer[..filled].ends_with(b"\r\n\r\n") {
            filled = 0;
            stream.write_all(&answer).await?;
        }
    }
}
