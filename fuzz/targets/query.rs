//! What people type is read or refused, and so are lists of synonyms.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let _ = query::Query::parse(&text);
    if let Ok(synonyms) = query::Synonyms::read(&text)
        && let Some(want) = query::Want::parse(&text)
    {
        let _ = synonyms.widen(want);
    }
    for token in query::tokens(&text) {
        assert!(token.text.len() <= 4 * query::LONGEST_TOKEN + 16);
        for language in query::Language::all() {
            let _ = language.stem(&token.text);
        }
    }
    let folded = query::fold(&text);
    assert_eq!(query::fold(&folded), folded);
});
