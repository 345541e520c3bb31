//! A SQL file, read into the steps of a transaction.

mod branches;
mod pipeline;
mod results;
mod text;

use super::expression::{Expression, in_name};
use super::meta;
use super::parser;
use super::value::Value;
use crate::pieces::{Piece, piece};
use sql_wire::Kind;
use std::time::Duration;

pub use text::{Part, Takes, Text};

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

/// What is wrong with a file, and where: line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl Program {
    /// Reads a file's text; `defined` are the variables of the command line, and those that always are. With
    /// `as_texts` values stand in the text of every statement, as with pgbench's protocol `simple`.
    pub fn read(
        text: &str,
        kind: Kind,
        defined: &[(String, Value)],
        as_texts: bool,
    ) -> Result<Program, Mistake> {
        let mut reader = Reader::new(text, kind, defined, as_texts);
        reader.all()?;
        Ok(reader.program)
    }

    pub fn writes(&self) -> bool {
        self.statements.iter().any(|text| text.sort.needs_writable)
    }
}

/// An `\if` that is open: the jump behind its condition, and those to its end.
struct Branch {
    unless: Option<usize>,
    ends: Vec<usize>,
    at: usize,
}

pub struct Reader<'a> {
    text: &'a str,
    kind: Kind,
    at: usize,
    /// Values stand in the text of every statement.
    as_texts: bool,
    pub program: Program,
    branches: Vec<Branch>,
    /// The pipeline that is open.
    pipeline: Option<pipeline::Pipeline>,
    /// Prefixes of variables for result columns, with names that are only known when the script runs.
    prefixes: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, kind: Kind, defined: &[(String, Value)], as_texts: bool) -> Reader<'a> {
        let program = Program {
            variables: defined.iter().map(|(name, _)| name.clone()).collect(),
            initial: defined.iter().map(|(_, value)| value.clone()).collect(),
            ..Program::default()
        };
        Reader {
            text,
            kind,
            at: 0,
            as_texts,
            program,
            branches: Vec::new(),
            pipeline: None,
            prefixes: Vec::new(),
        }
    }

    fn all(&mut self) -> Result<(), Mistake> {
        while self.at < self.text.len() {
            match self.next_piece()? {
                (Piece::Comment, _) if self.leads_a_statement()? => self.statement()?,
                (Piece::Space | Piece::Comment, end) => self.at = end,
                _ if self.text[self.at..].starts_with(';') => self.at += 1,
                _ if self.text[self.at..].starts_with('\\') => self.command()?,
                _ => self.statement()?,
            }
        }
        if let Some(open) = self.branches.last() {
            return Err(self.mistake(open.at, "this \\if has no \\endif"));
        }
        if let Some(open) = &self.pipeline {
            return Err(self.mistake(open.at, "this \\startpipeline has no \\endpipeline"));
        }
        if self.program.statements.is_empty() {
            return Err(self.mistake(0, "the file has no SQL statement"));
        }
        self.end_with_a_pause();
        Ok(())
    }

    /// A pause of known length behind everything else belongs to the user, not to the transaction.
    fn end_with_a_pause(&mut self) {
        while let Some(Step::Sleep { time, unit, .. }) = self.program.steps.last() {
            let last = self.program.steps.len() - 1;
            let is_skipped = self.program.steps.iter().any(|step| match step {
                Step::Unless { next, .. } | Step::GoTo { next } => *next > last,
                _ => false,
            });
            let Some(pause) = self.known_pause(time, *unit).filter(|_| !is_skipped) else {
                return;
            };
            self.program.sleep_after += pause;
            self.program.steps.pop();
        }
    }

    /// The length of a pause that is the same in every transaction.
    fn known_pause(&self, time: &Expression, unit: f64) -> Option<Duration> {
        let value = match time {
            Expression::Constant(value) => value,
            Expression::Variable(place) => self.program.initial.get(*place)?,
            _ => return None,
        };
        let is_set = |step: &Step| match step {
            Step::Set { variable, .. }
            | Step::SetString { variable, .. }
            | Step::SetLetters { variable, .. } => *time == Expression::Variable(*variable),
            _ => false,
        };
        match self.program.steps.iter().any(is_set) {
            true => None,
            false => meta::pause(value, unit).ok(),
        }
    }

    /// A comment here belongs to the statement behind it, as hints and names of queries do.
    fn leads_a_statement(&mut self) -> Result<bool, Mistake> {
        let before = self.at;
        if !self.text[before..].starts_with("/*") {
            return Ok(false);
        }
        while self.at < self.text.len() {
            match self.next_piece()? {
                (Piece::Space | Piece::Comment, end) => self.at = end,
                _ => break,
            }
        }
        let behind = &self.text[self.at..];
        self.at = before;
        Ok(!behind.is_empty() && !behind.starts_with(['\\', ';']))
    }

    fn next_piece(&self) -> Result<(Piece, usize), Mistake> {
        match piece(self.text, self.at, self.kind) {
            (Piece::Open, _) => Err(self.mistake(self.at, "nothing ends this quote or comment")),
            found => Ok(found),
        }
    }

    pub fn mistake(&self, at: usize, message: impl Into<String>) -> Mistake {
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |found| found + 1);
        Mistake {
            line: self.line(at),
            column: before[start..].chars().count() + 1,
            message: message.into(),
        }
    }

    pub fn line(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// The place of a variable that is known here.
    pub fn known(&self, name: &str) -> Option<usize> {
        self.program
            .variables
            .iter()
            .position(|known| known == name)
    }

    /// The place of a variable that is known here, or that may be a column of a result before.
    pub fn used(&mut self, name: &str) -> Option<usize> {
        let known = self.known(name);
        if known.is_none() && self.prefixes.iter().any(|prefix| name.starts_with(prefix)) {
            let place = self.place(name);
            self.program.initial[place] = Value::Unset;
            return Some(place);
        }
        known
    }

    /// The place of a variable that is given a value here.
    pub fn place(&mut self, name: &str) -> usize {
        self.known(name).unwrap_or_else(|| {
            self.program.variables.push(name.to_string());
            self.program.initial.push(Value::Null);
            self.program.variables.len() - 1
        })
    }

    pub fn expression(&mut self, text: &str, at: usize) -> Result<Expression, Mistake> {
        let read = parser::parse(text, &mut |name| self.used(name))
            .map_err(|mistake| self.mistake(at + mistake.at, mistake.message))?;
        // Without a server a script is only tried out.
        Ok(match self.kind {
            Kind::Noop => read.silent(),
            _ => read,
        })
    }

    /// A backslash command's words up to the end of its line, and where they begin.
    fn line_here(&mut self) -> (&'a str, usize) {
        let start = self.at + 1;
        let rest = &self.text[start..];
        let mut length = 0;
        // A backslash at the end of a line continues it.
        loop {
            length += rest[length..].find('\n').unwrap_or(rest.len() - length);
            if !rest[..length].trim_end_matches('\r').ends_with('\\') || length == rest.len() {
                break;
            }
            length += 1;
        }
        self.at = start + length;
        (&rest[..length], start)
    }

    fn command(&mut self) -> Result<(), Mistake> {
        let at = self.at;
        let (line, start) = self.line_here();
        let line = line.trim_end();
        let length = line.find(char::is_whitespace).unwrap_or(line.len());
        let (name, rest) = line.split_at(length);
        let arguments = rest.trim_start();
        let behind = start + length + (rest.len() - arguments.len());
        // Continued lines are one line to the commands.
        let joined = arguments.replace("\\\r\n", "   ").replace("\\\n", "  ");
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "startpipeline" | "syncpipeline" | "endpipeline" => self.pipeline(&name, at),
            _ if self.pipeline.is_some() => Err(self.mistake(
                at,
                format!("\\{name} cannot stand in a pipeline: put it before \\startpipeline or behind \\endpipeline"),
            )),
            "if" | "elif" | "else" | "endif" => self.branch(&name, &joined, at, behind),
            "sleep" => self.sleep(&joined, at, behind),
            "into" | "gset" | "aset" => self.takes(&name, &joined, at),
            _ => meta::set(self, &name, &joined, at, behind),
        }
    }

    fn sleep(&mut self, text: &str, at: usize, behind: usize) -> Result<(), Mistake> {
        let (time, unit) = meta::sleep(self, text, at, behind)?;
        let first = self.program.statements.is_empty() && self.branches.is_empty();
        if let Some(pause) = self.known_pause(&time, unit).filter(|_| first) {
            self.program.sleep_before += pause;
            return Ok(());
        }
        let line = self.line(at);
        self.program.steps.push(Step::Sleep { time, unit, line });
        Ok(())
    }
}

/// A variable's name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(in_name) && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
