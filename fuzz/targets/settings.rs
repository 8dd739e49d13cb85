//! Settings as files, forms and arguments have them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(settings) = toml::from_str::<crawl::Settings>(text) {
        let _ = settings.check();
        let written = serde_json::to_value(&settings).expect("what was read can be written");
        let again: crawl::Settings = serde_json::from_value(written.clone()).expect("what was written can be read");
        assert_eq!(serde_json::to_value(&again).ok(), Some(written));
    }
    let _ = toml::from_str::<crawl::FindSettings>(text);
    if let Ok(value) = serde_json::from_str(text) {
        let _ = crawl::from_form(&value);
    }
    let _ = (sources::parse_via(text), text.parse::<fetch::ResolveRule>(), text.parse::<crawl::Revisit>());
    let (cron, zone) = text.split_once('\n').unwrap_or((text, "Europe/Berlin"));
    if let Ok(timing) = timetable::Timing::read(cron, zone) {
        let _ = (timing.in_words(), timing.next(facts::Timestamp(1_800_000_000_000), 3));
    }
});
