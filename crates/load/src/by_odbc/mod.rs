//! `odbc`: describes the server behind an ODBC connection string, and runs statements for callers without ODBC.

mod ask;
mod lines;
mod thread;

use anyhow::{Context, Result};
use base::arguments::seconds;
use sql_wire::Kind;
use sql_wire::args::Login;
use sql_wire::endpoint::Endpoint;
use std::time::Duration;
use thread::Thread;

/// Connect with ODBC and print the server's properties as JSON.
#[derive(clap::Args)]
pub struct Args {
    /// The connection string, without its password.
    #[arg(long, value_name = "STRING")]
    odbc: String,
    #[command(flatten)]
    login: Login,
    /// Time limit for connecting and logging in.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "10s")]
    connect_timeout: Duration,
    /// Execute statements from standard input, one JSON string per line. Print one line per statement: the rows and
    /// the number of changed rows, or the error. DIALECT is that of the server.
    #[arg(long, value_enum, value_name = "DIALECT")]
    lines: Option<Kind>,
    /// Time limit for each of these statements.
    #[arg(long, value_name = "TIME", value_parser = seconds, default_value = "60s")]
    answer_timeout: Duration,
}

pub fn main(args: &Args) -> Result<()> {
    speak(args).with_context(|| Endpoint::Odbc(args.odbc.clone()).to_string())
}

fn speak(args: &Args) -> Result<()> {
    let password = args.login.credentials()?.password;
    let options = args.lines.map_or("", sql_wire::odbc::options);
    let mut thread = Thread::start(&args.odbc, args.connect_timeout)?;
    let found = ask::log_in(&mut thread, &password, options, args.connect_timeout)?;
    println!("{found}");
    match args.lines {
        None => Ok(()),
        Some(kind) => lines::serve(&mut thread, kind, args.answer_timeout),
    }
}
