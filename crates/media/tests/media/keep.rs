//! The keep rules at their borders.

use media::{Candidate, Format, LinksTo, Preset, Refusal, Rules, foresee, judge, judge_link};

fn picture(width: u32, height: u32) -> Candidate<'static> {
    let format = Format::named("jpeg").unwrap();
    Candidate {
        format,
        width: Some(width),
        height: Some(height),
        duration: None,
        size: None,
        located: false,
        alt: "",
        name: "p.jpg",
    }
}

fn verdict(preset: Preset, width: u32, height: u32) -> Option<&'static str> {
    judge(&preset.rules(), &picture(width, height)).err().map(Refusal::as_str)
}

#[test]
fn the_example_sizes_of_table_4_are_kept() {
    let rows: [&[(u32, u32)]; 13] = [
        &[(480, 480), (512, 512), (1024, 1024)],
        &[(640, 480), (800, 600), (832, 624)],
        &[(600, 480), (1280, 1024), (1600, 1280)],
        &[(960, 640), (1152, 768), (1440, 960)],
        &[(800, 480), (1280, 768)],
        &[(960, 540), (1024, 576), (1280, 720)],
        &[(1200, 400), (1500, 500), (1800, 600)],
        &[(700, 2100), (800, 2400), (900, 2700)],
        &[(720, 960), (768, 1024), (864, 1152)],
        &[(480, 800), (768, 1280)],
        &[(1280, 1600), (1440, 1800), (2048, 2560)],
        &[(900, 1600), (1080, 1920), (1440, 2560)],
        &[(1280, 1920), (1440, 2160), (1824, 2736)],
    ];
    for (width, height) in rows.concat() {
        assert_eq!(verdict(Preset::Photo, width, height), None, "{width} x {height}");
    }
}

#[test]
fn each_ratio_of_table_4_is_kept_within_two_per_cent() {
    let ratios =
        [(1, 1), (4, 3), (5, 4), (3, 2), (5, 3), (16, 9), (3, 1), (1, 3), (3, 4), (3, 5), (4, 5), (9, 16), (2, 3)];
    let near_another = |width: u32, height: u32, not: (u32, u32)| {
        ratios.iter().filter(|ratio| **ratio != not).any(|(w, h)| {
            let (is, should) = (f64::from(width) / f64::from(height), f64::from(*w) / f64::from(*h));
            (is / should - 1.0).abs() < 0.021
        })
    };
    for (w, h) in ratios {
        let (width, height) = (w * 9000, h * 9000);
        let cases = [(width, None), (width * 102 / 100, None), (width * 98 / 100, None)];
        let beyond = [width * 102 / 100 + 1, width * 98 / 100 - 1].map(|width| (width, Some("aspect")));
        for (width, expected) in cases.into_iter().chain(beyond) {
            if expected.is_none() || !near_another(width, height, (w, h)) {
                assert_eq!(verdict(Preset::Photo, width, height), expected, "{w}:{h} as {width} x {height}");
            }
        }
    }
}

#[test]
fn sides_below_400_are_small() {
    for (width, height, expected) in [
        (400, 400, None),
        (399, 400, Some("small")),
        (400, 399, Some("small")),
        (399, 399, Some("small")),
        (1200, 400, None),
        (1197, 399, Some("small")),
        (1000, 400, Some("aspect")),
        (2000, 500, Some("aspect")),
    ] {
        assert_eq!(verdict(Preset::Photo, width, height), expected, "{width} x {height}");
    }
}

#[test]
fn each_word_of_table_3_refuses_as_a_whole_word_in_alt_or_name() {
    let rules = Preset::Photo.rules();
    let words = [
        "Logo",
        "banner",
        "header",
        "footer",
        "button",
        "free",
        "adserver",
        "advertisement",
        "ads",
        "now",
        "buy",
        "join",
        "click",
        "affiliate",
        "adv",
        "hits",
        "counter",
        "sprite",
    ];
    assert_eq!(rules.words.len(), words.len());
    for word in words {
        let judged = |alt: &str, name: &str| judge(&rules, &Candidate { alt, name, ..picture(800, 600) });
        assert_eq!(judged(&format!("Our {word}, new"), "p.jpg"), Err(Refusal::Word), "{word}");
        assert_eq!(judged("", &format!("big_{word}-2.jpg")), Err(Refusal::Word), "{word}");
        assert_eq!(judged("", &format!("{}3.png", word.to_uppercase())), Err(Refusal::Word), "{word}");
        assert_eq!(judged(&format!("x{word}"), &format!("{word}x.jpg")), Ok(()), "{word} inside of a word");
    }
    let judged = |alt: &str, name: &str| judge(&rules, &Candidate { alt, name, ..picture(800, 600) });
    assert_eq!(judged("Snow on the joint headerless known roads", "adsorption.jpg"), Ok(()));
    assert_eq!(judged("ei n\u{e4}ytä", "\u{e4}logo.jpg"), Ok(()));
}

#[test]
fn a_located_picture_is_never_refused_for_sides_or_words() {
    for preset in [Preset::Photo, Preset::Query, Preset::Database] {
        let banner = Candidate { located: true, alt: "banner", name: "logo.jpg", ..picture(4000, 500) };
        assert_eq!(judge(&preset.rules(), &banner), Ok(()), "{preset:?}");
        let tiny = Candidate { located: true, ..picture(60, 45) };
        assert_eq!(judge(&preset.rules(), &tiny), Err(Refusal::Small), "{preset:?}");
    }
    let strict = Rules { spare_located: false, ..Preset::Photo.rules() };
    assert_eq!(judge(&strict, &Candidate { located: true, ..picture(4000, 500) }), Err(Refusal::Aspect));
}

#[test]
fn the_query_preset_at_its_borders() {
    for (width, height, expected) in [
        (70, 70, None),
        (69, 70, Some("small")),
        (70, 69, Some("small")),
        (300, 100, None),
        (301, 100, Some("aspect")),
        (100, 300, None),
        (100, 301, Some("aspect")),
    ] {
        assert_eq!(verdict(Preset::Query, width, height), expected, "{width} x {height}");
    }
    let rules = Preset::Query.rules();
    assert_eq!(judge_link(&rules, LinksTo::SameSite), Err(Refusal::Thumbnail));
    assert_eq!(judge_link(&rules, LinksTo::OtherSite), Err(Refusal::External));
    assert_eq!(judge_link(&Preset::Photo.rules(), LinksTo::OtherSite), Ok(()));
}

#[test]
fn the_database_preset_at_its_borders() {
    for (width, height, expected) in [
        (351, 351, None),
        (350, 351, Some("small")),
        (351, 152, None),
        (2100, 900, Some("aspect")),
        (2099, 900, None),
        (900, 2100, Some("aspect")),
        (901, 2100, None),
    ] {
        assert_eq!(verdict(Preset::Database, width, height), expected, "{width} x {height}");
    }
    for (format, expected) in
        [("jpeg", Ok(())), ("png", Ok(())), ("webp", Err(Refusal::Format)), ("gif", Err(Refusal::Format))]
    {
        let candidate = Candidate { format: Format::named(format).unwrap(), ..picture(800, 600) };
        assert_eq!(judge(&Preset::Database.rules(), &candidate), expected, "{format}");
    }
}

#[test]
fn only_located_refuses_what_has_no_place_and_only_that() {
    let rules = Rules { only_located: true, ..Rules::default() };
    assert_eq!(judge(&rules, &picture(800, 600)), Err(Refusal::NotLocated));
    assert_eq!(judge(&rules, &Candidate { located: true, ..picture(800, 600) }), Ok(()));
    assert_eq!(judge(&rules, &picture(100, 100)), Err(Refusal::Small));
    let film = Candidate { format: Format::named("mp4").unwrap(), width: None, height: None, ..picture(0, 0) };
    assert_eq!(judge(&rules, &film), Err(Refusal::NotLocated));
    assert_eq!(judge(&Rules::default(), &film), Ok(()));
}

#[test]
fn a_picture_without_a_size_is_broken() {
    for candidate in [picture(0, 600), picture(800, 0), Candidate { width: None, ..picture(800, 600) }] {
        assert_eq!(judge(&Rules::default(), &candidate), Err(Refusal::Broken));
    }
}

#[test]
fn only_what_is_certain_is_foreseen() {
    let rules = Preset::Photo.rules();
    assert_eq!(foresee(&rules, "", "logo.gif"), Err(Refusal::Word));
    assert_eq!(foresee(&rules, "click", "a.SVG"), Err(Refusal::Word));
    assert_eq!(foresee(&rules, "", "logo.jpg"), Ok(()), "it may know its place");
    assert_eq!(foresee(&rules, "", "castle.gif"), Ok(()));
    let strict = Rules { spare_located: false, ..rules };
    assert_eq!(foresee(&strict, "", "logo.jpg"), Err(Refusal::Word));
    assert_eq!(foresee(&Preset::Query.rules(), "", "logo.gif"), Ok(()));
}

#[test]
fn every_number_is_a_setting() {
    let json = r#"{"min_width": 10, "ratios": ["2:1"], "tolerance": 0.1, "words": [], "aspect": {"least": "1:9", "most": "9:1"}}"#;
    let rules: Rules = serde_json::from_str(json).unwrap();
    assert_eq!(rules.min_height, 400, "the rest as in the default preset");
    assert_eq!(judge(&rules, &Candidate { alt: "logo", ..picture(860, 400) }), Ok(()));
    assert_eq!(judge(&rules, &picture(400, 400)), Err(Refusal::Aspect));
    let again: Rules = serde_json::from_str(&serde_json::to_string(&rules).unwrap()).unwrap();
    assert_eq!(again, rules);
    let error = serde_json::from_str::<Rules>(r#"{"ratios": ["16/9"]}"#).unwrap_err().to_string();
    assert!(error.contains("16:9"), "{error}");
    assert!(serde_json::from_str::<Rules>(r#"{"ratios": ["0:9"]}"#).is_err());
}

#[test]
fn names_lead_back_to_presets_and_refusals() {
    for name in ["photo", "query", "database", "all"] {
        assert_eq!(Preset::parse(name).unwrap().as_str(), name);
    }
    for name in
        ["small", "aspect", "word", "format", "duration", "too-large", "broken", "thumbnail", "external", "not-located"]
    {
        assert_eq!(Refusal::parse(name).unwrap().as_str(), name);
    }
    assert_eq!((Preset::parse(""), Refusal::parse("")), (None, None));
}

#[test]
fn films_and_sounds_are_kept_by_their_length() {
    let rules = Rules { min_seconds: Some(2.0), max_seconds: Some(60.0), ..Preset::Photo.rules() };
    for (format, seconds, expected) in [
        ("mp4", Some(1.999), Some(Refusal::Duration)),
        ("mp4", Some(2.0), None),
        ("mp3", Some(60.0), None),
        ("mp3", Some(60.001), Some(Refusal::Duration)),
        ("mp3", None, None),
        ("jpeg", Some(0.1), None),
    ] {
        let duration = seconds.map(std::time::Duration::from_secs_f64);
        let candidate = Candidate { format: Format::named(format).unwrap(), duration, ..picture(400, 400) };
        assert_eq!(judge(&rules, &candidate).err(), expected, "{format} of {seconds:?} s");
        assert_eq!(judge(&Preset::Photo.rules(), &candidate), Ok(()));
    }
}

#[test]
fn a_small_file_that_says_it_is_a_huge_picture_is_not_kept() {
    let rules = Preset::All.rules();
    let of_size = |size| judge(&rules, &Candidate { size: Some(size), ..picture(60_000, 60_000) });
    assert_eq!(of_size(500_000), Err(Refusal::Bomb));
    assert_eq!(of_size(50_000_000), Ok(()), "a panorama brings its bytes");
    assert_eq!(
        judge(&rules, &Candidate { size: Some(2_000), ..picture(8_000, 6_000) }),
        Ok(()),
        "one colour is no bomb"
    );
}
