//! A SQL file, read into the steps of a transaction.

mod branches;

use super::expression::{self, Expression, in_name, unknown};
use super::meta;
use super::value::Value;
use crate::effect::{Sort, sort};
use crate::pieces::{Piece, piece};
use sql_wire::Kind;
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
}

/// A statement with `?` or `$n` in place of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub sql: String,
    pub sort: Sort,
    /// The variables that are its parameters, in order.
    pub parameters: Vec<usize>,
    /// The variables that take the fields of its first row.
    pub into: Vec<usize>,
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
    /// Reads a file's text; `defined` are the variables of the command line, and those that always are.
    pub fn read(text: &str, kind: Kind, defined: &[(String, Value)]) -> Result<Program, Mistake> {
        let mut reader = Reader::new(text, kind, defined);
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
    pub program: Program,
    branches: Vec<Branch>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, kind: Kind, defined: &[(String, Value)]) -> Reader<'a> {
        let program = Program {
            variables: defined.iter().map(|(name, _)| name.clone()).collect(),
            initial: defined.iter().map(|(_, value)| value.clone()).collect(),
            ..Program::default()
        };
        Reader {
            text,
            kind,
            at: 0,
            program,
            branches: Vec::new(),
        }
    }

    fn all(&mut self) -> Result<(), Mistake> {
        while self.at < self.text.len() {
            match self.next_piece()? {
                (Piece::Space | Piece::Comment, end) => self.at = end,
                _ if self.text[self.at..].starts_with(';') => self.at += 1,
                _ if self.text[self.at..].starts_with('\\') => self.command()?,
                _ => self.statement()?,
            }
        }
        if let Some(open) = self.branches.last() {
            return Err(self.mistake(open.at, "this \\if has no \\endif"));
        }
        if self.program.statements.is_empty() {
            return Err(self.mistake(0, "the file has no SQL statement"));
        }
        Ok(())
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

    /// The place of a variable that is given a value here.
    pub fn place(&mut self, name: &str) -> usize {
        self.known(name).unwrap_or_else(|| {
            self.program.variables.push(name.to_string());
            self.program.initial.push(Value::Null);
            self.program.variables.len() - 1
        })
    }

    pub fn expression(&self, text: &str, at: usize) -> Result<Expression, Mistake> {
        expression::parse(text, &mut |name| self.known(name))
            .map_err(|mistake| self.mistake(at + mistake.at, mistake.message))
    }

    /// Reads a statement up to its semicolon, the file's end, or a command that takes its result.
    fn statement(&mut self) -> Result<(), Mistake> {
        let start = self.at;
        let mut text = Text {
            sql: String::new(),
            sort: sort("", self.kind),
            parameters: Vec::new(),
            into: Vec::new(),
        };
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            if rest.starts_with(';') {
                self.at += 1;
                break;
            }
            if rest.starts_with('\\') {
                text.into = self.into()?;
                break;
            }
            if let Some(length) = self.parameter(&mut text)? {
                self.at += length;
                continue;
            }
            let (found, end) = self.next_piece()?;
            if found != Piece::Comment {
                text.sql.push_str(&self.text[self.at..end]);
            }
            self.at = end;
        }
        text.sql.truncate(text.sql.trim_end().len());
        text.sort = sort(&text.sql, self.kind);
        if self.kind == Kind::Mysql && text.sql.contains('?') && text.parameters.is_empty() {
            return Err(self.mistake(start, "write :name for a parameter, not '?'"));
        }
        self.program.steps.push(Step::Send {
            statement: self.program.statements.len(),
        });
        self.program.statements.push(text);
        Ok(())
    }

    /// Takes `:name` here as a parameter; its length, None when something else comes.
    fn parameter(&self, text: &mut Text) -> Result<Option<usize>, Mistake> {
        let rest = &self.text[self.at..];
        if rest.starts_with("::") {
            text.sql.push_str("::");
            return Ok(Some(2));
        }
        let Some(name) = rest.strip_prefix(':') else {
            return Ok(None);
        };
        let length = name.find(|c| !in_name(c)).unwrap_or(name.len());
        // `[1:2]` and `:=` are SQL's own.
        if length == 0 || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(None);
        }
        let Some(variable) = self.known(&name[..length]) else {
            return Err(self.mistake(self.at, unknown(&name[..length])));
        };
        text.parameters.push(variable);
        match self.kind {
            Kind::Postgres => text.sql.push_str(&format!("${}", text.parameters.len())),
            _ => text.sql.push('?'),
        }
        Ok(Some(1 + length))
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

    /// `\into a b` behind a statement: its first row's fields go into these variables.
    fn into(&mut self) -> Result<Vec<usize>, Mistake> {
        let at = self.at;
        let (line, _) = self.line_here();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("into") => {}
            Some("gset" | "aset") => {
                let message = "\\gset is not there: name the variables, as in `\\into a b`";
                return Err(self.mistake(at, message));
            }
            _ => return Err(self.mistake(at, "end the statement with ';' before a command")),
        }
        let names: Vec<&str> = words.collect();
        if names.is_empty() || names.iter().any(|name| !is_name(name)) {
            return Err(self.mistake(at, "\\into needs names of variables"));
        }
        Ok(names.iter().map(|name| self.place(name)).collect())
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
        match name {
            "if" | "elif" | "else" | "endif" => self.branch(name, &joined, at, behind),
            "sleep" => self.sleep(&joined, at),
            _ => meta::set(self, name, &joined, at, behind),
        }
    }

    fn sleep(&mut self, text: &str, at: usize) -> Result<(), Mistake> {
        let pause = meta::pause(text, &|name| {
            self.known(name)
                .map(|place| self.program.initial[place].clone())
        });
        let pause = pause.map_err(|message| self.mistake(at, message))?;
        if !self.branches.is_empty() {
            return Err(self.mistake(at, "\\sleep cannot stand inside \\if"));
        }
        if self.program.statements.is_empty() {
            self.program.sleep_before += pause;
            return Ok(());
        }
        let (line, after) = (self.line(at), self.at);
        self.program.sleep_after += pause;
        // A transaction under way does not sleep: only the end of the file may follow.
        while self.at < self.text.len() {
            match self.next_piece()? {
                (Piece::Space | Piece::Comment, end) => self.at = end,
                _ if self.text[self.at..].starts_with("\\sleep") => {
                    let at = self.at;
                    let (line, _) = self.line_here();
                    return self.sleep(line.trim_start_matches("sleep").trim(), at);
                }
                _ => {
                    self.at = after;
                    let message = "\\sleep must stand before the first or after the last statement";
                    let mut mistake = self.mistake(at, message);
                    mistake.line = line;
                    return Err(mistake);
                }
            }
        }
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
