//! `geoparse`: text in, places out.

use std::io::{Read, Write};
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::harness::{Bird, Lab, said};

/// Runs `geoparse` with a text on stdin.
fn geoparse(text: impl AsRef<[u8]>, arguments: &[&str]) -> Output {
    let mut command = Bird::new().command(std::iter::once("geoparse").chain(arguments.iter().copied()));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().unwrap();
    let text = text.as_ref().to_vec();
    let writer = std::thread::spawn(move || input.write_all(&text));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

fn answer(text: impl AsRef<[u8]>, arguments: &[&str]) -> Value {
    let output = geoparse(text, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{:?}", said(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn found(answer: &Value) -> Vec<(&str, &str)> {
    let mentions = answer["mentions"].as_array().unwrap();
    mentions.iter().map(|mention| (mention["kind"].as_str().unwrap(), mention["text"].as_str().unwrap())).collect()
}

#[test]
fn the_answer_has_the_shape_scripts_depend_on() {
    let text = "Grüße aus Kiel 😀. Besuch: Escherweg 2, 26121 Oldenburg. Treffpunkt 54.3233, 10.1228";
    let answer = answer(text, &[]);
    assert_eq!(
        found(&answer),
        [("toponym", "Kiel"), ("address", "Escherweg 2, 26121 Oldenburg"), ("coordinates", "54.3233, 10.1228")]
    );
    let characters: Vec<char> = text.chars().collect();
    for mention in answer["mentions"].as_array().unwrap() {
        let (start, end) = (mention["start"].as_u64().unwrap() as usize, mention["end"].as_u64().unwrap() as usize);
        assert_eq!(characters[start..end].iter().collect::<String>(), mention["text"].as_str().unwrap());
        let fields: Vec<&String> = mention.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["address", "confidence", "end", "kind", "place", "start", "text", "why"]);
        let fields: Vec<&String> = mention["place"].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["admin1", "country", "id", "lat", "lon", "name", "precision_m"]);
    }
    let kiel = &answer["mentions"][0]["place"];
    assert_eq!((&kiel["id"], &kiel["name"], &kiel["country"]), (&json!(2_891_122), &json!("Kiel"), &json!("DE")));
    assert_eq!(kiel["admin1"], "Schleswig-Holstein");
    assert_eq!(answer["mentions"][0]["address"], Value::Null);
    assert_eq!(
        answer["mentions"][1]["address"],
        json!({ "street": "Escherweg", "number": "2", "postcode": "26121", "city": "Oldenburg", "country": "DE" })
    );
    let point = &answer["mentions"][2]["place"];
    assert_eq!((&point["name"], &point["lat"]), (&json!("Kiel"), &json!(54.3233)));
    assert_eq!(answer["relevant"], true);
    assert_eq!(self::answer("", &[]), json!({ "mentions": [], "relevant": false }));
}

#[test]
fn a_point_at_sea_is_no_place_of_the_gazetteer() {
    let answer = answer("Position 30.0000, -40.0000", &[]);
    let place = &answer["mentions"][0]["place"];
    assert_eq!((&place["id"], &place["name"], &place["country"]), (&Value::Null, &json!("open sea"), &Value::Null));
}

#[test]
fn people_get_a_table() {
    let (text, errors) = said(&geoparse("They met in Paris, Texas.", &["--region", "Texas", "--granularity", "place"]));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("text") && lines[0].contains("confidence"), "{text}");
    assert!(lines[1].starts_with("Paris") && lines[1].contains("Paris, Texas, US"), "{text}");
    assert_eq!(lines.last(), Some(&"relevant to Texas, United States"), "{text}");
    assert_eq!(errors, "");
    assert_eq!(said(&geoparse("Nothing here.", &[])).0, "no place is mentioned\n");
    // An address over two lines is one cell; nothing steers the terminal.
    let (text, _) = said(&geoparse("Escherweg 2\n26121 Oldenburg \u{1b}[2J", &[]));
    assert!(text.contains("Escherweg 2 26121 Oldenburg ") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_page_is_read_for_what_it_shows_and_what_it_says_for_machines() {
    let html = r#"<html lang=de><title>Unsichtbar</title><script type="application/ld+json">
        {"@type":"Hotel","geo":{"latitude":54.3233,"longitude":10.1228}}</script>
        <style>Hamburg</style><p>Grüße aus <b>Oldenburg</b>.</p>"#;
    let answer = answer(html, &["--html", "--with-text"]);
    assert_eq!(answer["visible"], "Grüße aus Oldenburg.");
    assert_eq!(found(&answer), [("toponym", "Oldenburg"), ("structured", "54.32330, 10.12280")]);
    assert_eq!((&answer["mentions"][0]["start"], &answer["mentions"][0]["end"]), (&json!(10), &json!(19)));
    assert_eq!((&answer["mentions"][1]["start"], &answer["mentions"][1]["end"]), (&json!(0), &json!(0)));
    assert_eq!(answer["mentions"][1]["place"]["name"], "Kiel");
    assert_eq!(answer["relevant"], true);
    assert_eq!(self::answer(html, &["--html"]).get("visible"), None);
}

#[test]
fn hints_and_regions_decide() {
    let cambridge = |arguments: &[&str]| {
        answer("The school is in Cambridge.", arguments)["mentions"][0]["place"]["country"].as_str().unwrap().to_owned()
    };
    assert_eq!(cambridge(&["--country", "us"]), "US");
    assert_eq!(cambridge(&["--country", "GB"]), "GB");
    let address = "Escherweg 2, 26121 Oldenburg";
    for (region, relevant) in [
        ("Oldenburg", true),
        ("53.14,8.21,15", true),
        ("53.0,8.0,53.3,8.4", true),
        ("Kiel", false),
        ("-33.9,151.2,20", false),
    ] {
        assert_eq!(answer(address, &["--region", region])["relevant"], relevant, "{region}");
    }
    assert_eq!(answer("A concert in Oldenburg.", &["--region", "Oldenburg"])["relevant"], false);
    assert_eq!(
        answer("A concert in Oldenburg.", &["--region", "Oldenburg", "--granularity", "place"])["relevant"],
        true
    );
}

#[test]
fn a_region_is_read_from_a_file() {
    let bird = Bird::new();
    let square = r#"{"type":"Polygon","coordinates":[[[8,53],[9,53],[9,54],[8,54],[8,53]]]}"#;
    for name in ["square.geojson", "square"] {
        let file = bird.file(name, square);
        assert_eq!(answer("Escherweg 2, 26121 Oldenburg", &["--region", &file])["relevant"], true);
        assert_eq!(answer("Holstenstraße 5, 24103 Kiel", &["--region", &file])["relevant"], false);
    }
    let large = bird.file("large.geojson", &" ".repeat((4 << 20) + 1));
    let broken = bird.file("broken.geojson", "{");
    for (file, complaint) in [(&large, "larger than 4 MB"), (&broken, "this is no GeoJSON")] {
        let output = geoparse("", &["--region", file]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).1.contains(complaint), "{:?}", said(&output));
    }
}

#[test]
fn an_unclear_region_is_wrong_use_with_advice() {
    for (region, complaints) in [
        ("Oldenbrug", &["no place is called", "Oldenburg, Lower Saxony, Germany"][..]),
        (
            "Springfield",
            &[
                "can be several places",
                "as in \"Springfield, Missouri, United States\"",
                "Springfield, Illinois, United States (1",
                ",",
                "people",
            ],
        ),
        ("nowhere/at.geojson", &["there is no GeoJSON file", "no place is called"]),
        ("", &["--region is empty"]),
        ("53,8", &["two numbers are a point without a radius"]),
    ] {
        let output = geoparse("", &["--region", region]);
        let (text, errors) = said(&output);
        assert_eq!((output.status.code(), &*text), (Some(2), ""), "{region}: {errors}");
        for complaint in complaints {
            assert!(errors.contains(complaint), "{region}: {errors}");
        }
    }
    let nearest = said(&geoparse("", &["--region", "Oldenbrug"])).1;
    assert_eq!(nearest.lines().count(), 6, "five names, one a line: {nearest}");
    for arguments in [&["--country", "QQ"][..], &["--lang", "klingon"], &["--lines", "--html"], &["--with-text"]] {
        assert_eq!(geoparse("", arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(geoparse("", &["/no/such/file"]).status.code(), Some(1));
}

#[test]
fn lines_are_answered_one_by_one_and_a_bad_one_stops_nobody() {
    let lines = concat!(
        "{\"id\":1,\"text\":\"They met in Kiel.\"}\n",
        "{\"id\":\"b\",\"text\":\"The school is in Cambridge.\",\"country\":\"US\",\"language\":\"en\"}\n",
        "\n",
        "{\"id\":3,\"text\":\n",
        "{\"id\":4}\n",
        "{\"text\":\"Escherweg 2, 26121 Oldenburg\"}",
    );
    let output = geoparse(lines, &["--lines"]);
    assert_eq!(output.status.code(), Some(1));
    let (text, errors) = said(&output);
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 5, "{text}");
    assert_eq!((&answers[0]["id"], found(&answers[0])), (&json!(1), vec![("toponym", "Kiel")]));
    assert_eq!((&answers[1]["id"], &answers[1]["mentions"][0]["place"]["country"]), (&json!("b"), &json!("US")));
    assert_eq!((&answers[2]["line"], answers[2].get("mentions")), (&json!(4), None));
    assert!(answers[3]["error"].as_str().unwrap().contains("text") && answers[3]["line"] == 5, "{text}");
    assert_eq!((&answers[4]["id"], &answers[4]["relevant"]), (&Value::Null, &json!(true)));
    assert!(errors.contains("2 of 6 lines"), "{errors}");
    assert!(geoparse("{\"id\":1,\"text\":\"\"}\n", &["--lines"]).status.success());
}

#[test]
fn any_bytes_are_text() {
    let mut bytes = b"\xff\xfe From \xf0\x9f Kiel \x00 to ".to_vec();
    bytes.extend_from_slice("Köln".as_bytes());
    bytes.extend_from_slice(b"\xc3");
    let answer = answer(&bytes, &[]);
    let text: Vec<char> = String::from_utf8_lossy(&bytes).chars().collect();
    for (mention, name) in answer["mentions"].as_array().unwrap().iter().zip(["Kiel", "Köln"]) {
        let (start, end) = (mention["start"].as_u64().unwrap() as usize, mention["end"].as_u64().unwrap() as usize);
        assert_eq!(text[start..end].iter().collect::<String>(), name);
    }
    assert_eq!(found(&answer).len(), 2);
}

/// A text much longer than what is looked at together, as lines and as one line without an end: the
/// answer begins before the text ends, and what waits stays small.
#[test]
fn a_long_text_is_answered_as_it_comes_in_bounded_memory() {
    let line = "They met in Kiel and nothing else was said of it that day by anyone. ";
    for end in ["\n", ""] {
        let unit = format!("{line}{end}").repeat(10_000);
        let rounds = 8;
        let mut command = Bird::new().command(["geoparse", "--json"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (answered, waiting) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut answer = vec![0; 1000];
            output.read_exact(&mut answer).unwrap();
            answered.send(()).unwrap();
            output.read_to_end(&mut answer).unwrap();
            answer
        });
        for _ in 0..rounds {
            input.write_all(unit.as_bytes()).unwrap();
        }
        // The text has not ended yet.
        waiting.recv_timeout(std::time::Duration::from_secs(60)).expect("an answer before the end");
        let resident = resident_kib(child.id());
        assert!(resident < 150 * 1024, "{resident} KiB");
        drop(input);
        assert!(child.wait().unwrap().success());
        let answer: Value = serde_json::from_slice(&reader.join().unwrap()).unwrap();
        let mentions = answer["mentions"].as_array().unwrap();
        assert_eq!(mentions.len(), rounds * 10_000);
        let last = &mentions[mentions.len() - 1];
        let stride = line.len() + end.len();
        assert_eq!(last["start"].as_u64().unwrap() as usize, (rounds * 10_000 - 1) * stride + 12);
    }
}

/// Resident memory of a process in KiB; 0 where the system does not tell.
fn resident_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut command = Bird::new().command(["geoparse", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let text = "They met in Kiel.\n".repeat(1000);
        while input.write_all(text.as_bytes()).is_ok() {}
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{:?}", said(&output));
}

#[test]
fn what_was_imported_is_used_and_what_is_damaged_is_not() {
    let (bird, folder) = (Bird::new(), tempfile::tempdir().unwrap());
    let line = "90000001\tQuirzelbach\tQuirzelbach\t\t54.5\t9.5\tP\tPPL\tDE\t\t10\t\t\t\t900\t\t10\tEurope/Berlin\t2020-01-01\n";
    let (dump, text) = (folder.path().join("SH.txt"), folder.path().join("text.txt"));
    std::fs::write(&dump, line).unwrap();
    std::fs::write(&text, "Am Markt 3, 24999 Quirzelbach, Germany").unwrap();
    let [dump, text] = [dump, text].map(|path| path.display().to_string());
    let place = |bird: &Bird| bird.json(["geoparse", text.as_str()])["mentions"][0]["place"]["id"].clone();
    assert_ne!(place(&bird), 90_000_001);
    assert_eq!(bird.json(["gazetteer", "import", dump.as_str()])["places"], 1);
    assert_eq!(place(&bird), 90_000_001);
    assert!(bird.json(["gazetteer", "show"])["sources"][0].as_str().unwrap().contains("GeoNames"));
    std::fs::write(&dump, "half a line\n").unwrap();
    let output = bird.run(["gazetteer", "import", dump.as_str()]);
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("nothing was changed"));
    assert_eq!(place(&bird), 90_000_001);
    // A directory that holds nothing but places is one to crawl into.
    let lab = Lab::small(17);
    let mut order = vec!["crawl".to_owned(), "--max-pages".into(), "3".into(), "--delay".into(), "5ms".into()];
    order.extend(lab.seeds.iter().cloned().chain(lab.reach()));
    assert_eq!(bird.json(order)["pages"], 3);
}
