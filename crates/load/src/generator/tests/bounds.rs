//! The bounds of the load's own sessions, against a server that stops answering.

use super::{POSTGRES, WELCOME, YES, run, server};
use crate::record::file::tests::folder;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;

/// Says yes to everything in PostgreSQL's words until `silent`, to which it says nothing, nor to what follows.
fn serve(mut stream: TcpStream, silent: &[u8]) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    let mut is_silent = false;
    let mut greeted = false;
    loop {
        let count = stream.read(&mut buffer)?;
        let request = &buffer[..count];
        is_silent |= request.windows(silent.len()).any(|part| part == silent);
        if count == 0 {
            return Ok(());
        }
        if is_silent {
            continue;
        }
        match greeted {
            false => stream.write_all(WELCOME)?,
            true => stream.write_all(YES)?,
        }
        greeted = true;
    }
}

pub fn silent_server(silent: &'static [u8]) -> String {
    server(move |stream| serve(stream, silent))
}

/// load.json, and the sum of the time line's column of bounds that were reached.
fn load(name: &str, silent: &'static [u8], flags: &[&str]) -> (Value, u64) {
    let out = folder(name);
    let write = format!("--write={}", silent_server(silent));
    let all = [
        "--workload=oltp_write_only",
        "--connections=1",
        "--duration=1s",
        &write,
    ];
    let summary = run(&out, &[&POSTGRES[..], &all, flags].concat());
    let text = std::fs::read_to_string(out.join("timeline.csv")).unwrap();
    let column = text.lines().next().unwrap().split(',');
    let at = column.clone().position(|name| name == "timeouts").unwrap();
    let rows = text.lines().skip(1);
    let sum = rows.map(|row| row.split(',').nth(at).unwrap().parse::<u64>().unwrap());
    let sum = sum.sum();
    std::fs::remove_dir_all(out).unwrap();
    (summary, sum)
}

#[test]
fn an_answer_that_does_not_come_is_given_up_after_its_bound_and_counted() {
    let (summary, given_up) = load("bounds-answer", b"COMMIT", &["--answer-timeout=200ms"]);
    let in_doubt = summary["transactions"]["in_doubt"].as_u64().unwrap();
    assert!((1..=5).contains(&in_doubt), "{summary}");
    assert_eq!(summary["bounds"]["answer_timeout_s"], 0.2);
    // The last one may have been ended by the run.
    assert!((in_doubt - 1..=in_doubt).contains(&given_up), "{given_up}");
}

#[test]
fn without_a_bound_a_client_waits_until_the_run_ends() {
    let flags = [
        "--answer-timeout=none",
        "--keepalive=off",
        "--connect-timeout=3s",
    ];
    let (summary, given_up) = load("bounds-none", b"COMMIT", &flags);
    assert_eq!(summary["transactions"]["in_doubt"], 1);
    assert_eq!(given_up, 0, "the end of the run is not a bound");
    let bounds = &summary["bounds"];
    assert_eq!(bounds["answer_timeout_s"], Value::Null);
    assert_eq!(bounds["keepalive"], Value::Null);
    assert_eq!(bounds["connect_timeout_s"], 3.0);
}

#[test]
fn the_bounds_are_told_as_they_are_without_any_wish() {
    let (summary, given_up) = load("bounds-usual", b"DELETE FROM nothing", &[]);
    assert_eq!(given_up, 0, "{summary}");
    let bounds = &summary["bounds"];
    assert_eq!(bounds["answer_timeout_s"], 30.0);
    assert_eq!(bounds["connect_timeout_s"], 10.0);
    assert_eq!(bounds["keepalive"]["probes"], 9);
    assert_eq!(bounds["tcp_user_timeout_s"], Value::Null);
}
