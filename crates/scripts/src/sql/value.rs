//! Values of a script's variables.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
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
            Value::Null => "null",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a whole number",
            Value::Double(_) => "a number",
            Value::Text(_) => "a text",
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
            Value::Null => out.write_str("null"),
            Value::Bool(value) => write!(out, "{value}"),
            Value::Int(value) => write!(out, "{value}"),
            Value::Double(value) => write!(out, "{value}"),
            Value::Text(value) => out.write_str(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
