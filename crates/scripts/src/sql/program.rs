//! A script's program: the steps of a transaction, and the statements that they send.

use super::expression::Expression;
use super::value::Value;
use crate::effect::Sort;
use std::time::Duration;

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Set {
        variable: usize,
        expression: Expression,
        line: usize,
    },
    /// A text made of a pattern.
    SetString {
        variable: usize,
        pattern: String,
    },
    /// Letters, of a length between two expressions' values.
    SetLetters {
        variable: usize,
        lengths: [Expression; 2],
        line: usize,
    },
    /// Sends this statement.
    Send {
        statement: usize,
    },
    /// Goes on at another step when the condition does not hold.
    Unless {
        condition: Expression,
        next: usize,
        line: usize,
    },
    GoTo {
        next: usize,
    },
    /// Waits so many seconds, times the unit.
    Sleep {
        time: Expression,
        unit: f64,
        line: usize,
    },
}

/// A file, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub steps: Vec<Step>,
    pub statements: Vec<Text>,
    pub variables: Vec<String>,
    /// What variables are before the first transaction.
    pub initial: Vec<Value>,
    pub sleep_before: Duration,
    pub sleep_after: Duration,
}

impl Program {
    pub fn writes(&self) -> bool {
        self.statements.iter().any(|text| text.sort.needs_writable)
    }
}

/// The length of a pause of so many units.
pub fn pause(value: &Value, unit: f64) -> Result<Duration, String> {
    let seconds = value.float().map(|number| number * unit);
    match seconds.filter(|seconds| (0.0..=86_400.0).contains(seconds)) {
        Some(seconds) => Ok(Duration::from_secs_f64(seconds)),
        None => Err(format!(
            "\\sleep cannot wait for {value}: from 0 s to a day"
        )),
    }
}

/// A statement with `?` or `$n` in place of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub sql: String,
    pub sort: Sort,
    /// The variables that are its parameters, in order.
    pub parameters: Vec<usize>,
    pub takes: Takes,
    /// Where the statement must be sent as text: its parts.
    pub parts: Option<Vec<Part>>,
    pub line: usize,
}

/// A part of a statement that is sent as text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Sql(String),
    /// The value of this variable.
    Value(usize),
    /// The same within quotes, where a variable without a value is a part of the text.
    Quoted(usize),
}

/// What becomes of a statement's rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Takes {
    #[default]
    Nothing,
    /// `\into`: these variables take the fields of the first row.
    Fields(Vec<usize>),
    /// `\gset`: variables of this prefix take the columns of the only row.
    OnlyRow(String),
    /// `\aset`: the same of the last row, if there is one.
    LastRow(String),
}
