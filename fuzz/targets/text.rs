//! Places, coordinates and addresses in any text, whole and piece by piece.
#![no_main]

use geo::{Hints, Parser};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let hints = Hints::default();
    let mentions = geo::parse(&text, &hints);
    for mention in &mentions {
        assert!(text.get(mention.span.clone()).is_some(), "a span cuts a character");
        assert!((0.0..=1.0).contains(&mention.confidence) && mention.at.lat().abs() <= 90.0);
    }
    let _ = geo::code_points(&text, &mentions);
    let mut parser = Parser::new(hints).declared(Some("de"));
    let (taken, _) = parser.take(&text, false);
    assert!(text.is_char_boundary(taken));
    let _ = parser.take(&text[taken..], true);
});
