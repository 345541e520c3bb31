//! Where the reading of a file stands: its place in the text, what is open, and the program as it is so far.

use super::super::expression::{Expression, in_name};
use super::super::parser;
use super::super::program::Program;
use super::super::value::Value;
use super::draft::Draft;
use crate::pieces::{Piece, piece};
use sql_wire::Kind;

/// What is wrong with a file, and where: line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// An `\if` that is open: the jump behind its condition, and those to its end.
pub struct Branch {
    pub unless: Option<usize>,
    pub ends: Vec<usize>,
    pub at: usize,
}

/// A pipeline while it is read.
pub struct Pipeline {
    pub at: usize,
    /// Where its statements since the last synchronisation begin, and their text.
    pub statements: Option<(usize, Draft)>,
}

pub struct Reader<'a> {
    pub text: &'a str,
    pub kind: Kind,
    pub at: usize,
    /// Values stand in the text of every statement.
    pub as_texts: bool,
    pub program: Program,
    pub branches: Vec<Branch>,
    /// The pipeline that is open.
    pub pipeline: Option<Pipeline>,
    /// Prefixes of variables for result columns, with names that are only known when the script runs.
    pub prefixes: Vec<String>,
}

impl<'a> Reader<'a> {
    pub fn new(
        text: &'a str,
        kind: Kind,
        defined: &[(String, Value)],
        as_texts: bool,
    ) -> Reader<'a> {
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

    pub fn next_piece(&self) -> Result<(Piece, usize), Mistake> {
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
    pub fn line_here(&mut self) -> (&'a str, usize) {
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
}

/// A variable's name.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(in_name) && !text.starts_with(|c: char| c.is_ascii_digit())
}
