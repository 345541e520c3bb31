//! The random functions that scripts call for every statement, as C functions: a call costs a few nanoseconds.

use super::core::Core;
use crate::pattern;
use mlua::ffi::{self, lua_State};
use mlua::{Lua, Table};
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use workloads::distribution::Shape;

/// Names and shapes; the one without a shape is what `--rand-type` says.
const SHAPES: [(&str, Option<Shape>); 6] = [
    ("default", None),
    ("special", Some(Shape::Special)),
    ("uniform", Some(Shape::Uniform)),
    ("pareto", Some(Shape::Pareto)),
    ("gaussian", Some(Shape::Gaussian)),
    ("zipfian", Some(Shape::Zipfian)),
];

/// Adds the functions to the table. They hold `core` for as long as the interpreter lives.
pub fn register(lua: &Lua, core: &Rc<Core>, table: &Table) -> mlua::Result<()> {
    for (which, (name, _)) in SHAPES.iter().enumerate() {
        table.raw_set(*name, closure(lua, core, pick, which)?)?;
    }
    table.raw_set("string", closure(lua, core, string, 0)?)
}

type Native = unsafe extern "C-unwind" fn(*mut lua_State) -> c_int;

/// A function that finds `core` and a number behind it.
fn closure(
    lua: &Lua,
    core: &Rc<Core>,
    native: Native,
    which: usize,
) -> mlua::Result<mlua::Function> {
    let held: *const Core = Rc::as_ptr(core);
    // SAFETY: `Interpreter` keeps both the interpreter and its `Core`, and drops the interpreter first.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::lua_pushlightuserdata(state, held.cast_mut().cast::<c_void>());
            ffi::lua_pushnumber(state, which as f64);
            ffi::lua_pushcclosure(state, native, 2);
        })
    }
}

/// SAFETY: only as a closure made above.
unsafe fn core_of<'a>(state: *mut lua_State) -> &'a Core {
    unsafe { &*ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<Core>() }
}

unsafe extern "C-unwind" fn pick(state: *mut lua_State) -> c_int {
    // SAFETY: called by Lua as a closure made above. A wrong argument leaves through Lua's own error, before
    // anything here needs dropping.
    unsafe {
        let (low, high) = (
            ffi::luaL_checknumber(state, 1),
            ffi::luaL_checknumber(state, 2),
        );
        let which = ffi::lua_tonumber(state, ffi::lua_upvalueindex(2)) as usize;
        let mut random = core_of(state).random.borrow_mut();
        let found = match SHAPES[which].1 {
            None => random.default(low, high),
            Some(shape) => random.pick(shape, low, high),
        };
        drop(random);
        ffi::lua_pushnumber(state, found);
    }
    1
}

unsafe extern "C-unwind" fn string(state: *mut lua_State) -> c_int {
    // SAFETY: as above; the pattern is an argument, so it lives until the end.
    unsafe {
        let mut length = 0;
        let start = ffi::luaL_checklstring(state, 1, &mut length);
        let pattern = std::slice::from_raw_parts(start.cast::<u8>(), length);
        let core = core_of(state);
        let mut text = core.text.take();
        text.clear();
        pattern::fill(pattern, &mut core.random.borrow_mut().rng, &mut text);
        ffi::lua_pushlstring(state, text.as_ptr().cast(), text.len());
        core.text.replace(text);
    }
    1
}
