//! Logging in by a connection string: the DBMS, its version and dialect, or why it cannot be reached.

use super::thread::Thread;
use anyhow::{Result, anyhow, bail};
use odbc::frame::{Answer, Frame};
use serde_json::json;
use sql_wire::{Kind, odbc as dialects};
use std::time::Duration;

/// Logs in with these further options, and says what is there as JSON.
///
/// # Errors
/// It cannot be reached, with what to do where that is plain.
pub fn log_in(
    thread: &mut Thread,
    password: &str,
    options: &str,
    bound: Duration,
) -> Result<serde_json::Value> {
    let mut out = Vec::new();
    Frame::open(password, options, &mut out);
    match thread.ask(&out, bound)? {
        Answer::Connected { dbms, version } => {
            let dialect = dialects::dialect(dbms).map(Kind::name);
            Ok(json!({"dbms": dbms, "version": version, "dialect": dialect}))
        }
        Answer::Failed { state, message, .. } => {
            Err(anyhow!("{}{}", plain(message), remedy(state)))
        }
        Answer::Done { .. } => bail!("unexpected answer of the driver's thread"),
    }
}

/// The first line, without the names of those who handed it on.
fn plain(message: &str) -> &str {
    let line = message.lines().next().unwrap_or_default();
    dialects::without_names(line)
}

/// What to do about it, where that is plain.
fn remedy(state: &str) -> &'static str {
    match state {
        "IM002" => {
            ": name a driver as /etc/odbcinst.ini does (odbcinst -q -d lists them), as in Driver={MariaDB Unicode}, \
             or a data source of odbc.ini as DSN=name"
        }
        "01000" | "IM004" | "IM005" => {
            ": is the driver installed (apt-get install odbc-postgresql odbc-mariadb, or the vendor's), and its path \
             in /etc/odbcinst.ini or in Driver= right?"
        }
        _ => "",
    }
}
