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
    /// Another spelling of a number, truth value or null than its own: `00501`, `1.50`, `TRUE`. Statements get it as
    /// it is written, expressions what it means, as with pgbench.
    Written(String),
}

impl Value {
    /// A value as the command line or a result gives it: what looks like a number is one, written as it is.
    pub fn read(text: &str) -> Value {
        match Value::parse(text) {
            value @ Value::Text(_) => value,
            value if value.to_string() == text => value,
            _ => Value::Written(text.to_string()),
        }
    }

    /// What expressions understand by a value.
    pub fn meaning(&self) -> Value {
        match self {
            Value::Written(text) => Value::parse(text),
            other => other.clone(),
        }
    }

    /// A text as an expression understands it: a number when it looks like one.
    pub fn parse(text: &str) -> Value {
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
            Value::Written(_) => self.meaning().name(),
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
            Value::Written(_) => self.meaning().type_name(),
        }
    }

    pub fn float(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Double(value) => Some(*value),
            Value::Written(_) => self.meaning().float(),
            _ => None,
        }
    }

    /// The whole number as which a double is written, if it is: pgbench sends `pow(2, 3)` as 8.
    pub fn whole(&self) -> Option<i64> {
        match *self {
            Value::Int(value) => Some(value),
            // From 1e15 on it is written with an exponent.
            Value::Double(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                Some(value as i64)
            }
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
            Value::Text(value) | Value::Written(value) => out.write_str(value),
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
        assert_eq!(Value::read("2.5"), Value::Double(2.5));
        assert_eq!(Value::read("true"), Value::Bool(true));
        assert_eq!(Value::read("1a"), Value::Text("1a".to_string()));
        assert_eq!(Value::read("inf"), Value::Text("inf".to_string()));
        assert_eq!(Value::read(""), Value::Text(String::new()));
    }

    #[test]
    fn another_spelling_is_kept_and_means_its_number() {
        for (text, meaning) in [
            ("00501", Value::Int(501)),
            ("+5", Value::Int(5)),
            ("1.50", Value::Double(1.5)),
            ("1e3", Value::Double(1000.0)),
            ("100.00", Value::Double(100.0)),
            (
                "12345678901234567890",
                Value::Double(12_345_678_901_234_567_890.0),
            ),
            (
                "0.30000000000000004",
                Value::Double(0.300_000_000_000_000_04),
            ),
            ("TRUE", Value::Bool(true)),
            ("NULL", Value::Null),
        ] {
            let value = Value::read(text);
            assert_eq!(value, Value::Written(text.to_string()));
            assert_eq!(value.to_string(), text);
            assert_eq!(value.meaning(), meaning);
        }
    }

    #[test]
    fn a_double_without_a_fraction_is_written_as_a_whole_number() {
        for (value, whole) in [
            (8.0, Some(8)),
            (-3.0, Some(-3)),
            (2.5, None),
            (1e15, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(Value::Double(value).whole(), whole);
            let written = Value::Double(value).to_string();
            assert_eq!(written.parse().ok(), whole, "{written}");
        }
    }
}
