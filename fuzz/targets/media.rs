//! Pictures, films and sounds: what their bytes and metadata say, whole and from both ends.
#![no_main]

use media::{Probe, Wants};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let now = facts::Timestamp(1_800_000_000_000);
    let whole = media::read_whole(bytes, now);
    for told in [Some(bytes.len() as u64), None, Some(u64::MAX)] {
        let mut probe = Probe::new(told);
        let (mut read, mut asked) = (0, 0);
        loop {
            asked += 1;
            assert!(asked < 9, "it wants more and more");
            match probe.next() {
                Wants::Nothing => break,
                Wants::Head(end) => {
                    let end = end.min(bytes.len());
                    if end <= read {
                        probe.ended();
                        break;
                    }
                    probe.head(&bytes[read..end]);
                    read = end;
                }
                Wants::Tail(last) => {
                    let from = bytes.len().saturating_sub(usize::try_from(last).unwrap_or(usize::MAX));
                    probe.tail(from as u64, &bytes[from..]);
                }
            }
        }
        let _ = probe.facts(now);
    }
    if let Ok(facts) = whole {
        assert!(facts.location.is_none_or(|location| location.at.lat().abs() <= 90.0));
    }
});
