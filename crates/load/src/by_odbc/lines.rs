//! Statements by ODBC, a line each.

use super::thread::Thread;
use anyhow::{Context, Result};
use odbc::frame::{self, Answer, Frame, Keep};
use serde_json::{Value, json};
use sql_wire::Kind;
use sql_wire::odbc::failure;
use std::io::{BufRead, Write};
use std::time::Duration;

/// Answers each line of standard input until its end.
pub fn serve(thread: &mut Thread, kind: Kind, bound: Duration) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let sql: String =
            serde_json::from_str(&line?).context("an input line is not a JSON string")?;
        let mut request = Vec::new();
        Frame::query(&sql, Keep::NamesAndRows, &mut request);
        let answer = answer(thread.ask(&request, bound)?, kind);
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer(answer: Answer, kind: Kind) -> Value {
    match answer {
        Answer::Failed {
            state,
            native,
            dead,
            message,
        } => refusal(&failure(kind, state, native, dead, message)),
        Answer::Done {
            rows,
            affected,
            columns: 0,
            ..
        } => json!({"columns": [], "rows": [], "affected": affected, "count": rows}),
        Answer::Done {
            rows,
            columns,
            mut fields,
            ..
        } => {
            let mut next = || -> Vec<Value> {
                let row = fields.by_ref().take(usize::from(columns));
                row.map(field).collect()
            };
            let names = next();
            let kept: Vec<Vec<Value>> =
                std::iter::from_fn(|| Some(next()).filter(|row| !row.is_empty())).collect();
            // what is cut short would be taken for all there is
            match kept.len() as u64 == rows {
                true => json!({"columns": names, "rows": kept, "affected": 0, "count": rows}),
                false => too_many(rows),
            }
        }
        Answer::Connected { .. } => too_many(0),
    }
}

fn too_many(rows: u64) -> Value {
    let message = format!("{rows} rows are more than are kept at a time: ask for fewer");
    json!({"error": {"class": "other", "code": "rows", "message": message}})
}

fn field(value: frame::Value) -> Value {
    match value {
        frame::Value::Null => Value::Null,
        frame::Value::Int(number) => json!(number),
        frame::Value::BigInt(number) => json!(number),
        frame::Value::Double(number) => json!(number),
        frame::Value::Text(text) => json!(String::from_utf8_lossy(text)),
    }
}

fn refusal(failure: &sql_wire::Failure) -> Value {
    json!({"error": {
        "class": failure.class.name(), "code": failure.code, "message": failure.message
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row of two columns, which the answer says to be `rows`.
    fn answered(rows: u64) -> Value {
        let mut out = Vec::new();
        let mut frame = Frame::done(2, &mut out);
        for value in [
            frame::Value::Text(b"a"),
            frame::Value::Text(b"b"),
            frame::Value::BigInt(1),
            frame::Value::Null,
        ] {
            frame.value(value);
        }
        frame.count(rows, 0);
        drop(frame);
        answer(frame::answer(&out).unwrap().unwrap().0, Kind::Mysql)
    }

    #[test]
    fn names_stand_apart_from_rows() {
        let whole = answered(1);
        assert_eq!(whole["columns"], json!(["a", "b"]));
        assert_eq!(whole["rows"], json!([[1, null]]));
    }

    #[test]
    fn rows_that_were_not_kept_are_no_answer() {
        assert!(answered(2)["error"]["message"].is_string());
    }
}
