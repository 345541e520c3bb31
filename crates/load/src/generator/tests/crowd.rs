//! A burst of connections, against a server of one thread that serves thousands.

use super::schedules::assert_nothing_dropped;
use super::{POSTGRES, WELCOME, YES, run};
use crate::record::file::tests::folder;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};

const LISTENER: Token = Token(usize::MAX);

/// One client: whether it has connected.
struct Vm {
    stream: TcpStream,
    greeted: bool,
}

impl Vm {
    /// Answers what has come; false when the virtual machine has left.
    fn talk(&mut self, buffer: &mut [u8]) -> bool {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => return false,
                Ok(_) if self.greeted => {
                    if self.stream.write_all(YES).is_err() {
                        return false;
                    }
                }
                Ok(_) => {
                    self.greeted = true;
                    if self.stream.write_all(WELCOME).is_err() {
                        return false;
                    }
                }
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
    }
}

fn serve(mut poll: Poll, listener: TcpListener) {
    let mut vms: HashMap<usize, Vm> = HashMap::new();
    let (mut events, mut buffer, mut next) = (Events::with_capacity(1024), [0; 4096], 0);
    loop {
        poll.poll(&mut events, None).unwrap();
        for event in &events {
            if event.token() != LISTENER {
                let number = event.token().0;
                let stays = vms.get_mut(&number).is_none_or(|vm| vm.talk(&mut buffer));
                if !stays {
                    vms.remove(&number);
                }
                continue;
            }
            while let Ok((mut stream, _)) = listener.accept() {
                let registry = poll.registry();
                registry
                    .register(&mut stream, Token(next), Interest::READABLE)
                    .unwrap();
                vms.insert(
                    next,
                    Vm {
                        stream,
                        greeted: false,
                    },
                );
                next += 1;
            }
        }
    }
}

fn server() -> String {
    let poll = Poll::new().unwrap();
    let mut listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    poll.registry()
        .register(&mut listener, LISTENER, Interest::READABLE)
        .unwrap();
    std::thread::spawn(move || serve(poll, listener));
    address
}

#[test]
fn a_burst_is_measured_and_every_connection_works() {
    let out = folder("burst");
    let write = format!("--write={}", server());
    let flags = [
        "--workload=oltp_point_select",
        "--connections=1000",
        "--burst",
        "--rate=5000",
        "--duration=2s",
        "--connect-timeout=5s",
        &write,
    ];
    let summary = run(&out, &[&POSTGRES[..], &flags].concat());
    let connects = &summary["connects"];
    assert!(connects["ok"].as_u64().unwrap() >= 1000, "{connects}");
    assert!(connects["p99_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(summary["schedule"]["burst"], true);
    assert!(connects["burst_ms"].as_f64().unwrap() > 0.0);
    assert_nothing_dropped(&summary);
    // Sixteen thousand are to fit into a gigabyte.
    let each = summary["client"]["connection_kib"].as_f64().unwrap();
    assert!(each < 60.0, "{each} KiB per connection");
    let timeline = std::fs::read_to_string(out.join("timeline.csv")).unwrap();
    let connected: u64 = timeline
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(10).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(
        connected,
        connects["ok"].as_u64().unwrap(),
        "the time line has them all"
    );
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn more_connections_than_descriptors_are_refused_with_a_word_of_advice() {
    let out = folder("descriptors");
    let limit = base::sys::raise_descriptor_limit();
    if limit > 99_000 {
        return;
    }
    let connections = format!("--connections={}", limit + 1);
    let line = [
        "load",
        "--driver=postgres",
        "--workload=oltp_point_select",
        "--write=127.0.0.1:1",
        &connections,
        &format!("--out={}", out.display()),
    ]
    .map(super::described);
    let args = <super::Line as clap::Parser>::parse_from(line).args;
    let message = super::main(&args).unwrap_err().to_string();
    assert!(message.contains("ulimit -n"), "{message}");
}
