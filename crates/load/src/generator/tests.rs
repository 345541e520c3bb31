//! Whole runs: against no server at all, and against one that dies at the worst moment.

use super::*;
use crate::record::file::tests::folder;
use clap::Parser;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use workloads::testing;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// Runs `load` with these flags and returns its summary.
fn run(out: &Path, flags: &[&str]) -> Value {
    let out_flag = format!("--out={}", out.display());
    let flags = flags.iter().map(|flag| described(flag));
    let line = ["load".to_string(), out_flag].into_iter().chain(flags);
    main(&Line::parse_from(line).args).unwrap();
    let text = std::fs::read_to_string(out.join("load.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The summary of a load with these flags, of which nothing else is of interest.
fn summary(name: &str, flags: &[&str]) -> Value {
    let out = folder(name);
    let summary = run(&out, flags);
    std::fs::remove_dir_all(out).unwrap();
    summary
}

/// For a server of these tests, which speaks just enough PostgreSQL.
const POSTGRES: [&str; 3] = ["--driver=postgres", "--tls=disable", "--find=any"];

/// Such a server's words: to a log-in, and to a statement.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
const YES: &[u8] = b"1\0\0\0\x042\0\0\0\x04C\0\0\0\x04Z\0\0\0\x05I";

/// The rows of a CSV file, as fields.
fn rows(out: &Path, file: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(out.join(file)).unwrap();
    let fields = |row: &str| row.split(',').map(String::from).collect();
    text.lines().skip(1).map(fields).collect()
}

/// A server with a thread for each connection; its address.
fn server(serve: impl Fn(TcpStream) -> std::io::Result<()> + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// A flag that names a workload, with the document of that workload; one that has it stays as it is.
fn described(flag: &str) -> String {
    match flag.strip_prefix("--workload=") {
        Some(name) if !name.starts_with('{') => {
            format!("--workload={}", testing::document(name, &[]))
        }
        _ => flag.to_string(),
    }
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

/// Speaks just enough PostgreSQL: accepts all logins and statements, and closes the connection on `deadly`.
fn serve(mut stream: TcpStream, deadly: &[u8]) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    if stream.read(&mut buffer)? == 0 {
        return Ok(());
    }
    stream.write_all(WELCOME)?;
    let mut status = b'I';
    let (mut begin, mut commit) = (Vec::new(), Vec::new());
    loop {
        let count = stream.read(&mut buffer)?;
        let request = &buffer[..count];
        let has = |part: &[u8]| request.windows(part.len()).any(|window| window == part);
        if count == 0 || has(deadly) {
            return Ok(());
        }
        for (sql, name) in [
            (&b"\0BEGIN\0"[..], &mut begin),
            (b"\0COMMIT\0", &mut commit),
        ] {
            if let Some(at) = request.windows(sql.len()).position(|window| window == sql) {
                // behind the type and the length of its Parse
                *name = request[5..at].to_vec();
            }
        }
        if !begin.is_empty() && has(&begin) {
            status = b'T';
        } else if has(b"ROLLBACK") || !commit.is_empty() && has(&commit) {
            status = b'I';
        }
        let done = b"1\0\0\0\x042\0\0\0\x04C\0\0\0\x04Z\0\0\0\x05";
        stream.write_all(&[done, &[status][..]].concat())?;
    }
}

fn mortal_server(deadly: &'static [u8]) -> String {
    server(move |stream| serve(stream, deadly))
}

fn run_against(name: &str, deadly: &'static [u8]) -> Value {
    let write = format!("--write={}", mortal_server(deadly));
    let flags = [
        "--workload=oltp_write_only",
        "--connections=1",
        "--duration=500ms",
        "--backoff=10ms",
        &write,
    ];
    summary(name, &[&POSTGRES[..], &flags].concat())
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

/// Lets the first connections through to a server that says yes to everything; from then on it accepts and
/// hangs up at once, as a proxy without a server behind it does. Counts both.
fn closing_proxy(served: usize) -> (String, Arc<AtomicUsize>) {
    let accepted = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = accepted.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if count.fetch_add(1, Ordering::SeqCst) < served {
                std::thread::spawn(move || serve(stream, b"COMMIT"));
            }
        }
    });
    (address, accepted)
}

#[test]
fn a_proxy_that_accepts_and_hangs_up_is_a_failed_connect_and_no_reason_to_spin() {
    // One connection for the check before the run, one for the run until its first COMMIT.
    let (address, accepted) = closing_proxy(2);
    let write = format!("--write={address}");
    let flags = [
        "--workload=oltp_write_only",
        "--connections=1",
        "--duration=600ms",
        "--backoff=50ms",
        &write,
    ];
    let summary = summary("run-proxy", &[&POSTGRES[..], &flags].concat());
    assert_eq!(summary["transactions"]["in_doubt"], 1, "{summary}");
    let failed = summary["connects_failed"].as_u64().unwrap() as usize;
    let hung_up = accepted.load(std::sync::atomic::Ordering::SeqCst) - 2;
    assert!(
        failed > 1 && hung_up.abs_diff(failed) <= 1,
        "{failed} {hung_up}"
    );
    // A pause lasts 40 ms at least; the run with its grace 2.6 s at most.
    assert!(failed <= 2600 / 40 + 2, "{failed}");
}

#[test]
fn connections_that_never_worked_are_counted() {
    for (served, without) in [(4, 0), (2, 2)] {
        // One connection more for the check before the run.
        let (address, _) = closing_proxy(served + 1);
        let write = format!("--write={address}");
        let flags = [
            "--workload=oltp_point_select",
            "--connections=4",
            "--duration=300ms",
            "--backoff=50ms",
            &write,
        ];
        let summary = summary("run-without-success", &[&POSTGRES[..], &flags].concat());
        assert_eq!(summary["connections_without_success"], without, "{summary}");
    }
}

#[test]
fn a_name_is_resolved_beside_the_event_loop() {
    // Where "localhost" is ::1 as well, both are tried: the server listens at 127.0.0.1 only.
    let port = mortal_server(b"DELETE")
        .rsplit_once(':')
        .unwrap()
        .1
        .to_string();
    let write = format!("--write=localhost:{port}");
    let flags = [
        "--workload=oltp_point_select",
        "--connections=2",
        "--transactions=20",
        "--duration=5s",
        &write,
    ];
    let summary = summary("run-name", &[&POSTGRES[..], &flags].concat());
    assert_eq!(summary["transactions"]["ok"], 20, "{summary}");
    let name = format!("localhost:{port}");
    assert_eq!(summary["endpoints"][name]["tls"], Value::Null);
}

/// Refuses TLS and serves in clear text until the check before the run has asked for the table, in however many
/// attempts; promises TLS to all later connections and then says only these bytes.
fn lying_server(said: &'static [u8]) -> String {
    let checked = Arc::new(AtomicBool::new(false));
    server(move |mut stream| {
        let mut request = [0; 8];
        stream.read_exact(&mut request)?;
        if !checked.load(Ordering::SeqCst) {
            stream.write_all(b"N")?;
            return serve_check(stream, &checked);
        }
        stream.write_all(b"S")?;
        // The client speaks next, so that these are taken for the handshake's bytes.
        stream.read_exact(&mut request)?;
        stream.write_all(said)?;
        // not closed before the client has given up
        while stream.read(&mut request)? > 0 {}
        Ok(())
    })
}

/// A session of a check before the run, in clear text.
fn serve_check(mut stream: TcpStream, checked: &AtomicBool) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    let mut answer = WELCOME;
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        let asks = buffer[..count].windows(6).any(|of| of == b"SELECT");
        checked.fetch_or(asks, Ordering::SeqCst);
        stream.write_all(answer)?;
        answer = YES;
    }
}

fn errors_with_a_liar(name: &str, said: &'static [u8]) -> Value {
    let write = format!("--write={}", lying_server(said));
    let flags = [
        "--driver=postgres",
        "--find=any",
        "--workload=oltp_point_select",
        "--connections=2",
        "--connect-timeout=100ms",
        "--start-timeout=2s",
        "--duration=200ms",
        &write,
    ];
    let summary = summary(name, &flags);
    assert!(
        summary["connects_failed"].as_u64().unwrap() >= 2,
        "{summary}"
    );
    assert_eq!(summary["transactions"]["ok"], 0);
    summary["errors"].clone()
}

#[test]
fn a_handshake_that_does_not_end_is_bounded() {
    let errors = errors_with_a_liar("run-silent", b"");
    assert_eq!(
        (&errors[0]["class"], &errors[0]["code"]),
        (&"timeout".into(), &"tls".into())
    );
}

#[test]
fn a_handshake_of_nonsense_is_a_failed_connect() {
    let errors = errors_with_a_liar("run-nonsense", b"HTTP/1.1 400 Bad Request\r\n\r\n");
    assert_eq!(
        (&errors[0]["class"], &errors[0]["code"]),
        (&"connection".into(), &"tls".into())
    );
}

mod bounds;
mod crowd;
mod ledger;
mod outage;
mod probes;
mod schedules;
mod together;
mod windows;
mod work;
