//! A script's coroutine, resumed through Lua's own C functions.
//!
//! A statement passes here twice: what the script yields is read from the coroutine's stack, straight into the
//! call's parameters, and the reply's counts are pushed on it. The safe interface makes a list and a reference
//! of each value, which costs more than the script itself.

use super::ask::{Answer, Ask};
use super::error::message;
use mlua::{Lua, MultiValue, Thread, ffi};
use sql_wire::{Parameters, Type};
use std::ffi::c_int;

/// Slots that a resumed coroutine needs besides its values.
const ROOM: c_int = 8;
/// Where a yield's values begin: the first is the number of what is asked.
const SUBJECT: c_int = 2;
const PARAMETERS: c_int = 3;

pub struct Coroutine {
    thread: Thread,
}

impl Coroutine {
    pub fn new(thread: Thread) -> Coroutine {
        Coroutine { thread }
    }

    /// Lets it run to its next question.
    pub fn resume(&self, lua: &Lua, answer: Answer) -> Ask {
        let state = self.thread.state();
        // SAFETY: the thread is alive as long as we are, and not running: only scripts' events run, one at a
        // time, each from here. Between two resumes its stack is ours.
        unsafe {
            ffi::lua_settop(state, if self.is_fresh() { 1 } else { 0 });
            if ffi::lua_checkstack(state, ROOM) == 0 {
                return Ask::LuaFailed("no memory for the script".to_string());
            }
            let count = match answer {
                Answer::Nothing => 0,
                Answer::Count(count) => {
                    ffi::lua_pushnumber(state, count as f64);
                    1
                }
                Answer::Values(values) => match self.push(lua, values) {
                    Ok(count) => count,
                    Err(error) => return Ask::LuaFailed(message(&error)),
                },
            };
            match ffi::lua_resume_(state, count) {
                ffi::LUA_YIELD => self.asked(),
                ffi::LUA_OK => Ask::LuaFailed("the script's coroutine came to an end".to_string()),
                _ => Ask::LuaFailed(self.text_at(-1)),
            }
        }
    }

    /// It was not resumed yet: its function is on its stack.
    fn is_fresh(&self) -> bool {
        // SAFETY: as in `resume`.
        unsafe { ffi::lua_status(self.thread.state()) == ffi::LUA_OK }
    }

    fn push(&self, lua: &Lua, values: MultiValue) -> mlua::Result<c_int> {
        let count = values.len() as c_int;
        let to = self.thread.state();
        // SAFETY: the values are on the stack of `from`, and both belong to one interpreter.
        unsafe {
            lua.exec_raw::<()>(values, |from| {
                if ffi::lua_checkstack(to, count + ROOM) != 0 {
                    ffi::lua_xmove(from, to, count);
                }
            })?;
        }
        Ok(count)
    }

    fn asked(&self) -> Ask {
        let state = self.thread.state();
        // SAFETY: as in `resume`; these functions answer 0 for what is not there.
        unsafe {
            match ffi::lua_tonumber(state, 1) as i32 {
                1 if ffi::lua_type(state, SUBJECT) == ffi::LUA_TSTRING => Ask::Query,
                1 => Ask::LuaFailed("a query must be a string".to_string()),
                2 => Ask::Execute(ffi::lua_tonumber(state, SUBJECT) as usize),
                3 => Ask::Reconnect,
                4 => Ask::Ended(ffi::lua_toboolean(state, SUBJECT) != 0),
                5 => Ask::SqlFailed,
                6 => Ask::LuaFailed(self.text_at(SUBJECT)),
                7 => Ask::Pause(ffi::lua_tonumber(state, SUBJECT)),
                8 => Ask::Forget,
                9 => Ask::SetUp,
                _ => Ask::LuaFailed(
                    "the script yielded outside of a coroutine of its own".to_string(),
                ),
            }
        }
    }

    fn text_at(&self, index: c_int) -> String {
        self.bytes(index, |bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_else(|| "an error that is no text".to_string())
    }

    /// Hands on the bytes of a string on the stack; a number becomes one.
    fn bytes<T>(&self, index: c_int, take: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let mut length = 0;
        // SAFETY: the bytes live as long as the value is on the stack, that is until the next resume.
        unsafe {
            let start = ffi::lua_tolstring(self.thread.state(), index, &mut length);
            if start.is_null() {
                return None;
            }
            Some(take(std::slice::from_raw_parts(start.cast::<u8>(), length)))
        }
    }

    /// The text of the query that was asked for, which may have any bytes.
    pub fn with_query<T>(&self, take: impl FnOnce(&[u8]) -> T) -> T {
        self.bytes(SUBJECT, take)
            .expect("a query is a string, as was made sure of")
    }

    /// The same as text, for those who look at its words.
    pub fn with_words<T>(&self, take: impl FnOnce(&str) -> T) -> T {
        self.with_query(|sql| take(&String::from_utf8_lossy(sql)))
    }

    /// The statement without parameters that was asked for is one of thread_init().
    pub fn is_setting_up(&self) -> bool {
        // SAFETY: as in `resume`; an index beyond the stack is false.
        unsafe { ffi::lua_toboolean(self.thread.state(), PARAMETERS) != 0 }
    }

    /// Puts the parameters of the execution that was asked for where the protocol takes them from.
    pub fn parameters(&self, types: &[Type], parameters: &mut Parameters) {
        let state = self.thread.state();
        parameters.clear();
        for (position, of) in types.iter().enumerate() {
            let index = PARAMETERS + position as c_int;
            // SAFETY: as in `resume`; an index beyond the stack is of type none.
            let kind = unsafe { ffi::lua_type(state, index) };
            if kind == ffi::LUA_TNIL || kind == ffi::LUA_TNONE {
                parameters.null();
                continue;
            }
            // SAFETY: as above; booleans are numbers to the database, not to Lua.
            let number = || unsafe {
                match kind {
                    ffi::LUA_TBOOLEAN => f64::from(ffi::lua_toboolean(state, index)),
                    _ => ffi::lua_tonumber(state, index),
                }
            };
            match of {
                Type::Int | Type::BigInt => parameters.big_int(self.whole(index, kind, number)),
                Type::Double => parameters.double(number()),
                Type::Numeric | Type::Text => {
                    let text = self.bytes(index, |bytes| {
                        parameters.text(|out| out.extend_from_slice(bytes));
                    });
                    if text.is_none() {
                        let written = if number() == 0.0 { b"0" } else { b"1" };
                        parameters.text(|out| out.extend_from_slice(written));
                    }
                }
            }
        }
    }

    /// A whole number as a C cast makes it; texts keep digits that a double would lose.
    fn whole(&self, index: c_int, kind: c_int, number: impl Fn() -> f64) -> i64 {
        if kind != ffi::LUA_TSTRING {
            return number() as i64;
        }
        let read = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.trim().parse().ok();
        self.bytes(index, read)
            .flatten()
            .unwrap_or_else(|| number() as i64)
    }
}
