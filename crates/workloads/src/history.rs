//! What transactions that test isolation did, operation by operation.

use std::io::{self, Write};

/// One operation of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// To a list; noted before it is tried, so that those of failed transactions are known.
    Append { key: i64, value: i64 },
    /// Of a list as it was answered, such as "1,2,3"; None: there was none.
    Read { key: i64, list: Option<String> },
    /// To a register; noted before it is tried.
    Write { key: i64, value: i64 },
    /// What was found in a register; None: nothing had been written.
    Value { key: i64, value: Option<i64> },
    /// What was found in an account.
    Balance { account: i64, value: i64 },
    /// What was to be added to an account; noted before it is tried.
    Transfer { account: i64, value: i64 },
}

impl Operation {
    /// The workload that it is of.
    pub fn source(&self) -> &'static str {
        match self {
            Operation::Append { .. } | Operation::Read { .. } => "lists",
            Operation::Write { .. } | Operation::Value { .. } => "registers",
            Operation::Balance { .. } | Operation::Transfer { .. } => "bank",
        }
    }

    /// The columns kind, key, value and list.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Operation::Append { key, value } => writeln!(out, "append,{key},{value},"),
            Operation::Read { key, list: None } => writeln!(out, "read,{key},,"),
            Operation::Read {
                key,
                list: Some(list),
            } => writeln!(out, "read,{key},,\"{}\"", list.replace('"', "\"\"")),
            Operation::Write { key, value } => writeln!(out, "write,{key},{value},"),
            Operation::Value { key, value: None } => writeln!(out, "read,{key},,"),
            Operation::Value {
                key,
                value: Some(value),
            } => writeln!(out, "read,{key},{value},"),
            Operation::Balance { account, value } => writeln!(out, "read,{account},{value},"),
            Operation::Transfer { account, value } => writeln!(out, "add,{account},{value},"),
        }
    }
}
