//! A private S3 service on a directory: its own port and keys, gone with what started it. It can be
//! stopped and started again, with what it holds, at the same port.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::runtime::Runtime;

pub const BUCKET: &str = "birds";
pub const KEYS: [&str; 2] = ["bower", "blue things"];

pub struct S3 {
    dir: tempfile::TempDir,
    address: SocketAddr,
    service: S3Service,
    /// Holds the port from the first start to the end, also while nobody listens.
    running: Option<Runtime>,
}

impl S3 {
    pub fn start() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        fs::create_dir(dir.path().join(BUCKET)).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(dir.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(KEYS[0], KEYS[1]));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut server = Self { dir, address, service: service.build(), running: None };
        server.listen(listener);
        server
    }

    /// Ends it as a crash would: connections break off.
    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.shutdown_timeout(Duration::from_secs(10));
        }
    }

    pub fn start_again(&mut self) {
        let began = Instant::now();
        let listener = loop {
            match TcpListener::bind(self.address) {
                Ok(listener) => break listener,
                Err(error) => assert!(began.elapsed() < Duration::from_secs(20), "{error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        self.listen(listener);
    }

    fn listen(&mut self, listener: TcpListener) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        listener.set_nonblocking(true).unwrap();
        let service = self.service.clone();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(socket), service).await;
                });
            }
        });
        self.running = Some(runtime);
    }

    /// What a process has to know of it.
    pub fn variables(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "us-east-1".into()),
            ("AWS_ACCESS_KEY_ID", KEYS[0].into()),
            ("AWS_SECRET_ACCESS_KEY", KEYS[1].into()),
        ]
    }

    /// The bucket as it lies on the disk.
    pub fn directory(&self) -> PathBuf {
        self.dir.path().join(BUCKET)
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.stop();
    }
}
