//! `health`: answers HAProxy's httpchk on a database host, as practitioners' clustercheck scripts do.
//!
//! One SQL connection is kept; each HTTP request asks the server anew, so that an answer is never older than
//! the request. Requests are answered one after the other: a check is a matter of a millisecond, and one
//! that cannot get an answer gives up within half a second.

use anyhow::{Context, Result};
use sql_wire::args::ServerArgs;
use sql_wire::blocking::Client;
use sql_wire::endpoint::Endpoint;
use sql_wire::role::{self, Verdict, Wanted};
use sql_wire::{Credentials, Failure, Kind};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const BOUND: Duration = Duration::from_millis(500);
const LONGEST_REQUEST: usize = 8 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Expect {
    /// A Galera node in the primary component, with state Synced.
    Synced,
    /// A server that takes writes.
    Writable,
    /// Any server that answers.
    Readable,
}

/// Answer HTTP health checks (HAProxy's httpchk): 200 when the server is as expected, else 503.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    server: ServerArgs,
    /// Where to answer.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:9200")]
    listen: String,
    /// What the server must be for a 200.
    #[arg(long, value_enum)]
    expect: Expect,
}

pub fn main(args: &Args) -> Result<()> {
    let mut checker = Checker::new(args)?;
    let listener = TcpListener::bind(&args.listen)
        .with_context(|| format!("cannot listen on {}", args.listen))?;
    for stream in listener.incoming().flatten() {
        // A check that breaks off is the checker's affair.
        let _ = answer(stream, || checker.check());
    }
    Ok(())
}

struct Checker {
    kind: Kind,
    endpoint: Endpoint,
    credentials: Credentials,
    wanted: Wanted,
    client: Option<Client>,
}

impl Checker {
    fn new(args: &Args) -> Result<Checker> {
        Ok(Checker {
            kind: args.server.driver,
            endpoint: args.server.endpoint(),
            credentials: args.server.login.credentials()?,
            wanted: match args.expect {
                Expect::Synced => Wanted::Synced,
                Expect::Writable => Wanted::Writable,
                Expect::Readable => Wanted::Readable,
            },
            client: None,
        })
    }

    /// Asks over the kept connection; when that turns out to be lost, once more over a new one.
    fn check(&mut self) -> Result<(), Failure> {
        if let Some(client) = &mut self.client {
            match ask(self.kind, self.wanted, client) {
                Err(failure) if failure.class == sql_wire::Class::Connection => {}
                Err(failure) if failure.code != "role" => {
                    self.client = None;
                    return Err(failure);
                }
                answer => return answer,
            }
        }
        self.client = None;
        let mut client = Client::connect(self.kind, &self.endpoint, &self.credentials, BOUND)?;
        let answer = ask(self.kind, self.wanted, &mut client);
        self.client = Some(client);
        answer
    }
}

fn ask(kind: Kind, wanted: Wanted, client: &mut Client) -> Result<(), Failure> {
    // Even a server that need only be readable must show that it still answers.
    let Some(mut question) = role::question(kind, wanted) else {
        return client.query("SELECT 1").map(drop);
    };
    loop {
        client.query(question)?;
        match role::judge(question, client.rows()) {
            Verdict::Yes => return Ok(()),
            Verdict::Ask(next) => question = next,
            Verdict::No(failure) => return Err(failure),
        }
    }
}

/// Reads one request up to its blank line and answers it.
fn answer(
    mut stream: TcpStream,
    check: impl FnOnce() -> Result<(), Failure>,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(BOUND))?;
    stream.set_write_timeout(Some(BOUND))?;
    let mut request = Vec::<u8>::new();
    let mut buffer = [0; 1024];
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => break,
            count => request.extend(&buffer[..count]),
        }
        if request.len() > LONGEST_REQUEST {
            break;
        }
    }
    let (status, reason) = match check() {
        Ok(()) => ("200 OK", "ok".to_string()),
        Err(failure) => ("503 Service Unavailable", failure.to_string()),
    };
    let body = format!("{}\n", reason.replace(['\r', '\n'], " "));
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sql_wire::Class;

    fn request(check: fn() -> Result<(), Failure>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || answer(listener.accept().unwrap().0, check));
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"OPTIONS / HTTP/1.0\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        server.join().unwrap().unwrap();
        reply
    }

    #[test]
    fn a_good_server_gives_200() {
        assert!(request(|| Ok(())).starts_with("HTTP/1.1 200 OK\r\n"));
    }

    #[test]
    fn a_bad_one_gives_503_and_the_reason_in_one_line() {
        let reply = request(|| Err(Failure::new(Class::NotReady, "role", "not\nready")));
        assert!(reply.starts_with("HTTP/1.1 503 "), "{reply}");
        assert!(
            reply.ends_with("\r\n\r\nnot_ready (role): not ready\n"),
            "{reply}"
        );
    }
}
