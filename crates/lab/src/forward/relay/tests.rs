//! What either end sees of the other: through the relay the same as directly.

use super::super::peer::tests::of_this_user;
use super::*;
use std::fmt::Debug;
use std::io::ErrorKind::{BrokenPipe, ConnectionReset};
use std::net::TcpListener;
use std::thread;
use std::time::Instant;

/// Milliseconds.
const PATIENCE: i32 = 20_000;

/// A client and its server.
struct Ends {
    client: TcpStream,
    server: TcpStream,
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn direct() -> Ends {
    let server = listener();
    Ends {
        client: TcpStream::connect(server.local_addr().unwrap()).unwrap(),
        server: server.accept().unwrap().0,
    }
}

/// A client of the server at this address, and the relay between them.
fn relayed_to(target: SocketAddr) -> (TcpStream, thread::JoinHandle<Ended>) {
    let outer = listener();
    let client = TcpStream::connect(outer.local_addr().unwrap()).unwrap();
    let (accepted, from) = outer.accept().unwrap();
    let owners = of_this_user();
    let hung_up = move |accepted: &TcpStream| owners.have_hung_up(from, accepted);
    let relay = thread::spawn(move || run(accepted, &target.into(), hung_up));
    (client, relay)
}

fn relayed() -> (Ends, thread::JoinHandle<Ended>) {
    let inner = listener();
    let (client, relay) = relayed_to(inner.local_addr().unwrap());
    let server = inner.accept().unwrap().0;
    (Ends { client, server }, relay)
}

/// The scenario has this outcome directly and through the relay, where this end was the first to end it.
fn both<T: Debug + PartialEq>(scenario: impl Fn(Ends) -> T, outcome: T, first: Ended) {
    assert_eq!(scenario(direct()), outcome, "directly");
    let (ends, relay) = relayed();
    assert_eq!(scenario(ends), outcome, "through the relay");
    assert_eq!(relay.join().unwrap(), first);
}

/// All that can be read, and how it ends.
fn read(mut from: &TcpStream) -> (String, Option<ErrorKind>) {
    let mut found = Vec::new();
    let end = from.read_to_end(&mut found).err().map(|error| error.kind());
    (String::from_utf8(found).unwrap(), end)
}

fn text(text: &str, end: Option<ErrorKind>) -> (String, Option<ErrorKind>) {
    (text.to_owned(), end)
}

fn read_exactly(mut from: &TcpStream, count: usize) -> String {
    let mut found = vec![0; count];
    from.read_exact(&mut found).unwrap();
    String::from_utf8(found).unwrap()
}

fn say(mut to: &TcpStream, what: &str) {
    to.write_all(what.as_bytes()).unwrap();
}

/// Ends a connection as a program does that is killed while it has not read everything.
fn break_off(stream: TcpStream) {
    reset_at_end(&stream, true);
}

/// Waits until a socket has one of these events.
fn until(stream: &TcpStream, events: c_short) -> c_short {
    let [found, _] = wait([Some((stream, events)), None], PATIENCE);
    assert!(found != 0, "nothing happens");
    found
}

fn until_broken(stream: &TcpStream) {
    assert!(is_broken(until(stream, 0)));
}

/// Writes until the other end takes no more, and gives the count of what its kernel has acknowledged.
fn stuff(mut to: &TcpStream) -> usize {
    to.set_nonblocking(true).unwrap();
    let mut written = 0;
    let mut last = Instant::now();
    while last.elapsed() < Duration::from_millis(300) {
        if let Ok(count) = to.write(&[b'x'; 4096]) {
            written += count;
            last = Instant::now();
        }
    }
    to.set_nonblocking(false).unwrap();
    let mut unacknowledged: i32 = 0;
    // SAFETY: the kernel writes one int, and the descriptor is open as long as `to` lives.
    unsafe { libc::ioctl(to.as_raw_fd(), libc::TIOCOUTQ, &raw mut unacknowledged) };
    written - unacknowledged as usize
}

#[test]
fn an_answer_and_the_end() {
    let scenario = |ends: Ends| {
        say(&ends.client, "question");
        read_exactly(&ends.server, 8);
        say(&ends.server, "answer");
        drop(ends.server);
        read(&ends.client)
    };
    both(scenario, text("answer", None), Ended::ByServer);
}

#[test]
fn what_is_said_to_a_server_that_has_closed_breaks_the_connection_off() {
    let scenario = |ends: Ends| {
        say(&ends.client, "first");
        read_exactly(&ends.server, 5);
        say(&ends.server, "answer");
        drop(ends.server);
        let heard = read(&ends.client);
        say(&ends.client, "second");
        until_broken(&ends.client);
        (heard, (&ends.client).write(b"third").unwrap_err().kind())
    };
    both(
        scenario,
        (text("answer", None), BrokenPipe),
        Ended::ByServer,
    );
}

#[test]
fn an_answer_can_be_read_after_the_connection_was_broken_off() {
    let scenario = |ends: Ends| {
        say(&ends.server, "answer");
        drop(ends.server);
        until(&ends.client, POLLRDHUP);
        say(&ends.client, "second");
        until_broken(&ends.client);
        read_exactly(&ends.client, 6)
    };
    both(scenario, "answer".to_owned(), Ended::ByServer);
}

#[test]
fn a_client_that_only_waits_hears_of_a_reset() {
    let scenario = |ends: Ends| {
        break_off(ends.server);
        read(&ends.client)
    };
    both(scenario, text("", Some(ConnectionReset)), Ended::ByServer);
}

#[test]
fn a_server_that_ends_with_a_question_unread_resets() {
    let scenario = |ends: Ends| {
        say(&ends.client, "question");
        until(&ends.server, POLLIN);
        say(&ends.server, "FATAL: shut down");
        drop(ends.server);
        read(&ends.client)
    };
    let outcome = text("FATAL: shut down", Some(ConnectionReset));
    both(scenario, outcome, Ended::ByServer);
}

#[test]
fn what_has_arrived_is_read_before_the_reset() {
    let scenario = |ends: Ends| {
        let arrived = stuff(&ends.server);
        break_off(ends.server);
        let (found, end) = read(&ends.client);
        assert!(found.len() >= arrived, "{} of {arrived}", found.len());
        end
    };
    both(scenario, Some(ConnectionReset), Ended::ByServer);
}

#[test]
fn a_client_that_talks_while_it_does_not_listen_hears_of_the_reset() {
    let scenario = |ends: Ends| {
        stuff(&ends.server);
        stuff(&ends.client);
        break_off(ends.server);
        until_broken(&ends.client);
        (&ends.client).write(b"more").unwrap_err().kind()
    };
    both(scenario, ConnectionReset, Ended::ByServer);
}

#[test]
fn a_client_that_has_ended_its_direction_gets_its_answer() {
    let scenario = |ends: Ends| {
        say(&ends.client, "question");
        ends.client.shutdown(Shutdown::Write).unwrap();
        let question = read(&ends.server);
        say(&ends.server, "answer");
        drop(ends.server);
        (question, read(&ends.client))
    };
    let outcome = (text("question", None), text("answer", None));
    both(scenario, outcome, Ended::ByClient);
}

#[test]
fn a_client_that_has_ended_its_direction_hears_of_a_reset() {
    let scenario = |ends: Ends| {
        ends.client.shutdown(Shutdown::Write).unwrap();
        read(&ends.server);
        say(&ends.server, "part");
        break_off(ends.server);
        read(&ends.client)
    };
    both(
        scenario,
        text("part", Some(ConnectionReset)),
        Ended::ByClient,
    );
}

#[test]
fn a_server_that_has_ended_its_direction_still_listens() {
    let scenario = |ends: Ends| {
        ends.server.shutdown(Shutdown::Write).unwrap();
        let heard = read(&ends.client);
        say(&ends.client, "last words");
        drop(ends.client);
        (heard, read(&ends.server))
    };
    let outcome = (text("", None), text("last words", None));
    both(scenario, outcome, Ended::ByServer);
}

#[test]
fn a_server_hears_that_its_client_is_gone() {
    let scenario = |ends: Ends| {
        say(&ends.client, "BEGIN");
        drop(ends.client);
        read(&ends.server)
    };
    both(scenario, text("BEGIN", None), Ended::ByClient);
}

#[test]
fn what_is_said_to_a_client_that_is_gone_breaks_the_connection_off() {
    let scenario = |ends: Ends| {
        drop(ends.client);
        let heard = read(&ends.server);
        say(&ends.server, "answer");
        until_broken(&ends.server);
        (heard, (&ends.server).write(b"more").unwrap_err().kind())
    };
    both(scenario, (text("", None), BrokenPipe), Ended::ByClient);
}

#[test]
fn a_client_that_breaks_off_is_gone_for_the_server_after_its_words() {
    let scenario = |ends: Ends| {
        say(&ends.client, "COMMIT");
        break_off(ends.client);
        read(&ends.server)
    };
    both(
        scenario,
        text("COMMIT", Some(ConnectionReset)),
        Ended::ByClient,
    );
}

#[test]
fn a_client_that_ends_with_an_answer_unread_resets() {
    let scenario = |ends: Ends| {
        say(&ends.server, "answer");
        until(&ends.client, POLLIN);
        drop(ends.client);
        read(&ends.server)
    };
    both(scenario, text("", Some(ConnectionReset)), Ended::ByClient);
}

#[test]
fn a_client_that_breaks_off_in_a_stream_is_gone_for_the_server() {
    let scenario = |ends: Ends| {
        stuff(&ends.server);
        break_off(ends.client);
        until_broken(&ends.server);
        (&ends.server).write(b"more").unwrap_err().kind()
    };
    both(scenario, ConnectionReset, Ended::ByClient);
}

#[test]
fn nothing_is_made_up_of_a_server_that_is_frozen() {
    // its kernel takes what is sent, and it does nothing itself
    let scenario = |ends: Ends| {
        stuff(&ends.client);
        let events = POLLIN | POLLRDHUP;
        let [heard, _] = wait([Some((&ends.client, events)), None], 300);
        break_off(ends.client);
        heard
    };
    both(scenario, 0, Ended::ByClient);
}

#[test]
fn many_bytes_arrive_as_they_are_in_both_directions() {
    let sent: Vec<u8> = (0..5_000_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let scenario = |ends: Ends| {
        thread::scope(|scope| {
            for mut end in [&ends.client, &ends.server] {
                let sent = &sent;
                scope.spawn(move || end.write_all(sent).unwrap());
            }
            [&ends.client, &ends.server].map(|mut end| {
                let mut got = vec![0; sent.len()];
                end.read_exact(&mut got).unwrap();
                got == sent
            })
        })
    };
    let (ends, _relay) = relayed();
    assert_eq!(scenario(ends), [true, true]);
}

/// A server that does not answer clients, as its queue is full.
fn mute() -> (TcpListener, SocketAddr, Vec<TcpStream>) {
    let server = listener();
    let target = server.local_addr().unwrap();
    // SAFETY: no pointers are passed; the descriptor is open as long as `server` lives.
    unsafe { libc::listen(server.as_raw_fd(), 0) };
    let patience = Duration::from_millis(300);
    let waiting = std::iter::from_fn(|| TcpStream::connect_timeout(&target, patience).ok());
    let waiting = waiting.collect();
    (server, target, waiting)
}

#[test]
fn a_client_that_gives_up_before_its_server_answers_never_reaches_it() {
    let ways: [fn(TcpStream); 2] = [drop, break_off];
    for give_up in ways {
        let (server, target, waiting) = mute();
        let (client, relay) = relayed_to(target);
        say(&client, "DELETE");
        give_up(client);
        assert_eq!(relay.join().unwrap(), Ended::ByClient);
        drop(waiting);
        server.set_nonblocking(true).unwrap();
        while let Ok((accepted, _)) = server.accept() {
            accepted.set_nonblocking(false).unwrap();
            assert_eq!(read(&accepted).0, "");
        }
    }
}

#[test]
fn a_client_that_has_said_all_before_its_server_answers_is_served() {
    let (server, target, waiting) = mute();
    let (client, relay) = relayed_to(target);
    say(&client, "question");
    client.shutdown(Shutdown::Write).unwrap();
    drop(waiting);
    let accepted = server.incoming().flatten();
    let asked = accepted
        .map(|one| (read(&one), one))
        .find(|(heard, _)| !heard.0.is_empty());
    let (heard, server) = asked.unwrap();
    assert_eq!(heard, text("question", None));
    say(&server, "answer");
    drop(server);
    assert_eq!(read(&client), text("answer", None));
    assert_eq!(relay.join().unwrap(), Ended::ByClient);
}
