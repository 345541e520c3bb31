//! Reads a SQL file into the steps of a transaction.

mod branches;
mod commands;
mod draft;
mod pipeline;
mod reader;
mod results;
mod statement;

pub use reader::Mistake;

use super::expression::Expression;
use super::program::{Program, Step, pause};
use super::value::Value;
use crate::pieces::Piece;
use reader::Reader;
use sql_wire::Kind;
use std::time::Duration;

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

impl Reader<'_> {
    fn all(&mut self) -> Result<(), Mistake> {
        while self.at < self.text.len() {
            match self.next_piece()? {
                (Piece::Comment, _) if self.leads_a_statement()? => self.statement()?,
                // The frame of a comment that MySQL executes belongs to its statement.
                (Piece::Space, _) if self.text[self.at..].starts_with("/*") => self.statement()?,
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
            false => pause(value, unit).ok(),
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
            _ if self.pipeline.is_some() && !self.can_precede_pipeline(&name, &joined) => {
                let where_not = match commands::SETTING.contains(&name.as_str()) {
                    true => "stand behind a statement of a pipeline that takes the variable",
                    false => "stand in a pipeline",
                };
                Err(self.mistake(
                    at,
                    format!("\\{name} cannot {where_not}: put it before \\startpipeline or behind \\endpipeline"),
                ))
            }
            "if" | "elif" | "else" | "endif" => self.branch(&name, &joined, at, behind),
            "sleep" => self.sleep(&joined, at, behind),
            "into" | "gset" | "aset" => self.takes(&name, &joined, at),
            _ => commands::set(self, &name, &joined, at, behind),
        }
    }

    fn sleep(&mut self, text: &str, at: usize, behind: usize) -> Result<(), Mistake> {
        let (time, unit) = commands::sleep(self, text, at, behind)?;
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

#[cfg(test)]
mod tests;
