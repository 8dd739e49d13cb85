//! A bucket: putting files there, getting them from there, and patience with it.

use std::fs::File;
use std::future::Future;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientConfigKey, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};
use tokio::runtime::{Builder, Runtime};
use tokio_stream::StreamExt;

use crate::client::Connector;
use crate::{Address, BucketError};

/// Up to this size a file is sent as one.
const AS_ONE: u64 = 16 << 20;

/// Bytes of a part of a larger one; services take at least 5 MiB, and no more than 10,000 parts.
const PART: u64 = 8 << 20;
const PARTS: u64 = 9_000;

/// How often a large file is begun anew whose parts the service lost.
const BEGINNINGS: usize = 3;

/// How long a service that went away is waited for, and how often it is looked for.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOKS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(2)];

/// How long an answer may stand still in the middle.
const STILL: Duration = Duration::from_secs(30);

/// Pieces that wait for whoever reads.
const AHEAD: usize = 4;

/// Files looked up at once.
const AT_ONCE: usize = 32;

/// Pieces of a file, as they come.
pub type Pieces = tokio::sync::mpsc::Receiver<std::io::Result<Bytes>>;

/// A bucket, or what is below a prefix of one. Names of files are relative to it.
///
/// What blocks is for threads that may wait; it waits for a service that is away. What is async does
/// not.
pub struct Bucket {
    address: Address,
    label: String,
    endpoint: String,
    store: Arc<AmazonS3>,
    /// Its own, so that whoever blocks needs none.
    runtime: Option<Runtime>,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bucket({})", self.label)
    }
}

impl Bucket {
    /// A bucket that the variables of this process say how to ask for. Asks nothing yet.
    pub fn named(address: &str) -> Result<Self, BucketError> {
        let address: Address = address.parse()?;
        let label = address.to_string();
        let settings = |reason: String| BucketError::Settings { bucket: label.clone(), reason };
        let builder = AmazonS3Builder::from_env();
        let said = |key: AmazonS3ConfigKey| builder.get_config_value(&key).filter(|value| !value.is_empty());
        let endpoint = said(AmazonS3ConfigKey::S3Endpoint).or_else(|| said(AmazonS3ConfigKey::Endpoint));
        let lends = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let lent = ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]
            .into_iter()
            .chain(["AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_SKIP_SIGNATURE", "AWS_METADATA_ENDPOINT"])
            .any(lends);
        // A machine of the service's own maker is lent keys by it; one elsewhere would ask in vain.
        if said(AmazonS3ConfigKey::AccessKeyId).is_none() && !lent && endpoint.is_some() {
            return Err(BucketError::NoKeys { bucket: label });
        }
        let open = said(AmazonS3ConfigKey::Client(ClientConfigKey::AllowHttp)).is_some_and(|value| value == "true");
        if let Some(endpoint) = endpoint.as_ref().filter(|endpoint| endpoint.starts_with("http://") && !open) {
            return Err(BucketError::NotEncrypted { endpoint: endpoint.clone() });
        }
        let region = said(AmazonS3ConfigKey::Region).or_else(|| said(AmazonS3ConfigKey::DefaultRegion));
        let at = endpoint
            .unwrap_or_else(|| format!("https://s3.{}.amazonaws.com", region.unwrap_or_else(|| "us-east-1".into())));
        let backoff = BackoffConfig { init_backoff: LOOKS[0], max_backoff: LOOKS[1], base: 2.0 };
        let retry = RetryConfig { backoff, max_retries: 3, retry_timeout: Duration::from_secs(10) };
        let builder = builder.with_bucket_name(&address.bucket).with_retry(retry).with_http_connector(Connector);
        let store = builder.build().map_err(|error| settings(error.to_string()))?;
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("bucket").enable_all().build();
        let runtime = runtime.map_err(|error| settings(error.to_string()))?;
        Ok(Self { address, label, endpoint: at, store: Arc::new(store), runtime: Some(runtime) })
    }

    /// `s3://BUCKET/PREFIX`.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Asks whether the bucket is there and may be used. Blocking, but does not wait for one that is away.
    pub fn check(&self) -> Result<(), BucketError> {
        let (store, below) = (Arc::clone(&self.store), self.key(".bowerbird")?);
        let listed = self.block(async move { store.list(Some(&below)).next().await.transpose() })?;
        listed.map(|_| ()).map_err(|error| self.said(&error, ""))
    }

    /// [`check`](Self::check), which waits for a service that is away, for so long. Blocking.
    pub fn wait_for(&self, patience: Duration) -> Result<(), BucketError> {
        let (began, mut look) = (Instant::now(), LOOKS[0]);
        loop {
            match self.check() {
                Err(error) if error.is_passing() && began.elapsed() < patience => self.rest(&error, &mut look),
                checked => return checked,
            }
        }
    }

    /// Puts a small file in its place, or over what is there. Blocking.
    pub fn put(&self, name: &str, bytes: Bytes) -> Result<(), BucketError> {
        let key = self.key(name)?;
        self.patiently(name, || {
            let (store, key, bytes) = (Arc::clone(&self.store), key.clone(), bytes.clone());
            async move { store.put(&key, PutPayload::from_bytes(bytes)).await.map(drop) }
        })
    }

    /// Puts a file of this machine in its place, or over what is there. Blocking.
    pub fn put_file(&self, name: &str, file: &Path) -> Result<(), BucketError> {
        let unread = |error: std::io::Error| BucketError::file(file, &error);
        let mut opened = File::open(file).map_err(unread)?;
        let size = opened.metadata().map_err(unread)?.len();
        if size <= AS_ONE {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
            opened.read_to_end(&mut bytes).map_err(unread)?;
            return self.put(name, bytes.into());
        }
        let mut begun = 1;
        loop {
            match self.put_parts(name, &mut opened, file, size) {
                Err(error) if error.is_missing() && begun < BEGINNINGS => begun += 1,
                done => return done,
            }
        }
    }

    fn put_parts(&self, name: &str, opened: &mut File, file: &Path, size: u64) -> Result<(), BucketError> {
        let key = self.key(name)?;
        let id = self.patiently(name, || {
            let (store, key) = (Arc::clone(&self.store), key.clone());
            async move { store.create_multipart(&key).await }
        })?;
        let sent = self.send_parts(name, &key, &id, opened, file, size);
        let parts = match sent {
            Ok(parts) => parts,
            Err(error) => {
                self.let_go_of_parts(key, id);
                return Err(error);
            }
        };
        let completed = self.patiently(name, || {
            let (store, key, id, parts) = (Arc::clone(&self.store), key.clone(), id.clone(), parts.clone());
            async move { store.complete_multipart(&key, &id, parts).await.map(drop) }
        });
        match completed {
            // Completed already, by a request whose answer was lost.
            Err(error) if error.is_missing() && self.size(name)? == Some(size) => Ok(()),
            Err(error) => {
                self.let_go_of_parts(key, id);
                Err(error)
            }
            Ok(()) => Ok(()),
        }
    }

    /// What was sent of a file costs room there until it is told to go.
    fn let_go_of_parts(&self, key: Key, id: String) {
        let store = Arc::clone(&self.store);
        let _ = self.block(async move { store.abort_multipart(&key, &id).await });
    }

    fn send_parts(
        &self,
        name: &str,
        key: &Key,
        id: &str,
        opened: &mut File,
        file: &Path,
        size: u64,
    ) -> Result<Vec<PartId>, BucketError> {
        let unread = |error: std::io::Error| BucketError::file(file, &error);
        opened.seek(SeekFrom::Start(0)).map_err(unread)?;
        let length = PART.max(size.div_ceil(PARTS));
        let mut parts = Vec::new();
        loop {
            let mut part = Vec::with_capacity(usize::try_from(length.min(size)).unwrap_or_default());
            (&mut *opened).take(length).read_to_end(&mut part).map_err(unread)?;
            if part.is_empty() {
                return Ok(parts);
            }
            let (number, part) = (parts.len(), Bytes::from(part));
            parts.push(self.patiently(name, || {
                let (store, key, id) = (Arc::clone(&self.store), key.clone(), id.to_owned());
                let part = PutPayload::from_bytes(part.clone());
                async move { store.put_part(&key, &id, number, part).await }
            })?);
        }
    }

    /// How large a file is; nothing when it is not there. Blocking.
    pub fn size(&self, name: &str) -> Result<Option<u64>, BucketError> {
        let key = self.key(name)?;
        let found = self.patiently(name, || {
            let (store, key) = (Arc::clone(&self.store), key.clone());
            async move { store.head(&key).await.map(|about| about.size) }
        });
        missing_is_nothing(found)
    }

    /// Which of these files are not there. Blocking.
    pub fn missing(&self, names: &[String]) -> Result<Vec<String>, BucketError> {
        let mut missing = Vec::new();
        for some in names.chunks(AT_ONCE) {
            let asked = thread::scope(|scope| {
                let asked: Vec<_> = some.iter().map(|name| scope.spawn(move || self.size(name))).collect();
                asked.into_iter().map(|asked| asked.join().unwrap_or_else(|_| Err(self.stopped()))).collect::<Vec<_>>()
            });
            for (name, size) in some.iter().zip(asked) {
                if size?.is_none() {
                    missing.push(name.clone());
                }
            }
        }
        Ok(missing)
    }

    /// Removes a file, if it is there. Blocking.
    pub fn remove(&self, name: &str) -> Result<(), BucketError> {
        let key = self.key(name)?;
        let removed = self.patiently(name, || {
            let (store, key) = (Arc::clone(&self.store), key.clone());
            async move { store.delete(&key).await }
        });
        missing_is_nothing(removed).map(drop)
    }

    /// Copies a file to one of this machine, unless it is larger than `most`. Blocking.
    pub fn fetch(&self, name: &str, into: &Path, most: u64) -> Result<u64, BucketError> {
        let (began, mut look) = (Instant::now(), LOOKS[0]);
        loop {
            match self.fetch_once(name, into, most) {
                Err(error) if error.is_passing() && began.elapsed() < PATIENCE => self.rest(&error, &mut look),
                done => return done,
            }
        }
    }

    fn fetch_once(&self, name: &str, into: &Path, most: u64) -> Result<u64, BucketError> {
        let unwritten = |error: std::io::Error| BucketError::file(into, &error);
        let (size, mut pieces) = self.begin(name)?;
        if size > most {
            return Err(BucketError::TooLarge { bucket: self.label.clone(), name: name.to_owned(), most });
        }
        let mut file = File::create(into).map_err(unwritten)?;
        let mut written = 0;
        loop {
            // Received there, so that this thread may be any.
            let (rest, piece) = self.block(async move {
                let piece = pieces.recv().await;
                (pieces, piece)
            })?;
            pieces = rest;
            let Some(piece) = piece else { break };
            let piece = piece.map_err(|error| self.away(&error.to_string()))?;
            written += piece.len() as u64;
            file.write_all(&piece).map_err(unwritten)?;
        }
        if written == size { Ok(size) } else { Err(self.away("the answer broke off")) }
    }

    fn begin(&self, name: &str) -> Result<(u64, Pieces), BucketError> {
        let opening = self.opening(name, None)?;
        self.block(opening)?.map_err(|error| self.said(&error, name))
    }

    /// How large a file is; nothing when it is not there.
    pub async fn look_up(&self, name: &str) -> Result<Option<u64>, BucketError> {
        let (store, key) = (Arc::clone(&self.store), self.key(name)?);
        let found = self.spawn(async move { store.head(&key).await.map(|about| about.size) }).await?;
        missing_is_nothing(found.map_err(|error| self.said(&error, name)))
    }

    /// Reads a part of a file.
    pub async fn read(&self, name: &str, part: Range<u64>) -> Result<Pieces, BucketError> {
        let opening = self.opening(name, Some(part))?;
        self.spawn(opening).await?.map(|(_, pieces)| pieces).map_err(|error| self.said(&error, name))
    }

    /// Begins to read a file, or a part of it; gives the size of the whole.
    fn opening(
        &self,
        name: &str,
        part: Option<Range<u64>>,
    ) -> Result<impl Future<Output = object_store::Result<(u64, Pieces)>> + Send + 'static, BucketError> {
        let (store, key) = (Arc::clone(&self.store), self.key(name)?);
        Ok(async move {
            let range = part.map(GetRange::Bounded);
            let answer = store.get_opts(&key, GetOptions { range, ..GetOptions::default() }).await?;
            let size = answer.meta.size;
            let mut stream = answer.into_stream();
            let (sender, pieces) = tokio::sync::mpsc::channel(AHEAD);
            tokio::spawn(async move {
                loop {
                    let piece = match tokio::time::timeout(STILL, stream.next()).await {
                        Ok(Some(Ok(piece))) => Ok(piece),
                        Ok(Some(Err(error))) => Err(std::io::Error::other(error.to_string())),
                        Ok(None) => return,
                        Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
                    };
                    let last = piece.is_err();
                    if sender.send(piece).await.is_err() || last {
                        return;
                    }
                }
            });
            Ok((size, pieces))
        })
    }

    fn key(&self, name: &str) -> Result<Key, BucketError> {
        Key::parse(self.address.key(name))
            .map_err(|error| BucketError::Other { bucket: self.label.clone(), reason: error.to_string() })
    }

    /// Does something until it is done; a service that is away is waited for. It must not matter whether
    /// it is done twice.
    fn patiently<T, F>(&self, name: &str, work: impl Fn() -> F) -> Result<T, BucketError>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let (began, mut look) = (Instant::now(), LOOKS[0]);
        loop {
            let error = match self.block(work())? {
                Ok(done) => return Ok(done),
                Err(error) => self.said(&error, name),
            };
            if !error.is_passing() || began.elapsed() >= PATIENCE {
                return Err(error);
            }
            self.rest(&error, &mut look);
        }
    }

    fn rest(&self, error: &BucketError, look: &mut Duration) {
        if *look == LOOKS[0] {
            tracing::warn!("{error}; waiting for it");
        }
        thread::sleep(*look);
        *look = (*look * 2).min(LOOKS[1]);
    }

    /// Waits on this thread for what is done on another.
    fn block<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T, BucketError> {
        let runtime = self.runtime.as_ref().ok_or_else(|| self.stopped())?;
        let (answer, answered) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            let _ = answer.send(work.await);
        });
        answered.recv().map_err(|_| self.stopped())
    }

    async fn spawn<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Result<T, BucketError> {
        let runtime = self.runtime.as_ref().ok_or_else(|| self.stopped())?;
        runtime.spawn(work).await.map_err(|_| self.stopped())
    }

    fn said(&self, error: &object_store::Error, name: &str) -> BucketError {
        BucketError::of(error, &self.label, &self.endpoint, name)
    }

    fn away(&self, reason: &str) -> BucketError {
        let (bucket, endpoint) = (self.label.clone(), self.endpoint.clone());
        BucketError::Away { bucket, endpoint, reason: reason.to_owned() }
    }

    fn stopped(&self) -> BucketError {
        BucketError::Other { bucket: self.label.clone(), reason: "the program is ending".into() }
    }
}

impl Drop for Bucket {
    /// A runtime may not be waited for where others are waited for.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn missing_is_nothing<T>(found: Result<T, BucketError>) -> Result<Option<T>, BucketError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}
