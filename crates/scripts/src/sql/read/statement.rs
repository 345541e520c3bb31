//! A statement of a SQL file: its text, and where variables stand in it.

use super::super::expression::{in_name, unknown};
use super::super::program::{Part, Step, Takes, Text};
use super::super::value::Value;
use super::draft::Draft;
use super::reader::{Mistake, Reader};
use crate::effect::sort;
use crate::pieces::{Body, Piece, piece, statements};
use sql_wire::Kind;

/// The statements that take parameters, on PostgreSQL and on MySQL.
const WITH_PARAMETERS: [&str; 10] = [
    "select", "insert", "update", "delete", "merge", "values", "table", "with", "call", "explain",
];
/// PostgreSQL's SET and DO take none.
const WITH_PARAMETERS_ON_MYSQL: [&str; 3] = ["replace", "do", "set"];

impl Reader<'_> {
    /// Reads a statement up to its semicolon, the file's end, or a command.
    pub fn statement(&mut self) -> Result<(), Mistake> {
        let (start, mut draft) = self.begin_statement();
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            if rest.starts_with(';') && !draft.body.is_open() {
                self.at += 1;
                break;
            }
            // `\;` sends the next statement with this one.
            if rest.starts_with("\\;") {
                draft.push(";");
                self.at += 2;
                continue;
            }
            if rest.starts_with('\\') {
                break;
            }
            if let Some(length) = self.parameter(&mut draft)? {
                self.at += length;
                continue;
            }
            let (found, end) = self.next_piece()?;
            let text = &self.text[self.at..end];
            match found {
                // Hints of optimisers are comments.
                Piece::Comment if !text.starts_with("/*") => {}
                Piece::Quoted => self.quoted(text, &mut draft),
                Piece::Word => {
                    draft.body.word(text);
                    draft.push(text);
                }
                _ => draft.push(text),
            }
            self.at = end;
        }
        match &mut self.pipeline {
            Some(pipeline) => pipeline.statements = Some((start, draft)),
            None => self.finish(start, draft)?,
        }
        Ok(())
    }

    /// The statement that begins here, or the pipeline that goes on with it.
    fn begin_statement(&mut self) -> (usize, Draft) {
        let before = self
            .pipeline
            .as_mut()
            .and_then(|open| open.statements.take());
        let Some((start, mut draft)) = before else {
            return (self.at, Draft::default());
        };
        draft.push("; ");
        draft.body = Body::default();
        (start, draft)
    }

    pub fn finish(&mut self, start: usize, mut draft: Draft) -> Result<(), Mistake> {
        draft.sql.truncate(draft.sql.trim_end().len());
        if let Some(Part::Sql(last)) = draft.parts.last_mut() {
            last.truncate(last.trim_end().len());
        }
        let sort = sort(&draft.sql, self.kind);
        let several = statements(&draft.sql, self.kind).len() > 1;
        let takes_none = !draft.parameters.is_empty()
            && self.kind != Kind::Noop
            && !(WITH_PARAMETERS.contains(&sort.verb.as_str())
                || self.kind == Kind::Mysql
                    && WITH_PARAMETERS_ON_MYSQL.contains(&sort.verb.as_str()));
        let as_text = self.as_texts || draft.textual || several || takes_none;
        if self.kind == Kind::Mysql
            && !as_text
            && draft.parameters.is_empty()
            && has_placeholder(&draft.sql, self.kind)
        {
            return Err(self.mistake(start, "write :name for a parameter, not '?'"));
        }
        self.program.steps.push(Step::Send {
            statement: self.program.statements.len(),
        });
        let line = self.line(start);
        self.program.statements.push(Text {
            sql: draft.sql,
            sort,
            parameters: draft.parameters,
            takes: Takes::Nothing,
            parts: as_text.then_some(draft.parts),
            line,
        });
        Ok(())
    }

    /// Takes `:name` here as a parameter; its length, None when something else comes.
    fn parameter(&mut self, draft: &mut Draft) -> Result<Option<usize>, Mistake> {
        let rest = &self.text[self.at..];
        if rest.starts_with("::") {
            draft.push("::");
            return Ok(Some(2));
        }
        let Some(length) = variable_at(rest) else {
            return Ok(None);
        };
        let name = &rest[1..length];
        let Some(variable) = self.used(name) else {
            return Err(self.mistake(self.at, unknown(name)));
        };
        draft.textual |= draft.wants_a_name(self.kind) || self.is_sql(variable, draft);
        draft.parameter(variable, self.kind);
        Ok(Some(length))
    }

    /// Whether a text of the command line is a part of the statement, as with pgbench, and not a value: a list, a
    /// condition, a quoted text, or a name where values are sorted or grouped.
    fn is_sql(&self, variable: usize, draft: &Draft) -> bool {
        let Some(Value::Text(text)) = self.program.initial.get(variable) else {
            return false;
        };
        let composed = |c: char| c.is_whitespace() || ",'\"()<>=*".contains(c);
        text.contains(composed) || draft.wants_a_column(self.kind)
    }

    /// Variables within quotes are replaced where they are known, as pgbench does.
    fn quoted(&mut self, text: &str, draft: &mut Draft) {
        let mut done = 0;
        let mut at = 0;
        while let Some(found) = text[at..].find(':') {
            at += found;
            let length = variable_at(&text[at..]).unwrap_or(0);
            let known = (length > 1).then(|| self.used(&text[at + 1..at + length]));
            let doubled = text[..at].ends_with(':');
            if let Some(Some(variable)) = known.filter(|_| !doubled) {
                draft.push(&text[done..at]);
                draft.sql.push_str(&text[at..at + length]);
                draft.parts.push(Part::Quoted(variable));
                draft.textual = true;
                done = at + length;
            }
            at += length.max(1);
        }
        draft.push(&text[done..]);
    }
}

/// Whether a `?` stands outside quotes and comments.
fn has_placeholder(sql: &str, kind: Kind) -> bool {
    let mut at = 0;
    while at < sql.len() && sql[at..].contains('?') {
        let (found, end) = piece(sql, at, kind);
        if found == Piece::Symbol && &sql[at..end] == "?" {
            return true;
        }
        at = end;
    }
    false
}

/// The length of `:name` at the beginning of a text. `[1:2]` and `:=` are SQL's own.
fn variable_at(text: &str) -> Option<usize> {
    let name = text.strip_prefix(':')?;
    let length = name.find(|c| !in_name(c)).unwrap_or(name.len());
    (length > 0 && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(1 + length)
}
