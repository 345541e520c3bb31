//! What a connection string reaches: the DBMS, its version and dialect, or why it cannot be reached.

use super::Args;
use anyhow::{Result, anyhow, bail};
use odbc::frame::{self, Answer, Frame};
use serde_json::json;
use sql_wire::{Kind, odbc as dialects};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub fn ask(args: &Args) -> Result<()> {
    let credentials = args.login.credentials()?;
    let mut thread = odbc::open(&args.odbc, args.connect_timeout)?;
    thread.set_read_timeout(Some(args.connect_timeout))?;
    let mut out = Vec::new();
    Frame::open(&credentials.password, "", &mut out);
    thread.write_all(&out)?;
    let answer = receive(&mut thread, args.connect_timeout)?;
    match frame::answer(&answer) {
        Ok(Some((Answer::Connected { dbms, version }, _))) => {
            let dialect = dialects::dialect(dbms).map(Kind::name);
            println!(
                "{}",
                json!({"dbms": dbms, "version": version, "dialect": dialect})
            );
            Ok(())
        }
        Ok(Some((Answer::Failed { state, message, .. }, _))) => {
            Err(anyhow!("{}{}", plain(message), remedy(state)))
        }
        _ => Err(anyhow!("the driver's thread gave no answer")),
    }
}

/// The whole first frame.
fn receive(thread: &mut UnixStream, bound: Duration) -> Result<Vec<u8>> {
    let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(None) = frame::answer(&answer) {
        match thread.read(&mut buffer) {
            Ok(0) => bail!("the driver's thread ended without an answer"),
            Ok(count) => answer.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                bail!("no answer from the driver in {} s", bound.as_secs_f64())
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(answer)
}

/// The first line, without the names of those who handed it on.
fn plain(message: &str) -> &str {
    let line = message.lines().next().unwrap_or_default();
    line.rsplit_once(']').map_or(line, |(_, rest)| rest).trim()
}

/// What to do about it, where that is plain.
fn remedy(state: &str) -> &'static str {
    match state {
        "IM002" => {
            ": name a driver as /etc/odbcinst.ini does (odbcinst -q -d lists them), as in Driver={MariaDB Unicode}, \
             or a data source of odbc.ini as DSN=name"
        }
        "01000" | "IM003" | "IM004" | "IM005" => {
            ": is the driver installed (apt-get install odbc-postgresql odbc-mariadb, or the vendor's), and its path \
             in /etc/odbcinst.ini or in Driver= right?"
        }
        _ => "",
    }
}
