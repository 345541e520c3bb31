//! Statements by ODBC, a line each.

use super::Args;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use sql_wire::blocking::Client;
use sql_wire::endpoint::Endpoint;
use sql_wire::{Failure, Kind, Rows, rows};
use std::io::{BufRead, Write};

pub fn serve(args: &Args, kind: Kind, endpoint: &Endpoint) -> Result<()> {
    let credentials = args.login.credentials()?;
    let mut client = Client::connect(kind, endpoint, &credentials, args.connect_timeout)?;
    client.set_timeout(args.answer_timeout)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", json!({"connected": true}))?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let sql: String = serde_json::from_str(&line?).context("a line is not a text of JSON")?;
        let answer = match client.query(&sql) {
            Ok(reply) => answer(client.rows(), reply.rows, reply.affected),
            Err(failure) => refusal(&failure),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// All rows or none: what is cut short would be taken for all there is.
fn answer(rows: &Rows, count: u64, affected: u64) -> Value {
    if rows.columns() > 0 && (rows.len() as u64) < count {
        let message = format!("{count} rows are more than are kept at a time: ask for fewer");
        return json!({"error": {"class": "other", "code": "rows", "message": message}});
    }
    let all: Vec<Vec<Value>> = (0..rows.len())
        .map(|row| (0..rows.columns()).map(|at| field(rows, row, at)).collect())
        .collect();
    json!({"columns": rows.columns(), "rows": all, "affected": affected})
}

fn field(rows: &Rows, row: usize, column: usize) -> Value {
    match rows.get(row, column) {
        None | Some(rows::Value::Null) => Value::Null,
        Some(rows::Value::Int(number)) => json!(number),
        Some(rows::Value::Float(number)) => json!(number),
        Some(rows::Value::Text(text)) => json!(String::from_utf8_lossy(text)),
    }
}

fn refusal(failure: &Failure) -> Value {
    json!({"error": {
        "class": failure.class.name(), "code": failure.code, "message": failure.message
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_not_kept_are_no_answer() {
        let mut rows = Rows::default();
        rows.start(2);
        rows.push_int(1);
        rows.push_null();
        let whole = answer(&rows, 1, 0);
        assert_eq!(whole["rows"], json!([[1, null]]));
        assert!(answer(&rows, 2, 0)["error"]["message"].is_string());
    }
}
