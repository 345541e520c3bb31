//! The watch against nodes that are played: they rise, fall silent, and die.

use super::*;
use crate::record::file::tests::folder;
use clap::Parser;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

const PRIMARY: u8 = 0;
const STANDBY: u8 = 1;
const SILENT: u8 = 2;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// A row of PostgreSQL with these fields, and that it is done.
fn row(fields: &[&str]) -> Vec<u8> {
    let mut body = (fields.len() as i16).to_be_bytes().to_vec();
    for field in fields {
        body.extend((field.len() as i32).to_be_bytes());
        body.extend(field.as_bytes());
    }
    let mut message = b"D".to_vec();
    message.extend((body.len() as i32 + 4).to_be_bytes());
    message.extend(body);
    message.extend(b"C\0\0\0\x04Z\0\0\0\x05I");
    message
}

/// Speaks just enough PostgreSQL: who sends a statement with `recovery` (or has sent one) asks for the role.
fn serve(mut stream: impl Read + Write, role: &AtomicU8) -> std::io::Result<()> {
    let mut buffer = [0; 4096];
    if stream.read(&mut buffer)? == 0 {
        return Ok(());
    }
    stream.write_all(b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I")?;
    let mut about_role = false;
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        about_role |= buffer[..count].windows(8).any(|part| part == b"recovery");
        while role.load(Ordering::SeqCst) == SILENT {
            thread::sleep(Duration::from_millis(5));
        }
        let answer = match (about_role, role.load(Ordering::SeqCst)) {
            (false, _) => row(&["9", "6"]),
            (true, PRIMARY) => row(&["f", "off", "2"]),
            (true, _) => row(&["t", "off", "1"]),
        };
        stream.write_all(&answer)?;
    }
}

/// Watches a node, by its socket as `node1` and by its address as `node3`, for as long as `script` plays with
/// it; returns the two tables' rows.
fn watched(
    name: &str,
    script: impl FnOnce(&AtomicU8, &Path) + Send + 'static,
) -> (Vec<String>, Vec<String>) {
    let out = folder(name);
    let socket = out.join(".s.PGSQL.5432");
    let role = Arc::new(AtomicU8::new(STANDBY));
    let (theirs, path) = (Arc::clone(&role), socket.clone());
    let listener = UnixListener::bind(&socket).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let role = Arc::clone(&theirs);
            thread::spawn(move || serve(stream, &role));
        }
    });
    let (theirs, remote) = (Arc::clone(&role), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = remote.local_addr().unwrap();
    thread::spawn(move || {
        for stream in remote.incoming().flatten() {
            let role = Arc::clone(&theirs);
            thread::spawn(move || serve(stream, &role));
        }
    });
    let line = [
        "watch",
        "--driver=postgres",
        "--bound=150ms",
        "--ledger-clients=2",
        "--view-interval=30ms",
        &format!("--out={}", out.display()),
        &format!("--node=node1={}", socket.display()),
        &format!("--node=node2={}", out.join("nobody").display()),
        &format!("--node=node3={address}"),
    ]
    .map(String::from);
    let args = Line::parse_from(line).args;
    let mut watch = Watch::new(&args).unwrap();
    let script = thread::spawn(move || script(&role, &path));
    let mut clock = Clock::new(&args);
    let mut events = Events::with_capacity(8);
    while !script.is_finished() {
        watch.on_tick(&mut clock).unwrap();
        watch
            .poll
            .poll(&mut events, Some(Duration::from_millis(2)))
            .unwrap();
        for event in &events {
            let Token(number) = event.token();
            let now = sys::monotonic_ns();
            let heard = watch.probes[number].on_ready(now, &mut watch.buffer);
            watch.take(number, heard).unwrap();
        }
    }
    script.join().unwrap();
    watch.tables.finish().unwrap();
    let read = |name| {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        text.lines().skip(1).map(String::from).collect()
    };
    let tables = (read("nodes.csv"), read("views.csv"));
    std::fs::remove_dir_all(&out).unwrap();
    tables
}

/// The states of a node without their moments.
fn states(rows: &[String], node: &str) -> Vec<String> {
    rows.iter()
        .filter_map(|row| row.split_once(',').map(|(_, rest)| rest))
        .filter_map(|rest| rest.strip_prefix(&format!("{node},")))
        .map(String::from)
        .collect()
}

fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

#[test]
fn a_promotion_is_seen_once_and_so_is_what_the_node_holds() {
    let (nodes, views) = watched("watch-promotion", |role, _| {
        pause(150);
        role.store(PRIMARY, Ordering::SeqCst);
        pause(150);
    });
    for name in ["node1", "node3"] {
        assert_eq!(states(&nodes, name), ["read_only,1", "writable,2"]);
    }
    assert_eq!(states(&nodes, "node2"), ["away,"]);
    assert!(views.len() >= 3, "{views:?}");
    assert!(
        views.iter().all(|row| row.ends_with(",\"[9,6]\"")),
        "{views:?}"
    );
}

#[test]
fn a_frozen_node_is_away_from_the_question_on_and_back_when_it_thaws() {
    let (nodes, _) = watched("watch-frozen", |role, _| {
        pause(100);
        role.store(SILENT, Ordering::SeqCst);
        pause(400);
        role.store(STANDBY, Ordering::SeqCst);
        pause(200);
    });
    let expected = ["read_only,1", "away,", "read_only,1"];
    for name in ["node1", "node3"] {
        assert_eq!(states(&nodes, name), expected);
    }
    let moments: Vec<i64> = nodes
        .iter()
        .filter(|row| row.contains("node1"))
        .map(|row| row.split(',').next().unwrap().parse().unwrap())
        .collect();
    let away = moments[2] - moments[1];
    assert!(away > 300_000, "{moments:?}");
}

#[test]
fn long_paths_have_a_short_name() {
    let folder = folder("watch-path").join("x".repeat(120));
    std::fs::create_dir_all(&folder).unwrap();
    let (_kept, path) = short(&folder.join("s.sock")).unwrap();
    assert!(path.as_os_str().len() < 60);
    assert!(path.parent().unwrap().is_dir());
    assert!(short(Path::new("/nowhere/at/all")).is_err());
    std::fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

#[test]
fn nodes_are_names_and_places() {
    let path = Endpoint::Unix(PathBuf::from("/x=y"));
    assert_eq!(node("a=/x=y"), Ok(("a".to_string(), path)));
    let (name, place) = node("b=[::1]:3306").unwrap();
    assert_eq!(
        (name.as_str(), place.to_string()),
        ("b", "[::1]:3306".to_string())
    );
    for text in ["", "a", "=/x", "a=x", "a,b=/x"] {
        assert!(node(text).is_err(), "{text}");
    }
}

#[test]
fn the_calm_ends_with_an_alert() {
    let args = Line::parse_from([
        "watch",
        "--driver=mysql",
        "--node=a=/x",
        "--out=/tmp",
        "--calm-interval=50ms",
    ])
    .args;
    let mut clock = Clock::new(&args);
    let begun = clock.due;
    assert!(clock.advance(begun));
    assert_eq!(clock.due, begun + 50_000_000);
    clock.alert(begun + 1_000_000);
    assert_eq!(clock.due, begun + 1_000_000);
    assert!(!clock.advance(clock.due));
    assert_eq!(clock.due, begun + 11_000_000);
}

#[test]
fn ticks_that_were_slept_through_are_left_out() {
    assert_eq!(next(100, 10, 100), 110);
    assert_eq!(next(100, 10, 135), 140);
}
