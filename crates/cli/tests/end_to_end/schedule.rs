//! Crawls that begin by themselves, and the demo.

use serde_json::{Value, json};

use crate::client::Served;
use crate::harness::{Bird, Lab, said};

#[test]
fn a_timetable_is_written_listed_and_struck_from_the_command_line() {
    let bird = Bird::new();
    assert!(said(&bird.run(["schedule", "list"])).0.contains("no schedules yet"));
    let crawl = ["--", "crawl", "http://a.example/", "--region", "Oldenburg", "--max-pages", "7"];
    let added =
        bird.run(["--json", "schedule", "add", "0 */6 * * *", "--zone", "Europe/Helsinki"].iter().chain(&crawl));
    let added: Value = serde_json::from_str(&said(&added).0).unwrap();
    assert_eq!((&added["name"], &added["zone"]), (&json!("a.example"), &json!("Europe/Helsinki")));
    assert_eq!(added["settings"]["limits"]["max-pages"], 7);
    assert_eq!(added["next"].as_array().unwrap().len(), 3);
    let (listed, _) = said(&bird.run(["schedule", "list"]));
    assert!(listed.contains("0 */6 * * *") && listed.contains("a.example"), "{listed}");
    for (arguments, complaint) in [
        (&["schedule", "add", "0 25 * * *", "--", "crawl", "http://a.example/"][..], "the hour cannot be \"25\""),
        (&["schedule", "add", "0 5 * * *", "--zone", "Mars", "--", "crawl", "http://a.example/"], "no time zone"),
        (&["schedule", "add", "0 5 * * *", "--", "stats"], "only crawls can be scheduled"),
        (&["schedule", "add", "0 5 * * *", "--", "crawl", "--nonsense"], "after --: "),
        (&["schedule", "add", "0 5 * * *", "--", "crawl", "http://a.example/", "--allow-private"], "bowerbird serve"),
        (&["schedule", "add", "0 5 * * *", "--", "crawl", "--resume", "none"], "there is no crawl 'none'"),
        (&["schedule", "remove", "nothing"], "there is no schedule 'nothing'"),
    ] {
        let output = bird.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(said(&output).1.contains(complaint), "{arguments:?}: {}", said(&output).1);
    }
    assert!(bird.run(["schedule", "remove", "a.example"]).status.success());
    assert_eq!(bird.json(["schedule", "list"]), json!({ "schedules": [] }));
}

#[test]
fn a_server_and_the_command_line_share_a_timetable_and_a_killed_run_is_seen_as_dead() {
    let (lab, bird) = (Lab::small(68), Bird::new());
    let mut served = Served::start(&bird, Some(&lab), &[]);
    // Beside the server.
    let seed = lab.seeds[0].as_str();
    let added =
        bird.run(["schedule", "add", "0 0 1 1 *", "--name", "by hand", "--", "crawl", seed, "--name", "yearly"]);
    assert!(added.status.success(), "{}", said(&added).1);
    let order = json!({
        "cron": "30 3 * * *", "catch_up": "once",
        "crawl": { "name": "nightly", "settings": {
            "seeds": lab.seeds, "limits": { "max-pages": 60 }, "manners": { "delay": "100ms" },
        } },
    });
    let made = served.tell("POST", "/schedules", order).expect(201);
    assert!(made["next"][0].as_str().unwrap().ends_with("T03:30:00Z"), "{made}");
    let list = served.get("/schedules").expect(200);
    let names: Vec<&Value> = list["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["by hand", "nightly"]);

    let address = format!("/schedules/{}", made["id"]);
    served.post(&format!("{address}/run")).expect(202);
    served.post(&format!("{address}/run")).problem(409);
    assert_eq!(served.get(&format!("{address}/runs")).expect(200)["items"][0]["outcome"], "running");
    served.program.0.kill().unwrap();
    served.program.0.wait().unwrap();
    let served = Served::start(&bird, Some(&lab), &[]);
    let run = served.get(&format!("{address}/runs")).expect(200)["items"][0].clone();
    assert_eq!((&run["outcome"], run["ended"].is_string()), (&json!("died"), true));
    assert_eq!(served.get("/crawls/nightly").expect(200)["state"], "interrupted");
    served.post(&format!("{address}/run")).expect(202);
    served.wait_for("nightly", "finished");
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let done = loop {
        let run = served.get(&format!("{address}/runs?limit=1")).expect(200)["items"][0].clone();
        if run["outcome"] != "running" || std::time::Instant::now() > deadline {
            break run;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!((&done["outcome"], &done["pages"]), (&json!("done"), &json!(60)));

    let off = served.tell("PATCH", &address, json!({ "enabled": false, "zone": "Europe/Helsinki" })).expect(200);
    assert_eq!((&off["enabled"], &off["next"]), (&json!(false), &json!([])));
    let wrong = served.tell("PATCH", &address, json!({ "cron": "0 0 31 2 *" })).problem(422);
    assert_eq!(wrong["fields"][0]["field"], "cron");
    let preview = served.get("/schedules/preview?cron=0%20*/6%20*%20*%20*").expect(200);
    assert_eq!(preview["next"].as_array().unwrap().len(), 5);
    served.get("/schedules/preview?cron=nonsense").problem(422);
    served.get("/schedules/9223372036854775808/runs").problem(404);
    assert_eq!(served.send("DELETE", &format!("/api/v1{address}"), &[], b"").status, 204);
    served.get(&format!("{address}/runs")).problem(404);
}

#[test]
fn the_demo_crawls_a_made_web_and_serves_what_it_found() {
    let bird = Bird::new();
    let output = bird.run(["demo", "--json", "--once", "--pages", "20", "--listen", "127.0.0.1:0"]);
    let (lines, complaints) = said(&output);
    assert!(output.status.success(), "{complaints}");
    let listening: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert!(listening["listening"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{lines}");
    let summary = bird.json(["crawls"]);
    assert_eq!(summary["crawls"][0]["figures"]["pages"], 20);
}
