//! COM_STMT_EXECUTE: a prepared statement's number and its parameters in binary.

use super::packet::{self, frame};
use crate::parameters::{Parameters, Type, Value};

pub const COM_STMT_EXECUTE: u8 = 0x17;

/// Appends a framed COM_STMT_EXECUTE; types are sent only until the server knows them.
pub fn execution(
    number: u32,
    typed: bool,
    types: &[Type],
    parameters: &Parameters,
    out: &mut Vec<u8>,
) {
    frame(out, 0, |out| {
        out.push(COM_STMT_EXECUTE);
        out.extend(number.to_le_bytes());
        out.extend([0, 1, 0, 0, 0]); // no cursor, one iteration
        if types.is_empty() {
            return;
        }
        append_nulls(parameters, out);
        out.push(u8::from(!typed));
        if !typed {
            for parameter in types {
                out.extend([type_code(*parameter), 0]);
            }
        }
        for value in &parameters.values {
            append_value(*value, parameters, out);
        }
    });
}

/// One bit for each parameter, set for a NULL.
fn append_nulls(parameters: &Parameters, out: &mut Vec<u8>) {
    let start = out.len();
    let values = &parameters.values;
    out.resize(start + values.len().div_ceil(8), 0);
    for (index, value) in values.iter().enumerate() {
        if *value == Value::Null {
            out[start + index / 8] |= 1 << (index % 8);
        }
    }
}

fn type_code(parameter: Type) -> u8 {
    match parameter {
        Type::Int => 3,
        Type::BigInt => 8,
        Type::Double => 5,
        Type::Numeric | Type::Text => 254,
    }
}

fn append_value(value: Value, parameters: &Parameters, out: &mut Vec<u8>) {
    match value {
        Value::Int(value) => out.extend(value.to_le_bytes()),
        Value::BigInt(value) => out.extend(value.to_le_bytes()),
        Value::Double(value) => out.extend(value.to_le_bytes()),
        Value::Null => {}
        Value::Text { start, length } => {
            packet::append_length(length as usize, out);
            out.extend_from_slice(parameters.text_at(start, length));
        }
    }
}
