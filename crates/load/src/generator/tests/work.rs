//! Fixed work, and sessions that end before the load does.

use super::{POSTGRES, WELCOME, YES, summary};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn noop(name: &str, workload: &str, flags: &[&str]) -> Value {
    let workload = format!("--workload={workload}");
    let all = ["--driver=noop", &workload];
    summary(name, &[&all, flags].concat())
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn work_of_all_connections_together_is_done_and_timed() {
    let flags = ["--transactions=500", "--connections=7", "--duration=1m"];
    let summary = noop("work-together", "oltp_update_index", &flags);
    assert_eq!(summary["transactions"]["ok"], 500);
    assert_eq!(
        (&summary["done"], &summary["completed"]),
        (&500.into(), &true.into())
    );
    assert_eq!(summary["cut"], false);
    assert_eq!(summary["work"]["transactions"], 500);
    let total = seconds(&summary["total_s"]);
    assert!(
        total <= seconds(&summary["duration_s"]) + 0.001,
        "{summary}"
    );
    let (from, to) = (&summary["work"]["from_s"], &summary["work"]["to_s"]);
    assert!(
        (seconds(to) - seconds(from) - total).abs() < 0.0021,
        "{summary}"
    );
}

#[test]
fn work_of_each_connection_is_done_by_each() {
    let flags = ["--transactions-each=30", "--connections=5", "--duration=1m"];
    let summary = noop("work-each", "oltp_point_select", &flags);
    assert_eq!(summary["done"], 150);
    assert_eq!(summary["work"]["each"], 30);
    assert_eq!(summary["completed"], true);
}

#[test]
fn work_that_is_not_done_in_time_is_cut() {
    let flags = [
        "--transactions=1000000000",
        "--duration=300ms",
        "--think-time=10ms",
    ];
    let summary = noop("work-cut", "oltp_point_select", &flags);
    assert_eq!(
        (&summary["completed"], &summary["cut"]),
        (&false.into(), &true.into())
    );
    assert!(
        (0.25..2.0).contains(&seconds(&summary["total_s"])),
        "{summary}"
    );
    assert!(summary["done"].as_u64().unwrap() > 0);
}

#[test]
fn a_warm_up_is_not_of_the_work() {
    let flags = [
        "--transactions=50",
        "--work-after=200ms",
        "--think-time=1ms",
        "--connections=2",
        "--duration=1m",
    ];
    let summary = noop("work-warm", "oltp_point_select", &flags);
    assert_eq!(summary["done"], 50);
    assert!(
        summary["transactions"]["ok"].as_u64().unwrap() > 50,
        "{summary}"
    );
    assert!(seconds(&summary["work"]["from_s"]) >= 0.2, "{summary}");
}

#[test]
fn a_load_of_a_time_says_nothing_of_work() {
    let summary = noop("work-none", "oltp_point_select", &["--duration=50ms"]);
    for key in ["done", "completed", "cut", "total_s", "work"] {
        assert!(summary.get(key).is_none(), "{key}");
    }
}

#[test]
fn a_workload_that_ends_itself_is_work_too() {
    let summary = noop("work-itself", "bulkload", &["--duration=1m"]);
    assert_eq!(
        (&summary["completed"], &summary["cut"]),
        (&true.into(), &false.into())
    );
    assert_eq!(summary["done"], summary["transactions"]["ok"]);
    assert!(summary["work"]["transactions"].is_null() && summary["work"]["each"].is_null());
}

/// A PostgreSQL server that refuses each nth statement that is executed, if any, counts its sessions, and says yes else.
struct Refusing {
    address: String,
    sessions: Arc<AtomicUsize>,
}

fn refusing(nth: Option<usize>) -> Refusing {
    let sessions = Arc::new(AtomicUsize::new(0));
    let executed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sessions);
    let address = super::server(move |stream| {
        count.fetch_add(1, Ordering::SeqCst);
        refuse_some(stream, &executed, nth)
    });
    Refusing { address, sessions }
}

fn refuse_some(
    mut stream: TcpStream,
    executed: &AtomicUsize,
    nth: Option<usize>,
) -> std::io::Result<()> {
    const REFUSAL: &[u8] = b"E\0\0\0\x10SERROR\0C40P01\0\0";
    let mut buffer = [0; 4096];
    if stream.read(&mut buffer)? == 0 {
        return Ok(());
    }
    stream.write_all(WELCOME)?;
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        // A Bind message: a statement of the load, and not the check before it.
        let is_call = buffer[..count].contains(&b'B') && buffer[..count].ends_with(b"S\0\0\0\x04");
        let number = executed.fetch_add(usize::from(is_call), Ordering::SeqCst) + 1;
        if is_call && nth.is_some_and(|nth| number.is_multiple_of(nth)) {
            let length = (REFUSAL.len() - 1) as u8;
            let mut refusal = REFUSAL.to_vec();
            refusal[4] = length;
            stream.write_all(&refusal)?;
            stream.write_all(b"Z\0\0\0\x05I")?;
        } else {
            stream.write_all(YES)?;
        }
    }
}

fn against(server: &Refusing, name: &str, flags: &[&str]) -> Value {
    let write = format!("--write={}", server.address);
    summary(name, &[&POSTGRES[..], &[&write], flags].concat())
}

#[test]
fn what_failed_is_done_by_another_transaction() {
    let flags = [
        "--workload=oltp_update_index",
        "--transactions=40",
        "--connections=3",
        "--duration=1m",
    ];
    let summary = against(&refusing(Some(3)), "work-failed", &flags);
    assert_eq!(summary["transactions"]["ok"], 40, "{summary}");
    assert_eq!(
        (&summary["done"], &summary["completed"]),
        (&40.into(), &true.into())
    );
    let failed = summary["transactions"]["failed"].as_u64().unwrap();
    assert!((19..=20).contains(&failed), "every third: {summary}");
    assert_eq!(
        summary["schedule"]["started"].as_u64().unwrap(),
        40 + failed
    );
}

#[test]
fn sessions_last_as_long_as_they_are_to() {
    // One connection, ten transactions of BEGIN, ten reads and COMMIT, or of ten reads alone.
    let connects = |name: &str, when: &str, seed: &str| {
        let flags = [
            "--transactions=10",
            "--connections=1",
            "--duration=1m",
            when,
            seed,
        ];
        let summary = noop(name, "oltp_write_only", &flags);
        assert_eq!(summary["transactions"]["ok"], 10);
        assert_eq!(summary["connects"]["count"], summary["connects"]["ok"]);
        assert!(summary["connects"]["p99_ms"].is_f64());
        summary["connects"]["ok"].as_u64().unwrap()
    };
    assert_eq!(connects("once", "--reconnect=session", "--seed=1"), 1);
    assert_eq!(connects("each", "--reconnect=transaction", "--seed=1"), 10);
    assert_eq!(
        connects("whole", "--reconnect=query", "--seed=1"),
        10,
        "a transaction stays whole"
    );
    assert_eq!(connects("some", "--reconnect=3", "--seed=1"), 4);
    let drawn = connects("drawn", "--reconnect=random", "--seed=1");
    assert!((4..=10).contains(&drawn), "{drawn}");
}

#[test]
fn statements_that_stand_alone_have_a_session_each() {
    let server = refusing(None);
    let document = workloads::testing::document("oltp_read_only", &["skip_trx=true"]);
    let workload = format!("--workload={document}");
    let flags = [
        workload.as_str(),
        "--transactions=2",
        "--connections=1",
        "--reconnect=query",
        "--duration=1m",
    ];
    let summary = against(&server, "query-alone", &flags);
    assert_eq!(summary["done"], 2, "{summary}");
    let connects = summary["connects"]["ok"].as_u64().unwrap();
    // One more for the look at the server before the load.
    // Each of the 14 reads of a transaction has one.
    assert_eq!(connects, 2 * 14, "{summary}");
    assert_eq!(server.sessions.load(Ordering::SeqCst) as u64, connects + 1);
}
