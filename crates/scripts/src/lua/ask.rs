//! What a script's coroutine asks of the program when it yields, and the answers.

use mlua::{IntoLua, Lua, MultiValue, Table, Value};
use sql_wire::{Class, Failure, Kind, Rows};
use workloads::client::Reply;

/// The numbers are those of the prelude. Texts and parameters stay on the coroutine's stack.
#[derive(Debug)]
pub enum Ask {
    /// 1: send the text.
    Query,
    /// 2: execute the statement of this number.
    Execute(usize),
    /// 3: leave the server and connect again.
    Reconnect,
    /// 4: the call is over; true: the script wants no more.
    Ended(bool),
    /// 5: it ended by the failure of the last statement.
    SqlFailed,
    /// 6: it ended by an error of the script.
    LuaFailed(String),
    /// 7: go on after so many seconds.
    Pause(f64),
    /// 8: later sessions do not repeat the statements of this one.
    Forget,
    /// 9: the session is set up; the event begins.
    SetUp,
}

/// What a coroutine is resumed with.
pub enum Answer {
    Nothing,
    /// A statement succeeded, and the script looks at no results: rows counted, or changed.
    Count(u64),
    /// Anything else.
    Values(MultiValue),
}

/// The count of rows returned, or changed when there are none, and the rows when they were kept.
pub fn success(lua: &Lua, rows: u64, affected: u64, kept: Option<&Rows>) -> mlua::Result<Answer> {
    let count = if rows > 0 { rows } else { affected };
    let Some(kept) = kept else {
        return Ok(Answer::Count(count));
    };
    let mut answer = MultiValue::with_capacity(3);
    answer.push_back(Value::Number(count as f64));
    answer.push_back(Value::Number(kept.columns() as f64));
    if !kept.is_empty() {
        answer.push_back(Value::Table(table(lua, kept)?));
    }
    Ok(Answer::Values(answer))
}

/// A row of zeros, in the place of what a server would say.
pub fn zeros(lua: &Lua) -> mlua::Result<Answer> {
    const FIELDS: usize = 8;
    let row = lua.create_sequence_from(["0"; FIELDS])?;
    let rows = lua.create_sequence_from([row])?;
    lua.pack_multi((1, FIELDS, rows)).map(Answer::Values)
}

pub fn reply(lua: &Lua, reply: &Reply, keep: bool) -> mlua::Result<Answer> {
    match keep {
        true => success(lua, reply.rows, reply.affected, Some(&reply.all())),
        false => success(lua, reply.rows, reply.affected, None),
    }
}

/// Rows as sysbench gives them: tables of strings, nil for NULL.
fn table(lua: &Lua, rows: &Rows) -> mlua::Result<Table> {
    let all = lua.create_table_with_capacity(rows.len(), 0)?;
    for row in 0..rows.len() {
        let fields = lua.create_table_with_capacity(rows.columns(), 0)?;
        for column in 0..rows.columns() {
            use sql_wire::rows::Value as Field;
            match rows.get(row, column) {
                Some(Field::Text(text)) => fields.raw_set(column + 1, lua.create_string(text)?)?,
                _ => fields.raw_set(column + 1, rows.text(row, column).as_deref())?,
            }
        }
        all.raw_set(row + 1, fields)?;
    }
    Ok(all)
}

/// Which errors sysbench takes for part of the game.
#[derive(Clone, Debug, PartialEq)]
pub enum Ignored {
    All,
    Numbers(Vec<u32>),
}

impl Default for Ignored {
    fn default() -> Ignored {
        Ignored::Numbers(vec![1213, 1020, 1205])
    }
}

impl Ignored {
    pub fn holds(&self, kind: Kind, failure: &Failure) -> bool {
        match (kind, self) {
            (Kind::Postgres, _) => matches!(failure.code.as_str(), "40P01" | "40001" | "23505"),
            (_, Ignored::All) => true,
            (_, Ignored::Numbers(numbers)) => numbers.contains(&number(failure)),
        }
    }
}

/// MySQL's error number; that of a lost connection when there was no answer.
fn number(failure: &Failure) -> u32 {
    const LOST: u32 = 2013;
    match failure.class {
        Class::Connection | Class::Timeout => failure.code.parse().unwrap_or(LOST),
        _ => failure.code.parse().unwrap_or(0),
    }
}

/// A failure as the prelude takes it: nil, number, SQLSTATE, message, whether it may be ignored.
pub fn failure(
    lua: &Lua,
    kind: Kind,
    failure: &Failure,
    ignored: &Ignored,
) -> mlua::Result<Answer> {
    let (errno, state) = match kind {
        Kind::Postgres => (0, failure.code.as_str()),
        _ => {
            let state = failure.state.as_ref();
            let state = state.and_then(|state| std::str::from_utf8(state).ok());
            // the general state, as of a connection that broke
            (number(failure), state.unwrap_or("HY000"))
        }
    };
    let mut answer = MultiValue::with_capacity(5);
    answer.push_back(Value::Nil);
    answer.push_back(Value::Number(f64::from(errno)));
    answer.push_back(state.into_lua(lua)?);
    answer.push_back(failure.message.as_str().into_lua(lua)?);
    answer.push_back(Value::Boolean(ignored.holds(kind, failure)));
    Ok(Answer::Values(answer))
}
