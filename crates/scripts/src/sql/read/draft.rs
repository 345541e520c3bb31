//! A statement while it is read.

use super::super::expression::in_name;
use super::super::program::Part;
use crate::pieces::{Body, Words};
use sql_wire::Kind;

/// Words before the name of a table or of another object, where no parameter can stand.
const BEFORE_NAMES: [&str; 16] = [
    "from",
    "into",
    "join",
    "update",
    "table",
    "index",
    "view",
    "sequence",
    "schema",
    "database",
    "only",
    "truncate",
    "savepoint",
    "to",
    "role",
    "collate",
];
/// What was read of a statement.
#[derive(Default)]
pub struct Draft {
    pub sql: String,
    pub parts: Vec<Part>,
    pub parameters: Vec<usize>,
    /// No server takes all its variables as parameters.
    pub textual: bool,
    pub body: Body,
}

impl Draft {
    pub fn push(&mut self, text: &str) {
        self.sql.push_str(text);
        match self.parts.last_mut() {
            Some(Part::Sql(sql)) => sql.push_str(text),
            _ => self.parts.push(Part::Sql(text.to_string())),
        }
    }

    pub fn parameter(&mut self, variable: usize, kind: Kind) {
        self.parameters.push(variable);
        self.parts.push(Part::Value(variable));
        match kind {
            Kind::Postgres => self.sql.push_str(&format!("${}", self.parameters.len())),
            _ => self.sql.push('?'),
        }
    }

    /// What follows sorts or groups, or stands behind another variable: a value there has no effect, or is a mistake.
    pub fn wants_a_column(&self, kind: Kind) -> bool {
        let sql = self.sql.trim_end();
        let last = Words::of(sql, kind).last();
        let sorts = last
            .is_some_and(|word| sql.ends_with(word.text) && word.text.eq_ignore_ascii_case("by"));
        let behind_another = matches!(self.parts.last(), Some(Part::Value(_)))
            || matches!(self.parts.as_slice(), [.., Part::Value(_), Part::Sql(space)] if space.trim().is_empty());
        sorts || behind_another
    }

    /// A parameter cannot stand behind what was read so far.
    pub fn wants_a_name(&self, kind: Kind) -> bool {
        let glued = self
            .sql
            .ends_with(|last: char| in_name(last) || matches!(last, '.' | '"' | '`'));
        let last = Words::of(self.sql.trim_end(), kind).last();
        let behind = last.is_some_and(|word| {
            self.sql.trim_end().ends_with(word.text)
                && BEFORE_NAMES
                    .iter()
                    .any(|name| word.text.eq_ignore_ascii_case(name))
        });
        glued || behind
    }
}
