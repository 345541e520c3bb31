//! `--show N`: the statements of the first transactions of connection 0, without a server.
//!
//! The same seed gives the same statements, and this is how anyone can see so: what is printed is SQL with its
//! values, taken from the same workload, the same stream of random numbers and in the same order as in a run.

use super::args::Args;
use crate::WORKLOADS;
use anyhow::{Result, bail};
use base::rng::Rng;
use sql_wire::{Kind, Parameters, Reply, Value};
use std::fmt::Write as _;
use std::io::Write;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use workloads::Workload;
use workloads::client::{Client, Exchange, Request};

pub fn show(args: &Args, count: u64, out: &mut dyn Write) -> Result<()> {
    let workload = WORKLOADS.make(&args.described(), args.driver)?;
    workload.expect(&args.facts(&args.login.credentials()?));
    let exchange = Exchange::new(args.driver, workload.statements());
    exchange.do_without_server();
    let client = Client::new(0, Rc::clone(&exchange), Rng::new(args.seed, 0));
    for setting in workload.session_setup(args.driver) {
        writeln!(out, "{setting};")?;
    }
    for number in 1..=count {
        let Some(which) = workload.pick(&client) else {
            writeln!(out, "-- nothing left to do")?;
            break;
        };
        // A run asks for them here, and they may draw random numbers.
        workload.pauses(which, &client);
        writeln!(out, "-- {number}: {}", workload.transactions()[which].name)?;
        play(&workload, which, &client, &exchange, out)?;
    }
    Ok(())
}

fn play(
    workload: &Rc<dyn Workload>,
    which: usize,
    client: &Rc<Client>,
    exchange: &Exchange,
    out: &mut dyn Write,
) -> Result<()> {
    let mut running = Rc::clone(workload).run(which, Rc::clone(client));
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(result) = running.as_mut().poll(&mut context) {
            if let Err(failure) = result {
                writeln!(out, "-- ends here without a server: {failure}")?;
            }
            return Ok(());
        }
        let Some(request) = exchange.take_request() else {
            bail!("the workload waits for something other than a call");
        };
        if let Some(sql) = sql(request, exchange) {
            writeln!(out, "{sql};")?;
        }
        exchange.answer(Ok(Reply {
            rows: 1,
            affected: 1,
        }));
    }
}

fn sql(request: Request, exchange: &Exchange) -> Option<String> {
    match request {
        Request::Note(_) => None,
        Request::Reconnect => Some("-- reconnects".to_string()),
        Request::Pause(nanoseconds) => {
            Some(format!("-- waits for {} s", nanoseconds as f64 * 1e-9))
        }
        Request::Text { .. } => Some(String::from_utf8_lossy(&exchange.sql.borrow()).into_owned()),
        Request::Execute { id, .. } => {
            let parameters = exchange.parameters.borrow();
            let statement = &exchange.statements.borrow()[id];
            Some(with_values(exchange.kind, &statement.sql, &parameters))
        }
    }
}

/// The statement with its values in place of its placeholders.
fn with_values(kind: Kind, sql: &str, parameters: &Parameters) -> String {
    let mut shown = String::with_capacity(sql.len());
    let mut values = parameters.values.iter();
    let mut rest = sql;
    let mark = if kind == Kind::Postgres { '$' } else { '?' };
    while let Some(at) = rest.find(mark) {
        shown.push_str(&rest[..at]);
        // Values come in the order of their placeholders, so that $1, $2 need not be read.
        rest = rest[at + 1..]
            .trim_start_matches(|c: char| kind == Kind::Postgres && c.is_ascii_digit());
        match values.next() {
            Some(value) => literal(kind, *value, parameters, &mut shown),
            None => shown.push(mark),
        }
    }
    shown.push_str(rest);
    shown
}

fn literal(kind: Kind, value: Value, parameters: &Parameters, out: &mut String) {
    // Writing into a string cannot fail.
    let _ = match value {
        Value::Null => write!(out, "NULL"),
        Value::Int(number) => write!(out, "{number}"),
        Value::BigInt(number) => write!(out, "{number}"),
        Value::Double(number) => write!(out, "{number}"),
        Value::Text { start, length } => {
            let text = String::from_utf8_lossy(parameters.text_at(start, length));
            let doubled = text.replace('\'', "''");
            match kind {
                Kind::Mysql => write!(out, "'{}'", doubled.replace('\\', "\\\\")),
                _ => write!(out, "'{doubled}'"),
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use workloads::testing;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn shown(driver: &str, workload: &str, seed: &str) -> String {
        let flags = [
            "load",
            "--driver",
            driver,
            "--workload",
            &testing::document(workload, &[]),
            "--seed",
            seed,
            "--show=3",
        ];
        let args = Line::parse_from(flags).args;
        args.check().unwrap();
        let mut out = Vec::new();
        show(&args, 3, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_stand_where_placeholders_stood() {
        let mut parameters = Parameters::default();
        parameters.int(-5);
        parameters.text(|out| out.extend(b"it's \\"));
        parameters.null();
        let mysql = with_values(Kind::Mysql, "a=? AND b=? OR c=?", &parameters);
        assert_eq!(mysql, r"a=-5 AND b='it''s \\' OR c=NULL");
        let postgres = with_values(Kind::Postgres, "a=$1 AND b=$2 OR c=$3", &parameters);
        assert_eq!(postgres, r"a=-5 AND b='it''s \' OR c=NULL");
    }

    #[test]
    fn same_seed_same_statements() {
        let text = shown("mysql", "oltp_read_write", "7");
        assert_eq!(text, shown("mysql", "oltp_read_write", "7"));
        assert_ne!(text, shown("mysql", "oltp_read_write", "8"));
        assert_eq!(text.lines().filter(|line| *line == "COMMIT;").count(), 3);
        assert_eq!(
            text.lines().filter(|line| line.starts_with("-- ")).count(),
            3
        );
        assert!(!text.contains('?'), "{text}");
    }
}
