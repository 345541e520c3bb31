//! Several loads at the same servers.

use super::{POSTGRES, mortal_server, rows, run};
use crate::record::file::tests::folder;
use base::sys;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

const FLAGS: [&str; 4] = [
    "--workload=oltp_point_select",
    "--connections=1",
    "--duration=300ms",
    "--backoff=10ms",
];

fn load(out: &Path, flags: &[&str]) -> Value {
    let write = format!("--write={}", mortal_server(b"DELETE"));
    run(out, &[&POSTGRES[..], &FLAGS, &[&write], flags].concat())
}

#[test]
fn the_second_of_two_has_numbers_of_its_own() {
    let out = folder("together-numbers");
    let flags = [
        "--one-of=2/2",
        "--ledger-rate=100",
        "--ledger-clients=3",
        "--probe-every=20ms",
        "--probe-calm=20ms",
    ];
    load(&out, &flags);
    let ledger = rows(&out, "ledger.csv");
    let writes: Vec<(i64, i64)> = ledger
        .iter()
        .filter(|row| row[2] == "write")
        .map(|row| (row[0].parse().unwrap(), row[1].parse().unwrap()))
        .collect();
    assert!(writes.len() > 5, "{}", writes.len());
    assert!(writes.iter().all(|(_, client)| (3..6).contains(client)));
    assert!(writes.iter().all(|(id, client)| (id - 1) % 6 == *client));
    // A reader searches the rows of all loads.
    let read = ledger.iter().find(|row| row[2] == "read").unwrap();
    assert_eq!(read[8..].join(","), "\"[NULL,NULL,NULL,NULL,NULL,NULL]\"");
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn a_load_begins_at_the_moment_in_the_file_and_not_before() {
    let out = folder("together-start");
    std::fs::create_dir_all(&out).unwrap();
    let file = out.join("start");
    let flag = format!("--start-file={}", file.display());
    let whole = file.with_extension("whole");
    let agreed = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        let moment = sys::monotonic_ns() + 200_000_000;
        std::fs::write(&whole, format!("{moment}\n")).unwrap();
        std::fs::rename(&whole, &file).unwrap();
        moment
    });
    let began = Instant::now();
    let summary = load(&out, &[&flag]);
    assert!(began.elapsed() >= Duration::from_millis(900));
    // Not about that moment, but that moment: all loads have one time line.
    assert_eq!(
        summary["started_monotonic_ns"].as_u64(),
        Some(agreed.join().unwrap())
    );
    assert!(summary["transactions"]["ok"].as_u64().unwrap() > 0);
    std::fs::remove_dir_all(out).unwrap();
}
