//! The ledger and side workloads, against servers that accept everything, or die.

use super::{POSTGRES, mortal_server, rows, run};
use crate::record::file::tests::folder;
use serde_json::Value;
use workloads::testing;

/// Runs a load of one connection for a moment; its summary, and the rows of this file.
fn side_workload(name: &str, file: &str, write: &str, flags: &[&str]) -> (Value, Vec<Vec<String>>) {
    let out = folder(name);
    let write = format!("--write={write}");
    let all = [
        "--workload=oltp_point_select",
        "--connections=1",
        "--duration=500ms",
        "--backoff=10ms",
        &write,
    ];
    let summary = run(&out, &[&POSTGRES[..], &all, flags].concat());
    let rows = rows(&out, file);
    std::fs::remove_dir_all(out).unwrap();
    (summary, rows)
}

#[test]
fn clients_have_numbers_of_their_own_and_read_through_every_endpoint() {
    let (write, read) = (mortal_server(b"DELETE"), mortal_server(b"DELETE"));
    let apart = format!("--read={read}");
    let flags = ["--ledger-rate=100", "--ledger-clients=3", &apart];
    let (summary, rows) = side_workload("ledger-numbers", "ledger.csv", &write, &flags);
    let writes: Vec<(i64, i64)> = rows
        .iter()
        .filter(|row| row[2] == "write")
        .map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap()))
        .collect();
    assert!(writes.len() > 20, "{}", writes.len());
    for client in 0..3 {
        let own = writes.iter().filter(|(_, of)| *of == client);
        for (turn, (id, _)) in own.enumerate() {
            assert_eq!(*id, 1 + client + 3 * turn as i64);
        }
    }
    for endpoint in [&write, &read] {
        let reads = rows
            .iter()
            .filter(|row| row[2] == "read" && row[3] == **endpoint);
        assert!(reads.count() > 20);
    }
    // This server never shows a row: every read after the first write of its client is stale.
    let read = rows
        .iter()
        .rfind(|row| row[2] == "read" && !row[0].is_empty());
    let read = read.unwrap();
    assert_eq!(read[7], "stale");
    assert_eq!(read[8..].join(","), "\"[NULL,NULL,NULL]\"");
    assert_eq!(summary["ledger"]["writes"]["failed"], 0);
}

#[test]
fn after_a_failure_the_next_number_is_tried_at_once() {
    let write = mortal_server(b"INSERT INTO fivenines_ledger");
    let flags = [
        "--ledger-rate=4",
        "--ledger-read-rate=0",
        "--ledger-clients=1",
    ];
    let (summary, rows) = side_workload("ledger-doubt", "ledger.csv", &write, &flags);
    // Two turns in half a second, but a try every 10 ms.
    assert!(rows.len() > 8, "{}", rows.len());
    for (turn, row) in rows.iter().enumerate() {
        assert_eq!(row[0], (turn + 1).to_string(), "no number is tried twice");
        assert_eq!(
            (row[6].as_str(), row[7].as_str()),
            ("in_doubt", "connection")
        );
    }
    assert_eq!(summary["ledger"]["writes"]["in_doubt"], rows.len());
}

fn alongside_only_appends() -> String {
    let append = testing::document("append", &["reads=0"]);
    format!(r#"--alongside={{"rate": 50, "workload": {append}}}"#)
}

#[test]
fn what_runs_beside_the_load_is_in_doubt_when_its_commit_has_no_answer() {
    let write = mortal_server(b"COMMIT");
    let flags = [&alongside_only_appends(), "--alongside-clients=2"];
    let (summary, rows) = side_workload("alongside-doubt", "history.csv", &write, &flags);
    assert!(rows.len() > 10, "{}", rows.len());
    for row in &rows {
        assert_eq!((row[2].as_str(), row[5].as_str()), ("lists", "in_doubt"));
        assert_eq!((row[7].as_str(), row[10].as_str()), ("append", ""));
    }
    let counts = &summary["alongside"]["append"]["transactions"];
    assert!(counts["in_doubt"].as_u64().unwrap() > 5, "{summary}");
    assert_eq!((&counts["ok"], &counts["failed"]), (&0.into(), &0.into()));
    assert_eq!(summary["transactions"]["failed"], 0, "the load's own go on");
}

#[test]
fn a_statement_that_commits_by_itself_is_in_doubt_when_it_has_no_answer() {
    let write = mortal_server(b"INSERT INTO fivenines_registers");
    let registers = testing::document("registers", &["reads=0"]);
    let flag = format!(r#"--alongside={{"rate": 50, "workload": {registers}}}"#);
    let (_, rows) = side_workload("alongside-single", "history.csv", &write, &[&flag]);
    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!(
            (row[2].as_str(), row[5].as_str()),
            ("registers", "in_doubt")
        );
        assert_eq!(row[7], "write");
    }
}

#[test]
fn what_fails_before_its_commit_has_failed_and_what_was_tried_is_known() {
    let write = mortal_server(b"INSERT INTO fivenines_lists");
    let flags = [alongside_only_appends()];
    let (_, rows) = side_workload("alongside-failed", "history.csv", &write, &[&flags[0]]);
    assert!(rows.len() > 5, "{}", rows.len());
    for row in &rows {
        assert_eq!((row[5].as_str(), row[6].as_str()), ("failed", "0"));
        assert_eq!(row[7], "append");
    }
}
