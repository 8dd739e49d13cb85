//! A bucket of a real service.

mod server;

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bucket::{Bucket, BucketError};

use crate::server::{BUCKET, S3};

/// The variables are those of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

struct Variables(#[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Variables {
    fn of(service: &S3) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        service.variables().iter().for_each(|(name, value)| Self::set(name, value));
        Self(alone)
    }

    #[expect(unsafe_code, reason = "tests that touch the variables are alone")]
    fn set(name: &str, value: &str) {
        // SAFETY: the only threads beside this one are those of services, which read no variables.
        unsafe { std::env::set_var(name, value) }
    }
}

fn open(prefix: &str) -> Bucket {
    let bucket = Bucket::named(&format!("s3://{BUCKET}/{prefix}")).unwrap();
    bucket.check().unwrap();
    bucket
}

fn read(bucket: &Bucket, name: &str, part: std::ops::Range<u64>) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut pieces, mut all) = (bucket.read(name, part).await.unwrap(), Vec::new());
        while let Some(piece) = pieces.recv().await {
            all.extend_from_slice(&piece.unwrap());
        }
        all
    })
}

#[test]
fn what_is_put_is_there_until_it_is_removed() {
    let service = S3::start();
    let _variables = Variables::of(&service);
    let bucket = open("of/paradise");
    assert_eq!(bucket.label(), "s3://birds/of/paradise");
    assert_eq!(bucket.size("a.example/ab/x.jpg").unwrap(), None);
    bucket.put("a.example/ab/x.jpg", "a picture".into()).unwrap();
    bucket.put("a.example/ab/x.jpg", "a picture!".into()).unwrap();
    assert_eq!(bucket.size("a.example/ab/x.jpg").unwrap(), Some(10));
    assert_eq!(read(&bucket, "a.example/ab/x.jpg", 2..9), b"picture");
    assert_eq!(open("").size("of/paradise/a.example/ab/x.jpg").unwrap(), Some(10));
    let names = ["a.example/ab/x.jpg", "b", "a.example/ab/y.jpg"].map(str::to_owned);
    assert_eq!(bucket.missing(&names).unwrap(), names[1..]);
    bucket.remove("a.example/ab/x.jpg").unwrap();
    bucket.remove("a.example/ab/x.jpg").expect("again");
    assert_eq!(bucket.size("a.example/ab/x.jpg").unwrap(), None);
    assert!(matches!(bucket.fetch("b", &std::env::temp_dir().join("b"), 1), Err(BucketError::Missing { .. })));
}

#[test]
fn a_large_file_goes_in_parts_and_comes_back_the_same() {
    let service = S3::start();
    let _variables = Variables::of(&service);
    let dir = tempfile::tempdir().unwrap();
    let (there, back) = (dir.path().join("there"), dir.path().join("back"));
    let bytes: Vec<u8> = (0..20_000_003_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(&there, &bytes).unwrap();
    let bucket = open("");
    bucket.put_file("film.mp4", &there).unwrap();
    let size = bytes.len() as u64;
    assert_eq!(bucket.size("film.mp4").unwrap(), Some(size));
    assert_eq!(bucket.fetch("film.mp4", &back, size).unwrap(), size);
    assert!(fs::read(&back).unwrap() == bytes);
    assert!(read(&bucket, "film.mp4", 9_000_000..9_000_100) == bytes[9_000_000..9_000_100]);
    let refused = bucket.fetch("film.mp4", &back, size - 1);
    assert!(matches!(refused, Err(BucketError::TooLarge { .. })), "{refused:?}");
}

#[test]
fn who_writes_waits_for_a_service_that_is_away() {
    let mut service = S3::start();
    let _variables = Variables::of(&service);
    let bucket = open("");
    bucket.put("before", "x".into()).unwrap();
    service.stop();
    let away = Duration::from_secs(2);
    thread::scope(|scope| {
        let putting = scope.spawn(|| {
            let began = Instant::now();
            bucket.put("while it was away", "x".into()).unwrap();
            began.elapsed()
        });
        thread::sleep(away);
        assert!(!putting.is_finished());
        service.start_again();
        assert!(putting.join().unwrap() >= away);
    });
    let there = |name: &str| service.directory().join(name).is_file();
    assert!(there("before") && there("while it was away"));
}

#[test]
fn who_starts_before_the_service_waits_for_it_as_long_as_it_has_patience() {
    let mut service = S3::start();
    let _variables = Variables::of(&service);
    let bucket = open("");
    service.stop();
    assert!(bucket.wait_for(Duration::ZERO).is_err_and(|error| error.is_passing()));
    thread::scope(|scope| {
        let waits = scope.spawn(|| bucket.wait_for(Duration::from_secs(60)));
        service.start_again();
        waits.join().unwrap().unwrap();
    });
    // What waiting does not mend is said at once.
    let nowhere = Bucket::named("s3://nowhere").unwrap();
    assert!(nowhere.wait_for(Duration::from_secs(60)).is_err_and(|error| !error.is_passing()));
}

#[test]
fn errors_say_what_to_do() {
    let mut service = S3::start();
    let _variables = Variables::of(&service);
    let check = |address: &str| Bucket::named(address).and_then(|bucket| bucket.check()).unwrap_err().to_string();
    let error = check("s3://nobirds/here");
    assert!(error.contains("there is no bucket for s3://nobirds/here") && error.contains("--media"), "{error}");

    Variables::set("AWS_SECRET_ACCESS_KEY", "red things");
    let error = check("s3://birds");
    assert!(error.contains("refuses the keys") && error.contains("AWS_SECRET_ACCESS_KEY"), "{error}");
    Variables::set("AWS_ACCESS_KEY_ID", "crow");
    let error = check("s3://birds");
    assert!(error.contains("refuses the keys"), "{error}");
    Variables::set("AWS_ACCESS_KEY_ID", "");
    let error = check("s3://birds");
    assert!(error.contains("there are no keys") && error.contains("AWS_ACCESS_KEY_ID"), "{error}");

    let _ = service.variables().iter().map(|(name, value)| Variables::set(name, value)).collect::<Vec<_>>();
    Variables::set("AWS_ALLOW_HTTP", "false");
    let error = check("s3://birds");
    assert!(error.contains("not encrypted") && error.contains("AWS_ALLOW_HTTP=true"), "{error}");
    Variables::set("AWS_ALLOW_HTTP", "true");
    service.stop();
    let error = check("s3://birds");
    assert!(error.contains("cannot be reached at http://127.0.0.1") && error.contains("refused"), "{error}");
    assert!(error.contains("AWS_ENDPOINT_URL"), "{error}");
}
