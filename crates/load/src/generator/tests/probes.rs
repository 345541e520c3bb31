//! Tries of fresh connections, against servers that say yes, fall silent, or go away.

use super::bounds::silent_server;
use super::{POSTGRES, mortal_server, outage, run};
use crate::record::file::tests::folder;
use serde_json::Value;
use std::time::Duration;

/// One row of probes.csv.
struct Row {
    started_ms: f64,
    completed_ms: f64,
    endpoint: String,
    /// Outcome, stage and class.
    ended: String,
}

fn row(line: &str) -> Row {
    let fields: Vec<&str> = line.split(',').collect();
    let ms = |text: &str| text.parse::<f64>().unwrap() / 1000.0;
    Row {
        started_ms: ms(fields[0]),
        completed_ms: ms(fields[1]),
        endpoint: fields[2].to_string(),
        ended: fields[3..].join(","),
    }
}

/// A load with these flags; its summary, and the tries if there were any.
fn probed(name: &str, writes: &[String], flags: &[&str]) -> (Value, Option<Vec<Row>>) {
    let out = folder(name);
    let writes: Vec<String> = writes.iter().map(|to| format!("--write={to}")).collect();
    let mut all = POSTGRES.to_vec();
    all.extend([
        "--workload=oltp_point_select",
        "--connections=1",
        "--backoff=10ms",
    ]);
    all.extend(writes.iter().map(String::as_str));
    all.extend(flags);
    let summary = run(&out, &all);
    let text = std::fs::read_to_string(out.join("probes.csv")).ok();
    let rows = text.map(|text| text.lines().skip(1).map(row).collect());
    std::fs::remove_dir_all(out).unwrap();
    (summary, rows)
}

#[test]
fn tries_are_rare_in_the_calm_and_dense_from_the_moment_on_that_was_said() {
    let writes = [mortal_server(b"DELETE")];
    let flags = [
        "--duration=1s",
        "--probe-every=10ms",
        "--probe-calm=200ms",
        "--probe-dense-from=500ms",
    ];
    let (summary, rows) = probed("probes-dense", &writes, &flags);
    let rows = rows.unwrap();
    assert!(rows.iter().all(|row| row.ended == "ok,write,"));
    let calm = rows.iter().filter(|row| row.started_ms < 499.0).count();
    assert!((1..=3).contains(&calm), "{calm}");
    // Fifty of them, unless this machine has no time for them.
    assert!((10..=52).contains(&(rows.len() - calm)), "{}", rows.len());
    assert_eq!(summary["probes"]["ok"], rows.len());
    assert_eq!(summary["connects_ok"], 1, "the load's own");
    assert_eq!(summary["probes"]["dense_from_s"], 0.5);
}

/// A try takes 80 ms here, over a long way and not for want of a processor.
#[test]
fn distance_makes_tries_no_rarer() {
    let address = outage::distant_server(Duration::from_millis(40));
    let flags = [
        "--duration=2s",
        "--probe-every=10ms",
        "--probe-calm=50ms",
        "--probe-dense-from=1s",
    ];
    let (_, rows) = probed("probes-distant", &[address], &flags);
    let rows = rows.unwrap();
    let dense = rows.iter().filter(|row| row.started_ms > 1000.0).count();
    // ninety; with two at a time there would be 25
    assert!(dense > 35, "{dense}");
}

#[test]
fn without_tries_there_is_no_table() {
    let writes = [mortal_server(b"DELETE")];
    let (summary, rows) = probed("probes-none", &writes, &["--duration=100ms"]);
    assert!(rows.is_none());
    assert_eq!(summary["probes"], Value::Null);
}

/// The first candidate takes everything but this write, to which it says nothing; the second takes all.
#[test]
fn one_that_is_silent_holds_nobody_up_whatever_the_load_waits_for() {
    let writes = [
        silent_server(b"INSERT INTO fivenines_probes"),
        mortal_server(b"DELETE"),
    ];
    let flags = [
        "--duration=800ms",
        "--answer-timeout=20s",
        "--probe-every=10ms",
        "--probe-dense-from=1ms",
        "--probe-timeout=300ms",
    ];
    let (_, rows) = probed("probes-silent", &writes, &flags);
    let rows = rows.unwrap();
    let good: Vec<&Row> = rows
        .iter()
        .filter(|row| row.endpoint == writes[1])
        .collect();
    assert!(good.len() > 20, "{}", good.len());
    assert!(good.iter().all(|row| row.ended == "ok,write,"));
    let silent: Vec<&Row> = rows
        .iter()
        .filter(|row| row.endpoint == writes[0])
        .collect();
    assert!(!silent.is_empty() && silent.len() < good.len());
    for row in silent {
        assert_eq!(row.ended, "in_doubt,write,timeout");
        assert!(row.completed_ms - row.started_ms >= 300.0);
    }
}

#[test]
fn a_server_that_went_away_and_came_back_is_seen_at_both_moments() {
    let address = outage::server(Duration::from_millis(400), true);
    let flags = [
        "--duration=1500ms",
        "--probe-every=10ms",
        "--probe-calm=50ms",
    ];
    let (summary, rows) = probed("probes-gap", &[address.to_string()], &flags);
    let rows = rows.unwrap();
    let refused = rows
        .iter()
        .filter(|row| row.ended == "failed,connect,refused");
    // The first failure ends the calm: the outage of 0.4 s has many tries.
    assert!(refused.count() > 10, "{summary}");
    let ok: Vec<f64> = rows
        .iter()
        .filter(|row| row.ended == "ok,write,")
        .map(|row| row.completed_ms)
        .collect();
    let gap = ok.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
    assert!((300.0..900.0).contains(&gap), "{gap}");
    assert_eq!(
        summary["errors"].as_array().map(Vec::len),
        Some(load_errors(&summary))
    );
}

/// How many kinds of errors are the load's: tries are not among the errors of a run.
fn load_errors(summary: &Value) -> usize {
    let errors = summary["errors"].as_array().unwrap();
    errors
        .iter()
        .filter(|error| error["source"] == "load")
        .count()
}
