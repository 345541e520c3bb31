//! Every way to drive a load, without a server.

use super::{rows, run, summary};
use crate::record::file::tests::folder;
use serde_json::Value;

fn noop(name: &str, flags: &[&str]) -> Value {
    let all = ["--driver=noop", "--workload=oltp_point_select"];
    summary(name, &[&all, flags].concat())
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Arrivals have started or wait, and what started has ended in one way or the other.
pub fn assert_nothing_dropped(summary: &Value) {
    let schedule = &summary["schedule"];
    let part = |key: &str| number(&schedule[key]);
    assert_eq!(
        part("arrived"),
        part("started") + part("abandoned") + part("backlog_end"),
        "{schedule}"
    );
    let ended = &summary["transactions"];
    let ended = number(&ended["ok"]) + number(&ended["failed"]) + number(&ended["in_doubt"]);
    assert_eq!(
        part("started"),
        ended + number(&summary["expected"]),
        "{schedule}"
    );
}

/// Its backlog grows at once, and what has waited must still follow what the connection has done before.
#[test]
fn the_history_of_an_open_loop_has_attempts_as_they_were_sent() {
    let out = folder("open-history");
    let flags = [
        "--driver=noop",
        "--workload=append",
        "--connections=1",
        "--transactions=500",
        "--rate=10000000",
    ];
    run(&out, &flags);
    let mut previous = (String::new(), 0);
    for row in rows(&out, "history.csv") {
        let (begin, end): (u64, u64) = (row[3].parse().unwrap(), row[4].parse().unwrap());
        if row[0] != previous.0 {
            assert!(previous.1 <= begin && begin <= end, "{previous:?} {row:?}");
            previous = (row[0].clone(), end);
        }
    }
    assert_eq!(previous.0, "500");
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn an_open_loop_starts_what_arrives() {
    let summary = noop("open", &["--rate=2000", "--duration=500ms"]);
    let schedule = &summary["schedule"];
    assert_eq!(schedule["kind"], "open");
    assert_eq!(schedule["arrivals"], "constant");
    assert_eq!(schedule["rate"], 2000.0);
    assert_eq!(schedule["arrived"], 1000);
    assert!(number(&schedule["lag_max_us"]) >= number(&schedule["lag_p50_us"]));
    assert_nothing_dropped(&summary);
    assert_eq!(summary["steps"].as_array().unwrap().len(), 1);
}

#[test]
fn a_rate_that_cannot_be_kept_shows_as_backlog() {
    let summary = noop(
        "overload",
        &["--rate=10000000", "--duration=200ms", "--connections=2"],
    );
    assert_eq!(summary["schedule"]["arrived"], 2_000_000);
    assert!(
        number(&summary["schedule"]["backlog_end"]) > 0,
        "{}",
        summary["schedule"]
    );
    assert!(
        number(&summary["schedule"]["backlog_max"]) >= number(&summary["schedule"]["backlog_end"])
    );
    assert_nothing_dropped(&summary);
}

#[test]
fn poisson_arrivals_end_with_the_number_asked_for() {
    let flags = [
        "--rate=100000",
        "--arrivals=poisson",
        "--transactions=777",
        "--duration=1m",
    ];
    let summary = noop("number", &flags);
    assert_eq!(summary["transactions"]["ok"], 777);
    assert_nothing_dropped(&summary);
}

#[test]
fn steps_of_the_rate_have_figures_of_their_own() {
    let summary = noop("steps", &["--rate=1000@200ms,0@100ms,3000@200ms"]);
    let steps = summary["steps"].as_array().unwrap();
    let rates: Vec<f64> = steps
        .iter()
        .map(|step| step["rate"].as_f64().unwrap())
        .collect();
    assert_eq!(rates, [1000.0, 0.0, 3000.0]);
    assert_eq!(summary["schedule"]["arrived"], 800);
    let ok: u64 = steps.iter().map(|step| number(&step["ok"])).sum();
    assert_eq!(ok, number(&summary["transactions"]["ok"]));
    assert!(steps[0]["to_s"].as_f64() >= Some(0.2) && steps[1]["from_s"] == steps[0]["to_s"]);
    assert!(steps[2]["p99_ms"].is_f64());
}

#[test]
fn steps_of_the_connections_connect_and_leave() {
    let summary = noop(
        "connections",
        &["--connections=2@150ms,6@150ms,3@150ms,5@150ms"],
    );
    let steps = summary["steps"].as_array().unwrap();
    let counts: Vec<u64> = steps
        .iter()
        .map(|step| number(&step["connections"]))
        .collect();
    assert_eq!(counts, [2, 6, 3, 5]);
    assert!(
        steps.iter().all(|step| number(&step["ok"]) > 0),
        "{steps:?}"
    );
    assert_eq!(
        summary["connects"]["ok"], 8,
        "two of three that left came back"
    );
    assert_nothing_dropped(&summary);
}

#[test]
fn in_a_storm_all_new_connections_are_made_at_once() {
    // More than connect at a time else, and not one of them in vain.
    let flags = ["--connections=3@150ms,300@400ms", "--storm"];
    let summary = noop("storm", &flags);
    let steps = summary["steps"].as_array().unwrap();
    let made = |step: &Value| {
        (
            number(&step["connects"]["ok"]),
            number(&step["connects"]["count"]),
        )
    };
    assert_eq!((made(&steps[0]), made(&steps[1])), ((3, 3), (297, 297)));
    assert!(steps[1]["connects"]["p99_ms"].is_f64());
    assert!(summary["connects"]["burst_ms"].is_f64());
    assert_eq!(summary["connects"]["count"], 300);
    let calm = noop("no-storm", &flags[..1]);
    assert!(calm["connects"]["burst_ms"].is_null());
}

#[test]
fn users_who_think_ask_seldom() {
    let flags = ["--connections=4", "--think-time=50ms", "--duration=500ms"];
    let summary = noop("think", &flags);
    let ok = number(&summary["transactions"]["ok"]);
    assert!((1..=4 * 11).contains(&ok), "{ok}");
    assert_eq!(summary["schedule"]["think_ms"], 50.0);
    assert!(summary["schedule"]["lag_p99_us"].is_u64());
}

#[test]
fn the_statements_do_not_depend_on_think_times() {
    let counts = |name, flags: &[&str]| {
        let all = ["--connections=1", "--transactions=50", "--seed=3"];
        let summary = noop(name, &[&all, flags].concat());
        summary["statements"].clone()
    };
    let thinking = ["--think-time=1ms", "--think-distribution=exponential"];
    assert_eq!(counts("thinking", &thinking), counts("not-thinking", &[]));
}

#[test]
fn a_search_says_what_it_tried_and_why_it_went_down() {
    let flags = [
        "--search=p99=50ms",
        "--search-window=100ms",
        "--search-repeats=1",
        "--search-precision=50",
        "--search-from=100000",
        "--duration=20s",
    ];
    let summary = noop("search", &flags);
    let search = &summary["search"];
    assert_eq!(
        (&search["bound"], &search["percentile"]),
        (&50.0.into(), &"p99".into())
    );
    let windows = search["windows"].as_array().unwrap();
    assert!(windows.len() >= 2, "{search}");
    for window in windows {
        let reason = window["reason"].as_str().unwrap();
        assert_eq!(window["kept"], reason.is_empty(), "{window}");
    }
    assert!(
        windows.iter().any(|window| window["kept"] == false),
        "{search}"
    );
    if let Some(rate) = search["rate"].as_f64() {
        assert!(
            search["low"].as_f64().unwrap() <= rate && rate <= search["high"].as_f64().unwrap()
        );
    }
    assert_eq!(summary["schedule"]["kind"], "search");
    assert_nothing_dropped(&summary);
}

#[test]
fn a_run_knows_what_it_costs_itself() {
    let summary = noop("cost", &["--duration=300ms"]);
    let client = &summary["client"];
    assert!(client["noop_ns"].as_f64().unwrap() > 1.0, "{client}");
    assert!(client["clock_ns"].as_f64().unwrap() > 0.0);
    let answered = number(&summary["queries"]);
    assert!(
        number(&client["clock_calls"]) >= answered,
        "one for each reply at least"
    );
    assert_eq!(client["limit"].is_string(), client["bottleneck"] == true);
}
