//! Which statements the server has prepared for a session, and under which names.
//!
//! A name is made of the statement's text and types. Where a pooler hands the server's connections from one client
//! to the next, a name that counted statements would call another client's statement, without an error.

use super::message::frame;
use crate::parameters::Type;
use crate::statement::Statement;
use ring::digest::{Context, SHA256};
use std::collections::HashSet;

/// `f9_`, 16 hexadecimal digits, and the zero byte at the end.
const LENGTH: usize = 20;

struct Slot {
    name: [u8; LENGTH],
    /// The server has confirmed that it is prepared.
    known: bool,
}

#[derive(Default)]
pub struct Prepared {
    slots: Vec<Option<Slot>>,
    /// What the server has: several statements with one text have one name.
    names: HashSet<[u8; LENGTH]>,
    /// The statement with a running Parse.
    under_way: Option<usize>,
    /// Statements have no names, and are parsed with each execution.
    unnamed: bool,
}

impl Prepared {
    pub fn without_names(&mut self) {
        self.unnamed = true;
    }

    /// Appends a Parse, unless the server has this statement.
    #[inline]
    pub fn parse_if_new(&mut self, id: usize, statement: &Statement, out: &mut Vec<u8>) {
        if self.unnamed {
            return parse(&[0], statement, out);
        }
        if self.slots.len() <= id {
            self.slots.resize_with(id + 1, || None);
        }
        let slot = self.slots[id].get_or_insert_with(|| Slot {
            name: name_of(statement),
            known: false,
        });
        slot.known = slot.known || self.names.contains(&slot.name);
        if !slot.known {
            self.under_way = Some(id);
            parse(&slot.name, statement, out);
        }
    }

    /// The name of a statement as it goes over the wire, with its end.
    #[inline]
    pub fn name(&self, id: usize) -> &[u8] {
        match self.slots.get(id) {
            Some(Some(slot)) if !self.unnamed => &slot.name,
            _ => &[0],
        }
    }

    /// The server has parsed the statement under way.
    pub fn parsed(&mut self) {
        let id = self.under_way.take();
        if let Some(Some(slot)) = id.and_then(|id| self.slots.get_mut(id)) {
            slot.known = true;
            self.names.insert(slot.name);
        }
    }

    /// The call under way has ended, well or not.
    #[inline]
    pub fn over(&mut self) {
        self.under_way = None;
    }

    /// A command was completed. After some of them the server has none of the session's statements.
    #[inline]
    pub fn completed(&mut self, tag: &[u8]) {
        if tag.starts_with(b"DISCARD ALL") || tag.starts_with(b"DEALLOCATE ALL") {
            self.slots.clear();
            self.names.clear();
        }
    }

    #[cfg(test)]
    pub fn has(&self, id: usize) -> bool {
        matches!(self.slots.get(id), Some(Some(slot)) if slot.known)
    }
}

fn parse(name: &[u8], statement: &Statement, out: &mut Vec<u8>) {
    frame(out, b'P', |out| {
        out.extend(name);
        out.extend(statement.sql.as_bytes());
        out.push(0);
        out.extend((statement.types.len() as i16).to_be_bytes());
        for parameter in statement.types.iter() {
            out.extend(type_oid(*parameter).to_be_bytes());
        }
    });
}

fn name_of(statement: &Statement) -> [u8; LENGTH] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut context = Context::new(&SHA256);
    context.update(statement.sql.as_bytes());
    for parameter in statement.types.iter() {
        context.update(&type_oid(*parameter).to_be_bytes());
    }
    let digest = context.finish();
    let mut name = *b"f9_0000000000000000\0";
    for (index, byte) in digest.as_ref().iter().take(8).enumerate() {
        name[3 + 2 * index] = DIGITS[usize::from(byte >> 4)];
        name[4 + 2 * index] = DIGITS[usize::from(byte & 15)];
    }
    name
}

/// Texts are left for the server to infer, as CHAR(n) columns have a separate type.
fn type_oid(parameter: Type) -> i32 {
    match parameter {
        Type::Int => 23,
        Type::BigInt => 20,
        Type::Double => 701,
        Type::Numeric => 1700,
        Type::Text => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Effect;
    use crate::kind::Kind;

    fn statement(sql: &str, types: &'static [Type]) -> Statement {
        Statement::new(Kind::Postgres, "one", Effect::Read, sql, types)
    }

    #[test]
    fn names_differ_by_text_and_by_types() {
        let one = name_of(&statement("SELECT 1", &[]));
        assert_eq!(one, name_of(&statement("SELECT 1", &[])));
        assert_ne!(one, name_of(&statement("SELECT 2", &[])));
        assert_ne!(one, name_of(&statement("SELECT 1", &[Type::Int])));
        assert!(one.starts_with(b"f9_") && one.ends_with(b"\0"));
    }

    #[test]
    fn what_the_session_discards_is_parsed_again() {
        let select = statement("SELECT 1", &[]);
        for (tag, forgotten) in [
            (b"DISCARD ALL\0".as_slice(), true),
            (b"DEALLOCATE ALL\0", true),
            (b"DEALLOCATE\0", false),
            (b"DISCARD PLANS\0", false),
            (b"SELECT 1\0", false),
        ] {
            let mut prepared = Prepared::default();
            let mut out = Vec::new();
            prepared.parse_if_new(0, &select, &mut out);
            prepared.parsed();
            prepared.completed(tag);
            out.clear();
            prepared.parse_if_new(0, &select, &mut out);
            assert_eq!(!out.is_empty(), forgotten, "{tag:?}");
        }
    }

    #[test]
    fn statements_with_one_text_are_parsed_once() {
        let select = statement("SELECT $1", &[Type::Int]);
        let mut prepared = Prepared::default();
        let mut out = Vec::new();
        prepared.parse_if_new(0, &select, &mut out);
        prepared.parsed();
        out.clear();
        prepared.parse_if_new(7, &select, &mut out);
        assert!(out.is_empty());
        assert_eq!(prepared.name(0), prepared.name(7));
    }

    #[test]
    fn without_names_each_execution_parses() {
        let select = statement("SELECT 1", &[]);
        let mut prepared = Prepared::default();
        prepared.without_names();
        for _ in 0..2 {
            let mut out = Vec::new();
            prepared.parse_if_new(0, &select, &mut out);
            prepared.parsed();
            assert!(out.starts_with(b"P\0\0\0\x10\0SELECT 1\0"));
            assert_eq!(prepared.name(0), b"\0");
        }
    }
}
