//! Types of options, and texts as values of them.

use mlua::{Lua, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Int,
    Size,
    Number,
    String,
    List,
    File,
}

/// What sysbench gives an option that was declared without a value: with `true` for a truth value, as it does.
pub fn empty(lua: &Lua, kind: Kind) -> mlua::Result<Value> {
    Ok(match kind {
        Kind::Bool => Value::Boolean(true),
        Kind::Int | Kind::Size | Kind::Number => Value::Number(0.0),
        Kind::String => Value::String(lua.create_string("")?),
        Kind::List => Value::Table(lua.create_table()?),
        Kind::File => Value::Nil,
    })
}

/// A text as a value of this type.
pub fn value(lua: &Lua, kind: Kind, name: &str, text: &str) -> Result<Value, String> {
    let wrong = |what: &str| {
        let dashed = name.replace('_', "-");
        format!("--{dashed}: expected {what}, found '{text}'")
    };
    match kind {
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "on" | "true" | "1" | "yes" => Ok(Value::Boolean(true)),
            "off" | "false" | "0" | "no" => Ok(Value::Boolean(false)),
            _ => Err(wrong("on or off")),
        },
        Kind::Int => match text.parse::<i64>() {
            Ok(number) => Ok(Value::Number(number as f64)),
            Err(_) => Err(wrong("a whole number")),
        },
        Kind::Number => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(wrong("a number")),
        },
        Kind::Size => size(text)
            .map(Value::Number)
            .ok_or_else(|| wrong("a size such as 64K, 1M, 2G")),
        Kind::String | Kind::File => lua
            .create_string(text)
            .map(Value::String)
            .map_err(|error| error.to_string()),
        Kind::List => lua
            .create_sequence_from(text.split(',').filter(|item| !item.is_empty()))
            .map(Value::Table)
            .map_err(|error| error.to_string()),
    }
}

fn size(text: &str) -> Option<f64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[number.len()..] {
        "" => 1.0,
        "K" | "k" => 1024.0,
        "M" | "m" => 1024f64.powi(2),
        "G" | "g" => 1024f64.powi(3),
        "T" | "t" => 1024f64.powi(4),
        _ => return None,
    };
    let number: u64 = number.parse().ok()?;
    Some(number as f64 * scale)
}
