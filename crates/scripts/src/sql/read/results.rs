//! `\into`, `\gset` and `\aset` behind a statement: variables take what it returns.

use super::super::program::{Step, Takes};
use super::reader::{Mistake, Reader, is_name};

impl Reader<'_> {
    pub fn takes(&mut self, name: &str, arguments: &str, at: usize) -> Result<(), Mistake> {
        let before = match self.program.steps.last() {
            Some(Step::Send { statement }) => self.program.statements.get(*statement),
            _ => None,
        };
        let Some(before) = before.filter(|text| text.takes == Takes::Nothing) else {
            return Err(self.mistake(at, format!("\\{name} must follow a SQL statement")));
        };
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let takes = match (name, words.as_slice()) {
            ("into", names) if !names.is_empty() && names.iter().all(|name| is_name(name)) => {
                Takes::Fields(names.iter().map(|name| self.place(name)).collect())
            }
            ("into", _) => return Err(self.mistake(at, "\\into needs names of variables")),
            ("aset", _) if before.sql.contains(';') => {
                let message =
                    "\\aset takes the rows of one statement: end each with ';' instead of '\\;'";
                return Err(self.mistake(at, message));
            }
            (_, [] | [_]) => {
                let prefix = words.first().copied().unwrap_or_default().to_string();
                self.prefixes.push(prefix.clone());
                match name {
                    "gset" => Takes::OnlyRow(prefix),
                    _ => Takes::LastRow(prefix),
                }
            }
            _ => {
                let message = format!("\\{name} takes one prefix for the names of its variables");
                return Err(self.mistake(at, message));
            }
        };
        if let Some(text) = self.program.statements.last_mut() {
            text.takes = takes;
        }
        Ok(())
    }
}
