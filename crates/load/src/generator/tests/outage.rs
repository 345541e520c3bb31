//! Open loops while the server is away.

use super::schedules::assert_nothing_dropped;
use super::{POSTGRES, WELCOME, YES, summary};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const OUTAGE: Duration = Duration::from_millis(400);

/// Accepts everything in PostgreSQL's protocol until it has to close the connection.
fn serve(mut stream: TcpStream, alive: &AtomicBool) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    if stream.read(&mut buffer)? == 0 {
        return Ok(());
    }
    stream.write_all(WELCOME)?;
    while stream.read(&mut buffer)? > 0 && alive.load(Ordering::Relaxed) {
        stream.write_all(YES)?;
    }
    Ok(())
}

/// Accepts for a while; its connections end at their next request after that.
fn accept(listener: TcpListener, open_for: Duration) {
    let alive = Arc::new(AtomicBool::new(true));
    let end = Arc::clone(&alive);
    std::thread::spawn(move || {
        std::thread::sleep(open_for);
        end.store(false, Ordering::Relaxed);
    });
    listener.set_nonblocking(true).unwrap();
    while alive.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                let alive = Arc::clone(&alive);
                std::thread::spawn(move || serve(stream, &alive));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// A server that goes away after `open_for`, and comes back `OUTAGE` later if it is to.
pub fn server(open_for: Duration, comes_back: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        accept(listener, open_for);
        std::thread::sleep(OUTAGE);
        if comes_back {
            accept(TcpListener::bind(address).unwrap(), Duration::from_secs(60));
        }
    });
    address
}

/// A server to which each answer is a long way.
pub fn distant_server(way: Duration) -> String {
    super::server(move |mut stream| {
        let mut buffer = [0; 4096];
        let mut answer = WELCOME;
        while stream.read(&mut buffer)? > 0 {
            std::thread::sleep(way);
            stream.write_all(answer)?;
            answer = YES;
        }
        Ok(())
    })
}

fn load(name: &str, address: SocketAddr, flags: &[&str]) -> Value {
    let write = format!("--write={address}");
    let all = ["--workload=oltp_point_select", "--backoff=10ms", &write];
    summary(name, &[&POSTGRES[..], &all, flags].concat())
}

/// 200 a second for 1.5 s, 400 ms of them without a server: in a closed loop of one connection only a single
/// transaction would have seen it. Here a fifth of all at least has waited for more than 100 ms.
#[test]
fn what_arrives_in_an_outage_waits_and_its_wait_counts() {
    let address = server(Duration::from_millis(400), true);
    let flags = ["--rate=200", "--duration=1500ms", "--connections=2"];
    let summary = load("outage", address, &flags);
    assert_nothing_dropped(&summary);
    assert_eq!(summary["schedule"]["arrived"], 300);
    assert!(
        summary["schedule"]["backlog_max"].as_u64().unwrap() >= 60,
        "{summary}"
    );
    let step = &summary["steps"][0];
    assert!(step["p95_ms"].as_f64().unwrap() >= 250.0, "{step}");
    assert!(step["max_ms"].as_f64().unwrap() >= 350.0, "{step}");
}

#[test]
fn what_arrives_after_the_server_has_gone_for_good_is_the_backlog_at_the_end() {
    let address = server(Duration::from_millis(300), false);
    let flags = ["--rate=200", "--duration=800ms", "--connections=3"];
    let summary = load("gone", address, &flags);
    assert_nothing_dropped(&summary);
    assert_eq!(summary["schedule"]["arrived"], 160);
    assert!(
        summary["schedule"]["backlog_end"].as_u64().unwrap() >= 60,
        "{summary}"
    );
    assert!(
        summary["connects"]["refused"].as_u64().unwrap() > 0,
        "{summary}"
    );
}
