//! I2: what hosts see.

use crate::harness::{Bird, Lab};

fn arguments(lab: &Lab, more: &[&str]) -> Vec<String> {
    let mut arguments = vec!["crawl".to_owned()];
    arguments.extend(lab.seeds.clone());
    arguments.extend(lab.reach());
    arguments.extend(more.iter().map(|argument| argument.to_string()));
    arguments
}

#[test]
fn hosts_see_one_request_at_a_time_with_the_delay_between_and_no_breach() {
    let lab = Lab::small(21);
    let bird = Bird::new();
    let summary = bird.json(arguments(&lab, &["--delay", "60ms", "--max-pages", "60", "--strategy", "bfs"]));
    assert_eq!(summary["pages"], 60);
    let log = lab.server().log();
    assert!(log.requests > 60, "{log:?}");
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{log:?}");
    assert!(log.shortest_gap_ms.is_some_and(|gap| gap >= 60.0), "{log:?}");
}

#[test]
fn a_second_run_soon_after_still_waits_its_turn() {
    let lab = Lab::small(22);
    let bird = Bird::new();
    for _ in 0..4 {
        bird.json(arguments(&lab, &["--delay", "150ms", "--max-pages", "4", "--strategy", "bfs"]));
    }
    let log = lab.server().log();
    assert_eq!(log.overlaps, 0, "{log:?}");
    assert!(log.shortest_gap_ms.is_some_and(|gap| gap >= 150.0), "{log:?}");
}
