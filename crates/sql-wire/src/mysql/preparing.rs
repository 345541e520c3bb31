//! Prepared statements: each is prepared with its first execution, which waits behind it.

use super::execution::execution;
use super::packet::{self, Reader, frame};
use super::{COM_STMT_PREPARE, ERROR_NOT_PREPARABLE, Expect, MysqlSession, Slot, classify};
use crate::failure::Failure;
use crate::parameters::Parameters;
use crate::session::Event;
use crate::statement::Statement;

impl MysqlSession {
    pub(super) fn prepared(
        &mut self,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<Event>, Failure> {
        if payload.first() == Some(&0xff) {
            return Ok(self.not_prepared(payload, out));
        }
        let (number, columns, parameters) = Reader::new(payload)
            .prepare_ok()
            .ok_or_else(|| Failure::protocol("the reply to PREPARE"))?;
        self.slots[self.preparing] = Slot::Prepared {
            number,
            typed: true,
        };
        // The number goes where the framed execution left room: after header and command byte.
        self.deferred[5..9].copy_from_slice(&number.to_le_bytes());
        let ends = if self.deprecate_eof {
            0
        } else {
            u32::from(columns > 0) + u32::from(parameters > 0)
        };
        let left = u32::from(columns) + u32::from(parameters) + ends;
        self.expect = Expect::Definitions { left };
        if left == 0 {
            self.send_deferred(out);
        }
        Ok(None)
    }

    pub(super) fn not_prepared(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Option<Event> {
        let failure = classify::error(payload);
        let textual = classify::number(payload) == ERROR_NOT_PREPARABLE;
        if !textual {
            self.expect = Expect::Nothing;
            return Some(Event::Refused(failure));
        }
        self.slots[self.preparing] = Slot::Text;
        self.binary = false;
        packet::query(&self.deferred_sql, out);
        self.expect = Expect::Answer;
        None
    }

    pub(super) fn definition(&mut self, left: u32, out: &mut Vec<u8>) {
        self.expect = Expect::Definitions { left: left - 1 };
        if left == 1 {
            self.send_deferred(out);
        }
    }

    pub(super) fn send_deferred(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.deferred);
        self.expect = Expect::Answer;
    }

    pub(super) fn prepare(
        &mut self,
        id: usize,
        statement: &Statement,
        parameters: &Parameters,
        out: &mut Vec<u8>,
    ) {
        if self.slots.len() <= id {
            self.slots.resize(id + 1, Slot::Unprepared);
        }
        self.preparing = id;
        self.deferred.clear();
        execution(0, false, &statement.types, parameters, &mut self.deferred);
        self.deferred_sql.clone_from(&statement.sql);
        frame(out, 0, |out| {
            out.push(COM_STMT_PREPARE);
            out.extend(statement.sql.as_bytes());
        });
        self.expect = Expect::Prepared;
    }
}
