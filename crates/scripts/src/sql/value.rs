//! Values of a script's variables.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A column that no result had so far.
    Unset,
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
}

impl Value {
    /// A value as the command line gives it: a number when it looks like one, else a text.
    pub fn read(text: &str) -> Value {
        match text.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => match (text.parse(), text.parse::<f64>()) {
                (Ok(number), _) => Value::Int(number),
                (_, Ok(number)) if number.is_finite() => Value::Double(number),
                _ => Value::Text(text.to_string()),
            },
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Value::Unset => "a variable without a value",
            Value::Null => "null",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a whole number",
            Value::Double(_) => "a number",
            Value::Text(_) => "a text",
        }
    }

    /// The name of its type, as pgbench calls it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Unset | Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) => "int",
            Value::Double(_) => "double",
            Value::Text(_) => "text",
        }
    }

    pub fn float(&self) -> Option<f64> {
        match *self {
            Value::Int(value) => Some(value as f64),
            Value::Double(value) => Some(value),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Unset | Value::Null => out.write_str("null"),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Int(value) => write!(out, "{value}"),
            Value::Double(value) => out.write_str(&shortened(*value)),
            Value::Text(value) => out.write_str(value),
        }
    }
}

/// A double with 15 significant digits, as C's `%.15g` and pgbench write it.
fn shortened(value: f64) -> String {
    if !value.is_finite() {
        return match (value.is_nan(), value > 0.0) {
            (true, _) => "NaN".to_string(),
            (_, true) => "Infinity".to_string(),
            (_, false) => "-Infinity".to_string(),
        };
    }
    let scientific = format!("{value:.14e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    match exponent {
        -4..15 => trimmed(&format!("{value:.*}", (14 - exponent).max(0) as usize)),
        _ => format!(
            "{}e{}{:02}",
            trimmed(digits),
            if exponent < 0 { '-' } else { '+' },
            exponent.abs()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_pgbench_writes_them() {
        for (value, text) in [
            (1.0 / 3.0, "0.333333333333333"),
            (0.1 + 0.2, "0.3"),
            (1e20, "1e+20"),
            (1e15, "1e+15"),
            (123_456_789_012.0, "123456789012"),
            (2f64.sqrt(), "1.4142135623731"),
            (0.000_01, "1e-05"),
            (-2.5, "-2.5"),
            (0.0, "0"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(Value::Double(value).to_string(), text);
        }
    }

    #[test]
    fn numbers_are_told_from_texts() {
        assert_eq!(Value::read("-5"), Value::Int(-5));
        assert_eq!(Value::read("1e3"), Value::Double(1000.0));
        assert_eq!(Value::read("TRUE"), Value::Bool(true));
        assert_eq!(Value::read("1a"), Value::Text("1a".to_string()));
        assert_eq!(Value::read("inf"), Value::Text("inf".to_string()));
        assert_eq!(Value::read(""), Value::Text(String::new()));
    }
}
