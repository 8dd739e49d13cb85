//! Filters at their borders.

use facts::{MediaKind, Url};
use strategy::{Filter, FilterError, FilterSettings, Refusal, Scope};

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn filter(settings: FilterSettings) -> Filter {
    let seeds = [url("https://www.museum.example.co.uk/start"), url("http://10.0.0.7/")];
    Filter::new(&settings, &seeds).unwrap()
}

fn list(items: &[&str]) -> Vec<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

#[test]
fn nothing_is_left_out_by_default() {
    let filter = filter(FilterSettings::default());
    assert_eq!(filter.admits(&url("http://anywhere.example/x?y"), u32::MAX), Ok(()));
    assert_eq!(filter.admits_media(&url("http://cdn.example/x.jpg"), MediaKind::Audio), Ok(()));
    assert_eq!(filter.admits_language(Some("fi")), Ok(()));
    assert_eq!(filter.admits_content_type("application/pdf"), Ok(()));
}

#[test]
fn scope_is_measured_from_the_seeds() {
    use Refusal::Scope as Out;
    for (scope, address, verdict) in [
        (Scope::Host, "https://www.museum.example.co.uk/a", Ok(())),
        (Scope::Host, "http://www.museum.example.co.uk:8080/a", Ok(())),
        (Scope::Host, "https://museum.example.co.uk/a", Err(Out)),
        (Scope::Host, "http://10.0.0.7/a", Ok(())),
        (Scope::Domain, "https://shop.example.co.uk/", Ok(())),
        (Scope::Domain, "https://other.co.uk/", Err(Out)),
        (Scope::Domain, "https://example.co.uk.evil.example/", Err(Out)),
        (Scope::Domain, "http://10.0.0.8/", Err(Out)),
        (Scope::Any, "http://anywhere.example/", Ok(())),
    ] {
        let filter = filter(FilterSettings { scope, ..FilterSettings::default() });
        assert_eq!(filter.admits(&url(address), 1), verdict, "{scope:?} {address}");
        assert_eq!(filter.admits_media(&url(address), MediaKind::Image), Ok(()), "media are exempt");
    }
}

#[test]
fn depth_is_allowed_up_to_the_limit() {
    let limit = |max_depth| filter(FilterSettings { max_depth, ..FilterSettings::default() });
    let page = url("http://a.example/");
    assert_eq!(limit(Some(2)).admits(&page, 2), Ok(()));
    assert_eq!(limit(Some(2)).admits(&page, 3), Err(Refusal::Depth));
    assert_eq!(limit(Some(0)).admits(&page, 0), Ok(()));
    assert_eq!(limit(Some(0)).admits(&page, 1), Err(Refusal::Depth));
    assert_eq!(limit(None).admits(&page, 1000), Ok(()));
}

#[test]
fn patterns_let_in_and_keep_out() {
    let filter = filter(FilterSettings {
        include: list(&["*/photo/*", "*/place/*"]),
        exclude: list(&["*/private/*", "*.gif"]),
        ..FilterSettings::default()
    });
    for (address, depth, verdict) in [
        ("http://a.example/photo/1", 1, Ok(())),
        ("http://a.example/place/1", 1, Ok(())),
        ("http://a.example/news/1", 1, Err(Refusal::Pattern)),
        ("http://a.example/news/1", 0, Ok(())),
        ("http://a.example/photo/private/1", 1, Err(Refusal::Pattern)),
        ("http://a.example/private/", 0, Err(Refusal::Pattern)),
    ] {
        assert_eq!(filter.admits(&url(address), depth), verdict, "{address}");
    }
    assert_eq!(filter.admits_media(&url("http://cdn.example/x.jpg"), MediaKind::Image), Ok(()));
    assert_eq!(filter.admits_media(&url("http://cdn.example/x.gif"), MediaKind::Image), Err(Refusal::Pattern));
}

#[test]
fn excluded_countries_are_not_visited() {
    let filter =
        filter(FilterSettings { exclude_tlds: list(&["fi", ".XN--P1AI", "中国"]), ..FilterSettings::default() });
    for (address, verdict) in [
        ("http://a.fi/", Err(Refusal::Tld)),
        ("http://a.fi./", Err(Refusal::Tld)),
        ("http://fi.example/", Ok(())),
        ("http://a.рф/", Err(Refusal::Tld)),
        ("http://a.中国/", Err(Refusal::Tld)),
        ("http://127.0.0.1/", Ok(())),
    ] {
        assert_eq!(filter.admits(&url(address), 1), verdict, "{address}");
    }
    assert_eq!(filter.admits_media(&url("http://cdn.fi/x.jpg"), MediaKind::Image), Err(Refusal::Tld));
}

#[test]
fn languages_kinds_and_types_are_as_wanted_or_unknown() {
    let filter = filter(FilterSettings {
        languages: list(&["fi", "de-AT"]),
        kinds: vec![MediaKind::Image, MediaKind::Video],
        content_types: list(&["text/html", "Application/*"]),
        ..FilterSettings::default()
    });
    for (language, verdict) in
        [(Some("fi"), Ok(())), (Some("de"), Ok(())), (Some("en"), Err(Refusal::Language)), (None, Ok(()))]
    {
        assert_eq!(filter.admits_language(language), verdict, "{language:?}");
    }
    for (kind, verdict) in
        [(MediaKind::Image, Ok(())), (MediaKind::Video, Ok(())), (MediaKind::Audio, Err(Refusal::Kind))]
    {
        assert_eq!(filter.admits_media(&url("http://a.example/x"), kind), verdict, "{kind}");
    }
    let pages_only = Filter::new(&FilterSettings { kinds: Vec::new(), ..FilterSettings::default() }, &[]).unwrap();
    assert_eq!(pages_only.admits_media(&url("http://a.example/x"), MediaKind::Image), Err(Refusal::Kind));
    for (header, verdict) in [
        ("text/html; charset=utf-8", Ok(())),
        ("TEXT/HTML", Ok(())),
        ("text/plain", Err(Refusal::Kind)),
        ("application/xhtml+xml", Ok(())),
        ("", Err(Refusal::Kind)),
    ] {
        assert_eq!(filter.admits_content_type(header), verdict, "{header}");
    }
}

#[test]
fn settings_that_cannot_be_meant_are_refused_with_advice() {
    let with = |change: fn(&mut FilterSettings)| {
        let mut settings = FilterSettings::default();
        change(&mut settings);
        Filter::new(&settings, &[]).unwrap_err()
    };
    assert_eq!(with(|s| s.include.push(" ".into())), FilterError::Pattern(" ".into()));
    assert_eq!(with(|s| s.languages.push("english".into())), FilterError::Language("english".into()));
    assert_eq!(with(|s| s.exclude_tlds.push("co.uk".into())), FilterError::Tld("co.uk".into()));
    assert_eq!(with(|s| s.exclude_tlds.push("".into())), FilterError::Tld("".into()));
    let error = with(|s| s.content_types.push("html".into()));
    assert_eq!(error, FilterError::ContentType("html".into()));
    assert!(error.to_string().contains("text/html"));
}

#[test]
fn reasons_have_the_names_they_are_counted_by() {
    let names: Vec<_> =
        [Refusal::Scope, Refusal::Pattern, Refusal::Tld, Refusal::Depth, Refusal::Kind, Refusal::Language]
            .map(Refusal::as_str)
            .into();
    assert_eq!(names, ["scope", "pattern", "tld", "depth", "kind", "language"]);
}
