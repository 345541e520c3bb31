//! Whole runs: against no server at all, and against one that dies at the worst moment.

use super::*;
use crate::record::file::tests::folder;
use clap::Parser;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// Runs `load` with these flags and returns its summary.
fn run(out: &Path, flags: &[&str]) -> Value {
    let out_flag = format!("--out={}", out.display());
    let line = ["load", &out_flag].into_iter().chain(flags.iter().copied());
    main(&Line::parse_from(line).args).unwrap();
    let text = std::fs::read_to_string(out.join("load.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn runs_as_many_transactions_as_asked_and_counts_them() {
    let out = folder("run-noop");
    let flags = [
        "--driver=noop",
        "--workload=oltp_read_write",
        "--transactions=1000",
    ];
    let summary = run(&out, &flags);
    assert_eq!(summary["transactions"]["ok"], 1000);
    assert_eq!(summary["writes"]["ok"], 1000);
    assert_eq!(summary["reads"]["ok"], 14_000);
    assert_eq!(summary["queries"], 20_000);
    assert_eq!(summary["statements"]["point_select"], 10_000);
    let timeline = std::fs::read_to_string(out.join("timeline.csv")).unwrap();
    let sum: u64 = timeline
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(7).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(sum, 1000, "the time line adds up to the summary");
    std::fs::remove_dir_all(out).unwrap();
}

/// Speaks just enough PostgreSQL: lets everybody in, says yes to everything, and hangs up on `deadly`.
fn serve(mut stream: TcpStream, deadly: &[u8]) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    if stream.read(&mut buffer)? == 0 {
        return Ok(());
    }
    stream.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")?;
    loop {
        let count = stream.read(&mut buffer)?;
        let request = &buffer[..count];
        let is_deadly = request.windows(deadly.len()).any(|window| window == deadly);
        if count == 0 || is_deadly {
            return Ok(());
        }
        stream.write_all(b"1\0\0\0\x042\0\0\0\x04C\0\0\0\x04Z\0\0\0\x05I")?;
    }
}

fn mortal_server(deadly: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream, deadly));
        }
    });
    address
}

fn run_against(name: &str, deadly: &'static [u8]) -> Value {
    let out = folder(name);
    let write = format!("--write={}", mortal_server(deadly));
    let flags = [
        "--driver=postgres",
        "--find=any",
        "--workload=oltp_write_only",
        "--connections=1",
        "--duration=500ms",
        "--backoff=10ms",
        &write,
    ];
    let summary = run(&out, &flags);
    std::fs::remove_dir_all(out).unwrap();
    summary
}

#[test]
fn a_commit_without_reply_is_in_doubt_and_the_run_goes_on() {
    let summary = run_against("run-doubt", b"COMMIT");
    let in_doubt = summary["transactions"]["in_doubt"].as_u64().unwrap();
    assert!(in_doubt > 2, "{summary}");
    assert_eq!(summary["transactions"]["failed"], 0);
    assert_eq!(summary["writes"]["in_doubt"], in_doubt);
    assert!(summary["reconnects"].as_u64().unwrap() >= in_doubt - 1);
    assert_eq!(summary["errors"][0]["class"], "connection");
}

#[test]
fn a_statement_without_reply_before_the_commit_failed() {
    let summary = run_against("run-failed", b"DELETE");
    assert_eq!(summary["transactions"]["in_doubt"], 0);
    assert!(
        summary["transactions"]["failed"].as_u64().unwrap() > 2,
        "{summary}"
    );
    assert_eq!(summary["statements"]["commit"], 0);
}
