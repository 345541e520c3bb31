//! Loads that take turns: nothing happens outside of their windows.

use super::{run, summary};
use crate::record::file::tests::folder;
use base::sys;
use std::time::Duration;

const MILLISECOND: u64 = 1_000_000;

/// Milliseconds of a window, and of the pause after it: a busy machine may have no CPU for a part of it.
const WINDOW: u64 = 1000;

/// The file comes while the load waits; its windows end before the load's duration does.
#[test]
fn a_load_works_in_its_windows_alone() {
    let out = folder("windows");
    let file = out.join("windows.txt");
    let flag = format!("--windows={}", file.display());
    let reported = file.clone();
    let reporter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        let from = sys::monotonic_ns() + 100 * MILLISECOND;
        let at = |ms: u64| from + ms * MILLISECOND;
        let text = format!(
            "{} {} {}\n{} {} {}\n",
            at(0),
            at(50),
            at(WINDOW),
            at(2 * WINDOW),
            at(2 * WINDOW + 50),
            at(3 * WINDOW)
        );
        let part = reported.with_extension("part");
        std::fs::write(&part, text).unwrap();
        std::fs::rename(&part, &reported).unwrap();
        from
    });
    let flags = [
        "--driver=noop",
        "--workload=oltp_read_write",
        "--connections=4",
        "--duration=60s",
        &flag,
    ];
    let summary = run(&out, &flags);
    let from = reporter.join().unwrap();
    let windows = summary["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 2, "{summary}");
    assert!(
        windows
            .iter()
            .all(|window| window["ok"].as_u64().unwrap() > 0)
    );
    assert!(windows[0]["latency_ms"]["p50"].is_number());
    let counted: u64 = windows
        .iter()
        .map(|window| window["ok"].as_u64().unwrap())
        .sum();
    assert!(
        counted < summary["transactions"]["ok"].as_u64().unwrap(),
        "the first part is left out"
    );
    // A busy machine may end a window late, but never begins one early.
    let started = summary["started_monotonic_ns"].as_u64().unwrap();
    let slot_of = |ms: u64| (from + ms * MILLISECOND - started) / MILLISECOND / 10 * 10;
    let timeline = std::fs::read_to_string(out.join("timeline.csv")).unwrap();
    // Each slot with the transactions that ended in it.
    let slots: Vec<(u64, u64)> = timeline
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect::<Vec<_>>())
        .map(|row| (row[0].parse().unwrap(), row[7].parse().unwrap()))
        .filter(|(_, ended)| *ended > 0)
        .collect();
    let first = slots[0].0;
    assert!(first >= slot_of(0), "{first} before {}", slot_of(0));
    let closed_s = windows[0]["to_s"].as_f64().unwrap();
    let between = |slot: u64| slot as f64 > closed_s * 1000.0 + 10.0 && slot < slot_of(2 * WINDOW);
    // What each of four connections had begun may end late; nothing begins.
    let late: u64 = slots
        .iter()
        .filter(|(slot, _)| between(*slot))
        .map(|(_, ended)| ended)
        .sum();
    assert!(late <= 4, "{slots:?}");
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn a_load_that_nobody_tells_of_windows_ends_without_work() {
    let flags = [
        "--driver=noop",
        "--workload=oltp_point_select",
        "--duration=200ms",
        "--windows=/nonexistent",
    ];
    let summary = summary("no-windows", &flags);
    assert_eq!(summary["transactions"]["ok"], 0);
    assert!(summary["windows"].as_array().unwrap().is_empty());
}
